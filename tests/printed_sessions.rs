//! One session in two runs: what its agent printed, and the file that it wrote.

use serde_json::{Value, json};

use crate::import_copied::write;
use crate::support::Bench;
use crate::support::imports::events;

const SESSION: &str = "0b6f6d5e-1111-4222-8333-444455556666";
const CALL: &str = "toolu_01AbCdEfGh23LmNpQrStUvWx";

const EMIT: [&str; 7] =
    ["emit", "--run", "printed", "--stdin", "--from", "claude-code", "--end-run"];

/// The lines of the session's file, and those that the agent prints.
fn both() -> (String, String) {
    let usage = |input: u32, output: u32| json!({"input_tokens": input, "output_tokens": output});
    let answer = |id: &str, content: Value, usage: Value| {
        json!({"id": id, "type": "message", "role": "assistant", "model": "m-1",
            "content": [content], "usage": usage})
    };
    let asks = json!({"type": "tool_use", "id": CALL, "name": "Bash", "input": {"command": "ls"}});
    let first = answer("msg_01AbCdEfGhJkLm2pQr3tUvWx", asks, usage(100, 20));
    let says = json!({"type": "text", "text": "There is a.txt"});
    let last = answer("msg_01ZbCdEfGhJkLm2pQr3tUvWy", says, usage(150, 10));
    let result = json!({"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": CALL, "content": "a.txt"}]});
    let prompt = json!({"role": "user", "content": "list files"});
    let parts = [("user", prompt), ("assistant", first), ("user", result), ("assistant", last)];
    let (mut file, mut printed) = (Vec::new(), Vec::new());
    printed.push(json!({"type": "system", "subtype": "init", "cwd": "/p", "session_id": SESSION,
        "tools": ["Bash"], "model": "m-1"}));
    for (at, (kind, message)) in parts.into_iter().enumerate() {
        let uuid = format!("11111111-1111-4111-8111-11111111111{at}");
        file.push(json!({"type": kind, "sessionId": SESSION, "uuid": uuid, "cwd": "/p",
            "timestamp": format!("2026-03-01T09:00:0{at}.000Z"), "version": "2.0.1",
            "requestId": format!("req_{at}"), "message": message}));
        if at > 0 {
            printed.push(json!({"type": kind, "session_id": SESSION, "uuid": uuid,
                "parent_tool_use_id": null, "message": message}));
        }
    }
    printed.push(json!({"type": "result", "subtype": "success", "is_error": false, "num_turns": 2,
        "duration_ms": 5000, "result": "There is a.txt", "session_id": SESSION,
        "total_cost_usd": 0.5, "usage": usage(250, 30)}));
    let text = |lines: &[Value]| lines.iter().map(|line| format!("{line}\n")).collect();
    (text(&file), text(&printed))
}

/// Calls, tokens and cost: of `list` and of `stats`.
fn totals(bench: &Bench) -> [Value; 2] {
    let list: Value = serde_json::from_str(&bench.ok(&["list", "--format", "json"])).unwrap();
    let stats: Value = serde_json::from_str(&bench.ok(&["stats", "--format", "json"])).unwrap();
    let numbers = |total: &Value, calls: &str| {
        json!([total[calls], total["input_tokens"], total["output_tokens"], total["cost_usd"]])
    };
    [numbers(&list["total"], "tool_calls"), numbers(&stats["total"], "calls")]
}

/// If this fails, a session that was recorded from its output counts twice as soon as its file is
/// imported too, in one of the two orders.
#[test]
fn output_and_file_count_once_in_any_order() {
    let (file, printed) = both();
    let once = json!([1, 250, 30, 0.5]);
    for steps in [["import", "emit", "import"], ["emit", "import", "emit"]] {
        let bench = Bench::new();
        write(&bench, "s.jsonl", &file);
        bench.ok(&["emit", "run.created", "--run", "printed"]);
        for (at, step) in steps.iter().enumerate() {
            match *step {
                "import" => drop(bench.ok(&["import", "s.jsonl"])),
                _ => {
                    let said = bench.feed(&EMIT, printed.as_bytes());
                    assert_eq!(said.status, 0, "{}", said.err);
                }
            }
            if at > 0 {
                assert_eq!(totals(&bench), [once.clone(), once.clone()], "{steps:?} {at}");
            }
        }
        bench.ok(&["validate", "--all", "--expect-status", "completed,imported"]);
    }
}

