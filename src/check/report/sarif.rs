//! SARIF 2.1.0 (OASIS): rules from the table of checks, and results with their places. Rules that were
//! not checked are disabled for the invocation.

use serde_json::{Value, json};

use super::{DELIVERABLES, RunReport, ValidatedRuns};
use crate::check::finding::Finding;
use crate::check::table::{CHECKS, Check, Level};
use crate::text::uri;

/// The document, with the errors of the runs that could not be read.
#[must_use]
pub(crate) fn sarif(runs: ValidatedRuns<'_>) -> Value {
    let unread: Vec<Value> = runs
        .unread
        .iter()
        .map(|text| json!({"level": "error", "message": {"text": text}}))
        .collect();
    let results: Vec<Value> = runs
        .reports
        .iter()
        .flat_map(|report| report.findings.all.iter().map(move |finding| result(report, finding)))
        .collect();
    let rules: Vec<Value> = CHECKS.iter().map(rule).collect();
    let disabled: Vec<Value> = CHECKS
        .iter()
        .enumerate()
        .filter(|(_, check)| (runs.left_out_by)(check.code).is_some())
        .map(|(at, check)| {
            json!({
                "descriptor": {"id": check.code, "index": at},
                "configuration": {"enabled": false},
            })
        })
        .collect();
    json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "runlog",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            "invocations": [{
                "executionSuccessful": unread.is_empty(),
                "toolExecutionNotifications": unread,
                "ruleConfigurationOverrides": disabled,
            }],
            "results": results,
        }],
    })
}

fn rule(check: &Check) -> Value {
    json!({
        "id": check.code,
        "shortDescription": {"text": check.title},
        "fullDescription": {"text": check.why},
        "help": {"text": check.remedy},
        "defaultConfiguration": {"level": level(check.level)},
        "properties": {"tags": [check.family]},
    })
}

fn result(report: &RunReport, finding: &Finding) -> Value {
    let uri = uri::relative(&report.file(finding));
    let uri = if uri.starts_with('/') { format!("file://{uri}") } else { uri };
    let mut physical = json!({"artifactLocation": {"uri": uri}});
    let mut region = serde_json::Map::new();
    region.extend(finding.place.line.map(|line| ("startLine".to_owned(), line.into())));
    region.extend(finding.place.offset.map(|offset| ("byteOffset".to_owned(), offset.into())));
    if !region.is_empty() {
        physical["region"] = region.into();
    }
    let mut result = json!({
        "ruleId": finding.code,
        "level": level(finding.level),
        "message": {"text": message(finding)},
        "locations": [{"physicalLocation": physical}],
        "properties": {"run_id": report.run_id, "event_id": finding.place.event_id},
    });
    if let Some(at) = CHECKS.iter().position(|check| check.code == finding.code) {
        result["ruleIndex"] = at.into();
    }
    result
}

/// The text of a result. For a deliverable it begins with the file, which other reports print as
/// the place.
fn message(finding: &Finding) -> String {
    let (file, message) = (&finding.place.file, &finding.message);
    let is_named = message.split_once(": ").is_some_and(|(lead, _)| lead.contains(&**file));
    match finding.check().family == DELIVERABLES && !is_named {
        true => format!("{file}: {message}"),
        false => message.clone(),
    }
}

fn level(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Info => "note",
    }
}
