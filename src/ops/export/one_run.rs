//! Writes one run in a format that holds one run.

use crate::event::blob::put_back;
use crate::export::{AosPages, AtifDocument, Moments, OtlpSpans, PerfettoTrace, Timeline};
use crate::json::{Json, escape_live};
use crate::ops::error::OpsError;
use crate::ops::report::Reporter;
use crate::ops::tables::{Copies, read_rows};
use crate::run::blobs::read;
use crate::run::dir::RunDir;
use crate::tables::{CallRow, EventRow, JsonText, RowSink, RunTableRow, UsageRow};

use foldhash::HashMap;

/// A format that holds one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RunFormat {
    /// OTLP/JSON.
    Otlp {
        /// Whether the arguments and results of calls are written.
        with_content: bool,
    },
    /// ATIF 1.8.
    Atif,
    /// Perfetto.
    Perfetto,
    /// Pages of events of the AOS platform.
    Aos,
}

impl RunFormat {
    /// The end of the names of its files.
    #[must_use]
    pub(crate) fn ending(self) -> &'static str {
        match self {
            Self::Otlp { .. } => ".otlp.json",
            Self::Atif => ".atif.json",
            Self::Perfetto => ".perfetto.json",
            Self::Aos => ".aos.jsonl",
        }
    }
}

/// The run in that format.
///
/// # Errors
/// When the log cannot be read.
pub(crate) fn render_run(
    run: &RunDir,
    format: RunFormat,
    copies: &Copies,
    report: &dyn Reporter,
) -> Result<Vec<u8>, OpsError> {
    let source = (copies, report);
    let text = match format {
        RunFormat::Otlp { with_content } => {
            let timeline = Timeline::new(OtlpSpans::new(with_content), with_content);
            let sink = if with_content {
                read_whole(run, source, Moments::new(timeline))?
            } else {
                let mut sink = Moments::new(timeline);
                read_rows(run, true, source, &mut sink)?;
                sink
            };
            sink.finish().into_drawing().into_text()
        }
        RunFormat::Atif => {
            read_whole(run, source, Moments::new(AtifDocument::new()))?.finish().into_text()
        }
        RunFormat::Perfetto => {
            let mut sink = Moments::new(Timeline::new(PerfettoTrace::new(), false));
            read_rows(run, true, source, &mut sink)?;
            sink.finish().into_drawing().into_text()
        }
        RunFormat::Aos => read_whole(run, source, AosPages::default())?.into_text(),
    };
    // It may go to a terminal.
    Ok(escape_live(&text).into_owned().into_bytes())
}

/// Reads the rows with the values that were moved to `blobs/`.
fn read_whole<S: RowSink>(
    run: &RunDir,
    source: (&Copies, &dyn Reporter),
    sink: S,
) -> Result<S, OpsError> {
    let mut whole = WithBlobs { run, sink };
    read_rows(run, true, source, &mut whole)?;
    Ok(whole.sink)
}

/// Puts the values that were moved to `blobs/` back. A value whose file is missing or was altered
/// stays a reference.
struct WithBlobs<'r, S> {
    run: &'r RunDir,
    sink: S,
}

impl<S> WithBlobs<'_, S> {
    fn whole(&self, json: JsonText) -> JsonText {
        if memchr::memmem::find(json.0.as_bytes(), crate::event::blob::KEY.as_bytes()).is_none() {
            return json;
        }
        JsonText(put_back(Json::trusted(&json.0), &mut |found| read(self.run, found).ok()))
    }
}

impl<S: RowSink> RowSink for WithBlobs<'_, S> {
    fn run(&mut self, row: RunTableRow) {
        self.sink.run(row);
    }

    fn agents(&mut self, spawned_by: &HashMap<String, u64>) {
        self.sink.agents(spawned_by);
    }

    fn call(&mut self, row: CallRow) {
        let arguments = row.arguments.map(|arguments| self.whole(arguments));
        self.sink.call(CallRow { arguments, ..row });
    }

    fn usage(&mut self, row: UsageRow) {
        self.sink.usage(row);
    }

    fn event(&mut self, row: EventRow) {
        let data = self.whole(row.data);
        self.sink.event(EventRow { data, ..row });
    }
}
