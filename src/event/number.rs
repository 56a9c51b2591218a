//! Numbers as the summary templates print them.

/// A JSON number in its shortest form: `1200`, `0.5`, `1` for `1.0`.
///
/// Whole numbers are kept as written, so large ones are never rounded. Other numbers follow
/// ECMAScript's Number::toString (`1e+21`, `1e-7`).
/// `None` when the number is not finite as a double (`1e400`).
#[must_use]
pub(crate) fn shortest(token: &str) -> Option<String> {
    let digits = token.strip_prefix('-').unwrap_or(token);
    if digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(if digits == "0" { "0".to_owned() } else { token.to_owned() });
    }
    let number: f64 = token.parse().ok().filter(|number: &f64| number.is_finite())?;
    Some(double(number))
}

/// A finite double as ECMAScript's Number::toString prints it.
fn double(number: f64) -> String {
    let size = number.abs();
    if size != 0.0 && !(1e-6..1e21).contains(&size) {
        let text = format!("{number:e}");
        let exponent = text.find('e').filter(|at| !text[at + 1..].starts_with('-'));
        return match exponent {
            Some(at) => format!("{}e+{}", &text[..at], &text[at + 1..]),
            None => text,
        };
    }
    format!("{}", if size == 0.0 { 0.0 } else { number })
}

/// ECMAScript's Number.prototype.toFixed: the exact binary value rounded to `places` decimals, with
/// ties away from zero; from 1e21 on like [`shortest`].
/// `None` when not finite.
#[must_use]
pub(crate) fn fixed(number: f64, places: usize) -> Option<String> {
    if !number.is_finite() {
        return None;
    }
    let size = number.abs();
    if size >= 1e21 {
        return Some(double(number));
    }
    // A double has at most 1074 binary, and so decimal, places. These digits are exact.
    let exact = format!("{size:.1074}");
    let point = exact.find('.').unwrap_or(exact.len());
    let cut = point + 1 + places;
    let mut digits: Vec<u8> = exact.as_bytes()[..cut].to_vec();
    if places == 0 {
        digits.truncate(point);
    }
    if exact.as_bytes().get(cut).is_some_and(|digit| *digit >= b'5') {
        increment(&mut digits);
    }
    let text = String::from_utf8(digits).ok()?;
    Some(if number < 0.0 { format!("-{text}") } else { text })
}

/// Adds one to the last digit of a decimal number, which may have a point.
fn increment(digits: &mut Vec<u8>) {
    for digit in digits.iter_mut().rev() {
        match digit {
            b'.' => {}
            b'9' => *digit = b'0',
            _ => {
                *digit += 1;
                return;
            }
        }
    }
    digits.insert(0, b'1');
}
