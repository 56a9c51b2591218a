//! `runlog show --waterfall`

use super::{Printer, ShowArgs, ShowFormat};
use crate::cli::commands::{Global, now};
use crate::cli::exit::{Exit, Failure};
use crate::cli::ui::Ui;
use crate::event::fields::View;
use crate::json;
use crate::ops::waterfall::waterfall;
use crate::run::dir::RunDir;
use crate::waterfall::document::WaterfallDocument;
use crate::waterfall::text::{WaterfallLook, render};

/// The width if the output is no terminal and COLUMNS is not set.
const WIDTH: usize = 100;

/// Prints the calls of each agent as bars on one time axis.
pub(super) fn run(args: &ShowArgs, run: &RunDir, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    if !matches!(args.format, ShowFormat::Human | ShowFormat::Json) {
        let failure = Failure::new(Exit::Usage, "--waterfall has no such format");
        return Err(failure.hint("omit --format, or use --format json").into());
    }
    let now = now();
    let task = args.selection.chosen_task(run)?;
    let takes = |view: &View<'_, '_>, summary: Option<&str>| {
        args.selection.takes(run, view, summary, task.as_ref(), now)
    };
    let mut waterfall = match args.selection.takes_all() {
        true => waterfall(run, None, ui)?,
        false => waterfall(run, Some(&takes), ui)?,
    };
    if let Some(tail) = args.tail {
        waterfall.keep_last(tail);
    }
    if args.format == ShowFormat::Json {
        waterfall.keep_longest(args.limit.unwrap_or(usize::MAX));
        ui.data(json::document(&WaterfallDocument::of(&waterfall)).as_bytes())?;
        return Ok(Exit::Fine);
    }
    let look = WaterfallLook {
        width: ui.row_width().unwrap_or(WIDTH),
        color: ui.color(),
        limit: args.limit.unwrap_or(usize::MAX),
    };
    let text = render(&waterfall, look);
    if text.is_empty() {
        ui.note("no call, model call, prompt or error matches");
    }
    let mut out = Printer::new(args.format, global.settings()?, ui);
    if let Err(error) = out.print(&text) {
        return out.ended(error);
    }
    out.finish()?;
    Ok(Exit::Fine)
}
