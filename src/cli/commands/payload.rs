//! The payload options of `emit`: `--data`, `-f`, `-F`.

use anyhow::Context as _;
use clap::Args;

use super::text_or_file;
use crate::cli::exit::{Exit, Failure};
use crate::json::{Json, JsonRules, ObjectTree, check, quoted};

/// Options for `data`.
#[derive(Debug, Args)]
pub(in crate::cli) struct PayloadArgs {
    /// The data of the event: a JSON object, @FILE, or - for standard input (for values
    /// that are too long for a command line)
    #[arg(long, value_name = "JSON|@FILE|-")]
    pub(super) data: Option<String>,
    /// Add a string field to the data; dots make nested fields
    #[arg(short = 'f', long = "field", value_name = "KEY=TEXT")]
    fields: Vec<String>,
    /// Add a field with any JSON value to the data; dots make nested fields
    #[arg(short = 'F', long = "json-field", value_name = "KEY=JSON")]
    json_fields: Vec<String>,
}

impl PayloadArgs {
    /// The first of these options that is given.
    pub(super) fn given(&self) -> Option<&'static str> {
        let given = [
            ("--data", self.data.is_some()),
            ("-f", !self.fields.is_empty()),
            ("-F", !self.json_fields.is_empty()),
        ];
        given.iter().find(|(_, given)| *given).map(|(option, _)| *option)
    }

    /// The payload as compact JSON text of an object.
    pub(super) fn object(&self) -> anyhow::Result<String> {
        let bytes = match &self.data {
            Some(value) => text_or_file(value, MAX_PAYLOAD)?,
            None => b"{}".to_vec(),
        };
        let data = check(&bytes, JsonRules::STRICT).context("--data")?;
        if !data.is_object() {
            let failure = Failure::new(Exit::Input, "--data: not a JSON object");
            return Err(failure.hint("wrap the value: {\"value\": …}").into());
        }
        if self.fields.is_empty() && self.json_fields.is_empty() {
            return Ok(data.compact().into_owned());
        }
        let mut tree = ObjectTree::of(data);
        for field in &self.fields {
            let (key, text) = split(field, "-f")?;
            add(&mut tree, key, Json::trusted(&quoted(text)))?;
        }
        for field in &self.json_fields {
            let (key, text) = split(field, "-F")?;
            let value =
                check(text.as_bytes(), JsonRules::STRICT).with_context(|| format!("-F {key}"))?;
            add(&mut tree, key, value)?;
        }
        let text = tree.text();
        check(text.as_bytes(), JsonRules::STRICT).context("data")?;
        Ok(text)
    }
}

/// Maximum size of a payload, in bytes. If it is longer than a line may be, its long strings are
/// moved to blobs.
const MAX_PAYLOAD: u64 = 64 << 20;

fn split<'f>(field: &'f str, option: &str) -> anyhow::Result<(&'f str, &'f str)> {
    field
        .split_once('=')
        .filter(|(key, _)| !key.is_empty() && !key.split('.').any(str::is_empty))
        .ok_or_else(|| {
            Failure::new(Exit::Usage, format!("{option} needs KEY=VALUE, not {field:?}")).into()
        })
}

fn add(tree: &mut ObjectTree, key: &str, value: Json<'_>) -> anyhow::Result<()> {
    tree.add(key, value)
        .map_err(|taken| Failure::new(Exit::Input, format!("duplicate key {taken} in data")).into())
}
