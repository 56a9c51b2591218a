//! Decides what a context has: which rounds stay, and how each result is shown.

use super::compaction::{ResultForm, RoundAge};
use super::item::{ContextItem, ItemKind};
use super::rounds::{ContextRound, RoundLimits, RoundStore};
use super::tailoring::tailored;

/// Tokens of the text in place of rounds or steps that are left out.
const GAP: u64 = 64;
/// The least tokens of a shortened text.
const LEAST: u64 = 24;

/// What a context has, in order.
#[derive(Debug, Default)]
pub(crate) struct ContextPlan<'r> {
    /// Whether the summary is in the conversation, if it should be.
    pub(crate) has_summary: bool,
    /// The entries.
    pub(crate) entries: Vec<PlannedEntry<'r>>,
    /// What is left out.
    pub(crate) cuts: Cuts,
}

/// An entry of a context.
#[derive(Debug)]
pub(crate) enum PlannedEntry<'r> {
    /// Something is left out here.
    Gap(LeftOut),
    /// A text, or a call with its result.
    Item {
        /// The item.
        item: &'r ContextItem,
        /// How its result is shown.
        form: ResultForm,
        /// The most tokens of each of its texts.
        limit: Option<u64>,
    },
}

/// What is left out at one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LeftOut {
    /// Whole rounds or steps of one round.
    pub(crate) is_rounds: bool,
    /// How many; 0 if unknown.
    pub(crate) count: u64,
    /// The first sequence.
    pub(crate) first: u64,
    /// The last sequence.
    pub(crate) last: u64,
}

/// How much is left out in all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cuts {
    /// The rounds or steps that are left out.
    pub(crate) left_out: Vec<LeftOut>,
    /// RoundStore in the context.
    pub(crate) rounds: u64,
    /// Texts and calls in the context.
    pub(crate) items: u64,
    /// The number of results that became placeholders, and their tokens.
    pub(crate) placeholders: (u64, u64),
    /// The first event whose result became a placeholder.
    pub(crate) first_placeholder: Option<u64>,
    /// The number of results that lost their middle.
    pub(crate) shortened: u64,
    /// Whether the newest round alone did not fit.
    pub(crate) newest_is_cut: bool,
}

/// A round with its age and its tokens.
struct PlannedRound<'r> {
    round: &'r ContextRound,
    age: RoundAge,
    cost: u64,
}

/// Plans a context with that budget. `first_sequence` is the first event that it is about, and
/// `summary` the tokens of a summary that is left out like the oldest round.
#[must_use]
pub(crate) fn plan<'r>(
    rounds: &'r RoundStore<'_>,
    budget: u64,
    first_sequence: u64,
    summary: Option<u64>,
) -> ContextPlan<'r> {
    let limits = rounds.limits;
    let all = candidates(rounds);
    let mut costs: Vec<u64> = all.iter().map(|candidate| candidate.cost).collect();
    let extra = usize::from(summary.is_some());
    if let Some(summary) = summary {
        costs.insert(0, summary);
    }
    let gap = rounds.gap().map(|gap| gap + extra);
    let whole = tailored(limits.tailoring, &costs, gap, budget);
    let keeps_all = gap.is_none() && whole.first + whole.last >= costs.len();
    let ends = match keeps_all {
        true => whole,
        false => tailored(limits.tailoring, &costs, gap, budget.saturating_sub(GAP)),
    };
    let is_kept = |at: usize| at < ends.first || at + ends.last >= costs.len();
    let part = partly_kept(&all, budget).filter(|(at, _)| !is_kept(at + extra));
    let mut plan = ContextPlan { has_summary: extra == 1 && is_kept(0), ..ContextPlan::default() };
    // The first event that is neither shown nor reported as left out.
    let (mut next, mut skipped) = (first_sequence, 0);
    let missing =
        rounds.total.saturating_sub(all.iter().filter(|c| !c.round.is_chapter).count() as u64);
    for (at, candidate) in all.iter().enumerate() {
        let missing_here = if rounds.gap().unwrap_or(0) == at { missing } else { 0 };
        skipped += missing_here;
        let room = match part.filter(|(part, _)| *part == at) {
            Some((_, room)) => room,
            None if is_kept(at + extra) => budget,
            None => {
                skipped += 1;
                continue;
            }
        };
        let begins = candidate.round.first_sequence;
        if skipped > 0 {
            let last = begins.saturating_sub(1).max(next);
            plan.leave_out(LeftOut { is_rounds: true, count: skipped, first: next, last });
        }
        skipped = 0;
        let may_cut = all.len() == at + 1 || room < budget;
        plan.rounds(candidate, may_cut, limits, room);
        plan.cuts.newest_is_cut &= all.len() == at + 1;
        next = last_of(candidate.round) + 1;
    }
    plan
}

