//! Builds an object from JSON text and single fields (`--data`, `-f`, `-F`).

use super::text::{ObjectText, quoted};
use super::view::Json;

/// An object to which members can be added. A dotted name adds a nested member.
#[derive(Clone, Debug, Default)]
pub struct ObjectTree {
    members: Vec<(String, JsonNode)>,
}

#[derive(Clone, Debug)]
enum JsonNode {
    /// A value's compact text.
    Value(String),
    Object(ObjectTree),
}

impl ObjectTree {
    /// The members of a checked object.
    #[must_use]
    pub fn of(object: Json<'_>) -> Self {
        let member = |(key, value): (std::borrow::Cow<'_, str>, Json<'_>)| {
            (key.into_owned(), JsonNode::Value(value.compact().into_owned()))
        };
        Self { members: object.members().map(member).collect() }
    }

    /// Adds a value at a dotted name.
    ///
    /// # Errors
    /// The name of a member that already exists.
    pub fn add(&mut self, dotted: &str, value: Json<'_>) -> Result<(), String> {
        let (key, rest) = match dotted.split_once('.') {
            Some((key, rest)) => (key, Some(rest)),
            None => (dotted, None),
        };
        let existing = self.members.iter_mut().find(|(name, _)| name == key);
        match (existing, rest) {
            (None, None) => {
                let value = JsonNode::Value(value.compact().into_owned());
                self.members.push((key.to_owned(), value));
                Ok(())
            }
            (None, Some(rest)) => {
                let mut inner = Self::default();
                inner.add(rest, value)?;
                self.members.push((key.to_owned(), JsonNode::Object(inner)));
                Ok(())
            }
            (Some((_, node)), Some(rest)) => {
                if let JsonNode::Value(text) = node
                    && text.starts_with('{')
                {
                    *node = JsonNode::Object(Self::of(Json::trusted(text)));
                }
                match node {
                    JsonNode::Object(inner) => inner.add(rest, value),
                    JsonNode::Value(_) => Err(quoted(key)),
                }
            }
            (Some(_), None) => Err(quoted(key)),
        }
    }

    /// The object as compact text.
    #[must_use]
    pub fn text(&self) -> String {
        let mut object = ObjectText::new();
        for (key, node) in &self.members {
            match node {
                JsonNode::Value(text) => object.json(key, Json::trusted(text)),
                JsonNode::Object(inner) => object.json(key, Json::trusted(&inner.text())),
            };
        }
        object.finish()
    }
}
