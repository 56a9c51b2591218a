//! What the HTML page shows in a form of its own: to-do lists, plans, questions, sub-agents, output
//! of hooks, compactions, and what clients add to prompts.

use serde_json::{Value, json};

use crate::support::{Bench, jsonl};

/// A line of a session of Claude Code.
fn line(number: usize, kind: &str, content: &Value) -> Value {
    json!({"type": kind, "uuid": format!("u{number}"), "parentUuid": null, "sessionId": "s",
        "timestamp": format!("2026-03-14T09:00:{number:02}Z"),
        "message": {"role": kind, "content": content, "model": "lamp-1", "id": format!("m{number}"),
            "usage": {"input_tokens": 1000, "output_tokens": 20}}})
}

/// The page and the text of a session with these lines.
fn shown(lines: &[Value]) -> (String, String) {
    let bench = Bench::with_run();
    bench.import_from("claude-code", &jsonl(lines));
    let page = bench.ok(&["transcript", "r", "--format", "html", "-o", "-"]);
    (page, bench.ok(&["transcript", "r", "--format", "text"]))
}

/// A session with one call, its result, and the members beside the result.
fn with_call(tool: &str, input: &Value, result: &str, details: &Value) -> String {
    let call = json!([{"type": "tool_use", "id": "c", "name": tool, "input": input}]);
    let end = json!([{"type": "tool_result", "tool_use_id": "c", "content": result}]);
    let mut end = line(3, "user", &end);
    end["toolUseResult"] = details.clone();
    let (page, _) = shown(&[line(1, "user", &json!("Go")), line(2, "assistant", &call), end]);
    let (_, article) = page.split_once("data-kind=\"call\"").unwrap();
    article.split("</article>").next().unwrap().to_owned()
}

fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part} is not in {text}");
    }
}

/// If this fails, a to-do list is shown as JSON, or an item or its state is lost.
#[test]
fn to_do_lists_are_check_lists() {
    let input = json!({"todos": [
        {"content": "Look <b>", "status": "completed", "activeForm": "Looking"},
        {"content": "Change", "status": "in_progress"}, {"content": "Write", "status": "pending"}]});
    let call = with_call("TodoWrite", &input, "Todos were modified.", &Value::Null);
    has(
        &call,
        &[
            "<ul class=\"todo\"><li class=\"done\">☑ Look &lt;b&gt;</li>\
             <li class=\"begun\">▶ Change</li><li class=\"open\">☐ Write</li></ul>",
            "<details class=\"folded\"><summary>Result</summary>",
            "1 of 3 done; now: Change",
        ],
    );
    assert!(!call.contains("activeForm") && !call.contains(">Arguments<"), "{call}");
    let input = json!({"explanation": "Why not", "plan": [{"step": "One", "status": "completed"}]});
    let call = with_call("update_plan", &input, "Plan updated", &Value::Null);
    has(&call, &["<li class=\"done\">☑ One</li>", "explanation: Why not"]);
}

/// If this fails, a plan is not rendered, or the page shows only a part of it.
#[test]
fn plans_are_rendered() {
    let input =
        json!({"plan": "# Steps\n\n1. **Cut** the wire <script>x</script>", "path": "/p.md"});
    let call = with_call("ExitPlanMode", &input, "User has approved your plan.", &Value::Null);
    has(
        &call,
        &[
            "<details open",
            "<div class=\"md plan\"><h4 class=\"h1\">Steps</h4><ol><li><strong>Cut</strong> the wire",
            "&lt;script&gt;x&lt;/script&gt;",
            "path: /p.md",
        ],
    );
}

