//! The values in tables and their kinds.

use std::fmt;

use crate::event::time::Timestamp;

/// The kind of a column's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellKind {
    /// Text.
    Text,
    /// A whole number that fits into 64 bits, signed.
    Integer,
    /// Dollars with six decimals.
    Dollars,
    /// True or false.
    Boolean,
    /// A time in UTC, with milliseconds.
    Time,
    /// JSON as text.
    Json,
}

/// One value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum TableCell<'r> {
    /// Unknown, or there is none.
    Null,
    /// A text.
    Text(&'r str),
    /// A whole number.
    Integer(i64),
    /// An amount of money.
    Dollars(Dollars),
    /// A flag.
    Boolean(bool),
    /// A time.
    Time(Timestamp),
    /// JSON as text.
    Json(&'r str),
}

/// JSON as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct JsonText(pub(crate) String);

/// An amount of money in millionths of a dollar. In tables it is a number of dollars: a decimal
/// where the format has decimals, else the nearest number of 64 bits, which has the same digits up
/// to four billion dollars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dollars(pub(crate) i64);

impl Dollars {
    /// Digits after the decimal point.
    pub(crate) const SCALE: u8 = 6;
    /// All digits.
    pub(crate) const PRECISION: u8 = 18;
    const MOST: i64 = 10_i64.pow(Self::PRECISION as u32) - 1;

    /// The amount in millionths of a dollar, cut to the number of digits that tables have.
    #[must_use]
    pub(crate) fn micros(self) -> i64 {
        self.0.clamp(-Self::MOST, Self::MOST)
    }

    /// The amount in dollars.
    #[must_use]
    pub(crate) fn number(self) -> f64 {
        self.micros() as f64 / 1e6
    }
}

impl fmt::Display for Dollars {
    /// Dollars without an exponent and without zeros at the end: `0.0125`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let micros = self.micros();
        let sign = if micros < 0 { "-" } else { "" };
        let (whole, rest) = (micros.unsigned_abs() / 1_000_000, micros.unsigned_abs() % 1_000_000);
        let digits = format!("{whole}.{rest:06}");
        write!(f, "{sign}{}", digits.trim_end_matches('0').trim_end_matches('.'))
    }
}

/// The first time in tables, 0001-01-01T00:00:00Z: an earlier one is written as this one.
const FIRST_TIME: Timestamp = Timestamp::from_millis(-62_135_596_800_000);

/// A time as tables have it. Some engines have no year 0, and refuse a whole file for it.
#[must_use]
pub(crate) fn time_in_tables(time: Timestamp) -> Timestamp {
    time.max(FIRST_TIME)
}

/// A Rust type that a column can have.
pub(crate) trait CellType {
    /// The kind of its values.
    const KIND: CellKind;
    /// Whether a value may be missing.
    const OPTIONAL: bool = false;

    /// The value.
    fn cell(&self) -> TableCell<'_>;
}

impl CellType for String {
    const KIND: CellKind = CellKind::Text;

    fn cell(&self) -> TableCell<'_> {
        TableCell::Text(self)
    }
}

impl CellType for &'static str {
    const KIND: CellKind = CellKind::Text;

    fn cell(&self) -> TableCell<'_> {
        TableCell::Text(self)
    }
}

impl CellType for u64 {
    const KIND: CellKind = CellKind::Integer;

    fn cell(&self) -> TableCell<'_> {
        TableCell::Integer(i64::try_from(*self).unwrap_or(i64::MAX))
    }
}

impl CellType for i64 {
    const KIND: CellKind = CellKind::Integer;

    fn cell(&self) -> TableCell<'_> {
        TableCell::Integer(*self)
    }
}

impl CellType for Dollars {
    const KIND: CellKind = CellKind::Dollars;

    fn cell(&self) -> TableCell<'_> {
        TableCell::Dollars(*self)
    }
}

impl CellType for bool {
    const KIND: CellKind = CellKind::Boolean;

    fn cell(&self) -> TableCell<'_> {
        TableCell::Boolean(*self)
    }
}

impl CellType for Timestamp {
    const KIND: CellKind = CellKind::Time;

    fn cell(&self) -> TableCell<'_> {
        TableCell::Time(time_in_tables(*self))
    }
}

impl CellType for JsonText {
    const KIND: CellKind = CellKind::Json;

    fn cell(&self) -> TableCell<'_> {
        TableCell::Json(&self.0)
    }
}

impl<T: CellType> CellType for Option<T> {
    const KIND: CellKind = T::KIND;
    const OPTIONAL: bool = true;

    fn cell(&self) -> TableCell<'_> {
        self.as_ref().map_or(TableCell::Null, T::cell)
    }
}
