//! Every view says the same about a log, and what is true: how much a session used does not depend on how,
//! in which order or how often it was recorded.
//!
//! A cell is a way of recording and a shape of sessions. RUNLOG_TEST_SESSIONS is the number of random
//! sessions in each cell; with `--nocapture`, each cell says how many were right.

#![expect(clippy::print_stdout, reason = "a test that fails shows it")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::{Value, json};

use crate::support::sessions::{Process, ProcessEnd, Random, Shape, Truth, session, truth};
use crate::support::{Bench, root, shared};

const COUNTS: [&str; 4] =
    ["input_tokens", "output_tokens", "cache_read_tokens", "cache_creation_tokens"];
const GROUPS: [&str; 6] = ["model", "run", "agent", "prompt", "day", "status"];

/// What records a session.
#[derive(Clone, Copy, PartialEq)]
enum Recorder {
    /// Outputs are piped into `emit`.
    Emit,
    /// Processes run in `exec`.
    Exec,
    /// Files and outputs are imported.
    Import,
    /// Hooks take the file over while it grows.
    Hooks,
    /// Processes run in `exec`, then the file is imported.
    ExecImport,
    /// Hooks and `exec` at the same time.
    HooksExec,
    /// The file is imported, then outputs are piped into `emit`.
    ImportEmit,
}

use Recorder::{Emit, Exec, ExecImport, Hooks, HooksExec, Import, ImportEmit};

/// The ways of recording, and whether outputs have runs of their own.
const WAYS: [(&str, Recorder, bool); 12] = [
    ("emit", Emit, false),
    ("emit, own runs", Emit, true),
    ("exec", Exec, false),
    ("exec, own runs", Exec, true),
    ("import", Import, false),
    ("import, own runs", Import, true),
    ("hooks", Hooks, false),
    ("hooks and exec", HooksExec, false),
    ("exec, then import", ExecImport, false),
    ("exec, then import, own runs", ExecImport, true),
    ("import, then emit", ImportEmit, false),
    ("import, then emit, own runs", ImportEmit, true),
];

const PLAIN: Shape =
    Shape { forks: 0, agents: false, several_lines: false, hidden: false, of_session: false };
const SHAPES: [(&str, Shape); 9] = [
    ("plain", PLAIN),
    ("sub-agents", Shape { agents: true, ..PLAIN }),
    ("several lines", Shape { several_lines: true, ..PLAIN }),
    ("hidden parts", Shape { hidden: true, ..PLAIN }),
    ("all", Shape { agents: true, several_lines: true, hidden: true, ..PLAIN }),
    ("fork", Shape { forks: 1, agents: true, ..PLAIN }),
    ("totals of the session", Shape { of_session: true, ..PLAIN }),
    ("totals of the session, sub-agents", Shape { of_session: true, agents: true, ..PLAIN }),
    ("totals of the session, hidden parts", Shape { of_session: true, hidden: true, ..PLAIN }),
];

/// A session while it is recorded.
struct Log {
    bench: Bench,
    random: Random,
    processes: Vec<Process>,
    has_output: Vec<bool>,
    /// The times of the lines so far.
    times: BTreeMap<String, String>,
    own_runs: bool,
}

impl Log {
    /// Writes the file of a session, up to the end of that process. New lines get times that end now.
    fn write(&mut self, process: usize, is_live: bool) {
        let process = self.processes[process].clone();
        let name = format!("s/{}.jsonl", process.session);
        let files = process.agents.iter().map(|(name, text)| (format!("s/{name}"), text));
        for (name, text) in files.chain([(name, &process.file)]) {
            let mut parts = text.split("@TIME");
            let mut written = parts.next().unwrap().to_owned();
            for part in parts {
                let (number, rest) = part.split_once('@').unwrap();
                let time = || match is_live {
                    true => chrono::Utc::now().to_rfc3339(),
                    false => {
                        let number: usize = number.parse().unwrap();
                        format!("2026-03-01T{:02}:{:02}:00.000Z", 8 + number / 60, number % 60)
                    }
                };
                let time = self.times.entry(number.to_owned()).or_insert_with(time);
                written = written + time + rest;
            }
            let path = self.bench.path(&name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, written).unwrap();
        }
    }

