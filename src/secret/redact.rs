//! Replaces secrets in plain text and in JSON.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use super::suspects::Suspects;
use super::{FoundSecret, SecretRules, names};
use crate::event::catalogue;
use crate::json::{Json, JsonIndex, JsonRules, Kind, quoted, unescape};

/// A text without its secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redacted {
    /// The text.
    pub text: String,
    /// The number of replaced secrets.
    pub count: u64,
    /// The rules that found them.
    pub rules: BTreeSet<String>,
}

impl SecretRules {
    /// Replaces the secrets in a plain text; `None` if there are none.
    #[must_use]
    pub fn redact(&self, text: &str) -> Option<Redacted> {
        if !self.may_hold_secret(text.as_bytes()) {
            return None;
        }
        replace(text, &self.find(text))
    }

    /// Replaces the secrets in a line of text after other lines, in which some may begin; `None` if
    /// there are none. `before` ends with a newline.
    #[must_use]
    pub fn redact_after(&self, before: &str, text: &str) -> Option<Redacted> {
        let whole = format!("{before}{text}");
        if !self.may_hold_secret(whole.as_bytes()) {
            return None;
        }
        let mut found = self.find(&whole);
        found.retain(|secret| secret.range.end > before.len());
        for secret in &mut found {
            let start = secret.range.start.saturating_sub(before.len());
            secret.range = start..secret.range.end - before.len();
        }
        replace(text, &found)
    }

    /// Replaces the secrets in bytes that may not be valid UTF-8; `None` if there are none.
    #[must_use]
    pub fn redact_bytes(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        if !self.may_hold_secret(bytes) {
            return None;
        }
        let mut out = Vec::with_capacity(bytes.len());
        let mut count = 0;
        for chunk in bytes.utf8_chunks() {
            match self.redact(chunk.valid()) {
                Some(redacted) => {
                    count += redacted.count;
                    out.extend_from_slice(redacted.text.as_bytes());
                }
                None => out.extend_from_slice(chunk.valid().as_bytes()),
            }
            out.extend_from_slice(chunk.invalid());
        }
        (count > 0).then_some(out)
    }

    /// Replaces the secrets in every string and key of a JSON value; `None` if there are none.
    /// Tokens without a secret are unchanged.
    #[must_use]
    pub fn redact_json(&self, value: Json<'_>) -> Option<Redacted> {
        self.redact_value(value, &mut Vec::new())
    }

    /// Does so for values that repeat texts of one another. Such a text is searched once.
    pub(crate) fn redact_each<'t>(
        &self,
        values: impl IntoIterator<Item = Json<'t>>,
    ) -> Vec<Option<Redacted>> {
        let mut harmless = Vec::new();
        values.into_iter().map(|value| self.redact_value(value, &mut harmless)).collect()
    }

    fn redact_value<'t>(&self, value: Json<'t>, harmless: &mut Vec<&'t str>) -> Option<Redacted> {
        let mut suspects = Suspects::new(self, value.text());
        if !suspects.any_in(value) {
            return None;
        }
        let mut index = JsonIndex::default();
        let value = match value.has_index() {
            true => value,
            false => index.check(value.text().as_bytes(), JsonRules::LENIENT).unwrap_or(value),
        };
        let mut walk = Walk {
            rules: self,
            suspects,
            harmless,
            edits: Edits::default(),
            count: 0,
            rules_hit: BTreeSet::new(),
        };
        walk.value(value, "");
        (walk.count > 0).then(|| Redacted {
            text: Json::trusted(&walk.edits.finish(value.text())).compact().into_owned(),
            count: walk.count,
            rules: walk.rules_hit,
        })
    }

    /// Whether a secret may begin somewhere in a JSON value. Where none may, it has none. Fast.
    #[must_use]
    pub(crate) fn may_be_in(&self, value: Json<'_>) -> bool {
        Suspects::new(self, value.text()).any_in(value)
    }

    /// Replaces the secrets in JSON members without braces (`"a":1,"b":2`).
    #[must_use]
    pub fn redact_members(&self, members: &str) -> Option<Redacted> {
        let object = format!("{{{members}}}");
        let mut redacted = self.redact_json(Json::trusted(&object))?;
        redacted.text.pop();
        redacted.text.remove(0);
        Some(redacted)
    }
}

