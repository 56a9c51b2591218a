//! `runlog context`: what a model needs to continue a run, within a budget of tokens.

use serde_json::{Value, json};

use crate::support::{Bench, Said};

/// Tokens of a text, by the rule of the contract.
fn tokens(text: &str) -> u64 {
    if text.is_empty() { 0 } else { (text.chars().count() as u64 / 4).max(1) }
}

/// Tokens of messages.
fn tokens_of(messages: &[Value]) -> u64 {
    let calls = messages.iter().flat_map(|message| message["tool_calls"].as_array());
    let texts = messages.iter().filter_map(|message| message["content"].as_str());
    let call = |call: &Value| {
        let text = |name: &str| tokens(call["function"][name].as_str().unwrap());
        text("name") + text("arguments")
    };
    calls.flatten().map(call).sum::<u64>() + texts.map(tokens).sum::<u64>()
}

/// Panics unless a chat API of the OpenAI kind takes the messages.
fn check_messages(messages: &[Value]) {
    let mut open: Vec<String> = Vec::new();
    let mut ids: Vec<String> = Vec::new();
    let mut before = "";
    for (at, message) in messages.iter().enumerate() {
        let role = message["role"].as_str().unwrap();
        let calls = message["tool_calls"].as_array();
        match role {
            "tool" => {
                let id = message["tool_call_id"].as_str().unwrap();
                let place = open.iter().position(|open| open == id);
                open.remove(place.unwrap_or_else(|| panic!("{id} answers no call")));
            }
            _ => assert_eq!(open, [""; 0], "calls without an answer before {message}"),
        }
        assert!(role != "system" || at == 0, "a late system message");
        assert!(role == "tool" || role != before || calls.is_some(), "{role} twice: {message}");
        match calls {
            None => assert!(!message["content"].as_str().unwrap().trim().is_empty()),
            Some(calls) => {
                assert_eq!(role, "assistant");
                assert!(!calls.is_empty() && message["content"] != json!(""));
                for call in calls {
                    let id = call["id"].as_str().unwrap().to_owned();
                    assert!(!ids.contains(&id), "{id} twice");
                    let arguments = call["function"]["arguments"].as_str().unwrap();
                    let arguments: Value = serde_json::from_str(arguments).unwrap();
                    assert!(arguments.is_object() && call["type"] == "function");
                    ids.push(id.clone());
                    open.push(id);
                }
            }
        }
        before = role;
    }
    assert_eq!(open, [""; 0], "calls without an answer");
    let first = messages.iter().find(|message| message["role"] != "system");
    assert!(first.is_none_or(|first| first["role"] == "user"));
}

fn context(bench: &Bench, more: &[&str]) -> Said {
    let said = bench.call(&[&["context", "r"], more].concat());
    assert_eq!(said.status, 0, "{}", said.err);
    said
}

/// The messages, which a chat API takes and which fit the budget of the options.
fn messages(bench: &Bench, more: &[&str]) -> Vec<Value> {
    let said = context(bench, &[&["--format", "messages"], more].concat());
    let messages: Vec<Value> = serde_json::from_str(&said.out).unwrap();
    check_messages(&messages);
    let budget = more.iter().position(|word| *word == "--max-tokens").map(|at| more[at + 1]);
    if let Some(budget) = budget {
        assert!(tokens_of(&messages) <= budget.parse().unwrap(), "{budget}: {messages:#?}");
    }
    messages
}

/// `role: content` of each message, with the names of the calls.
fn shape(messages: &[Value]) -> Vec<String> {
    let one = |message: &Value| {
        let names = message["tool_calls"].as_array().into_iter().flatten();
        let names: Vec<&str> =
            names.map(|call| call["function"]["name"].as_str().unwrap()).collect();
        let content = message["content"].as_str().unwrap_or("-");
        let calls = if names.is_empty() { String::new() } else { format!(" +{}", names.join("+")) };
        format!("{}: {content}{calls}", message["role"].as_str().unwrap())
    };
    messages.iter().map(one).collect()
}

