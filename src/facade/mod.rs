//! The interface for other programs: a run that can be recorded to, validated and rendered.
//!
//! Everything here is a thin layer over the use cases. It reads only the clock, and only if the
//! [`Options`] do not set one.

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
