//! One session: this thread reads standard input and watches signals, another one runs the SDK.

use std::fs::File;
use std::io::{self, Read as _};
use std::os::fd::AsFd as _;
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rmcp::ServiceExt as _;
use rmcp::model::RequestId;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::mpsc::{Sender, channel};

use super::binding::Binding;
use super::server::RecallServer;
use super::stream_failure;
use super::transport::{ClientMessage, InputError, StreamTransport};
use crate::cli::exit::{Exit, Failure};
use crate::cli::signals::Interrupts;
use crate::cli::ui::Ui;
use crate::fs::retried;
use crate::json::{Json, JsonRules, check};
use crate::log::tail::is_blank;
use crate::run::line_buffer::LineBuffer;
use crate::run::stream::InputLine;

/// Messages that wait for the SDK. More are not read.
const WAITING: usize = 64;
/// Calls that run at the same time.
const CALLS: usize = 4;
/// Wait between two checks whether the SDK has finished or has room.
const LOOK: Duration = Duration::from_millis(5);
/// Bytes read at once.
const READ: usize = 64 << 10;

/// Serves until standard input ends or a signal comes.
pub(super) fn serve(binding: Binding, ui: Ui) -> anyhow::Result<Exit> {
    // Before the other thread exists, so that it does not get the signals.
    let interrupts = Interrupts::watch()?;
    let (sender, receiver) = channel(WAITING);
    let failure = Arc::new(OnceLock::new());
    let transport = StreamTransport::new(receiver, ui, failure.clone());
    let thread = std::thread::Builder::new().name("mcp".to_owned());
    let input_end = Arc::new(OnceLock::new());
    let server = RecallServer::new(binding, input_end.clone());
    let session = thread.spawn(move || run(server, transport))?;
    let input = ClientInput { ui, interrupts: &interrupts, session: &session };
    let read = input.all(&sender);
    // The end of the messages.
    let _ = input_end.set(Instant::now());
    drop(sender);
    while read.is_ok() && !session.is_finished() && interrupts.caught().is_none() {
        interrupts.wait(LOOK)?;
    }
    if let Some(signal) = interrupts.caught() {
        return Ok(Exit::Signal(signal));
    }
    read?;
    if let Some(error) = failure.get() {
        return Err(stream_failure("standard output cannot be written", error).into());
    }
    match session.join() {
        Ok(ended) => ended.map(|()| Exit::Fine),
        Err(_) => Err(Failure::new(Exit::Bug, "the server stopped because of a bug").into()),
    }
}

/// Runs the SDK until there are no more messages.
fn run(server: RecallServer, transport: StreamTransport) -> anyhow::Result<()> {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_time().max_blocking_threads(CALLS).build()?;
    runtime.block_on(async {
        // An error here means that the client left before it started a session.
        if let Ok(session) = server.serve(transport).await {
            session.waiting().await?;
        }
        Ok(())
    })
}

/// Reads messages, one per line.
struct ClientInput<'s> {
    ui: Ui,
    interrupts: &'s Interrupts,
    session: &'s JoinHandle<anyhow::Result<()>>,
}

impl ClientInput<'_> {
    /// Reads until the input or the session ends, or a signal comes.
    fn all(&self, sender: &Sender<ClientMessage>) -> anyhow::Result<()> {
        let unreadable = |error| stream_failure("standard input cannot be read", &error);
        let input = io::stdin().as_fd().try_clone_to_owned().map_err(unreadable)?;
        let mut input = File::from(input);
        let mut lines = LineBuffer::default();
        loop {
            while let Some((line, _)) = lines.next() {
                self.line(&line, sender)?;
            }
            if lines.has_ended() || self.is_over() {
                return Ok(());
            }
            self.interrupts.input_is_ready(&input, true)?;
            if self.is_over() {
                return Ok(());
            }
            match lines.fill(READ, |room| retried(|| input.read(room))) {
                // Another program may have made the stream non-blocking. It is polled again.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                read => read.map_err(unreadable)?,
            }
        }
    }

    fn is_over(&self) -> bool {
        self.interrupts.caught().is_some() || self.session.is_finished()
    }

    /// Passes a message on, or answers input that is not a message.
    fn line(&self, line: &InputLine<'_>, sender: &Sender<ClientMessage>) -> anyhow::Result<()> {
        let refused = match line {
            InputLine::Whole(line) if is_blank(line) => return Ok(()),
            InputLine::Whole(line) => match message(line) {
                Ok(message) => {
                    self.hand_on(message, sender);
                    return Ok(());
                }
                Err(refused) => refused,
            },
            InputLine::Long(_) => InputError::request(None, "the message is too long"),
        };
        let failed = |error| stream_failure("standard output cannot be written", &error);
        Ok(refused.write(self.ui).map_err(failed)?)
    }

    /// Waits while the SDK has no room, but not for ever.
    fn hand_on(&self, mut message: ClientMessage, sender: &Sender<ClientMessage>) {
        while let Err(TrySendError::Full(refused)) = sender.try_send(message) {
            message = refused;
            if self.is_over() || self.interrupts.wait(LOOK).is_err() {
                return;
            }
        }
    }
}

/// Reads a message.
fn message(line: &[u8]) -> Result<ClientMessage, InputError> {
    let json = check(line, JsonRules::LENIENT).map_err(|error| InputError::parse(&error))?;
    serde_json::from_slice(line).map_err(|_| {
        InputError::request(id(json), "expected a JSON-RPC 2.0 request or notification")
    })
}

/// The id of a request, as far as it has one that an answer can repeat.
fn id(json: Json<'_>) -> Option<RequestId> {
    const LONGEST: usize = 1000;
    let id = json.get("id").filter(|id| id.text().len() <= LONGEST)?;
    serde_json::from_str(id.text()).ok()
}
