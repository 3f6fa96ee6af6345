//! Figure of Appendix C: ENT-DPP against IMP-DPP and the baselines on all functions; α ∈ {0.1, 0.5, 0.9, 0.99} on one of them.
//!
//! ```text
//!     q(z) = exp(c·α/(1−α)·IG(y_z; f*)),     c = 1/M as printed ("ent-per-point"), or 1 ("ent")
//! ```
//!
//! With the printed 1/M, q ≤ 1.001 at M = 250 and α = ½: that is CVR in all but name, so both are run. The appendix says that
//! only extreme α matter; that is looked at on Shekel's function with 250 inducing points.

use super::Figure;
use super::regret::{self, FUNCTIONS, INDUCING, STEPS};
use crate::curves::Line;
use crate::error::Result;
use crate::options::Options;
use crate::runs::{self, CVR, Design, EXACT, IMP_DPP, KIND, KMEANS, Method, UNIFORM};
use serde_json::Value;
use spargo::allocate::Allocation;
use spargo::allocate::quality::{Entropy, Share};

pub static FIGURE: Figure = Figure {
    name: "ent",
    shows: "Appendix C: ENT-DPP, with and without the printed 1/M, against IMP-DPP; its α on Shekel's function",
    kind: KIND,
    jobs,
    run: runs::run,
    draw: |rows, folder| {
        let lines = regret::lines(rows, &FUNCTIONS, &METHODS);
        // The many α have a picture of their own, with the paper's.
        let of_alpha = |Line { of, .. }: &&Line| {
            of.function == SWEPT.0 && of.inducing == Some(SWEPT.1) && of.method.starts_with("ent")
        };
        let alphas: Vec<Line> = lines.iter().filter(of_alpha).cloned().collect();
        let plain: Vec<Line> = lines.into_iter().filter(|line| !line.of.method.contains("-0.")).collect();
        let mut files = Vec::new();
        if !plain.is_empty() {
            files.extend(regret::draw("ent", "Appendix C", &plain, &METHODS, folder)?);
        }
        if !alphas.is_empty() {
            files.extend(regret::draw("ent-alpha", "Appendix C, every α", &alphas, &METHODS[5..], folder)?);
        }
        Ok(files)
    },
};

const fn entropy(name: &'static str, alpha: f64, share: Share) -> Method {
    (name, Some(Allocation::EntDpp(Entropy { alpha, share })))
}

/// Where other α are looked at.
const SWEPT: (&str, usize) = ("shekel4", 250);

/// α = ½, the paper's choice.
const ENT: Method = entropy("ent", 0.5, Share::Full);
const ENT_PER_POINT: Method = entropy("ent-per-point", 0.5, Share::PerPoint);

const METHODS: [Method; 13] = [
    IMP_DPP,
    CVR,
    KMEANS,
    UNIFORM,
    EXACT,
    ENT,
    ENT_PER_POINT,
    entropy("ent-0.1", 0.1, Share::Full),
    entropy("ent-0.9", 0.9, Share::Full),
    entropy("ent-0.99", 0.99, Share::Full),
    entropy("ent-per-point-0.1", 0.1, Share::PerPoint),
    entropy("ent-per-point-0.9", 0.9, Share::PerPoint),
    entropy("ent-per-point-0.99", 0.99, Share::PerPoint),
];

/// Every method everywhere, the other α on one function.
fn jobs(options: &Options) -> Result<Vec<Value>> {
    let all = Design {
        figure: "ent",
        rule: None,
        steps: STEPS,
        functions: &FUNCTIONS,
        methods: &METHODS,
        inducing: &INDUCING,
    };
    let mut jobs = runs::jobs(options, &[all])?;
    let elsewhere = |job: &Value| job["function"] != SWEPT.0 || job["inducing"] != SWEPT.1;
    let other_alpha = |job: &Value| job["method"].as_str().is_some_and(|method| method.contains("-0."));
    jobs.retain(|job| !(other_alpha(job) && elsewhere(job) && options.methods.is_empty()));
    Ok(jobs)
}
