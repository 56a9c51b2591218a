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