/// If this fails, what both files of a session tell is told twice if they are imported together.
#[test]
fn output_and_file_in_one_import_are_told_once() {
    let (file, printed) = both();
    for names in [["a.jsonl", "b.jsonl"], ["b.jsonl", "a.jsonl"]] {
        let bench = Bench::new();
        std::fs::create_dir_all(bench.path("runs")).unwrap();
        write(&bench, names[0], &file);
        write(&bench, names[1], &printed);
        bench.ok(&["import", "a.jsonl", "b.jsonl"]);
        let once = json!([1, 250, 30, 0.5]);
        assert_eq!(totals(&bench), [once.clone(), once]);
        let text = bench.ok(&["transcript", "--format", "text"]);
        assert!(!text.contains("again"), "{text}");
        let events = bench.ok(&["show", "--format", "jsonl", "--type", "message.*"]);
        assert_eq!(
            events.matches("There is a.txt").count(),
            2,
            "once, and in its source: {events}"
        );
    }
}

/// If this fails, hooks that record a session while `exec` records its output double its numbers.
#[test]
fn hooks_and_exec_count_once() {
    let (file, printed) = both();
    let bench = Bench::new();
    write(&bench, "s.jsonl", &file);
    write(&bench, "printed.jsonl", &printed);
    let transcript = bench.path("s.jsonl");
    let hook = |event: &str| {
        let payload = json!({"session_id": SESSION, "transcript_path": transcript,
            "cwd": bench.path(""), "hook_event_name": event, "reason": "other"});
        let program = env!("CARGO_BIN_EXE_runlog");
        format!("echo '{payload}' | env -u RUNLOG_RUN -u RUNLOG_PARENT {program} hook\n")
    };
    let script = format!("{}cat printed.jsonl\n{}", hook("SessionStart"), hook("SessionEnd"));
    write(&bench, "agent.sh", &script);
    bench.ok(&[
        "exec",
        "--run-new",
        "--run",
        "printed",
        "--from",
        "claude-code",
        "--",
        "sh",
        "agent.sh",
    ]);
    // The command itself is a call too.
    let once = json!([2, 250, 30, 0.5]);
    assert_eq!(totals(&bench), [once.clone(), once]);
}

/// If this fails, a session whose agent was killed under hooks counts its tool calls twice, or its
/// reported cost is taken for an estimate.
#[test]
fn a_killed_agent_under_hooks_counts_once_after_an_import() {
    let (file, printed) = both();
    let bench = Bench::new();
    let transcript = bench.path("s.jsonl");
    let hook = |event: &str, more: Value| {
        let mut payload = json!({"session_id": SESSION, "transcript_path": transcript,
            "cwd": bench.path(""), "hook_event_name": event});
        payload.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let said = bench.feed(&["hook"], payload.to_string().as_bytes());
        assert_eq!(said.status, 0, "{}", said.err);
    };
    let call = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": CALL,
        "tool_response": {"stdout": "a.txt"}});
    hook("SessionStart", json!({"source": "startup"}));
    hook("UserPromptSubmit", json!({"prompt": "list files"}));
    hook("PreToolUse", call.clone());
    hook("PostToolUse", call);
    bench.ok(&["emit", "run.created", "--run", "printed"]);
    let said = bench.feed(&EMIT, printed.as_bytes());
    assert_eq!(said.status, 0, "{}", said.err);
    write(&bench, "s.jsonl", &file);
    bench.ok(&["import", "s.jsonl"]);
    let once = json!([1, 250, 30, 0.5]);
    assert_eq!(totals(&bench), [once.clone(), once]);
    let list: Value = serde_json::from_str(&bench.ok(&["list", "--format", "json"])).unwrap();
    assert_eq!(list["total"].get("cost_estimated"), None);
}

