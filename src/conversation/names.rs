//! Names of tools, actors, agents and runs, each kept once and known by a number.

use std::sync::Arc;

use foldhash::{HashMap, HashMapExt as _};

/// A name by its number: two are equal when the names are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Name(u32);

/// The names of a run.
#[derive(Clone, Debug)]
pub(super) struct Names {
    numbers: HashMap<Arc<str>, Name>,
    all: Vec<Arc<str>>,
}

impl Default for Names {
    fn default() -> Self {
        Self { numbers: HashMap::new(), all: Vec::new() }
    }
}

impl Names {
    /// The number of a name.
    pub(super) fn get(&mut self, name: &str) -> Name {
        if let Some(known) = self.numbers.get(name) {
            return *known;
        }
        let number = Name(u32::try_from(self.all.len()).unwrap_or(u32::MAX));
        let name: Arc<str> = name.into();
        self.all.push(Arc::clone(&name));
        self.numbers.insert(name, number);
        number
    }

    /// The name of that number.
    pub(super) fn text(&self, name: Name) -> Arc<str> {
        self.all.get(name.0 as usize).cloned().unwrap_or_default()
    }
}
