//! The graph as a Mermaid flowchart.

use super::drawing::{ArrowKind, Drawing, DrawnBox, DrawnItem};
use super::model::NodeKind;
use crate::text::inert;

/// The flowchart. Its boxes are numbered, so no name from a log is read as syntax.
#[must_use]
pub(crate) fn mermaid(drawing: &Drawing) -> String {
    let mut out = String::from("flowchart TD\n");
    let mut has_failed = false;
    for item in &drawing.items {
        draw(item, 1, &mut out, &mut has_failed);
    }
    for arrow in &drawing.arrows {
        let line = match arrow.kind {
            ArrowKind::Next => "-->",
            ArrowKind::Spawn => "==>|spawn|",
            ArrowKind::Parent => "-.->",
        };
        out.push_str(&format!("  n{} {line} n{}\n", arrow.from, arrow.to));
    }
    if has_failed {
        out.push_str("  classDef failed stroke:#d1242f,stroke-width:3px\n");
    }
    out
}

fn draw(item: &DrawnItem, depth: usize, out: &mut String, has_failed: &mut bool) {
    let indent = "  ".repeat(depth);
    match item {
        DrawnItem::Box(DrawnBox { number, kind, text, failed }) => {
            let (open, close) = match kind {
                NodeKind::Run | NodeKind::Agent => ("([", "])"),
                NodeKind::Error => ("{{", "}}"),
                NodeKind::Unknown => ("[/", "/]"),
                NodeKind::Call | NodeKind::Result | NodeKind::Event => ("[", "]"),
            };
            let class = if *failed { ":::failed" } else { "" };
            *has_failed |= failed;
            out.push_str(&format!("{indent}n{number}{open}\"{}\"{close}{class}\n", escaped(text)));
        }
        DrawnItem::Frame { number, title, items } => {
            out.push_str(&format!("{indent}subgraph s{number}[\"{}\"]\n", escaped(title)));
            items.iter().for_each(|item| draw(item, depth + 1, out, has_failed));
            out.push_str(&format!("{indent}end\n"));
        }
    }
}

/// Text inside quotes. Characters that could end the quotes or act as markup become character
/// codes.
fn escaped(text: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || " .,:;/_-+=()[]{}!?@$%*~'".contains(c);
    let escaped = |c: char| if plain(c) { c.to_string() } else { format!("#{};", u32::from(c)) };
    inert::line(text).chars().map(escaped).collect()
}
