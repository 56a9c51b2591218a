//! The HTML page as a reader sees it: Markdown, colours, diffs, idle times, the heading.

use serde_json::{Value, json};

use crate::support::Bench;

/// A run with these events, and its page.
fn page(metadata: &[&str], events: &[Value]) -> String {
    let bench = Bench::created(metadata);
    let lines: Vec<String> = events.iter().map(Value::to_string).collect();
    let said = bench.feed(&["emit", "--run", "r", "--stdin", "-q"], lines.join("\n").as_bytes());
    assert_eq!(said.status, 0, "{}", said.err);
    bench.ok(&["transcript", "r", "--format", "html", "-o", "-"])
}

/// The article of an event, up to the next article.
fn article(page: &str, sequence: u64) -> &str {
    let (_, rest) = page.split_once(&format!(" id=\"e{sequence}\"")).unwrap();
    rest.split("<article ").next().unwrap()
}

fn said(text: &str) -> Value {
    json!({"type": "message.assistant", "actor": "agent", "data": {"text": text}})
}

fn call(id: &str, tool: &str, args: &Value, end: &Value) -> [Value; 2] {
    let kind = if end.get("error").is_some() { "tool.failed" } else { "tool.completed" };
    let mut data = end.clone();
    data["tool_name"] = tool.into();
    [
        json!({"type": "tool.started", "correlation_id": id, "data": {"tool_name": tool, "args": args}}),
        json!({"type": kind, "correlation_id": id, "data": data}),
    ]
}

/// If this fails, a message is shown as Markdown source instead of headings, lists and tables.
#[test]
fn messages_are_rendered() {
    let text = "# Plan\n\n1. *first*\n2. **second** `code`\n\n| a | b |\n|---|--:|\n| x | 1 |\n\n\
        - [x] done\n\n```rust\nfn main() {}\n```\n\n> quoted\n\nA [page](https://example.org/a).";
    let page = page(&[], &[said(text)]);
    for part in [
        "<h4 class=\"h1\">Plan</h4>",
        "<ol><li><em>first</em></li><li><strong>second</strong> <code>code</code></li></ol>",
        "<table><thead><tr><th>a</th><th class=\"right\">b</th></tr></thead>\
         <tr><td>x</td><td class=\"right\">1</td></tr></table>",
        "<ul><li>☑ done</li></ul>",
        "<span>rust</span>",
        "<pre><code>fn main() {}\n</code></pre>",
        "<blockquote><p>quoted</p></blockquote>",
        "<span class=\"link\">page</span> <span class=\"target\">(https://example.org/a)</span>",
    ] {
        assert!(page.contains(part), "{part} is not in {}", article(&page, 2));
    }
}