/// If this fails, a reader cannot see what the agent asked, or what the user chose.
#[test]
fn questions_show_their_answers() {
    let input = json!({"questions": [
        {"question": "Which bulb?", "header": "Bulb", "multiSelect": true, "options": [
            {"label": "Warm", "description": "2700 K"}, {"label": "Cold", "description": "6500 K"},
            {"label": "Red", "description": "no <i>"}]},
        {"question": "How many?", "options": ["One", "Two"]}]});
    let answers = json!({"answers": {"Which bulb?": "Warm, Red", "How many?": "Seven"}});
    let call = with_call("AskUserQuestion", &input, "The user has answered.", &answers);
    has(
        &call,
        &[
            "<p><b>Which bulb?</b></p>",
            "<li class=\"chosen\">● Warm<span class=\"hint\"> 2700 K</span></li>",
            "<li>○ Cold<span",
            "<li class=\"chosen\">● Red<span class=\"hint\"> no &lt;i&gt;</span></li>",
            "<li>○ One</li><li>○ Two</li></ul><p>Answer: Seven</p>",
            "<details class=\"folded\"><summary>Result</summary>",
        ],
    );
    // Without the recorded answers, the result is shown.
    let call = with_call("AskUserQuestion", &input, "The user chose Warm.", &Value::Null);
    has(&call, &["<li>○ Warm<span", "<div class=\"cap\">Result<", "The user chose Warm."]);
}

/// If this fails, a reader does not see which agent did the work, with which model, and at what
/// cost.
#[test]
fn headings_of_agents_have_their_facts() {
    let call = json!([{"type": "tool_use", "id": "c", "name": "Task",
        "input": {"description": "Find", "subagent_type": "Explore", "prompt": "Find bulbs."}}]);
    let inner =
        json!([{"type": "tool_use", "id": "d", "name": "Read", "input": {"file_path": "a"}}]);
    let end = json!([{"type": "tool_result", "tool_use_id": "c", "content": "nine"}]);
    let mut lines = [
        line(1, "user", &json!("Go")),
        line(2, "assistant", &call),
        line(3, "user", &json!("Find bulbs.")),
        line(4, "assistant", &inner),
        line(9, "assistant", &json!([{"type": "text", "text": "Nine."}])),
        line(10, "user", &end),
    ];
    for one in &mut lines[2..5] {
        one["isSidechain"] = true.into();
        one["agentId"] = "a1".into();
    }
    let (page, _) = shown(&lines);
    has(
        &page,
        &[
            "<h4>agent a1 [2]: Find bulbs.</h4> <i>Explore · lamp-1 · tokens 2.0k in, 40 out · 1 call · 6.0s</i>",
        ],
    );
}

/// If this fails, a reader does not see how long the answer of a model was.
#[test]
fn answers_have_their_tokens() {
    let said = json!([{"type": "text", "text": "Nine."}]);
    let (page, _) = shown(&[line(1, "user", &json!("Go")), line(2, "assistant", &said)]);
    let tokens = "<span class=\"meta\"><span title=\"Output tokens\">20 tokens</span> <time>";
    assert_eq!(page.matches(tokens).count(), 1, "{page}");
}

/// If this fails, a reader must compare the lines of an edit letter by letter.
#[test]
fn changed_words_are_marked() {
    let input = json!({"file_path": "a", "old_string": "let a = <1>;\nold", "new_string": "let a = <2>;\nnew"});
    let call = with_call("Edit", &input, "ok", &Value::Null);
    has(
        &call,
        &[
            "<del>-let a = &lt;<b>1</b>&gt;;\n-old\n</del><ins>+let a = &lt;<b>2</b>&gt;;\n+new\n</ins>",
        ],
    );
}

/// If this fails, times cannot be read in the reader's own time zone.
#[test]
fn times_have_a_switch() {
    let (page, _) = shown(&[line(1, "user", &json!("Go"))]);
    // 2026-03-14T09:00:01Z
    has(
        &page,
        &["<button id=\"zone\" type=\"button\"", "data-began=\"1773478801000\">UTC</button>"],
    );
}

