//! What hooks of Claude Code printed, and their failures.

use std::borrow::Cow;

use super::SourceLine;
use super::content::content_text;
use crate::agents::said::Said;
use crate::event::fields::as_text;
use crate::json::Json;
use crate::text::human::duration;

/// The members that hold what a hook printed or added for the model.
const OUTPUTS: &[&str] = &["content", "systemMessage", "output", "stdout", "stderr"];

/// What a hook printed; none if it printed nothing.
pub(super) fn printed(line: &SourceLine<'_>) -> Vec<Said<'static>> {
    line.json.get("attachment").map(of).into_iter().collect()
}

/// The same while the hook runs.
pub(super) fn progress(line: &SourceLine<'_>) -> Vec<Said<'static>> {
    let hook = line
        .json
        .get("data")
        .filter(|data| data.text_at("type").is_some_and(|kind| kind.starts_with("hook_")));
    hook.map(of).into_iter().collect()
}

/// The same in a stream.
pub(super) fn responded(line: &SourceLine<'_>) -> Vec<Said<'static>> {
    let texts = OUTPUTS.iter().filter_map(|name| line.json.get(name)).map(content_text);
    let name = line.json.text_at("hook_name").or_else(|| line.json.text_at("hook_event"));
    let name = name.unwrap_or(Cow::Borrowed("hook"));
    let failed = line.json.get("exit_code").and_then(Json::as_f64).is_some_and(|code| code != 0.0)
        || line.json.text_at("outcome").is_some_and(|outcome| outcome == "error");
    if failed {
        let why = ["stderr", "output", "stdout"]
            .iter()
            .find_map(|name| line.json.text_at(name).filter(|text| !text.trim().is_empty()));
        let texts = texts.filter(|text| Some(text.as_str()) != why.as_deref()).collect();
        return vec![failure(&name, why.as_deref()), output(&name, texts, None)];
    }
    vec![output(&name, texts.collect(), None)]
}

/// The hooks after a turn: what they added for the model, and their failures.
pub(super) fn stopped(line: &SourceLine<'_>) -> Vec<Said<'static>> {
    let errors = line.json.get("hookErrors").into_iter().flat_map(Json::items);
    let errors: Vec<String> = errors.map(|error| as_text(error).into_owned()).collect();
    let added = line.json.get("hookAdditionalContext").map(content_text).unwrap_or_default();
    let mut said = vec![output("Stop", vec![added], None)];
    if !errors.is_empty() {
        said.push(Said::warning(format!("Stop hook failed: {}", errors.join("; "))));
    } else if line.is_set("preventedContinuation") {
        let reason = line.json.text_at("stopReason").filter(|reason| !reason.is_empty());
        let reason = reason.unwrap_or(Cow::Borrowed("no reason given"));
        said.push(Said::warning(format!("Stop hook stopped the agent: {reason}")));
    }
    said
}

/// A hook made the agent stop.
pub(super) fn stopped_agent(line: &SourceLine<'_>) -> Vec<Said<'static>> {
    let text = |name: &str| {
        let text = line.json.text_at(&format!("attachment.{name}"));
        text.filter(|text| !text.trim().is_empty())
    };
    let name = text("hookName").unwrap_or(Cow::Borrowed("hook"));
    let why = text("message").map(|why| format!(": {}", why.trim())).unwrap_or_default();
    vec![Said::warning(format!("Hook {name} stopped the agent{why}"))]
}

/// A hook did not end in time. If the user cancelled it, nothing failed.
pub(super) fn cancelled(line: &SourceLine<'_>) -> Vec<Said<'static>> {
    let Some(hook) = line.json.get("attachment") else { return Vec::new() };
    if hook.get("timedOut").and_then(Json::as_bool) != Some(true) {
        return printed(line);
    }
    let name = hook.text_at("hookName").unwrap_or(Cow::Borrowed("hook"));
    let took = hook.get("durationMs").and_then(Json::as_u64);
    let took = took.map(|took| format!(" after {}", duration(took))).unwrap_or_default();
    vec![Said::warning(format!("Hook {name} was ended{took}: it took too long"))]
}

/// A hook failed. The agent was told, or was stopped.
pub(super) fn failed(line: &SourceLine<'_>) -> Vec<Said<'static>> {
    let Some(attachment) = line.json.get("attachment") else { return Vec::new() };
    let text = |path: &str| attachment.text_at(path).filter(|text| !text.trim().is_empty());
    let why = ["blockingError.blockingError", "stderr", "content", "stdout"];
    let why = why.iter().find_map(|path| text(path));
    let name = text("hookName").unwrap_or(Cow::Borrowed("hook"));
    vec![failure(&name, why.as_deref())]
}

fn failure(name: &str, why: Option<&str>) -> Said<'static> {
    Said::warning(format!("Hook {name} failed: {}", why.unwrap_or("no message").trim()))
}

fn of(hook: Json<'_>) -> Said<'static> {
    let texts = OUTPUTS.iter().filter_map(|name| hook.present(name)).map(content_text);
    let name = hook.text_at("hookName").or_else(|| hook.text_at("hookEvent"));
    output(name.as_deref().unwrap_or("hook"), texts.collect(), hook.text_at("command"))
}

/// What a hook printed. Hooks without anything to say print an empty object.
fn output(name: &str, mut texts: Vec<String>, command: Option<Cow<'_, str>>) -> Said<'static> {
    texts.retain(|text| !matches!(text.trim(), "" | "{}"));
    texts.dedup();
    let text = match texts.is_empty() {
        true => String::new(),
        false => format!("Hook {name}: {}", texts.join("\n").trim()),
    };
    Said::Hook(text.into(), command.map(|command| command.into_owned().into()))
}
