//! `list`: filters, columns, formats, widths; and `open`.

use std::fs;

use crate::support::{Bench, Said, said};

/// Three runs of two agents, with titles.
fn runs() -> Bench {
    let bench = Bench::new();
    for (run, agent, branch, time, title) in [
        ("claude-code-aaaaaaaa-1111-2222", "claude-code", "main", "2026-01-01", "Fix the parser"),
        (
            "claude-code-aaaabbbb-1111-2222",
            "claude-code",
            "dev",
            "2026-02-01",
            "Add\ta <b>page</b>",
        ),
        ("codex-cccccccc-1111-2222", "codex", "main", "2026-03-01", "Measure the cache"),
    ] {
        let metadata = serde_json::json!({"agent": agent, "git_branch": branch, "title": title});
        let data = serde_json::json!({ "metadata": metadata }).to_string();
        let time = format!("{time}T00:00:00Z");
        bench.ok(&["emit", "run.created", "--run", run, "--timestamp", &time, "--data", &data]);
        let start = ["-f", "tool_name=sh", "--correlation-id", "c", "--timestamp", &time];
        bench.ok(&[&["emit", "tool.started", "--run", run], &start[..]].concat());
        bench.ok(&["emit", "run.completed", "--run", run, "--timestamp", &time]);
    }
    bench
}

fn ids(bench: &Bench, more: &[&str]) -> Vec<String> {
    let printed = bench.ok(&[&["list", "--format", "ids"], more].concat());
    printed.lines().map(|line| line.split('-').take(3).collect::<Vec<_>>().join("-")).collect()
}

/// If this fails, a filter shows other runs than those asked for.
#[test]
fn filters() {
    let bench = runs();
    let all = ["codex-cccccccc-1111", "claude-code-aaaabbbb", "claude-code-aaaaaaaa"];
    assert_eq!(ids(&bench, &[]), all);
    assert_eq!(ids(&bench, &["--agent", "CODEX"]), all[..1]);
    assert_eq!(ids(&bench, &["--grep", "PARSER|cache"]), [all[0], all[2]]);
    assert_eq!(ids(&bench, &["--where", "metadata.git_branch=dev"]), all[1..2]);
    assert_eq!(ids(&bench, &["--where", "counts.tool_calls=1", "--agent", "codex"]), all[..1]);
    assert_eq!(ids(&bench, &["--since", "2026-02-01"]), all[..2]);
    assert_eq!(ids(&bench, &["--until", "2026-02-01", "--since", "2025-12-31"]), all[2..]);
    assert_eq!(ids(&bench, &["--where", "metadata.nothing=x"]), [""; 0]);
    assert_eq!(bench.ok(&["ls", "--format", "ids", "-n", "1"]).lines().count(), 1);
    let none = bench.call(&["list", "--agent", "nobody"]);
    assert!(none.status == 0 && none.err.contains("no run in runs matches"), "{}", none.err);
    let other = bench.call(&["list", "--agent", "claude"]);
    assert!(
        other.err.ends_with("the agents of these runs are claude-code, codex\n"),
        "{}",
        other.err
    );
    bench.fails(2, &["list", "--where", "metadata"]);
    bench.fails(2, &["list", "--columns", "nothing"]);
}

fn table(bench: &Bench, columns: &str, more: &[&str]) -> Said {
    let mut command = bench.command();
    command.arg("list").args(more).env("COLUMNS", columns);
    said(&command.output().unwrap())
}

