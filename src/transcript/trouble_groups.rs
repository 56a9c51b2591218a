//! Errors and warnings for people: equal ones together, and those worth reading first before the
//! others.

use std::collections::{HashMap, HashSet};

use serde::Serialize;

use super::value::NoteLevel;
use crate::event::time::Timestamp;
use crate::text::inert::preview;
use crate::text::output::{OutputPart, chosen};

/// Maximum number of groups, and of sequences that a group names.
const MOST_GROUPS: usize = 1000;
const MOST_SEQUENCES: usize = 8;

/// Why a group is worth reading: the first ones are read first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TroubleRank {
    /// It ended the work.
    EndedTheWork,
    /// A command that the user gave failed.
    OfTheUser,
    /// It happened several times.
    Repeated,
    /// Any other error.
    Once,
    /// A warning.
    Warning,
    /// A command that found nothing, or a call that the user refused.
    Harmless,
}

/// Equal errors or warnings.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct TroubleGroup {
    /// The event's type.
    #[serde(rename = "type")]
    pub kind: String,
    /// Error or warning.
    pub level: NoteLevel,
    /// The message of the first one.
    pub text: String,
    /// Why it is worth reading.
    pub rank: TroubleRank,
    /// How often it happened.
    pub times: u64,
    /// The sequences of the first ones.
    pub sequences: Vec<u64>,
    /// When the first one happened.
    pub time: Timestamp,
}

/// The output of a failed call: the lines that say something.
#[derive(Clone, Debug)]
pub(crate) struct FailedOutput {
    /// The tool.
    pub tool: String,
    /// Whether the call only searched.
    pub is_search: bool,
    /// Its exit code, if it has one.
    pub exit_code: Option<i64>,
    /// The lines.
    pub lines: Vec<String>,
}

/// A line says nothing about a failure if at least this many failed outputs have it, outputs of calls
/// that succeeded have it too, and it is at least this long.
const MANY: u64 = 5;
const NOISE: usize = 24;

/// Maximum number of lines of an error of a call.
const TOLD_LINES: usize = 3;

/// The groups so far.
#[derive(Debug, Default)]
pub(crate) struct TroubleGroups {
    groups: Vec<TroubleGroup>,
    /// The outputs of the groups' failed calls.
    outputs: HashMap<usize, FailedOutput>,
    /// The first lines of outputs of calls that succeeded.
    harmless: HashSet<String>,
    places: HashMap<(NoteLevel, String), usize>,
    /// How many errors and warnings are in no group, because there are too many groups.
    pub more: u64,
}

impl TroubleGroups {
    /// Takes the output of a call that succeeded, as JSON text.
    pub(super) fn succeeded(&mut self, output: &str) {
        /// How much of an output is read, and how many of its lines; how many lines are kept.
        const READ: usize = 1 << 10;
        const LINES: usize = 6;
        const KEPT: usize = 1 << 12;
        let end = (0..=READ.min(output.len())).rev().find(|at| output.is_char_boundary(*at));
        let beginning = output[..end.unwrap_or(0)].trim_matches(['"', '{', '[']);
        // Other escapes are rare in complaints of a shell.
        for line in beginning.split("\\n").take(LINES).filter(|line| line.len() >= NOISE) {
            if self.harmless.len() < KEPT {
                self.harmless.insert(line.replace("\\\"", "\"").trim().to_owned());
            }
        }
    }

