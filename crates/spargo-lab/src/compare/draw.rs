//! What is drawn and tabulated of a comparison: `compare.svg`, `compare-geometric.svg`, `compare.csv`, `compare.md`.

use super::Comparison;
use super::peers::Seen;
use crate::curves::{self, Curve, Line, Of};
use crate::error::{Error, Result};
use crate::rows::Row;
use crate::stats::{Interval, arithmetic, median};
use crate::table::words;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The file of the table.
pub const TABLE: &str = "compare.md";

/// Where the table looks at regret, besides the end.
const LOOKS: [usize; 4] = [500, 1000, 1500, 2000];
const ABOUT: &str = "\
Of the point that each method reports, in deviations of the function, after so many evaluations: mean [95 % t-interval], \
median, worst seed; the lowest mean at the end is bold. Seconds per step (a batch of ours, 100 evaluations of a peer) are of \
models and choices on one thread, evaluations not counted.
";

/// What tells lines apart, of any row.
#[derive(Deserialize)]
struct Named {
    function: String,
    method: String,
}

impl Comparison {
    pub(super) fn draw_all(&self, rows: &[Row], folder: &Path) -> Result<Vec<PathBuf>> {
        let names = self.methods(rows);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let functions: Vec<&str> = self.problems.iter().map(|problem| problem.name()).collect();
        let [regret, seconds] = [of_regret, of_seconds].map(|shown| curves::lines(rows, &functions, &names, shown));
        let shown = "Regret of the point that each method reports, in deviations of the function";
        let mut files = curves::draw_regret("compare", shown, &regret, &names, folder)?;
        let path = folder.join(TABLE);
        std::fs::write(&path, self.table(&regret, &seconds)).map_err(Error::file("write", &path))?;
        files.push(path);
        Ok(files)
    }

    /// Our settings in the order in which they were given, then peers by name.
    fn methods(&self, rows: &[Row]) -> Vec<String> {
        let own: Vec<String> = self.methods.iter().map(|method| method.name.clone()).collect();
        let all = rows.iter().filter_map(|row| Named::deserialize(&row.settings).ok()).map(|named| named.method);
        let peers: BTreeSet<String> = all.filter(|name| !own.contains(name)).collect();
        own.into_iter().chain(peers).collect()
    }

    /// A table per problem; `seconds` are of the same lines as `regret`.
    fn table(&self, regret: &[Line], seconds: &[Line]) -> String {
        let mut text = format!("# Regret after up to {} evaluations\n\n{ABOUT}", self.budget);
        for problem in &self.problems {
            let lines = regret.iter().zip(seconds).filter(|(line, _)| line.of.function == problem.name());
            let lines: Vec<(&Line, &Line)> = lines.collect();
            if !lines.is_empty() {
                text += &format!("\n## {}\n\n{}", problem.name(), self.table_of(&lines));
            }
        }
        text
    }

    fn table_of(&self, lines: &[(&Line, &Line)]) -> String {
        let looks: Vec<usize> = LOOKS.into_iter().filter(|look| *look < self.budget).chain([self.budget]).collect();
        let last = |line: &Line| arithmetic(&after(line, self.budget)).mean;
        let lowest = lines.iter().map(|(line, _)| last(line)).fold(f64::INFINITY, f64::min);
        let mut header: Vec<String> = vec!["method".into(), "seeds".into()];
        header.extend(looks.iter().map(|look| format!("after {look}")));
        header.push("s per step".into());
        let row = |(line, seconds): &(&Line, &Line)| {
            let mut row = vec![line.of.method.clone(), self.seeds_of(line)];
            row.extend(looks.iter().map(|look| {
                let best = *look == self.budget && last(line) == lowest;
                cell(&after(line, *look), if best { "**" } else { "" })
            }));
            let all: Vec<f64> = seconds.runs.iter().flat_map(|run| run.values.iter().copied()).collect();
            row.push(number(arithmetic(&all).mean));
            row
        };
        let mut rows: Vec<Vec<String>> = lines.iter().map(row).collect();
        align(&mut header, &mut rows);
        words(&header, &rows)
    }

    fn seeds_of(&self, line: &Line) -> String {
        let (there, wanted) = (line.runs.len(), self.seeds.end.saturating_sub(self.seeds.start));
        if (there as u64) < wanted { format!("{there} of {wanted}") } else { there.to_string() }
    }
}

fn of_regret(row: &Row) -> Option<(Of, Curve)> {
    curve(row, |seen| seen.regret.clone())
}

fn of_seconds(row: &Row) -> Option<(Of, Curve)> {
    curve(row, Seen::seconds)
}

fn curve(row: &Row, values: impl Fn(&Seen) -> Vec<f64>) -> Option<(Of, Curve)> {
    let (Named { function, method }, seen) = row.read::<Named, Seen>()?;
    let values = values(&seen);
    Some((Of { function, method, inducing: None }, Curve { evaluations: seen.evaluations, values }))
}

/// The values of all repeats that have any by then.
fn after(line: &Line, evaluations: usize) -> Vec<f64> {
    line.runs.iter().filter_map(|run| run.after(evaluations)).collect()
}

fn cell(values: &[f64], mark: &str) -> String {
    let Interval { mean, low, high } = arithmetic(values);
    let worst = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let interval = if low.is_nan() { String::new() } else { format!(" [{}, {}]", number(low), number(high)) };
    match values.len() {
        0 => "–".into(),
        _ => format!("{mark}{}{mark}{interval}, {}, {}", number(mean), number(median(values)), number(worst)),
    }
}

/// Three digits that count, and none behind a millionth.
fn number(value: f64) -> String {
    let magnitude = if value == 0.0 { 0.0 } else { value.abs().log10().floor() };
    let digits = (2.0 - magnitude).clamp(0.0, 6.0) as usize;
    format!("{value:.digits$}")
}

/// Makes the cells of a column equally wide, for readers of a terminal.
fn align(header: &mut [String], rows: &mut [Vec<String>]) {
    for (k, name) in header.iter_mut().enumerate() {
        let width = |text: &str| text.chars().count();
        let widest = rows.iter().map(|row| width(&row[k])).chain([width(name)]).max().unwrap_or(0);
        rows.iter_mut().map(|row| &mut row[k]).chain([name]).for_each(|cell| *cell = format!("{cell:<widest$}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits_that_count() {
        let written = [0.0, 0.012345, 1.2345, -0.5, 123.45, 12345.6, 1.2345e-5, 1e-9].map(number);
        assert_eq!(written, ["0.00", "0.0123", "1.23", "-0.500", "123", "12346", "0.000012", "0.000000"]);
    }

    #[test]
    fn a_cell_is_mean_interval_median_and_worst() {
        // t(0.975; 3) = 3.182446, s/√n = 1.547848
        assert_eq!(cell(&[1.0, 2.0, 4.0, 8.0], "**"), "**3.75** [-1.18, 8.68], 3.00, 8.00");
        assert_eq!([cell(&[2.0], ""), cell(&[], "**")], ["2.00, 2.00, 2.00", "–"]);
    }
}
