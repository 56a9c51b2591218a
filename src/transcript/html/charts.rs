//! The charts of the page: calls over time, tokens over time.

use maud::{Markup, html};

use super::LINE;
use crate::event::time::Timestamp;
use crate::text::human::{count, duration, plural};
use crate::text::inert::preview;
use crate::transcript::value::{CallEntry, Entry, Tokens, Transcript};

/// Maximum number of rows for calls at the same time.
const MOST_ROWS: usize = 20;

/// Calls as bars over time. Overlapping calls are in separate rows.
pub(super) fn timeline(transcript: &Transcript) -> Markup {
    let mut calls: Vec<&CallEntry> =
        transcript.entries().into_iter().filter_map(Entry::call).collect();
    calls.sort_by_key(|call| call.time);
    let end_of = |call: &CallEntry| {
        let length = i64::try_from(call.duration_ms.unwrap_or(0)).unwrap_or(i64::MAX);
        Some(call.time?.millis().saturating_add(length))
    };
    // A call without an end lasts as long as the run.
    let over = calls.iter().filter_map(|call| end_of(call));
    let over = over.chain(transcript.facts.ended_at.map(Timestamp::millis)).max();
    let timed = |call: &&CallEntry| {
        let ended = if call.duration_ms.is_some() { end_of(call) } else { over };
        call.time.map(Timestamp::millis).zip(ended)
    };
    let Some(first) = calls.iter().filter_map(timed).map(|(began, _)| began).min() else {
        return html! {};
    };
    let last = calls.iter().filter_map(timed).map(|(_, ended)| ended).max().unwrap_or(first);
    let span = last.saturating_sub(first).max(1) as f64;
    const WIDTH: f64 = 1000.0;
    const ROW: usize = 14;
    let mut rows: Vec<i64> = Vec::new();
    let mut bars = Vec::new();
    for call in &calls {
        let Some((began, ended)) = timed(call) else { continue };
        let free = rows.iter().position(|until| *until <= began);
        let row = free.unwrap_or_else(|| {
            rows.push(0);
            rows.len() - 1
        });
        let row = row.min(MOST_ROWS - 1);
        rows.truncate(MOST_ROWS);
        rows[row] = ended.max(began.saturating_add(1));
        let width = (ended.saturating_sub(began) as f64 / span * WIDTH).max(1.5);
        let x = (began.saturating_sub(first) as f64 / span * WIDTH).min(WIDTH - width).max(0.0);
        let time = call.duration_ms.map(duration).unwrap_or_else(|| "no end".to_owned());
        bars.push(html! {
            a href={ "#e" (call.sequence) } tabindex="-1" {
                rect.(call.status.name()) x=(format!("{x:.2}")) y=(row * ROW)
                    width=(format!("{width:.2}")) height=(ROW - 3)
                {
                    title { (preview(&call.tool, 40)) " " (preview(&call.arguments, 60)) " (" (time) ")" }
                }
            }
            (LINE)
        });
    }
    let height = rows.len().max(1) * ROW;
    let merged =
        if rows.len() == MOST_ROWS { "; the last row combines all further rows" } else { "" };
    let clock = |millis: i64| Timestamp::from_millis(millis).clock();
    let drawn = calls.iter().filter_map(timed).count();
    let all = plural(drawn as u64, "call");
    let without = plural((calls.len() - drawn) as u64, "call");
    let without = (calls.len() > drawn).then(|| format!("; {without} without a start"));
    html! {
        section #timeline aria-label="Timeline of calls" {
            h3 { "Calls over time" }
            p.hint {
                (all) " over " (duration(span as u64)) (without.unwrap_or_default()) ". "
                button type="button" data-zoom="2" aria-label="Zoom in" { "+" } " "
                button type="button" data-zoom="0.5" aria-label="Zoom out" { "−" } " "
                button type="button" data-zoom="0" aria-label="Whole run" { "all" }
            }
            div.wide {
                svg #bars role="group" aria-label={ (all) " over time" }
                    viewBox={ "0 0 1000 " (height) } preserveAspectRatio="none" height=(height)
                { (LINE) @for bar in &bars { (bar) } }
            }
            p.hint.axis {
                span { time { (clock(first)) } }
                span { "blue: completed, red: failed, amber: blocked or no end" (merged) }
                span { time { (clock(last)) } }
            }
        }
    }
}

/// The context size and the output of each model call.
pub(super) fn tokens(transcript: &Transcript) -> Markup {
    let most = transcript.tokens.iter().map(|sample| sample.context.max(sample.output)).max();
    let Some(most) = most.filter(|most| *most > 0 && transcript.tokens.len() > 1) else {
        return html! {};
    };
    let times = || transcript.tokens.iter().map(|sample| sample.time.millis());
    let (first, last) = (times().min().unwrap_or(0), times().max().unwrap_or(0));
    // If no time passed, the samples are spaced evenly.
    let place = |at: usize, sample: &Tokens| match last.saturating_sub(first) {
        0 => at as f64 / (transcript.tokens.len() - 1) as f64,
        span => sample.time.millis().saturating_sub(first) as f64 / span as f64,
    };
    let line = |of: fn(&Tokens) -> u64| {
        let point = |(at, sample): (usize, &Tokens)| {
            let height = of(sample) as f64 / most as f64;
            format!("{:.1},{:.1}", place(at, sample) * 1000.0, 100.0 - height * 100.0)
        };
        transcript.tokens.iter().enumerate().map(point).collect::<Vec<_>>().join(" ")
    };
    let clock = |millis: i64| Timestamp::from_millis(millis).clock();
    html! {
        section #tokens aria-label="Tokens over time" {
            h3 { "Tokens over time" }
            p.hint {
                span.context { "context" } " and " span.output { "output" } " of "
                (plural(transcript.tokens.len() as u64, "model call")) "; the top is "
                (count(most)) " tokens."
            }
            svg role="img" aria-label="Tokens over time" viewBox="0 0 1000 100"
                preserveAspectRatio="none" height="100"
            {
                polyline.context points=(line(|sample| sample.context)) {}
                polyline.output points=(line(|sample| sample.output)) {}
            }
            p.hint.axis { span { time { (clock(first)) } } span { time { (clock(last)) } } }
        }
    }
}