    /// Adds an error or a warning, as a group of one. `output` is that of a failed call.
    pub(super) fn add(&mut self, trouble: TroubleGroup, output: Option<FailedOutput>) {
        let told = output.as_ref();
        let told = told.map(|output| format!("{}: {}", output.tool, output.lines.join("\n")));
        let key = (trouble.level, without_numbers(told.as_deref().unwrap_or(&trouble.text)));
        if let Some(group) = self.places.get(&key).and_then(|at| self.groups.get_mut(*at)) {
            let ends = |rank| rank == TroubleRank::EndedTheWork;
            let is_its_end = ends(trouble.rank) && !ends(group.rank) && trouble.times == 1;
            group.rank = group.rank.min(trouble.rank);
            if is_its_end {
                // The work ended with the error that the group is about.
                return;
            }
            group.times += trouble.times;
            let room = MOST_SEQUENCES.saturating_sub(group.sequences.len());
            group.sequences.extend(trouble.sequences.into_iter().take(room));
        } else if self.groups.len() < MOST_GROUPS {
            self.places.insert(key, self.groups.len());
            self.outputs.extend(output.map(|output| (self.groups.len(), output)));
            self.groups.push(trouble);
        } else {
            self.more += trouble.times;
        }
    }

    /// The groups, those worth reading first before the others.
    #[must_use]
    pub(crate) fn finish(self) -> Vec<TroubleGroup> {
        let noise = self.noise();
        let mut by_text = Self { more: self.more, ..Self::default() };
        for (at, mut group) in self.groups.into_iter().enumerate() {
            if let Some(output) = self.outputs.get(&at) {
                let (text, has_own) = output.told(&noise).unwrap_or((group.text, true));
                group.text = text;
                if output.is_search && !has_own {
                    group.rank = TroubleRank::Harmless;
                }
            }
            by_text.add(group, None);
        }
        let mut groups = by_text.groups;
        for group in &mut groups {
            if group.times > 1 && group.rank == TroubleRank::Once {
                group.rank = TroubleRank::Repeated;
            }
        }
        groups.sort_by_key(|group| group.rank);
        groups
    }
}

impl TroubleGroups {
    /// The lines that many failed outputs have, and others too: complaints of the shell, banners.
    fn noise(&self) -> HashSet<String> {
        let mut times: HashMap<&str, u64> = HashMap::new();
        for (at, output) in &self.outputs {
            let lines: HashSet<&str> = output.lines.iter().map(|line| line.trim()).collect();
            for line in lines.into_iter().filter(|line| line.len() >= NOISE) {
                *times.entry(line).or_default() += self.groups[*at].times;
            }
        }
        let frequent = times.into_iter().filter(|(_, times)| *times >= MANY).map(|(line, _)| line);
        frequent.filter(|line| self.harmless.contains(*line)).map(str::to_owned).collect()
    }
}

impl FailedOutput {
    /// What it says besides the noise, and whether it says anything. `None` if there is no noise in
    /// it.
    fn told(&self, noise: &HashSet<String>) -> Option<(String, bool)> {
        let is_own = |line: &&String| !noise.contains(line.trim());
        let own: Vec<String> = self.lines.iter().filter(is_own).cloned().collect();
        if own.len() == self.lines.len() {
            return None;
        }
        let has_own = !own.is_empty();
        let text = match (own.is_empty(), self.exit_code) {
            (false, _) => chosen(own, TOLD_LINES, OutputPart::Failure).join("\n"),
            (true, Some(code)) => {
                format!("exit code {code}, and no output but what other calls have too")
            }
            (true, None) => "no output but what other calls have too".to_owned(),
        };
        let text = text.trim_start_matches("…\n");
        Some((preview(&format!("{}: {text}", self.tool), MAX_TEXT), has_own))
    }
}

/// Maximum width of a text, in columns.
pub(crate) const MAX_TEXT: usize = 300;

/// The text with every number as `0`, so that line numbers, times and process ids do not matter. An
/// exit status at the end is kept: it is all that a failed command says.
fn without_numbers(text: &str) -> String {
    const STATUS: &str = "exit status ";
    let status = text.rfind(STATUS).map(|at| at + STATUS.len());
    let is_status = |at: &usize| text[*at..].bytes().all(|byte| byte.is_ascii_digit());
    let (text, kept) = text.split_at(status.filter(is_status).unwrap_or(text.len()));
    let mut out = String::with_capacity(text.len() + kept.len());
    for character in text.chars() {
        match character {
            c if c.is_ascii_digit() && out.ends_with('0') => {}
            c if c.is_ascii_digit() => out.push('0'),
            c => out.push(c),
        }
    }
    out + kept
}

