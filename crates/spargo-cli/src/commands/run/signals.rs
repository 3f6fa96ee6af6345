//! Ctrl-C and its relatives: the first one ends the run in order, the second one at once.

use super::crew::Event;
use super::watch::Watch;
use miette::{IntoDiagnostic, Result, WrapErr};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::io::{IsTerminal, stderr};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread;

/// Stops the children at a signal, and reports it.
pub fn listen(watch: &Arc<Watch>, events: &Sender<Event>) -> Result<()> {
    // Who runs it under nohup wants it to survive the terminal.
    let hang_up = (!ignores_hang_up()).then_some(SIGHUP);
    let wanted = [SIGINT, SIGTERM].into_iter().chain(hang_up);
    let mut signals = Signals::new(wanted).into_diagnostic().wrap_err("cannot listen for signals")?;
    let (watch, events) = (watch.clone(), events.clone());
    thread::spawn(move || {
        for signal in signals.forever() {
            if watch.stopped() {
                std::process::exit(exit_code(signal));
            }
            watch.stop();
            // If nobody receives it, the run is over.
            let _ = events.send(Event::Signal(signal));
        }
    });
    Ok(())
}

/// Whether whoever started this process has it ignore SIGHUP, as nohup does.
fn ignores_hang_up() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").ok();
    let mask = status.as_deref().and_then(|status| {
        let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
        u64::from_str_radix(ignored.trim(), 16).ok()
    });
    match mask {
        Some(mask) => mask >> (SIGHUP - 1) & 1 == 1,
        // Elsewhere than on Linux: nohup leaves no terminal.
        None => !stderr().is_terminal(),
    }
}

/// What shells report of a process that a signal ended.
pub fn exit_code(signal: i32) -> i32 {
    128 + signal
}
