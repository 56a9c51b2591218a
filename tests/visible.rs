//! No content of an event is invisible. Every content field of every type in the catalogue gets a
//! marker, which is searched for in every view.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::support::Bench;

/// Fields that identify, count or switch. A view need not show them.
const NO_CONTENT: &[&str] = &[
    "runId",
    "parentId",
    "id",
    "toolCallId",
    "sessionId",
    "session_id",
    "task_id",
    "priorSessionId",
    "message_id",
    "target_event_id",
    "agentId",
    "parentAgentId",
    "childAgentId",
    "moved_to",
    "sha256",
    "timestamp",
    "deliverables",
    "duration_ms",
    "retryable",
];

/// Numeric fields. A text would not be valid there.
const NUMBERS: &[&str] = &[
    "count",
    "chars",
    "limit",
    "result_count",
    "bytes",
    "exit_code",
    "round",
    "tokensIn",
    "tokensOut",
    "cost",
    "elapsed_minutes",
    "budget_spent",
    "depth",
    "maxIterations",
    "iterations",
    "iteration",
    "durationMs",
    "estimatedCost",
    "headroom",
    "droppedCount",
    "roundsCompleted",
    "duration_seconds",
    "steps_completed",
    "gates_passed",
    "revision",
    "inputTokens",
    "outputTokens",
    "cacheReadTokens",
    "cacheCreationTokens",
    "totalUsage",
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_creation_tokens",
    "reasoning_tokens",
    "cost_usd",
    "iterations_completed",
    "lines",
    "kept",
    "approaching_max_time",
    "approaching_max_budget",
    "approaching_max_rounds",
    "done",
    "truncated",
];

/// The names of the fields in a row, with the notation after each (`[]`, `{…}`, `(a|b)`).
fn fields(column: &str) -> Vec<(String, String)> {
    let (mut fields, mut depth, mut field) = (Vec::new(), 0, String::new());
    for character in column.chars().chain([' ']) {
        match character {
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' => depth -= 1,
            _ => {}
        }
        if character == ' ' && depth == 0 {
            let at = field.find(['?', '*', '[', '{', '(']).unwrap_or(field.len());
            if at > 0 {
                fields.push((field[..at].to_owned(), field[at..].to_owned()));
            }
            field.clear();
        } else {
            field.push(character);
        }
    }
    fields
}

/// The payload for a row with a marker in each content field, and the markers.
fn payload(kind: &str, column: &str, number: usize) -> (Value, Vec<String>) {
    let (mut data, mut markers) = (Map::new(), Vec::new());
    if column.starts_with("see ") {
        return (json!({}), markers);
    }
    for (name, shape) in fields(column) {
        if NO_CONTENT.contains(&name.as_str()) || NUMBERS.contains(&name.as_str()) {
            continue;
        }
        if shape.starts_with('(') && shape.contains('|') {
            // One of several fixed words.
            let word = shape[1..].split(['|', ')']).next().unwrap();
            data.insert(name, word.into());
            continue;
        }
        let marker = format!("mark-{number}-{name}-x");
        let value = match shape.as_bytes().first() {
            Some(b'[') => json!([marker]),
            Some(b'{') if name == "output" => json!({"result": marker}),
            Some(b'{') if name == "error" => json!({"message": marker}),
            Some(b'{') => json!({"note": marker}),
            _ => json!(marker),
        };
        data.insert(name, value);
        markers.push(marker);
    }
    if kind == "review_submission" {
        let marker = format!("mark-{number}-findings-x");
        data.insert("findings".to_owned(), json!([marker]));
        markers.push(marker);
    }
    (data.into(), markers)
}

struct Marked {
    kind: String,
    role: String,
    markers: Vec<String>,
}

/// A run with one event per type, with all content marked.
fn marked() -> (Bench, Vec<Marked>) {
    let bench = Bench::created(&[]);
    let table = bench.json(&["catalogue"]);
    let mut lines = String::new();
    let mut all = Vec::new();
    for (number, row) in table["types"].as_array().unwrap().iter().enumerate() {
        let text = |column: &str| row[column].as_str().unwrap().to_owned();
        let (kind, role) = (text("type"), text("role"));
        if role == "run_created" {
            continue;
        }
        let (data, markers) = payload(&kind, &text("data"), number);
        let mut event = json!({"type": kind, "data": data});
        if role.starts_with("tool") {
            event["correlation_id"] = format!("call-{number}").into();
        }
        lines.push_str(&format!("{event}\n"));
        all.push(Marked { kind, role, markers });
    }
    let said = bench.feed(&["emit", "--run", "r", "--stdin"], lines.as_bytes());
    assert_eq!(said.status, 0, "{}", said.err);
    (bench, all)
}