#[cfg(test)]
mod tests {
    use super::*;

    /// If this fails, different errors are one group because the shell complains in all of them, or
    /// an error that happens often counts as noise.
    #[test]
    fn what_many_outputs_share_is_noise() {
        let output = |lines: &[&str]| FailedOutput {
            tool: "sh".to_owned(),
            is_search: true,
            exit_code: Some(1),
            lines: lines.iter().map(|line| (*line).to_owned()).collect(),
        };
        let group =
            |outputs: Vec<FailedOutput>, others: &[&str]| -> Vec<(String, u64, TroubleRank)> {
                let mut groups = TroubleGroups::default();
                others.iter().for_each(|other| groups.succeeded(other));
                for (sequence, output) in (1..).zip(outputs) {
                    let (kind, level) = ("tool.failed".to_owned(), NoteLevel::Error);
                    let (sequences, time) = (vec![sequence], Timestamp::from_millis(0));
                    let (text, rank) = (output.lines.join(" "), TroubleRank::Once);
                    let one = TroubleGroup { kind, level, text, rank, times: 1, sequences, time };
                    groups.add(one, Some(output));
                }
                groups.finish().into_iter().map(|one| (one.text, one.times, one.rank)).collect()
            };
        let banner = "shellenv.sh: line 18: /bin/ps: Operation not permitted";
        let mut outputs = vec![output(&[banner]); 4];
        outputs.insert(1, output(&[banner, "a.c: no such file"]));
        let told = group(
            outputs.clone(),
            &[r#""shellenv.sh: line 18: /bin/ps: Operation not permitted\nok""#],
        );
        assert_eq!(told[0], ("sh: a.c: no such file".to_owned(), 1, TroubleRank::Once));
        let rest = "sh: exit code 1, and no output but what other calls have too";
        assert_eq!(told[1], (rest.to_owned(), 4, TroubleRank::Harmless));
        // The end of the run may say the same as the call.
        let mut groups = TroubleGroups::default();
        for (text, output) in [("sh: no", Some(output(&["no"]))), ("no", None)] {
            let (kind, level, text) = ("x".to_owned(), NoteLevel::Error, text.to_owned());
            let (rank, sequences, time) = (TroubleRank::Once, vec![1], Timestamp::from_millis(0));
            let one = TroubleGroup { kind, level, text, rank, times: 1, sequences, time };
            groups.add(one, output);
        }
        assert_eq!(groups.finish().len(), 2);
        // No call succeeded with that line, so it may be the reason.
        let told = group(outputs, &[r#""ok""#]);
        assert_eq!(told[0], (banner.to_owned(), 4, TroubleRank::Repeated));
    }

    /// If this fails, a reader looks at the same error many times, or at a harmless one first.
    #[test]
    fn equal_errors_are_together() {
        let mut groups = TroubleGroups::default();
        for (sequence, text, rank) in [
            (1, "grep: no match", TroubleRank::Harmless),
            (2, "error at line 12", TroubleRank::Once),
            (3, "other", TroubleRank::Once),
            (4, "error at line 7", TroubleRank::Once),
            (5, "the end", TroubleRank::EndedTheWork),
        ] {
            let (kind, level) = ("error".to_owned(), NoteLevel::Error);
            let text = text.to_owned();
            let (sequences, time) = (vec![sequence], Timestamp::from_millis(0));
            let group = TroubleGroup { kind, level, text, rank, times: 1, sequences, time };
            groups.add(group, None);
        }
        let told: Vec<_> =
            groups.finish().into_iter().map(|one| (one.sequences, one.times)).collect();
        assert_eq!(told, [(vec![5], 1), (vec![2, 4], 2), (vec![3], 1), (vec![1], 1)]);
    }
}
