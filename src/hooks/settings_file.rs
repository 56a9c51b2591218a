//! The text of an agent's settings file: which of its hooks run `runlog hook`, and the text with
//! such hooks added or removed. Everything else in the text stays as it is.

use std::borrow::Cow;

use super::settings_fault::{SettingsFault, edited_json};
use super::wiring::Wiring;
use crate::json::{EditedJson, Json, JsonStep, Kind, quoted};

/// The member that holds the hooks.
const HOOKS: &str = "hooks";

/// A settings file of an agent.
#[derive(Clone, Debug)]
pub(crate) struct HookFile {
    json: EditedJson,
    wiring: &'static Wiring,
}

/// A hook in the file that runs `runlog hook`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WiredHook {
    /// Its event.
    pub event: String,
    /// The program, without quotes.
    pub program: String,
    /// Whether `runlog init` writes this command line. Otherwise a user changed it.
    pub is_plain: bool,
    /// The number of its group or entry, and the number in the group.
    place: (usize, Option<usize>),
}

impl HookFile {
    /// Reads the text of a file. An empty file is one without settings.
    ///
    /// # Errors
    /// The text is not JSON, or its hooks do not have the form that the agent reads.
    pub(crate) fn read(text: &str, wiring: &'static Wiring) -> Result<Self, SettingsFault> {
        let text = if text.trim().is_empty() { wiring.empty } else { text };
        let json = edited_json(text)?;
        let file = Self { json, wiring };
        file.check_form()?;
        Ok(file)
    }

    /// The text as it is now. A file that only has what a new one has is `None`.
    #[must_use]
    pub(crate) fn text(&self) -> Option<&str> {
        let root = self.json.at(&[]).unwrap_or(Json::EMPTY);
        let has_settings = root.raw_members().any(|(name, _)| name != "version");
        has_settings.then_some(self.json.text())
    }

    /// The hooks that run `runlog hook`, in the order of the file.
    #[must_use]
    pub(crate) fn wired(&self) -> Vec<WiredHook> {
        let mut found = Vec::new();
        let hooks = self.json.at(&[JsonStep::Member(HOOKS)]).unwrap_or(Json::EMPTY);
        for (event, entries) in hooks.members() {
            for (number, entry) in entries.items().enumerate() {
                if self.wiring.is_grouped() {
                    let inner = entry.get(HOOKS).into_iter().flat_map(Json::items).enumerate();
                    found.extend(inner.filter_map(|(inner, entry)| {
                        self.wired_hook(&event, entry, (number, Some(inner)))
                    }));
                } else {
                    found.extend(self.wired_hook(&event, entry, (number, None)));
                }
            }
        }
        found
    }

    /// Whether Claude Code's plugin of this program is enabled: `NAME@MARKETPLACE` of a plugin with
    /// the value `true`.
    #[must_use]
    pub(crate) fn has_plugin(&self) -> bool {
        let plugins = self.json.at(&[JsonStep::Member("enabledPlugins")]).unwrap_or(Json::EMPTY);
        plugins
            .members()
            .any(|(name, value)| name.starts_with("runlog@") && value.as_bool() == Some(true))
    }

    /// Adds the hooks that are missing, and gives plain ones this program (quoted for the shell).
    pub(crate) fn wire(&mut self, program: &str) {
        let wiring = self.wiring;
        for event in wiring.events {
            let there: Vec<WiredHook> =
                self.wired().into_iter().filter(|hook| hook.event == *event).collect();
            let command = quoted(&wiring.command(program, event));
            for hook in there.iter().filter(|hook| hook.is_plain) {
                let steps = self.steps(hook);
                if self.json.at(&steps).is_some_and(|old| old.text() != command) {
                    self.json.replace(&steps, &command);
                }
            }
            if there.is_empty() {
                self.add(event, program);
            }
        }
    }

    /// Removes the hooks that [`HookFile::wire`] adds, and the lists and objects that only had
    /// these. Hooks that a user changed stay.
    pub(crate) fn unwire(&mut self) {
        while let Some(hook) = self.wired().into_iter().find(|hook| hook.is_plain) {
            let (number, inner) = hook.place;
            let event = hook.event.as_str();
            let group = [JsonStep::Member(HOOKS), JsonStep::Member(event), JsonStep::Item(number)];
            if let Some(inner) = inner {
                let list = [&group[..], &[JsonStep::Member(HOOKS)]].concat();
                self.json.remove(&list, inner);
                if !self.is_empty(&list) {
                    continue;
                }
            }
            self.json.remove(&group[..2], number);
            if self.is_empty(&group[..2]) {
                self.remove_member(&group[..1], event);
            }
            if self.is_empty(&group[..1]) {
                self.remove_member(&[], HOOKS);
            }
        }
    }

