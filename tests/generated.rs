//! Completions, man pages and help: generated, committed, fresh. UPDATE=1 writes them.

use std::fs;
use std::path::Path;

use clap_complete::Shell;

use crate::support::{Bench, root};

fn fresh(path: &Path, content: &[u8]) {
    if std::env::var_os("UPDATE").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    let committed = fs::read(path).unwrap_or_default();
    assert!(
        committed == content,
        "{} is out of date: UPDATE=1 cargo test generated",
        path.display()
    );
}

/// If this fails, completion scripts do not know an option.
#[test]
fn completions_are_fresh() {
    for (shell, name) in [
        (Shell::Bash, "runlog.bash"),
        (Shell::Zsh, "_runlog"),
        (Shell::Fish, "runlog.fish"),
        (Shell::PowerShell, "_runlog.ps1"),
        (Shell::Elvish, "runlog.elv"),
    ] {
        let mut script = Vec::new();
        clap_complete::generate(shell, &mut runlog::cli::command(), "runlog", &mut script);
        fresh(&root().join("completions").join(name), &script);
    }
    let bench = Bench::new();
    assert_eq!(
        bench.ok(&["completions", "bash"]).as_bytes(),
        fs::read(root().join("completions/runlog.bash")).unwrap()
    );
}

/// If this fails, a man page does not know an option.
#[test]
fn man_pages_are_fresh() {
    fn page(command: &clap::Command, name: &str) {
        let leaked: &'static str = name.to_owned().leak();
        let named = command.clone().name(leaked).display_name(leaked);
        let mut text = Vec::new();
        clap_mangen::Man::new(named).render(&mut text).unwrap();
        fresh(&root().join("completions/man").join(format!("{name}.1")), &text);
        for inner in command.get_subcommands() {
            page(inner, &format!("{name}-{}", inner.get_name()));
        }
    }
    let mut command = runlog::cli::command().disable_help_subcommand(true);
    command.build();
    page(&command, "runlog");
}

/// If this fails, an option is explained nowhere.
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
    check(&runlog::cli::command(), "runlog");
    let bench = Bench::new();
    assert!(bench.ok(&["--help"]).contains("emit"));
    assert!(bench.ok(&["--version"]).starts_with("runlog "));
    bench.fails(2, &["emit", "note", "--no-such-option"]);
    bench.fails(2, &[]);
}
