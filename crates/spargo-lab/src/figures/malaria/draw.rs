//! The drawing of Figure 5: the map as it is and as two models see it, and their scores over repeats.

use super::{METHODS, MapResult, MapSettings, SIDE};
use crate::chart::{COLORS, Layer, Marks, Panel, Picture, Scale, draw};
use crate::curves::{self, Axis, Curve, Line, Mean};
use crate::error::Result;
use crate::rows::Row;
use crate::runs::names;
use crate::stats::with_error;
use crate::table::markdown;
use std::path::{Path, PathBuf};

/// The methods whose maps the paper shows.
const SHOWN: [&str; 2] = ["cvr", "al-dpp"];

/// Batches after which a table looks for the first time.
const EARLY: usize = 2;

pub(super) fn draw_malaria(rows: &[Row], folder: &Path) -> Result<Vec<PathBuf>> {
    let mut outcomes: Vec<(MapSettings, MapResult)> = rows.iter().filter_map(Row::read).collect();
    outcomes.sort_by_key(|(settings, _)| settings.seed);
    let [accuracy, loss] = [of_accuracy, of_loss].map(|shown| lines(rows, shown));
    let [picture, table, losses] = ["malaria.svg", "malaria.csv", "malaria-log-loss.csv"].map(|file| folder.join(file));
    let mut panels = maps(&outcomes);
    for (label, lines) in [("accuracy", &accuracy), ("log loss", &loss)] {
        panels.extend(curves::panels(
            lines,
            &names(&METHODS),
            Axis { label, scale: Scale::Linear, mean: Mean::Arithmetic },
        ));
    }
    let caption = vec![
        "Figure 5: share of positive cells, and their probability by two models of the first seed with inducing points;"
            .into(),
        "accuracy and log loss (nats) on held-out cells.".into(),
        format!("Lines: arithmetic mean; bands: its 95 % t-interval; {}.", curves::repeats(&accuracy)),
    ];
    draw(&picture, &Picture { caption, columns: 3, panels })?;
    curves::write(&table, &accuracy)?;
    curves::write(&losses, &loss)?;
    Ok(vec![picture, table, losses, summarise(&outcomes, folder)?])
}

fn of_accuracy(outcome: &MapResult) -> Curve {
    outcome.curve(&outcome.accuracy)
}

fn of_loss(outcome: &MapResult) -> Curve {
    outcome.curve(&outcome.log_loss)
}

fn lines(rows: &[Row], shown: fn(&MapResult) -> Curve) -> Vec<Line> {
    curves::lines(rows, &[], &names(&METHODS), |row| {
        let (settings, outcome) = row.read::<MapSettings, MapResult>()?;
        Some((settings.of(), shown(&outcome)))
    })
}

/// The truth, and what the first run of each method believes.
fn maps(outcomes: &[(MapSettings, MapResult)]) -> Vec<Panel> {
    let mut panels = Vec::new();
    if let Some((settings, first)) = outcomes.first() {
        panels.push(map(settings.of().function, &first.truth, &[]));
    }
    for method in SHOWN {
        let Some((settings, first)) = outcomes.iter().find(|(settings, _)| settings.method == method) else { continue };
        let right = 100.0 * first.accuracy.last().copied().unwrap_or(f64::NAN);
        panels.push(map(format!("{}: {right:.1} % right", settings.of().name()), &first.probability, &first.z));
    }
    panels
}

fn map(title: String, tiles: &[Option<f64>], z: &[(f64, f64)]) -> Panel {
    let side = 1.0 / SIDE as f64;
    let shades = |strength: fn(f64) -> f64| {
        let shade = |(tile, share): (usize, &Option<f64>)| {
            let corner = ((tile / SIDE) as f64 * side, (tile % SIDE) as f64 * side);
            let strength = strength((*share)?);
            (strength > 0.0).then_some(([corner, (corner.0 + side, corner.1 + side)], strength))
        };
        Marks::Cells(tiles.iter().enumerate().filter_map(shade).collect())
    };
    let layers = vec![
        Layer::named("high", COLORS[0], shades(|share| (1.6 * (share - 0.5)).max(0.0))),
        Layer::named("low", COLORS[1], shades(|share| (1.6 * (0.5 - share)).max(0.0))),
        Layer::named("inducing points", COLORS[4], Marks::Dots(z.to_vec(), 3)),
    ];
    Panel { title, axes: ["longitude".into(), "latitude".into()], layers, ..Panel::default() }
}

/// Writes a line per method, mean ± standard error over repeats.
fn summarise(outcomes: &[(MapSettings, MapResult)], folder: &Path) -> Result<PathBuf> {
    let path = folder.join("malaria.md");
    let mut groups: Vec<(String, Vec<&MapResult>)> = Vec::new();
    for (settings, outcome) in outcomes {
        let name = settings.of().name();
        match groups.iter_mut().find(|(known, _)| *known == name) {
            Some((_, runs)) => runs.push(outcome),
            None => groups.push((name, vec![outcome])),
        }
    }
    let place = |name: &str| METHODS.iter().position(|(method, _)| name.starts_with(method));
    groups.sort_by_key(|(name, _)| place(name));
    let evaluations = outcomes.first().map_or(&[][..], |(_, outcome)| &outcome.evaluations);
    let [early, last] = [evaluations.get(EARLY), evaluations.last()].map(|count| count.copied().unwrap_or(0));
    let header = [
        "method",
        "repeats",
        &format!("accuracy % after {early} cells"),
        &format!("after {last}"),
        &format!("log loss after {last}"),
        "overhead s",
    ];
    let row = |(name, runs): &(String, Vec<&MapResult>)| {
        let of = |value: &dyn Fn(&MapResult) -> Option<f64>, digits| {
            with_error(&runs.iter().filter_map(|run| value(run)).collect::<Vec<_>>(), digits)
        };
        vec![
            name.clone(),
            runs.len().to_string(),
            of(&|run| run.accuracy.get(EARLY).map(|share| 100.0 * share), 2),
            of(&|run| run.accuracy.last().map(|share| 100.0 * share), 2),
            of(&|run| run.log_loss.last().copied(), 4),
            of(&|run| Some(run.overhead_s()), 1),
        ]
    };
    markdown(&path, &header.map(String::from), &groups.iter().map(row).collect::<Vec<_>>())?;
    Ok(path)
}
