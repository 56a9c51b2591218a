//! The changes of files that the arguments of a call ask for.

use std::borrow::Cow;

use memchr::memmem;

use super::compare::between;
use super::patch::{apply_patch, unified, unified_files};
use super::{DiffHunk, DiffKind, counted};
use crate::history::arguments::{NEW, OLD};
use crate::json::{Json, Kind, Members};

/// A change of one file that a call asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EditRequest {
    /// The path of the file.
    pub path: String,
    /// The change.
    pub change: Requested,
}

/// What is to be done with the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Requested {
    /// Texts are replaced, in this order.
    Replace(Vec<Replacement>),
    /// The whole file gets this text.
    Write(String, DiffKind),
    /// A patch is applied.
    Patch {
        /// The kind of the change.
        kind: DiffKind,
        /// The new path of a moved file.
        moved_to: Option<String>,
        /// The changed places.
        hunks: Vec<DiffHunk>,
    },
}

/// A text that is replaced by another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Replacement {
    /// The old text. If it is empty, the new text is inserted somewhere.
    pub old: String,
    /// The new text.
    pub new: String,
    /// Whether every occurrence is replaced.
    pub everywhere: bool,
}

/// The changes that a call asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct EditRequests {
    /// The changes, in order.
    pub edits: Vec<EditRequest>,
    /// The names of the arguments that the changes show in full.
    pub shown: Vec<String>,
}

/// The names of arguments, by meaning. In each list, the first name that is present wins.
pub(crate) const PATH: &[&str] =
    &["file_path", "path", "filePath", "notebook_path", "filename", "target_file", "file"];
pub(crate) const WHOLE: &[&str] = &["content", "file_text", "contents", "text"];
pub(crate) const PATCH: &[&str] = &["patch", "diff", "unified_diff"];

/// The first line of a patch among the arguments.
const BEGIN: &str = "*** Begin Patch";

const EVERYWHERE: &[&str] = &["replace_all", "replaceAll"];

/// Words in the name of a tool that writes whole files.
pub(crate) const WRITERS: &[&str] = &["write", "create", "edit", "save"];

impl Requested {
    /// The numbers of lines that the change adds and removes, as far as the call tells.
    #[must_use]
    pub(crate) fn changed_lines(&self) -> (u64, u64) {
        match self {
            Self::Write(text, _) => (text.lines().count() as u64, 0),
            Self::Patch { hunks, .. } => counted(hunks),
            Self::Replace(all) => {
                let counts = all.iter().map(|one| counted(&between(&one.old, &one.new)));
                counts.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
            }
        }
    }
}

impl EditRequests {
    /// The changes that the arguments of a call ask for. `tool` is in lower case.
    #[must_use]
    pub(crate) fn of(tool: &str, given: &Members<'_>) -> Self {
        let texts = may_hold(given.object(), BEGIN).then(|| texts(given.object()));
        let patches = texts.into_iter().flatten().filter(|(_, text)| text.contains(BEGIN));
        for (name, text) in patches {
            let edits = apply_patch(&text);
            if !edits.is_empty() {
                // A command around the patch stays visible.
                let text = text.trim();
                let is_alone = text.starts_with("*** B") && text.ends_with("*** End Patch");
                let shown = name.filter(|_| is_alone).map(Cow::into_owned);
                return Self { edits, shown: shown.into_iter().collect() };
            }
        }
        if let Some(changes) = given.get("changes").filter(|changes| changes.is_object()) {
            let edits = changes.members().filter_map(|(path, change)| recorded(&path, change));
            let edits: Vec<EditRequest> = edits.collect();
            let names: &[&str] = if edits.is_empty() { &[] } else { &["changes"] };
            return Self::showing(edits, names);
        }
        if let Some(changes) = given.get("changes").filter(|changes| changes.kind() == Kind::Array)
        {
            let edit = |change: Json<'_>| recorded(&change.text_at("path")?, change);
            let edits: Vec<EditRequest> = changes.items().filter_map(edit).collect();
            let is_told = |edit: &EditRequest| !matches!(&edit.change, Requested::Patch { hunks, .. } if hunks.is_empty());
            if !edits.is_empty() {
                let tells_all = edits.len() == changes.items().count() && edits.iter().all(is_told);
                let names: &[&str] = if tells_all { &["changes"] } else { &[] };
                return Self::showing(edits, names);
            }
        }
        let Some((path_name, path)) = first(given, PATH) else {
            let files = first(given, PATCH).map(|(_, text)| unified_files(&text));
            return Self::showing(files.unwrap_or_default(), &[]);
        };
        let one = |change| vec![EditRequest { path: path.clone(), change }];
        let edits = given.get("edits").filter(|edits| edits.kind() == Kind::Array);
        let replaced = edits.into_iter().flat_map(Json::items).map(Members::of).chain([*given]);
        let replaced: Vec<Replacement> = replaced.filter_map(|one| replacement(&one)).collect();
        if !replaced.is_empty() {
            let names = [OLD, NEW, EVERYWHERE, &["edits", path_name]].concat();
            return Self::showing(one(Requested::Replace(replaced)), &names);
        }
        if let Some((name, text)) = first(given, PATCH) {
            let (kind, hunks) = (DiffKind::Edited, unified(&text));
            let change = Requested::Patch { kind, moved_to: None, hunks };
            let names = [name, path_name];
            let is_alone = text.trim_start().starts_with("@@");
            return Self::showing(one(change), &names[usize::from(!is_alone)..]);
        }
        let writes = WRITERS.iter().any(|word| tool.contains(word));
        if let Some((name, text)) = first(given, WHOLE).filter(|_| writes) {
            let command = given.text_at("command");
            let creates = command.as_deref() == Some("create") || tool.contains("create");
            let kind = if creates { DiffKind::Created } else { DiffKind::Written };
            return Self::showing(one(Requested::Write(text, kind)), &[name, path_name]);
        }
        Self::default()
    }

