//! The JSON reader, compared with another one.

use proptest::prelude::*;
use runlog::internals::event::Timestamp;
use runlog::internals::json::{Json, JsonRules, Members, ObjectTree, check, quoted};

fn json_like() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("{"),
        Just("}"),
        Just("["),
        Just("]"),
        Just(","),
        Just(":"),
        Just("\""),
        Just("\\"),
        Just("\"a\""),
        Just("\"b\":"),
        Just("1"),
        Just("-0"),
        // A negative exponent: the other reader rejects numbers that a double cannot hold.
        Just("1.5e-3"),
        Just("0x"),
        Just("true"),
        Just("null"),
        Just(" "),
        Just("\n"),
        Just("\\u0041"),
        Just("\\ud83d\\ude00"),
        Just("ü"),
    ];
    prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

fn value() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(Into::into),
        any::<i64>().prop_map(Into::into),
        any::<String>().prop_map(Into::into),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Into::into),
            prop::collection::btree_map(any::<String>(), inner, 0..6)
                .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    /// If this fails, the log accepts JSON that other readers reject, or the reverse.
    #[test]
    fn agrees_on_what_is_json(text in json_like()) {
        let theirs = serde_json::from_str::<serde_json::Value>(&text);
        let ours = check(text.as_bytes(), JsonRules::LENIENT);
        prop_assert_eq!(theirs.is_ok(), ours.is_ok(), "{} {:?}", text, ours);
    }

    /// If this fails, a time changes when it is written and read.
    #[test]
    fn times_are_written_as_they_are_read(millis in -62_167_219_200_000_i64..=253_402_300_799_999) {
        let written = Timestamp::from_millis(millis).to_string();
        let theirs = chrono::DateTime::from_timestamp_millis(millis).unwrap();
        prop_assert_eq!(&written, &theirs.to_rfc3339_opts(chrono::SecondsFormat::Millis, true));
        prop_assert_eq!(Timestamp::parse(&written), Some(Timestamp::from_millis(millis)));
    }

    /// If this fails, some bytes make the reader panic.
    #[test]
    fn takes_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        if let Ok(json) = check(&bytes, JsonRules::STRICT) {
            let _ = json.compact();
        }
    }

    /// If this fails, a view has another value than the text.
    #[test]
    fn reads_what_was_written(value in value()) {
        for text in [serde_json::to_string(&value).unwrap(), serde_json::to_string_pretty(&value).unwrap()] {
            let json = check(text.as_bytes(), JsonRules::STRICT).unwrap();
            prop_assert_eq!(&rebuilt(json), &value);
            prop_assert_eq!(json.compact().into_owned(), serde_json::to_string(&value).unwrap());
        }
    }

    /// If this fails, a string changes when it is written and read.
    #[test]
    fn quotes(text in any::<String>()) {
        let quoted = quoted(&text);
        prop_assert_eq!(serde_json::from_str::<String>(&quoted).unwrap(), text);
    }
}

fn rebuilt(json: Json<'_>) -> serde_json::Value {
    if json.is_object() {
        return serde_json::Value::Object(
            json.members().map(|(key, value)| (key.into_owned(), rebuilt(value))).collect(),
        );
    }
    match json.as_str() {
        Some(text) => text.into_owned().into(),
        None if json.text().starts_with('[') => json.items().map(rebuilt).collect(),
        None => serde_json::from_str(json.text()).unwrap(),
    }
}

/// If this fails, a repeated key in a wide object is missed, or takes too long to find.
#[test]
fn wide_objects() {
    let wide = |last: &str| {
        let members: Vec<String> = (0..100_000).map(|n| format!("\"k{n}\":{n}")).collect();
        format!("{{{},\"{last}\":0}}", members.join(","))
    };
    assert!(check(wide("fresh").as_bytes(), JsonRules::STRICT).is_ok());
    let error = check(wide("k77").as_bytes(), JsonRules::STRICT).unwrap_err();
    assert!(error.to_string().contains("duplicate key \"k77\""), "{error}");
}