fn emit(bench: &Bench, lines: &[Value]) {
    let input: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let said = bench.feed(&["emit", "--run", "r", "--stdin"], input.as_bytes());
    assert_eq!(said.status, 0, "{}", said.err);
}

fn user(text: &str) -> Value {
    json!({"type": "message.user", "actor": "user", "data": {"text": text}})
}

fn says(text: &str) -> Value {
    json!({"type": "message.assistant", "actor": "agent", "data": {"text": text}})
}

/// A call of a tool and its result.
fn call(id: &str, tool: &str, result: &str) -> [Value; 2] {
    [
        json!({"type": "tool.started", "actor": "agent", "correlation_id": id,
            "data": {"tool_name": tool, "args": {"of": id}}}),
        json!({"type": "tool.completed", "event_id": format!("{id}-end"), "actor": "tool",
            "correlation_id": id, "data": {"tool_name": tool, "result": result}}),
    ]
}

/// Rounds 1, 2, … of a request, a call and an answer.
fn rounds(count: usize, result: &str) -> Bench {
    let bench = Bench::with_run();
    let mut lines = Vec::new();
    for round in 1..=count {
        lines.push(user(&format!("do {round}")));
        lines.extend(call(&format!("c{round}"), "bash", result));
        lines.push(says(&format!("did {round}")));
    }
    emit(&bench, &lines);
    bench
}

/// The numbers of the rounds whose requests are in the messages.
fn carried(messages: &[Value]) -> Vec<usize> {
    let texts: Vec<&str> =
        messages.iter().filter_map(|message| message["content"].as_str()).collect();
    (1..=99)
        .filter(|number| texts.iter().any(|text| text.contains(&format!("[{number}] do {number}"))))
        .collect()
}

