//! What a call does, in SQL: from the same words as in the tables.

use super::expressions::{Expressions, first_string};
use super::quoted;
use crate::history::arguments::{NEW, OLD};
use crate::tables::{CallKind, TEST_COMMANDS, TEST_PREFIXES, TOOL_WORDS};
use crate::transcript::diff::{PATCH, PATH, WHOLE, WRITERS};
use crate::transcript::pull_request::REQUESTS;

/// The sub-commands of editors.
const EDITOR: &[&str] = &["view", "create", "str_replace", "insert", "undo_edit"];

/// The column `kind`. It reads the columns `tool`, `arguments` and `command`.
pub(super) fn kind(sql: &dyn Expressions) -> String {
    let words = TOOL_WORDS.iter().map(|(words, kind)| {
        let found = sql.matches("lower(tool)", &words.join("|"));
        format!("\n    WHEN {found} THEN '{}'", kind.name())
    });
    format!(
        "CASE
    WHEN {edits} THEN 'edit'
    WHEN command IS NOT NULL AND NOT {editor} AND {tests} THEN 'test'
    WHEN command IS NOT NULL AND NOT {editor} THEN 'command'
    WHEN command = 'view' THEN 'read'
    WHEN command IS NOT NULL THEN 'edit'{words}
    ELSE '{other}'
  END",
        edits = edits(sql),
        editor = is_editor("command"),
        tests = sql.matches("command", &tests()),
        words = words.collect::<String>(),
        other = CallKind::default().name(),
    )
}

/// Whether a command is one of an editor and not of a shell.
pub(super) fn is_editor(command: &str) -> String {
    let names: Vec<String> = EDITOR.iter().map(|name| quoted(name)).collect();
    format!("{command} IN ({})", names.join(", "))
}

/// Whether the call opens a pull request when it succeeds.
pub(super) fn opens_pull_request(sql: &dyn Expressions) -> String {
    let script = sql.string("arguments", &["script"]);
    sql.matches(&format!("concat(coalesce(command, {script}, ''), ' ', tool)"), &REQUESTS.join("|"))
}

/// Whether the arguments ask for changes of files.
fn edits(sql: &dyn Expressions) -> String {
    let first = |names: &[&str]| first_string(sql, "arguments", names);
    let has = |names: &[&str]| format!("{} IS NOT NULL", first(names));
    let names = |names: &[&str]| names.join("|");
    let json = |path: &[&str]| format!("coalesce({}, '')", sql.json("arguments", path));
    let new_texts = format!("\"(?:{})\": ?\"", names(NEW));
    format!(
        "({patched} OR {changes} OR {told} OR ({path} AND ({replaces} OR {in_edits} OR {patch} OR ({whole} \
         AND {writes}))) OR (NOT {path} AND {unified}))",
        patched = sql.matches("coalesce(arguments, '')", PATCHED),
        changes = sql.matches(&json(&["changes"]), CHANGED),
        told = sql.matches(&json(&["changes"]), &new_texts),
        path = has(PATH),
        replaces = has(&[OLD, NEW].concat()),
        in_edits =
            sql.matches(&json(&["edits"]), &format!("\"(?:{}|{})\": ?\"", names(OLD), names(NEW)),),
        patch = has(PATCH),
        whole = has(WHOLE),
        writes = sql.matches("lower(tool)", &names(WRITERS)),
        unified = sql.matches(&format!("coalesce({}, '')", first(PATCH)), UNIFIED),
    )
}

/// A patch for `apply_patch` in JSON text.
pub(super) const PATCHED: &str =
    r"\*\*\* Begin Patch(?:.|\s)*\\n\*\*\* (?:Add|Update|Delete) File: ";
/// The changes that Codex records, as JSON text.
const CHANGED: &str =
    r#""(?:type|kind)": ?"(?:add|delete|update)"|"(?:add|delete|update)": ?[{\["ntf0-9-]"#;
/// The head of a file in a unified diff.
const UNIFIED: &str = r"(?:^|\n)--- [^\n]*\n\+\+\+ ";

/// A pattern for commands that run tests.
fn tests() -> String {
    const END: &str = r"[^\s;&|()]*";
    let words = |text: &str| {
        let words: Vec<String> = text.split(' ').map(literal).collect();
        words.join(r"[ \t\r]+")
    };
    let tests = TEST_COMMANDS.iter().map(|test| {
        let mut each = test.split(' ');
        let first = each.next().unwrap_or_default();
        // The program may have a path, and `npm run test:unit` is a test too.
        let folder = if test.contains('/') { "" } else { r"(?:[^\s;&|()]*/)?" };
        let rest = each.map(|word| format!(r"[ \t\r]+{}(?::{END})?", literal(word)));
        format!("{folder}{}{}", literal(first), rest.collect::<String>())
    });
    let prefixes = TEST_PREFIXES.iter().map(|prefix| words(prefix));
    format!(
        r"(?:^|[\n;&|()])[ \t\r]*(?:(?:[A-Za-z0-9_]+={END}|{})[ \t\r]+)*(?:{})(?:[\s;&|()]|$)",
        prefixes.collect::<Vec<_>>().join("|"),
        tests.collect::<Vec<_>>().join("|"),
    )
}

/// The pattern for exactly this text.
fn literal(text: &str) -> String {
    text.replace('.', r"\.")
}
