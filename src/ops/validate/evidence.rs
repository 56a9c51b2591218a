//! Compares `logs/rejected.jsonl` with what the log says about it.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Seek as _};

use sha2::{Digest as _, Sha256};

use super::rejected_end::rejected_end;
use crate::check::finding::{Finding, Findings, Place};
use crate::check::log::LOG;
use crate::check::table::{Code, Level};
use crate::event::envelope;
use crate::event::fields::View;
use crate::event::role::Role;
use crate::fs::hash::hex;
use crate::fs::{Access, FsError, inspect, open_regular};
use crate::history::status::Status;
use crate::json::{Json, Kind, Members};
use crate::log::rejected::of_tail;
use crate::log::tail::read_range;
use crate::run::dir::RunDir;
use crate::text::human::plural;

/// The file of the records, in findings.
const RECORDS: &str = "logs/rejected.jsonl";

/// Maximum number of records that one torn tail was moved to.
const MOST_PIECES: usize = 1 << 16;

/// An event that tells of records in `logs/rejected.jsonl`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Claim {
    /// The number of its line.
    line: u64,
    /// The range of its line in the log, in bytes.
    range: (u64, u32),
}

impl Claim {
    /// The claim of an event on that line; `None` if it tells of no records.
    pub(super) fn of(role: Role, line: u64, offset: u64, length: usize) -> Option<Self> {
        let tells = matches!(role, Role::Recovered | Role::RejectedLines);
        tells.then_some(Self { line, range: (offset, length as u32) })
    }
}

/// Adds a finding for each claim whose records are not there.
///
/// # Errors
/// The log cannot be read.
pub(super) fn evidence(
    run: &RunDir,
    claims: &[Claim],
    (status, required): (Status, &[String]),
    findings: &mut Findings,
) -> Result<(), FsError> {
    let records = open_regular(&run.rejected(), Access::Read).ok();
    if claims.is_empty() && records.is_none() {
        return Ok(());
    }
    let log = open_regular(&run.events(), Access::Read)?;
    let mut told = Some(Vec::new());
    let tails = records.as_ref().map(tails).unwrap_or_default();
    for claim in claims {
        let (from, length) = claim.range;
        let Ok(bytes) = read_range(&log, from, from + u64::from(length)) else { continue };
        let Ok(event) = envelope::parse(&bytes) else { continue };
        let view = View::of(&event);
        let place = || Place {
            line: Some(claim.line),
            offset: Some(from),
            event_id: Some(event.event_id.clone().into_owned()),
            ..Place::file(LOG)
        };
        if view.role == Role::RejectedLines {
            let ranges = ranges(&view.data);
            if let Some((file, ranges)) = records.as_ref().zip(ranges.as_deref()) {
                let finding = rejected_end(file, ranges, status, required);
                finding.into_iter().for_each(|finding| findings.push(finding(place())));
            }
            told = told.zip(ranges).map(|(told, ranges)| [told, ranges].concat());
        }
        let wanted = view.data.text_at("sha256").unwrap_or_default();
        // An event after a damaged line tells that nothing was moved.
        let moved_nothing = view.data.text_at("moved_to").is_some_and(|file| file.is_empty());
        if wanted.len() != 64 || moved_nothing {
            continue;
        }
        let found = records.as_ref().is_some_and(|file| match view.role {
            Role::Recovered => moved(file, &tails, from, &wanted),
            _ => ranges(&view.data)
                .is_none_or(|ranges| hash_of(file, &ranges) == Some((*wanted).to_owned())),
        });
        if !found {
            let what = if records.is_some() { "does not have them" } else { "is missing" };
            let message = format!("{} tells of records; logs/rejected.jsonl {what}", event.kind);
            findings.push(Finding::new(Code::RL014, place(), message));
        }
    }
    if let Some((file, told)) = records.as_ref().zip(told) {
        let untold = untold(file, told);
        if let Some((from, _)) = untold.first() {
            let place = || Place { offset: Some(*from), ..Place::file(RECORDS) };
            let lines = plural(untold.len() as u64, "line");
            let message = format!("{lines} that no event of the log tells of");
            // A stream that is going on tells of its lines at its end.
            let most = if status.is_over() { Level::Error } else { Level::Info };
            findings.push(Finding::new(Code::RL017, place(), message).at_most(most));
            let finding = rejected_end(file, &untold, status, required);
            finding.into_iter().for_each(|finding| findings.push(finding(place()).at_most(most)));
        }
    }
    Ok(())
}

