//! The graph as a value.

use std::collections::HashMap;

use serde::Serialize;

/// Nodes, in the order of their first mention in the log, and the edges between them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Graph {
    /// Version of this document.
    pub schema_version: u32,
    /// The nodes.
    pub nodes: Vec<Node>,
    /// The edges. They never form a cycle.
    pub edges: Vec<Edge>,
    /// Inconsistencies found in the log.
    pub problems: Vec<Problem>,
    /// The tasks of the run. They group the nodes in drawings.
    #[serde(skip)]
    pub tasks: Vec<GraphTask>,
}

/// A task, as drawings show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GraphTask {
    /// Its number.
    pub number: u64,
    /// Its request, in one line, with the outcome if it did not succeed.
    pub title: String,
    /// Sequence of its first event.
    pub first: u64,
    /// Sequence of its last event.
    pub last: u64,
}

/// One node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Node {
    /// Unique in the graph: the kind, a colon, and the name in the log.
    pub id: String,
    /// The kind of node.
    pub kind: NodeKind,
    /// The text shown on it.
    pub label: String,
    /// Sequence of the first event about it; `None` if other events only name it.
    pub sequence: Option<u64>,
    /// The status: `started`, `completed`, `failed` or `blocked` for a call; `open` or `ended` for
    /// a run or an agent.
    pub status: Option<&'static str>,
    /// Duration in milliseconds.
    pub duration_ms: Option<u64>,
    /// The file, the command or the other arguments of a call, in one line; may be empty.
    #[serde(skip)]
    pub argument: String,
    /// Index of the run or agent that it belongs to.
    #[serde(skip)]
    pub owner: Option<usize>,
}

/// The kind of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum NodeKind {
    /// A run of a harness (`runId`).
    Run,
    /// An agent, by its name.
    Agent,
    /// A tool call.
    Call,
    /// The result of a call.
    Result,
    /// An error.
    Error,
    /// Any other event.
    Event,
    /// Something that is named in the log but not recorded there.
    Unknown,
}

impl NodeKind {
    /// The name in documents and ids.
    #[must_use]
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Agent => "agent",
            Self::Call => "call",
            Self::Result => "result",
            Self::Error => "error",
            Self::Event => "event",
            Self::Unknown => "unknown",
        }
    }
}

/// One edge, from cause to effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Edge {
    /// Id of the source node.
    pub from: String,
    /// Id of the target node.
    pub to: String,
    /// The kind of edge.
    pub kind: EdgeKind,
}

/// The kind of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum EdgeKind {
    /// A call or an agent started a run or an agent.
    Spawn,
    /// A run or an agent made a call.
    Call,
    /// A call returned a result.
    Result,
    /// An error occurred in a run or an agent.
    Error,
    /// One event names the other as its parent.
    Parent,
}

/// An inconsistency in the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Problem {
    /// `orphan`, `repeat` or `cycle`.
    pub kind: &'static str,
    /// Id of the node concerned.
    pub node: String,
    /// What is wrong.
    pub message: String,
}

impl Graph {
    /// The index of each node, by its id.
    #[must_use]
    pub(crate) fn numbers(&self) -> HashMap<&str, usize> {
        self.nodes.iter().enumerate().map(|(at, node)| (node.id.as_str(), at)).collect()
    }
}

impl Node {
    /// Whether it is an error, or a call that failed or was blocked.
    #[must_use]
    pub(crate) fn is_failed(&self) -> bool {
        self.kind == NodeKind::Error || matches!(self.status, Some("failed" | "blocked"))
    }
}
