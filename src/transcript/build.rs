//! Builds the transcript from a finished fold: combines the data from several places, in reading
//! order.

use super::Harness;
use foldhash::{HashMap, HashSet};
use glob::Pattern;

use super::extent::LONGEST_BAR;
use super::fold::{CallLine, Item, ItemList, ItemOrGap, TaskTurn, TranscriptFold};
use super::value::{
    CallEntry, ChapterLine, DroppedKind, Entry, LastAnswer, Note, NoteMark, QuoteSource, Quoted,
    Remarks, RequiredFile, Section, SpawnedAgent, SpokenText, TITLE, Tool, Transcript,
};
use crate::event::template::one_line;
use crate::history::calls::{Call, CallStatus};
use crate::history::chapters::Chapter;
use crate::history::request::own_words;
use crate::history::tasks::Task;
use crate::log::prefix::LogPrefix;
use crate::run::document::SCHEMA_VERSION;
use crate::summary::overview::{ToolCount, tool_counts};
use crate::text::inert::preview;

impl Transcript {
    /// Builds the transcript from a finished fold, the harness's files, and the lines that the fold saw.
    #[must_use]
    pub(crate) fn of(mut fold: TranscriptFold, harness: Harness, made_of: LogPrefix) -> Self {
        let fingerprint = harness.fingerprint();
        let of_file = |name: &'static str| {
            move |text: String| Quoted { text, source: QuoteSource::File(name) }
        };
        let prompt =
            harness.prompt.filter(|text| !text.trim().is_empty()).map(of_file("prompt.md"));
        let mut aside = std::mem::take(&mut fold.aside).by_list();
        if let Some(list) = fold.promote_only_agent()
            && let Some(calls) = aside.remove(&ItemList::Unlinked(0))
        {
            aside.insert(list, calls);
        }
        let asked = || {
            let own = || fold.tasks.all().iter().filter(|task| fold.is_own(task.number));
            let mut asking = own().filter(|task| !task.message.is_empty());
            let by_user = || own().find(|task| task.is_prompt && !task.message.is_empty());
            let first = by_user().or_else(|| asking.next())?;
            let source = QuoteSource::Event(first.first_sequence);
            Some(Quoted { text: first.message.clone(), source })
        };
        let prompt = prompt.or_else(asked).or_else(|| fold.system_prompt.take());
        let system_prompt = harness.system_prompt.filter(|text| !text.trim().is_empty());
        let system_prompt = system_prompt.map(of_file("effective-system-prompt.md"));
        let rendered = fold.system_prompt.take();
        // What the file replaces is still something that an event says.
        let replaced = rendered.as_ref().filter(|_| system_prompt.is_some());
        fold.settings.extend(replaced.map(prompt_note));
        let system_prompt = system_prompt.or(rendered);
        let others = harness.others.into_iter();
        let own_tasks = fold.own_tasks();
        fold.finish_page();
        let turns = std::mem::take(&mut fold.turns).into_iter().enumerate();
        let turns = turns.filter_map(|(at, turn)| section(&mut fold, &mut aside, at, turn));
        let mut turns: Vec<Section> = turns.collect();
        turns.dedup_by(Section::continues);
        let (files, more_files) = std::mem::take(&mut fold.files).finish();
        let (calls, ended) = (&fold.state.calls, fold.state.status().is_over());
        let open = std::mem::take(&mut fold.circumstances.open).into_iter();
        // A call may have failed with the run.
        let open = open.filter(|(index, _)| calls.status(*index, ended) == CallStatus::Open);
        let open_calls = open.map(|(_, call)| call).collect();
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
            answer: LastAnswer::of(&turns),
            turns,
            deliverables: deliverables(&fold),
            last_turn: fold.last_turn,
            deliverables_status: fold.state.deliverables.status.clone(),
            files,
            more_files,
            timed_calls: timed_calls(&fold),
            remarks: Remarks { skills: fold.skills, settings: fold.settings, memory: fold.memory },
            troubles: fold.troubles,
            more_troubles: fold.groups.more,
            trouble_groups: fold.groups.finish(),
            setting: fold.circumstances.setting,
            pauses: fold.circumstances.pauses,
            open_calls,
            todo: fold.circumstances.todo,
            pull_request: fold.circumstances.requests.newest().map(str::to_owned),
            images: fold.images.events,
            tokens: fold.samples,
            waited_ms: fold.idle.waited_ms,
            idle: fold.idle.finish(),
            own_tasks,
            tasks: fold.tasks,
            last_sequence: fold.last_sequence,
            made_of,
        }
    }
}

impl Section {
    /// Moves everything to the section before it if neither is of a task. Returns whether it did.
    fn continues(&mut self, earlier: &mut Self) -> bool {
        let is_part = self.task.is_none() && earlier.task.is_none() && self.title == earlier.title;
        if is_part {
            earlier.items.append(&mut self.items);
            earlier.aside.append(&mut self.aside);
        }
        is_part
    }
}

