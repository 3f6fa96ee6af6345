//! What is known of a trial's outputs, put together with what is told.

use crate::study::{Measurement, Outcome};

/// Refuses, as damage, what no study writes.
pub(super) fn check_measurements(
    trial: u64,
    measurements: &[Measurement],
    outputs: usize,
) -> std::result::Result<(), String> {
    let is_sound = |m: &Measurement| match m {
        Measurement::Observed { value, variance } => {
            value.is_finite() && variance.is_none_or(|variance| variance.is_finite() && variance > 0.0)
        }
        _ => true,
    };
    if measurements.len() != outputs {
        let found = measurements.len();
        return Err(format!("has {found} values of trial {trial}, which has {outputs} outputs"));
    }
    if measurements.iter().all(is_sound) {
        Ok(())
    } else {
        Err(format!("has an outcome of trial {trial} that is no number"))
    }
}

/// What is known once an outcome was told; `None` if it contradicts what is known.
pub(super) fn merged(known: &[Measurement], outcome: &Outcome) -> Option<Vec<Measurement>> {
    match outcome {
        Outcome::Measured(measurements) => {
            let one = |(known, new): (&Measurement, &Measurement)| match known {
                Measurement::Pending => Some(new.clone()),
                _ => (new.is_pending() || known.agrees_with(new)).then(|| known.clone()),
            };
            known.iter().zip(measurements).map(one).collect()
        }
        Outcome::Failed { reason } => {
            let says_so = known.iter().any(|m| !matches!(m, Measurement::Observed { .. }));
            let failed = |m: &Measurement| if m.is_pending() { Measurement::failed(reason) } else { m.clone() };
            says_so.then(|| known.iter().map(failed).collect())
        }
    }
}

/// The outcome that makes `new` of `known`.
pub(super) fn difference(known: &[Measurement], new: &[Measurement], outcome: &Outcome) -> Outcome {
    match outcome {
        Outcome::Failed { .. } => outcome.clone(),
        Outcome::Measured(_) => {
            let one = |(known, new): (&Measurement, &Measurement)| {
                if known.is_pending() { new.clone() } else { Measurement::Pending }
            };
            Outcome::Measured(known.iter().zip(new).map(one).collect())
        }
    }
}
