//! Tables for PostgreSQL, and the commands that load the CSV files.

use crate::tables::{CellKind, Column, Dollars, TableName, columns_of};
use crate::text::csv::FORMULA;

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
    sql.push_str(
        "\n-- An apostrophe before what a spreadsheet would take for a formula is not part of the \
         text.\n",
    );
    for table in TableName::ALL {
        let texts = columns_of(table).iter().filter(|column| column.kind == CellKind::Text);
        texts.for_each(|column| sql.push_str(&without_apostrophe(table.name(), column.name)));
    }
    sql.push('\n');
    for table in TableName::ALL.map(TableName::name) {
        sql.push_str(&format!("CREATE INDEX ON {table} (run_id);\n"));
    }
    sql + "\nCOMMIT;\n"
}

/// The statement that undoes [`inert_cell`](crate::text::csv::inert_cell) in a column.
fn without_apostrophe(table: &str, column: &str) -> String {
    let formula = FORMULA.map(|character| match character {
        '\t' => r"E'\t'".to_owned(),
        '\r' => r"E'\r'".to_owned(),
        '\n' => r"E'\n'".to_owned(),
        other => super::quoted(&other.to_string()),
    });
    format!(
        "UPDATE {table} SET \"{column}\" = substr(\"{column}\", 2) WHERE \"{column}\" LIKE \
         '''%'\n  AND left(ltrim(\"{column}\", ''''), 1) IN ({});\n",
        formula.join(", ")
    )
}

fn column(column: &Column) -> String {
    let dollars = format!("numeric({}, {})", Dollars::PRECISION, Dollars::SCALE);
    let kind = match column.kind {
        CellKind::Text => "text",
        CellKind::Integer => "bigint",
        CellKind::Dollars => &dollars,
        CellKind::Boolean => "boolean",
        CellKind::Time => "timestamptz",
        CellKind::Json => "json",
    };
    let required = if column.optional { "" } else { " NOT NULL" };
    format!("  \"{}\" {kind}{required}", column.name)
}
