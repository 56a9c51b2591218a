//! The settings files: which one counts, and that one beside data can neither run a command nor
//! keep a command waiting.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::time::Duration;

use crate::support::{Bench, Said, said};

/// A command that fills in one summary, and leaves a file.
const ASKED: &str =
    r#"touch asked; sed -n 's/^{"event_id":"\([^"]*\)".*/{"event_id":"\1","summary":"asked"}/p'"#;

/// A run with an event whose summary only a model can fill in.
fn with_pending() -> Bench {
    let bench = Bench::with_run();
    bench.emit(&["response", "--event-id", "e", "-f", "text=x"]);
    bench
}

fn quoted(key: &str, command: &str) -> String {
    format!("{key} = '''{command}'''\n")
}

/// Writes the user's own file, which the calls of [`own`] read.
fn write_own(bench: &Bench, text: &str) {
    fs::create_dir_all(bench.path("config/runlog")).unwrap();
    fs::write(bench.path("config/runlog/config.toml"), text).unwrap();
}

/// Calls the program as a user with a settings file of their own.
fn own(bench: &Bench, args: &[&str], variables: &[(&str, &str)]) -> Said {
    let mut command = bench.command();
    command.args(args).env("XDG_CONFIG_HOME", bench.path("config")).env("PATH", "/usr/bin:/bin");
    said(&command.envs(variables.iter().copied()).output().unwrap())
}

/// If this fails, whoever made a directory of runs runs a command on the machine of everyone who
/// looks at it.
#[test]
fn a_file_beside_data_cannot_name_a_command() {
    let bench = with_pending();
    let text = quoted("llm_cmd", ASKED) + &quoted("agent_cmd", ASKED) + &quoted("pager", ASKED);
    fs::write(bench.path("runlog.toml"), text).unwrap();
    write_own(&bench, "");
    for args in [
        &["summarize", "r"] as &[&str],
        &["show", "r"],
        &["transcript", "r", "--format", "text"],
        &["validate", "r", "--expect-status", "any"],
        &["chapter", "index", "r"],
    ] {
        let said = own(&bench, args, &[]);
        assert_eq!(said.status, 0, "{args:?}: {}", said.err);
        let told = "runlog.toml: llm_cmd and agent_cmd and pager are ignored";
        assert_eq!(said.err.matches(told).count(), 1, "{args:?}: {}", said.err);
        assert!(said.err.contains("config/runlog/config.toml"), "{}", said.err);
    }
    let said = own(&bench, &["chapter", "run", "r", "--trigger", "1"], &[]);
    assert_eq!(said.status, 2, "{}", said.err);
    assert!(said.err.contains("--agent-cmd is missing"), "{}", said.err);
    assert!(!bench.path("asked").exists());
}

/// If this fails, the command in the user's own file is not used, or does not give way to an
/// option or a variable.
#[test]
fn commands_come_from_an_option_a_variable_or_the_users_own_file() {
    let answer = |word: &str| ASKED.replace("\"asked\"", &format!("\"{word}\""));
    let summary = |bench: &Bench| {
        let shown = bench.ok(&["show", "r", "--format", "jsonl", "--type", "response"]);
        serde_json::from_str::<serde_json::Value>(&shown).unwrap()["summary"].clone()
    };
    let (option, variable) = (answer("option"), answer("variable"));
    for (args, variables, wanted) in [
        (vec!["--llm-cmd", &option], vec![("RUNLOG_LLM_CMD", variable.as_str())], "option"),
        (vec![], vec![("RUNLOG_LLM_CMD", variable.as_str())], "variable"),
        (vec![], vec![], "own"),
    ] {
        let bench = with_pending();
        write_own(&bench, &quoted("llm_cmd", &answer("own")));
        let said = own(&bench, &[&["summarize", "r"], args.as_slice()].concat(), &variables);
        assert_eq!(said.status, 0, "{}", said.err);
        assert_eq!(summary(&bench), wanted);
    }
}

/// If this fails, the agent that folds chapters cannot be named once for all calls.
#[test]
fn the_agent_can_be_in_the_users_own_file() {
    let agent = "touch asked; cat > /dev/null; echo []";
    let run = ["chapter", "run", "r", "--trigger", "1"];
    for variables in [&[] as &[(&str, &str)], &[("RUNLOG_AGENT_CMD", agent)]] {
        let bench = Bench::with_run();
        for kind in ["task.started", "task.completed", "run.completed"] {
            bench.emit(&[kind, "-f", "message=look"]);
        }
        bench.emit(&["llm.usage", "-F", "input_tokens=9"]);
        write_own(&bench, if variables.is_empty() { "agent_cmd = '''AGENT'''" } else { "" });
        let path = bench.path("config/runlog/config.toml");
        fs::write(&path, fs::read_to_string(&path).unwrap().replace("AGENT", agent)).unwrap();
        let said = own(&bench, &run, variables);
        assert_eq!(said.status, 0, "{}", said.err);
        assert!(bench.path("asked").exists(), "{}", said.err);
    }
}

