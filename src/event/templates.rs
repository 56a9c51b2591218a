//! The active summary templates: those of the catalogue and a user's own. A user's template adds to
//! the catalogue or replaces an entry.
//!
//! ```toml
//! ["deploy.done"]
//! template = "Deployed {env|nowhere}"
//! class = "template"                  # or "llm", "none"
//! label = "deployed"                  # in the file names of chapters
//! ```

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::Deserialize;
use toml::Spanned;

use super::bad_toml::BadToml;
use super::catalogue::{self, Class};
use super::id::check_type;
use super::outcome;
use super::template::Template;
use crate::json::Members;
use crate::text::slug::slugify;

/// Maximum number of fields that all templates of a file may have.
const MAX_FIELDS: usize = 1000;

/// How the summary of each type is made.
#[derive(Debug, Default)]
pub struct Templates {
    own: BTreeMap<String, Own>,
}

/// A user's entry for a type.
#[derive(Debug)]
struct Own {
    class: Class,
    /// The template's text and the template.
    template: Option<(&'static str, Template<'static>)>,
    label: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TemplateRow {
    template: Option<Spanned<String>>,
    class: Option<Spanned<String>>,
    label: Option<Spanned<String>>,
}

impl Templates {
    /// The templates of the catalogue alone.
    #[must_use]
    pub fn built_in() -> &'static Self {
        static BUILT_IN: OnceLock<Templates> = OnceLock::new();
        BUILT_IN.get_or_init(Self::default)
    }

    /// The templates of the catalogue and of this document. The document is read once per process,
    /// and its texts live as long as the process.
    ///
    /// # Errors
    /// The first invalid entry, with its place.
    pub fn with(document: &str) -> Result<Self, BadToml> {
        let bad = |offset: usize, what: String| BadToml::at(document, offset, what);
        let rows: BTreeMap<Spanned<String>, TemplateRow> =
            toml::from_str(document).map_err(|error| BadToml::of(document, &error))?;
        let (mut own, mut fields) = (BTreeMap::new(), 0);
        for (name, row) in rows {
            let at = name.span().start;
            check_type(name.as_ref()).map_err(|error| bad(at, error.to_string()))?;
            let known = catalogue::row(name.as_ref());
            let template = match row.template {
                None => None,
                Some(text) => {
                    let at = text.span().start;
                    let text: &'static str = text.into_inner().leak();
                    let parsed = Template::parse(text).map_err(|error| {
                        bad(at + 1 + error.offset, format!("[{}]: {error}", name.as_ref()))
                    })?;
                    fields += parsed.fields();
                    if fields > MAX_FIELDS {
                        let most = format!("the templates have over {MAX_FIELDS} fields");
                        return Err(bad(at, format!("[{}]: {most}", name.as_ref())));
                    }
                    Some((text, parsed))
                }
            };
            let class = match &row.class {
                None if template.is_some() => Class::Template,
                None => known.map_or(Class::None, |known| known.class),
                Some(given) => Class::parse(given.as_ref()).ok_or_else(|| {
                    bad(given.span().start, "a class is template, llm or none".to_owned())
                })?,
            };
            let has_one = template.is_some() || known.is_some_and(|row| !row.template.is_empty());
            if class == Class::Template && !has_one {
                return Err(bad(at, format!("[{}] has no template", name.as_ref())));
            }
            let label = match row.label {
                None => None,
                Some(label)
                    if !label.as_ref().is_empty() && slugify(label.as_ref()) == *label.as_ref() =>
                {
                    Some(label.into_inner())
                }
                Some(label) => {
                    let what = "a label is lower-case letters, digits and single hyphens";
                    return Err(bad(label.span().start, what.to_owned()));
                }
            };
            own.insert(name.into_inner(), Own { class, template, label });
        }
        Ok(Self { own })
    }

    /// How the type gets its summary.
    #[must_use]
    pub fn class(&self, kind: &str) -> Class {
        self.own.get(kind).map_or_else(|| catalogue::class(kind), |own| own.class)
    }

    /// The type's label in file names.
    #[must_use]
    pub fn label(&self, kind: &str) -> String {
        let own = self.own.get(kind).and_then(|own| own.label.clone());
        own.unwrap_or_else(|| catalogue::label(kind))
    }

    /// The type's template, filled from the fields of `data`; `None` for other classes.
    #[must_use]
    pub fn summary(&self, kind: &str, data: &Members<'_>) -> Option<String> {
        match self.own.get(kind) {
            Some(Own { class, .. }) if *class != Class::Template => None,
            Some(Own { template: Some((_, template)), .. }) => Some(template.render(data)),
            _ => outcome::summary(kind, data).or_else(|| catalogue::summary(kind, data)),
        }
    }

    /// The text of the user's template for the type, if it is active.
    #[must_use]
    pub fn own_template(&self, kind: &str) -> Option<&'static str> {
        let own = self.own.get(kind).filter(|own| own.class == Class::Template)?;
        own.template.as_ref().map(|(text, _)| *text)
    }
}
