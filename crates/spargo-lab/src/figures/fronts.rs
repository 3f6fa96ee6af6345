//! What is drawn and tabulated of problems with two objectives: the fronts found, and the table of all methods.

use crate::chart::{COLORS, Layer, Marks, Panel, Picture, draw};
use crate::curves::{Of, color};
use crate::error::Result;
use crate::rows::Row;
use crate::runs::{Method, MultiOutputRun, RunSettings, names};
use crate::stats::with_error;
use crate::table::{self, Cell, markdown};
use spargo_problems::multi_objective::{Direction, MultiObjectiveProblem};
use std::path::{Path, PathBuf};

/// The repeats of one line, by seed.
pub(super) struct Group {
    of: Of,
    runs: Vec<(u64, MultiOutputRun)>,
}

/// A quantity after every batch, what tables call it, and its digits.
pub(super) type Measure = (&'static str, fn(&MultiOutputRun) -> &[f64], usize);

/// All lines in the order of the methods.
pub(super) fn groups(rows: &[Row], methods: &[Method]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (settings, outcome) in rows.iter().filter_map(Row::read::<RunSettings, MultiOutputRun>) {
        let (of, run) = (settings.of(), (settings.seed, outcome));
        match groups.iter_mut().find(|group| group.of == of) {
            Some(group) => group.runs.push(run),
            None => groups.push(Group { of, runs: vec![run] }),
        }
    }
    groups.iter_mut().for_each(|group| group.runs.sort_by_key(|(seed, _)| *seed));
    let place = |group: &Group| (methods.iter().position(|(name, _)| *name == group.of.method), group.of.inducing);
    groups.sort_by_key(place);
    groups
}

/// Draws the front that each sparse model found alongside the exact GP's, of the first seed, over what is known to be true:
/// `name-fronts.svg` and `.csv`.
pub(super) fn draw_fronts(
    problem: &MultiObjectiveProblem,
    groups: &[Group],
    methods: &[Method],
    truth: &[Vec<(f64, f64)>],
    folder: &Path,
) -> Result<Vec<PathBuf>> {
    let [picture, table] = ["svg", "csv"].map(|end| folder.join(format!("{}-fronts.{end}", problem.name)));
    let exact = groups.iter().find(|group| group.is_exact());
    let sparse: Vec<&Group> = groups.iter().filter(|group| !group.is_exact()).collect();
    let shown = if sparse.is_empty() { groups.iter().collect() } else { sparse };
    let panel = |group: &&Group| {
        let truth = truth.iter().map(|piece| Layer::named("true front", COLORS[7], Marks::Line(piece.clone())));
        let reference = exact.filter(|_| !group.is_exact());
        let found = reference.into_iter().chain([*group]).map(|group| {
            let dots = group.runs[0].1.found.iter().map(|point| (point[0], point[1])).collect();
            Layer::named(group.legend(), color(&names(methods), &group.of.method), Marks::Dots(dots, 3))
        });
        let axes = [0, 1].map(|k| axis(problem, k));
        Panel { title: group.of.name(), axes, layers: truth.chain(found).collect(), ..Panel::default() }
    };
    let caption = vec![
        format!("Figure 6, {}: the feasible trials that no other one beats in posterior mean,", problem.name),
        "by their objectives without noise, after the last batch of the first seed.".into(),
    ];
    draw(&picture, &Picture { caption, columns: 2, panels: shown.iter().map(panel).collect() })?;
    let names = [0, 1].map(|k| problem.objectives[k].name);
    let points = groups.iter().flat_map(|group| {
        let (seed, run) = &group.runs[0];
        let inducing = group.of.inducing.map_or(f64::NAN, |m| m as f64);
        run.found.iter().map(move |point| {
            let mut row: Vec<Cell> = vec![group.of.method.as_str().into(), inducing.into(), (*seed as usize).into()];
            row.extend([point[0], point[1]].map(Cell::from));
            row
        })
    });
    table::write(&table, &["method", "inducing", "seed", names[0], names[1]], points)?;
    Ok(vec![picture, table])
}

/// Writes a line per method, mean ± standard error over repeats: `name.md`. Shares of the exact GP's are means over seeds that
/// both have, after the batches that all methods have made.
pub(super) fn summarise(
    name: &str,
    (label, value, digits): Measure,
    groups: &[Group],
    folder: &Path,
) -> Result<PathBuf> {
    let path = folder.join(format!("{name}.md"));
    let steps = groups.iter().map(Group::steps).min().unwrap_or(0);
    let longer = groups.iter().any(|group| group.steps() > steps);
    let evaluations = groups.first().map_or(0, |group| group.runs[0].1.evaluations[steps - 1]);
    let exact = groups.iter().find(|group| group.is_exact());
    let header = [
        "method",
        "M",
        "repeats",
        &format!("{label} after {evaluations} evaluations"),
        "of the exact GP's then",
        &format!("{label} at the end"),
        "pieces of the front with inducing points",
        "largest gap",
        "inducing points on the front",
        "overhead s, all steps",
        &format!("of the exact GP's after {evaluations}"),
    ];
    let row = |group: &Group| {
        let of = |f: &dyn Fn(&MultiOutputRun) -> f64, digits| with_error(&group.each(f), digits);
        let share = |f: &dyn Fn(&MultiOutputRun) -> f64| {
            exact.filter(|_| !group.is_exact()).map_or(String::new(), |exact| with_error(&group.shares(exact, f), 3))
        };
        let (then, seconds) =
            (|run: &MultiOutputRun| value(run)[steps - 1], |run: &MultiOutputRun| run.overhead_s(steps));
        let last = |run: &MultiOutputRun| value(run).last().copied().unwrap_or(f64::NAN);
        vec![
            group.of.method.clone(),
            group.of.inducing.map_or(String::new(), |m| m.to_string()),
            group.runs.len().to_string(),
            of(&then, digits),
            share(&then),
            if longer && group.steps() > steps { of(&last, digits) } else { String::new() },
            group.coverage(|coverage| coverage.pieces as f64, 1),
            group.coverage(|coverage| coverage.largest_gap, 4),
            group.coverage(|coverage| coverage.on_front as f64, 1),
            of(&|run| run.overhead_s(usize::MAX), 1),
            share(&seconds),
        ]
    };
    markdown(&path, &header.map(String::from), &groups.iter().map(row).collect::<Vec<_>>())?;
    Ok(path)
}

impl Group {
    fn is_exact(&self) -> bool {
        self.of.inducing.is_none()
    }

    fn steps(&self) -> usize {
        self.runs.iter().map(|(_, run)| run.evaluations.len()).min().unwrap_or(0)
    }

    fn legend(&self) -> String {
        let evaluations = self.runs[0].1.evaluations.last().copied().unwrap_or(0);
        format!("{}, {evaluations} evaluations", self.of.name())
    }

    fn each(&self, value: &dyn Fn(&MultiOutputRun) -> f64) -> Vec<f64> {
        self.runs.iter().map(|(_, run)| value(run)).collect()
    }

    /// A quantity as a share of another group's with the same seed, where that has any.
    fn shares(&self, other: &Group, value: &dyn Fn(&MultiOutputRun) -> f64) -> Vec<f64> {
        let pair = |(seed, run): &(u64, MultiOutputRun)| {
            let (_, twin) = other.runs.iter().find(|(twin, _)| twin == seed)?;
            Some(value(run) / value(twin)).filter(|share| share.is_finite())
        };
        self.runs.iter().filter_map(pair).collect()
    }

    /// Something of the coverage by each model's inducing points, model after model.
    fn coverage(&self, value: impl Fn(&crate::experiments::Coverage) -> f64, digits: usize) -> String {
        let models = self.runs.iter().map(|(_, run)| run.coverage.len()).min().unwrap_or(0);
        let of = |k: usize| self.runs.iter().map(|(_, run)| value(&run.coverage[k])).collect::<Vec<_>>();
        let outputs = self.runs.first().map_or(&[][..], |(_, run)| &run.coverage);
        let words = |k: usize| format!("{} {}", outputs[k].output, with_error(&of(k), digits));
        (0..models).map(words).collect::<Vec<_>>().join(", ")
    }
}

fn axis(problem: &MultiObjectiveProblem, k: usize) -> String {
    let objective = &problem.objectives[k];
    let better = if objective.direction == Direction::Maximize { "more" } else { "less" };
    format!("{} ({better} is better)", objective.name)
}
