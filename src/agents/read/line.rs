//! The part that all dialects share: ids, times, the kept source line.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use super::document::{DocumentPart, DocumentSplitter};
use super::imported::{Imported, add_source_hash};
use super::many_parts::{has_many_parts, has_role, images_of};
use super::numbers::{GivenNumbers, numbers_of_lines};
use super::settings::{KnownSettings, SessionFacts};
use crate::agents::content_ids::ContentIds;
use crate::agents::events::EventBuilder;
use crate::agents::{Dialect, LineReader, NamedEvents, SessionEnd, SourcePart, SourceText};
use crate::event::catalogue;
use crate::event::draft::Draft;
use crate::event::fields::{TIME_OF_READING, is_placeholder};
use crate::event::id::check_id;
use crate::event::own::Provenance;
use crate::event::reserved::reserved_key;
use crate::event::role::Role;
use crate::event::severity::Severity;
use crate::event::time::Timestamp;
use crate::fs::hash::{hex, sha256};
use crate::json::{
    self, Fault, Json, JsonError, JsonIndex, JsonRules, Kind, MAX_DEPTH, ObjectText, repaired,
    with_null_numbers,
};
use crate::secret::SecretRules;

/// The extra nesting of a source line in the log.
const WRAPPING: usize = 2;
/// Typical bytes of what every imported event has.
const ROOM: usize = 240;

/// Reads the lines of one stream of one dialect.
pub(crate) struct Importer {
    dialect: &'static Dialect,
    reader: Box<dyn LineReader>,
    builder: EventBuilder,
    keep_source: bool,
    /// The secrets that are replaced.
    secrets: Option<&'static SecretRules>,
    /// Whether there was one so far, or may have been. A reader may say again what it read in an earlier line.
    has_secret: bool,
    /// See [`Importer::pass_over`].
    is_passing: bool,
    last_time: Option<Timestamp>,
    /// The first time in the file, for lines before it.
    first_time: Option<Timestamp>,
    /// Whether the tokens in the file count elsewhere.
    counts_elsewhere: bool,
    /// The number of occurrences of each line without an id, by content.
    repeats: HashMap<[u8; 16], u64>,
    begun: bool,
    settings: KnownSettings,
    facts: SessionFacts,
    content_ids: ContentIds,
    /// The document that spans many lines, while it is read.
    document: Option<DocumentSplitter>,
    /// The index of the last line, kept to reuse its memory.
    index: JsonIndex,
}

/// A part of a stream that is read at once: a line, or a part of a document.
#[derive(Clone, Debug)]
struct SourceUnit<'l> {
    text: Cow<'l, [u8]>,
    part: SourcePart,
}

/// A unit with what was read of it.
#[derive(Debug)]
pub(crate) struct ReadUnit<'l> {
    /// Its text.
    pub text: Cow<'l, [u8]>,
    /// Its events, or why it is not valid JSON.
    pub read: Result<Imported, JsonError>,
}

impl Importer {
    /// An importer for a stream of that dialect. With `keep_source`, the source lines are kept. `secrets`
    /// are replaced in them and in the payloads of the events.
    #[must_use]
    pub(crate) fn new(
        dialect: &'static Dialect,
        keep_source: bool,
        secrets: Option<&'static SecretRules>,
    ) -> Self {
        Self {
            dialect,
            reader: (dialect.reader)(),
            builder: EventBuilder::default(),
            keep_source,
            secrets,
            has_secret: false,
            is_passing: false,
            last_time: None,
            first_time: None,
            counts_elsewhere: false,
            repeats: HashMap::new(),
            begun: false,
            settings: KnownSettings::default(),
            facts: SessionFacts::default(),
            content_ids: ContentIds::default(),
            document: None,
            index: JsonIndex::default(),
        }
    }

