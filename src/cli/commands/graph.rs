//! `runlog graph`

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{Global, RunArg};
use crate::cli::exit::Exit;
use crate::cli::ui::Ui;
use crate::fs::{PathAt, replace};
use crate::graph::{dot, mermaid};
use crate::json;
use crate::ops::graph::graph;
use crate::text::human::plural;

/// Draw a graph of agents and their calls
///
/// The nodes are the run, its agents, their calls and the results. The parents that events name
/// connect them. A parent may come after its child in the log. Contradictions are reported as
/// problems.
#[derive(Debug, Args)]
pub(in crate::cli) struct GraphArgs {
    #[command(flatten)]
    run: RunArg,
    /// The output format
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: GraphFormat,
    /// Draw every event as a node, not only agents, calls and errors
    #[arg(long)]
    events: bool,
    /// Write to a file; - is standard output
    #[arg(short, long, value_name = "FILE|-")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum GraphFormat {
    /// A flowchart for a `mermaid` code block in Markdown
    #[default]
    Mermaid,
    /// For Graphviz
    Dot,
    /// {"nodes": […], "edges": […], "problems": […]}
    Json,
}

pub(super) fn run(args: &GraphArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    let run = args.run.find(global)?;
    let graph = graph(&run, args.events, ui)?;
    let text = match args.format {
        GraphFormat::Mermaid => mermaid(&graph),
        GraphFormat::Dot => dot(&graph),
        GraphFormat::Json => json::document(&graph),
    };
    match args.output.as_deref().filter(|path| path.as_os_str() != "-") {
        Some(path) => replace(&PathAt::of(path), text.as_bytes())?,
        None => ui.data(text.as_bytes())?,
    }
    if let (Some(first), GraphFormat::Mermaid | GraphFormat::Dot) =
        (graph.problems.first(), args.format)
    {
        let more = match graph.problems.len() - 1 {
            0 => String::new(),
            more => {
                format!(", and {} (--format json lists them)", plural(more as u64, "more problem"))
            }
        };
        ui.warn(&format!("{} {}: {}{more}", first.kind, first.node, first.message));
    }
    Ok(Exit::Fine)
}
