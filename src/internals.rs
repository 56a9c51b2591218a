//! The items that the program's own `main`, tests, benchmarks and fuzz targets use besides the
//! public library. They change without notice.

/// The program.
pub mod cli {
    pub use crate::cli::manual::{FILES, STATUSES, VARIABLES};
    pub use crate::cli::{command, completion_script, main};
}

/// JSON text.
pub mod json {
    pub use crate::json::{Json, JsonRules, MemberPlaces, Members, ObjectTree, check, quoted};
}

/// Text that cannot act on a terminal.
pub mod inert {
    pub use crate::text::inert::{line, text};
}

/// Text in Markdown.
pub mod markdown {
    pub use crate::text::markdown::{escape, fence};
}

/// Paths.
pub mod fs {
    pub use crate::fs::PathAt;
}

/// Hashes of lines.
pub mod hash {
    pub use crate::fs::hash::line_hash;
}

/// Event types.
pub mod catalogue {
    pub use crate::event::catalogue::{Class, rows};
    pub use crate::event::role::Role;
}

/// Events and their parts.
pub mod event {
    pub use crate::event::draft::{Defaults, Derived, Draft};
    pub use crate::event::encoded_line::EncodedLine;
    pub use crate::event::fields::View;
    pub use crate::event::id::{EventId, RunId, check_id, check_type};
    pub use crate::event::template::Template;
    pub use crate::event::templates::Templates;
    pub use crate::event::time::Timestamp;
}

/// Events as they are written in a log.
pub mod envelope {
    pub use crate::event::envelope::{LineError, MAX_LINE, parse, peek};
    pub use crate::event::severity::Severity;
}

/// The log.
pub mod log {
    pub use crate::log::part::LogPart;
    pub use crate::log::reader::{Body, Line, LogReader};
    pub use crate::log::tail::{is_blank, read_tail};
}

/// The state of a run.
pub mod history {
    pub use crate::history::state::{Counted, RunState};
}

/// Secrets.
pub mod secret {
    pub use crate::secret::SecretRules;
}

/// The tables of exports.
pub mod tables {
    pub use crate::tables::{CellKind, Column, TableName, columns_of};
}

/// Checks.
pub mod check {
    pub use crate::check::table::{CHECKS, Check, Fix, Level};
    pub use crate::run::file_type::FILE_TYPES;
}
