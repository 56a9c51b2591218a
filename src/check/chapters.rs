//! The checks on chapters and on their exported files.

use super::finding::{Finding, Findings, Place};
use super::log::LOG;
use super::table::Code;
use crate::chapter::index::Index;
use crate::chapter::outline::Outlines;
use crate::chapter::plan::{ChapterConflict, misfit};
use crate::event::fields::View;
use crate::event::role::Role;
use crate::history::chapters::Chapter;
use crate::log::reader::Line;

/// The folder's name in findings.
pub(crate) const FOLDER: &str = "chapters/";

/// Checks the next event of a run with chapters, before `index` and `chapters` observe it.
pub(crate) fn event(
    view: &View<'_, '_>,
    line: &Line<'_>,
    (index, chapters): (&Index, &Outlines),
    findings: &mut Findings,
) {
    let found = match view.role {
        Role::Chapter => made(view, index, chapters),
        Role::ChapterRemoved => removed(view, chapters),
        _ => None,
    };
    if let Some((code, message)) = found {
        let place = Place {
            line: Some(line.number),
            offset: Some(line.offset),
            event_id: Some(view.event.event_id.clone().into_owned()),
            ..Place::file(LOG)
        };
        findings.push(Finding::new(code, place, message));
    }
}

fn made(view: &View<'_, '_>, index: &Index, chapters: &Outlines) -> Option<(Code, String)> {
    let chapter = match Chapter::of(view.event.data) {
        Ok(chapter) => chapter,
        Err(what) => return Some((Code::RL701, what.to_owned())),
    };
    if chapters.is_used(&chapter.slug) {
        return Some((Code::RL703, format!("the slug {:?} was used before", chapter.slug)));
    }
    match misfit(&chapter, index, chapters)? {
        ChapterConflict::Overlap(refusal) => Some((Code::RL702, refusal.to_string())),
        ChapterConflict::Refused(refusal) => Some((Code::RL705, refusal.to_string())),
        ChapterConflict::Range(first, last) => {
            Some((Code::RL705, format!("its tasks cover events {first} to {last}")))
        }
        ChapterConflict::Events(events) => {
            Some((Code::RL705, format!("its tasks have {events} events")))
        }
    }
}

fn removed(view: &View<'_, '_>, chapters: &Outlines) -> Option<(Code, String)> {
    let slug = view.event.data.text_at("slug").unwrap_or_default();
    let known = chapters.is_active(&slug);
    (!known).then(|| (Code::RL704, format!("no chapter {slug:?} exists at this point")))
}

/// The exported files that differ from the events: paths below `chapters/`.
#[derive(Debug, Default)]
pub(crate) struct Exported {
    /// Missing, or unchanged since an earlier export.
    pub behind: Vec<String>,
    /// Edited after the export.
    pub edited: Vec<String>,
    /// Written by nobody that is known.
    pub foreign: Vec<String>,
}

impl Exported {
    /// Adds the findings.
    pub(crate) fn finish(self, findings: &mut Findings) {
        if let Some(first) = self.behind.first() {
            let others = match self.behind.len() - 1 {
                0 => String::new(),
                others => format!(" and {others} more"),
            };
            let message = format!("{first}{others}: missing or out of date");
            findings.push(Finding::new(Code::RL711, Place::file(FOLDER), message));
        }
        for path in self.edited {
            let place = Place::file(format!("{FOLDER}{path}"));
            findings.push(Finding::new(Code::RL712, place, "it does not match the events"));
        }
        for path in self.foreign {
            let place = Place::file(format!("{FOLDER}{path}"));
            findings.push(Finding::new(Code::RL713, place, "no export wrote it"));
        }
    }
}
