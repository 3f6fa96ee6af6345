//! The figures: a record of three functions each.
//!
//! A new one is a file here with its record, and a line of [`ALL`].

mod ablation;
mod allocations;
mod bounds;
mod ent;
mod fronts;
mod malaria;
mod overhead;
mod quality;
mod radiator;
mod regret;
mod toy;
mod zdt3;

use crate::error::{Error, Result};
use crate::options::Options;
use crate::rows::{Row, Rows};
use crate::runner::JobList;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// One figure of the paper.
#[derive(Debug, Clone, Copy)]
pub struct Figure {
    /// The word by which it is asked for.
    pub name: &'static str,
    /// What it shows, and where the paper has it.
    pub shows: &'static str,
    /// The kind of its rows; figures of one kind share them.
    pub kind: &'static str,
    /// The settings of all jobs.
    pub jobs: fn(&Options) -> Result<Vec<Value>>,
    /// What comes of one job. All that it depends on is in its settings; of the options it takes the map that they name.
    pub run: fn(&Value, &Options) -> Result<Value>,
    /// Writes drawings and tables into a folder; returns them.
    pub draw: fn(&[Row], &Path) -> Result<Vec<PathBuf>>,
}

/// A figure, and what is wanted of it.
#[derive(Debug, Clone, Copy)]
pub struct FigureRequest<'a> {
    /// The figure.
    pub figure: &'a Figure,
    /// The part that is wanted.
    pub options: &'a Options,
}

impl JobList for FigureRequest<'_> {
    fn name(&self) -> &str {
        self.figure.name
    }

    fn kind(&self) -> &str {
        self.figure.kind
    }

    fn jobs(&self) -> Result<Vec<Value>> {
        (self.figure.jobs)(self.options)
    }

    fn run(&self, settings: &Value) -> Result<Value> {
        (self.figure.run)(settings, self.options)
    }

    /// Other seeds are further repeats.
    fn shown(&self, rows: &Rows) -> Result<Vec<Row>> {
        Ok(rows.like(self.figure.kind, &self.jobs()?))
    }

    fn draw(&self, rows: &[Row], folder: &Path) -> Result<Vec<PathBuf>> {
        (self.figure.draw)(rows, folder)
    }
}

/// Every figure.
pub static ALL: [&Figure; 11] = [
    &toy::FIGURE,
    &allocations::FIGURE,
    &quality::FIGURE,
    &regret::FIGURE,
    &malaria::FIGURE,
    &zdt3::FIGURE,
    &radiator::FIGURE,
    &ent::FIGURE,
    &ablation::FIGURE,
    &overhead::FIGURE,
    &bounds::FIGURE,
];

/// The figure of that name.
pub fn by_name(name: &str) -> Result<&'static Figure> {
    ALL.into_iter().find(|figure| figure.name == name).ok_or_else(|| Error::Unsupported {
        what: format!("there is no figure '{name}'"),
        remedy: format!("choose one of {}", ALL.map(|figure| figure.name).join(", ")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_figures_5_and_6_are_the_papers() {
        let jobs = |name: &str| {
            let options = Options { repeats: Some(1), ..Options::default() };
            (by_name(name).unwrap().jobs)(&options).unwrap()
        };
        for (figure, steps, exact, rule) in [("zdt3", 50, 10, "thompson"), ("radiator", 10, 10, "hippo")] {
            for job in jobs(figure) {
                let sparse = job["method"] != "exact";
                assert!(job["steps"] == if sparse { steps } else { exact } && job["rule"] == rule, "{job}");
                assert_eq!(job["inducing"], if sparse { 100.into() } else { Value::Null });
                assert!(job["initial"] == 100 && job["batch"] == 100 && job["kernel"] == "matern52", "{job}");
            }
        }
        let maps = jobs("malaria");
        assert_eq!(maps.len(), 4);
        let numbers = [("inducing", 50), ("initial", 100), ("batch", 100), ("steps", 10)];
        assert!(maps.iter().all(|job| numbers.iter().all(|(name, value)| job[*name] == *value)), "{maps:?}");
    }

    #[test]
    fn the_overhead_of_the_radiator_shares_its_rows() {
        let options = Options { repeats: Some(3), ..Options::default() };
        let of = |name: &str| (by_name(name).unwrap().jobs)(&options).unwrap();
        let overhead = of("overhead");
        assert!(of("radiator").iter().all(|job| overhead.contains(job)));
        assert_eq!(overhead.len(), of("radiator").len() + 3 * 9);
    }
}
