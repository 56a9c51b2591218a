//! `runlog import`: session files become runs.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::imports::{ASKED, MORE, ended, events, imported, session};
use crate::support::{Bench, fixture, shared};

/// If this fails, a session file does not become a run of its own, or importing it again adds to
/// the run.
#[test]
fn a_file_becomes_a_run_once() {
    let bench = Bench::new();
    session(&bench, "session.jsonl");
    let first = bench.json(&["import", "session.jsonl"]);
    let run = first["runs"][0]["run_id"].as_str().unwrap().to_owned();
    assert_eq!(first["runs"][0]["agent"], "claude-code");
    assert_eq!(first["runs"][0]["status"], "created");
    assert_eq!(first["runs"][0]["added"], 47);
    assert_eq!(first["runs"][0]["events"], 47);
    assert!(run.starts_with("claude-code-"), "{run}");
    let log = events(&bench, &run);
    assert_eq!(log[0]["type"], "run.created");
    assert_eq!(log[0]["data"]["metadata"]["agent"], "claude-code");
    assert_eq!(log[0]["session_id"], log[1]["session_id"]);
    assert_eq!(log.last().unwrap()["type"], "run.imported");
    let again = bench.json(&["import", "session.jsonl"]);
    assert_eq!(again["runs"][0]["status"], "unchanged");
    assert_eq!(again["runs"][0]["added"], 0);
    assert_eq!(events(&bench, &run), log);
    let verdict = bench.call(&["validate", &run, "--strict"]);
    assert_eq!(verdict.status, 0, "{}", verdict.out);
}

/// If this fails, a file that was cut while it was copied, and then imported whole, gives another
/// run than the whole file.
#[test]
fn a_cut_file_and_then_the_whole_is_the_whole() {
    let whole = Bench::new();
    session(&whole, "session.jsonl");
    let document = whole.json(&["import", "session.jsonl"]);
    let run = document["runs"][0]["run_id"].as_str().unwrap();
    let text = fixture("agent-session.jsonl");
    let mut at = 4001;
    for _ in 0..8 {
        let bench = Bench::new();
        session(&bench, "session.jsonl");
        fs::write(bench.path("session.jsonl"), &text[..at % text.len()]).unwrap();
        bench.ok(&["import", "session.jsonl"]);
        fs::write(bench.path("session.jsonl"), &text).unwrap();
        bench.ok(&["import", "session.jsonl"]);
        assert_eq!(imported(&bench, run), imported(&whole, run), "cut at {}", at % text.len());
        assert!(!bench.path(&format!("runs/{run}/logs/rejected.jsonl")).exists());
        at = at * 7 + 13;
    }
}

/// If this fails, lines that two files of a session share become two events with one id.
#[test]
fn files_that_share_lines_make_one_run() {
    let bench = Bench::new();
    session(&bench, "folder.jsonl");
    let text = fixture("agent-session.jsonl");
    fs::create_dir(bench.path("folder")).unwrap();
    let half = text.iter().rposition(|byte| *byte == b'{').unwrap();
    fs::write(bench.path("folder/a.jsonl"), &text).unwrap();
    fs::write(bench.path("folder/b.jsonl"), &text[..half / 2]).unwrap();
    bench.ok(&["import", "folder"]);
    let whole = Bench::new();
    session(&whole, "session.jsonl");
    whole.ok(&["import", "session.jsonl"]);
    let run = fs::read_dir(bench.path("runs")).unwrap().next().unwrap().unwrap().file_name();
    let run = run.to_str().unwrap();
    let ids = |bench: &Bench| -> Vec<_> {
        imported(bench, run).into_iter().map(|(id, kind, _)| (id, kind)).collect()
    };
    assert_eq!(ids(&bench), ids(&whole));
    assert_eq!(bench.call(&["validate", run, "--strict"]).status, 0);
}

