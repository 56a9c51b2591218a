//! Imported sessions whose last turn failed, was cut, was interrupted, or has no answer. Few sources say
//! how a session ended, so the gate judges by this.

use serde_json::Value;

use crate::support::Bench;
use crate::support::imports::ended;

/// A session of one agent that asks for something, and a later line in which it answers.
struct Conversation {
    asks: &'static [&'static str],
    answers: &'static str,
}

const CLAUDE: Conversation = Conversation {
    asks: &[
        r#"{"type":"user","sessionId":"s","uuid":"u1","parentUuid":null,"timestamp":"2026-01-01T10:00:00Z","message":{"role":"user","content":"go"}}"#,
    ],
    answers: r#"{"type":"assistant","sessionId":"s","uuid":"u9","parentUuid":"u1","timestamp":"2026-01-01T10:09:00Z","message":{"id":"m9","role":"assistant","model":"claude-sonnet-4-5","stop_reason":"end_turn","content":[{"type":"text","text":"done"}]}}"#,
};

const CODEX: Conversation = Conversation {
    asks: &[
        r#"{"timestamp":"2026-01-01T10:00:00Z","type":"session_meta","payload":{"id":"019b0000-0000-7000-8000-000000000001","cwd":"/x"}}"#,
        r#"{"timestamp":"2026-01-01T10:00:01Z","type":"event_msg","payload":{"type":"user_message","message":"go"}}"#,
    ],
    answers: r#"{"timestamp":"2026-01-01T10:09:00Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"done"}]}}"#,
};

const PI: Conversation = Conversation {
    asks: &[
        r#"{"type":"session","version":3,"id":"019b0000-0000-7000-8000-000000000002","timestamp":"2026-01-01T10:00:00Z","cwd":"/x"}"#,
        r#"{"type":"message","id":"a1","parentId":null,"timestamp":"2026-01-01T10:00:01Z","message":{"role":"user","content":"go"}}"#,
    ],
    answers: r#"{"type":"message","id":"a9","parentId":"a1","timestamp":"2026-01-01T10:09:00Z","message":{"role":"assistant","content":[{"type":"text","text":"done"}],"stopReason":"stop"}}"#,
};

const COPILOT: Conversation = Conversation {
    asks: &[
        r#"{"type":"session.start","id":"e1","timestamp":"2026-01-01T10:00:00Z","parentId":null,"data":{"sessionId":"c1","version":1,"producer":"copilot-agent"}}"#,
        r#"{"type":"user.message","id":"e2","timestamp":"2026-01-01T10:00:01Z","parentId":"e1","data":{"content":"go"}}"#,
    ],
    answers: r#"{"type":"assistant.message","id":"e9","timestamp":"2026-01-01T10:09:00Z","parentId":"e2","data":{"messageId":"m9","content":"done"}}"#,
};

const GEMINI: Conversation = Conversation {
    asks: &[
        r#"{"sessionId":"g1","projectHash":"abc","startTime":"2026-01-01T10:00:00Z","lastUpdated":"2026-01-01T10:00:00Z","kind":"main"}"#,
        r#"{"id":"u1","timestamp":"2026-01-01T10:00:01Z","type":"user","content":[{"text":"go"}]}"#,
    ],
    answers: r#"{"id":"g9","timestamp":"2026-01-01T10:09:00Z","type":"gemini","content":"done","model":"gemini-2.5-pro"}"#,
};

