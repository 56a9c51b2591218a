//! A temporary directory and the program in it, with a cleared environment.

mod executables;
pub(crate) mod imports;
mod judged;
#[cfg(feature = "mcp")]
pub(crate) mod mcp;
mod prepared;
mod samples;
pub(crate) mod sessions;

pub(crate) use executables::put_executable;
pub(crate) use imports::{document, jsonl};
pub(crate) use judged::SAMPLE;
pub(crate) use prepared::Prepared;
pub(crate) use samples::{SAMPLES, sample};

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A directory. It stays if RUNLOG_TEST_KEEP names one to make it in, for `tests/oracle.py`.
pub(crate) struct Bench {
    dir: tempfile::TempDir,
}

/// The program. RUNLOG_TEST_PROGRAM names another build of it.
pub(crate) fn program() -> PathBuf {
    let other = std::env::var_os("RUNLOG_TEST_PROGRAM");
    other.map_or_else(|| env!("CARGO_BIN_EXE_runlog").into(), PathBuf::from)
}

/// The result of a call.
pub(crate) struct Said {
    pub status: i32,
    pub out: String,
    pub err: String,
}

impl Bench {
    pub(crate) fn new() -> Self {
        let kept = std::env::var_os("RUNLOG_TEST_KEEP");
        let made = match &kept {
            Some(parent) => tempfile::Builder::new().disable_cleanup(true).tempdir_in(parent),
            None => tempfile::tempdir(),
        };
        Self { dir: made.unwrap() }
    }

    /// A bench with the run `r`, with fixed ids and times.
    pub(crate) fn with_run() -> Self {
        static MADE: Prepared = Prepared::new();
        let options = ["--event-id", "e1", "--timestamp", "2026-01-01T00:00:00Z"];
        MADE.copy(|| Self::created(&options))
    }

    /// A bench with the run `r` of session `s1` and task `t1`, created with these options.
    pub(crate) fn created(options: &[&str]) -> Self {
        let bench = Self::new();
        let names = ["emit", "run.created", "--run", "r", "--session", "s1", "--task", "t1"];
        bench.ok(&[&names, options].concat());
        bench
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(program());
        command.current_dir(self.dir.path()).env_clear().stdin(Stdio::null());
        command
    }

    /// Calls the program. `validate` accepts every status here unless the call names one: most
    /// tests are about something else than how the run ended.
    pub(crate) fn call(&self, args: &[&str]) -> Said {
        let names_status = args.iter().any(|arg| arg.starts_with("--expect-status"));
        let any: &[&str] = match args.first() {
            Some(&"validate") if !names_status => &["--expect-status", "any"],
            _ => &[],
        };
        said(&self.command().args(args).args(any).output().unwrap())
    }

    /// Calls the program with that standard input.
    pub(crate) fn feed(&self, args: &[&str], input: &[u8]) -> Said {
        let mut child = self
            .command()
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // The program may stop reading early; only its output matters.
        let _ = child.stdin.take().unwrap().write_all(input);
        said(&child.wait_with_output().unwrap())
    }

    /// Calls the program, which must succeed, and returns its standard output.
    pub(crate) fn ok(&self, args: &[&str]) -> String {
        let said = self.call(args);
        assert_eq!(said.status, 0, "{args:?} failed: {}", said.err);
        said.out
    }

    /// What a command says as JSON.
    pub(crate) fn json(&self, args: &[&str]) -> serde_json::Value {
        serde_json::from_str(&self.ok(&[args, &["--format", "json"]].concat())).unwrap()
    }

    /// The `run.json` of a run.
    pub(crate) fn state(&self, run: &str) -> serde_json::Value {
        let state = fs::read(self.path(&format!("runs/{run}/run.json"))).unwrap();
        serde_json::from_slice(&state).unwrap()
    }

    /// Calls the program, which must exit with `status`, and returns its standard error.
    pub(crate) fn fails(&self, status: i32, args: &[&str]) -> String {
        let said = self.call(args);
        assert_eq!(said.status, status, "{args:?}: {}{}", said.out, said.err);
        said.err
    }

