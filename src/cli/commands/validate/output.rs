//! Writes the reports of `runlog validate`.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::{ReportFormat, ValidateArgs};
use crate::check::report::{
    ReportLook, RunReport, ValidatedRuns, document, github, human, junit, markdown, overview, sarif,
};
use crate::cli::commands::runs::shorten;
use crate::cli::exit::{Exit, Failure, sentence};
use crate::cli::file_format::by_ending;
use crate::cli::ui::Ui;
use crate::fs::{Action, FsError, PathAt, replace};
use crate::json;
use crate::run::output_path::{SIGNATURE, is_ours, output_path, refuse_others};
use crate::text::inert;

/// The data to report.
pub(super) struct Output<'o> {
    pub(super) reports: &'o [RunReport],
    /// The names of all runs in the directory.
    pub(super) names: &'o [String],
    /// Errors for runs that could not be read.
    pub(super) unread: &'o [String],
    pub(super) args: &'o ValidateArgs,
    /// Whether each note is printed.
    pub(super) verbose: bool,
}

/// What the name of a report ends with.
const ENDINGS: &[(&str, ReportFormat)] = &[
    ("sarif.json", ReportFormat::Sarif),
    ("json", ReportFormat::Json),
    ("xml", ReportFormat::Junit),
    ("sarif", ReportFormat::Sarif),
    ("md", ReportFormat::Markdown),
];

/// A report in a file: without colours, with lines of any length.
const PLAIN: (bool, Option<usize>) = (false, None);

impl Output<'_> {
    /// Prints the main report and writes all report files that can be written. Returns the errors.
    pub(super) fn write(&self, ui: &Ui) -> Vec<anyhow::Error> {
        let args = self.args;
        let on_github = args.format.is_none()
            && std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true");
        let default = if on_github { ReportFormat::Github } else { ReportFormat::Human };
        let format = args.format.unwrap_or(default);
        let main = match &args.output {
            Some(path) if path != Path::new("-") => {
                // The annotations are for the log of the job, also if the report is for a file.
                let by_name = || by_ending(Some(path), ENDINGS);
                let format = args.format.or_else(by_name).unwrap_or(ReportFormat::Human);
                let written = self.file(format).and_then(|text| write(path, &text));
                let annotated = match on_github {
                    true => self.text(ReportFormat::Github, PLAIN),
                    false => Ok(String::new()),
                };
                annotated.and_then(|text| Ok(ui.data(text.as_bytes())?)).and(written)
            }
            _ => {
                let look = (ui.color(), ui.row_width());
                self.text(format, look).and_then(|text| Ok(ui.data(text.as_bytes())?))
            }
        };
        let report = |format, path: &Path| self.file(format).and_then(|text| write(path, &text));
        let asked = |summary: &PathBuf| args.report.iter().any(|(_, path)| path == summary);
        if let Some(summary) = job_summary().filter(|summary| on_github && !asked(summary))
            && let Err(error) = report(ReportFormat::Markdown, &summary)
        {
            // Nobody asked for it, so it does not change the exit status.
            ui.warn(&sentence(&error));
        }
        let others = args.report.iter().map(|(format, path)| report(*format, path));
        std::iter::once(main).chain(others).filter_map(Result::err).collect()
    }

    /// The report for a file. It also has the errors that the screen shows.
    fn file(&self, format: ReportFormat) -> anyhow::Result<String> {
        let text = self.text(format, PLAIN)?;
        Ok(match format {
            ReportFormat::Human => {
                let told = |error: &String| format!("error {}\n", inert::line(error));
                let unread: String = self.unread.iter().map(told).collect();
                format!("{}{text}{SIGNATURE}\n", inert::commands(&unread))
            }
            ReportFormat::Markdown => format!("{text}\n<!-- {SIGNATURE} -->\n"),
            _ => text,
        })
    }

    /// The report in this format.
    fn text(
        &self,
        format: ReportFormat,
        (color, width): (bool, Option<usize>),
    ) -> anyhow::Result<String> {
        let Self { reports, names, unread, args, verbose } = *self;
        let (strict, narrowed) = (args.strict, args.narrowed());
        let left_out_by = |code| args.left_out_by(code);
        let runs = ValidatedRuns { reports, unread, strict, narrowed, left_out_by: &left_out_by };
        let look = ReportLook { strict, verbose, narrowed, color, width };
        let human = |report| human(report, look);
        Ok(match format {
            ReportFormat::Human if args.all && !verbose => {
                let mut shown: Vec<String> =
                    reports.iter().map(|report| report.name.clone()).collect();
                if width.is_some() {
                    shorten(&mut shown, names);
                }
                overview(runs, &shown, look)
            }
            ReportFormat::Human => reports.iter().map(human).collect::<Vec<_>>().join("\n"),
            ReportFormat::Json => json::document(&document(runs)),
            ReportFormat::Junit => junit(runs),
            ReportFormat::Sarif => json::document(&sarif(runs)),
            ReportFormat::Github => github(runs),
            ReportFormat::Markdown => markdown(runs),
        })
        .map(|text| format.without_commands(text))
    }
}

