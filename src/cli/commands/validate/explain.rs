//! `runlog validate --explain`

use crate::check::table::{CHECKS, Check, Fix, is_meant};
use crate::cli::exit::{Exit, Failure};
use crate::text::near::nearest;
use crate::text::wrap::hanging;

/// The text for `--explain`: the checks that a selection means, or every check for `all`.
/// Lines wider than `width` are wrapped.
pub(super) fn explain(selection: &str, width: Option<usize>) -> anyhow::Result<String> {
    let meant = |check: &&Check| selection == "all" || is_meant(check.code, selection);
    let found: String = CHECKS.iter().filter(meant).map(|check| text(check, width)).collect();
    if found.is_empty() {
        let codes = CHECKS.iter().map(|check| check.code.name());
        let hint = nearest(&selection.to_uppercase(), codes).map_or_else(
            || "`runlog validate --explain all` prints every check".to_owned(),
            |code| format!("did you mean {code}?"),
        );
        let message = format!("no check has the code {selection:?}, and no family has that name");
        return Err(Failure::new(Exit::Usage, message).hint(hint).into());
    }
    Ok(found)
}

fn text(check: &Check, width: Option<usize>) -> String {
    let Check { code, family, level, title, why, remedy, fix } = check;
    let fix = match fix {
        Fix::Nothing => None,
        Fix::End => Some("--fix repairs the end of the log and records what it moves"),
        Fix::Rebuild => Some("--fix rebuilds it"),
        Fix::Clear => Some("--fix removes it"),
    };
    let head = format!("{code} ({family}, {}): {title}", level.name());
    let mut out = hanging(&head, 0, HANG, width) + "\n";
    for (name, text) in [("why", Some(*why)), ("how", Some(*remedy)), ("fix", fix)] {
        if let Some(text) = text {
            out.push_str(&format!("  {name}:  {}\n", hanging(text, HANG, HANG, width)));
        }
    }
    out
}

/// Columns before the texts.
const HANG: usize = "  why:  ".len();
