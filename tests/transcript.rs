//! `transcript.md`: what it says, and that nothing in it is live.

use std::fs;

use crate::support::{Bench, fixture, root};

fn demo() -> Bench {
    let bench = Bench::created(&[
        "--timestamp",
        "2026-03-14T10:00:00Z",
        "-F",
        "deliverables.required=[\"fault.md\"]",
        "-f",
        "metadata.agent=claude-code",
    ]);
    let said = bench.feed(
        &["emit", "--run", "r", "--stdin", "--from", "claude-code"],
        &fixture("agent-session.jsonl"),
    );
    assert_eq!(said.status, 0, "{}", said.err);
    bench.emit(&["transcript.section", "-f", "title=Aside", "-f", "content=All quiet."]);
    bench.emit(&["run.completed", "--timestamp", "2026-03-14T10:00:01Z"]);
    bench.ok(&[
        "chapter",
        "add",
        "r",
        "--start",
        "1",
        "--end",
        "2",
        "--name",
        "The lost record",
        "--message",
        "Fixed with `lines()`.",
    ]);
    bench.ok(&["transcript", "r"]);
    bench
}

/// If this fails, the transcript of the fixture reads otherwise than the one that was last
/// read by a person. Write it anew with UPDATE=1, and read it.
#[test]
fn of_the_fixture() {
    let text = fs::read_to_string(demo().path("runs/r/transcript.md")).unwrap();
    let path = root().join("fixtures/agent-session.transcript.md");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, &text).unwrap();
    }
    assert_eq!(text, fs::read_to_string(path).unwrap());
}

/// If this fails, programs do not find a section where they look for it.
#[test]
fn eight_sections_in_order() {
    for text in [
        fs::read_to_string(demo().path("runs/r/transcript.md")).unwrap(),
        fs::read_to_string(Bench::with_run().path("runs/r/transcript.md")).unwrap(),
    ] {
        let titles: Vec<&str> = text
            .lines()
            .filter_map(|line| line.strip_prefix("## "))
            .filter(|t| *t != "Chapters")
            .collect();
        assert_eq!(
            titles,
            [
                "Metadata",
                "Prompt",
                "Effective Role Summary",
                "Skills Used",
                "Tool Activity Summary",
                "Work Notes",
                "Deliverables",
                "Errors and Warnings"
            ]
        );
        assert!(text.starts_with("# Run Transcript\n"));
    }
    let empty = fs::read_to_string(Bench::with_run().path("runs/r/transcript.md")).unwrap();
    assert!(empty.contains("## Skills Used\n\nNone recorded.\n"), "{empty}");
}

/// If this fails, the transcript depends on where and when it is made.
#[test]
fn same_events_same_bytes() {
    let bench = demo();
    let path = bench.path("runs/r/transcript.md");
    let before = fs::read(&path).unwrap();
    for (name, value) in [("TZ", "Asia/Tokyo"), ("LANG", "de_DE.UTF-8"), ("COLUMNS", "40")] {
        let made =
            bench.command().env(name, value).args(["transcript", "r", "-o", "-"]).output().unwrap();
        assert_eq!(made.stdout, before, "{name}");
    }
}

