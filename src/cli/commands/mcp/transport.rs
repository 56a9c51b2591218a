//! Messages between the SDK and the standard streams. The SDK has a transport of its own, but it
//! writes to standard output itself and does not answer input that is not JSON.

use std::collections::HashSet;
use std::future::{Future, pending, ready};
use std::io;
use std::sync::{Arc, OnceLock};

use rmcp::RoleServer;
use rmcp::model::{ClientNotification, JsonRpcError, JsonRpcMessage, RequestId, ServerResult};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde::Serialize;
use tokio::sync::mpsc::Receiver;

use crate::cli::ui::Ui;
use crate::json::{JsonError, one_line};

/// A message of the client.
pub(super) type ClientMessage = RxJsonRpcMessage<RoleServer>;

/// The transport of one session.
pub(super) struct StreamTransport {
    messages: Receiver<ClientMessage>,
    ui: Ui,
    /// Requests without an answer.
    open: HashSet<RequestId>,
    /// Whether a request other than a ping was answered: the SDK then accepts every message.
    started: bool,
    /// Why standard output could not be written.
    failure: Arc<OnceLock<io::Error>>,
}

impl StreamTransport {
    /// Takes the messages that were read. Sets `failure` if standard output cannot be written.
    pub(super) fn new(
        messages: Receiver<ClientMessage>,
        ui: Ui,
        failure: Arc<OnceLock<io::Error>>,
    ) -> Self {
        Self { messages, ui, open: HashSet::new(), started: false, failure }
    }

    /// Notes what a message opens or closes. Returns false for a message to be dropped: before the
    /// session has started, the SDK ends if it gets anything but a request.
    fn takes(&mut self, message: &ClientMessage) -> bool {
        match message {
            JsonRpcMessage::Request(request) => {
                self.open.insert(request.id.clone());
                return true;
            }
            JsonRpcMessage::Notification(notification) => {
                // A cancelled request gets no answer.
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                    && self.started
                {
                    self.open.remove(id);
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
        self.started
    }

    fn write(&mut self, message: &TxJsonRpcMessage<RoleServer>) -> io::Result<()> {
        match message {
            JsonRpcMessage::Response(response) => {
                self.open.remove(&response.id);
                let begins = !matches!(
                    response.result,
                    ServerResult::EmptyResult(_) | ServerResult::DiscoverResult(_)
                );
                self.started |= begins;
            }
            JsonRpcMessage::Error(JsonRpcError { id: Some(id), .. }) => {
                self.open.remove(id);
            }
            _ => {}
        }
        self.ui.data((one_line(message) + "\n").as_bytes())
    }
}

impl Transport<RoleServer> for StreamTransport {
    type Error = io::Error;

    /// Writes at once, so that a message is complete before the next one begins.
    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let written = self.write(&item).map_err(|error| {
            let told = io::Error::new(error.kind(), error.to_string());
            let _ = self.failure.set(error);
            told
        });
        ready(written)
    }

    /// The next message; `None` after the end of the input, when every request has its answer. The
    /// SDK asks again after each answer.
    async fn receive(&mut self) -> Option<ClientMessage> {
        loop {
            if self.failure.get().is_some() {
                return None;
            }
            match self.messages.recv().await {
                Some(message) if self.takes(&message) => return Some(message),
                Some(_) => {}
                None if self.open.is_empty() => return None,
                None => pending().await,
            }
        }
    }

    fn close(&mut self) -> impl Future<Output = io::Result<()>> + Send {
        ready(Ok(()))
    }
}

/// An answer to input that is no message.
#[derive(Serialize)]
pub(super) struct InputError {
    jsonrpc: &'static str,
    id: Option<RequestId>,
    error: InputErrorBody,
}

#[derive(Serialize)]
struct InputErrorBody {
    code: i32,
    message: String,
}

impl InputError {
    /// The input is not JSON (JSON-RPC 2.0, section 5.1).
    pub(super) fn parse(error: &JsonError) -> Self {
        Self::new(-32700, None, format!("parse error: {error}"))
    }

    /// The input is JSON, but not a message.
    pub(super) fn request(id: Option<RequestId>, message: &str) -> Self {
        Self::new(-32600, id, format!("invalid request: {message}"))
    }

    fn new(code: i32, id: Option<RequestId>, message: String) -> Self {
        Self { jsonrpc: "2.0", id, error: InputErrorBody { code, message } }
    }

    /// Writes it as a line.
    ///
    /// # Errors
    /// When standard output cannot be written.
    pub(super) fn write(&self, ui: Ui) -> io::Result<()> {
        ui.data((one_line(self) + "\n").as_bytes())
    }
}