/// Lines after which a turn has failed, or was cut, with the status of the run.
const BAD_ENDS: &[(&Conversation, &str, &str)] = &[
    (
        &CODEX,
        r#"{"timestamp":"2026-01-01T10:00:02Z","type":"event_msg","payload":{"type":"turn_aborted","turn_id":"t","reason":"budget_limited"}}"#,
        "incomplete",
    ),
    (
        &CLAUDE,
        r#"{"type":"assistant","sessionId":"s","uuid":"u2","parentUuid":"u1","timestamp":"2026-01-01T10:00:02Z","isApiErrorMessage":true,"message":{"id":"x","role":"assistant","model":"<synthetic>","stop_reason":"stop_sequence","content":[{"type":"text","text":"API Error: 500"}]}}"#,
        "failed",
    ),
    (
        &CLAUDE,
        r#"{"type":"assistant","sessionId":"s","uuid":"u2","parentUuid":"u1","timestamp":"2026-01-01T10:00:02Z","message":{"id":"m1","role":"assistant","model":"claude-sonnet-4-5","stop_reason":"refusal","content":[{"type":"text","text":"I cannot"}]}}"#,
        "failed",
    ),
    (
        &CLAUDE,
        r#"{"type":"assistant","sessionId":"s","uuid":"u2","parentUuid":"u1","timestamp":"2026-01-01T10:00:02Z","message":{"id":"m1","role":"assistant","model":"claude-sonnet-4-5","stop_reason":"max_tokens","content":[{"type":"text","text":"I beg"}]}}"#,
        "incomplete",
    ),
    (
        &CLAUDE,
        r#"{"type":"attachment","sessionId":"s","uuid":"u2","parentUuid":"u1","timestamp":"2026-01-01T10:00:02Z","attachment":{"type":"max_turns_reached","maxTurns":3,"turnCount":3}}"#,
        "incomplete",
    ),
    (
        &CODEX,
        r#"{"timestamp":"2026-01-01T10:00:02Z","type":"event_msg","payload":{"type":"error","message":"You've hit your usage limit."}}"#,
        "failed",
    ),
    (
        &PI,
        r#"{"type":"message","id":"a2","parentId":"a1","timestamp":"2026-01-01T10:00:02Z","message":{"role":"assistant","content":[],"stopReason":"error","errorMessage":"529"}}"#,
        "failed",
    ),
    (
        &PI,
        r#"{"type":"message","id":"a2","parentId":"a1","timestamp":"2026-01-01T10:00:02Z","message":{"role":"assistant","content":[{"type":"text","text":"I beg"}],"stopReason":"length"}}"#,
        "incomplete",
    ),
    (
        &COPILOT,
        r#"{"type":"session.error","id":"e3","timestamp":"2026-01-01T10:00:02Z","parentId":"e2","data":{"errorType":"query","message":"402 quota"}}"#,
        "failed",
    ),
    (
        &GEMINI,
        r#"{"id":"x1","timestamp":"2026-01-01T10:00:02Z","type":"error","content":"[API Error: quota]"}"#,
        "failed",
    ),
];

/// Lines with which the user interrupts a turn.
const INTERRUPTIONS: &[(&Conversation, &str)] = &[
    (
        &CLAUDE,
        r#"{"type":"user","sessionId":"s","uuid":"u2","parentUuid":"u1","timestamp":"2026-01-01T10:00:02Z","message":{"role":"user","content":[{"type":"text","text":"[Request interrupted by user]"}]}}"#,
    ),
    (
        &CODEX,
        r#"{"timestamp":"2026-01-01T10:00:02Z","type":"event_msg","payload":{"type":"turn_aborted","reason":"interrupted"}}"#,
    ),
    (
        &PI,
        r#"{"type":"message","id":"a2","parentId":"a1","timestamp":"2026-01-01T10:00:02Z","message":{"role":"assistant","content":[],"stopReason":"aborted"}}"#,
    ),
    (
        &COPILOT,
        r#"{"type":"abort","id":"e3","timestamp":"2026-01-01T10:00:02Z","parentId":"e2","data":{"reason":"user initiated"}}"#,
    ),
];

