//! Reads a part of a log and collects the events that meet the query.
//!
//! Most lines are only searched in their raw bytes. A line that may match is parsed, and its texts
//! are searched again.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use memchr::memmem;

use super::moved::{HASH, MovedValues};
use super::needle::{mark_each, mark_lines};
use super::query::Query;
use super::ranking::Match;
use super::scope::{Boundary, EventFilter};
use crate::event::blob::Reference;
use crate::event::catalogue;
use crate::event::envelope::{Event, parse, peek};
use crate::event::fields::View;
use crate::event::role::Role;
use crate::event::texts::{content_bytes, each_text};
use crate::log::LogError;
use crate::log::chunk::{LogChunk, LogRange, open_range};
use crate::log::tail::is_blank;
use crate::run::dir::RunDir;
use crate::summary::backfill::backfilled;
use crate::summary::session::streamed::{StreamedText, StreamedTexts};

/// Marks the lines that have one of these. Returns whether there is one.
fn mark_all(needles: &[impl AsRef<str>], chunk: &LogChunk, marked: &mut [bool]) -> bool {
    let found = Cell::new(false);
    for needle in needles {
        let finder = memmem::Finder::new(needle.as_ref());
        mark_each(chunk, marked, |bytes, from| {
            let at = finder.find(bytes.get(from..)?).map(|at| from + at);
            found.set(found.get() || at.is_some());
            at
        });
    }
    found.get()
}

/// The beginnings of lines with types of that role.
fn typed(role: Role) -> Vec<String> {
    let rows = catalogue::rows().iter().filter(|row| row.role == role);
    rows.map(|row| format!("\"type\":\"{}\",\"timestamp\"", row.name)).collect()
}

/// Pieces of streamed texts, and what ends these.
static PIECES: LazyLock<[Vec<String>; 2]> =
    LazyLock::new(|| [typed(Role::Chunk), typed(Role::TaskStart)]);

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
    /// The streamed texts that meet the query as a whole, and where their pieces are.
    whole: Vec<Match>,
    joined: HashSet<u64>,
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
        let (mut findings, mut streamed) = (PartFindings::default(), StreamedTexts::default());
        while chunk.fill(&mut reader)? {
            marked.clear();
            marked.resize(chunk.lines().len(), false);
            self.mark(&chunk, &mut marked);
            for (line, marked) in chunk.lines().iter().zip(&marked) {
                let bytes = chunk.line(*line);
                if !*marked {
                    streamed.interrupt();
                }
                findings.events += u64::from(!is_blank(bytes));
                if *marked {
                    self.judge(line.offset, bytes, &mut streamed, &mut findings);
                }
            }
        }
        self.take_streamed(&streamed.finish(), &mut findings);
        let PartFindings { joined, whole, matches, .. } = &mut findings;
        matches.retain(|found| !joined.contains(&found.offset));
        matches.append(whole);
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
        let mut weights = self.no_weights();
        let mut moved = |reference: &Reference<'_>| self.moved.content(self.run, reference);
        each_text(&view, summary, &mut moved, &mut |_, text| self.weigh(&text, &mut weights));
        self.query.is_met(&weights).then(|| Match {
            run: self.index,
            offset,
            sequence: event.sequence,
            branch: event.branch.as_deref().map(Into::into),
            bytes: content_bytes(&view),
            weights,
            streamed: None,
        })
    }

    /// Whether a text that came in pieces meets the query.
    fn match_of_streamed(&self, streamed: &StreamedText) -> Option<Match> {
        let mut weights = self.no_weights();
        self.weigh(&streamed.text, &mut weights);
        let offset = *streamed.offsets.first()?;
        self.query.is_met(&weights).then(|| Match {
            run: self.index,
            offset,
            sequence: streamed.sequence,
            branch: streamed.branch.as_deref().map(Into::into),
            bytes: streamed.text.len() as u64,
            weights,
            streamed: Some(streamed.text.as_str().into()),
        })
    }

    /// Takes streamed texts that are complete. Where a text as a whole meets the query, its pieces
    /// are no hits of their own.
    fn take_streamed(&self, ended: &[StreamedText], findings: &mut PartFindings) {
        for text in ended.iter().filter(|text| text.offsets.len() > 1) {
            if let Some(found) = self.match_of_streamed(text) {
                findings.joined.extend(&text.offsets);
                findings.whole.push(found);
            }
        }
    }

    fn no_weights(&self) -> Box<[u8]> {
        vec![0; self.query.terms().len()].into_boxed_slice()
    }

    /// Adds the weights of the terms in a text.
    fn weigh(&self, text: &str, weights: &mut [u8]) {
        for (weight, term) in weights.iter_mut().zip(self.query.terms()) {
            let more = u8::try_from(term.weight(text)).unwrap_or(u8::MAX);
            *weight = weight.saturating_add(more);
        }
    }

    /// Marks the lines that have to be parsed.
    fn mark(&self, chunk: &LogChunk, marked: &mut [bool]) {
        mark_lines(self.query.needles(), chunk, marked);
        mark_all(&["summary.backfilled", "session.summarized"], chunk, marked);
        let [pieces, ends] = &*PIECES;
        if mark_all(pieces, chunk, marked) {
            mark_all(ends, chunk, marked);
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
    fn judge(
        &self,
        offset: u64,
        bytes: &[u8],
        streamed: &mut StreamedTexts,
        findings: &mut PartFindings,
    ) {
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
        // A part of a log is searched by itself. A text that goes on in the next one is two.
        if self.filter.takes(&view) || view.role == Role::TaskStart {
            let ended = streamed.observe(&view, offset);
            self.take_streamed(&ended, findings);
        }
        findings.matches.extend(self.match_of(&event, offset, event.summary.as_deref()));
    }
}
