//! Texts that come in pieces: what looks at whole texts joins them.

use crate::support::Bench;

/// A run with a question and an answer of these pieces.
fn streamed(pieces: &[&str]) -> Bench {
    let bench = Bench::with_run();
    bench.emit(&["user", "--data", r#"{"runId":"R1","content":"Which host?"}"#]);
    for piece in pieces {
        let data = serde_json::json!({"runId": "R1", "id": "t1", "content": piece});
        bench.emit(&["text", "--data", &data.to_string()]);
        let other = serde_json::json!({"runId": "R2", "id": "t2", "content": "no "});
        bench.emit(&["text", "--data", &other.to_string()]);
    }
    bench
}

/// If this fails, a search does not find what an agent said word for word.
#[test]
fn searches_find_them() {
    let bench = streamed(&["The con", "nection ref", "used by ", "host db", "prod7."]);
    for query in ["\"connection refused\"", "dbprod7"] {
        let found = bench.json(&["search", query, "--run", "r"]);
        let results = found["results"].as_array().unwrap();
        assert_eq!(results.len(), 1, "{query}: {found}");
        assert_eq!(results[0]["sequence"], 3, "{query}: {found}");
        let snippet = results[0]["snippet"].as_str().unwrap();
        assert_eq!(snippet, "The connection refused by host dbprod7.", "{query}");
    }
    assert_eq!(bench.call(&["search", "connection", "--run", "r", "--branch", "other"]).status, 1);
}

/// If this fails, texts of two tasks are one hit, or words that only one piece has are not found.
#[test]
fn searches_keep_texts_apart() {
    let bench = Bench::with_run();
    for (kind, data) in [
        ("user", r#"{"runId":"R","content":"first"}"#),
        ("text", r#"{"runId":"R","id":"0","content":"Apples are "}"#),
        ("text", r#"{"runId":"R","id":"0","content":"red.","note":"fieldword"}"#),
        ("user", r#"{"runId":"R","content":"second"}"#),
        ("text", r#"{"runId":"R","id":"0","content":"Bananas are "}"#),
        ("text", r#"{"runId":"R","id":"0","content":"yellow."}"#),
    ] {
        bench.emit(&[kind, "--data", data]);
    }
    let hits = |query: &str| {
        let found = bench.call(&["search", query, "--run", "r", "--format", "json"]).out;
        let found: serde_json::Value = serde_json::from_str(&found).unwrap();
        let results = found["results"].as_array().unwrap().iter();
        results.map(|hit| hit["snippet"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(hits("yellow"), ["Bananas are yellow."]);
    assert_eq!(hits("\"apples are red\""), ["Apples are red."]);
    assert_eq!(hits("fieldword").len(), 1);
    assert!(!hits("apples bananas").iter().any(|hit| hit.contains("red.Bananas")));
}

/// If this fails, the digest says that a streamed answer is none.
#[test]
fn the_digest_has_the_answer() {
    let bench = streamed(&["We decided to use ", "port 80", "80 in /srv/app/con", "fig.yaml."]);
    let digest = bench.ok(&["summarize", "r", "--session", "--extractive"]);
    assert!(!digest.contains("no answer"), "{digest}");
    assert!(digest.contains("port 8080 in /srv/app/config.yaml"), "{digest}");
}

/// If this fails, a true summary of a streamed answer is called invented.
#[test]
fn a_summary_may_name_what_they_say() {
    let bench = streamed(&["See /srv/app/con", "fig.yaml and 12", "345 rows."]);
    let llm = "cat >/dev/null; echo 'The file /srv/app/config.yaml has 12345 rows.'";
    bench.ok(&["summarize", "r", "--session", "--llm-cmd", llm]);
    assert!(!bench.codes().contains(&"RL605".to_owned()), "{:?}", bench.codes());
    let llm = "cat >/dev/null; echo 'The file /srv/app/other.yaml has 54321 rows.'";
    bench.ok(&["summarize", "r", "--session", "--force", "--llm-cmd", llm]);
    assert!(bench.codes().contains(&"RL605".to_owned()), "{:?}", bench.codes());
}
