//! Text on standard output and standard error, through which all that commands print goes.
//!
//! ```text
//!     for people       control characters, which a terminal would obey, are escaped
//!     for programs     tables, JSON and scripts: byte by byte, except on a terminal, where they are escaped as well
//! ```

use crate::io::output::excerpt::printable;
use miette::{IntoDiagnostic, Result, WrapErr};
use rustix::fs::{OFlags, fcntl_getfl};
use serde_json::json;
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::sync::LazyLock;

/// Whether this command was called with `--json`: what it says on standard error is JSON as well, usage errors among it.
static JSON: LazyLock<bool> =
    LazyLock::new(|| std::env::args_os().skip(1).take_while(|word| word != "--").any(|word| word == "--json"));

/// Whether this command was called with `--json`.
pub fn is_json() -> bool {
    *JSON
}

/// Prints text for people; a closed pipe (`spargo status … | head`) is no error.
pub fn print(text: &str) -> Result<()> {
    unless_closed(write_bytes(printable(text).as_bytes()))
}

/// Prints text for programs; a closed pipe (`spargo export … | head`) is no error.
pub fn print_data(text: &str) -> Result<()> {
    unless_closed(write(text))
}

/// Prints text for programs; a closed pipe is an error.
pub fn write(text: &str) -> io::Result<()> {
    let text = if io::stdout().is_terminal() { printable(text) } else { Cow::Borrowed(text) };
    write_bytes(text.as_bytes())
}

/// Prints text for programs that nothing else keeps; a pipe that is closed, or a standard output that was closed from
/// the start, is an error.
pub fn deliver(text: &str) -> io::Result<()> {
    if starts_closed() {
        return Err(io::Error::new(ErrorKind::BrokenPipe, "it is closed"));
    }
    write(text)
}

/// Prints a line to standard error, as a JSON object if the command speaks JSON; errors are ignored.
pub fn note(text: &str) {
    let line = if is_json() { json!({ "note": text }).to_string() } else { printable(text).into_owned() };
    write_error(&line);
}

/// Prints a line to standard error as it is; errors are ignored.
pub fn write_error(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

fn write_bytes(bytes: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes)?;
    stdout.flush()
}

fn unless_closed(written: io::Result<()>) -> Result<()> {
    match written {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written.into_diagnostic().wrap_err("cannot write to standard output"),
    }
}

/// Whether standard output was closed when the process started (`>&-`).
///
/// Rust opens /dev/null for reading and writing in its place, whereas a shell's `> /dev/null` is opened for writing only.
fn starts_closed() -> bool {
    let stdout = io::stdout();
    let device = |file: File| file.metadata().map(|file| file.rdev());
    let ours = stdout.as_fd().try_clone_to_owned().map(File::from).and_then(device);
    let null = File::open("/dev/null").and_then(device);
    let flags = fcntl_getfl(&stdout);
    matches!((ours, null, flags), (Ok(ours), Ok(null), Ok(flags))
        if ours == null && flags & OFlags::ACCMODE == OFlags::RDWR)
}
