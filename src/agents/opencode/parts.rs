//! The parts of a message of OpenCode, in all its forms. Since OpenCode 2, a message has a type and holds
//! its content itself; its members are parts here.

use std::borrow::Cow;

use crate::json::Json;

/// The types of messages since OpenCode 2.
const TYPES: &[&str] =
    &["user", "synthetic", "system", "skill", "shell", "assistant", "compaction", "idle"];

/// The type of a message since OpenCode 2; `None` for all else.
pub(crate) fn kind_of_2(json: Json<'_>) -> Option<Cow<'_, str>> {
    let is_older = ["role", "messageID"].iter().any(|name| json.get(name).is_some());
    json.text_at("id").filter(|_| !is_older)?;
    json.path("time.created")?;
    json.text_at("type").filter(|kind| TYPES.contains(&kind.as_ref()))
}

/// The parts of a message with their kinds. `prompt` is a file that is all that the user sent.
pub(crate) fn parts(json: Json<'_>) -> Vec<(Cow<'_, str>, Json<'_>)> {
    let of_2 = kind_of_2(json);
    let mut parts = Vec::new();
    match of_2.as_deref() {
        None => parts.extend(typed(json, "parts")),
        Some("assistant") => {
            parts.extend(typed(json, "content"));
            parts.push(("finish".into(), json));
            parts.extend(json.path("snapshot").map(|snapshot| ("patch".into(), snapshot)));
        }
        Some("compaction") if json.text_at("status").as_deref() == Some("completed") => {
            parts.extend([("compaction".into(), json), ("summary".into(), json)]);
        }
        Some("compaction") => {}
        Some("user") => {
            parts.extend(json.text_at("text").map(|_| ("text".into(), json)));
            parts.extend(
                json.get("files")
                    .into_iter()
                    .flat_map(Json::items)
                    .map(|file| ("file".into(), file)),
            );
        }
        Some(kind) => parts.push((kind.to_owned().into(), json)),
    }
    let is_by_user = json.text_at("info.role").as_deref() == Some("user");
    if is_by_user && !parts.iter().any(|(kind, _)| kind == "text") {
        let file = parts.iter_mut().find(|(kind, _)| kind == "file");
        file.into_iter().for_each(|(kind, _)| *kind = "prompt".into());
    }
    parts
}

/// The items of a list with their types.
fn typed<'s>(json: Json<'s>, list: &str) -> impl Iterator<Item = (Cow<'s, str>, Json<'s>)> {
    let items = json.get(list).into_iter().flat_map(Json::items);
    items.map(|item| (item.text_at("type").unwrap_or("untyped".into()), item))
}

/// What is said of a command that the user ran in the client.
pub(crate) fn shell(message: Json<'_>) -> String {
    let mut text = format!("The user ran: {}", message.text_at("command").unwrap_or_default());
    if let Some(code) = message.get("exit").and_then(Json::as_f64).filter(|code| *code != 0.0) {
        text.push_str(&format!(" (exit code {code})"));
    }
    if let Some(output) = message.text_at("output.output").or_else(|| message.text_at("output")) {
        text.push('\n');
        text.push_str(&output);
    }
    text
}
