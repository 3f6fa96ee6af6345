//! The drawing of Appendix A: curves over M and over β, averaged over sets of points.

use super::{BoundsPart, BoundsResult, BoundsSettings};
use crate::chart::{COLORS, Layer, Marks, Panel, Picture, Scale, draw};
use crate::error::Result;
use crate::rows::Row;
use crate::stats::{Interval, arithmetic};
use crate::table::{self, Cell};
use std::path::{Path, PathBuf};

/// Panels: the part, the prefix of its curves, and the title.
const PANELS: [(BoundsPart, &str, &str, &str); 5] = [
    (BoundsPart::Kl, "", "Corollary 1, all data", "M"),
    (BoundsPart::Kl, "A: ", "Corollary 1, data in A", "M"),
    (BoundsPart::Trace, "", "Theorem 3, constant quality", "M"),
    (BoundsPart::Trace, "q: ", "Corollary 2, varying quality", "M"),
    (BoundsPart::Binary, "", "binary quality", "β"),
];

pub fn draw_bounds(rows: &[Row], folder: &Path) -> Result<Vec<PathBuf>> {
    let outcomes: Vec<(BoundsSettings, BoundsResult)> = rows.iter().filter_map(Row::read).collect();
    let [picture, table] = ["bounds.svg", "bounds.csv"].map(|file| folder.join(file));
    let (mut panels, mut lines) = (Vec::new(), Vec::new());
    for (part, prefix, title, axis) in PANELS {
        let own: Vec<&BoundsResult> =
            outcomes.iter().filter(|(s, _)| s.part == part).map(|(_, outcome)| outcome).collect();
        let Some(first) = own.first() else { continue };
        let names = first.curves.iter().map(|(name, _)| name.as_str());
        let mut layers = Vec::new();
        for (number, name) in names.filter(|name| prefix_of(name) == prefix).enumerate() {
            let points = mean_curve(&own, name);
            for (x, count, Interval { mean, low, high }) in &points {
                let mut line = vec![Cell::from(title), (&name[prefix.len()..]).into(), (*x).into(), (*count).into()];
                line.extend([*mean, *low, *high].map(Cell::from));
                lines.push(line);
            }
            let color = COLORS[number % COLORS.len()];
            let band = points.iter().map(|(x, _, i)| (*x, i.low, i.high)).collect();
            layers.extend((own.len() > 1).then(|| Layer::plain(color, Marks::Band(band))));
            let curve = points.iter().map(|(x, _, i)| (*x, i.mean)).collect();
            layers.push(Layer::named(&name[prefix.len()..], color, Marks::Line(curve)));
        }
        panels.push(Panel { title: title.into(), axes: [axis.into(), String::new()], scale: Scale::Log, layers });
    }
    let caption = vec![
        "Appendix A: bounds on the divergence of the sparse from the exact posterior, and on the trace term.".into(),
        format!(
            "Lines: arithmetic mean over {} sets of points; bands: its 95 % t-interval.",
            outcomes.iter().filter(|(settings, _)| settings.part == BoundsPart::Kl).count()
        ),
    ];
    draw(&picture, &Picture { caption, columns: 2, panels })?;
    table::write(&table, &["panel", "curve", "at", "repeats", "mean", "low", "high"], lines)?;
    Ok(vec![picture, table])
}

/// What stands before a curve's name.
fn prefix_of(name: &str) -> &str {
    PANELS
        .iter()
        .map(|(_, prefix, ..)| *prefix)
        .filter(|prefix| name.starts_with(prefix))
        .max_by_key(|p| p.len())
        .unwrap_or("")
}

/// The mean of a curve over repeats, at every point of its axis, with how many there are.
fn mean_curve(outcomes: &[&BoundsResult], name: &str) -> Vec<(f64, usize, Interval)> {
    let curves: Vec<&Vec<f64>> = outcomes
        .iter()
        .filter_map(|outcome| outcome.curves.iter().find(|(known, _)| known == name).map(|(_, values)| values))
        .collect();
    let at = |i: usize| {
        let values: Vec<f64> = curves.iter().filter_map(|curve| curve.get(i).copied()).collect();
        (values.len(), arithmetic(&values))
    };
    let axis = outcomes.first().map_or(&[][..], |outcome| &outcome.at);
    axis.iter().enumerate().map(|(i, &x)| (x, at(i).0, at(i).1)).collect()
}
