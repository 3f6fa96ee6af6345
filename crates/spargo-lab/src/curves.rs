//! Rows as curves: mean and 95 % interval over repeats, a panel per function, a line per method and number of inducing points.
//!
//! Regret spans decades and sits on a logarithmic axis. Its arithmetic mean is the paper's, and is that of the worst repeats;
//! the geometric mean is that of its logarithm. Both are drawn, each in a picture of its own, and both are in the table.

use crate::chart::{COLORS, Layer, Marks, Panel, Picture, Scale, draw};
use crate::error::Result;
use crate::rows::Row;
use crate::stats::{Interval, arithmetic, geometric, median};
use crate::table::{self, Cell};
use plotters::style::RGBColor;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A regret of 0 has no logarithm; below the rounding of a narrow peak no difference can be seen.
const LEAST: f64 = 1e-6;

/// The repeats of one line.
#[derive(Debug, Clone)]
pub struct Line {
    pub of: Of,
    pub runs: Vec<Curve>,
}

/// What a line is of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Of {
    pub function: String,
    pub method: String,
    /// M; none for the exact GP.
    pub inducing: Option<usize>,
}

/// One repeat: what is shown of it after so many evaluations.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    pub evaluations: Vec<usize>,
    pub values: Vec<f64>,
}

impl Curve {
    /// Its value after so many evaluations: that after the last batch that was complete then.
    pub fn after(&self, evaluations: usize) -> Option<f64> {
        let made = self.evaluations.partition_point(|count| *count <= evaluations);
        self.values.get(made.checked_sub(1)?).copied()
    }
}

/// All lines, in the order of the figure's functions and methods; `shown` reads a row.
pub fn lines(
    rows: &[Row],
    functions: &[&str],
    methods: &[&str],
    shown: impl Fn(&Row) -> Option<(Of, Curve)>,
) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for (of, run) in rows.iter().filter_map(shown) {
        match lines.iter_mut().find(|line| line.of == of) {
            Some(line) => line.runs.push(run),
            None => lines.push(Line { of, runs: vec![run] }),
        }
    }
    let place = |line: &Line| {
        let function = functions.iter().position(|function| *function == line.of.function);
        (function, index(methods, &line.of.method), line.of.inducing)
    };
    lines.sort_by_key(place);
    lines
}

/// Draws regret by both means, and writes the table: `name.svg`, `name-geometric.svg`, `name.csv`; `shown` says what of.
pub fn draw_regret(name: &str, shown: &str, lines: &[Line], methods: &[&str], folder: &Path) -> Result<Vec<PathBuf>> {
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
        let caption =
            vec![format!("{shown}."), format!("Lines: {words}; bands: its 95 % t-interval; {}.", repeats(lines))];
        let panels = panels(lines, methods, Axis { label: "regret", scale: Scale::Log, mean: *mean });
        draw(path, &Picture { caption, columns: 2, panels })?;
    }
    let table = path(format!("{name}.csv"));
    write(&table, lines)?;
    Ok(pictures.into_iter().map(|(path, ..)| path).chain([table]).collect())
}

/// What stands at the vertical axis, and how.
#[derive(Clone, Copy)]
pub struct Axis<'a> {
    pub label: &'a str,
    pub scale: Scale,
    pub mean: Mean,
}

/// Which mean.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mean {
    Arithmetic,
    Geometric,
}

/// A panel per function.
pub fn panels(lines: &[Line], methods: &[&str], axis: Axis<'_>) -> Vec<Panel> {
    let sizes: BTreeSet<Option<usize>> = lines.iter().map(|line| line.of.inducing).collect();
    let mut panels: Vec<Panel> = Vec::new();
    for line in lines {
        if panels.last().is_none_or(|panel| panel.title != line.of.function) {
            let axes = ["evaluations".into(), axis.label.into()];
            panels.push(Panel { title: line.of.function.clone(), axes, scale: axis.scale, layers: Vec::new() });
        }
        let solid = line.of.inducing.is_none() || line.of.inducing == sizes.last().copied().flatten();
        if let Some(panel) = panels.last_mut() {
            let stroke = if solid { Marks::Line } else { Marks::Dashes };
            panel.layers.extend(layers(line, color(methods, &line.of.method), axis, stroke));
        }
    }
    panels
}

/// The colour of a method, in every picture of a figure.
pub fn color(methods: &[&str], name: &str) -> RGBColor {
    COLORS[index(methods, name).unwrap_or(0) % COLORS.len()]
}

/// Everything over the repeats of every line after every batch.
pub fn write(path: &Path, lines: &[Line]) -> Result<()> {
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
        for (evaluations, values) in line.columns() {
            let (a, g) = (arithmetic(&values), geometric(&values, LEAST));
            let least = values.iter().copied().fold(f64::INFINITY, f64::min);
            let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let Of { function, method, inducing } = &line.of;
            let inducing = inducing.map_or(f64::NAN, |m| m as f64);
            let mut row: Vec<Cell> = vec![function.as_str().into(), method.as_str().into(), inducing.into()];
            row.extend([evaluations, values.len()].map(Cell::from));
            let numbers = [a.mean, a.low, a.high, g.mean, g.low, g.high, median(&values), least, largest];
            row.extend(numbers.map(Cell::from));
            rows.push(row);
        }
    }
    table::write(path, &header, rows)
}

impl Of {
    /// What a legend calls it.
    pub fn name(&self) -> String {
        self.inducing.map_or_else(|| self.method.clone(), |m| format!("{}, M = {m}", self.method))
    }
}

impl Line {
    /// The values of all repeats after every batch that all of them have made.
    fn columns(&self) -> Vec<(usize, Vec<f64>)> {
        let length = self.runs.iter().map(|run| run.values.len()).min().unwrap_or(0);
        let column = |i: usize| (self.runs[0].evaluations[i], self.runs.iter().map(|run| run.values[i]).collect());
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

fn index(methods: &[&str], name: &str) -> Option<usize> {
    methods.iter().position(|method| *method == name)
}

/// A line with its band behind it.
fn layers(line: &Line, color: RGBColor, axis: Axis<'_>, stroke: fn(Vec<(f64, f64)>) -> Marks) -> Vec<Layer> {
    let at = |(evaluations, values): (usize, Vec<f64>)| {
        let interval = match axis.mean {
            Mean::Arithmetic => arithmetic(&values),
            Mean::Geometric => geometric(&values, LEAST),
        };
        (evaluations as f64, interval)
    };
    let points: Vec<(f64, Interval)> = line.columns().into_iter().map(at).collect();
    let floor = if axis.scale == Scale::Log { LEAST } else { f64::NEG_INFINITY };
    let curve: Vec<(f64, f64)> = points.iter().map(|(x, interval)| (*x, interval.mean.max(floor))).collect();
    let band: Vec<(f64, f64, f64)> = points.iter().map(|(x, interval)| (*x, interval.low, interval.high)).collect();
    let mut layers = Vec::new();
    if line.runs.len() > 1 {
        layers.push(Layer::plain(color, Marks::Band(band)));
    }
    layers.push(Layer::named(line.of.name(), color, stroke(curve)));
    layers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_keeps_its_value_until_the_next_batch() {
        let curve = Curve { evaluations: vec![100, 164, 228], values: vec![3.0, 2.0, 1.0] };
        let after = [0, 99, 100, 163, 164, 500].map(|evaluations| curve.after(evaluations));
        assert_eq!(after, [None, None, Some(3.0), Some(3.0), Some(2.0), Some(1.0)]);
    }
}
