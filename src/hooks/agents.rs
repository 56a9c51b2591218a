//! The agents that have hooks, and what their events mean.

use crate::json::{Json, Kind};

/// What an event of an agent means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HookMeaning {
    /// A call begins.
    CallStart,
    /// A call ended; the payload says how.
    CallEnd,
    /// A call failed.
    CallFail,
    /// A call was denied.
    CallDenied,
    /// A user's prompt.
    Prompt,
    /// The agent says something.
    Answer,
    /// The agent has answered: its transcript is taken over.
    TurnEnd,
    /// The agent could not answer: its transcript is taken over.
    TurnFail,
    /// The session ends: its transcript is taken over, and the run ends.
    SessionEnd,
    /// Anything else. It is kept as it is.
    Other,
}

/// An agent that has hooks.
#[derive(Debug)]
pub(crate) struct HookAgent {
    /// Its name, which is that of the dialect of its session files.
    pub name: &'static str,
    /// Its events. All others are [`HookMeaning::Other`].
    pub events: &'static [(&'static str, HookMeaning)],
}

use HookMeaning::{
    Answer, CallDenied, CallEnd, CallFail, CallStart, Prompt, SessionEnd, TurnEnd, TurnFail,
};

/// The variables in which agents give their hooks the directory of the project. An agent's commands
/// may change the directory in which the hooks run.
pub(crate) const PROJECT_VARIABLES: &[&str] =
    &["CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CURSOR_PROJECT_DIR"];

/// The agents. Sources: the published types and schemas of their hooks, November 2026.
pub(crate) static AGENTS: &[HookAgent] = &[
    HookAgent {
        name: "claude-code",
        events: &[
            ("PreToolUse", CallStart),
            ("PostToolUse", CallEnd),
            ("PostToolUseFailure", CallFail),
            ("PermissionDenied", CallDenied),
            ("UserPromptSubmit", Prompt),
            ("Stop", TurnEnd),
            ("StopFailure", TurnFail),
            ("SubagentStop", TurnEnd),
            ("SessionEnd", SessionEnd),
        ],
    },
    HookAgent {
        name: "codex",
        events: &[
            ("PreToolUse", CallStart),
            ("PostToolUse", CallEnd),
            ("UserPromptSubmit", Prompt),
            ("Stop", TurnEnd),
            ("StopFailure", TurnFail),
            ("SubagentStop", TurnEnd),
            ("SessionEnd", SessionEnd),
        ],
    },
    HookAgent {
        name: "gemini",
        events: &[
            ("BeforeTool", CallStart),
            ("AfterTool", CallEnd),
            ("BeforeAgent", Prompt),
            ("AfterAgent", TurnEnd),
            ("SessionEnd", SessionEnd),
        ],
    },
    HookAgent {
        name: "copilot",
        events: &[
            ("preToolUse", CallStart),
            ("postToolUse", CallEnd),
            ("postToolUseFailure", CallFail),
            ("userPromptSubmitted", Prompt),
            ("agentStop", TurnEnd),
            ("subagentStop", TurnEnd),
            ("sessionEnd", SessionEnd),
        ],
    },
    HookAgent {
        name: "cursor",
        events: &[
            ("preToolUse", CallStart),
            ("postToolUse", CallEnd),
            ("postToolUseFailure", CallFail),
            ("beforeSubmitPrompt", Prompt),
            ("afterAgentResponse", Answer),
            ("stop", TurnEnd),
            ("sessionEnd", SessionEnd),
        ],
    },
];

impl HookAgent {
    /// The agent with this name.
    #[must_use]
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        AGENTS.iter().find(|agent| agent.name == name)
    }

    /// What its event means.
    #[must_use]
    pub(crate) fn meaning(&self, event: &str) -> HookMeaning {
        let known = self.events.iter().find(|(name, _)| *name == event);
        known.map_or(HookMeaning::Other, |(_, meaning)| *meaning)
    }
}

/// The agent that a payload is from, told by its keys. `None` if no agent has such payloads.
#[must_use]
pub(crate) fn agent_of_payload(payload: Json<'_>) -> Option<&'static HookAgent> {
    let has = |name: &str| payload.get(name).is_some();
    let event = payload.text_at("hook_event_name").unwrap_or_default();
    let transcript = payload.text_at("transcript_path").unwrap_or_default();
    // Codex has the fields of Claude Code and a few more. A model is named by Claude Code only when
    // a session starts, and a turn only with a piece of text.
    let is_codex = has("turn_id") && event != "MessageDisplay"
        || has("model") && event != "SessionStart"
        || payload.get("transcript_path").is_some_and(|path| path.kind() == Kind::Null)
        || transcript.contains("/.codex/")
        || transcript.contains("/rollout-");
    let is_gemini = ["Before", "After", "PreCompress"].iter().any(|begin| event.starts_with(begin))
        || has("timestamp")
        || transcript.contains("/.gemini/");
    let name = match () {
        () if has("cursor_version") || has("conversation_id") => "cursor",
        () if has("sessionId") => "copilot",
        () if !has("session_id") => return None,
        () if is_codex => "codex",
        () if is_gemini => "gemini",
        () => "claude-code",
    };
    HookAgent::named(name)
}