    fn run_of(&self, process: usize) -> String {
        match self.own_runs {
            true => format!("out-{process}"),
            false => format!("claude-code-{}", self.processes[process].session),
        }
    }

    fn output(&self, process: usize) -> String {
        let name = format!("out-{process}.txt");
        fs::write(self.bench.path(&name), &self.processes[process].output).unwrap();
        name
    }

    fn exec(&self, process: usize) {
        let (run, name) = (self.run_of(process), self.output(process));
        let new = if self.bench.path(&format!("runs/{run}")).exists() {
            vec![]
        } else {
            vec!["--run-new"]
        };
        let status = u8::from(self.processes[process].end == ProcessEnd::Badly);
        let script = format!("cat {name}; exit {status}");
        let args = ["exec", "--run", &run, "--from", "claude-code"];
        self.bench.call(&[&args[..], &new, &["--", "sh", "-c", &script]].concat());
    }

    fn emit(&self, process: usize) {
        let run = self.run_of(process);
        let args = ["emit", "--stdin", "--from", "claude-code", "--create", "--run", &run];
        let said = self.bench.feed(&args, self.processes[process].output.as_bytes());
        assert_eq!(said.status, 0, "{}", said.err);
    }

    fn hook(&self, process: usize, event: &str) {
        let session = &self.processes[process].session;
        let path = self.bench.path(&format!("s/{session}.jsonl"));
        let payload = json!({"session_id": session, "hook_event_name": event, "cwd": "/p",
            "transcript_path": path, "reason": "exit"});
        self.bench.feed(&["hook", "--runs-dir", "runs"], payload.to_string().as_bytes());
    }

    /// Imports the files in a random order, some of them twice.
    fn import(&mut self, outputs: bool) {
        let mut all: Vec<(String, Option<String>)> = Vec::new();
        for at in 0..self.processes.len() {
            let file = format!("s/{}.jsonl", self.processes[at].session);
            if !all.iter().any(|(known, _)| *known == file) {
                all.push((file, None));
            }
            if outputs && self.has_output[at] {
                all.push((self.output(at), self.own_runs.then(|| self.run_of(at))));
            }
        }
        self.random.shuffle(&mut all);
        if self.random.below(3) == 0 {
            all.push(all[self.random.below(all.len())].clone());
        }
        // Or all with one command.
        if !self.own_runs && self.random.below(4) == 0 {
            let files: Vec<&str> = all.iter().map(|(file, _)| file.as_str()).collect();
            self.bench.ok(&[&["import", "--runs-dir", "runs"], &files[..]].concat());
            return;
        }
        for (file, run) in all {
            let run = run.as_deref().map_or_else(Vec::new, |run| vec!["--run", run]);
            self.bench.ok(&[&["import", "--runs-dir", "runs", &file][..], &run].concat());
        }
    }