    fn add(&mut self, event: &str, program: &str) {
        let path = [JsonStep::Member(HOOKS), JsonStep::Member(event)];
        if self.json.at(&path[..1]).is_none() {
            self.json.add(&[], Some(HOOKS), Json::EMPTY);
        }
        let entry = self.wiring.entry(program, event);
        if self.json.at(&path).is_some() {
            self.json.add(&path, None, Json::trusted(&entry));
        } else {
            self.json.add(&path[..1], Some(event), Json::trusted(&format!("[{entry}]")));
        }
    }

    fn is_empty(&self, path: &[JsonStep<'_>]) -> bool {
        let value = self.json.at(path);
        value.is_some_and(|value| {
            value.raw_members().next().is_none() && value.items().next().is_none()
        })
    }

    fn remove_member(&mut self, path: &[JsonStep<'_>], name: &str) {
        let object = self.json.at(path).unwrap_or(Json::EMPTY);
        let number = object.members().position(|(known, _)| known == name);
        if let Some(number) = number {
            self.json.remove(path, number);
        }
    }

    /// The steps to the command line of a hook.
    fn steps<'h>(&self, hook: &'h WiredHook) -> Vec<JsonStep<'h>> {
        let (number, inner) = hook.place;
        let mut steps =
            vec![JsonStep::Member(HOOKS), JsonStep::Member(&hook.event), JsonStep::Item(number)];
        if let Some(inner) = inner {
            steps.extend([JsonStep::Member(HOOKS), JsonStep::Item(inner)]);
        }
        steps.push(JsonStep::Member(self.wiring.command_field()));
        steps
    }

    fn wired_hook(
        &self,
        event: &str,
        entry: Json<'_>,
        place: (usize, Option<usize>),
    ) -> Option<WiredHook> {
        let command = entry.text_at(self.wiring.command_field())?;
        let words = shell_words(&command);
        let at = words.windows(2).position(|pair| is_program(&pair[0]) && pair[1] == "hook")?;
        let program = words[at].clone();
        let is_plain = shell_words(&self.wiring.command("runlog", event))[1..] == words[at + 1..];
        let is_plain = is_plain && at == 0;
        Some(WiredHook { event: event.to_owned(), program, is_plain, place })
    }

    /// Checks that the hooks have the form that the agent reads.
    fn check_form(&self) -> Result<(), SettingsFault> {
        let expect = |value: Json<'_>, kind: Kind, what: Cow<'_, str>| match value.kind() == kind {
            true => Ok(()),
            false => {
                let kind = if kind == Kind::Object { "an object" } else { "a list" };
                let at = self.json.offset(value);
                Err(SettingsFault::at(self.json.text(), at, format!("{what} is not {kind}")))
            }
        };
        let root = self.json.at(&[]).unwrap_or(Json::NULL);
        expect(root, Kind::Object, "the whole file".into())?;
        let Some(hooks) = root.get(HOOKS) else { return Ok(()) };
        expect(hooks, Kind::Object, "hooks".into())?;
        for event in self.wiring.events {
            let Some(entries) = hooks.get(event) else { continue };
            expect(entries, Kind::Array, format!("hooks.{event}").into())?;
        }
        Ok(())
    }
}

/// Whether a word of a command line is this program: `runlog`, or a file such as `runlog-0.2.0`.
pub(crate) fn is_program(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or_default();
    name.strip_prefix("runlog")
        .is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '_', '.']))
}

/// The words of a command line. Only quotes and backslashes are understood.
fn shell_words(command: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let (mut word, mut quote) = (None::<String>, None);
    let mut letters = command.chars();
    while let Some(letter) = letters.next() {
        match (letter, quote) {
            (' ' | '\t' | '\n', None) => words.extend(word.take()),
            ('\'' | '"', None) => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (letter, Some(open)) if letter == open => quote = None,
            ('\\', None | Some('"')) => word.get_or_insert_default().extend(letters.next()),
            (letter, _) => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}