/// If this fails, dotted names overwrite or misplace members.
#[test]
fn trees() {
    let object = check(b"{\"a\":{\"b\":1},\"c\":2}", JsonRules::STRICT).unwrap();
    let mut tree = ObjectTree::of(object);
    let one = check(b"1", JsonRules::STRICT).unwrap();
    tree.add("a.d", one).unwrap();
    tree.add("x.y.z", one).unwrap();
    assert!(
        tree.add("c.d", one).is_err()
            && tree.add("a.b", one).is_err()
            && tree.add("a", one).is_err()
    );
    assert_eq!(tree.text(), "{\"a\":{\"b\":1,\"d\":1},\"c\":2,\"x\":{\"y\":{\"z\":1}}}");
}

/// If this fails, a field of an event is missed, or found in the wrong place.
#[test]
fn members_are_found_as_in_the_text() {
    let wide: Vec<String> = (0..20).map(|n| format!("\"k{n}\":{n}")).collect();
    let wide = format!("{{{}}}", wide.join(","));
    let escaped = r#"{"a":1,"\u0062":{"c":"x"},"n":null}"#;
    for (text, name) in [(wide.as_str(), "k3"), (&wide, "k19"), (escaped, "b"), (escaped, "z")] {
        let object = check(text.as_bytes(), JsonRules::STRICT).unwrap();
        assert_eq!(Members::of(object).get(name), object.get(name), "{name}");
    }
    let members = Members::of(check(escaped.as_bytes(), JsonRules::STRICT).unwrap());
    assert_eq!(members.text_at("b.c").as_deref(), Some("x"));
    assert!(members.present("n").is_none() && members.get("n").is_some());
}

/// If this fails, lines in the canonical order of keys are read differently from others. A blank
/// before the line selects the general reader.
#[test]
fn both_readers_of_lines_agree() {
    use runlog::internals::envelope::parse;
    let hash = "0123456789abcdef".repeat(4);
    let line = format!(
        "{{\"event_id\":\"e1\",\"sequence\":12,\"run_id\":\"r\",\"session_id\":\"s\",\"task_id\":\"t\",\
         \"type\":\"note\",\"timestamp\":\"2026-01-01T00:00:00.000Z\",\"actor\":\"ü\",\"severity\":\"info\",\
         \"summary\":\"a\",\"data\":{{\"a\":[1,{{\"b\":\"\\n\"}}],\"c\":-0.5e3}},\"correlation_id\":\"c\",\
         \"parent_event_id\":\"p\",\"branch\":\"a/b\",\"prev_hash\":\"{hash}\"}}"
    );
    let deep = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    let mut lines = vec![line.clone().into_bytes()];
    for (from, to) in [
        ("\"a\",\"data\"", "null,\"data\""),
        ("12,", "012,"),
        ("12,", "+12,"),
        ("12,", "0,"),
        ("12,", "9007199254740992,"),
        ("\"e1\"", "\"e\\u0031\""),
        ("\"e1\"", "\"\""),
        ("{\"a\":[1,", "[{\"a\":[1,"),
        ("-0.5e3}", "-0.5e3,\"a\":1}"),
        ("[1,", &format!("[{},", deep(61))),
        ("[1,", &format!("[{},", deep(62))),
        ("\"ü\"", "\"\u{7f}\""),
        ("\"type\":\"note\"", "\"type\":\"\u{2003}\""),
    ] {
        assert!(line.contains(from));
        lines.push(line.replacen(from, to, 1).into_bytes());
    }
    let bytes = line.as_bytes();
    for at in 0..bytes.len() {
        for byte in [b'"', b'\\', b'{', b'}', b' ', b',', b'0', b'A', 0, 0x1f, 0x80, 0xff] {
            let mut changed = bytes.to_vec();
            changed[at] = byte;
            lines.push(changed);
        }
        lines.push([&bytes[..at], &bytes[at + 1..]].concat());
    }
    let mut good = 0;
    for line in &lines {
        let general = [b" ", line.as_slice()].concat();
        let shown = String::from_utf8_lossy(line);
        match (parse(line), parse(&general)) {
            (Ok(one), Ok(other)) => {
                good += 1;
                assert_eq!(format!("{one:?}"), format!("{other:?}"), "{shown}");
            }
            (Err(_), Err(_)) => {}
            (one, other) => panic!("{shown}: {one:?} or {other:?}"),
        }
    }
    assert!(good > 500 && lines.len() - good > 500, "{good} of {}", lines.len());
}
