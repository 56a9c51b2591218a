//! `transcript.md`: its content, and that nothing in it is active.

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

/// A transcript without the hash of its log, whose events have new ids each time.
fn without_hash(text: &str) -> String {
    match text.rsplit_once("SHA-256 ") {
        Some((before, rest)) => format!("{before}SHA-256 …{}", &rest[64..]),
        // The text has none.
        None => text.to_owned(),
    }
}

/// If this fails, the transcript of the fixture differs from the one that was last reviewed. Write
/// it again with UPDATE=1, and review it.
#[test]
fn of_the_fixture() {
    let text = fs::read_to_string(demo().path("runs/r/transcript.md")).unwrap();
    let text = without_hash(&text);
    let path = root().join("fixtures/agent-session.transcript.md");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, &text).unwrap();
    }
    assert_eq!(text, fs::read_to_string(path).unwrap());
}

/// If this fails, programs do not find a section at its place.
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

/// If this fails, streamed text is split or out of place.
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

/// If this fails, the harness's own prompt is not quoted, or a link in its place is followed.
#[test]
fn quotes_the_harness() {
    let bench = Bench::with_run();
    fs::write(bench.path("runs/r/prompt.md"), "Do *this*.\n").unwrap();
    bench.ok(&["transcript", "r"]);
    let text = || fs::read_to_string(bench.path("runs/r/transcript.md")).unwrap();
    assert!(text().contains("> Do *this*.\n"), "{}", text());
    fs::write(bench.path("secret"), "hidden").unwrap();
    fs::remove_file(bench.path("runs/r/prompt.md")).unwrap();
    std::os::unix::fs::symlink(bench.path("secret"), bench.path("runs/r/prompt.md")).unwrap();
    bench.ok(&["transcript", "r"]);
    assert!(!text().contains("hidden"));
}

/// If this fails, a short transcript is too long, loses sections, or is then reported as edited.
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
    bench.fails(2, &["transcript", "r", "--format", "html", "--max-bytes", "9000"]);
}

/// If this fails, a section from an event is not in the transcript.
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
    assert!(text.contains("#### Findings\n\n> It *was* the cache."), "{text}");
    assert_eq!(bench.lines()[1]["type"], "transcript.section");
    bench.fails(65, &["transcript", "append", "r", "--title", " ", "--content", "x"]);
    bench.fails(66, &["transcript", "append", "nobody", "--title", "x", "--content", "x"]);
    // Without a name, the newest run.
    bench.ok(&["transcript"]);
}

/// The text without the part between two markers, if they are there.
fn without(text: &str, from: &str, to: &str) -> String {
    let Some((head, rest)) = text.split_once(from) else { return text.to_owned() };
    let tail = rest.split_once(to).map_or("", |(_, tail)| tail);
    format!("{head}{from}…{to}{tail}")
}

/// If this fails, the page or the text of the fixture differs from the one that was last reviewed.
/// Write them again with UPDATE=1, and review them.
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
        // The style and script of the page are separate source files.
        let made = without(&made, "<style>", "</style>");
        let made = without(&made, "<script>", "</script>");
        let made = without(&made, "style-src '", "';");
        let made = without(&made, "script-src '", "';");
        let made = without_hash(&made);
        let path = root().join("fixtures").join(file);
        if std::env::var_os("UPDATE").is_some() {
            fs::write(&path, &made).unwrap();
        }
        assert!(made == fs::read_to_string(&path).unwrap(), "{file} is out of date");
    }
    let wide = bench.ok(&["transcript", "r", "--format", "text"]);
    assert!(wide.lines().all(|line| line.chars().count() <= 80), "{wide}");
    let json = bench.json(&["transcript", "r"]);
    assert_eq!(
        (&json["facts"]["run_id"], &json["facts"]["status"]),
        (&"r".into(), &"completed".into())
    );
    assert!(json["turns"].as_array().unwrap().len() > 1);
}

/// If this fails, parallel calls are not drawn, sequential ones are, or a name from the log is read
/// as chart syntax.
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

/// If this fails, a call with an impossibly long duration stops the program or is drawn.
#[test]
fn absurd_durations() {
    let bench = Bench::with_run();
    for took in ["9223372036854775807", "18446744073709551615", "9007199254740992"] {
        let id = ["--correlation-id", took, "-f", "tool_name=t"];
        bench.emit(&[["tool.started"].as_slice(), &id].concat());
        let took = format!("duration_ms={took}");
        bench.emit(&[["tool.completed", "-F", &took].as_slice(), &id].concat());
    }
    for format in ["markdown", "html", "text", "json"] {
        let made = bench.ok(&["transcript", "r", "--format", format, "-o", "-"]);
        assert!(!made.contains("## Timeline"), "{made}");
    }
}

/// If this fails, a transcript without enough space is cut off, and differs from its log.
#[test]
fn too_little_room() {
    let bench = demo();
    let path = bench.path("runs/r/transcript.md");
    let before = fs::read_to_string(&path).unwrap();
    let said = bench.fails(2, &["transcript", "r", "--max-bytes", "300"]);
    assert!(said.contains("bytes"), "{said}");
    assert_eq!(fs::read_to_string(&path).unwrap(), before);
}

/// If this fails, the first of two calls with one id loses its result, or shows that of the second.
#[test]
fn calls_that_use_one_id_again() {
    let bench = Bench::with_run();
    bench.emit(&["message.user", "-f", "text=go"]);
    for (command, result) in [("first", "FIRSTRESULT"), ("second", "SECONDRESULT")] {
        let args = format!("args.command={command}");
        let call = ["-f", "tool_name=sh", "--correlation-id", "1"];
        bench.emit(&[&["tool.started", "-f", &args][..], &call].concat());
        let result = format!("result={result}");
        bench.emit(&[&["tool.completed", "-f", &result][..], &call].concat());
    }
    bench.emit(&["run.completed"]);
    for more in [
        &["--format", "markdown", "--detail", "full"][..],
        &["--format", "text", "--detail", "full"],
        &["--format", "html"],
        &["--format", "json"],
    ] {
        let shown = bench.ok(&[&["transcript", "r", "-o", "-"][..], more].concat());
        for text in ["first", "FIRSTRESULT", "second", "SECONDRESULT"] {
            assert!(shown.contains(text), "{text} in {more:?}: {shown}");
        }
    }
}
