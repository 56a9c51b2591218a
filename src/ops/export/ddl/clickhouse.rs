//! Views for ClickHouse.

use crate::event::fields::MAX_COUNT;

use super::expressions::{EnvelopeKind, Expressions, envelope};
use super::usage_view::prices;
use super::views::{DOCUMENT, DocumentKind, NOTE, view, views};

/// What the views of this engine leave out.
const LEFT_OUT: &str = "\
-- They answer the ten questions in docs/queries, with the same SQL, except one: there is no table
-- files, so \"which session touched this file?\" has no answer here.
-- Not in the views: the tables files and findings, calls.spawned_by, model_call, model and error,
-- usage.work_key. `runlog export --to parquet` has them.
-- Differences: a bare id of a call that has several prefixed forms is a call of its own, and costs that
-- run.json estimates with an older price list count only in its calls. A copy of a run's directory
-- counts a second time.
";

/// The views over the logs below the runs directory.
pub(super) fn ddl(runs_dir: &str) -> String {
    let lines = envelope().map(|(name, kind)| {
        let kind = match kind {
            EnvelopeKind::Text | EnvelopeKind::Object => "String",
            EnvelopeKind::Sequence => "Int64",
            EnvelopeKind::Time => TIME,
        };
        format!("{name} Nullable({kind})")
    });
    let documents = DOCUMENT.iter().map(|(name, kind)| {
        let kind = match kind {
            DocumentKind::Text | DocumentKind::Json => "String",
            DocumentKind::Time => TIME,
            DocumentKind::Flag => "Bool",
            DocumentKind::Integer => "Int64",
        };
        format!("{name} Nullable({kind})")
    });
    let source = |name: &str, columns: Vec<String>| {
        let (dir, columns) = (escaped(runs_dir), columns.join(", "));
        format!(
            "FROM file('{dir}/*/{name}', JSONEachRow,\n  '{columns}')\n\
             WHERE run_id IS NOT NULL"
        )
    };
    format!(
        "-- Views over the logs of runlog for ClickHouse, where the logs lie. Nothing is copied.\n\
         -- Load them:  clickhouse local --path DIR --multiquery < FILE\n\
         -- A server reads files only below its user_files_path: link the runs directory there and\n\
         -- change the path.\n\
         {NOTE}{LEFT_OUT}\
         -- Damaged lines and a last line that is being written are skipped. `runlog validate`\n\
         -- reports them.\n\n\
         -- Another session that asks needs this line too.\n\
         SET prefer_column_name_to_alias = 1, cast_keep_nullable = 1;\n\n\
         CREATE OR REPLACE VIEW runlog_events AS\n\
         SELECT *, _path AS log\n\
         {}\n  AND sequence IS NOT NULL AND event_id IS NOT NULL\n{SETTINGS};\n\n\
         CREATE OR REPLACE VIEW runlog_documents AS\n\
         SELECT *\n{}\n{SETTINGS};\n\n{}\n{}",
        source("events.jsonl", lines.collect()),
        source("run.json", documents.collect()),
        view(
            "runlog_prices",
            &format!(
                "SELECT * FROM values('name String, input Nullable(Float64), output Nullable(Float64), \
                 cache_read Nullable(Float64), cache_creation Nullable(Float64)',\n{}\n)",
                prices()
            )
        ),
        views(&ClickHouse),
    )
}

/// The type of a time, inside a string.
const TIME: &str = "DateTime64(3, \\'UTC\\')";

/// How files are read.
const SETTINGS: &str = "\
SETTINGS input_format_skip_unknown_fields = 1, date_time_input_format = 'best_effort',
  input_format_json_read_objects_as_strings = 1, input_format_json_read_arrays_as_strings = 1,
  input_format_allow_errors_num = 1000000000";

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

/// A pattern as a string.
fn pattern_text(pattern: &str) -> String {
    format!("'{}'", pattern.replace('\\', "\\\\").replace('\'', "\\'"))
}

/// The expressions of ClickHouse.
struct ClickHouse;

/// JSON and the names of members in it, as arguments of a function.
fn arguments(of: &str, path: &[&str]) -> String {
    let names = path.iter().map(|name| format!(", '{name}'"));
    format!("ifNull({of}, ''){}", names.collect::<String>())
}

impl Expressions for ClickHouse {
    fn text(&self, of: &str, path: &[&str]) -> String {
        let of = arguments(of, path);
        format!(
            "multiIf(JSONType({of}) = 'Null', CAST(NULL, 'Nullable(String)'), \
             JSONType({of}) = 'String', JSONExtractString({of}), JSONExtractRaw({of}))"
        )
    }

    fn string(&self, of: &str, path: &[&str]) -> String {
        let of = arguments(of, path);
        format!("if(JSONType({of}) = 'String', toNullable(JSONExtractString({of})), NULL)")
    }

    fn json(&self, of: &str, path: &[&str]) -> String {
        let of = arguments(of, path);
        format!("if(JSONType({of}) = 'Null', NULL, toNullable(JSONExtractRaw({of})))")
    }

    fn count(&self, of: &str, path: &[&str]) -> String {
        let of = arguments(of, path);
        format!(
            "if(JSONType({of}) IN ('Int64', 'UInt64', 'Double') AND \
             JSONExtractFloat({of}) BETWEEN 0 AND {MAX_COUNT} AND \
             JSONExtractFloat({of}) = floor(JSONExtractFloat({of})), \
             toNullable(toInt64(JSONExtractFloat({of}))), NULL)"
        )
    }

