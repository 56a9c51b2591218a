//! The title of a call: its arguments in one line, with the command that really runs.

use super::call_arguments::CallArguments;
use super::todo;
use crate::event::fields::as_text;
use crate::history::arguments::{below, in_one_line, path};
use crate::json::{Json, Kind};
use crate::text::inert::{preview, preview_around, preview_end};

/// Maximum width of a directory that is named beside a command, in columns.
const DIRECTORY: usize = 30;

/// The arguments in one line of up to `columns` columns. `base` is the run's directory.
#[must_use]
pub(crate) fn call_title(
    arguments: &CallArguments<'_>,
    base: Option<&str>,
    columns: usize,
) -> String {
    let CallArguments { members: arguments, command } = arguments;
    let has_patch = |text: &str| text.contains("*** Begin Patch");
    if arguments.object().kind() == Kind::String && has_patch(&as_text(arguments.object())) {
        return preview_end(&patched(&as_text(arguments.object()), base), columns);
    }
    if let Some(items) = todo::items(arguments) {
        return preview(&todo::in_one_line(&items), columns);
    }
    if let Some(path) = path(arguments) {
        // The sub-command of an editor.
        let what = arguments.text_at("command").filter(|what| !what.contains(char::is_whitespace));
        let what = what.map(|what| preview(&what, 20) + " ").unwrap_or_default();
        let room = columns.saturating_sub(what.len());
        return what + &preview_end(below(&path, base), room);
    }
    if let Some(line) = command {
        if has_patch(&line.command) {
            return preview_end(&patched(&line.command, base), columns);
        }
        let elsewhere = line.directory.as_ref().filter(|directory| !is_same(directory, base));
        let elsewhere = elsewhere.map(|directory| preview_end(below(directory, base), DIRECTORY));
        let elsewhere = elsewhere.map(|directory| format!(" (in {directory})")).unwrap_or_default();
        let room = columns.saturating_sub(elsewhere.chars().count());
        // The last command of several is often the one that matters.
        return preview_around(&line.command, room, room / 3) + &elsewhere;
    }
    let is_object = |changes: &Json<'_>| changes.is_object();
    if let Some(changes) = arguments.present("changes").filter(is_object) {
        let paths = changes.members().map(|(path, _)| below(&path, base).to_owned());
        return preview_end(&paths.collect::<Vec<_>>().join(", "), columns);
    }
    if let Some(patch) = arguments.text_at("input").filter(|text| has_patch(text)) {
        return preview_end(&patched(&patch, base), columns);
    }
    in_one_line(arguments, base, columns)
}

fn is_same(directory: &str, base: Option<&str>) -> bool {
    let directory = directory.trim_end_matches('/');
    directory == "." || base.is_some_and(|base| base.trim_end_matches('/') == directory)
}

/// The files that a patch changes.
fn patched(patch: &str, base: Option<&str>) -> String {
    const FILES: &[(&str, &str)] =
        &[("*** Update File: ", ""), ("*** Add File: ", "new "), ("*** Delete File: ", "delete ")];
    let file = |line: &str| {
        let mut known = FILES.iter();
        known.find_map(|(lead, word)| {
            line.strip_prefix(lead).map(|path| format!("{word}{}", below(path.trim(), base)))
        })
    };
    patch.lines().filter_map(file).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::{CallArguments, call_title};
    use crate::json::Json;

    /// If this fails, a reader does not see what a call did.
    #[test]
    fn titles() {
        for (arguments, expected) in [
            (r#"{"command":"cd /w/app && cargo test"}"#, "cargo test"),
            (r#"{"command":"cd \"/w/app/sub dir\"; make -j2"}"#, "make -j2 (in sub dir)"),
            (
                r#"{"command":["bash","-lc","cd web && npm ci"],"workdir":"/w/app"}"#,
                "npm ci (in web)",
            ),
            (r#"{"cmd":"git log","workdir":"/other"}"#, "git log (in /other)"),
            (r#"{"command":"cd /tmp"}"#, "cd /tmp"),
            (
                r#"{"command":"rm -rf /srv/fleet/harbour/build && mkdir /srv/fleet/harbour/build && make install"}"#,
                "rm -rf /srv/fleet/harbour/build && mkdir /srv/fleet/h…bour/build && make install",
            ),
            (r#"{"command":"str_replace","path":"/w/app/src/a.rs"}"#, "str_replace src/a.rs"),
            (r#"{"file_path":"/w/app/src/a.rs"}"#, "src/a.rs"),
            (
                r#"{"plan":[{"step":"a","status":"completed"},{"step":"b","status":"in_progress"}]}"#,
                "1 of 2 done; now: b",
            ),
            (r#"{"changes":{"/w/app/a.rs":{},"b.rs":{}}}"#, "a.rs, b.rs"),
            (r#"{"plan":"first this"}"#, "first this"),
            (
                r#""*** Begin Patch\n*** Update File: /w/app/a\n*** Add File: b\n*** End Patch""#,
                "a, new b",
            ),
        ] {
            let arguments = CallArguments::of(Json::trusted(arguments));
            assert_eq!(call_title(&arguments, Some("/w/app"), 80), expected);
        }
    }
}
