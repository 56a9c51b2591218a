//! `runlog validate --explain`

use crate::check::table::{CHECKS, Check, Fix, is_meant};
use crate::cli::exit::{Exit, Failure};
use crate::text::near::nearest;

/// The text for `--explain`: the checks that a selection means, or every check for `all`.
pub(super) fn explain(selection: &str) -> anyhow::Result<String> {
    let meant = |check: &&Check| selection == "all" || is_meant(check.code, selection);
    let found: String = CHECKS.iter().filter(meant).map(text).collect();
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

fn text(check: &Check) -> String {
    let Check { code, family, level, title, why, remedy, fix } = check;
    let level = level.name();
    let fix = match fix {
        Fix::Nothing => "",
        Fix::End => "  fix:  --fix repairs the end of the log and records what it moves\n",
        Fix::Rebuild => "  fix:  --fix rebuilds it\n",
        Fix::Clear => "  fix:  --fix removes it\n",
    };
    format!("{code} ({family}, {level}): {title}\n  why:  {why}\n  how:  {remedy}\n{fix}")
}
