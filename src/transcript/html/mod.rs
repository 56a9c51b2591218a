//! The transcript as a single HTML page without external resources: no network, no other scripts.

mod charts;
mod events;

use base64::Engine as _;

use super::facts::facts;
use super::value::{Entry, NoteLevel, Said, Tool, Transcript};
use crate::fs::hash::sha256;
use crate::history::calls::CallStatus;
use crate::history::tasks::TaskOutcome;
use crate::text::human::{duration, plural};
use crate::text::inert;

/// Maximum number of tools with their own filter. The most used tools get one.
const TOOLS: usize = 40;

/// The style of the page.
const STYLE: &str = include_str!("page.css");
/// The script of the page: search, filters, zoom.
const SCRIPT: &str = include_str!("page.js");

/// Renders the page. Its security policy forbids all fetches and allows only its own script.
#[must_use]
pub(crate) fn render(transcript: &Transcript) -> String {
    let hash = |text: &str| base64::prelude::BASE64_STANDARD.encode(sha256(text.as_bytes()));
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        hash(STYLE),
        hash(SCRIPT)
    );
    let title = escape(&transcript.facts.run_id);
    let asked = transcript.prompt.as_ref().map(|prompt| inert::preview(&prompt.text, 60));
    let asked = asked.map(|asked| format!(": {}", escape(&asked))).unwrap_or_default();
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>{title}, {}{asked}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n",
        transcript.facts.status.name()
    );
    out.push_str(&header(transcript));
    out.push_str("<main>\n");
    out.push_str(&contents(transcript));
    out.push_str("<div id=\"body\">\n");
    out.push_str(&overview(transcript));
    out.push_str(&charts::timeline(transcript));
    out.push_str(&charts::tokens(transcript));
    out.push_str(&events::chapters(transcript));
    out.push_str("<section id=\"events\" aria-label=\"What happened\">\n<h2>What happened</h2>\n");
    for (at, section) in transcript.turns.iter().enumerate() {
        out.push_str(&events::turn(at, section));
    }
    out.push_str("<p id=\"nothing\" hidden>No matches.</p>\n</section>\n");
    out.push_str(&events::troubles(transcript));
    out.push_str("</div>\n</main>\n");
    let version = env!("CARGO_PKG_VERSION");
    let last = transcript.last_sequence;
    out.push_str(&format!(
        "<footer>Made by runlog {version} from events 1–{last}. Times are UTC.</footer>\n\
         <script>{SCRIPT}</script>\n</body>\n</html>\n"
    ));
    out
}

fn header(transcript: &Transcript) -> String {
    let run = escape(&transcript.facts.run_id);
    let status = transcript.facts.status.name();
    let error = transcript.facts.error_message().map(|error| inert::preview(&error, 160));
    let error = error.map(|error| format!(": <b class=\"failed\">{}</b>", escape(&error)));
    let error = error.unwrap_or_default();
    let troubles = match transcript.troubles.len() as u64 {
        0 => String::new(),
        count => {
            let count = if count == 1 {
                "1 error or warning".to_owned()
            } else {
                format!("{count} errors and warnings")
            };
            format!(" · <a href=\"#troubles\">{count}</a>")
        }
    };
    let tool = |tool: &Tool| {
        let name = escape(&tool.name);
        let short = escape(&inert::preview(&tool.name, 40));
        format!("<option value=\"tool:{name}\">calls of {short}</option>")
    };
    let tools: String = transcript.tools.iter().take(TOOLS).map(tool).collect();
    format!(
        "<header>\n<h1>{run}</h1>\n<p><b class=\"status {status}\">{status}</b>{error} · {}{troubles}</p>\n\
         <form id=\"filters\" role=\"search\">\n\
         <input id=\"search\" type=\"search\" placeholder=\"Search\" title=\"/ to search, Escape to clear, j and k for the next and the previous event\" aria-label=\"Search\">\n\
         <select id=\"kind\" aria-label=\"Kind\"><option value=\"\">everything</option>\
         <option value=\"said\">messages</option><option value=\"call\">calls</option>\
         <option value=\"note\">notes</option><option value=\"thought\">thoughts</option>{tools}</select>\n\
         <select id=\"level\" aria-label=\"Outcome\"><option value=\"\">any outcome</option>\
         <option value=\"error\">failed, blocked, errors</option><option value=\"warning\">also warnings</option></select>\n\
         <button type=\"button\" id=\"clear\" hidden>Clear</button>\n\
         <output id=\"found\" aria-live=\"polite\"></output>\n\
         <button type=\"button\" id=\"open\">Open all</button>\n\
         <button type=\"button\" id=\"theme\" aria-label=\"Light or dark\">◐</button>\n</form>\n</header>\n",
        escape(&facts(transcript).join(" · "))
    )
}

