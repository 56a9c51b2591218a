//! The graph as it is drawn: boxes in frames, and the arrows between them.

use std::collections::{HashMap, HashSet};

use super::caption::{caption, left_out, repeated};
use super::condense::condense;
use super::model::{EdgeKind, Graph, NodeKind};
use super::place::{DrawnPart, FrameParts, FrameTree, place};

/// A drawing of a graph. Each agent's boxes are connected in the order of their events.
#[derive(Clone, Debug, Default)]
pub(crate) struct Drawing {
    /// What is at the top level.
    pub items: Vec<DrawnItem>,
    /// The arrows between boxes.
    pub arrows: Vec<Arrow>,
    /// The number of calls that share a box with other calls.
    pub folded_calls: usize,
    /// The number of boxes that were left out because of the limit.
    pub left_out: usize,
}

/// A part of a drawing.
#[derive(Clone, Debug)]
pub(crate) enum DrawnItem {
    /// A box.
    Box(DrawnBox),
    /// A task, or an agent that a call started.
    Frame {
        /// Unique among the frames.
        number: usize,
        /// Its title.
        title: String,
        /// What is in it.
        items: Vec<DrawnItem>,
    },
}

/// One box.
#[derive(Clone, Debug)]
pub(crate) struct DrawnBox {
    /// Unique among the boxes.
    pub number: usize,
    /// What it stands for.
    pub kind: NodeKind,
    /// Its text.
    pub text: String,
    /// Whether something in it failed.
    pub failed: bool,
}

/// One arrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Arrow {
    /// Number of the box at its beginning.
    pub from: usize,
    /// Number of the box at its end.
    pub to: usize,
    /// Its meaning.
    pub kind: ArrowKind,
}

/// The meaning of an arrow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ArrowKind {
    /// The same agent did this next.
    Next,
    /// A call or an agent started the other.
    Spawn,
    /// An event names the other as its parent.
    Parent,
}

impl Drawing {
    /// Draws a graph with at most `limit` boxes: repeated calls share a box. Without a limit, each
    /// call has its own box.
    #[must_use]
    pub(crate) fn of(graph: &Graph, limit: Option<usize>) -> Self {
        let mut place = place(graph);
        let left_out = limit.map_or(0, |limit| condense(&mut place, graph, limit));
        let mut pen = Pen::new(graph, &place);
        let items = pen.items(FrameTree::TOP);
        pen.spawns();
        pen.parents();
        let Pen { arrows, folded_calls, .. } = pen;
        Self { items, arrows, folded_calls, left_out }
    }
}

/// Draws the items in order.
struct Pen<'g> {
    graph: &'g Graph,
    place: &'g FrameTree,
    /// The only agent that no other one started.
    main: Option<usize>,
    boxes: usize,
    /// The box of each node.
    box_of: HashMap<usize, usize>,
    /// The boxes of each agent with the sequences of their first events, in order.
    boxes_of: HashMap<Option<usize>, Vec<(u64, usize)>>,
    arrows: Vec<Arrow>,
    pairs: HashSet<(usize, usize)>,
    folded_calls: usize,
}

impl<'g> Pen<'g> {
    fn new(graph: &'g Graph, place: &'g FrameTree) -> Self {
        Self {
            graph,
            place,
            main: place.main(),
            boxes: 0,
            box_of: HashMap::new(),
            boxes_of: HashMap::new(),
            arrows: Vec::new(),
            pairs: HashSet::new(),
            folded_calls: 0,
        }
    }

    fn items(&mut self, group: usize) -> Vec<DrawnItem> {
        let place = self.place;
        let FrameParts { members, .. } = &place.groups[group];
        members.iter().map(|(_, member)| self.item(member)).collect()
    }

