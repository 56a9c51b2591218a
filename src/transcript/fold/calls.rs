//! The calls of a transcript: their position, arguments and results.

use std::borrow::Cow;

use super::given_summary::given_summary;
use super::items::ItemList;
use super::kept::KeptCalls;
use super::{CallLine, Item, MAX_RESULT, Note, SpokenText, TranscriptFold, shown};
use crate::event::fields::{View, as_long_text, as_text};
use crate::event::role::Role;
use crate::history::arguments::{self, Telling};
use crate::history::calls::{Call, Observed};
use crate::history::last_turn::ENDING_TOOLS;
use crate::json::Members;
use crate::text::inert::{preview, preview_end};
use crate::text::output::{OutputPart, excerpt};
use crate::transcript::call_arguments::CallArguments;
use crate::transcript::call_title::call_title;
use crate::transcript::changed_lines::ChangesOfCall;
use crate::transcript::open_call::OpenCall;
use crate::transcript::todo::{self, TodoState};
use crate::transcript::value::NoteMark;

/// Maximum width of a call's arguments, in columns.
const ARGUMENTS: usize = 140;
/// Maximum width of the result shown next to a call, in columns.
const RETURNED: usize = 200;
/// Maximum number of lines of a command's output shown there.
const LAST_LINES: usize = 3;
/// The reason given when a call failed because the user denied it.
pub(in crate::transcript) const REJECTED: &str = "rejected by the user";

/// Tools that change the file whose path they are given: a word in the tool's name, and the
/// operation recorded for the file.
const CHANGES: &[(&str, &str)] = &[("write", "written"), ("edit", "edited"), ("patch", "edited")];

/// Commands of tools that read and change files. A view changes nothing.
const EDITOR_COMMANDS: &[(&str, Option<&str>)] = &[
    ("view", None),
    ("create", Some("written")),
    ("str_replace", Some("edited")),
    ("insert", Some("edited")),
    ("undo_edit", Some("edited")),
];

/// Maximum number of open calls whose files wait for their ends.
const OPEN_CHANGES: usize = 1000;