/// If this fails, a payload acts in the transcript, in a terminal or in CI.
#[test]
fn hostile_payloads_are_inert() {
    let bench = Bench::new();
    let nasty = "\u{1b}[31mred\u{1b}]0;title\u{7}\u{202e}txt <script>alert(1)</script> ![x](http://e.vil/p.png) [y](javascript:z) <img src=x onerror=y>\n# Heading\n```\nfence\n---\n::error::spoofed\n##vso[task.complete]\n| a | b |\nhttp://e.vil www.e.vil me@e.vil";
    let quoted = serde_json::to_string(nasty).unwrap();
    let created = format!("{{\"metadata\":{{\"note\":{quoted}}}}}");
    bench.ok(&["emit", "run.created", "--run", "r", "--data", &created]);
    for (kind, field) in [
        ("message.user", "text"),
        ("message.assistant", "text"),
        ("note", "text"),
        ("tool.started", "tool_name"),
        ("tool.failed", "error"),
        ("file.written", "path"),
        ("error", "message"),
        ("skill.loaded", "skill_id"),
        ("config.loaded", "path"),
        ("transcript.section", "content"),
        ("gate_prompt", "gate_id"),
        ("text", "content"),
    ] {
        let data = format!("{{\"{field}\":{quoted}}}");
        bench.ok(&["emit", "--run", "r", kind, "--data", &data, "--actor", "a<b>`c"]);
    }
    bench.ok(&[
        "emit",
        "--run",
        "r",
        "run.failed",
        "--data",
        &format!("{{\"error\":{{\"message\":{quoted}}}}}"),
    ]);
    bench.ok(&[
        "chapter",
        "add",
        "r",
        "--start",
        "1",
        "--end",
        "1",
        "--name",
        nasty,
        "--message",
        nasty,
    ]);
    bench.ok(&["transcript", "r"]);
    let text = fs::read_to_string(bench.path("runs/r/transcript.md")).unwrap();
    let listed = bench.ok(&["chapter", "ls", "r"]);
    let slug = listed.trim().trim_end_matches('/');
    let outputs = [
        text.clone(),
        bench.ok(&["show", "r"]),
        bench.ok(&["summarize", "r"]),
        bench.ok(&["chapter", "index", "r"]),
        bench.ok(&["chapter", "list", "r"]),
        bench.ok(&["list"]),
        bench.call(&["validate", "r", "--verbose"]).out,
    ];
    // A chapter's message is given line by line, as its author wrote it.
    let shown = bench.ok(&["chapter", "show", "r", slug]);
    let live_in = |output: &str| {
        output
            .chars()
            .find(|c| (c.is_control() && *c != '\n') || ('\u{202a}'..='\u{202e}').contains(c))
    };
    assert_eq!(live_in(&shown), None, "{shown}");
    for output in &outputs {
        assert_eq!(live_in(output), None, "{output}");
        assert!(
            !output.lines().any(|line| line.starts_with("::") || line.starts_with("##vso")),
            "{output}"
        );
    }
    // Everything that is live in Markdown stands in code spans or is escaped.
    let prose: String = outside_fences(&text).map(|line| without_code(line) + "\n").collect();
    for live in [
        "<script",
        "<img",
        "![",
        "](http",
        "](javascript",
        "http://",
        "www.",
        "me@",
        "::error",
        "\n# Head",
        "\n```",
    ] {
        assert!(!prose.contains(live), "{live:?} is live in:\n{prose}");
    }
}

/// The lines outside of fenced blocks, which a fence at least as long as the first closes.
fn outside_fences(text: &str) -> impl Iterator<Item = &str> {
    let mut open: Option<usize> = None;
    text.lines().filter(move |line| {
        let inner = line.strip_prefix("> ").unwrap_or(line);
        let ticks = inner.chars().take_while(|c| *c == '`').count();
        match open {
            Some(length) => {
                if ticks >= length && inner.len() == ticks {
                    open = None;
                }
                false
            }
            None if ticks >= 3 => {
                open = Some(ticks);
                false
            }
            None => true,
        }
    })
}

/// A line without its code spans.
fn without_code(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find('`') {
        let escaped = rest[..at].ends_with('\\');
        let ticks = rest[at..].chars().take_while(|c| *c == '`').count();
        let fence = "`".repeat(ticks);
        out.push_str(&rest[..at]);
        rest = &rest[at + ticks..];
        if !escaped && let Some(end) = rest.find(&fence) {
            rest = &rest[end + ticks..];
        }
    }
    // What a backslash escapes is plain text.
    let mut plain = String::new();
    let whole = out + rest;
    let mut characters = whole.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => drop(characters.next()),
            c => plain.push(c),
        }
    }
    plain
}

/// If this fails, streamed text is torn apart or out of place.
#[test]
fn streamed_text_is_joined() {
    let bench = Bench::with_run();
    let chunk = |id: &str, text: &str| {
        format!(
            "{{\"type\":\"text\",\"data\":{{\"runId\":\"R\",\"id\":\"{id}\",\"content\":\"{text}\"}}}}\n"
        )
    };
    let input =
        format!("{}{}{}", chunk("t1", "Hello "), chunk("t2", "(aside)"), chunk("t1", "world"));
    assert_eq!(bench.feed(&["emit", "--run", "r", "--stdin"], input.as_bytes()).status, 0);
    bench.ok(&["transcript", "r"]);
    let text = fs::read_to_string(bench.path("runs/r/transcript.md")).unwrap();
    assert!(text.contains("said: Hello world ("), "{text}");
}