    pub(crate) fn emit(&self, args: &[&str]) -> String {
        self.ok(&[&["emit", "--run", "r"], args].concat()).trim().to_owned()
    }

    pub(crate) fn log_path(&self) -> PathBuf {
        self.path("runs/r/events.jsonl")
    }

    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.log_path()).unwrap()
    }

    pub(crate) fn lines(&self) -> Vec<serde_json::Value> {
        json_lines(&self.log_path())
    }

    /// The temporary files in the directory of the run `r`.
    pub(crate) fn temporary_files(&self) -> Vec<PathBuf> {
        let all = walkdir::WalkDir::new(self.path("runs/r")).into_iter().flatten();
        let all = all.map(walkdir::DirEntry::into_path);
        all.filter(|path| path.extension().is_some_and(|end| end == "tmp")).collect()
    }

    pub(crate) fn append_raw(&self, bytes: &[u8]) {
        let mut file = fs::OpenOptions::new().append(true).open(self.log_path()).unwrap();
        file.write_all(bytes).unwrap();
    }

    /// The codes of the findings of `runlog validate r`, sorted, without duplicates.
    pub(crate) fn codes(&self) -> Vec<String> {
        let said = self.call(&["validate", "r", "--format", "json"]);
        let report: serde_json::Value = serde_json::from_str(&said.out).unwrap();
        let findings = report["runs"][0]["findings"].as_array().unwrap();
        let mut codes: Vec<String> =
            findings.iter().map(|finding| finding["code"].as_str().unwrap().to_owned()).collect();
        codes.sort();
        codes.dedup();
        codes
    }
}

pub(crate) fn said(output: &Output) -> Said {
    Said {
        status: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

pub(crate) fn json_lines(path: &Path) -> Vec<serde_json::Value> {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

pub(crate) fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// A folder of test data beside the checkout; prints a message if it is missing.
pub(crate) fn shared(name: &str) -> Option<PathBuf> {
    let path = root().join("../shared").join(name);
    if path.exists() {
        return Some(path);
    }
    let _ = writeln!(std::io::stderr(), "SKIPPED: {} is not there", path.display());
    None
}

pub(crate) fn fixture(name: &str) -> Vec<u8> {
    fs::read(root().join("fixtures").join(name)).unwrap()
}

/// Emits tasks by letters: S start, A action, O output, E error. The ends are k succeeded, f
/// failed, c clarify, x cancelled.
pub(crate) fn tasks(notation: &str) -> Bench {
    let bench = Bench::with_run();
    let mut input = String::new();
    for letter in notation.chars() {
        let (kind, data) = match letter {
            'S' => ("task.started", r#"{"message":"do it"}"#),
            'A' => ("task.action", r#"{"title":"thinking"}"#),
            'O' => ("task.output", r#"{"parts":["x"]}"#),
            'E' => ("error", r#"{"message":"oh"}"#),
            'k' => ("task.succeeded", "{}"),
            'f' => ("task.failed", r#"{"message":"no"}"#),
            'c' => ("task.clarify", r#"{"message":"which?"}"#),
            'x' => ("task.cancelled", "{}"),
            other => panic!("{other}"),
        };
        input.push_str(&format!("{{\"type\":\"{kind}\",\"data\":{data}}}\n"));
    }
    let said = bench.feed(&["emit", "--run", "r", "--stdin"], input.as_bytes());
    assert_eq!(said.status, 0, "{}", said.err);
    bench
}

/// Compares a committed file with its expected content. UPDATE=1 writes it; `test` names the tests
/// to run for that.
pub(crate) fn fresh(path: &Path, content: &[u8], test: &str) {
    if std::env::var_os("UPDATE").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    let committed = fs::read(path).unwrap_or_default();
    let (was, is) = (String::from_utf8_lossy(&committed), String::from_utf8_lossy(content));
    let changed = is.lines().zip(was.lines()).find(|(is, was)| is != was);
    assert!(
        committed == content,
        "{} is out of date (UPDATE=1 cargo test {test}); first difference: {changed:#?}",
        path.display()
    );
}
