//! The end of the text: deliverables, errors and warnings.

use std::collections::HashMap;

use super::story::INDENT;
use super::wrap::wrapped;
use super::{TextLook, heading};
use crate::text::inert::line;
use crate::transcript::extent::Detail;
use crate::transcript::trouble_groups::{TroubleGroup, TroubleRank};
use crate::transcript::value::{Entry, NoteLevel, RequiredFile, Transcript};

/// Maximum number of groups of errors and warnings.
const GROUPS: usize = 20;

pub(super) fn render(transcript: &Transcript, look: TextLook) -> String {
    let mut out = String::new();
    let state = |one: &RequiredFile| {
        let path = line(&one.path);
        match (one.missing, &one.reason) {
            (false, _) => format!("  required  {path}\n"),
            (true, None) => format!("  {}  {path}\n", look.paint("31", "missing")),
            (true, Some(reason)) => {
                format!("  {}  {path}: {}\n", look.paint("31", "not passed"), line(reason))
            }
        }
    };
    if !transcript.deliverables.is_empty() {
        let verdict = transcript.deliverables_status.as_deref().unwrap_or("no verdict is recorded");
        out.push_str(&heading(&format!("Deliverables: {verdict}"), look));
        out.extend(transcript.deliverables.iter().map(state));
    }
    out + &troubles(transcript, look)
}

/// Errors and warnings, equal ones together.
pub(super) fn troubles(transcript: &Transcript, look: TextLook) -> String {
    let groups = &transcript.trouble_groups;
    if groups.is_empty() {
        return String::new();
    }
    let mut out = heading("Errors and warnings", look);
    let calls = transcript.entries().into_iter().filter_map(Entry::call);
    let calls = calls.filter_map(|call| Some((call.end_sequence?, call.sequence))).collect();
    let most = if look.detail == Detail::Full { groups.len() } else { look.most(GROUPS) };
    for group in groups.iter().take(most) {
        out.push_str(&one(group, &calls, look));
    }
    let more: u64 = groups.iter().skip(most).map(|group| group.times).sum();
    let more = more + transcript.more_troubles;
    if more > 0 {
        out.push_str(&format!("  … {more} more (--detail full shows all)\n"));
    }
    out
}

/// A line of a group. `calls` has the first event of each call, by the event that ended it: the story
/// shows a call at its beginning.
fn one(group: &TroubleGroup, calls: &HashMap<u64, u64>, look: TextLook) -> String {
    let shown = |sequence: &u64| calls.get(sequence).copied().unwrap_or(*sequence);
    let first = group.sequences.first().map_or(0, shown);
    let lead = look.paint("2", &format!("{:>7}  ", format!("#{first}")));
    let color = if group.level == NoteLevel::Error { "31" } else { "33" };
    let level = group.level.name();
    let why = match group.rank {
        TroubleRank::EndedTheWork => ", ended the work",
        TroubleRank::OfTheUser => ", by the user",
        TroubleRank::Harmless => ", harmless",
        _ => "",
    };
    let others: Vec<String> =
        group.sequences.iter().skip(1).map(|one| format!("#{}", shown(one))).collect();
    let cut = if group.times > group.sequences.len() as u64 { ", …" } else { "" };
    let others = match others.as_slice() {
        [] => String::new(),
        others => format!(", also {}{cut}", others.join(", ")),
    };
    let times =
        if group.times > 1 { format!(" {} times{others}", group.times) } else { String::new() };
    let text = format!("{level}{why}{times}: {}", group.text);
    let text = wrapped(&text, INDENT, look.most(5), look);
    let body = text.trim_start().strip_prefix(level).unwrap_or_default();
    format!("{lead}{}{body}", look.paint(color, level))
}
