//! `runlog chapter export`: the chapters' tree as read-only files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use clap::Args;
use serde::{Deserialize, Serialize};

use crate::chapter::fold::Chapter;
use crate::chapter::index::Index;
use crate::chapter::page::page;
use crate::chapter::tree::{self, Node};
use crate::cli::commands::{Global, RunArg, duration};
use crate::cli::exit::{Exit, Failure};
use crate::cli::turn::{self, Turn};
use crate::cli::ui::Ui;
use crate::event::envelope;
use crate::event::fields::View;
use crate::event::hash::{hex, sha256};
use crate::event::templates::Templates;
use crate::fs::{
    Access, FsError, is_regular, is_temporary, make_dir, open_dir, open_regular, read_small,
    replace, replace_read_only,
};
use crate::log::reader::line_at;
use crate::render::human::plural;
use crate::render::uri;
use crate::run::dir::RunDir;
use crate::run::options::Options;

#[derive(Debug, Args)]
pub(super) struct ExportArgs {
    #[command(flatten)]
    run: RunArg,
    /// Where to write it [default: chapters/ in the run directory]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// How long to wait for another export to end (as 500ms, 10s, 2m)
    #[arg(long, default_value = "10s", value_name = "TIME", value_parser = duration)]
    lock_timeout: Duration,
}

pub(super) fn run(args: &ExportArgs, global: &Global, ui: &Ui) -> anyhow::Result<Exit> {
    let run = args.run.find(global)?;
    let out = args.out.clone().unwrap_or_else(|| run.chapters());
    if args.out.is_some() {
        let parents = out.parent().filter(|parent| !parent.as_os_str().is_empty());
        let made = parents.map_or(Ok(()), std::fs::create_dir_all);
        made.map_err(|error| FsError::io(&out, "create", error))?;
    }
    let outcome = export(&run, &out, global.templates(ui)?, args.lock_timeout, ui)?;
    ui.note(&format!(
        "{} in {}: {} written, {} removed",
        plural(outcome.files, "file"),
        out.display(),
        outcome.written,
        outcome.removed
    ));
    match outcome.foreign.first() {
        None => Ok(Exit::Fine),
        Some(first) => {
            let count = plural(outcome.foreign.len() as u64, "name");
            let message = format!("{count} taken by other files: {}", out.join(first).display());
            Err(Failure::new(Exit::CannotCreate, message)
                .hint("files that the export did not make are never touched; move them away")
                .into())
        }
    }
}

/// Brings the exported tree in the run directory up to date. Trouble only warns: the tree
/// can be exported again.
pub(super) fn renew(run: &RunDir, options: Options, ui: &Ui) {
    match export(run, &run.chapters(), options.templates, options.lock_timeout, ui) {
        Ok(outcome) => {
            if let Some(first) = outcome.foreign.first() {
                let path = run.chapters().join(first);
                ui.warn(&format!("{} is not the export's: it was left as it is", path.display()));
            }
        }
        Err(error) => ui.warn(&format!("chapters/ was not brought up to date: {error:#}")),
    }
}

/// What an export came to.
#[derive(Debug, Default)]
struct Outcome {
    files: u64,
    written: u64,
    removed: u64,
    /// Paths that are taken by files that the export did not make.
    foreign: Vec<String>,
}

/// Name of the list of what an export made, by which it knows its own files again.
const MANIFEST: &str = ".runlog-export.json";
/// Largest such list that is read, in bytes.
const MAX_MANIFEST: u64 = 256 << 20;
/// Largest page that is compared, in bytes.
const MAX_PAGE: u64 = 64 << 20;

#[derive(Debug, Default, Deserialize, Serialize)]
struct Manifest {
    schema_version: u32,
    /// The run whose chapters they are.
    run_id: String,
    /// SHA-256 of each file, or where a link leads, by its path.
    files: BTreeMap<String, String>,
}

