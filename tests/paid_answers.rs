//! What a model is paid for: it is not asked in vain, not asked about this program's own failures,
//! and what it says is not printed with secrets.

use std::fs;

use crate::support::Bench;

/// A run with that many questions and answers.
fn talk(turns: usize, size: usize) -> Bench {
    let bench = Bench::created(&[]);
    bench.emit(&["response", "-f", "content=words"]);
    for turn in 1..=turns {
        let asked = format!("text=q{turn} {}", "q".repeat(size));
        bench.emit(&["message.user", "--actor", "user", "-f", &asked]);
        bench.emit(&["message.assistant", "-f", &format!("text=MARK{turn}")]);
    }
    bench
}

/// A command that counts its calls and then does something.
fn counting(bench: &Bench, then: &str) -> String {
    format!("echo c >>'{}'; {then}", bench.path("calls").display())
}

fn calls(bench: &Bench) -> usize {
    fs::read_to_string(bench.path("calls")).unwrap_or_default().lines().count()
}

/// If this fails, an answer is paid for that cannot be recorded.
#[test]
fn a_damaged_log_is_found_before_the_model_is_asked() {
    let bench = talk(1, 10);
    bench.append_raw(b"{\"bad\":\n");
    let command = counting(&bench, "cat >/dev/null; echo SUM");
    for words in [&["summarize", "r"][..], &["summarize", "r", "--session"]] {
        let said = bench.call(&[words, &["--llm-cmd", &command]].concat());
        assert_eq!(said.status, 76, "{words:?}: {}", said.err);
        assert_eq!(calls(&bench), 0, "{words:?}");
    }
}

/// If this fails, a failure of this program becomes a part of the conversation, and a model is paid
/// to summarize it.
#[test]
fn own_failures_are_no_conversation() {
    let bench = talk(1, 10);
    let command = counting(&bench, "cat >/dev/null; echo SUM");
    bench.ok(&["summarize", "r", "--session", "--llm-cmd", &command]);
    assert_eq!(calls(&bench), 1);
    bench.call(&["summarize", "r", "--llm-cmd", "false"]);
    assert!(bench.log().contains("summary_command_failed"));
    bench.call(&["summarize", "r", "--session", "--llm-cmd", &command]);
    assert_eq!(calls(&bench), 1);
    let context = bench.ok(&["context", "r", "--format", "messages"]);
    assert!(!context.contains("summary_command_failed"), "{context}");
}

/// If this fails, the complaint of a command that exits with 0 becomes the summary.
#[test]
fn a_complaint_of_length_is_no_summary() {
    for said in ["Prompt is too long", "Error: context_length_exceeded"] {
        let bench = talk(4, 4000);
        let command = counting(&bench, &format!("cat >/dev/null; echo '{said}'"));
        let window = ["--force", "--context-window", "100000"];
        let args = [&["summarize", "r", "--session"][..], &window, &["--llm-cmd", &command]];
        let failed = bench.call(&args.concat());
        assert_eq!((failed.status, calls(&bench)), (69, 2), "{}", failed.err);
        assert!(!bench.log().contains("session.summarized"));
    }
    // Others may speak of it.
    let bench = talk(1, 10);
    let command = "cat >/dev/null; echo 'The user repaired the context window of the editor.'";
    bench.ok(&["summarize", "r", "--session", "--llm-cmd", command]);
}

/// If this fails, a long summary leaves no room for the conversation that is new.
#[test]
fn a_long_summary_does_not_replace_the_conversation() {
    let bench = talk(1, 10);
    let long = "cat >/dev/null; head -c 60000 /dev/zero | tr '\\0' a";
    bench.ok(&["summarize", "r", "--session", "--llm-cmd", long]);
    bench.emit(&["message.user", "--actor", "user", "-f", &format!("text={}", "q".repeat(3000))]);
    bench.emit(&["message.assistant", "-f", &format!("text=x MARKER {}", "y".repeat(3000))]);
    let prompts = bench.path("prompts");
    let command = format!("cat >>'{}'; echo SUM", prompts.display());
    let said = bench.call(&["summarize", "r", "--session", "--llm-cmd", &command]);
    assert_eq!(said.status, 0, "{}", said.err);
    assert!(said.err.contains("previous summary takes more than half"), "{}", said.err);
    let prompts = fs::read_to_string(prompts).unwrap();
    assert!(prompts.contains("MARKER"));
    assert!(prompts.contains("of the previous summary left out"));
    assert!(prompts.len() < 8192 * 4 * 7 / 10, "{}", prompts.len());
}

/// If this fails, a secret in an answer is printed.
#[test]
fn secrets_in_an_answer_are_not_printed() {
    let bench = talk(1, 10);
    let command = "cat >/dev/null; echo key gh''p_abcdefghijklmnopqrstuvwxyz0123456789";
    for format in ["table", "json"] {
        let args = ["summarize", "r", "--session", "--force", "--format", format];
        let said = bench.call(&[&args[..], &["--llm-cmd", command]].concat());
        assert_eq!(said.status, 0, "{}", said.err);
        assert!(!said.out.contains("ghp_abc"), "{}", said.out);
    }
}

/// If this fails, the model that a run names is not used.
#[test]
fn the_model_of_the_run_decides_the_budget() {
    let bench = Bench::new();
    let model = "metadata={\"model\":\"claude-sonnet-4-5\"}";
    bench.ok(&["emit", "run.created", "--run", "r", "-F", model]);
    bench.emit(&["message.user", "--actor", "user", "-f", "text=hi"]);
    let said = bench.call(&["context", "r"]);
    assert!(!said.err.contains("names no model"), "{}", said.err);
}

/// If this fails, short summaries about errors and lengths are thrown away, or a tiny window ends
/// the program.
#[test]
fn short_summaries_are_summaries() {
    for said in [
        "Error handling for the context length limit was added; next: tests.",
        "Request too large responses are now retried.",
        "Token limit of the client raised to 8k; tests pass.",
    ] {
        let bench = talk(1, 10);
        let command = counting(&bench, &format!("cat >/dev/null; echo '{said}'"));
        bench.ok(&["summarize", "r", "--session", "--llm-cmd", &command]);
        assert_eq!(calls(&bench), 1);
        let tiny = ["summarize", "r", "--session", "--force", "--context-window", "1"];
        let told = bench.call(&[&tiny[..], &["--llm-cmd", &command]].concat());
        assert_ne!(told.status, 70, "{}", told.err);
    }
}
