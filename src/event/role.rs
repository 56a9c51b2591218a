//! The meaning of an event to every view, for every recording system.

/// Declares the roles: variant, name in the catalogue, documentation.
macro_rules! roles {
    ($($variant:ident $name:literal $about:literal,)*) => {
        /// The meaning of an event. Logs, run state, tool pairing, tasks, usage, transcript and
        /// chapters depend on the role, never on the name of the type.
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

            /// What an event with this role says, in one sentence.
            #[must_use]
            pub(crate) fn meaning(self) -> &'static str {
                match self { $(Role::$variant => $about,)* }
            }
        }
    };
}

roles! {
    RunCreated "run_created" "The run directory was created.",
    RunStarted "run_started" "Work began.",
    RunPaused "run_paused" "Work was suspended.",
    RunResumed "run_resumed" "Work continued after a pause.",
    RunCompleted "run_completed" "The run succeeded.",
    RunFailed "run_failed" "The run failed.",
    RunIncomplete "run_incomplete" "The run ended with work missing.",
    RunCancelled "run_cancelled" "The run was cancelled.",
    RunImported "run_imported" "The log that the run was imported from ends here.",
    TaskStart "task_start" "A task begins.",
    TaskEnd "task_end" "A task ends with an outcome.",
    ToolStart "tool_start" "A tool call begins.",
    ToolEnd "tool_end" "A tool call ends.",
    ToolFail "tool_fail" "A tool call fails.",
    ToolBlocked "tool_blocked" "A tool call was blocked.",
    ToolProgress "tool_progress" "A tool call reports progress.",
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
    ChapterRemoved "chapter_removed" "A chapter was unfolded.",
    Recovered "recovered" "A torn tail was moved away.",
    RejectedLines "rejected_lines" "Lines of the input were rejected.",
}

impl Role {
    /// Whether the event changes the state of the run. Such events are always synced, and the
    /// derived files are updated.
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

    /// Whether the event begins work, or stops or resumes it. After the end of a run, there should be
    /// no such event.
    #[must_use]
    pub(crate) fn goes_on(self) -> bool {
        use Role::{RunPaused, RunResumed, RunStarted, TaskStart, ToolStart};
        matches!(self, RunStarted | RunPaused | RunResumed | TaskStart | ToolStart)
    }

    /// Whether the event ends the run, or ends the log that it was imported from.
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

    /// Whether the event belongs to no task and adds no content.
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

    /// Whether the event is about how the run goes on or ends, or about its deliverables.
    #[must_use]
    pub(crate) fn is_about_run(self) -> bool {
        use Role::{DeliverableCheck, DeliverableMissing, DeliverableVerdict};
        let is_of_deliverables =
            matches!(self, DeliverableCheck | DeliverableMissing | DeliverableVerdict);
        let is_origin = matches!(self, Self::RunCreated | Self::RunImported);
        is_of_deliverables || (self.is_lifecycle() && !is_origin)
    }

    /// Whether `logs/tools.jsonl` records the event as a state of a tool call.
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

/// How a task ended, according to the type of its last event.
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
