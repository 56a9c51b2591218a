//! Random single edits of a valid run. None passes as valid unless it is proven harmless.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::support::{Bench, SAMPLE, fixture};

/// Every file of a run, by its path in it.
type Files = BTreeMap<String, Vec<u8>>;

/// A run with every feature: calls, failures, an import, a blob, an inner chapter, and a
/// deliverable with a required hash.
fn rich() -> Bench {
    let report = "report,1\n";
    let hash = runlog::internals::hash::line_hash(report.as_bytes());
    let required = format!("deliverables.required=[\"report.csv:sha256={hash}\"]");
    let bench = Bench::created(&["-F", &required, "-F", "metadata.model=\"m\""]);
    fs::write(bench.path("big.json"), format!("{{\"text\":\"{}\"}}", "long ".repeat(4000)))
        .unwrap();
    bench.emit(&["run.started"]);
    bench.emit(&["task.started", "-f", "name=first", "-f", "message=count"]);
    bench.emit(&["note", "--data", "@big.json"]);
    bench.emit(&["tool.started", "-f", "tool_name=wc", "--correlation-id", "c1"]);
    bench.emit(&["tool.completed", "-f", "tool_name=wc", "--correlation-id", "c1"]);
    bench.emit(&["task.succeeded"]);
    bench.emit(&["task.started", "-f", "name=second"]);
    bench.emit(&["tool.started", "-f", "tool_name=rm", "--correlation-id", "c2"]);
    bench.emit(&[
        "tool.failed",
        "-f",
        "error=denied",
        "-f",
        "tool_name=rm",
        "--correlation-id",
        "c2",
    ]);
    bench.emit(&["llm.usage", "-F", "input_tokens=10", "-F", "output_tokens=5"]);
    bench.emit(&["task.succeeded"]);
    bench.feed(
        &["emit", "--run", "r", "--stdin", "--from", "claude-code"],
        &fixture("agent-session.jsonl"),
    );
    bench.emit(&["run.completed"]);
    let add = ["chapter", "add", "r", "--message", "M", "--start", "1"];
    bench.ok(&[&add[..], &["--end", "1", "--name", "Inner"]].concat());
    bench.ok(&[&add[..], &["--end", "2", "--name", "Outer"]].concat());
    fs::create_dir_all(bench.path("runs/r/deliverables")).unwrap();
    fs::write(bench.path("runs/r/deliverables/report.csv"), report).unwrap();
    bench.ok(&["validate", "r", "--record", "-q"]);
    bench.ok(&["validate", "r", "--fix", "-q"]);
    assert_eq!(bench.call(&["validate", "r", "--strict"]).status, 0);
    bench
}

fn read(root: &Path) -> Files {
    let entries = walkdir::WalkDir::new(root).into_iter().flatten();
    let regular = entries.filter(|entry| entry.file_type().is_file());
    let of = |path: &Path| {
        let name = path.strip_prefix(root).unwrap().display().to_string();
        (name, fs::read(path).unwrap())
    };
    regular.map(|entry| of(entry.path())).collect()
}

/// Writes exactly these files to the run directory.
fn write(root: &Path, files: &Files) {
    for (name, content) in read(root) {
        if files.get(&name) != Some(&content) {
            fs::remove_file(root.join(name)).unwrap();
        }
    }
    for (name, content) in files {
        let path = root.join(name);
        if !path.exists() {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
    }
}

/// Pseudo-random numbers, the same in each test run (xorshift64*).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % end
    }
}

/// One random edit and its description. An edit that changes nothing is repeated.
fn edit(sound: &Files, numbers: &mut Numbers) -> (String, Files) {
    loop {
        let mut files = sound.clone();
        // Half of the edits are in the log.
        let names: Vec<&String> = sound.keys().collect();
        let name = match numbers.below(2) {
            0 => "events.jsonl",
            _ => names[numbers.below(names.len())].as_str(),
        };
        let mut content = sound[name].clone();
        let what = match numbers.below(4) {
            0 => edit_bytes(&mut content, numbers),
            1 => edit_lines(&mut content, numbers),
            2 => edit_field(&mut content, numbers),
            _ => edit_file(&mut content, sound, numbers),
        };
        if what == "removed" {
            files.remove(name);
        } else {
            files.insert(name.to_owned(), content);
        }
        if files != *sound {
            return (format!("{name}: {what}"), files);
        }
    }
}

fn edit_bytes(content: &mut Vec<u8>, numbers: &mut Numbers) -> String {
    let at = numbers.below(content.len());
    match numbers.below(4) {
        0 => content[at] ^= 1 << numbers.below(8),
        1 => drop(content.remove(at)),
        2 => content.insert(at, numbers.below(256) as u8),
        _ => content[at] = numbers.below(256) as u8,
    }
    format!("a byte at {at}")
}

