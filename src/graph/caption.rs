//! The texts of boxes and frames.

use super::model::{Node, NodeKind};
use super::place::OmittedNodes;
use crate::text::human::{duration, plural};
use crate::text::inert::preview;

/// Maximum width of the arguments of repeated calls, in columns.
const ARGUMENTS: usize = 60;

/// The text of a node: its label, arguments, position in the log, status and duration.
pub(super) fn caption(node: &Node) -> String {
    let mut caption = match node.kind {
        NodeKind::Call => {
            let argument = match node.argument.as_str() {
                "" => String::new(),
                argument => format!(": {argument}"),
            };
            let number = node.sequence.map(|sequence| format!(" #{sequence}"));
            format!("{}{argument}{}", node.label, number.unwrap_or_default())
        }
        NodeKind::Event => node.label.clone(),
        kind if node.label == kind.name() || node.label.is_empty() => kind.name().to_owned(),
        kind => format!("{} {}", kind.name(), node.label),
    };
    if let Some(status) = node.status.filter(|status| !["completed", "ended"].contains(status)) {
        let status = if status == "started" { "no result" } else { status };
        caption.push_str(&format!(", {status}"));
    }
    if let Some(span) = node.duration_ms {
        caption.push_str(&format!(", {}", duration(span)));
    }
    caption
}

/// The text of several calls of one tool: their number, their different arguments, and the range
/// of their sequences.
pub(super) fn repeated<'n>(nodes: impl Iterator<Item = &'n Node> + Clone) -> String {
    let count = nodes.clone().count();
    let tool = nodes.clone().next().map_or("", |node| node.label.as_str());
    let mut arguments: Vec<&str> = Vec::new();
    for argument in nodes.clone().map(|node| file_name(&node.argument)) {
        if !argument.is_empty() && !arguments.contains(&argument) {
            arguments.push(argument);
        }
    }
    let list = preview(&arguments.join(", "), ARGUMENTS);
    let list = if list.is_empty() { list } else { format!(": {list}") };
    let (first, last) = (nodes.clone().next(), nodes.clone().last());
    let sequence = |node: Option<&Node>| node.and_then(|node| node.sequence).unwrap_or(0);
    let range = format!(" #{}–#{}", sequence(first), sequence(last));
    let blocked = nodes.clone().filter(|node| node.status == Some("blocked")).count();
    let failed = nodes.filter(|node| node.is_failed()).count() - blocked;
    let told = |some: usize, how: &str| match some {
        0 => String::new(),
        all if all == count => format!(", all {how}"),
        some => format!(", {some} {how}"),
    };
    let (failed, blocked) = (told(failed, "failed"), told(blocked, "blocked"));
    format!("{tool} ×{count}{list}{range}{failed}{blocked}")
}

/// The last part of a path; any other text as it is.
fn file_name(argument: &str) -> &str {
    let is_path = argument.contains('/') && !argument.contains([' ', ':']);
    let name = argument.trim_end_matches('/').rsplit('/').next();
    name.filter(|name| is_path && !name.is_empty()).unwrap_or(argument)
}

/// The text of the box for everything that was left out.
pub(super) fn left_out(counts: &OmittedNodes) -> String {
    let OmittedNodes { calls, tasks, others } = *counts;
    let counted = [(calls, "call"), (tasks, "task"), (others, "other event")];
    let counted = counted.iter().filter(|(count, _)| *count > 0);
    let counted: Vec<String> = counted.map(|(count, one)| plural(*count as u64, one)).collect();
    format!("… {} not drawn …", counted.join(", "))
}
