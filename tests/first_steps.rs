//! What somebody meets who does not know the program yet: wrong words, shortened names, runs in
//! another place, the newest run.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::json;

use crate::support::{Bench, root};

/// If this fails, a wrong word gets a suggestion that is far from it, or a message that misleads.
#[test]
fn wrong_words() {
    let bench = Bench::with_run();
    let cases = [
        (&["validte"][..], "did you mean `validate`?"),
        (&["impot"], "did you mean `import`?"),
        (&["list", "-n", "-5"], "use a whole number that is not negative"),
        (&["transcript", "a", "b"], "'b' is too much: one run is named already"),
        (&["validate", "--all", "r"], "--all takes all runs; leave out RUN, or --all"),
        (&["summarize", "--all", "r"], "--all takes all runs; leave out RUN, or --all"),
    ];
    for (args, told) in cases {
        let error = bench.fails(2, args);
        assert!(error.contains(told), "{args:?}: {error}");
    }
    // A run in the variable is no run that was typed.
    let mut call = bench.command();
    let said = call.args(["summarize", "--all"]).env("RUNLOG_RUN", "r").output().unwrap();
    assert!(said.status.success(), "{said:?}");
}

/// If this fails, the names in a table on a terminal cannot be used.
#[test]
fn a_shortened_name_names_its_run() {
    let bench = Bench::new();
    for run in ["the-session-of-monday", "the-session-of-tuesday"] {
        bench.ok(&["emit", "run.created", "--run", run]);
    }
    let shown = bench.ok(&["show", "the…tuesday", "--format", "jsonl"]);
    assert!(shown.contains("\"run_id\":\"the-session-of-tuesday\""), "{shown}");
    // Its end may be left out, too.
    let shown = bench.ok(&["show", "the…of-t", "--format", "jsonl"]);
    assert!(shown.contains("\"run_id\":\"the-session-of-tuesday\""), "{shown}");
    assert!(bench.fails(66, &["show", "the…day"]).contains("the-session-of-monday"));
    assert!(bench.fails(66, &["show", "the…wednesday"]).contains("there is no run"));
}

/// If this fails, the first run of the list is not the one that commands take without RUN, or work of
/// last week that began earlier, or has no times, is hidden.
#[test]
fn the_newest_run_is_the_first_of_the_list() {
    let bench = Bench::new();
    let record = |run: &str, began: &str, ended: &str| {
        let at = |kind: &str, time: &str| json!({"type": kind, "timestamp": time}).to_string();
        let lines =
            [at("run.created", began), at("run.started", began), at("run.completed", ended)];
        let lines = lines.join("\n") + "\n";
        bench.feed(&["emit", "--stdin", "--create", "--run", run], lines.as_bytes());
    };
    record("old", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z");
    record("long", "2026-02-01T00:00:00Z", "2026-02-20T00:00:00Z");
    // The output of `codex exec` has no times.
    let stream = "{\"type\":\"thread.started\",\"thread_id\":\"t\"}\n\
                  {\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}\n";
    fs::write(bench.path("stream.jsonl"), stream).unwrap();
    bench.ok(&["import", "stream.jsonl"]);
    let ids = |more: &[&str]| -> Vec<String> {
        let args = [&["list", "--format", "ids"][..], more].concat();
        bench.ok(&args).lines().map(str::to_owned).collect()
    };
    assert_eq!(ids(&[]), ["codex-t", "long", "old"]);
    let latest = bench.ok(&["show", "latest", "--format", "jsonl"]);
    assert!(latest.contains("\"run_id\":\"codex-t\""), "{latest}");
    assert_eq!(ids(&["--since", "2026-02-10"]), ["codex-t", "long"]);
    assert_eq!(ids(&["--until", "2026-02-10"]), ["long", "old"]);
    // Its age is that of the recording.
    let ages = bench.ok(&["list", "--columns", "run,age"]);
    assert!(ages.contains("codex-t") && !ages.contains('–'), "{ages}");
    let days = bench.ok(&["stats", "--since", "1h", "--by", "day", "--format", "json"]);
    assert!(days.contains("\"input_tokens\":1") && !days.contains("\"day\":null"), "{days}");
}

/// If this fails, a page has another format than its name says, or nobody sees of which run it is.
#[test]
fn a_page_has_the_format_of_its_name() {
    let bench = Bench::with_run();
    for (name, begins) in
        [("p.html", "<!DOCTYPE"), ("p.json", "{"), ("p.md", "# Run"), ("p", "# Run")]
    {
        let said = bench.call(&["transcript", "-o", name]);
        assert!(said.err.contains(&format!("wrote {name}, the transcript of r")), "{}", said.err);
        let text = fs::read_to_string(bench.path(name)).unwrap();
        assert!(text.starts_with(begins), "{name}: {text}");
    }
    bench.ok(&["transcript", "-o", "p.html", "--format", "markdown"]);
    assert!(fs::read_to_string(bench.path("p.html")).unwrap().starts_with("# Run"));
}

/// If this fails, a session that is read as another agent's becomes a run without anything in it.
#[test]
fn a_session_of_another_agent_is_refused() {
    let bench = Bench::new();
    let session = root().join("fixtures/agent-session.jsonl");
    // The gateway has the type `user`, too.
    for given in ["codex", "gateway"] {
        let error = bench.fails(65, &["import", "--from", given, session.to_str().unwrap()]);
        let told = format!("nothing in it is of {given}; it looks like claude-code");
        assert!(error.contains(&told) && !error.contains("known formats"), "{error}");
    }
    assert_eq!(bench.call(&["list"]).out, "");
}

/// If this fails, a recording command says that a run does not exist which every other command shows.
#[test]
fn a_run_above_is_named() {
    let bench = Bench::with_run();
    let inner = bench.path("src");
    fs::create_dir(&inner).unwrap();
    for args in [&["emit", "note", "--run", "r"][..], &["exec", "--run", "r", "--", "true"]] {
        let mut call = bench.command();
        call.env_remove("RUNLOG_RUNS_DIR").current_dir(&inner);
        let said = crate::support::said(&call.args(args).output().unwrap());
        assert_eq!(said.status, 66, "{}", said.err);
        assert!(said.err.contains("runs: add --runs-dir "), "{}", said.err);
    }
}

/// If this fails, a file that two requirements name is missing twice.
#[test]
fn a_file_is_missing_once() {
    let bench = Bench::created(&["-F", "deliverables.required=[\"report.md\"]"]);
    bench.emit(&["run.completed"]);
    let said = bench.call(&["validate", "r", "--require", "report.md:min=200"]);
    assert_eq!(said.out.matches("deliverables/report.md: missing").count(), 1, "{}", said.out);
    assert_eq!(said.out.matches("deliverable report.md").count(), 2, "{}", said.out);
}

/// If this fails, a folder that cannot be opened is an empty one. (Root can open every folder.)
#[test]
fn a_locked_folder_is_named() {
    let bench = Bench::new();
    let locked = bench.path("locked");
    fs::create_dir(&locked).unwrap();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o000)).unwrap();
    let is_root = fs::read_dir(&locked).is_ok();
    let said = bench.call(&["import", "locked"]);
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o700)).unwrap();
    if is_root {
        assert_eq!(said.status, 1, "{}", said.err);
        assert!(said.err.contains("nothing to import: no sessions in locked"), "{}", said.err);
    } else {
        assert_eq!(said.status, 77, "{}", said.err);
        assert!(said.err.contains("locked is not imported: cannot open it"), "{}", said.err);
    }
}