/// The status, the exit status of `validate --strict`, and the level of RL412 of a session.
fn judged(bench: &Bench, lines: &[&str]) -> (String, i32, Option<String>) {
    let (status, _, strict) = ended(bench, lines);
    let expected = ["--expect-status", "completed,imported", "--format", "json"];
    let report = bench.call(&[&["validate"], &expected[..]].concat()).out;
    let report: Value = serde_json::from_str(&report).unwrap();
    let findings = report["runs"][0]["findings"].as_array().unwrap();
    let finding = findings.iter().find(|finding| finding["code"] == "RL412");
    (status, strict, finding.map(|finding| finding["level"].as_str().unwrap().to_owned()))
}

/// The number of prompts of all runs.
fn prompts(bench: &Bench) -> u64 {
    let listed = bench.json(&["list"]);
    listed["total"]["prompts"].as_u64().unwrap()
}

/// If this fails, a session whose last turn failed passes the gate, or stays failed although it
/// went on.
#[test]
fn a_last_turn_that_failed_or_was_cut_ends_the_run_so() {
    for (conversation, bad, status) in BAD_ENDS {
        let bench = Bench::new();
        let lines = [conversation.asks, &[bad]].concat();
        assert_eq!(judged(&bench, &lines), ((*status).to_owned(), 5, None), "{bad}");
        // A longer copy goes on, and another session may have gone on before its first import.
        let lines = [conversation.asks, &[bad, conversation.answers]].concat();
        let well = ("imported".to_owned(), 0, None);
        assert_eq!(judged(&bench, &lines), well, "{bad}");
        assert_eq!(judged(&Bench::new(), &lines), well, "{bad}");
    }
}

/// If this fails, nobody sees that a session was interrupted, or has no answer, at its end.
#[test]
fn a_last_turn_without_an_answer_is_told() {
    for (conversation, stops) in INTERRUPTIONS {
        let lines = [conversation.asks, &[stops]].concat();
        let told = ("imported".to_owned(), 1, Some("warning".to_owned()));
        assert_eq!(judged(&Bench::new(), &lines), told, "{stops}");
        let lines = [conversation.asks, &[stops, conversation.answers]].concat();
        assert_eq!(judged(&Bench::new(), &lines), ("imported".to_owned(), 0, None), "{stops}");
    }
    // An earlier prompt has an answer, the last one has none.
    let asks_again = r#"{"type":"user","sessionId":"s","uuid":"u10","parentUuid":"u9","timestamp":"2026-01-01T10:10:00Z","message":{"role":"user","content":"and this"}}"#;
    let lines = [CLAUDE.asks, &[CLAUDE.answers, asks_again]].concat();
    let bench = Bench::new();
    assert_eq!(judged(&bench, &lines), ("imported".to_owned(), 0, Some("info".to_owned())));
    let text = bench.ok(&["transcript", "--format", "text"]);
    assert!(text.contains("Outcome: no answer at the end"), "{text}");
    for conversation in [&CLAUDE, &CODEX, &PI, &COPILOT, &GEMINI] {
        let told = ("imported".to_owned(), 0, Some("info".to_owned()));
        assert_eq!(judged(&Bench::new(), conversation.asks), told, "{}", conversation.asks[0]);
    }
}

/// If this fails, a prompt that only begins like the client's mark of an interruption is lost.
#[test]
fn a_prompt_about_an_interruption_is_a_prompt() {
    let typed = r#"{"type":"user","sessionId":"s","uuid":"u2","parentUuid":"u1","timestamp":"2026-01-01T10:00:02Z","message":{"role":"user","content":"[Request interrupted by user] is what I see. Why?"}}"#;
    let lines = [CLAUDE.asks, &[typed, CLAUDE.answers]].concat();
    let bench = Bench::new();
    assert_eq!(judged(&bench, &lines), ("imported".to_owned(), 0, None));
    assert_eq!(prompts(&bench), 2);
}

