//! Spawned agents in the transcript and the graph.

use std::fs;

use serde_json::Value;

use crate::support::Bench;

/// A stream in which a call spawns an agent, which spawns another agent, before the call ends.
const NESTED: &str = r#"{"type":"user","message":{"role":"user","content":"Find every loose end"},"uuid":"u1"}
{"type":"assistant","message":{"id":"m1","role":"assistant","content":[{"type":"tool_use","id":"toolu_a","name":"Task","input":{"prompt":"Look into the cellar"}}]},"uuid":"u2"}
{"type":"user","parent_tool_use_id":"toolu_a","message":{"role":"user","content":"Look into the cellar"},"uuid":"u3"}
{"type":"assistant","parent_tool_use_id":"toolu_a","message":{"id":"m2","role":"assistant","content":[{"type":"thinking","thinking":"Dark down there."},{"type":"tool_use","id":"toolu_b","name":"Task","input":{"prompt":"Carry the lamp"}}]},"uuid":"u4"}
{"type":"assistant","parent_tool_use_id":"toolu_b","message":{"id":"m3","role":"assistant","content":[{"type":"text","text":"The lamp is lit."}]},"uuid":"u5"}
{"type":"user","parent_tool_use_id":"toolu_a","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_b","content":"lit"}]},"uuid":"u6"}
{"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_a","content":"two ends"}]},"uuid":"u7"}
{"type":"assistant","message":{"id":"m4","role":"assistant","content":[{"type":"text","text":"Two loose ends, both in the cellar."}]},"uuid":"u8"}
"#;

fn nested() -> Bench {
    let bench = Bench::with_run();
    let call = ["emit", "--run", "r", "--stdin", "--from", "claude-code"];
    assert_eq!(bench.feed(&call, NESTED.as_bytes()).status, 0);
    bench.emit(&["run.completed"]);
    bench
}

/// If this fails, a spawned agent's work is mixed with its parent's, or the run's answer is shown
/// under an agent's task.
#[test]
fn spawned_agents_stand_under_their_calls() {
    let bench = nested();
    let markdown = fs::read_to_string(bench.path("runs/r/transcript.md")).unwrap();
    let notes = markdown.split("## Work Notes").nth(1).unwrap();
    let order = [
        "### [1] Find every loose end",
        "\n- **Task** `Look into the cellar`",
        "\n  - agent `toolu_a` [2] Look into the cellar",
        "\n    - toolu_a thought: Dark down there.",
        "\n    - **Task** `Carry the lamp`",
        "\n      - agent `toolu_b`",
        "\n        - toolu_b said: The lamp is lit.",
        "\n- agent said: Two loose ends, both in the cellar.",
    ];
    let mut at = 0;
    for part in order {
        at += notes[at..].find(part).unwrap_or_else(|| panic!("{part:?} in {notes}"));
    }
    assert!(!notes.contains("### [2]"), "{notes}");

    let json = bench.json(&["transcript", "r", "-o", "-"]);
    assert_eq!(json["turns"].as_array().unwrap().len(), 1, "{json}");
    let agent = &json["turns"][0]["items"][0]["agents"][0];
    assert_eq!((agent["id"].as_str(), agent["task"].as_u64()), (Some("toolu_a"), Some(2)));
    assert_eq!(agent["items"][1]["agents"][0]["id"], "toolu_b");
    // The flat lists have everything, also what agents of agents did.
    let calls = json["calls"].as_array().unwrap().iter();
    let calls: Vec<_> =
        calls.map(|call| (&call["agent"], &call["task"], &call["status"])).collect();
    let completed = &"completed".into();
    assert_eq!(
        calls,
        [(&Value::Null, &1.into(), completed), (&"toolu_a".into(), &2.into(), completed)]
    );
    let tasks = json["tasks"].as_array().unwrap().iter();
    let tasks: Vec<_> = tasks.map(|task| (&task["number"], &task["message"])).collect();
    assert_eq!(tasks[0], (&1.into(), &"Find every loose end".into()));
    assert_eq!(tasks[1], (&2.into(), &"Look into the cellar".into()));
    assert_eq!(json["facts"]["counts"]["tool_calls"], calls.len());

    let text = bench.ok(&["transcript", "r", "--format", "text", "-o", "-"]);
    let column = |what: &str| {
        let line = text.lines().find(|line| line.contains(what));
        line.and_then(|line| line.find(what)).unwrap_or_else(|| panic!("{what} in {text}"))
    };
    assert!(column("agent: the last answer") < column("Task: Carry"), "{text}");
    assert!(column("Task: Carry") < column("toolu_b: The lamp"), "{text}");

    let page = bench.ok(&["transcript", "r", "--format", "html", "-o", "-"]);
    assert_eq!(page.matches("<section class=\"agent\">").count(), 2);

    let graph = bench.json(&["graph", "r"]);
    let spawned = |call: &str, agent: &str| {
        graph["edges"].as_array().unwrap().iter().any(|edge| {
            edge["kind"] == "spawn"
                && edge["from"].as_str().unwrap().ends_with(call)
                && edge["to"].as_str().unwrap() == format!("agent:{agent}")
        })
    };
    assert!(spawned("toolu_a", "toolu_a") && spawned("toolu_b", "toolu_b"), "{graph}");
}

