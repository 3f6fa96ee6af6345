//! What the machine can tell: peak memory, and how many threads to use.

use miette::{IntoDiagnostic, Result};

/// The largest resident set of this process so far, in MB (10⁶ bytes); unknown outside Linux.
pub fn peak_rss_mb() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: f64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kibibytes * 1024.0 / 1e6)
}

/// Runs `work` on this many threads; 0 means one a core.
pub fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> Result<T> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().into_diagnostic()?;
    Ok(pool.install(work))
}
