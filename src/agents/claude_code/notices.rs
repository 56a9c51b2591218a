//! The lines of Claude Code that are neither messages nor results: system lines, attachments,
//! titles, links.

use std::borrow::Cow;

use super::prompts::{NOT_HUMAN, part};
use super::totals::SessionTotals;
use super::{SourceLine, hooks};
use crate::agents::said::{FailedPart, Said, SaidFailure, SaidNote, SaidPrompt};
use crate::event::fields::{as_text, is_placeholder};
use crate::event::severity::Severity;
use crate::json::Json;
use crate::text::human::duration;

/// The subtypes of `system` lines.
const SYSTEM: &[(&str, ReadNotice)] = &[
    ("init", init),
    ("compact_boundary", compacted),
    ("microcompact_boundary", compacted),
    ("api_error", api_error),
    ("error", api_error),
    ("api_refusal", refusal),
    ("model_refusal_fallback", refusal),
    ("model_refusal_no_fallback", refusal),
    ("agents_killed", agents_killed),
    ("stop_hook_summary", hooks::stopped),
    ("hook_response", hooks::responded),
    ("turn_duration", turn_duration),
    ("api_retry", api_error),
    ("task_notification", task_ended),
    ("away_summary", content),
    ("informational", content),
    ("scheduled_task_fire", content),
];

/// The types of `attachment` lines.
const ATTACHMENTS: &[(&str, ReadNotice)] = &[
    ("queued_command", queued),
    ("edited_text_file", edited),
    ("hook_non_blocking_error", hooks::failed),
    ("hook_blocking_error", hooks::failed),
    ("hook_error_during_execution", hooks::failed),
    ("hook_stopped_continuation", hooks::stopped_agent),
    ("hook_cancelled", hooks::cancelled),
    ("max_turns_reached", turns_reached),
];

/// Other types of lines.
const OTHERS: &[(&str, ReadNotice)] = &[
    ("custom-title", title),
    ("ai-title", title),
    ("pr-link", pull_request),
    ("worktree-state", worktree),
    ("progress", hooks::progress),
    ("rate_limit_event", rate_limit),
];

/// What a line says; nothing if it says nothing that a reader needs.
type ReadNotice = fn(&SourceLine<'_>) -> Vec<Said<'static>>;

/// What such a line says; nothing if its type is not known.
pub(super) fn notice(line: &SourceLine<'_>, source_type: &str) -> Vec<Said<'static>> {
    let found = |table: &[(&str, ReadNotice)], name: &str| {
        table.iter().find(|(known, _)| *known == name).map(|(_, notice)| *notice)
    };
    let known = match source_type {
        "system" => found(SYSTEM, &line.json.text_at("subtype").unwrap_or_default()),
        "attachment" => {
            let kind = line.json.text_at("attachment.type").unwrap_or_default();
            let of_hook = || kind.starts_with("hook_").then_some(hooks::printed as ReadNotice);
            found(ATTACHMENTS, &kind).or_else(of_hook)
        }
        other => found(OTHERS, other),
    };
    known.map(|notice| notice(line)).unwrap_or_default()
}

/// Why a session failed, as its last line says it.
pub(super) fn result_error<'s>(
    result: Option<Json<'s>>,
    errors: Option<Json<'s>>,
) -> Option<Cow<'s, str>> {
    let text = result.and_then(Json::as_str).filter(|text| !text.is_empty());
    text.or_else(|| {
        let errors = errors.into_iter().flat_map(Json::items);
        let errors: Vec<_> = errors.map(as_text).filter(|error| !error.is_empty()).collect();
        (!errors.is_empty()).then(|| Cow::Owned(errors.join("; ")))
    })
}

