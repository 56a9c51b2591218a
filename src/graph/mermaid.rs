//! The graph as a Mermaid flowchart.

use std::collections::HashMap;

use super::model::{EdgeKind, Graph, Node, NodeKind};
use crate::text::human::duration;
use crate::text::inert;

/// The flowchart. Its nodes are numbered, so no name from a log is read as syntax.
#[must_use]
pub(crate) fn mermaid(graph: &Graph) -> String {
    let graph = graph.drawn();
    let numbers: HashMap<&str, usize> =
        graph.nodes.iter().enumerate().map(|(at, node)| (node.id.as_str(), at)).collect();
    let mut out = String::from("flowchart TD\n");
    for (at, node) in graph.nodes.iter().enumerate() {
        let (open, close) = match node.kind {
            NodeKind::Run | NodeKind::Agent => ("([", "])"),
            NodeKind::Error => ("{{", "}}"),
            NodeKind::Unknown => ("[/", "/]"),
            NodeKind::Call | NodeKind::Result | NodeKind::Event => ("[", "]"),
        };
        out.push_str(&format!("  n{at}{open}\"{}\"{close}\n", text(&caption(node))));
    }
    for edge in &graph.edges {
        let (from, to) = (numbers[edge.from.as_str()], numbers[edge.to.as_str()]);
        let arrow = match edge.kind {
            EdgeKind::Spawn => "==>|spawn|".to_owned(),
            EdgeKind::Parent => "-.->".to_owned(),
            EdgeKind::Call | EdgeKind::Result | EdgeKind::Error => "-->".to_owned(),
        };
        out.push_str(&format!("  n{from} {arrow} n{to}\n"));
    }
    out
}

/// The text of a node: its label, status and duration.
pub(super) fn caption(node: &Node) -> String {
    let mut caption = match node.kind {
        NodeKind::Call => {
            let number = node.sequence.map(|sequence| format!(" #{sequence}"));
            node.label.clone() + &number.unwrap_or_default()
        }
        NodeKind::Event => node.label.clone(),
        kind if node.label == kind.name() => node.label.clone(),
        kind => format!("{} {}", kind.name(), node.label),
    };
    if let Some(status) = node.status.filter(|status| !["completed", "ended"].contains(status)) {
        caption.push_str(&format!(", {status}"));
    }
    if let Some(span) = node.duration_ms {
        caption.push_str(&format!(", {}", duration(span)));
    }
    caption
}

/// Text inside quotes. Characters that could end the quotes or act as markup become character
/// codes.
fn text(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || " .,:;/_-+=()[]{}!?@$%*~'".contains(c);
    let escaped = |c: char| if plain(c) { c.to_string() } else { format!("#{};", u32::from(c)) };
    inert::line(text).chars().map(escaped).collect()
}
