//! Reads a part of a log and collects the events that meet the query.
//!
//! Most lines are only searched in their raw bytes. A line that may match is parsed, and its texts
//! are searched again.

use std::collections::HashMap;

use memchr::memmem;

use super::moved::{HASH, MovedValues};
use super::needle::{mark_each, mark_lines};
use super::query::Query;
use super::ranking::Match;
use super::scope::{Boundary, EventFilter};
use crate::event::blob::Reference;
use crate::event::envelope::{Event, parse, peek};
use crate::event::fields::View;
use crate::event::texts::{content_bytes, each_text};
use crate::log::LogError;
use crate::log::chunk::{LogChunk, LogRange, open_range};
use crate::log::tail::is_blank;
use crate::run::dir::RunDir;
use crate::summary::backfill::backfilled;

/// Decides whether an event of a run meets the query.
pub(super) struct Judge<'q> {
    pub(super) query: &'q Query,
    pub(super) filter: &'q EventFilter,
    pub(super) run: &'q RunDir,
    /// Index of the run among those searched.
    pub(super) index: usize,
    pub(super) moved: &'q MovedValues,
}

/// What a part of a log has.
#[derive(Debug, Default)]
pub(super) struct PartFindings {
    /// The events that meet the query.
    pub(super) matches: Vec<Match>,
    /// The target and the text of each summary that was recorded later.
    pub(super) backfills: Vec<(String, String)>,
    /// What the session summaries cover.
    pub(super) boundaries: Vec<Boundary>,
    /// Number of lines that are not blank.
    pub(super) events: u64,
    /// Number of lines that were parsed and are not events.
    pub(super) bad_lines: u64,
}

impl Judge<'_> {
    /// Reads a part of the log.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub(super) fn read(&self, range: LogRange) -> Result<PartFindings, LogError> {
        let mut reader = open_range(&self.run.events(), range)?;
        let (mut chunk, mut marked) = (LogChunk::default(), Vec::new());
        let mut findings = PartFindings::default();
        while chunk.fill(&mut reader)? {
            marked.clear();
            marked.resize(chunk.lines().len(), false);
            self.mark(&chunk, &mut marked);
            for (line, marked) in chunk.lines().iter().zip(&marked) {
                let bytes = chunk.line(*line);
                findings.events += u64::from(!is_blank(bytes));
                if *marked {
                    self.judge(line.offset, bytes, &mut findings);
                }
            }
        }
        Ok(findings)
    }

    /// Reads the events with these ids again, with the summaries that were recorded later.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub(super) fn read_again(
        &self,
        range: LogRange,
        summaries: &HashMap<String, String>,
    ) -> Result<Vec<Match>, LogError> {
        let mut reader = open_range(&self.run.events(), range)?;
        let (mut chunk, mut matches) = (LogChunk::default(), Vec::new());
        while chunk.fill(&mut reader)? {
            for line in chunk.lines() {
                let bytes = chunk.line(*line);
                if peek(bytes).is_some_and(|peeked| !summaries.contains_key(peeked.event_id)) {
                    continue;
                }
                let Ok(event) = parse(bytes) else { continue };
                if let Some(summary) = summaries.get(event.event_id.as_ref()) {
                    matches.extend(self.match_of(&event, line.offset, Some(summary)));
                }
            }
        }
        Ok(matches)
    }

    /// Whether an event meets the query, with this summary.
    pub(super) fn match_of(
        &self,
        event: &Event<'_>,
        offset: u64,
        summary: Option<&str>,
    ) -> Option<Match> {
        let view = View::of(event);
        if !self.filter.takes(&view) {
            return None;
        }
        let terms = self.query.terms();
        let mut weights = vec![0_u8; terms.len()].into_boxed_slice();
        let mut moved = |reference: &Reference<'_>| self.moved.content(self.run, reference);
        each_text(&view, summary, &mut moved, &mut |_, text| {
            for (weight, term) in weights.iter_mut().zip(terms) {
                let more = u8::try_from(term.weight(&text)).unwrap_or(u8::MAX);
                *weight = weight.saturating_add(more);
            }
        });
        self.query.is_met(&weights).then(|| Match {
            run: self.index,
            offset,
            sequence: event.sequence,
            bytes: content_bytes(&view),
            weights,
        })
    }

    /// Marks the lines that have to be parsed.
    fn mark(&self, chunk: &LogChunk, marked: &mut [bool]) {
        mark_lines(self.query.needles(), chunk, marked);
        for kind in ["summary.backfilled", "session.summarized"] {
            let finder = memmem::Finder::new(kind);
            mark_each(chunk, marked, |bytes, from| {
                finder.find(bytes.get(from..)?).map(|at| from + at)
            });
        }
        if self.moved.is_empty() {
            return;
        }
        const LEAD: &str = "{\"$blob\":\"";
        for at in memmem::find_iter(chunk.bytes(), LEAD) {
            let from = at + LEAD.len();
            let hash = chunk.bytes().get(from..from + HASH).unwrap_or_default();
            if self.moved.has(hash)
                && let Some(index) = chunk.line_with(at)
            {
                marked[index] = true;
            }
        }
    }

    /// Parses a marked line.
    fn judge(&self, offset: u64, bytes: &[u8], findings: &mut PartFindings) {
        let event = match parse(bytes) {
            Ok(event) => event,
            Err(_) => {
                findings.bad_lines += u64::from(!is_blank(bytes));
                return;
            }
        };
        let view = View::of(&event);
        findings.backfills.extend(backfilled(&view));
        findings.boundaries.extend(Boundary::of(&view));
        findings.matches.extend(self.match_of(&event, offset, event.summary.as_deref()));
    }
}
