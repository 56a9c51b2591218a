//! Text in base64, in which a secret can hide.
//!
//! Three bytes are four characters, so a literal has three encoded forms, one for each place in its
//! group of three. Each is a fixed text (but for its first and last character), so a run of base64
//! is decoded only where such a text is in it.

use base64::Engine as _;

use super::rule::SecretRule;

/// Minimum length of a run of base64 characters that is looked into.
const SHORTEST: usize = 24;
/// Length of a UUID as text.
const UUID: usize = 36;
/// Maximum number of characters that are decoded from a hit on.
const REACH: usize = 64 << 10;
/// Number of characters before a hit that are decoded too: a multiple of four.
const LEAD: usize = 64;

/// The standard alphabet; `-` and `_` are read as `+` and `/` (RFC 4648, section 5).
const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/// A decoder that accepts text that was cut.
const ENGINE: base64::engine::GeneralPurpose = base64::engine::GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    base64::engine::general_purpose::NO_PAD.with_decode_allow_trailing_bits(true),
);

/// The encoded forms of the prefixes of rules, sorted by their first three characters.
#[derive(Debug)]
pub(super) struct EncodedPrefixes {
    forms: Vec<EncodedPrefix>,
    /// The first three characters of each form, as 18 bits.
    set: Vec<u64>,
}

#[derive(Debug)]
struct EncodedPrefix {
    text: Vec<u8>,
    /// The number of characters between the beginning of its group of four and `text`.
    skipped: usize,
}

/// A decoded part of a text.
pub(super) struct Decoded {
    pub(super) bytes: Vec<u8>,
    /// Where each of its base64 characters is in the text.
    places: Vec<usize>,
}

impl Decoded {
    /// Decodes the base64 from `start` on. It may go on in the next line.
    fn of(text: &[u8], start: usize) -> Self {
        let mut places = Vec::new();
        let mut run = Vec::new();
        let mut at = start;
        while run.len() < REACH {
            let broken =
                text[at..].iter().take(2).take_while(|byte| b"\r\n".contains(byte)).count();
            let Some(byte) = text.get(at + broken).filter(|byte| is_base64(**byte)) else { break };
            run.push(ALPHABET[usize::from(SEXTETS[usize::from(*byte)])]);
            at += broken;
            places.push(at);
            at += 1;
        }
        if run.len() % 4 == 1 {
            run.pop();
            places.pop();
        }
        Self { bytes: ENGINE.decode(&run).unwrap_or_default(), places }
    }

    /// The characters that hold a range of the decoded bytes.
    pub(super) fn place(&self, range: std::ops::Range<usize>) -> std::ops::Range<usize> {
        let last = (range.end.div_ceil(3) * 4).min(self.places.len()) - 1;
        self.places[(range.start / 3 * 4).min(last)]..self.places[last] + 1
    }
}

/// The name of a header as it is usually written: `X-Api-Key`.
fn title_case(name: &str) -> String {
    let mut begins = true;
    let letter = |letter: char| {
        let upper = std::mem::replace(&mut begins, letter == '-');
        if upper { letter.to_ascii_uppercase() } else { letter.to_ascii_lowercase() }
    };
    name.chars().map(letter).collect()
}

