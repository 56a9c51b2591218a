//! Folding: arrays as models write them, ranges of events, all or nothing.

use crate::support::{Bench, tasks};

fn apply(bench: &Bench, answer: &str) -> Result<Vec<String>, String> {
    let before = bench.log();
    let said = bench.feed(&["chapter", "apply", "r", "-"], answer.as_bytes());
    match said.status {
        0 => Ok(said.out.lines().map(str::to_owned).collect()),
        65 => {
            assert_eq!(bench.log(), before, "a refusal changed the log");
            Err(said.err)
        }
        other => panic!("{other}: {}", said.err),
    }
}

fn item(start: i64, end: i64, name: &str) -> String {
    format!(r#"{{"start":{start},"end":{end},"name":"{name}","message":"M"}}"#)
}

/// If this fails, an answer folds other tasks than requested, or is applied in part.
#[test]
fn arrays() {
    let five = || tasks("SkSkSkSkSk");
    let bench = five();
    assert_eq!(apply(&bench, &format!("[{}]", item(1, 3, "A"))).unwrap(), ["/chapters/a"]);
    let index = bench.ok(&["chapter", "index", "r"]);
    assert_eq!(index.matches("[a]").count(), 3, "{index}");
    assert!(index.contains("[4] ") && index.contains("[5] "), "{index}");

    let two = |one: &str, other: &str| format!("[{one},{other}]");
    let touching = two(&item(3, 4, "B"), &item(1, 2, "A"));
    assert_eq!(apply(&five(), &touching).unwrap(), ["/chapters/b", "/chapters/a"]);
    let error = apply(&five(), &two(&item(1, 2, "A"), &item(2, 3, "B"))).unwrap_err();
    assert!(error.contains("item 2 (tasks 2 to 3, \"B\"): overlap with item 1"), "{error}");
    let error = apply(&five(), &two(&item(1, 2, "A"), &item(1, 2, "B"))).unwrap_err();
    assert!(error.contains("item 2") && error.contains("covers the same"), "{error}");
    for (start, end, says) in [(0, 1, "below 1"), (2, 1, "before start"), (1, 9, "which is 5")] {
        let error = apply(&five(), &two(&item(5, 5, "A"), &item(start, end, "B"))).unwrap_err();
        assert!(error.contains("item 2") && error.contains(says), "{error}");
    }
    let bench = five();
    let before = bench.log();
    assert!(apply(&bench, "[]").unwrap().is_empty());
    assert_eq!(bench.log(), before, "an empty answer changed the log");

    // One inside the other, in either order.
    for nested in
        [two(&item(1, 4, "Out"), &item(2, 3, "In")), two(&item(2, 3, "In"), &item(1, 4, "Out"))]
    {
        let bench = five();
        apply(&bench, &nested).unwrap();
        assert_eq!(bench.ok(&["chapter", "ls", "r"]), "out/\n");
        assert_eq!(bench.ok(&["chapter", "ls", "r", "/chapters/out/chapters"]), "in/\n");
    }
    // Two with the same name.
    let both = two(&item(1, 1, "Work"), &item(2, 2, "work!"));
    assert_eq!(apply(&five(), &both).unwrap(), ["/chapters/work", "/chapters/work-2"]);
}

/// If this fails, text around a model's array hides the array, or something else is read as the
/// array.
#[test]
fn answers_of_models() {
    let good = format!("[{}]", item(1, 1, "A"));
    for answer in [
        good.clone(),
        format!("\u{feff}{good}\r\n"),
        format!("```json\n{good}"),
        format!("```json\n{good}\n```"),
        format!("Here you are [1]:\n\n```\n{good}\n```\nI left [2] alone.\n"),
        format!("~~~~\n{good}\n~~~~"),
        format!("I fold the first one: {good}. That is all."),
    ] {
        assert_eq!(apply(&tasks("SkS"), &answer).unwrap(), ["/chapters/a"], "{answer}");
    }
    for (answer, says) in [
        ("", "answer is empty"),
        ("I would rather not.", "no JSON array"),
        ("{\"start\":1}", "a JSON array is expected"),
        ("[{\"start\":1,", "not valid JSON"),
        ("```json\n[{\"start\":1,}]\n```", "not valid JSON"),
        ("[1]", "item 1: an object is expected"),
        (r#"[{"start":1,"end":1,"name":"A"}]"#, "item 1: `message` is missing"),
        (
            r#"[{"start":"1","end":1,"name":"A","message":"M"}]"#,
            "item 1: `start` must be a whole number",
        ),
        (r#"[{"start":1.5,"end":1,"name":"A","message":"M"}]"#, "`start` must be a whole number"),
        (r#"[{"start":1,"end":1,"name":["A"],"message":"M"}]"#, "item 1: `name` must be a string"),
        (r#"[{"start":1,"end":1,"name":"A","message":null}]"#, "`message` must be a string"),
        (r#"[{"start":1,"end":1,"name":" ","message":"M"}]"#, "the name is empty"),
        (r#"[{"start":1,"end":1,"name":"A","message":""}]"#, "the message is empty"),
        (r#"[{"start":1,"first":1,"last":1,"name":"A","message":"M"}]"#, "not both"),
        (r#"[{"start":1,"start":2,"end":1,"name":"A","message":"M"}]"#, "item 1: duplicate key"),
        (r#"[{"start":1,"end":1,"name":"\u200b","message":"M"}]"#, "the name is empty"),
    ] {
        let error = apply(&tasks("SkS"), answer).unwrap_err();
        assert!(error.contains(says), "{answer}: {error}");
    }
    // A name of several lines becomes one line in a heading.
    let bench = tasks("SkS");
    apply(&bench, r#"[{"start":1,"end":1,"name":"A\n# B","message":"M"}]"#).unwrap();
    assert_eq!(bench.ok(&["chapter", "cat", "r", "a-b/summary.md"]), "# A # B\n\nM\n");
    for nothing in ["[]", "Nothing to fold: []", "```[]```", "```json\n[]\n```"] {
        assert!(apply(&tasks("SkS"), nothing).unwrap().is_empty(), "{nothing}");
    }
    let twice = format!("```\n{good}\n```\nor\n```\n{good}\n```");
    assert!(apply(&tasks("SkS"), &twice).unwrap_err().contains("2 JSON arrays"));
}

/// If this fails, the answer cannot come from a file, or RUNLOG_RUN does not replace a missing RUN.
#[test]
fn where_answers_come_from() {
    let bench = tasks("SkSk");
    std::fs::write(bench.path("a.json"), format!("[{}]", item(1, 1, "A"))).unwrap();
    assert_eq!(bench.ok(&["chapter", "apply", "r", "a.json"]), "/chapters/a\n");
    bench.fails(66, &["chapter", "apply", "r", "missing.json"]);
    let mut command = bench.command();
    command.env("RUNLOG_RUN", "r").args(["chapter", "apply", "a.json"]);
    let said = crate::support::said(&command.output().unwrap());
    assert!(said.err.contains("covers the same"), "{}", said.err);
}

/// A long running task: events 2 to 12, with two overlapping calls at 6 to 9.
fn long_task() -> Bench {
    let bench = Bench::with_run();
    bench.emit(&["message.user", "-f", "text=do much"]);
    let call = |state: &str, id: &str| {
        bench.emit(&[state, "--correlation-id", id, "-f", "tool_name=bash"]);
    };
    call("tool.started", "c1");
    call("tool.completed", "c1");
    bench.emit(&["note", "-f", "text=between"]);
    call("tool.started", "c2");
    call("tool.started", "c3");
    call("tool.completed", "c2");
    call("tool.completed", "c3");
    bench.emit(&["note", "-f", "text=after"]);
    call("tool.started", "c4");
    bench.emit(&["note", "-f", "text=meanwhile"]);
    bench
}

/// If this fails, a range inside a task separates a call from its result, or hides the task.
#[test]
fn events_inside_a_task() {
    let bench = long_task();
    let add = |first: u64, last: u64| {
        let (first, last) = (first.to_string(), last.to_string());
        let args = ["--first", &first, "--last", &last, "--name", "Part", "--message", "M"];
        let said = bench.call(&[&["chapter", "add", "r"], args.as_slice()].concat());
        if said.status == 0 { Ok(said.out) } else { Err((said.status, said.err)) }
    };
    for (first, last, says) in [
        (3, 3, "separate the call of \"bash\" at event 3 from its result at event 4"),
        (4, 5, "separate the call of \"bash\" at event 3"),
        (5, 7, "at event 6"),
        (7, 9, "at event 6"),
        (10, 12, "at event 11 is still running"),
        (1, 4, "must be events of one task"),
        (9, 3, "last comes before first"),
        (3, 40, "must be events of one task"),
    ] {
        let (status, error) = add(first, last).unwrap_err();
        assert!(status == 65 && error.contains(says), "{first} {last}: {error}");
    }
    assert_eq!(add(3, 10).unwrap(), "/chapters/part\n");
    let folded = bench.ok(&["show", "r", "--folded"]);
    assert_eq!(
        folded,
        "[1] do much (in progress)\n    📖 Chapter: \"Part\"\n\n    M\n\n    Full details: /chapters/part/\n\n    \
         tool-started: bash started\n    note: meanwhile\n"
    );
    let index = bench.ok(&["chapter", "index", "r"]);
    assert!(
        index.contains("(in progress)\n    11 events, ~12 tokens [1 chapter inside]"),
        "{index}"
    );
    assert_eq!(bench.ok(&["chapter", "ls", "r", "/chapters/part/events"]).lines().count(), 8);
    let list = bench.ok(&["chapter", "list", "r"]);
    assert!(list.contains("events 3 to 10 of task 1, 8 events"), "{list}");
    // Once the task has ended, it can be folded around the range.
    bench.emit(&["tool.completed", "--correlation-id", "c4", "-f", "tool_name=bash"]);
    bench.emit(&["run.completed"]);
    apply(&bench, &format!("[{}]", item(1, 1, "All"))).unwrap();
    assert_eq!(bench.ok(&["chapter", "ls", "r", "/chapters/all/chapters"]), "part/\n");
    assert_eq!(bench.codes(), Vec::<String>::new());
}

/// If this fails, events before the first task, which belong to no task, are folded.
#[test]
fn events_before_the_first_task() {
    let bench = tasks("AASAk");
    for (first, last) in [("2", "2"), ("2", "3"), ("3", "4")] {
        let args = ["--first", first, "--last", last, "--name", "N", "--message", "M"];
        let error = bench.fails(65, &[&["chapter", "add", "r"], args.as_slice()].concat());
        assert!(error.contains("must be events of one task"), "{error}");
    }
    apply(&bench, &format!("[{}]", item(1, 1, "One"))).unwrap();
    assert_eq!(bench.ok(&["chapter", "ls", "r", "/chapters/one/events"]).lines().count(), 3);
    let folded = bench.ok(&["show", "r", "--folded"]);
    assert!(folded.starts_with("    action: "), "{folded}");
}

/// If this fails, a secret in a chapter's name stays in its path.
#[test]
fn secrets_in_names() {
    let bench = tasks("Sk");
    let secret = ["AKIA", "Z7Q2M4N6P8R1S3T5"].concat();
    let out = apply(&bench, &format!("[{}]", item(1, 1, &format!("Key {secret}")))).unwrap();
    assert!(!out[0].contains("akia"), "{out:?}");
    assert!(!bench.log().to_lowercase().contains(&secret.to_lowercase()));
}

/// If this fails, task numbers change while an agent chooses chapters.
#[test]
fn the_task_of_deciding_renumbers_nothing() {
    let bench = Bench::with_run();
    for task in ["a", "b"] {
        bench.emit(&["note", "--task", task, "-f", "text=x"]);
    }
    let before = bench.ok(&["chapter", "index", "r"]);
    bench.emit(&["task.started", "-f", "task_name=__chapter__"]);
    bench.emit(&["task.succeeded"]);
    let after = bench.ok(&["chapter", "index", "r"]);
    let two = |text: &str| {
        let titles = text.lines().filter(|line| line.starts_with('[')).take(2);
        titles.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(two(&before).len(), 2, "{before}");
    assert_eq!(two(&before), two(&after), "{after}");
    assert_eq!(after.lines().count(), 6, "{after}");
}

/// If this fails, a manipulated log leads out of the tree.
#[test]
fn slugs_that_lead_elsewhere() {
    let bench = tasks("SkSk");
    for slug in ["../../up", "a/b", "\\u001b[31mred", ""] {
        let data = format!(
            r#"{{"name":"N","slug":"{slug}","message":"M","start":1,"end":1,"first_sequence":2,"last_sequence":3}}"#
        );
        bench.emit(&["chapter.created", "--data", &data]);
    }
    assert_eq!(bench.ok(&["chapter", "list", "r"]), "");
    apply(&bench, &format!("[{}]", item(2, 2, "Good"))).unwrap();
    assert_eq!(bench.ok(&["chapter", "ls", "r"]), "good/\n");
    assert!(!bench.path("up").exists() && !bench.path("runs/up").exists());
}

/// If this fails, a long message is missing from the context and the tree.
#[test]
fn long_messages_stay_whole() {
    let bench = tasks("Sk");
    let message = "long ".repeat(20_000);
    let item = format!(r#"[{{"start":1,"end":1,"name":"A","message":"{message}"}}]"#);
    apply(&bench, &item).unwrap();
    let summary = bench.ok(&["chapter", "cat", "r", "a/summary.md"]);
    assert_eq!(summary, format!("# A\n\n{message}\n"));
    assert!(bench.ok(&["chapter", "show", "r", "a"]).contains(&message));
}

/// If this fails, the end of a task for choosing chapters ends another task that began meanwhile.
#[test]
fn a_terminator_ends_the_task_that_it_names() {
    let bench = tasks("Sk");
    bench.emit(&["task.started", "-f", "task_name=__chapter__"]);
    bench.emit(&["message.user", "-f", "text=live"]);
    bench.emit(&["task.succeeded", "-f", "task_name=__chapter__"]);
    let index = bench.ok(&["chapter", "index", "r"]);
    let outcomes: Vec<&str> = index
        .lines()
        .filter(|line| line.starts_with("["))
        .map(|line| line.rsplit(" (").next().unwrap())
        .collect();
    assert_eq!(outcomes, ["succeeded)", "succeeded)", "in progress)"], "{index}");
    let error = apply(&bench, &format!("[{}]", item(3, 3, "Live"))).unwrap_err();
    assert!(error.contains("task 3 is still running"), "{error}");
    // Folding all its events does not end it either.
    let all = r#"[{"first":5,"last":6,"name":"Live","message":"M"}]"#;
    apply(&bench, all).unwrap();
    let folded = bench.ok(&["show", "r", "--folded"]);
    assert!(folded.contains("[3] live (in progress)\n    📖 Chapter"), "{folded}");
}
