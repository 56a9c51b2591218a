//! Answers the SDK.

use std::future::{Future, ready};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, CustomRequest,
    CustomResult, ErrorCode, Implementation, JsonObject, ListToolsResult, PaginatedRequestParams,
    ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value;

use super::binding::Binding;
use super::tools::{TOOLS, instructions};
use crate::event::template::cut;

/// The tools over one run.
#[derive(Clone, Debug)]
pub(super) struct RecallServer {
    binding: Arc<Binding>,
    input_end: Arc<OnceLock<Instant>>,
}

/// How long a call may take after the end of the input: a client that sent all its requests at once may
/// still wait for their answers.
const AFTER_INPUT: Duration = Duration::from_secs(5);
/// Wait between two checks whether anybody still waits for a call.
const LOOK: Duration = Duration::from_millis(50);

impl RecallServer {
    /// Serves a run. `input_end` is set when the input has ended.
    pub(super) fn new(binding: Binding, input_end: Arc<OnceLock<Instant>>) -> Self {
        Self { binding: Arc::new(binding), input_end }
    }
}

impl ServerHandler for RecallServer {
    fn get_info(&self) -> ServerConfig {
        let program = Implementation::new("runlog", env!("CARGO_PKG_VERSION"));
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(program.with_title("runlog: the history of this session"))
            .with_instructions(instructions(&self.binding))
    }

    fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<ListToolsResult, ErrorData>> + Send + '_ {
        let tools = TOOLS.iter().map(super::tools::ToolRow::listed).collect();
        ready(Ok(ListToolsResult::with_all_items(tools)))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        TOOLS.iter().find(|tool| tool.name == name).map(super::tools::ToolRow::listed)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = TOOLS.iter().find(|tool| tool.name == request.name) else {
            let names: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
            let message = format!("unknown tool; the tools are {}", names.join(", "));
            return Err(ErrorData::invalid_params(message, None));
        };
        let binding = self.binding.clone();
        let arguments = request.arguments.unwrap_or_default();
        // Reading a large log takes time. Other requests are answered meanwhile.
        let is_stopped = Arc::new(AtomicBool::new(false));
        let stop = is_stopped.clone();
        let call = move || tool.call(&*binding.recall()?, arguments, &is_stopped);
        let mut called = tokio::task::spawn_blocking(call);
        let called = loop {
            if let Ok(called) = tokio::time::timeout(LOOK, &mut called).await {
                break called;
            }
            let is_late = self.input_end.get().is_some_and(|end| end.elapsed() > AFTER_INPUT);
            stop.store(is_late || context.ct.is_cancelled(), Ordering::Relaxed);
        };
        let bug = |_| ErrorData::internal_error("the call stopped because of a bug", None);
        Ok(result(called.map_err(bug)?).into())
    }

    /// A request of another method, or one whose parameters have another shape.
    fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> impl Future<Output = Result<CustomResult, ErrorData>> + Send + '_ {
        let CustomRequest { method, .. } = request;
        ready(Err(match method.as_str() {
            "tools/call" => {
                let message = "tools/call takes the name of a tool and an object of arguments";
                ErrorData::invalid_params(message, None)
            }
            _ => ErrorData::new(
                ErrorCode::METHOD_NOT_FOUND,
                cut(&method, LONGEST).into_owned(),
                None,
            ),
        }))
    }
}

/// Maximum length of an error in characters. It may repeat a part of the input.
const LONGEST: usize = 2000;

/// The document of a tool as text and as structured content, or its error.
fn result(answer: Result<String, String>) -> CallToolResult {
    match answer {
        Ok(text) => {
            let structured: Option<JsonObject> = serde_json::from_str(&text).ok();
            let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
            result.structured_content = structured.map(Value::Object);
            result
        }
        Err(message) => CallToolResult::error(vec![ContentBlock::text(cut(&message, LONGEST))]),
    }
}
