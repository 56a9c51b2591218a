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

/// If this fails, a shell does not complete values: types, formats, statuses, codes, columns.
#[test]
fn values_are_completed() {
    let bench = tasks("S");
    let first = |words: &[&str]| {
        let offers = offered(&bench, words);
        offers.first().cloned().unwrap_or_else(|| panic!("no offer: {words:?}"))
    };
    assert_eq!(first(&["emit", "tool.star"]), "tool.started");
    assert_eq!(first(&["emit", "note", "--run", "r"]), "r");
    assert_eq!(first(&["show", "--type", "tool.comp"]), "tool.completed");
    assert!(first(&["import", "--from", "claude"]).starts_with("claude-code"));
    assert!(first(&["emit", "--stdin", "--from", "runl"]).starts_with("runlog"));
    assert_eq!(first(&["list", "--status", "fai"]), "failed");
    assert_eq!(first(&["list", "--columns", "titl"]), "title");
    assert_eq!(first(&["validate", "--expect-status", "running,comp"]), "running,completed");
    assert!(first(&["validate", "--ignore", "RL101,RL10"]).starts_with("RL101,RL10"));
    assert_eq!(first(&["validate", "r"]), "r");
}

/// If this fails, a man page lacks an option, an example, or an exit status.
#[test]
fn man_pages_are_fresh() {
    fn page(command: &clap::Command, name: &str) {
        let leaked: &'static str = name.to_owned().leak();
        let named = command.clone().name(leaked).display_name(leaked);
        fresh(&root().join("completions/man").join(format!("{name}.1")), &man(&named), "generated");
        for inner in command.get_subcommands() {
            page(inner, &format!("{name}-{}", inner.get_name()));
        }
    }
    let mut command = runlog::internals::cli::command().disable_help_subcommand(true);
    command.build();
    page(&command, "runlog");
}

/// A man page: what clap writes, with the sections that a manual has.
fn man(command: &clap::Command) -> Vec<u8> {
    use runlog::internals::cli::{FILES, STATUSES, VARIABLES};
    let ending = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let is_first = command.get_name() == "runlog";
    let man = clap_mangen::Man::new(command.clone());
    let mut out = Vec::new();
    man.render_title(&mut out).unwrap();
    man.render_name_section(&mut out).unwrap();
    man.render_synopsis_section(&mut out).unwrap();
    man.render_description_section(&mut out).unwrap();
    man.render_options_section(&mut out).unwrap();
    if command.has_subcommands() {
        man.render_subcommands_section(&mut out).unwrap();
    }
    let mut own: Vec<(String, String)> = Vec::new();
    for line in ending.lines() {
        match line.strip_suffix(':').filter(|line| !line.starts_with(' ')) {
            Some(title) => own.push((title.to_owned(), String::new())),
            None => own.last_mut().unwrap().1.push_str(&format!("{line}\n")),
        }
    }
    let section = |title: &str| {
        own.iter().find(|(known, _)| known == title).map(|(_, text)| text.clone()).unwrap()
    };
    let table = |rows: &[(&str, &str)]| {
        let rows = rows.iter().map(|(name, meaning)| format!("  {name}\n      {meaning}\n"));
        rows.collect::<String>().replace('`', "")
    };
    let formats = own
        .iter()
        .filter(|(title, _)| !["Examples", "Exit status", "Environment"].contains(&title.as_str()));
    let mut sections: Vec<(String, String)> = formats.cloned().collect();
    let statuses = match is_first {
        true => table(STATUSES),
        false => section("Exit status") + "\nrunlog(1) lists the statuses of all commands.\n",
    };
    sections.push(("Exit status".to_owned(), statuses));
    sections.push(("Environment".to_owned(), table(VARIABLES)));
    sections.push(("Files".to_owned(), table(FILES)));
    sections.push(("Examples".to_owned(), section("Examples")));
    for (title, text) in sections {
        let text = text.trim_end().replace('\\', "\\e").replace('-', "\\-");
        let lines = text.lines().map(|line| match line.starts_with(['.', '\'']) {
            true => format!("\\&{line}\n"),
            false => format!("{line}\n"),
        });
        let lines: String = lines.collect();
        out.extend(format!(".SH \"{}\"\n.nf\n{lines}.fi\n", title.to_uppercase()).bytes());
    }
    out
}

/// If this fails, docs/settings.md lacks a variable, a file or an exit status.
#[test]
fn settings_are_documented() {
    use runlog::internals::cli::{FILES, STATUSES, VARIABLES};
    let path = root().join("docs/settings.md");
    let mut text = std::fs::read_to_string(&path).unwrap();
    for (mark, heading, rows) in [
        ("variables", "| variable | meaning |\n|---|---|", VARIABLES),
        ("files", "| file | content |\n|---|---|", FILES),
        ("statuses", "| exit | meaning |\n|--:|---|", STATUSES),
    ] {
        let begin = format!("<!-- {mark} -->\n");
        let (before, rest) = text.split_once(&begin).unwrap();
        let (_, after) = rest.split_once("<!-- end -->").unwrap();
        let name = |name: &str| match mark {
            "statuses" => name.to_owned(),
            _ => format!("`{name}`"),
        };
        let rows: String =
            rows.iter().map(|(key, what)| format!("| {} | {what} |\n", name(key))).collect();
        text = format!("{before}{begin}{heading}\n{rows}<!-- end -->{after}");
    }
    fresh(&path, text.as_bytes(), "generated");
}

/// If this fails, the help of a command has no examples or no exit statuses, or an example is
/// wrapped in a terminal with 80 columns.
#[test]
fn help_ends_with_examples_and_statuses() {
    fn check(command: &clap::Command, path: &str) {
        let ending = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let examples = ending.find("Examples:\n").unwrap_or_else(|| panic!("{path}: no examples"));
        let statuses =
            ending.find("Exit status:\n").unwrap_or_else(|| panic!("{path}: no exit statuses"));
        assert!(examples < statuses, "{path}");
        for line in ending[examples..].lines() {
            assert!(line.chars().count() <= 80, "{path}: {line}");
        }
        for inner in command.get_subcommands() {
            check(inner, &format!("{path} {}", inner.get_name()));
        }
    }
    check(&runlog::internals::cli::command(), "runlog");
    let first = Bench::new().ok(&["--help"]);
    for command in runlog::internals::cli::command().get_subcommands() {
        let row = format!("\n  {:<12} ", command.get_name());
        assert_eq!(first.matches(&row).count(), 1, "{first}");
    }
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

/// If this fails, the help wraps in the middle of its lists, or has spaces at the ends of lines.
#[test]
fn the_help_has_80_columns() {
    fn widths(command: &clap::Command) {
        let texts = [command.get_after_help(), command.get_after_long_help()];
        for text in texts.into_iter().flatten() {
            let text = text.to_string();
            let wide = text.lines().find(|line| line.chars().count() > 80);
            assert_eq!(wide, None, "{}", command.get_name());
        }
        command.get_subcommands().for_each(widths);
    }
    widths(&runlog::internals::cli::command());
    let bench = Bench::new();
    for command in ["", "list", "stats", "import", "summarize", "mcp"] {
        for help in ["-h", "--help"] {
            let words: Vec<&str> =
                [command, help].into_iter().filter(|word| !word.is_empty()).collect();
            let help = bench.ok(&words);
            let is_clean = |line: &str| line.chars().count() <= 80 && line.trim_end() == line;
            assert!(help.lines().all(is_clean), "{help}");
        }
    }
}
