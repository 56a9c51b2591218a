//! The lines of a digest within a number of words.

use super::{DigestLine, SECTIONS};
use crate::summary::session::stored::words;

/// The words of the line that counts the lines left out.
const LEFT_OUT: u64 = 5;

/// The digest as text: sections with lines, at most `most` words. In each section, the newest lines
/// are kept.
pub(super) fn write(lines: &[DigestLine], most: u64) -> String {
    let of_section = |section| {
        let own = lines.iter().filter(move |line| line.section == section);
        own.map(line_text).collect::<Vec<String>>()
    };
    let sections: Vec<(&str, Vec<String>)> =
        SECTIONS.iter().map(|(section, heading)| (*heading, of_section(*section))).collect();
    let kept = kept(&sections, most);
    let mut out = String::new();
    for ((heading, lines), kept) in sections.iter().zip(kept).filter(|(_, kept)| *kept > 0) {
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&format!("## {heading}\n"));
        match lines.len() - kept {
            0 => {}
            left_out => out.push_str(&format!("({left_out} older lines left out)\n")),
        }
        for line in &lines[lines.len() - kept..] {
            out.push_str(line);
            out.push('\n');
        }
    }
    if out.is_empty() {
        let first = sections.iter().find_map(|(_, lines)| lines.last());
        let words = first.map(|line| line.split_whitespace()).into_iter().flatten();
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        out = words.take(most).collect::<Vec<_>>().join(" ");
    }
    out
}

/// The number of lines that each section keeps: one more for each section in turn, while there is
/// room. A section that has no room for its next line is complete.
fn kept(sections: &[(&str, Vec<String>)], most: u64) -> Vec<usize> {
    let mut kept = vec![0; sections.len()];
    let mut full = vec![false; sections.len()];
    let mut room = most;
    loop {
        let mut added = false;
        for (at, (heading, lines)) in sections.iter().enumerate() {
            if full[at] || kept[at] == lines.len() {
                continue;
            }
            let own = words(&lines[lines.len() - 1 - kept[at]]);
            let first = if kept[at] == 0 { words(heading) + 1 + LEFT_OUT } else { 0 };
            match room.checked_sub(own + first) {
                Some(rest) => {
                    room = rest;
                    kept[at] += 1;
                    added = true;
                }
                None => full[at] = true,
            }
        }
        if !added {
            return kept;
        }
    }
}

fn line_text(line: &DigestLine) -> String {
    format!("- {} [{}]", line.text, line.event_ids.join(", "))
}

#[cfg(test)]
mod tests {
    use super::super::{DigestLine, DigestSection};
    use super::{words, write};

    /// If this fails, a digest is longer than asked, or a section pushes all others out.
    #[test]
    fn within_the_words() {
        let line = |section, number: usize| DigestLine {
            section,
            text: format!("line {number}"),
            event_ids: vec![format!("e{number}")],
        };
        let many = (0..50).map(|number| line(DigestSection::Commands, number));
        let all: Vec<DigestLine> = many.chain([line(DigestSection::Tasks, 99)]).collect();
        for most in 0..120 {
            assert!(words(&write(&all, most)) <= most, "{most}");
        }
        let text = write(&all, 30);
        assert!(text.contains("- line 99 [e99]") && text.contains("- line 49 [e49]"), "{text}");
        assert!(text.contains("older lines left out"), "{text}");
    }
}
