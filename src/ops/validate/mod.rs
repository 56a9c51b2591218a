//! Validation: checks a run, fixes it, and records the verdict.

mod chapters;
mod deliverables;
mod evidence;
mod expected_head;
mod fix;
mod leaks;
mod leftovers;
mod lines;
mod log_end;
mod record;
mod rejected_end;
mod snapshot;
mod summaries;
mod template_claims;
mod transcript;
mod validation;

pub(crate) use expected_head::ExpectedHead;
pub(crate) use fix::{Fixed, plan_fix};
pub(crate) use record::record;
pub(crate) use validation::{Criteria, validate};
