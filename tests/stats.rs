//! `stats`: groups of many runs, and the same numbers as every other command.

use serde_json::{Value, json};

use crate::support::Bench;

fn stats(bench: &Bench, more: &[&str]) -> Value {
    bench.json(&[&["stats"], more].concat())
}

fn emit(bench: &Bench, run: &str, kind: &str, time: &str, data: &Value, call: Option<&str>) {
    let time = format!("2026-05-{time}Z");
    let data = data.to_string();
    let mut words = vec!["emit", kind, "--run", run, "--timestamp", &time, "--data", &data];
    words.extend(call.iter().flat_map(|call| ["--correlation-id", call]));
    bench.ok(&words);
}

/// A run of two model calls: the first asks for a test that fails, the second for the same test
/// again, after an edit.
pub(crate) fn edited(bench: &Bench, run: &str, tested: bool) {
    let metadata = json!({"metadata": {"agent": "helper", "cwd": "/home/ada/app"}});
    emit(bench, run, "run.created", "01T09:00:00", &metadata, None);
    emit(bench, run, "message.user", "01T09:00:01", &json!({"text": "Fix it"}), None);
    let usage = |id: &str, model: &str, output: u64, cost: f64| {
        json!({"message_id": id, "model": model, "input_tokens": 100, "output_tokens": output,
               "cache_read_tokens": 1000, "cost_usd": cost})
    };
    let start = |tool: &str, args: Value| json!({"tool_name": tool, "args": args});
    let test = || start("bash", json!({"command": "cd app && pytest -q"}));
    let edit = json!({"file_path": "app.py", "old_string": "a\nb", "new_string": "a\nc\nd"});
    emit(bench, run, "llm.usage", "01T09:00:02", &usage("m1", "small", 7, 0.5), None);
    emit(bench, run, "tool.started", "01T09:00:03", &test(), Some("c1"));
    let failed = json!({"tool_name": "bash", "error": "1 failed"});
    emit(bench, run, "tool.failed", "01T09:00:05", &failed, Some("c1"));
    // The calls of a response may be logged before its usage.
    emit(bench, run, "tool.started", "01T09:01:00", &start("edit", edit), Some("c2"));
    if tested {
        emit(bench, run, "tool.started", "01T09:01:00", &test(), Some("c3"));
    }
    emit(bench, run, "llm.usage", "02T09:01:01", &usage("m2", "large", 11, 1.25), None);
    emit(bench, run, "tool.completed", "01T09:01:04", &json!({"tool_name": "edit"}), Some("c2"));
    if tested {
        let passed = json!({"tool_name": "bash", "result": "1 passed"});
        emit(bench, run, "tool.completed", "01T09:01:06", &passed, Some("c3"));
        emit(bench, run, "tool.started", "01T09:02:00", &test(), Some("c4"));
        emit(bench, run, "tool.completed", "01T09:02:01", &passed, Some("c4"));
    }
    emit(bench, run, "run.completed", "02T09:03:00", &json!({}), None);
}

fn group<'g>(stats: &'g Value, name: &str, value: &str) -> &'g Value {
    let groups = stats["rows"].as_array().unwrap();
    let found = groups.iter().find(|group| group[name] == value);
    found.unwrap_or_else(|| panic!("no group {name} = {value}: {stats}"))
}

