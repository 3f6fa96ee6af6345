//! Figure 4, Section 5.1: regret on five functions, with 250 and 500 inducing points chosen by four methods, and the exact GP
//! for its first ten batches.

use super::Figure;
use crate::curves;
use crate::runs::{self, BASELINES, Design, KIND, Method};
use spargo::allocate::Allocation;
use spargo::allocate::quality::{Baseline, Improvement, Link};

pub static FIGURE: Figure = Figure {
    name: "regret",
    shows: "Figure 4: regret on five functions with four ways of choosing inducing points, and the exact GP",
    kind: KIND,
    jobs: |options| runs::jobs(options, &DESIGN),
    run: runs::run,
    draw: |rows, folder| {
        let lines = curves::lines(rows, DESIGN.functions, DESIGN.methods);
        curves::draw_regret("regret", "Figure 4", &lines, DESIGN.methods, folder)
    },
};

/// The paper's five, and the quadratic that Trieste calls Rosenbrock's.
pub(super) const FUNCTIONS: [&str; 6] =
    ["shekel4", "michalewicz5", "ackley5", "hartmann6", "rosenbrock4", "rosenbrock4-trieste"];

pub(super) const INDUCING: [usize; 2] = [250, 500];

/// The paper's method.
pub(super) const IMP_DPP: Method =
    ("imp-dpp", Some(Allocation::ImpDpp(Improvement { baseline: Baseline::Min, link: Link::Relu })));

const METHODS: [Method; 5] = [IMP_DPP, BASELINES[0], BASELINES[1], BASELINES[2], BASELINES[3]];

const DESIGN: Design<'static> = Design { functions: &FUNCTIONS, methods: &METHODS, inducing: &INDUCING };
