//! Builds the transcript from a finished fold: combines the data from several places, in reading
//! order.

use super::Harness;
use super::fold::{CallLine, Item, TaskTurn, TranscriptFold};
use super::value::{
    CallEntry, ChapterLine, Entry, File, QuoteSource, Quoted, Remarks, RequiredFile, Section,
    SpawnedAgent, TITLE, Tool, Transcript,
};
use crate::history::calls::Calls;
use crate::history::chapters::Chapter;
use crate::history::tasks::Task;
use crate::run::document::SCHEMA_VERSION;
use crate::summary::overview::{ToolCount, tool_counts};
use crate::text::inert::preview;

impl Transcript {
    /// Builds the transcript from a finished fold and the harness's files.
    #[must_use]
    pub(crate) fn of(mut fold: TranscriptFold, harness: Harness) -> Self {
        let fingerprint = harness.fingerprint();
        let of_file = |name: &'static str| {
            move |text: String| Quoted { text, source: QuoteSource::File(name) }
        };
        let prompt =
            harness.prompt.filter(|text| !text.trim().is_empty()).map(of_file("prompt.md"));
        let asked = || {
            let first = fold.tasks.all().iter().find(|task| !task.message.is_empty())?;
            let source = QuoteSource::Event(first.first_sequence);
            Some(Quoted { text: first.message.clone(), source })
        };
        let prompt = prompt.or_else(asked);
        let system_prompt = harness.system_prompt.filter(|text| !text.trim().is_empty());
        let system_prompt = system_prompt.map(of_file("effective-system-prompt.md"));
        let system_prompt = system_prompt.or(fold.system_prompt.take());
        let others = harness.others.into_iter();
        let own_tasks = fold.own_tasks();
        let turns = std::mem::take(&mut fold.turns);
        let turns = turns.into_iter().filter_map(|turn| section(&mut fold, turn)).collect();
        // Agents working in parallel log their samples out of order.
        fold.samples.sort_by_key(|sample| sample.time);
        Self {
            schema_version: SCHEMA_VERSION,
            facts: fold.state.facts(),
            prompt,
            system_prompt,
            harness: others.map(|(name, text)| (name, of_file(name)(text))).collect(),
            fingerprint,
            tools: tools(&fold),
            chapters: fold.chapters.children(None).into_iter().map(chapter).collect(),
            turns,
            deliverables: deliverables(&fold),
            deliverables_status: fold.state.deliverables.status.clone(),
            files: files(&mut fold),
            remarks: Remarks { skills: fold.skills, settings: fold.settings, memory: fold.memory },
            troubles: fold.troubles,
            tokens: fold.samples,
            own_tasks,
            last_sequence: fold.last_sequence,
        }
    }
}

fn tools(fold: &TranscriptFold) -> Vec<Tool> {
    let tool = |tool: ToolCount| Tool {
        name: tool.name,
        calls: tool.calls,
        failures: tool.failures,
        blocked: tool.blocked,
        duration_ms: tool.duration_ms,
    };
    tool_counts(&fold.state).into_iter().map(tool).collect()
}

fn chapter(chapter: &Chapter) -> ChapterLine {
    let source = QuoteSource::Event(chapter.first_sequence);
    ChapterLine {
        name: chapter.name.clone(),
        slug: chapter.slug.clone(),
        message: Quoted { text: chapter.message.clone(), source },
        first_sequence: chapter.first_sequence,
        last_sequence: chapter.last_sequence,
        tasks: (chapter.start, chapter.end),
        events: chapter.events,
    }
}

/// One section per turn; `None` if the turn is empty and has no task.
fn section(fold: &mut TranscriptFold, turn: TaskTurn) -> Option<Section> {
    let outcome = fold.outcome(&turn);
    let items = entries(fold, turn.items);
    let Some(task) = turn.task.and_then(|number| fold.tasks.get(number)) else {
        return (!items.is_empty()).then(|| Section {
            task: None,
            title: "Before the first task".to_owned(),
            time: None,
            message: None,
            outcome,
            first_sequence: None,
            last_sequence: None,
            items,
        });
    };
    let source = QuoteSource::Event(task.first_sequence);
    Some(Section {
        task: Some(task.number),
        title: task.title().to_owned(),
        time: Some(task.started),
        message: is_long(task).then(|| Quoted { text: task.message.clone(), source }),
        outcome,
        first_sequence: Some(task.first_sequence),
        last_sequence: Some(task.last_sequence),
        items,
    })
}

/// Whether the message is longer than its heading shows. The first task's message is the prompt,
/// which has its own section.
fn is_long(task: &Task) -> bool {
    let lines = task.message.trim().contains('\n');
    task.number > 1 && (lines || preview(task.title(), TITLE).ends_with('…'))
}

fn entries(fold: &mut TranscriptFold, items: Vec<Item>) -> Vec<Entry> {
    let mut entries = Vec::with_capacity(items.len());
    for item in items {
        match item {
            Item::Said(said) => entries.push(Entry::Said(said.redacted())),
            Item::Calls(lines) => entries.extend(lines.into_iter().map(|line| call(fold, line))),
            Item::Note(note) => entries.push(Entry::Note(note)),
            Item::Section { sequence, title, content } => {
                entries.push(Entry::Section { sequence, title, text: content });
            }
        }
    }
    entries
}

/// The agent with this index, spawned by a call.
fn agent(fold: &mut TranscriptFold, index: usize) -> Option<SpawnedAgent> {
    let turn = std::mem::take(fold.nested.get_mut(index)?);
    let items = entries(fold, turn.items);
    let task = turn.task.and_then(|number| fold.tasks.get(number));
    Some(SpawnedAgent {
        id: fold.agents.all().get(index)?.id.clone(),
        task: turn.task,
        title: task.map(|task| task.title().to_owned()),
        first_sequence: task.map(|task| task.first_sequence),
        index,
        items,
    })
}

fn call(fold: &mut TranscriptFold, line: CallLine) -> Entry {
    let spawned: Vec<usize> = fold.spawned(&line).collect();
    let agents = spawned.into_iter().filter_map(|at| agent(fold, at)).collect();
    let calls = &fold.state.calls;
    let call = &calls.all()[line.call];
    let ended = fold.state.status().is_over();
    Entry::Call(CallEntry {
        sequence: line.sequence,
        end_sequence: call.end_sequence,
        time: call.first.map(|start| start.time),
        tool: calls.tool(call).to_owned(),
        arguments: line.arguments,
        status: Calls::status(call, ended),
        duration_ms: call.duration_ms,
        input: fold.inputs.remove(&line.call),
        result: fold.results.remove(&line.call),
        reason: fold.failures.remove(&line.call),
        returned: fold.returned.remove(&line.call),
        telling: line.telling,
        agents,
    })
}

fn files(fold: &mut TranscriptFold) -> Vec<File> {
    let files = std::mem::take(&mut fold.files);
    files.into_iter().map(|(path, operations)| File { path, operations }).collect()
}

fn deliverables(fold: &TranscriptFold) -> Vec<RequiredFile> {
    let state = &fold.state.deliverables;
    let one =
        |path: &String| RequiredFile { path: path.clone(), missing: state.missing.contains(path) };
    state.required.iter().map(one).collect()
}
