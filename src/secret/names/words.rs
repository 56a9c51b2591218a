//! The words of a name: what they say about its value.

use super::Strength;
use crate::secret::rule::begins_word;

/// Maximum length of a name in bytes.
pub(super) const LONGEST_NAME: usize = 80;

/// A word that ends the name of a secret.
struct Keyword {
    word: &'static str,
    /// The rule for such names.
    rule: &'static str,
    strength: Strength,
    /// What the words before it must or must not be.
    before: Before,
}

/// The condition on the words before a keyword.
#[derive(Clone, Copy, Debug)]
enum Before {
    /// Anything, also without a border: `pgpassword`.
    Anything,
    /// A border: `db_pass`, but not `compass`.
    Border,
    /// One of the words in [`KEYS`]: `api_key`; else a word and a border: `stripe_key`, but not
    /// `primary_key`.
    KindOfKey,
    /// None of the words in [`COUNTED`]: `auth_token`, but not `next_token`.
    NoPosition,
}

/// The keywords, the longer ones first. They begin with the prefixes of the rules for names.
const KEYWORDS: [Keyword; 13] = [
    Keyword {
        word: "authorization",
        rule: "credentials",
        strength: Strength::Token,
        before: Before::Border,
    },
    Keyword {
        word: "credentials",
        rule: "credentials",
        strength: Strength::Token,
        before: Before::Border,
    },
    Keyword {
        word: "passphrase",
        rule: "password",
        strength: Strength::Password,
        before: Before::Anything,
    },
    Keyword {
        word: "passcode",
        rule: "password",
        strength: Strength::Password,
        before: Before::Border,
    },
    Keyword {
        word: "password",
        rule: "password",
        strength: Strength::Password,
        before: Before::Anything,
    },
    Keyword {
        word: "passwd",
        rule: "password",
        strength: Strength::Password,
        before: Before::Anything,
    },
    Keyword {
        word: "secret",
        rule: "secret",
        strength: Strength::Secret,
        before: Before::Anything,
    },
    Keyword {
        word: "creds",
        rule: "credentials",
        strength: Strength::Token,
        before: Before::Border,
    },
    Keyword { word: "token", rule: "token", strength: Strength::Token, before: Before::NoPosition },
    Keyword {
        word: "auth",
        rule: "credentials",
        strength: Strength::Token,
        before: Before::Border,
    },
    Keyword {
        word: "pass",
        rule: "password",
        strength: Strength::Password,
        before: Before::Border,
    },
    Keyword { word: "pwd", rule: "password", strength: Strength::Password, before: Before::Border },
    Keyword { word: "key", rule: "api-key", strength: Strength::Secret, before: Before::KindOfKey },
];

/// The words before `key` that make it a secret.
const KEYS: [&str; 45] = [
    "access",
    "account",
    "admin",
    "aes",
    "api",
    "app",
    "application",
    "auth",
    "client",
    "consumer",
    "cookie",
    "customer",
    "deploy",
    "deployment",
    "encrypt",
    "encryption",
    "hmac",
    "hook",
    "ingest",
    "ingestion",
    "integration",
    "jwt",
    "license",
    "licence",
    "live",
    "management",
    "master",
    "private",
    "publish",
    "rest",
    "restricted",
    "root",
    "secret",
    "send",
    "server",
    "service",
    "session",
    "shared",
    "sign",
    "signing",
    "ssh",
    "storage",
    "subscription",
    "token",
    "write",
];

/// The words before `key` that make it no secret.
const OTHER_KEYS: [&str; 44] = [
    "answer",
    "attr",
    "attribute",
    "block",
    "bucket",
    "cache",
    "column",
    "composite",
    "config",
    "context",
    "data",
    "dedup",
    "event",
    "field",
    "file",
    "foreign",
    "group",
    "hash",
    "header",
    "id",
    "idempotency",
    "image",
    "index",
    "item",
    "lock",
    "lookup",
    "map",
    "object",
    "partition",
    "primary",
    "pub",
    "public",
    "publishable",
    "queue",
    "reg",
    "registry",
    "row",
    "shard",
    "site",
    "sort",
    "state",
    "unique",
    "verification",
    "verify",
];

