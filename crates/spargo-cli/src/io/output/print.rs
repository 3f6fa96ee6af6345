//! Text on standard output.

use miette::{IntoDiagnostic, Result, WrapErr};
use std::io::{self, ErrorKind, Write};

/// Prints to standard output; a closed pipe (`spargo export … | head`) is no error.
pub fn print(text: &str) -> Result<()> {
    match write(text) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written.into_diagnostic().wrap_err("cannot write to standard output"),
    }
}

/// Prints to standard output; a closed pipe is an error.
pub fn write(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}

/// Prints a line to standard error, ignoring errors.
pub fn note(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}
