//! Chapters: numbering, folding, refusals, the tree (facts from the agex reference).

use crate::support::{Bench, tasks};

fn index(bench: &Bench) -> Vec<(u64, u64, u64, String)> {
    let json = bench.json(&["chapter", "index", "r"]);
    let number = |task: &serde_json::Value, name: &str| task[name].as_u64().unwrap();
    json["tasks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|task| {
            let outcome = task["outcome"].as_str().unwrap().to_owned();
            (
                number(task, "number"),
                number(task, "first_sequence"),
                number(task, "last_sequence"),
                outcome,
            )
        })
        .collect()
}

fn add(bench: &Bench, start: &str, end: &str, name: &str) -> Result<String, String> {
    let said = bench.call(&[
        "chapter",
        "add",
        "r",
        "--start",
        start,
        "--end",
        end,
        "--name",
        name,
        "--message",
        "M",
    ]);
    match said.status {
        0 => Ok(said.out.trim().to_owned()),
        65 => Err(said.err),
        other => panic!("{other}: {}", said.err),
    }
}

fn ls(bench: &Bench, path: &str) -> Vec<String> {
    bench.ok(&["chapter", "ls", "r", path]).lines().map(str::to_owned).collect()
}

/// If this fails, tasks begin, end or count in another way than agents were told.
#[test]
fn tasks_and_their_outcomes() {
    let own = |outcome: &str| outcome.to_owned();
    assert_eq!(index(&tasks("SAk")), [(1, 2, 4, own("succeeded"))]);
    assert_eq!(index(&tasks("SAkSAk")), [(1, 2, 4, own("succeeded")), (2, 5, 7, own("succeeded"))]);
    assert_eq!(index(&tasks("SA")), [(1, 2, 3, own("running"))]);
    assert_eq!(index(&tasks("SEk")), [(1, 2, 4, own("succeeded"))]);
    assert_eq!(
        index(&tasks("SfScSx")),
        [(1, 2, 3, own("failed")), (2, 4, 5, own("clarify")), (3, 6, 7, own("cancelled"))]
    );
    assert_eq!(index(&tasks("")), []);
    let bench = tasks("ASA");
    assert_eq!(index(&bench), [(1, 3, 4, own("running"))]);
    let lines = bench.ok(&["chapter", "index", "r"]);
    assert_eq!(lines, "[1] do it (in progress)\n    2 events, ~3 tokens\n");
    bench.emit(&["run.completed"]);
    assert_eq!(index(&bench), [(1, 3, 4, own("ended"))]);
    assert_eq!(bench.ok(&["chapter", "index", "r"]), "[1] do it\n    2 events, ~3 tokens\n");
    let lines = tasks("SfSc").ok(&["chapter", "index", "r"]);
    assert!(lines.contains("(failed: no)\n") && lines.contains("(clarify: which?)\n"), "{lines}");
}

/// If this fails, tasks of another family are not found, or end with a neighbour.
#[test]
fn tasks_of_every_family() {
    let outcomes = |lines: &[&str]| {
        let bench = Bench::with_run();
        let input: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let said = bench.feed(&["emit", "--run", "r", "--stdin"], input.as_bytes());
        assert_eq!(said.status, 0, "{}", said.err);
        index(&bench).into_iter().map(|(_, first, _, outcome)| (first, outcome)).collect::<Vec<_>>()
    };
    let own = |outcome: &str| outcome.to_owned();
    assert_eq!(
        outcomes(&[
            r#"{"type":"delegation","data":{"round":1,"target":"coder","message":"do"}}"#,
            r#"{"type":"delegation","data":{"round":2,"target":"tester","message":"try"}}"#,
        ]),
        [(2, own("ended")), (3, own("running"))]
    );
    // Parallel steps: each ends by its own name.
    assert_eq!(
        outcomes(&[
            r#"{"type":"step_start","data":{"step_id":"one","action":"a"}}"#,
            r#"{"type":"step_start","data":{"step_id":"two","action":"b"}}"#,
            r#"{"type":"step_end","data":{"step_id":"one"}}"#,
        ]),
        [(2, own("ended")), (3, own("running"))]
    );
    assert_eq!(
        outcomes(&[
            r#"{"type":"user","data":{"content":"hello","runId":"R"}}"#,
            r#"{"type":"token","data":{"content":"hi","runId":"R"}}"#,
            r#"{"type":"user","data":{"content":"again","runId":"Q"}}"#,
        ]),
        [(2, own("ended")), (4, own("running"))]
    );
}

