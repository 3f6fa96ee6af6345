//! Rows of runs as curves: mean and 95 % interval over repeats, a panel a function, a line a method and number of inducing
//! points.
//!
//! Regret spans decades and sits on a logarithmic axis. Its arithmetic mean is the paper's, and is that of the worst repeats;
//! the geometric mean is that of its logarithm. Both are drawn, each in a picture of its own, and both are in the table.

use crate::chart::{COLORS, Layer, Marks, Panel, Picture, Scale, draw};
use crate::error::Result;
use crate::rows::Row;
use crate::runs::{Method, Outcome, Settings};
use crate::stats::{Interval, arithmetic, geometric, median};
use crate::table::{self, Cell};
use plotters::style::RGBColor;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The repeats of one line.
#[derive(Debug, Clone)]
pub struct Line {
    pub function: String,
    pub method: String,
    /// M; none for the exact GP.
    pub inducing: Option<usize>,
    pub runs: Vec<Outcome>,
}

/// What is shown of a run, after every batch.
pub type Shown = fn(&Outcome) -> Vec<f64>;

/// All lines, in the order of the figure's functions and methods.
pub fn lines(rows: &[Row], functions: &[&str], methods: &[Method]) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for (settings, outcome) in rows.iter().filter_map(Row::read::<Settings, Outcome>) {
        let Settings { function, method, inducing, .. } = settings;
        let own = |line: &&mut Line| (&line.function, &line.method, line.inducing) == (&function, &method, inducing);
        match lines.iter_mut().find(own) {
            Some(line) => line.runs.push(outcome),
            None => lines.push(Line { function, method, inducing, runs: vec![outcome] }),
        }
    }
    let place = |line: &Line| {
        let function = functions.iter().position(|function| *function == line.function);
        (function, index(methods, &line.method), line.inducing)
    };
    lines.sort_by_key(place);
    lines
}

/// Draws regret by both means, and writes the table: `name.svg`, `name-geometric.svg`, `name.csv`.
pub fn draw_regret(name: &str, about: &str, lines: &[Line], methods: &[Method], folder: &Path) -> Result<Vec<PathBuf>> {
    let path = |file: String| folder.join(file);
    let pictures = [
        (
            path(format!("{name}.svg")),
            Mean::Arithmetic,
            "arithmetic mean, as in the paper (its band may reach below 0, and ends at the panel's edge)",
        ),
        (path(format!("{name}-geometric.svg")), Mean::Geometric, "geometric mean: the mean of its logarithm"),
    ];
    for (path, mean, words) in &pictures {
        let caption = vec![
            format!("{about}: regret of the best posterior mean among queried points, in deviations of the function."),
            format!("Lines: {words}; bands: its 95 % t-interval; {}.", repeats(lines)),
        ];
        let panels = panels(lines, methods, |outcome| outcome.regret.clone(), *mean, "regret");
        draw(path, &Picture { caption, columns: 2, panels })?;
    }
    let table = path(format!("{name}.csv"));
    write(&table, lines, |outcome| outcome.regret.clone())?;
    Ok(pictures.into_iter().map(|(path, ..)| path).chain([table]).collect())
}

/// Which mean.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mean {
    Arithmetic,
    Geometric,
}

/// A panel a function.
pub fn panels(lines: &[Line], methods: &[Method], shown: Shown, mean: Mean, label: &str) -> Vec<Panel> {
    let sizes: BTreeSet<Option<usize>> = lines.iter().map(|line| line.inducing).collect();
    let mut panels: Vec<Panel> = Vec::new();
    for line in lines {
        if panels.last().is_none_or(|panel| panel.title != line.function) {
            let axes = ["evaluations".into(), label.into()];
            panels.push(Panel { title: line.function.clone(), axes, scale: Scale::Log, layers: Vec::new() });
        }
        let color = COLORS[index(methods, &line.method).unwrap_or(0) % COLORS.len()];
        let solid = line.inducing.is_none() || line.inducing == sizes.last().copied().flatten();
        if let Some(panel) = panels.last_mut() {
            let stroke = if solid { Marks::Line } else { Marks::Dashes };
            panel.layers.extend(layers(line, color, shown, mean, stroke));
        }
    }
    panels
}

