//! The graph in the DOT language of Graphviz.

use std::collections::HashMap;

use super::mermaid::caption;
use super::model::{EdgeKind, Graph, NodeKind};
use crate::text::inert;

/// The digraph. Its nodes are numbered, so no name from a log is read as syntax.
#[must_use]
pub(crate) fn dot(graph: &Graph) -> String {
    let graph = graph.drawn();
    let numbers: HashMap<&str, usize> =
        graph.nodes.iter().enumerate().map(|(at, node)| (node.id.as_str(), at)).collect();
    let mut out = String::from("digraph run {\n  node [shape=box];\n");
    for (at, node) in graph.nodes.iter().enumerate() {
        let shape = match node.kind {
            NodeKind::Run | NodeKind::Agent => " shape=oval",
            NodeKind::Error => " shape=hexagon",
            NodeKind::Unknown => " style=dashed",
            NodeKind::Call | NodeKind::Result | NodeKind::Event => "",
        };
        out.push_str(&format!("  n{at} [label={}{shape}];\n", quoted(&caption(node))));
    }
    for edge in &graph.edges {
        let (from, to) = (numbers[edge.from.as_str()], numbers[edge.to.as_str()]);
        let look = match edge.kind {
            EdgeKind::Spawn => " [label=\"spawn\" penwidth=2]",
            EdgeKind::Parent => " [style=dashed]",
            EdgeKind::Call | EdgeKind::Result | EdgeKind::Error => "",
        };
        out.push_str(&format!("  n{from} -> n{to}{look};\n"));
    }
    out + "}\n"
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", inert::line(text).replace('\\', "\\\\").replace('"', "\\\""))
}