impl EncodedPrefixes {
    pub(super) fn of<'r>(rules: impl Iterator<Item = &'r SecretRule>) -> Self {
        let mut forms = Vec::new();
        for rule in rules.filter(|rule| rule.is_form()) {
            for prefix in rule.prefixes.iter() {
                // Names of headers can have any case; these spellings are the common ones.
                let spellings = match rule.any_case {
                    true => vec![prefix.to_lowercase(), title_case(prefix), prefix.to_uppercase()],
                    false => vec![prefix.to_string()],
                };
                for spelling in spellings.iter().filter(|name| !rule.any_case || name.len() > 5) {
                    forms.extend((0..3).map(|lead| EncodedPrefix::of(spelling.as_bytes(), lead)));
                }
            }
        }
        // Of the forms with the same beginning, the first rule's comes first.
        forms.sort_by_key(EncodedPrefix::index);
        let mut set = vec![0; 1 << 12];
        for index in forms.iter().map(EncodedPrefix::index) {
            set[index / 64] |= 1 << (index % 64);
        }
        Self { forms, set }
    }

    /// The first part of a run that decodes to something with a prefix. Fast.
    pub(super) fn first_in(&self, run: &[u8]) -> Option<usize> {
        self.next(run, 0).map(|(at, _)| at)
    }

    /// The parts of a text that decode to something with a prefix.
    pub(super) fn decoded<'t>(&'t self, text: &'t [u8]) -> impl Iterator<Item = Decoded> + 't {
        let mut free = 0_usize;
        runs(text).flat_map(move |run| {
            let mut found = Vec::new();
            let bytes = &text[run.clone()];
            let mut at = free.saturating_sub(run.start);
            while let Some((hit, form)) = self.next(bytes, at) {
                at = hit + 1;
                if let Some(start) = hit.checked_sub(form.skipped) {
                    let decoded = Decoded::of(text, run.start + start - start.min(LEAD) / 4 * 4);
                    free = decoded.places.last().map_or(run.end, |last| last + 1);
                    at = at.max(free - run.start);
                    found.push(decoded);
                }
            }
            found
        })
    }

    /// The first form in a run of base64 characters, from `from` on.
    fn next(&self, run: &[u8], from: usize) -> Option<(usize, &EncodedPrefix)> {
        let mut index = 0;
        let rest = run.get(from..)?;
        for (at, byte) in rest.iter().enumerate() {
            index = (index << 6 | usize::from(SEXTETS[usize::from(*byte)])) & 0x3_FFFF;
            if self.set[index / 64] >> (index % 64) & 1 == 1 && at >= 2 {
                let hit = from + at - 2;
                let first = self.forms.partition_point(|form| form.index() < index);
                let mut forms = self.forms[first..].iter().take_while(|form| form.index() == index);
                if let Some(form) = forms.find(|form| run[hit..].starts_with(&form.text)) {
                    return Some((hit, form));
                }
            }
        }
        None
    }
}

impl EncodedPrefix {
    /// The characters that a prefix alone decides if `lead` bytes come before it in its group.
    fn of(prefix: &[u8], lead: usize) -> Self {
        let padded = [&[0; 2][..lead], prefix].concat();
        let text = base64::prelude::BASE64_STANDARD_NO_PAD.encode(&padded);
        let skipped = [0, 2, 3][lead];
        let whole = padded.len() * 8 / 6;
        Self { text: text.as_bytes()[skipped..whole].to_vec(), skipped }
    }

    /// The first three characters, as 18 bits.
    fn index(&self) -> usize {
        let sextet = |byte: &u8| usize::from(SEXTETS[usize::from(*byte)]);
        self.text[..3].iter().map(sextet).fold(0, |index, sextet| index << 6 | sextet)
    }
}

/// The value of each character; [`NONE`] for the others.
static SEXTETS: [u8; 256] = {
    let mut sextets = [NONE; 256];
    let mut at = 0;
    while at < 64 {
        sextets[ALPHABET[at] as usize] = at as u8;
        at += 1;
    }
    sextets[b'-' as usize] = 62;
    sextets[b'_' as usize] = 63;
    sextets
};

/// No base64 character.
const NONE: u8 = 0xFF;

fn is_base64(byte: u8) -> bool {
    SEXTETS[usize::from(byte)] != NONE
}

/// The runs of at least [`SHORTEST`] base64 characters that are neither hex nor a UUID. Looks at few
/// bytes of other text.
pub(super) fn runs(text: &[u8]) -> impl Iterator<Item = std::ops::Range<usize>> {
    let mut from = 0;
    std::iter::from_fn(move || {
        // A run that begins at or after `from` contains the byte `SHORTEST - 1` later, or ends
        // before it.
        while let Some(probe) = text.get(from..from + SHORTEST) {
            match probe.iter().rposition(|byte| !is_base64(*byte)) {
                Some(other) => from += other + 1,
                None => {
                    let start = from;
                    let more = text[from..].iter().position(|byte| !is_base64(*byte));
                    from = more.map_or(text.len(), |length| start + length);
                    // Hashes and UUIDs are no base64 of a text.
                    let is_uuid = from - start == UUID;
                    let is_hex = |byte: &u8| byte.is_ascii_hexdigit() || is_uuid && *byte == b'-';
                    if !text[start..from].iter().all(is_hex) {
                        return Some(start..from);
                    }
                }
            }
        }
        None
    })
}
