//! The view of model calls.

use super::calls_view::{has_work_time, model_call};
use super::expressions::{DATA, Expressions, TOKENS, coalesce, everywhere, first_count, id};
use super::quoted;
use super::runs_view::told_elsewhere;
use crate::event::fields::{
    CACHE_CREATION, CACHE_CREATION_1H, CACHE_READ, COST, HISTORY, INPUT_TOKENS, LAST_CALL,
    MODEL_CALL, NOT_IN_TOTAL, OUTPUT_AT_LEAST, OUTPUT_TOKENS, SEVERAL_CALLS,
};
use crate::history::models;

/// The list prices, as rows of name and dollars per million tokens.
pub(super) fn prices() -> String {
    let rows = models::price_list().map(|(name, [input, output, read, creation])| {
        format!("    ({}, {input:?}, {output:?}, {read:?}, {creation:?})", quoted(name))
    });
    rows.collect::<Vec<_>>().join(",\n")
}

/// The name of a model as the list of prices has it.
fn plain_name(sql: &dyn Expressions, model: &str) -> String {
    let name = format!("lower(trim({model}))");
    let steps = [
        "^.*/",
        r"^.*?anthropic\.",
        r"[@\[:].*$",
        "-v[12]$",
        "-latest$",
        "-(?:[0-9]{8}|[0-9]{4}-[0-9]{2}-[0-9]{2})$",
    ];
    let name = steps.iter().fold(name, |name, step| sql.without(&name, step));
    format!("CASE WHEN {name} LIKE 'claude-%' THEN replace({name}, '.', '-') ELSE {name} END")
}

