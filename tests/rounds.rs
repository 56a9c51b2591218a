//! Asking an agent for chapters: when, with which prompt, and what happens with its answer.

use std::process::Stdio;

use crate::support::{Bench, Said, said, tasks};

/// Five finished tasks. The newest model call has that many input tokens.
fn grown(tokens: u64) -> Bench {
    let bench = tasks("SAkSAkSAkSAkSAk");
    usage(&bench, tokens);
    bench
}

fn usage(bench: &Bench, tokens: u64) {
    bench.emit(&["llm.usage", "-F", &format!("input_tokens={tokens}"), "-F", "output_tokens=1"]);
}

fn round(bench: &Bench, agent: &str) -> Said {
    let args = ["chapter", "run", "r", "--trigger", "100000", "--agent-timeout", "1s"];
    bench.call(&[args.as_slice(), &["--agent-cmd", agent]].concat())
}

/// The types of the events after the fifth task and its usage.
fn since(bench: &Bench) -> Vec<String> {
    let lines = bench.lines();
    lines[17..].iter().map(|line| line["type"].as_str().unwrap().to_owned()).collect()
}

/// If this fails, an agent is asked too early, too late or repeatedly.
#[test]
fn when_a_round_is_due() {
    let due = |bench: &Bench| {
        let said = bench.call(&["chapter", "due", "r", "--trigger", "100000"]);
        assert!(matches!(said.status, 0 | 1), "{}", said.err);
        (said.status == 0, said.out)
    };
    let bench = tasks("Sk");
    assert!(!due(&bench).0, "without any usage");
    for (tokens, expected) in [(50_000, false), (150_000, true), (50_000, false), (100_000, false)]
    {
        usage(&bench, tokens);
        assert_eq!(due(&bench).0, expected, "{tokens}");
    }
    // Output tokens do not count as input; cached tokens do.
    usage(&bench, 150_000);
    bench.emit(&["llm.usage", "-F", "output_tokens=9"]);
    assert!(due(&bench).0);
    bench.emit(&["llm.usage", "-F", "input_tokens=9", "-F", "cache_read_tokens=50000"]);
    assert!(!due(&bench).0);
    bench.emit(&["llm.usage", "-F", "input_tokens=9", "-F", "cache_read_tokens=100000"]);
    let (is_due, told) = due(&bench);
    assert!(is_due && told.contains("100009 input tokens (9 new, 100000 read"), "{told}");
    bench.fails(66, &["chapter", "due", "nothing", "--trigger", "1"]);
    bench.fails(2, &["chapter", "due", "r"]);
}

/// If this fails, an agent's decision is lost or folds other tasks.
#[test]
fn good_answers() {
    let bench = grown(50_000);
    assert_eq!(round(&bench, "touch asked").status, 0);
    assert!(!bench.path("asked").exists() && since(&bench).is_empty(), "it was not due");

    let bench = grown(150_000);
    let said = round(&bench, "cat >given; echo '[]'");
    assert_eq!((said.status, said.out.as_str()), (0, ""), "{}", said.err);
    assert_eq!(since(&bench), ["task.started", "task.succeeded"]);
    let given = std::fs::read_to_string(bench.path("given")).unwrap();
    for part in ["150000 tokens", "more than 100000", "\n[1] do it", "\n    action: ", "[5] do it"]
    {
        assert!(given.contains(part), "{part}: {given}");
    }
    assert!(!given.contains("{context}") && !given.contains("[6]"), "{given}");

    let array = r#"[{"start":1,"end":2,"name":"First","message":"M"},{"start":3,"end":3,"name":"Next","message":"N"}]"#;
    for answer in [array.to_owned(), format!("I will fold two.\\n```json\\n{array}\\n```\\n")] {
        let bench = grown(150_000);
        let said = round(&bench, &format!("printf '{answer}'"));
        assert_eq!((said.status, said.out.as_str()), (0, "/chapters/first\n/chapters/next\n"));
        let made = ["task.started", "chapter.created", "chapter.created", "task.succeeded"];
        assert_eq!(since(&bench), made);
        assert_eq!(bench.lines()[17]["data"]["task_name"], "__chapter__");
        assert!(bench.path("runs/r/chapters/first/summary.md").exists());
        let index = bench.ok(&["chapter", "index", "r"]);
        assert!(index.starts_with("[1] ") && index.contains("\n[6] "), "{index}");
        // The next prompt shows the folded tasks as chapters.
        usage(&bench, 150_000);
        round(&bench, "cat >given; echo '[]'");
        let given = std::fs::read_to_string(bench.path("given")).unwrap();
        assert!(
            given.contains("📖 Chapter: \"First\"") && !given.contains("\n[2] do it\n"),
            "{given}"
        );
        bench.ok(&["validate", "r"]);
    }
}