fn replace(text: &str, found: &[FoundSecret<'_>]) -> Option<Redacted> {
    if found.is_empty() {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut kept = 0;
    for secret in found {
        out.push_str(&text[kept..secret.range.start]);
        out.push_str("[REDACTED:");
        out.push_str(secret.rule);
        out.push(']');
        kept = secret.range.end;
    }
    out.push_str(&text[kept..]);
    let rules = found.iter().map(|secret| secret.rule.to_owned()).collect();
    Some(Redacted { text: out, count: found.len() as u64, rules })
}

/// Maximum length in bytes of a text that is searched together with its key.
const LONGEST_NAMED: usize = 8 << 10;

/// Minimum length in bytes of a string that is remembered if no secret is in it.
const REMEMBERED: usize = 256;
/// Maximum number of strings that are remembered.
const MOST_REMEMBERED: usize = 8;

/// Walks through a JSON value and collects what is replaced.
struct Walk<'r, 't> {
    rules: &'r SecretRules,
    suspects: Suspects<'r, 't>,
    /// Suspect strings without a secret. Sources repeat long texts in other members.
    harmless: &'r mut Vec<&'t str>,
    edits: Edits,
    count: u64,
    rules_hit: BTreeSet<String>,
}

impl Walk<'_, '_> {
    /// Takes the value of `key`.
    fn value(&mut self, value: Json<'_>, key: &str) {
        match value.kind() {
            Kind::Object => self.object(value),
            Kind::Array => {
                let mut option: Option<String> = None;
                for item in value.items() {
                    // `["--token", "…"]`
                    self.value(item, option.as_deref().unwrap_or(key));
                    option =
                        item.as_str().filter(|text| names::is_option(text)).map(Cow::into_owned);
                }
            }
            Kind::String => self.string(value, key),
            _ => {}
        }
    }

    fn object(&mut self, object: Json<'_>) {
        let mut renamed: Vec<String> = Vec::new();
        for (raw, value) in object.raw_members() {
            let key = unescape(raw);
            // A rule of a user must not hide what an event says of itself.
            if self.suspects.any_in(Json::trusted(raw))
                && !catalogue::knows_member(&key)
                && let Some(redacted) = self.rules.redact(&key)
            {
                self.count += redacted.count;
                self.rules_hit.extend(redacted.rules);
                let name = free_name(redacted.text, object, &renamed);
                let place = self.suspects.place(raw);
                self.edits.replace(place.start - 1..place.end + 1, &name);
                renamed.push(name);
            }
            // `{"name": "DB_PASSWORD", "value": "…"}`
            let label =
                || ["name", "key"].into_iter().find_map(|label| object.get(label)?.as_str());
            match if key == "value" { label() } else { None } {
                Some(label) => self.value(value, &label),
                None => self.value(value, &key),
            }
        }
    }

    fn string(&mut self, value: Json<'_>, key: &str) {
        let is_suspect =
            self.suspects.any_in(value) && !self.harmless.iter().any(|text| *text == value.text());
        let is_named = !key.is_empty() && self.rules.holds_prefix(key.as_bytes());
        if !is_suspect && !is_named {
            return;
        }
        let text = value.as_str().unwrap_or_default();
        // The type decides what an event means.
        if key == "type" && catalogue::row(&text).is_some() {
            return;
        }
        // What is suspect needs no second search for its first prefix.
        let redacted = if is_suspect { replace(&text, &self.rules.find(&text)) } else { None };
        if is_suspect && redacted.is_none() && value.text().len() >= REMEMBERED {
            self.harmless.truncate(MOST_REMEMBERED - 1);
            self.harmless.insert(0, self.suspects.part(value.text()));
        }
        let named = || if is_named { self.named(key, &text) } else { None };
        // If the key shows that the whole text is secret, its parts are not enough.
        let is_secret = is_named && names::rule_of(key, &text).is_some();
        let redacted = if is_secret { named().or(redacted) } else { redacted.or_else(named) };
        if let Some(redacted) = redacted {
            self.count += redacted.count;
            self.rules_hit.extend(redacted.rules);
            self.edits.replace(self.suspects.place(value.text()), &redacted.text);
        }
    }

    /// A secret that can be recognized only with its key (`"aws_secret_access_key": …`).
    fn named(&self, key: &str, text: &str) -> Option<Redacted> {
        if text.len() > LONGEST_NAMED {
            return None;
        }
        let pair: Cow<'_, str> = format!("{key}={text}").into();
        let start = key.len() + 1;
        let mut found = self.rules.find(&pair);
        found.retain(|secret| secret.range.start >= start);
        for secret in &mut found {
            secret.range = secret.range.start - start..secret.range.end - start;
        }
        let whole = 0..text.len();
        match names::rule_of(key, text) {
            // A more specific rule names the whole text better.
            Some(rule) if found.first().is_none_or(|secret| secret.range != whole) => {
                replace(text, &[FoundSecret { range: whole, rule }])
            }
            _ => replace(text, &found),
        }
    }
}

/// The replaced parts of a text, from its beginning to its end.
#[derive(Default)]
struct Edits {
    /// Each part, and the JSON string that replaces it.
    all: Vec<(Range<usize>, String)>,
}

impl Edits {
    /// Replaces a JSON string, with its quotes, by a text.
    fn replace(&mut self, place: Range<usize>, text: &str) {
        self.all.push((place, quoted(text)));
    }

    fn finish(self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut kept = 0;
        for (place, new) in self.all {
            out.push_str(&text[kept..place.start]);
            out.push_str(&new);
            kept = place.end;
        }
        out.push_str(&text[kept..]);
        out
    }
}

/// The name; with a number appended if the object already has that name.
fn free_name(name: String, object: Json<'_>, renamed: &[String]) -> String {
    let taken =
        |name: &str| object.get(name).is_some() || renamed.iter().any(|other| other == name);
    if !taken(&name) {
        return name;
    }
    (2..).map(|number| format!("{name}~{number}")).find(|name| !taken(name)).unwrap_or(name)
}
