//! `spargo report`: a study as one page that opens offline.

mod axis;
mod inducing;
mod model;
mod overhead;
mod overview;
mod page;
mod sample;
mod slices;
mod trials;

use crate::files::write_file;
use crate::place;
use crate::print::print;
use axis::{Axis, Inputs};
use clap::Args;
use miette::{Context, IntoDiagnostic, Result};
use serde::Serialize;
use spargo::study::Study;
use std::path::PathBuf;

/// Arguments of `spargo report`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  spargo report study.toml
  spargo report coupling.db --output coupling.html")]
pub struct Report {
    /// The study file, or its database
    study: PathBuf,
    /// Where the page goes
    #[arg(short, long, default_value = "report.html")]
    output: PathBuf,
}

impl Report {
    pub fn run(self) -> Result<()> {
        let mut place = place::readable(&self.study)?;
        let data =
            Data::of(&mut place.study).wrap_err_with(|| format!("{} cannot be reported", self.study.display()))?;
        let page = page::html(&data)?;
        write_file(&self.output, page.as_bytes(), &place.inputs())?;
        let (trials, kilobytes) = (place.study.history().records().len(), page.len().div_ceil(1000));
        print(&format!("report of {trials} trials written to {} ({kilobytes} kB)\n", self.output.display()))
    }
}

/// All that the page shows: a tab for each section that is there, in this order.
#[derive(Serialize)]
struct Data {
    /// Of the program that wrote it.
    version: &'static str,
    inputs: Vec<Axis>,
    /// Inputs that are not listed because there are too many.
    hidden: usize,
    output: Axis,
    /// Why there is no model, if there is none.
    without_model: Option<String>,
    overview: overview::Overview,
    model: Option<model::Model>,
    slices: Option<slices::Slices>,
    inducing: Option<inducing::Inducing>,
    overhead: Option<overhead::Overhead>,
    trials: Option<trials::Trials>,
}

impl Data {
    fn of(study: &mut Study) -> Result<Self> {
        let without_model = match study.best() {
            Ok(Some(_)) => None,
            Ok(None) => Some("No outcome has been told yet, so there is nothing to model.".into()),
            Err(error) => Some(format!("No model could be made: {error}")),
        };
        let modelled = without_model.is_none();
        let importance = if modelled { study.importance(0).into_diagnostic()? } else { Vec::new() };
        let inputs = Inputs::of(study.config(), &importance);
        Ok(Data {
            version: env!("CARGO_PKG_VERSION"),
            hidden: inputs.hidden,
            output: Axis::of_output(study.config()),
            overview: overview::Overview::of(study, &inputs)?,
            model: modelled.then(|| model::Model::of(study, &inputs, &importance)).transpose()?,
            slices: if modelled { slices::Slices::of(study, &inputs)? } else { None },
            inducing: modelled.then(|| inducing::Inducing::of(study, &inputs)).transpose()?,
            overhead: overhead::Overhead::of(study)?,
            trials: trials::Trials::of(study, &inputs)?,
            inputs: inputs.axes,
            without_model,
        })
    }
}
