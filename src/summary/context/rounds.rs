//! The rounds of a conversation, as many of them as may end up in a context. The memory that they
//! take depends on the budget, not on the length of the log.

use std::collections::VecDeque;

use super::compaction::{Compaction, ResultForm, RoundAge};
use super::item::{ContextItem, ItemKind, LogPlace, ResultSize};
use super::tailoring::Tailoring;
use crate::summary::session::tokens::{TextLength, TokenEstimate};

/// The most requests at the beginning of one round.
const REQUESTS: usize = 8;

/// What decides which rounds may be in a context.
#[derive(Clone, Debug)]
pub(crate) struct RoundLimits {
    /// The tokens of the context.
    pub(crate) budget: u64,
    /// Which rounds are left out first.
    pub(crate) tailoring: Tailoring,
    /// How many completed rounds before the newest one keep their results.
    pub(crate) keep_recent: usize,
    /// How many rounds are carried at most.
    pub(crate) history: Option<usize>,
    /// How results are compacted.
    pub(crate) compaction: Compaction,
    /// How tokens are estimated.
    pub(crate) estimate: TokenEstimate,
    /// Tokens that each text costs besides its characters; a call costs one less.
    pub(crate) overhead: u64,
}

impl RoundLimits {
    /// The estimated tokens of an item in a round of that age.
    #[must_use]
    pub(crate) fn cost(&self, item: &ContextItem, age: RoundAge) -> u64 {
        let own = self.estimate.of_length(item.length);
        let ItemKind::Call(result) = &item.kind else { return own + self.overhead };
        // Texts may be joined to one message; the parts of a call never are.
        let own = own + self.overhead.saturating_sub(1);
        let Some(result) = result else { return own + OPEN_CALL };
        let whole = self.estimate.of_length(result.length);
        let shown = match self.compaction.form(result, age, &self.estimate) {
            ResultForm::Whole => whole,
            ResultForm::Placeholder => self.estimate.of_length(result.placeholder),
            ResultForm::HeadAndTail(limit) => limit.min(whole),
        };
        own + shown
    }
}

/// Tokens of the text that replaces a missing result.
const OPEN_CALL: u64 = 20;

/// A round: one or more requests, and what follows up to the next request. A chapter in place of
/// whole tasks is a round of its own.
#[derive(Debug, Default)]
pub(crate) struct ContextRound {
    /// The requests that began it.
    pub(crate) requests: Vec<ContextItem>,
    /// What followed. The oldest ones are missing if they fit no context.
    pub(crate) items: VecDeque<ContextItem>,
    /// The number of items that are missing.
    pub(crate) missing: u64,
    /// Whether it is the text of a chapter.
    pub(crate) is_chapter: bool,
    /// Sequence of its first event.
    pub(crate) first_sequence: u64,
    /// Its tokens if it is history.
    cost: u64,
    /// The tokens of its present items.
    present: u64,
}

/// The rounds that may be in the context, from the oldest to the newest.
#[derive(Debug)]
pub(crate) struct RoundStore<'l> {
    /// What decides which rounds stay.
    pub(crate) limits: &'l RoundLimits,
    /// The first rounds, if the context may have some of them.
    first: Vec<ContextRound>,
    /// Tokens of the first rounds.
    first_cost: u64,
    /// The newest rounds.
    newest: VecDeque<ContextRound>,
    /// Tokens of the newest rounds.
    newest_cost: u64,
    /// The number of rounds without chapters that are carried, if their number is limited.
    carried: usize,
    /// The number of rounds between the first and the newest that are missing.
    dropped: u64,
    /// The number of all rounds without chapters.
    pub(crate) total: u64,
    /// The number of all texts and calls.
    pub(crate) items: u64,
    /// Whether the newest round is complete, so that anything that follows begins another one.
    is_closed: bool,
}

impl<'l> RoundStore<'l> {
    /// No rounds yet.
    #[must_use]
    pub(crate) fn new(limits: &'l RoundLimits) -> Self {
        Self {
            limits,
            first: Vec::new(),
            first_cost: 0,
            newest: VecDeque::new(),
            newest_cost: 0,
            carried: 0,
            dropped: 0,
            total: 0,
            items: 0,
            is_closed: true,
        }
    }

    /// Forgets everything, because a later event is the boundary of a summary.
    pub(crate) fn clear(&mut self) {
        *self = Self::new(self.limits);
    }

