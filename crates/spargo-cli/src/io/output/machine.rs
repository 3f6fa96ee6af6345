//! What the machine can tell, and the arguments by which every command is run: how many threads, and who reads on.

use crate::io::output::print::print;
use clap::Args;
use miette::{IntoDiagnostic, Result, miette};
use serde::Serialize;
use std::fmt::Display;

/// Arguments that every command shares.
#[derive(Args)]
pub struct Run {
    /// Threads; 0 means one a core
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

impl Run {
    /// Runs `work` on these threads and prints what it returns.
    pub fn print<T: Serialize + Display + Send>(&self, work: impl FnOnce() -> Result<T> + Send) -> Result<()> {
        if self.threads > MOST_THREADS {
            return Err(miette!(
                "--threads {} is more than {MOST_THREADS}: give as many as there are cores",
                self.threads
            ));
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads).build().into_diagnostic()?;
        let report = pool.install(work)?;
        let text = if self.json { serde_json::to_string(&report).into_diagnostic()? } else { report.to_string() };
        print(&(text + "\n"))
    }
}

/// More would only wait for each other.
const MOST_THREADS: usize = 1024;

/// The largest resident set of this process so far, in MB (10⁶ bytes); unknown outside Linux.
pub fn peak_rss_mb() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: f64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kibibytes * 1024.0 / 1e6)
}