/// The line for a rendered prompt that is not quoted.
fn prompt_note(prompt: &Quoted) -> Note {
    let sequence = match prompt.source {
        QuoteSource::Event(sequence) => sequence,
        QuoteSource::File(_) => 0,
    };
    let text = format!("Prompt rendered: {}", one_line(&prompt.text));
    let more = if prompt.text.contains('\n') { prompt.text.clone() } else { String::new() };
    Note { sequence, text, more, level: None, minor: false, mark: NoteMark::Plain }
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

/// Dropped calls by list.
type Aside = HashMap<ItemList, Vec<CallLine>>;

/// One section per turn; `None` if the turn is empty and has no task.
fn section(
    fold: &mut TranscriptFold,
    aside: &mut Aside,
    at: usize,
    turn: TaskTurn,
) -> Option<Section> {
    let (outcome, number) = (fold.outcome(&turn), turn.task);
    let mut items = entries(fold, aside, turn);
    let kept = dropped_calls(fold, aside, ItemList::Turn(at));
    let Some(task) = number.and_then(|number| fold.tasks.get(number)) else {
        return (!items.is_empty()).then(|| Section {
            task: None,
            title: "Before the first task".to_owned(),
            time: None,
            prompt: None,
            is_prompt: false,
            chooses_chapters: false,
            is_first: false,
            message: None,
            outcome,
            first_sequence: None,
            last_sequence: None,
            items,
            aside: kept,
        });
    };
    if !task.message.is_empty() {
        // The message has its own place.
        let is_message = |said: &SpokenText| said.sequence == task.first_sequence && !said.thought;
        items.retain(|entry| !matches!(entry, Entry::Said(said) if is_message(said)));
    }
    let source = QuoteSource::Event(task.first_sequence);
    Some(Section {
        task: Some(task.number),
        title: own_words(task.title()).into_owned(),
        time: Some(task.started),
        prompt: Some(Quoted { text: task.message.clone(), source }),
        is_prompt: task.is_prompt,
        chooses_chapters: task.chooses_chapters(),
        is_first: Some(task.number) == fold.first_own_task(),
        message: is_long(task, fold.first_own_task())
            .then(|| Quoted { text: task.message.clone(), source }),
        outcome,
        first_sequence: Some(task.first_sequence),
        last_sequence: Some(task.last_sequence),
        items,
        aside: kept,
    })
}

/// Whether the message is longer than its heading shows. The first task's message is the prompt,
/// which has its own section.
fn is_long(task: &Task, first: Option<u64>) -> bool {
    let lines = task.message.trim().contains('\n');
    Some(task.number) != first && (lines || preview(&own_words(task.title()), TITLE).ends_with('…'))
}

fn entries(fold: &mut TranscriptFold, aside: &mut Aside, turn: TaskTurn) -> Vec<Entry> {
    let mut entries = Vec::new();
    for item in turn.items.with_gaps() {
        match item {
            ItemOrGap::Item(Item::SpokenText(said)) => {
                let answer = said.model_call.filter(|_| said.is_answer());
                let tokens = answer.and_then(|call| fold.outputs.remove(&call));
                entries.push(Entry::Said(SpokenText { tokens, ..said.redacted() }));
            }
            ItemOrGap::Item(Item::Calls(lines)) => {
                let (first, dropped, last) = lines.with_gap();
                entries.extend(first.into_iter().map(|line| call(fold, aside, line)));
                let gap = (dropped > 0)
                    .then_some(Entry::Dropped { what: DroppedKind::Calls, number: dropped });
                entries.extend(gap);
                entries.extend(last.into_iter().map(|line| call(fold, aside, line)));
            }
            ItemOrGap::Item(Item::Note(note)) => entries.push(Entry::Note(note)),
            ItemOrGap::Item(Item::Agent(index)) => {
                entries.extend(unlinked(fold, aside, index).map(Entry::Agent));
            }
            ItemOrGap::Item(Item::Section { sequence, title, content }) => {
                entries.push(Entry::Section { sequence, title, text: content });
            }
            ItemOrGap::Thoughts(number) => {
                entries.push(Entry::Dropped { what: DroppedKind::Thoughts, number });
            }
            // Calls before and after it are not consecutive.
            ItemOrGap::Break => {
                entries.push(Entry::Dropped { what: DroppedKind::Others, number: 0 });
            }
            ItemOrGap::Others(number) => {
                entries.push(Entry::Dropped { what: DroppedKind::Others, number });
            }
        }
    }
    entries
}

/// The calls that were dropped from a list and that the Timeline may show.
fn dropped_calls(fold: &mut TranscriptFold, aside: &mut Aside, list: ItemList) -> Vec<CallEntry> {
    let lines = aside.remove(&list).unwrap_or_default();
    lines.into_iter().map(|line| call_entry(fold, aside, line)).collect()
}

/// The agent with this index, spawned by a call.
fn agent(fold: &mut TranscriptFold, aside: &mut Aside, index: usize) -> Option<SpawnedAgent> {
    let turn = std::mem::take(fold.nested.get_mut(index)?);
    let id = fold.agents.all().get(index)?.id.clone();
    Some(agent_of(fold, aside, (id, index, ItemList::Agent(index)), turn))
}

/// The agent with this index that no known call spawned.
fn unlinked(fold: &mut TranscriptFold, aside: &mut Aside, index: usize) -> Option<SpawnedAgent> {
    let one = std::mem::take(fold.unlinked.all.get_mut(index)?);
    // They follow the others.
    let number = fold.nested.len() + index;
    Some(agent_of(fold, aside, (one.id, number, ItemList::Unlinked(index)), one.turn))
}

/// An agent with this id, number and list.
fn agent_of(
    fold: &mut TranscriptFold,
    aside: &mut Aside,
    (id, index, list): (String, usize, ItemList),
    turn: TaskTurn,
) -> SpawnedAgent {
    let number = turn.task;
    let items = entries(fold, aside, turn);
    let kept = dropped_calls(fold, aside, list);
    let task = number.and_then(|number| fold.tasks.get(number));
    SpawnedAgent {
        facts: fold.observed_agents.facts(list),
        id,
        task: number,
        title: task.map(|task| own_words(task.title()).into_owned()),
        first_sequence: task.map(|task| task.first_sequence),
        index,
        items,
        aside: kept,
    }
}

fn call(fold: &mut TranscriptFold, aside: &mut Aside, line: CallLine) -> Entry {
    Entry::Call(call_entry(fold, aside, line))
}

fn call_entry(fold: &mut TranscriptFold, aside: &mut Aside, line: CallLine) -> CallEntry {
    let spawned: Vec<usize> = fold.spawned(&line).collect();
    let agents = spawned.into_iter().filter_map(|at| agent(fold, aside, at)).collect();
    let calls = &fold.state.calls;
    let call = calls.get(line.call);
    let ended = fold.state.status().is_over();
    fold.images.settle(line.call, line.sequence);
    CallEntry {
        sequence: line.sequence,
        end_sequence: call.end_sequence,
        time: call.first.map(|(_, time)| time),
        tool: calls.tool(line.call).to_owned(),
        arguments: line.arguments,
        changes: line.changes,
        status: calls.status(line.call, ended),
        duration_ms: call.duration_ms,
        input: fold.inputs.remove(&line.call),
        result: fold.results.remove(&line.call),
        page: fold.page_calls.as_mut().map(|calls| Box::new(calls.take(line.call))),
        exit_code: fold.exit_codes.remove(&line.call),
        reason: fold.failures.remove(&line.call),
        returned: fold.returned.remove(&line.call),
        summary: fold.summaries.remove(&line.call),
        telling: line.telling,
        agents,
    }
}

/// The number of calls that the Timeline could draw, and whether any two of them ran in parallel.
fn timed_calls(fold: &TranscriptFold) -> (u64, bool) {
    let bar = |call: Call| {
        let length = call.duration_ms.filter(|length| *length <= LONGEST_BAR)?;
        let (sequence, time) = call.first?;
        let from = time.millis();
        Some((from, sequence, from.saturating_add(i64::try_from(length).unwrap_or(i64::MAX))))
    };
    let mut bars: Vec<_> = fold.state.calls.iter().filter_map(bar).collect();
    bars.sort_unstable();
    let mut until = i64::MIN;
    let parallel = bars.iter().any(|(from, _, to)| {
        let beside = *from < until && to > from;
        until = until.max(*to);
        beside
    });
    (bars.len() as u64, parallel)
}

/// The required deliverables: those of the beginning, then those that a check required and found, or
/// did not find.
fn deliverables(fold: &TranscriptFold) -> Vec<RequiredFile> {
    let state = &fold.state.deliverables;
    /// Most paths that only a check names.
    const CHECKED: usize = 200;
    // A required path may have conditions: `a.md:min=1`.
    let key = |path: &String| {
        let inside = path.strip_prefix("deliverables/").unwrap_or(path);
        inside.split(':').next().unwrap_or_default().to_owned()
    };
    let found = fold.state.recorded_files.iter().map(|file| &file.path);
    let checked = found.chain(&state.missing).take(CHECKED);
    let patterns = state.required.iter().filter(|path| path.contains(['*', '?', '[']));
    let patterns: Vec<Pattern> =
        patterns.filter_map(|path| Pattern::new(&key(path)).ok()).collect();
    let is_matched = |path: &String| patterns.iter().any(|pattern| pattern.matches(&key(path)));
    let mut known = HashSet::default();
    let mut all = Vec::new();
    for (path, is_required) in
        state.required.iter().map(|path| (path, true)).chain(checked.map(|path| (path, false)))
    {
        let is_new = known.insert(key(path)) && !is_matched(path);
        if is_new || is_required {
            let missing = state.missing.contains(path);
            let reason = fold.state.fault_of(path).map(str::to_owned);
            let path = match is_required || path.starts_with("deliverables/") {
                true => path.clone(),
                false => format!("deliverables/{path}"),
            };
            all.push(RequiredFile { path, missing, reason });
        }
    }
    all
}
