//! The transcript events of the AOS harness: `{type, timestamp, …}`, one event per line.

use super::{FlatDialect, error_message, of_family};
use crate::agents::Dialect;
use crate::agents::SessionEnd;
use crate::event::catalogue::Row;
use crate::json::Json;

/// What the program knows of the agent.
pub(crate) static AGENT: Dialect = Dialect {
    name: "aos",
    about: "AOS: the transcript events of its harness",
    sign: |line| AOS.sign(line),
    ending,
    end_types: &["session_paused"],
    reader: || AOS.reader(),
    ..Dialect::PLAIN
};

/// The dialect.
pub(crate) static AOS: FlatDialect = FlatDialect {
    name: "aos",
    kind: |kind| of_family("aos", kind),
    evidence,
    complete: error_message,
};

/// A session that was paused is not done, unless work follows.
pub(crate) fn ending(line: Json<'_>) -> Option<SessionEnd> {
    AOS.row(line).filter(|row| row.name == "session_paused")?;
    let reason = line.text_at("reason").filter(|reason| !reason.is_empty());
    let told = "The session was paused".to_owned();
    let told = reason.map_or(told.clone(), |reason| format!("{told}: {reason}"));
    Some(SessionEnd::incomplete(&told))
}

/// Fields that only this harness uses.
const OWN: &[&str] = &["agentId", "parentAgentId", "childAgentId", "round", "gate_id"];

/// A type of one word may belong to other programs; only the harness's own fields show it.
fn evidence(row: &'static Row, line: Json<'_>) -> Option<&'static str> {
    let has = |name: &&'static str| line.get(name).is_some();
    let own = OWN.iter().copied().find(|name| has(name));
    let is_one_word = !row.name.contains(['_', '-']);
    own.or_else(|| {
        let mut fields = row.field_names().chain(["timestamp"]);
        fields.find(has).filter(|_| !is_one_word)
    })
}
