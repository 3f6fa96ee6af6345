//! Overhead: seconds per stage and step that were not spent on evaluations.

use serde::Serialize;
use spargo::Result;
use spargo::study::{ModelReport, StepReport, Study};

/// Largest number of bars.
const MOST: usize = 150;

#[derive(Serialize)]
pub struct Overhead {
    steps: usize,
    total_s: f64,
    /// Consecutive steps, averaged in groups if there are many.
    groups: Vec<Group>,
    /// Number of steps without a model, and the reason of the last one.
    without_model: Option<(usize, String)>,
}

#[derive(Serialize)]
struct Group {
    /// Numbers of the first and the last step.
    steps: (u64, u64),
    /// Points per step.
    asked: f64,
    /// Seconds per step.
    allocate: f64,
    fit: f64,
    acquire: f64,
    other: f64,
}

impl Overhead {
    /// The overhead; none before the first ask.
    pub fn of(study: &Study) -> Result<Option<Self>> {
        let reports = study.reports()?;
        if reports.is_empty() {
            return Ok(None);
        }
        let without: Vec<&String> = reports.iter().filter_map(|report| report.without_model.as_ref()).collect();
        Ok(Some(Overhead {
            steps: reports.len(),
            total_s: reports.iter().map(|report| report.total_s).sum(),
            groups: reports.chunks(reports.len().div_ceil(MOST)).map(Group::of).collect(),
            without_model: without.last().map(|reason| (without.len(), reason.to_string())),
        }))
    }
}

impl Group {
    fn of(reports: &[StepReport]) -> Self {
        let average = |of: &dyn Fn(&StepReport) -> f64| reports.iter().map(of).sum::<f64>() / reports.len() as f64;
        let models = |of: fn(&ModelReport) -> f64| average(&|report| report.models.iter().map(of).sum());
        let (allocate, fit) = (models(|model| model.allocate_s), models(|model| model.fit_s));
        let acquire = average(&|report| report.acquire_s);
        Group {
            steps: (reports[0].step, reports[reports.len() - 1].step),
            asked: average(&|report| report.asked as f64),
            allocate,
            fit,
            acquire,
            // A model may have been fitted before the ask, to show the best point.
            other: (average(&|report| report.total_s) - allocate - fit - acquire).max(0.0),
        }
    }
}
