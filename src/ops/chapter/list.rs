//! The chapters of a run as a JSON document.

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::chapter::index::Index;

/// The chapters, and the tokens that folding saves.
#[derive(Serialize)]
pub(crate) struct ChapterList {
    schema_version: u32,
    chapters: Vec<Map<String, Value>>,
    tokens_before: u64,
    tokens_after: u64,
}

impl ChapterList {
    /// The chapters of an index: the payload of each, with its path and its parent.
    ///
    /// # Errors
    /// When the payload of a chapter is not a JSON object.
    pub(crate) fn of(index: &Index) -> Result<Self, serde_json::Error> {
        let (tokens_before, tokens_after) = index.chapters.savings();
        let chapters = index.chapters.active().map(|chapter| {
            let raw = RawValue::from_string(chapter.data.clone())?;
            let mut object: Map<String, Value> = serde_json::from_str(raw.get())?;
            let parent = index.chapters.parent(chapter).map(|parent| parent.slug.clone());
            object.insert("path".to_owned(), index.chapters.path(chapter).into());
            object.insert("parent".to_owned(), parent.into());
            Ok(object)
        });
        let chapters = chapters.collect::<Result<_, serde_json::Error>>()?;
        Ok(Self { schema_version: 1, chapters, tokens_before, tokens_after })
    }
}
