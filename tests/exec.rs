//! `exec`: runs a command unchanged and records it.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

use crate::support::{Bench, fixture, json_lines, put_executable, said};

fn exec(bench: &Bench, options: &[&str], script: &str) -> Command {
    let mut command = bench.command();
    command.args(["exec", "--run", "r"]).args(options).args(["--", "/bin/sh", "-c", script]);
    command.env("PATH", "/usr/local/bin:/usr/bin:/bin");
    command
}

/// The last event of that type.
fn last(bench: &Bench, kind: &str) -> Value {
    let lines = bench.lines();
    let line = lines.iter().rev().find(|line| line["type"] == kind);
    line.unwrap_or_else(|| panic!("no {kind} in {lines:?}")).clone()
}

/// Runs a command with output and errors in one pipe. Returns its status and the bytes.
fn together(mut command: Command) -> (i32, String) {
    let (mut reader, writer) = std::io::pipe().unwrap();
    command.stdout(writer.try_clone().unwrap()).stderr(writer);
    let child = command.spawn().unwrap();
    drop(command);
    let mut both = String::new();
    reader.read_to_string(&mut both).unwrap();
    (wait(child), both)
}

/// How long a wait may take before it counts as a hang. On a busy disk, a sync takes many seconds.
const HANG: Duration = Duration::from_secs(120);

