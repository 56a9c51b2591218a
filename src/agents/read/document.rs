//! Splits a JSON document that spans many lines into its parts, so that memory is bounded by the
//! largest part and not by the document.

use crate::agents::source::SourcePart;

/// A part of a document as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DocumentPart {
    /// What it is.
    pub part: SourcePart,
    /// Its JSON text.
    pub text: Vec<u8>,
}

/// Reads a document byte by byte. It finds where values end; whether they are valid JSON is checked
/// later.
#[derive(Clone, Debug)]
pub(crate) struct DocumentSplitter {
    /// The lists whose items are parts.
    lists: &'static [&'static str],
    state: State,
    /// Number of open brackets.
    depth: u32,
    in_string: bool,
    escaped: bool,
    /// The members of the document that are not in a list, without braces.
    members: Vec<u8>,
    /// The part with the members before the first list.
    first: Option<Vec<u8>>,
    /// The member, item or value that is being read.
    current: Vec<u8>,
    /// The name of the newest list.
    list: Option<&'static str>,
    /// Whether the document that is being read had a list.
    has_list: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Before a document.
    Between,
    /// In the outer object.
    Members,
    /// In one of the lists.
    List {
        /// Whether the list is the whole document. Its items are lines then.
        is_whole: bool,
    },
    /// After something that is neither an object nor a list.
    Broken,
}

