//! A bar on a terminal while a command works for long on a large table.

use crate::io::output::print::is_json;
use indicatif::{ProgressBar, ProgressStyle};
use std::time::Duration;

/// Rows from which a command takes long enough for a bar.
const LEAST_ROWS: usize = 20_000;

/// How far a command is; shown on a terminal only, and removed when it ends.
pub struct LongWork(ProgressBar);

impl LongWork {
    /// Work on so many rows.
    pub fn on(rows: usize) -> Self {
        if rows < LEAST_ROWS || is_json() {
            return LongWork(ProgressBar::hidden());
        }
        // It writes to standard error, and hides itself where that is no terminal.
        let bar = ProgressBar::new(rows as u64);
        let style = ProgressStyle::with_template("{bar:12} {pos}/{len} rows  {msg}  {elapsed}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.enable_steady_tick(Duration::from_millis(200));
        LongWork(bar)
    }

    /// More rows are done.
    pub fn advance(&self, rows: usize) {
        self.0.inc(rows as u64);
    }

    /// What is done now.
    pub fn say(&self, what: &'static str) {
        self.0.set_message(what);
    }
}

impl Drop for LongWork {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