/// The last line of a stream: the session's totals.
pub(super) fn result(line: &SourceLine<'_>, totals: &mut SessionTotals) -> Vec<Said<'static>> {
    let failed = line.is_set("is_error")
        && line.json.text_at("terminal_reason").as_deref() != Some(super::end::INTERRUPTED);
    let mut totals = totals.after(&line.json);
    if let Some(total) = totals.first_mut() {
        total.work_time = line.json.get("duration_ms").and_then(Json::as_u64);
    }
    let mut said: Vec<_> = totals.into_iter().map(Said::Used).collect();
    if failed {
        let subtype = line.json.text_at("subtype");
        let text = result_error(line.json.get("result"), line.json.get("errors"));
        let text = text.or_else(|| subtype.clone());
        let status = line.json.get("api_error_status").and_then(Json::as_u64);
        let code = status.map(|status| Cow::Owned(status.to_string()));
        let message = text.unwrap_or(Cow::Borrowed("the session ended with an error"));
        said.push(Said::Failed(SaidFailure {
            code: code.or_else(|| own(subtype.filter(|kind| kind != "success"))),
            message: message.into_owned().into(),
            of: FailedPart::Session,
            ..SaidFailure::default()
        }));
    }
    said
}

/// The text, as one that the line need not outlive.
fn own(text: Option<Cow<'_, str>>) -> Option<Cow<'static, str>> {
    text.map(|text| text.into_owned().into())
}

/// The first version whose totals go on when a session is resumed.
const GOES_ON: [u32; 3] = [2, 1, 277];

/// Whether that version of the client counts what a session used, and not only what a process did.
pub(super) fn counts_session(version: &str) -> bool {
    let mut numbers = version.split(['.', ' ', '-']).map_while(|number| number.parse().ok());
    let numbers: [u32; 3] = std::array::from_fn(|_| numbers.next().unwrap_or(0));
    numbers >= GOES_ON
}

/// The answer at the end of a stream: a text, or JSON if the user asked for that.
pub(super) fn answer<'s>(line: &SourceLine<'s>) -> Option<Cow<'s, str>> {
    line.json.text_at("subtype").filter(|kind| kind == "success" && !line.is_set("is_error"))?;
    let structured = || line.json.present("structured_output").map(Json::compact);
    let text = line.json.text_at("result").filter(|text| !text.trim().is_empty());
    text.or_else(structured)
}