/// Roles that belong to no task. They are not in an agent's context.
fn is_bookkeeping(role: &str) -> bool {
    role.starts_with("run_")
        || role.starts_with("deliverable_")
        || ["backfill", "session_summary", "chapter", "chapter_removed", "recovered"]
            .contains(&role)
        || role == "rejected_lines"
}

/// If this fails, some content of an event is missing from a view.
#[test]
fn everything_that_an_event_says_is_in_every_view() {
    let (bench, all) = marked();
    let prompt = bench.path("prompt.txt");
    let keep = format!("cat > {}; echo '[]'", prompt.display());
    bench.ok(&["emit", "--run", "r", "run.started"]);
    bench.emit(&["llm.usage", "-F", "input_tokens=9", "-F", "output_tokens=1"]);
    bench.call(&["chapter", "run", "r", "--trigger", "1", "--agent-cmd", &keep]);
    let asked = std::fs::read_to_string(&prompt).unwrap();
    let folded = bench.ok(&["show", "r", "--folded"]);
    let session = ["summarize", "r", "--session", "--print-prompt", "--context-window", "10M"];
    let session = bench.ok(&session);
    // Every other task has ended. A chapter over all tasks has all their pages.
    bench.emit(&["run.completed"]);
    let index = bench.json(&["chapter", "index", "r"]);
    let last = index["tasks"].as_array().unwrap().len().to_string();
    let range = ["chapter", "add", "r", "--start", "1", "--end", &last];
    bench.ok(&[range.as_slice(), &["--name", "all", "--message", "all"]].concat());
    bench.ok(&["chapter", "export", "r", "--out", "tree"]);
    let mut pages = String::new();
    for page in std::fs::read_dir(bench.path("tree/all/events")).unwrap() {
        pages.push_str(&std::fs::read_to_string(page.unwrap().path()).unwrap());
    }
    let full = |format: &str| {
        bench.ok(&["transcript", "r", "--detail", "full", "--format", format, "-o", "-"])
    };
    let views = [
        ("show", bench.ok(&["show", "r"]), false),
        ("show --folded", folded, true),
        ("chapter cat", pages, true),
        ("agent's prompt", asked, true),
        ("session prompt", session, true),
        ("transcript.md", full("markdown"), false),
        ("transcript.html", full("html"), false),
        ("transcript.txt", full("text"), false),
        ("transcript.json", full("json"), false),
    ];
    let first_task = all.iter().position(|one| one.role == "task_start").unwrap();
    let mut missing = BTreeSet::new();
    let mut table = String::new();
    for (view, text, only_tasks) in &views {
        let text = text.replace('\\', "");
        let (mut found, mut tried) = (0, 0);
        for (at, one) in all.iter().enumerate() {
            // How the run goes on is in an agent's context, although it belongs to no task.
            let about_run = one.role.starts_with("run_") || one.role.starts_with("deliverable_");
            let is_origin = ["run_created", "run_imported"].contains(&one.role.as_str());
            let in_context = ["show --folded", "agent's prompt"].contains(view);
            let outside = (is_bookkeeping(&one.role) && (is_origin || !about_run || !in_context))
                || *view == "chapter cat" && at < first_task;
            // Counts of tokens are no conversation.
            let is_count = *view == "session prompt" && one.role == "usage";
            if (*only_tasks && outside) || is_count {
                continue;
            }
            for marker in &one.markers {
                tried += 1;
                match text.contains(marker.as_str()) {
                    true => found += 1,
                    false => drop(missing.insert(format!("{view}: {} {marker}", one.kind))),
                }
            }
        }
        table.push_str(&format!("{view:<16} {found} of {tried}\n"));
        assert!(tried > 80, "{table}");
    }
    assert!(missing.is_empty(), "{table}{missing:#?}");
}

/// If this fails, a model that summarizes events does not see their content.
#[test]
fn models_see_all_of_an_event() {
    let (bench, all) = marked();
    let prompt = bench.path("prompt.txt");
    bench.call(&["summarize", "r", "--llm-cmd", &format!("cat >> {}", prompt.display())]);
    let asked = std::fs::read_to_string(&prompt).unwrap();
    let wanting = ["delegation", "response", "gate_result", "review_submission", "final_statement"];
    for one in all.iter().filter(|one| wanting.contains(&one.kind.as_str())) {
        for marker in &one.markers {
            assert!(asked.contains(marker.as_str()), "{}: {marker}", one.kind);
        }
    }
}

