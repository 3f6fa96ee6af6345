//! Figure of Appendix D: baseline {min, mean, max} × link {ReLU, softplus} of the improvement, on Shekel's function with 250
//! inducing points.
//!
//! The paper shows the four variants without the maximum; of the maximum it says that performance drops (Section 4.3).

use super::Figure;
use super::regret::{self, STEPS};
use crate::runs::{self, CVR, Design, EXACT, IMP_DPP, KIND, KMEANS, Method, UNIFORM};
use spargo::allocate::Allocation;
use spargo::allocate::quality::{Baseline, Improvement, Link};

pub static FIGURE: Figure = Figure {
    name: "ablation",
    shows: "Appendix D: baseline {min, mean, max} × link {ReLU, softplus} of IMP-DPP on Shekel's function",
    kind: KIND,
    jobs: |options| runs::jobs(options, &[DESIGN]),
    run: runs::run,
    draw: |rows, folder| {
        let lines = regret::lines(rows, DESIGN.functions, DESIGN.methods);
        regret::draw("ablation", "Appendix D", &lines, DESIGN.methods, folder)
    },
};

const fn variant(name: &'static str, baseline: Baseline, link: Link) -> Method {
    (name, Some(Allocation::ImpDpp(Improvement { baseline, link })))
}

const METHODS: [Method; 10] = [
    IMP_DPP,
    variant("imp-min-softplus", Baseline::Min, Link::Softplus),
    variant("imp-mean-relu", Baseline::Mean, Link::Relu),
    variant("imp-mean-softplus", Baseline::Mean, Link::Softplus),
    variant("imp-max-relu", Baseline::Max, Link::Relu),
    variant("imp-max-softplus", Baseline::Max, Link::Softplus),
    CVR,
    KMEANS,
    UNIFORM,
    EXACT,
];

const DESIGN: Design<'static> = Design {
    figure: "ablation",
    rule: None,
    steps: STEPS,
    functions: &["shekel4"],
    methods: &METHODS,
    inducing: &[250],
};
