//! Whether a value looks like a secret: no placeholder, no variable, no type, no path, no hash.

/// Maximum length of a secret in bytes.
pub(super) const LONGEST: usize = 4 << 10;
/// Maximum length of a name that begins with a vendor's.
pub(super) const LONGEST_VENDOR: usize = 32;

/// What a name says about its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::secret) enum Strength {
    /// A password, which a person may have made up.
    Password,
    /// A key or a secret, which a machine made; also a UUID.
    Secret,
    /// A token: as a secret, but a UUID or a plain word with a number may be something else.
    Token,
    /// A key of an unknown kind: it must look random.
    AnyKey,
}

/// Whether the value of a name looks like a secret. `alone` says that nothing else is in its
/// place: the value is quoted, or the rest of a line.
pub(super) fn is_real(value: &str, strength: Strength, alone: bool) -> bool {
    if value.len() > LONGEST
        || is_placeholder(value)
        || is_reference(value, alone)
        || is_path(value)
    {
        return false;
    }
    let classes = Classes::of(value);
    match strength {
        Strength::Password => {
            value.len() >= 6
                && !classes.space
                && classes.letters > 0
                && (classes.digits > 0 || (classes.symbols > 0 && classes.strange))
                && (alone || !is_identifier(value))
        }
        Strength::Secret | Strength::Token => {
            let least = if classes.upper > 0 && classes.lower > 0 { 12 } else { 16 };
            let uuid = is_uuid(value);
            if uuid && strength == Strength::Token {
                return false;
            }
            value.len() >= least
                && !classes.space
                && classes.letters > 0
                && classes.digits > 0
                && (uuid || (!is_words(value) && entropy(value) >= 3.0))
        }
        Strength::AnyKey => is_random(value, &classes),
    }
}

/// Whether a word is a password that a person made up, where only a password can be.
pub(in crate::secret) fn is_spoken(value: &str) -> bool {
    const SHORTEST: usize = 4;
    let lower = value.to_ascii_lowercase();
    let plain = value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.!@#".contains(&byte));
    let spoken = value.bytes().any(|byte| byte.is_ascii_lowercase());
    let stands_for = STAND_INS.contains(&lower.as_str())
        || lower.split(['_', '-', '.']).any(|word| NAMES.contains(&word));
    value.len() >= SHORTEST
        && plain
        && spoken
        && !value.starts_with('-')
        && !stands_for
        && !is_placeholder(value)
        && !is_reference(value, true)
        && !is_path(value)
}

/// Words in the place of a password: settings, types, and words of prose.
const STAND_INS: [&str; 52] = [
    "also",
    "and",
    "argument",
    "auth",
    "auto",
    "bearer",
    "bool",
    "both",
    "default",
    "disabled",
    "does",
    "empty",
    "enabled",
    "false",
    "file",
    "flag",
    "flags",
    "for",
    "from",
    "have",
    "into",
    "json",
    "must",
    "name",
    "none",
    "null",
    "only",
    "option",
    "options",
    "parameter",
    "path",
    "prompt",
    "required",
    "requires",
    "stdin",
    "str",
    "string",
    "text",
    "that",
    "then",
    "this",
    "true",
    "used",
    "user",
    "username",
    "value",
    "values",
    "when",
    "will",
    "with",
    "without",
    "word",
];

/// Words of a name that stands for a password.
const NAMES: [&str; 9] =
    ["credential", "credentials", "pass", "passwd", "password", "pwd", "secret", "token", "tokens"];

/// Whether a value of at least 16 characters is hex, or has capitals, small letters and digits.
fn is_random(value: &str, classes: &Classes) -> bool {
    const SHORTEST: usize = 16;
    let token = |byte: u8| byte.is_ascii_alphanumeric() || b"_-+/=.~".contains(&byte);
    let hex = classes.digits >= 3 && value.bytes().all(|byte| byte.is_ascii_hexdigit());
    let mixed = classes.digits >= 2 && classes.upper >= 2 && classes.lower >= 2;
    // The keys that a vendor publishes.
    let public = ["pk_", "pk-", "pub-", "ssh-"].iter().any(|lead| value.starts_with(lead));
    value.len() >= SHORTEST
        && value.bytes().all(token)
        && classes.letters > 0
        && (hex || mixed)
        && !public
        && !(value.contains('.') && is_dotted(value))
        && !is_words(value)
        && entropy(value) >= 3.0
}