/// Everything over the repeats of every line after every batch.
pub fn write(path: &Path, lines: &[Line], shown: Shown) -> Result<()> {
    let header = [
        "function",
        "method",
        "inducing",
        "evaluations",
        "repeats",
        "mean",
        "low",
        "high",
        "geometric_mean",
        "geometric_low",
        "geometric_high",
        "median",
        "least",
        "largest",
    ];
    let mut rows = Vec::new();
    for line in lines {
        for (evaluations, values) in line.columns(shown) {
            let (a, g) = (arithmetic(&values), geometric(&values, LEAST));
            let least = values.iter().copied().fold(f64::INFINITY, f64::min);
            let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let inducing = line.inducing.map_or(f64::NAN, |m| m as f64);
            let mut row: Vec<Cell> = vec![line.function.as_str().into(), line.method.as_str().into(), inducing.into()];
            row.extend([evaluations, values.len()].map(Cell::from));
            let numbers = [a.mean, a.low, a.high, g.mean, g.low, g.high, median(&values), least, largest];
            row.extend(numbers.map(Cell::from));
            rows.push(row);
        }
    }
    table::write(path, &header, rows)
}

impl Line {
    /// What the legend calls it.
    fn name(&self) -> String {
        self.inducing.map_or_else(|| self.method.clone(), |m| format!("{}, M = {m}", self.method))
    }

    /// The values of all repeats after every batch that all of them have made.
    pub fn columns(&self, shown: Shown) -> Vec<(usize, Vec<f64>)> {
        let values: Vec<Vec<f64>> = self.runs.iter().map(shown).collect();
        let length = values.iter().map(Vec::len).min().unwrap_or(0);
        let column = |i: usize| (self.runs[0].evaluations[i], values.iter().map(|run| run[i]).collect());
        (0..length).map(column).collect()
    }
}

/// How many repeats there are, in words.
pub fn repeats(lines: &[Line]) -> String {
    let counts: BTreeSet<usize> = lines.iter().map(|line| line.runs.len()).collect();
    match (counts.first(), counts.last()) {
        (Some(1), Some(1)) => "1 repeat, hence no bands".into(),
        (Some(least), Some(most)) if least == most => format!("{most} repeats"),
        (Some(least), Some(most)) => format!("{least} to {most} repeats"),
        _ => "no repeats".into(),
    }
}

/// A regret of 0 has no logarithm; below the rounding of a narrow peak nobody sees a difference.
const LEAST: f64 = 1e-6;

fn index(methods: &[Method], name: &str) -> Option<usize> {
    methods.iter().position(|(method, _)| *method == name)
}

/// A line with its band behind it.
fn layers(line: &Line, color: RGBColor, shown: Shown, mean: Mean, stroke: fn(Vec<(f64, f64)>) -> Marks) -> Vec<Layer> {
    let at = |(evaluations, values): (usize, Vec<f64>)| {
        let interval = match mean {
            Mean::Arithmetic => arithmetic(&values),
            Mean::Geometric => geometric(&values, LEAST),
        };
        (evaluations as f64, interval)
    };
    let points: Vec<(f64, Interval)> = line.columns(shown).into_iter().map(at).collect();
    let curve: Vec<(f64, f64)> = points.iter().map(|(x, interval)| (*x, interval.mean.max(LEAST))).collect();
    let band: Vec<(f64, f64, f64)> = points.iter().map(|(x, interval)| (*x, interval.low, interval.high)).collect();
    let mut layers = Vec::new();
    if line.runs.len() > 1 {
        layers.push(Layer::plain(color, Marks::Band(band)));
    }
    layers.push(Layer::named(line.name(), color, stroke(curve)));
    layers
}