/// Writes the tree: new files appear whole, changed ones are replaced whole, those of chapters
/// that are gone are removed, and whatever else lies there is left alone.
fn export(
    run: &RunDir,
    out: &Path,
    templates: &'static Templates,
    lock_timeout: Duration,
    ui: &Ui,
) -> anyhow::Result<Outcome> {
    make_dir(out)?;
    let _turn = turn(out, lock_timeout)?;
    // Only now: what another export saw may be older.
    let (index, _) = super::read(run, Index::new(templates), ui)?;
    let blobs = relative(out, &run.blobs());
    let log = file_of(run)?;
    let made = read_small(&out.join(MANIFEST), MAX_MANIFEST)?;
    let made: Manifest =
        made.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
    let list = List { out, run_id: run.name() };
    if !made.files.is_empty() && made.run_id != list.run_id {
        let message = format!("{} holds the chapters of the run {:?}", out.display(), made.run_id);
        return Err(Failure::new(Exit::CannotCreate, message)
            .hint("export to another directory, or remove that one")
            .into());
    }
    let made: BTreeMap<String, String> =
        made.files.into_iter().filter(|(path, _)| is_inside(path)).collect();
    let links = links(&index);
    // What was inside another chapter may be outermost again.
    for (path, target) in made.iter().filter(|(path, _)| links.get(*path) != made.get(*path)) {
        if is_link_to(&out.join(path), target) {
            let _ = std::fs::remove_file(out.join(path));
        }
    }
    let mut outcome = Outcome::default();
    let mut files = BTreeMap::new();
    let mut announced = false;
    for (path, node) in tree::files(&index) {
        let up = "../".repeat(path.matches('/').count());
        let bytes = content(run, &log, &index, node, &format!("{up}{blobs}/"))?.into_bytes();
        let hash = hex(&sha256(&bytes));
        let target = out.join(&path);
        let there = target.symlink_metadata().is_ok();
        let same = there
            && no_links(out, &path)
            && is_regular(&target)
            && read_small(&target, MAX_PAGE).is_ok_and(|old| old.as_deref() == Some(&*bytes));
        if there && !same && !made.contains_key(&path) {
            outcome.foreign.push(path);
            continue;
        }
        if !same {
            folders(out, &path)?;
            if !there && !std::mem::replace(&mut announced, true) {
                // Whatever happens from now on, new files are known as the export's.
                list.announce(&made, &index)?;
            }
            replace_read_only(&target, &bytes)?;
            outcome.written += 1;
        }
        outcome.files += 1;
        files.insert(path, hash);
    }
    for (path, hash) in made.iter().filter(|(path, _)| !files.contains_key(*path)) {
        let target = out.join(path);
        let own = no_links(out, path)
            && is_regular(&target)
            && read_small(&target, MAX_PAGE)
                .is_ok_and(|bytes| bytes.is_some_and(|bytes| hex(&sha256(&bytes)) == *hash));
        if own {
            std::fs::remove_file(&target).map_err(|error| FsError::io(&target, "remove", error))?;
            outcome.removed += 1;
        }
        // Folders that are empty now; others stay.
        for folder in folders_of(path) {
            let _ = std::fs::remove_dir(out.join(folder));
        }
    }
    for (path, target) in links {
        let place = out.join(&path);
        if place.symlink_metadata().is_err() {
            std::os::unix::fs::symlink(&target, &place)
                .map_err(|error| FsError::io(&place, "create", error))?;
        }
        if is_link_to(&place, &target) {
            files.insert(path, target);
        } else {
            outcome.foreign.push(path);
        }
    }
    sweep(out, files.keys());
    list.finish(files)?;
    Ok(outcome)
}

/// Removes what exports that were killed left in the folders of the tree.
fn sweep<'p>(out: &Path, files: impl Iterator<Item = &'p String>) {
    let folders: BTreeSet<&Path> = files.filter_map(|path| Path::new(path).parent()).collect();
    for folder in folders {
        let entries = std::fs::read_dir(out.join(folder)).into_iter().flatten().flatten();
        for entry in entries {
            if is_temporary(&entry.file_name()) && is_regular(&entry.path()) {
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }
}

/// Links at the places where chapters were before others enclosed them, so that a path that
/// an agent knows is found by `cat` too: path and target.
fn links(index: &Index) -> BTreeMap<String, String> {
    let inner = index.chapters.active().filter(|chapter| index.chapters.parent(chapter).is_some());
    let link = |chapter: &Chapter| {
        let path = index.chapters.path(chapter);
        (chapter.slug.clone(), path.trim_start_matches("/chapters/").to_owned())
    };
    inner.map(link).collect()
}

fn is_link_to(place: &Path, target: &str) -> bool {
    std::fs::read_link(place).is_ok_and(|there| there == Path::new(target))
}

/// The list of what an export made.
struct List<'o> {
    out: &'o Path,
    run_id: String,
}

impl List<'_> {
    /// Lists what there is and what will be, without hashes for the latter: an export that is
    /// cut off knows its files again.
    fn announce(&self, made: &BTreeMap<String, String>, index: &Index) -> anyhow::Result<()> {
        let mut files = made.clone();
        for (path, _) in tree::files(index) {
            if self.out.join(&path).symlink_metadata().is_err() {
                files.entry(path).or_default();
            }
        }
        self.write(files)
    }

    /// Lists what there is. The folder itself stays, since exports take turns by it.
    fn finish(&self, files: BTreeMap<String, String>) -> anyhow::Result<()> {
        if !files.is_empty() {
            return self.write(files);
        }
        let _ = std::fs::remove_file(self.out.join(MANIFEST));
        Ok(())
    }

    fn write(&self, files: BTreeMap<String, String>) -> anyhow::Result<()> {
        let run_id = self.run_id.clone();
        let bytes = serde_json::to_vec_pretty(&Manifest { schema_version: 1, run_id, files })?;
        let path = self.out.join(MANIFEST);
        let old = read_small(&path, MAX_MANIFEST)?;
        if old.as_deref() != Some(&bytes) {
            replace(&path, &bytes)?;
        }
        Ok(())
    }
}