/// If this fails, a run without task starts cannot be folded, or its tasks are renumbered.
#[test]
fn task_ids_split_a_run_without_starts() {
    let bench = Bench::with_run();
    for task in ["a", "a", "b"] {
        bench.emit(&["note", "--task", task, "-f", "text=x"]);
    }
    bench.emit(&["run.completed"]);
    let numbers =
        |bench: &Bench| index(bench).iter().map(|task| (task.1, task.2)).collect::<Vec<_>>();
    assert_eq!(numbers(&bench), [(2, 3), (4, 4)]);
    add(&bench, "1", "1", "First").unwrap();
    bench.emit(&["note", "--task", "c"]);
    bench.emit(&["message.user", "-f", "text=go on"]);
    assert_eq!(numbers(&bench), [(2, 3), (4, 7), (8, 8)]);
}

/// If this fails, folding changes task numbers that agents already know.
#[test]
fn numbers_never_change() {
    let bench = tasks("SkSkSkSkSk");
    let before = index(&bench);
    assert_eq!(add(&bench, "1", "3", "Early work").unwrap(), "/chapters/early-work");
    assert_eq!(index(&bench), before);
    let lines = bench.ok(&["chapter", "index", "r"]);
    assert_eq!(lines.lines().filter(|line| line.contains("[early-work]")).count(), 3);
}

/// If this fails, tasks are folded that must not be, or a refusal gives no reason.
#[test]
fn refusals() {
    let bench = tasks("SkSkSkSkS");
    for (start, end, name, says) in [
        ("0", "1", "N", "start is below 1"),
        ("-3", "1", "N", "start is below 1"),
        ("2", "1", "N", "end comes before start"),
        ("1", "9", "N", "beyond the last task, which is 5"),
        ("4", "5", "N", "task 5 is still running"),
        ("1", "1", " ", "the name is empty"),
    ] {
        let error = add(&bench, start, end, name).unwrap_err();
        assert!(error.contains(says), "{start} {end}: {error}");
        let range = match start == end {
            true => format!("task {start} cannot"),
            false => format!("tasks {start} to {end} cannot"),
        };
        assert!(error.contains(&range), "{error}");
    }
    let before = bench.log();
    bench.fails(
        65,
        &["chapter", "add", "r", "--start", "1", "--end", "1", "--name", "N", "--message", ""],
    );
    assert_eq!(bench.log(), before, "a refusal changed the log");
    add(&bench, "1", "2", "One").unwrap();
    assert!(add(&bench, "2", "3", "Two").unwrap_err().contains("overlap"));
    assert!(add(&bench, "1", "2", "Two").unwrap_err().contains("covers the same events"));
    assert!(add(&bench, "2", "2", "Two").unwrap_err().contains("overlap"));
    add(&bench, "3", "4", "Two").unwrap();
    bench.fails(66, &["chapter", "remove", "r", "nothing"]);
}

/// If this fails, a path below /chapters changes its meaning.
#[test]
fn slugs_never_move() {
    let bench = tasks("SkSkSk");
    assert_eq!(add(&bench, "1", "1", "Work").unwrap(), "/chapters/work");
    assert_eq!(add(&bench, "2", "2", "Work").unwrap(), "/chapters/work-2");
    bench.ok(&["chapter", "remove", "r", "work"]);
    assert_eq!(ls(&bench, "/chapters"), ["work-2/"]);
    assert_eq!(add(&bench, "1", "1", "Work").unwrap(), "/chapters/work-3");
    for (name, slug) in [
        ("Data exploration", "data-exploration"),
        ("Phases 1+2", "phases-1-2"),
        ("a -- b", "a-b"),
        ("../etc/passwd", "etc-passwd"),
        ("!!!", "chapter"),
        ("数据 探索", "数据-探索"),
        ("Café résumé", "café-résumé"),
    ] {
        let bench = tasks("Sk");
        assert_eq!(add(&bench, "1", "1", name).unwrap(), format!("/chapters/{slug}"), "{name}");
    }
    let long = add(&tasks("Sk"), "1", "1", &"ab ".repeat(50)).unwrap();
    assert_eq!(long.trim_start_matches("/chapters/").chars().count(), 64);
}