/// If this fails, the output of a session and a fork of it count the same work twice, or a failure
/// of it is lost in one command.
#[test]
fn output_and_forks_count_once() {
    let (file, printed) = both();
    let fork: String = (file.lines().take(2))
        .map(|line| {
            let mut line: Value = serde_json::from_str(line).unwrap();
            line["forkedFrom"] = json!({"sessionId": SESSION, "messageUuid": line["uuid"]});
            line["sessionId"] = json!("99999999-1111-4222-8333-444455556666");
            format!("{line}\n")
        })
        .collect();
    let failed = |text: &str| {
        text.replace("\"type\":\"tool_result\"", "\"is_error\":true,\"type\":\"tool_result\"")
    };
    for steps in [["fork", "file", "emit"], ["file", "fork", "emit"]] {
        let bench = Bench::new();
        write(&bench, "file.jsonl", &failed(&file));
        write(&bench, "fork.jsonl", &fork);
        bench.ok(&["emit", "run.created", "--run", "printed"]);
        for step in steps {
            match step {
                "emit" => drop(bench.feed(&EMIT, failed(&printed).as_bytes())),
                file => drop(bench.ok(&["import", &format!("{file}.jsonl")])),
            }
        }
        let failures: Vec<String> = [("list", "tool_failures"), ("stats", "failures")]
            .iter()
            .map(|(command, name)| {
                let text = bench.ok(&[command, "--format", "json"]);
                let document: Value = serde_json::from_str(&text).unwrap();
                let total = &document["total"];
                format!("{} {} {}", total["input_tokens"], total["output_tokens"], total[*name])
            })
            .collect();
        assert_eq!(failures, ["250 30 1", "250 30 1"], "{steps:?}");
    }
}

/// If this fails, the total of one process stands for the whole session: what other processes used is
/// missing, and the row without a prompt is negative.
#[test]
fn a_total_of_one_process_leaves_the_others_alone() {
    let (mut file, printed) = both();
    let init = printed.lines().next().unwrap();
    let mut process = |number: u32, prompt: &str, input: u32, output: u32, cost: f64| {
        let answer = json!({"id": format!("msg_01QbCdEfGhJkLm2pQr3tUvW{number}"), "type": "message",
            "role": "assistant", "model": "m-1", "content": [{"type": "text", "text": "It is"}],
            "usage": {"input_tokens": input, "output_tokens": output}});
        let prompt = json!({"role": "user", "content": prompt});
        let mut told = format!("{init}\n");
        for (kind, message) in [("user", &prompt), ("assistant", &answer)] {
            let uuid = format!("11111111-1111-4111-8{number}11-1111111111{:02}", kind.len());
            let line = json!({"type": kind, "sessionId": SESSION, "uuid": uuid, "cwd": "/p",
                "timestamp": format!("2026-03-01T1{number}:00:{:02}.000Z", kind.len()),
                "version": "2.0.1", "requestId": format!("req_{number}"), "message": message});
            file += &format!("{line}\n");
            if kind == "assistant" {
                let line = json!({"type": kind, "session_id": SESSION, "uuid": uuid,
                    "parent_tool_use_id": null, "message": message});
                told += &format!("{line}\n");
            }
        }
        let result = json!({"type": "result", "subtype": "success", "is_error": false,
            "num_turns": 1, "duration_ms": 900, "result": "It is", "session_id": SESSION,
            "total_cost_usd": cost, "usage": {"input_tokens": input, "output_tokens": output}});
        format!("{told}{result}\n")
    };
    let second = process(2, "is it long?", 70, 5, 0.25);
    let third = process(3, "is it good?", 9, 1, 0.125);
    let orders: [(&[&[&str]], f64); 12] = [
        (&[&["s.jsonl"], &["1.jsonl"]], 0.5),
        (&[&["1.jsonl"], &["s.jsonl"]], 0.5),
        (&[&["1.jsonl", "s.jsonl"]], 0.5),
        (&[&["s.jsonl"], &["1.jsonl"], &["s.jsonl"], &["1.jsonl"]], 0.5),
        (&[&["s.jsonl"], &["2.jsonl"]], 0.25),
        (&[&["2.jsonl"], &["s.jsonl"]], 0.25),
        (&[&["1.jsonl"], &["2.jsonl"], &["s.jsonl"]], 0.75),
        (&[&["s.jsonl"], &["2.jsonl"], &["1.jsonl"]], 0.75),
        (&[&["2.jsonl"], &["s.jsonl"], &["1.jsonl"]], 0.75),
        (&[&["1.jsonl", "3.jsonl", "s.jsonl"]], 0.625),
        (&[&["s.jsonl"], &["1.jsonl", "3.jsonl"]], 0.625),
        (&[&["1.jsonl", "2.jsonl", "3.jsonl"], &["s.jsonl"]], 0.875),
    ];
    for (steps, cost) in orders {
        let bench = Bench::new();
        write(&bench, "s.jsonl", &file);
        write(&bench, "1.jsonl", &printed);
        write(&bench, "2.jsonl", &second);
        write(&bench, "3.jsonl", &third);
        for files in steps {
            bench.ok(&[&["import"], *files].concat());
        }
        let once = json!([1, 329, 36, cost]);
        assert_eq!(totals(&bench), [once.clone(), once], "{steps:?}");
        let rows: Value =
            serde_json::from_str(&bench.ok(&["stats", "--by", "prompt", "--format", "json"]))
                .unwrap();
        for row in rows["rows"].as_array().unwrap() {
            assert!(row["input_tokens"].as_i64().unwrap_or(0) >= 0, "{steps:?}: {row}");
        }
    }
}