/// If this fails, cost per model and day is wrong, or its sum is not what `list` says.
#[test]
fn cost_per_model_and_day() {
    let bench = Bench::new();
    edited(&bench, "one", true);
    edited(&bench, "two", false);
    let found = stats(&bench, &["--by", "model,day"]);
    assert_eq!(found["by"], json!(["model", "day"]));
    let small = group(&found, "model", "small");
    assert_eq!(small["day"], "2026-05-01");
    assert_eq!([&small["runs"], &small["model_calls"], &small["output_tokens"]], [2, 2, 14]);
    assert_eq!(small["all_input_tokens"], 2200);
    assert_eq!(small["cost_usd"], 1.0);
    // Calls are counted on the day when they began, model calls on theirs.
    let second_day = group(&found, "day", "2026-05-02");
    assert_eq!((&second_day["model"], &second_day["cost_usd"]), (&json!("large"), &json!(2.5)));
    let listed = bench.json(&["list"]);
    for (ours, theirs) in [
        ("cost_usd", "cost_usd"),
        ("input_tokens", "input_tokens"),
        ("output_tokens", "output_tokens"),
        ("cache_read_tokens", "cache_read_tokens"),
        ("calls", "tool_calls"),
        ("failures", "tool_failures"),
    ] {
        assert_eq!(found["total"][ours], listed["total"][theirs], "{ours}");
    }
    let csv = bench.ok(&["stats", "--by", "model", "--format", "csv"]);
    // The last call of the first run comes after no model call: its model is unknown.
    assert_eq!(csv.lines().count(), 4, "{csv}");
    assert!(csv.contains("\n,1,0,,,,,,,1,0,"), "{csv}");
    assert!(csv.starts_with("model,runs,model_calls,"), "{csv}");
}

/// If this fails, the tool that fails most, its durations, or retries and repeats are wrong.
#[test]
fn tools_retries_and_repeats() {
    let bench = Bench::new();
    edited(&bench, "one", true);
    let found = stats(&bench, &["--by", "tool"]);
    let bash = group(&found, "tool", "bash");
    assert_eq!(
        [&bash["calls"], &bash["failures"], &bash["retries"], &bash["repeats"]],
        [3, 1, 1, 2]
    );
    assert_eq!([&bash["median_ms"], &bash["p95_ms"], &bash["duration_ms"]], [2000, 6000, 9000]);
    assert_eq!(bash["failure_rate"], 0.333_333);
    let kinds = stats(&bench, &["--by", "kind"]);
    assert_eq!(group(&kinds, "kind", "test")["calls"], 3);
    assert_eq!(group(&kinds, "kind", "edit")["calls"], 1);
    // The second response asked for the retry, the first for nothing that was made before.
    let models = stats(&bench, &["--by", "model"]);
    assert_eq!(group(&models, "model", "large")["retry_tokens"], 1111);
    assert_eq!(group(&models, "model", "large")["repeat_tokens"], 1111);
    assert_eq!(group(&models, "model", "small")["retry_tokens"], 0);
    assert_eq!(group(&models, "model", "large")["calls"], 2);
}

/// If this fails, a run whose last edit was never tested counts as tested, or the reverse.
#[test]
fn tests_after_the_last_edit() {
    let bench = Bench::new();
    edited(&bench, "one", true);
    edited(&bench, "two", false);
    let found = stats(&bench, &["--by", "run"]);
    let is_tested = |run: &str| {
        let group = group(&found, "run", run);
        (group["edited_runs"].clone(), group["tested_runs"].clone())
    };
    assert_eq!(is_tested("one"), (json!(1), json!(1)));
    assert_eq!(is_tested("two"), (json!(1), json!(0)));
    let projects = stats(&bench, &["--by", "project"]);
    assert_eq!(group(&projects, "project", "/home/ada/app")["tested_runs"], 1);
}

/// If this fails, a file that sessions changed is not found, or has wrong numbers.
#[test]
fn files_and_prompts() {
    let bench = Bench::new();
    edited(&bench, "one", true);
    edited(&bench, "two", false);
    let found = stats(&bench, &["--by", "file"]);
    let file = group(&found, "file", "app.py");
    assert_eq!([&file["runs"], &file["changes"], &file["added"], &file["removed"]], [2, 2, 4, 2]);
    let found = stats(&bench, &["one", "--by", "prompt"]);
    assert_eq!(group(&found, "prompt", "1")["largest_context"], 1100);
}

