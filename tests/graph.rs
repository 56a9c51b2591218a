//! `graph`: facts of the gateway's events, and inconsistent graphs.

use serde_json::Value;

use crate::support::Bench;

/// A run of these native events, one per line.
fn run(events: &str) -> Bench {
    let bench = Bench::with_run();
    let said = bench.feed(&["emit", "--run", "r", "--stdin", "-q"], events.as_bytes());
    assert_eq!(said.status, 0, "{}", said.err);
    bench
}

fn graph(bench: &Bench, args: &[&str]) -> Value {
    let call = [&["graph", "r", "--format", "json"], args].concat();
    serde_json::from_str(&bench.ok(&call)).unwrap()
}

/// `from kind to`, in order.
fn edges(graph: &Value) -> Vec<String> {
    let text = |edge: &Value, name: &str| edge[name].as_str().unwrap().to_owned();
    let edges = graph["edges"].as_array().unwrap();
    edges
        .iter()
        .map(|edge| [text(edge, "from"), text(edge, "kind"), text(edge, "to")].join(" "))
        .collect()
}

fn nodes(graph: &Value) -> Vec<String> {
    let nodes = graph["nodes"].as_array().unwrap();
    let text = |node: &Value| {
        let status = node["status"].as_str().map(|status| format!(" {status}"));
        format!("{}{}", node["id"].as_str().unwrap(), status.unwrap_or_default())
    };
    nodes.iter().map(text).collect()
}

fn problems(graph: &Value) -> Vec<String> {
    let text = |problem: &Value| {
        format!("{} {}", problem["kind"].as_str().unwrap(), problem["node"].as_str().unwrap())
    };
    graph["problems"].as_array().unwrap().iter().map(text).collect()
}

const CALL: &str =
    r#"{"type":"tool_call","data":{"runId":"R","id":"tc1","name":"grep","input":{}}}"#;
const RESULT: &str = r#"{"type":"tool_result","data":{"runId":"R","id":"tc1","name":"grep","output":{"result":"3"}}}"#;

