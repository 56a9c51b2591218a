//! The graph in the DOT language of Graphviz.

use super::drawing::{ArrowKind, Drawing, DrawnBox, DrawnItem};
use super::model::NodeKind;
use crate::text::inert;

/// The digraph. Its boxes are numbered, so no name from a log is read as syntax.
#[must_use]
pub(crate) fn dot(drawing: &Drawing) -> String {
    let mut out = String::from("digraph run {\n  node [shape=box];\n");
    for item in &drawing.items {
        draw(item, 1, &mut out);
    }
    for arrow in &drawing.arrows {
        let look = match arrow.kind {
            ArrowKind::Next => "",
            ArrowKind::Spawn => " [label=\"spawn\" penwidth=2]",
            ArrowKind::Parent => " [style=dashed]",
        };
        out.push_str(&format!("  n{} -> n{}{look};\n", arrow.from, arrow.to));
    }
    out + "}\n"
}

fn draw(item: &DrawnItem, depth: usize, out: &mut String) {
    let indent = "  ".repeat(depth);
    match item {
        DrawnItem::Box(DrawnBox { number, kind, text, failed }) => {
            let shape = match kind {
                NodeKind::Run | NodeKind::Agent => " shape=oval",
                NodeKind::Error => " shape=hexagon",
                NodeKind::Unknown => " style=dashed",
                NodeKind::Call | NodeKind::Result | NodeKind::Event => "",
            };
            let color = if *failed { " color=\"#d1242f\" penwidth=2" } else { "" };
            out.push_str(&format!("{indent}n{number} [label={}{shape}{color}];\n", quoted(text)));
        }
        DrawnItem::Frame { number, title, items } => {
            out.push_str(&format!("{indent}subgraph cluster_{number} {{\n"));
            out.push_str(&format!("{indent}  label={};\n", quoted(title)));
            items.iter().for_each(|item| draw(item, depth + 1, out));
            out.push_str(&format!("{indent}}}\n"));
        }
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", inert::line(text).replace('\\', "\\\\").replace('"', "\\\""))
}
