//! `runlog export --to ddl`

use super::ExportRunsArgs;
use crate::cli::commands::Global;
use crate::cli::exit::{Exit, Failure};
use crate::cli::ui::Ui;
use crate::ops::export::{SqlEngine, ddl};
use crate::run::output_path::put_output;

/// Prints the SQL for an engine, or writes it to a file.
pub(super) fn run(args: &ExportRunsArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    let engine = match &args.runs[..] {
        [name] => SqlEngine::ALL.into_iter().find(|engine| engine.name() == name),
        _ => None,
    };
    let Some(engine) = engine else {
        let names = SqlEngine::ALL.map(SqlEngine::name).join(", ");
        let failure = Failure::new(Exit::Usage, format!("name one engine: {names}"));
        return Err(failure.hint("runlog export --to ddl duckdb").into());
    };
    if !args.tables.is_empty() {
        let failure = Failure::new(Exit::Usage, "--to ddl defines all tables");
        return Err(failure.hint("omit --tables").into());
    }
    let runs_dir =
        global.runs_dir.canonicalize().or_else(|_| std::path::absolute(&global.runs_dir))?;
    let Some(runs_dir) = runs_dir.to_str() else {
        let message = format!("{} cannot be written in SQL", runs_dir.display());
        return Err(Failure::new(Exit::Usage, message).hint("use a path in UTF-8").into());
    };
    let sql = ddl(engine, runs_dir);
    match args.out.as_deref().filter(|out| out.as_os_str() != "-") {
        None => ui.data(sql.as_bytes())?,
        Some(out) => {
            put_output(out, sql.as_bytes())?;
            ui.note(&format!("wrote {}", out.display()));
        }
    }
    Ok(Exit::Fine)
}