fn init(line: &SourceLine<'_>) -> Vec<Said<'static>> {
    let names = [
        ("profile_id", "model"),
        ("cwd", "cwd"),
        ("permission_mode", "permissionMode"),
        ("agent_version", "claude_code_version"),
    ];
    vec![Said::facts(names.map(|(fact, name)| (fact, own(line.json.text_at(name)))))]
}

fn compacted(line: &SourceLine<'_>) -> Vec<Said<'static>> {
    // Session files and streams write the names in different ways.
    let before = ["compactMetadata.preTokens", "compact_metadata.pre_tokens"];
    let before = before.iter().find_map(|path| line.json.path(path)?.as_u64());
    let before = before.map(|tokens| format!(" at {tokens} tokens")).unwrap_or_default();
    let trigger = ["compactMetadata.trigger", "compact_metadata.trigger"];
    let trigger = trigger.iter().find_map(|path| line.json.text_at(path)).unwrap_or_default();
    let manner = if trigger.is_empty() { String::new() } else { format!(" ({trigger})") };
    vec![Said::note(format!("Context compacted{before}{manner}"))]
}

fn api_error(line: &SourceLine<'_>) -> Vec<Said<'static>> {
    // In a stream, `error` is a single word.
    let message = ["error.message", "error.error.error.message", "error.error.message", "error"]
        .iter()
        .find_map(|path| line.json.path(path)?.as_str());
    let status =
        ["error.status", "error_status"].iter().find_map(|path| line.json.path(path)?.as_u64());
    vec![Said::Failed(SaidFailure {
        code: status.filter(|status| *status > 0).map(|status| status.to_string().into()),
        message: own(message).unwrap_or(Cow::Borrowed("API error")),
        is_retried: true,
        ..SaidFailure::default()
    })]
}

/// The provider refused a request. Another model may have answered it.
fn refusal(line: &SourceLine<'_>) -> Vec<Said<'static>> {
    let text = |name: &str| line.json.text_at(name).filter(|text| !text.is_empty());
    let why = text("apiRefusalExplanation").or_else(|| text("content"));
    let fallback = text("fallbackModel").map(|model| format!("; {model} answers instead"));
    let message = format!(
        "the provider refused the request: {}{}",
        why.as_deref().unwrap_or("no reason given"),
        fallback.unwrap_or_default()
    );
    vec![Said::engine_failed(own(text("apiRefusalCategory")), message)]
}

/// Why a model stopped, if it refused.
pub(super) const REFUSAL: &str = "refusal";

/// The warning about an answer that the model refused or could not finish.
pub(super) fn stopped(message: Json<'_>) -> Option<Said<'static>> {
    let why = message.text_at("stop_details.explanation").filter(|why| !why.is_empty());
    let why = why.map(|why| format!(": {why}")).unwrap_or_default();
    let said = match message.text_at("stop_reason")?.as_ref() {
        REFUSAL => format!("The model refused to answer{why}"),
        "max_tokens" => "The answer was cut at its greatest length".to_owned(),
        "model_context_window_exceeded" => {
            "The answer was cut because the context window is full".to_owned()
        }
        _ => return None,
    };
    Some(Said::warning(said))
}

/// How a task in the background ended. Its call had ended before.
fn task_ended(line: &SourceLine<'_>) -> Vec<Said<'static>> {
    let text = |name: &str| line.json.text_at(name).filter(|text| !text.is_empty());
    let (task, status, summary) = (text("task_id"), text("status"), text("summary"));
    let status = status.as_deref().unwrap_or("ended");
    vec![background(task.as_deref(), status, summary.as_deref(), None)]
}

/// The same, as a session file says it to the agent; `None` if the text is about no end.
pub(super) fn task_notified(text: &str) -> Option<Said<'static>> {
    let text = text.trim_start().strip_prefix("<task-notification>")?;
    let part = |name: &str| part(text, name);
    Some(background(part("task-id"), part("status")?, part("summary"), part("result")))
}

fn background(
    task: Option<&str>,
    status: &str,
    summary: Option<&str>,
    report: Option<&str>,
) -> Said<'static> {
    let name = task.map(|id| format!(" {id}")).unwrap_or_default();
    let summary = summary.map(|summary| format!(": {summary}")).unwrap_or_default();
    let report = report.map(|report| format!("\n{report}")).unwrap_or_default();
    let said = format!("Background task{name} {status}{summary}{report}");
    let has_failed = matches!(status, "failed" | "error" | "killed");
    if has_failed { Said::warning(said) } else { Said::note(said) }
}

/// The user ended the sub-agents that were working.
fn agents_killed(_: &SourceLine<'_>) -> Vec<Said<'static>> {
    vec![Said::warning("The agents that were working were ended")]
}

/// The agent had to stop because it had taken as many turns as it may.
fn turns_reached(line: &SourceLine<'_>) -> Vec<Said<'static>> {
    let most = line.json.path("attachment.maxTurns").and_then(Json::as_u64);
    let most = most.map(|most| format!(" of {most}")).unwrap_or_default();
    vec![Said::warning(format!("The limit{most} on turns was reached"))]
}

/// What the client shows to the user.
fn content(line: &SourceLine<'_>) -> Vec<Said<'static>> {
    let text = own(line.json.text_at("content")).unwrap_or_default();
    // A hook blocked a prompt.
    let is_blocked = line.is_set("preventContinuation");
    vec![if is_blocked { Said::warning(text) } else { Said::System(text) }]
}

/// A limit of the provider that was reached.
fn rate_limit(line: &SourceLine<'_>) -> Vec<Said<'static>> {
    let status = line.json.text_at("rate_limit_info.status");
    if status.is_none_or(|status| status != "rejected") {
        return Vec::new();
    }
    let kind = line.json.text_at("rate_limit_info.rateLimitType").unwrap_or_default();
    let kind = if kind.is_empty() { String::new() } else { format!(" ({kind})") };
    vec![Said::warning(format!("The provider's rate limit was reached{kind}"))]
}

/// How long the agent worked on a turn, without the pauses of the user.
fn turn_duration(line: &SourceLine<'_>) -> Vec<Said<'static>> {
    let took = line.json.get("durationMs").and_then(Json::as_u64).filter(|took| *took > 0);
    let said = |took| remark(format!("The agent worked {} on this turn", duration(took)));
    took.map(said).into_iter().collect()
}

/// A note that is of little interest.
fn remark(text: String) -> Said<'static> {
    let severity = Some(Severity::Debug);
    Said::Note(SaidNote { text: text.into(), severity, ..SaidNote::default() })
}

/// A prompt that was typed while the agent worked.
fn queued(line: &SourceLine<'_>) -> Vec<Said<'static>> {
    let Some(attachment) = line.json.get("attachment") else { return Vec::new() };
    let text = attachment.present("prompt").map(super::content::content_text).unwrap_or_default();
    // Notices of background tasks are queued as well.
    let is_of = |kind: Cow<'_, str>| NOT_HUMAN.contains(&kind.as_ref());
    let typed = attachment.text_at("commandMode").is_none_or(|mode| mode == "prompt")
        && attachment.get("isMeta").and_then(Json::as_bool) != Some(true)
        && !attachment.text_at("origin.kind").is_some_and(is_of);
    vec![if typed && !super::prompts::is_written_by_client(&text) {
        let (text, is_queued) = (text.into(), true);
        Said::Prompt(SaidPrompt { text, is_queued, ..SaidPrompt::default() })
    } else {
        task_notified(&text).unwrap_or_else(|| Said::system(text))
    }]
}

/// A file that the user changed while the agent worked.
fn edited(line: &SourceLine<'_>) -> Vec<Said<'static>> {
    let path = own(line.json.text_at("attachment.filename"));
    let snippet = own(line.json.text_at("attachment.snippet"));
    path.map(|path| Said::Edited(path, snippet)).into_iter().collect()
}

/// The title of the session, chosen by the user or by the agent.
fn title(line: &SourceLine<'_>) -> Vec<Said<'static>> {
    let given = line.json.text_at("customTitle");
    let by = if given.is_some() { "user" } else { "agent" };
    let title = given.or_else(|| line.json.text_at("aiTitle"));
    let title = own(title.filter(|title| !is_placeholder(title)));
    title.map(|title| titled(title, by)).into_iter().collect()
}

/// A title that the agent gave to a conversation by its last line. `is_here` says whether that line
/// is of this file; the others are titles of earlier sessions.
pub(super) fn summary(line: &SourceLine<'_>, is_here: impl Fn(&str) -> bool) -> Vec<Said<'static>> {
    let Some(text) = own(line.json.text_at("summary")) else { return Vec::new() };
    if line.json.text_at("leafUuid").is_some_and(|leaf| is_here(&leaf)) {
        return vec![titled(text, "agent")];
    }
    vec![remark(format!("Title of another session: {text}"))]
}

/// The facts that give the session a title.
fn titled(title: Cow<'static, str>, by: &'static str) -> Said<'static> {
    Said::facts([("title", Some(title)), ("title_by", Some(by.into()))])
}

fn pull_request(line: &SourceLine<'_>) -> Vec<Said<'static>> {
    let number = line.json.get("prNumber").and_then(Json::as_u64);
    let number = number.map(|number| format!(" #{number}")).unwrap_or_default();
    let text = |name: &str| line.json.text_at(name).map(|text| format!(" {text}"));
    let place = text("prUrl").or_else(|| text("prRepository")).unwrap_or_default();
    vec![Said::note(format!("Pull request{number}:{place}"))]
}

/// The agent works in a worktree of the repository, on a branch of its own.
fn worktree(line: &SourceLine<'_>) -> Vec<Said<'static>> {
    let text = |name: &str| line.json.text_at(&format!("worktreeSession.{name}"));
    let Some(branch) = own(text("worktreeBranch")) else { return Vec::new() };
    vec![Said::facts([("git_branch", Some(branch)), ("cwd", own(text("worktreePath")))])]
}
