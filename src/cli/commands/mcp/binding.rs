//! The run that the server is bound to.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::cli::commands::{Global, LATEST};
use crate::cli::exit::sentence;
use crate::event::templates::Templates;
use crate::ops::recall::Recall;

/// The run that the server is bound to.
#[derive(Debug)]
pub(super) enum Binding {
    /// A run that was named.
    Named(Arc<Recall>),
    /// The newest run. A session that begins starts its servers before its first hook has made its
    /// run, so the run is looked for at the first call.
    Latest(LatestRun),
}

/// The newest run, once it is known.
#[derive(Debug)]
pub(super) struct LatestRun {
    /// The runs directory that the option or the environment names.
    named_runs_dir: Option<PathBuf>,
    all_runs: bool,
    templates: &'static Templates,
    found: Mutex<Option<Arc<Recall>>>,
}

impl Binding {
    /// The newest run.
    pub(super) fn latest(
        named_runs_dir: Option<PathBuf>,
        all_runs: bool,
        templates: &'static Templates,
    ) -> Self {
        Self::Latest(LatestRun { named_runs_dir, all_runs, templates, found: Mutex::default() })
    }

    /// The run. The message says why there is none.
    pub(super) fn recall(&self) -> Result<Arc<Recall>, String> {
        match self {
            Self::Named(recall) => Ok(recall.clone()),
            Self::Latest(latest) => latest.recall(),
        }
    }

    /// The run, for people.
    pub(super) fn place(&self, runs_dir: &Path) -> String {
        match self {
            Self::Named(recall) => recall.path().display().to_string(),
            Self::Latest(_) => format!(
                "the run in {} that is the newest when a tool is called for the first time",
                runs_dir.display()
            ),
        }
    }

    /// Whether the other runs may be read.
    pub(super) fn has_all_runs(&self) -> bool {
        match self {
            Self::Named(recall) => recall.has_all_runs(),
            Self::Latest(latest) => latest.all_runs,
        }
    }

    /// The run, in a sentence for a model.
    pub(super) fn description(&self) -> String {
        match self {
            Self::Named(recall) => format!("the run {}", recall.run_id()),
            Self::Latest(_) => {
                "the newest run, which is this session if it is being recorded".to_owned()
            }
        }
    }
}

impl LatestRun {
    fn recall(&self) -> Result<Arc<Recall>, String> {
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(recall) = &*found {
            return Ok(recall.clone());
        }
        let global = Global::reading(self.named_runs_dir.clone());
        let run = global.locate(LATEST);
        let bound = run.and_then(|run| Recall::bind(&run, self.all_runs, self.templates));
        let bound = bound.map_err(|error| {
            let reason = sentence(&error.into());
            format!("{reason}; as soon as a run is recorded, its history can be read here")
        })?;
        Ok(found.insert(Arc::new(bound)).clone())
    }
}