/// If this fails, the runs directory is not the one that the highest-ranking setting names.
#[test]
fn the_runs_directory_can_be_set() {
    let bench = Bench::new();
    fs::write(bench.path("runlog.toml"), "runs_dir = \"beside/runs\"\n").unwrap();
    bench.ok(&["emit", "run.created", "--run", "r"]);
    assert!(bench.path("beside/runs/r/events.jsonl").exists());
    let mine = bench.path("own/runs");
    write_own(&bench, &format!("runs_dir = {mine:?}\n"));
    let create = ["emit", "run.created", "--run", "r"];
    assert_eq!(own(&bench, &create, &[]).status, 0);
    assert!(mine.join("r/events.jsonl").exists());
    assert_eq!(own(&bench, &create, &[("RUNLOG_RUNS_DIR", "variable")]).status, 0);
    assert!(bench.path("variable/r/events.jsonl").exists());
    let option = [&create as &[&str], &["--runs-dir", "option"]].concat();
    assert_eq!(own(&bench, &option, &[("RUNLOG_RUNS_DIR", "variable")]).status, 0);
    assert!(bench.path("option/r/events.jsonl").exists());
}

/// If this fails, a settings file that is no plain file makes every command beside it wait, or
/// use up the memory.
#[test]
fn a_settings_file_is_a_small_plain_file() {
    let bench = Bench::with_run();
    let path = bench.path("runlog.toml");
    fs::write(bench.path("elsewhere.toml"), "expected_status = \"any\"\n").unwrap();
    let fifo = || nix::unistd::mkfifo(&path, nix::sys::stat::Mode::S_IRWXU).unwrap();
    let makes: [(&str, &dyn Fn()); 5] = [
        ("a FIFO", &fifo),
        ("a link", &|| symlink("elsewhere.toml", &path).unwrap()),
        ("a link to a device", &|| symlink("/dev/zero", &path).unwrap()),
        ("too large", &|| fs::write(&path, "#".repeat((1 << 20) + 1)).unwrap()),
        ("a directory", &|| fs::create_dir(&path).unwrap()),
    ];
    for (what, make) in makes {
        make();
        for args in
            [&["validate", "r"] as &[&str], &["list"], &["show", "r"], &["emit", "x", "--run", "r"]]
        {
            let mut child = bench
                .command()
                .args(args)
                .stdout(std::process::Stdio::piped())
                .stderr(std::process::Stdio::piped())
                .spawn()
                .unwrap();
            let waits = (0..600).find(|_| {
                std::thread::sleep(Duration::from_millis(20));
                child.try_wait().unwrap().is_some()
            });
            if waits.is_none() {
                child.kill().unwrap();
            }
            let said = said(&child.wait_with_output().unwrap());
            assert_eq!(said.status, 77, "{what}, {args:?}: {}", said.err);
            assert!(said.err.contains("runlog.toml"), "{what}: {}", said.err);
            // A broken settings file hides no run.
            assert_eq!(args[0] == "list", said.out.contains('r'), "{what}: {}", said.out);
        }
        if path.is_dir() {
            fs::remove_dir(&path).unwrap();
        } else {
            fs::remove_file(&path).unwrap();
        }
    }
    assert_eq!(bench.lines().len(), 1);
}

/// If this fails, a mistake in a settings file goes unnoticed in the commands that do not need it.
#[test]
fn a_mistake_in_a_settings_file_is_told_with_its_place() {
    let bench = Bench::with_run();
    for (text, place) in [
        ("prices = 'a.toml'\nruns_dir = 1\n", "runlog.toml: line 2, column 12"),
        ("nonsense", "runlog.toml: line 1, column"),
        ("unknown = 1\n", "runlog.toml: line 1, column 1"),
        (
            "\nexpected_status = 'done'\n",
            "runlog.toml: line 2, column 19: \"done\" is not a status",
        ),
    ] {
        fs::write(bench.path("runlog.toml"), text).unwrap();
        for args in [
            &["validate", "r"] as &[&str],
            &["list"],
            &["show", "r"],
            &["transcript", "r"],
            &["graph", "r"],
            &["chapter", "list", "r"],
            &["summarize", "--all"],
            &["emit", "note", "--run", "r", "-f", "text=x"],
        ] {
            let said = bench.call(args);
            assert_eq!(said.status, 65, "{text:?}, {args:?}: {}", said.err);
            assert!(said.err.contains(place), "{text:?}, {args:?}: {}", said.err);
        }
    }
    // The user's own file is judged alike; it may be a link, as dotfile managers make them.
    fs::remove_file(bench.path("runlog.toml")).unwrap();
    write_own(&bench, "");
    fs::remove_file(bench.path("config/runlog/config.toml")).unwrap();
    symlink(bench.path("mine.toml"), bench.path("config/runlog/config.toml")).unwrap();
    for (text, status) in [("expected_status = 'any'", 0), ("", 5), ("x", 65), ("\u{0}", 65)] {
        fs::write(bench.path("mine.toml"), text).unwrap();
        let said = own(&bench, &["validate", "r"], &[]);
        assert_eq!(said.status, status, "{text:?}: {}", said.err);
    }
    fs::write(bench.path("mine.toml"), b"# \xff\n").unwrap();
    let said = own(&bench, &["validate", "r"], &[]);
    assert_eq!(said.status, 65, "{}", said.err);
}

