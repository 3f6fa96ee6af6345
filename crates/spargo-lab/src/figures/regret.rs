//! Figure 4, Section 5.1: regret on five functions, with 250 and 500 inducing points chosen by four methods, and the exact GP
//! for its first ten batches.

use super::Figure;
use crate::curves::{self, Line};
use crate::error::Result;
use crate::rows::Row;
use crate::runs::{self, CVR, Design, EXACT, IMP_DPP, KIND, KMEANS, Method, RunResult, UNIFORM, names};
use std::path::{Path, PathBuf};

pub static FIGURE: Figure = Figure {
    name: "regret",
    shows: "Figure 4: regret on five functions with four ways of choosing inducing points, and the exact GP",
    kind: KIND,
    jobs: |options| runs::jobs(options, &[DESIGN]),
    run: runs::run,
    draw: |rows, folder| {
        draw("regret", "Figure 4", &lines(rows, DESIGN.functions, DESIGN.methods), DESIGN.methods, folder)
    },
};

/// The paper's five, and the quadratic that Trieste calls Rosenbrock's.
pub(super) const FUNCTIONS: [&str; 6] =
    ["shekel4", "michalewicz5", "ackley5", "hartmann6", "rosenbrock4", "rosenbrock4-trieste"];

pub(super) const INDUCING: [usize; 2] = [250, 500];

/// Batches of a run.
pub(super) const STEPS: usize = 50;

const METHODS: [Method; 5] = [IMP_DPP, CVR, KMEANS, UNIFORM, EXACT];

const DESIGN: Design<'static> = Design {
    figure: "regret",
    rule: None,
    steps: STEPS,
    functions: &FUNCTIONS,
    methods: &METHODS,
    inducing: &INDUCING,
};

/// Regret by lines.
pub(super) fn lines(rows: &[Row], functions: &[&str], methods: &[Method]) -> Vec<Line> {
    curves::lines(rows, functions, &names(methods), runs::shown(RunResult::regret))
}

/// Draws it by both means.
pub(super) fn draw(name: &str, about: &str, lines: &[Line], methods: &[Method], folder: &Path) -> Result<Vec<PathBuf>> {
    let shown =
        format!("{about}: regret of the best posterior mean among queried points, in deviations of the function");
    curves::draw_regret(name, &shown, lines, &names(methods), folder)
}