    fn item(&mut self, member: &DrawnPart) -> DrawnItem {
        let graph = self.graph;
        match member {
            DrawnPart::Group(group) => DrawnItem::Frame {
                number: *group,
                title: self.place.groups[*group].title.clone(),
                items: self.items(*group),
            },
            DrawnPart::Task(task) => {
                let text = graph.tasks[*task].title.clone();
                self.drawn(NodeKind::Event, text, false, self.main, Some(graph.tasks[*task].first))
            }
            DrawnPart::LeftOut(counts) => {
                self.drawn(NodeKind::Unknown, left_out(counts), false, self.main, None)
            }
            DrawnPart::Nodes(nodes) => self.nodes(nodes),
        }
    }

    /// The box of some nodes of one agent.
    fn nodes(&mut self, nodes: &[usize]) -> DrawnItem {
        let graph = self.graph;
        let first = &graph.nodes[nodes[0]];
        self.box_of.extend(nodes.iter().map(|node| (*node, self.boxes)));
        let text = match nodes {
            [_] => caption(first),
            _ => {
                self.folded_calls += nodes.len();
                repeated(nodes.iter().map(|node| &graph.nodes[*node]))
            }
        };
        let failed = nodes.iter().any(|node| graph.nodes[*node].is_failed());
        let owner = match first.kind {
            NodeKind::Run | NodeKind::Agent => Some(nodes[0]),
            _ => first.owner.or(self.main),
        };
        let chained = first.kind != NodeKind::Unknown;
        self.drawn(first.kind, text, failed, owner, first.sequence.filter(|_| chained))
    }

    /// A new box. With a sequence, an arrow leads to it from the box before it of the same agent.
    fn drawn(
        &mut self,
        kind: NodeKind,
        text: String,
        failed: bool,
        owner: Option<usize>,
        sequence: Option<u64>,
    ) -> DrawnItem {
        let number = self.boxes;
        self.boxes += 1;
        if let Some(sequence) = sequence {
            let before = self.boxes_of.entry(owner).or_default();
            let last = before.last().map(|(_, last)| *last);
            before.push((sequence, number));
            if let Some(last) = last {
                self.arrow(last, number, ArrowKind::Next);
            }
        }
        DrawnItem::Box(DrawnBox { number, kind, text, failed })
    }

    fn arrow(&mut self, from: usize, to: usize, kind: ArrowKind) {
        if from != to && !self.pairs.contains(&(to, from)) && self.pairs.insert((from, to)) {
            self.arrows.push(Arrow { from, to, kind });
        }
    }

    /// Arrows from the calls and agents that started others.
    fn spawns(&mut self) {
        for &(parent, child) in &self.place.spawns {
            let child_sequence = self.graph.nodes[child].sequence.unwrap_or(0);
            let from = self.last_before(parent, child_sequence);
            let to = self.boxes_of.get(&Some(child)).and_then(|boxes| boxes.first());
            let to = to.map(|(_, to)| *to).or_else(|| self.box_of.get(&child).copied());
            if let (Some(from), Some(to)) = (from, to) {
                self.arrow(from, to, ArrowKind::Spawn);
            }
        }
    }

    /// The box of a call, or the box of an agent that was its last one at that sequence.
    fn last_before(&self, node: usize, sequence: u64) -> Option<usize> {
        if let Some(boxes) = self.boxes_of.get(&Some(node)) {
            let before = boxes.partition_point(|(first, _)| *first <= sequence);
            return boxes.get(before.saturating_sub(1)).map(|(_, number)| *number);
        }
        self.box_of.get(&node).copied()
    }

    /// Arrows from parents to events. An agent's frame already shows where its calls come from.
    fn parents(&mut self) {
        let numbers = self.graph.numbers();
        for edge in self.graph.edges.iter().filter(|edge| edge.kind == EdgeKind::Parent) {
            let child = numbers[edge.to.as_str()];
            let owner = self.graph.nodes[child].owner;
            if owner.is_some_and(|owner| self.place.is_spawned(owner)) {
                continue;
            }
            let from = self.box_of.get(&numbers[edge.from.as_str()]).copied();
            let of_owner = Some(numbers[edge.from.as_str()]) == owner;
            if let (Some(from), Some(to), false) =
                (from, self.box_of.get(&child).copied(), of_owner)
            {
                self.arrow(from, to, ArrowKind::Parent);
            }
        }
    }
}