/// If this fails, agent lines from a separate file, which come after the parent's lines, are not
/// shown under the call whose result names the agent.
#[test]
fn an_agent_that_a_result_names() {
    let bench = Bench::with_run();
    let lines = r#"{"type":"user","message":{"role":"user","content":"Look around"},"uuid":"u1"}
{"type":"assistant","message":{"id":"m1","role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Task","input":{"prompt":"Upstairs"}}]},"uuid":"u2"}
{"type":"assistant","isSidechain":true,"agentId":"a7","message":{"id":"m0","role":"assistant","content":[{"type":"text","text":"On the stairs."}]},"uuid":"u9"}
{"type":"user","toolUseResult":{"agentId":"a7"},"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"done"}]},"uuid":"u3"}
{"type":"assistant","message":{"id":"m4","role":"assistant","content":[{"type":"text","text":"All is well."}]},"uuid":"u4"}
{"type":"user","isSidechain":true,"agentId":"a7","message":{"role":"user","content":"Upstairs"},"uuid":"u5"}
{"type":"assistant","isSidechain":true,"agentId":"a7","message":{"id":"m5","role":"assistant","content":[{"type":"text","text":"Nobody upstairs."}]},"uuid":"u6"}
"#;
    let call = ["emit", "--run", "r", "--stdin", "--from", "claude-code"];
    assert_eq!(bench.feed(&call, lines.as_bytes()).status, 0);
    bench.ok(&["transcript", "r"]);
    let text = fs::read_to_string(bench.path("runs/r/transcript.md")).unwrap();
    assert!(text.contains("  - agent `a7` [2] Upstairs"), "{text}");
    assert!(text.contains("    - a7 said: On the stairs."), "{text}");
    assert!(text.contains("    - a7 said: Nobody upstairs."), "{text}");
    // Alone, it is an ordinary run.
    let alone = Bench::with_run();
    let own: String = lines.lines().skip(5).map(|line| format!("{line}\n")).collect();
    assert_eq!(alone.feed(&call, own.as_bytes()).status, 0);
    alone.ok(&["transcript", "r"]);
    let text = fs::read_to_string(alone.path("runs/r/transcript.md")).unwrap();
    assert!(text.contains("### [1] Upstairs"), "{text}");
}

