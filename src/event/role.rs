//! What an event means to every view, whatever system recorded it.

/// Declares the roles once: variant, name in the catalogue, what it stands for.
macro_rules! roles {
    ($($variant:ident $name:literal $about:literal,)*) => {
        /// The meaning of an event. Logs, run state, tool pairing, tasks, usage,
        /// transcript and chapters are computed from it and never from the type's name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Role {
            $(#[doc = $about] $variant,)*
        }

        impl Role {
            /// Every role, in the order of the declaration.
            pub const ALL: &'static [Role] = &[$(Role::$variant,)*];

            /// The name in the catalogue.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Role::$variant => $name,)* }
            }
        }
    };
}

roles! {
    RunCreated "run_created" "The run directory was made.",
    RunStarted "run_started" "Work began.",
    RunPaused "run_paused" "Work was suspended.",
    RunResumed "run_resumed" "Work went on after a pause.",
    RunCompleted "run_completed" "The run ended well.",
    RunFailed "run_failed" "The run ended badly.",
    RunIncomplete "run_incomplete" "The run ended with work missing.",
    RunCancelled "run_cancelled" "The run was called off.",
    RunImported "run_imported" "The log that the run was imported from ends here.",
    TaskStart "task_start" "A task begins.",
    TaskEnd "task_end" "A task ends, with an outcome.",
    ToolStart "tool_start" "A tool call begins.",
    ToolEnd "tool_end" "A tool call ends.",
    ToolFail "tool_fail" "A tool call fails.",
    ToolBlocked "tool_blocked" "A tool call was not allowed.",
    ToolProgress "tool_progress" "A tool call says how far it is.",
    Message "message" "Somebody speaks.",
    Chunk "chunk" "A piece of streamed text.",
    Usage "usage" "Tokens and cost of model calls.",
    Error "error" "An error.",
    Rejected "rejected" "An operation was refused.",
    File "file" "A file was read or changed.",
    Skill "skill" "A skill was indexed or loaded.",
    Prompt "prompt" "The system prompt was rendered.",
    Config "config" "The configuration was loaded.",
    Memory "memory" "Memory was searched or written.",
    AgentStart "agent_start" "An agent begins.",
    AgentEnd "agent_end" "An agent ends.",
    Permission "permission" "Somebody is asked for permission.",
    Gate "gate" "A workflow gate.",
    Constraint "constraint" "Limits of time and money.",
    Workflow "workflow" "A workflow begins or ends.",
    Note "note" "A remark; also every unknown type.",
    Section "section" "A section for the transcript.",
    DeliverableCheck "deliverable_check" "Deliverables are about to be checked.",
    DeliverableMissing "deliverable_missing" "A deliverable is missing.",
    DeliverableVerdict "deliverable_verdict" "The verdict on the deliverables.",
    Backfill "backfill" "A summary for an earlier event.",
    SessionSummary "session_summary" "A rolling summary of the run.",
    Chapter "chapter" "Finished tasks were folded.",
    ChapterRemoved "chapter_removed" "A chapter was unfolded again.",
    Recovered "recovered" "A torn tail was moved away.",
    RejectedLines "rejected_lines" "Lines of the input were rejected.",
}

impl Role {
    /// Whether the event changes the state of the run; such events are always
    /// synced and bring the derived files up to date.
    #[must_use]
    pub fn is_lifecycle(self) -> bool {
        use Role::{DeliverableVerdict, RunCancelled, RunCompleted, RunCreated, RunFailed};
        use Role::{RunImported, RunIncomplete, RunPaused, RunResumed, RunStarted};
        matches!(
            self,
            RunCreated
                | RunStarted
                | RunPaused
                | RunResumed
                | RunCompleted
                | RunFailed
                | RunIncomplete
                | RunCancelled
                | RunImported
                | DeliverableVerdict
        )
    }

    /// Whether the event ends the run, or the log that it was imported from.
    #[must_use]
    pub fn ends_run(self) -> bool {
        matches!(
            self,
            Self::RunCompleted
                | Self::RunFailed
                | Self::RunIncomplete
                | Self::RunCancelled
                | Self::RunImported
        )
    }

    /// Whether the event belongs to no task and is never new content.
    #[must_use]
    pub fn is_bookkeeping(self) -> bool {
        use Role::{Backfill, Chapter, ChapterRemoved, Recovered, RejectedLines, SessionSummary};
        use Role::{DeliverableCheck, DeliverableMissing, DeliverableVerdict};
        self.is_lifecycle()
            || matches!(
                self,
                Backfill
                    | SessionSummary
                    | Chapter
                    | ChapterRemoved
                    | Recovered
                    | RejectedLines
                    | DeliverableCheck
                    | DeliverableMissing
                    | DeliverableVerdict
            )
    }

    /// Whether the event is a state of a tool call that `logs/tools.jsonl` records.
    #[must_use]
    pub fn is_tool_state(self) -> bool {
        matches!(self, Role::ToolStart) || self.is_tool_end()
    }

    /// Whether the event ends a tool call.
    #[must_use]
    pub fn is_tool_end(self) -> bool {
        matches!(self, Role::ToolEnd | Role::ToolFail | Role::ToolBlocked)
    }
}

/// How a task ended, as the type of its last event says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TaskEnding {
    /// It succeeded.
    Succeeded,
    /// It failed.
    Failed,
    /// It asked for clarification.
    Clarify,
    /// It was cancelled.
    Cancelled,
}