/// If this fails, a call and its result are two nodes.
#[test]
fn calls_and_results() {
    let graph = graph(&run(&format!("{CALL}\n{RESULT}\n")), &[]);
    assert_eq!(nodes(&graph), ["run:R open", "call:tc1 completed", "result:tc1#3"]);
    assert_eq!(edges(&graph), ["run:R call call:tc1", "call:tc1 result result:tc1#3"]);
    assert_eq!(problems(&graph), [""; 0]);
    // Only connections: the recording run is not a node.
    let connected = run(r#"{"type":"connected","data":{"sessionId":"s"}}"#);
    let empty = self::graph(&connected, &[]);
    assert_eq!((nodes(&empty).len(), edges(&empty).len()), (0, 0));
    // Blocked without a call, and ended by an error of the same run.
    let denied = run(
        r#"{"type":"tool_result","data":{"runId":"R","id":"tc9","name":"rm","output":{"status":"denied"}}}"#,
    );
    assert!(nodes(&self::graph(&denied, &[])).contains(&"call:tc9 blocked".to_owned()));
    let failed = run(&format!(
        "{CALL}\n{}\n{}\n",
        r#"{"type":"error","data":{"runId":"R","message":"gone"}}"#,
        r#"{"type":"run.failed","data":{}}"#
    ));
    let failed = self::graph(&failed, &[]);
    assert_eq!(nodes(&failed), ["run:R open", "call:tc1 failed", "error:3"]);
    assert!(edges(&failed).contains(&"run:R error error:3".to_owned()));
}

/// If this fails, a run that a call started is not below the call.
#[test]
fn spawned_runs() {
    let child = r#"{"type":"harness_start","data":{"runId":"C","parentId":"R/tc1"}}"#;
    let expected = "call:tc1 spawn run:C".to_owned();
    for events in [format!("{CALL}\n{child}\n{RESULT}\n"), format!("{child}\n{CALL}\n{RESULT}\n")] {
        let graph = graph(&run(&events), &[]);
        assert!(edges(&graph).contains(&expected), "{graph}");
        assert_eq!(problems(&graph), [""; 0]);
    }
    // The same call, raw and with its run as prefix.
    let named = CALL.replace("\"id\":\"tc1\"", "\"id\":\"R/tc1\"");
    let graph = graph(&run(&format!("{CALL}\n{named}\n{child}\n{RESULT}\n")), &[]);
    let calls: Vec<String> =
        nodes(&graph).into_iter().filter(|node| node.starts_with("call:")).collect();
    assert_eq!(calls, ["call:tc1 completed"]);
    // Agents by name, and one that ended.
    let agents = run(&format!(
        "{}\n{}\n",
        r#"{"type":"agent_spawned","data":{"parentAgentId":"lead","childAgentId":"scout"}}"#,
        r#"{"type":"agent_destroyed","data":{"childAgentId":"scout"}}"#
    ));
    let agents = self::graph(&agents, &[]);
    assert_eq!(nodes(&agents), ["agent:scout ended", "agent:lead"]);
    assert_eq!(edges(&agents), ["agent:lead spawn agent:scout"]);
}

/// If this fails, an inconsistent graph hangs the program, or is not reported.
#[test]
fn what_does_not_fit() {
    let orphan = run(r#"{"type":"harness_start","data":{"runId":"C","parentId":"nobody"}}"#);
    let orphan = graph(&orphan, &[]);
    assert_eq!(problems(&orphan), ["orphan run:C"]);
    assert_eq!(edges(&orphan), ["unknown:nobody spawn run:C"]);
    let cycle = run(&format!(
        "{}\n{}\n{}\n",
        r#"{"type":"harness_start","data":{"runId":"A","parentId":"B"}}"#,
        r#"{"type":"harness_start","data":{"runId":"B","parentId":"A"}}"#,
        r#"{"type":"harness_start","data":{"runId":"C","parentId":"C"}}"#
    ));
    let cycle = graph(&cycle, &[]);
    assert_eq!(problems(&cycle), ["cycle run:B", "cycle run:C"]);
    assert_eq!(edges(&cycle), ["run:A spawn run:B"]);
    let repeated = graph(&run(&format!("{CALL}\n{RESULT}\n{RESULT}\n")), &[]);
    assert_eq!(problems(&repeated), ["repeat call:tc1"]);
}

/// If this fails, events or their parents are missing although all were requested.
#[test]
fn all_events() {
    let bench = Bench::with_run();
    bench.emit(&["note", "-f", "text=late", "--event-id", "child", "--parent", "parent"]);
    bench.emit(&["note", "-f", "text=early", "--event-id", "parent"]);
    bench.emit(&["note", "-f", "text=x", "--parent", "nobody"]);
    assert_eq!(nodes(&graph(&bench, &[])).len(), 0);
    let all = graph(&bench, &["--events"]);
    let events = nodes(&all).into_iter().filter(|node| node.starts_with("event:")).count();
    assert_eq!(events, 4);
    assert!(edges(&all).contains(&"event:3 parent event:2".to_owned()), "{all}");
    assert_eq!(problems(&all), ["orphan event:4"]);
}

/// If this fails, a name from a log is read as syntax in a drawing.
#[test]
fn drawings() {
    let hostile = r#"{"type":"tool_call","data":{"runId":"R\"]; x","id":"tc\n1","name":"a\"] --> b[<script>","input":{}}}"#;
    let bench = run(&format!("{hostile}\n"));
    assert_eq!(
        bench.ok(&["graph", "r"]),
        "flowchart TD\n  n0([\"run R#34;]; x, open\"])\n  subgraph s1[\"Task 1: t1, running\"]\n    n1[\"a#34;] --#62; b[#60;script#62; #35;2, no result\"]\n  end\n  n0 --> n1\n"
    );
    let dot = bench.ok(&["graph", "r", "--format", "dot"]);
    assert!(dot.contains(r#"n1 [label="a\"] --> b[<script> #2, no result"];"#), "{dot}");
    assert!(dot.starts_with("digraph run {\n") && dot.ends_with("  n0 -> n1;\n}\n"), "{dot}");
    bench.ok(&["graph", "r", "-o", "graph.mmd"]);
    assert!(bench.path("graph.mmd").exists());
}

/// If this fails, two calls in one chain of lines, with their results, are reported as a cycle.
#[test]
fn calls_side_by_side_are_no_cycle() {
    let bench = Bench::with_run();
    let emit = |kind: &str, id: &str, call: &str, parent: Option<&str>| {
        let mut args = vec![kind, "--event-id", id, "--correlation-id", call, "-f", "tool_name=t"];
        args.extend(parent.into_iter().flat_map(|parent| ["--parent", parent]));
        bench.emit(&args);
    };
    emit("tool.started", "a1", "a", None);
    emit("tool.started", "b1", "b", Some("a1"));
    emit("tool.completed", "a2", "a", Some("b1"));
    emit("tool.completed", "b2", "b", Some("a2"));
    let graph = graph(&bench, &[]);
    assert!(problems(&graph).is_empty(), "{graph}");
    assert!(edges(&graph).contains(&"call:a parent call:b".to_owned()), "{graph}");
}

/// A run with two tasks: three reads in a row, a command that fails, and two edits.
fn two_tasks() -> Bench {
    let bench = Bench::with_run();
    let call = |id: &str, tool: &str, argument: &str, end: &str| {
        let id = ["--correlation-id", id];
        let start = ["tool.started", "-f", tool, "--data", argument];
        bench.emit(&[start.as_slice(), &id].concat());
        bench.emit(&[[end, "-f", tool].as_slice(), &id].concat());
    };
    bench.emit(&["message.user", "-f", "text=Find it"]);
    for (id, file) in [("a", "src/one.rs"), ("b", "src/two.rs"), ("c", "src/three.rs")] {
        let argument = format!(r#"{{"input":{{"file_path":"{file}"}}}}"#);
        call(id, "tool_name=Read", &argument, "tool.completed");
    }
    let test = r#"{"input":{"command":"cargo test"}}"#;
    call("d", "tool_name=Bash", test, "tool.failed");
    bench.emit(&["message.user", "-f", "text=Repair it"]);
    call("e", "tool_name=Bash", test, "tool.completed");
    bench
}

/// If this fails, a person cannot read the drawing: tasks, folded calls, failures.
#[test]
fn tasks_and_repeated_calls() {
    let drawn = two_tasks().ok(&["graph", "r"]);
    let lines: Vec<&str> = drawn.lines().map(str::trim).collect();
    for part in ["subgraph s1[\"Task 1: Find", "subgraph s2[\"Task 2: Repair it"] {
        assert!(lines.iter().any(|line| line.starts_with(part)), "{part} in {drawn}");
    }
    assert!(drawn.contains("[\"Read #215;3: one.rs, two.rs, three.rs #35;"), "{drawn}");
    let failed = lines.iter().find(|line| line.contains("Bash: cargo test")).unwrap();
    assert!(failed.contains(", failed") && failed.ends_with(":::failed"), "{drawn}");
    assert!(drawn.contains("classDef failed"), "{drawn}");
}

/// If this fails, `--all` folds calls, or a drawing has more boxes than `--limit` allows.
#[test]
fn limits_of_drawings() {
    let bench = two_tasks();
    let boxes = |args: &[&str]| {
        let drawn = bench.ok(&[&["graph", "r"], args].concat());
        let is_box = |line: &&str| line.trim().starts_with('n') && line.contains("[");
        (drawn.lines().filter(is_box).count(), drawn)
    };
    assert_eq!(boxes(&["--all"]).0, 6);
    assert_eq!(boxes(&[]).0, 4);
    let (count, drawn) = boxes(&["--limit", "3"]);
    assert!(count == 3 && drawn.contains("not drawn"), "{drawn}");
    let said = bench.call(&["graph", "r", "--limit", "3"]).err;
    assert!(said.contains("--all draws everything"), "{said}");
    bench.fails(2, &["graph", "r", "--limit", "2"]);
    bench.fails(2, &["graph", "r", "--all", "--limit", "5"]);
    // JSON is never folded.
    assert_eq!(graph(&bench, &["--limit", "3"]), graph(&bench, &["--all"]));
}

/// If this fails, `validate` tells of a cycle that `graph` does not.
#[test]
fn an_event_that_is_its_own_parent() {
    let bench = Bench::with_run();
    bench.emit(&["note", "-f", "text=x", "--event-id", "self", "--parent", "self"]);
    let text = bench.ok(&["graph", "r", "--events", "--format", "json"]);
    let graph: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(graph["problems"][0]["kind"], "cycle", "{text}");
}
