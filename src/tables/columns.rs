//! The definition of a table: a Rust struct whose fields are its columns.

use super::cell::{CellKind, TableCell};
use super::rows::TableName;

/// A column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// The kind of its values.
    pub kind: CellKind,
    /// Whether a value may be missing.
    pub optional: bool,
    /// What it holds: one sentence.
    pub purpose: &'static str,
}

/// A row of a table.
pub(crate) trait TableRow {
    /// Its table.
    const TABLE: TableName;
    /// The columns.
    const COLUMNS: &'static [Column];

    /// The values, in the order of the columns.
    fn cells(&self) -> Vec<TableCell<'_>>;
}

/// Defines a struct and the table that has its fields as columns. The documentation of a field is
/// the column's.
macro_rules! table {
    (
        $(#[$meta:meta])*
        $table:ident $row:ident {
            $($(#[doc = $purpose:literal])+ $column:ident: $type:ty,)+
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, PartialEq)]
        pub(crate) struct $row {
            $($(#[doc = $purpose])+ pub(crate) $column: $type,)+
        }

        impl $crate::tables::columns::TableRow for $row {
            const TABLE: TableName = TableName::$table;
            const COLUMNS: &'static [$crate::tables::columns::Column] = &[
                $($crate::tables::columns::Column {
                    name: stringify!($column),
                    kind: <$type as $crate::tables::cell::CellType>::KIND,
                    optional: <$type as $crate::tables::cell::CellType>::OPTIONAL,
                    purpose: concat!($($purpose),+),
                },)+
            ];

            fn cells(&self) -> Vec<$crate::tables::cell::TableCell<'_>> {
                vec![$($crate::tables::cell::CellType::cell(&self.$column),)+]
            }
        }
    };
}

pub(super) use table;
