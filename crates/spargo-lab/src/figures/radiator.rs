//! Figure 6 (b), Section 5.3: a heat exchanger with nine inputs, two objectives and three constraints, ten batches by HIPPO;
//! sparse models with 100 inducing points against the exact GP.
//!
//! The paper's simulation is not public; ours is a substitute (spargo_problems::multi_objective), and the volume of its best front is not
//! known: the volume found is shown, not what it lacks. Models of constraints choose by AL-DPP.

use super::Figure;
use super::fronts::{draw_fronts, groups, summarise};
use super::zdt3::{FRONT_DPP, HV_DPP, INDUCING, METHODS};
use crate::chart::{Picture, Scale, draw};
use crate::curves::{self, Axis, Mean};
use crate::runs::{self, Design, EXACT, KIND, MultiOutputRun, names};
use spargo_problems::multi_objective::RADIATOR;

pub static FIGURE: Figure = Figure {
    name: "radiator",
    shows: "Figure 6 (b): the heat exchanger's hypervolume and fronts, sparse models against the exact GP",
    kind: KIND,
    jobs: |options| runs::jobs(options, &[DESIGN]),
    run: runs::run,
    draw: |rows, folder| {
        let lines = curves::lines(rows, DESIGN.functions, &names(&METHODS), runs::shown(MultiOutputRun::volume));
        let [picture, table] = ["radiator.svg", "radiator.csv"].map(|file| folder.join(file));
        let caption = vec![
            "Figure 6 (b): hypervolume of the feasible trials that no other one beats in posterior mean.".into(),
            format!("Lines: arithmetic mean; bands: its 95 % t-interval; {}.", curves::repeats(&lines)),
        ];
        let axis = Axis { label: "hypervolume", scale: Scale::Linear, mean: Mean::Arithmetic };
        let panels = curves::panels(&lines, &names(&METHODS), axis);
        draw(&picture, &Picture { caption, columns: 1, panels })?;
        curves::write(&table, &lines)?;
        let groups = groups(rows, &METHODS);
        let mut files = vec![picture, table];
        files.extend(draw_fronts(&RADIATOR, &groups, &METHODS, &[], folder)?);
        files.push(summarise("radiator", ("hypervolume", |run| &run.hypervolume, 2), &groups, folder)?);
        Ok(files)
    },
};

pub(super) const DESIGN: Design<'static> = Design {
    figure: "radiator",
    rule: Some("hippo"),
    steps: 10,
    functions: &["radiator"],
    methods: &[HV_DPP, FRONT_DPP, EXACT],
    inducing: &INDUCING,
};