/// If this fails, prompts that an output repeats (`--replay-user-messages`) count twice beside the
/// session's file.
#[test]
fn prompts_of_an_output_and_the_file_count_once() {
    let (file, printed) = both();
    let uuid = "11111111-1111-4111-8111-111111111110";
    let with_id = |line: &str| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        if line["uuid"] == uuid {
            line["promptId"] = json!("5a1b2c3d-1111-4111-8111-111111111119");
        }
        format!("{line}\n")
    };
    let older = file.clone();
    let file: String = file.lines().map(with_id).collect();
    // A sub-agent, too: its prompt is a text in one place, and a list in the other.
    let of_agent = "11111111-1111-4111-8111-111111111117";
    let line = json!({"type": "user", "isSidechain": true, "agentId": "ab12cd34", "uuid": of_agent,
        "sessionId": SESSION, "timestamp": "2026-03-01T09:00:01.500Z", "version": "2.0.1",
        "message": {"role": "user", "content": "look for a.txt"}});
    // Older versions give no ids to prompts.
    let files = [format!("{file}{line}\n"), format!("{older}{line}\n")];
    let agent = json!({"type": "user", "parent_tool_use_id": CALL, "session_id": SESSION,
        "uuid": of_agent, "message": {"role": "user", "content": [
            {"type": "text", "text": "look for a.txt"}]}});
    let (init, rest) = printed.split_once('\n').unwrap();
    let contents = [json!("list files"), json!([{"type": "text", "text": "list files"}])];
    for (content, file) in
        contents.iter().flat_map(|content| files.iter().map(move |file| (content, file)))
    {
        let replay = json!({"type": "user", "message": {"role": "user", "content": content},
            "parent_tool_use_id": null, "session_id": SESSION, "uuid": uuid, "isReplay": true});
        let printed = format!("{init}\n{replay}\n{agent}\n{rest}");
        let orders: [&[&[&str]]; 5] = [
            &[&["s.jsonl"], &["p.jsonl"], &["s.jsonl"]],
            &[&["p.jsonl"], &["s.jsonl"], &["p.jsonl"]],
            &[&["p.jsonl", "s.jsonl"]],
            &[&["s.jsonl", "p.jsonl"], &["p.jsonl"]],
            &[&["p.jsonl"], &["p.jsonl"]],
        ];
        for steps in orders {
            let bench = Bench::new();
            write(&bench, "s.jsonl", file);
            write(&bench, "p.jsonl", &printed);
            for files in steps {
                bench.ok(&[&["import"], *files].concat());
            }
            let events = events(&bench, &format!("claude-code-{SESSION}"));
            let prompts = events.iter().filter(|event| event["type"] == "message.user");
            let withdrawn = prompts.clone().filter(|event| event["data"]["withdrawn"] == true);
            assert_eq!([prompts.count(), withdrawn.count()], [2, 0], "{steps:?}: {events:?}");
        }
    }
}