/// If this fails, Markdown in a message loads something, runs something or leads away.
#[test]
fn markdown_that_tries_to_act() {
    let attempts = [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "text <b onclick=\"x()\">bold</b> <!-- hidden --> text",
        "<!--\nhidden\n-->",
        "</script></style></pre></article></main>",
        "[a](javascript:alert(1)) [b](data:text/html,<script>x</script>) [c](vbscript:x)",
        "![remote](https://e.vil/p.png) ![data](data:image/svg+xml;base64,AAAA \"t\")",
        "<https://e.vil> <me@e.vil> [r]\n\n[r]: javascript:alert(1) \"><script>\"",
        "```\"><script>alert(1)</script>\ncode\n```",
        "<svg/onload=alert(1)><iframe src=//e.vil></iframe><a href=\"javascript:x\">y</a>",
        "<style>*{display:none}</style><link rel=stylesheet href=//e.vil><base href=//e.vil>",
        "| <script>x</script> | b |\n|--|--|\n| ![x](//e.vil/p) | `</td><script>` |",
        "# <meta http-equiv=refresh content=0>\n\n> <form action=//e.vil><button>x",
    ];
    let mut events: Vec<Value> = attempts.iter().map(|text| said(text)).collect();
    events.extend(attempts.map(
        |text| json!({"type": "message.reasoning", "actor": "agent", "data": {"text": text}}),
    ));
    events.extend(
        attempts
            .map(|text| json!({"type": "message.user", "actor": "user", "data": {"text": text}})),
    );
    let page = page(&[], &events);
    let lower = page.to_lowercase();
    for (tag, own) in [("<script", 1), ("<style", 1), ("<link", 0), ("<img", 0), ("<iframe", 0)] {
        assert_eq!(lower.matches(tag).count(), own, "{tag}");
    }
    for live in
        ["<base", "<svg/", "<svg onload", "<!--", " onclick=\"", "<b onclick", "<form action"]
    {
        assert!(!lower.contains(live), "{live}");
    }
    // Every link leads to a part of this page.
    for (at, _) in page.match_indices("href=\"") {
        assert!(page[at + 6..].starts_with('#'), "{}", &page[at..at + 60]);
    }
    assert!(!lower.contains("src=\"") && !lower.contains("http-equiv=\"refresh"));
    assert!(page.contains("&lt;img src=x onerror=alert(1)&gt;"), "text stays visible");
    assert!(page.contains("&lt;!-- hidden --&gt;"));
    assert!(page.contains("[image: remote]"));
}

/// If this fails, deeply nested Markdown makes a page that browsers cannot show.
#[test]
fn nested_markdown_has_a_limit() {
    let page = page(&[], &[said(&(">".repeat(3000) + " deep"))]);
    assert!(page.matches("<blockquote>").count() <= 2 * 16, "once in the list, once on top");
    assert!(page.contains("deep"));
}

/// If this fails, colours of a command's output are lost, or an escape sequence reaches the page.
#[test]
fn outputs_keep_their_colours() {
    let output = "\u{1b}[32mok\u{1b}[0m \u{1b}[1;31mbad\u{1b}[m\u{1b}[2K\u{1b}]0;title\u{7} end";
    let run = json!({"command": "cargo test"});
    let page = page(&[], &call("c", "Bash", &run, &json!({"result": output})));
    let shown = article(&page, 2);
    let expected = "<pre><span class=\"f2\">ok</span> <span class=\"f1 bold\">bad</span> end</pre>";
    assert!(shown.contains(expected), "{shown}");
    assert!(shown.contains("<code class=\"what\">cargo test</code>"), "{shown}");
    assert!(!page.contains('\u{1b}') && !page.contains('␛'));
}

/// If this fails, a long output floods the page, or its end cannot be read.
#[test]
fn long_outputs_are_folded_in_place() {
    let output: String = (1..=200).map(|at| format!("\u{1b}[33mline {at}\u{1b}[0m\n")).collect();
    let run = json!({"command": "seq 200", "description": "Count"});
    let page = page(&[], &call("c", "Bash", &run, &json!({"result": output})));
    let shown = article(&page, 2);
    let (first, rest) = shown.split_once("<details class=\"more\">").unwrap();
    assert!(rest.starts_with("<summary>190 more lines</summary>"), "{rest}");
    assert!(first.contains(">line 10<") && !first.contains(">line 11<"), "{first}");
    assert!(rest.contains(">line 11<") && rest.contains(">line 200<"));
    assert!(first.contains("<span class=\"what\">Count</span>"), "{first}");
    assert!(first.contains("<pre class=\"in\">seq 200</pre>"), "{first}");
}

