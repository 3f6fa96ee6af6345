//! A study as one page that opens offline: `spargo report`, and `Study.report` in Python.
//!
//! One file per section gathers its data, and the script of the same name in page/ draws it.
#![warn(missing_docs)]

mod axis;
mod classes;
mod front;
mod inducing;
mod model;
mod overhead;
mod overview;
mod page;
mod runs;
mod sample;
mod slices;
mod trials;

use axis::{Axis, Inputs};
use serde::Serialize;
use spargo::Result;
use spargo::study::Study;

/// The page of a study: what was found, what the models predict, what it cost.
pub fn html(study: &mut Study) -> Result<String> {
    page::html(&Data::of(study)?)
}

/// The content of the page: a tab per section that is present, in this order.
#[derive(Serialize)]
struct Data {
    /// Version of spargo.
    version: &'static str,
    inputs: Vec<Axis>,
    /// Number of inputs that are not listed because there are too many.
    hidden: usize,
    /// Whether inputs depend on each other.
    constrained: bool,
    outputs: Vec<Axis>,
    /// Why there is no model, if there is none.
    without_model: Option<String>,
    overview: overview::Overview,
    /// For several objectives.
    front: Option<front::Front>,
    /// For classes.
    classes: Option<classes::Classes>,
    /// One section per output.
    model: Option<Vec<model::Model>>,
    slices: Option<Vec<slices::Slices>>,
    inducing: Option<Vec<inducing::Inducing>>,
    overhead: Option<overhead::Overhead>,
    /// Of studies that `spargo run`, or Python's `optimize`, evaluates.
    runs: Option<runs::Runs>,
    trials: Option<trials::Trials>,
}

impl Data {
    fn of(study: &mut Study) -> Result<Self> {
        let without_model = without_model(study);
        let through = if without_model.is_none() { slices::Through::of(study)? } else { None };
        let outputs = if through.is_some() { study.config().outputs.len() } else { 0 };
        let importance = importance(study, outputs)?;
        let inputs = Inputs::of(study.config(), &importance);
        let (mut classes, mut slices) = (None, Vec::new());
        if let Some(through) = &through {
            classes = classes::Classes::of(study, &inputs, &importance, through)?;
            slices = each(outputs, |k| slices::Slices::of(study, k, &inputs, through))?;
        }
        Ok(Data {
            version: env!("CARGO_PKG_VERSION"),
            hidden: inputs.hidden,
            constrained: study.config().space.is_constrained(),
            outputs: study.config().outputs.iter().map(Axis::of_output).collect(),
            overview: overview::Overview::of(study, &inputs)?,
            front: if outputs > 0 { front::Front::of(study, &inputs)? } else { None },
            classes,
            model: some(each(outputs, |k| model::Model::of(study, k, &inputs))?),
            slices: some(slices),
            inducing: some(each(outputs, |k| inducing::Inducing::of(study, k, &inputs))?),
            overhead: overhead::Overhead::of(study)?,
            runs: runs::Runs::of(study),
            trials: trials::Trials::of(study, &inputs)?,
            inputs: inputs.axes,
            without_model,
        })
    }
}

/// Why no models are shown; `None` if every output has one.
fn without_model(study: &mut Study) -> Option<String> {
    let all = study.config().outputs.iter().enumerate();
    let empty: Vec<&str> =
        all.filter(|(k, _)| sample::values_of(study, *k).is_empty()).map(|(_, output)| output.name.as_str()).collect();
    if empty.len() == study.config().outputs.len() {
        return Some("There is no outcome yet, so there is nothing to model.".into());
    }
    if !empty.is_empty() {
        return Some(format!(
            "There is no outcome of {} yet: models are shown once every output has one.",
            empty.join(", ")
        ));
    }
    study.model_reports().err().map(|error| format!("No model could be made: {error}"))
}

/// The largest importance of each input for any of the outputs.
fn importance(study: &mut Study, outputs: usize) -> Result<Vec<f64>> {
    let mut largest: Vec<f64> = Vec::new();
    for k in 0..outputs {
        let own = study.importance(k)?;
        largest.resize(own.len(), 0.0);
        largest.iter_mut().zip(own).for_each(|(largest, own)| *largest = largest.max(own));
    }
    Ok(largest)
}

/// One section per output.
fn each<T>(outputs: usize, section: impl FnMut(usize) -> Result<T>) -> Result<Vec<T>> {
    (0..outputs).map(section).collect()
}

fn some<T>(sections: Vec<T>) -> Option<Vec<T>> {
    (!sections.is_empty()).then_some(sections)
}
