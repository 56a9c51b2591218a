//! A required deliverable: a path or a pattern, followed by conditions.
//!
//! ```text
//! report.md                       a name without a directory is in deliverables/
//! deliverables/data/*.csv:type=csv:min=100
//! deliverables/log.txt:allow-empty:fresh
//! ```

use glob::{MatchOptions, Pattern};

use super::deliverables::{Wants, full_path};
use super::file_type::{FILE_TYPES, FileType};
use crate::event::catalogue;
use crate::event::role::Role;
use crate::json::Json;
use crate::text::near::nearest;
use crate::text::units::size;

/// A file that a run must produce.
#[derive(Debug)]
pub(crate) struct Requirement {
    /// The text as given.
    pub text: String,
    /// The path or pattern, relative to the run directory.
    pub path: String,
    /// Set if it is a pattern.
    pub pattern: Option<Pattern>,
    /// The minimum size in bytes.
    pub min: Option<u64>,
    /// Whether it must have changed since the run started.
    pub fresh: bool,
    /// The required type of the content.
    pub file_type: Option<&'static FileType>,
    /// The required SHA-256, in lower-case hex.
    pub sha256: Option<String>,
    /// Whether it may be empty.
    pub allow_empty: bool,
}

/// A sentence about the first required file of a `run.created` that is outside `deliverables/`, so
/// that the run can never pass.
#[must_use]
pub(crate) fn advice_on_required(kind: &str, data: Json<'_>) -> Option<String> {
    catalogue::row(kind).filter(|row| row.role == Role::RunCreated)?;
    let required = data.present("deliverables").and_then(|found| found.present("required"));
    let texts = required.into_iter().flat_map(Json::items).filter_map(Json::as_str);
    let mut parsed = texts.filter_map(|text| Requirement::parse(&text).ok());
    let outside = parsed.find(|required| !required.names_inside())?;
    Some(format!(
        "the required file {} cannot pass, and the run will be blocked: {}",
        outside.text,
        outside.outside()
    ))
}

