//! The inner loops of recording and reading, by criterion: `cargo bench`.

#![expect(clippy::expect_used, reason = "the samples are good")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};

use runlog::internals::envelope::{self, LineError};
use runlog::internals::event::EncodedLine;
use runlog::internals::event::EventId;
use runlog::internals::event::Templates;
use runlog::internals::event::View;
use runlog::internals::event::{Defaults, Derived, Draft};
use runlog::internals::hash::line_hash;
use runlog::internals::json::{JsonRules, check};
use runlog::internals::secret::SecretRules;

/// A native line as a script sends it.
const NATIVE: &str = r#"{"type":"tool.completed","correlation_id":"call_17","data":{"tool_name":"bash","duration_ms":412,"exit_code":0,"result_summary":"12 files changed, 340 insertions, 21 deletions; all of the tests pass now"}}"#;

const DEFAULTS: Defaults<'static> = Defaults {
    run_id: "run_20260101T000000Z_abcdef",
    session_id: "sess_20260101T000000Z_abcdef",
    task_id: "task_20260101T000000Z_abcdef",
    parent_event_id: None,
};

fn draft() -> Draft<'static> {
    Draft::native(NATIVE.as_bytes()).expect("a good event")
}

/// The line of the log that it becomes.
fn line() -> Vec<u8> {
    let draft = draft();
    let (mut text, mut line) = (String::new(), Vec::new());
    let pending = pending(&draft, &Derived::of(&draft, Templates::built_in()), &mut text)
        .expect("a good event");
    pending.write(&text, 17, "2026-01-01T00:00:00.000Z", None, &mut line);
    line
}

fn pending(
    draft: &Draft<'_>,
    derived: &Derived,
    text: &mut String,
) -> Result<EncodedLine, LineError> {
    EncodedLine::new(draft, derived, None, EventId::Given("evt_1".to_owned()), &DEFAULTS, text)
}

fn loops(criterion: &mut Criterion) {
    let (draft, line) = (draft(), line());
    let mut text = String::new();
    let prose = "The tests pass; the skeleton of the task-manager is in place. ".repeat(64);
    let mut group = criterion.benchmark_group("line");
    group.throughput(Throughput::Bytes(line.len() as u64));
    group.bench_function("check", |b| {
        b.iter(|| check(&line[..line.len() - 1], JsonRules::STRICT).is_ok());
    });
    group.bench_function("parse", |b| b.iter(|| envelope::parse(&line).is_ok()));
    group.bench_function("peek", |b| b.iter(|| envelope::peek(&line).is_some()));
    group.bench_function("hash", |b| b.iter(|| line_hash(&line)));
    group.bench_function("view", |b| {
        let event = envelope::parse(&line).expect("a good line");
        b.iter(|| View::of(&event).call_id().is_some());
    });
    group.finish();
    let mut group = criterion.benchmark_group("event");
    group.throughput(Throughput::Bytes(NATIVE.len() as u64));
    group.bench_function("read a native line", |b| {
        b.iter(|| Draft::native(NATIVE.as_bytes()).is_ok());
    });
    group.bench_function("make a line", |b| {
        b.iter(|| {
            text.clear();
            pending(&draft, &Derived::of(&draft, Templates::built_in()), &mut text).is_ok()
        });
    });
    group.finish();
    let mut group = criterion.benchmark_group("secrets");
    group.throughput(Throughput::Bytes(prose.len() as u64));
    group.bench_function("text without a candidate", |b| {
        b.iter(|| SecretRules::built_in().may_hold_secret(prose.as_bytes()));
    });
    group.finish();
}

criterion_group!(benches, loops);
criterion_main!(benches);
