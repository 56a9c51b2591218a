//! Completions, man pages and help: generated, committed and up to date. UPDATE=1 writes them.

use crate::support::{Bench, fresh, root, tasks};

/// If this fails, a completion script lacks an option.
#[test]
fn completions_are_fresh() {
    for (shell, name) in [
        ("bash", "runlog.bash"),
        ("zsh", "_runlog"),
        ("fish", "runlog.fish"),
        ("powershell", "_runlog.ps1"),
        ("elvish", "runlog.elv"),
    ] {
        let script = runlog::internals::cli::completion_script(shell);
        assert!(!script.is_empty(), "{shell}");
        fresh(&root().join("completions").join(name), &script, "generated");
        assert_eq!(Bench::new().ok(&["completions", shell]).as_bytes(), script);
    }
}

/// The completions that bash offers for the last of these words.
fn offered(bench: &Bench, words: &[&str]) -> Vec<String> {
    let mut command = bench.command();
    command.env("RUNLOG_COMPLETE", "bash").env("_CLAP_COMPLETE_INDEX", words.len().to_string());
    command.env("_CLAP_IFS", "\n").args(["--", "runlog"]).args(words);
    let said = crate::support::said(&command.output().unwrap());
    assert_eq!(said.status, 0, "{}", said.err);
    said.out.lines().map(str::to_owned).collect()
}

/// If this fails, a shell does not complete run ids or paths in runs.
#[test]
fn words_are_completed() {
    let bench = tasks("SkSk");
    let range = ["chapter", "add", "r", "--start", "1", "--end", "1"];
    bench.ok(&[range.as_slice(), &["--name", "Early work", "--message", "M"]].concat());
    assert!(offered(&bench, &["chapter", "ex"]).contains(&"export".to_owned()));
    assert_eq!(offered(&bench, &["show", "la"]), ["latest"]);
    assert_eq!(offered(&bench, &["--runs-dir", "elsewhere", "show", "la"]), [""; 0]);
    let path = |words: &[&str]| offered(&bench, &[&["chapter"], words].concat());
    assert_eq!(path(&["ls", "r", "/ch"]), ["/chapters/early-work/"]);
    assert_eq!(path(&["cat", "r", "/chapters/early-work/s"]), ["/chapters/early-work/summary.md"]);
    let page = "/chapters/early-work/events/001-taskstart.md";
    assert_eq!(path(&["cat", "r", "/chapters/early-work/events/001"]), [page]);
    assert_eq!(path(&["remove", "r", "e"]), ["early-work"]);
}

/// If this fails, a man page lacks an option.
#[test]
fn man_pages_are_fresh() {
    fn page(command: &clap::Command, name: &str) {
        let leaked: &'static str = name.to_owned().leak();
        let named = command.clone().name(leaked).display_name(leaked);
        let mut text = Vec::new();
        clap_mangen::Man::new(named).render(&mut text).unwrap();
        fresh(&root().join("completions/man").join(format!("{name}.1")), &text, "generated");
        for inner in command.get_subcommands() {
            page(inner, &format!("{name}-{}", inner.get_name()));
        }
    }
    let mut command = runlog::internals::cli::command().disable_help_subcommand(true);
    command.build();
    page(&command, "runlog");
}

/// If this fails, an option has no help.
#[test]
fn everything_has_help() {
    fn check(command: &clap::Command, path: &str) {
        assert!(command.get_about().is_some(), "{path} says nothing of itself");
        for argument in command.get_arguments() {
            assert!(argument.get_help().is_some(), "{path}: {} has no help", argument.get_id());
        }
        for inner in command.get_subcommands() {
            check(inner, &format!("{path} {}", inner.get_name()));
        }
    }
    check(&runlog::internals::cli::command(), "runlog");
    let bench = Bench::new();
    assert!(bench.ok(&["--help"]).contains("emit"));
    assert!(bench.ok(&["--version"]).starts_with("runlog "));
    bench.fails(2, &["emit", "note", "--no-such-option"]);
    bench.fails(2, &[]);
}