/// If this fails, the harness's own prompt is not quoted, or a link there is followed.
#[test]
fn quotes_the_harness() {
    let bench = Bench::with_run();
    fs::write(bench.path("runs/r/prompt.md"), "Do *this*.\n").unwrap();
    bench.ok(&["transcript", "r"]);
    let text = || fs::read_to_string(bench.path("runs/r/transcript.md")).unwrap();
    assert!(text().contains("> Do \\*this\\*.\n"), "{}", text());
    fs::write(bench.path("secret"), "hidden").unwrap();
    fs::remove_file(bench.path("runs/r/prompt.md")).unwrap();
    std::os::unix::fs::symlink(bench.path("secret"), bench.path("runs/r/prompt.md")).unwrap();
    bench.ok(&["transcript", "r"]);
    assert!(!text().contains("hidden"));
}

/// If this fails, a transcript for a page with little room is too long, or loses its sections,
/// or is then called edited.
#[test]
fn how_much_it_tells() {
    let bench = demo();
    let path = bench.path("runs/r/transcript.md");
    let made = |args: &[&str]| {
        bench.ok(&[&["transcript", "r"], args].concat());
        let codes = bench.codes();
        assert!(!codes.iter().any(|code| code.starts_with("RL50")), "{args:?}: {codes:?}");
        fs::read_to_string(&path).unwrap()
    };
    let normal = made(&[]);
    let brief = made(&["--detail", "brief"]);
    let full = made(&["--detail", "full"]);
    assert!(brief.len() < normal.len() && normal.len() <= full.len());
    for most in [20_000, 2_500, 1_500, 900, 700] {
        let text = made(&["--max-bytes", &most.to_string()]);
        assert!(text.len() <= most, "{most}: {}", text.len());
        let headings = text.lines().filter(|line| line.starts_with("## ")).count();
        assert!(headings >= 8, "{most}: {text}");
        if most < normal.len() {
            assert!(text.contains(&format!("Shortened to fit into {most} bytes.")), "{text}");
        }
    }
    bench.fails(2, &["transcript", "r", "--max-bytes", "10"]);
    bench.fails(2, &["transcript", "r", "--format", "html", "--detail", "full"]);
}

/// If this fails, a section that somebody wrote is not in the transcript.
#[test]
fn sections_are_added() {
    let bench = Bench::with_run();
    bench.ok(&[
        "transcript",
        "append",
        "r",
        "--title",
        "Findings",
        "--content",
        "It *was* the cache.",
    ]);
    let text = fs::read_to_string(bench.path("runs/r/transcript.md")).unwrap();
    assert!(text.contains("#### Findings\n\n> It \\*was\\* the cache."), "{text}");
    assert_eq!(bench.lines()[1]["type"], "transcript.section");
    bench.fails(65, &["transcript", "append", "r", "--title", " ", "--content", "x"]);
    bench.fails(66, &["transcript", "append", "nobody", "--title", "x", "--content", "x"]);
    bench.fails(2, &["transcript"]);
}

/// A run that holds something hostile in every place that has text.
fn hostile() -> Bench {
    let evil = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\"'><svg onload=x> \
                \u{1b}[31m\u{202e} ::error::x\n::error::y ##[error]z ]]> <!-- ```\n# h\n[a](javascript:x)";
    let text = serde_json::to_string(evil).unwrap();
    let bench = Bench::created(&[
        "-F",
        &format!("metadata.note={text}"),
        "-F",
        &format!("deliverables.required=[{text}]"),
    ]);
    let lines = [
        ("task.started", "message"),
        ("message.user", "text"),
        ("note", "text"),
        ("error", "message"),
        ("file.written", "path"),
        ("skill.loaded", "skill_id"),
        ("transcript.section", "title"),
        ("transcript.section", "content"),
        ("config.loaded", "path"),
    ];
    let mut input = String::new();
    for (kind, name) in lines {
        input.push_str(&format!(
            "{{\"type\":\"{kind}\",\"actor\":{text},\"data\":{{\"{name}\":{text}}}}}\n"
        ));
    }
    for (kind, more) in [("tool.started", "args_summary"), ("tool.failed", "error")] {
        input.push_str(&format!("{{\"type\":\"{kind}\",\"correlation_id\":\"c\",\"data\":{{\"tool_name\":{text},\"{more}\":{text}}}}}\n"));
    }
    input.push_str(&format!("{{\"type\":\"tool.started\",\"correlation_id\":\"d\",\"data\":{{\"tool_name\":\"t\",\"args_summary\":{{\"command\":{text}}}}}}}\n"));
    input.push_str(&format!("{{\"type\":\"tool.completed\",\"correlation_id\":\"d\",\"data\":{{\"tool_name\":\"t\",\"result_summary\":{text}}}}}\n"));
    input.push_str(
        "{\"type\":\"task.succeeded\",\"data\":{}}\n{\"type\":\"run.completed\",\"data\":{}}\n",
    );
    let said = bench.feed(&["emit", "--run", "r", "--stdin", "-q"], input.as_bytes());
    assert_eq!(said.status, 0, "{}", said.err);
    bench.ok(&[
        "chapter",
        "add",
        "r",
        "--start",
        "1",
        "--end",
        "1",
        "--name",
        evil,
        "--message",
        evil,
    ]);
    bench
}

