//! What clients write again and again, such as a title: it is an event when it changes.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::json::{Json, ObjectText};

/// The newest value of each setting, by what it is of.
#[derive(Debug, Default)]
pub(crate) struct KnownSettings(HashMap<String, String>);

/// The members that say what a setting is of.
const OF: [&str; 2] = ["agent_id", "title_by"];

impl KnownSettings {
    /// Takes the settings of an event. Returns whether one of them is new.
    pub(crate) fn take(&mut self, settings: Json<'_>) -> bool {
        let of = OF.map(|name| settings.text_at(name).unwrap_or_default()).join("/");
        let mut is_new = false;
        for (name, value) in settings.members().filter(|(name, _)| !OF.contains(&name.as_ref())) {
            let value = value.compact().into_owned();
            let known = self.0.insert(format!("{of}/{name}"), value.clone());
            is_new |= known.is_none_or(|known| known != value);
        }
        is_new
    }
}

/// The facts of the session that its lines repeat. A line says one that is new.
#[derive(Debug, Default)]
pub(crate) struct SessionFacts {
    known: [Option<String>; FACTS.len()],
}

/// The facts, with the names that agents give them.
const FACTS: [(&str, &[&str]); 6] = [
    ("agent_version", &["version", "cli_version"]),
    ("cwd", &["cwd"]),
    ("git_branch", &["gitBranch", "git_branch"]),
    ("permission_mode", &["permissionMode"]),
    ("sandbox", &["payload.sandbox_policy.mode", "payload.sandbox_policy.type"]),
    ("approval_policy", &["payload.approval_policy"]),
];

impl SessionFacts {
    /// The facts in a line that are new: a JSON object as text.
    pub(crate) fn take(&mut self, line: Json<'_>) -> Option<String> {
        let mut facts = ObjectText::new();
        for ((name, theirs), known) in FACTS.iter().zip(&mut self.known) {
            // A number is the version of the format.
            let value = theirs.iter().find_map(|theirs| line.path(theirs)?.as_str());
            let is_new = |value: &Cow<'_, str>| known.as_deref() != Some(value.as_ref());
            if let Some(value) = value.filter(|value| !value.is_empty()).filter(is_new) {
                facts.text(name, &value);
                *known = Some(value.into_owned());
            }
        }
        (!facts.is_empty()).then(|| facts.finish())
    }
}
