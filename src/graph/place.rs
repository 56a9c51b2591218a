//! Places the nodes of a graph in frames: tasks, and agents that were started by calls.

use std::collections::{HashMap, HashSet};

use super::model::{EdgeKind, Graph, NodeKind};

/// The frames, and who started whom.
#[derive(Debug, Default)]
pub(super) struct FrameTree {
    /// The frames. The first one is the whole drawing.
    pub groups: Vec<FrameParts>,
    /// Parents and the runs or agents that they started, as indices of nodes.
    pub spawns: Vec<(usize, usize)>,
    spawned: HashSet<usize>,
    /// Runs and agents that no other one started.
    roots: Vec<usize>,
}

/// One frame.
#[derive(Debug, Default)]
pub(super) struct FrameParts {
    /// Its title.
    pub title: String,
    /// What is in it, with the sequence of the first event.
    pub members: Vec<(u64, DrawnPart)>,
}

/// A part of a frame.
#[derive(Debug)]
pub(super) enum DrawnPart {
    /// Nodes that share a box, at least one.
    Nodes(Vec<usize>),
    /// Another frame.
    Group(usize),
    /// A task without calls, by its index.
    Task(usize),
    /// What does not fit.
    LeftOut(OmittedNodes),
}

/// What was left out of a drawing.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OmittedNodes {
    /// The number of calls.
    pub calls: usize,
    /// The number of tasks without calls.
    pub tasks: usize,
    /// The number of other nodes.
    pub others: usize,
}

impl FrameTree {
    /// The whole drawing.
    pub(super) const TOP: usize = 0;

    /// The run or agent that everything belongs to, if there is only one.
    pub(super) fn main(&self) -> Option<usize> {
        match self.roots[..] {
            [main] => Some(main),
            _ => None,
        }
    }

    /// Whether another node started this run or agent.
    pub(super) fn is_spawned(&self, node: usize) -> bool {
        self.spawned.contains(&node)
    }
}

/// Places the nodes of a graph. Calls show their status, so results are not drawn.
pub(super) fn place(graph: &Graph) -> FrameTree {
    let numbers = graph.numbers();
    let spawns = graph.edges.iter().filter(|edge| edge.kind == EdgeKind::Spawn);
    let spawns: Vec<(usize, usize)> =
        spawns.map(|edge| (numbers[edge.from.as_str()], numbers[edge.to.as_str()])).collect();
    let spawned: HashSet<usize> = spawns.iter().map(|(_, child)| *child).collect();
    let is_agent = |at: &usize| matches!(graph.nodes[*at].kind, NodeKind::Run | NodeKind::Agent);
    let agents = (0..graph.nodes.len()).filter(is_agent);
    let roots = agents.filter(|at| !spawned.contains(at)).collect();
    let place = FrameTree { groups: vec![FrameParts::default()], spawns, spawned, roots };
    let mut placer = Placer {
        graph,
        place,
        tasks: vec![None; graph.tasks.len()],
        agents: HashMap::new(),
        busy: graph.nodes.iter().filter_map(|node| node.owner).collect(),
    };
    for at in 0..graph.nodes.len() {
        placer.node(at);
    }
    placer.finish()
}

struct Placer<'g> {
    graph: &'g Graph,
    place: FrameTree,
    /// The frame of each task that has one.
    tasks: Vec<Option<usize>>,
    /// The frames of spawned runs and agents.
    agents: HashMap<usize, usize>,
    /// Runs and agents that have nodes.
    busy: HashSet<usize>,
}

impl Placer<'_> {
    fn node(&mut self, at: usize) {
        let node = &self.graph.nodes[at];
        let sequence = node.sequence.unwrap_or(0);
        let (group, sequence) = match node.kind {
            NodeKind::Result => return,
            NodeKind::Unknown => (FrameTree::TOP, 0),
            NodeKind::Run | NodeKind::Agent if !self.place.is_spawned(at) => (FrameTree::TOP, 0),
            // It has a frame.
            NodeKind::Run | NodeKind::Agent if self.busy.contains(&at) => return,
            NodeKind::Run | NodeKind::Agent => (self.task(sequence), sequence),
            _ => (self.group(node.owner, sequence), sequence),
        };
        self.add(group, sequence, DrawnPart::Nodes(vec![at]));
    }

    fn add(&mut self, group: usize, sequence: u64, member: DrawnPart) {
        self.place.groups[group].members.push((sequence, member));
    }

    /// The frame of an event of a run or agent.
    fn group(&mut self, owner: Option<usize>, sequence: u64) -> usize {
        let Some(owner) = owner.filter(|owner| self.place.is_spawned(*owner)) else {
            return self.task(sequence);
        };
        if let Some(group) = self.agents.get(&owner) {
            return *group;
        }
        let around = self.task(sequence);
        let group = self.frame(around, sequence, super::caption::caption(&self.graph.nodes[owner]));
        self.agents.insert(owner, group);
        group
    }

    /// The frame of the task at that sequence, or else the whole drawing.
    fn task(&mut self, sequence: u64) -> usize {
        let tasks = &self.graph.tasks;
        let after = tasks.partition_point(|task| task.first <= sequence);
        let Some(at) = after.checked_sub(1).filter(|at| sequence <= tasks[*at].last) else {
            return FrameTree::TOP;
        };
        if let Some(group) = self.tasks[at] {
            return group;
        }
        let group = self.frame(FrameTree::TOP, tasks[at].first, tasks[at].title.clone());
        self.tasks[at] = Some(group);
        group
    }

    fn frame(&mut self, around: usize, sequence: u64, title: String) -> usize {
        let group = self.place.groups.len();
        self.place.groups.push(FrameParts { title, members: Vec::new() });
        self.add(around, sequence, DrawnPart::Group(group));
        group
    }

    fn finish(mut self) -> FrameTree {
        // Without any node, the tasks alone are no graph.
        if !self.graph.nodes.is_empty() {
            for (at, task) in self.graph.tasks.iter().enumerate() {
                if self.tasks[at].is_none() {
                    self.add(FrameTree::TOP, task.first, DrawnPart::Task(at));
                }
            }
        }
        for group in &mut self.place.groups {
            group.members.sort_by_key(|(sequence, _)| *sequence);
        }
        self.place
    }
}
