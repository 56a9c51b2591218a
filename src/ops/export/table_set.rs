//! A choice of tables.

use crate::tables::TableName;

/// The tables that an export writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TableSet(Vec<TableName>);

impl TableSet {
    /// These tables, or all if there are none.
    #[must_use]
    pub(crate) fn of(chosen: &[TableName]) -> Self {
        let is_chosen = |table: &TableName| chosen.is_empty() || chosen.contains(table);
        Self(TableName::ALL.into_iter().filter(is_chosen).collect())
    }

    /// Exactly these tables.
    #[cfg(feature = "parquet")]
    #[must_use]
    pub(super) fn exactly(tables: Vec<TableName>) -> Self {
        Self(tables)
    }

    /// Whether the table is one of them.
    #[must_use]
    pub(crate) fn has(&self, table: TableName) -> bool {
        self.0.contains(&table)
    }

    /// The tables, in the order of their definition.
    #[must_use]
    pub(crate) fn all(&self) -> &[TableName] {
        &self.0
    }
}
