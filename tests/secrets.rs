//! Secrets never get into the log. The samples are generated here, so the source has none.

use std::fs;

use runlog::internals::json::{JsonRules, check};
use runlog::internals::secret::SecretRules;
use serde_json::{Value, json};

use crate::support::{Bench, SAMPLES, json_lines, sample};

fn redacted(value: &Value) -> (Value, u64) {
    let text = value.to_string();
    let checked = check(text.as_bytes(), JsonRules::STRICT).unwrap();
    match SecretRules::built_in().redact_json(checked) {
        Some(redacted) => (serde_json::from_str(&redacted.text).unwrap(), redacted.count),
        None => (value.clone(), 0),
    }
}

/// If this fails, a kind of secret gets into the log.
#[test]
fn every_rule_finds_its_kind() {
    let mut wrong = Vec::new();
    let mut expect = |name: &str, what: &str, holds: bool, value: &Value| {
        if !holds {
            wrong.push(format!("{name}, {what}: {value}"));
        }
    };
    for (name, pattern) in SAMPLES {
        let (whole, secret) = sample(pattern);
        let clean = whole.replacen(&secret, &format!("[REDACTED:{name}]"), 1);
        for (before, after) in
            [("", ""), ("see ", " there"), ("x=\"", "\","), ("(", ")"), ("ü\n", "\nü")]
        {
            let (value, count) =
                redacted(&json!({ "a": [{ "b": format!("{before}{whole}{after}") }] }));
            let expected = json!({ "a": [{ "b": format!("{before}{clean}{after}") }] });
            expect(name, before, (&value, count) == (&expected, 1), &value);
        }
        // After characters that are not a word: escapes, colours, URL encoding.
        for before in ["\\n", "\\t", "\\r\\n", "\u{1b}[32m", "\\x1b[0m", "\\u001b[0m", "k%3D"] {
            let (value, _) = redacted(&json!({ "b": format!("{before}{whole} x") }));
            expect(name, before, !value.to_string().contains(&secret), &value);
        }
        // In a key, in JSON in a string, in JSON in JSON in a string.
        let (value, count) = redacted(&json!({ whole.clone(): 1 }));
        expect(name, "key", (&value, count) == (&json!({ clean.clone(): 1 }), 1), &value);
        let lines = json!({ "k": format!("a\n{whole}\nb") }).to_string();
        let nested = json!({ "k": whole }).to_string();
        for text in [lines, nested.clone(), json!({ "k": nested }).to_string()] {
            let (value, count) = redacted(&json!({ "text": text }));
            let gone = !value.to_string().contains(&secret);
            expect(name, "JSON in a string", count == 1 && gone, &value);
        }
        // Hidden by escapes, in the document and in JSON in a string.
        let hidden: String = whole.chars().map(|c| format!("\\u{:04x}", c as u32)).collect();
        let document = format!("{{\"a\":\"{hidden}\"}}");
        let inner = json!({ "a": document }).to_string();
        for text in [document, inner] {
            let checked = check(text.as_bytes(), JsonRules::STRICT).unwrap();
            let found = SecretRules::built_in().redact_json(checked);
            let found = found.map_or_else(String::new, |found| found.text);
            let named = found.contains(&format!("[REDACTED:{name}]"));
            expect(name, "escaped", named, &Value::from(found));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// If this fails, a secret gets into the log because the text goes on right after it: with emphasis of
/// Markdown, the rest of a longer name, or the same secret again.
#[test]
fn what_follows_hides_no_secret() {
    // The first may have `_` in it; the second is hex, and only its surroundings tell it from others.
    const OPEN: &[&str] = &["yandex-key", "mailgun-key"];
    const OFTEN: &[&str] = &[
        "aws-access-key-id",
        "github-token",
        "google-api-key",
        "npm-token",
        "slack-token",
        "shopify-token",
        "digitalocean-token",
        "huggingface-token",
    ];
    let mut wrong = Vec::new();
    for (name, pattern) in SAMPLES.iter().filter(|(name, _)| !OPEN.contains(name)) {
        let (whole, secret) = sample(pattern);
        // What has a name before it is told from the text by the name.
        if whole != secret {
            continue;
        }
        let mut texts = vec![format!("_{whole}_ x"), format!("{whole}_prod")];
        if OFTEN.contains(name) {
            texts.push(format!("{whole}{whole}"));
        }
        for text in texts {
            let (value, _) = redacted(&json!({ "b": text }));
            if value.to_string().contains(&secret) {
                wrong.push(format!("{name}: {value}"));
            }
        }
    }
    // Secrets of different kinds.
    let kinds = ["AKIA<U16>", "AKIA<U16>", "ghp_<A36>"];
    let chain: Vec<String> = kinds.iter().map(|pattern| sample(pattern).0).collect();
    let (value, _) = redacted(&json!({ "b": chain.concat() }));
    wrong.extend(chain.iter().filter(|one| value.to_string().contains(*one)).cloned());
    // The first letters of the next one's prefix could also be the end of the first.
    let shared = ["ghp_<A36>", "npm_<A36>", "glpat-<A20>"].map(|pattern| sample(pattern).0);
    let (value, _) = redacted(&json!({ "b": format!("see {} and", shared.concat()) }));
    let parts = shared.iter().map(|one| &one[one.len() - 20..]);
    wrong.extend(parts.filter(|part| value.to_string().contains(*part)).map(str::to_owned));
    // What follows after a space is no secret.
    let after = "9f8e7d6c5b4a39281706f5e4d3c2b1a0";
    for lead in ["Authorization: Bearer ", "password: "] {
        let text = format!("{lead}{} {after}", sample("<A24>").0);
        let (value, _) = redacted(&json!({ "b": text }));
        assert!(value.to_string().contains(after), "{value}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// If this fails, a colour, an invisible character, an encoding or a word before it hides a secret.
#[test]
fn no_dress_hides_a_secret() {
    use base64::Engine as _;
    let (pat, _) = sample("ghp_<A36>");
    let (first, rest) = pat.split_at(7);
    let percent: String = pat.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let base64 = |text: &str| base64::prelude::BASE64_STANDARD.encode(text);
    let wrapped = base64(&format!("{}{pat} is it", "some words ".repeat(9)));
    let wrapped: Vec<&str> =
        wrapped.as_bytes().chunks(76).map(|line| std::str::from_utf8(line).unwrap()).collect();
    let mut texts = vec![
        format!("{first}\u{200b}{rest}"),
        format!("\u{feff}{first}\u{ad}{rest}"),
        format!("\u{1b}[01;31m\u{1b}[K{first}\u{1b}[m\u{1b}[K{rest}"),
        format!("\\x1b[31m{first}\\x1b[0m{rest}"),
        percent.clone(),
        percent.replace('%', "%25"),
        format!("token{pat}"),
        format!("x=1&token%3D{pat}"),
        wrapped.join("\n"),
        wrapped.join("\r\n"),
        json!({ "data": base64(&pat) }).to_string(),
    ];
    // In base64 at each place of its group of three, in both alphabets.
    for before in ["", "x", "?>", "key: ", "a long text before the key: "] {
        for after in ["", " and more"] {
            let text = base64(&format!("{before}{pat}{after}"));
            texts.push(text.replace('+', "-").replace('/', "_"));
            texts.push(text);
        }
    }
    for text in texts {
        let (value, count) = redacted(&json!({ "text": format!("see {text} there") }));
        let left = value["text"].as_str().unwrap();
        assert!(count == 1 && left.contains("[REDACTED:github-pat]"), "{text}: {left}");
        assert!(left.len() < text.len() && !left.contains(&pat[10..]), "{text}: {left}");
    }
}

/// If this fails, a key is recorded because it is glued to the word before it, or a word that
/// contains the beginning of a key is replaced.
#[test]
fn keys_after_a_letter() {
    for (rule, pattern) in [
        ("huggingface-token", "hf_<A34>"),
        ("replicate-token", "r8_<A37>"),
        ("xai-api-key", "xai-<A80>"),
        ("sk-api-key", "sk-<A48>"),
    ] {
        let (key, _) = sample(pattern);
        for before in ["x", "Bearer", "=", ":", "\"", "key9"] {
            let value = json!({ "text": format!("see {before}{key} there") });
            let clean = json!({ "text": format!("see {before}[REDACTED:{rule}] there") });
            assert_eq!(redacted(&value), (clean, 1), "{before}{key}");
        }
        // With another length, it is no such key.
        let value = json!({ "text": format!("see x{key}0 there") });
        assert_eq!(redacted(&value), (value.clone(), 0), "x{key}0");
    }
}

/// If this fails, an argument or a labelled value is recorded although its neighbour names it.
#[test]
fn neighbours_name_a_secret() {
    let (password, _) = sample("<A14>");
    for value in [
        json!({ "args": ["tool", "--password", password] }),
        json!({ "args": ["tool", "--token", format!("{password}{password}"), "--x"] }),
        json!({ "env": [{ "name": "DB_PASSWORD", "value": password }] }),
        json!({ "password": password, "user": "me" }),
        json!({ "password": format!("{password};,&x") }),
        json!({ "headers": { "X-Api-Key": format!("{password}{password}") } }),
        // The known form of a part does not save the rest.
        json!({ "password": format!("{password}!-{}", sample("ghp_<A36>").0) }),
        json!({ "password": format!(r"{password}&\e[0m{}", sample("ghp_<A36>").0) }),
    ] {
        let (left, count) = redacted(&value);
        assert!(count == 1 && !left.to_string().contains(&password), "{left}");
    }
}

/// If this fails, the value of a name is recorded because an invisible character or an escape is in
/// the last word of the name, or a count is taken for a secret.
#[test]
fn words_after_a_keyword() {
    let (password, _) = sample("<A14>");
    for name in ["password_value", "password_val\u{ad}ue", "password_v\u{200b}alue"]
        .into_iter()
        .chain([r"password_v\u0061lue", "password_val%75e", "password_2", "passwordValue"])
    {
        for value in [json!({ name: password }), json!({ "text": format!("{name}={password}") })] {
            let (left, count) = redacted(&value);
            assert!(count == 1 && !left.to_string().contains(&password), "{name}: {left}");
        }
    }
    for name in ["token_count", "tokenCount", "password_rules", "secret.length"] {
        let value = json!({ name: password, "text": format!("{name}={password}") });
        assert_eq!(redacted(&value), (value.clone(), 0), "{name}");
    }
}

/// If this fails, a rule has no sample here, or a sample has no rule.
#[test]
fn every_rule_has_a_sample() {
    let mut rules: Vec<String> =
        SecretRules::built_in().all().map(|rule| rule.name.to_string()).collect();
    let mut samples: Vec<String> = SAMPLES.iter().map(|(name, _)| (*name).to_owned()).collect();
    for names in [&mut rules, &mut samples] {
        names.sort();
        names.dedup();
    }
    assert_eq!(rules, samples);
    assert!(rules.len() >= 40);
}

/// If this fails, harmless text or a placeholder is replaced.
#[test]
fn what_is_no_secret_stays() {
    let (hex, letters) = (sample("<h64>").0, sample("<A700>").0);
    let texts = [
        format!("sha256:{hex}"),
        "features: `\\\"Win32_Security_Credentials\\\"`, `\\\"Win32_Foundation\\\"`*".to_owned(),
        "write('mysql_native_password', 'latin1');".to_owned(),
        "type Token = XOAuth2Token;".to_owned(),
        "MLKEM768X25519PrivateKey = rust.hpke.MLKEM768X25519PrivateKey; // name".to_owned(),
        "\"pattern\":\"https?://(?:www.)?[a-zA-Z0-9@:._+~#=-]{2,256}\"".to_owned(),
        format!("commit {}", &hex[..40]),
        format!("cache-key-{} {}-us2.png", &hex[..32], &hex[..32]),
        "docker://nginx:1.25@sha256:abc http://h:8080?to=me@x.org https://#{user}:#{pass}@h"
            .to_owned(),
        "x_auth=20240101aaaaaaaaaaaaaaaaaaaaaaa Authorization: Bearer authentication".to_owned(),
        "M = (\"-----BEGIN RSA PRIVATE KEY-----\", \"-----END RSA PRIVATE KEY-----\")".to_owned(),
        "-----BEGIN PRIVATE KEY----- and then some prose -----END PRIVATE KEY-----".to_owned(),
        "ACCATGCTAGCTAGCTAGCT authorization: token required".to_owned(),
        "0198f2c4-7e1a-7c3b-9d5e-2f6a8b0c1d3e".to_owned(),
        format!("data:image/png;base64,iVBORw0KGgo{letters}=="),
        format!("integrity sha512-{}==", &letters[..86]),
        "if key.startswith(\"-----BEGIN PRIVATE KEY-----\"): raise".to_owned(),
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----".to_owned(),
        "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----".to_owned(),
        "const header = `Authorization: Bearer ${token}`;".to_owned(),
        "headers={'Authorization': f'Bearer {token}'}".to_owned(),
        "Authorization: Bearer YOUR_API_KEY".to_owned(),
        "Authorization: Bearer $GITHUB_TOKEN".to_owned(),
        "the bearer authentication-scheme-registry".to_owned(),
        "a basic understanding of basic authentication".to_owned(),
        "postgres://user:${PASSWORD}@db/x https://user:<password>@host http://user:***@host"
            .to_owned(),
        "http://localhost:8080/@scope/package".to_owned(),
        "https://example.org/a:b@c git@github.com:owner/repo.git ssh://git@host/x".to_owned(),
        "AKIA sk- ghp_ xoxb- npm_config_registry sk-learn sk_live_ hf_ eyJ SG. key- AIza"
            .to_owned(),
        "task-manager risk-assessment-2026 desk-ant-farm disk-usage-report-for-all-hosts"
            .to_owned(),
        "skeleton.eyJ npm_lifecycle_event glpat-short ghp_tooshort AKIAIOSFODNN".to_owned(),
        format!("AKIA{0}tail", sample("<U16>").0),
        "eyJhbGciOiJub25lIn0 alone".to_owned(),
        "re_compile_pattern_with_long_names fw_version_2 pul-request".to_owned(),
        "std::io::Result<()> // 1//0 SCW-like hvs.x dp.st.short".to_owned(),
        "aws_secret_access_key = os.environ['AWS_SECRET_ACCESS_KEY']".to_owned(),
        "password: String, token = lexer.next_token(), secret = os.environ['SECRET']".to_owned(),
        "DB_PASSWORD=${DB_PASSWORD} API_KEY=$API_KEY TOKEN=<token> PASSWORD=changeme".to_owned(),
        "input_tokens: 1200, max_tokens=4096, nextPageToken: \"CAUQAA0123456789abcd\"".to_owned(),
        format!("cache_key = \"{hex}\" primary_key: id_0123456789abcdef public_key={hex}"),
        "\"codecov.yml\":\"0123456789abcdef0123456789abcdef\", PWD=/home/me1 OLDPWD=/tmp/x2"
            .to_owned(),
        "const STATUS_PASSWORD: i32 = -1073741717i32; key: KeyCode::Char('a1')".to_owned(),
        "arn:aws:secretsmanager:us-west-2:123456789012:secret:MySecret-a1b2c3".to_owned(),
        "ClientToken: \"0198f2c4-7e1a-7c3b-9d5e-2f6a8b0c1d3e\" docker run -u 1000:1000 x"
            .to_owned(),
        "Cookie: theme=dark; lang=en-US  token: utf8 password: oauth2_provider".to_owned(),
        format!("PRIMARY_KEY=id SORT_KEY=created_at FOREIGN_KEY CACHE_KEY=user:1 PUBLIC_KEY={hex}"),
        format!("CACHE_KEY={hex} NEXT_PUBLIC_MAP_KEY={} sort_key: {hex}", &letters[..24]),
        "nid_key = self._lib.NID_pbe_WithSHA1And3_Key_TripleDES_CBC".to_owned(),
        "ENV PATH /usr/local/bin2 ENV PASSWORD_FILE /run/x1y2z3 and the ENV token variable"
            .to_owned(),
        "use --password to log in; run it with --password or --token and see\n--password string"
            .to_owned(),
        "--password PASSWORD --password=<password> --password=$PW --token=${T} --password *** \
         --password=true --password=password --token=TOKEN --pass=early"
            .to_owned(),
        "mysql -u root -p mydatabase; ALTER USER name PASSWORD 'your_password'".to_owned(),
        format!("task-{0} disk-{0} {0}-{1}", &hex[..32], &hex[..8]),
        "-p 127.0.0.1:5432:5432 file.rs:5432:12:error:expected9 arn:aws:s3:*:x:y9".to_owned(),
        "curl -b cookies.txt -b 'theme=dark; lang=en-US' --cookie-jar jar.txt".to_owned(),
        "openssl req -new -key server.key -pass env:PW; Private-Lines: 14".to_owned(),
        "[REDACTED:aws-access-key-id] https://u:[REDACTED:url-password]@h".to_owned(),
        "\u{1b}[31mred\u{1b}[0m \\u0041 \\u001b".to_owned(),
    ];
    for text in texts {
        let value = json!({ text.clone(): [text.clone()] });
        assert_eq!(redacted(&value), (value.clone(), 0), "{text}");
    }
}

/// If this fails, a private key is recorded in a form in which tools print it.
#[test]
fn private_keys_in_every_dress() {
    let lines: Vec<String> = (0..8).map(|i| sample(&format!("<A{}>", 60 + i % 2)).0).collect();
    let key = |line: &dyn Fn(usize, &str) -> String| {
        let mut all = vec!["-----BEGIN RSA PRIVATE KEY-----".to_owned()];
        all.extend(lines.iter().cloned());
        all.push("-----END RSA PRIVATE KEY-----".to_owned());
        all.iter().enumerate().map(|(at, text)| line(at, text)).collect::<String>()
    };
    let dresses = [
        key(&|_, line| format!("-{line}\n")),
        key(&|at, line| format!("{at:6}\u{2192}{line}\n")),
        key(&|at, line| format!("{at:6}\t{line}\n")),
        key(&|_, line| format!("{line}$\n")),
        key(&|_, line| format!("web_1  | {line}\r\n")),
        key(&|_, line| format!("    {line}\n")),
        key(&|_, line| format!(" * {line}\n")),
        key(&|_, line| format!("\u{1b}[33m{line}\u{1b}[0m\n")),
        key(&|_, line| format!("{line}<br>\n")),
        key(&|_, line| format!("{line}&#10;")),
        key(&|_, line| format!("\"{line}\\n\" +\n")),
        key(&|_, line| format!("{line}\\n")),
        key(&|_, line| format!("{line} ")),
        key(&|_, line| format!("{line}\n")).replace(&lines[3], "[... 8 lines omitted ...]"),
        key(&|_, line| format!("{line}\n")).replace(
            "KEY-----\n",
            "KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B\n\n",
        ),
    ];
    for dress in &dresses {
        for whole in [true, false] {
            let end = dress.rfind("-----END").unwrap();
            let text = if whole { &dress[..] } else { &dress[..end - 20] };
            let (value, count) = redacted(&json!({ "text": format!("see: {text}") }));
            let left = value.to_string();
            let leaked = lines.iter().any(|line| left.contains(&line[..12]));
            assert!(!leaked && count == 1, "{whole} {text}: {left}");
        }
    }
    let bench = Bench::with_run();
    let text = key(&|_, line| format!("{line}\n"));
    bench.emit(&["note", "--no-redact", "-f", &format!("text=the key:\n{text}\n")]);
    let whole = bench.ok(&["show", "r", "--full"]);
    let said =
        bench.feed(&["emit", "--run", "new", "--stdin", "--from", "runlog"], whole.as_bytes());
    assert_eq!(said.status, 0, "{}", said.err);
    let copy = fs::read_to_string(bench.path("runs/new/events.jsonl")).unwrap();
    assert!(!copy.contains(&lines[0][..20]), "{copy}");
    assert_eq!(bench.call(&["validate", "new"]).status, 0);
}

/// If this fails, a private key of PuTTY is recorded in a form in which tools print it, or the public
/// lines and the hash around it are replaced.
#[test]
fn private_keys_of_putty() {
    let (public, first, last) = (sample("<A60>").0, sample("<A64>").0, sample("<A24>").0);
    let file = format!(
        "PuTTY-User-Key-File-2: ssh-rsa\nPublic-Lines: 1\n{public}\nPrivate-Lines: 2\n{first}\n{last}\n\
         Private-MAC: 0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d\n"
    );
    let numbered = |line: (usize, &str)| format!("{:6}\u{2192}{}\n", line.0 + 1230, line.1);
    for dress in [
        file.clone(),
        file.replace('\n', "\r\n"),
        file.replace('\n', "\\n"),
        file.lines().enumerate().map(numbered).collect(),
        file.lines().map(|line| format!("| {line}\n")).collect(),
    ] {
        let (value, count) = redacted(&json!({ "text": dress }));
        let left = value.to_string();
        assert!(count == 1 && left.contains("[REDACTED:private-key]"), "{left}");
        assert!(!left.contains(&first) && !left.contains(&last), "{left}");
        assert!(left.contains(&public) && left.contains("0a1b2c3d4e5f6071"), "{left}");
    }
}

/// If this fails, JSON escapes hide a secret or part of it.
#[test]
fn escapes_hide_nothing() {
    for (document, says) in [
        (
            r#"{"t":"1\/\/0gABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefghijkl"}"#,
            "google-refresh-token",
        ),
        (
            r#"{"t":"hooks.slack.com\/services\/T01234567\/B01234567\/abcdefghijklmnop12345678"}"#,
            "slack-webhook",
        ),
        (r#"{"t":"{\"u\":\"https:\\/\\/me:S3cretPw99@h.example.com\"}"}"#, "url-password"),
        (
            r#"{"t":"{\"h\":\"Authorization: Bearer abcdefgh01234567\\u002Bijklmnop89\"}"}"#,
            "authorization-header",
        ),
    ] {
        let redacted = SecretRules::built_in()
            .redact_json(check(document.as_bytes(), JsonRules::STRICT).unwrap());
        let text = redacted.unwrap_or_else(|| panic!("{document}")).text;
        assert!(
            text.contains(says) && !text.contains("S3cret") && !text.contains("ijklmnop"),
            "{text}"
        );
    }
}

/// If this fails, other tokens of an event change, or the event does not show what was replaced.
#[test]
fn an_event_says_how_many_were_replaced() {
    let bench = Bench::with_run();
    let (key, _) = sample("AKIA<U16>");
    let (pat, _) = sample("ghp_<A36>");
    let other: String = key.chars().rev().take(16).collect();
    let data = format!(
        "{{\"n\":1.0,\"e\":\"\\u0041\\/\",\"AK\\u0049A{other}\":0,\"{key}\":{{\"x\":[\"{pat} {pat}\",2e3]}}}}"
    );
    let args = [
        "emit",
        "--run",
        "r",
        "note",
        "--branch",
        &pat,
        "--summary",
        &format!("used {key}"),
        "--data",
        "-",
    ];
    assert_eq!(bench.feed(&args, data.as_bytes()).status, 0);
    let log = bench.log();
    assert!(!log.contains(&key) && !log.contains(&pat) && !log.contains(&other), "{log}");
    let line = log.lines().last().unwrap();
    assert!(line.contains("\"data\":{\"n\":1.0,\"e\":\"\\u0041\\/\",\"[REDACTED:aws-access-key-id]\":0,\"[REDACTED:aws-access-key-id]~2\":{\"x\":[\"[REDACTED:github-pat] [REDACTED:github-pat]\",2e3]},\"_redactions\":6}"), "{line}");
    assert!(line.contains("\"summary\":\"used [REDACTED:aws-access-key-id]\""), "{line}");
    assert!(line.contains("\"branch\":\"[REDACTED:github-pat]\""), "{line}");
    // The key of a member identifies its value as a secret.
    bench.emit(&["note", "-f", &format!("env.aws_secret_access_key={}", sample("<A40>").0)]);
    assert_eq!(
        bench.lines().last().unwrap()["data"]["env"]["aws_secret_access_key"],
        "[REDACTED:aws-secret-access-key]"
    );
    // A repeated event is recognized although its secret was replaced.
    for _ in 0..2 {
        bench.emit(&["note", "--event-id", "again", "-f", &format!("text={key}")]);
    }
    assert_eq!(bench.lines().len(), 4);
    assert_eq!(bench.call(&["validate", "r"]).status, 0);
}

/// If this fails, a secret gets into the file of rejected lines.
#[test]
fn rejected_lines_are_redacted_too() {
    let bench = Bench::with_run();
    let (key, _) = sample("AKIA<U16>");
    let hidden = format!("AK\\u0049{}", &key[3..]);
    let input = [
        format!("prose with {key}\n").into_bytes(),
        format!("{{\"type\":\"note\",\"data\":{{\"{key}\":1,\"{key}\":2}}}}\n").into_bytes(),
        format!("{{\"type\":\"note\",\"sequence\":1,\"x\":\"{hidden}\"}}\n").into_bytes(),
        [b"\xff\xfe ", key.as_bytes(), b"\n"].concat(),
    ];
    let said = bench.feed(&["emit", "--run", "r", "--stdin"], &input.concat());
    assert_eq!(said.status, 65);
    assert!(!said.err.contains(&key), "{}", said.err);
    let path = bench.path("runs/r/logs/rejected.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    assert!(!text.contains(&key) && !text.contains(&hidden) && !text.contains(&key[3..]), "{text}");
    let records = json_lines(&path);
    assert_eq!(records.len(), 4);
    assert_eq!(records[0]["text"], "prose with [REDACTED:aws-access-key-id]");
    assert_eq!(records[0]["bytes"], 11 + key.len());
    use base64::Engine as _;
    let last =
        base64::prelude::BASE64_STANDARD.decode(records[3]["base64"].as_str().unwrap()).unwrap();
    assert_eq!(last, b"\xff\xfe [REDACTED:aws-access-key-id]");
}

/// If this fails, a recorded secret is not found later, or a run cannot be copied redacted.
#[test]
fn a_leak_is_found_and_copied_clean() {
    let bench = Bench::with_run();
    let (key, _) = sample("AKIA<U16>");
    bench.emit(&["note", "--no-redact", "-f", &format!("text={key}"), "--event-id", "leak"]);
    bench.emit(&["note", "-f", &format!("text=and {key}"), "-f", "big=y"]);
    bench.emit(&["note", "-f", &format!("text={}", "long ".repeat(9000))]);
    assert!(bench.log().contains(&key));
    let verdict = bench.call(&["validate", "r"]);
    assert_eq!(verdict.status, 1);
    assert!(verdict.out.contains("RL903") && !verdict.out.contains(&key), "{}", verdict.out);
    let whole = bench.ok(&["show", "r", "--full", "--format", "jsonl"]);
    let said =
        bench.feed(&["emit", "--run", "new", "--stdin", "--from", "runlog"], whole.as_bytes());
    assert_eq!(said.status, 0, "{}", said.err);
    let copy = json_lines(&bench.path("runs/new/events.jsonl"));
    assert_eq!(copy.len(), 4);
    assert_eq!(
        copy[1]["data"],
        json!({ "text": "[REDACTED:aws-access-key-id]", "_redactions": 1 })
    );
    assert_eq!(copy[1]["event_id"], "leak");
    assert_eq!(copy[2]["data"]["_redactions"], 1);
    assert_eq!(copy[3]["run_id"], "new");
    assert_eq!(copy[3]["data"]["text"], bench.lines()[3]["data"]["text"]);
    assert_eq!(bench.call(&["validate", "new"]).status, 0);
    // Without its large values, a run cannot be copied completely.
    let partial = bench.ok(&["show", "r", "--format", "jsonl"]);
    let said =
        bench.feed(&["emit", "--run", "part", "--stdin", "--from", "runlog"], partial.as_bytes());
    assert_eq!(said.status, 65);
    assert!(said.err.contains("show --full"), "{}", said.err);
}

/// If this fails, an id can hold a secret, or replacing it separates related events.
#[test]
fn ids_that_hold_a_secret_are_replaced() {
    let bench = Bench::with_run();
    let (pat, _) = sample("ghp_<A36>");
    bench.emit(&["tool.started", "-f", "tool_name=a", "--correlation-id", &pat, "--task", &pat]);
    bench.emit(&["tool.completed", "-f", "tool_name=a", "--correlation-id", &pat]);
    for _ in 0..2 {
        bench.emit(&["note", "-f", "text=x", "--event-id", &pat, "--parent", "e1"]);
    }
    bench.emit(&[&pat]);
    assert!(!bench.log().contains(&pat[4..]), "{}", bench.log());
    let lines = bench.lines();
    assert_eq!(lines.len(), 5);
    assert_eq!(lines[1]["correlation_id"], lines[2]["correlation_id"]);
    assert!(lines[1]["task_id"].as_str().unwrap().starts_with("redacted:github-pat:"));
    assert_eq!(lines[1]["data"]["_redactions"], 2);
    bench.emit(&["run.completed"]);
    assert_eq!(bench.call(&["validate", "r"]).status, 0);
}

/// If this fails, the transcript joins pieces of a secret that the log has separately.
#[test]
fn pieces_are_not_put_together() {
    let bench = Bench::with_run();
    let (pat, _) = sample("ghp_<A36>");
    for piece in ["the token: ", &pat[..2], &pat[2..20], &pat[20..], " is it"] {
        let data = json!({ "runId": "r1", "id": "m1", "content": piece }).to_string();
        bench.emit(&["text", "--data", &data]);
    }
    fs::write(bench.path("runs/r/prompt.md"), format!("use {pat}")).unwrap();
    bench.emit(&["run.completed"]);
    let transcript = fs::read_to_string(bench.path("runs/r/transcript.md")).unwrap();
    assert!(!transcript.contains(&pat[4..]), "{transcript}");
    assert!(transcript.matches("REDACTED:github-pat").count() == 3, "{transcript}");
}

/// If this fails, secrets matching a user's rules are recorded.
#[test]
fn rules_can_be_added() {
    let bench = Bench::with_run();
    let token = "acme_0123456789abcdef";
    let rules =
        "[acme-token]\nprefix = \"ACME_\"\npattern = \"(?i)acme_[0-9a-f]{16}\"\nany_case = true\n";
    fs::write(bench.path("rules.toml"), rules).unwrap();
    let text = format!("text=a {token} b");
    bench.emit(&["note", "-f", &text]);
    bench.emit(&["note", "-f", &text, "--secret-rules", "rules.toml"]);
    fs::write(bench.path("runlog.toml"), "secret_rules = \"rules.toml\"\n").unwrap();
    bench.emit(&["note", "-f", &text]);
    let inline = rules.replace("[acme-token]", "[secret_rules.acme-token]");
    fs::write(bench.path("runlog.toml"), inline).unwrap();
    bench.emit(&["note", "-f", &text]);
    let texts: Vec<Value> =
        bench.lines()[1..].iter().map(|line| line["data"]["text"].clone()).collect();
    let clean = "a [REDACTED:acme-token] b";
    assert_eq!(texts, [&format!("a {token} b"), clean, clean, clean]);
    assert_eq!(bench.codes(), ["RL408", "RL503", "RL903"]);
    for (file, says) in [
        ("[x]\nprefix = \"ab\"\npattern = \"ab\"", "at least 3 bytes"),
        ("[x]\nprefix = \"abc\"\npattern = \"abc(\"", "its pattern"),
        ("[x]\nprefix = \"abc\"\npattern = \"a*?\"", "matches an empty text"),
        ("[\"X y\"]\nprefix = \"abc\"\npattern = \"abc\"", "a name must be"),
        ("[x]\npattern = \"abc\"", "missing field `prefix`"),
        ("nonsense", "line 1, column"),
    ] {
        fs::write(bench.path("bad.toml"), file).unwrap();
        let error = bench.fails(65, &["emit", "--run", "r", "note", "--secret-rules", "bad.toml"]);
        assert!(error.contains(says), "{file}: {error}");
    }
    bench.fails(66, &["emit", "--run", "r", "note", "--secret-rules", "missing.toml"]);
    fs::write(bench.path("runlog.toml"), rules).unwrap();
    let error = bench.fails(65, &["emit", "--run", "r", "note"]);
    assert!(error.contains("unknown field") && error.contains("[secret_rules.name]"), "{error}");
}

/// If this fails, a secret between two pieces of a long text is missed, or a malicious text takes
/// too long.
#[test]
fn long_texts() {
    let (pat, _) = sample("ghp_<A36>");
    let (key, _) = sample("-----BEGIN RSA PRIVATE KEY-----\n<A64>\n-----END RSA PRIVATE KEY-----");
    for place in [(1 << 20) - 20, (1 << 20) - (128 << 10) - 20, 1 << 20, 3 << 20] {
        for secret in [&pat, &key] {
            let text = format!("{} {secret} {}", "x y ".repeat(place / 4), "z ".repeat(600_000));
            let found = SecretRules::built_in().redact(&text).unwrap();
            assert_eq!(found.count, 1, "{place}");
            assert!(!found.text.contains(&secret[10..30]), "{place}");
        }
    }
    for hostile in [
        "AKIA",
        "://",
        "a://b:",
        "bearer ",
        "-----BEGIN PRIVATE KEY-----",
        "eyJ.",
        "\\u0041",
        "sk-",
        "authorization: bearer ",
        "-us1",
        ":AA",
    ] {
        let text = hostile.repeat((128 << 10) / hostile.len());
        let _ = SecretRules::built_in().redact(&text);
    }
}

/// If this fails, a token behind a long word is recorded.
#[test]
fn a_secret_behind_a_long_word_is_removed() {
    let bench = Bench::with_run();
    let (token, key) = ("ghp_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5", "AKIAQ3XYZ7LMN2PRS5TU");
    for lead in ["z".repeat(32), "z".repeat(300), "0123456789abcdef".repeat(4)] {
        for secret in [token, key] {
            bench.emit(&["note", "-f", &format!("text={lead}{secret}")]);
        }
    }
    let log = bench.log();
    assert!(!log.contains("ghp_aB3") && !log.contains("AKIAQ3"), "{log}");
}

/// If this fails, a secret whose halves lie in two pieces of a streamed text is in the log, and
/// nothing says so; or a header is not found in base64.
#[test]
fn secrets_in_pieces_and_in_base64() {
    use base64::Engine as _;
    let bench = Bench::with_run();
    let secret = "ghp_x7Kq2mZ9pLr4Tn8VbW3cYd5FhJ6sA1eG0uRi";
    let piece = |text: &str| {
        json!({"type": "text", "data": {"runId": "R", "id": "t", "content": text}}).to_string()
    };
    let pieces =
        [piece(&format!("it is {}", &secret[..18])), piece(&format!("{} ok", &secret[18..]))];
    bench.feed(&["emit", "--run", "r", "--stdin"], pieces.join("\n").as_bytes());
    bench.emit(&["run.completed"]);
    let said = bench.call(&["validate", "r"]);
    assert!(said.out.contains("warning RL903"), "{}", said.out);
    assert!(said.out.contains("split over pieces of a streamed text: github"), "{}", said.out);
    let headers = ["Authorization: Bearer", "authorization: bearer", "AUTHORIZATION: Bearer"];
    for header in headers {
        let text = format!("{header} x7Kq2mZ9pLr4Tn8VbW3cYd5F");
        let encoded = base64::prelude::BASE64_STANDARD.encode(&text);
        let event = bench.emit(&["note", "--print", "event", "-f", &format!("text={encoded}")]);
        assert!(event.contains("[REDACTED:authorization-header]"), "{header}: {event}");
    }
}

/// If this fails, the name of a task carries a secret to the agent that is asked for chapters.
#[test]
fn no_prompt_of_a_round_has_a_secret() {
    let bench = Bench::with_run();
    let key = format!("ghp_{}", "a1B2".repeat(9));
    for text in [format!("use {key} now"), "second".to_owned()] {
        bench.emit(&["message.user", "--no-redact", "-f", &format!("text={text}")]);
        bench.emit(&["llm.usage", "-F", "input_tokens=900", "-F", "output_tokens=1"]);
    }
    let agent = "cat > prompt; echo '[]'";
    bench.ok(&["chapter", "run", "r", "--trigger", "1", "--agent-cmd", agent]);
    let prompt = fs::read_to_string(bench.path("prompt")).unwrap();
    assert!(prompt.contains("[REDACTED"), "{prompt}");
    assert!(!prompt.contains(&key), "{prompt}");
}
