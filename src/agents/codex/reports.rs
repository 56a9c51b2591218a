//! How the client reports a call in its own events (`exec_command_end`) and items
//! (`command_execution`). One table says which members hold what.

use std::borrow::Cow;

use super::outcome::{DENIED as DENIALS, content_text};
use crate::agents::said::{Args, CallEnd, Outcome, SaidCall};
use crate::event::fields::is_placeholder;
use crate::json::{Json, Kind, ObjectText};

/// The members of the reports about one kind of call.
struct Shape {
    /// The report's type, without `_begin` and `_end`.
    names: &'static [&'static str],
    /// The tool. Empty: the report names it.
    tool: &'static str,
    /// The members that are arguments. None: the member `arguments` has them all.
    args: &'static [&'static str],
    /// The members that may be the result.
    result: &'static [&'static str],
}

#[rustfmt::skip]
const SHAPES: &[Shape] = &[
    shape(&["exec_command", "command_execution", "CommandExecution"], "shell",
        &["command", "cwd"], &["aggregated_output", "formatted_output", "stdout"]),
    shape(&["patch_apply", "file_change", "FileChange"], "apply_patch", &["changes"], &["stdout"]),
    shape(&["mcp_tool_call", "McpToolCall"], "", &[], &["result.Ok.content", "result.content", "result"]),
    shape(&["dynamic_tool_call", "DynamicToolCall"], "", &[], &["content_items", "result"]),
    shape(&["web_search", "web_search_call", "WebSearch"], "web_search",
        &["query", "action"], &["results"]),
    shape(&["image_generation", "image_generation_call", "ImageGeneration"], "image_generation",
        &["revised_prompt", "revisedPrompt"], &["saved_path", "savedPath"]),
    shape(&["sleep", "Sleep"], "sleep", &["duration_ms", "durationMs"], &[]),
    shape(&["OtherExtension"], "", &["input", "query"], &["results", "result", "output"]),
    shape(&["view_image_tool_call", "image_view", "ImageView"], "view_image", &["path"], &["path"]),
    shape(&["collab_agent_spawn"], "spawn_agent",
        &["prompt", "new_agent_role", "model"], &["status"]),
    shape(&["collab_agent_interaction"], "send_input",
        &["receiver_thread_id", "prompt"], &["status"]),
    shape(&["collab_waiting"], "wait", &["receiver_thread_ids"], &["statuses", "agent_statuses"]),
    shape(&["collab_close"], "close_agent", &["receiver_thread_id"], &["status"]),
    shape(&["collab_resume"], "resume_agent", &["receiver_thread_id"], &["status"]),
    shape(&["collab_tool_call", "CollabToolCall", "CollabAgentToolCall"], "",
        &["receiver_thread_ids", "prompt"], &["agents_states"]),
];

/// The type of a report about a call that an extension of the client made. Its `kind` says what it
/// is about, by its beginning; older versions, which only searched, have none.
const EXTENSION: &str = "Extension";
const EXTENSIONS: &[(&str, &str)] = &[
    ("web.", "WebSearch"),
    ("image_gen.", "ImageGeneration"),
    ("clock.", "Sleep"),
    ("", "OtherExtension"),
];

/// The states of a call that failed, in `status`.
const FAILED: &[&str] = &["failed", "error", "errored"];

/// The states of a call that was denied.
const DENIED: &[&str] = &["declined", "denied", "rejected"];

/// What kind of call a report of that type is about.
fn shape_of(kind: &str, report: Json<'_>) -> Option<&'static Shape> {
    let extension = || {
        let own = report.text_at("kind").filter(|kind| !is_placeholder(kind));
        let Some(own) = own else { return Some("WebSearch") };
        EXTENSIONS.iter().find(|(name, _)| own.starts_with(name)).map(|(_, kind)| *kind)
    };
    let kind = if kind == EXTENSION { extension()? } else { kind };
    let stem = ["_begin", "_end", "_request", "_response"]
        .iter()
        .find_map(|ending| kind.strip_suffix(ending))
        .unwrap_or(kind);
    SHAPES.iter().find(|shape| shape.names.contains(&stem))
}

/// The call in a report of that type; `None` if it is about something else.
pub(super) fn reported<'s>(kind: &str, report: Json<'s>) -> Option<SaidCall<'s>> {
    let shape = shape_of(kind, report)?;
    let args = match shape.args {
        [] => {
            let given = ["arguments", "invocation.arguments"].iter();
            given.filter_map(|path| report.path(path)).next().map_or(Args::None, Args::of)
        }
        names => {
            let mut args = ObjectText::new();
            for name in names {
                if let Some(value) = report.present(name) {
                    args.json(name, Json::trusted(&value.compact()));
                }
            }
            if args.is_empty() { Args::None } else { Args::Text(args.finish().into()) }
        }
    };
    let id = ["call_id", "callId", "id"].iter().find_map(|name| report.text_at(name));
    let tool = match shape.tool {
        "" => tool_name(report).unwrap_or_default(),
        tool => Cow::Borrowed(tool),
    };
    Some(SaidCall { id, tool, args, family: family(kind), ..SaidCall::default() })
}