/// If this fails, an agent that browses a chapter does not find its events.
#[test]
fn the_tree() {
    let bench = tasks("SAOk");
    add(&bench, "1", "1", "Mixed events").unwrap();
    assert_eq!(ls(&bench, "/chapters"), ["mixed-events/"]);
    assert_eq!(ls(&bench, "mixed-events"), ["summary.md", "events/"]);
    assert_eq!(
        ls(&bench, "/chapters/mixed-events/events/"),
        ["001-taskstart.md", "002-action.md", "003-output.md", "004-success.md"]
    );
    assert_eq!(
        bench.ok(&["chapter", "cat", "r", "/chapters/mixed-events/summary.md"]),
        "# Mixed events\n\nM\n"
    );
    assert_eq!(
        bench.ok(&["chapter", "show", "r", "mixed-events"]),
        "📖 Chapter: \"Mixed events\"\n\nM\n\nFull details: /chapters/mixed-events/\n"
    );
    let page = bench.ok(&["chapter", "cat", "r", "mixed-events/events/001-taskstart.md"]);
    assert!(page.starts_with("# task.started\n") && page.contains("do it"), "{page}");
    bench.fails(66, &["chapter", "cat", "r", "/chapters/mixed-events/events/009-x.md"]);
    bench.fails(66, &["chapter", "cat", "r", "/chapters/mixed-events"]);
    bench.fails(66, &["chapter", "ls", "r", "/chapters/../.."]);
}

/// If this fails, an inner chapter is listed twice or lost.
#[test]
fn nesting() {
    let bench = tasks("SkSAkSkSk");
    add(&bench, "1", "2", "Inner work").unwrap();
    add(&bench, "1", "4", "Outer work").unwrap();
    assert_eq!(ls(&bench, "/chapters"), ["outer-work/"]);
    assert_eq!(ls(&bench, "/chapters/outer-work"), ["summary.md", "events/", "chapters/"]);
    assert_eq!(ls(&bench, "/chapters/outer-work/chapters"), ["inner-work/"]);
    assert_eq!(ls(&bench, "/chapters/outer-work/events").len(), 4);
    assert_eq!(ls(&bench, "/chapters/outer-work/chapters/inner-work/events").len(), 5);
    assert_eq!(ls(&bench, "/chapters/inner-work/events").len(), 5, "the old path is gone");
    let list = bench.json(&["chapter", "list", "r"]);
    assert_eq!(list["chapters"][0]["path"], "/chapters/outer-work/chapters/inner-work");
    assert_eq!(list["chapters"][0]["parent"], "outer-work");
    assert_eq!(list["chapters"][1]["parent"], serde_json::Value::Null);
    bench.ok(&["chapter", "remove", "r", "outer-work"]);
    assert_eq!(ls(&bench, "/chapters"), ["inner-work/"]);
}

/// If this fails, a fence in a payload closes its block.
#[test]
fn fences_hold() {
    let bench = Bench::with_run();
    bench.emit(&["message.user", "-f", "text=a\n```\n# not a heading\n````\nb"]);
    bench.emit(&["run.completed"]);
    add(&bench, "1", "1", "F").unwrap();
    let page = bench.ok(&["chapter", "cat", "r", "f/events/001-message-user.md"]);
    assert!(page.contains("\n`````text\na\n```\n# not a heading\n````\nb\n`````\n"), "{page}");
}

/// If this fails, two agents can fold the same tasks.
#[test]
fn two_at_once() {
    let bench = tasks(&"Sk".repeat(4));
    let added = std::thread::scope(|scope| {
        let add = |name: &'static str| {
            let bench = &bench;
            scope.spawn(move || add(bench, "1", "4", name).is_ok())
        };
        let all = [add("a"), add("b"), add("c"), add("d")];
        all.into_iter().map(|one| one.join().unwrap()).filter(|ok| *ok).count()
    });
    assert_eq!(added, 1);
}

