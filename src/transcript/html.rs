//! The transcript as one page that needs nothing else: no network, no script but its own.

use base64::Engine as _;

use super::document::{Call, Document, Entry, Section};
use crate::event::hash::sha256;
use crate::render::human::{count, dollars, duration, plural};
use crate::render::inert;

/// How the page looks.
const STYLE: &str = include_str!("page.css");
/// What it does: search, filters, zooming.
const SCRIPT: &str = include_str!("page.js");

/// The page. Its policy lets it fetch nothing, and run its own script alone.
#[must_use]
pub fn render(document: &Document) -> String {
    let hash = |text: &str| base64::prelude::BASE64_STANDARD.encode(sha256(text.as_bytes()));
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        hash(STYLE),
        hash(SCRIPT)
    );
    let title = escape(&document.run_id);
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>{title}: {}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n",
        document.status
    );
    out.push_str(&header(document));
    out.push_str("<main>\n");
    out.push_str(&contents(document));
    out.push_str("<div id=\"body\">\n");
    out.push_str(&overview(document));
    out.push_str(&timeline(document));
    out.push_str(&tokens(document));
    out.push_str(&chapters(document));
    out.push_str("<section id=\"events\" aria-label=\"What happened\">\n<h2>What happened</h2>\n");
    for (at, section) in document.turns.iter().enumerate() {
        out.push_str(&turn(at, section));
    }
    out.push_str("<p id=\"nothing\" hidden>Nothing fits.</p>\n</section>\n");
    out.push_str(&troubles(document));
    out.push_str("</div>\n</main>\n");
    let version = env!("CARGO_PKG_VERSION");
    let last = document.last_sequence;
    out.push_str(&format!(
        "<footer>Made by runlog {version} from events 1–{last}. Times are UTC.</footer>\n\
         <script>{SCRIPT}</script>\n</body>\n</html>\n"
    ));
    out
}

fn header(document: &Document) -> String {
    let run = escape(&document.run_id);
    let status = document.status;
    format!(
        "<header>\n<h1>{run}</h1>\n<p><b class=\"status {status}\">{status}</b> {}</p>\n\
         <form id=\"filters\" role=\"search\">\n\
         <input id=\"search\" type=\"search\" placeholder=\"Search (press /)\" aria-label=\"Search\">\n\
         <select id=\"kind\" aria-label=\"Kind\"><option value=\"\">everything</option>\
         <option value=\"said\">what was said</option><option value=\"call\">calls</option>\
         <option value=\"note\">notes</option></select>\n\
         <select id=\"level\" aria-label=\"Outcome\"><option value=\"\">any outcome</option>\
         <option value=\"failed\">failed or blocked</option></select>\n\
         <output id=\"found\" aria-live=\"polite\"></output>\n\
         <button type=\"button\" id=\"open\">Open all</button>\n\
         <button type=\"button\" id=\"theme\" aria-label=\"Light or dark\">◐</button>\n</form>\n</header>\n",
        escape(&facts(document).join(" · "))
    )
}

fn facts(document: &Document) -> Vec<String> {
    let mut facts = vec![plural(document.events, "event")];
    facts.extend(document.duration_ms.map(duration));
    if let (Some(input), Some(output)) = (document.input_tokens, document.output_tokens) {
        facts.push(format!("{} tokens in, {} out", count(input), count(output)));
    }
    facts.extend(document.cost_micros.map(dollars));
    facts.extend(document.models.iter().take(3).cloned());
    facts
}

/// The table of contents: chapters, then tasks.
fn contents(document: &Document) -> String {
    let mut out = String::from("<nav aria-label=\"Contents\">\n<ol>\n");
    for (at, chapter) in document.chapters.iter().enumerate() {
        out.push_str(&format!("<li>📖 <a href=\"#c{at}\">{}</a></li>\n", escape(&chapter.name)));
    }
    for (at, section) in document.turns.iter().enumerate() {
        let number = section.task.map(|number| format!("{number}. ")).unwrap_or_default();
        let title = inert::preview(&section.title, 60);
        let mark =
            if section.outcome == Some("failed") { " <b class=\"failed\">failed</b>" } else { "" };
        out.push_str(&format!(
            "<li><a href=\"#t{at}\">{number}{}</a>{mark}</li>\n",
            escape(&title)
        ));
    }
    if !document.troubles.is_empty() {
        out.push_str("<li><a href=\"#troubles\">Errors and warnings</a></li>\n");
    }
    out + "</ol>\n</nav>\n"
}

