//! The lines of a tool's output that say something. Prompts, progress bars, empty lines and the
//! headers of some tools are left out.

use super::inert;

/// What a line of an agent's own wrapping of the output begins with.
const WRAPPINGS: &[&str] = &[
    "Chunk ID:",
    "Wall time:",
    "Original token count:",
    "Total output lines:",
    "Process running with session ID",
    "Process exited with code 0",
    "Exit code: 0",
    "Output:",
    "Stdout:",
    "Stderr: (empty)",
    "Error: (none)",
    "Signal: (none)",
    "Process Group PGID:",
    "Background PIDs: (none)",
    "###PS1",
    "[The command completed with exit code 0.]",
    "[Command finished with exit code 0]",
    "[Current working directory:",
    "[Python interpreter:",
    "<system>",
    "</",
    "```",
];

/// What marks a line that says what failed.
const FAILURES: &[&str] = &[
    "error",
    "failed",
    "failure",
    "exception",
    "panicked",
    "fatal",
    "denied",
    "not found",
    "no such file",
    "cannot ",
    "can't ",
    "unable to",
    "could not ",
    "couldn't ",
    "timed out",
    "assert",
    "invalid",
    "does not exist",
    "did not",
    "not permitted",
    "not allowed",
    "no replacement",
    "unexpected",
];

/// What marks a line that says why something failed, better than the sums at the end of the output.
const REASONS: &[&str] = &[
    "assertionerror",
    "assertion failed",
    "assertion `",
    "panicked at",
    "error:",
    "error[",
    "exception:",
    "fatal:",
    "no such file",
    "not found",
    "permission denied",
    "no replacement",
    "did not appear",
];

/// What a test's name begins with if it failed.
const FAILED_TESTS: &[&str] = &["FAIL ", "FAILED ", "--- FAIL", "✗", "✕", "×", "✘", "not ok"];

/// Phrases that look like failures and report none.
const HARMLESS: &[&str] =
    &["0 failed", "0 errors", "0 error", "no error", "0 failures", "error: 0"];

/// The part of an output to choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OutputPart {
    /// Its first lines.
    First,
    /// Its last lines.
    Last,
    /// The lines that say what failed, and its last lines.
    Failure,
}

/// Up to `most` lines of an output, each of them inert. Lines that were left out between or before
/// them are shown as one line `…`.
#[must_use]
pub(crate) fn excerpt(output: &str, most: usize, part: OutputPart) -> Vec<String> {
    chosen(told_lines(near(output, part)), most, part)
}

/// Maximum number of bytes of an output that are read for an excerpt.
const READ: usize = 64 << 10;

/// The part of a very long output where the wanted lines are.
fn near(output: &str, part: OutputPart) -> &str {
    let Some(left_out) = output.len().checked_sub(READ) else { return output };
    let is_boundary = |at: &usize| output.is_char_boundary(*at);
    match part {
        OutputPart::First => {
            &output[..(READ..output.len()).find(is_boundary).unwrap_or(output.len())]
        }
        OutputPart::Last | OutputPart::Failure => {
            &output[(left_out..output.len()).find(is_boundary).unwrap_or(output.len())..]
        }
    }
}

/// The same for lines that were read by [`told_lines`].
#[must_use]
pub(crate) fn chosen(lines: Vec<String>, most: usize, part: OutputPart) -> Vec<String> {
    let all = lines.len();
    if all <= most {
        return lines;
    }
    let mut wanted: Vec<usize> = match part {
        OutputPart::First => (0..most).collect(),
        OutputPart::Last => (all - most..all).collect(),
        OutputPart::Failure => failing(&lines, most),
    };
    wanted.sort_unstable();
    let mut out = Vec::with_capacity(most + 2);
    let mut next = 0;
    for at in wanted {
        if at != next && out.last().is_none_or(|last| last != "…") {
            out.push("…".to_owned());
        }
        out.extend(lines.get(at).cloned());
        next = at + 1;
    }
    if next < all {
        out.push("…".to_owned());
    }
    out
}

/// The first lines that say why, the last one that says what failed, the first one that does, the
/// others that do from the last one on, and then the last lines.
fn failing(lines: &[String], most: usize) -> Vec<usize> {
    let with = |is_wanted: &dyn Fn(usize) -> bool| -> Vec<usize> {
        (0..lines.len()).filter(|at| is_wanted(*at)).collect()
    };
    // A line that ends with a colon says nothing without the next one.
    let reasons = with(&|at| is_reason(&lines[at]) || (at > 0 && is_lead(&lines[at - 1])));
    let failing = with(&|at| is_failure(&lines[at]));
    let reasons = reasons.iter().take(most.saturating_sub(1));
    let ends = failing.last().into_iter().chain(failing.first());
    let order = reasons.chain(ends).chain(failing.iter().rev()).copied();
    let mut wanted: Vec<usize> = Vec::with_capacity(most);
    for at in order.chain((0..lines.len()).rev()) {
        if wanted.len() >= most {
            break;
        }
        if !wanted.contains(&at) {
            wanted.push(at);
        }
    }
    wanted
}

