//! The order of keys does not change how a line is checked. The canonical order has a separate
//! reader.

use serde_json::Value;

use crate::checks::{next_event, next_line};
use crate::validate::sound;

/// The next line of the log, with keys in the canonical order.
fn next_canonical_line(log: &str, changes: &str) -> String {
    let Value::Object(mut members) = next_event(log, changes) else { unreachable!() };
    let order = [
        "event_id",
        "sequence",
        "run_id",
        "session_id",
        "task_id",
        "type",
        "timestamp",
        "actor",
        "severity",
        "summary",
        "data",
        "correlation_id",
        "parent_event_id",
        "branch",
        "prev_hash",
    ];
    let known = order.iter().filter_map(|name| Some(((*name).to_owned(), members.remove(*name)?)));
    let known: Vec<(String, Value)> = known.collect();
    let all = known.into_iter().chain(members);
    let all: Vec<String> = all.map(|(name, value)| format!("{name:?}:{value}")).collect();
    format!("{{{}}}\n", all.join(","))
}

/// If this fails, the order of keys changes the result of a check.
#[test]
fn the_order_of_keys_does_not_matter() {
    let id = |number: u32| format!("evt_0193a1b2-c3d4-7000-8000-{number:012x}");
    let ids = |numbers: &[u32]| -> Vec<String> {
        numbers.iter().map(|number| format!("{{\"event_id\":\"{}\"}}", id(*number))).collect()
    };
    let parent = |number: u32| format!("{{\"parent_event_id\":\"{}\"}}", id(number));
    let of =
        |lines: &[&str]| -> Vec<String> { lines.iter().map(|line| (*line).to_owned()).collect() };
    let long = format!(r#"{{"data":{{"text":"{}"}}}}"#, "x".repeat(8 << 20));
    let leak = format!(r#"{{"session_id":"ghp_{}"}}"#, "a1B2".repeat(9));
    let cases: Vec<(Vec<String>, &[&str])> = vec![
        (of(&["{}", "{}"]), &[]),
        (of(&[&long]), &["RL007"]),
        (of(&["{}", r#"{"actor":"(absent)"}"#]), &["RL005"]),
        (of(&[r#"{"severity":"loud"}"#]), &["RL006"]),
        (of(&[r#"{"session_id":"a b"}"#, r#"{"session_id":"a b"}"#]), &["RL006", "RL006"]),
        (of(&[r#"{"task_id":""}"#, r#"{"type":"a b"}"#, r#"{"sequence":0}"#]), &["RL006"; 3]),
        (of(&[r#"{"sequence":7}"#, r#"{"sequence":5.0}"#]), &["RL101", "RL006"]),
        (of(&[r#"{"prev_hash":"00"}"#, r#"{"branch":"a\u0007b"}"#]), &["RL006"]),
        (of(&[r#"{"timestamp":"2100-02-30T00:00:00.000Z"}"#]), &["RL006"]),
        (of(&[r#"{"run_id":"other"}"#, "{}"]), &["RL104"]),
        (of(&[r#"{"own":1}"#]), &["RL902"]),
        (of(&[&leak, "{}", &leak, &leak]), &["RL903"; 3]),
        (
            of(&[&leak.replace("session_id", "actor"), &leak.replace("session_id", "actor")]),
            &["RL903"; 2],
        ),
        (ids(&[1, 2, 3, 2, 4]), &["RL103"]),
        (ids(&[9, 8, 7, 6, 5, 4, 3, 2, 1]), &[]),
        (ids(&[9, 8, 7, 6, 5, 4, 9, 8, 7, 6, 5, 4]), &["RL103"; 6]),
        ([ids(&[9, 8, 7, 6, 5, 4]), vec![parent(4), parent(9), parent(3)]].concat(), &["RL201"]),
    ];
    let mut case = 0;
    for (changes, codes) in &cases {
        // Both orders, each after the other.
        for orders in [[false, false], [true, true], [true, false], [false, true]] {
            let bench = sound();
            for (changes, canonical) in changes.iter().zip(orders.iter().cycle()) {
                let write = if *canonical { next_canonical_line } else { next_line };
                bench.append_raw(write(&bench.log(), changes).as_bytes());
            }
            let judged = bench.validate(case);
            case += 1;
            // The lines make the derived files stale.
            let is_meant = |code: &&str| !code.starts_with("RL5") && *code != "RL405";
            let found: Vec<&str> = judged.codes().into_iter().filter(is_meant).collect();
            assert_eq!(found, *codes, "{orders:?}: {judged:#?}");
        }
    }
}
