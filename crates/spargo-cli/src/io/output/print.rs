//! Text on standard output.

use miette::{IntoDiagnostic, Result, WrapErr};
use std::io::{self, ErrorKind, Write};

/// Prints; a reader who has seen enough (`spargo export … | head`) is no fault.
pub fn print(text: &str) -> Result<()> {
    match write(text) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written.into_diagnostic().wrap_err("cannot write to standard output"),
    }
}

/// Prints, and says if nobody reads it.
pub fn write(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}

/// Says something on standard error, if anybody listens.
pub fn note(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}
