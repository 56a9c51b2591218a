//! The section Errors and Warnings: equal ones together, those worth reading first before the
//! others.

use super::pieces::link;
use crate::text::markdown::code;
use crate::text::mention::unlinked;
use crate::transcript::extent::Limits;
use crate::transcript::trouble_groups::{TroubleGroup, TroubleRank};
use crate::transcript::value::{NoteLevel, Transcript};

pub(super) fn render(transcript: &Transcript, limits: &Limits) -> String {
    let groups = &transcript.trouble_groups;
    let mut out: String = groups.iter().take(limits.troubles).map(one).collect();
    let more: u64 = groups.iter().skip(limits.troubles).map(|group| group.times).sum();
    let more = more + transcript.more_troubles;
    if more > 0 {
        out.push_str(&format!("- … {more} more\n"));
    }
    if groups.iter().any(|group| group.level == NoteLevel::Error) {
        out.push_str("\nEvery error: [logs/errors.jsonl](logs/errors.jsonl).\n");
    }
    out
}

fn one(group: &TroubleGroup) -> String {
    let level = group.level.name();
    let why = match group.rank {
        TroubleRank::EndedTheWork => ", ended the work",
        TroubleRank::OfTheUser => ", by the user",
        TroubleRank::Harmless => ", harmless",
        _ => "",
    };
    let times = if group.times > 1 { format!(", {} times", group.times) } else { String::new() };
    let links: Vec<String> = group.sequences.iter().map(|sequence| link(*sequence)).collect();
    let cut = if group.times > group.sequences.len() as u64 { ", …" } else { "" };
    format!(
        "- {level}{why}{times}, {}, {}: {} ({}{cut})\n",
        group.time.clock(),
        code(&group.kind),
        unlinked(&group.text),
        links.join(", ")
    )
}
