//! What a context has and lacks, for people.

use crate::ops::context::{BudgetSource, ContextSettings, MadeContext};
use crate::summary::context::wrapper::Injection;
use crate::text::human::{count, plural};

/// The notes, one line each.
pub(super) fn notes(run: &str, made: &MadeContext, settings: &ContextSettings) -> Vec<String> {
    let MadeContext { rendered, budget, cuts, total: (rounds, items), .. } = made;
    let mut notes = vec![format!(
        "{run}: about {} of at most {}: {} of {}, {} of {}",
        count(rendered.tokens),
        plural(*budget, "token"),
        count(cuts.rounds),
        plural(*rounds, "round"),
        count(cuts.items),
        plural(*items, "step")
    )];
    notes.extend(budget_note(&made.source));
    notes.extend(summary_note(made, settings));
    let load = |sequence: u64| format!("`runlog show {run} --event {sequence}` prints it");
    for left_out in &cuts.left_out {
        let what = if left_out.is_rounds { "round" } else { "step" };
        let (first, last) = (left_out.first, left_out.last);
        let of = if left_out.is_rounds { "" } else { " of the newest round" };
        notes.push(format!(
            "left out: {}{of}, events {first} to {last}; `runlog show {run} --event {first}` prints \
             the first",
            plural(left_out.count, what)
        ));
    }
    if let (number, tokens) = cuts.placeholders
        && let Some(first) = cuts.first_placeholder
    {
        notes.push(format!(
            "replaced by placeholders: {} with about {}; each names its event; {}",
            plural(number, "result"),
            plural(tokens, "token"),
            if number == 1 { load(first) } else { format!("the first is event {first}") }
        ));
    }
    if cuts.shortened > 0 {
        notes.push(format!(
            "without their middles: {}; each says how many characters are missing",
            plural(cuts.shortened, "result")
        ));
    }
    notes
}

fn budget_note(source: &BudgetSource) -> Option<String> {
    match source {
        BudgetSource::Given => None,
        BudgetSource::Model(model) => {
            Some(format!("the budget is that of {model}, the model of the run; see --max-tokens"))
        }
        BudgetSource::Unknown(model) => {
            let whose = match model {
                Some(model) => format!("the context window of {model} is unknown"),
                None => "the run names no model".to_owned(),
            };
            Some(format!(
                "{whose}; 8192 tokens are assumed; set --max-tokens, --model or --context-window"
            ))
        }
    }
}

fn summary_note(made: &MadeContext, settings: &ContextSettings) -> Option<String> {
    let summary = made.summary.as_ref()?;
    let last = summary.last_sequence;
    if !made.has_summary {
        return Some(format!("left out: the session summary of the events up to {last}"));
    }
    let key = settings.scope.key();
    let other = match summary.filter_key == key || settings.injection == Injection::None {
        true => "",
        false => ", of the whole run",
    };
    Some(format!("the session summary{other} stands for the events up to {last}"))
}