/// Whether a line says why something failed.
fn is_reason(line: &str) -> bool {
    let line = line.trim_start();
    if line.len() > LONGEST_REASON || is_lead(line) {
        return false;
    }
    let lower = line.to_lowercase();
    FAILED_TESTS.iter().any(|mark| line.starts_with(mark))
        || REASONS.iter().any(|mark| lower.contains(mark))
}

/// Maximum length in bytes of a line that says why something failed. Longer ones are code.
const LONGEST_REASON: usize = 400;

/// Whether a line only leads to the next one: `ERROR:`.
fn is_lead(line: &str) -> bool {
    const LONGEST: usize = 24;
    let line = line.trim();
    line.ends_with(':') && line.len() <= LONGEST && is_failure(line)
}

/// Whether a line says that something failed.
#[must_use]
pub(crate) fn is_failure(line: &str) -> bool {
    let mut line = line.to_lowercase();
    for phrase in HARMLESS {
        line = line.replace(phrase, "");
    }
    FAILURES.iter().any(|word| line.contains(word))
}

/// The lines that say something, inert and without the spaces at their ends.
#[must_use]
pub(crate) fn told_lines(output: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in output.split('\n') {
        // A carriage return writes the line again, as progress bars do.
        let line = line.trim_end_matches('\r');
        let line = line.rsplit('\r').find(|part| !part.trim().is_empty()).unwrap_or_default();
        let line = inert::line(own_output(line));
        let line = line.trim_end();
        if !is_noise(line.trim()) && lines.last().is_none_or(|last| last != line) {
            lines.push(line.to_owned());
        }
    }
    lines
}

/// The output in a line with which Codex wraps that of a command in its sandbox.
fn own_output(line: &str) -> &str {
    let wrapped = line.strip_prefix("failed in sandbox ");
    let output = wrapped.and_then(|rest| rest.split_once(", stderr: "));
    output.map_or(line, |(_, output)| output)
}

fn is_noise(line: &str) -> bool {
    line.is_empty()
        || WRAPPINGS.iter().any(|wrapping| line.starts_with(wrapping))
        || is_prompt(line)
        || is_progress(line)
        // Rules, and brackets at the end of code.
        || !line.contains(char::is_alphanumeric)
}

/// Whether the line is the prompt of a shell without a command, or stands for nothing.
fn is_prompt(line: &str) -> bool {
    if matches!(line, "null" | "[image]" | "[input_image]") {
        return true;
    }
    let ends = line.ends_with(['$', '#', '%']) && !line.contains("  ");
    ends && line.split_once('@').is_some_and(|(user, rest)| {
        let user = user.trim_start_matches(['(', '[']);
        !user.contains(char::is_whitespace) && rest.contains(':')
            || user.contains(") ") && rest.contains(':')
    })
}

/// Whether the line draws how far something is.
fn is_progress(line: &str) -> bool {
    let drawn = line.chars().filter(|c| matches!(c, '█' | '━' | '▏' | '░' | '▓' | '■')).count();
    let bar = line.contains("[===") || line.contains("[###") || line.contains("%|");
    drawn >= 3 || bar && line.contains('%')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// If this fails, the few lines shown of a result are noise.
    #[test]
    fn noise_is_left_out() {
        let output = "Chunk ID: 1f\nWall time: 0.1 seconds\nProcess exited with code 0\nOutput:\n\n\
            \u{1b}[32mok\u{1b}[0m\r\n 10%\r 50%\r100% done\nada@box:~/x$\n===============\n\
            fetch  50%|█████     | 5/10\n(venv) ada@box:~/x$\nend\n";
        assert_eq!(told_lines(output), ["ok", "100% done", "end"]);
        let failed = "Process exited with code 101\nOutput:\n";
        assert_eq!(told_lines(failed), ["Process exited with code 101"]);
    }

    /// If this fails, the lines shown of a failed call do not say what failed.
    #[test]
    fn failures_come_first() {
        let lines: Vec<String> = (0..30).map(|at| format!("step {at}")).collect();
        let mut with = lines.clone();
        with.insert(4, "error[E1]: no".to_owned());
        with.insert(20, "test x ... FAILED".to_owned());
        with.insert(22, "0 failed".to_owned());
        let shown = excerpt(&with.join("\n"), 3, OutputPart::Failure);
        assert_eq!(shown, ["…", "error[E1]: no", "…", "test x ... FAILED", "…", "step 29"]);
        let tests = "Failed Tests 1\n FAIL  a.test > empty\nAssertionError: expected '' to be '??'\n\
            at a.ts:3\nTest Files 1 failed\nTests 1 failed | 6 passed\nTest failed.";
        let shown = excerpt(tests, 3, OutputPart::Failure).join("|");
        assert_eq!(
            shown,
            "…| FAIL  a.test > empty|AssertionError: expected '' to be '??'|…|Test failed."
        );
        let led = format!("ERROR:\nNo text like `x` in a.c.\n{}", lines.join("\n"));
        let shown = excerpt(&led, 3, OutputPart::Failure).join("|");
        assert_eq!(shown, "ERROR:|No text like `x` in a.c.|…|step 29");
        assert_eq!(excerpt(&lines.join("\n"), 2, OutputPart::Last), ["…", "step 28", "step 29"]);
        assert_eq!(excerpt(&lines.join("\n"), 1, OutputPart::First), ["step 0", "…"]);
    }
}
