//! Random sessions of Claude Code, written as the client writes them, and what they used.
//!
//! A session has one to three processes. Each appends to the session's file, and prints what it does. A
//! fork begins with a copy of what another session has.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde_json::{Value, json};

/// Pseudo-random numbers (SplitMix64), the same for the same seed.
pub(crate) struct Random(pub u64);

impl Random {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % limit as u64) as usize
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.below(at + 1));
        }
    }
}

/// Input, output, read from the cache, written to it.
pub(crate) type Tokens = [u64; 4];

/// What is special about a session.
#[derive(Clone, Copy, Default)]
pub(crate) struct Shape {
    /// How many sessions begin as copies of the one before.
    pub forks: usize,
    /// Sub-agents, with files of their own.
    pub agents: bool,
    /// Several lines for an answer. The first one reports fewer output tokens.
    pub several_lines: bool,
    /// Totals have a part that no line shows.
    pub hidden: bool,
    /// The totals are those of the session so far, not of the process.
    pub of_session: bool,
}

/// How a process ends.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum ProcessEnd {
    #[default]
    Well,
    Badly,
    /// Its output ends somewhere in the middle.
    Killed,
}

/// A process of a session.
#[derive(Clone, Default)]
pub(crate) struct Process {
    /// The id of its session.
    pub session: String,
    /// The session's file, up to the end of the process. `@TIME1@` stands for a time.
    pub file: String,
    /// The files of its sub-agents: path and text.
    pub agents: Vec<(String, String)>,
    /// What it printed.
    pub output: String,
    pub end: ProcessEnd,
    /// Whether the file says that it failed.
    says_error: bool,
    /// Its model calls: id, tokens, whether they are of the main agent.
    answers: Vec<(String, Tokens, bool)>,
    /// How many of them came before the turn.
    before_turn: usize,
    /// What its total has beyond them.
    hidden: Tokens,
    of_session: bool,
}

/// What was used, as far as the recorded sources say it.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Truth {
    pub tokens: Tokens,
    pub calls: usize,
    pub prompts: usize,
    /// Millionths of a dollar, as far as totals report it.
    pub cost: u64,
    /// How each session ended, by its file and what its last process printed.
    pub ends: BTreeMap<String, &'static str>,
}

const USAGE: [&str; 4] =
    ["input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"];
const MODEL_USAGE: [&str; 4] =
    ["inputTokens", "outputTokens", "cacheReadInputTokens", "cacheCreationInputTokens"];
/// The cost of a process, in millionths of a dollar.
const COST: u64 = 250_000;

fn named(names: [&str; 4], tokens: Tokens) -> Value {
    names.into_iter().zip(tokens).map(|(name, count)| (name.to_owned(), json!(count))).collect()
}

fn add(sum: &mut Tokens, more: Tokens) {
    sum.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
}

/// Writes a session and its forks.
struct Writer<'r> {
    random: &'r mut Random,
    shape: Shape,
    session: String,
    line: usize,
    file: String,
    process: Process,
    /// What all processes of the session so far used, and how many they were.
    so_far: (Tokens, u64),
}

/// A session and its forks, process by process. `prints`: whether processes may print their prompts.
pub(crate) fn session(random: &mut Random, id: &str, shape: Shape, prints: bool) -> Vec<Process> {
    let (file, process, so_far) = (String::new(), Process::default(), ([0; 4], 0));
    let session = id.to_owned();
    let mut writer = Writer { random, shape, session, line: 0, file, process, so_far };
    let mut all = Vec::new();
    for fork in 0..=shape.forks {
        if fork > 0 {
            writer.branch_off(fork);
        }
        for _ in 0..=writer.random.below(3) {
            all.push(writer.write_process(prints));
        }
    }
    all
}