    /// Reads a line that is not blank. `now` is used if there is no other time. Most lines are one
    /// unit. A line of a document that spans many lines has the units that it completes.
    pub(crate) fn read_line<'l>(&mut self, line: &'l [u8], now: Timestamp) -> Vec<ReadUnit<'l>> {
        let mut all = Vec::with_capacity(1);
        let _ = self.read_each(line, now, |unit| {
            all.push(unit);
            ControlFlow::Continue(())
        });
        all
    }

    /// Reads a line like [`Importer::read_line`], unit by unit, until `take` breaks. The units after
    /// that are lost.
    pub(crate) fn read_each<'l>(
        &mut self,
        line: &'l [u8],
        now: Timestamp,
        mut take: impl FnMut(ReadUnit<'l>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        for SourceUnit { text, part } in self.units(line) {
            let read = self.read(&text, part, now);
            if part == SourcePart::End && read.as_ref().map_or(true, |read| read.opaque) {
                continue;
            }
            match read.is_err().then(|| several(&text)).flatten() {
                Some(values) => {
                    for value in values {
                        let read = self.read(&value, SourcePart::Line, now);
                        take(ReadUnit { text: value.into(), read })?;
                    }
                }
                None => take(ReadUnit { text, read })?,
            }
        }
        ControlFlow::Continue(())
    }

    /// Splits a line into what is read at once.
    fn units<'l>(&mut self, line: &'l [u8]) -> Vec<SourceUnit<'l>> {
        let is_first = !std::mem::replace(&mut self.begun, true);
        if let Some(document) = &mut self.document {
            let mut parts = document.push(line);
            parts.extend(document.push(b"\n"));
            if !document.is_inside() {
                self.document = None;
            }
            return parts.into_iter().map(SourceUnit::from).collect();
        }
        let whole = vec![SourceUnit { text: line.into(), part: SourcePart::Line }];
        let begins_list = line.trim_ascii_start().first() == Some(&b'[');
        let names_list = |name: &&str| memchr::memmem::find(line, name.as_bytes()).is_some();
        if !is_first && !begins_list && !self.dialect.lists.iter().any(names_list) {
            return whole;
        }
        let mut document = DocumentSplitter::new(self.dialect.lists);
        let mut index = JsonIndex::default();
        let checked = index.check(line, JsonRules::LENIENT);
        if checked.is_err()
            && let Some(text) = repaired(line)
        {
            self.begun = !is_first;
            let units = self.units(&text).into_iter();
            let owned = |unit: SourceUnit<'_>| SourceUnit {
                text: unit.text.into_owned().into(),
                part: unit.part,
            };
            let units: Vec<SourceUnit<'l>> = units.map(owned).collect();
            // A line that is no document is rejected, and the others go on.
            let is_line = units.iter().all(|unit| unit.part == SourcePart::Line);
            return if is_line { whole } else { units };
        }
        match checked {
            Ok(value) => {
                let has_list =
                    |name: &&str| value.get(name).is_some_and(|list| list.kind() == Kind::Array);
                if begins_list || self.dialect.lists.iter().any(has_list) {
                    let parts = document.push(line);
                    return parts.into_iter().map(SourceUnit::from).collect();
                }
                whole
            }
            Err(_) if is_first => {
                let parts = document.push(line);
                if !document.is_inside() || document.is_broken() {
                    return whole;
                }
                self.document = Some(document);
                parts.into_iter().map(SourceUnit::from).collect()
            }
            Err(_) => whole,
        }
    }

    /// Takes the first time of the file that follows, for lines before it, and whether the tokens in
    /// the file count elsewhere.
    pub(crate) fn begin_file(&mut self, first_time: Option<Timestamp>, counts_elsewhere: bool) {
        (self.last_time, self.first_time) = (None, first_time);
        self.counts_elsewhere = counts_elsewhere;
        (self.settings, self.facts) = (KnownSettings::default(), SessionFacts::default());
        self.reader.begin_file();
    }

    /// The next line comes after lines with these numbers, some of which may not have been read.
    pub(crate) fn go_on(&mut self, numbers: &GivenNumbers) {
        self.content_ids.go_on(numbers);
        self.repeats = numbers_of_lines(self.dialect.name, numbers);
    }

    /// Whether the next lines are only read for what they say of later ones: secrets are then not looked
    /// for.
    pub(crate) fn pass_over(&mut self, is_passed: bool) {
        self.is_passing = is_passed;
        self.has_secret |= is_passed;
    }

    /// Takes the stored state of the session, before the first line. See [`LineReader::prepare`].
    pub(crate) fn prepare(&mut self, state: Json<'_>, sums: &HashSet<String>) {
        self.reader.prepare(state, sums);
    }

    /// Takes the end of a file; another one may follow. False if a document has not ended.
    pub(crate) fn end_file(&mut self) -> bool {
        self.begun = false;
        // Another file may hold a copy of the same lines.
        self.repeats.clear();
        self.rest().is_none()
    }

    /// The bytes of a document that has not ended, after the last line.
    pub(crate) fn rest(&mut self) -> Option<Vec<u8>> {
        self.document.take()?.finish()
    }

    /// The bytes of a document that wait for the end of their part.
    pub(crate) fn waiting(&self) -> usize {
        self.document.as_ref().map_or(0, DocumentSplitter::waiting)
    }

    /// The dialect's name.
    #[must_use]
    pub(crate) fn dialect(&self) -> &'static str {
        self.dialect.name
    }

    /// Reads one unit.
    fn read(
        &mut self,
        line: &[u8],
        part: SourcePart,
        now: Timestamp,
    ) -> Result<Imported, JsonError> {
        let strict = JsonRules { max_depth: MAX_DEPTH - WRAPPING, ..JsonRules::STRICT };
        let (mut index, mut lenient) = (std::mem::take(&mut self.index), JsonIndex::default());
        let mut fixed = JsonIndex::default();
        let fixed_text;
        let (json, clean) = match index.check(line, strict) {
            Ok(json) => (json, reserved_key(json, true).is_none()),
            Err(_) => match lenient.check(line, JsonRules::LENIENT) {
                Ok(json) => (json, false),
                Err(error) => {
                    // A document without one of its parts would be another one.
                    let text = match part {
                        SourcePart::Line => with_null_numbers(line),
                        _ => repaired(line),
                    };
                    fixed_text = text.ok_or(error)?;
                    (fixed.check(&fixed_text, JsonRules::LENIENT)?, false)
                }
            },
        };
        if has_many_parts(line.len(), json) {
            let fault = Fault::Expected("a message of at most 10,000 parts");
            return Err(JsonError { offset: 0, fault });
        }
        let compact = json.compact();
        let content = sha256(compact.as_bytes());
        let (place, copies) = self.place(&content);
        let ids_name_lines = self.dialect.named == Some(NamedEvents::ById);
        let source = SourceText { json, clean, place: &place, part, ids_name_lines };
        let mut said = match part {
            SourcePart::End => self.reader.end(&source),
            _ => self.reader.read(&source),
        };
        let mut drafts = self.builder.events(&source, &mut said);
        let own_id = said.id.as_deref().filter(|id| !is_placeholder(id));
        let base_id = own_id
            .map(|id| format!("{}:{id}", self.dialect.name))
            .filter(|id| check_id("event id", id).is_ok() && id.len() <= 110)
            .unwrap_or_else(|| place.clone());
        let (time, naive_time, time_origin) = self.time(said.time.as_deref());
        let session_id = said
            .session
            .map(Cow::into_owned)
            .filter(|id| !is_placeholder(id) && check_id("session id", id).is_ok());
        let parent = said
            .parent
            .as_deref()
            .filter(|id| !is_placeholder(id))
            .map(|id| format!("{}:{id}", self.dialect.name))
            .filter(|id| check_id("event id", id).is_ok());
        let opaque = drafts.is_empty();
        let may_be_said = opaque && has_role(json, 3);
        drafts.retain(|draft| {
            draft.kind != catalogue::CONFIG_LOADED || self.settings.take(draft.data())
        });
        let mark = std::array::from_fn(|at| content[at]);
        let name = (base_id.as_str(), mark);
        let session = self.facts.take(json);
        if let (Some(first), Some(images)) = (drafts.first_mut(), images_of(json)) {
            let mut all = ObjectText::new();
            let own = if first.details.is_empty() { "{}" } else { &first.details };
            all.members(Json::trusted(own)).members(Json::trusted(&images));
            first.details = all.finish();
        }
        let mut drafts = self.finish(drafts, &said.kind, time_origin, session.as_deref(), name);
        if let Some(first) = drafts.first_mut().filter(|_| !self.keep_source) {
            // It shows later which line this is.
            add_source_hash(&mut first.data, &content);
        }
        let drafts = drafts.into_iter().map(|mut draft| {
            if self.counts_elsewhere && catalogue::role(&draft.kind) == Role::Usage {
                draft.kind = format!("{}.usage", self.dialect.name).into();
                draft.severity = Some(Severity::Debug);
            }
            // A reader gives the time of an event that has its own.
            let own = draft.timestamp.or(time).or(self.last_time).or(self.first_time);
            draft.timestamp = Some(own.unwrap_or(now));
            draft.session_id = session_id.clone().map(Into::into);
            draft.parent_event_id = parent.clone().map(Into::into);
            draft
        });
        let mut drafts: Vec<Draft<'_>> = drafts.collect();
        if time.is_some() {
            self.last_time = time;
        }
        let given = said.end.or_else(|| (self.dialect.ending)(json));
        let ending = given.or_else(|| SessionEnd::by_error(&drafts));
        let unknown_version = (self.dialect.unknown_version)(json);
        let redacted = self.redact(line, json, &mut drafts);
        if let (Some(_), Some(first)) = (&redacted, drafts.first_mut()) {
            add_source_hash(&mut first.data, &content);
        }
        // A part of a document may stand on several lines.
        let is_several = || memchr::memchr(b'\n', line).is_some();
        let kept = redacted.or_else(|| is_several().then(|| compact.clone().into_owned()));
        let imported = Imported {
            source_type: said.kind.into_owned(),
            opaque,
            may_be_said,
            copies,
            is_numbered: own_id.is_some() && said.is_numbered,
            base_id,
            content,
            time,
            naive_time,
            ending,
            keeps_source: self.keep_source,
            source: Vec::new(),
            kept,
            is_printed: said.is_printed,
            unknown_version,
            drafts,
        };
        self.index = index;
        Ok(imported)
    }

    /// Replaces the secrets in the payloads of a line's events. Returns the line without secrets, if it has
    /// some and is kept. Where nothing in a line looks like the beginning of a secret, its events have none,
    /// unless they say again what an earlier line said: so most lines are searched once.
    fn redact(
        &mut self,
        line: &[u8],
        json: Json<'_>,
        drafts: &mut [Draft<'static>],
    ) -> Option<String> {
        let rules = self.secrets.filter(|_| !self.is_passing)?;
        drafts.iter_mut().for_each(|draft| draft.is_searched = true);
        if !self.has_secret && !rules.may_be_in(json) {
            drafts.iter_mut().for_each(|draft| draft.is_harmless = true);
            return None;
        }
        let payloads = drafts.iter().map(Draft::data);
        let mut all = rules.redact_each([json].into_iter().chain(payloads)).into_iter();
        let of_json = all.next().flatten().map(|redacted| redacted.text);
        // What was read of a line that is not valid JSON is not all of it.
        let is_all = json.text().len() == line.trim_ascii().len();
        let of_line = || if is_all { None } else { rules.redact_bytes(line) };
        let redacted = of_json.or_else(|| String::from_utf8(of_line()?).ok());
        self.has_secret |= redacted.is_some();
        for (draft, redacted) in drafts.iter_mut().zip(all.collect::<Vec<_>>()) {
            let Some(redacted) = redacted else { continue };
            draft.redactions += redacted.count;
            draft.data = redacted.text.into();
            self.has_secret = true;
        }
        redacted.filter(|_| self.keep_source)
    }

    /// An id from the content, and how many lines have had this content. Repeated lines get different ids.
    fn place(&mut self, content: &[u8; 32]) -> (String, u64) {
        let mut key = [0; 16];
        key.copy_from_slice(&content[..16]);
        let count = self.repeats.entry(key).or_insert(0);
        *count += 1;
        (format!("{}:{}.{count}", self.dialect.name, hex(&key)), *count)
    }

    /// The line's time, whether it had no zone, and the origin of a substitute time.
    fn time(&self, text: Option<&str>) -> (Option<Timestamp>, bool, Option<&'static str>) {
        match text.and_then(Timestamp::parse_loose) {
            Some((time, naive)) => (Some(time), naive, None),
            None if self.last_time.is_some() => (None, false, Some("previous_line")),
            None if self.first_time.is_some() => (None, false, Some("next_line")),
            None => (None, false, Some(TIME_OF_READING)),
        }
    }

    /// Adds the members that every imported event has.
    fn finish(
        &mut self,
        drafts: Vec<Draft<'static>>,
        source_type: &str,
        time_origin: Option<&str>,
        session: Option<&str>,
        line: (&str, [u8; 8]),
    ) -> Vec<Draft<'static>> {
        let drafts = if drafts.is_empty() {
            let kind: String = source_type
                .chars()
                .map(|c| if c.is_whitespace() || c.is_control() { '_' } else { c })
                .take(100)
                .collect();
            let kind = format!("{}.{kind}", self.dialect.name);
            let opaque = Draft::new(&kind, ObjectText::new());
            vec![Draft { severity: Some(Severity::Debug), ..opaque }]
        } else {
            drafts
        };
        let finish = |(index, mut draft): (usize, Draft<'static>)| {
            let mut data = ObjectText::reopened(draft.data.into_owned());
            data.reserve(ROOM);
            let dialect = Some(self.dialect.name);
            let (session, own) =
                (session.filter(|_| index == 0), std::mem::take(&mut draft.details));
            let details = Some(own.as_str()).filter(|own| !own.is_empty());
            let end = Provenance::default();
            Provenance { dialect, time_origin, session, details, ..end }.add_to(&mut data);
            draft.is_own = true;
            draft.data = data.finish().into();
            draft.settled_id = true;
            if let Some(named) = self.dialect.named.filter(|_| draft.event_id.is_none()) {
                let place = || (line.0.to_owned(), line.1, index);
                draft.event_id = self.content_ids.name(named, &draft, place).map(Into::into);
            }
            // An id that the log would reject is replaced by its hash, so that equal ids stay
            // equal.
            if let Some(id) = &mut draft.correlation_id
                && check_id("correlation id", id).is_err()
            {
                let hash = hex(&sha256(id.as_bytes())[..16]);
                *id = format!("{}:{hash}", self.dialect.name).into();
            }
            draft
        };
        drafts.into_iter().enumerate().map(finish).collect()
    }
}

/// The values of a line that is not one JSON value, if it is several.
pub(crate) fn several(line: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut splitter = DocumentSplitter::new(&[]);
    let parts = splitter.push(line);
    let is_valid = |part: &DocumentPart| json::check(&part.text, JsonRules::LENIENT).is_ok();
    let several = parts.len() > 1 && !splitter.is_inside() && parts.iter().all(is_valid);
    several.then(|| parts.into_iter().map(|part| part.text).collect())
}

impl From<DocumentPart> for SourceUnit<'_> {
    fn from(part: DocumentPart) -> Self {
        Self { text: part.text.into(), part: part.part }
    }
}
