//! The report formats: the same findings for people, CI services and other programs.

use std::fs;

use serde_json::Value;

use crate::support::Bench;

/// A run with findings: thirty lines outside the chain, one bad line, and a missing deliverable
/// with a hostile name.
fn damaged() -> Bench {
    let bench =
        Bench::created(&["-F", "deliverables.required=[\"a|b::error::x\\n\\u001b[31m.md\"]"]);
    let line = |n: u64| {
        format!(
            "{{\"event_id\":\"x{n}\",\"sequence\":{n},\"run_id\":\"r\",\"session_id\":\"s1\",\
             \"task_id\":\"t1\",\"type\":\"note\",\"timestamp\":\"2100-01-01T00:00:00.000Z\",\
             \"actor\":\"user\",\"severity\":\"info\",\"summary\":\"x\",\"data\":{{\"text\":\"x\"}}}}\n"
        )
    };
    let lines: String = (2..32).map(line).collect();
    bench.append_raw(lines.as_bytes());
    bench.append_raw(b"{\"a\":}\n");
    bench
}

fn report(bench: &Bench, format: &str) -> String {
    let said = bench.call(&["validate", "r", "--format", format]);
    assert_eq!(said.status, 1, "{format}: {}", said.err);
    assert!(!said.out.contains('\u{1b}'), "{format}: {}", said.out);
    said.out
}

/// If this fails, annotations do not show the most severe findings, or a payload writes
/// annotations.
#[test]
fn annotations() {
    let text = report(&damaged(), "github");
    let count = |lead: &str| text.lines().filter(|line| line.starts_with(lead)).count();
    assert_eq!(count("::warning "), 10, "{text}");
    assert!(text.contains("\nand 20 more warnings\n"), "{text}");
    assert!(
        text.starts_with("::error file=runs/r/events.jsonl,line=32,title=RL002 line is not JSON::"),
        "{text}"
    );
    assert!(text.contains("\nr: failed\n"), "{text}");
    let commands = ["::error ", "::warning ", "::notice ", "and ", "r: "];
    assert!(text.lines().all(|line| commands.iter().any(|lead| line.starts_with(lead))), "{text}");
}

