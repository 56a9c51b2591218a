//! Terminal output as text with styles. Colours and styles are kept, every other escape sequence
//! is removed.

use std::borrow::Cow;

/// A piece of text and its style.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StyledText {
    /// The style.
    pub style: TextStyle,
    /// The text, without escape sequences.
    pub text: String,
}

/// The style of a piece of text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TextStyle {
    /// One of the sixteen colours of a terminal.
    pub foreground: Option<u8>,
    /// One of the sixteen colours of a terminal.
    pub background: Option<u8>,
    /// The attributes, as bits of [`ATTRIBUTES`].
    attributes: u8,
}

/// The attributes: the code that sets one, the code that ends it, and its short name.
const ATTRIBUTES: &[(u16, u16, &str)] = &[
    (1, 22, "bold"),
    (2, 22, "dim"),
    (3, 23, "italic"),
    (4, 24, "underline"),
    (7, 27, "reverse"),
    (9, 29, "strike"),
];

impl TextStyle {
    /// The names of the attributes.
    pub(crate) fn attributes(self) -> impl Iterator<Item = &'static str> {
        let is_set = move |at: &usize| self.attributes & (1 << at) != 0;
        (0..ATTRIBUTES.len()).filter(is_set).map(|at| ATTRIBUTES[at].2)
    }

    /// Applies the parameters of `ESC [ … m`.
    fn apply(&mut self, parameters: &str) {
        let mut codes = parameters.split([';', ':']).map(|code| code.parse::<u16>().unwrap_or(0));
        while let Some(code) = codes.next() {
            match code {
                0 => *self = Self::default(),
                30..=37 => self.foreground = Some((code - 30) as u8),
                38 => self.foreground = extended(&mut codes),
                39 => self.foreground = None,
                40..=47 => self.background = Some((code - 40) as u8),
                48 => self.background = extended(&mut codes),
                49 => self.background = None,
                90..=97 => self.foreground = Some((code - 82) as u8),
                100..=107 => self.background = Some((code - 92) as u8),
                _ => {}
            }
            for (at, (on, off, _)) in ATTRIBUTES.iter().enumerate() {
                if code == *off {
                    self.attributes &= !(1 << at);
                }
                if code == *on {
                    self.attributes |= 1 << at;
                }
            }
        }
    }
}

/// Reads terminal output. A carriage return that does not end a line starts a new line, and a
/// backspace removes the character before it.
#[must_use]
pub(crate) fn styled(output: &str) -> Vec<StyledText> {
    let mut pieces = vec![StyledText { style: TextStyle::default(), text: String::new() }];
    let mut rest = output;
    while let Some(at) = rest.find(['\u{1b}', '\u{9b}', '\r', '\u{8}']) {
        let (before, from) = rest.split_at(at);
        push(&mut pieces, before);
        rest = match from.as_bytes().first() {
            Some(b'\r') => {
                let after = &from[1..];
                if !after.starts_with('\n') && !after.is_empty() {
                    push(&mut pieces, "\n");
                }
                after
            }
            Some(8) => {
                pieces.last_mut().map(|piece| piece.text.pop());
                &from[1..]
            }
            _ => {
                let (style, after) = sequence(from);
                if let Some(parameters) = style {
                    let mut style = pieces.last().map(|piece| piece.style).unwrap_or_default();
                    style.apply(parameters);
                    pieces.push(StyledText { style, text: String::new() });
                }
                after
            }
        };
    }
    push(&mut pieces, rest);
    pieces.retain(|piece| !piece.text.is_empty());
    pieces
}

/// The text of a title: without escape sequences, and without what is left of a style whose escape
/// character was lost, such as `[1m`.
#[must_use]
pub(crate) fn plain(text: &str) -> Cow<'_, str> {
    let whole = match text.contains(['\u{1b}', '\u{9b}']) {
        true => Cow::Owned(styled(text).into_iter().map(|piece| piece.text).collect::<String>()),
        false => Cow::Borrowed(text),
    };
    if !whole.split('[').skip(1).any(|part| after_codes(part).is_some()) {
        return whole;
    }
    let mut parts = whole.split('[');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match after_codes(part) {
            Some(rest) => out.push_str(rest),
            None => out.extend(["[", part]),
        }
    }
    Cow::Owned(out)
}

/// The text after the codes of a style and their `m`; `None` if something else is there.
fn after_codes(text: &str) -> Option<&str> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != ';')?;
    let (codes, rest) = text.split_at(end);
    let rest = rest.strip_prefix('m').filter(|rest| !rest.starts_with(']'))?;
    let is_code =
        |code: &str| matches!(code.parse(), Ok(0..=5 | 7 | 9 | 22..=25 | 27 | 29..=49 | 90..=107));
    let is_color = codes.starts_with("38;") || codes.starts_with("48;");
    (is_color || codes.split(';').all(is_code)).then_some(rest)
}

fn push(pieces: &mut [StyledText], text: &str) {
    if let Some(piece) = pieces.last_mut() {
        piece.text.push_str(text);
    }
}

/// Reads one escape sequence. Returns the parameters if it sets the style, and the text after it.
fn sequence(from: &str) -> (Option<&str>, &str) {
    let after = match from.strip_prefix('\u{9b}') {
        Some(after) => return control(after),
        None => from.get(1..).unwrap_or_default(),
    };
    match after.as_bytes().first() {
        Some(b'[') => control(&after[1..]),
        Some(b']' | b'P' | b'X' | b'^' | b'_') => (None, after_string(&after[1..])),
        Some(b' '..=b'/') => {
            let after = after.trim_start_matches(|c: char| (' '..='/').contains(&c));
            (None, after.strip_prefix(|c: char| ('0'..='~').contains(&c)).unwrap_or(after))
        }
        Some(b'0'..=b'~') => (None, &after[1..]),
        _ => (None, after),
    }
}

