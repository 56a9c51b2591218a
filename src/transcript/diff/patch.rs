//! Reads patches: those of `apply_patch`, unified diffs, and hunks as JSON.

use super::request::{EditRequest, Requested};
use super::{DiffHunk, DiffKind, DiffLine, DiffMark};
use crate::json::Json;

/// First and last line of a patch for `apply_patch`.
const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";

/// The file headers of such a patch.
const HEADERS: &[(&str, DiffKind)] = &[
    ("*** Add File: ", DiffKind::Created),
    ("*** Update File: ", DiffKind::Edited),
    ("*** Delete File: ", DiffKind::Deleted),
];

/// The files that a patch for `apply_patch` changes. The patch may be inside a shell command. None
/// if the text has no such patch.
#[must_use]
pub(super) fn apply_patch(text: &str) -> Vec<EditRequest> {
    let Some((_, inside)) = text.split_once(BEGIN) else { return Vec::new() };
    let mut files: Vec<EditRequest> = Vec::new();
    for line in inside.lines().skip(1).take_while(|line| line.trim() != END) {
        let header = |(start, kind): &(&str, DiffKind)| Some((line.strip_prefix(start)?, *kind));
        if let Some((path, kind)) = HEADERS.iter().find_map(header) {
            let change = Requested::Patch { kind, moved_to: None, hunks: Vec::new() };
            files.push(EditRequest { path: path.trim().to_owned(), change });
            continue;
        }
        let last = files.last_mut().map(|file| &mut file.change);
        let Some(Requested::Patch { kind, moved_to, hunks }) = last else { continue };
        if let Some(path) = line.strip_prefix("*** Move to: ") {
            *moved_to = Some(path.trim().to_owned());
        } else if let Some(heading) = line.strip_prefix("@@") {
            let heading = heading.trim().to_owned();
            hunks.push(DiffHunk { heading, ..DiffHunk::default() });
        } else if !line.starts_with("*** ") {
            if hunks.is_empty() {
                let start = (*kind == DiffKind::Created).then_some((1, 1));
                hunks.push(DiffHunk { start, ..DiffHunk::default() });
            }
            push(hunks, line);
        }
    }
    files
}

/// The hunks of a unified diff for one file. Lines before the first hunk are skipped.
#[must_use]
pub(super) fn unified(text: &str) -> Vec<DiffHunk> {
    let mut hunks: Vec<DiffHunk> = Vec::new();
    for line in text.lines() {
        match line.strip_prefix("@@").and_then(hunk_header) {
            Some(hunk) => hunks.push(hunk),
            None if line.starts_with("\\ ") => {}
            None => push(&mut hunks, line),
        }
    }
    hunks
}

/// The file that each part of a unified diff changes, with its part of the text.
#[must_use]
pub(super) fn unified_files(text: &str) -> Vec<EditRequest> {
    let mut parts: Vec<(String, DiffKind, String)> = Vec::new();
    let mut old = "";
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let new = lines.peek().and_then(|next| next.strip_prefix("+++ "));
        if let (Some(path), Some(new)) = (line.strip_prefix("--- "), new) {
            old = path;
            let (path, kind) = match (file_name(old), file_name(new)) {
                (from, "/dev/null") => (from, DiffKind::Deleted),
                ("/dev/null", to) => (to, DiffKind::Created),
                (_, to) => (to, DiffKind::Edited),
            };
            parts.push((path.to_owned(), kind, String::new()));
            lines.next();
        } else if let Some((_, _, part)) = parts.last_mut()
            && !["diff --git ", "index "].iter().any(|start| line.starts_with(start))
        {
            part.push_str(line);
            part.push('\n');
        }
    }
    debug_assert!(parts.is_empty() || !old.is_empty(), "each part has a header");
    let request = |(path, kind, part): (String, DiffKind, String)| {
        let hunks = unified(&part);
        EditRequest { path, change: Requested::Patch { kind, moved_to: None, hunks } }
    };
    parts.into_iter().map(request).collect()
}

/// The hunks that Claude Code records beside the result of an edit.
#[must_use]
pub(crate) fn structured(patch: Json<'_>) -> Vec<DiffHunk> {
    let hunk = |hunk: Json<'_>| {
        let number = |name: &str| hunk.get(name).and_then(Json::as_u64);
        let mut made =
            [DiffHunk { start: number("oldStart").zip(number("newStart")), ..DiffHunk::default() }];
        for line in hunk.get("lines").into_iter().flat_map(Json::items).filter_map(Json::as_str) {
            if !line.starts_with("\\ ") {
                push(&mut made, &line);
            }
        }
        let [made] = made;
        (!made.lines.is_empty()).then_some(made)
    };
    patch.items().filter_map(hunk).collect()
}

/// The name in a `---` or `+++` line, without the prefix of Git and without a time.
fn file_name(name: &str) -> &str {
    let name = name.split('\t').next().unwrap_or(name).trim();
    name.strip_prefix("a/").or(name.strip_prefix("b/")).unwrap_or(name)
}

/// Reads ` -12,3 +12,4 @@ fn main()`.
fn hunk_header(rest: &str) -> Option<DiffHunk> {
    let (numbers, heading) = rest.split_once("@@")?;
    let number = |sign: char| {
        let word = numbers.split_whitespace().find_map(|word| word.strip_prefix(sign))?;
        word.split(',').next()?.parse::<u64>().ok()
    };
    let start = Some((number('-')?, number('+')?));
    Some(DiffHunk { start, heading: heading.trim().to_owned(), lines: Vec::new() })
}

/// Adds a line with its sign to the last hunk.
fn push(hunks: &mut [DiffHunk], line: &str) {
    let Some(hunk) = hunks.last_mut() else { return };
    let (mark, text) = match line.chars().next() {
        Some('+') => (DiffMark::Added, &line[1..]),
        Some('-') => (DiffMark::Removed, &line[1..]),
        Some(' ') => (DiffMark::Context, &line[1..]),
        // Some writers drop the space of an empty line.
        _ => (DiffMark::Context, line),
    };
    hunk.lines.push(DiffLine { mark, text: text.to_owned() });
}