    fn showing(edits: Vec<EditRequest>, names: &[&str]) -> Self {
        Self { edits, shown: names.iter().map(|name| (*name).to_owned()).collect() }
    }

    /// The same with every text changed by `of`, which returns `None` if nothing changes.
    #[must_use]
    pub(crate) fn with_texts(mut self, of: impl Fn(&str) -> Option<String>) -> Self {
        let change = |text: &mut String| {
            if let Some(changed) = of(text) {
                *text = changed;
            }
        };
        for edit in &mut self.edits {
            match &mut edit.change {
                Requested::Replace(all) => all.iter_mut().for_each(|one| {
                    change(&mut one.old);
                    change(&mut one.new);
                }),
                Requested::Write(text, _) => change(text),
                Requested::Patch { hunks, .. } => {
                    let lines = hunks.iter_mut().flat_map(|hunk| &mut hunk.lines);
                    lines.for_each(|line| change(&mut line.text));
                }
            }
        }
        self
    }
}

/// The old and the new text of one replacement. A new text alone is inserted.
fn replacement(given: &Members<'_>) -> Option<Replacement> {
    let (old, new) = (first(given, OLD), first(given, NEW));
    if old.is_none() && new.is_none() {
        return None;
    }
    let text = |found: Option<(&str, String)>| found.map(|(_, text)| text).unwrap_or_default();
    let everywhere = |name: &&str| given.get(name).and_then(Json::as_bool) == Some(true);
    let everywhere = EVERYWHERE.iter().any(everywhere);
    Some(Replacement { old: text(old), new: text(new), everywhere })
}

/// One file of the changes that an agent records.
fn recorded(path: &str, change: Json<'_>) -> Option<EditRequest> {
    let part = |name: &str| change.get(name).filter(|part| part.is_object()).unwrap_or(change);
    let kind = change.text_at("type").or(change.text_at("kind")).unwrap_or_default();
    let is = |name: &str| kind == name || change.get(name).is_some();
    let content = |name: &str| part(name).text_at("content").unwrap_or_default().into_owned();
    let text = |names: &[&str]| names.iter().find_map(|name| change.text_at(name));
    let change = match () {
        () if kind == "diff" || (kind.is_empty() && text(NEW).is_some()) => {
            let new = text(NEW).unwrap_or_default().into_owned();
            match text(OLD).map(Cow::into_owned) {
                Some(old) => Requested::Replace(vec![Replacement { old, new, everywhere: false }]),
                None => Requested::Write(new, DiffKind::Created),
            }
        }
        () if is("add") => Requested::Write(content("add"), DiffKind::Created),
        () if is("delete") => {
            let lines = content("delete");
            let lines: String = lines.lines().map(|line| format!("-{line}\n")).collect();
            let hunks = if lines.is_empty() {
                Vec::new()
            } else {
                unified(&format!("@@ -1 +0 @@\n{lines}"))
            };
            Requested::Patch { kind: DiffKind::Deleted, moved_to: None, hunks }
        }
        () if is("update") => {
            let part = part("update");
            let moved_to = part.get("move_path").and_then(Json::as_str).map(String::from);
            let text = part.text_at("unified_diff").unwrap_or_default();
            Requested::Patch { kind: DiffKind::Edited, moved_to, hunks: unified(&text) }
        }
        () => return None,
    };
    Some(EditRequest { path: path.to_owned(), change })
}

/// The first of these arguments that is a text.
fn first(given: &Members<'_>, names: &[&'static str]) -> Option<(&'static str, String)> {
    names.iter().find_map(|name| Some((*name, given.get(name)?.as_str()?.into_owned())))
}

/// Whether a text in the value may contain `part`, which has no characters that JSON must escape.
fn may_hold(value: Json<'_>, part: &str) -> bool {
    let has = |part: &str| memmem::find(value.text().as_bytes(), part.as_bytes()).is_some();
    has(part) || has("\\u")
}

/// The texts among the arguments, also those in a list, with the name of the argument.
fn texts<'a>(given: Json<'a>) -> Vec<(Option<Cow<'a, str>>, Cow<'a, str>)> {
    let itself = given.as_str().map(|text| (None, text));
    let inside = |(name, value): (Cow<'a, str>, Json<'a>)| {
        let listed: Vec<_> = value.items().filter_map(Json::as_str).collect();
        let texts = value.as_str().into_iter().chain(listed);
        texts.map(move |text| (Some(name.clone()), text))
    };
    itself.into_iter().chain(given.members().flat_map(inside)).collect()
}
