//! Which items the fold drops.

use super::TranscriptFold;
use crate::event::envelope;
use crate::event::fields::View;
use crate::log::prefix::LogPrefix;
use crate::transcript::extent::{Detail, Extent, Limits};
use crate::transcript::value::Transcript;
use crate::transcript::{Harness, markdown};

/// A log of that many events. `next` chooses them.
fn events(number: u64, next: &mut impl FnMut(u64) -> u64) -> Vec<String> {
    let mut call = 0;
    let mut event = |sequence: u64| {
        let (kind, data) = match (sequence, next(100)) {
            (1, _) => ("run.created", "{}".to_owned()),
            (_, 0) if next(30) == 0 => ("message.user", format!(r#"{{"text":"task {sequence}"}}"#)),
            (_, 1..=4) => ("message.assistant", format!(r#"{{"text":"said {sequence}"}}"#)),
            (_, 5..=40) => ("message.reasoning", format!(r#"{{"text":"thought {sequence}"}}"#)),
            (_, 41..=42) => ("text", format!(r#"{{"id":"{}","text":"x"}}"#, next(400))),
            (_, 43..=70) => {
                call += 1;
                ("tool.started", format!(r#"{{"tool":"t","id":"c{call}","args":"a {call}"}}"#))
            }
            (_, 71..=95) => {
                let id = call - next(call.min(60) + 1);
                let took = next(5000);
                let data = format!(r#"{{"tool":"t","id":"c{id}","duration_ms":{took},"#);
                match next(9) {
                    0 => ("tool.failed", format!(r#"{data}"error":"failed {id}"}}"#)),
                    _ => ("tool.completed", format!(r#"{data}"result":"ok {id}"}}"#)),
                }
            }
            (_, 96) => ("file.written", format!(r#"{{"path":"src/{}.rs"}}"#, next(300))),
            (_, 97) => ("error", format!(r#"{{"message":"error {sequence}"}}"#)),
            _ => ("section.added", format!(r#"{{"text":"note {sequence}"}}"#)),
        };
        format!(
            r#"{{"event_id":"e{sequence}","sequence":{sequence},"run_id":"r","session_id":"s","task_id":"t","type":"{kind}","timestamp":"2026-01-01T{:02}:{:02}:{:02}.000Z","actor":"agent","severity":"info","summary":null,"data":{data}}}"#,
            sequence / 3600,
            sequence / 60 % 60,
            sequence % 60
        )
    };
    (1..=number).map(&mut event).collect()
}

/// If this fails, a transcript of a long run is not the one that keeping every item would give.
#[test]
fn dropped_items_are_those_that_are_not_shown() {
    let mut state = 7_u64;
    let mut next = |most: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % most.max(1)
    };
    for (number, most) in [(30, None), (900, None), (6000, None), (9000, Some(6000))] {
        let lines = events(number, &mut next);
        for detail in [Detail::Brief, Detail::Normal] {
            let extent = Extent { detail: Some(detail), max_bytes: most };
            let [shown, all] = [false, true].map(|keeps_all| {
                let mut fold = TranscriptFold { keeps_all, ..TranscriptFold::default() };
                if keeps_all {
                    fold.files = super::TouchedFiles::all();
                }
                for line in &lines {
                    let event = envelope::parse(line.as_bytes()).unwrap();
                    let view = View::of(&event);
                    // Calls further apart than the pairing window are timed all the same.
                    fold.observe(&view, event.sequence * 300, None);
                }
                let kept = fold.turns.iter().map(|turn| turn.items.len()).sum::<usize>();
                let tasks = fold.turns.len();
                let bound = 8 * Limits::NORMAL.items + 1;
                assert!(keeps_all || kept <= tasks * bound, "{kept} items in {tasks} turns");
                markdown::render(
                    &Transcript::of(fold, Harness::default(), LogPrefix::default()),
                    extent,
                )
            });
            assert_eq!(shown, all, "{number} events, {detail:?}");
        }
    }
}