/// If this fails, the base64 of an image is shown in place of a label, or the text beside it is
/// missing.
#[test]
fn content_parts_are_read_as_text() {
    let bench = Bench::with_run();
    let image = "iVBORw0KGgo".repeat(1000);
    let parts = json!([
        {"type": "text", "text": "Here is the plot."},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": image}},
        {"type": "text", "text": "It rises."},
    ]);
    for (kind, data) in [
        ("message.user", json!({"text": "plot it"})),
        ("task.output", json!({"parts": parts})),
        ("message.assistant", json!({"text": parts})),
        ("tool.completed", json!({"tool_name": "plot", "result": parts})),
        // A result of the Model Context Protocol, a list with something else in it, and the form
        // of Gemini.
        ("tool.completed", json!({"tool_name": "p2", "result": {"content": parts}})),
        ("message.assistant", json!({"parts": [parts[0], null, parts[1]]})),
        (
            "message.assistant",
            json!({"content": [{"text": "Small."},
                {"inlineData": {"mimeType": "image/png", "data": image}}]}),
        ),
    ] {
        let line = format!("{}\n", json!({"type": kind, "data": data}));
        let call = ["emit", "--run", "r", "--stdin", "--inline-limit", "1M"];
        assert_eq!(bench.feed(&call, line.as_bytes()).status, 0);
    }
    bench.emit(&["run.completed"]);
    for args in [
        &["show", "r"][..],
        &["show", "r", "--folded"],
        &["context", "r"],
        &["summarize", "r", "--session", "--print-prompt"],
        &["transcript", "r", "-o", "-", "--detail", "full"],
        &["transcript", "r", "-o", "-", "--format", "html"],
        &["transcript", "r", "-o", "-", "--format", "text", "--detail", "full"],
    ] {
        let text = bench.ok(args);
        let plain = text.replace('\\', "");
        for part in ["Here is the plot.", "[image, 8 kB]", "It rises.", "Small."] {
            assert!(plain.contains(part), "{part} is not in {args:?}: {plain}");
        }
        assert!(!text.contains("iVBORw0KGgo"), "{args:?} shows base64");
    }
}

/// If this fails, the summary of a failed or denied call says that it succeeded.
#[test]
fn summaries_follow_the_outcome() {
    let bench = Bench::with_run();
    for (kind, data, expected) in [
        (
            "tool_result",
            json!({"id": "a", "name": "bash", "output": {"error": "permission denied"}}),
            "bash failed: permission denied",
        ),
        (
            "tool_result",
            json!({"id": "b", "name": "rm", "output": {"status": "denied", "reason": "not allowed"}}),
            "rm denied: not allowed",
        ),
        (
            "tool_result",
            json!({"id": "c", "name": "rm", "output": {"status": "denied"}}),
            "rm denied: not allowed",
        ),
        (
            "tool.completed",
            json!({"tool_name": "sh", "is_error": true, "result": "no such file"}),
            "sh failed: no such file",
        ),
        ("tool.failed", json!({"tool_name": "sh", "stderr": "oh no"}), "sh failed: oh no"),
        ("repl_output", json!({"id": "d", "error": "NameError: x"}), "repl failed: NameError: x"),
        ("tool.completed", json!({"tool_name": "sh", "result": "ok"}), "sh completed"),
        ("task.succeeded", json!({"result": "Found 3 tables"}), "Task succeeded: Found 3 tables"),
        ("task.succeeded", json!({}), "Task succeeded"),
        ("run.completed", json!({"final_text": "All done."}), "Run completed: All done."),
    ] {
        let line = format!("{}\n", json!({"type": kind, "data": data}));
        assert_eq!(bench.feed(&["emit", "--run", "r", "--stdin"], line.as_bytes()).status, 0);
        let lines = bench.lines();
        assert_eq!(lines.last().unwrap()["summary"], expected, "{kind} {data}");
    }
    let errors = std::fs::read_to_string(bench.path("runs/r/logs/errors.jsonl")).unwrap();
    for text in ["permission denied", "no such file", "oh no", "NameError: x"] {
        assert!(errors.contains(&format!("\"message\":\"{text}\"")), "{text}: {errors}");
    }
    assert_eq!(bench.call(&["validate", "r"]).status, 0);
}

