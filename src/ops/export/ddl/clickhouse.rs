//! Views for ClickHouse.

use crate::event::fields::MAX_COUNT;

use super::views::{EnvelopeKind, Expressions, NOTE, envelope, views};

/// The views over the logs below the runs directory.
pub(super) fn ddl(runs_dir: &str) -> String {
    let columns = envelope().map(|(name, kind)| {
        let kind = match kind {
            EnvelopeKind::Text | EnvelopeKind::Object => "String",
            EnvelopeKind::Sequence => "Int64",
            EnvelopeKind::Time => "DateTime64(3, \\'UTC\\')",
        };
        format!("{name} Nullable({kind})")
    });
    let columns: Vec<String> = columns.collect();
    let files = format!("{}/*/events.jsonl", escaped(runs_dir));
    let views = views(&ClickHouse, "CREATE OR REPLACE VIEW");
    format!(
        "-- Views over the logs of runlog for ClickHouse, where the logs lie. Nothing is copied.\n\
         -- Load them:  clickhouse local --path DIR --multiquery < FILE\n\
         -- A server reads files only below its user_files_path: link the runs directory there and\n\
         -- change the path.\n\
         {NOTE}\
         -- Damaged lines and a last line that is being written are skipped. `runlog validate`\n\
         -- reports them.\n\n\
         CREATE OR REPLACE VIEW runlog_events AS\n\
         SELECT *, _path AS log\n\
         FROM file('{files}', JSONEachRow,\n  '{}')\n\
         WHERE sequence IS NOT NULL AND event_id IS NOT NULL\n\
         SETTINGS input_format_skip_unknown_fields = 1, date_time_input_format = 'best_effort',\n  \
         input_format_json_read_objects_as_strings = 1, \
         input_format_allow_errors_num = 1000000000;\n\n{views}",
        columns.join(", "),
    )
}

/// A path as the content of a string: the engine knows escapes with a backslash, and patterns.
fn escaped(path: &str) -> String {
    let mut out = String::new();
    for character in path.chars() {
        match character {
            '\\' => out.push_str("\\\\"),
            '\'' => out.push_str("\\'"),
            // There is no escape for patterns; any one character fits.
            '*' | '{' | '}' => out.push('?'),
            other => out.push(other),
        }
    }
    out
}

/// The expressions of ClickHouse.
struct ClickHouse;

/// The names of members as arguments of a function.
fn arguments(path: &[&str]) -> String {
    let names: Vec<String> = path.iter().map(|name| format!("'{name}'")).collect();
    format!("assumeNotNull(data), {}", names.join(", "))
}

impl Expressions for ClickHouse {
    fn text(&self, path: &[&str]) -> String {
        let of = arguments(path);
        format!(
            "multiIf(JSONType({of}) = 'Null', CAST(NULL, 'Nullable(String)'), \
             JSONType({of}) = 'String', JSONExtractString({of}), JSONExtractRaw({of}))"
        )
    }

    fn count(&self, name: &str) -> String {
        let of = arguments(&[name]);
        format!(
            "if(JSONType({of}) IN ('Int64', 'UInt64', 'Double') AND \
             JSONExtractFloat({of}) BETWEEN 0 AND {MAX_COUNT} AND \
             JSONExtractFloat({of}) = floor(JSONExtractFloat({of})), \
             toNullable(toInt64(JSONExtractFloat({of}))), NULL)"
        )
    }

    fn dollars(&self, name: &str) -> String {
        let of = arguments(&[name]);
        format!(
            "if(JSONType({of}) IN ('Int64', 'UInt64', 'Double') AND \
             round(JSONExtractFloat({of}) * 1e6) BETWEEN 0 AND {MAX_COUNT}, \
             toNullable(toDecimal64(JSONExtractFloat({of}), 6)), NULL)"
        )
    }

    fn milliseconds(&self, from: &str, to: &str) -> String {
        format!("toUnixTimestamp64Milli({to}) - toUnixTimestamp64Milli({from})")
    }

    fn later(&self, time: &str, milliseconds: &str) -> String {
        format!("addMilliseconds({time}, {milliseconds})")
    }
}