/// If this fails, somebody pays for a question that was answered, or that has no answer.
#[test]
fn nothing_to_ask() {
    let never = |bench: &Bench, why: &str| {
        let before = bench.log();
        let said = round(bench, "touch asked; echo '[]'");
        assert_eq!(said.status, 0, "{}", said.err);
        assert!(said.err.contains(why), "{}", said.err);
        assert!(!bench.path("asked").exists() && bench.log() == before, "{why}");
    };
    let bench = grown(150_000);
    assert_eq!(round(&bench, "echo '[]'").status, 0);
    never(&bench, "not due: the agent was asked about the model call of event 17 at event 18");

    let bench = tasks("SA");
    usage(&bench, 150_000);
    never(&bench, "nothing can be folded");
    bench.emit(&["task.succeeded"]);
    let all = r#"[{"start":1,"end":1,"name":"All","message":"M"}]"#;
    assert_eq!(round(&bench, &format!("echo '{all}'")).out, "/chapters/all\n");
    usage(&bench, 150_000);
    never(&bench, "nothing can be folded");
    // Two chapters can be nested.
    bench.emit(&["task.started", "-f", "message=more"]);
    bench.emit(&["task.succeeded"]);
    let more = ["chapter", "add", "r", "--start", "3", "--end", "3", "--message", "M"];
    bench.ok(&[&more[..], &["--name", "More"]].concat());
    let both = r#"[{"start":1,"end":3,"name":"Both","message":"M"}]"#;
    assert_eq!(round(&bench, &format!("echo '{both}'")).out, "/chapters/both\n");
}

/// If this fails, a bad answer changes the run or is accepted.
#[test]
fn bad_answers() {
    let overlapping = r#"[{"start":1,"end":2,"name":"A","message":"M"},{"start":2,"end":3,"name":"B","message":"M"}]"#;
    let itself = r#"[{"start":6,"end":6,"name":"A","message":"M"}]"#;
    for (agent, says) in [
        (format!("echo '{overlapping}'"), "item 2"),
        (format!("echo '{itself}'"), "beyond the last task, which is 5"),
        ("echo 'no idea'".to_owned(), "no JSON array"),
        ("true".to_owned(), "answer is empty"),
        ("exit 3".to_owned(), "status 3"),
        ("no-such-agent".to_owned(), "not found"),
        ("sleep 60".to_owned(), "no answer within"),
        ("echo '[]'; kill -9 $$".to_owned(), "signal 9"),
    ] {
        let bench = grown(150_000);
        let said = round(&bench, &agent);
        assert_eq!(said.status, 69, "{agent}: {}", said.err);
        assert!(said.err.contains(says), "{agent}: {}", said.err);
        assert_eq!(since(&bench), ["task.started", "task.failed"], "{agent}");
        let message = bench.lines()[18]["data"]["message"].as_str().unwrap().to_owned();
        assert!(message.contains(says), "{message}");
        assert!(!bench.path("runs/r/chapters").exists());
        // Nobody pays twice unless it is wanted.
        let good = r#"touch asked; echo '[{"start":1,"end":1,"name":"A","message":"M"}]'"#;
        let said = round(&bench, good);
        assert_eq!((said.status, said.out.as_str()), (0, ""), "{agent}");
        assert!(said.err.contains("without a usable answer; --retry asks again"), "{}", said.err);
        assert!(!bench.path("asked").exists());
        let retry = ["chapter", "run", "r", "--trigger", "100000", "--retry", "--agent-cmd", good];
        assert_eq!(bench.ok(&retry), "/chapters/a\n");
        // A usable answer ends it.
        let said = bench.call(&retry);
        assert!(said.status == 0 && !said.err.contains("--retry"), "{}", said.err);
    }
}

