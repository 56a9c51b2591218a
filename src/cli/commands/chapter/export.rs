//! `runlog chapter export`: the chapters' tree as read-only files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;

use super::exported::{
    MANIFEST, MAX_MANIFEST, MAX_PAGE, Manifest, content, file_of, folders_of, is_inside,
    is_link_to, links, no_links, relative, upward,
};
use crate::chapter::index::Index;
use crate::chapter::tree;
use crate::cli::commands::{Global, RunArg, duration};
use crate::cli::exit::{Exit, Failure, sentence};
use crate::cli::turn::{self, Turn};
use crate::cli::ui::Ui;
use crate::event::hash::{hex, sha256};
use crate::event::templates::Templates;
use crate::fs::{
    FsError, is_regular, is_temporary, make_dir, read_small, replace, replace_read_only,
};
use crate::render::human::plural;
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
pub(super) fn renew(run: &RunDir, options: &Options, ui: &Ui) {
    if let Err(error) = rebuild(run, options, ui) {
        ui.warn(&format!("chapters/ was not brought up to date: {}", sentence(&error)));
    }
}

/// Brings the exported tree in the run directory up to date.
pub(in crate::cli::commands) fn rebuild(
    run: &RunDir,
    options: &Options,
    ui: &Ui,
) -> anyhow::Result<()> {
    let outcome = export(run, &run.chapters(), options.templates, options.lock_timeout, ui)?;
    match outcome.foreign.first() {
        None => Ok(()),
        Some(first) => {
            let path = run.chapters().join(first);
            anyhow::bail!("{} is not the export's: it was left as it is", path.display())
        }
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
    let made = Manifest::read(out)?;
    let list = List { out, run_id: index.run_id.clone() };
    // In the run directory itself the list is wrong, not the place.
    if out != run.chapters() && !made.files.is_empty() && made.run_id != list.run_id {
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
        let bytes = content(run, &log, &index, node, &upward(&path, &blobs))?.into_bytes();
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
        let bytes = Manifest { schema_version: 1, run_id: self.run_id.clone(), files }.to_bytes();
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
