//! The formats of other programs that hold one run: OTLP, ATIF, Perfetto, AOS. Rows of the tables in,
//! text out. No input or output.
//!
//! Rows stream: a renderer keeps what is not finished, such as calls without an end, and the text of
//! the document.
//!
//! | module | purpose |
//! |---|---|
//! | [`moment`] | the rows of one event together |
//! | [`timeline`] | the times of calls, model calls and agents |
//! | [`otlp`] | OpenTelemetry spans |
//! | [`perfetto`] | a trace for Perfetto |
//! | [`atif`] | a trajectory: steps of the agents |
//! | [`aos`] | pages of transcript events |

mod agent_times;
mod aos;
mod atif;
mod atif_step;
mod moment;
mod otlp;
mod otlp_attributes;
mod perfetto;
mod provider;
mod timeline;
mod trajectory;
mod utterance;

pub(crate) use aos::AosPages;
pub(crate) use atif::AtifDocument;
pub(crate) use moment::Moments;
pub(crate) use otlp::OtlpSpans;
pub(crate) use perfetto::PerfettoTrace;
pub(crate) use timeline::{
    AgentSpan, ModelSpan, Period, Timeline, TimelineDrawing, TimelineMark, ToolSpan,
};