/// Waits for a child, which must end without a signal from here.
fn wait(mut child: Child) -> i32 {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code().unwrap_or(-1);
        }
        if started.elapsed() > HANG {
            child.kill().unwrap();
            panic!("it hangs");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn wait_for(path: &Path) {
    let started = Instant::now();
    while !path.exists() {
        assert!(started.elapsed() < HANG, "{} never came", path.display());
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Bytes of every kind, including newlines and NULs.
fn noise(length: usize) -> Vec<u8> {
    let mut state = 12_345_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    (0..length).map(|_| next()).collect()
}

/// If this fails, a command's input or output is changed on the way.
#[test]
fn streams_pass_byte_for_byte() {
    let bench = Bench::with_run();
    let bytes = noise(3_000_000);
    fs::write(bench.path("noise"), &bytes).unwrap();
    for options in [&[][..], &["--from", "auto"]] {
        let mut child = exec(&bench, options, "cat; cat noise >&2; cat noise")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        let given = bytes.clone();
        let writer = std::thread::spawn(move || input.write_all(&given).unwrap());
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        assert_eq!(output.status.code(), Some(0));
        assert!(output.stdout == [&bytes[..], &bytes].concat(), "{options:?}: stdout differs");
        assert!(output.stderr.starts_with(&bytes), "{options:?}: stderr differs");
        if options.is_empty() {
            assert_eq!(output.stderr.len(), bytes.len(), "runlog wrote to it");
        }
    }
}

/// If this fails, output and errors are in another order than the command wrote them.
#[test]
fn interleaving_is_kept() {
    let bench = Bench::with_run();
    let script = "for i in 1 2 3 4 5 6 7 8 9; do echo out $i; echo err $i >&2; done; exit 2";
    let (status, both) = together(exec(&bench, &[], script));
    assert_eq!(status, 2);
    let expected: String = (1..10).map(|i| format!("out {i}\nerr {i}\n")).collect();
    assert_eq!(both, expected);
    let file = File::create(bench.path("both")).unwrap();
    let status = exec(&bench, &[], script).stdout(file.try_clone().unwrap()).stderr(file).status();
    assert_eq!(status.unwrap().code(), Some(2));
    assert_eq!(fs::read_to_string(bench.path("both")).unwrap(), expected);
    let error = &last(&bench, "tool.failed")["data"]["error"];
    assert_eq!(error["message"], "exit status 2: err 9");
}

/// If this fails, a script gets the wrong exit status, or the record has another one.
#[test]
fn statuses_and_records() {
    let bench = Bench::with_run();
    for status in [0, 1, 2, 65, 70, 255] {
        let output = exec(&bench, &[], &format!("echo why >&2; exit {status}")).output().unwrap();
        assert_eq!(output.status.code(), Some(status));
        let kind = if status == 0 { "tool.completed" } else { "tool.failed" };
        let end = last(&bench, kind);
        let start = last(&bench, "tool.started");
        assert_eq!(end["data"]["exit_code"], status);
        assert_eq!(end["correlation_id"], start["event_id"]);
        assert_eq!(start["data"]["tool_name"], "sh");
        assert!(end["data"]["duration_ms"].is_u64());
        assert_eq!(
            start["data"]["args_summary"]["command"],
            format!("/bin/sh -c 'echo why >&2; exit {status}'")
        );
        if status != 0 {
            assert_eq!(end["data"]["error"]["details"]["stderr_tail"], "why");
        }
    }
    for (signal, name) in [("KILL", "SIGKILL"), ("TERM", "SIGTERM"), ("SEGV", "SIGSEGV")] {
        let output = exec(&bench, &[], &format!("kill -{signal} $$")).output().unwrap();
        let number = name.parse::<Signal>().unwrap() as i32;
        assert_eq!(output.status.code(), Some(128 + number));
        let end = last(&bench, "tool.failed");
        assert_eq!(end["data"]["signal"], name);
        assert_eq!(end["data"]["exit_code"], 128 + number);
    }
    let run = |arguments: &[&str]| {
        bench.call(&[&["exec", "--run", "r", "--tool", "x", "--"], arguments].concat())
    };
    let missing = run(&["./no-such-command"]);
    assert_eq!(missing.status, 127);
    assert!(missing.err.contains("does not exist"), "{}", missing.err);
    assert_eq!(last(&bench, "tool.failed")["data"]["tool_name"], "x");
    assert_eq!(run(&["./runs"]).status, 126);
    fs::write(bench.path("plain"), "exit 9").unwrap();
    assert_eq!(run(&["./plain"]).status, 126);
    put_executable(&bench.path("script"), b"exit 9");
    assert_eq!(run(&["./script"]).status, 9, "a script without #! is a shell's");
    let tools = json_lines(&bench.path("runs/r/logs/tools.jsonl"));
    assert_eq!(tools.len(), 2 * 13);
    assert_eq!(bench.call(&["validate", "r"]).status, 0);
}

/// If this fails, a command cannot be stopped through runlog, or starts with blocked signals.
#[test]
fn signals_reach_the_command() {
    let bench = Bench::with_run();
    for (signal, status) in [(Signal::SIGTERM, 21), (Signal::SIGINT, 22), (Signal::SIGHUP, 23)] {
        let script = "trap 'echo got; exit 21' TERM; trap 'exit 22' INT; trap 'exit 23' HUP; \
                      : >ready; while :; do sleep 0.05; done";
        let _ = fs::remove_file(bench.path("ready"));
        let child = exec(&bench, &[], script).stdout(Stdio::null()).spawn().unwrap();
        wait_for(&bench.path("ready"));
        kill(Pid::from_raw(child.id() as i32), signal).unwrap();
        assert_eq!(wait(child), status, "{signal}");
        assert_eq!(last(&bench, "tool.failed")["data"]["exit_code"], status);
    }
    // A command that does not handle the signal dies of it, and runlog reports that.
    let _ = fs::remove_file(bench.path("ready"));
    let child = exec(&bench, &[], ": >ready; exec sleep 60").spawn().unwrap();
    wait_for(&bench.path("ready"));
    kill(Pid::from_raw(child.id() as i32), Signal::SIGTERM).unwrap();
    assert_eq!(wait(child), 128 + 15);
    // The command starts with the original signal settings: nothing blocked, SIGPIPE at its
    // default.
    let script = "grep -E 'Sig(Blk|Ign)' /proc/self/status";
    let within = exec(&bench, &[], script).output().unwrap().stdout;
    let direct = Command::new("/bin/sh").args(["-c", script]).output().unwrap().stdout;
    assert_eq!(String::from_utf8(within).unwrap(), String::from_utf8(direct).unwrap());
}

/// If this fails, a background process of the command blocks the script, or is cut off.
#[test]
fn what_is_left_behind_is_not_waited_for() {
    let bench = Bench::with_run();
    let hold = |name: &str| format!("while [ ! -e {name} ]; do sleep 0.02; done");
    for (options, stream) in [(&[][..], 2), (&["--from", "auto"], 1)] {
        let (mut reader, writer) = std::io::pipe().unwrap();
        let script = format!("({}; echo late >&{stream}) & echo now >&{stream}", hold("go"));
        let mut command = exec(&bench, options, &script);
        command.args([""]).stdin(Stdio::null());
        match stream {
            1 => command.stdout(writer).stderr(Stdio::null()),
            _ => command.stdout(Stdio::null()).stderr(writer),
        };
        let child = command.spawn().unwrap();
        drop(command);
        assert_eq!(wait(child), 0, "it waited for a process in the background");
        fs::write(bench.path("go"), "").unwrap();
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        assert!(text.contains("now") && text.contains("late"), "{stream}: {text:?}");
        fs::remove_file(bench.path("go")).unwrap();
    }
    // A stream that is closed early does not mean that the command has ended.
    let started = Instant::now();
    let output = exec(&bench, &["--from", "auto"], "exec >&- 2>&-; sleep 0.3; exit 4").output();
    assert_eq!(output.unwrap().status.code(), Some(4));
    assert!(started.elapsed() >= Duration::from_millis(300));
}

/// If this fails, standard error is written into lines of standard output.
#[test]
fn recorded_output_and_errors_share_a_pipe_by_lines() {
    let bench = Bench::with_run();
    let line = format!("{{\"type\":\"note\",\"data\":{{\"text\":\"{}\"}}}}\n", "x".repeat(9000));
    fs::write(bench.path("line"), &line).unwrap();
    let script = "for i in 1 2 3 4 5 6 7 8 9 10; do cat line; echo progress >&2; done";
    let (status, both) = together(exec(&bench, &["--from", "native", "--quiet"], script));
    assert_eq!(status, 0);
    assert_eq!(both.lines().filter(|line| *line == "progress").count(), 10);
    assert_eq!(both.split_inclusive('\n').filter(|other| *other == line).count(), 10);
    assert_eq!(bench.lines().iter().filter(|line| line["type"] == "note").count(), 10);
}

/// If this fails, output without a newline delays standard error.
#[test]
fn a_prompt_does_not_hold_up_errors() {
    let bench = Bench::with_run();
    let (mut reader, writer) = std::io::pipe().unwrap();
    let script = "printf 'name? '; echo first >&2; echo second >&2; until [ -e go ]; do sleep 0.02; done; echo ok";
    let mut command = exec(&bench, &["--from", "native", "--quiet"], script);
    command.stdout(writer.try_clone().unwrap()).stderr(writer);
    let child = command.spawn().unwrap();
    drop(command);
    let mut seen = Vec::new();
    while !seen.ends_with(b"second\n") {
        let mut some = [0; 100];
        let read = reader.read(&mut some).unwrap();
        assert!(read > 0, "{}", String::from_utf8_lossy(&seen));
        seen.extend_from_slice(&some[..read]);
    }
    fs::write(bench.path("go"), "").unwrap();
    assert_eq!(wait(child), 0);
}

/// If this fails, a parent that ignores SIGCHLD hides how the command ended.
#[test]
fn ended_children_may_be_ignored() {
    let bench = Bench::with_run();
    let program = format!(
        "$SIG{{CHLD}} = 'IGNORE'; exec '{}', 'exec', '--run', 'r', '--', '/bin/sh', '-c', 'exit 3'",
        env!("CARGO_BIN_EXE_runlog")
    );
    let output = Command::new("perl").args(["-e", &program]).current_dir(bench.path(".")).output();
    match output {
        Ok(output) => assert_eq!(output.status.code(), Some(3)),
        Err(_) => drop(writeln!(std::io::stderr(), "SKIPPED: perl is missing")),
    }
}

/// If this fails, an ignored signal loses part of the output.
#[test]
fn ignored_signals_stay_ignored() {
    let bench = Bench::with_run();
    let script = format!(
        "trap '' HUP INT TERM; exec {} exec --run r -- /bin/sh -c 'yes 0123456789 | head -c 140000 >&2; : >ready'",
        env!("CARGO_BIN_EXE_runlog")
    );
    let mut child = Command::new("/bin/sh")
        .args(["-c", &script])
        .current_dir(bench.path("."))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stderr = child.stderr.take().unwrap();
    std::thread::sleep(Duration::from_millis(400));
    for signal in [Signal::SIGHUP, Signal::SIGINT, Signal::SIGTERM] {
        kill(Pid::from_raw(child.id() as i32), signal).unwrap();
    }
    std::thread::sleep(Duration::from_millis(200));
    let mut all = String::new();
    stderr.read_to_string(&mut all).unwrap();
    assert_eq!(wait(child), 0);
    assert_eq!(all, "0123456789\n".repeat(20_000)[..140_000]);
}

/// If this fails, a reader that closes the pipe blocks the command, or the closed pipe is hidden
/// from it.
#[test]
fn a_reader_may_go_away() {
    let bench = Bench::with_run();
    for options in [&[][..], &["--from", "auto"]] {
        let mut child = exec(&bench, options, "yes")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut some = [0; 10];
        child.stdout.take().unwrap().read_exact(&mut some).unwrap();
        assert_eq!(wait(child), 128 + 13, "{options:?}");
    }
}

/// If this fails, a wrong option runs the command without a record.
#[test]
fn mistakes_stop_it_before_the_command() {
    let bench = Bench::with_run();
    let touch = ["--", "/usr/bin/touch", "touched"];
    for (status, options) in [
        (2, &["--run", "r", "--nonsense"][..]),
        (2, &["--run", "../r"]),
        (2, &["--run", "r", "--from", "latin"]),
        (2, &["--run", "r", "--no-source"]),
        (2, &["--run", "r", "--task", "a\nb"]),
        (2, &[]),
        (66, &["--run", "nowhere"]),
        (66, &["--run", "r", "--secret-rules", "nowhere.toml"]),
        (73, &["--run", "r", "--run-new"]),
    ] {
        bench.fails(status, &[&["exec"], options, &touch].concat());
        assert!(!bench.path("touched").exists(), "{options:?}");
    }
    bench.fails(2, &["exec", "--run", "r"]);
    assert_eq!(bench.lines().len(), 1);
}

/// If this fails, an error in recording changes what the command does or sees, or is hidden from
/// the script.
#[test]
fn trouble_with_recording_only_warns() {
    let damage = "echo spoiled >>runs/r/events.jsonl; echo out; echo err >&2";
    for (script, status) in [(damage.to_owned(), 70), (format!("{damage}; exit 5"), 5)] {
        let bench = Bench::with_run();
        let said = said(&exec(&bench, &[], &script).output().unwrap());
        assert_eq!(said.status, status, "{}", said.err);
        assert_eq!(said.out, "out\n");
        assert!(said.err.starts_with("err\n") && said.err.contains("not recorded"), "{}", said.err);
    }
    let bench = Bench::with_run();
    let script = "rm -r runs; echo out";
    let gone = said(&exec(&bench, &["--from", "auto"], script).output().unwrap());
    assert_eq!((gone.status, gone.out.as_str()), (70, "out\n"), "{}", gone.err);
    assert!(!bench.path("runs").exists(), "the run came back");
    // If the log is locked at the start, events are written at the end.
    let bench = Bench::with_run();
    let holder = File::open(bench.log_path()).unwrap();
    holder.lock().unwrap();
    let child = exec(
        &bench,
        &["--lock-timeout", "200ms"],
        ": >ready; until [ -e go ]; do sleep 0.02; done",
    )
    .stderr(Stdio::null())
    .spawn()
    .unwrap();
    wait_for(&bench.path("ready"));
    holder.unlock().unwrap();
    fs::write(bench.path("go"), "").unwrap();
    assert_eq!(wait(child), 0);
    assert_eq!(last(&bench, "tool.completed")["data"]["exit_code"], 0);
    assert!(
        last(&bench, "tool.started")["timestamp"].as_str()
            < last(&bench, "tool.completed")["timestamp"].as_str()
    );
}

/// If this fails, an agent under `exec --from` is recorded only in part, or its output is changed.
#[test]
fn output_is_recorded_on_its_way() {
    let bench = Bench::with_run();
    let session = fixture("agent-session.jsonl");
    fs::write(bench.path("session"), &session).unwrap();
    let options = ["--from", "claude-code", "--receipt", "receipt.json"];
    let said = exec(&bench, &options, "cat session; exit 3").output().unwrap();
    assert_eq!(said.status.code(), Some(3));
    assert!(said.stdout == session);
    let direct = Bench::with_run();
    let fed = direct.feed(&["emit", "--run", "r", "--stdin", "--from", "claude-code"], &session);
    assert_eq!(fed.status, 0);
    let types = |bench: &Bench| -> Vec<String> {
        let lines = bench.lines();
        let types = lines.iter().map(|line| line["type"].as_str().unwrap().to_owned());
        types.filter(|kind| !["tool.started", "tool.failed"].contains(&kind.as_str())).collect()
    };
    assert_eq!(types(&bench), types(&direct));
    assert_eq!(bench.lines().last().unwrap()["type"], "tool.failed");
    let receipt: Value =
        serde_json::from_slice(&fs::read(bench.path("receipt.json")).unwrap()).unwrap();
    assert_eq!(receipt["rejected"], 0);
    assert_eq!(bench.call(&["validate", "r"]).status, 0);
}

/// If this fails, the command cannot record events in its own run.
#[test]
fn the_command_finds_its_run() {
    let bench = Bench::with_run();
    let script = format!("cd / && exec {} emit note -f text=within", env!("CARGO_BIN_EXE_runlog"));
    assert_eq!(exec(&bench, &[], &script).output().unwrap().status.code(), Some(0));
    let types: Vec<Value> = bench.lines().iter().map(|line| line["type"].clone()).collect();
    assert_eq!(types, ["run.created", "tool.started", "note", "tool.completed"]);
}

/// If this fails, a run for one command lacks its beginning, its end or its name.
#[test]
fn a_run_for_one_command() {
    let bench = Bench::new();
    let said = bench.call(&["-q", "exec", "--run-new", "--", "/bin/sh", "-c", "exit 0"]);
    assert_eq!(said.status, 0, "{}", said.err);
    let id = said.err.trim().strip_prefix("runlog: run ").unwrap().to_owned();
    let lines = json_lines(&bench.path(&format!("runs/{id}/events.jsonl")));
    let types: Vec<Value> = lines.iter().map(|line| line["type"].clone()).collect();
    assert_eq!(
        types,
        ["run.created", "run.started", "tool.started", "tool.completed", "run.completed"]
    );
    assert_eq!(bench.call(&["validate", &id, "--strict"]).status, 0);
    assert_eq!(bench.call(&["exec", "--run-new", "--run", "mine", "--", "/bin/false"]).status, 1);
    let state = bench.state("mine");
    assert_eq!(state["status"], "failed");
    assert_eq!(state["metadata"]["command"], "/bin/false");
    assert!(bench.path("runs/mine/transcript.md").exists());
}

/// If this fails, a run is completed although the session that the command printed failed.
#[test]
fn a_run_ends_as_the_session_in_its_output() {
    let bench = Bench::new();
    let failed = r#"{"type":"turn.failed","error":{"message":"no credit"}}"#;
    let script =
        format!("echo '{{\"type\":\"thread.started\",\"thread_id\":\"t\"}}'; echo '{failed}'");
    let call = |options: &[&str]| {
        let command = ["--from", "codex", "--", "/bin/sh", "-c", &script];
        bench.call(&[&["exec"], options, &command].concat())
    };
    assert_eq!(call(&["--run-new", "--run", "mine"]).status, 0);
    let state = bench.state("mine");
    assert_eq!(
        (&state["status"], &state["error"]["message"]),
        (&"failed".into(), &"no credit".into())
    );
    assert_eq!(bench.call(&["validate", "mine", "--expect-status", "completed"]).status, 5);
    // In a run that goes on, a warning says it.
    bench.ok(&["emit", "run.created", "--run", "open"]);
    let told = "by its own log, the session failed (no credit); to end the run the same way: `runlog emit \
                run.failed --run open -f error.message=…`";
    let said = call(&["--run", "open"]);
    assert!(said.status == 0 && said.err.contains(told), "{}", said.err);
    let input = format!("{failed}\n");
    let emit = ["emit", "--run", "open", "--stdin", "--from", "codex"];
    let said = bench.feed(&emit, input.as_bytes());
    assert!(said.status == 0 && said.err.contains(told), "{}", said.err);
    let status = |run: &str| bench.state(run)["status"].take();
    assert_eq!(status("open"), "running");
    // Or the run ends so by itself.
    let more = input.replace("no credit", "still no credit");
    let said = bench.feed(&[&emit[..], &["--end-run"]].concat(), more.as_bytes());
    assert!(said.status == 0 && !said.err.contains("by its own log,"), "{}", said.err);
    assert_eq!(status("open"), "failed");
    bench.ok(&["emit", "run.created", "--run", "unknown"]);
    let emit = ["emit", "--run", "unknown", "--stdin", "--from", "codex", "--end-run"];
    let begun = r#"{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"hi"}}"#;
    assert_eq!(bench.feed(&emit, format!("{begun}\n").as_bytes()).status, 0);
    assert_eq!(status("unknown"), "imported");
    bench.fails(2, &["emit", "note", "--run", "open", "--end-run"]);
}

/// If this fails, a secret from a command line or an error message gets into the log.
#[test]
fn secrets_on_the_command_line_and_in_errors() {
    let bench = Bench::with_run();
    let key = format!("AKIA{}", "A1B2C3D4E5F6G7H8");
    let script = format!(
        "echo {key} >&2; head -c 100000 /dev/zero | tr '\\0' x >&2; echo >&2; echo {key} >&2; exit 1"
    );
    let output = exec(&bench, &[], &script).env("TOKEN", &key).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains(&key), "the stream was touched");
    let log = bench.log();
    assert!(!log.contains(&key[..12]), "{log}");
    let end = last(&bench, "tool.failed");
    let tail = end["data"]["error"]["details"]["stderr_tail"].as_str().unwrap().to_owned();
    assert!(tail.ends_with("[REDACTED:aws-access-key-id]"), "{tail}");
    assert_eq!(end["data"]["_redactions"], 1);
    assert_eq!(last(&bench, "tool.started")["data"]["_redactions"], 2);
}

/// If this fails, what a wrapped script records is not tied to the command that recorded it, or is
/// tied to an event of another run.
#[test]
fn what_a_command_records_has_its_call_as_parent() {
    let bench = Bench::with_run();
    bench.ok(&["emit", "run.created", "--run", "other"]);
    let script = "\
        runlog emit note -f text=inner; runlog emit note --parent given -f text=own;
        runlog emit note --run other -f text=elsewhere; runlog exec --tool inner -- true";
    let said =
        exec(&bench, &["--tool", "outer"], &script.replace("runlog", env!("CARGO_BIN_EXE_runlog")))
            .output();
    assert_eq!(said.unwrap().status.code(), Some(0));
    let lines = json_lines(&bench.log_path());
    let find = |what: &dyn Fn(&&Value) -> bool| lines.iter().find(what).unwrap();
    let started = |tool: &str| {
        find(&|line| line["type"] == "tool.started" && line["data"]["tool_name"] == tool)
    };
    let note = |text: &str| find(&|line| line["data"]["text"] == text);
    let outer = &started("outer")["event_id"];
    assert_eq!(&note("inner")["parent_event_id"], outer);
    assert_eq!(note("own")["parent_event_id"], "given");
    assert_eq!(&started("inner")["parent_event_id"], outer);
    assert_eq!(started("outer")["parent_event_id"], Value::Null);
    let other = json_lines(&bench.path("runs/other/events.jsonl"));
    assert_eq!(other.last().unwrap()["parent_event_id"], Value::Null);
}

/// If this fails, a run for one command passes without the file that it must leave, or a misspelt
/// condition is found after the command has run.
#[test]
fn a_run_for_one_command_can_require_deliverables() {
    let bench = Bench::new();
    let run = ["exec", "--run-new", "--run", "r", "--deliverable", "a.md:min=2"];
    assert_eq!(bench.call(&[&run[..], &["--", "true"]].concat()).status, 0);
    let gate = bench.call(&["validate", "r"]);
    assert_eq!(gate.status, 3, "{}", gate.out);
    assert!(gate.out.contains("a.md"), "{}", gate.out);
    let outside = &["--run-new", "--deliverable", "out/a.md:min=2"][..];
    let misspelt = &["--run-new", "--deliverable", "a.md:mn=2"][..];
    for bad in [outside, misspelt, &["--deliverable", "a.md"]] {
        let said =
            bench.call(&[&["exec", "--run", "s"], bad, &["--", "touch", "touched"]].concat());
        assert_eq!(said.status, 2, "{}", said.err);
    }
    assert!(!bench.path("touched").exists() && !bench.path("runs/s").exists());
}

/// If this fails, output that could not be written is lost, and the exit status says that all is
/// well.
#[test]
fn output_to_a_full_disk_is_told() {
    let bench = Bench::with_run();
    for more in [&["--from", "native"][..], &["--capture"]] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut command = bench.command();
        command.args(["exec", "--run", "r"]).args(more);
        command.args(["--", "echo", r#"{"type":"note","data":{"text":"x"}}"#]).stdout(full);
        let said = command.output().unwrap();
        let error = String::from_utf8(said.stderr).unwrap();
        assert_eq!(said.status.code(), Some(74), "{error}");
        assert!(error.contains("the output could not be written: No space left"), "{error}");
    }
}

/// If this fails, a run of an agent's output without times is in no period: its cost is missing in
/// that of the week.
#[test]
fn output_without_times_has_those_of_its_command() {
    let lines = [
        r#"{"type":"system","subtype":"init","session_id":"s","model":"m","tools":[]}"#,
        r#"{"type":"assistant","session_id":"s","uuid":"u","message":{"id":"m1","role":"assistant","model":"m","content":[{"type":"text","text":"Done."}],"usage":{"input_tokens":5,"output_tokens":2}}}"#,
        r#"{"type":"result","subtype":"success","is_error":false,"session_id":"s","result":"Done.","total_cost_usd":0.5}"#,
    ];
    let output = lines.join("\n") + "\n";
    let bench = Bench::new();
    fs::write(bench.path("output"), &output).unwrap();
    let exec = ["exec", "--run-new", "--run", "a", "--from", "claude-code", "--", "cat", "output"];
    bench.ok(&exec);
    let emit = ["emit", "--stdin", "--create", "--from", "claude-code", "--run", "b", "--end-run"];
    assert_eq!(bench.feed(&emit, output.as_bytes()).status, 0);
    // Without a command, the work is found by the time of its recording.
    assert_eq!(bench.ok(&["list", "--since", "1h", "--format", "ids"]), "b\na\n");
    let piped = bench.state("b");
    assert!(piped["started_at"].is_null() && piped["ended_at"].is_null(), "{piped}");
    let state = bench.state("a");
    assert!(state["started_at"].is_string() && state["duration_ms"].is_u64(), "{state}");
    let days = bench.ok(&["stats", "a", "--by", "day", "--format", "json"]);
    assert!(!days.contains("null,\"requests\"") && days.contains("202"), "{days}");
}
