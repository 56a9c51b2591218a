//! Tables for PostgreSQL, and the commands that load the CSV files.

use crate::tables::{CellKind, Column, TableName, columns_of};

/// The definitions of the tables, and how they are loaded.
pub(super) fn ddl() -> String {
    let mut sql = "-- Tables for PostgreSQL, and the commands that load the CSV files into them.\n\
                   -- Write the files, then load them in their directory:\n\
                   --   runlog export --to csv --out DIR\n\
                   --   cd DIR && psql -v ON_ERROR_STOP=1 -f FILE DATABASE\n\
                   -- The tables are made anew each time, in one transaction. JSON is of type json:\n\
                   -- cast it to jsonb where you need that.\n\n\
                   BEGIN;\n\n"
        .to_owned();
    for table in TableName::ALL {
        let name = table.name();
        let columns: Vec<String> = columns_of(table).iter().map(column).collect();
        sql.push_str(&format!(
            "DROP TABLE IF EXISTS {name};\nCREATE TABLE {name} (\n{}\n);\n",
            columns.join(",\n")
        ));
        for column in columns_of(table) {
            let purpose = super::quoted(column.purpose.trim());
            sql.push_str(&format!("COMMENT ON COLUMN {name}.\"{}\" IS {purpose};\n", column.name));
        }
        sql.push('\n');
    }
    for table in TableName::ALL.map(TableName::name) {
        sql.push_str(&format!("\\copy {table} FROM '{table}.csv' CSV HEADER\n"));
    }
    sql.push('\n');
    for table in TableName::ALL.map(TableName::name) {
        sql.push_str(&format!("CREATE INDEX ON {table} (run_id);\n"));
    }
    sql + "\nCOMMIT;\n"
}

fn column(column: &Column) -> String {
    let kind = match column.kind {
        CellKind::Text => "text",
        CellKind::Integer => "bigint",
        CellKind::Real => "double precision",
        CellKind::Boolean => "boolean",
        CellKind::Time => "timestamptz",
        CellKind::Json => "json",
    };
    let required = if column.optional { "" } else { " NOT NULL" };
    format!("  \"{}\" {kind}{required}", column.name)
}
