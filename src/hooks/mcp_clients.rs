//! The clients that can start the server of `runlog mcp`: where their settings are, and the form of
//! an entry.

use super::mcp_file::McpFile;
use super::wiring::HookFolder;
use crate::json::{Json, ObjectText, quoted};

/// A program that can start the server. Sources: the published pages and schemas of the clients,
/// November 2026.
#[derive(Debug)]
pub(crate) struct McpClient {
    /// Its name. An agent with hooks has the name that it has in [`super::AGENTS`].
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// The file of one project.
    pub project: Option<HookFolder>,
    /// The file for all projects of a user.
    pub user: Option<HookFolder>,
    /// What the user has to do afterwards, if the file is that of a project.
    pub afterwards: &'static str,
    /// The form of an entry.
    pub(super) form: McpForm,
}

/// The form of an entry.
#[derive(Clone, Copy, Debug)]
pub(super) enum McpForm {
    /// A member `runlog` of an object.
    Json {
        /// The member with that object.
        list: &'static str,
        /// The `type` of the entry, if it has one.
        kind: Option<&'static str>,
        /// Whether the entry names the tools that may be used. They are all of them.
        names_tools: bool,
    },
    /// The table `mcp_servers.runlog`.
    Toml,
}

/// The form that most clients read.
const PLAIN: McpForm = McpForm::Json { list: "mcpServers", kind: None, names_tools: false };

/// The clients.
pub(crate) static MCP_CLIENTS: &[McpClient] = &[
    McpClient {
        name: "claude-code",
        title: "Claude Code",
        project: Some(HookFolder { variable: None, folder: "", file: ".mcp.json" }),
        user: Some(HookFolder {
            variable: Some("CLAUDE_CONFIG_DIR"),
            folder: "",
            file: ".claude.json",
        }),
        afterwards: "Claude Code asks before it starts the server of a project for the first time",
        form: McpForm::Json { list: "mcpServers", kind: Some("stdio"), names_tools: false },
    },
    McpClient {
        name: "codex",
        title: "Codex",
        project: Some(HookFolder { variable: None, folder: ".codex", file: "config.toml" }),
        user: Some(HookFolder {
            variable: Some("CODEX_HOME"),
            folder: ".codex",
            file: "config.toml",
        }),
        afterwards: "Codex reads the settings of a project only if you trust the project",
        form: McpForm::Toml,
    },
    McpClient {
        name: "gemini",
        title: "Gemini CLI",
        project: Some(HookFolder { variable: None, folder: ".gemini", file: "settings.json" }),
        user: Some(HookFolder { variable: None, folder: ".gemini", file: "settings.json" }),
        afterwards: "",
        form: PLAIN,
    },
    McpClient {
        name: "copilot",
        title: "Copilot CLI",
        project: Some(HookFolder { variable: None, folder: ".github", file: "mcp.json" }),
        user: Some(HookFolder {
            variable: Some("COPILOT_HOME"),
            folder: ".copilot",
            file: "mcp-config.json",
        }),
        afterwards: "Copilot reads the servers of a project only if you trust its folder",
        form: McpForm::Json { list: "mcpServers", kind: Some("local"), names_tools: true },
    },
    McpClient {
        name: "cursor",
        title: "Cursor",
        project: Some(HookFolder { variable: None, folder: ".cursor", file: "mcp.json" }),
        user: Some(HookFolder { variable: None, folder: ".cursor", file: "mcp.json" }),
        afterwards: "",
        form: PLAIN,
    },
    McpClient {
        name: "vscode",
        title: "VS Code",
        project: Some(HookFolder { variable: None, folder: ".vscode", file: "mcp.json" }),
        user: None,
        afterwards: "",
        form: McpForm::Json { list: "servers", kind: Some("stdio"), names_tools: false },
    },
    McpClient {
        name: "generic",
        title: "other clients",
        project: None,
        user: None,
        afterwards: "",
        form: PLAIN,
    },
];

/// How a client starts the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct McpLaunch {
    /// The program: a path, or a name on PATH.
    pub command: String,
    /// Its arguments.
    pub args: Vec<String>,
}

impl McpClient {
    /// The client with this name.
    #[must_use]
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        MCP_CLIENTS.iter().find(|client| client.name == name)
    }

    /// What a file without settings contains.
    #[must_use]
    pub(crate) fn empty(&self) -> &'static str {
        match self.form {
            McpForm::Json { .. } => "{}",
            McpForm::Toml => "",
        }
    }

    /// A file that has the server and nothing else.
    #[must_use]
    pub(crate) fn config(&'static self, launch: &McpLaunch) -> String {
        let Ok(mut file) = McpFile::read("", self) else { return String::new() };
        file.set(launch);
        let text = file.text().unwrap_or_default();
        if text.ends_with('\n') { text } else { text + "\n" }
    }
}

impl McpLaunch {
    /// The arguments as a JSON list.
    pub(super) fn args_json(&self) -> String {
        let args: Vec<String> = self.args.iter().map(|arg| quoted(arg)).collect();
        format!("[{}]", args.join(", "))
    }

    /// The entry of a client whose settings are JSON.
    pub(super) fn entry(&self, kind: Option<&str>, names_tools: bool) -> String {
        let mut entry = ObjectText::new();
        entry.text_if("type", kind).text("command", &self.command);
        entry.json("args", Json::trusted(&self.args_json()));
        if names_tools {
            entry.json("tools", Json::trusted(r#"["*"]"#));
        }
        entry.finish()
    }
}