impl Writer<'_> {
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
        let uuid = format!("2c9d7a10-0000-4000-8000-{:012x}", self.line * 0x1001);
        let version = if self.shape.of_session { "2.1.300" } else { "2.0.1" };
        let mut stored = json!({"type": kind, "sessionId": self.session, "uuid": uuid, "cwd": "/p",
            "version": version, "message": message, "timestamp": format!("@TIME{}@", self.line)});
        let printed = json!({"type": kind, "session_id": self.session, "uuid": uuid,
            "parent_tool_use_id": agent.map(|(_, call)| call), "message": message});
        let members = stored.as_object_mut().unwrap();
        members.extend(more.as_object().unwrap().clone());
        if let Some((agent, _)) = agent {
            members.insert("isSidechain".into(), json!(true));
            members.insert("agentId".into(), json!(agent));
        }
        [format!("{stored}\n"), format!("{printed}\n")]
    }

    fn put(&mut self, [stored, printed]: [String; 2]) {
        self.file += &stored;
        self.process.output += &printed;
    }

    /// An answer of the model: its lines in the file and in the output.
    fn answer(&mut self, content: &Value, agent: Option<(&str, &str)>) -> [String; 2] {
        let tokens = [0; 4].map(|_: u64| 2 + self.random.below(90) as u64);
        let id = format!("msg_01{:020x}Qwas", (self.line + 1) * 0xABCD_EF01);
        self.process.answers.push((id.clone(), tokens, agent.is_none()));
        let request = json!({"requestId": format!("req_{}", self.line)});
        let message = |tokens, content: Value| {
            json!({"id": id, "type": "message", "role": "assistant", "model": "m-1",
                "content": [content], "usage": named(USAGE, tokens)})
        };
        let [mut stored, mut printed] = [String::new(), String::new()];
        if self.shape.several_lines {
            let thought = json!({"type": "thinking", "thinking": "so", "signature": "s"});
            let first = [tokens[0], 1, tokens[2], tokens[3]];
            [stored, printed] = self.line("assistant", &message(first, thought), &request, agent);
        }
        let [more, also] =
            self.line("assistant", &message(tokens, content.clone()), &request, agent);
        [stored + &more, printed + &also]
    }

    /// A call that starts a sub-agent. `shows`: whether the process prints what it does.
    fn sub_agent(&mut self, shows: bool) {
        let number = self.line + 1;
        let (agent, call) =
            (format!("ab12{number:04x}"), format!("toolu_01{:018x}Zzas", number * 0xFEDC_BA01));
        let prompt = format!("look at part {number}");
        let asks =
            json!({"type": "tool_use", "id": call, "name": "Task", "input": {"prompt": prompt}});
        let lines = self.answer(&asks, None);
        self.put(lines);
        let of = Some((agent.as_str(), call.as_str()));
        let asked = json!({"role": "user", "content": prompt});
        let mut lines = vec![self.line("user", &asked, &json!({}), of)];
        for at in 0..=self.random.below(2) {
            lines.push(self.answer(&json!({"type": "text", "text": format!("part {at}")}), of));
        }
        let place = format!("{}/subagents/agent-{agent}.jsonl", self.session);
        let text = lines.iter().map(|[stored, _]| stored.as_str()).collect();
        self.process.agents.push((place, text));
        if shows {
            lines.iter().for_each(|[_, printed]| self.process.output += printed);
        }
        let result = json!({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": call, "content": [{"type": "text", "text": "looked"}]}]});
        let details = json!({"toolUseResult": {"agentId": agent, "status": "completed"}});
        let lines = self.line("user", &result, &details, None);
        self.put(lines);
    }

    /// A process, which answers one prompt.
    fn write_process(&mut self, prints: bool) -> Process {
        let (session, of_session) = (self.session.clone(), self.shape.of_session);
        self.process = Process { session, of_session, ..Process::default() };
        let init = json!({"type": "system", "subtype": "init", "cwd": "/p", "model": "m-1",
            "session_id": self.session, "tools": ["Task"],
            "claude_code_version": if self.shape.of_session { "2.1.300" } else { "2.0.1" }});
        self.process.output = format!("{init}\n");
        self.process.end = match self.random.below(5) {
            0 => ProcessEnd::Killed,
            1 => ProcessEnd::Badly,
            _ => ProcessEnd::Well,
        };
        let shows = self.random.below(2) == 0;
        let turns = 1 + self.random.below(3) / 2;
        for turn in 0..turns {
            self.write_turn(prints, shows);
            if turn + 1 < turns && self.process.end != ProcessEnd::Killed {
                self.print_total(COST / 2, false);
            }
        }
        self.process.says_error = self.process.end == ProcessEnd::Badly && self.random.below(3) > 0;
        if self.process.says_error {
            let text = json!([{"type": "text", "text": "You've hit your limit"}]);
            let message = json!({"id": format!("e-{}", self.line), "type": "message", "content": text,
                "role": "assistant", "model": "<synthetic>", "usage": named(USAGE, [0; 4])});
            let more = json!({"isApiErrorMessage": true, "error": "rate_limit"});
            let lines = self.line("assistant", &message, &more, None);
            self.put(lines);
        }
        self.finish_process();
        self.process.file.clone_from(&self.file);
        self.process.clone()
    }

    /// A prompt and its answers.
    fn write_turn(&mut self, prints: bool, shows: bool) {
        let prompt = json!({"role": "user", "content": format!("do step {}", self.line)});
        let [stored, printed] = self.line("user", &prompt, &json!({}), None);
        self.file += &stored;
        if prints && self.random.below(3) == 0 {
            let replay = r#""isReplay":true,"session_id""#;
            self.process.output += &printed.replace(r#""session_id""#, replay);
        }
        for at in 0..=self.random.below(3) {
            if self.shape.agents && self.random.below(2) == 0 {
                self.sub_agent(shows);
            }
            let lines = self.answer(&json!({"type": "text", "text": format!("answer {at}")}), None);
            self.put(lines);
        }
    }

    /// Prints the total of the process, or cuts its output off.
    fn finish_process(&mut self) {
        self.process.hidden = if self.shape.hidden { [7, 3, 11, 0] } else { [0; 4] };
        let all = match self.process.end {
            ProcessEnd::Killed => self.used().1,
            end => self.print_total(COST, end == ProcessEnd::Badly),
        };
        add(&mut self.so_far.0, all);
        self.so_far.1 += COST;
        if self.process.end == ProcessEnd::Killed {
            let kept = 1 + self.random.below(self.process.output.lines().count());
            let output = self.process.output.split_inclusive('\n').take(kept).collect();
            self.process.output = output;
        }
    }

    /// What the main agent used in the turn so far, and what all used in the process.
    fn used(&self) -> (Tokens, Tokens) {
        let [mut of_main, mut all] = [[0; 4]; 2];
        for (at, (_, tokens, is_main)) in self.process.answers.iter().enumerate() {
            add(&mut all, *tokens);
            let is_of_turn = *is_main && at >= self.process.before_turn;
            add(&mut of_main, if is_of_turn { *tokens } else { [0; 4] });
        }
        add(&mut all, self.process.hidden);
        (of_main, all)
    }

    /// Prints what the process used so far. Returns it.
    fn print_total(&mut self, cost: u64, is_error: bool) -> Tokens {
        let (of_main, all) = self.used();
        let (mut total, mut cost) = (all, cost);
        if self.shape.of_session {
            add(&mut total, self.so_far.0);
            cost += self.so_far.1;
        }
        let result = json!({"type": "result", "subtype": "success", "is_error": is_error,
            "num_turns": 1, "duration_ms": 900, "result": "done", "session_id": self.session,
            "total_cost_usd": cost as f64 / 1e6, "usage": named(USAGE, of_main),
            "uuid": format!("3c9d7a10-0000-4000-8000-{:012x}", self.line),
            "modelUsage": {"m-1": named(MODEL_USAGE, total)}});
        let _ = writeln!(self.process.output, "{result}");
        self.process.before_turn = self.process.answers.len();
        all
    }

    /// Begins a session with a copy of what the last one has up to some line.
    fn branch_off(&mut self, fork: usize) {
        let kept = 1 + self.random.below(self.file.lines().count());
        let lines: String = self.file.split_inclusive('\n').take(kept).collect();
        let mut id = self.session.clone();
        id.truncate(id.len() - 1);
        let id = format!("{id}{}", 6 + fork);
        let copied = lines.replace(&self.session, &id);
        self.file = copied.replace("\"2c9d7a10-", &format!("\"2c9d7a1{fork}-"));
        self.session = id;
        self.so_far = ([0; 4], 0);
    }
}

/// What lines of files or outputs say: model calls with their newest tokens, tool calls, prompts.
#[derive(Default)]
struct Told {
    answers: BTreeMap<String, Tokens>,
    calls: BTreeSet<String>,
    prompts: BTreeSet<String>,
}

impl Told {
    fn read(&mut self, text: &str) {
        for line in text.lines() {
            let line: Value = serde_json::from_str(line).unwrap();
            let message = &line["message"];
            if line["type"] == "assistant" && message["model"] != "<synthetic>" {
                let tokens = USAGE.map(|name| message["usage"][name].as_u64().unwrap());
                self.answers.insert(message["id"].as_str().unwrap().to_owned(), tokens);
            }
            for part in message["content"].as_array().into_iter().flatten() {
                if part["type"] == "tool_use" {
                    self.calls.insert(part["id"].as_str().unwrap().to_owned());
                }
            }
            let text = message["content"].as_str().filter(|_| line["type"] == "user");
            if let Some(text) = text.filter(|text| text.starts_with("do step")) {
                self.prompts.insert(text.to_owned());
            }
        }
    }
}

impl Process {
    fn has_total(&self) -> bool {
        self.end != ProcessEnd::Killed
    }
}

/// What the sources say together: the files of all sessions, and the outputs of some processes.
pub(crate) fn truth(processes: &[Process], has_files: bool, has_output: &[bool]) -> Truth {
    let (mut told, mut truth) = (Told::default(), Truth::default());
    let mut in_totals: Vec<&Process> = Vec::new();
    let total_of = |at: usize| has_output[at] && processes[at].has_total();
    // The newest report of a call counts, which an output that was cut off may lack.
    let outputs = processes.iter().zip(has_output).filter(|(_, has_output)| **has_output);
    outputs.for_each(|(process, _)| told.read(&process.output));
    for process in processes.iter().filter(|_| has_files) {
        told.read(&process.file);
        process.agents.iter().for_each(|(_, text)| told.read(text));
    }
    for (at, process) in processes.iter().enumerate() {
        let is_in_later = (at + 1..processes.len())
            .any(|later| processes[later].session == process.session && total_of(later));
        if total_of(at) || (process.of_session && is_in_later) {
            in_totals.push(process);
        }
    }
    for process in in_totals {
        truth.cost += COST;
        add(&mut truth.tokens, process.hidden);
        for (id, tokens, _) in &process.answers {
            told.answers.remove(id);
            add(&mut truth.tokens, *tokens);
        }
    }
    for (at, process) in processes.iter().enumerate().filter(|_| has_files) {
        let end = match process.end {
            ProcessEnd::Badly if process.says_error || has_output[at] => "failed",
            ProcessEnd::Well if has_output[at] => "completed",
            _ => "imported",
        };
        truth.ends.insert(process.session.clone(), end);
    }
    told.answers.values().for_each(|tokens| add(&mut truth.tokens, *tokens));
    (truth.calls, truth.prompts) = (told.calls.len(), told.prompts.len());
    truth
}