/// If this fails, the record of an end lacks the arguments of the call, or recording and rebuilding
/// disagree.
#[test]
fn records_of_ends_repeat_what_was_called() {
    let bench = Bench::with_run();
    let call = ["-f", "tool_name=sh", "--correlation-id", "c"];
    let given = ["-f", "action=run", "-F", r#"args_summary={"command":"make"}"#];
    bench.emit(&[&["tool.started"], &call[..], &given].concat());
    bench.emit(&[&["tool.completed"], &call[..]].concat());
    let path = bench.path("runs/r/logs/tools.jsonl");
    let records = crate::support::json_lines(&path);
    assert_eq!(records[1]["status"], "completed");
    assert_eq!(records[1]["action"], "run");
    assert_eq!(records[1]["args_summary"]["command"], "make");
    let recorded = std::fs::read(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    bench.emit(&["run.completed"]);
    assert_eq!(std::fs::read(&path).unwrap(), recorded);
}

/// If this fails, the end of a long result is shown nowhere.
#[test]
fn the_end_of_a_moved_out_value_is_shown() {
    let bench = Bench::with_run();
    let text: String = (0..4000).map(|line| format!("{line}\n")).collect();
    let text = format!("{text}LAST-WORDS");
    let feed = |event: Value| {
        let said = bench.feed(&["emit", "--stdin", "--run", "r"], format!("{event}\n").as_bytes());
        assert_eq!(said.status, 0, "{}", said.err);
    };
    feed(json!({"type": "tool.started", "correlation_id": "c",
        "data": {"tool_name": "bash", "args": {"command": "make"}}}));
    feed(json!({"type": "tool.completed", "correlation_id": "c",
        "data": {"tool_name": "bash", "result": text}}));
    feed(json!({"type": "message.assistant", "data": {"text": text}}));
    bench.emit(&["run.completed"]);
    for view in [
        &["show", "r"][..],
        &["show", "r", "--folded"],
        &["transcript", "r", "-o", "-"],
        &["transcript", "r", "-o", "-", "--format", "text", "--detail", "full"],
        &["transcript", "r", "-o", "-", "--format", "html"],
    ] {
        let shown = bench.ok(view);
        assert!(shown.matches("LAST-WORDS").count() >= 2, "{view:?}");
    }
    let shown = bench.ok(&["show", "r"]);
    let told = shown.lines().find(|line| line.contains("characters of event 3 left out"));
    let told = told.unwrap().trim().split(' ').nth(1).unwrap().replace(',', "");
    assert!(told.parse::<usize>().unwrap() > 15_000, "{told}");
}

/// If this fails, a prompt that was rendered is in no transcript.
#[test]
fn every_rendered_prompt_is_shown() {
    let bench = Bench::with_run();
    for prompt in ["FIRST", "SECOND", "THIRD"] {
        bench.emit(&["prompt.rendered", "-f", &format!("prompt={prompt}")]);
    }
    let shows_all = || {
        for format in ["markdown", "text", "html", "json"] {
            let args = ["transcript", "r", "-o", "-", "--format", format, "--detail", "full"];
            let shown = bench.ok(&args);
            for prompt in ["FIRST", "SECOND", "THIRD"] {
                assert!(shown.contains(prompt), "{format}: {prompt}\n{shown}");
            }
        }
    };
    shows_all();
    std::fs::write(bench.path("runs/r/prompt.md"), "The prompt").unwrap();
    std::fs::write(bench.path("runs/r/effective-system-prompt.md"), "The role").unwrap();
    shows_all();
}

/// If this fails, a short value is left out because a longer text has the same word.
#[test]
fn a_word_of_a_text_does_not_stand_for_a_value() {
    let bench = Bench::with_run();
    let text = "It has not failed, I think";
    let data = serde_json::json!({"agentId": "bob", "text": text, "status": "failed"});
    bench.emit(&["response", "--data", &data.to_string()]);
    bench.emit(&["deliverable.missing", "-f", "path=empty.md", "-f", "reason=empty"]);
    let shown = bench.ok(&["show", "r"]);
    assert!(shown.contains("status: failed") && shown.contains("reason: empty"), "{shown}");
    // What an error is made of stands once.
    bench.call(&["exec", "--run", "r", "--", "sh", "-c", "echo no such thing >&2; exit 3"]);
    let lines = bench.ok(&["show", "r", "--type", "tool.failed"]);
    assert_eq!(lines.matches("no such thing").count(), 1, "{lines}");
    let full = bench.ok(&["transcript", "r", "--detail", "full", "--output", "-"]);
    assert!(full.contains("status: failed") && full.contains("reason: empty"), "{full}");
}
