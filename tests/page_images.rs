//! Images on the HTML page: which ones are shown, and that the others stay text.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use crate::support::{Bench, jsonl};

/// A PNG of one pixel, 70 bytes long.
const PIXEL: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

/// The beginning of a PNG of that size, and as many bytes after it.
fn png(width: u32, height: u32, more: usize) -> String {
    let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".to_vec();
    bytes.extend(width.to_be_bytes());
    bytes.extend(height.to_be_bytes());
    bytes.resize(bytes.len() + more, 7);
    BASE64_STANDARD.encode(bytes)
}

fn image(data: &str) -> Value {
    json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": data}})
}

/// A run with one call whose result has these parts.
fn with_result(parts: &[Value]) -> Bench {
    let bench = Bench::created(&[]);
    let events = [
        json!({"type": "tool.started", "correlation_id": "c", "data": {"tool_name": "Read", "args": {"path": "a.png"}}}),
        json!({"type": "tool.completed", "correlation_id": "c", "data": {"tool_name": "Read", "result": parts}}),
    ];
    let said = bench.feed(&["emit", "--run", "r", "--stdin", "-q"], jsonl(&events).as_bytes());
    assert_eq!(said.status, 0, "{}", said.err);
    bench
}

fn page(bench: &Bench, run: &str) -> String {
    bench.ok(&["transcript", run, "--format", "html", "-o", "-"])
}

/// If this fails, an image in a result is not shown on the page, the page may load images from
/// elsewhere, or base64 is shown as text.
#[test]
fn results_show_their_images() {
    let bench = with_result(&[json!({"type": "text", "text": "before"}), image(PIXEL)]);
    let shown = page(&bench, "r");
    let expected = format!(
        "<img src=\"data:image/png;base64,{PIXEL}\" alt=\"[image, 70 B]\" width=\"1\" height=\"1\""
    );
    assert!(shown.contains(&expected), "{shown}");
    assert_eq!(shown.matches(PIXEL).count(), 1, "once, and not as text");
    assert!(shown.contains("before\n[image, 70 B]</pre>"), "{shown}");
    assert!(shown.contains("; img-src data:; base-uri 'none';"), "{shown}");
    for format in ["text", "json", "markdown"] {
        let detail: &[&str] = if format == "json" { &[] } else { &["--detail", "full"] };
        let args = ["transcript", "r", "--format", format, "-o", "-"];
        let text = bench.ok(&[args.as_slice(), detail].concat());
        assert!(text.contains("image, 70 B") && !text.contains("iVBORw0"), "{format}: {text}");
    }
}

/// If this fails, the images of an imported session are lost, or shown with another call.
#[test]
fn imported_images_are_with_their_calls() {
    let line = |kind: &str, uuid: &str, content: Value| {
        json!({"type": kind, "uuid": uuid, "parentUuid": null, "sessionId": "s",
            "timestamp": "2026-03-14T09:00:00Z", "message": {"role": kind, "content": content}})
    };
    let call = |id: &str| json!({"type": "tool_use", "id": id, "name": "Read", "input": {"file_path": id}});
    let result = |id: &str, data: &str| json!({"type": "tool_result", "tool_use_id": id, "content": [image(data)]});
    let (first, second) = (png(2, 3, 60), png(4, 5, 30_000));
    let bench = Bench::new();
    let session = jsonl(&[
        line("user", "u1", json!([image(PIXEL), {"type": "text", "text": "What is this?"}])),
        line("assistant", "a1", json!([call("a.png"), call("b.png")])),
        line("user", "u2", json!([result("a.png", &first), result("b.png", &second)])),
    ]);
    std::fs::write(bench.path("s.jsonl"), session).unwrap();
    bench.ok(&["import", "s.jsonl", "--run", "r", "--runs-dir", "runs"]);
    let shown = page(&bench, "r");
    let articles: Vec<&str> = shown.split("<article ").skip(1).collect();
    let of = |content: &str| articles.iter().position(|article| article.contains(content)).unwrap();
    let (prompt, one, two) = (of("<h3 class=\"who\">Prompt"), of(">a.png<"), of(">b.png<"));
    for (article, data, size) in [(prompt, PIXEL, "1"), (one, &first, "2"), (two, &second, "4")] {
        let expected = format!("base64,{data}\" alt=\"[image, ");
        assert!(articles[article].contains(&expected), "{size}");
        assert_eq!(articles[article].matches("<img ").count(), 1, "{size}");
        assert!(articles[article].contains(&format!("width=\"{size}\"")), "{size}");
    }
    let text = bench.ok(&["transcript", "r", "--format", "text", "--detail", "full"]);
    assert!(text.contains("What is this?") && text.contains("[image, 70 B]"), "{text}");
    assert!(text.contains("[image, 84 B]") && text.contains("[image, 30 kB]"), "{text}");
    // The large one is in a file of its own. Without it, the page says so.
    for blob in std::fs::read_dir(bench.path("runs/r/blobs")).unwrap() {
        std::fs::remove_file(blob.unwrap().path()).unwrap();
    }
    let shown = page(&bench, "r");
    assert!(shown.contains(" is not shown: its content is missing."), "{shown}");
    assert_eq!(shown.matches("<img ").count(), 2);
}

/// If this fails, something that is no harmless image becomes one, or a page grows without limit.
#[test]
fn other_things_are_no_images() {
    let svg = "<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>";
    let svg = BASE64_STANDARD.encode(svg);
    let url = |kind: &str, data: &str| json!({"type": "image_url", "image_url": {"url": format!("data:image/{kind};base64,{data}")}});
    let huge = png(9, 9, 4 << 20);
    for (part, why) in [
        (image(&svg), "it is not a PNG, JPEG, GIF or WebP image"),
        (url("svg+xml", &svg), "it is not a PNG, JPEG, GIF or WebP image"),
        (url("png", "\"><script>alert(1)</script>"), "it is not valid base64"),
        (image("not an image"), "it is not valid base64"),
        (image(&png(60_000, 60_000, 40)), "it has too many pixels"),
        (image(&huge), "it is too large for the page"),
    ] {
        let shown = page(&with_result(&[part]), "r");
        let expected = format!(" is not shown: {why}.");
        assert!(shown.contains(&expected), "{why}");
        assert!(!shown.contains("<img") && shown.len() < 200_000, "{why}");
        assert_eq!(shown.matches("<script").count(), 1, "{why}");
    }
    // The type that the payload claims does not matter.
    let shown = page(&with_result(&[url("svg+xml", PIXEL)]), "r");
    assert!(shown.contains("<img src=\"data:image/png;base64,"), "{shown}");
    // Texts and addresses stay what they are.
    for part in [
        json!({"type": "text", "text": format!("data:image/png;base64,{PIXEL}")}),
        json!({"type": "image_url", "image_url": {"url": "https://example.org/a.png"}}),
    ] {
        assert!(!page(&with_result(&[part]), "r").contains("<img"));
    }
}

/// If this fails, many images make a page that no browser opens.
#[test]
fn all_images_together_have_a_limit() {
    let parts: Vec<Value> = (1..=10).map(|at| image(&png(at, at, 2_500_000))).collect();
    let shown = page(&with_result(&parts), "r");
    assert_eq!(shown.matches("<img ").count(), 7);
    assert_eq!(shown.matches("is not shown: the page has too many images.").count(), 3);
    assert!(shown.len() < 30 << 20);
}
