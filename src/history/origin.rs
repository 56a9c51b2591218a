//! The origin of a run: its agent, its model, its working directory.

use std::collections::BTreeMap;

use crate::event::fields::{View, is_placeholder};
use crate::event::role::Role;
use crate::history::usage::Usage;
use crate::json::{Json, ObjectText};

/// The number of imported events that are searched for missing facts.
const LOOKED_AT: u32 = 100;

/// Facts that source lines say.
const FROM_SOURCE: [&str; 3] = ["agent_version", "cwd", "git_branch"];

/// Facts in settings that were loaded.
const FROM_CONFIG: &[&str] = &["agent_version", "cwd", "git_branch", "forked_from"];

/// The facts known so far.
#[derive(Clone, Debug, Default)]
pub struct RunOrigin {
    /// The metadata of `run.created`: a JSON object as text.
    given: Option<String>,
    /// Other facts from events, by name.
    found: Vec<(&'static str, String)>,
    /// The models that answered, and how many tokens their calls report.
    models: BTreeMap<String, u64>,
    first_model: Option<String>,
    /// The newest model in the settings: that of a session in which none has answered.
    chosen_model: Option<String>,
    /// The newest title, and whether the user chose it. Such a title takes precedence.
    title: Option<(String, bool)>,
    looked_at: u32,
}

impl RunOrigin {
    /// Takes the next event.
    pub fn observe(&mut self, view: &View<'_, '_>) {
        match view.role {
            Role::RunCreated => {
                if let Some(metadata) = view.data.present("metadata") {
                    self.given = Some(metadata.compact().into_owned());
                    // A later title is newer.
                    let title = metadata.text_at("title").filter(|title| !title.trim().is_empty());
                    self.title =
                        title.map(|title| (title.into_owned(), false)).or(self.title.take());
                }
            }
            Role::Config => {
                for name in FROM_CONFIG {
                    self.find(name, view.field(name));
                }
                self.title(view);
                let chosen = view.field("model").filter(|model| !is_placeholder(model));
                if let Some(model) = chosen {
                    self.chosen_model = Some(model.into_owned());
                }
            }
            Role::Usage | Role::Message => self.model(view),
            _ => {}
        }
        if view.is_imported() && self.looked_at < LOOKED_AT {
            self.looked_at += 1;
            self.find("agent", view.dialect());
            FROM_SOURCE.into_iter().for_each(|name| self.find(name, view.session_fact(name)));
        }
    }

    /// Whether there has been no imported event yet.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        self.looked_at == 0
    }

    /// Whether an event has named the working directory.
    #[must_use]
    pub fn has_directory(&self) -> bool {
        self.found.iter().any(|(name, _)| *name == "cwd")
    }

    /// Whether an answer has named its model.
    #[must_use]
    pub fn has_answer_model(&self) -> bool {
        self.first_model.is_some()
    }

    /// Whether an answer or the settings named a model.
    #[must_use]
    pub fn has_model(&self) -> bool {
        self.has_answer_model() || self.chosen_model.is_some()
    }

    /// All facts as JSON text of an object. The metadata of `run.created` takes precedence, except that
    /// a later title is newer.
    #[must_use]
    pub fn metadata(&self) -> String {
        let given = Json::trusted(self.given.as_deref().unwrap_or("{}"));
        if !given.is_object() {
            return given.text().to_owned();
        }
        let mut object = ObjectText::new();
        for (name, value) in given.members() {
            match self.title.as_ref().filter(|_| name == "title") {
                Some((title, _)) => object.text(&name, title),
                None => object.json(&name, value),
            };
        }
        let model = self.first_model.as_ref().or(self.chosen_model.as_ref());
        let model = model.map(|model| ("model", model));
        let found = self.found.iter().map(|(name, value)| (*name, value));
        let title = self.title.iter().map(|(title, _)| ("title", title));
        for (name, value) in found.chain(model).chain(title) {
            if given.present(name).is_none() {
                object.text(name, value);
            }
        }
        object.finish()
    }

    fn model(&mut self, view: &View<'_, '_>) {
        let Some(model) = view.field("model").filter(|model| !is_placeholder(model)) else {
            return;
        };
        let tokens = Usage::of(view).map_or(0, |usage| {
            let parts = [usage.context_tokens(), usage.output_tokens];
            parts.into_iter().flatten().fold(0, u64::saturating_add)
        });
        if let Some(known) = self.models.get_mut(model.as_ref()) {
            *known = known.saturating_add(tokens);
            return;
        }
        self.first_model.get_or_insert_with(|| model.clone().into_owned());
        self.models.insert(model.into_owned(), tokens);
    }

    /// The names of the models that answered, the one with the most tokens first.
    #[must_use]
    pub fn models(&self) -> Vec<String> {
        let mut models: Vec<_> = self.models.iter().collect();
        // The sort is stable: models with as many tokens stay in the order of their names.
        models.sort_by_key(|(_, tokens)| std::cmp::Reverse(**tokens));
        models.into_iter().map(|(name, _)| name.clone()).collect()
    }

    fn title(&mut self, view: &View<'_, '_>) {
        let Some(title) = view.field("title").filter(|title| !title.trim().is_empty()) else {
            return;
        };
        // The title of a sub-agent stands for the run's only as long as there is none.
        if view.is_of_sub_agent() && self.title.is_some() {
            return;
        }
        let by_user = view.field("title_by").is_some_and(|by| by == "user");
        if by_user || self.title.as_ref().is_none_or(|(_, by_user)| !by_user) {
            self.title = Some((title.into_owned(), by_user));
        }
    }

    fn find(&mut self, name: &'static str, value: Option<std::borrow::Cow<'_, str>>) {
        if let Some(value) = value.filter(|value| !value.is_empty())
            && self.found.iter().all(|(known, _)| *known != name)
        {
            self.found.push((name, value.into_owned()));
        }
    }
}