/// If this fails, one absurd chapter in a log makes all chapter commands fail.
#[test]
fn absurd_chapters() {
    let bench = tasks("SkSk");
    let chapter = |slug: &str, first: u64, last: u64| {
        let data = format!(
            "{{\"name\":\"N\",\"slug\":\"{slug}\",\"message\":\"M\",\"start\":1,\"end\":2,\"first_sequence\":{first},\"last_sequence\":{last}}}"
        );
        bench.emit(&["chapter.created", "--data", &data]);
    };
    for (slug, first, last) in [("a", 2, 5), ("b", 2, 5), ("c", 5, 2), ("d", 2, 3)] {
        chapter(slug, first, last);
    }
    let list = bench.ok(&["chapter", "list", "r"]);
    assert_eq!(list.lines().filter(|line| line.starts_with('/')).count(), 3, "{list}");
    bench.ok(&["chapter", "index", "r"]);
    bench.ok(&["transcript", "r"]);
    bench.ok(&["summarize", "r"]);
}

/// If this fails, RUNLOG_RUN does not replace a missing RUN argument.
#[test]
fn the_run_may_come_from_the_environment() {
    let bench = tasks("Sk");
    add(&bench, "1", "1", "N").unwrap();
    let call = |args: &[&str]| {
        let mut command = bench.command();
        crate::support::said(&command.env("RUNLOG_RUN", "r").args(args).output().unwrap())
    };
    assert_eq!(call(&["chapter", "ls"]).out, "n/\n");
    assert_eq!(call(&["chapter", "ls", "/chapters/n"]).out, "summary.md\nevents/\n");
    assert_eq!(call(&["chapter", "cat", "/chapters/n/summary.md"]).out, "# N\n\nM\n");
    // One word is a path, or else a run.
    assert_eq!(call(&["chapter", "ls", "r"]).out, "n/\n");
    assert_eq!(call(&["chapter", "ls", "n"]).out, "summary.md\nevents/\n");
    assert_eq!(bench.ok(&["chapter", "show", "r", "N"]), bench.ok(&["chapter", "show", "r", "n"]));
    // Else it is the newest run.
    assert_eq!(bench.ok(&["chapter", "ls"]), "n/\n");
    assert_eq!(bench.ok(&["chapter", "cat", "/chapters/n/summary.md"]), "# N\n\nM\n");
    assert_eq!(call(&["chapter", "remove", "n"]).status, 0);
    bench.fails(66, &["chapter", "cat", "/chapters/n/summary.md"]);
}

