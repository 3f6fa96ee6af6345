//! Log lines on standard error (`-v`).

use crate::io::output::count::counted;
use crate::io::output::print::note;
use miette::{IntoDiagnostic, Result};
use spargo::study::{StepReport, Study};
use std::io;
use tracing::level_filters::LevelFilter;
use tracing::{Level, info, warn};

/// Sets the level of logging by how often `-v` was given.
pub fn start(verbosity: u8) {
    let level = match verbosity {
        0 => LevelFilter::WARN,
        1 => LevelFilter::INFO,
        _ => LevelFilter::DEBUG,
    };
    tracing_subscriber::fmt().with_max_level(level).with_target(false).with_writer(|| LogLines).init();
}

/// Log lines as notes on standard error, which is not an error if it is closed.
struct LogLines;

impl io::Write for LogLines {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        note(String::from_utf8_lossy(line).trim_end());
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Logs the last step of a study.
pub fn log_last_step(study: &Study) -> Result<()> {
    if tracing::enabled!(Level::INFO) {
        study.reports().into_diagnostic()?.last().into_iter().for_each(log_step);
    }
    Ok(())
}

fn log_step(report: &StepReport) {
    let StepReport { step, asked, design, acquire_s, total_s, replaced, .. } = report;
    info!(
        "step {step}: {} in {total_s:.3} s ({acquire_s:.3} s to acquire them); {design} without a model, \
         {replaced} replaced",
        counted(*asked, "point")
    );
    for model in &report.models {
        info!(
            "step {step}: {:?} model of {}, {}, {}, {:?}: allocated in {:.3} s, fitted in {:.3} s",
            model.inference,
            model.output,
            counted(model.observations, "observation"),
            counted(model.inducing, "inducing point"),
            model.warp,
            model.allocate_s,
            model.fit_s
        );
        if let Some(fit) = &model.fit {
            info!(
                "step {step}: {} in {}, stopped by {:?}, jitter {:e}",
                counted(fit.evaluations, "evaluation"),
                counted(fit.iterations, "iteration"),
                fit.stop,
                fit.jitter
            );
            if let Some(reason) = &fit.kept {
                warn!("step {step}: the last hyperparameters are kept: {reason}");
            }
        }
    }
    if let Some(reason) = &report.without_model {
        warn!("step {step}: these points were chosen without a model: {reason}");
    }
}