    /// Records the session. Returns what is true by what was recorded.
    fn record(&mut self, recorder: Recorder) -> Truth {
        let all: Vec<usize> = (0..self.processes.len()).collect();
        let kept = |log: &Self| -> Vec<usize> {
            all.iter().copied().filter(|at| log.has_output[*at]).collect()
        };
        let is_live = !matches!(recorder, Import | ImportEmit);
        for at in &all {
            self.write(*at, is_live);
            if matches!(recorder, Exec | ExecImport | HooksExec) && self.has_output[*at] {
                self.exec(*at);
            }
            if matches!(recorder, Hooks | HooksExec) {
                self.hook(*at, "Stop");
                self.hook(*at, "SessionEnd");
            }
        }
        let is_hooked = matches!(recorder, Hooks | HooksExec) && self.random.below(3) == 0;
        if is_hooked || matches!(recorder, Import | ImportEmit | ExecImport) {
            self.import(recorder == Import);
        }
        if matches!(recorder, Emit | ImportEmit) {
            let mut outputs = kept(self);
            self.random.shuffle(&mut outputs);
            outputs.iter().for_each(|at| self.emit(*at));
        }
        let has_files = !matches!(recorder, Emit | Exec);
        let has_commands = matches!(recorder, Exec | ExecImport | HooksExec);
        let has_output: Vec<bool> =
            self.has_output.iter().map(|kept| *kept && recorder != Hooks).collect();
        let mut truth = truth(&self.processes, has_files, &has_output);
        // The commands are calls, too.
        truth.calls += kept(self).len() * usize::from(has_commands);
        // The end of a command is that of its run.
        if recorder != Import || self.own_runs {
            truth.ends.clear();
        }
        truth
    }
}

/// The facts in a part of a document, by their names. `calls`: what the number of calls is called.
fn facts(part: &Value, calls: &str) -> BTreeMap<&'static str, i64> {
    let cost = part["cost_usd"].as_f64().map(|cost| (cost * 1e6).round() as i64);
    let mut facts: BTreeMap<_, _> =
        COUNTS.map(|name| (name, part[name].as_i64().unwrap_or(0))).into();
    facts.insert("cost", cost.unwrap_or(0));
    for (name, given) in [("calls", &part[calls]), ("prompts", &part["prompts"])] {
        facts.extend(given.as_i64().map(|count| (name, count)));
    }
    facts
}

/// The facts in the exported tables: sums over the rows that count.
fn tables(bench: &Bench) -> BTreeMap<&'static str, i64> {
    bench.ok(&["export", "--to", "sqlite", "-o", "runs.db"]);
    let tables = rusqlite::Connection::open(bench.path("runs.db")).unwrap();
    let number = |query: String| tables.query_row(&query, [], |row| row.get::<_, i64>(0)).unwrap();
    let sum = |column: &str| {
        let query = format!("SELECT CAST(round(coalesce(sum({column}), 0)) AS INTEGER)");
        number(format!("{query} FROM usage WHERE first_seen"))
    };
    let mut facts: BTreeMap<_, _> = COUNTS.map(|name| (name, sum(name))).into();
    facts.insert("cost", sum("1e6 * cost_usd"));
    facts.insert("calls", number("SELECT count(*) FROM calls WHERE first_seen".to_owned()));
    facts
}

