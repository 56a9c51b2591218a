//! The graph as a value.

use std::collections::HashSet;

use serde::Serialize;

/// Nodes in the order in which the log first tells of them, and what ties them together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Graph {
    /// Version of this document.
    pub schema_version: u32,
    /// The nodes.
    pub nodes: Vec<Node>,
    /// The edges: never a cycle.
    pub edges: Vec<Edge>,
    /// What does not fit together.
    pub problems: Vec<Problem>,
}

/// One node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Node {
    /// Unique in the graph: the kind, a colon, and what the log calls it.
    pub id: String,
    /// What it is.
    pub kind: NodeKind,
    /// What to write on it.
    pub label: String,
    /// Sequence of the first event that tells of it; `None` where another one only names it.
    pub sequence: Option<u64>,
    /// How it stands: of a call `started`, `completed`, `failed` or `blocked`; of a run or an
    /// agent `open` or `ended`.
    pub status: Option<&'static str>,
    /// How long it took, in milliseconds.
    pub duration_ms: Option<u64>,
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum NodeKind {
    /// A run of a harness (`runId`).
    Run,
    /// An agent, by its name.
    Agent,
    /// A tool call.
    Call,
    /// What a call returned.
    Result,
    /// An error.
    Error,
    /// Any other event.
    Event,
    /// Something that is named, but that the log does not hold.
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

/// One edge, from what came first to what came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Edge {
    /// Id of a node.
    pub from: String,
    /// Id of another one.
    pub to: String,
    /// What ties them together.
    pub kind: EdgeKind,
}

/// What ties two nodes together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum EdgeKind {
    /// A call or an agent started a run or an agent.
    Spawn,
    /// A run or an agent made a call.
    Call,
    /// A call returned a result.
    Result,
    /// Something went wrong there.
    Error,
    /// One event names the other as its parent.
    Parent,
}

/// Something that does not fit together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Problem {
    /// `orphan`, `repeat` or `cycle`.
    pub kind: &'static str,
    /// The node that it is about.
    pub node: String,
    /// What is wrong.
    pub message: String,
}

impl Graph {
    /// The same without the results of calls, which the calls' own status tells: as it is drawn.
    #[must_use]
    pub(crate) fn drawn(&self) -> Self {
        let is_result = |node: &&Node| node.kind == NodeKind::Result;
        let results: HashSet<&str> =
            self.nodes.iter().filter(is_result).map(|node| node.id.as_str()).collect();
        let kept = |id: &str| !results.contains(id);
        Self {
            schema_version: self.schema_version,
            nodes: self.nodes.iter().filter(|node| kept(&node.id)).cloned().collect(),
            edges: self
                .edges
                .iter()
                .filter(|edge| kept(&edge.from) && kept(&edge.to))
                .cloned()
                .collect(),
            problems: self.problems.clone(),
        }
    }
}
