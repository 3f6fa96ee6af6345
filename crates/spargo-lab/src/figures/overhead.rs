//! Figures of Appendix F: seconds of a step on Hartmann's function and on the heat exchanger, sparse models against the exact
//! GP.
//!
//! Seconds of inducing points, models and batch; evaluations are not counted. Each run has one thread, and shares the machine
//! with what runs at the same time: run it alone (`--jobs 1`, a folder of its own) for seconds that count, else compare ratios.
//!
//! The first model of a run is searched from several starts, and so is one whenever the data have doubled: those steps stand
//! out of the curves. The rows of the heat exchanger are those of the figure `radiator`, five models per step; `--inference` is
//! about Hartmann's alone.

use super::Figure;
use super::radiator;
use super::regret::{INDUCING, STEPS};
use super::zdt3::{FRONT_DPP, HV_DPP};
use crate::chart::{Picture, Scale, draw};
use crate::curves::{self, Axis, Curve, Mean};
use crate::runs::{self, CVR, Design, EXACT, IMP_DPP, KIND, KMEANS, Method, MultiOutputRun, RunResult, UNIFORM, names};

pub static FIGURE: Figure = Figure {
    name: "overhead",
    shows: "Appendix F: seconds of a step on Hartmann's function and the heat exchanger, sparse against exact GP",
    kind: KIND,
    jobs: |options| runs::jobs(options, &[DESIGN, SEVERAL]),
    run: runs::run,
    draw: |rows, folder| {
        let one = curves::lines(rows, DESIGN.functions, &names(DESIGN.methods), runs::shown(of_one));
        let several = curves::lines(rows, SEVERAL.functions, &names(SEVERAL.methods), runs::shown(of_several));
        let [picture, table] = ["overhead.svg", "overhead.csv"].map(|file| folder.join(file));
        let axis = Axis { label: "seconds", scale: Scale::Log, mean: Mean::Arithmetic };
        let mut panels = curves::panels(&one, &names(&METHODS), axis);
        panels.extend(curves::panels(&several, &names(&METHODS), axis));
        let lines = [one, several].concat();
        let caption = vec![
            "Appendix F: seconds of a step (inducing points, models, batch) on one thread, evaluations not counted."
                .into(),
            format!("Lines: arithmetic mean; bands: its 95 % t-interval; {}.", curves::repeats(&lines)),
        ];
        draw(&picture, &Picture { caption, columns: 2, panels })?;
        curves::write(&table, &lines)?;
        Ok(vec![picture, table])
    },
};

/// Of Hartmann's function, then of the heat exchanger.
const METHODS: [Method; 7] = [IMP_DPP, CVR, KMEANS, UNIFORM, EXACT, HV_DPP, FRONT_DPP];

const DESIGN: Design<'static> = Design {
    figure: "overhead",
    rule: None,
    steps: STEPS,
    functions: &["hartmann6"],
    methods: &[IMP_DPP, CVR, KMEANS, UNIFORM, EXACT],
    inducing: &INDUCING,
};

const SEVERAL: Design<'static> = Design { figure: "overhead", ..radiator::DESIGN };

fn of_one(run: &RunResult) -> Curve {
    seconds(&run.evaluations, [&run.allocate_s, &run.fit_s, &run.acquire_s])
}

fn of_several(run: &MultiOutputRun) -> Curve {
    seconds(&run.evaluations, [&run.allocate_s, &run.fit_s, &run.acquire_s])
}

/// From the models of what is known to the next batch: a batch is chosen by the models of the step before.
fn seconds(evaluations: &[usize], [allocate, fit, acquire]: [&[f64]; 3]) -> Curve {
    let model = allocate.iter().zip(fit).map(|(allocate, fit)| allocate + fit);
    let values = model.zip(acquire.iter().skip(1)).map(|(model, acquire)| model + acquire).collect();
    Curve { evaluations: evaluations.to_vec(), values }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_a_model_and_the_batch_that_it_chose() {
        let curve = seconds(&[10, 20, 30], [&[1.0, 2.0, 4.0], &[10.0, 20.0, 40.0], &[0.0, 100.0, 200.0]]);
        assert_eq!(curve.values, [111.0, 222.0]);
    }
}
