//! The runs directory on the disk.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use nix::sys::statfs::{Statfs, statfs};

use crate::fs::{reason, retried};

/// What the runs directory is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RunsDirState {
    /// A directory.
    Exists,
    /// Nothing yet. It will be created in this directory.
    WillBeCreated(PathBuf),
    /// Something else, or below something else.
    NotDirectory(PathBuf),
    /// It cannot be inspected, for this reason.
    Unreadable(String),
}

/// What the runs directory is.
pub(super) fn state(path: &Path) -> RunsDirState {
    for (number, directory) in path.ancestors().enumerate() {
        match retried(|| directory.metadata()) {
            Ok(found) if !found.is_dir() => {
                return RunsDirState::NotDirectory(directory.to_owned());
            }
            Ok(_) if number == 0 => return RunsDirState::Exists,
            Ok(_) => return RunsDirState::WillBeCreated(directory.to_owned()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            // A file is in the place of a directory on the way. The next one up shows it.
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => {}
            Err(error) => return RunsDirState::Unreadable(reason(&error)),
        }
    }
    RunsDirState::Unreadable("no directory on the way exists".to_owned())
}

/// Writes a byte to a file without a name, which is gone when it is closed.
///
/// # Errors
/// Why nothing can be written there.
pub(super) fn try_to_write(directory: &Path) -> Result<(), String> {
    let written = tempfile::tempfile_in(directory).and_then(|mut file| file.write_all(b"\n"));
    written.map_err(|error| match error.get_ref() {
        // The error of the crate repeats the path of its file.
        Some(_) => io::Error::from(error.kind()).to_string(),
        None => reason(&error),
    })
}

/// The name of the network file system in which a directory is. `None` if it is local or unknown.
pub(super) fn network_file_system(directory: &Path) -> Option<String> {
    statfs(directory).ok().and_then(|found| network_name(&found))
}

/// The numbers of network file systems in Linux.
#[cfg(any(target_os = "linux", target_os = "android"))]
const NETWORK: &[(u32, &str)] = &[
    (0x6969, "NFS"),
    (0x517b, "SMB"),
    (0xff53_4d42, "SMB"),
    (0xfe53_4d42, "SMB"),
    (0x5346_414f, "AFS"),
    (0x6b41_4653, "AFS"),
    (0x7375_7245, "Coda"),
    (0x00c3_6400, "Ceph"),
    (0x0102_1997, "9P"),
];

#[cfg(any(target_os = "linux", target_os = "android"))]
fn network_name(found: &Statfs) -> Option<String> {
    use nix::sys::statfs::FsType;
    let kind = found.filesystem_type();
    let known = NETWORK.iter().find(|(number, _)| FsType(*number as _) == kind);
    known.map(|(_, name)| (*name).to_owned())
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn network_name(found: &Statfs) -> Option<String> {
    const KNOWN: &[&str] = &["nfs", "smbfs", "afpfs", "webdav", "cifs", "9p"];
    let name = found.filesystem_type_name();
    KNOWN.contains(&name).then(|| name.to_owned())
}
