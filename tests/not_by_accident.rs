//! What `validate` must not pass over: files that lead elsewhere, claims that are not of a model,
//! parts of values that readers see, and options that leave nothing to check.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use crate::support::Bench;

/// A run with an exported chapter.
fn chaptered() -> Bench {
    let bench = Bench::new();
    bench.ok(&["emit", "run.created", "--run", "r"]);
    bench.ok(&["emit", "task.started", "--run", "r", "-f", "message=hi"]);
    bench.ok(&["emit", "note", "--run", "r", "-f", "text=x"]);
    bench.ok(&["emit", "run.completed", "--run", "r"]);
    let add = ["chapter", "add", "r", "--start", "1", "--end", "1", "--name", "One"];
    bench.ok(&[&add[..], &["--message", "Tests failed."]].concat());
    bench.ok(&["chapter", "export", "r"]);
    bench
}

fn writable(path: &Path) {
    #[expect(clippy::permissions_set_readonly_false, reason = "in a test's own directory")]
    let open = |path: &Path| {
        let mut permissions = path.metadata().unwrap().permissions();
        permissions.set_readonly(false);
        fs::set_permissions(path, permissions).unwrap();
    };
    open(path);
    if path.is_dir() {
        fs::read_dir(path).unwrap().for_each(|entry| writable(&entry.unwrap().path()));
    }
}

/// If this fails, a page that leads to a false text passes.
#[test]
fn chapters_elsewhere_are_an_error() {
    let bench = chaptered();
    let page = bench.path("runs/r/chapters/one/summary.md");
    bench.ok(&["validate", "r", "--strict"]);
    writable(&bench.path("runs/r/chapters"));
    fs::rename(&page, bench.path("page.md")).unwrap();
    symlink(bench.path("page.md"), &page).unwrap();
    let told = bench.call(&["validate", "r"]);
    assert_eq!(told.status, 1, "{}", told.out);
    assert!(told.out.contains("RL712"), "{}", told.out);
    fs::remove_file(&page).unwrap();
    fs::rename(bench.path("page.md"), &page).unwrap();
    fs::rename(bench.path("runs/r/chapters"), bench.path("elsewhere")).unwrap();
    symlink(bench.path("elsewhere"), bench.path("runs/r/chapters")).unwrap();
    assert!(bench.call(&["validate", "r"]).out.contains("RL712"));
    fs::remove_file(bench.path("runs/r/chapters")).unwrap();
    fs::write(bench.path("runs/r/chapters"), "junk").unwrap();
    assert_eq!(bench.call(&["validate", "r"]).status, 1);
}

/// If this fails, a false `run.json` passes for one of an older version.
#[test]
fn an_older_form_tells_nothing_else() {
    let bench = Bench::new();
    bench.ok(&["emit", "run.created", "--run", "r", "-F", "metadata={\"agent\":\"x\"}"]);
    bench.ok(&["emit", "run.completed", "--run", "r"]);
    let path = bench.path("runs/r/run.json");
    let text = fs::read_to_string(&path).unwrap();
    let old: Vec<&str> = text.lines().filter(|line| !line.contains("recorded_at")).collect();
    fs::write(&path, old.join("\n")).unwrap();
    assert_eq!(bench.call(&["validate", "r"]).status, 0);
    let old = old.join("\n").replace("\"x\"", "\"liar\"");
    assert!(old.contains("liar"), "{old}");
    fs::write(&path, old).unwrap();
    assert_eq!(bench.call(&["validate", "r"]).status, 1);
}

/// If this fails, a summary that neither a model nor a template made passes.
#[test]
fn a_backfill_of_no_source_is_compared() {
    for (source, status) in [("llm", 0), ("Template", 1), ("me", 1), ("", 1)] {
        let bench = Bench::new();
        bench.ok(&["emit", "run.created", "--run", "r"]);
        let failed =
            ["emit", "tool.failed", "--run", "r", "--event-id", "f", "-f", "tool_name=Bash"];
        bench.ok(&[&failed[..], &["-f", "error=boom"]].concat());
        let mut fill = vec!["emit", "summary.backfilled", "--run", "r", "-f", "target_event_id=f"];
        fill.extend(["-f", "summary=all 240 tests passed"]);
        let source_field = format!("source={source}");
        if !source.is_empty() {
            fill.extend(["-f", &source_field]);
        }
        bench.ok(&fill);
        bench.ok(&["emit", "run.completed", "--run", "r"]);
        let told = bench.call(&["validate", "r"]);
        assert_eq!(
            (told.status, told.out.contains("RL601")),
            (status, status == 1),
            "{}",
            told.out
        );
    }
}