/// If this fails, the index cannot be read in a narrow terminal, or has no slug for `chapter show`.
#[test]
fn the_index_has_two_lines_per_task() {
    let bench = Bench::with_run();
    let title = "Find out why the import of the ledger loses the last record of every file";
    bench.emit(&["message.user", "-f", &format!("text={title}")]);
    bench.emit(&["message.assistant", "-f", "text=done"]);
    bench.emit(&["message.user", "-f", "text=next"]);
    let name = "An import that loses the last record";
    let items = format!(r#"[{{"first":2,"last":3,"name":"{name}","message":"M"}}]"#);
    let said = bench.feed(&["chapter", "apply", "r", "-"], items.as_bytes());
    assert_eq!(said.status, 0, "{}", said.err);
    let piped = bench.ok(&["chapter", "index", "r"]);
    assert!(piped.lines().next().unwrap().contains(title), "{piped}");
    for columns in ["60", "80"] {
        let mut command = bench.command();
        let output = command.args(["chapter", "index", "r"]).env("COLUMNS", columns).output();
        let printed = crate::support::said(&output.unwrap()).out;
        let width: usize = columns.parse().unwrap();
        assert!(printed.lines().all(|line| line.chars().count() <= width), "{printed}");
        assert!(printed.starts_with("[1] Find out why the import"), "{printed}");
        let slug = printed.split(['[', ']']).find(|part| part.starts_with("an-import")).unwrap();
        bench.ok(&["chapter", "show", "r", slug]);
    }
}

/// If this fails, a model call counts in two tasks because a repeated line of it comes later.
#[test]
fn a_model_call_counts_in_one_task() {
    let bench = Bench::with_run();
    let usage = |output: &str, id: &str| {
        bench.emit(&[
            "llm.usage",
            "-F",
            "input_tokens=10",
            "-F",
            &format!("output_tokens={output}"),
            "-f",
            &format!("message_id={id}"),
        ]);
    };
    bench.emit(&["message.user", "-f", "text=one"]);
    usage("1", "m1");
    bench.emit(&["message.user", "-f", "text=two"]);
    usage("3", "m1");
    usage("5", "m2");
    let index = bench.json(&["chapter", "index", "r"]);
    let text = index.to_string();
    assert_eq!(text.matches("\"output_tokens\":8").count(), 1, "{text}");
    assert_eq!(text.matches("\"output_tokens\":1").count(), 0, "{text}");
}

/// If this fails, the question which chapters to make becomes the story of the run: its context
/// has nothing else.
#[test]
fn choosing_chapters_is_no_work() {
    let bench = Bench::with_run();
    for (kind, data) in [
        ("message.user", r#"{"text":"Which port?"}"#),
        ("message.assistant", r#"{"text":"It is 8080."}"#),
        ("llm.usage", r#"{"input_tokens":50000,"output_tokens":5}"#),
        ("message.user", r#"{"text":"And the host?"}"#),
        ("message.assistant", r#"{"text":"It is h1."}"#),
    ] {
        let actor = if kind == "message.user" { "user" } else { "agent" };
        bench.emit(&[kind, "--actor", actor, "--data", data]);
    }
    let context = bench.ok(&["context", "r", "--max-tokens", "200"]);
    let run = ["chapter", "run", "r", "--trigger", "10k", "--agent-cmd"];
    bench.ok(&[
        &run[..],
        &["echo '[{\"start\":1,\"end\":1,\"name\":\"Port\",\"message\":\"8080\"}]'"],
    ]
    .concat());
    let kinds: Vec<_> = bench.lines().iter().map(|line| line["type"].clone()).collect();
    assert!(kinds.iter().any(|kind| kind == "task.succeeded"), "{kinds:?}");
    bench.ok(&["chapter", "remove", "r", "port"]);
    assert_eq!(bench.ok(&["context", "r", "--max-tokens", "200"]), context);
    let text = bench.ok(&["transcript", "r", "--format", "text"]);
    assert!(!text.contains("last task succeeded"), "{text}");
    assert!(bench.ok(&["summarize", "r"]).contains("in 2 tasks"));
    let digest = bench.ok(&["summarize", "r", "--session", "--extractive"]);
    assert!(!digest.contains("chapters"), "{digest}");
}

/// If this fails, what an agent does while chapters are chosen is missing in the context.
#[test]
fn work_beside_the_choice_of_chapters() {
    let bench = Bench::with_run();
    bench.emit(&["message.user", "--actor", "user", "-f", "text=Fix it."]);
    bench.emit(&["tool.started", "--correlation-id", "c1", "-f", "tool_name=bash"]);
    bench.emit(&[
        "task.started",
        "--data",
        r#"{"task_name":"__chapter__","message":"Decide on chapters"}"#,
    ]);
    bench.emit(&[
        "tool.completed",
        "--correlation-id",
        "c1",
        "-f",
        "tool_name=bash",
        "-f",
        "result=BUILD_OK",
    ]);
    bench.emit(&["message.assistant", "-f", "text=The bug was in parser.c."]);
    for end in [false, true] {
        if end {
            bench.emit(&[
                "task.succeeded",
                "--data",
                r#"{"task_name":"__chapter__","result":{"chapters":0}}"#,
            ]);
        }
        let context = bench.ok(&["context", "r"]);
        assert!(context.contains("BUILD_OK") && context.contains("parser.c"), "{context}");
        assert!(
            !context.contains("Decide on chapters") && !context.contains("task.succeeded"),
            "{context}"
        );
    }
}

/// If this fails, the end of a task is told of the choice of chapters that came before it.
#[test]
fn a_task_ends_after_the_choice_of_chapters() {
    let bench = Bench::with_run();
    bench.emit(&["task.started", "-f", "message=build"]);
    bench.emit(&["task.started", "-f", "task_name=__chapter__"]);
    bench.emit(&["task.succeeded", "-f", "task_name=__chapter__"]);
    bench.emit(&["task.succeeded", "-f", "task_name=__chapter__"]);
    bench.emit(&["task.failed", "-f", "message=no disk"]);
    let outcome = |number: u64| {
        let index = bench.json(&["chapter", "index", "r"]);
        index["tasks"][number as usize - 1]["outcome"].as_str().unwrap().to_owned()
    };
    assert_eq!((outcome(1).as_str(), outcome(2).as_str()), ("failed", "succeeded"));
}
