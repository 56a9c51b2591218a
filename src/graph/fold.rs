//! Builds the graph from the events. A parent may be logged after its child, or not at all.

use crate::json::Members;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::model::{Edge, EdgeKind, Graph, GraphTask, Node, NodeKind, Problem};
use crate::event::fields::{View, is_placeholder};
use crate::event::role::Role;
use crate::history::agents::Agents;
use crate::history::arguments::in_one_line;
use crate::history::calls::Calls;
use crate::history::tasks::{Task, TaskOutcome, Tasks};
use crate::run::document::SCHEMA_VERSION;
use crate::text::inert::preview;

/// Maximum width of a label, in columns.
const LABEL: usize = 60;

/// Maximum width of the arguments of a call before the name of a shell is removed.
const ARGUMENT: usize = 80;

/// The graph up to the last event observed.
#[derive(Debug, Default)]
pub(crate) struct GraphFold {
    /// Whether every event is a node.
    all_events: bool,
    nodes: Vec<Node>,
    by_id: HashMap<String, usize>,
    edges: Vec<(usize, usize, EdgeKind)>,
    calls: Calls,
    agents: Agents,
    /// The node of each call.
    call_nodes: HashMap<usize, usize>,
    /// The ids of calls from their first events.
    first_ids: HashMap<usize, String>,
    /// Calls by each id used for them in events, and by the last segment of that id.
    call_ids: HashMap<String, usize>,
    /// Runs and agents that name a parent: the child's node and the parent's name.
    wanted: Vec<(usize, String)>,
    /// Nodes by the id of the event that created them.
    by_event: HashMap<String, usize>,
    /// Nodes whose event names a parent event: the node and the parent's id.
    parents: Vec<(usize, String)>,
    problems: Vec<Problem>,
    tasks: Tasks,
    /// The working directory of the agent.
    directory: Option<String>,
    ended: bool,
}

impl GraphFold {
    /// An empty fold. With `all_events`, every event becomes a node.
    #[must_use]
    pub(crate) fn new(all_events: bool) -> Self {
        Self { all_events, ..Self::default() }
    }

    /// Processes the next event, whose line begins at byte `offset`.
    pub(crate) fn observe(&mut self, view: &View<'_, '_>, offset: u64) {
        let sequence = view.event.sequence;
        self.ended |= view.role.ends_run();
        self.tasks.observe(view);
        if self.directory.is_none() {
            let directory = view.field("cwd").or_else(|| view.session_fact("cwd"));
            self.directory = directory.map(Cow::into_owned);
        }
        let owner = self.owner(view);
        let observed = self.calls.observe(view, offset);
        let known = self.agents.all().len();
        self.agents.observe(view, &self.calls, observed.map(|observed| observed.call));
        if let Some(agent) = self.agents.all().get(known).cloned()
            && let Some(call) = self.call_nodes.get(&agent.call).copied()
        {
            let at =
                owner.unwrap_or_else(|| self.node(NodeKind::Agent, &agent.id, &agent.id, sequence));
            self.edges.push((call, at, EdgeKind::Spawn));
        }
        let mut node = None;
        match view.role {
            Role::AgentStart => node = self.agent(view, owner),
            Role::AgentEnd => {
                if let Some(at) = self.agent(view, owner) {
                    self.nodes[at].status = Some("ended");
                    node = Some(at);
                }
            }
            Role::Error => {
                let label = view.error_text().unwrap_or_default();
                let at = self.node(NodeKind::Error, &sequence.to_string(), &label, sequence);
                self.edges.extend(owner.map(|owner| (owner, at, EdgeKind::Error)));
                self.nodes[at].owner = owner;
                node = Some(at);
            }
            _ => {}
        }
        let mut begins = true;
        if let Some(observed) = observed {
            begins = !self.call_nodes.contains_key(&observed.call);
            node = Some(self.call(view, observed.call, observed.repeated_end, owner));
        }
        if node.is_none() && self.all_events {
            let label = view.text().unwrap_or(view.event.kind.clone());
            let at = self.node(NodeKind::Event, &sequence.to_string(), &label, sequence);
            self.edges.extend(owner.map(|owner| (owner, at, EdgeKind::Parent)));
            self.nodes[at].owner = owner;
            node = Some(at);
        }
        if let Some(at) = node {
            self.by_event.insert(view.event.event_id.clone().into_owned(), at);
            // The event that ends a call does not say where the call came from.
            if let Some(parent) = view.event.parent_event_id.as_ref().filter(|_| begins) {
                if *parent == view.event.event_id {
                    self.problem("cycle", at, "it is its own parent".to_owned());
                } else {
                    self.parents.push((at, parent.clone().into_owned()));
                }
            }
        }
    }