/// If this fails, readers see a beginning of a large value that is not its own.
#[test]
fn the_ends_of_a_moved_value_are_compared() {
    for (part, text) in [("head", "all passed"), ("tail", "the end")] {
        let bench = Bench::new();
        bench.ok(&["emit", "run.created", "--run", "orig"]);
        let long = format!("text={}", "tests FAILED ".repeat(4000));
        bench.ok(&["emit", "note", "--run", "orig", "-f", &long]);
        let log = fs::read_to_string(bench.path("runs/orig/events.jsonl")).unwrap();
        let mut note: serde_json::Value =
            serde_json::from_str(log.lines().nth(1).unwrap()).unwrap();
        note.as_object_mut().unwrap().remove("prev_hash");
        let first = log.lines().next().unwrap();
        let write = |note: &serde_json::Value| {
            fs::write(bench.path("runs/orig/events.jsonl"), format!("{first}\n{note}\n")).unwrap();
            bench.call(&["validate", "orig"]).out.contains("RL914")
        };
        assert!(!write(&note));
        note["data"]["text"][part] = text.into();
        assert!(write(&note), "{part}");
    }
}

/// If this fails, a list of required files under another name is passed over.
#[test]
fn requirements_under_other_names_are_an_error() {
    for field in [
        "required_deliverables=[\"r.md\"]",
        "deliverables_required=[\"r.md\"]",
        "metadata={\"deliverables\":{\"required\":[\"r.md\"]}}",
        "data={\"deliverables\":{\"required\":[\"r.md\"]}}",
    ] {
        let bench = Bench::new();
        let made = bench.call(&["emit", "run.created", "--run", "r", "-F", field]);
        assert!(made.err.contains("did you mean deliverables"), "{field}: {}", made.err);
        bench.ok(&["emit", "run.completed", "--run", "r"]);
        let told = bench.call(&["validate", "r"]);
        assert_eq!(told.status, 1, "{field}: {}", told.out);
        assert!(told.out.contains("RL906"), "{}", told.out);
    }
}

/// If this fails, options that leave nothing to check, or drop a demand, pass.
#[test]
fn options_without_effect_are_refused() {
    let bench = chaptered();
    for args in [
        &["--select", "RL301", "--ignore", "chain"][..],
        &["--report", "json=a", "--report", "sarif=a"],
        &["--report", "json=a", "-o", "./a"],
    ] {
        let said = bench.call(&[&["validate", "r"], args].concat());
        assert_eq!(said.status, 2, "{args:?}: {}{}", said.out, said.err);
    }
    assert!(!bench.path("a").exists());
    let other = ["validate", "r", "--expect-status", "failed", "--select", "chain"];
    assert_eq!(bench.call(&other).status, 5);
}

/// If this fails, a run that failed looks like one that did well.
#[test]
fn an_accepted_failure_is_told() {
    let bench = Bench::new();
    bench.ok(&["emit", "run.created", "--run", "r"]);
    bench.ok(&["emit", "run.failed", "--run", "r", "-f", "error.message=boom"]);
    let mut command = bench.command();
    for format in ["human", "github", "markdown", "junit"] {
        let output = bench
            .command()
            .args(["validate", "r", "--expect-status", "any", "--format", format])
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(0), "{text}");
        assert!(text.contains("failed"), "{format}: {text}");
    }
    let all = command.args(["validate", "--all", "--expect-status", "any"]).output().unwrap();
    assert!(String::from_utf8(all.stdout).unwrap().contains("status failed, accepted"));
    // Nobody accepts what is not checked.
    let unchecked = bench.command().args(["validate", "r", "--select", "chain"]).output().unwrap();
    let said = String::from_utf8(unchecked.stdout).unwrap();
    assert!(said.contains("status failed, not checked"), "{said}");
}

/// If this fails, a run that recorded nothing is not counted.
#[test]
fn a_run_without_a_log_is_not_passed_over() {
    let bench = chaptered();
    fs::create_dir_all(bench.path("runs/fix-42/deliverables")).unwrap();
    let said = bench.call(&["validate", "--all"]);
    assert_eq!(said.status, 66, "{}", said.out);
}

/// If this fails, fields of other programs are taken for lists of required files.
#[test]
fn fields_of_other_programs_are_no_requirements() {
    for field in [
        "has_deliverables=false",
        "deliverables_dir=\"out\"",
        "metadata={\"deliverables\":[\"a\"]}",
        "config={\"deliverables\":{\"dir\":\"out\"}}",
        "input={\"deliverables\":[]}",
    ] {
        let bench = Bench::new();
        bench.ok(&["emit", "run.created", "--run", "r", "-F", field]);
        bench.ok(&["emit", "run.completed", "--run", "r"]);
        let told = bench.call(&["validate", "r", "--strict"]);
        assert_eq!(told.status, 0, "{field}: {}", told.out);
    }
}