impl Requirement {
    /// Parses a requirement. Conditions are parsed from the end. The first part that does not look
    /// like a condition belongs to the path.
    ///
    /// # Errors
    /// An unknown or empty condition, a condition with an invalid value, or an empty path.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        Self::read(text, true)
    }

    /// Parses a requirement that is recorded. Older versions accepted conditions that are given twice
    /// or contradict each other.
    ///
    /// # Errors
    /// As [`Requirement::parse`].
    pub(crate) fn recorded(text: &str) -> Result<Self, String> {
        Self::read(text, false)
    }

    fn read(text: &str, is_new: bool) -> Result<Self, String> {
        let mut required = Self {
            text: text.to_owned(),
            path: String::new(),
            pattern: None,
            min: None,
            fresh: false,
            file_type: None,
            sha256: None,
            allow_empty: false,
        };
        let mut path = text;
        while let Some((before, condition)) = path.rsplit_once(':') {
            if condition.is_empty() {
                let known = CONDITIONS.join(", ");
                return Err(format!("nothing after the last \":\"; the conditions are {known}"));
            }
            if is_new && required.has(condition) {
                let name = condition.split_once('=').map_or(condition, |(name, _)| name);
                return Err(format!("the condition {name} is given twice"));
            }
            if !required.condition(condition)? {
                break;
            }
            path = before;
        }
        if path.is_empty() {
            return Err("the path is empty".to_owned());
        }
        if is_new && required.allow_empty && required.min > Some(0) {
            return Err("allow-empty contradicts min".to_owned());
        }
        required.path = normal(&full_path(path));
        if path.contains(['*', '?', '[']) {
            // A path that is not a valid pattern is taken literally.
            required.pattern = Pattern::new(&required.path).ok();
        }
        Ok(required)
    }

    /// Whether a condition of that name is known already.
    fn has(&self, condition: &str) -> bool {
        match condition.split_once('=').map_or(condition, |(name, _)| name) {
            "fresh" => self.fresh,
            "allow-empty" => self.allow_empty,
            "min" => self.min.is_some(),
            "type" => self.file_type.is_some(),
            "sha256" => self.sha256.is_some(),
            _ => false,
        }
    }

    /// Parses a condition. Returns false if the text is not a condition.
    fn condition(&mut self, condition: &str) -> Result<bool, String> {
        let (name, value) = condition.split_once('=').unwrap_or((condition, ""));
        match (name, condition.contains('=')) {
            ("fresh", false) => self.fresh = true,
            ("allow-empty", false) => self.allow_empty = true,
            ("min", true) => {
                let number = match value {
                    "0" => 0,
                    _ => size(value).map_err(|what| format!("min={value}: {what}"))? as u64,
                };
                self.min = Some(number);
            }
            ("type", true) => {
                let names: Vec<&str> = FILE_TYPES.iter().map(|one| one.name).collect();
                let known = FileType::find(value);
                let unknown = || format!("type={value}: the types are {}", names.join(", "));
                self.file_type = Some(known.ok_or_else(unknown)?);
            }
            ("sha256", true) => {
                let hash = value.to_ascii_lowercase();
                if hash.len() != 64 || !hash.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                    return Err(format!("sha256={value}: not 64 hex digits"));
                }
                self.sha256 = Some(hash);
            }
            _ if looks_like_condition(condition) => return Err(unknown(condition)),
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// How the file is outside `deliverables/`, with the path that was probably meant.
    #[must_use]
    pub(crate) fn outside(&self) -> String {
        if self.names_inside() {
            return "a link leads outside deliverables/".to_owned();
        }
        if self.path == "deliverables" {
            return "the folder deliverables/ itself; name a file in it, or deliverables/*"
                .to_owned();
        }
        let may_be_inside = !self.path.starts_with(['.', '/']) && !self.path.contains("..");
        let meant = may_be_inside.then(|| format!("; did you mean deliverables/{}?", self.path));
        format!("outside deliverables/{}", meant.unwrap_or_default())
    }

    /// Whether the path, as it is written, is below `deliverables/`.
    #[must_use]
    pub(crate) fn names_inside(&self) -> bool {
        self.path.starts_with("deliverables/") && !self.path.split('/').any(|part| part == "..")
    }

    /// What has to be read from a file.
    #[must_use]
    pub(crate) fn wants(&self) -> Wants {
        Wants { bytes: self.file_type.is_some(), sha256: self.sha256.is_some() }
    }

    /// Whether this requirement matches a path.
    #[must_use]
    pub(crate) fn covers(&self, path: &str) -> bool {
        // `*` does not match `/`; `**` does.
        let options = MatchOptions {
            case_sensitive: true,
            require_literal_separator: true,
            require_literal_leading_dot: false,
        };
        match &self.pattern {
            // A file may be named like a pattern: `[id].md`.
            Some(pattern) => self.path == path || pattern.matches_with(path, options),
            None => self.path == path,
        }
    }
}

/// The syntax of the conditions.
const CONDITIONS: [&str; 5] = ["min=BYTES", "fresh", "type=NAME", "sha256=HASH", "allow-empty"];

/// Whether the end of a path can only be meant as a condition: `NAME=VALUE`, or a word similar to
/// the name of a condition. `notes:2026.md` stays a path.
fn looks_like_condition(text: &str) -> bool {
    let is_word = |word: &str| {
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    match text.split_once('=') {
        Some((name, _)) => is_word(name),
        None => nearest(text, names()).is_some(),
    }
}

fn unknown(condition: &str) -> String {
    let name = condition.split('=').next().unwrap_or(condition);
    let meant = nearest(name, names()).map(|name| format!("; did you mean {name}?"));
    let known = CONDITIONS.join(", ");
    format!(
        "\"{condition}\" is not a condition{}; the conditions are {known}",
        meant.unwrap_or_default()
    )
}

/// The names of the conditions.
fn names() -> impl Iterator<Item = &'static str> {
    CONDITIONS.iter().map(|condition| condition.split('=').next().unwrap_or(condition))
}

/// A path without `.` and repeated slashes. `..` is kept and judged later.
fn normal(path: &str) -> String {
    let parts = path.split('/').enumerate();
    let parts = parts.filter(|(at, part)| *part != "." && (*at == 0 || !part.is_empty()));
    parts.map(|(_, part)| part).collect::<Vec<_>>().join("/")
}
