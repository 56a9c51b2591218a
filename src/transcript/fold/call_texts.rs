//! The arguments and results of calls, and the tokens of model calls.

use std::borrow::Cow;
use std::hash::BuildHasher as _;

use super::page_calls::is_argument;
use super::{TranscriptFold, shown, shown_up_to};
use crate::event::content::{ContentPiece, beyond};
use crate::event::fields::{UsageScope, View, as_long_text};
use crate::event::role::Role;
use crate::history::arguments;
use crate::history::usage::Usage;
use crate::transcript::value::{OutputTokens, Tokens};

/// Stands between the arguments or results of calls that have one id.
const AGAIN: &str = "\n(next call with the same id)\n";

impl TranscriptFold {
    /// Keeps the arguments or the result of a call, and the tokens of a model call.
    pub(super) fn keep(&mut self, view: &View<'_, '_>, call: Option<usize>) {
        if let Some(call) = call {
            self.keep_call(view, call);
        }
        if let Some(usage) = Usage::of(view) {
            if view.usage_scope() != UsageScope::Call {
                return;
            }
            let call = self.model_call(view);
            if let Some((call, number)) = call.zip(usage.output_tokens) {
                let at_least = usage.output_at_least;
                self.outputs.insert(call, OutputTokens { number, at_least });
            }
            if !view.is_of_one_call() {
                return;
            }
            let sample = Tokens {
                sequence: view.event.sequence,
                time: view.event.timestamp,
                context: usage.context_tokens().unwrap_or(0),
                output: usage.output_tokens.unwrap_or(0),
            };
            // Of repeated lines of one call, the last counts.
            let id = view.model_call_id().map(|id| self.hasher.hash_one(id.as_ref()));
            let at = id.map(|id| *self.sample_of.entry(id).or_insert(self.samples.len()));
            match at.and_then(|at| self.samples.get_mut(at)) {
                Some(known) => *known = sample,
                None => self.samples.push(sample),
            }
        }
    }

    /// Keeps the full arguments or the full result of a call.
    pub(super) fn keep_call(&mut self, view: &View<'_, '_>, call: usize) {
        let ends = view.role.is_tool_end();
        let told = match ends {
            true if view.role == Role::ToolEnd => view.result().map(as_long_text),
            true => view.error_text().or_else(|| view.result().map(as_long_text)),
            false => view.arguments().map(|given| Cow::Owned(arguments::whole(given))),
        };
        let mut told = told.unwrap_or_default();
        let is_told = |piece: &ContentPiece<'_>| {
            arguments::ITEM_BY_ITEM.contains(&piece.name.as_ref()) && is_argument(view, piece)
        };
        let mut rest = beyond(view, &format!("{told} {} {}", view.tool(), view.agent()));
        rest.retain(|piece| ends || !is_told(piece));
        if view.exit_code().is_some_and(|code| told == format!("exit status {code}")) {
            // It stands beside the call.
            told = Cow::Borrowed("");
            rest.retain(|piece| piece.name != "code");
        }
        if self.page_calls.is_some() {
            self.keep_for_page(view, call);
            rest.retain(|piece| !is_argument(view, piece));
        }
        if let Some(calls) = self.page_calls.as_mut().filter(|_| !ends) {
            let more: Vec<String> = rest.iter().map(ContentPiece::labelled).collect();
            calls.add(call, &shown(&more.join("\n"), view));
            return;
        }
        let lines = Some(told.into_owned()).filter(|told| !told.trim().is_empty());
        let lines = lines.into_iter().chain(rest.iter().map(ContentPiece::labelled));
        let text = shown_up_to(&lines.collect::<Vec<_>>().join("\n"), self.max_result(), view);
        self.long_texts += text.len();
        if !text.is_empty() {
            let most = self.max_result();
            let kept = if ends { &mut self.results } else { &mut self.inputs };
            // Under one id, several calls may have begun and ended.
            let known = kept.entry(call).or_default();
            if known.is_empty() || view.revises() {
                *known = text;
            } else if *known != text && known.len() <= most {
                known.push_str(AGAIN);
                known.push_str(&text);
            }
        }
    }
}