/// If this fails, code scanning rejects the document.
#[test]
fn static_analysis_results() {
    let bench = damaged();
    let document: Value = serde_json::from_str(&report(&bench, "sarif")).unwrap();
    assert_eq!(document["version"], "2.1.0");
    let run = &document["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let results = run["results"].as_array().unwrap();
    assert!(results.len() > 30);
    for result in results {
        let rule = &rules[usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap()];
        assert_eq!(rule["id"], result["ruleId"]);
        assert!(["error", "warning", "note"].contains(&result["level"].as_str().unwrap()));
        assert!(!result["message"]["text"].as_str().unwrap().is_empty());
        let place = &result["locations"][0]["physicalLocation"];
        let uri = place["artifactLocation"]["uri"].as_str().unwrap();
        assert!(uri.starts_with("runs/r/") && !uri.contains(['|', ' ', '\n', ':']), "{uri}");
        assert!(place["region"]["startLine"].as_u64().is_none_or(|line| line > 0));
    }
    let bad = results.iter().find(|result| result["ruleId"] == "RL002").unwrap();
    let log = bench.log();
    let line = log.lines().map(|line| line.len() + 1).take(31).sum::<usize>() as u64;
    let region = &bad["locations"][0]["physicalLocation"]["region"];
    assert_eq!(region["startLine"], 32);
    assert_eq!(region["byteOffset"], line + 5);
}

/// If this fails, a test report has wrong counts or is not XML.
#[test]
fn test_reports() {
    let bench = damaged();
    let text = report(&bench, "junit");
    assert!(text.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>"), "{text}");
    let failures = |text: &str| text.matches("<failure ").count();
    assert_eq!(failures(&text), 2, "{text}");
    assert!(text.contains("failures=\"2\""), "{text}");
    let strict = bench.call(&["validate", "r", "--strict", "--format", "junit"]).out;
    assert!(failures(&strict) > 2, "{strict}");
    assert!(text.contains("RL002 line is not JSON") && text.contains("classname=\"chain\""));
    assert!(text.chars().all(|c| !c.is_control() || c == '\n'), "{text}");
}

/// If this fails, a report tells that a file is wrong, but not which one, or not why.
#[test]
fn what_is_wrong_with_a_file() {
    let bench = Bench::new();
    let required = r#"deliverables.required=["a.png:type=png","b.md","logs/c.md"]"#;
    bench.ok(&["emit", "run.created", "--run", "r", "-F", required]);
    bench.ok(&["emit", "run.completed", "--run", "r"]);
    fs::create_dir_all(bench.path("runs/r/deliverables")).unwrap();
    fs::write(bench.path("runs/r/deliverables/a.png"), "text").unwrap();
    fs::write(bench.path("runs/r/deliverables/more.txt"), "text").unwrap();
    let say = |format: &str| {
        let said = bench.call(&["validate", "r", "--format", format]);
        assert_eq!(said.status, 4, "{}", said.err);
        said.out
    };
    let junit = say("junit");
    assert!(junit.contains("<failure message=\"RL804 incomplete: not png: "), "{junit}");
    assert!(junit.contains(">write the required content, or correct the condition</failure>"));
    let sarif: Value = serde_json::from_str(&say("sarif")).unwrap();
    let results = sarif["runs"][0]["results"].as_array().unwrap().iter();
    let texts: Vec<&str> = results.map(|one| one["message"]["text"].as_str().unwrap()).collect();
    for begins in [
        "deliverables/a.png: not png: ",
        "deliverables/b.md: missing",
        "logs/c.md: outside deliverables/; did you mean deliverables/logs/c.md?",
        "deliverables/more.txt: not required",
    ] {
        assert!(texts.iter().any(|text| text.starts_with(begins)), "{begins}: {texts:?}");
    }
    assert!(say("markdown").contains("`deliverables/more.txt`: not required"));
    let all = bench.call(&["validate", "--all"]).out;
    assert!(all.contains("3 errors (RL801 RL803 RL804), 0 warnings, 1 note"), "{all}");
}

/// If this fails, a check that was left out looks like one that passed.
#[test]
fn checks_that_are_left_out() {
    let bench = Bench::new();
    bench.ok(&["emit", "run.created", "--run", "r", "-F", "deliverables.required=[\"a.md\"]"]);
    bench.ok(&["emit", "run.completed", "--run", "r"]);
    let validate = |format: &str, args: &[&str]| {
        bench.call(&[&["validate", "r", "--format", format], args].concat()).out
    };
    let skipped = |text: &str| text.matches("<skipped ").count();
    let all = validate("junit", &[]);
    assert!(skipped(&all) == 0 && all.contains("failures=\"1\""), "{all}");
    let ignored = validate("junit", &["--ignore", "deliverables"]);
    assert!(skipped(&ignored) > 3 && ignored.contains("failures=\"0\""), "{ignored}");
    assert!(ignored.contains("<skipped message=\"left out by --ignore\"/>"));
    let selected = validate("junit", &["--select", "RL101"]);
    let tests = selected.matches("<testcase ").count();
    assert_eq!(skipped(&selected) + 1, tests, "{selected}");
    let overrides = |args: &[&str]| {
        let document: Value = serde_json::from_str(&validate("sarif", args)).unwrap();
        let invocation = &document["runs"][0]["invocations"][0];
        assert_eq!(invocation["executionSuccessful"], true);
        invocation["ruleConfigurationOverrides"].as_array().unwrap().clone()
    };
    assert!(overrides(&[]).is_empty());
    let disabled = overrides(&["--select", "RL101"]);
    assert_eq!(disabled.len() + 1, tests);
    assert_eq!(disabled[0]["descriptor"]["id"], "RL001");
    assert_eq!(disabled[0]["configuration"]["enabled"], false);
    let both = validate("junit", &["--select", "line", "--ignore", "RL001"]);
    assert!(
        both.contains("left out by --ignore") && both.contains("left out by --select"),
        "{both}"
    );
    let annotations = validate("github", &["--select", "RL101"]);
    assert!(annotations.ends_with("r: passed (only the checks of --select)\n"), "{annotations}");
}

/// If this fails, a report tells only of the good runs, and a run that could not be read is nowhere.
#[test]
fn runs_that_cannot_be_read_are_in_every_report() {
    let bench = Bench::new();
    bench.ok(&["emit", "run.created", "--run", "good"]);
    bench.ok(&["emit", "run.completed", "--run", "good"]);
    for bad in ["bad", "worse"] {
        fs::create_dir_all(bench.path(&format!("runs/{bad}/events.jsonl"))).unwrap();
    }
    let validate = |format: &str| {
        let said = bench.call(&["validate", "--all", "--format", format]);
        assert_eq!(said.status, 77, "{}{}", said.out, said.err);
        assert!(said.err.contains("runs/bad/events.jsonl is a directory"), "{}", said.err);
        said.out
    };
    assert!(validate("human").ends_with("3 runs: 1 passed, 2 could not be read\n"));
    let error = "runs/bad/events.jsonl is a directory; it was not used";
    let junit = validate("junit");
    assert!(junit.contains("errors=\"2\"") && junit.contains(error), "{junit}");
    for format in ["github", "markdown"] {
        assert!(validate(format).contains(error), "{format}");
    }
    let json: Value = serde_json::from_str(&validate("json")).unwrap();
    assert!(json["unread"][0].as_str().unwrap().contains(error), "{json}");
    let sarif: Value = serde_json::from_str(&validate("sarif")).unwrap();
    let invocation = &sarif["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    let told = &invocation["toolExecutionNotifications"][0]["message"]["text"];
    assert!(told.as_str().unwrap().contains(error), "{told}");
    bench.call(&["validate", "--all", "--report", "human=told.txt"]);
    let file = fs::read_to_string(bench.path("told.txt")).unwrap();
    assert!(file.starts_with("error bad: runs/bad/events.jsonl is a directory"), "{file}");
    // A run that could not be fixed was read.
    fs::remove_file(bench.path("runs/good/run.json")).unwrap();
    let log = fs::File::open(bench.path("runs/good/events.jsonl")).unwrap();
    log.lock().unwrap();
    let fix = ["validate", "good", "--fix", "--lock-timeout", "100ms", "--format", "json"];
    let said = bench.call(&fix);
    let json: Value = serde_json::from_str(&said.out).unwrap();
    assert!(said.status == 75 && json.get("unread").is_none(), "{}{}", said.out, said.err);
}

/// If this fails, a job summary is too long, or a payload breaks it.
#[test]
fn job_summaries() {
    let bench = damaged();
    let text = report(&bench, "markdown");
    assert!(text.starts_with("| Run | Verdict |"), "{text}");
    assert!(text.contains("| `r` | failed | 31 |"), "{text}");
    assert!(text.contains("… 20 more findings"), "{text}");
    assert!(!text.contains("\n::"), "{text}");
    // Up to fifty findings per run are listed.
    let name = "x".repeat(240);
    let names: Vec<String> = (0..60).map(|n| format!("\"{name}{n}\"")).collect();
    let required = format!("deliverables.required=[{}]", names.join(","));
    for run in 0..90 {
        bench.ok(&["emit", "run.created", "--run", &format!("many{run}"), "-F", &required]);
    }
    let said = bench.call(&["validate", "--all", "--format", "markdown"]);
    assert!(said.out.len() < 1 << 20, "{}", said.out.len());
    assert!(said.out.ends_with("`runlog validate` prints everything.\n"));
    let one = bench.call(&["validate", "many0", "--format", "markdown"]).out;
    assert!(one.contains("\n- … 10 more deliverables\n"), "{one}");
}

/// If this fails, one validation cannot write several reports.
#[test]
fn several_at_once() {
    let bench = damaged();
    let args = ["--report", "junit=out.xml", "--report", "sarif=out.sarif", "--output", "out.json"];
    let said = bench.call(&[&["validate", "r", "--format", "json"], args.as_slice()].concat());
    assert_eq!((said.status, said.out.as_str()), (1, ""));
    for (file, begins) in [("out.xml", "<?xml"), ("out.sarif", "{"), ("out.json", "{")] {
        assert!(fs::read_to_string(bench.path(file)).unwrap().starts_with(begins), "{file}");
    }
    for wrong in ["junit", "junit=", "word=x"] {
        bench.fails(2, &["validate", "r", "--report", wrong]);
    }
    bench.fails(73, &["validate", "r", "--report", "junit=missing/out.xml"]);
}

/// If this fails, docs/ci.md does not describe the JSON report.
#[test]
fn the_document_is_documented() {
    let bench = damaged();
    bench.append_raw(b"torn");
    let text = bench.call(&["validate", "r", "--format", "json", "--fix", "--dry-run"]).out;
    let document: Value = serde_json::from_str(&text).unwrap();
    let run = &document["runs"][0];
    let readme = fs::read_to_string(crate::support::root().join("docs/ci.md")).unwrap();
    let from = readme.find("| member of a run | content |").unwrap();
    let table = &readme[from..from + readme[from..].find("\n\n").unwrap()];
    let names = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let mut told = names(run);
    for list in ["findings", "totals", "deliverables", "fixes"] {
        told.extend(names(&run[list][0]));
        for item in run[list].as_array().unwrap() {
            for value in ["level", "status", "action"].iter().filter_map(|name| item[name].as_str())
            {
                assert!(table.contains(&format!("`{value}`")), "{value}");
            }
        }
    }
    for name in told {
        let is_told = [format!("`{name}`"), format!("`{name}[]`")];
        assert!(is_told.iter().any(|name| table.contains(name)), "{name} is not in docs/ci.md");
    }
}

/// If this fails, the documented commands for checking the chain without this program do not work.
#[test]
fn the_chain_is_checked_without_this_program() {
    let readme = fs::read_to_string(crate::support::root().join("docs/ci.md")).unwrap();
    let script = readme.lines().find(|line| line.contains("| sha256sum")).unwrap();
    let bench = crate::validate::sound();
    let check = || {
        let mut command = std::process::Command::new("sh");
        let directory = bench.path("runs/r");
        crate::support::said(&command.args(["-c", script]).current_dir(directory).output().unwrap())
    };
    let head = bench.ok(&["show", "r", "--head"]);
    assert_eq!((check().out.as_str(), check().err.as_str()), (head.as_str(), ""));
    let log = bench.log();
    fs::write(bench.log_path(), log.replacen("\"tool_name\":\"a\"", "\"tool_name\":\"b\"", 1))
        .unwrap();
    assert_eq!(check().out, format!("line 3\n{head}"), "line 2 was edited");
    for (removed, told) in [(0, "line 1\n"), (1, "line 2\n"), (3, "")] {
        let mut lines: Vec<&str> = log.lines().collect();
        lines.remove(removed);
        fs::write(bench.log_path(), lines.join("\n") + "\n").unwrap();
        let out = check().out;
        assert!(out.starts_with(told) && !out.ends_with(&head), "line {} was removed", removed + 1);
    }
}

/// If this fails, text from a log becomes a command in the log of a CI service.
#[test]
fn nothing_is_a_command() {
    let bench = Bench::created(&["-F", "deliverables.required=[\"a##[error]b##vso[task.c]d.md\"]"]);
    for text in ["::error::x", "##[error]x", "##vso[task.complete]x", "::stop-commands::t"] {
        bench.append_raw(format!("{text}\n{{\"a##[x]\":1,\"a##[x]\":2}}\n").as_bytes());
    }
    let is_live = |line: &str| {
        line.trim_start().starts_with("::") || line.contains("##[") || line.contains("##vso[")
    };
    for format in ["human", "json", "junit", "sarif", "github", "markdown"] {
        let text = report(&bench, format);
        let own = |line: &str| {
            format == "github"
                && ["::error ", "::notice ", "::warning "].iter().any(|own| line.starts_with(own))
        };
        let live: Vec<&str> =
            text.lines()
                .filter(|line| {
                    if own(line) { is_live(line.trim_start_matches("::")) } else { is_live(line) }
                })
                .collect();
        assert_eq!(live, [""; 0], "{format}");
    }
    let json: Value = serde_json::from_str(&report(&bench, "json")).unwrap();
    assert_eq!(json["runs"][0]["deliverables"][0]["path"], "a##[error]b##vso[task.c]d.md");
    for text in ["::error::x", "##[error]x"] {
        let bench = Bench::with_run();
        bench.emit(&["note", "-f", &format!("text={text}"), "--summary", text, "--actor", "##[a]"]);
        for command in
            [&["show", "r"][..], &["show", "r", "--folded"], &["show", "r", "--tail", "1"]]
        {
            let out = bench.ok(command);
            assert!(!out.lines().any(is_live), "{out}");
        }
    }
}

/// If this fails, a report overwrites a file, or one report that cannot be written prevents the
/// others.
#[test]
fn files_of_reports() {
    let bench = damaged();
    fs::write(bench.path("summary.md"), "# before\n").unwrap();
    let old = format!(
        "<?xml version=\"1.0\"?>\n<testsuites name=\"runlog validate\">{}",
        "old ".repeat(100_000)
    );
    fs::write(bench.path("old.xml"), old).unwrap();
    fs::write(bench.path("mine.md"), "# mine\n").unwrap();
    let mut command = bench.command();
    command.env("GITHUB_STEP_SUMMARY", "summary.md").args(["validate", "r", "no-such-run"]);
    command.args(["--format", "github", "--report", "markdown=summary.md"]);
    command.args(["--report", "json=missing/out.json", "--report", "junit=old.xml"]);
    command.args(["--report", "human=mine.md"]);
    let said = crate::support::said(&command.output().unwrap());
    assert_eq!(said.status, 73, "{}", said.err);
    assert!(
        said.out.starts_with("::error title=runlog::there is no run \"no-such-run\""),
        "{}",
        said.out
    );
    assert!(said.out.contains("RL002"), "{}", said.out);
    let summary = fs::read_to_string(bench.path("summary.md")).unwrap();
    assert!(summary.starts_with("# before\n- **error** there is no run"), "{summary}");
    assert!(summary.contains("\n\n| Run |"), "{summary}");
    let tests = fs::read_to_string(bench.path("old.xml")).unwrap();
    assert!(tests.starts_with("<?xml") && !tests.contains("old"), "{tests}");
    assert_eq!(fs::read_to_string(bench.path("mine.md")).unwrap(), "# mine\n");
    assert!(said.err.contains("mine.md: runlog did not write the existing file"), "{}", said.err);
    bench.fails(66, &["validate", "r", "no-such-run"]);
}

/// If this fails, `--all` misses a run whose log is gone.
#[test]
fn a_run_without_its_log_is_told() {
    let bench = damaged();
    bench.ok(&["emit", "run.created", "--run", "good"]);
    fs::remove_file(bench.log_path()).unwrap();
    let said = bench.call(&["validate", "--all"]);
    assert_eq!(said.status, 66);
    assert!(
        said.out.contains("passed")
            && said.err.contains("r has files of a run, but no events.jsonl")
    );
}

/// If this fails, a log with very many faults makes a report of any size, or its numbers are wrong.
#[test]
fn many_findings_are_counted() {
    let bench = Bench::with_run();
    bench.append_raw("{}\n".repeat(500).as_bytes());
    let report = |args: &[&str]| {
        let all = [&["validate", "r", "--format", "json"], args].concat();
        serde_json::from_str::<Value>(&bench.call(&all).out).unwrap()["runs"][0].clone()
    };
    let number = |run: &Value| {
        let findings = run["findings"].as_array().unwrap();
        findings.iter().filter(|finding| finding["code"] == "RL005").count()
    };
    let total = serde_json::json!({ "code": "RL005", "level": "error", "findings": 500 });
    for (args, kept) in
        [(&[] as &[&str], 100), (&["--max-findings", "7"], 7), (&["--max-findings", "0"], 500)]
    {
        let run = report(args);
        assert_eq!(number(&run), kept);
        assert!(run["totals"].as_array().unwrap().contains(&total), "{}", run["totals"]);
    }
    let said = bench.call(&["validate", "r"]);
    assert!(said.out.contains("required field missing (500 times)"), "{}", said.out);
    assert!(said.out.contains("… 490 more") && said.out.contains("500 errors"), "{}", said.out);
    let junit = bench.call(&["validate", "r", "--format", "junit"]).out;
    assert!(junit.contains("450 more"), "{junit}");
}

/// If this fails, `--all` passes over runs that it does not read, or a link to the newest run
/// fails it.
#[test]
fn what_looks_like_a_run_is_told() {
    let bench = Bench::new();
    bench.emit(&["run.created"]);
    bench.emit(&["run.completed"]);
    std::os::unix::fs::symlink("r", bench.path("runs/latest-link")).unwrap();
    fs::write(bench.path("runs/notes.txt"), "x").unwrap();
    fs::create_dir_all(bench.path("runs/new")).unwrap();
    assert_eq!(bench.call(&["validate", "--all"]).status, 0);
    // Without a name, the newest run.
    assert!(bench.ok(&["validate"]).starts_with("r: passed"));
    let elsewhere = Bench::new();
    elsewhere.emit(&["run.created"]);
    std::os::unix::fs::symlink(elsewhere.path("runs/r"), bench.path("runs/away")).unwrap();
    let said = bench.call(&["validate", "--all"]);
    assert!(said.status != 0 && said.err.contains("runs/away"), "{}", said.err);
    fs::remove_file(bench.path("runs/away")).unwrap();
    fs::create_dir_all(bench.path("runs/bad name")).unwrap();
    fs::write(bench.path("runs/bad name/events.jsonl"), "").unwrap();
    let said = bench.call(&["validate", "--all"]);
    assert!(said.status != 0 && said.err.contains("not named like a run"), "{}", said.err);
}

/// If this fails, a job summary that cannot be written hides the verdict.
#[test]
fn a_job_summary_that_cannot_be_written_is_only_told() {
    let bench = Bench::new();
    bench.emit(&["run.created"]);
    let mut command = bench.command();
    command.env("GITHUB_ACTIONS", "true").env("GITHUB_STEP_SUMMARY", "/nowhere/summary.md");
    let done = command.args(["validate", "r"]).output().unwrap();
    assert_eq!(done.status.code(), Some(5));
    assert!(String::from_utf8_lossy(&done.stderr).contains("/nowhere/summary.md"));
}

/// If this fails, a JUnit report is green although the verdict is not.
#[test]
fn junit_fails_with_the_verdict() {
    let bench = Bench::created(&["-F", r#"deliverables.required=["report.md"]"#]);
    let report = bench.path("runs/r/deliverables/report.md");
    fs::create_dir_all(report.parent().unwrap()).unwrap();
    let junit = |status: i32| {
        bench.fails(status, &["validate", "r", "--report", "junit=a.xml"]);
        fs::read_to_string(bench.path("a.xml")).unwrap()
    };
    bench.emit(&["run.completed"]);
    let missing = junit(3);
    assert!(missing.contains("RL803") && missing.contains("write the file"), "{missing}");
    fs::write(&report, "x").unwrap();
    bench.ok(&["validate", "r", "--record"]);
    fs::write(&report, "other").unwrap();
    let changed = junit(1);
    assert!(changed.contains("RL806") && !changed.contains(r#"failures="0""#), "{changed}");
}