/// If this fails, the status of a run depends on the order in which the output of a process and the file
/// of its session are imported: a session that failed later is `completed`, or the other way round.
#[test]
fn the_status_is_that_of_the_session_in_any_order() {
    let (file, printed) = both();
    let after = |minute: u32, kind: &str, more: Value| {
        let mut line = json!({"type": kind, "sessionId": SESSION, "cwd": "/p", "version": "2.0.1",
            "uuid": format!("11111111-1111-4111-8111-1111111112{minute:02}"),
            "timestamp": format!("2026-03-01T10:{minute:02}:00.000Z")});
        line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        format!("{line}\n")
    };
    let prompt = after(0, "user", json!({"message": {"role": "user", "content": "and b.txt?"}}));
    let message = |model: &str, text: &str| {
        json!({"id": format!("msg_01{}ZcDdEfGhJkLm2pQr3tU", text.len()), "type": "message",
            "role": "assistant", "model": model, "content": [{"type": "text", "text": text}],
            "usage": {"input_tokens": 7, "output_tokens": 5}})
    };
    let good =
        after(1, "assistant", json!({"requestId": "req_9", "message": message("m-1", "No")}));
    let limit = "You've hit your limit · resets 3pm (Europe/Berlin)";
    let bad = after(
        1,
        "assistant",
        json!({"isApiErrorMessage": true, "error": "rate_limit",
        "message": message("<synthetic>", limit)}),
    );
    let failed = printed.replace(r#""is_error":false"#, r#""is_error":true"#);
    let lines = printed.lines().filter(|line| !line.contains("total_cost_usd"));
    let cut: String = lines.map(|line| format!("{line}\n")).collect();
    assert!(cut.lines().count() < printed.lines().count() && failed != printed);
    let again = after(2, "user", json!({"message": {"role": "user", "content": "again"}}));
    let retried = format!("{bad}{again}{}", good.replace("10:01", "10:03"));
    let cases = [
        ("good, then failed", &printed, format!("{file}{prompt}{bad}"), "failed"),
        ("cut off, then failed", &cut, format!("{file}{prompt}{bad}"), "failed"),
        ("failed, then good", &failed, format!("{file}{prompt}{good}"), "imported"),
        ("failed, then failed and good", &failed, format!("{file}{prompt}{retried}"), "imported"),
        ("good, and no more", &printed, file.clone(), "completed"),
        ("failed, and no more", &failed, file.clone(), "failed"),
        ("cut off, and no more", &cut, file, "imported"),
    ];
    let orders: [&[&[&str]]; 6] = [
        &[&["p.jsonl", "s.jsonl"]],
        &[&["s.jsonl", "p.jsonl"]],
        &[&["p.jsonl"], &["s.jsonl"]],
        &[&["s.jsonl"], &["p.jsonl"]],
        &[&["s.jsonl"], &["p.jsonl"], &["s.jsonl"]],
        &[&["p.jsonl"], &["s.jsonl"], &["p.jsonl"]],
    ];
    for (what, printed, file, status) in &cases {
        for steps in orders {
            let bench = Bench::new();
            write(&bench, "p.jsonl", printed);
            write(&bench, "s.jsonl", file);
            for files in steps {
                bench.ok(&[&["import"], *files].concat());
            }
            let list: Value =
                serde_json::from_str(&bench.ok(&["list", "--format", "json"])).unwrap();
            assert_eq!(list["runs"][0]["status"], *status, "{what}: {steps:?}");
        }
    }
}