fn edit_lines(content: &mut Vec<u8>, numbers: &mut Numbers) -> String {
    let mut lines: Vec<Vec<u8>> =
        content.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    let (at, other) = (numbers.below(lines.len()), numbers.below(lines.len()));
    let what = match numbers.below(5) {
        0 => {
            lines.remove(at);
            "removed"
        }
        1 => {
            let line = lines[at].clone();
            lines.insert(other, line);
            "repeated"
        }
        2 => {
            lines.swap(at, other);
            "swapped"
        }
        3 => {
            lines.insert(at, b"{}\n".to_vec());
            "put before"
        }
        _ => {
            lines.truncate(at);
            "and all behind it removed"
        }
    };
    *content = lines.concat();
    format!("line {} {what}", at + 1)
}

/// Another value for one member of one JSON line. Other lines are unchanged.
fn edit_field(content: &mut Vec<u8>, numbers: &mut Numbers) -> String {
    let text = String::from_utf8_lossy(content).into_owned();
    let whole = serde_json::from_str::<serde_json::Value>(&text).is_ok();
    let mut lines: Vec<String> = match whole {
        true => vec![text],
        false => text.split_inclusive('\n').map(str::to_owned).collect(),
    };
    let at = numbers.below(lines.len());
    let Ok(mut value) = serde_json::from_str::<serde_json::Value>(&lines[at]) else {
        return String::new();
    };
    let Some(object) = value.as_object_mut().filter(|object| !object.is_empty()) else {
        return String::new();
    };
    let names: Vec<String> = object.keys().cloned().collect();
    let name = &names[numbers.below(names.len())];
    let values = ["null", "0", "7", "\"\"", "\"x\"", "[]", "{}", "true"];
    let value = values[numbers.below(values.len())];
    // Replace only the text of the member, so that the rest stays the same.
    let old = format!("\"{name}\":{}", object[name]);
    let new = format!("\"{name}\":{value}");
    let pretty = old.replacen("\":", "\": ", 1);
    lines[at] = match lines[at].contains(&old) {
        true => lines[at].replacen(&old, &new, 1),
        false => lines[at].replacen(&pretty, &new, 1),
    };
    *content = lines.concat().into_bytes();
    format!("line {}: {name} is {value}", at + 1)
}

fn edit_file(content: &mut Vec<u8>, sound: &Files, numbers: &mut Numbers) -> String {
    match numbers.below(4) {
        0 => return "removed".to_owned(),
        1 => content.clear(),
        2 => content.truncate(numbers.below(content.len())),
        _ => *content = sound.values().nth(numbers.below(sound.len())).unwrap().clone(),
    }
    format!("now of {} bytes", content.len())
}

/// If this fails, an edited run passes as valid. An edit may pass only if a derived file is missing
/// or stale: that is reported, and the fix restores every byte. `MUTATIONS` is the number of edits,
/// `SEED` the start of the random numbers.
#[test]
fn no_edit_passes() {
    let number = |name: &str, default: u64| {
        std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
    };
    let mut numbers = Numbers(number("SEED", 42));
    let bench = rich();
    let root = bench.path("runs/r");
    let sound = read(&root);
    // Findings of the unedited run: it has imported events.
    let judged = bench.validate(0);
    let known = judged.codes();
    let mut survivors: BTreeMap<String, u64> = BTreeMap::new();
    for case in 0..number("MUTATIONS", 500) as usize {
        let (what, files) = edit(&sound, &mut numbers);
        write(&root, &files);
        let judged = bench.validate(case);
        // 5: only the status of the run is not the expected one.
        if [0, 5].contains(&judged.status) {
            let file = what.split(':').next().unwrap();
            let derived = !["events.jsonl", "blobs", "deliverables"]
                .iter()
                .any(|primary| file.starts_with(primary));
            let told = judged.codes().iter().any(|code| !known.contains(code));
            assert!(derived && told, "{what} passes: {judged:?}");
            if case.is_multiple_of(SAMPLE) {
                bench.ok(&["validate", "r", "--fix", "-q"]);
            } else {
                bench.run().unwrap().fix().unwrap();
            }
            let mut mended = read(&root);
            mended.retain(|name, _| !name.contains(".kept-"));
            assert!(mended == sound, "{what} passes, and is not mended");
            *survivors.entry(file.to_owned()).or_default() += 1;
        }
        assert!([0, 1, 3, 5, 66].contains(&judged.status), "{what}: {judged:?}");
        write(&root, &sound);
    }
    let list: Vec<String> =
        survivors.iter().map(|(file, count)| format!("{file} ({count})")).collect();
    let _ = std::io::Write::write_all(
        &mut std::io::stderr(),
        format!("reported, and mended: {}\n", list.join(", ")).as_bytes(),
    );
}
