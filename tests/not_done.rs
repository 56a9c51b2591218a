//! What was asked for but not done, what is too long for an event, and what events of their own say:
//! tables, digests and exports tell what happened.

use serde_json::{Value, json};

use crate::support::Bench;

/// Records events, each `(type, data)`, in the run `r`.
fn record(bench: &Bench, events: &[(&str, Value)]) {
    let lines = events.iter().map(|(kind, data)| json!({"type": kind, "data": data}));
    let text: String = lines.map(|line| format!("{line}\n")).collect();
    let said = bench.feed(&["emit", "--run", "r", "--create", "--stdin"], text.as_bytes());
    assert_eq!(said.status, 0, "{}", said.err);
}

/// A call and its end.
fn call(
    id: &str,
    tool: &str,
    args: &Value,
    end: &'static str,
    mut told: Value,
) -> [(&'static str, Value); 2] {
    (told["tool_name"], told["call_id"]) = (tool.into(), id.into());
    [("tool.started", json!({"tool_name": tool, "call_id": id, "args": args})), (end, told)]
}

/// The rows of a table as CSV, with the named columns.
fn table(bench: &Bench, name: &str, columns: &[&str]) -> Vec<Vec<String>> {
    let csv = bench.ok(&["export", "--to", "csv", "--tables", name]);
    let mut rows = csv.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    let heads = rows.next().unwrap();
    let at = |column: &&str| heads.iter().position(|head| head == column).unwrap();
    let at: Vec<usize> = columns.iter().map(at).collect();
    rows.map(|row| at.iter().map(|at| row[*at].clone()).collect()).collect()
}

/// If this fails, the calls with the longest results seem to have short ones, a long command is no
/// test, or lines that nobody counted are 0.
#[test]
fn what_is_too_long_for_an_event_counts_as_it_is() {
    let bench = Bench::new();
    let long = "some line\n".repeat(3000);
    let found = json!({"result": "z".repeat(100_000)});
    let ok = || json!({"result": "ok"});
    let test = json!({"command": format!("pytest -q # {}", "x".repeat(20_000))});
    let list = json!({"command": ["bash", "-lc", test["command"]]});
    let edit = json!({"file_path": "c.txt", "old_string": long, "new_string": "x"});
    let write = json!({"file_path": "b.txt", "content": long});
    record(
        &bench,
        &[
            call("1", "Grep", &json!({"pattern": "x"}), "tool.completed", found),
            call("2", "Write", &write, "tool.completed", ok()),
            call("3", "Bash", &test, "tool.completed", ok()),
            call("4", "Edit", &edit, "tool.completed", ok()),
            call("5", "Bash", &list, "tool.completed", ok()),
            // What fails prints the most.
            call("6", "Bash", &test, "tool.failed", json!({"error": {"message": "e".repeat(50)}})),
            call("7", "Grep", &json!({"pattern": "y"}), "tool.failed", json!({"error": "no x"})),
        ]
        .concat(),
    );
    let sizes = table(&bench, "calls", &["kind", "result_bytes"]);
    assert_eq!(
        sizes[..5],
        [["search", "100000"], ["edit", "2"], ["test", "2"], ["edit", "2"], ["test", "2"]]
    );
    assert_eq!(sizes[5..], [["test", "50"], ["search", "4"]]);
    let files = table(&bench, "files", &["path", "action", "added", "removed"]);
    assert_eq!(files, [["b.txt", "written", "", ""], ["c.txt", "edited", "", ""]]);
    let stats = bench.ok(&["stats", "--by", "file", "--format", "csv"]);
    let row: Vec<&str> = stats.lines().nth(1).unwrap().split(',').collect();
    let added = stats.lines().next().unwrap().split(',').position(|head| head == "added");
    assert_eq!(row[added.unwrap()], "", "{stats}");
}

/// If this fails, a test that was denied passes for one that ran, edits that never happened are
/// told to the next agent, or a graph calls what was denied failed.
#[test]
fn what_was_denied_or_failed_was_not_done() {
    let bench = Bench::new();
    let edit = |path: &str| json!({"file_path": path, "old_string": "a", "new_string": "b"});
    let denied = || json!({"reason": "no"});
    let pytest = || json!({"command": "pytest"});
    let mut events = vec![("message.user", json!({"text": "go"}))];
    events.extend(
        [
            call("1", "Edit", &edit("done.txt"), "tool.completed", json!({})),
            call("2", "Bash", &pytest(), "tool.blocked", denied()),
            call("3", "Bash", &pytest(), "tool.blocked", denied()),
            call("4", "Edit", &edit("denied.txt"), "tool.blocked", denied()),
            call("5", "Edit", &edit("failed.txt"), "tool.failed", json!({"error": "no match"})),
        ]
        .concat(),
    );
    events.push(("tool.started", json!({"tool_name": "Edit", "args": edit("open.txt")})));
    events.push(("run.completed", json!({})));
    record(&bench, &events);
    let columns = ["edits", "tests", "tests_after_last_edit", "last_test_status"];
    assert_eq!(table(&bench, "runs", &columns), [["1", "0", "0", ""]]);
    let digest = bench.ok(&["summarize", "r", "--session", "--extractive"]);
    let files = digest.split("## Files").nth(1).unwrap().split("##").next().unwrap();
    assert!(files.contains("done.txt"), "{digest}");
    assert!(!["denied", "failed", "open"].iter().any(|name| files.contains(name)), "{digest}");
    let graph = bench.ok(&["graph", "r", "--format", "dot"]);
    assert!(graph.contains("all blocked") && !graph.contains("all failed"), "{graph}");
}

/// If this fails, files that events name are in no list, or tests before such a change pass for tests
/// after it.
#[test]
fn what_events_say_of_files() {
    let bench = Bench::new();
    let mut events =
        call("1", "Bash", &json!({"command": "pytest"}), "tool.completed", json!({})).to_vec();
    events.push(("file.read", json!({"path": "src/a.rs"})));
    record(&bench, &events);
    let tested = || table(&bench, "runs", &["edits", "tests_after_last_edit"]);
    assert_eq!(tested(), [["0", ""]]);
    record(&bench, &[("domain_access", json!({"path": "src/a.rs"}))]);
    let stats = bench.ok(&["stats", "--by", "file"]);
    assert!(
        stats.lines().last().unwrap().split_whitespace().eq(["total", "1", "2", "0"]),
        "{stats}"
    );
    let text = bench.ok(&["transcript", "r", "--format", "text"]);
    assert!(text.contains("\nFiles\n") && !text.contains("Changed files"), "{text}");
    let lists = json!({"added": ["n"], "modified": ["m"], "removed": ["o"]});
    record(&bench, &[("task.file", lists)]);
    assert_eq!(tested(), [["0", "0"]]);
    let files = table(&bench, "files", &["path", "action"]);
    assert_eq!(
        files,
        [
            ["src/a.rs", "read"],
            ["src/a.rs", "access"],
            ["n", "created"],
            ["m", "edited"],
            ["o", "deleted"]
        ]
    );
    // Refused operations without a reason are told apart.
    let refused = |path: &str| ("domain_violation", json!({"agentId": "z", "path": path}));
    record(&bench, &[refused("/etc/shadow"), refused("/etc/passwd")]);
    let text = bench.ok(&["transcript", "r", "--format", "text"]);
    assert!(
        ["shadow", "passwd"]
            .iter()
            .all(|name| text.contains(&format!("z was refused /etc/{name}")))
    );
}

/// If this fails, exports lose the tokens of some models of a session's total.
#[test]
fn totals_of_several_models_are_exported_whole() {
    let bench = Bench::new();
    let usage = |scope: &str, model: Option<&str>, input: u64| {
        (
            "llm.usage",
            json!({"scope": scope, "model": model, "input_tokens": input, "output_tokens": 1}),
        )
    };
    let models = [("gpt-5", 1000), ("gpt-5-mini", 200), ("own", 30)];
    let mut events = vec![usage("total", None, 1230)];
    events.extend(models.map(|(model, input)| usage("model", Some(model), input)));
    record(&bench, &events);
    let otlp = bench.ok(&["export", "r", "--to", "otlp"]);
    assert!(
        otlp.contains(r#""runlog.usage.rest.input_tokens","value":{"intValue":"1230"}"#),
        "{otlp}"
    );
    let atif: Value = serde_json::from_str(&bench.ok(&["export", "r", "--to", "atif"])).unwrap();
    let steps = atif["steps"].as_array().unwrap().iter();
    let tokens = steps.filter_map(|step| step["metrics"]["prompt_tokens"].as_u64());
    assert_eq!(tokens.sum::<u64>(), 1230);
}

/// If this fails, SQL counts a copied run's directory twice, or nothing says that it is left out.
#[test]
fn a_copy_of_a_run_is_exported_once() {
    let bench = Bench::new();
    record(&bench, &[("note", json!({"text": "x"})), ("run.completed", json!({}))]);
    let copy = bench.path("runs/copy");
    std::fs::create_dir(&copy).unwrap();
    std::fs::copy(bench.path("runs/r/events.jsonl"), copy.join("events.jsonl")).unwrap();
    let said = bench.call(&["export", "--to", "csv", "--tables", "runs"]);
    assert_eq!(said.out.lines().count(), 2, "{}", said.out);
    assert!(said.err.contains("copy is left out: it is a copy of the run in"), "{}", said.err);
}