/// Whether a value has the form in which vendors give out keys: hex, a UUID, or a long random text.
pub(super) fn is_vendor_key(value: &str) -> bool {
    let hex = value.len() >= 32 && value.bytes().all(|byte| byte.is_ascii_hexdigit());
    let random = value.len() >= 20
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && Classes::of(value).digits >= 3;
    (hex || is_uuid(value) || random) && is_real(value, Strength::Secret, true)
}

/// How many characters of each class a value has.
#[derive(Clone, Copy, Debug, Default)]
struct Classes {
    letters: usize,
    upper: usize,
    lower: usize,
    digits: usize,
    symbols: usize,
    /// A symbol that no name in source code contains.
    strange: bool,
    space: bool,
}

impl Classes {
    fn of(value: &str) -> Self {
        let mut classes = Self::default();
        for character in value.chars() {
            match character {
                'A'..='Z' => classes.upper += 1,
                'a'..='z' => classes.lower += 1,
                '0'..='9' => classes.digits += 1,
                _ if character.is_whitespace() || character.is_control() => classes.space = true,
                _ => {
                    classes.symbols += 1;
                    classes.strange |= "!@#$%^&*+=?~".contains(character);
                }
            }
        }
        classes.letters = classes.upper + classes.lower;
        classes
    }
}

/// Parts of values in examples.
const EXAMPLES: [&str; 30] = [
    "example",
    "changeme",
    "change-me",
    "change_me",
    "your",
    "placeholder",
    "dummy",
    "redacted",
    "xxxx",
    "insert",
    "replace",
    "....",
    "****",
    "todo",
    "fixme",
    "not-a-real",
    "notreal",
    "fake",
    "sample",
    "my-",
    "my_",
    "mysecret",
    "mypass",
    "mytoken",
    "abcdefghijklmnop",
    "1234567890",
    "foobar",
    "hidden",
    "masked",
    "undefined",
];

fn is_placeholder(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let name = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
    let keyword = ["password", "passwd"].iter().any(|word| lower.contains(word));
    let word = lower.trim_end_matches(|c: char| c.is_ascii_digit());
    let plain = ["pass", "secret", "token", "test", "user", "admin", "key"].contains(&word);
    let repeats = lower.as_bytes().windows(6).any(|run| run.iter().all(|byte| *byte == run[0]));
    repeats
        || (keyword && lower.bytes().all(name))
        || (plain && lower.len() - word.len() <= 4)
        || EXAMPLES.iter().any(|part| lower.contains(part))
        || value.contains('…')
}

/// A variable, a call, or the name of something: `${TOKEN}`, `env("TOKEN")`, `self.password`.
fn is_reference(value: &str, alone: bool) -> bool {
    const HASHES: [&str; 9] =
        ["sha1-", "sha256-", "sha384-", "sha512-", "sha1:", "sha256:", "sha512:", "md5:", "h1:"];
    const LEADS: [&str; 12] =
        ["arn:", "#[", "#{", "[&", "${", "$(", "{{", "%(", "@{", "process.", "os.environ", "env."];
    let constant = value.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
    let call = value.split_once('(').is_some_and(|(name, _)| !name.is_empty() && is_dotted(name));
    let code = ["::", "->", "?.", "=!", "(", "{", "[", "&", "`", "<", ">"];
    HASHES.iter().chain(&LEADS).any(|lead| value.starts_with(lead))
        || super::super::proof::is_variable(value)
        || (value.starts_with(['<', '{', '[']) && value.ends_with(['>', '}', ']']))
        || value.contains("${")
        || value.contains("{{")
        || value.matches("\\x").count() > 1
        || value.starts_with('\\')
        || (constant && value.contains('_'))
        || call
        || is_literal(value)
        || (value.contains('.') && is_dotted(value) && is_words(value))
        || (!alone && code.iter().any(|sign| value.contains(sign)))
        || (!alone && value.starts_with(['!', '*', '$']))
}

