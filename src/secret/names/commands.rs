//! Secrets in the options of commands and in lines of a known form: logins, cookies, `.pgpass`.

use std::ops::Range;

use super::value::{LONGEST, Strength, is_real, is_spoken};
use crate::secret::proof::real;

/// Maximum number of bytes between a command and the option with its login.
const LOGIN: usize = 400;

/// The names of cookies that hold a session.
const SESSIONS: [&str; 8] = ["session", "sess", "sid", "token", "auth", "jwt", "remember", "login"];

/// The cookies after `Cookie:`, `Set-Cookie:`, `--cookie` or `curl -b`, if one of them looks like a
/// session.
pub(in crate::secret) fn cookie_at(text: &str, hit: usize) -> Option<Range<usize>> {
    let start = match text.get(hit..)?.strip_prefix(" -b") {
        Some(rest) => cookies_of_curl(text, hit, rest)?,
        None => cookies_of_header(text, hit)?,
    };
    let rest = &text[start..];
    let ends = |at: usize, byte: u8| {
        b"\"'\n\r\\<>)".contains(&byte)
            || (byte == b' ' && rest.as_bytes().get(at.wrapping_sub(1)) != Some(&b';'))
    };
    let length = rest.bytes().take(LONGEST).enumerate();
    let length = length.take_while(|(at, byte)| !ends(*at, *byte)).count();
    let cookies = text.get(start..start + length)?.trim_end();
    let session = cookies.split(';').filter_map(|cookie| cookie.split_once('='));
    let session = session.into_iter().any(|(name, value)| {
        let name = name.trim().to_ascii_lowercase();
        let is_named = SESSIONS.iter().any(|session| name.contains(session));
        let value = value.trim();
        is_real(value, Strength::Secret, true)
            || (is_named && value.len() >= 8 && is_real(value, Strength::Password, true))
    });
    session.then(|| start..start + cookies.len())
}

/// Where the cookies after the name of a header or an option begin.
fn cookies_of_header(text: &str, hit: usize) -> Option<usize> {
    let is_option = text[..hit].ends_with("--");
    let rest = text.get(hit + "cookie".len()..)?;
    let rest = rest.trim_start_matches(['"', '\'', '\\']);
    let value = rest.trim_start();
    let value = match value.strip_prefix([':', '=']) {
        Some(value) => value.trim_start(),
        None if is_option && value.len() < rest.len() => value,
        None => return None,
    };
    Some(text.len() - value.trim_start_matches(['"', '\'', '\\']).len())
}

/// Where the cookies of `curl -b …` begin; `rest` is the text after the option.
fn cookies_of_curl(text: &str, hit: usize, rest: &str) -> Option<usize> {
    let before = &text[text.floor_char_boundary(hit.saturating_sub(LOGIN))..hit];
    let line = before.rsplit('\n').next().unwrap_or_default();
    let value = rest.trim_start_matches(['"', '\'', '\\', ' ', '=']);
    line.contains("curl").then(|| text.len() - value.len())
}

/// Whether a name of cookies at `hit` may be followed by some. Fast.
pub(in crate::secret) fn is_cookie(bytes: &[u8], hit: usize) -> bool {
    match bytes[hit] {
        b' ' => {
            is_login(bytes, hit) && bytes.get(hit + 3).is_none_or(|next| b" '\"\\".contains(next))
        }
        _ => bytes.get(hit + "cookie".len()).is_none_or(|next| b"\"'\\:= %".contains(next)),
    }
}

/// Whether an option at `hit` may be that of a login. Fast.
pub(in crate::secret) fn is_login(bytes: &[u8], hit: usize) -> bool {
    bytes[..hit].iter().rev().take(LOGIN).any(|byte| matches!(byte, b'l' | b't' | b'h'))
}

