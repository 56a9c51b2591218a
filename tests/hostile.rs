//! A run with hostile text in every text field. It must be harmless in every form in which people
//! read a run.

use std::io::Write as _;
use std::process::Command;

use crate::support::{Bench, root, said};

/// Text that is active in a terminal, a page, Markdown, the log of a CI service, or a chart.
const EVIL: &str = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\"'><svg onload=x> \
    \u{1b}[31mred\u{1b}]0;title\u{7}\u{202e}txt ![x](http://e.vil/p.png) [a](javascript:x) \
    ::error::x\n::error::y ##[error]z\n##vso[task.complete]\n]]> <!-- ```\n# Heading\n\
    ````\nfence\n---\n| a | b |\nhttp://e.vil www.e.vil me@e.vil\nclick n0 href \"x\" %%{init}%%";

/// The types and fields that get the text.
const PLACES: &[(&str, &str)] = &[
    ("task.started", "message"),
    ("message.user", "text"),
    ("message.assistant", "text"),
    ("message.reasoning", "text"),
    ("note", "text"),
    ("error", "message"),
    ("error", "code"),
    ("file.written", "path"),
    ("skill.loaded", "skill_id"),
    ("transcript.section", "title"),
    ("transcript.section", "content"),
    ("config.loaded", "path"),
    ("config.loaded", "cwd"),
    ("gate_prompt", "gate_id"),
    ("text", "content"),
];

