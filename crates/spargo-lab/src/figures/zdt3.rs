//! Figure 6 (a), Section 5.3: ZDT3 with noise, 100 inducing points, batches by random Chebyshev compromises of sampled paths;
//! what the volume of the front lacks, the exact GP for its first ten batches.
//!
//! Beside the paper's HV-DPP and the baselines our FRONT-DPP. What the variance of the noise was the paper does not say; ours is
//! that of its problems with one objective (spargo_problems::multi_objective).

use super::Figure;
use super::fronts::{draw_fronts, groups, summarise};
use super::regret::STEPS;
use crate::curves;
use crate::experiments::zdt3_front;
use crate::runs::{self, CVR, Design, EXACT, KIND, KMEANS, Method, MultiOutputRun, UNIFORM, names};
use spargo::allocate::Allocation;
use spargo_problems::multi_objective::ZDT3;

pub static FIGURE: Figure = Figure {
    name: "zdt3",
    shows: "Figure 6 (a): hypervolume regret on ZDT3 with five ways of choosing inducing points, and the exact GP",
    kind: KIND,
    jobs: |options| runs::jobs(options, &[DESIGN]),
    run: runs::run,
    draw: |rows, folder| {
        let lines = curves::lines(rows, DESIGN.functions, &names(DESIGN.methods), runs::shown(MultiOutputRun::regret));
        let shown = "Figure 6 (a): hypervolume of the true front less that of the trials that no other one beats in \
                     posterior mean, without noise";
        let mut files = curves::draw_regret("zdt3", shown, &lines, &names(DESIGN.methods), folder)?;
        let groups = groups(rows, DESIGN.methods);
        files.extend(draw_fronts(&ZDT3, &groups, DESIGN.methods, &zdt3_front(), folder)?);
        files.push(summarise("zdt3", ("regret", |run| &run.regret, 4), &groups, folder)?);
        Ok(files)
    },
};

/// The paper's, for several objectives.
pub(super) const HV_DPP: Method = ("hv-dpp", Some(Allocation::HvDpp));

/// Ours.
pub(super) const FRONT_DPP: Method = ("front-dpp", Some(Allocation::FrontDpp));

/// M for several objectives.
pub(super) const INDUCING: [usize; 1] = [100];

/// In the order of tables and colours, of both problems.
pub(super) const METHODS: [Method; 6] = [HV_DPP, CVR, KMEANS, UNIFORM, EXACT, FRONT_DPP];

const DESIGN: Design<'static> = Design {
    figure: "zdt3",
    rule: Some("thompson"),
    steps: STEPS,
    functions: &["zdt3"],
    methods: &METHODS,
    inducing: &INDUCING,
};