/// If this fails, an edit is not shown as removed and added lines.
#[test]
fn edits_are_diffs() {
    let ok = json!({"result": "ok"});
    let edit =
        json!({"file_path": "/w/a.rs", "old_string": "one\ntwo\n", "new_string": "one\n2 <b>\n"});
    let several = json!({"file_path": "/w/b.rs", "edits": [
        {"old_string": "x", "new_string": "y"}, {"old_string": "p", "new_string": "q"}]});
    let patch = json!({"command": ["apply_patch", "*** Begin Patch\n*** Update File: c.rs\n\
        @@ fn main\n keep\n-old\n+new\n*** Add File: d.rs\n+fresh\n*** Delete File: e.rs\n*** End Patch\n"]});
    let denied = json!({"file_path": "/w/f.rs", "old_string": "a", "new_string": "b"});
    let mut events = vec![json!({"type": "config.loaded", "data": {"cwd": "/w"}})];
    for (at, (tool, args, end)) in [
        ("Edit", &edit, &ok),
        ("MultiEdit", &several, &ok),
        ("shell", &patch, &ok),
        ("Edit", &denied, &json!({"error": "no such file"})),
    ]
    .into_iter()
    .enumerate()
    {
        events.extend(call(&format!("c{at}"), tool, args, end));
    }
    let page = page(&[], &events);
    let first = article(&page, 3);
    assert!(first.contains(" one\n<del>-two\n</del><ins>+2 &lt;b&gt;\n</ins>"), "{first}");
    assert!(first.contains("<code class=\"what\">a.rs</code>"), "{first}");
    assert!(!first.contains("old_string"), "the diff shows the arguments: {first}");
    let second = article(&page, 5);
    assert!(second.contains("<del>-x\n</del><ins>+y\n</ins>"), "{second}");
    assert!(second.contains("<del>-p\n</del><ins>+q\n</ins>"), "{second}");
    let third = article(&page, 7);
    assert!(
        third.contains("@@ fn main\n</span> keep\n<del>-old\n</del><ins>+new\n</ins>"),
        "{third}"
    );
    assert!(third.contains("<code class=\"what\">c.rs and 2 more</code>"), "{third}");
    for (path, what) in [("d.rs", "created"), ("e.rs", "deleted")] {
        assert!(third.contains(&format!("<code>{path}</code> <i>{what}</i>")), "{path}: {third}");
    }
    // The failed edit is shown, and is not among the changed files.
    assert!(article(&page, 9).contains("<del>-a\n</del>"));
    let (_, files) = page.split_once("<section id=\"files\">").unwrap();
    let files = files.split("</section>").next().unwrap();
    assert!(files.starts_with("<h2>5 changed files "), "{files}");
    assert!(files.contains("<code>a.rs</code>") && !files.contains("f.rs"), "{files}");
    assert!(files.contains("href=\"#e3\""), "{files}");
}

/// If this fails, patches in other forms than that of `apply_patch` are shown as plain text.
#[test]
fn patches_of_other_forms() {
    let ok = json!({"result": "ok"});
    let diff = "@@ -7,2 +7,2 @@ fn lamp\n keep\n-old\n+new\n";
    let recorded = json!({"changes": {
        "a.rs": {"type": "update", "unified_diff": diff, "move_path": "b.rs"},
        "n.rs": {"add": {"content": "first\nsecond\n"}}}});
    let unified = json!({"patch": format!("--- a/src/c.rs\n+++ b/src/c.rs\n{diff}")});
    let editor = json!({"command": "create", "path": "d.txt", "file_text": "made\n"});
    let mut events: Vec<Value> = call("c0", "apply_patch", &recorded, &ok).into();
    events.extend(call("c1", "patch_file", &unified, &ok));
    events.extend(call("c2", "str_replace_editor", &editor, &ok));
    let page = page(&[], &events);
    let lines = "@@ line 7 → 7  fn lamp\n</span> keep\n<del>-old\n</del><ins>+new\n</ins>";
    let first = article(&page, 2);
    assert!(first.contains(lines) && first.contains("<code>a.rs → b.rs</code>"), "{first}");
    assert!(first.contains("<ins>+first\n+second\n</ins>"), "{first}");
    let second = article(&page, 4);
    assert!(second.contains(lines) && second.contains("<code>src/c.rs</code>"), "{second}");
    let third = article(&page, 6);
    assert!(third.contains("<ins>+made\n</ins>") && third.contains("created"), "{third}");
}