/// The password in `curl -u user:password` or `curl --user user:password`.
pub(in crate::secret) fn login_at(text: &str, hit: usize) -> Option<Range<usize>> {
    let before = &text[text.floor_char_boundary(hit.saturating_sub(LOGIN))..hit];
    let line = before.rsplit('\n').next().unwrap_or_default();
    if !["curl", "wget", "http"].iter().any(|command| line.contains(command)) {
        return None;
    }
    let bytes = text.as_bytes();
    let option = ["-u", "--user", "--proxy-user"];
    let rest = text.get(hit..)?.trim_start();
    let rest = option.iter().rev().find_map(|option| rest.strip_prefix(option))?;
    let rest = rest.trim_start_matches(['"', '\'', '\\', ',', ' ', '=']);
    let start = text.len() - rest.len();
    let stop = |byte: &u8| byte.is_ascii_whitespace() || b"\"'\\,;|&".contains(byte);
    let length = bytes[start..].iter().take(LONGEST).take_while(|byte| !stop(byte)).count();
    let (user, _) = text.get(start..start + length)?.split_once(':')?;
    let range = start + user.len() + 1..start + length;
    is_real(&text[range.clone()], Strength::Password, true).then_some(range)
}

/// The password in a line of `.pgpass`, whose port is at `hit`, or that is near the name of the
/// file at `hit`: on its line before it, or on one of the next lines.
pub(in crate::secret) fn pgpass_at(text: &str, hit: usize) -> Option<Range<usize>> {
    /// The number of bytes and of lines that are searched.
    const REACH: usize = 1 << 10;
    const LINES: usize = 8;
    let from = text.floor_char_boundary(hit.saturating_sub(REACH));
    let start = text[from..hit].rfind('\n').map_or(from, |at| from + at + 1);
    let end = text.floor_char_boundary(hit + REACH);
    if text.as_bytes()[hit] == b':' {
        let line = text[start..end].lines().next()?;
        let password = password_of(line, |port| port == "*" || is_usual_port(port))?;
        let range = start + password.start..start + password.end;
        let alone = is_real(&text[range.clone()], Strength::Password, true);
        return (alone && range.start > hit).then_some(range);
    }
    let mut at = start;
    text[start..end].split('\n').take(LINES).find_map(|line| {
        let start = at;
        at += line.len() + 1;
        let number = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
        let password = password_of(line, |port| port == "*" || number(port))?;
        let value = &line[password.clone()];
        (is_real(value, Strength::Password, true) || (real(value) && is_spoken(value)))
            .then(|| start + password.start..start + password.end)
    })
}

/// Whether a number after a colon at `hit` may be a port of PostgreSQL, or stand for all. Fast.
pub(in crate::secret) fn is_pgpass(bytes: &[u8], hit: usize) -> bool {
    match bytes.get(hit..hit + 6) {
        Some([b':', b'*', b':', ..]) => true,
        Some([b':', port @ .., b':']) => std::str::from_utf8(port).is_ok_and(is_usual_port),
        Some([b':', ..]) => false,
        _ => true,
    }
}

/// 5432 to 5439.
fn is_usual_port(port: &str) -> bool {
    port.strip_prefix("543").is_some_and(|last| matches!(last.as_bytes(), [b'2'..=b'9']))
}

/// The place of the password in a line `host:port:database:user:password`, which may be quoted and
/// have a command or the number of the line before it.
fn password_of(line: &str, is_port: impl Fn(&str) -> bool) -> Option<Range<usize>> {
    let blank = |c: char| c.is_whitespace() || "\"'`|\u{2192}".contains(c);
    let is_line = |word: &str| word.matches(':').count() == 4;
    let word = line.split(blank).find(|word| is_line(word))?;
    let fields: Vec<&str> = word.split(':').collect();
    let names = |field: &&str| {
        !field.is_empty()
            && field.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.*-/".contains(&b))
    };
    let [head @ .., password] = fields.as_slice() else { return None };
    // `(host:…:password)`, `NAME=host:…`
    let host = head[0].rsplit(['(', '=']).next().unwrap_or_default();
    let ends = password.trim_end_matches(')');
    let start = word.as_ptr() as usize - line.as_ptr() as usize + word.len() - password.len();
    // `file:line:column:error:…`
    let is_column = head[2].bytes().all(|byte| byte.is_ascii_digit());
    let is_named = names(&host) && head[1..].iter().all(names);
    (is_named && is_port(head[1]) && !is_column && !ends.is_empty())
        .then(|| start..start + ends.len())
}
