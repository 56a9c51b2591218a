//! The `runlog` program; everything is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    runlog::internals::cli::main()
}
