//! Records the standard output of the command as events, in a separate thread. The command never
//! waits for the disk or the lock.

use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, TrySendError, sync_channel};
use std::thread::JoinHandle;

use super::super::now;
use crate::agents::SessionEnd;
use crate::log::LogError;
use crate::run::RunError;
use crate::run::follower::Follower;
use crate::run::line_buffer::LineBuffer;
use crate::run::receipt::Receipt;
use crate::run::recorder::Recorder;
use crate::run::stream::{Stream, StreamFormat};

/// Maximum number of pieces of output that wait for the recorder. A piece has up to 64 KiB.
const WAITING: usize = 256;

/// Sends the output to the recorder.
pub(super) struct Feed {
    /// `None` when the recorder has stopped.
    sender: Option<SyncSender<Vec<u8>>>,
    held: Option<Vec<u8>>,
}

impl Feed {
    /// Sends bytes to the recorder. Must not be called while bytes are held up.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        self.held = Some(bytes.to_vec());
        self.relieve();
    }

    /// Tries again to send the bytes that are held up.
    pub(super) fn relieve(&mut self) {
        let (Some(sender), Some(bytes)) = (&self.sender, self.held.take()) else { return };
        match sender.try_send(bytes) {
            Ok(()) => {}
            Err(TrySendError::Full(bytes)) => self.held = Some(bytes),
            Err(TrySendError::Disconnected(_)) => self.sender = None,
        }
    }

    /// Whether bytes are held up because the recorder is busy.
    pub(super) fn is_held_up(&self) -> bool {
        self.held.is_some()
    }
}

/// The running recorder.
pub(super) struct Tee {
    thread: JoinHandle<(Recorder, Fed)>,
}

/// The result of recording the output.
pub(super) struct Fed {
    pub(super) receipt: Receipt,
    /// How the session ended by its own log, if it tells.
    pub(super) session_end: Option<SessionEnd>,
    pub(super) first_rejection: Option<String>,
    pub(super) recovered_bytes: u64,
    pub(super) changed_state: bool,
    /// Why recording stopped early, if it did.
    pub(super) failure: Option<RunError>,
    /// The follower that updates the derived files, if it was started.
    pub(super) ahead: Option<Follower>,
}

impl Tee {
    /// Starts recording the bytes sent through the feed. The events lie under the call.
    pub(super) fn start(
        mut recorder: Recorder,
        call: Option<&str>,
        format: StreamFormat,
        keep_source: bool,
    ) -> (Self, Feed) {
        recorder.set_parent(call.map(str::to_owned));
        let (sender, pieces) = sync_channel(WAITING);
        let thread = std::thread::spawn(move || record(recorder, format, keep_source, &pieces));
        (Self { thread }, Feed { sender: Some(sender), held: None })
    }

    /// Returns the recorder after the feed is closed and everything is recorded. `None` after a
    /// bug.
    pub(super) fn finish(self) -> Option<(Recorder, Fed)> {
        self.thread.join().ok()
    }
}

fn record(
    mut recorder: Recorder,
    format: StreamFormat,
    keep_source: bool,
    pieces: &Receiver<Vec<u8>>,
) -> (Recorder, Fed) {
    let stream = Stream::new(&mut recorder, format, keep_source);
    let mut stream = stream.rejecting_unknown().of_new_process();
    let taken = take(&mut stream, pieces);
    let failure = taken.and_then(|()| stream.tell_rejects(now())).err();
    let mut fed = Fed {
        first_rejection: stream.first_rejection().map(str::to_owned),
        recovered_bytes: stream.recovered_bytes(),
        changed_state: stream.changed_state(),
        ahead: stream.take_ahead(),
        session_end: stream.take_ends().last().cloned(),
        receipt: stream.finish(),
        failure,
    };
    let understood = match format {
        StreamFormat::Dialect(dialect) => (fed.receipt.mapped, dialect.name),
        StreamFormat::Auto => (fed.receipt.events, "a known agent"),
        _ => (u64::MAX, ""),
    };
    if let (0, agent) = understood {
        fed.session_end = Some(SessionEnd::nothing_understood(agent));
    }
    recorder.set_parent(None);
    (recorder, fed)
}

fn take(stream: &mut Stream<'_>, pieces: &Receiver<Vec<u8>>) -> Result<(), RunError> {
    let mut lines = LineBuffer::default();
    loop {
        let piece = match pieces.try_recv() {
            Ok(piece) => piece,
            Err(TryRecvError::Disconnected) => Vec::new(),
            Err(TryRecvError::Empty) => {
                commit(stream)?;
                pieces.recv().unwrap_or_default()
            }
        };
        let Ok(()) = lines.fill(piece.len(), |room| {
            room.copy_from_slice(&piece);
            Ok::<_, std::convert::Infallible>(piece.len())
        });
        while let Some((line, length)) = lines.next() {
            stream.push(line, length, now())?;
            if stream.is_full() {
                commit(stream)?;
            }
        }
        if lines.has_ended() {
            stream.end(now())?;
            return commit(stream);
        }
    }
}

/// Writes a batch. Tries again if another process holds the lock for long.
fn commit(stream: &mut Stream<'_>) -> Result<(), RunError> {
    const TIMES: usize = 5;
    for _ in 1..TIMES {
        match stream.commit(now()) {
            Err(RunError::Log(LogError::Busy { .. })) => {}
            outcome => return outcome,
        }
    }
    stream.commit(now())
}
