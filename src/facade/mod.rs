//! What other programs use: a run that can be recorded to, validated and rendered.
//!
//! Everything here is a thin front over the use cases. It reads one thing of the world, the clock,
//! and only where [`Options`] name no other.

mod error;
mod fix;
mod options;
mod report;
mod run;

pub use error::{Error, ErrorKind};
pub use fix::{FixOutcome, FixStep, Fixed};
pub use options::{Durability, Options};
pub use report::{Finding, Level, Report, Verdict};
pub use run::{Draft, Event, Format, Recorded, Recorder, Run};
