//! `runlog validate --explain`

use crate::check::table::{CHECKS, Check, Fix, find};
use crate::cli::exit::{Exit, Failure};

/// The text for `--explain`: the check with this code, or every check for `all`.
pub(super) fn explain(code: &str) -> anyhow::Result<String> {
    if code == "all" {
        return Ok(CHECKS.iter().map(text).collect());
    }
    find(code).map(text).ok_or_else(|| {
        Failure::new(Exit::Usage, format!("there is no check {code:?}"))
            .hint("`runlog validate --explain all` prints every check")
            .into()
    })
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