/// The words before `token` that make it a position in a list, or a piece of a text.
const COUNTED: [&str; 53] = [
    "action",
    "backward",
    "change",
    "client",
    "export",
    "forward",
    "grant",
    "idempotency",
    "import",
    "placeholder",
    "product",
    "purchase",
    "request",
    "resumption",
    "starting",
    "unit",
    "update",
    "bos",
    "cancel",
    "cancellation",
    "close",
    "cls",
    "continuation",
    "csrf",
    "current",
    "cursor",
    "end",
    "eos",
    "eot",
    "first",
    "image",
    "input",
    "last",
    "lookahead",
    "mask",
    "max",
    "next",
    "open",
    "output",
    "pad",
    "page",
    "pagination",
    "peek",
    "prev",
    "previous",
    "resume",
    "sep",
    "skip",
    "special",
    "start",
    "stop",
    "sync",
    "xsrf",
];

/// The words before `token` that make it a secret, also if it is a UUID.
const TOKENS: [&str; 14] = [
    "access", "admin", "api", "auth", "bearer", "bot", "deploy", "personal", "project", "push",
    "refresh", "secret", "service", "write",
];

/// The words after a keyword that leave its meaning: `SECRET_KEY_BASE`, `token_prod`.
const AFTER: [&str; 24] = [
    "access",
    "base",
    "bot",
    "current",
    "default",
    "dev",
    "development",
    "dst",
    "int",
    "key",
    "live",
    "main",
    "new",
    "old",
    "plain",
    "prd",
    "prod",
    "production",
    "src",
    "staging",
    "string",
    "test",
    "text",
    "value",
];

/// The words after `secret` that leave its meaning, besides these: none other do.
fn stays(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
        || AFTER.iter().any(|after| after.eq_ignore_ascii_case(word))
}

/// A name in a text, and how strong a value it announces.
#[derive(Clone, Copy, Debug)]
pub(super) struct Name {
    /// Where it begins.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// The rule for such names.
    pub rule: &'static str,
    pub strength: Strength,
}

/// The name around the keyword at `hit`, if it names a secret.
pub(super) fn name_at(text: &str, hit: usize) -> Option<Name> {
    let bytes = text.as_bytes();
    let keyword = keyword_at(&bytes[hit..])?;
    let after = hit + keyword.word.len();
    let end = after + bytes[after..].iter().take(LONGEST_NAME).take_while(|b| in_name(**b)).count();
    if !words(&text[after..end]).all(stays) {
        return None;
    }
    let length = bytes[..hit].iter().rev().take(LONGEST_NAME).take_while(|b| in_name(**b)).count();
    let start = hit - length;
    let head = text[start..hit].trim_end_matches(['_', '-', '.']);
    let environment =
        head.len() < hit - start && bytes[start..end].iter().all(|b| !b.is_ascii_lowercase());
    let strength = match keyword.strength {
        Strength::Token if environment || ends_with_any(head, &TOKENS) => Strength::Secret,
        strength => strength,
    };
    let before = &text[start..hit];
    let strength = match fits(keyword, before, bytes[hit]) {
        true => strength,
        false if is_other_key(keyword, before) => Strength::AnyKey,
        false => return None,
    };
    Some(Name { start, end, rule: keyword.rule, strength })
}

/// A text that is the name of a secret as a whole.
pub(super) fn whole_name(text: &str) -> Option<Name> {
    if text.len() > LONGEST_NAME {
        return None;
    }
    (0..text.len()).filter(|at| text.is_char_boundary(*at)).find_map(|at| {
        let name = name_at(text, at)?;
        (name.start == 0 && name.end == text.len()).then_some(name)
    })
}

/// Whether a keyword at `hit` may be the end of a name that a value follows. Fast.
pub(in crate::secret) fn is_followed(bytes: &[u8], hit: usize) -> bool {
    let Some(keyword) = keyword_at(&bytes[hit..]) else { return false };
    let after = &bytes[hit + keyword.word.len()..];
    if let Some(b' ' | b'\t') = after.first() {
        // `name = value`, `name value="…"`, `--name value`, `login me password value`
        let next = after.iter().find(|byte| !matches!(byte, b' ' | b'\t'));
        let joined = next.is_none_or(|next| b"=:>,vV\"'`\\\n\r-".contains(next));
        return joined
            || keyword.word == "password"
            || is_option_name(&bytes[..hit])
            || is_declared(&bytes[..hit - name_before(&bytes[..hit])]);
    }
    after.first().is_none_or(|next| {
        b"\"'\\`]>=: \t\r\n,%_-.\x1b".contains(next)
            || next.is_ascii_digit()
            || next.is_ascii_uppercase()
    }) && !goes_on_otherwise(after)
}

