//! Reading a log in parts gives the same lines as reading it line by line.

use std::fs;

use runlog::log::part::Part;
use runlog::log::reader::{Body, Line, LogReader};

fn shown(line: &Line<'_>) -> String {
    let hash = line.hash().map(|hash| hash.as_str().to_owned());
    let body = match line.body {
        Body::Complete(bytes) => format!("{} bytes", bytes.len()),
        Body::Unterminated(bytes) => format!("torn {:?}", String::from_utf8_lossy(bytes)),
        Body::Oversized { bytes, hash } => format!("oversized {bytes} {hash:?}"),
    };
    format!("{} at {}: {body} {hash:?}", line.number, line.offset)
}

/// If this fails, a line is lost or changed where one part ends and the next begins.
#[test]
fn parts_and_lines_agree() {
    let of = |lengths: &[usize], tail: &[u8]| {
        let mut log = Vec::new();
        for (at, length) in lengths.iter().enumerate() {
            log.extend(std::iter::repeat_n(b'a' + (at % 26) as u8, *length));
            log.push(b'\n');
        }
        [log.as_slice(), tail].concat()
    };
    const PART: usize = 256 << 10;
    let around: Vec<usize> = (0..600).map(|at| 900 + at % 7).collect();
    let logs = [
        of(&[], b""),
        of(&[], b"torn"),
        of(&[0, 1, 0, 2], b""),
        of(&around, b"torn"),
        of(&[PART - 1, PART, PART + 1, 3, PART - 2], b""),
        of(&[10, 3 * PART, 10, 5 * PART + 7, 1], b"x"),
        of(&[10, 9 << 20, 10], b""),
        of(&[10, 8 << 20, 10], &vec![b't'; 9 << 20]),
    ];
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("log");
    for log in logs {
        fs::write(&path, &log).unwrap();
        let mut reader = LogReader::open(&path).unwrap();
        let mut one_by_one = Vec::new();
        while let Some(line) = reader.next_line().unwrap() {
            one_by_one.push(shown(&line));
        }
        let mut reader = LogReader::open(&path).unwrap();
        let (mut part, mut in_parts) = (Part::default(), Vec::new());
        while part.fill(&mut reader).unwrap() {
            in_parts.extend(part.lines().map(|line| shown(&line)));
        }
        assert_eq!(in_parts, one_by_one, "a log of {} bytes", log.len());
    }
}
