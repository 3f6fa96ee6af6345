//! Figure of Appendix F: seconds of a step on Hartmann's function, sparse models against the exact GP.
//!
//! Seconds of inducing points, model and batch; evaluations are not counted. Each run has one thread, and shares the machine
//! with what runs beside it: run it alone (`--jobs 1`, a folder of its own) for seconds that count, else compare ratios.
//!
//! The first model of a run is searched from several starts, and so is one whenever the data have doubled: those steps stand
//! out of the curves.

use super::Figure;
use super::regret::{IMP_DPP, INDUCING};
use crate::chart::{Picture, draw};
use crate::curves::{self, Mean};
use crate::runs::{self, BASELINES, Design, KIND, Method, Outcome};

pub static FIGURE: Figure = Figure {
    name: "overhead",
    shows: "Appendix F: seconds of a step on Hartmann's function, sparse models against the exact GP",
    kind: KIND,
    jobs: |options| runs::jobs(options, &DESIGN),
    run: runs::run,
    draw: |rows, folder| {
        let lines = curves::lines(rows, DESIGN.functions, DESIGN.methods);
        let [picture, table] = ["overhead.svg", "overhead.csv"].map(|file| folder.join(file));
        let caption = vec![
            "Appendix F: seconds of a step (inducing points, model, batch) on one thread, evaluations not counted."
                .into(),
            format!("Lines: arithmetic mean; bands: its 95 % t-interval; {}.", curves::repeats(&lines)),
        ];
        let panels = curves::panels(&lines, DESIGN.methods, seconds, Mean::Arithmetic, "seconds");
        draw(&picture, &Picture { caption, columns: 1, panels })?;
        curves::write(&table, &lines, seconds)?;
        Ok(vec![picture, table])
    },
};

const METHODS: [Method; 5] = [IMP_DPP, BASELINES[0], BASELINES[1], BASELINES[2], BASELINES[3]];

const DESIGN: Design<'static> = Design { functions: &["hartmann6"], methods: &METHODS, inducing: &INDUCING };

/// From the model of what is known to the next batch: a batch is chosen by the model of the step before.
fn seconds(outcome: &Outcome) -> Vec<f64> {
    let model = outcome.allocate_s.iter().zip(&outcome.fit_s).map(|(allocate, fit)| allocate + fit);
    model.zip(outcome.acquire_s.iter().skip(1)).map(|(model, acquire)| model + acquire).collect()
}
