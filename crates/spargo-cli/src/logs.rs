//! `-v`: what happens, on standard error.

use spargo::study::StepReport;
use tracing::level_filters::LevelFilter;
use tracing::{info, warn};

/// Says more the more often `-v` was given.
pub fn start(verbosity: u8) {
    let level = match verbosity {
        0 => LevelFilter::WARN,
        1 => LevelFilter::INFO,
        _ => LevelFilter::DEBUG,
    };
    tracing_subscriber::fmt().with_max_level(level).with_target(false).with_writer(std::io::stderr).init();
}

/// What a step did.
pub fn log_step(report: &StepReport) {
    let StepReport { step, asked, design, acquire_s, total_s, replaced, .. } = report;
    info!(
        "step {step}: {asked} points in {total_s:.3} s ({acquire_s:.3} s to acquire them); {design} without a model, \
         {replaced} replaced"
    );
    for model in &report.models {
        info!(
            "step {step}: {:?} model of {}, {} observations, {} inducing points, {:?}: allocated in {:.3} s, fitted in {:.3} s",
            model.inference,
            model.output,
            model.observations,
            model.inducing,
            model.warp,
            model.allocate_s,
            model.fit_s
        );
        if let Some(fit) = &model.fit {
            info!(
                "step {step}: {} evaluations in {} iterations, stopped by {:?}, jitter {:e}",
                fit.evaluations, fit.iterations, fit.stop, fit.jitter
            );
            if let Some(reason) = &fit.kept {
                warn!("step {step}: the last hyperparameters are kept: {reason}");
            }
        }
    }
    if let Some(reason) = &report.without_model {
        warn!("step {step}: no model chose these points: {reason}");
    }
}
