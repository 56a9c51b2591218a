//! The view of files for DuckDB.

use super::expressions::{Expressions, coalesce, first_string, first_text};
use super::quoted;
use super::runs_view::action;
use crate::event::fields;
use crate::history::arguments::{NEW, OLD, PATHS};
use crate::tables::FILE_LISTS;
use crate::transcript::diff::{PATCH, PATH, WHOLE, WRITERS};

/// The query. It has no numbers of lines: they take a line diff.
pub(super) fn files(sql: &dyn Expressions) -> String {
    let first = |names: &[&str]| first_string(sql, "arguments", names);
    let has = |names: &[&str]| format!("{} IS NOT NULL", first(names));
    let edits = format!("coalesce({}, '')", sql.json("arguments", &["edits"]));
    let in_edits = format!("\"(?:{}|{})\": ?\"", OLD.join("|"), NEW.join("|"));
    let event_path = first_text(sql, fields::PATH);
    let lists = FILE_LISTS.iter().map(|(name, kind)| {
        format!(
            "
UNION ALL
SELECT run_id, sequence, NULL, time, agent_id, true,
  unnest(json_extract_string(data, '$.{name}[*]')), {}
FROM events WHERE role = 'file' AND {event_path} IS NULL",
            quoted(kind.name())
        )
    });
    let lists = lists.collect::<String>();
    let whole = coalesce(WHOLE.iter().map(|name| sql.json("arguments", &[name])));
    let whole = format!("{whole} IS NOT NULL");
    format!(
        r"WITH given AS (
  SELECT run_id, sequence, call_id, time, agent_id, lower(tool) AS tool, kind, arguments,
    status = 'completed' AS applied,
    CASE WHEN arguments LIKE '%*** Begin Patch%' THEN
      list_filter(list_concat([arguments->>'$'], json_extract_string(arguments, '$.*'),
        json_extract_string(arguments, '$.*[*]')),
        lambda one: regexp_matches(one, '\*\*\* Begin Patch(.|\s)*\n\*\*\* (Add|Update|Delete) File: '))[1]
    END AS patch,
    CASE WHEN json_type(arguments, '$.changes') = 'OBJECT' THEN arguments->'$.changes' END AS changes,
    {path} AS path
  FROM calls WHERE arguments IS NOT NULL
),
patched AS (
  SELECT *, unnest(regexp_extract_all(
    regexp_extract(patch, '(?s)\*\*\* Begin Patch(.*?)(?:\n\s*\*\*\* End Patch|$)', 1),
    '\n\*\*\* (?:Add|Update|Delete) File: [^\n]*(?:\n\*\*\* Move to: [^\n]*)?')) AS head
  FROM given WHERE patch IS NOT NULL
),
recorded AS (
  SELECT *, changes->('/' || replace(replace(file, '~', '~0'), '/', '~1')) AS change FROM (
    SELECT *, unnest(json_keys(changes)) AS file
    FROM given WHERE patch IS NULL AND changes IS NOT NULL
  ) AS keys
  UNION ALL
  SELECT * EXCLUDE (change), change->>'$.path' AS file, change FROM (
    SELECT *, unnest(json_extract(arguments, '$.changes[*]')) AS change
    FROM given WHERE patch IS NULL AND json_type(arguments, '$.changes') = 'ARRAY'
  ) AS listed
  WHERE change->>'$.path' IS NOT NULL
),
parts AS (
  SELECT *, coalesce(change->>'$.type', change->>'$.kind', '') AS word,
    coalesce(change->'$.update', change)->>'$.move_path' AS moved_to,
    {old_text} AS old_text, {new_text} AS new_text
  FROM recorded
),
unified AS (
  SELECT *, unnest(regexp_extract_all(text, '(?:^|\n)--- [^\n]*\n\+\+\+ [^\n]*')) AS head FROM (
    SELECT *, {patch} AS text FROM given
    WHERE patch IS NULL AND changes IS NULL AND path IS NULL
  ) AS texts
),
named AS (
  SELECT *, regexp_replace(trim(regexp_extract(head, '--- ([^\t\n]*)', 1)), '^[ab]/', '') AS old,
    regexp_replace(trim(regexp_extract(head, '\+\+\+ ([^\t\n]*)', 1)), '^[ab]/', '') AS new
  FROM unified
),
single AS (
  SELECT *,
    CASE
      WHEN {replaces} OR regexp_matches({edits}, '{in_edits}') OR {patch} IS NOT NULL THEN 'edited'
      WHEN {whole} AND regexp_matches(tool, '{writers}') THEN
        CASE WHEN arguments->>'$.command' = 'create' OR tool LIKE '%create%' THEN 'created'
          ELSE 'written' END
    END AS change
  FROM given WHERE patch IS NULL AND changes IS NULL
),
touched AS (
  SELECT run_id, sequence, call_id, time, agent_id, applied,
    trim(regexp_extract(head, 'File: ([^\n]*)', 1)) AS path,
    CASE
      WHEN head LIKE '%*** Move to: %' THEN 'moved' WHEN head LIKE '_*** Add%' THEN 'created'
      WHEN head LIKE '_*** Delete%' THEN 'deleted' ELSE 'edited'
    END AS action
  FROM patched
  UNION ALL
  SELECT run_id, sequence, call_id, time, agent_id, applied,
    trim(regexp_extract(head, 'Move to: ([^\n]*)', 1)), 'edited'
  FROM patched WHERE head LIKE '%*** Move to: %'
  UNION ALL
  SELECT run_id, sequence, call_id, time, agent_id, applied, file,
    CASE
      WHEN new_text IS NOT NULL AND word IN ('', 'diff') THEN
        CASE WHEN old_text IS NULL THEN 'created' ELSE 'edited' END
      WHEN word = 'add' OR json_exists(change, '$.add') THEN 'created'
      WHEN word = 'delete' OR json_exists(change, '$.delete') THEN 'deleted'
      WHEN moved_to IS NOT NULL THEN 'moved' ELSE 'edited'
    END
  FROM parts
  WHERE word IN ('add', 'delete', 'update', 'diff') OR json_exists(change, '$.add')
    OR (word = '' AND new_text IS NOT NULL)
    OR json_exists(change, '$.delete') OR json_exists(change, '$.update')
  UNION ALL
  SELECT run_id, sequence, call_id, time, agent_id, applied, moved_to, 'edited'
  FROM parts
  WHERE moved_to IS NOT NULL AND (word = 'update' OR json_exists(change, '$.update'))
  UNION ALL
  SELECT run_id, sequence, call_id, time, agent_id, applied,
    CASE WHEN new = '/dev/null' THEN old ELSE new END,
    CASE WHEN new = '/dev/null' THEN 'deleted' WHEN old = '/dev/null' THEN 'created'
      ELSE 'edited' END
  FROM named
  UNION ALL
  SELECT run_id, sequence, call_id, time, agent_id, applied, path, change
  FROM single WHERE path IS NOT NULL AND change IS NOT NULL
  UNION ALL
  SELECT run_id, sequence, call_id, time, agent_id, applied, {plain_path},
    CASE kind WHEN 'read' THEN 'read' ELSE 'edited' END
  FROM single
  WHERE (path IS NULL OR change IS NULL) AND kind IN ('read', 'edit') AND {plain_path} IS NOT NULL
    AND NOT coalesce(regexp_matches({patch}, '(?:^|\n)--- [^\n]*\n\+\+\+ ') AND path IS NULL, false)
)
SELECT * FROM touched
UNION ALL
SELECT run_id, sequence, NULL AS call_id, time, agent_id, true AS applied, {event_path} AS path,
  {action} AS action
FROM events WHERE role = 'file' AND {event_path} IS NOT NULL{lists}",
        path = first(PATH),
        patch = first(PATCH),
        replaces = has(&[OLD, NEW].concat()),
        old_text = first_string(sql, "change", OLD),
        new_text = first_string(sql, "change", NEW),
        whole = whole,
        writers = WRITERS.join("|"),
        plain_path = coalesce(PATHS.iter().map(|name| sql.string("arguments", &[name]))),
        action = action(sql),
    )
}
