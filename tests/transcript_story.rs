//! The transcript for terminals and forges: the outcome first, calls and results that say what
//! happened, and messages as safe Markdown.

use serde_json::json;

use crate::support::Bench;

/// A run with a sub-agent, edits, noise, repeated errors, a pause, and things left to do.
fn story() -> Bench {
    let bench = Bench::created(&[
        "--timestamp",
        "2026-03-14T09:00:00Z",
        "-F",
        "deliverables.required=[\"report.md\"]",
        "-f",
        "metadata.agent=robot",
        "-f",
        "metadata.cwd=/w/app",
    ]);
    let mut lines = Vec::new();
    let mut add = |time: &str, kind: &str, id: Option<&str>, data: &str| {
        let id = id.map(|id| format!(r#""correlation_id":"{id}","#)).unwrap_or_default();
        lines.push(format!(
            r#"{{"type":"{kind}",{id}"timestamp":"2026-03-14T{time}Z","data":{data}}}"#
        ));
    };
    add(
        "09:00:01",
        "config.loaded",
        None,
        r#"{"cwd":"/w/app","git_branch":"fix-7","sandbox_mode":"workspace-write","approval_policy":"on-request","agent_version":"3.1"}"#,
    );
    add(
        "09:00:02",
        "task.started",
        None,
        r#"{"message":"<system-reminder>be nice</system-reminder>\nFix the parser"}"#,
    );
    let mut call = |second: u32, id: &str, tool: &str, args: &str, end: &str, result: &str| {
        let time = |second| format!("09:01:{second:02}");
        let start = format!(r#"{{"tool_name":"{tool}","args":{args}}}"#);
        add(&time(second), "tool.started", Some(id), &start);
        if !end.is_empty() {
            let name = if end == "failed" { "error" } else { "result" };
            let data = format!(r#"{{"tool_name":"{tool}","{name}":{result}}}"#);
            add(&time(second + 1), &format!("tool.{end}"), Some(id), &data);
        }
    };
    call(
        1,
        "a",
        "shell",
        r#"{"command":["bash","-lc","cd /w/app/web && npm test"]}"#,
        "completed",
        r#""Chunk ID: 1\nWall time: 2\nOutput:\n\u001b[32m 10%\r100%\u001b[0m\n\nall good\n$""#,
    );
    call(
        3,
        "b",
        "Edit",
        r#"{"file_path":"/w/app/src/a.rs","old_string":"x\ny","new_string":"x\nz\nq"}"#,
        "completed",
        r#""ok""#,
    );
    let error =
        r#""step 1\nstep 2\nerror: line 7 is bad\nstep 3\nstep 4\nstep 5\nstep 6\nstep 7\nend""#;
    call(5, "c", "shell", r#"{"command":"make"}"#, "failed", error);
    call(7, "d", "shell", r#"{"command":"make"}"#, "failed", &error.replace('7', "9"));
    call(9, "e", "shell", r#"{"command":"grep -n x y"}"#, "failed", r#""exit code 1""#);
    call(
        11,
        "f",
        "shell",
        r#"{"command":"gh pr create --fill"}"#,
        "completed",
        r#""done: https://forge.example/o/r/pull/12""#,
    );
    call(
        13,
        "g",
        "update_plan",
        r#"{"plan":[{"step":"parse","status":"completed"},{"step":"test @all","status":"pending"}]}"#,
        "completed",
        r#""ok""#,
    );
    call(15, "h", "shell", r#"{"command":"sleep 900"}"#, "", "");
    add("09:30:00", "task.started", None, r#"{"message":"And the tests?"}"#);
    let answer = "# Done\\n\\n1. fixed **it** for @ada, see #7\\n2. <b>tests</b> pass\\n\\n```sh\\nmake\\n```\\n\\n[log](https://x.example/l)\\n\\n![p](https://x.example/p.png)";
    add("09:30:05", "message.assistant", None, &format!(r#"{{"text":"{answer}"}}"#));
    add("09:30:06", "deliverable.missing", None, r#"{"path":"report.md"}"#);
    add(
        "09:30:06",
        "deliverable.check.completed",
        None,
        r#"{"status":"incomplete","missing":["report.md"]}"#,
    );
    add("09:30:07", "run.failed", None, r#"{"error":{"message":"report.md is missing"}}"#);
    let said = bench.feed(&["emit", "--run", "r", "--stdin", "-q"], lines.join("\n").as_bytes());
    assert_eq!(said.status, 0, "{}", said.err);
    bench
}

/// If this fails, a reader in a terminal does not see the outcome first, or what is left, or what
/// the calls did.
#[test]
fn story_in_a_terminal() {
    let text = story().ok(&["transcript", "r", "--format", "text"]);
    let parts = [
        "r  failed\n",
        "robot 3.1",
        "  branch fix-7 · sandbox workspace-write · approval on-request\n",
        "Outcome: failed, 3 calls failed\n  error: report.md is missing\n  pull request: https://forge.example/o/r/pull/12\n  last answer (#",
        "  # Done\n\n  1. fixed **it** for @ada, see #7\n",
        "Prompt\n  Fix the parser\n  then:\n    [2] And the tests?\n",
        "Left\n  open call #",
        "  missing deliverable: report.md\n  to do (#",
        "): 1 of 2 done\n    [ ] test @all\n",
        "[1] Fix the parser · 09:00:02\n",
        "shell: npm test (in web) · 1.0s\n           100%\n           all good\n",
        "Edit: src/a.rs +2 −1 · 1.0s\n",
        "shell: make (failed) · 1.0s\n           error: line 7 is bad\n",
        "update_plan: 1 of 2 done · 1.0s\n",
        "(this task ended without an answer)\n         ── 28m45s later ──\n\n[2] And the tests?",
        "agent: the last answer, shown at the top\n",
        "Errors and warnings\n",
        "error, ended the work: report.md is missing\n",
        "error 2 times, also #",
        "error, harmless: shell: exit code 1\n",
    ];
    let mut rest = text.as_str();
    for part in parts {
        let Some((_, after)) = rest.split_once(part) else {
            panic!("{part:?} is missing, or at another place, in:\n{text}");
        };
        rest = after;
    }
    assert!(!text.contains("Chunk ID") && !text.contains("system-reminder"), "{text}");
}

/// If this fails, a forge shows messages as plain text, acts on what they contain, or loses what is
/// left to do.
#[test]
fn story_on_a_forge() {
    let text = story().ok(&["transcript", "r", "-o", "-"]);
    for part in [
        "> ### Done\n>\n> 1. fixed **it** for `@ada`, see `#7`\n> 2. &lt;b>tests&lt;/b> pass\n>\n> ```sh\n> make\n> ```\n>\n> log (`https://x.example/l`)\n>\n> image: p (`https://x.example/p.png`)\n\n## Metadata",
        "> Pull request: `https://forge.example/o/r/pull/12`\n",
        "| Agent | robot 3.1 |\n",
        "| Branch | fix-7 |\n",
        "| Sandbox | workspace-write |\n| Approval | on-request |\n",
        "## What Is Left\n\n- open call: **shell** `sleep 900` (",
        "- missing deliverable: `report.md`\n",
        "- [x] parse\n- [ ] test `@all`\n",
        "## Prompt\n\n> Fix the parser\n",
        "- required: [`report.md`](deliverables/report.md): **missing**\n",
        "### [1] Fix the parser\n",
        "- **Edit** `src/a.rs` +2 −1 (",
        "\n(this task ended without an answer)\n",
        "> #### Done\n>\n> 1. fixed",
        "- error, ended the work, 09:30:07, `run.failed`: report.md is missing (",
        "- error, 2 times, 09:01:06, `tool.failed`: shell: ",
    ] {
        assert!(text.contains(part), "{part:?} is not in:\n{text}");
    }
}

/// If this fails, the transcript of a long run is too long for a forge, or a level of detail that
/// was chosen is not kept.
#[test]
fn long_runs_are_brief() {
    let bench = Bench::with_run();
    let mut lines = String::new();
    for at in 0..300 {
        let words = "word ".repeat(50);
        lines += &format!("{{\"type\":\"task.started\",\"data\":{{\"message\":\"task {at}\"}}}}\n");
        lines += &format!(
            "{{\"type\":\"message.assistant\",\"data\":{{\"text\":\"{at}\\n\\n{words}\"}}}}\n"
        );
    }
    assert_eq!(bench.feed(&["emit", "--run", "r", "--stdin", "-q"], lines.as_bytes()).status, 0);
    let note = "This transcript is brief, because normal detail would exceed 64 KiB.";
    let made = |options: &[&str]| {
        bench.ok(&[["transcript", "r", "-q"].as_slice(), options].concat());
        let codes = bench.codes();
        assert!(!codes.iter().any(|code| code.starts_with("RL50")), "{options:?}: {codes:?}");
        std::fs::read_to_string(bench.path("runs/r/transcript.md")).unwrap()
    };
    assert!(made(&[]).contains(note));
    let normal = made(&["--detail", "normal"]);
    assert!(!normal.contains(note) && normal.len() > 64 << 10, "{}", normal.len());
    assert!(normal.ends_with(", normal.\n"), "its level of detail is named");
}

/// If this fails, a live run is printed in parts that repeat or are missing.
#[test]
fn story_of_a_live_run() {
    let bench = story();
    let whole = bench.ok(&["transcript", "r", "--follow"]);
    for once in ["[1] Fix the parser", "[2] And the tests?", "npm test", "error: line 7 is bad"] {
        assert!(whole.contains(once), "{once}: {whole}");
    }
    assert!(whole.contains("\nOutcome: failed, 3 calls failed\n"), "{whole}");
    assert_eq!(whole.matches("npm test").count(), 1, "{whole}");
    bench.fails(2, &["transcript", "r", "--follow", "--format", "json"]);

    let live = Bench::with_run();
    live.emit(&["task.started", "-f", "message=Go"]);
    live.emit(&["tool.started", "--correlation-id", "c", "-f", "tool_name=build"]);
    let mut command = live.command();
    command.args(["transcript", "r", "--follow", "--format", "text"]);
    let child = command.stdout(std::process::Stdio::piped()).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(1500));
    live.emit(&[
        "tool.completed",
        "--correlation-id",
        "c",
        "-f",
        "tool_name=build",
        "-f",
        "result=built",
    ]);
    live.emit(&["message.assistant", "-f", "text=All built."]);
    live.emit(&["run.completed"]);
    let text = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    for part in ["build …\n", "built\n", "agent: All built.\n", "Outcome: completed\n"] {
        assert!(text.contains(part), "{part:?} is not in:\n{text}");
    }
}

/// If this fails, the first task is taken for the prompt although an agent began it, or views count
/// different prompts.
#[test]
fn a_prompt_is_of_a_person() {
    let bench = Bench::created(&[]);
    let lines = [
        r#"{"type":"message.user","actor":"agent","data":{"text":"warm up"}}"#,
        r#"{"type":"message.user","actor":"user","data":{"text":"mend the roof"}}"#,
        r#"{"type":"message.user","actor":"user","data":{"text":"and the door"}}"#,
    ];
    bench.feed(&["emit", "--run", "r", "--stdin"], lines.join("\n").as_bytes());
    let state = bench.json(&["summarize", "r"]);
    let run = &state["runs"][0];
    assert_eq!((&run["prompt"], &run["counts"]["prompts"]), (&"mend the roof".into(), &2.into()));
    let text = bench.ok(&["transcript", "r", "-o", "-"]);
    let prompt = text.split("## Prompt").nth(1).unwrap().split("\n## ").next().unwrap();
    assert!(prompt.contains("mend the roof") && prompt.contains("1 later task"), "{prompt}");
    let page = bench.ok(&["transcript", "r", "--format", "html", "-o", "-"]);
    for heading in [">Task 1<", ">Prompt 2<", ">Prompt 3<"] {
        assert!(page.contains(heading), "no {heading}");
    }
}

/// If this fails, the reader takes the time between prompts for work, an unknown cost for none, or
/// the end of an output for the whole.
#[test]
fn what_the_numbers_at_the_top_leave_out() {
    let bench = Bench::created(&["--timestamp", "2026-03-14T09:00:00Z"]);
    let event = |time: &str, kind: &str, id: &str, data: &str| {
        let id = if id.is_empty() { String::new() } else { format!(r#""correlation_id":"{id}","#) };
        format!(r#"{{"type":"{kind}",{id}"timestamp":"2026-03-14T{time}Z","data":{data}}}"#)
    };
    let lines = [
        event("09:00:10", "message.user", "", r#"{"text":"List the boats"}"#),
        event(
            "09:00:20",
            "tool.started",
            "a",
            r#"{"tool_name":"Bash","args":{"command":"boats"}}"#,
        ),
        event("09:00:21", "llm.usage", "", r#"{"model":"m-unpriced","input_tokens":1}"#),
        // A prompt that was typed while the call ran.
        event("09:02:20", "message.user", "", r#"{"text":"All of them"}"#),
        event("09:02:30", "tool.completed", "a", r#"{"result":"one\ntwo\nthree\nfour\nfive"}"#),
        event(
            "09:02:40",
            "llm.usage",
            "",
            r#"{"model":"m-unpriced","input_tokens":10,"output_tokens":2}"#,
        ),
        event("09:05:10", "message.user", "", r#"{"text":"Now the rafts"}"#),
        event("09:05:20", "run.completed", "", "{}"),
    ];
    let said = bench.feed(&["emit", "--run", "r", "--stdin"], lines.join("\n").as_bytes());
    assert_eq!(said.status, 0, "{}", said.err);
    let text = bench.ok(&["transcript", "r", "--format", "text", "-o", "-"]);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("5m20s (2m30s waiting for prompts)"), "{text}");
    assert!(text.contains("11 in, 2 out · cost unknown"), "{text}");
    assert!(text.contains("… three four five"), "{text}");
    let page = bench.ok(&["transcript", "r", "--format", "markdown", "-o", "-"]);
    assert!(page.contains("| Duration | 5m20s (2m30s waiting for prompts) |"), "{page}");
}

/// If this fails, a long last answer is shown nowhere in full.
#[test]
fn a_long_answer_is_shown_whole_once() {
    let bench = Bench::created(&[]);
    let answer: String = (1..=120).map(|n| format!("- step {n} of the plan\n")).collect();
    let answer = serde_json::json!({"type": "message.assistant", "data": {"text": answer}});
    let asked = r#"{"type":"message.user","data":{"text":"Plan it"}}"#;
    let lines = format!("{asked}\n{answer}\n");
    assert_eq!(bench.feed(&["emit", "--run", "r", "--stdin"], lines.as_bytes()).status, 0);
    let text = bench.ok(&["transcript", "r", "--format", "text", "-o", "-"]);
    assert_eq!(text.matches("- step 1 of").count(), 2, "{text}");
    assert_eq!(text.matches("- step 120 of").count(), 1, "{text}");
    // Of a longer one only the beginning is kept, so the number of lines left out is not known.
    let longer: String = (1..=600).map(|n| format!("- wave {n} of the sea\n")).collect();
    let longer = serde_json::json!({"type": "message.assistant", "data": {"text": longer}});
    let lines = format!("{longer}\n");
    assert_eq!(bench.feed(&["emit", "--run", "r", "--stdin"], lines.as_bytes()).status, 0);
    let text = bench.ok(&["transcript", "r", "--format", "text", "-o", "-"]);
    assert_eq!(text.matches("… more: runlog show r --event 4").count(), 2, "{text}");
    let page = bench.ok(&["transcript", "r", "--format", "markdown", "-o", "-"]);
    let last = page.rfind("*(the first ").unwrap();
    assert!(page[last..].starts_with("*(the first 3,9") && !page[last..].contains(" of 8,0"));
}

/// If this fails, the files that a patch changes are not among the changed files.
#[test]
fn the_files_of_a_patch_are_changed_files() {
    let bench = Bench::created(&[]);
    let patch = "*** Begin Patch\n*** Add File: new.rs\n+a\n*** Update File: old.rs\n*** Move to: \
                 moved.rs\n@@\n-a\n+b\n*** End Patch";
    let listed = serde_json::json!([{"path": "/p/gone.rs", "kind": "delete"},
        {"path": "/p/more.rs", "kind": "add"}]);
    for (arguments, end) in [
        (serde_json::json!({"input": patch}), "tool.completed"),
        (serde_json::json!({"changes": listed}), "tool.completed"),
        (serde_json::json!({"changes": [{"path": "never.rs", "kind": "add"}]}), "tool.failed"),
    ] {
        let data = serde_json::json!({"tool_name": "apply_patch", "args": arguments}).to_string();
        let call = bench.emit(&["tool.started", "--data", &data]);
        bench.emit(&[end, "-f", "tool_name=apply_patch", "--correlation-id", call.trim()]);
    }
    let value = bench.json(&["transcript", "r", "-o", "-"]);
    let files = value["files"].as_array().unwrap().iter();
    let files: Vec<&str> = files.map(|file| file["path"].as_str().unwrap()).collect();
    assert_eq!(files, ["/p/gone.rs", "/p/more.rs", "moved.rs", "new.rs", "old.rs"]);
}

/// If this fails, a failed call with long arguments looks as if it had succeeded.
#[test]
fn a_failure_is_marked_whatever_the_width() {
    let bench = Bench::created(&[]);
    let commands = [
        format!("make {}", "-C some/folder --with=this,that ".repeat(20)),
        "x".repeat(300),
        "a b".to_owned(),
        format!("{}/file.rs", "/a/very/deep/folder".repeat(9)),
        "é字".repeat(90),
    ];
    for (at, command) in commands.iter().enumerate() {
        let id = format!("c{at}");
        let data = serde_json::json!({"tool_name": "a_tool_with_a_long_name", "args": {"command": command}});
        bench.emit(&["tool.started", "--correlation-id", &id, "--data", &data.to_string()]);
        let data = serde_json::json!({"tool_name": "a_tool_with_a_long_name", "error": "no", "duration_ms": 61_000});
        bench.emit(&["tool.failed", "--correlation-id", &id, "--data", &data.to_string()]);
    }
    for width in ["40", "60", "80", "100", "200"] {
        for detail in ["brief", "normal", "full"] {
            let mut command = bench.command();
            command.args(["transcript", "r", "--format", "text", "--detail", detail]);
            let said = command.env("COLUMNS", width).output().unwrap();
            let text = String::from_utf8(said.stdout).unwrap();
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let marks = text.matches("(failed) · 1m01s").count();
            assert_eq!(marks, commands.len(), "{width} {detail}:\n{text}");
        }
    }
}

/// If this fails, the reader of an incomplete run does not learn why.
#[test]
fn the_reason_of_an_incomplete_run_stands_with_its_status() {
    let bench = Bench::created(&[]);
    bench.emit(&["run.incomplete", "-f", "reason=ran out of budget"]);
    for format in ["text", "markdown", "html"] {
        let page = bench.ok(&["transcript", "r", "--format", format, "--output", "-"]);
        let top = match format {
            "html" => page.contains(r#"<b class="failed">ran out of budget</b>"#),
            _ => page.split("Errors and").next().unwrap().contains("ran out of budget"),
        };
        assert!(top, "{format}:\n{page}");
    }
    assert!(bench.ok(&["summarize", "r"]).contains("Reason        ran out of budget"));
}

/// If this fails, a long note stands there twice, or as one paragraph.
#[test]
fn a_long_note_is_told_once() {
    let bench = Bench::with_run();
    let lines: Vec<String> = (0..30).map(|number| format!("point {number} of the list")).collect();
    let data = json!({"text": format!("What was found:\n{}", lines.join("\n"))}).to_string();
    bench.ok(&["emit", "note", "--run", "r", "--data", &data]);
    for detail in ["normal", "full"] {
        let text =
            bench.ok(&["transcript", "r", "--format", "text", "-o", "-", "--detail", detail]);
        assert_eq!(text.matches("What was found:").count(), 1, "{text}");
        assert!(text.contains("note: What was found:\n         point 0 of the list\n"), "{text}");
    }
}

/// If this fails, a reader takes a task whose agent did speak for one in which it said nothing.
#[test]
fn a_task_without_an_answer_names_its_last_message() {
    let bench = Bench::new();
    let lines = [
        r#"{"type":"run.created"}"#,
        r#"{"type":"message.user","data":{"text":"Count the files"}}"#,
        r#"{"type":"message.assistant","data":{"text":"There are two."}}"#,
        r#"{"type":"tool.started","data":{"tool_name":"ls","call_id":"1"}}"#,
        r#"{"type":"tool.completed","data":{"tool_name":"ls","call_id":"1"}}"#,
        r#"{"type":"message.user","data":{"text":"And the folders?"}}"#,
        r#"{"type":"tool.started","data":{"tool_name":"ls","call_id":"2"}}"#,
        r#"{"type":"run.completed"}"#,
    ];
    let lines = lines.join("\n") + "\n";
    let said = bench.feed(&["emit", "--stdin", "--create", "--run", "r"], lines.as_bytes());
    assert_eq!(said.status, 0, "{}", said.err);
    for words in [&["--format", "text"][..], &["-o", "-"]] {
        let told = bench.ok(&[&["transcript", "r"], words].concat());
        assert!(
            told.contains("(this task ended without an answer; its last message is #3)"),
            "{told}"
        );
        assert!(told.contains("(this task ended without an answer)"), "{told}");
    }
}

/// If this fails, a message that says everything in its summary is an empty task in the transcript.
#[test]
fn a_message_that_has_only_a_summary() {
    let bench = Bench::with_run();
    bench.emit(&["message.assistant", "--summary", "The build is green."]);
    for format in ["text", "markdown", "html"] {
        let text = bench.ok(&["transcript", "r", "--format", format, "-o", "-"]);
        assert!(text.contains("The build is green."), "{format}: {text}");
    }
}

/// If this fails, what a script says about a call or an error with `--summary` is nowhere in the
/// transcript.
#[test]
fn the_summaries_that_calls_and_errors_are_given() {
    let bench = Bench::with_run();
    let given = |kind: &str, summary: &str, data: &str| {
        bench.emit(&[kind, "--summary", summary, "--data", data]);
    };
    bench.emit(&["tool.started", "--data", r#"{"tool_name":"make","tool_call_id":"c1"}"#]);
    let end = r#"{"tool_name":"make","tool_call_id":"c1","output":{"text":"ok 17 files"}}"#;
    given("tool.completed", "Built three crates.", end);
    let failed = r#"{"tool_name":"test","tool_call_id":"c2","error":"exit status 2"}"#;
    given("tool.failed", "Two of forty tests fail.", failed);
    given("error", "The disk is nearly full.", r#"{"code":"E1"}"#);
    for format in ["text", "markdown", "html", "json"] {
        let text = bench.ok(&["transcript", "r", "--format", format, "-o", "-"]);
        let told = ["Built three crates.", "Two of forty tests fail.", "The disk is nearly full."];
        for told in told.into_iter().chain(["ok 17 files", "exit status 2"]) {
            let is_told = text.contains(told) || format == "markdown" && told == "ok 17 files";
            assert!(is_told, "{format}: {told} in {text}");
        }
    }
    // Those of templates say nothing new.
    bench.emit(&["tool.completed", "--data", r#"{"tool_name":"ls","tool_call_id":"c3"}"#]);
    let text = bench.ok(&["transcript", "r", "--format", "json", "-o", "-"]);
    assert!(!text.contains("ls completed"), "{text}");
}