/// Makes the folders of a file.
fn folders(out: &Path, path: &str) -> anyhow::Result<()> {
    let folders: Vec<&Path> = folders_of(path).collect();
    for folder in folders.into_iter().rev() {
        make_dir(&out.join(folder))?;
    }
    Ok(())
}

/// The folders of a file, the innermost first.
fn folders_of(path: &str) -> impl Iterator<Item = &Path> {
    Path::new(path).ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty())
}

/// Whether the folders of a file are folders, and not links to some.
fn no_links(out: &Path, path: &str) -> bool {
    folders_of(path).all(|folder| open_dir(&out.join(folder)).is_ok())
}

/// Waits until no other export writes there.
fn turn(out: &Path, lock_timeout: Duration) -> anyhow::Result<Turn> {
    const LOOK: Duration = Duration::from_millis(20);
    let turn = turn::take(out, Some(lock_timeout), |_| {
        std::thread::sleep(LOOK);
        Ok(true)
    })?;
    match turn {
        Turn::Ours { .. } | Turn::Stopped => Ok(turn),
        Turn::Late => {
            let message = format!("another export writes to {}", out.display());
            Err(Failure::new(Exit::Busy, message).hint("try again").into())
        }
    }
}

/// Whether a path of a list leads nowhere else.
fn is_inside(path: &str) -> bool {
    Path::new(path).components().all(|part| matches!(part, Component::Normal(_)))
}

/// The path from a directory to another place: `..` for each folder that only the former has.
fn relative(from: &Path, to: &Path) -> String {
    let full = |path: &Path| {
        let parent = match path.parent() {
            Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
            Some(parent) => parent,
            None => path,
        };
        let parent = parent.canonicalize().unwrap_or_else(|_| parent.to_owned());
        path.file_name().map_or_else(|| parent.clone(), |name| parent.join(name))
    };
    let (from, to) = (full(from), full(to));
    let shared = from.components().zip(to.components()).take_while(|(one, other)| one == other);
    let shared = shared.count();
    let up = from.components().skip(shared).map(|_| "..".to_owned());
    let down = to.components().skip(shared);
    let down = down.map(|part| part.as_os_str().to_string_lossy().into_owned());
    uri::relative(&up.chain(down).collect::<Vec<_>>().join("/"))
}

/// The log, to read pages from.
pub(super) fn file_of(run: &RunDir) -> anyhow::Result<File> {
    Ok(open_regular(&run.events(), Access::Read)?)
}

/// What a file of the tree holds; `blobs` is the way from it to the large values.
pub(super) fn content(
    run: &RunDir,
    log: &File,
    index: &Index,
    node: Node<'_>,
    blobs: &str,
) -> anyhow::Result<String> {
    let entry = match node {
        Node::Summary(chapter) => return Ok(tree::summary(chapter)),
        Node::Event(_, entry) => entry,
        Node::Chapters(_) | Node::Chapter(_) | Node::Events(_) => return Ok(String::new()),
    };
    let line = line_at(&run.events(), log, entry.offset)?;
    let event = envelope::parse(&line).map_err(|_| {
        Failure::new(Exit::Damaged, format!("event {} has changed", entry.sequence))
    })?;
    Ok(page(&View::of(&event), index.backfills.effective(&event), blobs))
}