/// Reads the rest of a control sequence: parameters, intermediate characters, and a final one.
fn control(after: &str) -> (Option<&str>, &str) {
    let inside = |c: char| (' '..='?').contains(&c);
    let end = after.find(|c| !inside(c)).unwrap_or(after.len());
    let (parameters, rest) = after.split_at(end);
    let is_style = rest.starts_with('m')
        && parameters.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b';' | b':'));
    let rest = rest.strip_prefix(|c: char| ('@'..='~').contains(&c)).unwrap_or(rest);
    (is_style.then_some(parameters), rest)
}

/// The text after a command string, such as a window title. A string that does not end in its line
/// is text.
fn after_string(after: &str) -> &str {
    let line = after.split('\n').next().unwrap_or(after);
    let ends = ["\u{7}", "\u{1b}\\", "\u{9c}"];
    let end = ends.iter().filter_map(|end| Some(line.find(end)? + end.len())).min();
    &after[end.unwrap_or(0)..]
}

/// The sixteen colours as red, green and blue.
const PALETTE: [[u8; 3]; 16] = [
    [0, 0, 0],
    [205, 0, 0],
    [0, 205, 0],
    [205, 205, 0],
    [0, 0, 238],
    [205, 0, 205],
    [0, 205, 205],
    [229, 229, 229],
    [127, 127, 127],
    [255, 0, 0],
    [0, 255, 0],
    [255, 255, 0],
    [92, 92, 255],
    [255, 0, 255],
    [0, 255, 255],
    [255, 255, 255],
];

/// The colour after 38 or 48: a number of 256, or red, green and blue. The nearest of the sixteen.
fn extended(codes: &mut impl Iterator<Item = u16>) -> Option<u8> {
    let byte = |code: Option<u16>| code.map(|code| code.min(255) as u8);
    match codes.next()? {
        5 => {
            let number = byte(codes.next())?;
            Some(match number {
                0..=15 => number,
                16..=231 => {
                    let level = |of: u8| if of == 0 { 0 } else { 55 + 40 * of };
                    let cube = number - 16;
                    nearest([level(cube / 36), level(cube / 6 % 6), level(cube % 6)])
                }
                232.. => nearest([8 + 10 * (number - 232); 3]),
            })
        }
        2 => Some(nearest([byte(codes.next())?, byte(codes.next())?, byte(codes.next())?])),
        _ => None,
    }
}

fn nearest(color: [u8; 3]) -> u8 {
    let distance = |other: &[u8; 3]| -> u32 {
        other.iter().zip(color).map(|(one, two)| u32::from(one.abs_diff(two)).pow(2)).sum()
    };
    let best = PALETTE.iter().enumerate().min_by_key(|(_, other)| distance(other));
    best.map_or(7, |(at, _)| at as u8)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn told(output: &str) -> String {
        let piece = |piece: StyledText| {
            let TextStyle { foreground, background, .. } = piece.style;
            let colors = [("f", foreground), ("b", background)];
            let mut names: Vec<String> = colors
                .iter()
                .filter_map(|(name, color)| color.map(|color| format!("{name}{color}")))
                .collect();
            names.extend(piece.style.attributes().map(str::to_owned));
            format!("{}<{}>", names.join("+"), piece.text)
        };
        styled(output).into_iter().map(piece).collect::<Vec<_>>().join(" ")
    }

    /// If this fails, colours of a command's output are lost or wrong.
    #[test]
    fn colours_and_styles() {
        for (output, expected) in [
            ("plain", "<plain>"),
            ("\u{1b}[31mred\u{1b}[0m not", "f1<red> < not>"),
            ("\u{1b}[1;92mok\u{1b}[22m ok\u{1b}[39m.", "f10+bold<ok> f10< ok> <.>"),
            ("\u{1b}[mx\u{1b}[4;7my\u{1b}[24mz", "<x> underline+reverse<y> reverse<z>"),
            ("\u{1b}[38;5;196mx\u{1b}[48;2;0;0;250my", "f9<x> f9+b4<y>"),
            ("\u{1b}[38:5:244mx\u{1b}[38;5my", "f8<x> <y>"),
        ] {
            assert_eq!(told(output), expected, "{output:?}");
        }
    }

    /// If this fails, an escape sequence that is not a style reaches the page.
    #[test]
    fn other_sequences_are_removed() {
        for (output, expected) in [
            ("a\u{1b}[2K\u{1b}[1Gb\u{1b}[?25lc", "<abc>"),
            ("a\u{1b}]0;title\u{7}b\u{1b}]8;;http://e\u{1b}\\c\u{1b}(Bd\u{1b}=e", "<abcde>"),
            ("a\u{1b}]0;unended\nb", "<a0;unended\nb>"),
            ("1 %\r2 %\r\n3\r", "<1 %\n2 %\n3>"),
            ("bo\u{8}old\u{1b}", "<bold>"),
            ("\u{9b}32mgreen\u{1b}[", "f2<green>"),
        ] {
            assert_eq!(told(output), expected, "{output:?}");
        }
    }

    proptest! {
        /// If this fails, some output stops the program or keeps an escape character.
        #[test]
        fn any_output(parts in prop::collection::vec(prop::sample::select(vec![
            "\u{1b}", "[", "]", "31", ";", "m", "é", "\u{9b}", "\u{8}", "\r", "\n", "\u{7}", "\\", "P", "x", "(",
        ]), 0..24)) {
            for piece in styled(&parts.concat()) {
                let is_live = piece.text.contains(['\u{1b}', '\u{9b}', '\r', '\u{8}']);
                prop_assert!(!is_live);
            }
        }
    }
}
