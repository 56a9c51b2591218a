//! Views for DuckDB.

use super::quoted;
use super::views::{EnvelopeKind, Expressions, NOTE, envelope, views};
use crate::event::envelope::MAX_LINE;
use crate::event::fields::MAX_COUNT;

/// The views over the logs below the runs directory.
pub(super) fn ddl(runs_dir: &str) -> String {
    let columns = envelope().map(|(name, kind)| {
        let kind = match kind {
            EnvelopeKind::Text => "VARCHAR",
            EnvelopeKind::Sequence => "BIGINT",
            EnvelopeKind::Time => "TIMESTAMPTZ",
            EnvelopeKind::Object => "JSON",
        };
        format!("    {name}: '{kind}'")
    });
    let columns: Vec<String> = columns.collect();
    let files = quoted(&format!("{}/*/events.jsonl", glob_escaped(runs_dir)));
    let views = views(&DuckDb, "CREATE OR REPLACE VIEW");
    format!(
        "-- Views over the logs of runlog for DuckDB, where the logs lie. Nothing is copied.\n\
         -- Load them:  duckdb runs.db < FILE   or, for one session:  duckdb -init FILE\n\
         {NOTE}\
         -- Damaged lines and a last line that is being written are skipped. `runlog validate`\n\
         -- reports them.\n\n\
         CREATE OR REPLACE VIEW runlog_events AS\n\
         SELECT * EXCLUDE (filename), filename AS log\n\
         FROM read_json({files},\n  format = 'newline_delimited', filename = true, \
         ignore_errors = true,\n  maximum_object_size = {},\n  columns = {{\n{}\n  }})\n\
         WHERE sequence IS NOT NULL AND event_id IS NOT NULL;\n\n{views}",
        2 * MAX_LINE,
        columns.join(",\n"),
    )
}

/// The path, without characters that the engine takes as patterns.
fn glob_escaped(path: &str) -> String {
    let mut out = String::new();
    for character in path.chars() {
        match character {
            '*' | '?' | '[' => out.push_str(&format!("[{character}]")),
            other => out.push(other),
        }
    }
    out
}

/// The expressions of DuckDB.
struct DuckDb;

impl Expressions for DuckDb {
    fn text(&self, path: &[&str]) -> String {
        format!("data->>'$.{}'", path.join("."))
    }

    fn count(&self, name: &str) -> String {
        // Larger numbers are not believed, and none of these is too large for a cast.
        let number = format!("(data->>'$.{name}')::DOUBLE");
        format!(
            "CASE WHEN json_type(data, '$.{name}') IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND \
             {number} BETWEEN 0 AND {MAX_COUNT} AND {number} = floor({number}) \
             THEN {number}::BIGINT END"
        )
    }

    fn dollars(&self, name: &str) -> String {
        format!(
            "CASE WHEN json_type(data, '$.{name}') IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND \
             round((data->>'$.{name}')::DOUBLE * 1e6) BETWEEN 0 AND {MAX_COUNT} THEN \
             (data->>'$.{name}')::DOUBLE::DECIMAL(18, 6) END"
        )
    }

    fn milliseconds(&self, from: &str, to: &str) -> String {
        format!("epoch_ms({to}) - epoch_ms({from})")
    }

    fn later(&self, time: &str, milliseconds: &str) -> String {
        format!("{time} + to_milliseconds({milliseconds})")
    }
}
