//! `runlog mcp` as a process: its streams, its end, and the configuration that starts it.

use std::process::Command;

use serde_json::{Value, json};

use crate::support::mcp::{Server, note, opening, record, two_runs};
use crate::support::{Bench, root};

/// If this fails, a line that is no message ends the server or gets no answer.
#[test]
fn garbage_is_answered() {
    let bench = two_runs();
    let mut server = Server::raw(bench.command().args(["mcp", "r"]));
    let refused = |server: &mut Server, line: &[u8], code: i32, id: Value| {
        server.write(line);
        let (_, told) = server.line();
        assert_eq!((&told["error"]["code"], &told["id"]), (&json!(code), &id), "{told}");
    };
    // Before a session, the SDK takes only requests.
    server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    server.send(&json!({"jsonrpc": "2.0", "id": 7, "result": {}}));
    refused(&mut server, b"garbage\n", -32700, Value::Null);
    refused(&mut server, b"{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":7}\n", -32600, json!(3));
    let early = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}\n";
    refused(&mut server, early, -32602, json!(1));
    server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    assert!(server.ask("ping", &json!({}))["result"].is_object());
    assert!(server.ask("initialize", &opening())["result"].is_object());
    refused(&mut server, b"\xff\xfe\n", -32700, Value::Null);
    refused(&mut server, b"[]\n", -32600, Value::Null);
    refused(&mut server, b"{\"jsonrpc\":\"2.0\",\"id\":\"a\"}\n", -32600, json!("a"));
    refused(&mut server, b"{\"id\":4,\"method\":\"ping\"}\n", -32600, json!(4));
    refused(&mut server, &[&b"[".repeat(5000)[..], b"\n"].concat(), -32700, Value::Null);
    refused(
        &mut server,
        b"{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"a/b\"}\r\n",
        -32601,
        json!(5),
    );
    server.write(b"\n  \n\r\n");
    server.ok("session_load", json!({"event_id": "n1"}));
    // A line without an end is no message.
    server.write(b"{\"jsonrpc\":");
    let (status, out, _) = server.close();
    assert_eq!(status, Some(0), "{out}");
    assert!(out.contains("-32700"), "{out}");
}

/// If this fails, requests that were sent before the end of the input get no answer.
#[test]
fn the_end_of_the_input_waits_for_answers() {
    let bench = two_runs();
    let mut input = vec![json!({"id": 0, "method": "initialize", "params": opening()})];
    for id in 1..=200 {
        let call = json!({"name": "session_search", "arguments": {"query": "zebra"}});
        input.push(json!({"id": id, "method": "tools/call", "params": call}));
    }
    let line = |mut message: Value| {
        message["jsonrpc"] = "2.0".into();
        format!("{message}\n")
    };
    let input: String = input.into_iter().map(line).collect();
    let said = bench.feed(&["mcp", "r"], input.as_bytes());
    assert_eq!(said.status, 0, "{}", said.err);
    let mut ids: Vec<u64> = said
        .out
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["id"].as_u64().unwrap())
        .collect();
    ids.sort_unstable();
    assert_eq!(ids, (0..=200).collect::<Vec<_>>());
    // No session at all is no error.
    let said = bench.feed(&["mcp", "r"], b"");
    assert_eq!((said.status, said.out.as_str()), (0, ""), "{}", said.err);
}

/// If this fails, a server that is told to end stays.
#[test]
fn signals_end_it() {
    let bench = two_runs();
    for (signal, status) in [("TERM", 143), ("INT", 130)] {
        let mut server = Server::start(&bench, &["r"]);
        let id = server.child.id().to_string();
        assert!(Command::new("kill").args(["-s", signal, &id]).status().unwrap().success());
        assert_eq!(server.child.wait().unwrap().code(), Some(status), "{signal}");
    }
}