    fn rounded(&self, of: &str, path: &[&str]) -> String {
        let of = arguments(of, path);
        format!(
            "if(JSONType({of}) IN ('Int64', 'UInt64', 'Double') AND \
             floor(JSONExtractFloat({of}) + 0.5) BETWEEN 0 AND {MAX_COUNT}, \
             toNullable(toInt64(floor(JSONExtractFloat({of}) + 0.5))), NULL)"
        )
    }

    fn dollars(&self, of: &str, path: &[&str]) -> String {
        let of = arguments(of, path);
        format!(
            "if(JSONType({of}) IN ('Int64', 'UInt64', 'Double') AND \
             floor(JSONExtractFloat({of}) * 1e6 + 0.5) BETWEEN 0 AND {MAX_COUNT}, \
             toNullable(toDecimal64('0.000001', 6) * toInt64(floor(JSONExtractFloat({of}) * 1e6 + 0.5))), \
             NULL)"
        )
    }

    fn dollars_of_micros(&self, micros: &str) -> String {
        // `round` rounds halves to even numbers here.
        format!("toDecimal64('0.000001', 6) * toInt64(floor({micros} + 0.5))")
    }

    fn milliseconds(&self, from: &str, to: &str) -> String {
        format!("toUnixTimestamp64Milli({to}) - toUnixTimestamp64Milli({from})")
    }

    fn later(&self, time: &str, milliseconds: &str) -> String {
        format!("addMilliseconds({time}, {milliseconds})")
    }

    fn matches(&self, text: &str, pattern: &str) -> String {
        format!("match(ifNull({text}, ''), {})", pattern_text(pattern))
    }

    fn extract(&self, text: &str, pattern: &str) -> String {
        format!("extract(ifNull({text}, ''), {})", pattern_text(pattern))
    }

    fn without(&self, text: &str, pattern: &str) -> String {
        format!("replaceRegexpOne({text}, {}, '')", pattern_text(pattern))
    }

    fn command(&self, arguments: &str) -> String {
        let command = format!(
            "ifNull(coalesce({}, {}), '')",
            self.json(arguments, &["command"]),
            self.json(arguments, &["cmd"])
        );
        let words = format!(
            "arrayMap(word -> multiIf(JSONType(word) = 'String', JSONExtractString(word), \
             JSONHas(word, '$blob'), JSONExtractString(word, 'head'), word), \
             JSONExtractArrayRaw({command}))"
        );
        format!(
            "multiIf(JSONType({command}) = 'String', toNullable(JSONExtractString({command})),
      JSONHas({command}, '$blob'), toNullable(JSONExtractString({command}, 'head')),
      JSONType({command}) <> 'Array' OR length({words}) = 0, NULL,
      length({words}) = 3 AND {words}[1] LIKE '%sh' AND {words}[2] LIKE '-%', {words}[3],
      arrayStringConcat({words}, ' '))"
        )
    }

    fn text_bytes(&self, result: &str) -> String {
        let result = format!("ifNull({result}, '')");
        let text = "multiIf(JSONType(part) = 'String', JSONExtractString(part), \
                    JSONType(part, 'text') = 'String', JSONExtractString(part, 'text'), \
                    JSONType(part, 'thinking') = 'String', JSONExtractString(part, 'thinking'), \
                    JSONType(part, 'content') = 'String', JSONExtractString(part, 'content'), \
                    concat('[', JSONExtractString(part, 'type'), '] ', part))";
        let size = format!(
            "if(JSONExtractString(part, 'type') IN ('image', 'image_url', 'input_image', 'audio', \
             'input_audio', 'video', 'file', 'document'), {LABEL_BYTES}, length({text}))"
        );
        let is_known = "JSONType(part) = 'String' OR JSONType(part, 'type') = 'String'";
        let parts = format!("JSONExtractArrayRaw({result})");
        let is_short = format!(
            "JSONType(part) = 'String' AND length({text}) <= 40 AND position({text}, '\\n') = 0"
        );
        format!(
            "CAST(multiIf({result} = '', NULL,
      JSONType({result}) = 'String', length(JSONExtractString({result})),
      JSONHas({result}, '$blob'), JSONExtractInt({result}, 'bytes'),
      JSONType({result}) = 'Array' AND length({parts}) > 0
        AND arrayAll(part -> {is_known}, {parts}),
        arraySum(arrayMap(part -> {size}, {parts})) + (length({parts}) - 1) *
          if(arrayAll(part -> {is_short}, {parts}), 2, 1),
      length({result})), 'Nullable(Int64)')"
        )
    }
}

/// The length of the label that views show for an image or a sound, such as `[image, 12 kB]`.
const LABEL_BYTES: &str = "\
length(JSONExtractString(part, 'type')) + 2 + arraySum(arrayMap(encoded -> multiIf(
  encoded = '', 0,
  intDiv(length(encoded) * 3, 4) < 1000, length(concat(', ', toString(intDiv(length(encoded) * 3, 4)
    - length(extract(encoded, '=*$'))), ' B')),
  intDiv(length(encoded) * 3, 4) < 999500,
    length(printf(', %.0f kB', intDiv(length(encoded) * 3, 4) / 1000)),
  length(printf(', %.1f MB', intDiv(length(encoded) * 3, 4) / 1000000))),
  [replaceRegexpOne(arrayFirst(text -> text <> '', [JSONExtractString(part, 'data'),
    JSONExtractString(part, 'source', 'data'), JSONExtractString(part, 'image_url', 'url'),
    JSONExtractString(part, 'image_url'), JSONExtractString(part, 'file', 'file_data')]),
    '^.*?;base64,', '')]))";
