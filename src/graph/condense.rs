//! Makes a drawing small enough to read: repeated calls share a box, and the middle is left out.

use std::collections::{HashMap, HashSet};

use super::model::{Graph, Node, NodeKind};
use super::place::{DrawnPart, FrameTree, OmittedNodes};

/// Folds until there are at most `limit` boxes. Returns the number of boxes that are left out.
///
/// Calls of one tool in a row share a box if they ended in the same way. If there are still too
/// many boxes, all calls of one tool in a frame share a box, in the largest frames first. At last,
/// boxes in the middle are left out.
pub(super) fn condense(place: &mut FrameTree, graph: &Graph, limit: usize) -> usize {
    let folder =
        Folder { graph, parents: place.spawns.iter().map(|(parent, _)| *parent).collect() };
    for group in &mut place.groups {
        folder.fold(&mut group.members, Repeats::InARow);
    }
    let mut largest: Vec<usize> = (0..place.groups.len()).collect();
    largest.sort_by_key(|group| std::cmp::Reverse(boxes_in(&place.groups[*group].members)));
    let mut boxes = place.groups.iter().map(|group| boxes_in(&group.members)).sum::<usize>();
    for group in largest {
        if boxes <= limit {
            return 0;
        }
        let members = &mut place.groups[group].members;
        boxes -= boxes_in(members);
        folder.fold(members, Repeats::Anywhere);
        boxes += boxes_in(members);
    }
    if boxes <= limit {
        return 0;
    }
    // One box says what is left out.
    let kept = limit.saturating_sub(1);
    let mut cut = Cut {
        graph,
        next: 0,
        from: kept.div_ceil(2),
        to: boxes - kept / 2,
        counts: OmittedNodes::default(),
        at: None,
    };
    cut.group(place, FrameTree::TOP);
    if let Some((group, index)) = cut.at {
        let members = &mut place.groups[group].members;
        let index = index.min(members.len());
        members.insert(index, (0, DrawnPart::LeftOut(cut.counts)));
    }
    drop_empty(place, FrameTree::TOP);
    boxes - kept
}

/// Which calls share a box.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Repeats {
    /// Calls in a row that ended in the same way.
    InARow,
    /// All calls of a tool.
    Anywhere,
}

struct Folder<'g> {
    graph: &'g Graph,
    /// Calls that started an agent. They keep their own boxes.
    parents: HashSet<usize>,
}

impl Folder<'_> {
    fn fold(&self, members: &mut Vec<(u64, DrawnPart)>, repeats: Repeats) {
        let mut kept: Vec<(u64, DrawnPart)> = Vec::with_capacity(members.len());
        // The newest box of each kind of call that may be shared.
        let mut shared: HashMap<SharedCall<'_>, usize> = HashMap::new();
        for (sequence, member) in members.drain(..) {
            let key = match &member {
                DrawnPart::Nodes(nodes) => self.key(nodes[0], repeats),
                _ => None,
            };
            let last = kept.len().wrapping_sub(1);
            let is_near = |at: &usize| repeats == Repeats::Anywhere || *at == last;
            let known = key.and_then(|key| shared.get(&key).copied()).filter(is_near);
            match (known.map(|at| &mut kept[at].1), member) {
                (Some(DrawnPart::Nodes(others)), DrawnPart::Nodes(nodes)) => others.extend(nodes),
                (_, member) => {
                    shared.extend(key.map(|key| (key, kept.len())));
                    kept.push((sequence, member));
                }
            }
        }
        *members = kept;
    }

    /// What calls that share a box have in common; `None` for a box of its own.
    fn key(&self, node: usize, repeats: Repeats) -> Option<SharedCall<'_>> {
        let Node { kind, label, owner, status, .. } = &self.graph.nodes[node];
        if *kind != NodeKind::Call || self.parents.contains(&node) {
            return None;
        }
        Some((label, *owner, (repeats == Repeats::InARow).then_some(*status)))
    }
}

/// The tool and the owner of a call, and how it ended if that matters.
type SharedCall<'g> = (&'g str, Option<usize>, Option<Option<&'static str>>);

/// Removes the boxes with the numbers `from..to`.
struct Cut<'g> {
    graph: &'g Graph,
    next: usize,
    from: usize,
    to: usize,
    counts: OmittedNodes,
    /// The frame and the position of the first box that was removed.
    at: Option<(usize, usize)>,
}

impl Cut<'_> {
    fn group(&mut self, place: &mut FrameTree, group: usize) {
        let members = std::mem::take(&mut place.groups[group].members);
        let mut kept = Vec::with_capacity(members.len());
        for (sequence, member) in members {
            if let DrawnPart::Group(inner) = member {
                self.group(place, inner);
                kept.push((sequence, member));
                continue;
            }
            let number = self.next;
            self.next += 1;
            if number < self.from || number >= self.to {
                kept.push((sequence, member));
                continue;
            }
            self.at.get_or_insert((group, kept.len()));
            self.count(&member);
        }
        place.groups[group].members = kept;
    }

    fn count(&mut self, member: &DrawnPart) {
        match member {
            DrawnPart::Nodes(nodes) if self.graph.nodes[nodes[0]].kind == NodeKind::Call => {
                self.counts.calls += nodes.len();
            }
            DrawnPart::Nodes(nodes) => self.counts.others += nodes.len(),
            DrawnPart::Task(_) => self.counts.tasks += 1,
            DrawnPart::Group(_) | DrawnPart::LeftOut(_) => {}
        }
    }
}

/// Removes frames without a box. Returns whether the frame has one.
fn drop_empty(place: &mut FrameTree, group: usize) -> bool {
    let mut members = std::mem::take(&mut place.groups[group].members);
    members.retain(|(_, member)| match member {
        DrawnPart::Group(inner) => drop_empty(place, *inner),
        _ => true,
    });
    let has_box = !members.is_empty();
    place.groups[group].members = members;
    has_box
}

fn boxes_in(members: &[(u64, DrawnPart)]) -> usize {
    members.iter().filter(|(_, member)| !matches!(member, DrawnPart::Group(_))).count()
}