/// If this fails, something in a log acts in a page, in a terminal or in the log of a CI service.
#[test]
fn nothing_is_live_in_any_form() {
    let bench = hostile();
    let page = bench.ok(&["transcript", "r", "--format", "html", "-o", "-"]);
    let lower = page.to_lowercase();
    assert_eq!(lower.matches("<script").count(), 1, "its own");
    for tag in ["<img", "<svg onload", "<iframe", "<!--", "onerror=\"", "href=\"javascript"] {
        assert!(!lower.contains(tag), "{tag}");
    }
    assert!(page.contains("&lt;img src=x onerror=alert(1)&gt;"));
    let policy = page.split("Content-Security-Policy\" content=\"").nth(1).unwrap();
    let policy = policy.split('"').next().unwrap();
    assert!(policy.starts_with("default-src 'none'; style-src 'sha256-"), "{policy}");
    assert!(!policy.contains("unsafe") && !policy.contains("http"), "{policy}");
    let text = bench.ok(&["transcript", "r", "--format", "text"]);
    let json = bench.ok(&["transcript", "r", "--format", "json"]);
    serde_json::from_str::<serde_json::Value>(&json).unwrap();
    let shown = bench.ok(&["show", "r"]);
    let graph = bench.ok(&["graph", "r"]);
    let markdown = bench.ok(&["transcript", "r", "-o", "-"]);
    for (form, text) in [
        ("html", &page),
        ("text", &text),
        ("show", &shown),
        ("graph", &graph),
        ("markdown", &markdown),
    ] {
        let live = |c: char| c == '\u{1b}' || c == '\u{202e}' || c.is_control() && c != '\n';
        assert!(!text.contains(live), "{form}");
        if form != "html" {
            assert!(!text.lines().any(|line| line.trim_start().starts_with("::")), "{form}");
        }
    }
    for text in [&text, &shown] {
        assert!(!text.contains("##["), "{text}");
    }
}

/// Text without what stands between two others, where they are.
fn without(text: &str, from: &str, to: &str) -> String {
    let Some((head, rest)) = text.split_once(from) else { return text.to_owned() };
    let tail = rest.split_once(to).map_or("", |(_, tail)| tail);
    format!("{head}{from}…{to}{tail}")
}

/// If this fails, the page or the text of the fixture differ from those that a person last looked
/// at. Write them anew with UPDATE=1, and look at them.
#[test]
fn other_forms_of_the_fixture() {
    let bench = demo();
    for (format, file) in
        [("text", "agent-session.transcript.txt"), ("html", "agent-session.transcript.html")]
    {
        let text = |zone: &str| {
            let mut command = bench.command();
            command.env("TZ", zone).args(["transcript", "r", "--format", format, "-o", "-"]);
            crate::support::said(&command.output().unwrap()).out
        };
        let made = text("UTC");
        assert_eq!(made, text("Asia/Tokyo"), "the place matters");
        // How the page looks and what it does is kept beside its source.
        let made = without(&made, "<style>", "</style>");
        let made = without(&made, "<script>", "</script>");
        let made = without(&made, "style-src '", "';");
        let made = without(&made, "script-src '", "';");
        let path = root().join("fixtures").join(file);
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&path, &made).unwrap();
        }
        assert!(made == fs::read_to_string(&path).unwrap(), "{file} is out of date");
    }
    let wide = bench.ok(&["transcript", "r", "--format", "text"]);
    assert!(wide.lines().all(|line| line.chars().count() <= 80), "{wide}");
    let json: serde_json::Value =
        serde_json::from_str(&bench.ok(&["transcript", "r", "--format", "json"])).unwrap();
    assert_eq!((&json["run_id"], &json["status"]), (&"r".into(), &"completed".into()));
    assert!(json["turns"].as_array().unwrap().len() > 1);
}