/// If this fails, text of a gateway's spawned run is not shown under the call that spawned it.
#[test]
fn a_spawned_run_of_the_gateway() {
    let bench = Bench::with_run();
    let lines = r#"{"type":"tool_call","data":{"runId":"R","id":"tc1","name":"delegate","input":{}}}
{"type":"text","data":{"runId":"S","parentId":"R/tc1","id":"t1","content":"Hello "}}
{"type":"text","data":{"runId":"R","id":"t1","content":"Waiting."}}
{"type":"text","data":{"runId":"S","id":"t1","content":"from below"}}
{"type":"tool_result","data":{"runId":"R","id":"tc1","name":"delegate","output":"ok"}}
"#;
    assert_eq!(bench.feed(&["emit", "--run", "r", "--stdin"], lines.as_bytes()).status, 0);
    bench.ok(&["transcript", "r"]);
    let text = fs::read_to_string(bench.path("runs/r/transcript.md")).unwrap();
    let told = "- **delegate** → ok ([#2](events.jsonl#L2))\n  - agent `S`\n    - agent said: Hello from below (";
    assert!(text.contains(told), "{text}");
    assert!(text.contains("\n- agent said: Waiting. ("), "{text}");
}

/// If this fails, a call that names itself as parent loses its results.
#[test]
fn a_call_that_is_its_own_parent() {
    let bench = Bench::with_run();
    let lines = r#"{"type":"user","message":{"role":"user","content":"go"},"uuid":"u1"}
{"type":"assistant","parent_tool_use_id":"S","message":{"id":"m1","role":"assistant","content":[{"type":"tool_use","id":"S","name":"Task","input":{"prompt":"x"}}]},"uuid":"u2"}
{"type":"assistant","parent_tool_use_id":"S","message":{"id":"m2","role":"assistant","content":[{"type":"text","text":"Inside."}]},"uuid":"u3"}
{"type":"user","parent_tool_use_id":"S","message":{"role":"user","content":"a second thing"},"uuid":"u4"}
{"type":"user","parent_tool_use_id":"S","message":{"role":"user","content":"a third thing"},"uuid":"u5"}
{"type":"assistant","agentId":"g1","parent_tool_use_id":"S","message":{"id":"m5","role":"assistant","content":[{"type":"text","text":"From g1."}]},"uuid":"u6"}
"#;
    let call = ["emit", "--run", "r", "--stdin", "--from", "claude-code"];
    assert_eq!(bench.feed(&call, lines.as_bytes()).status, 0);
    bench.ok(&["transcript", "r"]);
    let text = fs::read_to_string(bench.path("runs/r/transcript.md")).unwrap();
    for told in [
        "\n- **Task** `x`",
        "\n  - agent `S` [2] a second thing",
        "\n    - S said: Inside.",
        "\n    - agent said: a third thing",
        "\n  - agent `g1`\n    - g1 said: From g1.",
    ] {
        assert!(text.contains(told), "{told:?} in {text}");
    }
}

/// If this fails, calls are not shown if a provider reused the id of an earlier call.
#[test]
fn an_id_that_is_used_again() {
    let bench = Bench::with_run();
    for (what, result) in [("first", "one"), ("second", "two")] {
        let id = ["--correlation-id", "call_0", "-f", "tool_name=sh"];
        let args = format!("args.command={what}");
        bench.emit(&[["tool.started", "-f", &args].as_slice(), &id].concat());
        let result = format!("result={result}");
        bench.emit(&[["tool.completed", "-f", &result].as_slice(), &id].concat());
    }
    bench.ok(&["transcript", "r"]);
    let text = fs::read_to_string(bench.path("runs/r/transcript.md")).unwrap();
    for told in ["`first`", "sh started again under the same id: second", "the same id: two"] {
        assert!(text.contains(told), "{told} in {text}");
    }
}

