//! Compares summaries that say that they are from a template with the events that they are for.

use foldhash::HashMap;
use memchr::memmem;

use crate::check::finding::{Finding, Findings};
use crate::check::table::Code;
use crate::check::template_claim::TemplateClaim;
use crate::event::blob::KEY;
use crate::event::catalogue;
use crate::event::fields::View;
use crate::event::templates::Templates;
use crate::log::reader::LogReader;
use crate::ops::error::OpsError;
use crate::run::dir::RunDir;

/// Reads the run again, if there are claims.
///
/// # Errors
/// When the log cannot be read.
pub(super) fn check(
    run: &RunDir,
    claims: Vec<TemplateClaim>,
    templates: &'static Templates,
    findings: &mut Findings,
) -> Result<(), OpsError> {
    let mut by_target: HashMap<String, Vec<TemplateClaim>> = HashMap::default();
    for claim in claims {
        by_target.entry(claim.target.clone()).or_default().push(claim);
    }
    let mut reader = LogReader::open(&run.events())?;
    while !by_target.is_empty()
        && let Some(line) = reader.next_line()?
    {
        let Ok(Some(event)) = line.event() else { continue };
        let Some(claims) = by_target.remove(event.event_id.as_ref()) else { continue };
        let view = View::of(&event);
        for claim in claims {
            if !is_right(&claim, &view, templates) {
                let message =
                    format!("the summary of {} is not that of its template", claim.target);
                findings.push(Finding::new(Code::RL601, claim.place, message));
            }
        }
    }
    Ok(())
}

/// Whether the template of the event gives this summary. One that cannot be compared is right.
fn is_right(claim: &TemplateClaim, view: &View<'_, '_>, templates: &'static Templates) -> bool {
    let event = view.event;
    let own = templates.own_template(&event.kind);
    // The template was filled before a large value was moved out of the event.
    let is_moved = memmem::find(event.data.text().as_bytes(), KEY.as_bytes()).is_some();
    let is_of = |summary: Option<String>| summary.as_deref() == Some(claim.summary.as_str());
    let has_template = || own.is_some() || templates.summary(&event.kind, &view.data).is_some();
    claim.template.as_deref() != own
        || !claim.is_told && !has_template()
        || is_moved
        || event.summary.as_deref() == Some(claim.summary.as_str())
        || is_of(templates.summary(&event.kind, &view.data))
        || (own.is_none() && is_of(catalogue::summary(&event.kind, &view.data)))
}
