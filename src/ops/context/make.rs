//! Makes the context of a run.

use super::load::Loader;
use super::scan::{fold_events, newest_model, summaries_and_chapters};
use super::settings::{BudgetSource, ContextSettings};
use crate::history::models::{UNKNOWN_WINDOW, window_of};
use crate::run::RunError;
use crate::run::dir::RunDir;
use crate::summary::context::budget::budget_of;
use crate::summary::context::compaction::{Compaction, OVERSIZED};
use crate::summary::context::fold::{ContextFold, ContextInput};
use crate::summary::context::plan::{ContextPlan, Cuts, plan};
use crate::summary::context::render::{ContextFormat, ContextTexts, RenderedContext};
use crate::summary::context::rounds::RoundLimits;
use crate::summary::context::wrapper::Injection;
use crate::summary::session::stored::StoredSummary;

/// How often a context that turned out too large is planned again with a smaller budget.
const ATTEMPTS: usize = 8;
/// The least limit for one result, in tokens.
const LEAST_RESULT: u64 = 256;

/// A context.
#[derive(Debug)]
pub(crate) struct MadeContext {
    /// The text and its tokens.
    pub(crate) rendered: RenderedContext,
    /// The most tokens that it may have.
    pub(crate) budget: u64,
    /// Where the budget comes from.
    pub(crate) source: BudgetSource,
    /// What is left out.
    pub(crate) cuts: Cuts,
    /// The rounds and the texts and calls that the run has after the summary.
    pub(crate) total: (u64, u64),
    /// The summary that stands for the events up to its boundary.
    pub(crate) summary: Option<StoredSummary>,
    /// Whether that summary is in the context.
    pub(crate) has_summary: bool,
    /// Whether the run has neither a conversation nor a summary.
    pub(crate) is_empty: bool,
    /// Number of lines that are no events.
    pub(crate) bad_lines: u64,
}

/// Makes the context of a run.
///
/// # Errors
/// When the run cannot be read.
pub(crate) fn context(run: &RunDir, settings: &ContextSettings) -> Result<MadeContext, RunError> {
    let (stored, chapters) = summaries_and_chapters(run)?;
    let summary = match settings.injection {
        Injection::None => None,
        _ => stored.newest(&settings.scope).cloned(),
    };
    let (budget, source) = budget(run, settings)?;
    let limits = limits(settings, budget, summary.is_some());
    let outer = chapters.children(None);
    let name = run.name();
    let mut fold = ContextFold::new(ContextInput {
        run: &name,
        limits: &limits,
        scope: &settings.scope,
        summary: summary.as_ref(),
        chapters: &outer,
    });
    let bad_lines = fold_events(run, &mut fold)?;
    let loader = Loader::open(run, settings, &outer, fold.has_ended)?;
    let mut texts = ContextTexts { run: name.clone(), ..ContextTexts::default() };
    let mut system = Vec::new();
    for item in &fold.system {
        system.extend(loader.text(item, None)?);
    }
    texts.system = system.join("\n\n");
    if let Some(summary) = &summary {
        texts.summary =
            settings.template.fill(&loader.safe(summary.text.clone()), settings.injection);
    }
    let is_empty = fold.rounds.is_empty() && texts.system.is_empty() && summary.is_none();
    let first = summary.as_ref().map_or(1, |summary| summary.last_sequence + 1);
    let (rendered, plan) = fitting(&fold, &loader, &mut texts, settings, (budget, first))?;
    Ok(MadeContext {
        rendered,
        budget,
        source,
        total: (fold.rounds.total, fold.rounds.items),
        has_summary: summary.is_some()
            && (settings.injection == Injection::System || plan.has_summary),
        cuts: plan.cuts,
        summary,
        is_empty,
        bad_lines,
    })
}

/// Plans, loads and renders, until the result fits the budget. `span` is the budget and the first
/// event.
fn fitting<'r>(
    fold: &'r ContextFold<'_>,
    loader: &Loader<'_>,
    texts: &mut ContextTexts,
    settings: &ContextSettings,
    (budget, first): (u64, u64),
) -> Result<(RenderedContext, ContextPlan<'r>), RunError> {
    let estimate = &settings.estimate;
    let render = |texts: &ContextTexts| {
        let closing = settings.closing.as_deref();
        texts.render(settings.format, settings.injection, estimate, closing)
    };
    let summary = std::mem::take(&mut texts.summary);
    // A summary in a message of the user may be left out like a round.
    let evictable = settings.injection == Injection::User && !summary.is_empty();
    if !evictable {
        texts.summary.clone_from(&summary);
    }
    texts.pieces.clear();
    let fixed = render(texts).tokens;
    let summary_cost = evictable.then(|| estimate.of(&summary) + fold.rounds.limits.overhead);
    let mut room = budget.saturating_sub(fixed);
    let mut attempt = 0;
    loop {
        let plan = plan(&fold.rounds, room, first, summary_cost);
        if evictable {
            texts.summary = if plan.has_summary { summary.clone() } else { String::new() };
        }
        texts.pieces.clear();
        for entry in &plan.entries {
            texts.pieces.extend(loader.piece(entry)?);
        }
        let rendered = render(texts);
        attempt += 1;
        let excess = rendered.tokens.saturating_sub(budget);
        if excess == 0 || room == 0 || attempt == ATTEMPTS {
            return Ok((rendered, plan));
        }
        room = room.saturating_sub(excess + excess / 8 + 8);
    }
}

/// The most tokens of the context.
fn budget(run: &RunDir, settings: &ContextSettings) -> Result<(u64, BudgetSource), RunError> {
    let of_window = settings.window.map(budget_of);
    if let Some(given) = of_window.into_iter().chain(settings.max_tokens).min() {
        return Ok((given, BudgetSource::Given));
    }
    let model = newest_model(run)?;
    Ok(match model.as_deref().and_then(window_of) {
        Some(window) => (budget_of(window), BudgetSource::Model(model.unwrap_or_default())),
        None => (budget_of(UNKNOWN_WINDOW), BudgetSource::Unknown(model)),
    })
}

fn limits(settings: &ContextSettings, budget: u64, has_summary: bool) -> RoundLimits {
    let suitable = OVERSIZED.min((budget / 4).max(LEAST_RESULT));
    RoundLimits {
        budget,
        tailoring: settings.tailoring,
        keep_recent: settings.keep_recent,
        history: settings.history.filter(|_| !has_summary),
        compaction: Compaction {
            keep: settings.keep_tools.clone(),
            force: settings.force_tools.clone(),
            historical: settings.historical,
            oversized: settings.oversized.unwrap_or(suitable),
        },
        estimate: settings.estimate,
        overhead: match settings.format {
            ContextFormat::Markdown => 12,
            ContextFormat::Messages => 1,
        },
    }
}
