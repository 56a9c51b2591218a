//! The values in tables and their kinds.

use crate::event::time::Timestamp;

/// The kind of a column's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CellKind {
    /// Text.
    Text,
    /// A whole number that fits into 64 bits, signed.
    Integer,
    /// A number.
    Real,
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
    /// A number.
    Real(f64),
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

/// An amount of money in millionths of a dollar. In tables it is a number of dollars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dollars(pub(crate) i64);

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
    const KIND: CellKind = CellKind::Real;

    fn cell(&self) -> TableCell<'_> {
        TableCell::Real(self.0 as f64 / 1e6)
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
        TableCell::Time(*self)
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