/// The records of rejected lines outside of all ranges that events tell of: each one's range.
fn untold(file: &File, mut told: Vec<(u64, u64)>) -> Vec<(u64, u64)> {
    told.sort_unstable();
    let (Ok(file), mut told) = (file.try_clone(), told.into_iter().peekable()) else {
        return Vec::new();
    };
    let mut reader = BufReader::new(file);
    if reader.rewind().is_err() {
        return Vec::new();
    }
    let (mut line, mut at, mut untold) = (Vec::new(), 0, Vec::new());
    while let Ok(length @ 1..) = reader.read_until(b'\n', &mut line) {
        let end = at + length as u64;
        while told.next_if(|(_, to)| *to <= at).is_some() {}
        let is_told = told.peek().is_some_and(|(from, _)| *from <= at);
        if !is_told && of_tail(&line).is_none() && !line.trim_ascii().is_empty() {
            untold.push((at, end));
        }
        at = end;
        line.clear();
    }
    untold
}

/// The records of torn tails: their ranges in the file, and where the bytes were in the log.
fn tails(file: &File) -> Vec<(u64, u64, u64)> {
    let Ok(file) = file.try_clone() else { return Vec::new() };
    let mut reader = BufReader::new(file);
    let (mut line, mut at, mut tails) = (Vec::new(), 0, Vec::new());
    while let Ok(length @ 1..) = reader.read_until(b'\n', &mut line) {
        let end = at + length as u64;
        if let Some((start, _)) = of_tail(&line)
            && tails.len() < MOST_PIECES
        {
            tails.push((at, end, start));
        }
        at = end;
        line.clear();
    }
    tails
}

/// Whether records with that hash hold the bytes from byte `from` of the log on.
fn moved(file: &File, tails: &[(u64, u64, u64)], from: u64, wanted: &str) -> bool {
    let firsts = tails.iter().enumerate().filter(|(_, tail)| tail.2 == from);
    firsts.into_iter().any(|(first, _)| {
        let mut hash = Sha256::new();
        let mut next = tails[first].0;
        tails[first..].iter().any(|&(start, end, _)| {
            if start != next {
                return false;
            }
            next = end;
            let Ok(bytes) = read_range(file, start, end) else { return false };
            hash.update(bytes);
            hex(&hash.clone().finalize()) == wanted
        })
    })
}

/// The ranges of the records of a stream; `None` if the event does not say where they are.
fn ranges(data: &Members<'_>) -> Option<Vec<(u64, u64)>> {
    let list = data.get("ranges").filter(|list| list.kind() == Kind::Array)?;
    let range = |range: Json<'_>| {
        let mut numbers = range.items().map(Json::as_u64);
        Some((numbers.next()??, numbers.next()??))
    };
    list.items().map(range).collect()
}

fn hash_of(file: &File, ranges: &[(u64, u64)]) -> Option<String> {
    const PIECE: u64 = 1 << 20;
    let length = inspect(file).ok()?.len();
    let mut hash = Sha256::new();
    for &(from, to) in ranges {
        let mut at = from;
        if to > length {
            return None;
        }
        while at < to {
            let end = to.min(at + PIECE);
            hash.update(read_range(file, at, end).ok()?);
            at = end;
        }
    }
    Some(hex(&hash.finalize()))
}