/// Names with dots between them: `self.password`.
fn is_dotted(value: &str) -> bool {
    value.split('.').all(|name| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

/// A number as in source code: `0xC000006B_u32`, `1073741837i32`.
fn is_literal(value: &str) -> bool {
    let number = value.trim_start_matches('-');
    let (digits, hex) = match number.strip_prefix("0x") {
        Some(digits) => (digits, true),
        None => (number, false),
    };
    let digits = digits.split(['u', 'i', 'f']).next().unwrap_or_default();
    let digit =
        |byte: u8| byte.is_ascii_digit() || byte == b'_' || (hex && byte.is_ascii_hexdigit());
    number.starts_with(|c: char| c.is_ascii_digit()) && value.len() <= 24 && {
        let suffix = &number[number.len().min(digits.len() + if hex { 2 } else { 0 })..];
        digits.bytes().all(digit)
            && (suffix.is_empty() || suffix.len() <= 5)
            && (hex || !suffix.is_empty())
    }
}

/// A path, an address or the name of a file.
fn is_path(value: &str) -> bool {
    let drive = value.as_bytes().get(1..3).is_some_and(|rest| rest == b":\\");
    let extension = value.rsplit_once('.').map(|(_, end)| end);
    let file = extension.is_some_and(|end| {
        (1..=5).contains(&end.len())
            && end.bytes().all(|byte| byte.is_ascii_lowercase())
            && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-/".contains(&byte))
            && !value.starts_with("ey")
    });
    drive
        || file
        || value.contains("://")
        || ["/", "./", "../", "~/", "@"].iter().any(|lead| value.starts_with(lead))
}

/// A name with a number, as in source code: `utf8`, `token_v2`, `self.buf2`.
pub(super) fn is_identifier(value: &str) -> bool {
    is_words(value) && !value.contains(|c: char| "!@#$%^&*+=?~".contains(c))
}

/// Words with small numbers between separators: `my-app-2`, `oauth2_token_v1`, `x25519Seed`.
fn is_words(value: &str) -> bool {
    let separators = ['-', '_', '.', '/', ':', ',', '=', '+', ' '];
    value.split(separators).all(|part| {
        let (mut letters, mut words, mut numbers, mut digits, mut upper) = (0, 0, 0, 0, 0);
        let mut last = b' ';
        for byte in part.bytes() {
            if byte.is_ascii_digit() {
                digits += 1;
                numbers += usize::from(!last.is_ascii_digit());
            } else {
                letters += 1;
                upper += usize::from(byte.is_ascii_uppercase());
                let begins = !last.is_ascii_alphabetic()
                    || (last.is_ascii_lowercase() && byte.is_ascii_uppercase());
                words += usize::from(begins);
            }
            last = byte;
        }
        let plain = words <= 1 && numbers <= 1 && (letters <= 12 || numbers == 0);
        // A random text has as many capitals as small letters.
        let cased = upper == letters || 3 * upper <= letters;
        let named =
            cased && words > 0 && letters / words >= 3 && numbers <= 2 && letters >= 2 * digits;
        (letters == 0 && digits <= 8) || (digits <= 5 && (plain || named))
    })
}

/// A UUID, with its four hyphens.
fn is_uuid(value: &str) -> bool {
    let lengths = [8, 4, 4, 4, 12];
    value.len() == 36
        && value.split('-').map(str::len).eq(lengths)
        && value.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

/// The Shannon entropy in bits per byte.
fn entropy(value: &str) -> f64 {
    let mut counts = [0_u32; 256];
    value.bytes().for_each(|byte| counts[usize::from(byte)] += 1);
    let total = value.len() as f64;
    let part = |count: &u32| {
        let share = f64::from(*count) / total;
        -share * share.log2()
    };
    counts.iter().filter(|count| **count > 0).map(part).sum()
}
