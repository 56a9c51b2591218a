//! The tool `session_search`.

use std::sync::atomic::AtomicBool;

use super::bound::Recall;
use super::bounds::cut_hits;
use super::error::RecallError;
use super::record::{bad_lines, record, the_run};
use crate::ops::search::{EventFilter, NamedScope, Query, SearchDocument, SearchRequest, search};

/// What to search for.
#[derive(Clone, Debug)]
pub(crate) struct RecallSearch {
    /// Words and phrases.
    pub(crate) query: String,
    /// Which events.
    pub(crate) scope: NamedScope,
    /// Maximum number of hits.
    pub(crate) top_k: usize,
}

/// The greatest [`RecallSearch::top_k`].
const MOST_HITS: usize = 10;
/// Maximum length of a query in bytes.
const LONGEST_QUERY: usize = 1000;

impl Recall {
    /// The best events for a query, as JSON. `is_stopped` ends the search early.
    ///
    /// # Errors
    /// When the request is refused, or the log of the run cannot be read. Other runs that cannot be
    /// read are warnings in the document.
    pub(crate) fn search(
        &self,
        request: &RecallSearch,
        is_stopped: &AtomicBool,
    ) -> Result<String, RecallError> {
        let RecallSearch { query, scope, top_k } = request;
        if !(1..=MOST_HITS).contains(top_k) {
            let greatest = MOST_HITS as u64;
            return Err(RecallError::Range { name: "top_k", least: 1, greatest });
        }
        if query.len() > LONGEST_QUERY {
            return Err(RecallError::LongQuery(LONGEST_QUERY));
        }
        let query = Query::parse(query)?;
        let (name, scope) = (scope.name(), scope.scope());
        if scope.others && !self.has_all_runs() {
            return Err(RecallError::OtherScope { scope: name, bound: self.run_id().to_owned() });
        }
        let current = self.run(None)?;
        let mut outcome = search(&SearchRequest {
            query: &query,
            current: &current,
            runs_dir: self.runs_dir(),
            scope,
            filter: EventFilter::default(),
            top: *top_k,
            is_stopped,
        })?;
        cut_hits(&mut outcome);
        let unread = outcome.failed.iter().map(ToString::to_string);
        let bad = outcome.bad_lines.iter().filter_map(|(run, lines)| bad_lines(run, *lines));
        let warnings = unread.chain(bad).collect();
        let source = match scope.others {
            true => "several runs".to_owned(),
            false => the_run(&current),
        };
        Ok(record(&source, warnings, SearchDocument::of(&query, name, &outcome)))
    }
}