/// If this fails, agent lines without an agent id, as in older sessions, are not shown under the
/// call whose prompt they begin with.
#[test]
fn an_agent_by_its_prompt() {
    let bench = Bench::with_run();
    let lines = r#"{"type":"user","message":{"role":"user","content":"Look around"},"uuid":"u1"}
{"type":"assistant","message":{"id":"m1","role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Task","input":{"description":"stairs","prompt":"Go upstairs and look."}}]},"uuid":"u2"}
{"type":"assistant","message":{"id":"m2","role":"assistant","content":[{"type":"text","text":"All is well."}]},"uuid":"u3"}
{"type":"user","isSidechain":true,"parentUuid":null,"message":{"role":"user","content":"Go upstairs and look."},"uuid":"s1"}
{"type":"assistant","isSidechain":true,"parentUuid":"s1","message":{"id":"m3","role":"assistant","content":[{"type":"text","text":"Nobody upstairs."}]},"uuid":"s2"}
{"type":"assistant","isSidechain":true,"parentUuid":"s2","message":{"id":"m4","role":"assistant","content":[{"type":"text","text":"Coming down."}]},"uuid":"s3"}
{"type":"user","isSidechain":true,"parentUuid":null,"message":{"role":"user","content":"Another thing."},"uuid":"s4"}
"#;
    let call = ["emit", "--run", "r", "--stdin", "--from", "claude-code"];
    assert_eq!(bench.feed(&call, lines.as_bytes()).status, 0);
    bench.ok(&["transcript", "r"]);
    let text = fs::read_to_string(bench.path("runs/r/transcript.md")).unwrap();
    let told = "  - agent `t1` [2] Go upstairs and look. ([#5](events.jsonl#L5))\n    - t1 said: Nobody upstairs. ([#6](events.jsonl#L6))\n    - t1 said: Coming down.";
    assert!(text.contains(told), "{text}");
    assert!(text.contains("### [3] Another thing."), "{text}");
}

/// If this fails, a call whose end comes before its start is shown twice, or under itself in an
/// endless loop.
#[test]
fn an_end_before_its_start() {
    let bench = Bench::with_run();
    let lines = r#"{"type":"tool.completed","correlation_id":"C","data":{"tool_name":"delegate","result":"done"}}
{"type":"message.assistant","data":{"agent_id":"A","spawned_by":"C","text":"From A."}}
{"type":"tool.started","correlation_id":"C","data":{"tool_name":"delegate","agent_id":"A"}}
"#;
    assert_eq!(bench.feed(&["emit", "--run", "r", "--stdin"], lines.as_bytes()).status, 0);
    bench.emit(&["run.completed"]);
    for format in ["markdown", "html", "json"] {
        let made = bench.ok(&["transcript", "r", "--format", format, "-o", "-"]);
        assert!(made.contains("From A."), "{made}");
    }
    let text = bench.ok(&["transcript", "r", "--format", "text", "-o", "-"]);
    assert_eq!(
        (text.matches("delegate").count(), text.matches("From A.").count()),
        (1, 1),
        "{text}"
    );
}

/// If this fails, two agents with the same prompt are shown under one call, or under none.
#[test]
fn two_agents_with_one_prompt() {
    let bench = Bench::with_run();
    let ask = |id: &str| {
        format!(
            r#"{{"type":"assistant","uuid":"c{id}","message":{{"id":"m{id}","role":"assistant","content":[{{"type":"tool_use","id":"{id}","name":"Task","input":{{"prompt":"Count."}}}}]}}}}"#
        )
    };
    let begin = |uuid: &str| {
        format!(
            r#"{{"type":"user","isSidechain":true,"parentUuid":null,"uuid":"{uuid}","message":{{"role":"user","content":"Count."}}}}"#
        )
    };
    let lines = [ask("t1"), ask("t2"), begin("s1"), begin("s2")].join("\n");
    let call = ["emit", "--run", "r", "--stdin", "--from", "claude-code"];
    assert_eq!(bench.feed(&call, lines.as_bytes()).status, 0);
    bench.ok(&["transcript", "r"]);
    let text = fs::read_to_string(bench.path("runs/r/transcript.md")).unwrap();
    assert!(
        text.contains("agent `t1` [1] Count.") && text.contains("agent `t2` [2] Count."),
        "{text}"
    );
}