/// What a call does to the file whose path it is given, if it changes it.
fn operation(tool: &str, given: &Members<'_>) -> Option<&'static str> {
    let by_name = CHANGES.iter().find(|(word, _)| tool.contains(word))?.1;
    let command = given.text_at("command");
    let known = |(name, _): &&(&str, Option<&'static str>)| Some(*name) == command.as_deref();
    EDITOR_COMMANDS.iter().find(known).map_or(Some(by_name), |(_, operation)| *operation)
}

/// Whether a call failed because the user denied it.
pub(super) fn is_rejection(view: &View<'_, '_>) -> bool {
    view.field("denied").is_some_and(|denied| denied == "user-rejected")
}

/// Commands that only print a file or a folder. Their output says little about the work.
const VIEWS: &[&str] = &["cat", "sed -n", "head", "tail", "nl", "ls", "tree", "bat", "pwd"];

/// The arguments that hold the last words of an agent, in a call of [`ENDING_TOOLS`].
const LAST_WORDS: &[&str] = &["message", "final_thought", "result", "summary"];

/// The tools that load a skill, and the arguments that name it.
const SKILLS: &[&str] = &["skill", "activate_skill", "load_skill", "use_skill", "invoke_skill"];
const SKILL_NAMES: &[&str] = &["skill", "name", "skill_name", "command"];

/// The part of the result to show for a call with these arguments.
fn telling(given: &CallArguments<'_>) -> Telling {
    if arguments::path(&given.members).is_some() {
        return Telling::Nothing;
    }
    let line = given.command().unwrap_or_default();
    let is_view = |view: &str| {
        let rest = line.strip_prefix(view);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    let is_simple = !line.contains(['|', ';', '&', '\n', '>']);
    match is_simple && VIEWS.iter().any(|view| is_view(view)) {
        true => Telling::Nothing,
        false => Telling::of(&given.members),
    }
}

impl TranscriptFold {
    /// Processes one state of a call. Returns the text of a separate note if the call started or
    /// ended again under an id already used.
    pub(super) fn tool(
        &mut self,
        view: &View<'_, '_>,
        observed: Observed,
        given: Option<&CallArguments<'_>>,
        summary: Option<&str>,
    ) -> Option<String> {
        let call = self.state.calls.get(observed.call);
        if view.role.is_tool_end() {
            self.aside.end(observed.call, call.duration_ms);
        }
        let is_new = call.first.is_none() && call.ends == 1;
        if self.keeps_all || is_new || self.listed.contains(&observed.call) {
            self.returned(view, observed.call);
            if matches!(view.role, Role::ToolFail | Role::ToolBlocked)
                && let Some(text) = view.error_text()
            {
                let text = if is_rejection(view) { Cow::Borrowed(REJECTED) } else { text };
                let told = excerpt(&text, 2, OutputPart::Failure).join(" ⏎ ");
                let told = told.trim_start_matches("… ⏎ ").to_owned();
                let told = if told.is_empty() { text.into_owned() } else { told };
                self.failures.insert(observed.call, preview(&told, 160));
            }
            let code = view.exit_code().filter(|code| *code != 0);
            if let Some(code) = code.filter(|_| view.role == Role::ToolFail) {
                self.exit_codes.insert(observed.call, code);
            }
            if view.role.is_tool_end()
                && let Some(summary) = given_summary(view, summary)
            {
                self.summaries.insert(observed.call, preview(&shown(summary, view), RETURNED));
            }
        }
        if view.role == Role::ToolEnd
            && let Some(result) = view.result()
        {
            self.groups.succeeded(result.text());
        }
        if view.role == Role::ToolStart {
            self.started(view, observed.call, given)
        } else {
            self.ended(view, observed, given)
        }
    }

    fn started(
        &mut self,
        view: &View<'_, '_>,
        call: usize,
        given: Option<&CallArguments<'_>>,
    ) -> Option<String> {
        let Call { first, ends, .. } = self.state.calls.get(call);
        // A call that ended before it started is listed at its end.
        match first.is_some_and(|(sequence, _)| sequence == view.event.sequence) {
            true if ends == 0 => {
                self.call(view, call, given);
                self.told_by_arguments(view);
            }
            false if ends > 0 => {
                self.repeated.insert(call);
                let given = given.map(|given| shown(&self.one_line(given), view));
                let given = given.unwrap_or_default();
                return Some(format!("{} started again under the same id: {given}", view.tool()));
            }
            // What was approved may differ from what was asked.
            false => {
                let given = self.one_line(given.filter(|given| given.tell())?);
                let is_other = self.circumstances.begins_again(call, &given);
                let tool = view.tool();
                let told = || format!("{tool} began with other arguments: {}", shown(&given, view));
                return is_other.then(told);
            }
            _ => {}
        }
        None
    }

    fn ended(
        &mut self,
        view: &View<'_, '_>,
        observed: Observed,
        given: Option<&CallArguments<'_>>,
    ) -> Option<String> {
        // A call that failed changed nothing.
        let files = self.changing.remove(&observed.call).unwrap_or_default();
        if view.role == Role::ToolEnd {
            files.iter().for_each(|(path, operation)| self.files.add(path, operation));
        }
        if observed.repeated_end {
            let again = self.repeated.remove(&observed.call) || view.role == Role::ToolFail;
            let text = view.result().map(as_text).or_else(|| view.error_text()).unwrap_or_default();
            let tool = view.tool();
            return again
                .then(|| format!("{tool} ended again under the same id: {}", shown(&text, view)));
        }
        if self.state.calls.get(observed.call).first.is_none() {
            self.call(view, observed.call, given);
        }
        None
    }

    /// Keeps the most informative line of a call's result.
    fn returned(&mut self, view: &View<'_, '_>, call: usize) {
        if view.role != Role::ToolEnd {
            return;
        }
        let telling = self.awaited.remove(&call).unwrap_or(Telling::Nothing);
        let Some(text) = view.result().map(as_long_text) else { return };
        let told = match telling {
            Telling::Nothing => None,
            Telling::Beginning => {
                let first = excerpt(&text, 1, OutputPart::First).into_iter().next();
                first.map(|line| preview(&shown(line.trim(), view), RETURNED))
            }
            Telling::End => {
                let last = excerpt(&text, LAST_LINES, OutputPart::Last);
                let last: Vec<&str> = last.iter().map(|line| line.trim()).collect();
                let last = last.join(" ⏎ ");
                let text = preview(&shown(last.trim_start_matches("… ⏎ "), view), MAX_RESULT);
                (!text.is_empty()).then(|| preview_end(&text, RETURNED))
            }
        };
        if let Some(told) = told {
            self.returned.insert(call, told);
        }
    }

    fn one_line(&self, given: &CallArguments<'_>) -> String {
        call_title(given, self.directory.as_deref(), ARGUMENTS)
    }

    fn call(&mut self, view: &View<'_, '_>, call: usize, given: Option<&CallArguments<'_>>) {
        let given = given.filter(|given| given.tell());
        let arguments = given.map(|given| self.one_line(given));
        let telling = given.map(telling).unwrap_or_default();
        if telling != Telling::Nothing {
            self.awaited.insert(call, telling);
        }
        let given = given.map(|given| &given.members);
        let tool = self.state.calls.tool(call).to_lowercase();
        let changes = given.map(|given| ChangesOfCall::of(&tool, given)).unwrap_or_default();
        let named = given.and_then(|given| {
            Some((arguments::path(given)?.into_owned(), operation(&tool, given)?))
        });
        let files = named.map_or(changes.files, |named| vec![named]);
        match view.role {
            _ if files.is_empty() => {}
            Role::ToolStart if self.changing.len() < OPEN_CHANGES => {
                self.changing.insert(call, files);
            }
            Role::ToolFail | Role::ToolBlocked => {}
            _ => files.iter().for_each(|(path, operation)| self.files.add(path, operation)),
        }
        if view.role == Role::ToolStart {
            let arguments = arguments.clone().unwrap_or_default();
            let (sequence, name) = (view.event.sequence, self.state.calls.tool(call).to_owned());
            self.circumstances.opened(call, OpenCall { sequence, tool: name, arguments });
        }
        let line = CallLine {
            sequence: view.event.sequence,
            call,
            arguments: arguments.unwrap_or_default(),
            changes: changes.lines,
            telling,
        };
        if let Some(items) = given.and_then(todo::items)
            && matches!(self.here, ItemList::Turn(_))
        {
            self.circumstances.todo = Some(TodoState { sequence: view.event.sequence, items });
        }
        let (list, keeps_all) = (self.here, self.keeps_all);
        if !keeps_all {
            self.listed.insert(call);
        }
        let items = match list {
            ItemList::Turn(turn) => self.turns.get_mut(turn),
            ItemList::Agent(agent) => self.nested.get_mut(agent),
            ItemList::Unlinked(agent) => self.unlinked.all.get_mut(agent).map(|one| &mut one.turn),
        };
        let spawned = &self.spawned;
        if let Some(Item::Calls(calls)) = items.and_then(|turn| turn.items.last_mut()) {
            calls.push(line);
            if !keeps_all {
                let dropped = calls.shorten(|line| spawned.contains_key(&line.call));
                self.drop_calls(list, dropped);
            }
            return;
        }
        let mut calls = KeptCalls::default();
        calls.push(line);
        self.item(Item::Calls(calls));
    }

    /// Adds what some tools say by their arguments: the last words of the agent, or the name of a
    /// skill.
    pub(super) fn told_by_arguments(&mut self, view: &View<'_, '_>) {
        let tool = view.tool().to_lowercase();
        let given = |names: &[&str]| {
            let given = view.arguments()?;
            names.iter().find_map(|name| given.text_at(name)).filter(|text| !text.trim().is_empty())
        };
        if ENDING_TOOLS.contains(&tool.as_str())
            && let Some(words) = given(LAST_WORDS)
        {
            // The event is the tool's; the words are the agent's.
            let words = SpokenText { who: "agent".to_owned(), ..self.said(view, &words) };
            self.item(Item::SpokenText(words));
        }
        if SKILLS.contains(&tool.as_str())
            && let Some(name) = given(SKILL_NAMES)
        {
            let text = format!("Skill used: {}", preview(&shown(&name, view), ARGUMENTS));
            let (sequence, more) = (view.event.sequence, String::new());
            let (level, minor, mark) = (None, false, NoteMark::Plain);
            self.skills.push(Note { sequence, text, more, level, minor, mark });
        }
    }

    /// Forgets calls that the Work Notes do not list, except for the Timeline.
    pub(super) fn drop_calls(&mut self, list: ItemList, lines: Vec<CallLine>) {
        for line in lines {
            let index = line.call;
            self.listed.remove(&index);
            self.awaited.remove(&index);
            self.failures.remove(&index);
            self.exit_codes.remove(&index);
            self.returned.remove(&index);
            self.summaries.remove(&index);
            let call = self.state.calls.get(index);
            let ended = (call.ends > 0).then_some(call.duration_ms);
            self.aside.take(list, line, ended, self.spawned.contains_key(&index));
        }
    }
}
