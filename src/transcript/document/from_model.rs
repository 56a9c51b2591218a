//! A document made of a model: what is said once, in the order in which it is read.

use super::{
    Agent, Call, ChapterLine, Deliverable, Document, Entry, File, Line, Section, Tokens, Tool,
    Trouble,
};
use crate::event::template::cut;
use crate::event::time::Timestamp;
use crate::history::calls::Calls;
use crate::history::chapters::Chapter;
use crate::history::tasks::{Outcome, Task};
use crate::run::document::SCHEMA_VERSION;
use crate::summary::overview::{ToolCount, tool_counts};
use crate::transcript::Harness;
use crate::transcript::model::{self, CallLine, Item, Model, Remark, Turn};

/// Characters kept of a prompt.
const LONG: usize = 8000;

impl Document {
    /// Of a model with results, and the harness's files.
    #[must_use]
    pub(crate) fn of(model: &Model, harness: &Harness) -> Self {
        let state = &model.state;
        let first = model.tasks.all().iter().find(|task| !task.message.is_empty());
        let prompt = harness.prompt.clone().or_else(|| Some(first?.message.clone()));
        let system_prompt = harness.system_prompt.clone().or_else(|| model.system_prompt.clone());
        let shortened = |text: Option<String>| text.map(|text| cut(&text, LONG).into_owned());
        let line = |remark: &Remark| Line { sequence: remark.sequence, text: remark.text.clone() };
        let remarks = [&model.skills, &model.configs, &model.memory];
        let mut remarks: Vec<Line> = remarks.into_iter().flatten().map(line).collect();
        remarks.sort_by_key(|line| line.sequence);
        Self {
            schema_version: SCHEMA_VERSION,
            facts: state.facts(),
            prompt: shortened(prompt),
            system_prompt: shortened(system_prompt),
            harness: harness
                .others
                .iter()
                .map(|(name, text)| (*name, cut(text, LONG).into_owned()))
                .collect(),
            remarks,
            tools: tools(model),
            chapters: chapters(model),
            turns: model.turns.iter().filter_map(|turn| section(model, turn)).collect(),
            files: files(model),
            deliverables: deliverables(model),
            deliverables_status: state.deliverables.status.clone(),
            troubles: troubles(model),
            tokens: tokens(model),
            last_sequence: model.last_sequence,
        }
    }
}

fn tools(model: &Model) -> Vec<Tool> {
    let tool = |tool: ToolCount| Tool {
        name: tool.name,
        calls: tool.calls,
        failures: tool.failures,
        blocked: tool.blocked,
        duration_ms: tool.duration_ms,
    };
    tool_counts(&model.state).into_iter().map(tool).collect()
}

fn chapters(model: &Model) -> Vec<ChapterLine> {
    let line = |chapter: &Chapter| ChapterLine {
        name: chapter.name.clone(),
        slug: chapter.slug.clone(),
        message: cut(&chapter.message, LONG).into_owned(),
        first_sequence: chapter.first_sequence,
        last_sequence: chapter.last_sequence,
    };
    model.chapters.children(None).into_iter().map(line).collect()
}

/// A turn; `None` for an empty one that is no task.
fn section(model: &Model, turn: &Turn) -> Option<Section> {
    let task = turn.task.and_then(|number| model.tasks.get(number));
    if task.is_none() && turn.items.is_empty() {
        return None;
    }
    let title = task.map_or("Before the first task", |task| task.title()).to_owned();
    Some(Section {
        task: task.map(|task| task.number),
        title,
        time: task.map(|task| task.started.to_string()),
        message: task.filter(|task| is_long(task)).map(|task| cut(&task.message, LONG).into()),
        outcome: model.outcome(turn).map(Outcome::name),
        first_sequence: task.map(|task| task.first_sequence),
        items: entries(model, &turn.items),
    })
}

/// Whether a message is more than a heading; that of the first task is told as the prompt.
fn is_long(task: &Task) -> bool {
    task.number > 1 && (task.message.trim().contains('\n') || task.message.chars().count() > 200)
}

fn entries(model: &Model, items: &[Item]) -> Vec<Entry> {
    let mut entries = Vec::new();
    for item in items {
        match item {
            Item::Said(said) => entries.push(Entry::Said {
                sequence: said.sequence,
                time: said.time.to_string(),
                who: said.who.clone(),
                text: said.shown().into_owned(),
                thought: said.thought,
            }),
            Item::Calls(lines) => entries.extend(lines.iter().map(|line| call(model, line))),
            Item::Remark(Remark { sequence, text, more, level, minor }) => {
                entries.push(Entry::Note {
                    sequence: *sequence,
                    text: text.clone(),
                    more: more.clone(),
                    level: *level,
                    minor: *minor,
                });
            }
            Item::Section { sequence, title, content } => entries.push(Entry::Section {
                sequence: *sequence,
                title: title.clone(),
                text: content.clone(),
            }),
        }
    }
    entries
}

/// An agent that a call spawned.
fn agent(model: &Model, at: usize) -> Option<Agent> {
    let turn = model.nested.get(at)?;
    let task = turn.task.and_then(|number| model.tasks.get(number));
    Some(Agent {
        id: model.agents.all().get(at)?.id.clone(),
        task: turn.task,
        title: task.map(|task| task.title().to_owned()),
        items: entries(model, &turn.items),
    })
}

fn call(model: &Model, line: &CallLine) -> Entry {
    let calls = &model.state.calls;
    let call = &calls.all()[line.call];
    let ended = model.state.status().is_over();
    let began = call.first.map(|start| start.time);
    Entry::Call(Call {
        sequence: line.sequence,
        end_sequence: call.end_sequence,
        time: began.map(|time| time.to_string()),
        began: began.map(Timestamp::millis),
        tool: calls.tool(call).to_owned(),
        arguments: line.arguments.clone(),
        status: Calls::status(call, ended).name(),
        duration_ms: call.duration_ms,
        result: model.results.get(&line.call).or(model.failures.get(&line.call)).cloned(),
        input: model.inputs.get(&line.call).cloned(),
        telling: line.telling,
        agents: model.spawned(line).filter_map(|at| agent(model, at)).collect(),
    })
}

fn files(model: &Model) -> Vec<File> {
    let file = |(path, operations): (&String, &std::collections::BTreeMap<String, u64>)| File {
        path: path.clone(),
        operations: operations.clone(),
    };
    model.files.iter().map(file).collect()
}

fn deliverables(model: &Model) -> Vec<Deliverable> {
    let state = &model.state.deliverables;
    let one =
        |path: &String| Deliverable { path: path.clone(), missing: state.missing.contains(path) };
    state.required.iter().map(one).collect()
}

fn troubles(model: &Model) -> Vec<Trouble> {
    let trouble = |trouble: &model::Trouble| Trouble {
        sequence: trouble.sequence,
        time: trouble.time.to_string(),
        kind: trouble.kind.clone(),
        level: if trouble.error { "error" } else { "warning" },
        text: trouble.text.clone(),
    };
    model.troubles.iter().map(trouble).collect()
}

fn tokens(model: &Model) -> Vec<Tokens> {
    let tokens = |sample: &model::Sample| Tokens {
        sequence: sample.sequence,
        time: sample.time.to_string(),
        at: sample.time.millis(),
        context: sample.context,
        output: sample.output,
    };
    let mut samples: Vec<Tokens> = model.samples.iter().map(tokens).collect();
    // Those of agents at work at the same time, or kept in files of their own, lie between.
    samples.sort_by_key(|sample| sample.at);
    samples
}