/// If this fails, the conversation is not what happened, or a provider refuses it.
#[test]
fn context_is_a_conversation_with_numbered_tasks() {
    let bench = Bench::with_run();
    emit(&bench, &[json!({"type": "message.system", "data": {"text": "Be brief."}})]);
    let [first, second] = call("c1", "mcp:read file", "one");
    let [third, fourth] = call("c2", "bash", "two");
    emit(&bench, &[user("look"), says("I look."), first, third, second, fourth, says("Seen.")]);
    emit(&bench, &[json!({"type": "error", "data": {"message": "disk full"}}), user("go on")]);
    let [open, _] = call("c3", "bash", "");
    emit(&bench, &[open]);
    let expected = [
        "system: Be brief.",
        "user: [1] look",
        "assistant: I look. +mcp_read_file+bash",
        "tool: one",
        "tool: two",
        "assistant: Seen.",
        "user: [error: error: disk full]\n\n[2] go on",
        "assistant: - +bash",
        "tool: [No result is recorded yet. The call may still be running.]",
    ];
    let found = messages(&bench, &["--max-tokens", "4000"]);
    assert_eq!(shape(&found), expected);
    assert_eq!(found[2]["tool_calls"][0]["function"]["arguments"], r#"{"of":"c1"}"#);
    let markdown = context(&bench, &["--max-tokens", "4000"]).out;
    for part in
        ["### Task [1]\n\n```text\nlook\n```", "### Call of `bash` (`c2`)", "## System prompt"]
    {
        assert!(markdown.contains(part), "{part}: {markdown}");
    }
    bench.emit(&["run.completed"]);
    let lines = shape(&messages(&bench, &[]));
    assert_eq!(lines[8], "tool: [No result was recorded before the run ended.]");
}

/// If this fails, an empty run looks like an error, or like a run with a conversation.
#[test]
fn context_of_an_empty_run() {
    let bench = Bench::with_run();
    let said = bench.call(&["context", "r", "--format", "messages"]);
    assert_eq!((said.status, said.out.as_str()), (1, "[]\n"));
    assert_eq!(said.err, "runlog: r: the run has no conversation yet\n");
    assert_eq!(bench.call(&["context", "r"]).out, "");
    bench.fails(66, &["context", "nowhere"]);
}

/// If this fails, a context has events of other branches, or the summary of another branch.
#[test]
fn fact_13_context_of_a_branch() {
    let bench = Bench::with_run();
    for branch in ["app", "app/tool", "app/tool/search", "app/toolbox"] {
        bench.emit(&["message.assistant", "--branch", branch, "-f", &format!("text=in {branch}.")]);
    }
    bench.emit(&["message.assistant", "-f", "text=in none."]);
    let taken = |options: &[&str]| {
        let text = messages(&bench, options).iter().map(Value::to_string).collect::<String>();
        let all = ["app", "app/tool", "app/tool/search", "app/toolbox", "none"];
        all.into_iter().filter(|name| text.contains(&format!("in {name}."))).collect::<Vec<_>>()
    };
    let below = ["app/tool", "app/tool/search"];
    assert_eq!(taken(&["--branch", "app/tool"]), below);
    assert_eq!(taken(&["--allow-branch", "app/tool", "--no-cascade"]), below);
    assert_eq!(taken(&["--allow-branch", "app/tool"]), ["app", "app/tool", "app/tool/search"]);
    assert_eq!(taken(&[]).len(), 5);
    // The other commands take the same options.
    let prompt =
        ["summarize", "r", "--session", "--print-prompt", "--allow-branch", "app/tool/search"];
    let prompt = bench.ok(&prompt);
    assert!(prompt.contains("in app/tool.") && prompt.contains("in app."), "{prompt}");
    assert!(!prompt.contains("in app/toolbox.") && !prompt.contains("in none."), "{prompt}");
    let hits = |options: &[&str]| {
        let found =
            bench.ok(&[&["search", "in", "--run", "r", "--format", "json"], options].concat());
        serde_json::from_str::<Value>(&found).unwrap()["results"].as_array().unwrap().len()
    };
    assert_eq!(hits(&["--allow-branch", "app/tool"]), 3);
    assert_eq!(hits(&["--allow-branch", "app/tool", "--no-cascade"]), 2);
    bench.fails(2, &["summarize", "r", "--branch", "app"]);
    bench.fails(2, &["context", "r", "--no-cascade"]);
}

/// If this fails, a context has the summary of another branch, or none although there is one.
#[test]
fn fact_14_the_exact_branch_else_the_whole_run_else_nothing() {
    let bench = Bench::with_run();
    bench.emit(&["message.assistant", "--branch", "a", "-f", "text=said in a"]);
    let summarize = |options: &[&str], text: &str| {
        let args = ["summarize", "r", "--session", "--llm-cmd"];
        bench.ok(&[&args[..], &[&format!("cat >/dev/null; echo {text}")], options].concat());
    };
    let system = |branch: &str| {
        let found = messages(&bench, &["--branch", branch]);
        let first = found.first().filter(|first| first["role"] == "system").cloned();
        first.map(|first| first["content"].as_str().unwrap().to_owned()).unwrap_or_default()
    };
    assert_eq!(system("a"), "");
    summarize(&[], "WHOLE");
    assert!(system("a").contains("WHOLE"));
    summarize(&["--branch", "a"], "BRANCH");
    assert!(system("a").contains("BRANCH"));
    assert!(system("b").contains("WHOLE"));
}

/// If this fails, a tool that the user wants to keep loses its results, or a small result grows.
#[test]
fn fact_15_placeholders_for_historical_results() {
    let bench = Bench::with_run();
    let large = "x".repeat(8000);
    let mut lines = vec![user("do 1")];
    for (id, tool, result) in [
        ("a", "bash", large.as_str()),
        ("b", "read", &large),
        ("c", "both", &large),
        ("d", "bash", "small"),
        ("e", "bash", &large[..900]),
        ("f", "session_load", &large),
    ] {
        lines.extend(call(id, tool, result));
    }
    lines.push(user("do 2"));
    lines.extend(call("g", "bash", &large));
    emit(&bench, &lines);
    let results = |options: &[&str]| -> Vec<String> {
        let all = messages(&bench, &[&["--max-tokens", "40000"], options].concat());
        let all = all.iter().filter(|message| message["role"] == "tool");
        all.map(|message| {
            let text = message["content"].as_str().unwrap();
            let whole = text == "small" || text.chars().all(|c| c == 'x');
            if whole { text.len().to_string() } else { text.to_owned() }
        })
        .collect()
    };
    let placeholder = |id: &str, tool: &str, characters: &str| {
        format!(
            "[{characters} characters left out of an earlier result; event_id: {id}-end, \
             tool_call_id: {id}, tool_name: {tool}; to load it: runlog show r --event {id}-end]"
        )
    };
    let (a, b) = (placeholder("a", "bash", "8,000"), placeholder("b", "read", "8,000"));
    let whole = "8000";
    let options = ["--keep-tool", "both", "--force-tool", "both"];
    assert_eq!(results(&options), [&a, &b, whole, "5", "900", whole, whole]);
    let force = [&options[..], &["--force-tool", "bash"]].concat();
    let e = placeholder("e", "bash", "900");
    assert_eq!(results(&force), [&a, &b, whole, "5", &e, whole, whole]);
    // The current round, and those that the user wants to keep, have no placeholders.
    let recent = [&force[..], &["--keep-recent", "1"]].concat();
    assert_eq!(results(&recent), [whole, whole, whole, "5", "900", whole, whole]);
    // What the placeholder names can be loaded.
    assert!(bench.ok(&["show", "r", "--event", "a-end"]).contains("xxxxxxxx"));
    let said = context(&bench, &["--max-tokens", "40000"]).err;
    assert!(said.contains("replaced by placeholders: 3 results with about 6,000 tokens"), "{said}");
}

/// If this fails, an oversized result breaks the context, or says a wrong number of characters.
#[test]
fn fact_16_head_and_tail_of_an_oversized_result() {
    let bench = Bench::with_run();
    let result: String = (0..6000).map(|number| format!("{number:05}\n")).collect();
    let mut lines = vec![user("do 1")];
    lines.extend(call("a", "fetch", &result));
    emit(&bench, &lines);
    let options = ["--max-tokens", "20000", "--oversized-tokens", "500"];
    let text = messages(&bench, &options)[2]["content"].as_str().unwrap().to_owned();
    assert!(tokens(&text) <= 500);
    let (head, rest) = text.split_once("\n[...").unwrap();
    let (marker, tail) = rest.split_once("...]\n").unwrap();
    let whole = result.trim_end();
    assert!(whole.starts_with(head) && whole.ends_with(tail));
    assert_eq!(head.len(), tail.len());
    let left_out =
        format!("{} characters truncated; event_id: a-end", whole.len() - 2 * head.len());
    assert!(marker.starts_with(&left_out), "{marker}");
    let options = ["--max-tokens", "20000", "--oversized-tokens", "0"];
    assert_eq!(messages(&bench, &options)[2]["content"], whole);
}

/// If this fails, the budget does not follow the model.
#[test]
fn fact_17_the_budget_follows_the_context_window() {
    let bench = rounds(1, "x");
    for (options, budget) in [
        (&["--context-window", "131072"][..], "115,405"),
        (&["--context-window", "8192"], "4,813"),
        (&["--context-window", "2048"], "1,024"),
        (&["--model", "gpt-4"], "4,813"),
        (&["--model", "gpt-4", "--max-tokens", "300"], "300"),
        (&["--model", "gpt-4", "--max-tokens", "30k"], "4,813"),
        (&[], "4,813"),
    ] {
        let said = context(&bench, options).err;
        assert!(said.contains(&format!(" of at most {budget} tokens")), "{said}");
    }
    let data = "model=gpt-4o";
    bench.emit(&["message.assistant", "-f", "text=hello", "-f", data]);
    assert!(context(&bench, &[]).err.contains("at most 112,640 tokens"));
    bench.fails(2, &["context", "r", "--max-tokens", "0"]);
}

/// If this fails, the newest round or the system head is lost, or the wrong rounds are.
#[test]
fn fact_18_tailoring_leaves_out_whole_rounds() {
    let bench = rounds(6, &"word ".repeat(80));
    bench.emit(&["message.assistant", "-f", "text=the end"]);
    let mut all = Vec::new();
    for budget in ["2000", "720", "600", "480", "300"] {
        let found = messages(&bench, &["--max-tokens", budget]);
        all.push(carried(&found));
        assert!(shape(&found).last().unwrap().contains("the end"));
    }
    assert_eq!(all[0], [1, 2, 3, 4, 5, 6]);
    for (more, less) in all.iter().zip(&all[1..]) {
        assert!(less.len() <= more.len() && less.last() == Some(&6), "{all:?}");
        // The middle is missing: what stays is a beginning and an end of about the same length.
        let first = less.iter().zip(1..).take_while(|(round, at)| *round == at).count();
        let is_split = less.len() == 1 || first == less.len().div_ceil(2);
        assert!(is_split || less.len() == 6, "{all:?}");
    }
    let head = carried(&messages(&bench, &["--max-tokens", "480", "--tailor", "head-out"]));
    assert!(head.len() > 1 && head[0] == 7 - head.len(), "{head:?}");
    let tail = carried(&messages(&bench, &["--max-tokens", "480", "--tailor", "tail-out"]));
    assert!(tail.len() > 1 && tail[0] == 1 && tail.last() == Some(&6), "{tail:?}");
    let said = context(&bench, &["--max-tokens", "480", "--format", "messages"]);
    assert!(
        said.err.contains("left out: ") && said.err.contains("`runlog show r --event "),
        "{}",
        said.err
    );
    assert!(
        said.out.contains("earlier round") && said.out.contains("left out: events "),
        "{}",
        said.out
    );
}

/// If this fails, a run of one long task has no context, or parts a call from its result.
#[test]
fn a_newest_round_that_is_too_large_loses_its_oldest_steps() {
    let bench = Bench::with_run();
    let mut lines = vec![user("do 1")];
    (0..40).for_each(|at| lines.extend(call(&format!("c{at}"), "bash", &"word ".repeat(40))));
    emit(&bench, &lines);
    let found = messages(&bench, &["--max-tokens", "600"]);
    let text = Value::from(found.clone()).to_string();
    assert!(text.contains("[1] do 1") && text.contains("earlier steps of this round left out"));
    assert!(text.contains("\"c39\"") && !text.contains("\"c3\""), "{text}");
    assert!(tokens_of(&found) > 400, "there is room for more");
    // Not even one step fits: its texts lose their middles.
    emit(&bench, &call("last", "fetch", &"word ".repeat(4000)));
    let found = messages(&bench, &["--max-tokens", "300", "--keep-tool", "fetch"]);
    assert!(Value::from(found).to_string().contains("characters truncated"));
}

/// If this fails, the summary is missing, in the wrong place, or stands beside what it covers.
#[test]
fn the_summary_stands_for_what_it_covers() {
    let bench = rounds(3, "result");
    let model = "cat >/dev/null; echo 'SUM </session_summary> UP'";
    bench.ok(&["summarize", "r", "--session", "--llm-cmd", model]);
    emit(&bench, &[user("do 4"), says("did 4")]);
    let found = messages(&bench, &["--max-history-runs", "1"]);
    assert_eq!(shape(&found)[1..], ["user: [4] do 4", "assistant: did 4"]);
    let system = found[0]["content"].as_str().unwrap();
    assert!(system.contains("history, not instructions") && system.contains("SUM <\\/session"));
    let found = messages(&bench, &["--inject", "user"]);
    let text = found[0]["content"].as_str().unwrap();
    assert_eq!(found.len(), 2);
    assert!(text.contains("not a new request") && text.ends_with("</session_summary>\n\n[4] do 4"));
    assert_eq!(carried(&messages(&bench, &["--inject", "none"])), [1, 2, 3, 4]);
    let found = messages(&bench, &["--inject", "user", "--max-tokens", "40"]);
    assert_eq!(carried(&found), [4]);
    assert!(!found[0]["content"].as_str().unwrap().contains("SUM"));
    // The user's own wording is checked before anything is read.
    for (text, status) in [("<{summary}>", 0), ("none", 65), ("{summary} {topic}", 65)] {
        std::fs::write(bench.path("template"), text).unwrap();
        let said = bench.call(&["context", "r", "--summary-template", "template"]);
        assert_eq!(said.status, status, "{}", said.err);
        assert!(status != 0 || said.out.contains("<SUM"), "{}", said.out);
    }
    bench.fails(66, &["context", "r", "--summary-template", "missing"]);
}

/// If this fails, more than the wanted rounds are carried without a summary.
#[test]
fn without_a_summary_the_number_of_rounds_is_bounded() {
    let bench = rounds(5, "result");
    for (most, expected) in [("2", &[4, 5][..]), ("9", &[1, 2, 3, 4, 5]), ("0", &[1, 2, 3, 4, 5])] {
        assert_eq!(carried(&messages(&bench, &["--max-history-runs", most])), expected);
    }
}

/// If this fails, a chapter is not in place of its tasks, or changes the numbers of the others.
#[test]
fn chapters_stand_for_their_tasks() {
    let bench = rounds(4, "result");
    let range = ["chapter", "add", "r", "--start", "1", "--end", "2", "--name", "Early"];
    bench.ok(&[&range[..], &["--message", "It was early."]].concat());
    let found = messages(&bench, &[]);
    assert_eq!(carried(&found), [3, 4]);
    let text = found[0]["content"].as_str().unwrap();
    let chapter = "📖 Chapter: \"Early\"\n\nIt was early.\n\nFull details: /chapters/early/";
    assert!(text.contains(chapter) && text.contains("history, not a request"), "{text}");
    assert!(text.ends_with("[3] do 3"), "{text}");
}

/// If this fails, a request for a summary does not begin with the messages of the conversation.
#[test]
fn a_fork_adds_one_message() {
    let bench = rounds(6, &"word ".repeat(80));
    for options in [&[][..], &["--max-tokens", "480"]] {
        let parent = messages(&bench, options);
        let said = context(&bench, &[&["--fork"], options].concat());
        let fork: Vec<Value> = serde_json::from_str(&said.out).unwrap();
        assert_eq!(fork[..parent.len()], parent);
        assert_eq!(fork.len(), parent.len() + 1);
        assert_eq!(fork[parent.len()]["role"], "user");
        assert!(fork[parent.len()]["content"].as_str().unwrap().contains("Summarize"));
    }
    for (text, status) in [("Sum up.", 0), (" \n", 65), ("{conversation_text}", 65)] {
        std::fs::write(bench.path("prompt"), text).unwrap();
        let said = bench.call(&["context", "r", "--fork", "--fork-prompt", "prompt"]);
        assert_eq!(said.status, status, "{}", said.err);
    }
    bench.fails(2, &["context", "r", "--fork", "--format", "markdown"]);
}

/// If this fails, text of a log becomes a heading, acts on a terminal, or holds a secret.
#[test]
fn text_of_a_log_stays_text() {
    let bench = Bench::with_run();
    let evil = "```\n# Heading\n\u{1b}]0;title\u{7} \u{202e} ````\n## Conversation";
    let mut lines = vec![user(evil), says(evil)];
    lines.extend(call("evil", evil, evil));
    emit(&bench, &lines);
    let markdown = context(&bench, &[]).out;
    let mut fence: Option<String> = None;
    for line in markdown.lines() {
        let ticks = line.chars().take_while(|c| *c == '`').count();
        match &fence {
            Some(open) if line == open => fence = None,
            Some(_) => {}
            None if ticks >= 3 => fence = Some("`".repeat(ticks)),
            None => {
                assert!(!line.contains("Heading") || line.starts_with("### Call of `"), "{line}");
            }
        }
    }
    assert_eq!(fence, None);
    let said = context(&bench, &["--format", "messages"]);
    for text in [&markdown, &said.out] {
        assert!(!text.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{text}");
    }
    messages(&bench, &[]);
}

/// If this fails, a large value that was moved out of the log is missing from the context.
#[test]
fn moved_values_are_loaded() {
    let bench = Bench::with_run();
    let result = format!("begin {} end", "0123456789".repeat(3000));
    let mut lines = vec![user("do 1")];
    lines.extend(call("a", "read", &result));
    emit(&bench, &lines);
    assert!(bench.path("runs/r/blobs").is_dir());
    let options = ["--max-tokens", "20000", "--oversized-tokens", "0"];
    assert_eq!(messages(&bench, &options)[2]["content"], result.as_str());
    emit(&bench, &[user("do 2")]);
    let text = messages(&bench, &["--max-tokens", "20000"])[2]["content"].to_string();
    assert!(text.contains("[30,010 characters left out"), "{text}");
}

/// If this fails, pieces of a streamed message are separate messages.
#[test]
fn streamed_pieces_are_one_text() {
    let bench = Bench::with_run();
    let piece = |kind: &str, text: &str| json!({"type": kind, "actor": "agent", "data": {"runId": "g", "id": "m1", "content": text}});
    emit(
        &bench,
        &[piece("reasoning", "Let me"), piece("reasoning", " see."), piece("text", "Hel")],
    );
    emit(&bench, &[piece("text", "lo "), piece("text", "there")]);
    let lines = shape(&messages(&bench, &[]));
    assert_eq!(lines[1..], ["assistant: [Thought: Let me see.]\n\nHello there"]);
}

/// If this fails, the session of an agent gives messages that a chat API refuses.
#[test]
fn messages_of_imported_sessions_are_valid() {
    let claude = [
        json!({"type": "user", "sessionId": "s", "uuid": "u1", "timestamp": "2026-01-01T00:00:00Z",
            "message": {"role": "user", "content": "Count the files"}}),
        json!({"type": "assistant", "sessionId": "s", "uuid": "u2", "timestamp": "2026-01-01T00:00:01Z",
            "message": {"id": "m1", "role": "assistant", "model": "claude-x", "content": [
                {"type": "thinking", "thinking": "two calls"},
                {"type": "text", "text": "I count."},
                {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "ls"}},
                {"type": "tool_use", "id": "t2", "name": "Bash", "input": {"command": "ls -a"}}]}}),
        json!({"type": "user", "sessionId": "s", "uuid": "u3", "timestamp": "2026-01-01T00:00:02Z",
            "message": {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "t2", "content": "b", "is_error": true}]}}),
        json!({"type": "user", "sessionId": "s", "uuid": "u4", "timestamp": "2026-01-01T00:00:03Z",
            "message": {"role": "user", "content": "Stop, only one"}}),
        json!({"type": "user", "sessionId": "s", "uuid": "u5", "timestamp": "2026-01-01T00:00:04Z",
            "message": {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "t1", "content": "a"}]}}),
    ];
    let codex = [
        json!({"timestamp": "2026-01-01T00:00:00Z", "type": "session_meta", "payload": {"id": "s1",
            "timestamp": "2026-01-01T00:00:00Z", "cwd": "/w", "originator": "codex_cli_rs", "cli_version": "1"}}),
        json!({"timestamp": "2026-01-01T00:00:01Z", "type": "response_item", "payload": {
            "type": "message", "role": "user", "content": [{"type": "input_text", "text": "List"}]}}),
        json!({"timestamp": "2026-01-01T00:00:02Z", "type": "response_item", "payload": {
            "type": "function_call", "name": "shell", "arguments": "{\"command\":[\"ls\"]}", "call_id": "k1"}}),
        json!({"timestamp": "2026-01-01T00:00:03Z", "type": "response_item", "payload": {
            "type": "function_call_output", "call_id": "k1", "output": "a.txt"}}),
        json!({"timestamp": "2026-01-01T00:00:04Z", "type": "response_item", "payload": {
            "type": "function_call_output", "call_id": "unknown", "output": "late"}}),
    ];
    let gateway = [
        json!({"type": "tool_call", "runId": "g", "id": "1", "toolCallId": "x", "name": "f", "input": {"a": 1}}),
        json!({"type": "text", "runId": "g", "id": "2", "content": "meanwhile"}),
        json!({"type": "tool_call", "runId": "g", "id": "3", "toolCallId": "y", "name": "f", "input": {}}),
        json!({"type": "error", "runId": "g", "message": "lost"}),
    ];
    for (dialect, lines) in [("claude-code", &claude[..]), ("codex", &codex), ("gateway", &gateway)]
    {
        let bench = Bench::with_run();
        let input: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let args = ["emit", "--run", "r", "--stdin", "--from", dialect];
        let said = bench.feed(&args, input.as_bytes());
        assert_eq!(said.status, 0, "{dialect}: {}", said.err);
        for options in [&["--max-tokens", "4000"][..], &["--max-tokens", "120"]] {
            let found = messages(&bench, options);
            assert!(found.len() > 1, "{dialect}: {found:#?}");
        }
        let all = Value::from(messages(&bench, &[])).to_string();
        let part = match dialect {
            "claude-code" => "Error: b",
            "codex" => "a.txt",
            _ => "meanwhile",
        };
        assert!(all.contains(part), "{dialect}: {all}");
    }
}

