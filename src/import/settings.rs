//! What clients write again and again, such as a title: it is an event when it changes.

use std::collections::HashMap;

use crate::json::Json;

/// The newest value of each setting, by what it is of.
#[derive(Debug, Default)]
pub(super) struct KnownSettings(HashMap<String, String>);

/// The members that say what a setting is of.
const OF: [&str; 2] = ["agent_id", "title_by"];

impl KnownSettings {
    /// Takes the settings of an event. Returns whether one of them is new.
    pub(super) fn take(&mut self, settings: Json<'_>) -> bool {
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