impl ReportFormat {
    /// Removes text that a CI service would interpret as a command. These services search all
    /// output for commands.
    fn without_commands(self, text: String) -> String {
        let (escaped, whole): (&str, &[&str]) = match self {
            Self::Human | Self::Markdown => {
                return inert::commands(&text).into_owned();
            }
            Self::Github => return text,
            Self::Json | Self::Sarif => ("#\\u0023", &["##[", "##vso["]),
            Self::Junit => ("#&#35;", &["##[", "##vso["]),
        };
        whole.iter().fold(text, |text, command| match text.contains(command) {
            true => text.replace(command, &command.replacen("##", escaped, 1)),
            false => text,
        })
    }
}

/// The path as it is written in reports: relative to the working directory, if the file is inside
/// it.
pub(super) fn shortened(path: &str, working_directory: &Path) -> String {
    let short = Path::new(path).strip_prefix(working_directory).unwrap_or(Path::new(path));
    let short = short.strip_prefix(".").unwrap_or(short);
    if short.as_os_str().is_empty() { path.to_owned() } else { short.display().to_string() }
}

/// The file of the job summary, if GitHub provides one.
fn job_summary() -> Option<PathBuf> {
    std::env::var_os("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// Writes a report. A new file is created atomically. An existing file keeps its owner and mode.
/// The summary of a GitHub job is appended to, as GitHub requires.
fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    let place = output_path(path)?;
    let summary = job_summary().is_some_and(|summary| summary == path);
    if !summary {
        // It may be a link, which stays.
        let target = path.canonicalize().map_or_else(|_| place.clone(), |path| PathAt::of(&path));
        refuse_others(&target, |old| is_ours(old, text.as_bytes()))
            .map_err(|error| not_written(&error, Exit::CannotCreate))?;
    }
    let written = match path.metadata() {
        Ok(_) => {
            let mut options = OpenOptions::new();
            let options = if summary { options.append(true) } else { options.write(true) };
            let truncate = !summary && path.is_file();
            let file = options.truncate(truncate).open(path);
            file.and_then(|mut file| file.write_all(text.as_bytes()))
                .map_err(|error| FsError::io(path, Action::Write, error))
        }
        Err(_) => {
            return replace(&place, text.as_bytes()).map_err(|error| {
                let exit = if error.is_creation() { Exit::CannotCreate } else { Exit::Io };
                not_written(&error, exit)
            });
        }
    };
    written.map_err(|error| not_written(&error, Exit::Io))
}

fn not_written(error: &FsError, exit: Exit) -> anyhow::Error {
    Failure::new(exit, format!("cannot write a report: {error}"))
        .hint("the other reports were written, with the verdict")
        .into()
}
