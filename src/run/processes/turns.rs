//! Usage of the turns of a session, if each process reports it as the total of the session so far:
//! what is known of the session is taken away.

use foldhash::HashMap;

use crate::event::catalogue;
use crate::event::draft::Draft;
use crate::event::fields::View;
use crate::event::role::Role;
use crate::import::line::Imported;
use crate::json::{Json, ObjectText};
use crate::log::reader::LogReader;
use crate::run::RunError;
use crate::run::recorder::Recorder;

/// The dialect whose processes report the total of the session.
const DIALECT: &str = "codex";

/// The counts of a usage event that such totals have.
const COUNTS: [&str; 5] = [
    "input_tokens",
    "output_tokens",
    "cache_read_tokens",
    "cache_creation_tokens",
    "reasoning_tokens",
];

/// Tokens by the names in [`COUNTS`].
type TurnTokens = [u64; COUNTS.len()];

/// What is known of the sessions of a stream.
#[derive(Default)]
pub(super) struct EarlierTurns {
    sessions: HashMap<String, SessionTokens>,
}

#[derive(Clone, Copy, Debug, Default)]
struct SessionTokens {
    /// The largest total that the stream has reported.
    told: TurnTokens,
    /// What the log has, before the first turn that it does not have.
    logged: Option<TurnTokens>,
}

impl EarlierTurns {
    /// Takes away from the usage in a line what the log has of it. Its events have their ids.
    ///
    /// # Errors
    /// The log cannot be read.
    pub(super) fn take_from(
        &mut self,
        line: &mut Imported,
        recorder: &mut Recorder,
    ) -> Result<(), RunError> {
        if !line.is_numbered {
            return Ok(());
        }
        for draft in &mut line.drafts {
            if catalogue::role(&draft.kind) == Role::Usage
                && let Some(session) = draft.session_id.as_deref().map(str::to_owned)
            {
                let tokens = self.sessions.entry(session.clone()).or_default();
                let id = draft.event_id.as_deref().unwrap_or_default();
                if tokens.logged.is_none() && recorder.stored(id)?.is_none() {
                    tokens.logged = Some(logged(&session, recorder)?);
                }
                lessen(draft, tokens);
            }
        }
        Ok(())
    }
}

/// Leaves in a usage event what it reports beyond what is known.
fn lessen(draft: &mut Draft<'_>, tokens: &mut SessionTokens) {
    let logged = tokens.logged.unwrap_or_default();
    let counts = counts(draft.data());
    let mut fresh = counts;
    for (at, total) in counts.into_iter().enumerate() {
        let before = tokens.told[at];
        fresh[at] = total.saturating_sub(before.max(logged[at]));
        tokens.told[at] = before.max(total);
    }
    if fresh == counts {
        return;
    }
    let mut data = ObjectText::new();
    for (name, value) in draft.data().members() {
        match COUNTS.iter().position(|count| *count == name) {
            Some(at) => data.plain(&name, fresh[at]),
            None => data.json(&name, value),
        };
    }
    draft.data = data.finish().into();
}

fn counts(data: Json<'_>) -> TurnTokens {
    COUNTS.map(|name| data.get(name).and_then(Json::as_u64).unwrap_or(0))
}

/// The sum of the turns of a session in the log.
fn logged(session: &str, recorder: &Recorder) -> Result<TurnTokens, RunError> {
    let mut sum = TurnTokens::default();
    let mut reader = LogReader::open(&recorder.run().events())?;
    while let Some(line) = reader.next_line()? {
        if let Ok(Some(event)) = line.event()
            && event.session_id == session
            && let view = View::of(&event)
            && view.role == Role::Usage
            && view.dialect().as_deref() == Some(DIALECT)
        {
            let counts = counts(event.data);
            sum.iter_mut().zip(counts).for_each(|(sum, count)| *sum = sum.saturating_add(count));
        }
    }
    Ok(sum)
}