/// What the types of the start and the end of a call have in common: `custom_tool` of
/// `custom_tool_call` and `custom_tool_call_output`.
pub(super) fn family(kind: &str) -> Cow<'static, str> {
    let ends = ["_output", "_result", "_begin", "_end", "_request", "_response"];
    let stem = ends.iter().find_map(|end| kind.strip_suffix(end)).unwrap_or(kind);
    Cow::Owned(stem.strip_suffix("_call").unwrap_or(stem).to_owned())
}

/// The tool that a report names, with its server.
fn tool_name(report: Json<'_>) -> Option<Cow<'_, str>> {
    let find = |names: &[&str]| names.iter().find_map(|name| report.text_at(name));
    let tool = find(&["tool", "invocation.tool", "kind"])?;
    Some(match find(&["server", "invocation.server"]) {
        Some(server) => format!("mcp__{server}__{tool}").into(),
        None => tool,
    })
}

/// The command that a report is about, as a person would type it.
pub(super) fn command_line(report: Json<'_>) -> String {
    let Some(command) = report.present("command") else { return String::new() };
    let words: Vec<_> = command.items().filter_map(Json::as_str).collect();
    match words.as_slice() {
        [_, option, script] if option.starts_with('-') => script.clone().into_owned(),
        [] => command.as_str().unwrap_or_default().into_owned(),
        words => words.join(" "),
    }
}

/// How the call in a report of that type ended.
pub(super) fn outcome<'s>(kind: &str, report: Json<'s>) -> CallEnd<'s> {
    let names = shape_of(kind, report).map_or(&[][..], |shape| shape.result);
    let status = report.text_at("status");
    let is = |states: &[&str]| status.as_deref().is_some_and(|status| states.contains(&status));
    let holds = |path: &str, value: bool| report.path(path).and_then(Json::as_bool) == Some(value);
    let exit_code = report.get("exit_code").and_then(Json::as_f64).map(|code| code as i64);
    let errors = ["error.message", "error", "failure.message", "failure", "result.Err"];
    let error = errors.iter().find_map(|path| report.path(path));
    let denials = |text: Cow<'_, str>| DENIALS.contains(&text.trim());
    let denied = is(DENIED) || error.and_then(Json::as_str).is_some_and(denials);
    let failed = is(FAILED)
        || error.is_some()
        || holds("success", false)
        || holds("result.isError", true)
        || holds("result.Ok.isError", true)
        || exit_code.is_some_and(|code| code != 0);
    let result = names.iter().find_map(|path| report.path(path)).map(content_text);
    let error = error.map(content_text).or_else(|| {
        let has_reason = failed || denied;
        report.text_at("stderr").filter(|text| has_reason && !text.is_empty()).map(Cow::into_owned)
    });
    let result = result.filter(|text| !text.is_empty());
    let duration = report.present("duration").and_then(milliseconds);
    let own = ["duration_ms", "durationMs"].iter();
    let own = own.filter_map(|name| report.get(name)?.as_u64()).next();
    let spawns = report.text_at("tool").is_some_and(|tool| tool == "spawn_agent");
    let receiver = || report.get("receiver_thread_ids")?.items().next()?.as_str();
    let text = if failed || denied { error.or(result) } else { result.or(error) };
    CallEnd {
        text: text.unwrap_or_default().into(),
        outcome: match denied {
            true => Outcome::Denied,
            false if failed => Outcome::Failed,
            false => Outcome::Completed,
        },
        exit_code,
        duration_ms: duration.or(own),
        spawned: report.text_at("new_thread_id").or_else(|| receiver().filter(|_| spawns)),
        ..CallEnd::default()
    }
}

/// What a review found: its explanation and its findings.
pub(super) fn review(report: Json<'_>) -> Option<String> {
    let review = report.present("review_output")?;
    let explained = review.text_at("overall_explanation").filter(|text| !text.is_empty());
    let mut parts: Vec<String> = explained.map(Cow::into_owned).into_iter().collect();
    for finding in review.present("findings").into_iter().flat_map(Json::items) {
        let texts = ["title", "body"].iter().filter_map(|name| finding.text_at(name));
        parts.push(format!("- {}", texts.collect::<Vec<_>>().join("\n  ")));
    }
    (!parts.is_empty()).then(|| format!("Review finished: {}", parts.join("\n")))
}

/// A duration as `{secs, nanos}`, in milliseconds.
fn milliseconds(duration: Json<'_>) -> Option<u64> {
    let number = |name: &str| duration.get(name).and_then(Json::as_u64);
    match duration.kind() {
        Kind::Object => {
            number("secs")?.checked_mul(1000)?.checked_add(number("nanos")? / 1_000_000)
        }
        _ => None,
    }
}

/// What a web search looked for.
pub(super) fn search_text(report: Json<'_>) -> Option<Cow<'_, str>> {
    // The event and the item of one search agree in the action, and not always in the query.
    let names = ["action.query", "action.url", "action.pattern", "query"];
    names.iter().find_map(|path| report.text_at(path)).filter(|text| !text.is_empty())
}

const fn shape(
    names: &'static [&'static str],
    tool: &'static str,
    args: &'static [&'static str],
    result: &'static [&'static str],
) -> Shape {
    Shape { names, tool, args, result }
}