/// If this fails, the page's own script does not run under its policy, or one from a payload does.
/// Needs a Chromium; says loudly when there is none.
#[test]
fn the_page_in_a_browser() {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let run = |name: &str| {
        std::process::Command::new(name)
            .arg("--version")
            .output()
            .is_ok_and(|said| said.status.success())
    };
    let Some(browser) = names.into_iter().find(|name| run(name)) else {
        let _ =
            std::io::Write::write_all(&mut std::io::stderr(), b"SKIPPED: there is no Chromium\n");
        return;
    };
    let bench = hostile();
    bench.ok(&["transcript", "r", "--format", "html"]);
    let page = bench.path("runs/r/transcript.html");
    let said = std::process::Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--virtual-time-budget=2000",
            "--dump-dom",
        ])
        .arg(format!("--user-data-dir={}", bench.path("browser").display()))
        .arg(format!("file://{}", page.display()))
        .output()
        .unwrap();
    let dom = String::from_utf8_lossy(&said.stdout).into_owned();
    let articles = dom.matches("<article ").count();
    assert!(dom.contains(&format!("data-ready=\"{articles}\"")) && articles >= 5, "{dom}");
    for tag in ["<img", "<iframe", "onload=\"", "onerror=\""] {
        assert!(!dom.contains(tag), "{tag}");
    }
    assert_eq!(dom.matches("<script").count(), 1);
}

/// If this fails, calls that ran side by side are not drawn, those one behind the other are, or
/// a name from the log is syntax of the chart.
#[test]
fn a_timeline_of_calls_side_by_side() {
    let call = |id: &str, kind: &str, at: u32, rest: &str| {
        format!(
            r#"{{"type":"tool.{kind}","correlation_id":"{id}","timestamp":"2026-03-14T09:00:{at:02}Z","data":{{"tool_name":"x\nclick 1 href \"javascript:alert(1)\"%%{{init}}%%"{rest}}}}}"#
        )
    };
    let bench = Bench::with_run();
    let feed = |lines: &[String]| {
        let said = bench.feed(&["emit", "--run", "r", "--stdin"], lines.join("\n").as_bytes());
        assert_eq!(said.status, 0, "{}", said.err);
        bench.ok(&["transcript", "r"]);
        fs::read_to_string(bench.path("runs/r/transcript.md")).unwrap()
    };
    let one = feed(&[
        call("a", "started", 1, ""),
        call("a", "completed", 3, ""),
        call("b", "started", 3, ""),
        call("b", "failed", 5, r#","error":{"message":"no"}"#),
    ]);
    assert!(!one.contains("## Timeline"), "{one}");
    let two = feed(&[
        call("c", "started", 10, ""),
        call("d", "started", 11, ""),
        call("c", "completed", 12, ""),
        call("d", "completed", 14, ""),
    ]);
    let chart = two.split("## Timeline").nth(1).unwrap().split("\n## ").next().unwrap();
    let bars: Vec<&str> = chart.lines().filter(|line| line.contains(" :")).collect();
    assert_eq!(bars.len(), 4, "{chart}");
    assert!(
        bars[1].ends_with(":crit, 2026-03-14T09:00:03.000, 2026-03-14T09:00:05.000"),
        "{chart}"
    );
    for bar in bars {
        let name = bar.split(" :").next().unwrap();
        assert!(!name.contains(['%', ':', '"', '{', '(', ';', '#']), "{name}");
        assert!(name.trim_start().starts_with(|c: char| c.is_ascii_digit()), "{name}");
    }
    bench.ok(&["transcript", "r", "--detail", "brief"]);
    let brief = fs::read_to_string(bench.path("runs/r/transcript.md")).unwrap();
    assert!(!brief.contains("## Timeline"), "{brief}");
}