/// What differs: the view and the fact.
type Wrong = BTreeSet<(String, &'static str)>;

/// What differs, and how far the numbers are from the truth: the smallest and the greatest share of it.
fn wrong(bench: &Bench, truth: Option<&Truth>) -> (Wrong, [f64; 2]) {
    let (mut wrong, mut shares) = (BTreeSet::new(), [1.0_f64; 2]);
    let list = bench.json(&["list"]);
    let all = facts(&list["total"], "tool_calls");
    let mut compare =
        |view: &str, said: &BTreeMap<&'static str, i64>, with: &BTreeMap<&str, i64>| {
            for (name, value) in said {
                if let Some(other) = with.get(name).filter(|other| *other != value) {
                    println!("{view}: {name} {value} {other}");
                    wrong.insert((view.to_owned(), *name));
                }
            }
        };
    if let Some(truth) = truth {
        let mut known: BTreeMap<_, _> =
            COUNTS.into_iter().zip(truth.tokens.map(|count| count as i64)).collect();
        known.insert("calls", truth.calls as i64);
        known.insert("prompts", truth.prompts as i64);
        known.insert("cost", truth.cost as i64);
        for (name, value) in &known {
            let share = (all[name] + 1) as f64 / (value + 1) as f64;
            shares = [shares[0].min(share), shares[1].max(share)];
        }
        // Tokens that are marked as a lower bound may be below the truth.
        if list["total"]["output_tokens_at_least"] == true {
            known.retain(|name, value| !COUNTS.contains(name) || all[name] > *value);
        }
        compare("truth", &all, &known);
    }
    for by in GROUPS {
        let stats = bench.json(&["stats", "--by", by]);
        compare(&format!("stats by {by}, total"), &facts(&stats["total"], "calls"), &all);
        let marks = [&stats["total"], &list["total"]];
        let [said, other] = marks.map(|of| i64::from(of["output_tokens_at_least"] == true));
        compare(
            &format!("stats by {by}, total"),
            &[("mark", said)].into(),
            &[("mark", other)].into(),
        );
        let mut sum = BTreeMap::new();
        for row in stats["rows"].as_array().unwrap() {
            for (name, value) in facts(row, "calls") {
                *sum.entry(name).or_insert(0) += value;
            }
        }
        compare(&format!("stats by {by}, rows"), &sum, &all);
    }
    compare("tables", &tables(bench), &all);
    let mut statuses = BTreeSet::new();
    for run in list["runs"].as_array().unwrap() {
        let id = run["run_id"].as_str().unwrap();
        let own = facts(&run["counts"], "tool_calls");
        let state = bench.state(id);
        compare("run.json", &facts(&state["counts"], "tool_calls"), &own);
        let overview = bench.json(&["summarize", id, "--dry-run"]);
        compare("summarize", &facts(&overview["runs"][0]["counts"], "tool_calls"), &own);
        let stats = bench.json(&["stats", id]);
        compare("stats of a run", &facts(&stats["total"], "calls"), &own);
        let transcript = bench.json(&["transcript", id, "-o", "-"]);
        compare("transcript", &facts(&transcript["facts"]["counts"], "tool_calls"), &own);
        let status = run["status"].as_str().unwrap();
        let mut said = vec![("run.json", state["status"].as_str())];
        said.push(("summarize", overview["runs"][0]["status"].as_str()));
        said.push(("transcript", transcript["facts"]["status"].as_str()));
        let session = run["session_id"].as_str().unwrap();
        let ends = truth.and_then(|truth| truth.ends.get(session));
        said.extend(ends.map(|end| ("truth", Some(*end))));
        for (view, said) in said.into_iter().filter(|(_, said)| *said != Some(status)) {
            println!("{view}: status {said:?}, not {status}");
            statuses.insert((view.to_owned(), "status"));
        }
    }
    wrong.extend(statuses);
    for run in list["runs"].as_array().unwrap() {
        let id = run["run_id"].as_str().unwrap();
        let form = |form: &str| bench.ok(&["transcript", id, "--format", form, "-o", "-"]);
        let row = |name: &str, text: &str| {
            let line = text.lines().find(|line| line.starts_with(&format!("| {name} |")));
            line.map(|line| line.split('|').nth(2).unwrap().trim().to_owned())
        };
        let markdown = form("markdown");
        for name in ["Tokens", "Cost"] {
            let said = row(name, &markdown).unwrap();
            let said = said.split([';', '(']).next().unwrap().trim().trim_matches(['~', '+']);
            for other in ["html", "text"] {
                let is_known = name == "Tokens" || other == "html";
                let text = form(other).replace("&lt;", "<");
                let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
                if said != "unknown" && is_known && !text.contains(said) {
                    println!("{other} lacks {said}");
                    wrong.insert((format!("transcript as {other}"), "in words"));
                }
            }
        }
    }
    (wrong, shares)
}

/// The number of sessions in each cell.
fn sessions() -> u64 {
    std::env::var("RUNLOG_TEST_SESSIONS").map_or(2, |count| count.parse().unwrap())
}