fn overview(document: &Document) -> String {
    let mut out = String::from("<section id=\"overview\" aria-label=\"Overview\">\n");
    if let Some(prompt) = &document.prompt {
        out.push_str(&format!("<h2>Prompt</h2>\n<pre>{}</pre>\n", escape(prompt)));
    }
    if let Some(prompt) = &document.system_prompt {
        out.push_str(&folded("System prompt", prompt));
    }
    if !document.tools.is_empty() {
        out.push_str("<h2>Tools</h2>\n<div class=\"wide\"><table><thead><tr><th>Tool<th>Calls<th>Failed<th>Blocked<th>Time</tr></thead>\n");
        for tool in &document.tools {
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
    if !document.deliverables.is_empty() {
        let verdict = document.deliverables_status.as_deref().unwrap_or("not checked yet");
        out.push_str(&format!("<h2>Deliverables: {}</h2>\n<ul>\n", escape(verdict)));
        for one in &document.deliverables {
            let missing = if one.missing { " <b class=\"failed\">missing</b>" } else { "" };
            out.push_str(&format!("<li><code>{}</code>{missing}</li>\n", escape(&one.path)));
        }
        out.push_str("</ul>\n");
    }
    if !document.files.is_empty() {
        out.push_str(&format!(
            "<details><summary>{} touched</summary>\n<ul>\n",
            plural(document.files.len() as u64, "file")
        ));
        for file in document.files.iter().take(500) {
            let words: Vec<String> =
                file.operations.iter().map(|(word, times)| format!("{word} ×{times}")).collect();
            let words = escape(&words.join(", "));
            out.push_str(&format!("<li><code>{}</code> {words}</li>\n", escape(&file.path)));
        }
        out.push_str("</ul>\n</details>\n");
    }
    out + "</section>\n"
}

/// Calls as bars over time, those that overlap in rows of their own.
fn timeline(document: &Document) -> String {
    let calls: Vec<&Call> = document
        .turns
        .iter()
        .flat_map(|turn| &turn.items)
        .filter_map(|entry| if let Entry::Call(call) = entry { Some(call) } else { None })
        .collect();
    let timed =
        |call: &&Call| Some((call.began?, call.began? + call.duration_ms.unwrap_or(0) as i64));
    let Some(first) = calls.iter().filter_map(timed).map(|(began, _)| began).min() else {
        return String::new();
    };
    let last = calls.iter().filter_map(timed).map(|(_, ended)| ended).max().unwrap_or(first);
    let span = (last - first).max(1) as f64;
    const WIDTH: f64 = 1000.0;
    const ROW: usize = 14;
    let mut rows: Vec<i64> = Vec::new();
    let mut bars = String::new();
    for call in &calls {
        let Some((began, ended)) = timed(call) else { continue };
        let free = rows.iter().position(|until| *until <= began);
        let row = free.unwrap_or_else(|| {
            rows.push(0);
            rows.len() - 1
        });
        // Deep nesting is told by the last row.
        let row = row.min(19);
        rows.truncate(20);
        rows[row] = ended.max(began + 1);
        let x = (began - first) as f64 / span * WIDTH;
        let width = ((ended - began) as f64 / span * WIDTH).max(1.5);
        let time = call.duration_ms.map(duration).unwrap_or_else(|| "no end".to_owned());
        bars.push_str(&format!(
            "<a href=\"#e{}\"><rect class=\"{}\" x=\"{x:.2}\" y=\"{}\" width=\"{width:.2}\" height=\"{}\"><title>{} {} ({time})</title></rect></a>\n",
            call.sequence,
            call.status,
            row * ROW,
            ROW - 3,
            escape(&inert::preview(&call.tool, 40)),
            escape(&inert::preview(&call.arguments, 60)),
        ));
    }
    let height = rows.len().max(1) * ROW;
    format!(
        "<section id=\"timeline\" aria-label=\"Timeline of calls\">\n<h2>Calls over time</h2>\n\
         <p class=\"hint\">{} over {}. <button type=\"button\" data-zoom=\"2\">+</button> <button type=\"button\" data-zoom=\"0.5\">−</button> <button type=\"button\" data-zoom=\"0\">all</button></p>\n\
         <div class=\"wide\"><svg id=\"bars\" role=\"img\" aria-label=\"{} over time\" viewBox=\"0 0 1000 {height}\" preserveAspectRatio=\"none\" height=\"{height}\">\n{bars}</svg></div>\n</section>\n",
        plural(calls.len() as u64, "call"),
        duration(span as u64),
        plural(calls.len() as u64, "call"),
    )
}

/// The size of the context over the calls of models.
fn tokens(document: &Document) -> String {
    let most = document.tokens.iter().map(|sample| sample.context.max(sample.output)).max();
    let Some(most) = most.filter(|most| *most > 0 && document.tokens.len() > 1) else {
        return String::new();
    };
    let step = 1000.0 / (document.tokens.len() - 1) as f64;
    let line = |of: fn(&super::document::Tokens) -> u64| {
        let point = |(at, sample): (usize, &super::document::Tokens)| {
            format!(
                "{:.1},{:.1}",
                at as f64 * step,
                100.0 - of(sample) as f64 / most as f64 * 100.0
            )
        };
        document.tokens.iter().enumerate().map(point).collect::<Vec<_>>().join(" ")
    };
    format!(
        "<section id=\"tokens\" aria-label=\"Tokens over time\">\n<h2>Tokens over time</h2>\n\
         <p class=\"hint\"><span class=\"context\">context</span> and <span class=\"output\">output</span> of {}; at most {}.</p>\n\
         <svg role=\"img\" aria-label=\"Tokens over time\" viewBox=\"0 0 1000 100\" preserveAspectRatio=\"none\" height=\"100\">\n\
         <polyline class=\"context\" points=\"{}\"/>\n<polyline class=\"output\" points=\"{}\"/>\n</svg>\n</section>\n",
        plural(document.tokens.len() as u64, "call of a model"),
        count(most),
        line(|sample| sample.context),
        line(|sample| sample.output),
    )
}

fn chapters(document: &Document) -> String {
    let mut out = String::new();
    for (at, chapter) in document.chapters.iter().enumerate() {
        let (first, last) = (chapter.first_sequence, chapter.last_sequence);
        out.push_str(&format!(
            "<section class=\"chapter\" id=\"c{at}\">\n<h2>📖 {}</h2>\n<pre>{}</pre>\n\
             <p class=\"hint\">Events {first} to {last}.</p>\n</section>\n",
            escape(&chapter.name),
            escape(&chapter.message)
        ));
    }
    out
}

fn turn(at: usize, section: &Section) -> String {
    let number = section.task.map(|number| format!("[{number}] ")).unwrap_or_default();
    let outcome = section.outcome.filter(|outcome| *outcome != "ended");
    let outcome = outcome.map(|outcome| format!(" <b class=\"{outcome}\">{outcome}</b>"));
    let mut out = format!(
        "<section class=\"turn\" id=\"t{at}\">\n<h3>{number}{}{}</h3>\n",
        escape(&inert::preview(&section.title, 200)),
        outcome.unwrap_or_default()
    );
    for entry in &section.items {
        out.push_str(&article(entry));
    }
    out + "</section>\n"
}

/// One thing that happened; its id is a link that can be sent.
fn article(entry: &Entry) -> String {
    let sequence = entry.sequence();
    let link = format!("<a class=\"n\" href=\"#e{sequence}\">#{sequence}</a>");
    match entry {
        Entry::Said { time, who, text, .. } => format!(
            "<article id=\"e{sequence}\" data-kind=\"said\">{link} <time>{}</time> <b>{}</b>\n<pre>{}</pre></article>\n",
            clock(time),
            escape(who),
            escape(text)
        ),
        Entry::Note { text, .. } => format!(
            "<article id=\"e{sequence}\" data-kind=\"note\">{link} {}</article>\n",
            escape(text)
        ),
        Entry::Section { title, text, .. } => format!(
            "<article id=\"e{sequence}\" data-kind=\"note\">{link} <b>{}</b>\n<pre>{}</pre></article>\n",
            escape(title),
            escape(text)
        ),
        Entry::Call(call) => {
            let status = call.status;
            let time = call.time.as_deref().map(clock).unwrap_or_default();
            let how = if status == "completed" {
                String::new()
            } else {
                format!(" <b class=\"{status}\">{status}</b>")
            };
            let took = call.duration_ms.map(duration).unwrap_or_default();
            let head = format!(
                "{link} <time>{time}</time> <b>{}</b> <code>{}</code>{how} <i>{took}</i>",
                escape(&call.tool),
                escape(&call.arguments)
            );
            match call.result.as_deref().filter(|result| !result.trim().is_empty()) {
                None => format!(
                    "<article id=\"e{sequence}\" data-kind=\"call\" data-status=\"{status}\">{head}</article>\n"
                ),
                Some(result) => format!(
                    "<article id=\"e{sequence}\" data-kind=\"call\" data-status=\"{status}\"><details><summary>{head}</summary>\n<pre>{}</pre></details></article>\n",
                    escape(result)
                ),
            }
        }
    }
}

fn troubles(document: &Document) -> String {
    if document.troubles.is_empty() {
        return String::new();
    }
    let mut out = String::from("<section id=\"troubles\">\n<h2>Errors and warnings</h2>\n<ul>\n");
    for trouble in &document.troubles {
        out.push_str(&format!(
            "<li><a class=\"n\" href=\"#e{0}\">#{0}</a> <b class=\"{1}\">{1}</b> <code>{2}</code> {3}</li>\n",
            trouble.sequence,
            trouble.level,
            escape(&trouble.kind),
            escape(&trouble.text)
        ));
    }
    out + "</ul>\n</section>\n"
}

fn folded(title: &str, text: &str) -> String {
    format!("<details><summary>{title}</summary>\n<pre>{}</pre></details>\n", escape(text))
}

/// The time of day of an RFC 3339 time.
fn clock(time: &str) -> &str {
    time.get(11..19).unwrap_or_default()
}

/// Text that is no markup and acts on nothing.
fn escape(text: &str) -> String {
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