/// The query.
pub(super) fn usage(sql: &dyn Expressions) -> String {
    let ids = MODEL_CALL.iter().map(|name| id(&sql.string(DATA, &[name])));
    let costs = coalesce(COST.iter().map(|name| sql.dollars(DATA, &[name])));
    let each = |one: &dyn Fn(&str) -> String| {
        TOKENS.iter().map(|name| one(name)).collect::<Vec<_>>().join(",\n    ")
    };
    let rest = |name: &str| {
        format!(
            "nullif(coalesce(runlog_states.{name}, 0) - coalesce(known.{name}, 0) - \
             coalesce(told_of_models.{name}, 0), 0)"
        )
    };
    format!(
        "WITH reports AS (
  SELECT run_id, sequence, \"time\", session_id, agent_id, sub_agent, task, role,
    imported AND ({has_time} OR {request} IS NOT NULL OR {history} IS NOT NULL) AS may_be_copied,
    imported, recorded_at, {history} AS history, {everywhere} AS everywhere,
    {model} AS model, {message} AS message_id, {request} AS request_id,
    {ids} AS model_call_id, {answer} AS answer,
    coalesce({scope} = 'total', false) AS is_total,
    {last_call} IS NOT NULL AS calls_told,
    coalesce({not_in_total} = 'true', false) AS not_in_total,
    coalesce({scope} = 'model', false) AS is_of_model,
    coalesce({scope} = '{several}', false) AS is_of_several,
    {input} AS input_tokens, {output} AS output_tokens,
    coalesce({at_least} = 'true', false) AS output_at_least,
    {read} AS cache_read_tokens, {creation} AS cache_creation_tokens,
    {for_an_hour} AS for_an_hour,
    {costs} AS reported_usd
  FROM events WHERE role IN ('usage', 'message')
),
-- The costs that an agent reports in its messages count if it reports none with its usage. They
-- cover its model calls.
told AS (
  SELECT *,
    max(CASE WHEN {is_usage} OR reported_usd IS NULL THEN 0 ELSE 1 END)
      OVER (PARTITION BY run_id, coalesce(agent_id, '')) AS in_messages,
    max(CASE WHEN {is_usage} AND reported_usd IS NOT NULL THEN 1 ELSE 0 END)
      OVER (PARTITION BY run_id, coalesce(agent_id, '')) AS in_usage
  FROM reports
),
counted AS (
  SELECT *,
    max(CASE WHEN is_total AND NOT calls_told AND role = 'usage' THEN 1 ELSE 0 END)
      OVER (PARTITION BY run_id) AS has_totals,
    first_value(\"time\") OVER (PARTITION BY run_id, is_total, answer ORDER BY sequence)
      AS first_time,
    min(sequence) OVER (PARTITION BY run_id, is_total, answer) AS first_sequence,
    row_number() OVER (PARTITION BY run_id, is_total, answer ORDER BY sequence DESC) AS place
  FROM told WHERE {is_usage} AND NOT is_of_model
),
priced AS (
  SELECT counted.*,
    CASE WHEN may_be_copied OR (imported AND everywhere IS NOT NULL) THEN model_call_id END AS work_id,
    CASE WHEN reported_usd IS NULL AND input_tokens IS NOT NULL AND output_tokens IS NOT NULL
      AND (in_messages = 0 OR in_usage = 1) THEN {estimate} END AS estimated_usd
  FROM counted LEFT JOIN runlog_prices ON runlog_prices.name = {plain}
  WHERE place = 1 AND NOT is_total
),
-- The runs of which another run tells everything.
told_elsewhere AS (
  {told_elsewhere}
),
asked AS (
  SELECT run_id, asked_by, count(*) AS calls,
    sum(CASE WHEN is_retry THEN 1 ELSE 0 END) AS retries,
    sum(CASE WHEN is_repeat THEN 1 ELSE 0 END) AS repeats
  FROM calls WHERE asked_by IS NOT NULL GROUP BY run_id, asked_by
),
model_calls AS (
  SELECT priced.run_id AS run_id, sequence, first_sequence, first_time, imported, session_id, task, agent_id,
    sub_agent, not_in_total, model, message_id, request_id,
    CASE WHEN coalesce(told_elsewhere.run_id, '') <> '' THEN false
      WHEN work_id IS NULL OR has_totals = 1 THEN true ELSE
      row_number() OVER (PARTITION BY work_id,
        coalesce(everywhere, request_id, history, CAST(first_time AS VARCHAR))
        ORDER BY CASE WHEN output_at_least THEN 1 ELSE 0 END,
          CASE WHEN output_at_least THEN coalesce(output_tokens, 0) ELSE 0 END DESC,
          recorded_at, priced.run_id) = 1
    END AS first_seen,
    is_of_several, input_tokens, output_tokens, output_at_least, cache_read_tokens, cache_creation_tokens,
    CASE WHEN NOT is_of_several THEN
      input_tokens + coalesce(cache_read_tokens, 0) + coalesce(cache_creation_tokens, 0)
    END AS context_tokens,
    coalesce(reported_usd, estimated_usd) AS cost_usd,
    estimated_usd IS NOT NULL AS cost_estimated,
    coalesce(asked.calls, 0) AS calls, coalesce(asked.retries, 0) AS retries,
    coalesce(asked.repeats, 0) AS repeats
  FROM priced
  LEFT JOIN asked ON asked.run_id = priced.run_id AND asked.asked_by = priced.first_sequence
  LEFT JOIN told_elsewhere ON told_elsewhere.run_id = priced.run_id
),
messages AS (
  SELECT told.run_id AS run_id, told.sequence AS sequence, told.\"time\" AS \"time\",
    told.session_id AS session_id, told.task AS task, told.agent_id AS agent_id,
    coalesce(told.model, nullif(runlog_states.only_model, '')) AS model,
    coalesce(told_elsewhere.run_id, '') = '' AS first_seen, told.reported_usd AS cost_usd
  FROM told
  LEFT JOIN told_elsewhere ON told_elsewhere.run_id = told.run_id
  LEFT JOIN runlog_states ON runlog_states.run_id = told.run_id
  WHERE told.reported_usd IS NOT NULL AND told.role = 'message' AND told.input_tokens IS NULL
    AND told.in_usage = 0
),
known AS (
  SELECT run_id,
    {sums},
    sum(cost_usd) AS cost_usd
  FROM (
    SELECT run_id, {token_names}, cost_usd FROM model_calls
    UNION ALL SELECT run_id, {no_tokens}, cost_usd FROM messages
  ) AS told_so_far GROUP BY run_id
),
-- The newest totals of the models of each session.
session_totals AS (
  SELECT *,
    row_number() OVER (PARTITION BY run_id, session_id, model ORDER BY sequence DESC) AS place
  FROM reports
  WHERE is_of_model AND model IS NOT NULL AND (role = 'usage' OR input_tokens IS NOT NULL)
),
last_totals AS (
  SELECT run_id, session_id, max(sequence) AS last_total, max(\"time\") AS last_time,
    max(CASE WHEN calls_told THEN sequence END) AS last_with_calls
  FROM reports WHERE is_total AND (role = 'usage' OR input_tokens IS NOT NULL)
  GROUP BY run_id, session_id
),
model_totals AS (
  SELECT session_totals.run_id AS run_id, session_totals.session_id AS session_id, model,
    {token_names}, reported_usd,
    CASE WHEN reported_usd IS NULL AND input_tokens IS NOT NULL AND output_tokens IS NOT NULL
      THEN {estimate} END AS estimated_usd
  FROM session_totals
  JOIN last_totals ON last_totals.run_id = session_totals.run_id
    AND last_totals.session_id = session_totals.session_id
  LEFT JOIN runlog_prices ON runlog_prices.name = {plain_total}
  WHERE place = 1 AND sequence > last_total
),
known_of_models AS (
  SELECT model_calls.run_id AS run_id, model_calls.session_id AS session_id,
    coalesce(model, '') AS model,
    {sums},
    sum(cost_usd) AS cost_usd, max(CASE WHEN cost_estimated THEN 1 ELSE 0 END) AS estimates,
    max(CASE WHEN cost_usd IS NULL OR cost_estimated THEN 0 ELSE 1 END) AS reports
  FROM model_calls
  JOIN last_totals ON last_totals.run_id = model_calls.run_id
    AND last_totals.session_id = model_calls.session_id
  WHERE NOT (imported AND first_sequence > last_total AND (first_time >= last_time
    OR ((sub_agent IS NULL OR not_in_total) AND coalesce(last_with_calls, 0) = last_total)))
  GROUP BY model_calls.run_id, model_calls.session_id, coalesce(model, '')
),
-- The sessions whose totals lack the model of one of their calls.
unfit AS (
  SELECT known_of_models.run_id AS run_id, known_of_models.session_id AS session_id,
    count(*) AS models
  FROM known_of_models
  LEFT JOIN model_totals ON model_totals.run_id = known_of_models.run_id
    AND model_totals.session_id = known_of_models.session_id
    AND model_totals.model = known_of_models.model
  WHERE coalesce(model_totals.run_id, '') = ''
  GROUP BY known_of_models.run_id, known_of_models.session_id
),
paired AS (
  SELECT model_totals.run_id AS run_id, model_totals.model AS model,
    {pairs},
    CASE WHEN reported_usd IS NOT NULL THEN reported_usd
      WHEN known_of_models.cost_usd IS NULL THEN estimated_usd
      WHEN estimated_usd IS NULL OR known_of_models.reports = 1 OR ({same})
      THEN known_of_models.cost_usd ELSE estimated_usd END AS total_cost_usd,
    known_of_models.cost_usd AS known_cost_usd,
    CASE WHEN reported_usd IS NOT NULL THEN 0
      WHEN known_of_models.cost_usd IS NULL
      THEN CASE WHEN estimated_usd IS NULL THEN 0 ELSE 1 END
      WHEN estimated_usd IS NULL OR known_of_models.reports = 1 OR ({same})
      THEN known_of_models.estimates ELSE 1 END AS is_estimated
  FROM model_totals
  LEFT JOIN known_of_models ON known_of_models.run_id = model_totals.run_id
    AND known_of_models.session_id = model_totals.session_id
    AND known_of_models.model = model_totals.model
  LEFT JOIN unfit ON unfit.run_id = model_totals.run_id
    AND unfit.session_id = model_totals.session_id
  WHERE coalesce(unfit.models, 0) = 0
),
beyond_of_models AS (
  SELECT run_id, model,
    {differences},
    nullif(coalesce(sum(total_cost_usd), 0) - coalesce(sum(known_cost_usd), 0), 0) AS cost_usd,
    max(is_estimated) AS estimates
  FROM paired GROUP BY run_id, model
),
told_of_models AS (
  SELECT run_id,
    {sums}, sum(cost_usd) AS cost_usd
  FROM beyond_of_models GROUP BY run_id
),
reported AS (SELECT run_id, max(sequence) AS last_report FROM reports GROUP BY run_id),
-- What run.json has beyond the calls, if it is as new as the last report.
beyond AS (
  SELECT runlog_states.run_id AS run_id, runlog_states.session_id AS session_id,
    coalesce(ended_at, began_at) AS \"time\", runlog_states.only_model AS model,
    {rests},
    CASE WHEN NOT runlog_states.cost_estimated OR prices_as_of = '{as_of}' THEN {cost_rest} END AS cost_usd,
    runlog_states.cost_estimated AND {cost_rest} IS NOT NULL AS cost_estimated
  FROM runlog_states
  JOIN reported ON reported.run_id = runlog_states.run_id
  LEFT JOIN known ON known.run_id = runlog_states.run_id
  LEFT JOIN told_of_models ON told_of_models.run_id = runlog_states.run_id
  WHERE head_sequence >= last_report
  UNION ALL
  SELECT runlog_states.run_id, runlog_states.session_id, coalesce(ended_at, began_at),
    beyond_of_models.model, {beyond_names}, beyond_of_models.cost_usd,
    estimates = 1 AND beyond_of_models.cost_usd IS NOT NULL
  FROM beyond_of_models
  JOIN runlog_states ON runlog_states.run_id = beyond_of_models.run_id
  JOIN reported ON reported.run_id = beyond_of_models.run_id
  WHERE head_sequence >= last_report
)
SELECT run_id, sequence, CASE WHEN is_of_several THEN 'calls' ELSE 'call' END AS kind, first_time AS \"time\", session_id, task, agent_id, model,
  message_id, request_id, first_seen, input_tokens, output_tokens, output_at_least,
  cache_read_tokens, cache_creation_tokens, context_tokens, cost_usd, cost_estimated,
  calls, retries, repeats
FROM model_calls
WHERE NOT is_of_several OR coalesce(cost_usd, 0) + {all_tokens} > 0
UNION ALL
SELECT run_id, sequence, 'message', \"time\", session_id, task, agent_id, model, NULL, NULL,
  first_seen, NULL, NULL, false, NULL, NULL, NULL, cost_usd, false, 0, 0, 0
FROM messages
UNION ALL
SELECT beyond.run_id, NULL, 'total', \"time\", session_id, NULL, NULL, model, NULL, NULL,
  coalesce(told_elsewhere.run_id, '') = '',
  input_tokens, output_tokens, false, cache_read_tokens, cache_creation_tokens, NULL, cost_usd,
  cost_estimated, 0, 0, 0
FROM beyond LEFT JOIN told_elsewhere ON told_elsewhere.run_id = beyond.run_id
WHERE coalesce(input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens) IS NOT NULL
  OR cost_usd IS NOT NULL",
        told_elsewhere = told_elsewhere(),
        model = sql.text(DATA, &["model"]),
        message = sql.text(DATA, &["message_id"]),
        request = sql.text(DATA, &["request_id"]),
        history = sql.text(DATA, &[HISTORY]),
        has_time = has_work_time(sql),
        everywhere = everywhere(sql, &coalesce(ids.clone())),
        ids = coalesce(ids),
        answer = model_call(sql),
        scope = sql.text(DATA, &["scope"]),
        several = SEVERAL_CALLS,
        all_tokens = TOKENS
            .iter()
            .map(|name| format!("coalesce({name}, 0)"))
            .collect::<Vec<_>>()
            .join(" + "),
        input = first_count(sql, INPUT_TOKENS),
        output = first_count(sql, OUTPUT_TOKENS),
        at_least = sql.text(DATA, &[OUTPUT_AT_LEAST]),
        last_call = sql.text(DATA, &[LAST_CALL]),
        not_in_total = sql.text(DATA, &[NOT_IN_TOTAL]),
        read = first_count(sql, CACHE_READ),
        creation = first_count(sql, CACHE_CREATION),
        for_an_hour = first_count(sql, CACHE_CREATION_1H),
        estimate = sql.dollars_of_micros(
            "(input_tokens * runlog_prices.input + output_tokens * runlog_prices.output + \
             coalesce(cache_read_tokens, 0) * runlog_prices.cache_read + \
             coalesce(cache_creation_tokens, 0) * runlog_prices.cache_creation + \
             coalesce(for_an_hour, 0) * (2 * runlog_prices.input - runlog_prices.cache_creation))"
        ),
        plain = plain_name(sql, "counted.model"),
        plain_total = plain_name(sql, "session_totals.model"),
        is_usage = "(role = 'usage' OR input_tokens IS NOT NULL)",
        no_tokens = vec!["NULL"; TOKENS.len()].join(", "),
        token_names = TOKENS.join(", "),
        pairs = each(&|name| format!(
            "coalesce(model_totals.{name}, known_of_models.{name}) AS total_{name},\n    \
             known_of_models.{name} AS known_{name}"
        )),
        same = TOKENS
            .iter()
            .map(|name| format!(
                "(model_totals.{name} IS NULL OR model_totals.{name} = coalesce(known_of_models.{name}, 0))"
            ))
            .collect::<Vec<_>>()
            .join(" AND "),
        differences = each(&|name| format!(
            "nullif(coalesce(sum(total_{name}), 0) - coalesce(sum(known_{name}), 0), 0) AS {name}"
        )),
        beyond_names = each(&|name| format!("beyond_of_models.{name}")),
        sums = each(&|name| format!("sum({name}) AS {name}")),
        rests = each(&|name| format!("{} AS {name}", rest(name))),
        as_of = models::AS_OF,
        cost_rest = rest("cost_usd"),
    )
}