/// If this fails, a file that is written twice is shown as completely new, or an edit of a file
/// that is known has no line numbers.
#[test]
fn later_changes_are_compared_with_the_known_file() {
    let ok = json!({"result": "ok"});
    let lines = |odd: &str| -> String {
        let line = |at| if at == 15 { format!("{odd}\n") } else { format!("line {at}\n") };
        (1..=20).map(line).collect()
    };
    let write = |text: String| json!({"file_path": "a.txt", "content": text});
    let edit = json!({"file_path": "a.txt", "old_string": "line 2\n", "new_string": "second\n"});
    let events: Vec<Value> =
        [("Write", write(lines("old"))), ("Write", write(lines("new"))), ("Edit", edit)]
            .iter()
            .enumerate()
            .flat_map(|(at, (tool, args))| call(&format!("c{at}"), tool, args, &ok))
            .collect();
    let page = page(&[], &events);
    let second = article(&page, 4);
    assert!(second.contains("@@ line 12 → 12\n"), "{second}");
    assert!(second.contains(" line 14\n<del>-old\n</del><ins>+new\n</ins> line 16\n"), "{second}");
    assert!(!second.contains("line 11\n"), "{second}");
    let third = article(&page, 6);
    assert!(
        third.contains(" line 1\n<del>-line 2\n</del><ins>+second\n</ins> line 3\n"),
        "{third}"
    );
}

/// If this fails, a reader cannot see that nothing happened for a while, or a running call counts
/// as such a time.
#[test]
fn idle_times_are_drawn() {
    let at = |minute: u32, mut event: Value| {
        event["timestamp"] = format!("2026-03-14T09:{minute:02}:00Z").into();
        event
    };
    let [started, ended] = call("c", "Bash", &json!({"command": "make"}), &json!({"result": "ok"}));
    let page = page(
        &[],
        &[
            at(0, said("one")),
            at(4, said("two")),
            at(16, said("three")),
            at(16, started),
            at(40, ended),
            at(41, said("four")),
        ],
    );
    assert_eq!(page.matches("<p class=\"idle\">").count(), 1);
    let (before, after) =
        page.split_once("<p class=\"idle\"><span>12m00s idle</span></p>").unwrap();
    assert!(before.contains(" id=\"e3\"") && after.contains(" id=\"e4\""));
}

/// If this fails, a page is headed by an id instead of its title or its first prompt.
#[test]
fn the_title_is_the_heading() {
    let asked = json!({"type": "message.user", "actor": "user", "data": {"text": "Fix the <lamp>\nplease"}});
    let heading = |page: &str| {
        let (_, rest) = page.split_once("<h1>").unwrap();
        rest.split("</h1>").next().unwrap().to_owned()
    };
    let titled = page(&["-f", "metadata.title=Lamp & wire"], std::slice::from_ref(&asked));
    assert_eq!(heading(&titled), "Lamp &amp; wire");
    assert!(titled.contains("run <code>r</code>"), "the id is among the facts");
    let prompted = page(&[], &[asked]);
    assert!(heading(&prompted).starts_with("Fix the &lt;lamp&gt;"), "{}", heading(&prompted));
    assert_eq!(heading(&page(&[], &[])), "r");
}

/// If this fails, a key works that the page does not list, or a listed key does nothing.
#[test]
fn every_key_is_listed() {
    let page = page(&[], &[]);
    let (_, table) = page.split_once("const KEYS = {").unwrap();
    let table = table.split("\n};").next().unwrap();
    let keys = table.lines().filter_map(|line| line.trim().split_once(':'));
    for key in keys.map(|(key, _)| key.trim_matches('\'')) {
        if key.len() == 1 {
            assert!(page.contains(&format!("<kbd>{key}</kbd>")), "{key} is not listed");
        }
    }
}
