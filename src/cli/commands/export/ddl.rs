//! `runlog export --to ddl`

use std::path::Path;

use super::ExportRunsArgs;
use crate::cli::commands::Global;
use crate::cli::exit::{Exit, Failure};
use crate::cli::ui::Ui;
use crate::ops::export::{SqlEngine, ddl};
use crate::run::output_path::put_output;

/// Prints the SQL for an engine, or writes it to a file.
pub(super) fn run(args: &ExportRunsArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    let (engine, export) = match &args.runs[..] {
        [name] => (Some(name), None),
        [name, export] => (Some(name), Some(export)),
        _ => (None, None),
    };
    let engine = engine.and_then(|name| SqlEngine::ALL.into_iter().find(|one| one.name() == name));
    let Some(engine) = engine else {
        let names = SqlEngine::ALL.map(SqlEngine::name).join(", ");
        let failure = Failure::new(Exit::Usage, format!("name one engine: {names}"));
        return Err(failure.hint("runlog export --to ddl duckdb").into());
    };
    if !args.tables.is_empty() {
        let failure = Failure::new(Exit::Usage, "--to ddl defines all tables");
        return Err(failure.hint("omit --tables").into());
    }
    let runs_dir = in_sql(&global.runs_dir)?;
    let export = export.map(|export| in_sql(Path::new(export))).transpose()?;
    let sql = ddl(engine, &runs_dir, export.as_deref());
    match args.out.as_deref().filter(|out| out.as_os_str() != "-") {
        None => ui.data(sql.as_bytes())?,
        Some(out) => {
            put_output(out, sql.as_bytes())?;
            ui.note(&format!("wrote {}", out.display()));
        }
    }
    Ok(Exit::Fine)
}

/// An absolute path as text.
fn in_sql(path: &Path) -> anyhow::Result<String> {
    let path = path.canonicalize().or_else(|_| std::path::absolute(path))?;
    path.into_os_string().into_string().map_err(|path| {
        let message = format!("{} cannot be written in SQL", path.display());
        Failure::new(Exit::Usage, message).hint("use a path in UTF-8").into()
    })
}
