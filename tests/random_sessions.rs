//! Random sessions of Claude Code: of one to three processes, some of which printed what they did, with
//! sub-agents in files of their own.

use std::fmt::Write as _;
use std::fs;

use serde_json::{Value, json};

use crate::support::Bench;

/// Pseudo-random numbers (SplitMix64), the same for the same seed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % limit as u64) as usize
    }

    fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.below(at + 1));
        }
    }
}

/// A session on the disk, and what it used.
struct Made {
    id: String,
    /// The session's file first, then the outputs of its processes.
    files: Vec<String>,
    tool_calls: u64,
    prompts: u64,
    /// How its run ends, by what is kept of it.
    status: &'static str,
    /// Input, output, read from the cache, written to it.
    tokens: [u64; 4],
}

/// How a process ends.
#[derive(Clone, Copy, PartialEq)]
enum ProcessEnd {
    Well,
    Badly,
    /// Its output ends somewhere in the middle.
    Killed,
}

/// Writes a session.
struct Maker<'r> {
    random: &'r mut Random,
    made: Made,
    /// Whether processes print their prompts, too.
    repeats_prompts: bool,
    /// Number of the next line.
    line: usize,
    file: String,
    output: String,
    /// What the main agent and the sub-agents of the process used.
    of_main: [u64; 4],
    of_agents: [u64; 4],
}

const USAGE: [&str; 4] =
    ["input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"];
const MODEL_USAGE: [&str; 4] =
    ["inputTokens", "outputTokens", "cacheReadInputTokens", "cacheCreationInputTokens"];

fn named(names: [&str; 4], tokens: [u64; 4]) -> Value {
    names.into_iter().zip(tokens).map(|(name, count)| (name.to_owned(), json!(count))).collect()
}

fn add(sum: &mut [u64; 4], more: [u64; 4]) {
    sum.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
}