/// The table of contents: chapters, then tasks.
fn contents(transcript: &Transcript) -> String {
    let mut out = String::from("<nav aria-label=\"Contents\">\n<ol>\n");
    for (at, chapter) in transcript.chapters.iter().enumerate() {
        out.push_str(&format!(
            "<li>Chapter <a href=\"#c{at}\">{}</a></li>\n",
            escape(&inert::preview(&chapter.name, 60))
        ));
    }
    for (at, section) in transcript.turns.iter().enumerate() {
        let number = section.task.map(|number| format!("{number}. ")).unwrap_or_default();
        let title = inert::preview(&section.title, 60);
        let mark = match section.outcome {
            Some(TaskOutcome::Failed) => " <b class=\"failed\">failed</b>",
            _ if has_trouble(&section.items) => {
                " <b class=\"failed\" title=\"something failed\">!</b>"
            }
            _ => "",
        };
        out.push_str(&format!(
            "<li><a href=\"#t{at}\">{number}{}</a>{mark}</li>\n",
            escape(&title)
        ));
    }
    if !transcript.troubles.is_empty() {
        out.push_str("<li><a href=\"#troubles\">Errors and warnings</a></li>\n");
    }
    out + "</ol>\n</nav>\n"
}

/// Whether there was an error, or a call failed or was blocked, also in a spawned agent.
fn has_trouble(entries: &[Entry]) -> bool {
    entries.iter().any(|entry| match entry {
        Entry::Call(call) => {
            matches!(call.status, CallStatus::Failed | CallStatus::Blocked)
                || call.agents.iter().any(|agent| has_trouble(&agent.items))
        }
        Entry::Note(note) => note.level == Some(NoteLevel::Error),
        _ => false,
    })
}

fn overview(transcript: &Transcript) -> String {
    let mut out = String::from("<section id=\"overview\" aria-label=\"Overview\">\n");
    if let Some(prompt) = &transcript.prompt {
        out.push_str(&format!("<h2>Prompt</h2>\n<pre>{}</pre>\n", escape(&prompt.shown())));
        let tasks = transcript.turns.iter().filter(|turn| turn.task.is_some()).count() as u64;
        if let Some(more @ 1..) = tasks.checked_sub(1) {
            let more = plural(more, "later task");
            out.push_str(&format!("<p class=\"hint\">{more} below, under “What happened”.</p>\n"));
        }
    }
    if let Some(Said { sequence, text, .. }) = transcript.answer() {
        out.push_str(&format!(
            "<h2>Last answer <a class=\"n\" href=\"#e{sequence}\">#{sequence}</a></h2>\n<pre class=\"answer\">{}</pre>\n",
            escape(text)
        ));
    }
    if let Some(prompt) = &transcript.system_prompt {
        out.push_str(&folded("System prompt", &prompt.shown()));
    }
    out.extend(transcript.harness.iter().map(|(name, text)| folded(name, &text.shown())));
    let remarks = transcript.remarks.all();
    if !remarks.is_empty() {
        let lines: Vec<&str> = remarks.iter().map(|line| line.text.as_str()).collect();
        out.push_str(&folded("Settings, skills and memory", &lines.join("\n")));
    }
    if !transcript.tools.is_empty() {
        out.push_str("<h2>Tools</h2>\n<div class=\"wide\"><table><thead><tr><th>Tool<th>Calls<th>Failed<th>Blocked<th>Time</tr></thead>\n");
        for tool in &transcript.tools {
            let time = tool.duration_ms.map(duration).unwrap_or_default();
            out.push_str(&format!(
                "<tr><td>{}<td>{}<td>{}<td>{}<td>{time}</tr>\n",
                escape(&inert::preview(&tool.name, 60)),
                tool.calls,
                tool.failures,
                tool.blocked
            ));
        }
        out.push_str("</table></div>\n");
    }
    if !transcript.deliverables.is_empty() {
        let verdict = transcript.deliverables_status.as_deref().unwrap_or("not checked yet");
        out.push_str(&format!("<h2>Deliverables: {}</h2>\n<ul>\n", escape(verdict)));
        for one in &transcript.deliverables {
            let missing = if one.missing { " <b class=\"failed\">missing</b>" } else { "" };
            out.push_str(&format!("<li><code>{}</code>{missing}</li>\n", escape(&one.path)));
        }
        out.push_str("</ul>\n");
    }
    if !transcript.files.is_empty() {
        out.push_str(&format!(
            "<details><summary>{} touched</summary>\n<ul>\n",
            plural(transcript.files.len() as u64, "file")
        ));
        for file in transcript.files.iter().take(500) {
            let words: Vec<String> =
                file.operations.iter().map(|(word, times)| format!("{word} ×{times}")).collect();
            let words = escape(&words.join(", "));
            out.push_str(&format!("<li><code>{}</code> {words}</li>\n", escape(&file.path)));
        }
        out.push_str("</ul>\n</details>\n");
    }
    out + "</section>\n"
}

fn folded(title: &str, text: &str) -> String {
    format!("<details><summary>{title}</summary>\n<pre>{}</pre></details>\n", escape(text))
}

/// Text escaped for HTML, without control characters.
pub(in crate::transcript) fn escape(text: &str) -> String {
    let text = inert::text(text);
    let mut out = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out
}
