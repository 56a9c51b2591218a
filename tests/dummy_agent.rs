//! An agent that does not exist: all that is needed to read one, and one line in the list of dialects.

use crate::agents::said::{CallEnd, Said, SaidCall, SaidLine, SaidPrompt};
use crate::agents::{Dialect, LineReader, SourceText};

pub(crate) static AGENT: Dialect = Dialect {
    name: "dummy",
    about: "an agent of the tests",
    sign: |line| line.get("dummy").map(|_| "dummy"),
    reader: || Box::new(Dummy),
    ..Dialect::PLAIN
};

struct Dummy;

impl LineReader for Dummy {
    fn read<'s>(&mut self, source: &SourceText<'s>) -> SaidLine<'s> {
        let text = |name: &str| source.json.text_at(name);
        let id = text("call");
        let said = match text("dummy").as_deref() {
            Some("asks") => Said::Prompt(SaidPrompt {
                text: text("text").unwrap_or_default(),
                ..SaidPrompt::default()
            }),
            Some("calls") => {
                Said::Call(SaidCall { id, tool: "look".into(), ..SaidCall::default() })
            }
            Some("gets") => Said::End(CallEnd {
                id,
                text: text("text").unwrap_or_default(),
                ..CallEnd::default()
            }),
            _ => return SaidLine::default(),
        };
        SaidLine {
            kind: "line".into(),
            session: text("session"),
            time: text("time"),
            said: vec![said],
            ..SaidLine::default()
        }
    }
}