/// If this fails, a run that is named by its path is checked without the rules for secrets that its
/// project has, and passes.
#[test]
fn the_settings_of_a_run_that_is_named_by_its_path() {
    let bench = Bench::new();
    fs::create_dir_all(bench.path("project/runs")).unwrap();
    let rule = "[secret_rules.corp]\nprefix = \"mycorp_\"\npattern = \"mycorp_[A-Za-z0-9]{16,}\"\n";
    fs::write(bench.path("project/runlog.toml"), rule).unwrap();
    let runs = ["--runs-dir", "project/runs"];
    for event in [
        &["emit", "run.created", "--run", "r"][..],
        &["emit", "note", "--no-redact", "-f", "text=mycorp_ABCDEF0123456789abcdef", "--run", "r"],
        &["emit", "run.completed", "--run", "r"],
    ] {
        bench.ok(&[event, &runs].concat());
    }
    let absolute = bench.path("project/runs/r").display().to_string();
    for run in ["./project/runs/r", "project/runs/r/", &absolute] {
        let said = bench.call(&["validate", run]);
        assert!(said.status == 1 && said.out.contains("RL903"), "{run}: {}", said.out);
    }
    let variable = [("RUNLOG_RUN", "./project/runs/r")];
    let said = own(&bench, &["validate", "--expect-status", "any"], &variable);
    assert!(said.status == 1 && said.out.contains("RL903"), "{}", said.out);
    let said = bench.call(&["validate", "r", "--runs-dir", "project/runs"]);
    assert!(said.status == 1 && said.out.contains("RL903"), "{}", said.out);
    // The words after `--` are another program's.
    let said = bench.call(&["exec", "--run-new", "--", "ls", "project/runs/r"]);
    assert_eq!(said.status, 0, "{}", said.err);
}

/// If this fails, the settings of one project judge the runs of another: a run passes, or a
/// secret.
#[test]
fn runs_with_different_settings_are_not_judged_together() {
    let bench = Bench::new();
    for (project, expected) in [("one", "completed"), ("two", "imported")] {
        let runs = format!("{project}/runs");
        bench.ok(&["emit", "run.created", "--run", project, "--runs-dir", &runs]);
        bench.ok(&["emit", "run.completed", "--run", project, "--runs-dir", &runs]);
        let text = format!("expected_status = \"{expected}\"\n");
        fs::write(bench.path(&format!("{project}/runlog.toml")), text).unwrap();
    }
    let status = |args: &[&str]| bench.command().args(args).output().unwrap().status.code();
    assert_eq!(status(&["validate", "one/runs/one"]), Some(0));
    assert_eq!(status(&["validate", "two/runs/two"]), Some(5));
    for command in ["validate", "summarize"] {
        let said = bench.fails(2, &[command, "one/runs/one", "two/runs/two"]);
        assert!(said.contains("different settings"), "{said}");
    }
    // A name, and a path into another project.
    let mut command = bench.command();
    command.current_dir(bench.path("two")).args(["validate", "two", "../one/runs/one"]);
    assert_eq!(command.output().unwrap().status.code(), Some(2));
    // The same settings.
    fs::copy(bench.path("one/runlog.toml"), bench.path("two/runlog.toml")).unwrap();
    assert_eq!(status(&["validate", "one/runs/one", "two/runs/two"]), Some(0));
}

/// If this fails, a project's settings send what is recorded to one directory, and commands that read
/// look in another: a failed run is not seen.
#[test]
fn one_runs_directory_for_all_commands() {
    let bench = Bench::new();
    let home = bench.path("home");
    let (project, below) = (bench.path("project"), bench.path("project/src"));
    fs::create_dir_all(home.join(".local/share/runlog/runs")).unwrap();
    fs::create_dir_all(&below).unwrap();
    fs::write(project.join("runlog.toml"), "runs_dir = \"data/mine\"\n").unwrap();
    let session = bench.path("session.jsonl");
    let output = "{\"type\":\"thread.started\",\"thread_id\":\"t\"}\n\
                  {\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}\n";
    fs::write(&session, output).unwrap();
    let call = |directory: &Path, args: &[&str]| {
        let mut command = bench.command();
        said(&command.current_dir(directory).env("HOME", &home).args(args).output().unwrap())
    };
    for kind in ["run.created", "run.failed"] {
        assert_eq!(call(&project, &["emit", kind, "--run", "r"]).status, 0);
    }
    for directory in [&project, &below] {
        assert_eq!(call(directory, &["list", "--format", "ids"]).out, "r\n");
        assert_eq!(call(directory, &["validate", "--all"]).status, 5);
    }
    assert_eq!(call(&below, &["import", session.to_str().unwrap()]).status, 0);
    assert_eq!(fs::read_dir(project.join("data/mine")).unwrap().count(), 2);
    // Settings without a runs directory change nothing.
    fs::write(project.join("runlog.toml"), "").unwrap();
    assert_eq!(call(&project, &["list", "--format", "ids"]).out, "");
}