/// If this fails, what a hook printed or why it failed is not on the page, or fills the other views.
#[test]
fn hooks_are_on_the_page() {
    let hook = |number: usize, kind: &str, more: &Value| {
        let mut hook = json!({"type": kind, "hookName": "Stop:x", "hookEvent": "Stop"});
        hook.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({"type": "attachment", "uuid": format!("h{number}"), "sessionId": "s", "parentUuid": null,
            "timestamp": "2026-03-14T09:00:02Z", "attachment": hook})
    };
    let (page, text) = shown(&[
        line(1, "user", &json!("Go")),
        hook(
            1,
            "hook_success",
            &json!({"stdout": "first\nsecond", "stderr": "", "command": "a.sh"}),
        ),
        hook(2, "hook_success", &json!({"stdout": "{}", "stderr": ""})),
        hook(3, "hook_additional_context", &json!({"content": ["rule one"]})),
        hook(4, "hook_non_blocking_error", &json!({"stderr": "no such file", "exitCode": 1})),
        json!({"type": "progress", "uuid": "p", "sessionId": "s", "parentUuid": null,
            "timestamp": "2026-03-14T09:00:03Z",
            "data": {"type": "hook_progress", "hookName": "Stop:x", "output": "half done"}}),
    ]);
    has(
        &page,
        &[
            "<b class=\"who plain\">hook</b> <span class=\"what\">Hook Stop:x: first second · command: a.sh</span>",
            "<pre>Hook Stop:x: first\nsecond\ncommand: a.sh</pre>",
            "Hook Stop:x: rule one",
            "Hook Stop:x: half done",
            "<b class=\"who warning\">warning</b> <span class=\"what\">Hook Stop:x failed: no such file</span>",
        ],
    );
    assert_eq!(page.matches("<b class=\"who plain\">hook</b>").count(), 3, "{page}");
    assert!(text.contains("failed: no such file") && !text.contains("rule one"), "{text}");
}

/// If this fails, a reader does not see that the agent forgot the earlier conversation, or cannot
/// read the summary.
#[test]
fn compactions_are_marked() {
    let summary = format!("Summary:\n\n1. **Request**: a lamp\n\n{}", "More of it. ".repeat(60));
    let mut summary = line(3, "user", &json!(summary));
    summary["isCompactSummary"] = true.into();
    let boundary = json!({"type": "system", "subtype": "compact_boundary", "uuid": "b", "sessionId": "s",
        "parentUuid": null, "timestamp": "2026-03-14T09:00:02Z",
        "compactMetadata": {"trigger": "auto", "preTokens": 155_000}});
    let (page, _) = shown(&[line(1, "user", &json!("Go")), boundary, summary]);
    assert_eq!(page.matches("<article class=\"note compaction\"").count(), 2, "{page}");
    has(
        &page,
        &[
            "<span class=\"what\">Context compacted at 155000 tokens (auto)</span>",
            "<span class=\"what\">Summary of the conversation up to here</span>",
            "<ol><li><strong>Request</strong>: a lamp</li></ol>",
        ],
    );
}

/// If this fails, tags of a client are in titles, or the page hides what the client added.
#[test]
fn additions_of_the_client_are_set_apart() {
    let prompt = "Why is it \u{1b}[1mred\u{1b}[22m[39m?\n<system-reminder>\nSecret <b>rule\n</system-reminder>\nSay";
    let (page, text) = shown(&[
        line(
            1,
            "user",
            &json!(
                "<command-message>fix is running…</command-message>\n\
            <command-name>/fix</command-name>\n<command-args>a b</command-args>"
            ),
        ),
        line(
            2,
            "user",
            &json!("<local-command-stdout>Model: \u{1b}[1mfast\u{1b}[22m</local-command-stdout>"),
        ),
        line(3, "user", &json!(prompt)),
    ]);
    has(
        &page,
        &[
            "<b class=\"who plain\">client</b> <span class=\"what\">/fix a b</span>",
            "<p class=\"command\"><code>/fix a b</code></p>",
            "<span class=\"what\">Model: fast</span>",
            "<h1>Why is it red? Say</h1>",
            "<div class=\"muted\"><details class=\"folded\"><summary>system-reminder</summary>",
            "Secret &lt;b&gt;rule",
        ],
    );
    assert!(!page.contains("&lt;command-name&gt;") && !page.contains("&lt;system-reminder&gt;"));
    assert!(text.contains("[1] Why is it red? Say") && !text.contains("reminder"), "{text}");
}