fn hostile() -> Bench {
    let evil = serde_json::to_string(EVIL).unwrap();
    let bench = Bench::created(&[
        "-F",
        &format!("metadata.note={evil}"),
        "-F",
        &format!("deliverables.required=[{evil}]"),
    ]);
    let mut lines: Vec<String> = Vec::new();
    for (kind, name) in PLACES {
        let agent = serde_json::to_string(&format!("a<b>`{EVIL}")).unwrap();
        lines.push(format!(r#"{{"type":"{kind}","actor":{agent},"data":{{"{name}":{evil}}}}}"#));
    }
    let call = |id: &str, second: u32, kind: &str, data: &str| {
        format!(
            r#"{{"type":"tool.{kind}","correlation_id":"{id}","timestamp":"2026-03-14T09:00:{second:02}Z","data":{{"tool_name":{evil}{data}}}}}"#
        )
    };
    // Parallel, so that they are drawn, with arguments of every shape.
    let shapes = [
        format!(r#","args":{evil}"#),
        format!(r#","args":{{"command":{evil}}}"#),
        format!(r#","args":{{"file_path":{evil},"old_string":{evil},"new_string":{evil}}}"#),
        format!(r#","args":{{"todos":[{{"content":{evil},"status":"in_progress"}}]}}"#),
        format!(r#","args":{{"questions":[{{"question":{evil},"options":[{evil}]}}]}}"#),
        format!(r#","args":{{{evil}:{evil}}}"#),
    ];
    for (at, shape) in shapes.iter().enumerate() {
        lines.push(call(&format!("c{at}"), at as u32, "started", shape));
    }
    // An agent spawned by one of them.
    lines.push(format!(
        r#"{{"type":"agent_spawn","correlation_id":"c1","data":{{"agentId":{evil}}}}}"#
    ));
    lines.push(format!(
        r#"{{"type":"message.assistant","data":{{"agentId":{evil},"text":{evil}}}}}"#
    ));
    for at in 0..shapes.len() {
        let (kind, data) = match at {
            0 => ("failed", format!(r#","error":{evil}"#)),
            _ => ("completed", format!(r#","result":{evil}"#)),
        };
        lines.push(call(&format!("c{at}"), 20 + at as u32, kind, &data));
    }
    lines.extend(on_the_page(&evil));
    lines.push(r#"{"type":"task.succeeded","data":{}}"#.to_owned());
    lines.push(format!(r#"{{"type":"run.failed","data":{{"error":{{"message":{evil}}}}}}}"#));
    let said = bench.feed(
        &["emit", "--run", "r", "--stdin", "--from", "runlog", "-q"],
        lines.join("\n").as_bytes(),
    );
    assert_eq!(said.status, 0, "{}", said.err);
    let span = ["--start", "1", "--end", "1", "--name", EVIL, "--message", EVIL];
    bench.ok(&[["chapter", "add", "r"].as_slice(), &span].concat());
    bench
}

/// Events that a page shows in forms of their own: plans, images, additions of clients, output of
/// hooks, compactions, and agents that no call spawned.
fn on_the_page(evil: &str) -> Vec<String> {
    let quoted = |before: &str, after: &str| {
        let text: String = serde_json::from_str(evil).unwrap();
        serde_json::to_string(&format!("{before}{text}{after}")).unwrap()
    };
    let call = |id: &str, kind: &str, data: &str| {
        format!(
            r#"{{"type":"tool.{kind}","correlation_id":"{id}","data":{{"tool_name":"exit_plan"{data}}}}}"#
        )
    };
    let url = quoted("data:image/svg+xml;base64,", "");
    vec![
        call("p1", "started", &format!(r#","args":{{"plan":{evil},"subagent_type":{evil}}}"#)),
        call(
            "p1",
            "completed",
            &format!(
                r#","result":[{{"type":"image","source":{{"media_type":{evil},"data":{evil}}}}},{{"type":"image_url","image_url":{{"url":{url}}}}}],"source":{{"toolUseResult":{{"answers":{{{evil}:{evil}}}}}}}"#
            ),
        ),
        format!(
            r#"{{"type":"message.user","actor":"user","data":{{"text":{}}}}}"#,
            quoted("<command-name>", "</command-name><command-args>x</command-args>")
        ),
        format!(
            r#"{{"type":"message.user","actor":"user","data":{{"text":{}}}}}"#,
            quoted(
                "x <system-reminder>",
                "</system-reminder><local-command-stdout>\u{1b}[31</local-command-stdout>"
            )
        ),
        format!(r#"{{"type":"message.system","data":{{"text":{evil},"hook":true}}}}"#),
        format!(
            r#"{{"type":"note","data":{{"_runlog":{{"dialect":"claude-code"}},"text":{}}}}}"#,
            quoted("Context compacted ", "")
        ),
        format!(
            r#"{{"type":"message.system","data":{{"_runlog":{{"dialect":"claude-code"}},"text":{evil}}}}}"#
        ),
        format!(
            r#"{{"type":"message.user","actor":"user","data":{{"_runlog":{{"dialect":"claude-code"}},"agent_id":{evil},"agent_type":{evil},"model":{evil},"text":{evil}}}}}"#
        ),
    ]
}

/// If this fails, a payload is active in a transcript that is shown as Markdown.
#[test]
fn markdown() {
    let bench = hostile();
    for detail in ["brief", "normal", "full"] {
        let text = bench.ok(&["transcript", "r", "--detail", detail, "-o", "-"]);
        // Everything active in Markdown is in code spans or escaped.
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
            assert!(!prose.contains(live), "{detail}: {live:?} is live in:\n{prose}");
        }
        assert_eq!(text.contains("## Timeline"), detail != "brief", "{text}");
        let agent = text.lines().any(|line| line.starts_with("  - agent `"));
        assert!(agent, "{text}");
    }
}

/// If this fails, a payload is active in a context that is shown as Markdown.
#[test]
fn context_as_markdown() {
    let bench = hostile();
    let text = bench.ok(&["context", "r", "--max-tokens", "100k"]);
    let prose: String = outside_fences(&text).map(|line| without_code(line) + "\n").collect();
    for live in ["<script", "![", "](", "http://", "www.", "me@", "::error", "\n# Head", "\n```"] {
        assert!(!prose.contains(live), "{live:?} is live in:\n{prose}");
    }
    assert!(!text.contains(['\u{1b}', '\u{7}', '\u{202e}']));
}

/// If this fails, text from a log is active in a page, a terminal or the log of a CI service.
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
    let full = bench.ok(&["transcript", "r", "--detail", "full", "-o", "-"]);
    for (form, text) in [
        ("html", &page),
        ("text", &text),
        ("show", &shown),
        ("graph", &graph),
        ("markdown", &markdown),
        ("full markdown", &full),
        ("summarize", &bench.ok(&["summarize", "r"])),
        ("chapter index", &bench.ok(&["chapter", "index", "r"])),
        ("chapter list", &bench.ok(&["chapter", "list", "r"])),
        ("list", &bench.ok(&["list"])),
        ("validate", &bench.call(&["validate", "r", "--verbose"]).out),
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

/// If this fails, the page's script is blocked by its policy, or a script from a payload runs.
/// Needs Chromium; prints a message if there is none.
#[test]
fn the_page_in_a_browser() {
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let run = |name: &str| {
        Command::new(name).arg("--version").output().is_ok_and(|said| said.status.success())
    };
    let Some(browser) = names.into_iter().find(|name| run(name)) else {
        let _ =
            std::io::Write::write_all(&mut std::io::stderr(), b"SKIPPED: there is no Chromium\n");
        return;
    };
    let bench = hostile();
    bench.ok(&["transcript", "r", "--format", "html"]);
    let page = bench.path("runs/r/transcript.html");
    let dom = |part: &str| {
        let said = Command::new(browser)
            .args(["--headless", "--no-sandbox", "--disable-gpu"])
            .args(["--virtual-time-budget=2000", "--dump-dom"])
            .arg(format!("--user-data-dir={}", bench.path("browser").display()))
            .arg(format!("file://{}{part}", page.display()))
            .output()
            .unwrap();
        String::from_utf8_lossy(&said.stdout).into_owned()
    };
    // A link to a call opens and marks it.
    let linked = dom("#e17");
    let (before, call) = linked.split_once(" id=\"e17\"").unwrap();
    let (_, inside) = call.split_once('>').unwrap();
    assert!(before.ends_with("<article class=\"call here\""), "{before}");
    assert!(
        inside.starts_with("<details open=\"\">") || inside.contains("<details open"),
        "{inside}"
    );
    let dom = dom("");
    let articles = dom.matches("<article ").count();
    assert!(dom.contains(&format!("data-ready=\"{articles}\"")) && articles >= 5, "{dom}");
    for tag in ["<img", "<iframe", "onload=\"", "onerror=\""] {
        assert!(!dom.contains(tag), "{tag}");
    }
    assert_eq!(dom.matches("<script").count(), 1);
}

/// The lines outside fenced blocks. A block is closed by a fence at least as long as its first one.
fn outside_fences(text: &str) -> impl Iterator<Item = &str> {
    let mut open: Option<usize> = None;
    text.lines().filter(move |line| {
        let inner = line.trim_start();
        let inner = inner.strip_prefix("> ").unwrap_or(inner);
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
    // Escaped characters are plain text.
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

/// If this fails, text of a log acts on the terminal on which it is printed, in a format for
/// programs. Needs Python for the terminal.
#[test]
fn nothing_acts_on_a_terminal() {
    // C0, DEL, C1, marks of direction, and characters that cannot be seen.
    let live = "start \u{1b}]0;title\u{7} \u{0}\u{8}\r\u{7f}\u{9b}31m\u{202e}\u{2028}\u{200b} end";
    let live = serde_json::to_string(live).unwrap();
    let metadata = format!(r#"{{"agent":{live},"title":{live},"model":{live},"cwd":{live}}}"#);
    let bench = Bench::created(&["-F", &format!("metadata={metadata}")]);
    let lines = [
        format!(r#"{{"type":"message.user","actor":"user","data":{{"text":{live}}}}}"#),
        format!(
            r#"{{"type":"tool.failed","data":{{"tool_name":{live},"args":{live},"error":{live}}}}}"#
        ),
        format!(r#"{{"type":{},"data":{{}}}}"#, r#""odd.type\u202e""#),
        format!(r#"{{"type":"llm.usage","data":{{"model":{live},"input_tokens":1}}}}"#),
    ];
    bench.feed(&["emit", "--run", "r", "--stdin"], lines.join("\n").as_bytes());
    let mut python = Command::new("python3");
    python.arg(root().join("tests/hostile_terminal.py")).arg(env!("CARGO_BIN_EXE_runlog"));
    python.current_dir(bench.path("")).env_remove("RUNLOG_RUN").env_remove("RUNLOG_RUNS_DIR");
    python.env_remove("COLUMNS").env_remove("NO_COLOR").env("TERM", "xterm").env("PAGER", "cat");
    let Ok(output) = python.output() else {
        let _ = writeln!(std::io::stderr(), "SKIPPED: python3 is not there");
        return;
    };
    let said = said(&output);
    assert!(said.status == 0, "{}{}", said.out, said.err);
}

/// If this fails, a report, a page or an export can replace the log of a run.
#[test]
fn outputs_never_replace_the_files_of_a_run() {
    let bench = Bench::with_run();
    bench.emit(&["tool.completed", "-f", "tool_name=a"]);
    bench.emit(&["run.completed"]);
    std::fs::create_dir(bench.path("runs/r/blobs")).unwrap();
    std::os::unix::fs::symlink("r", bench.path("runs/link")).unwrap();
    let session = crate::support::fixture("agent-session.jsonl");
    std::fs::write(bench.path("session.jsonl"), session).unwrap();
    let (log, state) = (bench.log(), std::fs::read(bench.path("runs/r/run.json")).unwrap());
    let files = ["runs/r/events.jsonl", "runs/link/events.jsonl", "runs/r/../r/run.json"];
    let more = ["runs/r/logs/tools.jsonl", "runs/r/blobs/x"];
    for file in files.into_iter().chain(more) {
        let report = format!("junit={file}");
        for call in [
            &["transcript", "r", "--output", file][..],
            &["transcript", "r", "--format", "html", "--output", file],
            &["validate", "r", "--format", "json", "--output", file],
            &["validate", "r", "--report", &report],
            &["list", "--output", file],
            &["graph", "r", "--output", file],
            &["export", "--to", "otlp", "r", "--out", file],
            &["export", "--to", "sqlite", "r", "--out", file],
            &["export", "--to", "ddl", "duckdb", "--out", file],
            &["import", "session.jsonl", "--receipt", file],
        ] {
            let said = bench.call(call);
            // What is not named like a document is a directory of documents.
            let is_directory = call[0] == "export" && call[2] == "otlp" && !file.ends_with("json");
            let told = said.err.contains("a file of a run, which no output may replace");
            assert!(said.status == 77 && told || is_directory, "{call:?}: {}", said.err);
            assert_ne!(said.status, 0);
        }
    }
    assert_eq!(bench.log(), log);
    assert_eq!(std::fs::read(bench.path("runs/r/run.json")).unwrap(), state);
    bench.ok(&["validate", "r", "--output", "runs/r/report.txt"]);
}
