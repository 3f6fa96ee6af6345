//! Ctrl-C and other signals: the first one ends the run in order, the second one at once.

use super::supervisor::Supervisor;
use super::worker_pool::Event;
use miette::{IntoDiagnostic, Result, WrapErr};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::io::{IsTerminal, stderr};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread;

/// Stops the children at a signal, and sends it as an event.
pub fn listen(supervisor: &Arc<Supervisor>, events: &Sender<Event>) -> Result<()> {
    // A run under nohup survives its terminal.
    let hang_up = (!ignores_hang_up()).then_some(SIGHUP);
    let wanted = [SIGINT, SIGTERM].into_iter().chain(hang_up);
    let mut signals = Signals::new(wanted).into_diagnostic().wrap_err("cannot listen for signals")?;
    let (supervisor, events) = (supervisor.clone(), events.clone());
    thread::spawn(move || {
        for signal in signals.forever() {
            if supervisor.stopped() {
                std::process::exit(exit_code(signal));
            }
            supervisor.stop();
            // Without a receiver the run is over.
            let _ = events.send(Event::Signal(signal));
        }
    });
    Ok(())
}

/// Whether this process was started with SIGHUP ignored, as by nohup.
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

/// The exit code that shells report for a process ended by this signal.
pub fn exit_code(signal: i32) -> i32 {
    128 + signal
}
