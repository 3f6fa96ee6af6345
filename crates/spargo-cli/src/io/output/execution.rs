//! How a command is executed: its threads, and the form of its output.

use crate::io::output::excerpt::printable;
use crate::io::output::files::STANDARD_STREAM;
use crate::io::output::print::{print, print_data, write_error};
use clap::Args;
use miette::{IntoDiagnostic, Result, miette};
use serde::Serialize;
use std::fmt::Display;
use std::path::Path;

/// Largest number of threads: more would only wait for each other.
const MOST_THREADS: usize = 1024;

/// `--threads`.
#[derive(Args, Clone, Copy)]
pub struct Threads {
    /// Number of threads; 0 for one per core
    #[arg(long, default_value_t = 0, value_name = "N")]
    threads: usize,
}

/// `--threads` and `--json`.
#[derive(Args)]
pub struct Execution {
    #[command(flatten)]
    threads: Threads,
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
}

impl Threads {
    /// Runs `work` on these threads.
    pub fn install<T: Send>(self, work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
        if self.threads > MOST_THREADS {
            return Err(miette!(
                "--threads {} is more than {MOST_THREADS}: give the number of cores at most",
                self.threads
            ));
        }
        rayon::ThreadPoolBuilder::new().num_threads(self.threads).build().into_diagnostic()?.install(work)
    }
}

impl Execution {
    /// Runs `work` on these threads and prints what it returns.
    pub fn print<T: Serialize + Display + Send>(&self, work: impl FnOnce() -> Result<T> + Send) -> Result<()> {
        self.print_beside(None, work)
    }

    /// Runs `work`, which may write to this destination, and prints what it returns: on standard error if `work` has written to
    /// standard output.
    pub fn print_beside<T: Serialize + Display + Send>(
        &self,
        destination: Option<&Path>,
        work: impl FnOnce() -> Result<T> + Send,
    ) -> Result<()> {
        let found = self.threads.install(work)?;
        if destination == Some(Path::new(STANDARD_STREAM)) {
            let text = if self.json { serde_json::to_string(&found).into_diagnostic()? } else { found.to_string() };
            write_error(&printable(&text));
            return Ok(());
        }
        if self.json {
            print_data(&(serde_json::to_string(&found).into_diagnostic()? + "\n"))
        } else {
            print(&format!("{found}\n"))
        }
    }
}

/// The largest resident set of this process so far, in MB (10⁶ bytes); unknown outside Linux.
pub fn peak_rss_mb() -> Option<f64> {
    memory_mb("VmHWM:")
}

/// The resident set of this process, in MB (10⁶ bytes); unknown outside Linux.
pub fn rss_mb() -> Option<f64> {
    memory_mb("VmRSS:")
}

fn memory_mb(name: &str) -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: f64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kibibytes * 1024.0 / 1e6)
}