/// Records the sessions of a cell. Returns what is wrong.
fn cell(recorder: Recorder, own_runs: bool, shape: Shape, seed: u64) -> (Wrong, [f64; 2]) {
    let bench = Bench::new();
    fs::create_dir_all(bench.path("runs")).unwrap();
    let mut random = Random(seed);
    let id = format!("{seed:08x}-1111-4222-8333-444455556666");
    let prints = matches!(recorder, Import | ImportEmit) && shape.forks == 0;
    let processes = session(&mut random, &id, shape, prints);
    let has_output =
        processes.iter().enumerate().map(|(at, _)| at == 0 || random.below(2) == 0).collect();
    let times = BTreeMap::new();
    let mut log = Log { bench, random, processes, has_output, times, own_runs };
    let truth = log.record(recorder);
    wrong(&log.bench, Some(&truth))
}

/// Compares the wrong cells of some ways with the list of known ones.
fn check(wanted: &[Recorder]) {
    let mut found = BTreeSet::new();
    let cells = WAYS.iter().filter(|(_, recorder, _)| wanted.contains(recorder));
    let cells = cells.flat_map(|way| SHAPES.iter().map(move |shape| (way, shape)));
    for ((way, recorder, own_runs), (name, shape)) in cells {
        let mut wrong: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
        let (mut right, mut marked, mut below, mut worst) = (0, 0, 0, [1.0_f64; 2]);
        for seed in 0..sessions() {
            println!("# {way}; {name}; {seed}");
            let (of_log, [least, most]) = cell(*recorder, *own_runs, *shape, seed);
            right += u64::from(of_log.is_empty() && [least, most] == [1.0, 1.0]);
            marked += u64::from(of_log.is_empty() && [least, most] != [1.0, 1.0]);
            below += u64::from(most <= 1.0);
            worst = [worst[0].min(least), worst[1].max(most)];
            for (view, fact) in of_log {
                wrong.entry(view).or_default().insert(fact);
            }
        }
        let all = sessions();
        println!(
            "{way}; {name}: {right} of {all} exact, {marked} marked as a lower bound, {below} not above \
             the truth, {worst:.2?} of it"
        );
        for (view, facts) in wrong {
            let facts: Vec<_> = facts.into_iter().collect();
            found.insert(format!("{way}; {name}; {view}: {}", facts.join(", ")));
        }
    }
    let is_default = std::env::var_os("RUNLOG_TEST_SESSIONS").is_none();
    assert!(found.is_empty() || !is_default, "wrong: {found:#?}");
}

/// If one of these fails, two commands differ about what a session used, or both are wrong.
#[test]
fn outputs_in_streams() {
    check(&[Emit]);
}

#[test]
fn outputs_of_commands() {
    check(&[Exec]);
}

#[test]
fn files_and_outputs() {
    check(&[Import]);
}

#[test]
fn what_hooks_took_over() {
    check(&[Hooks, HooksExec]);
}

#[test]
fn commands_then_files() {
    check(&[ExecImport]);
}

#[test]
fn files_then_streams() {
    check(&[ImportEmit]);
}

/// If this fails, views differ about a log that the repository ships.
#[test]
fn what_the_repository_ships() {
    let [session, runs] = [(); 2].map(|()| Bench::new());
    crate::swapped::copy(&root().join("fixtures/runs"), &runs.path("runs"));
    let file = root().join("fixtures/agent-session.jsonl");
    session.ok(&["import", "--runs-dir", "runs", file.to_str().unwrap()]);
    for bench in [session, runs] {
        assert_eq!(wrong(&bench, None).0, BTreeSet::new());
    }
}

/// If this fails, views differ about the log of a real agent.
#[test]
fn what_real_agents_wrote() {
    let Some(traces) = shared("traces") else { return };
    let bench = Bench::new();
    fs::create_dir_all(bench.path("runs")).unwrap();
    bench.call(&["import", "--runs-dir", "runs", traces.to_str().unwrap()]);
    assert_eq!(wrong(&bench, None).0, BTreeSet::new());
}