/// If this fails, runs cannot be told apart, a line is too wide, or a shortened name names no run.
#[test]
fn a_table_fits_its_terminal() {
    let bench = runs();
    for columns in ["40", "60", "80", "120", "200"] {
        let printed = table(&bench, columns, &[]).out;
        let width: usize = columns.parse().unwrap();
        assert!(printed.lines().all(|line| line.chars().count() <= width), "{columns}: {printed}");
        for title in ["Measure the", "Fix the parser"] {
            assert!(printed.contains(title) || width < 60, "{columns}: {printed}");
        }
        for line in printed.lines().skip(1) {
            let name = line.split(' ').next().unwrap();
            bench.ok(&["show", name]);
        }
    }
    let coloured = table(&bench, "80", &["--color", "always"]).out;
    assert!(coloured.contains("\u{1b}[32mcompleted"), "{coloured}");
    let plain = table(&bench, "80", &["--color", "never"]).out;
    assert!(!plain.contains('\u{1b}'), "{plain}");
    let chosen = table(&bench, "80", &["--columns", "title,branch,start"]).out;
    assert!(chosen.starts_with("TITLE "), "{chosen}");
    assert!(chosen.contains("main    2026-03-01 00:00"), "{chosen}");
}

/// If this fails, one long name hides the status of every run, or two rows have the same name.
#[test]
fn long_names_give_way_to_the_status() {
    let bench = runs();
    for end in ["one", "two"] {
        let run = format!("a-run-with-a-name-longer-than-thirty-{end}");
        let data = r#"{"metadata": {"title": "A title of several words"}}"#;
        bench.ok(&["emit", "run.created", "--run", &run, "--data", data]);
        let usage = r#"{"model": "m", "input_tokens": 5, "cost_usd": 1.25}"#;
        bench.ok(&["emit", "llm.usage", "--run", &run, "--data", usage]);
        bench.ok(&["emit", "run.completed", "--run", &run]);
    }
    for (columns, headings) in
        [("60", "RUN STATUS AGE FAIL TITLE"), ("80", "RUN STATUS AGE CALLS FAIL COST TITLE")]
    {
        for command in [&["list"][..], &["summarize", "--all"]] {
            let said = bench.command().args(command).env("COLUMNS", columns).output().unwrap();
            let printed = said_text(&said.stdout);
            let width: usize = columns.parse().unwrap();
            assert!(printed.lines().all(|line| line.chars().count() <= width), "{printed}");
            let heading = printed.lines().next().unwrap();
            assert_eq!(heading.split_whitespace().collect::<Vec<_>>().join(" "), headings);
            let named = printed.lines().filter(|line| line.starts_with("a-run-"));
            let named: std::collections::BTreeSet<&str> =
                named.map(|line| line.split(' ').next().unwrap()).collect();
            assert_eq!(named.len(), 2, "{printed}");
            assert!(printed.contains("completed") && printed.contains("A title"), "{printed}");
        }
    }
}

fn said_text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// If this fails, a program reads wrong cells, or a value breaks a row.
#[test]
fn exact_values_are_separated_by_tabs() {
    let bench = runs();
    let printed = bench.ok(&["list", "--format", "tsv", "--columns", "run,start,calls,cost,title"]);
    assert_eq!(
        printed,
        "run\tstart\tcalls\tcost\ttitle\n\
         codex-cccccccc-1111-2222\t2026-03-01T00:00:00.000Z\t1\t\tMeasure the cache\n\
         claude-code-aaaabbbb-1111-2222\t2026-02-01T00:00:00.000Z\t1\t\tAdd a <b>page</b>\n\
         claude-code-aaaaaaaa-1111-2222\t2026-01-01T00:00:00.000Z\t1\t\tFix the parser\n"
    );
    let usual = bench.ok(&["list", "--format", "tsv"]);
    assert!(usual.lines().all(|line| line.split('\t').count() == 14), "{usual}");
}

/// If this fails, the index page has no links, or text from a log is active in it.
#[test]
fn the_index_page() {
    let bench = runs();
    bench.ok(&["transcript", "codex-cccccccc-1111-2222", "--format", "html"]);
    let page = bench.ok(&["list", "--format", "html"]);
    assert!(page.contains("href=\"codex-cccccccc-1111-2222/transcript.html\""), "{page}");
    assert!(page.contains("href=\"claude-code-aaaabbbb-1111-2222/transcript.md\""), "{page}");
    assert!(page.contains("&lt;b&gt;page") && !page.contains("<b>page"), "{page}");
    assert!(page.contains("default-src 'none'"), "{page}");
    fs::create_dir(bench.path("site")).unwrap();
    bench.ok(&["list", "--format", "html", "--output", "site/index.html"]);
    let page = fs::read_to_string(bench.path("site/index.html")).unwrap();
    let link = "href=\"../runs/codex-cccccccc-1111-2222/transcript.html\"";
    assert!(page.contains(link), "{page}");
}