/// Whether a name goes on after its keyword with a word that makes it no name of a secret:
/// `token_count`.
fn goes_on_otherwise(after: &[u8]) -> bool {
    let length = after.iter().take(LONGEST_NAME).take_while(|byte| in_name(**byte)).count();
    // An escape or an invisible character may hide that the word is another one.
    let hides = |byte: &u8| !byte.is_ascii() || b"\\%&\x1b".contains(byte);
    if length == LONGEST_NAME || after.get(length).is_some_and(hides) {
        return false;
    }
    let rest = std::str::from_utf8(&after[..length]).unwrap_or_default();
    words(rest.trim_start_matches(['_', '-', '.'])).next().is_some_and(|word| !stays(word))
}

/// Whether the name that ends here begins with `-`, or with `--` after the end of an escape.
fn is_option_name(before: &[u8]) -> bool {
    let name = &before[before.len() - name_before(before)..];
    name.first() == Some(&b'-') || name.windows(2).any(|pair| pair == b"--")
}

/// The length of the part of a name that ends here.
fn name_before(before: &[u8]) -> usize {
    before.iter().rev().take(LONGEST_NAME).take_while(|byte| in_name(**byte)).count()
}

/// Whether a word before a name says that its value follows after a blank: `ENV NAME value` of a
/// Dockerfile, `setenv NAME value`, `set -x NAME value`.
pub(super) fn is_declared(before: &[u8]) -> bool {
    const WORDS: [&[u8]; 6] = [b"ENV", b"setenv", b"set -x", b"set -gx", b"set -Ux", b"set -xg"];
    let Some((b' ' | b'\t', _)) = before.split_last() else { return false };
    let before = before.trim_ascii_end();
    WORDS.iter().any(|word| {
        before.strip_suffix(*word).is_some_and(|rest| begins_word(rest) && !rest.ends_with(b"_"))
    })
}

fn keyword_at(bytes: &[u8]) -> Option<&'static Keyword> {
    KEYWORDS.iter().find(|keyword| {
        bytes
            .get(..keyword.word.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(keyword.word.as_bytes()))
    })
}

fn in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-.".contains(&byte)
}

/// Whether the words before a keyword are what it needs. `first` is its first byte.
fn fits(keyword: &Keyword, before: &str, first: u8) -> bool {
    let last = before.bytes().next_back();
    let border = last.is_none_or(|last| {
        !last.is_ascii_alphabetic() || (last.is_ascii_lowercase() && first.is_ascii_uppercase())
    });
    let head = before.trim_end_matches(['_', '-', '.']);
    match keyword.before {
        Before::Anything => true,
        Before::Border => border,
        Before::KindOfKey => ends_with_any(head, &KEYS),
        Before::NoPosition => !ends_with_any(head, &COUNTED),
    }
}

/// Whether the words before `_key` may name the service that it belongs to.
fn is_other_key(keyword: &Keyword, before: &str) -> bool {
    let Some(head) = before.strip_suffix(['_', '-']) else { return false };
    let other = |word: &str| OTHER_KEYS.iter().any(|other| other.eq_ignore_ascii_case(word));
    matches!(keyword.before, Before::KindOfKey)
        && head.contains(|c: char| c.is_ascii_alphabetic())
        && !head.starts_with('-')
        && !words(head).any(other)
}

/// Whether a text ends with one of these words, in any case.
fn ends_with_any(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| {
        let at = text.len().checked_sub(word.len());
        at.and_then(|at| text.get(at..)).is_some_and(|end| end.eq_ignore_ascii_case(word))
    })
}

/// The words of a name: `secretAccess_key` has three.
fn words(name: &str) -> impl Iterator<Item = &str> {
    name.split(['_', '-', '.']).flat_map(|part| {
        let mut rest = part;
        std::iter::from_fn(move || {
            let kind = |byte: u8| byte.is_ascii_digit();
            if rest.is_empty() {
                return None;
            }
            let tail = rest.as_bytes().windows(2).position(|pair| {
                kind(pair[0]) != kind(pair[1])
                    || (pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
            });
            let (word, next) = rest.split_at(tail.map_or(rest.len(), |at| at + 1));
            rest = next;
            Some(word)
        })
    })
}