    /// The run or agent that an event belongs to. If the run names a parent, the edge is added at
    /// the end.
    fn owner(&mut self, view: &View<'_, '_>) -> Option<usize> {
        let sequence = view.event.sequence;
        let given = |name: &str| view.field(name).filter(|id| !is_placeholder(id));
        if let Some(run) = given("runId").filter(|_| view.role != Role::TaskStart) {
            let at = self.node(NodeKind::Run, &run, &run, sequence);
            self.nodes[at].status.get_or_insert("open");
            if let Some(parent) = given("parentId") {
                self.want(at, &parent);
            }
            return Some(at);
        }
        let tells = view.role.is_tool_state() || view.role == Role::Error || self.all_events;
        if !tells {
            return None;
        }
        /// Actors that work for an agent but are not agents themselves.
        const HELPERS: &[&str] =
            &["tool", "runtime", "filesystem", "memory", "governance", "runlog", "user"];
        let agent = view.agent();
        let agent = if HELPERS.contains(&agent.as_ref()) { "agent" } else { agent.as_ref() };
        Some(self.node(NodeKind::Agent, agent, agent, sequence))
    }

    /// The agent or run that an event starts or ends.
    fn agent(&mut self, view: &View<'_, '_>, owner: Option<usize>) -> Option<usize> {
        let sequence = view.event.sequence;
        let given = |name: &str| view.field(name).filter(|id| !is_placeholder(id));
        let child =
            given("childAgentId").or_else(|| given("agentId")).or_else(|| given("agent_id"));
        let Some(child) = child else { return owner };
        let at = self.node(NodeKind::Agent, &child, &child, sequence);
        self.nodes[at].status.get_or_insert("open");
        if let Some(parent) = given("parentAgentId") {
            let parent = self.node(NodeKind::Agent, &parent, &parent, sequence);
            self.edges.push((parent, at, EdgeKind::Spawn));
        } else if let Some(parent) = given("parentId").or_else(|| given("parent_id")) {
            self.want(at, &parent);
        } else if let Some(owner) = owner.filter(|owner| *owner != at) {
            self.edges.push((owner, at, EdgeKind::Spawn));
        }
        Some(at)
    }

    /// The node of a call, or of its result.
    fn call(
        &mut self,
        view: &View<'_, '_>,
        call: usize,
        repeated: bool,
        owner: Option<usize>,
    ) -> usize {
        let sequence = view.event.sequence;
        let tool = self.calls.tool(call).to_owned();
        let id = self.first_ids.entry(call).or_insert_with(|| view.call_id_or_own().into_owned());
        let id = id.clone();
        let known = self.call_nodes.get(&call).copied();
        let at = known.unwrap_or_else(|| {
            let at = self.node(NodeKind::Call, &id, &tool, sequence);
            self.call_nodes.insert(call, at);
            self.edges.extend(owner.map(|owner| (owner, at, EdgeKind::Call)));
            self.nodes[at].owner = owner;
            at
        });
        if let Some(given) = view.arguments().filter(|_| self.nodes[at].argument.is_empty()) {
            let argument = in_one_line(&Members::of(given), self.directory.as_deref(), ARGUMENT);
            self.nodes[at].argument = preview(command(&argument), LABEL);
        }
        for id in [Some(id.clone()), view.call_id().map(Cow::into_owned)] {
            let Some(id) = id else { continue };
            let last = id.rsplit('/').next().unwrap_or(&id).to_owned();
            self.call_ids.entry(last).or_insert(at);
            self.call_ids.insert(id, at);
        }
        if !view.role.is_tool_end() {
            return at;
        }
        if repeated {
            let message = format!("event {sequence} ends it once more");
            self.problem("repeat", at, message);
        }
        let label = view.result().map(crate::event::fields::as_text).or_else(|| view.error_text());
        let result = format!("{id}#{sequence}");
        let result = self.node(NodeKind::Result, &result, &label.unwrap_or_default(), sequence);
        self.edges.push((at, result, EdgeKind::Result));
        at
    }

    /// The node of this kind and name. It is created if it does not exist.
    fn node(&mut self, kind: NodeKind, name: &str, label: &str, sequence: u64) -> usize {
        let id = format!("{}:{}", kind.name(), preview(name, 200));
        if let Some(&at) = self.by_id.get(&id) {
            self.nodes[at].sequence.get_or_insert(sequence);
            return at;
        }
        let at = self.nodes.len();
        self.by_id.insert(id.clone(), at);
        let label = preview(label, LABEL);
        let sequence = Some(sequence);
        self.nodes.push(Node {
            id,
            kind,
            label,
            sequence,
            status: None,
            duration_ms: None,
            argument: String::new(),
            owner: None,
        });
        at
    }

    fn want(&mut self, child: usize, parent: &str) {
        if self.wanted.iter().rev().take(64).any(|(at, name)| *at == child && name == parent) {
            return;
        }
        self.wanted.push((child, parent.to_owned()));
    }

    fn problem(&mut self, kind: &'static str, at: usize, message: String) {
        let node = self.nodes[at].id.clone();
        self.problems.push(Problem { kind, node, message });
    }