/// The round before the newest one, and the room for it, if it alone is too large to stay beside the
/// newest one and more than half of the budget would be empty. A part of it then stays.
fn partly_kept(all: &[PlannedRound<'_>], budget: u64) -> Option<(usize, u64)> {
    let [.., before, newest] = all else { return None };
    let room = budget.saturating_sub(newest.cost).saturating_sub(2 * GAP);
    (room > budget / 2 && before.cost > room && !before.round.is_chapter)
        .then_some((all.len() - 2, room))
}

/// The rounds with their ages.
fn candidates<'r>(rounds: &'r RoundStore<'_>) -> Vec<PlannedRound<'r>> {
    let mut all: Vec<&ContextRound> = rounds.iter().collect();
    all.reverse();
    // Chapters are finished work: they count neither as the current round nor as a recent one.
    let mut number = 0;
    let mut candidates: Vec<PlannedRound<'_>> = Vec::with_capacity(all.len());
    for round in all {
        let age = match number {
            0 => RoundAge::Current,
            recent if recent <= rounds.limits.keep_recent => RoundAge::Recent,
            _ => RoundAge::Historical,
        };
        number += usize::from(!round.is_chapter);
        // A round with missing items cannot be shown whole, except for the newest.
        let is_partial = round.missing > 0 && !candidates.is_empty();
        let cost = if is_partial { u64::MAX / 4 } else { cost(round, age, rounds.limits) };
        candidates.push(PlannedRound { round, age, cost });
    }
    candidates.reverse();
    candidates
}

fn cost(round: &ContextRound, age: RoundAge, limits: &RoundLimits) -> u64 {
    round.requests.iter().chain(&round.items).map(|item| limits.cost(item, age)).sum()
}

fn last_of(round: &ContextRound) -> u64 {
    let last = round.items.back().or(round.requests.last());
    last.map_or(round.first_sequence, last_sequence)
}

/// Sequence of the last event of an item, if it is known.
fn last_sequence(item: &ContextItem) -> u64 {
    match &item.kind {
        ItemKind::Call(Some(result)) => result.sequence,
        _ => item.sequence,
    }
}

impl<'r> ContextPlan<'r> {
    fn leave_out(&mut self, left_out: LeftOut) {
        self.cuts.left_out.push(left_out);
        self.entries.push(PlannedEntry::Gap(left_out));
    }

    /// Adds a round. One that may be cut loses its oldest steps if it does not fit.
    fn rounds(
        &mut self,
        candidate: &PlannedRound<'r>,
        may_cut: bool,
        limits: &RoundLimits,
        budget: u64,
    ) {
        let PlannedRound { round, age, cost: whole } = candidate;
        self.cuts.rounds += u64::from(!round.is_chapter);
        let cost = |item: &ContextItem| limits.cost(item, *age);
        let mut left_out = 0;
        let mut limit = None;
        if may_cut && (round.missing > 0 || *whole > budget) {
            let requests: u64 = round.requests.iter().map(cost).sum();
            let mut used = requests.saturating_add(GAP);
            let stays = round.items.iter().rev().take_while(|item| {
                used = used.saturating_add(cost(item));
                used <= budget
            });
            // The last step always stays.
            let stays = stays.count().max(1).min(round.items.len());
            left_out = round.items.len() - stays;
            let shown = round.requests.iter().chain(round.items.iter().skip(left_out));
            limit = fitting(&shown.collect::<Vec<_>>(), *age, limits, budget.saturating_sub(GAP));
            self.cuts.newest_is_cut = true;
        }
        for item in &round.requests {
            self.item(item, *age, limits, limit);
        }
        let count = round.missing + left_out as u64;
        if count > 0 {
            let first =
                round.requests.last().map_or(round.first_sequence, |item| item.sequence + 1);
            let last = round.items.get(left_out).map_or(first, |item| item.sequence - 1);
            self.leave_out(LeftOut { is_rounds: false, count, first, last: last.max(first) });
        }
        for item in round.items.iter().skip(left_out) {
            self.item(item, *age, limits, limit);
        }
    }

    fn item(
        &mut self,
        item: &'r ContextItem,
        age: RoundAge,
        limits: &RoundLimits,
        limit: Option<u64>,
    ) {
        self.cuts.items += 1;
        let form = match &item.kind {
            ItemKind::Call(Some(result)) => limits.compaction.form(result, age, &limits.estimate),
            _ => ResultForm::Whole,
        };
        if let ItemKind::Call(Some(result)) = &item.kind {
            let tokens = limits.estimate.of_length(result.length);
            match form {
                ResultForm::Placeholder => {
                    self.cuts.placeholders.0 += 1;
                    self.cuts.placeholders.1 += tokens;
                    self.cuts.first_placeholder.get_or_insert(result.sequence);
                }
                ResultForm::HeadAndTail(_) => self.cuts.shortened += 1,
                ResultForm::Whole if limit.is_some_and(|limit| tokens > limit) => {
                    self.cuts.shortened += 1;
                }
                ResultForm::Whole => {}
            }
        }
        self.entries.push(PlannedEntry::Item { item, form, limit });
    }
}

/// The most tokens of each text so that all items together fit; `None` if they fit as they are.
fn fitting(
    items: &[&ContextItem],
    age: RoundAge,
    limits: &RoundLimits,
    budget: u64,
) -> Option<u64> {
    let total = |limit: u64| -> u64 {
        let own = |item: &ContextItem| {
            let own = limits.estimate.of_length(item.length) + limits.overhead;
            let result = limits.cost(item, age).saturating_sub(own);
            own.min(limit + limits.overhead) + result.min(limit + limits.overhead)
        };
        items.iter().map(|item| own(item)).sum()
    };
    if total(u64::MAX / 4) <= budget {
        return None;
    }
    let mut limit = budget.max(LEAST);
    while limit > LEAST && total(limit) > budget {
        limit = (limit * 7 / 8).max(LEAST);
    }
    Some(limit)
}
