//! Executable files that a test writes and starts.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// Writes an executable file.
///
/// A child process writes it. If the test wrote it, a process that another test starts at that
/// moment would have the file open for writing until it executes its own program, and Linux
/// refuses to execute such a file (`ETXTBSY`).
pub(crate) fn put_executable(path: &Path, content: &[u8]) {
    let mut writer = Command::new("/bin/sh")
        .args(["-c", "cat > \"$0\" && chmod 755 \"$0\""])
        .arg(path)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    writer.stdin.take().unwrap().write_all(content).unwrap();
    assert!(writer.wait().unwrap().success(), "{}", path.display());
}
