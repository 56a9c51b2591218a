//! `runlog graph`

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{Global, RunArg};
use crate::cli::exit::{Exit, Failure};
use crate::cli::file_format::by_ending;
use crate::cli::ui::Ui;
use crate::graph::drawing::Drawing;
use crate::graph::model::Graph;
use crate::graph::{dot, mermaid};
use crate::json;
use crate::ops::graph::graph;
use crate::run::output_path::{SIGNATURE, put_output};
use crate::text::human::plural;

/// Draw what the agents of a run did, as a graph
///
/// Each task is a frame with its calls in order. Calls of the same tool in a row share a box, and
/// agents that a call started have their own frames. Failures are marked. A large run is folded
/// further, so that the drawing stays readable.
///
/// JSON has the complete graph: the run, its agents, their calls, the results, and the parents that
/// events name. Contradictions in the log are reported as problems.
#[derive(Debug, Args)]
#[command(after_help = AFTER_HELP)]
pub(in crate::cli) struct GraphArgs {
    #[command(flatten)]
    run: RunArg,
    /// The output format [default: what the name of --output ends with (.dot, .gv, .json), else
    /// mermaid]
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<GraphFormat>,
    /// The maximum number of boxes in a drawing
    #[arg(long, value_name = "N", default_value_t = BOXES, value_parser = boxes)]
    limit: usize,
    /// Draw each call as its own box, however many there are
    #[arg(long, conflicts_with = "limit")]
    all: bool,
    /// Include every event, not only agents, calls and errors
    #[arg(long)]
    events: bool,
    /// Write to a file; - is standard output
    #[arg(short, long, value_name = "FILE|-")]
    output: Option<PathBuf>,
}

/// The default limit of boxes. A drawing with more is hard to read.
const BOXES: usize = 60;

/// The arrows up to which GitHub and other sites draw a Mermaid flowchart.
const MERMAID_ARROWS: usize = 500;

const AFTER_HELP: &str = "\
Examples:
  runlog graph                       the newest run, for a code block
  runlog graph fix-42 --limit 20     a smaller drawing
  runlog graph fix-42 --format dot | dot -Tsvg -o run.svg
  runlog graph fix-42 --format json | jq '.nodes | length'

Exit status:
  0   the graph was printed
  2   wrong usage
  66  there is no such run
  74  a file could not be read or written
  77  a path is unsafe, or permission is missing";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum GraphFormat {
    /// A flowchart for a `mermaid` code block in Markdown
    Mermaid,
    /// For Graphviz
    Dot,
    /// {"nodes": […], "edges": […], "problems": […]}
    Json,
}

/// What the name of an output file ends with.
const ENDINGS: &[(&str, GraphFormat)] = &[
    ("mmd", GraphFormat::Mermaid),
    ("dot", GraphFormat::Dot),
    ("gv", GraphFormat::Dot),
    ("json", GraphFormat::Json),
];

/// What the name of a file ends with that Graphviz makes.
const PICTURES: &[(&str, &str)] = &[("svg", "svg"), ("png", "png"), ("pdf", "pdf")];

impl GraphArgs {
    /// # Errors
    /// When a picture is wanted, which is no format.
    fn format(&self) -> anyhow::Result<GraphFormat> {
        let file = self.output.as_deref();
        match (self.format.or_else(|| by_ending(file, ENDINGS)), by_ending(file, PICTURES)) {
            (Some(format), _) => Ok(format),
            (None, None) => Ok(GraphFormat::Mermaid),
            (None, Some(picture)) => {
                let message = format!("a graph is not written as {}", picture.to_uppercase());
                let hint = format!(
                    "Graphviz makes the picture: `runlog graph --format dot | dot -T{picture} -o FILE`"
                );
                Err(Failure::new(Exit::Usage, message).hint(hint).into())
            }
        }
    }
}

/// A limit of boxes: two tasks and what is between them are the least that makes sense.
fn boxes(text: &str) -> Result<usize, String> {
    let limit: Option<usize> = text.parse().ok();
    limit.filter(|limit| *limit >= 3).ok_or_else(|| "use a number from 3".to_owned())
}

pub(super) fn run(args: &GraphArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    let format = args.format()?;
    let run = args.run.find(global)?;
    let graph = graph(&run, args.events, ui)?;
    let limit = (!args.all).then_some(args.limit);
    let drawing = match format {
        GraphFormat::Json => None,
        GraphFormat::Mermaid | GraphFormat::Dot => Some(Drawing::of(&graph, limit)),
    };
    let text = match (&drawing, format) {
        (Some(drawing), GraphFormat::Dot) => dot(drawing),
        (Some(drawing), _) => mermaid(drawing),
        (None, _) => json::document(&graph),
    };
    match args.output.as_deref().filter(|path| path.as_os_str() != "-") {
        Some(path) => {
            let signed = match format {
                GraphFormat::Mermaid => format!("{text}%% {SIGNATURE}\n"),
                GraphFormat::Dot => format!("{text}// {SIGNATURE}\n"),
                GraphFormat::Json => text,
            };
            put_output(path, signed.as_bytes())?;
        }
        None => ui.data(text.as_bytes())?,
    }
    if let Some(drawing) = drawing {
        note_size(&drawing, format, ui);
        warn_of_problems(&graph, ui);
    }
    Ok(Exit::Fine)
}

/// Says what a drawing does not show.
fn note_size(drawing: &Drawing, format: GraphFormat, ui: &Ui) {
    if drawing.items.is_empty() {
        ui.note("the run has no calls, agents or errors to draw; --events draws its events");
    }
    let mut said = Vec::new();
    if drawing.folded_calls > 0 {
        let calls = plural(drawing.folded_calls as u64, "call");
        let share = if drawing.folded_calls == 1 { "shares" } else { "share" };
        said.push(format!("{calls} {share} a box with others"));
    }
    if drawing.left_out > 0 {
        said.push(format!(
            "{} {} left out",
            plural(drawing.left_out as u64, "more part"),
            if drawing.left_out == 1 { "was" } else { "were" }
        ));
    }
    if !said.is_empty() {
        ui.note(&format!("{}; --all draws everything", said.join(", and ")));
    }
    if format == GraphFormat::Mermaid && drawing.arrows.len() > MERMAID_ARROWS {
        ui.warn(&format!(
            "the drawing has {} arrows; GitHub and others draw at most {MERMAID_ARROWS}: use \
             --limit, or --format dot",
            drawing.arrows.len()
        ));
    }
}

fn warn_of_problems(graph: &Graph, ui: &Ui) {
    let Some(first) = graph.problems.first() else { return };
    let more = match graph.problems.len() - 1 {
        0 => String::new(),
        more => format!(", and {} (--format json lists them)", plural(more as u64, "more problem")),
    };
    ui.warn(&format!("{} {}: {}{more}", first.kind, first.node, first.message));
}