/// If this fails, a prompt of OpenCode that is only a picture is no prompt.
#[test]
fn a_picture_alone_is_a_prompt() {
    let document = r#"{"info":{"id":"ses_1","version":"1.2.0","projectID":"p","directory":"/x","time":{"created":1768039200000}},"messages":[
        {"info":{"id":"msg_1","sessionID":"ses_1","role":"user","time":{"created":1768039201000}},"parts":[
            {"id":"prt_1","messageID":"msg_1","sessionID":"ses_1","type":"file","mime":"image/png","filename":"a.png","url":"data:image/png;base64,AA=="},
            {"id":"prt_2","messageID":"msg_1","sessionID":"ses_1","type":"file","mime":"image/png","filename":"b.png","url":"data:image/png;base64,AA=="}]}]}"#;
    let bench = Bench::new();
    assert_eq!(judged(&bench, &[document]), ("imported".to_owned(), 0, Some("info".to_owned())));
    assert_eq!(prompts(&bench), 1);
}

/// If this fails, a mistyped command of the client after the answer makes the session fail.
#[test]
fn an_error_of_the_client_is_no_failed_turn() {
    let error = |text: &str| {
        format!(
            r#"{{"id":"x2","timestamp":"2026-01-01T10:10:00Z","type":"error","content":"{text}"}}"#
        )
    };
    let mistyped = error("Unknown command: /hlep");
    let lines = [GEMINI.asks, &[GEMINI.answers, &mistyped]].concat();
    assert_eq!(judged(&Bench::new(), &lines), ("imported".to_owned(), 0, None));
    let failed = error("[API Error: quota]");
    let lines = [GEMINI.asks, &[GEMINI.answers, &failed]].concat();
    assert_eq!(judged(&Bench::new(), &lines), ("failed".to_owned(), 5, None));
}

/// Lines that tell something beside the conversation.
const ASIDES: &[(&Conversation, &str)] = &[
    (
        &CLAUDE,
        r#"{"type":"user","sessionId":"s","uuid":"u3","parentUuid":"u2","timestamp":"2026-01-01T10:00:03Z","message":{"role":"user","content":"<command-name>/exit</command-name>\n<command-message>exit</command-message>\n<command-args></command-args>"}}"#,
    ),
    (
        &CLAUDE,
        r#"{"type":"system","subtype":"informational","content":"Update available","sessionId":"s","uuid":"u3","parentUuid":"u2","timestamp":"2026-01-01T10:00:03Z"}"#,
    ),
    (
        &CODEX,
        r#"{"timestamp":"2026-01-01T10:00:03Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>\n</environment_context>"}]}}"#,
    ),
    (
        &PI,
        r#"{"type":"message","id":"a3","parentId":"a2","timestamp":"2026-01-01T10:00:03Z","message":{"role":"bashExecution","command":"ls","output":"a","exitCode":0}}"#,
    ),
    (
        &GEMINI,
        r#"{"id":"x3","timestamp":"2026-01-01T10:00:03Z","type":"info","content":"Agent powering down."}"#,
    ),
];