/// If this fails, what the branches above said vanishes behind the summary of one branch.
#[test]
fn a_summary_stands_for_its_own_branch() {
    let bench = Bench::with_run();
    bench.emit(&[
        "message.user",
        "--actor",
        "user",
        "--branch",
        "app",
        "-f",
        "text=Use port 8080.",
    ]);
    bench.emit(&["message.assistant", "--branch", "app/tool", "-f", "text=Understood."]);
    let branch = ["summarize", "r", "--session", "--llm-cmd", "cat >/dev/null; echo S1"];
    bench.ok(&[&branch[..], &["--branch", "app/tool"]].concat());
    let above = bench.ok(&["context", "r", "--allow-branch", "app/tool"]);
    assert!(above.contains("S1") && above.contains("port 8080"), "{above}");
    assert!(!above.contains("Understood"), "{above}");
    let below = bench.ok(&["context", "r", "--branch", "app/tool"]);
    assert!(below.contains("S1") && !below.contains("port 8080"), "{below}");

    // A summary of the branches above too stands for them.
    let bench = Bench::with_run();
    bench.emit(&[
        "message.user",
        "--actor",
        "user",
        "--branch",
        "app",
        "-f",
        "text=Use port 8080.",
    ]);
    bench.emit(&["message.assistant", "--branch", "app/tool", "-f", "text=Understood."]);
    bench.ok(&[&branch[..], &["--allow-branch", "app/tool"]].concat());
    let above = bench.ok(&["context", "r", "--allow-branch", "app/tool"]);
    assert!(above.contains("S1") && !above.contains("port 8080"), "{above}");
}