/// If this fails, two values on one line hide each other, or the session that they name.
#[test]
fn two_values_on_a_line_are_two_lines() {
    let bench = Bench::new();
    fs::create_dir_all(bench.path("runs")).unwrap();
    let line = r#"{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"sea","timestamp":"2026-03-14T09:00:00Z","message":{"role":"user","content":"Sail"}}{"type":"user","uuid":"u2","parentUuid":"u1","sessionId":"sea","timestamp":"2026-03-14T09:00:01Z","message":{"role":"user","content":"Row"}}"#;
    fs::write(bench.path("glued.jsonl"), format!("{line}\n")).unwrap();
    bench.ok(&["import", "glued.jsonl"]);
    let texts: Vec<Value> = events(&bench, "claude-code-sea")
        .iter()
        .filter(|event| event["type"] == "message.user")
        .map(|event| event["data"]["text"].clone())
        .collect();
    assert_eq!(texts, ["Sail", "Row"]);
}

/// If this fails, text of no known format becomes a run, or leaves something behind.
#[test]
fn what_is_no_session_is_refused() {
    let bench = Bench::new();
    fs::create_dir_all(bench.path("runs")).unwrap();
    for (name, text, told) in [
        (
            "a.jsonl",
            "{\"level\":\"info\",\"msg\":\"hi\"}\n",
            "JSON objects with the fields level, msg",
        ),
        ("b.jsonl", "hello\nworld\n", "text that is not JSON"),
        ("x.jsonl", "{\"wor", "JSON that is cut off or broken"),
        ("y.jsonl", "\u{7f}ELF\0\u{1}\n", "bytes that are not text"),
        (
            "c.json",
            "{\n  \"name\": \"package\",\n  \"version\": \"1.0.0\"\n}\n",
            "fields name, version",
        ),
        ("d.jsonl", "", "it is empty"),
        ("e.jsonl", "{\"type\":\"note\",\"data\":{\"text\":\"x\"}}\n", "events of runlog"),
    ] {
        fs::write(bench.path(name), text).unwrap();
        let said = bench.call(&["import", name]);
        assert_eq!(said.status, 65, "{name}: {}", said.err);
        assert!(said.err.contains(told), "{name}: {}", said.err);
        let said = bench.feed(
            &["emit", "--create", "--run", "x", "--stdin", "--from", "auto"],
            text.as_bytes(),
        );
        let is_native = name == "e.jsonl" || name == "d.jsonl";
        assert_eq!(said.status, if is_native { 0 } else { 65 }, "{name}: {}", said.err);
        assert!(is_native || fs::read_dir(bench.path("runs")).unwrap().next().is_none(), "{name}");
    }
}

