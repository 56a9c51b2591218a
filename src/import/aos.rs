//! The transcript events of the AOS harness: `{type, timestamp, …}`, one event per line.

use super::Adapter;
use super::flat::{FlatAdapter, FlatDialect, error_message, of_family};
use crate::event::catalogue::Row;
use crate::json::Json;

/// The dialect.
pub(super) static AOS: FlatDialect = FlatDialect {
    name: "aos",
    kind: |kind| of_family("aos", kind),
    evidence,
    session: |row| if row.name.contains("session") { &["sessionId"] } else { &[] },
    complete: error_message,
};

/// The fields that show that a line is of the harness.
pub(super) fn sign(line: Json<'_>) -> Option<&'static str> {
    AOS.sign(line)
}

/// A new adapter.
pub(super) fn adapter() -> Box<dyn Adapter> {
    Box::new(FlatAdapter::new(&AOS))
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