impl Maker<'_> {
    /// A line of the session's file, and the same as the process prints it. `agent`: the sub-agent and the
    /// call that started it.
    fn line(
        &mut self,
        kind: &str,
        message: &Value,
        more: &Value,
        agent: Option<(&str, &str)>,
    ) -> [String; 2] {
        self.line += 1;
        let uuid =
            format!("2c9d7a10-0000-4000-8000-{:012x}", self.line * 0x1001 + self.made.id.len());
        let minute = self.line % 60;
        let mut stored = json!({"type": kind, "sessionId": self.made.id, "uuid": uuid, "cwd": "/p",
            "version": "2.0.1", "message": message,
            "timestamp": format!("2026-03-01T{:02}:{minute:02}:00.000Z", 8 + self.line / 60)});
        let printed = json!({"type": kind, "session_id": self.made.id, "uuid": uuid,
            "parent_tool_use_id": agent.map(|(_, call)| call), "message": message});
        let members = stored.as_object_mut().unwrap();
        members.extend(more.as_object().unwrap().clone());
        if let Some((agent, _)) = agent {
            members.insert("isSidechain".into(), json!(true));
            members.insert("agentId".into(), json!(agent));
        }
        [format!("{stored}\n"), format!("{printed}\n")]
    }

    /// An answer of the model: its lines in the file and in the output.
    fn answer(&mut self, content: &Value, agent: Option<(&str, &str)>) -> [String; 2] {
        let tokens = [0; 4].map(|_: u64| 1 + self.random.below(90) as u64);
        add(&mut self.made.tokens, tokens);
        add(if agent.is_some() { &mut self.of_agents } else { &mut self.of_main }, tokens);
        let id = format!("msg_01{:020x}Qwas", (self.line + 1) * 0xABCD_EF01 + self.made.id.len());
        let message = json!({"id": id, "type": "message", "role": "assistant", "model": "m-1",
            "content": [content], "usage": named(USAGE, tokens)});
        let request = json!({"requestId": format!("req_{}", self.line)});
        self.line("assistant", &message, &request, agent)
    }

    /// A call that starts a sub-agent.
    fn sub_agent(&mut self, bench: &Bench, tells: bool) {
        self.made.tool_calls += 1;
        let number = self.line + 1;
        let (agent, call) =
            (format!("ab12{number:04x}"), format!("toolu_01{:018x}Zzas", number * 0xFEDC_BA01));
        let prompt = format!("look at part {number}");
        let asks =
            json!({"type": "tool_use", "id": call, "name": "Task", "input": {"prompt": prompt}});
        let [stored, printed] = self.answer(&asks, None);
        self.file += &stored;
        self.output += &printed;
        let mut lines = vec![self.line(
            "user",
            &json!({"role": "user", "content": prompt}),
            &json!({}),
            Some((&agent, &call)),
        )];
        for at in 0..=self.random.below(2) {
            lines.push(self.answer(
                &json!({"type": "text", "text": format!("part {at}")}),
                Some((&agent, &call)),
            ));
        }
        let folder = bench.path(&format!("s/{}/subagents", self.made.id));
        fs::create_dir_all(&folder).unwrap();
        let text: String = lines.iter().map(|[stored, _]| stored.as_str()).collect();
        fs::write(folder.join(format!("agent-{agent}.jsonl")), text).unwrap();
        if tells {
            lines.iter().for_each(|[_, printed]| self.output += printed);
        }
        let result = json!({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": call, "content": [{"type": "text", "text": "looked"}]}]});
        let details = json!({"toolUseResult": {"agentId": agent, "status": "completed"}});
        let [stored, printed] = self.line("user", &result, &details, None);
        self.file += &stored;
        self.output += &printed;
    }

    /// A process, which answers one prompt.
    fn process(&mut self, bench: &Bench) -> ProcessEnd {
        (self.of_main, self.of_agents) = ([0; 4], [0; 4]);
        let init = json!({"type": "system", "subtype": "init", "cwd": "/p", "model": "m-1",
            "session_id": self.made.id, "tools": ["Task"]});
        self.output = format!("{init}\n");
        let prompt = json!({"role": "user", "content": format!("do step {}", self.line)});
        let [stored, printed] = self.line("user", &prompt, &json!({}), None);
        self.file += &stored;
        if self.repeats_prompts && self.random.below(3) == 0 {
            self.output += &printed.replace(r#""session_id""#, r#""isReplay":true,"session_id""#);
        }
        self.made.prompts += 1;
        let tells = self.random.below(2) == 0;
        for at in 0..=self.random.below(3) {
            if self.random.below(3) == 0 {
                self.sub_agent(bench, tells);
            }
            let text = format!("answer {at}");
            let [stored, printed] = self.answer(&json!({"type": "text", "text": text}), None);
            self.file += &stored;
            self.output += &printed;
        }
        let end = match self.random.below(5) {
            0 => ProcessEnd::Killed,
            1 => ProcessEnd::Badly,
            _ => ProcessEnd::Well,
        };
        if end == ProcessEnd::Badly {
            let text = json!([{"type": "text", "text": "You've hit your limit"}]);
            let message = json!({"id": format!("e-{}", self.line), "type": "message", "content": text,
                "role": "assistant", "model": "<synthetic>", "usage": named(USAGE, [0; 4])});
            let more = json!({"isApiErrorMessage": true, "error": "rate_limit"});
            let [stored, printed] = self.line("assistant", &message, &more, None);
            self.file += &stored;
            self.output += &printed;
        }
        if end == ProcessEnd::Killed {
            let lines = self.output.lines().count();
            let kept = 1 + self.random.below(lines);
            self.output = self.output.split_inclusive('\n').take(kept).collect();
            return end;
        }
        let mut all = self.of_main;
        add(&mut all, self.of_agents);
        let result = json!({"type": "result", "subtype": "success", "is_error": end == ProcessEnd::Badly,
            "num_turns": 1, "duration_ms": 900, "result": "done", "session_id": self.made.id,
            "uuid": format!("3c9d7a10-0000-4000-8000-{:012x}", self.line), "total_cost_usd": 0.25,
            "usage": named(USAGE, self.of_main), "modelUsage": {"m-1": named(MODEL_USAGE, all)}});
        let _ = writeln!(self.output, "{result}");
        end
    }

    /// A session, and forks of it, each of the one before. The outputs of some processes are kept.
    fn sessions(mut self, bench: &Bench, forks: usize) -> Made {
        fs::create_dir_all(bench.path("s")).unwrap();
        for fork in 0..=forks {
            if fork > 0 {
                self.branch_off(fork);
            }
            let name = format!("s/{}.jsonl", self.made.id);
            self.made.files.push(name.clone());
            for number in 0..=self.random.below(3) {
                let end = self.process(bench);
                self.made.status = if end == ProcessEnd::Badly { "failed" } else { "imported" };
                if number == 0 || self.random.below(2) == 0 {
                    let name = format!("s/out-{fork}-{number}.txt");
                    fs::write(bench.path(&name), &self.output).unwrap();
                    self.made.files.push(name);
                    if end == ProcessEnd::Well {
                        self.made.status = "completed";
                    }
                }
            }
            fs::write(bench.path(&name), &self.file).unwrap();
        }
        self.made
    }

    /// Begins a session with a copy of what the last one has up to some line.
    fn branch_off(&mut self, fork: usize) {
        let kept = 1 + self.random.below(self.file.lines().count());
        let lines: String = self.file.split_inclusive('\n').take(kept).collect();
        let mut id = self.made.id.clone();
        id.truncate(id.len() - 1);
        let id = format!("{id}{}", 6 + fork);
        let copied = lines.replace(&self.made.id, &id);
        self.file = copied.replace("\"2c9d7a10-", &format!("\"2c9d7a1{fork}-"));
        self.made.id = id;
    }
}

/// Files in random groups and in a random order, some of them twice.
fn steps(random: &mut Random, files: &[String]) -> Vec<Vec<String>> {
    let mut all = files.to_vec();
    random.shuffle(&mut all);
    if random.below(3) == 0 {
        all.push(files[random.below(files.len())].clone());
    }
    let mut steps: Vec<Vec<String>> = Vec::new();
    for file in all {
        match steps.last_mut().filter(|_| random.below(3) == 0) {
            Some(step) => step.push(file),
            None => steps.push(vec![file]),
        }
    }
    steps
}

/// Imports random sessions with that many forks, and returns what is wrong.
fn wrong_after(seed: u64, forks: usize) -> Vec<String> {
    let mut random = Random(seed);
    let mut wrong = Vec::new();
    for _ in 0..3 {
        let bench = Bench::new();
        let id = format!("{seed:08x}-1111-4222-8333-444455556666");
        let files = Vec::new();
        let made = Made { id, files, tool_calls: 0, prompts: 0, status: "", tokens: [0; 4] };
        let (file, output) = (String::new(), String::new());
        let (line, of_main, of_agents) = (0, [0; 4], [0; 4]);
        let repeats_prompts = forks == 0;
        let random = &mut random;
        let maker = Maker { random, made, repeats_prompts, line, file, output, of_main, of_agents };
        let made = maker.sessions(&bench, forks);
        let steps = steps(random, &made.files);
        for files in &steps {
            let files = files.iter().map(String::as_str);
            let args: Vec<&str> =
                ["import", "--runs-dir", "runs"].into_iter().chain(files).collect();
            bench.ok(&args);
        }
        let document = |args: &[&str]| -> Value { serde_json::from_str(&bench.ok(args)).unwrap() };
        let list = document(&["list", "--format", "json"]);
        let stats = document(&["stats", "--by", "prompt", "--format", "json"]);
        let numbers = |row: &Value, calls: &str| {
            let tokens =
                ["input_tokens", "output_tokens", "cache_read_tokens", "cache_creation_tokens"];
            json!([row[calls], tokens.map(|name| row[name].as_i64())]).to_string()
        };
        let rows = stats["rows"].as_array().unwrap();
        let is_negative =
            rows.iter().any(|row| row["input_tokens"].as_i64().is_some_and(|count| count < 0));
        let totals = [numbers(&list["total"], "tool_calls"), numbers(&stats["total"], "calls")];
        // How a session ended is known of the one without forks.
        let status = list["runs"][0]["status"].as_str().filter(|_| forks == 0);
        let found = format!("{totals:?} {} {is_negative} {status:?}", list["total"]["prompts"]);
        let expected = json!([made.tool_calls, made.tokens]).to_string();
        let status = Some(made.status).filter(|_| forks == 0);
        let totals = [&expected, &expected];
        let expected = format!("{totals:?} {} false {status:?}", made.prompts);
        if found != expected {
            wrong.push(format!("{seed} {steps:?}: {found} instead of {expected}"));
        }
    }
    wrong
}

/// The seeds of the sessions. RUNLOG_TEST_SESSIONS is their number.
fn seeds() -> std::ops::Range<u64> {
    0..std::env::var("RUNLOG_TEST_SESSIONS").map_or(12, |count| count.parse().unwrap())
}

/// If this fails, a session that was partly printed by its processes loses tokens, or counts some twice,
/// or does not end as it did, in some order of import.
#[test]
fn in_any_order_a_session_has_the_work_of_all_its_processes() {
    let wrong: Vec<String> = seeds().flat_map(|seed| wrong_after(seed, 0)).collect();
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// If this fails, what a fork of a session repeats counts twice, or is lost.
#[test]
fn a_fork_counts_once_beside_outputs() {
    let wrong: Vec<String> = seeds().flat_map(|seed| wrong_after(seed, 1)).collect();
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