/// If this fails, in a followed run the agent is not asked after each finished task, or is asked
/// twice about the same context.
#[test]
fn following() {
    let bench = tasks("SAkSAk");
    let args = ["chapter", "run", "r", "--follow", "--trigger", "100", "--agent-cmd"];
    let agent = "echo x >>asked; echo '[]'";
    let mut command = bench.command();
    command.args(args).arg(agent).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    let asked = || std::fs::read_to_string(bench.path("asked")).unwrap_or_default().lines().count();
    let wait = |count: usize| {
        for _ in 0..100 {
            if asked() >= count {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        assert_eq!(asked(), count);
    };
    usage(&bench, 500);
    wait(1);
    // A task ends without a new model call: the context is the same, so there is no question.
    let task = |message: &str| {
        bench.emit(&["task.started", "-f", &format!("message={message}")]);
        bench.emit(&["task.succeeded"]);
    };
    task("third");
    std::thread::sleep(std::time::Duration::from_secs(1));
    wait(1);
    // The call may be reported after the end of the task.
    usage(&bench, 600);
    wait(2);
    usage(&bench, 700);
    task("fourth");
    wait(3);
    bench.emit(&["run.completed"]);
    let said = said(&child.wait_with_output().unwrap());
    assert_eq!(said.status, 0, "{}", said.err);
    assert_eq!(asked(), 3);
    // A new follower knows the earlier decisions.
    assert_eq!(bench.command().args(args).arg(agent).status().unwrap().code(), Some(0));
    assert_eq!(asked(), 3);
}

/// If this fails, an agent keeps running after its caller has ended, or its round is not recorded.
#[test]
fn a_signal_ends_the_round() {
    let bench = grown(150_000);
    let mut command = bench.command();
    let args = ["chapter", "run", "r", "--trigger", "1", "--agent-cmd"];
    let command = command.args(args).arg("touch begun; sleep 60; echo '[]'");
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while !bench.path("begun").exists() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let pid = nix::unistd::Pid::from_raw(i32::try_from(child.id()).unwrap());
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGTERM).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(143));
    assert_eq!(since(&bench), ["task.started", "task.failed"]);
    assert!(bench.log().contains("interrupted by a signal before the command answered"));
}

/// If this fails, two processes for one run pay twice.
#[test]
fn one_at_a_time() {
    let bench = grown(150_000);
    let mut command = bench.command();
    let args = ["chapter", "run", "r", "--trigger", "1", "--agent-cmd"];
    let child = command.args(args).arg("touch begun; sleep 2; echo '[]'").stderr(Stdio::null());
    let mut child = child.stdout(Stdio::null()).spawn().unwrap();
    while !bench.path("begun").exists() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let waits = ["--lock-timeout", "100ms", "--trigger", "1", "--agent-cmd", "echo '[]'"];
    let error = bench.fails(75, &[&["chapter", "run", "r"], waits.as_slice()].concat());
    assert!(error.contains("another `runlog chapter run`"), "{error}");
    assert!(child.wait().unwrap().success());
}

/// If this fails, what an agent does after chapters were chosen counts as part of the choice, and its
/// task looks as if it had no answer.
#[test]
fn work_goes_on_after_a_choice_of_chapters() {
    let bench = Bench::with_run();
    bench.emit(&["message.user", "-f", "text=go"]);
    bench.emit(&["task.started", "-f", "task_name=__chapter__", "-f", "message=Decide"]);
    bench.emit(&["note", "-f", "text=deciding"]);
    bench.emit(&["task.succeeded", "-f", "task_name=__chapter__"]);
    bench.emit(&["message.assistant", "-f", "text=done"]);
    bench.emit(&["llm.usage", "-F", "input_tokens=7", "-F", "output_tokens=2"]);
    bench.emit(&["run.imported"]);
    let shown = |task: &str| bench.ok(&["show", "r", "--task", task]);
    assert!(shown("1").contains("done") && !shown("1").contains("deciding"), "{}", shown("1"));
    assert!(!shown("2").contains("done") && shown("2").contains("deciding"), "{}", shown("2"));
    let text = bench.ok(&["transcript", "r", "--format", "text"]);
    assert!(!text.contains("without an answer"), "{text}");
    let verdict = bench.ok(&["validate", "r", "--expect-status", "imported"]);
    assert!(!verdict.contains("RL412"), "{verdict}");
    let index = bench.ok(&["chapter", "index", "r"]);
    let first = index.split("[2]").next().unwrap();
    assert!(first.contains("7 in"), "{index}");
}