/// If this fails, a session whose last turn failed passes because its user left it with a command.
#[test]
fn what_follows_beside_the_conversation_leaves_the_end_as_it_was() {
    for (conversation, aside) in ASIDES {
        let is_of = |end: &&(&Conversation, &'static str, &str)| std::ptr::eq(end.0, *conversation);
        for (_, bad, status) in BAD_ENDS.iter().filter(is_of) {
            let lines = [conversation.asks, &[bad, aside]].concat();
            let told = ((*status).to_owned(), 5, None);
            assert_eq!(judged(&Bench::new(), &lines), told, "{bad} {aside}");
        }
    }
}

/// If this fails, an error that the client will try to overcome ends the session.
#[test]
fn a_retry_is_no_end() {
    let retried = r#"{"type":"system","subtype":"api_error","sessionId":"s","uuid":"u2","parentUuid":"u1","timestamp":"2026-01-01T10:00:02Z","error":{"status":529,"message":"overloaded"}}"#;
    let lines = [CLAUDE.asks, &[retried]].concat();
    let told = ("imported".to_owned(), 0, Some("info".to_owned()));
    assert_eq!(judged(&Bench::new(), &lines), told);
    let retried = r#"{"timestamp":"2026-01-01T10:00:02Z","type":"event_msg","payload":{"type":"stream_error","message":"Reconnecting... 1/5"}}"#;
    let lines = [CODEX.asks, &[retried]].concat();
    assert_eq!(judged(&Bench::new(), &lines), told);
}

/// If this fails, an interruption of a session whose beginning is unknown is not told.
#[test]
fn an_interruption_without_a_prompt() {
    let works = r#"{"timestamp":"2026-01-01T10:00:01Z","type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{}","call_id":"call_1"}}"#;
    let lines = [&CODEX.asks[..1], &[works, CODEX.answers, INTERRUPTIONS[1].1]].concat();
    let told = ("imported".to_owned(), 1, Some("warning".to_owned()));
    let bench = Bench::new();
    assert_eq!(judged(&bench, &lines), told);
    let text = bench.ok(&["transcript", "--format", "text"]);
    assert!(text.contains("Outcome: interrupted by the user"), "{text}");
    let lines = [&CODEX.asks[..1], &[INTERRUPTIONS[1].1]].concat();
    assert_eq!(judged(&Bench::new(), &lines), ("imported".to_owned(), 0, None));
}

/// If this fails, a failed sub-agent makes the session of its parent fail.
#[test]
fn an_error_of_a_sub_agent_is_not_the_end_of_the_session() {
    let of_sub_agent = r#"{"type":"assistant","sessionId":"s","uuid":"u2","parentUuid":"u1","isSidechain":true,"agentId":"a7","timestamp":"2026-01-01T10:10:00Z","isApiErrorMessage":true,"message":{"id":"x","role":"assistant","model":"<synthetic>","content":[{"type":"text","text":"API Error: 500"}]}}"#;
    let lines = [CLAUDE.asks, &[CLAUDE.answers, of_sub_agent]].concat();
    assert_eq!(judged(&Bench::new(), &lines), ("imported".to_owned(), 0, None));
}

/// If this fails, an error of OpenCode counts as overcome by the parts of its own message.
#[test]
fn a_message_of_opencode_has_its_error_at_its_end() {
    let session = r#"{"id":"ses_1","version":"1.2.0","projectID":"p","directory":"/x","time":{"created":1768039200000}}"#;
    let asks = r#"{"info":{"id":"msg_1","sessionID":"ses_1","role":"user","time":{"created":1768039201000}},"parts":[{"id":"prt_1","messageID":"msg_1","sessionID":"ses_1","type":"text","text":"go"}]}"#;
    let answer = |ends: &str| {
        format!(
            r#"{{"info":{{"id":"msg_2","sessionID":"ses_1","role":"assistant","modelID":"m","time":{{"created":1768039202000}},{ends}}},"parts":[{{"id":"prt_2","messageID":"msg_2","sessionID":"ses_1","type":"text","text":"I beg"}}]}}"#
        )
    };
    let judge = |ends: &str| {
        let bench = Bench::new();
        let document = format!(r#"{{"info":{session},"messages":[{asks},{}]}}"#, answer(ends));
        judged(&bench, &[&document])
    };
    let failed = r#""error":{"name":"APIError","data":{"message":"529"}}"#;
    assert_eq!(judge(failed), ("failed".to_owned(), 5, None));
    let stopped = r#""error":{"name":"MessageAbortedError","data":{"message":"stopped"}}"#;
    assert_eq!(judge(stopped), ("imported".to_owned(), 1, Some("warning".to_owned())));
    assert_eq!(judge(r#""finish":"length""#), ("incomplete".to_owned(), 5, None));
    assert_eq!(judge(r#""finish":"stop""#), ("imported".to_owned(), 0, None));
}
