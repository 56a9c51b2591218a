//! The bodies of the fuzz targets, with inputs made from real ones.

use proptest::prelude::*;

#[path = "../fuzz/src/lib.rs"]
#[expect(unreachable_pub, reason = "the fuzz targets use it from another crate")]
#[expect(clippy::expect_used, reason = "a test may stop there")]
mod targets;

/// Nearly valid bytes: pieces of lines, joined, cut and changed.
fn nearly() -> impl Strategy<Value = Vec<u8>> {
    const PIECES: [&str; 14] = [
        "{\"event_id\":\"e\",\"sequence\":1,\"run_id\":\"r\",\"session_id\":\"s\",\"task_id\":\"t\",\"type\":\"note\",\"timestamp\":\"2026-01-01T00:00:00.000Z\",\"actor\":\"a\",\"severity\":\"info\",\"summary\":null,\"data\":{}}",
        "\n",
        "\r\n",
        "\\u0041",
        "\\ud83d\\ude00",
        "\"",
        "}",
        "{\"a\":[1,{\"b\":null}]}",
        "```",
        "</script>",
        "[x](y)",
        "\u{1b}[31m\u{202e}",
        "Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl",
        "run-1.a",
    ];
    let piece = prop_oneof![
        4 => proptest::sample::select(&PIECES[..]).prop_map(|piece| piece.as_bytes().to_vec()),
        1 => proptest::collection::vec(any::<u8>(), 0..20),
    ];
    let changes = proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 0..3);
    (proptest::collection::vec(piece, 0..6), changes).prop_map(|(pieces, changes)| {
        let mut bytes = pieces.concat();
        for (place, byte) in changes {
            if !bytes.is_empty() {
                let at = place.index(bytes.len());
                bytes[at] = byte;
            }
        }
        bytes
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(3000) })]

    /// If this fails, some input breaks an invariant.
    #[test]
    fn what_holds_for_every_input(bytes in nearly()) {
        targets::line(&bytes);
        targets::tail(&bytes);
        targets::ids(&bytes);
        targets::text(&bytes);
    }
}

/// If this fails, the end of a log is not found if it spans two of the pieces read.
#[test]
fn tails_around_the_sizes_that_are_read() {
    for size in [4095, 4096, 4097, 65_536, 69_632, 69_633] {
        for end in ["", "\n", "\n\n", "\n \n", "\ntorn", "\n\r\n\0\0"] {
            targets::tail(&[&vec![b'x'; size], end.as_bytes()].concat());
            targets::tail(&[b"first\n", &vec![b'x'; size][..], end.as_bytes()].concat());
        }
    }
}
