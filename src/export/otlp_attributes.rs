//! Attributes in OTLP/JSON.

use crate::json::{Json, ObjectText};

/// Attributes as a JSON array, in the order of the calls.
#[derive(Clone, Debug, Default)]
pub(super) struct Attributes {
    items: Vec<String>,
}

impl Attributes {
    /// Adds a text.
    pub(super) fn text(&mut self, key: &str, value: &str) -> &mut Self {
        let mut inner = ObjectText::new();
        inner.text("stringValue", value);
        self.push(key, inner)
    }

    /// Adds a text if there is one.
    pub(super) fn text_if(&mut self, key: &str, value: Option<&str>) -> &mut Self {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            self.text(key, value);
        }
        self
    }

    /// Adds a whole number if there is one. Its JSON is a string.
    pub(super) fn integer_if(&mut self, key: &str, value: Option<i64>) -> &mut Self {
        if let Some(value) = value {
            let mut inner = ObjectText::new();
            inner.text("intValue", &value.to_string());
            self.push(key, inner);
        }
        self
    }

    /// Adds millionths of a dollar as dollars if there are some.
    pub(super) fn dollars_if(&mut self, key: &str, micros: Option<i64>) -> &mut Self {
        if let Some(micros) = micros {
            let mut inner = ObjectText::new();
            inner.plain("doubleValue", micros as f64 / 1e6);
            self.push(key, inner);
        }
        self
    }

    /// Adds `true` if the flag is set.
    pub(super) fn flag_if(&mut self, key: &str, is_set: bool) -> &mut Self {
        if is_set {
            let mut inner = ObjectText::new();
            inner.plain("boolValue", true);
            self.push(key, inner);
        }
        self
    }

    /// The attributes as JSON.
    #[must_use]
    pub(super) fn json(&self) -> String {
        format!("[{}]", self.items.join(","))
    }

    fn push(&mut self, key: &str, value: ObjectText) -> &mut Self {
        let mut item = ObjectText::new();
        item.text("key", key).json("value", Json::trusted(&value.finish()));
        self.items.push(item.finish());
        self
    }
}
