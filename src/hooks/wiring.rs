//! The hook settings of each agent: the files, the events, and the form of an entry.

use crate::json::{Json, ObjectText};

/// How an agent is set up. Sources: the published types, schemas and pages of the agents, November
/// 2026.
#[derive(Debug)]
pub(crate) struct Wiring {
    /// The agent, by the name in [`super::AGENTS`].
    pub agent: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// The file for all projects of a user.
    pub user: HookFolder,
    /// The file of one project.
    pub project: HookFolder,
    /// What a new file contains.
    pub empty: &'static str,
    /// The events to register. An event that this list leaves out would slow the agent down, repeat
    /// what another one reports, or change what the agent does.
    pub events: &'static [&'static str],
    /// The form of an entry.
    form: EntryForm,
    /// What the user has to do afterwards.
    pub afterwards: &'static str,
}

/// A settings file of an agent.
#[derive(Debug)]
pub(crate) struct HookFolder {
    /// The variable that names the folder.
    pub variable: Option<&'static str>,
    /// The folder, in the home directory or in the project. It exists if the agent is in use.
    pub folder: &'static str,
    /// The file in the folder.
    pub file: &'static str,
}

/// The form of an entry.
#[derive(Debug)]
struct EntryForm {
    /// Whether an entry is in a group with a matcher, below `hooks`.
    is_grouped: bool,
    /// The fields before the command.
    fixed: &'static [(&'static str, &'static str)],
    /// The field of the command.
    command: &'static str,
    /// The field of the time limit.
    timeout: &'static str,
    /// The time limit, in the unit of the agent.
    limit: u32,
    /// Events with another time limit: the agent warns about a longer one.
    short: (&'static [&'static str], u32),
    /// Whether the command names the agent and the event, because the payload does not.
    names_event: bool,
}

/// Fields of an entry that runs a command.
const COMMAND: &[(&str, &str)] = &[("type", "command")];

/// Groups with matchers, and seconds: the form of Claude Code, which Codex took over.
const GROUPED: EntryForm = EntryForm {
    is_grouped: true,
    fixed: COMMAND,
    command: "command",
    timeout: "timeout",
    limit: 10,
    short: (&[], 0),
    names_event: false,
};

/// The agents. To add one, add a row here and one in [`super::AGENTS`].
pub(crate) static WIRINGS: &[Wiring] = &[
    Wiring {
        agent: "claude-code",
        title: "Claude Code",
        user: at(Some("CLAUDE_CONFIG_DIR"), ".claude", "settings.json"),
        project: at(None, ".claude", "settings.json"),
        empty: "{}",
        // Left out on purpose: a hook of WorktreeCreate must create the worktree, MessageDisplay
        // runs for each piece of text, and Elicitation and ElicitationResult answer for the user.
        events: &[
            "SessionStart",
            "UserPromptSubmit",
            "PreToolUse",
            "PostToolUse",
            "PostToolUseFailure",
            "PermissionRequest",
            "PermissionDenied",
            "Notification",
            "SubagentStart",
            "SubagentStop",
            "PreCompact",
            "PostCompact",
            "Stop",
            "StopFailure",
            "SessionEnd",
        ],
        form: GROUPED,
        afterwards: "",
    },
    Wiring {
        agent: "codex",
        title: "Codex",
        user: at(Some("CODEX_HOME"), ".codex", "hooks.json"),
        project: at(None, ".codex", "hooks.json"),
        empty: "{}",
        events: &[
            "SessionStart",
            "UserPromptSubmit",
            "PreToolUse",
            "PermissionRequest",
            "PostToolUse",
            "PreCompact",
            "PostCompact",
            "SubagentStart",
            "SubagentStop",
            "Stop",
            "SessionEnd",
        ],
        form: EntryForm { short: (&["SessionEnd"], 3), ..GROUPED },
        afterwards: "Codex asks before it runs a new hook: review it with /hooks in Codex",
    },
    Wiring {
        agent: "gemini",
        title: "Gemini CLI",
        user: at(None, ".gemini", "settings.json"),
        project: at(None, ".gemini", "settings.json"),
        empty: "{}",
        // Left out on purpose: BeforeModel, AfterModel and BeforeToolSelection run for each request
        // or each piece of an answer.
        events: &[
            "SessionStart",
            "BeforeAgent",
            "BeforeTool",
            "AfterTool",
            "AfterAgent",
            "PreCompress",
            "Notification",
            "SessionEnd",
        ],
        form: EntryForm {
            fixed: &[("name", "runlog"), ("type", "command")],
            // Milliseconds.
            limit: 10_000,
            ..GROUPED
        },
        afterwards: "",
    },
    Wiring {
        agent: "copilot",
        title: "Copilot CLI",
        user: at(Some("COPILOT_HOME"), ".copilot", "hooks/runlog.json"),
        project: at(None, ".github/hooks", "runlog.json"),
        empty: "{\n  \"version\": 1\n}\n",
        events: &[
            "sessionStart",
            "userPromptSubmitted",
            "preToolUse",
            "postToolUse",
            "postToolUseFailure",
            "errorOccurred",
            "preCompact",
            "subagentStop",
            "agentStop",
            "sessionEnd",
        ],
        form: EntryForm {
            is_grouped: false,
            command: "bash",
            timeout: "timeoutSec",
            names_event: true,
            ..GROUPED
        },
        afterwards: "",
    },
    Wiring {
        agent: "cursor",
        title: "Cursor",
        user: at(None, ".cursor", "hooks.json"),
        project: at(None, ".cursor", "hooks.json"),
        empty: "{\n  \"version\": 1\n}\n",
        // Left out on purpose: the hooks of shell, MCP and file edits repeat postToolUse.
        events: &[
            "sessionStart",
            "beforeSubmitPrompt",
            "afterAgentResponse",
            "preToolUse",
            "postToolUse",
            "postToolUseFailure",
            "subagentStart",
            "subagentStop",
            "preCompact",
            "stop",
            "sessionEnd",
        ],
        form: EntryForm { is_grouped: false, fixed: &[], ..GROUPED },
        afterwards: "",
    },
];

const fn at(
    variable: Option<&'static str>,
    folder: &'static str,
    file: &'static str,
) -> HookFolder {
    HookFolder { variable, folder, file }
}

impl Wiring {
    /// The command line of an event. `program` is quoted for the shell. Most payloads tell their
    /// agent, so an agent that also reads the settings of another one is still recorded as itself.
    #[must_use]
    pub(crate) fn command(&self, program: &str, event: &str) -> String {
        match self.form.names_event {
            true => format!("{program} hook --agent {} --event {event}", self.agent),
            false => format!("{program} hook"),
        }
    }

    /// The entry of an event, as JSON.
    #[must_use]
    pub(super) fn entry(&self, program: &str, event: &str) -> String {
        let form = &self.form;
        let mut entry = ObjectText::new();
        for (name, value) in form.fixed {
            entry.text(name, value);
        }
        entry.text(form.command, &self.command(program, event));
        let (events, short) = form.short;
        let limit = if events.contains(&event) { short } else { form.limit };
        let entry = entry.plain(form.timeout, limit).clone().finish();
        if !form.is_grouped {
            return entry;
        }
        let mut group = ObjectText::new();
        group.json("hooks", Json::trusted(&format!("[{entry}]")));
        group.finish()
    }

    /// Whether an entry is in a group with a matcher, below `hooks`.
    #[must_use]
    pub(super) fn is_grouped(&self) -> bool {
        self.form.is_grouped
    }

    /// The field of the command in an entry.
    #[must_use]
    pub(super) fn command_field(&self) -> &'static str {
        self.form.command
    }
}