/// If this fails, a configuration does not start the server, or starts it for another run.
#[test]
fn configurations_start_the_server() {
    let bench = two_runs();
    let config = |args: &[&str]| bench.ok(&[&["mcp"], args].concat());
    let json = |args: &[&str]| -> Value { serde_json::from_str(&config(args)).unwrap() };
    let runs = bench.path("runs").canonicalize().unwrap().display().to_string();
    let servers = |document: Value, list: &str| document[list]["runlog"].clone();
    let generic = servers(json(&["--print-config"]), "mcpServers");
    assert_eq!(generic["args"], json!(["mcp", "latest", "--runs-dir", runs]));
    assert_eq!(generic["type"], Value::Null);
    let cursor = servers(json(&["--print-config", "cursor"]), "mcpServers");
    assert_eq!(cursor, generic);
    let claude = servers(json(&["r", "--print-config", "claude-code"]), "mcpServers");
    assert_eq!((&claude["type"], &claude["args"][1]), (&json!("stdio"), &json!("r")));
    let code = servers(json(&["r", "--all-runs", "--print-config=vscode"]), "servers");
    assert_eq!(code["args"], json!(["mcp", "r", "--runs-dir", runs, "--all-runs"]));
    let codex: toml::Table = config(&["r", "--print-config", "codex"]).parse().unwrap();
    let codex = &codex["mcp_servers"]["runlog"];
    assert_eq!(codex["command"].as_str(), claude["command"].as_str());
    assert_eq!(codex["args"].as_array().unwrap().len(), 4);
    // It works from another directory, without the environment.
    let args = code["args"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap());
    let mut command = Command::new(code["command"].as_str().unwrap());
    let mut server = Server::raw(command.args(args).current_dir("/").env_clear());
    server.ask("initialize", &opening());
    let found = server.ok("session_search", json!({"query": "zebra", "scope": "all"}));
    assert_eq!(found["total"], 3);
    assert_eq!(server.close().0, Some(0));
    let short = json(&["oth", "--print-config"])["mcpServers"]["runlog"]["args"][1].clone();
    assert_eq!(short, "other");
    // A path is made absolute. A mistake is found now, not by the client.
    let path = json(&["runs/r", "--print-config"])["mcpServers"]["runlog"]["args"][1].clone();
    assert_eq!(path, format!("{runs}/r"));
    bench.fails(66, &["mcp", "missing", "--print-config"]);
    bench.fails(66, &["mcp", "missing"]);
    bench.fails(2, &["mcp", "--print-config", "emacs"]);
    // The newest run may come later.
    assert_eq!(Bench::new().call(&["mcp", "--print-config"]).status, 0);
}

/// If this fails, a real client cannot use the server. RUNLOG_TEST_PYTHON names a Python with the
/// package `mcp`.
#[test]
fn a_real_client_uses_it() {
    let Some(python) = std::env::var_os("RUNLOG_TEST_PYTHON") else {
        let skipped = "SKIPPED: set RUNLOG_TEST_PYTHON to a Python that has the package mcp\n";
        let _ = std::io::Write::write_all(&mut std::io::stderr(), skipped.as_bytes());
        return;
    };
    let bench = two_runs();
    let long: String = (0..9000).map(|at| format!("row {at}: a zebra\n")).collect();
    record(&bench, "r", &[note("long", &long)]);
    let mut client = Command::new(python);
    client.arg(root().join("tests/mcp_client.py")).arg(env!("CARGO_BIN_EXE_runlog"));
    client.arg(bench.path("runs")).args(["r", "other", "long"]);
    let said = crate::support::said(&client.output().unwrap());
    assert_eq!(said.status, 0, "{}{}", said.out, said.err);
    assert_eq!(said.out.lines().last(), Some("closed"), "{}", said.out);
}

/// If this fails, the server of a session that begins reads another session, or does not start
/// because nothing is recorded yet.
#[test]
fn the_newest_run_is_looked_for_at_the_first_call() {
    let bench = Bench::new();
    let mut server = Server::start(&bench, &["latest"]);
    let search = || json!({"query": "zebra"});
    let early = server.call("session_search", search()).error.unwrap();
    assert!(early.contains("as soon as a run is recorded"), "{early}");
    bench.ok(&["emit", "run.created", "--run", "first"]);
    record(&bench, "first", &[note("n1", "a zebra")]);
    assert_eq!(server.ok("session_search", search())["total"], 1);
    bench.ok(&["emit", "run.created", "--run", "second"]);
    record(&bench, "second", &[note("n1", "a zebra"), note("n2", "a zebra")]);
    assert_eq!(server.ok("session_search", search())["total"], 1);
    assert_eq!(server.close().0, Some(0));
    // The directory may come later too.
    let mut server = Server::start(&bench, &["--runs-dir", "missing"]);
    let early = server.call("session_search", search()).error.unwrap();
    assert!(early.contains("missing does not exist"), "{early}");
    assert_eq!(server.close().0, Some(0));
}