/// If this fails, `open` opens another file, runs text from a log, or hides that nothing opened.
#[test]
fn a_page_is_opened_by_the_given_browser() {
    let bench = runs();
    let call = |args: &[&str], browser: &str| {
        said(&bench.command().args(args).env("BROWSER", browser).output().unwrap())
    };
    let browser = "printf '%s\\n' >opened.txt";
    for args in [&["open", "codex"][..], &["transcript", "codex", "--open"], &["open"]] {
        let _ = fs::remove_file(bench.path("opened.txt"));
        let said = call(args, browser);
        assert_eq!(said.status, 0, "{}", said.err);
        let opened = fs::read_to_string(bench.path("opened.txt")).unwrap();
        assert!(opened.ends_with("runs/codex-cccccccc-1111-2222/transcript.html\n"), "{opened}");
        assert!(fs::metadata(opened.trim()).unwrap().len() > 0);
    }
    let said = call(&["open", "codex"], "exit 3; :");
    assert!(said.status == 69 && said.err.contains("transcript.html"), "{}", said.err);
    // A file beside the data cannot name a browser.
    fs::write(bench.path("runlog.toml"), "browser = \"touch bad; :\"\n").unwrap();
    let said = call(&["open", "codex"], browser);
    assert!(said.err.contains("browser is ignored"), "{}", said.err);
    assert!(!bench.path("bad").exists());
}

/// If this fails, `import --open` opens no page, or that of another session.
#[test]
fn an_import_is_opened() {
    let bench = Bench::new();
    let source = crate::support::root().join("fixtures/agent-session.jsonl");
    let mut command = bench.command();
    command.args(["--runs-dir", "runs", "import", "--open"]).arg(source);
    let said = said(&command.env("BROWSER", "printf '%s' >opened.txt").output().unwrap());
    assert_eq!(said.status, 0, "{}", said.err);
    let opened = fs::read_to_string(bench.path("opened.txt")).unwrap();
    assert!(opened.ends_with("2f6e8d0a4b77/transcript.html"), "{opened}");
}

/// If this fails, a run whose log cannot be read is listed as a good one.
#[test]
fn an_unsafe_log_is_not_listed() {
    let bench = Bench::with_run();
    fs::create_dir_all(bench.path("runs/evil")).unwrap();
    std::os::unix::fs::symlink(bench.log_path(), bench.path("runs/evil/events.jsonl")).unwrap();
    let said = bench.call(&["list", "--format", "json"]);
    assert_eq!(said.status, 77, "{}", said.err);
    let list: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(list["total"]["runs"], 1, "{list}");
}

/// If this fails, a name is cut where nobody limits the width, or a run has no model although it
/// names one.
#[test]
fn whole_names_in_a_pipe() {
    let bench = Bench::new();
    let model = "a-model-with-a-name-that-is-much-longer-than-a-column";
    let agent = "an-agent-with-a-long-name-too";
    let metadata = format!(r#"metadata={{"agent":"{agent}","model":"{model}"}}"#);
    bench.ok(&["emit", "run.created", "--run", "r", "-F", &metadata]);
    bench.ok(&["emit", "run.completed", "--run", "r"]);
    for words in [&["list"][..], &["summarize", "--all"], &["list", "--columns", "agent,model"]] {
        let out = bench.ok(words);
        assert!(out.contains(model) && out.contains(agent), "{words:?}: {out}");
    }
}

/// If this fails, a note says of runs that share nothing that they do.
#[test]
fn nothing_shared_is_not_named() {
    let bench = Bench::with_run();
    bench.emit(&["note", "-f", "text=one"]);
    let said = bench.call(&["summarize", "--all"]);
    assert!(said.status == 0 && !said.err.contains("share"), "{}", said.err);
}