impl DocumentSplitter {
    /// A splitter for documents whose items are in lists with one of these names.
    pub(crate) fn new(lists: &'static [&'static str]) -> Self {
        Self {
            lists,
            state: State::Between,
            depth: 0,
            in_string: false,
            escaped: false,
            members: Vec::new(),
            first: None,
            current: Vec::new(),
            list: None,
            has_list: false,
        }
    }

    /// Whether it is inside a document.
    pub(crate) fn is_inside(&self) -> bool {
        self.state != State::Between
    }

    /// Whether it found something that is neither an object nor a list.
    pub(crate) fn is_broken(&self) -> bool {
        self.state == State::Broken
    }

    /// The name of the newest list.
    pub(crate) fn list(&self) -> Option<&'static str> {
        self.list
    }

    /// The members so far of the document that is being read, as an object.
    pub(crate) fn begun(&self) -> Option<Vec<u8>> {
        let members = self.members.as_slice();
        (!members.is_empty()).then(|| [b"{", members, b"}"].concat())
    }

    /// The number of bytes that wait for their end.
    pub(crate) fn waiting(&self) -> usize {
        self.members.len() + self.current.len()
    }

    /// Takes the next bytes. Returns the parts that they complete.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Vec<DocumentPart> {
        let mut parts = Vec::new();
        let mut rest = bytes;
        while let [byte, after @ ..] = rest {
            if self.in_string && !self.escaped {
                let end = memchr::memchr2(b'"', b'\\', rest).unwrap_or(rest.len());
                let (plain, other) = rest.split_at(end);
                self.current.extend_from_slice(plain);
                rest = other;
                if !plain.is_empty() {
                    continue;
                }
            }
            self.byte(*byte, &mut parts);
            rest = after;
        }
        parts
    }

    /// The bytes that belong to no complete part.
    pub(crate) fn finish(self) -> Option<Vec<u8>> {
        let mut rest = self.members;
        rest.extend_from_slice(&self.current);
        (self.state != State::Between || !rest.is_empty()).then_some(rest)
    }

    fn byte(&mut self, byte: u8, parts: &mut Vec<DocumentPart>) {
        if self.in_string {
            self.current.push(byte);
            match (self.escaped, byte) {
                (true, _) => self.escaped = false,
                (false, b'\\') => self.escaped = true,
                (false, b'"') => self.in_string = false,
                _ => {}
            }
            return;
        }
        // The depth at which the parts are: in a list of a member one deeper than members.
        let base = match self.state {
            State::Broken => {
                self.current.push(byte);
                return;
            }
            State::Between => return self.begin(byte),
            State::Members | State::List { is_whole: true } => 1,
            State::List { is_whole: false } => 2,
        };
        if byte == b'['
            && self.depth == 1
            && self.state == State::Members
            && let Some(list) = self.begun_list()
        {
            (self.list, self.has_list) = (Some(list), true);
            self.current.clear();
            self.document(parts);
            self.state = State::List { is_whole: false };
            self.depth = 2;
            return;
        }
        match byte {
            b'"' => {
                self.in_string = true;
                self.current.push(byte);
            }
            b'{' | b'[' => {
                self.depth += 1;
                self.current.push(byte);
            }
            b',' if self.depth == base => self.part(parts),
            b'}' | b']' if self.depth > base => {
                self.depth -= 1;
                self.current.push(byte);
            }
            b'}' | b']' => {
                self.part(parts);
                self.depth -= 1;
                match self.state {
                    State::List { is_whole: false } => self.state = State::Members,
                    State::Members => {
                        self.document(parts);
                        let has_list = std::mem::take(&mut self.has_list);
                        let first = self.first.take().filter(|_| has_list);
                        let end = first.map(|text| DocumentPart { part: SourcePart::End, text });
                        parts.extend(end);
                        self.state = State::Between;
                    }
                    _ => self.state = State::Between,
                }
            }
            byte if byte.is_ascii_whitespace() && self.current.is_empty() => {}
            byte => self.current.push(byte),
        }
    }

    fn begin(&mut self, byte: u8) {
        match byte {
            b'{' => (self.state, self.depth) = (State::Members, 1),
            b'[' => (self.state, self.depth) = (State::List { is_whole: true }, 1),
            byte if byte.is_ascii_whitespace() => {}
            byte => {
                self.state = State::Broken;
                self.current.push(byte);
            }
        }
    }

    /// The list whose name is before this value.
    fn begun_list(&self) -> Option<&'static str> {
        let key = self.current.trim_ascii().strip_suffix(b":").map(<[u8]>::trim_ascii_end);
        let name = key.and_then(|key| key.strip_prefix(b"\"")?.strip_suffix(b"\""));
        name.and_then(|name| self.lists.iter().find(|list| list.as_bytes() == name).copied())
    }

    /// Ends a member or an item.
    fn part(&mut self, parts: &mut Vec<DocumentPart>) {
        let current = std::mem::take(&mut self.current);
        let current = current.trim_ascii();
        if current.is_empty() {
            return;
        }
        let part = match self.state {
            State::List { is_whole: true } => SourcePart::Line,
            State::List { is_whole: false } => SourcePart::Item,
            _ => {
                if !self.members.is_empty() {
                    self.members.push(b',');
                }
                self.members.extend_from_slice(current);
                return;
            }
        };
        parts.push(DocumentPart { part, text: current.to_vec() });
    }

    /// Ends the members so far.
    fn document(&mut self, parts: &mut Vec<DocumentPart>) {
        let members = std::mem::take(&mut self.members);
        if !members.is_empty() {
            let text = [b"{", members.as_slice(), b"}"].concat();
            self.first.get_or_insert_with(|| text.clone());
            parts.push(DocumentPart { part: SourcePart::Document, text });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str, step: usize) -> (Vec<(SourcePart, String)>, Option<String>) {
        let mut splitter = DocumentSplitter::new(&["steps"]);
        let mut parts = Vec::new();
        for bytes in text.as_bytes().chunks(step) {
            parts.extend(splitter.push(bytes));
        }
        let text = |text: Vec<u8>| String::from_utf8(text).unwrap();
        let parts = parts.into_iter().map(|part| (part.part, text(part.text))).collect();
        (parts, splitter.finish().map(text))
    }

    /// If this fails, a document loses a part, or a bracket in a string ends one.
    #[test]
    fn parts_end_where_values_end() {
        use SourcePart::{Document, End, Item, Line};
        let text = "{ \"a\": \"]}\\\"[\",\n \"b\": {\"steps\": [1]},\n \"steps\" : [ {\"x\": [\"}\"]},\n 2 , [] ],\n \"c\": null }\n{\"d\":1}\n[1, {\"e\":2}]";
        let expected: Vec<(SourcePart, &str)> = vec![
            (Document, r#"{"a": "]}\"[","b": {"steps": [1]}}"#),
            (Item, r#"{"x": ["}"]}"#),
            (Item, "2"),
            (Item, "[]"),
            (Document, r#"{"c": null}"#),
            (End, r#"{"a": "]}\"[","b": {"steps": [1]}}"#),
            (Document, r#"{"d":1}"#),
            (Line, "1"),
            (Line, r#"{"e":2}"#),
        ];
        for step in [1, 2, 7, 1000] {
            let (found, rest) = parts(text, step);
            let found: Vec<_> = found.iter().map(|(part, text)| (*part, text.as_str())).collect();
            assert_eq!(found, expected, "in pieces of {step} bytes");
            assert_eq!(rest, None);
        }
    }

    /// If this fails, the end of a torn document vanishes.
    #[test]
    fn a_torn_document_leaves_a_rest() {
        let (found, rest) = parts(r#"{"a":1,"steps":[{"b":2},{"c":"#, 3);
        assert_eq!(found.len(), 2);
        assert_eq!(rest.as_deref(), Some(r#"{"c":"#));
        assert_eq!(parts("nonsense", 3).1.as_deref(), Some("nonsense"));
    }
}
