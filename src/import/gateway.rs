//! The events of the gateway's harnesses: `{type, runId, parentId, …}`, one event per line, without
//! times.

use super::flat::{FlatAdapter, FlatDialect, error_message, of_family, said_of_error};
use super::{Adapter, SessionEnd};
use crate::event::catalogue::Row;
use crate::json::Json;

/// The dialect.
pub(super) static GATEWAY: FlatDialect = FlatDialect {
    name: "gateway",
    kind: |kind| of_family("gateway", kind).or((kind == "error").then_some("error")),
    evidence,
    session: |row| if row.name == "connected" { &["sessionId"] } else { &[] },
    complete: error_message,
};

/// The sign of an error, which any program may write.
pub(super) const ERROR: &str = "runId of an error";

/// The fields that show that a line is of the gateway.
pub(super) fn sign(line: Json<'_>) -> Option<&'static str> {
    GATEWAY.sign(line)
}

/// A new adapter.
pub(super) fn adapter() -> Box<dyn Adapter> {
    Box::new(FlatAdapter::new(&GATEWAY))
}

/// An error of the outermost run ends the session, unless work follows. That the harness ended does
/// not say how.
pub(super) fn ending(line: Json<'_>) -> Option<SessionEnd> {
    let row = GATEWAY.row(line)?;
    let is_last_word = row.name == "error" && line.text_at("parentId").is_none();
    is_last_word.then(|| SessionEnd::failed(said_of_error(line).unwrap_or("run failed".into())))
}

/// Every event names its run, except the greeting of a connection.
fn evidence(row: &'static Row, line: Json<'_>) -> Option<&'static str> {
    let name = if row.name == "connected" { "sessionId" } else { "runId" };
    line.text_at(name).map(|_| if row.name == "error" { ERROR } else { name })
}