    /// The present rounds in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &ContextRound> {
        self.first.iter().chain(&self.newest)
    }

    /// After how many rounds some are missing; `None` if none is.
    #[must_use]
    pub(crate) fn gap(&self) -> Option<usize> {
        (self.dropped > 0).then_some(self.first.len())
    }

    /// Whether there is nothing at all.
    #[must_use]
    pub(crate) fn is_empty(&self) -> bool {
        self.items == 0
    }

    /// Adds an item. One that `begins` a task begins a round, unless only requests came before it.
    pub(crate) fn push(&mut self, item: ContextItem, begins: bool) {
        let asks_more = |round: &ContextRound| {
            round.items.is_empty() && round.missing == 0 && round.requests.len() < REQUESTS
        };
        if self.is_closed || begins && !self.newest.back().is_some_and(asks_more) {
            self.begin(false, item.sequence);
        }
        self.add(item, begins);
    }

    /// Adds the text of a chapter as a round of its own.
    pub(crate) fn push_chapter(&mut self, item: ContextItem) {
        self.begin(true, item.sequence);
        self.add(item, false);
        self.is_closed = true;
    }

    /// Adds the result of a call. Returns false if the call is missing.
    pub(crate) fn attach(&mut self, call: u64, result: ResultSize) -> bool {
        let limits = self.limits;
        let newest = self.newest.iter_mut().rev();
        let mut rounds = newest
            .map(|round| (round, true))
            .chain(self.first.iter_mut().rev().map(|round| (round, false)));
        let found = rounds.find(|(round, _)| round.first_sequence <= call);
        let Some((round, is_new)) = found else { return false };
        let at = round.items.partition_point(|item| item.sequence < call);
        let item = round.items.get_mut(at).filter(|item| item.sequence == call);
        let Some(item) = item else { return false };
        let before = limits.cost(item, RoundAge::Historical);
        item.kind = ItemKind::Call(Some(Box::new(result)));
        let after = limits.cost(item, RoundAge::Historical);
        let sum = if is_new { &mut self.newest_cost } else { &mut self.first_cost };
        // The result may be smaller than what stands for a missing one.
        for sum in [&mut round.cost, &mut round.present, sum] {
            *sum = sum.saturating_sub(before).saturating_add(after);
        }
        self.shrink();
        true
    }

    /// Adds a piece to the streamed text that began with the event `start`. False if that text is no
    /// longer in the store.
    pub(crate) fn extend(&mut self, start: u64, place: LogPlace, length: TextLength) -> bool {
        let newest = self.newest.iter_mut().rev();
        let mut rounds = newest
            .map(|round| (round, true))
            .chain(self.first.iter_mut().rev().map(|round| (round, false)));
        let found = rounds.find(|(round, _)| round.first_sequence <= start);
        let Some((round, is_new)) = found else { return false };
        let at = round.items.partition_point(|item| item.sequence < start);
        let item = round.items.get_mut(at).filter(|item| item.sequence == start);
        let requests = &mut round.requests;
        let item = item.or_else(|| requests.iter_mut().find(|item| item.sequence == start));
        let Some(item) = item else { return false };
        let before = self.limits.cost(item, RoundAge::Historical);
        item.place.to = place.to;
        item.length = item.length.plus(length);
        let more = self.limits.cost(item, RoundAge::Historical).saturating_sub(before);
        let sum = if is_new { &mut self.newest_cost } else { &mut self.first_cost };
        for sum in [&mut round.cost, &mut round.present, sum] {
            *sum = sum.saturating_add(more);
        }
        self.shrink();
        true
    }

    /// Removes the numbers of tasks, because the first real task begins.
    pub(crate) fn forget_numbers(&mut self) {
        for round in self.first.iter_mut().chain(&mut self.newest) {
            for item in round.requests.iter_mut().chain(&mut round.items) {
                if let ItemKind::Text { task, .. } = &mut item.kind {
                    *task = 0;
                }
            }
        }
    }

    fn begin(&mut self, is_chapter: bool, sequence: u64) {
        self.total += u64::from(!is_chapter);
        self.carried += usize::from(!is_chapter);
        let round = ContextRound { is_chapter, first_sequence: sequence, ..Default::default() };
        self.newest.push_back(round);
        self.is_closed = false;
        match self.limits.history {
            Some(most) => self.keep_newest(most),
            None => self.settle(),
        }
    }

    fn add(&mut self, item: ContextItem, begins: bool) {
        let cost = self.limits.cost(&item, RoundAge::Historical);
        self.items += 1;
        let Some(round) = self.newest.back_mut() else { return };
        round.cost = round.cost.saturating_add(cost);
        round.present = round.present.saturating_add(cost);
        let is_request = begins && matches!(item.kind, ItemKind::Text { .. });
        match is_request && round.items.is_empty() {
            true => round.requests.push(item),
            false => round.items.push_back(item),
        }
        self.newest_cost = self.newest_cost.saturating_add(cost);
        self.shrink();
    }

    /// Drops the oldest items of the newest round that fit no context: those after them alone take
    /// the whole budget.
    fn shrink(&mut self) {
        let Some(round) = self.newest.back_mut() else { return };
        while round.items.len() > 1 {
            let Some(oldest) = round.items.front() else { break };
            let cost = self.limits.cost(oldest, RoundAge::Historical);
            if round.present.saturating_sub(cost) <= self.limits.budget {
                break;
            }
            round.present -= cost;
            round.missing += 1;
            round.items.pop_front();
        }
    }

    /// Moves the oldest of the newest rounds to the first ones, or drops it, if it is history.
    fn settle(&mut self) {
        let keeps_first = self.limits.tailoring != Tailoring::Head;
        while self.newest.len() > self.limits.keep_recent + 2 {
            let Some(oldest) = self.newest.front() else { break };
            let (cost, budget) = (oldest.cost, self.limits.budget);
            let joins =
                keeps_first && self.dropped == 0 && self.first_cost.saturating_add(cost) <= budget;
            let stays = match self.limits.tailoring {
                Tailoring::Tail => false,
                _ => self.newest_cost.saturating_sub(cost) <= budget,
            };
            if !joins && stays {
                break;
            }
            let Some(oldest) = self.newest.pop_front() else { break };
            self.newest_cost = self.newest_cost.saturating_sub(cost);
            if joins {
                self.first_cost += cost;
                self.first.push(oldest);
            } else {
                self.dropped += 1;
            }
        }
    }

    /// Keeps that many of the newest rounds. Chapters stay.
    fn keep_newest(&mut self, most: usize) {
        while self.carried > most.max(1) {
            self.carried -= 1;
            let oldest = self.newest.iter().position(|round| !round.is_chapter);
            let Some(round) = oldest.and_then(|at| self.newest.remove(at)) else { break };
            self.newest_cost = self.newest_cost.saturating_sub(round.cost);
        }
    }
}