/// If this fails, a folder with many other files is answered with a warning for each, or the files
/// that a run holds beside its log are taken for sources.
#[test]
fn other_files_in_a_folder_are_one_warning() {
    let bench = Bench::new();
    for run in ["a", "b"] {
        bench.ok(&["emit", "run.created", "--create", "--run", run]);
        bench.ok(&["emit", "tool.started", "--run", run, "-f", "tool=Read"]);
        bench.ok(&["emit", "run.completed", "--run", run]);
    }
    for name in ["a", "b", "c", "d"] {
        fs::create_dir_all(bench.path(name)).unwrap();
        fs::write(bench.path(&format!("{name}/package.json")), r#"{"name": "x"}"#).unwrap();
    }
    // What people keep in a run is theirs.
    fs::create_dir_all(bench.path("runs/a/deliverables")).unwrap();
    fs::write(bench.path("runs/a/deliverables/x.json"), "[1]").unwrap();
    let said = bench.call(&["import", "."]);
    assert!(said.err.contains("./runs/a/deliverables/x.json is not imported"), "{}", said.err);
    fs::remove_file(bench.path("runs/a/deliverables/x.json")).unwrap();
    let said = bench.call(&["import", "."]);
    assert_eq!(
        said.err,
        "runlog: warning: ./runs/a/events.jsonl is not imported: it is the log of a run; `emit --stdin \
         --from runlog` copies it\n\
         runlog: warning: ./runs/b/events.jsonl is not imported: it is the log of a run; `emit --stdin \
         --from runlog` copies it\n\
         runlog: warning: 4 files like ./a/package.json are not imported: unknown format: JSON \
         objects with the fields name\n\
         runlog: there is nothing to import: no sessions in .\n"
    );
    assert_eq!(said.status, 1);
}

/// If this fails, `--latest` and `--all` do not find the sessions where agents keep them, or a
/// project without a runs directory gets one.
#[test]
fn sessions_are_found_where_agents_keep_them() {
    let bench = Bench::new();
    let project = bench.path("home/.claude/projects/-work");
    fs::create_dir_all(&project).unwrap();
    fs::create_dir_all(bench.path("work")).unwrap();
    fs::write(project.join("one.jsonl"), fixture("agent-session.jsonl")).unwrap();
    fs::write(project.join("notes.json"), "{\"a\":1}").unwrap();
    let call = |args: &[&str]| {
        let home = bench.path("home");
        let mut command = bench.command();
        command.current_dir(bench.path("work")).env("HOME", &home).args(args);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    for how in ["--latest", "--all"] {
        let document: Value =
            serde_json::from_str(&call(&["import", how, "--format", "json"])).unwrap();
        assert_eq!(document["runs"].as_array().unwrap().len(), 1);
        assert_eq!(document["skipped"].as_array().unwrap().len(), 0);
    }
    assert!(bench.path("home/.local/share/runlog/runs").is_dir());
    assert!(!bench.path("work/runs").exists());
    let listed: Value = serde_json::from_str(&call(&["list", "--format", "json"])).unwrap();
    assert_eq!(listed["runs"].as_array().unwrap().len(), 1);
}

/// If this fails, `--latest` takes a session of another project although this one has sessions.
#[test]
fn the_newest_session_of_this_project() {
    let bench = Bench::new();
    let folder = bench.path("home/.claude/projects/p");
    fs::create_dir_all(&folder).unwrap();
    fs::create_dir_all(bench.path("work")).unwrap();
    let work = bench.path("work").canonicalize().unwrap();
    for (id, directory, hours) in [("here", work.as_path(), 1), ("there", Path::new("/there"), 0)] {
        let line = json!({"type": "user", "sessionId": id, "uuid": "u1", "cwd": directory,
            "timestamp": "2026-05-01T10:00:00.000Z", "message": {"role": "user", "content": "Do it"}});
        let path = folder.join(format!("{id}.jsonl"));
        fs::write(&path, format!("{line}\n")).unwrap();
        let file = fs::File::options().append(true).open(&path).unwrap();
        let age = std::time::Duration::from_secs(3600 * hours);
        file.set_modified(std::time::SystemTime::now() - age).unwrap();
    }
    let call = |directory: &Path, args: &[&str]| {
        let mut command = bench.command();
        command.current_dir(directory).env("HOME", bench.path("home"));
        crate::support::said(&command.args(args).output().unwrap())
    };
    let said = call(&work, &["import", "--latest"]);
    assert!(said.out.contains("claude-code-here") && !said.out.contains("there"), "{}", said.out);
    assert!(!said.err.contains("no session began"), "{}", said.err);
    // The runs of all projects are in one directory.
    call(&work, &["import", "--all"]);
    for args in [&["summarize"][..], &["show", "--head"], &["transcript", "-o", "-"]] {
        let here = call(&work, args);
        assert_eq!(here.out, call(&work, &[args, &["claude-code-here"]].concat()).out, "{args:?}");
    }
    let elsewhere = call(&bench.path("home"), &["summarize", "latest"]);
    assert!(elsewhere.out.contains("claude-code-there"), "{}", elsewhere.out);
    // A gate does not pass because of another project's run.
    assert_eq!(call(&work, &["validate"]).status, 0);
    // The agent was started through a link.
    symlink(&work, bench.path("link")).unwrap();
    let linked = json!({"type": "user", "sessionId": "linked", "uuid": "u1",
        "cwd": bench.path("link"), "timestamp": "2026-05-02T10:00:00.000Z",
        "message": {"role": "user", "content": "Do it"}});
    fs::write(folder.join("linked.jsonl"), format!("{linked}\n")).unwrap();
    call(&work, &["import", "--all"]);
    let said = call(&bench.path("link"), &["validate"]);
    assert!(
        said.status == 0 && said.out.contains("claude-code-linked"),
        "{}{}",
        said.out,
        said.err
    );
    let elsewhere = call(&bench.path("home"), &["validate", "-q"]);
    assert_eq!((elsewhere.status, elsewhere.out.as_str()), (66, ""));
    assert!(elsewhere.err.contains("there is no run of this project"), "{}", elsewhere.err);
    assert_eq!(call(&bench.path("home"), &["validate", "claude-code-there"]).status, 0);
    // A run somewhere else in the repository belongs to this project, a run above it does not.
    let repository = bench.path("elsewhere");
    fs::create_dir_all(repository.join(".git")).unwrap();
    fs::create_dir_all(repository.join("sub/deep")).unwrap();
    let record = |name: &str, cwd: &Path| {
        let own = bench.path("home/.local/share/runlog/runs").display().to_string();
        let created = ["emit", "run.created", "--create", "--runs-dir", &own, "--run", name, "-f"];
        let cwd = format!("metadata.cwd={}", cwd.display());
        call(&repository, &[&created[..], &[&cwd]].concat());
        call(&repository, &["emit", "run.completed", "--runs-dir", &own, "--run", name]);
    };
    record("above", &bench.path("."));
    record("relative", Path::new("."));
    assert_eq!(call(&repository.join("sub"), &["validate"]).status, 66);
    record("inside", &repository.join("sub/deep"));
    let said = call(&repository, &["validate"]);
    assert!(said.status == 0 && said.out.contains("inside: passed"), "{}{}", said.out, said.err);
}

/// If this fails, a session of today's Claude Code loses prompts or interruptions, or takes them
/// for others.
#[test]
fn queued_prompts_and_interruptions() {
    let Some(vectors) = shared("vectors") else { return };
    let bench = Bench::new();
    fs::create_dir_all(bench.path("runs")).unwrap();
    let path = vectors.join("claude-code-mini.jsonl");
    let receipts = ["--format", "json", "--receipt", "receipt.json"];
    bench.ok(&[&["import", path.to_str().unwrap()], &receipts[..]].concat());
    let document: Value =
        serde_json::from_slice(&fs::read(bench.path("receipt.json")).unwrap()).unwrap();
    let receipt = &document["runs"][0]["receipt"];
    assert_eq!((&receipt["prompts"], &receipt["calls"]), (&3.into(), &1.into()));
    let types: Vec<Value> =
        events(&bench, "claude-code-s1").into_iter().map(|event| event["type"].clone()).collect();
    let interruptions = types.iter().filter(|kind| *kind == "user.interrupted").count();
    assert_eq!(interruptions, 1);
    let chapters: Value =
        serde_json::from_str(&bench.ok(&["chapter", "auto", "claude-code-s1"])).unwrap();
    assert_eq!(chapters[0]["name"], "fix: the thing");
}

/// If this fails, `--follow` misses what is written later, or leaves the run open.
#[test]
fn follow_takes_what_is_written_later() {
    use std::io::{BufRead as _, BufReader, Write as _};
    let bench = Bench::new();
    fs::create_dir_all(bench.path("runs")).unwrap();
    fs::write(bench.path("s.jsonl"), format!("{ASKED}\n")).unwrap();
    let mut child = bench
        .command()
        .args(["import", "s.jsonl", "--follow"])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || lines.next().map(Result::unwrap).unwrap_or_default();
    assert!(next().starts_with("RUN") && next().starts_with("claude-code-s "));
    let last = |bench: &Bench| {
        let log = events(bench, "claude-code-s");
        log.last().unwrap()["type"].as_str().unwrap().to_owned()
    };
    assert_eq!(last(&bench), "message.user");
    let file = fs::OpenOptions::new().append(true).open(bench.path("s.jsonl"));
    writeln!(file.unwrap(), "{MORE}").unwrap();
    assert_eq!(next(), "claude-code-s: 1 new event");
    let id = nix::unistd::Pid::from_raw(i32::try_from(child.id()).unwrap());
    nix::sys::signal::kill(id, nix::sys::signal::Signal::SIGINT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(last(&bench), "run.imported");
    bench.fails(2, &["import", "s.jsonl", "--follow", "--format", "json"]);
}

/// If this fails, the runs of a file with many runs are mixed, or some are lost.
#[test]
fn a_file_with_a_run_per_line_is_many_runs() {
    let bench = Bench::new();
    fs::create_dir_all(bench.path("runs")).unwrap();
    let line = |id: &str, task: &str| {
        json!({
            "instance_id": id, "instruction": task, "metadata": {"agent_class": "CodeActAgent"},
            "history": [
                {"id": 0, "timestamp": "2026-01-01T10:00:00", "source": "user", "action": "message", "args": {"content": task}},
                {"id": 1, "timestamp": "2026-01-01T10:00:01", "source": "agent", "action": "run", "args": {"command": "ls"},
                 "tool_call_metadata": {"tool_call_id": "c1", "function_name": "execute_bash"}},
                {"id": 2, "timestamp": "2026-01-01T10:00:02", "cause": 1, "source": "agent", "observation": "run", "content": "a.txt",
                 "tool_call_metadata": {"tool_call_id": "c1", "function_name": "execute_bash"}, "extras": {"metadata": {"exit_code": 0}}}
            ],
            "error": null, "test_result": {}
        })
    };
    let lines = [line("one", "fix a"), line("two", "fix b"), line("three", "fix c")];
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    fs::write(bench.path("output.jsonl"), text).unwrap();
    let done = bench.json(&["import", "output.jsonl"]);
    let mut runs: Vec<_> = done["runs"].as_array().unwrap().iter().collect();
    runs.sort_by_key(|run| run["run_id"].as_str().unwrap());
    let ids: Vec<_> = runs.iter().map(|run| run["run_id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["openhands-one", "openhands-three", "openhands-two"]);
    for (run, task) in ids.iter().zip(["fix a", "fix c", "fix b"]) {
        let state = bench.state(run);
        assert_eq!((&state["prompt"], &state["counts"]["tool_calls"]), (&task.into(), &1.into()));
        // Each run has the facts of its own line.
        let own = run.strip_prefix("openhands-").unwrap();
        assert_eq!(state["metadata"]["title"], own);
        assert_eq!(bench.call(&["validate", run, "--strict"]).status, 0);
    }
    let again = bench.json(&["import", "output.jsonl"]);
    assert!(again["runs"].as_array().unwrap().iter().all(|run| run["added"] == 0));
    // Another evaluation solves the same instance.
    for evaluation in ["a", "b", "a"] {
        let mut other = line("one", "fix a");
        other["metadata"]["eval_output_dir"] = evaluation.into();
        fs::write(bench.path("output.jsonl"), format!("{other}\n")).unwrap();
        bench.ok(&["import", "output.jsonl"]);
    }
    let list = bench.json(&["list"]);
    let of_one = list["runs"].as_array().unwrap().iter().filter(|run| {
        let is_one = run["run_id"].as_str().unwrap().starts_with("openhands-one");
        assert!(
            !is_one
                || (&run["counts"]["tool_calls"], &run["metadata"]["title"])
                    == (&1.into(), &"one".into())
        );
        is_one
    });
    assert_eq!(of_one.count(), 3);
}

/// If this fails, a new version of a format is read as if it were known.
#[test]
fn an_unknown_version_is_told() {
    let lines = [
        (
            r#"{"schema_version":"ATIF-v1.9","session_id":"a","agent":{"name":"x"},"steps":[{"step_id":1,"source":"user","message":"go"}]}"#,
            "ATIF-v1.9",
        ),
        (
            r#"{"type":"session","version":4,"id":"p","timestamp":"2026-01-01T10:00:00.000Z","cwd":"/x"}"#,
            "version 4",
        ),
        (
            r#"{"type":"session.start","data":{"sessionId":"c","version":2,"producer":"copilot-agent"},"id":"e1","timestamp":"2026-01-01T10:00:00.000Z","parentId":null}"#,
            "version 2",
        ),
    ];
    for (line, version) in lines {
        let bench = Bench::new();
        fs::create_dir_all(bench.path("runs")).unwrap();
        fs::write(bench.path("s.jsonl"), format!("{line}\n")).unwrap();
        let told = bench.call(&["import", "s.jsonl"]);
        assert!(told.status == 0 && told.err.contains(version), "{}", told.err);
        let known = line.replace("v1.9", "v1.8").replace(":4,", ":3,").replace(":2,", ":1,");
        fs::write(bench.path("s.jsonl"), known.replace("\"a\"", "\"b\"") + "\n").unwrap();
        assert!(!bench.call(&["import", "s.jsonl"]).err.contains("not known"));
    }
}

/// If this fails, a run of a source without times says that the work took as long as the import.
#[test]
fn a_source_without_times_has_no_times() {
    let bench = Bench::new();
    assert_eq!(ended(&bench, &[ASKED, MORE]).0, "imported");
    let state = bench.state("claude-code-s");
    for name in ["started_at", "ended_at", "duration_ms"] {
        assert_eq!(state[name], Value::Null, "{name}");
    }
    assert_eq!(state["imported"], true);
    let overview = bench.ok(&["summarize", "claude-code-s"]);
    assert!(!overview.contains("Started") && overview.contains("Recorded"), "{overview}");
}

/// If this fails, the list of touched files names files that were only read, or that a failed call
/// did not change.
#[test]
fn only_changed_files_are_touched() {
    let bench = Bench::new();
    let mut lines = vec![ASKED.to_owned()];
    let calls = [
        ("view", "/p/read.rs", false),
        ("str_replace", "/p/failed.rs", true),
        ("str_replace", "/p/changed.rs", false),
        ("create", "/p/new.rs", false),
    ];
    for (number, (command, path, failed)) in calls.iter().enumerate() {
        lines.push(format!(
            r#"{{"type":"assistant","session_id":"s","uuid":"a{number}","message":{{"role":"assistant","content":[{{"type":"tool_use","id":"c{number}","name":"str_replace_editor","input":{{"command":"{command}","path":"{path}"}}}}]}}}}"#
        ));
        lines.push(format!(
            r#"{{"type":"user","session_id":"s","uuid":"r{number}","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"c{number}","content":"x","is_error":{failed}}}]}}}}"#
        ));
    }
    ended(&bench, &lines.iter().map(String::as_str).collect::<Vec<_>>());
    let transcript = bench.json(&["transcript", "claude-code-s"]);
    let files = transcript["files"].to_string();
    assert!(files.contains("/p/changed.rs") && files.contains("/p/new.rs"), "{files}");
    assert!(!files.contains("/p/read.rs") && !files.contains("/p/failed.rs"), "{files}");
}

/// If this fails, a dry run does not say what it would import, or hides failures in a terminal.
#[test]
fn tables_of_an_import() {
    let bench = Bench::new();
    session(&bench, "a-session-with-a-rather-long-name-that-fills-a-line.jsonl");
    let import = |columns: &str, more: &[&str]| {
        let mut command = bench.command();
        command.args(["import", "a-session-with-a-rather-long-name-that-fills-a-line.jsonl"]);
        let output = command.args(more).env("COLUMNS", columns).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let width: usize = columns.parse().unwrap();
        assert!(text.lines().all(|line| line.chars().count() <= width), "{text}");
        text
    };
    let planned = import("60", &["--dry-run"]);
    assert!(planned.contains("yes") && planned.contains("fills-a-line.jsonl"), "{planned}");
    for columns in ["60", "80"] {
        let printed = import(columns, &[]);
        assert!(printed.contains("  FAIL") && printed.contains("  NEW"), "{printed}");
    }
    let planned = import("80", &["--dry-run"]);
    assert!(planned.contains("  no ") && planned.contains("SOURCE"), "{planned}");
}

/// If this fails, a session that a backup keeps under a second name is not read, or counts twice.
#[test]
fn a_session_file_with_two_names() {
    let bench = Bench::new();
    session(&bench, "session.jsonl");
    fs::create_dir(bench.path("backup")).unwrap();
    fs::hard_link(bench.path("session.jsonl"), bench.path("backup/session.jsonl")).unwrap();
    bench.ok(&["import", "backup"]);
    let run = fs::read_dir(bench.path("runs")).unwrap().next().unwrap().unwrap().file_name();
    let run = run.to_str().unwrap();
    let once = events(&bench, run);
    bench.ok(&["import", "session.jsonl", "backup"]);
    assert_eq!(events(&bench, run), once);
    assert_eq!(fs::read_dir(bench.path("runs")).unwrap().count(), 1);
}

/// If this fails, links in a folder are left out in silence, or are a warning each.
#[test]
fn links_in_a_folder_are_named() {
    let bench = Bench::new();
    session(&bench, "session.jsonl");
    fs::create_dir(bench.path("files")).unwrap();
    for name in ["a", "b", "c", "d"] {
        symlink("../session.jsonl", bench.path(&format!("files/{name}.jsonl"))).unwrap();
    }
    let said = bench.call(&["import", "files"]);
    assert_eq!(
        said.err,
        "runlog: warning: 4 files like files/a.jsonl are not imported: it is a symbolic link\n\
         runlog: there is nothing to import: no sessions in files\n"
    );
}

/// If this fails, a session that is named through a link is refused.
#[test]
fn a_link_to_a_session_file() {
    let bench = Bench::new();
    session(&bench, "session.jsonl");
    symlink("session.jsonl", bench.path("newest.jsonl")).unwrap();
    bench.ok(&["import", "newest.jsonl"]);
    let said = bench.call(&["import", "newest.jsonl", "session.jsonl", "--format", "json"]);
    let said: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!((said["runs"].as_array().unwrap().len(), &said["runs"][0]["added"]), (1, &json!(0)));
}

/// If this fails, the first event of a run lacks what the beginning of its session tells, or a long
/// prompt or many short lines before the answer hide the model or the directory.
#[test]
fn the_first_event_tells_what_the_beginning_of_the_session_tells() {
    let line = |number: usize, rest: Value| {
        let mut line = json!({"uuid": format!("u{number}"), "sessionId": "sea", "version": "2.0.9",
            "cwd": "/sea", "gitBranch": "tide",
            "timestamp": format!("2026-03-14T09:00:{number:02}Z")});
        line.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        format!("{line}\n")
    };
    let user = |text: String| json!({"type": "user", "parentUuid": null, "message": {"role": "user", "content": text}});
    let answer = json!({"type": "assistant", "parentUuid": "u0", "message": {"id": "m1", "role": "assistant",
        "model": "claude-opus-4-5", "content": [{"type": "text", "text": "Aye"}]}});
    for (short, length) in [(0, 10), (30, 10), (0, 100 << 10)] {
        let bench = Bench::new();
        fs::create_dir_all(bench.path("runs")).unwrap();
        let mut text = line(0, user("x".repeat(length)));
        for number in 1..=short {
            text += &line(number, json!({"type": "mode", "mode": "normal"}));
        }
        text += &line(short + 1, answer.clone());
        fs::write(bench.path("sea.jsonl"), text).unwrap();
        bench.ok(&["import", "sea.jsonl"]);
        let metadata = &events(&bench, "claude-code-sea")[0]["data"]["metadata"];
        assert_eq!(metadata["cwd"], "/sea", "{short} {length}");
        assert_eq!(metadata["git_branch"], "tide", "{short} {length}");
        assert_eq!(metadata["agent_version"], "2.0.9", "{short} {length}");
        let state = bench.state("claude-code-sea");
        assert_eq!(state["metadata"]["model"], "claude-opus-4-5", "{short} {length}");
        if length == 10 && short == 0 {
            assert_eq!(metadata["model"], "claude-opus-4-5");
        }
    }
}

/// If this fails, two sessions become one run, and nobody sees that its numbers are a sum.
#[test]
fn another_session_in_a_run_is_told() {
    let bench = Bench::new();
    let session = |id: &str| {
        let lines = [
            json!({"type": "thread.started", "thread_id": id}),
            json!({"type": "turn.completed",
                "usage": {"input_tokens": 5, "output_tokens": 1}}),
        ];
        let text = lines.map(|line| line.to_string()).join("\n") + "\n";
        fs::write(bench.path(id), text).unwrap();
        bench.call(&["import", id, "--from", "codex", "--run", "job"])
    };
    for (id, told) in [("one", false), ("one", false), ("two", true)] {
        let said = session(id);
        assert_eq!(said.status, 0, "{}", said.err);
        let message = "the run holds the session one: the session two is added to it";
        assert_eq!(said.err.contains(message), told, "{id}: {}", said.err);
    }
}

/// If this fails, an import of all sessions reads again what has not changed, or misses what has: a file
/// that grew, that is new, that was written again, or whose run is gone.
#[test]
fn what_has_not_changed_is_not_read() {
    let bench = Bench::new();
    let line = |session: &str, at: usize, text: &str| {
        json!({"type": "user", "sessionId": session, "uuid": format!("{session}-{at}"), "parentUuid": null,
            "timestamp": format!("2026-03-01T10:00:{at:02}Z"),
            "message": {"role": "user", "content": text}}).to_string() + "\n"
    };
    let put = |name: &str, text: &str| {
        let path = bench.path(&format!("home/.claude/projects/p/{name}.jsonl"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    fs::create_dir_all(bench.path("runs")).unwrap();
    let call = |args: &[&str]| {
        let mut command = bench.command();
        command.env_remove("XDG_STATE_HOME").env("HOME", bench.path("home")).args(args);
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    // The sessions that were read, and the number of the others.
    let import = || {
        let said: Value =
            serde_json::from_str(&call(&["import", "--all", "--format", "json"])).unwrap();
        let runs = said["runs"].as_array().unwrap().iter();
        let mut ids: Vec<_> =
            runs.map(|run| run["session_id"].as_str().unwrap().to_owned()).collect();
        ids.sort();
        (ids.join(" "), said["unchanged"].as_u64().unwrap())
    };
    let nothing = |unchanged| assert_eq!(import(), (String::new(), unchanged));
    put("a", &line("a", 1, "one"));
    put("b", &line("b", 1, "one"));
    assert_eq!(import(), ("a b".to_owned(), 0));
    nothing(2);
    assert_eq!(call(&["import", "--all"]), "2 sessions, nothing new\n");
    put("a", &(line("a", 1, "one") + &line("a", 2, "two")));
    assert_eq!(import(), ("a".to_owned(), 1));
    // As long as before.
    put("a", &(line("a", 1, "one") + &line("a", 2, "TWO")));
    assert_eq!(import(), ("a".to_owned(), 1));
    put("c", &line("c", 1, "one"));
    assert_eq!(import(), ("c".to_owned(), 2));
    // A new sub-agent, and a new file of another name, of a session that has not changed.
    put("b/subagents/agent-1", &line("b", 5, "look"));
    assert_eq!(import(), ("b".to_owned(), 2));
    put("copy", &(line("c", 1, "one") + &line("c", 2, "two")));
    assert_eq!(import(), ("c".to_owned(), 2));
    nothing(3);
    fs::remove_dir_all(bench.path("runs/claude-code-c")).unwrap();
    assert_eq!(import(), ("c".to_owned(), 2));
    fs::write(bench.path("runs/claude-code-a/events.jsonl"), "").unwrap();
    assert_eq!(import(), ("a".to_owned(), 2));
    let state = bench.path("home/.local/state/runlog");
    let memory = fs::read_dir(&state).unwrap().next().unwrap().unwrap().path();
    for text in ["{", ""] {
        fs::write(&memory, text).unwrap();
        assert_eq!(import(), ("a b c".to_owned(), 0));
    }
}
