//! The messages of OpenCode 2, each with its content, as the messages and parts of the versions
//! before.

use crate::agents::tokens::count;
use crate::event::fields::as_text;
use crate::json::{Json, Kind, ObjectText};

/// The types of messages, and how each is read.
const TYPES: &[(&str, ReadStored)] = &[
    ("user", user),
    ("synthetic", of_client),
    ("system", of_client),
    ("skill", of_client),
    ("shell", shell),
    ("assistant", assistant),
    ("compaction", compaction),
];

/// The tokens of a request by their kinds.
pub(crate) const KINDS: [&str; 5] = ["input", "output", "reasoning", "cache.read", "cache.write"];

/// Adds the members of the message, and its parts.
type ReadStored = fn(Json<'_>, &mut StoredMessage);

/// A message in the form of the versions before.
#[derive(Default)]
struct StoredMessage {
    /// The members besides its ids and times.
    members: ObjectText,
    parts: Vec<ObjectText>,
}

/// How a turn ended, if the message says that: `succeeded`, `failed` or `interrupted`.
pub(crate) fn turn_outcome(message: Json<'_>) -> Option<String> {
    message.text_at("type").filter(|kind| kind == "idle")?;
    message.text_at("outcome").map(std::borrow::Cow::into_owned)
}

/// The message as an object with `info` and `parts`; `None` if it is of another type.
pub(crate) fn in_older_form(message: Json<'_>) -> Option<String> {
    let is_older = ["role", "messageID"].iter().any(|name| message.get(name).is_some());
    let id = message.text_at("id").filter(|_| !is_older)?;
    let created = message.path("time.created")?;
    let kind = message.text_at("type")?;
    let (_, read) = TYPES.iter().find(|(known, _)| *known == kind)?;
    let mut stored = StoredMessage::default();
    read(message, &mut stored);
    let StoredMessage { members, parts } = stored;
    let session = message.text_at("sessionID");
    let mut info = ObjectText::new();
    info.text("id", &id).text_if("sessionID", session.as_deref());
    let mut time = ObjectText::new();
    time.json("created", created);
    if let Some(completed) = message.path("time.completed") {
        time.json("completed", completed);
    }
    info.json("time", Json::trusted(&time.finish()));
    info.members(Json::trusted(&members.finish()));
    let part = |(number, own): (usize, ObjectText)| {
        let mut part = ObjectText::new();
        part.text("id", &format!("{id}.{number}")).text("messageID", &id);
        part.text_if("sessionID", session.as_deref());
        part.members(Json::trusted(&own.finish()));
        part.finish()
    };
    let parts: Vec<String> = parts.into_iter().enumerate().map(part).collect();
    Some(format!("{{\"info\":{},\"parts\":[{}]}}", info.finish(), parts.join(",")))
}

impl StoredMessage {
    fn by(&mut self, role: &str) {
        self.members.text("role", role);
    }

    fn says(&mut self, text: &str, by_client: bool) {
        let mut part = ObjectText::new();
        part.text("type", "text").text("text", text);
        if by_client {
            part.plain("synthetic", true);
        }
        self.parts.push(part);
    }

    /// The model, the tokens and the cost of a request. The output does not include the reasoning. A
    /// total that is the sum of all kinds says so, as in the newest versions of OpenCode 1.
    fn used(&mut self, message: Json<'_>) {
        self.members.text_if("modelID", message.text_at("model.id").as_deref());
        if let Some(tokens) = message.present("tokens").filter(|tokens| tokens.is_object()) {
            let mut told = ObjectText::new();
            tokens.members().filter(|(name, _)| name != "total").for_each(|(name, value)| {
                told.json(&name, value);
            });
            let counts = KINDS.iter().filter_map(|kind| count(tokens, kind));
            told.plain("total", counts.fold(0_u64, u64::saturating_add));
            self.members.json("tokens", Json::trusted(&told.finish()));
        }
        if let Some(cost) = message.present("cost") {
            self.members.json("cost", cost);
        }
    }
}

fn user(message: Json<'_>, stored: &mut StoredMessage) {
    stored.by("user");
    stored.says(&message.text_at("text").unwrap_or_default(), false);
    for file in message.get("files").into_iter().flat_map(Json::items) {
        let mut part = ObjectText::new();
        part.text("type", "file");
        for (name, theirs) in [("filename", "name"), ("url", "uri"), ("mime", "mime")] {
            part.text_if(name, file.text_at(theirs).as_deref());
        }
        stored.parts.push(part);
    }
}

fn of_client(message: Json<'_>, stored: &mut StoredMessage) {
    stored.by("user");
    stored.says(&message.text_at("text").unwrap_or_default(), true);
}

/// A command that the user ran in the client.
fn shell(message: Json<'_>, stored: &mut StoredMessage) {
    stored.by("user");
    let mut text = format!("The user ran: {}", message.text_at("command").unwrap_or_default());
    if let Some(code) = message.get("exit").and_then(Json::as_f64).filter(|code| *code != 0.0) {
        text.push_str(&format!(" (exit code {code})"));
    }
    if let Some(output) = message.text_at("output.output").or_else(|| message.text_at("output")) {
        text.push('\n');
        text.push_str(&output);
    }
    stored.says(&text, true);
}

fn assistant(message: Json<'_>, stored: &mut StoredMessage) {
    stored.by("assistant");
    stored.used(message);
    let error = message.present("error").or_else(|| message.path("retry.error"));
    if let Some(error) = error {
        let name = if error.text_at("type").is_some_and(|kind| kind.contains("abort")) {
            super::end::STOPPED.to_owned()
        } else {
            error.text_at("type").unwrap_or_default().into_owned()
        };
        let mut told = ObjectText::new();
        told.text("name", &name).text("message", &message_of(error));
        stored.members.json("error", Json::trusted(&told.finish()));
    }
    for content in message.get("content").into_iter().flat_map(Json::items) {
        match content.text_at("type").unwrap_or_default().as_ref() {
            "text" => stored.says(&content.text_at("text").unwrap_or_default(), false),
            "reasoning" => {
                let mut part = ObjectText::new();
                part.text("type", "reasoning");
                part.text("text", &content.text_at("text").unwrap_or_default());
                stored.parts.push(part);
            }
            "tool" => stored.parts.push(call(content)),
            _ => {}
        }
    }
    if let Some(reason) = message.text_at("finish").filter(|reason| reason != "stop") {
        let mut part = ObjectText::new();
        part.text("type", "step-finish").text("reason", &reason);
        stored.parts.push(part);
    }
    if let Some(files) = message.path("snapshot.files") {
        let mut part = ObjectText::new();
        part.text("type", "patch").json("files", files);
        stored.parts.push(part);
    }
}

/// A call with its state.
fn call(content: Json<'_>) -> ObjectText {
    let mut state = ObjectText::new();
    let status = content.text_at("state.status").unwrap_or_default();
    state.text("status", if status == "streaming" { "pending" } else { &status });
    if let Some(input) = content.path("state.input").filter(|input| input.is_object()) {
        state.json("input", input);
    }
    if let Some(output) = content.path("state.content") {
        let texts =
            output.items().map(|item| item.text_at("text").unwrap_or_else(|| as_text(item)));
        state.text("output", &texts.collect::<Vec<_>>().join("\n"));
    }
    if let Some(error) = content.path("state.error") {
        state.text("error", &message_of(error));
    }
    let mut metadata = ObjectText::new();
    if let Some(told) = content.path("state.metadata").filter(|told| told.is_object()) {
        metadata.members(told);
    }
    // `opencode run` prints it there.
    if let Some(error) = content.path("state.error").filter(|error| error.is_object()) {
        metadata.json("error", error);
    }
    state.json("metadata", Json::trusted(&metadata.finish()));
    let mut time = ObjectText::new();
    let began = content.path("time.ran").or_else(|| content.path("time.created"));
    for (name, moment) in [("start", began), ("end", content.path("time.completed"))] {
        if let Some(moment) = moment {
            time.json(name, moment);
        }
    }
    state.json("time", Json::trusted(&time.finish()));
    let mut part = ObjectText::new();
    part.text("type", "tool");
    part.text_if("callID", content.text_at("id").as_deref());
    part.text_if("tool", content.text_at("name").as_deref());
    part.json("state", Json::trusted(&state.finish()));
    part
}

fn compaction(message: Json<'_>, stored: &mut StoredMessage) {
    stored.by("assistant");
    stored.used(message);
    stored.members.plain("summary", true);
    let status = message.text_at("status").unwrap_or_default();
    if status == "completed" {
        let is_auto = message.text_at("reason").is_some_and(|reason| reason == "auto");
        let mut part = ObjectText::new();
        part.text("type", "compaction").plain("auto", is_auto);
        stored.parts.push(part);
        stored.says(&message.text_at("summary").unwrap_or_default(), true);
    } else if let Some(error) = message.present("error") {
        stored.says(&format!("The compaction failed: {}", message_of(error)), true);
    }
}

fn message_of(error: Json<'_>) -> String {
    match error.text_at("message") {
        Some(message) => message.into_owned(),
        None if error.kind() == Kind::Object => error.compact().into_owned(),
        None => as_text(error).into_owned(),
    }
}
