//! Views for DuckDB.

use super::expressions::{EnvelopeKind, Expressions, envelope};
use super::files_view::files;
use super::quoted;
use super::usage_view::prices;
use super::views::{DOCUMENT, DocumentKind, NOTE, view, views};
use crate::event::envelope::MAX_LINE;
use crate::event::fields::MAX_COUNT;

/// What the views of this engine leave out.
const LEFT_OUT: &str = "\
-- They answer all of the ten questions in docs/queries, with the same SQL. One figure is missing:
-- the lines that each change added and removed, which take a line diff. Ask for files with
-- 05-files-views.sql.
-- Not in the views: the table findings, the rows of files for deliverables, calls.spawned_by,
-- model_call, model and error, usage.work_key, files.added, removed, bytes, sha256 and verdict.
-- `runlog export --to parquet` has them.
-- Each question reads the files again. If you ask several, make tables of the views once, in the
-- order events, calls, usage, runs, files:
--   CREATE TABLE events_now AS FROM events; CREATE OR REPLACE VIEW events AS FROM events_now;
-- Differences: a bare id of a call that has several prefixed forms is a call of its own, and costs
-- that run.json estimates with an older price list count only in its calls. A copy of a run's
-- directory counts a second time.
";

/// The views over the logs below the runs directory.
pub(super) fn ddl(runs_dir: &str) -> String {
    let lines = envelope().map(|(name, kind)| {
        let kind = match kind {
            EnvelopeKind::Text => "VARCHAR",
            EnvelopeKind::Sequence => "BIGINT",
            EnvelopeKind::Time => "TIMESTAMPTZ",
            EnvelopeKind::Object => "JSON",
        };
        format!("    {name}: '{kind}'")
    });
    let documents = DOCUMENT.iter().map(|(name, kind)| {
        let kind = match kind {
            DocumentKind::Text => "VARCHAR",
            DocumentKind::Time => "TIMESTAMPTZ",
            DocumentKind::Flag => "BOOLEAN",
            DocumentKind::Integer => "BIGINT",
            DocumentKind::Json => "JSON",
        };
        format!("    {name}: '{kind}'")
    });
    let files_of = |name: &str| quoted(&format!("{}/*/{name}", glob_escaped(runs_dir)));
    format!(
        "-- Views over the logs of runlog for DuckDB, where the logs lie. Nothing is copied.\n\
         -- Load them:  duckdb runs.db < FILE   or, for one session:  duckdb -init FILE\n\
         {NOTE}{LEFT_OUT}\
         -- Damaged lines and a last line that is being written are skipped. `runlog validate`\n\
         -- reports them.\n\n\
         -- Days are in UTC, as in `runlog stats`. Another session needs this line too.\n\
         SET TimeZone = 'UTC';\n\n\
         CREATE OR REPLACE VIEW runlog_events AS\n\
         SELECT * EXCLUDE (filename), filename AS log\n\
         FROM read_json({},\n  format = 'newline_delimited', filename = true, \
         ignore_errors = true,\n  maximum_object_size = {},\n  columns = {{\n{}\n  }})\n\
         WHERE sequence IS NOT NULL AND event_id IS NOT NULL;\n\n\
         CREATE OR REPLACE VIEW runlog_documents AS\n\
         SELECT * FROM read_json({},\n  format = 'unstructured', \
         maximum_object_size = {},\n  columns = {{\n{}\n  }})\n\
         WHERE run_id IS NOT NULL;\n\n\
         {LABEL_BYTES}\n{}\n{}\n{}",
        files_of("events.jsonl"),
        2 * MAX_LINE,
        lines.collect::<Vec<_>>().join(",\n"),
        files_of("run.json"),
        2 * MAX_LINE,
        documents.collect::<Vec<_>>().join(",\n"),
        view(
            "runlog_prices",
            &format!(
                "SELECT * FROM (VALUES\n{}\n) \
                 AS prices (name, input, output, cache_read, cache_creation)",
                prices()
            )
        ),
        views(&DuckDb),
        view("files", &files(&DuckDb)),
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

/// The path of a member.
fn at(path: &[&str]) -> String {
    path.iter().fold("$".to_owned(), |path, name| format!("{path}.{name}"))
}

impl Expressions for DuckDb {
    fn text(&self, of: &str, path: &[&str]) -> String {
        format!("({of}->>'{}')", at(path))
    }

    fn string(&self, of: &str, path: &[&str]) -> String {
        let path = at(path);
        format!("CASE WHEN json_type({of}, '{path}') = 'VARCHAR' THEN {of}->>'{path}' END")
    }

    fn json(&self, of: &str, path: &[&str]) -> String {
        format!("nullif(CAST({of}->'{}' AS VARCHAR), 'null')", at(path))
    }

    fn count(&self, of: &str, path: &[&str]) -> String {
        // Larger numbers are not believed, and none of these is too large for a cast.
        let path = at(path);
        let number = format!("({of}->>'{path}')::DOUBLE");
        format!(
            "CASE WHEN json_type({of}, '{path}') IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND \
             {number} BETWEEN 0 AND {MAX_COUNT} AND {number} = floor({number}) \
             THEN {number}::BIGINT END"
        )
    }

    fn rounded(&self, of: &str, path: &[&str]) -> String {
        let path = at(path);
        let number = format!("floor(({of}->>'{path}')::DOUBLE + 0.5)");
        format!(
            "CASE WHEN json_type({of}, '{path}') IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND \
             {number} BETWEEN 0 AND {MAX_COUNT} THEN {number}::BIGINT END"
        )
    }

    fn dollars(&self, of: &str, path: &[&str]) -> String {
        let path = at(path);
        let number = format!("({of}->>'{path}')::DOUBLE");
        format!(
            "CASE WHEN json_type({of}, '{path}') IN ('UBIGINT', 'BIGINT', 'DOUBLE') AND \
             round({number} * 1e6) BETWEEN 0 AND {MAX_COUNT} THEN \
             {number}::DECIMAL(18, 6) END"
        )
    }

    fn dollars_of_micros(&self, micros: &str) -> String {
        format!("CAST(round({micros}) / 1e6 AS DECIMAL(18, 6))")
    }

    fn milliseconds(&self, from: &str, to: &str) -> String {
        format!("epoch_ms({to}) - epoch_ms({from})")
    }

    fn later(&self, time: &str, milliseconds: &str) -> String {
        format!("{time} + to_milliseconds({milliseconds})")
    }

    fn matches(&self, text: &str, pattern: &str) -> String {
        format!("regexp_matches({text}, {})", quoted(pattern))
    }

    fn extract(&self, text: &str, pattern: &str) -> String {
        format!("regexp_extract({text}, {}, 1)", quoted(pattern))
    }

    fn without(&self, text: &str, pattern: &str) -> String {
        format!("regexp_replace({text}, {}, '')", quoted(pattern))
    }

    fn command(&self, arguments: &str) -> String {
        let command = format!("coalesce({arguments}->'$.command', {arguments}->'$.cmd')");
        format!(
            "CASE json_type({command})
      WHEN 'VARCHAR' THEN {command}->>'$'
      WHEN 'OBJECT' THEN CASE WHEN {command}->>'$.\"$blob\"' IS NOT NULL THEN {command}->>'$.head' END
      WHEN 'ARRAY' THEN CASE
        WHEN json_array_length({command}) = 3 AND {command}->>'$[0]' LIKE '%sh'
          AND {command}->>'$[1]' LIKE '-%'
          THEN CASE WHEN {command}->>'$[2].\"$blob\"' IS NULL THEN {command}->>'$[2]'
            ELSE {command}->>'$[2].head' END
        WHEN json_array_length({command}) > 0 THEN array_to_string({command}->>'$[*]', ' ')
      END
    END"
        )
    }

    fn text_bytes(&self, result: &str) -> String {
        let parts = format!("json_extract({result}, '$[*]')");
        let size = "CASE
        WHEN json_type(part) = 'VARCHAR' THEN strlen(part->>'$')
        WHEN json_type(part, '$.type') <> 'VARCHAR' THEN NULL
        ELSE coalesce(runlog_label_bytes(part), strlen(coalesce(part->>'$.text',
          part->>'$.thinking', part->>'$.content')),
          strlen(part->>'$.type') + 3 + strlen(CAST(part AS VARCHAR)))
      END";
        format!(
            "CASE json_type({result})
    WHEN 'VARCHAR' THEN strlen({result}->>'$')
    WHEN 'OBJECT' THEN CASE
      WHEN {result}->>'$.\"$blob\"' IS NULL
        THEN coalesce(runlog_label_bytes({result}), strlen({result}))
      ELSE CAST({result}->>'$.bytes' AS BIGINT)
    END
    WHEN 'ARRAY' THEN coalesce(list_transform([list_transform({parts}, lambda part: {size})],
      lambda sizes: CASE WHEN len(sizes) > 0 AND list_count(sizes) = len(sizes)
        THEN list_sum(sizes) + (len(sizes) - 1) * CASE
          WHEN len(list_filter({parts}, lambda part: json_type(part) <> 'VARCHAR'
            OR strlen(part->>'$') > 40 OR contains(part->>'$', chr(10)))) = 0 THEN 2 ELSE 1 END
      END)[1], strlen({result}))
    ELSE strlen({result})
  END"
        )
    }
}

/// The length of the label that views show for an image or a sound, such as `[image, 12 kB]`.
const LABEL_BYTES: &str = "\
CREATE OR REPLACE MACRO runlog_label_bytes(part) AS
CASE WHEN part->>'$.type' IN ('image', 'image_url', 'input_image', 'audio', 'input_audio', 'video',
  'file', 'document')
THEN strlen(part->>'$.type') + 2 + coalesce(list_transform(
  [regexp_replace(coalesce(part->>'$.data', part->>'$.source.data', part->>'$.image_url.url',
    part->>'$.image_url', part->>'$.file.file_data'), '^.*?;base64,', '')],
  lambda encoded: strlen(CASE
    WHEN strlen(encoded) * 3 // 4 < 1000
      THEN format(', {} B', strlen(encoded) * 3 // 4 - strlen(regexp_extract(encoded, '=*$')))
    WHEN strlen(encoded) * 3 // 4 < 999500 THEN format(', {:.0f} kB', strlen(encoded) * 3 // 4 / 1e3)
    ELSE format(', {:.1f} MB', strlen(encoded) * 3 // 4 / 1e6)
  END))[1], 0) END;
";