/// If this fails, a table does not fit the terminal, or text from a log acts in it.
#[test]
fn tables() {
    let bench = Bench::new();
    edited(&bench, "one", true);
    let metadata = json!({"metadata": {"cwd": "/home/ada/\u{1b}[31mred", "agent": "=1+1"}});
    emit(&bench, "two", "run.created", "01T00:00:00", &metadata, None);
    emit(&bench, "two", "run.completed", "01T00:00:00", &json!({}), None);
    for columns in ["60", "80", "200"] {
        let mut command = bench.command();
        command.args(["stats", "--by", "project,run"]).env("COLUMNS", columns);
        let output = command.output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let width = columns.parse::<usize>().unwrap();
        assert!(text.lines().all(|line| line.chars().count() <= width), "{columns}:\n{text}");
        assert!(!text.contains('\u{1b}') && text.contains("total"), "{text}");
    }
    bench.fails(2, &["stats", "--by", "nothing"]);
    bench.fails(66, &["stats", "missing"]);
    let none = bench.call(&["stats", "--agent", "nobody"]);
    assert!(none.status == 0 && none.err.contains("nothing to count"), "{}", none.err);
}

/// If this fails, a cost that leaves out some model calls looks complete.
#[test]
fn a_partial_cost_is_marked() {
    let bench = Bench::created(&[]);
    let usage = ["emit", "--run", "r", "llm.usage", "-F", "input_tokens=1", "-f"];
    bench.ok(&[&usage[..], &["model=a", "-F", "cost_usd=0.5"]].concat());
    bench.ok(&[&usage[..], &["model=unknown"]].concat());
    bench.ok(&["emit", "--run", "r", "run.completed"]);
    let found = stats(&bench, &["--by", "run"]);
    assert_eq!(
        (&found["total"]["cost_usd"], &found["total"]["uncosted_calls"]),
        (&json!(0.5), &json!(1))
    );
    for view in [
        &["stats", "--by", "run"][..],
        &["list"],
        &["summarize", "r"],
        &["transcript", "r", "--format", "text"],
        &["transcript", "r", "-o", "-"],
        &["transcript", "r", "--format", "html", "-o", "-"],
        &["top", "--once", "--all"],
    ] {
        let shown = bench.ok(view);
        let is_marked = shown.contains("$0.5000+") || shown.contains("at least $0.5000");
        assert!(is_marked, "{view:?}: {shown}");
    }
    let by_model = stats(&bench, &["--by", "model"]);
    assert_eq!(group(&by_model, "model", "a")["uncosted_calls"], 0);
    assert_eq!(group(&by_model, "model", "unknown")["uncosted_calls"], 1);
}

/// If this fails, two groups have the same name, or a narrower terminal shows wider names.
#[test]
fn names_stay_distinct() {
    let bench = Bench::new();
    for (at, project) in ["ada", "bob"].iter().enumerate() {
        let run = format!("claude-code-ses_stage0_{project}");
        let cwd = format!("/home/{project}/src/a-rather-long-name-of-a-monorepo-v2");
        let metadata = json!({"metadata": {"cwd": cwd, "git_branch": "main"}});
        emit(&bench, &run, "run.created", "01T00:00:00", &metadata, None);
        let model = format!("claude-sonnet-4-{at}-20250929-with-a-long-name");
        let usage = json!({"input_tokens": 5, "output_tokens": 7, "model": model, "cost_usd": 1});
        emit(&bench, &run, "llm.usage", "01T00:00:01", &usage, None);
        emit(&bench, &run, "run.completed", "01T00:00:03", &json!({}), None);
    }
    for by in ["model", "run", "project", "project,branch", "model,run"] {
        let mut before = 0;
        for columns in ["60", "80", "100", "120", "200"] {
            let mut command = bench.command();
            command.args(["stats", "--by", by]).env("COLUMNS", columns);
            let text = String::from_utf8(command.output().unwrap().stdout).unwrap();
            let width = columns.parse::<usize>().unwrap();
            assert!(text.lines().all(|line| line.chars().count() <= width), "{columns}:\n{text}");
            let name = |at: usize| {
                text.lines().nth(at).unwrap().split_whitespace().next().unwrap().to_owned()
            };
            assert_ne!(name(1), name(2), "{columns}:\n{text}");
            assert!(text.contains("COST"), "{columns}:\n{text}");
            let widest = name(1).chars().count();
            assert!(widest >= before, "{columns}:\n{text}");
            before = widest;
            if by == "run" {
                bench.ok(&["show", &name(1)]);
            }
        }
    }
}
