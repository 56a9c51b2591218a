//! Searches the files beside the log for secrets that recording would have replaced: the large
//! values, the source lines and the rejected lines.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read, Take};

use zstd::stream::read::Decoder;

use super::leftovers::files;
use crate::check::finding::{Finding, Findings, Place};
use crate::check::table::Code;
use crate::fs::{Access, PathAt, open_regular, retried};
use crate::json::{self, JsonRules};
use crate::run::dir::RunDir;
use crate::secret::SecretRules;

/// A file is searched in pieces of this many bytes. Two pieces have the last part in common, so that
/// a secret between them is found.
const PIECE: usize = 4 << 20;
const COMMON: usize = 16 << 10;
/// Of each file, this many bytes are searched. No writer makes larger values.
const MOST: u64 = 256 << 20;

/// Adds a finding for each file and each kind of secret in it.
pub(super) fn leaks(run: &RunDir, rules: &SecretRules, findings: &mut Findings) {
    for name in files(&run.blobs(), 1) {
        let found = opened(&run.blobs().join(&name)).map(|file| in_text(file, rules));
        tell(&format!("blobs/{name}"), found.unwrap_or_default(), findings);
    }
    let lines = opened(&run.source()).and_then(|file| Decoder::new(file).ok());
    let found = lines.map(|lines| in_text(lines.take(MOST), rules));
    tell("source.jsonl.zst", found.unwrap_or_default(), findings);
    let found = opened(&run.rejected()).map(|file| in_records(file, rules));
    tell("logs/rejected.jsonl", found.unwrap_or_default(), findings);
}

/// A file that can be read. Other checks report one that cannot.
fn opened(path: &PathAt) -> Option<Take<File>> {
    Some(open_regular(path, Access::Read).ok()?.take(MOST))
}

fn tell(file: &str, found: BTreeSet<String>, findings: &mut Findings) {
    for rule in found {
        let message = format!("a secret is recorded here: {rule}");
        findings.push(Finding::new(Code::RL903, Place::file(file.to_owned()), message));
    }
}

/// The names of the rules that find a secret in a text.
fn in_text(mut file: impl Read, rules: &SecretRules) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut piece: Vec<u8> = Vec::new();
    loop {
        let before = piece.len();
        let mut more = (&mut file).take((PIECE - before) as u64);
        if retried(|| more.read_to_end(&mut piece)).is_err() || piece.len() == before {
            return found;
        }
        found.extend(
            rules.redact(&String::from_utf8_lossy(&piece)).into_iter().flat_map(|r| r.rules),
        );
        piece.drain(..piece.len().saturating_sub(COMMON));
    }
}

/// The names of the rules that find a secret in the records of a file.
fn in_records(file: Take<File>, rules: &SecretRules) -> BTreeSet<String> {
    let (mut found, mut reader, mut line) = (BTreeSet::new(), BufReader::new(file), Vec::new());
    loop {
        line.clear();
        let mut rest = (&mut reader).take(PIECE as u64);
        if !matches!(retried(|| rest.read_until(b'\n', &mut line)), Ok(length) if length > 0) {
            return found;
        }
        let redacted = match json::check(&line, JsonRules::LENIENT) {
            Ok(record) => rules.redact_json(record),
            Err(_) => rules.redact(&String::from_utf8_lossy(&line)),
        };
        found.extend(redacted.into_iter().flat_map(|redacted| redacted.rules));
    }
}