    /// The graph after the last event.
    #[must_use]
    pub(crate) fn finish(mut self) -> Graph {
        for (child, parent) in std::mem::take(&mut self.wanted) {
            let found = self.call_ids.get(&parent).or_else(|| {
                let last = parent.rsplit('/').next()?;
                self.call_ids.get(last)
            });
            let run = self.by_id.get(&format!("run:{parent}"));
            let agent = self.by_id.get(&format!("agent:{parent}"));
            let at = match found.or(run).or(agent) {
                Some(at) => *at,
                None => {
                    let at = self.node(NodeKind::Unknown, &parent, &parent, 0);
                    self.nodes[at].sequence = None;
                    let message =
                        format!("its parent {} is not in the log", preview(&parent, LABEL));
                    self.problem("orphan", child, message);
                    at
                }
            };
            self.edges.push((at, child, EdgeKind::Spawn));
        }
        for (child, parent) in std::mem::take(&mut self.parents) {
            match self.by_event.get(&parent) {
                Some(at) if *at != child => self.edges.push((*at, child, EdgeKind::Parent)),
                Some(_) => {}
                // The parent may be an event that has no node.
                None if !self.all_events => {}
                None => {
                    let message =
                        format!("its parent {} is not in the log", preview(&parent, LABEL));
                    self.problem("orphan", child, message);
                }
            }
        }
        for (call, at) in &self.call_nodes {
            self.nodes[*at].status = Some(self.calls.status(*call, self.ended).name());
            self.nodes[*at].duration_ms = self.calls.get(*call).duration_ms;
        }
        let edges = self.acyclic();
        let name = |at: usize| self.nodes[at].id.clone();
        let edges =
            edges.into_iter().map(|(from, to, kind)| Edge { from: name(from), to: name(to), kind });
        let edges = edges.collect();
        let tasks = self.tasks.all().iter().map(|task| self.task(task)).collect();
        let Self { nodes, problems, .. } = self;
        Graph { schema_version: SCHEMA_VERSION, nodes, edges, problems, tasks }
    }

    fn task(&self, task: &Task) -> GraphTask {
        let outcome = match self.tasks.outcome(task) {
            TaskOutcome::Succeeded | TaskOutcome::Ended => String::new(),
            outcome => format!(", {}", outcome.name()),
        };
        let Task { number, first_sequence: first, last_sequence: last, .. } = *task;
        let title = format!("Task {number}: {}{outcome}", preview(task.title(), LABEL));
        GraphTask { number, title, first, last }
    }

    /// The edges without duplicates and without those that close a cycle.
    fn acyclic(&mut self) -> Vec<(usize, usize, EdgeKind)> {
        let (mut seen, mut tied) = (HashSet::new(), HashSet::new());
        let mut edges = std::mem::take(&mut self.edges);
        edges.retain(|&(from, to, kind)| {
            let is_new = seen.insert((from, to, kind));
            let is_first = tied.insert((from, to));
            is_new && (is_first || kind != EdgeKind::Parent)
        });
        let closing = closing(self.nodes.len(), &edges);
        let mut numbers = 0..;
        edges.retain(|&(from, to, _)| {
            let closes = numbers.next().is_some_and(|number| closing.contains(&number));
            if closes {
                let message = format!("{} is above it as well as below", self.nodes[to].id);
                self.problem("cycle", from, message);
            }
            !closes
        });
        edges
    }
}

/// The numbers of the edges that close a cycle: in a walk from the first nodes on, they lead back to a
/// node that the walk came through.
fn closing(nodes: usize, edges: &[(usize, usize, EdgeKind)]) -> HashSet<usize> {
    #[derive(Clone, Copy, PartialEq)]
    enum Visit {
        New,
        Open,
        Done,
    }
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); nodes];
    for (number, (from, _, _)) in edges.iter().enumerate().rev() {
        below[*from].push(number);
    }
    let mut closing = HashSet::new();
    let mut visits = vec![Visit::New; nodes];
    for first in 0..nodes {
        let mut path = vec![first];
        while let Some(&at) = path.last() {
            if visits[at] == Visit::New {
                visits[at] = Visit::Open;
            }
            let Some(edge) = below[at].pop().filter(|_| visits[at] == Visit::Open) else {
                visits[at] = Visit::Done;
                path.pop();
                continue;
            };
            let to = edges[edge].1;
            match visits[to] {
                Visit::New => path.push(to),
                Visit::Open => drop(closing.insert(edge)),
                Visit::Done => {}
            }
        }
    }
    closing
}

/// The command that a shell runs (`bash -lc COMMAND`); any other text as it is.
fn command(argument: &str) -> &str {
    let (program, rest) = argument.split_once(' ').unwrap_or((argument, ""));
    let program = program.trim_end_matches(',');
    let is_shell = ["sh", "bash", "zsh"].contains(&program.rsplit('/').next().unwrap_or(program));
    let command = rest.split_once(' ').filter(|(option, _)| {
        is_shell && matches!(option.trim_end_matches(','), "-c" | "-lc" | "-ic" | "-lic")
    });
    command.map_or(argument, |(_, command)| command)
}
