//! The drawing of an active-learning experiment: the map with the cells asked for, and the calibration.

use crate::experiments::{ActiveLearning, Bin, tiles};
use miette::{IntoDiagnostic, Result, miette};
use plotters::coord::Shift;
use plotters::prelude::*;
use std::path::Path;

/// Pixels a side.
const MAP: u32 = 640;
const CALIBRATION: u32 = 420;

/// Tiles of the map a side.
const TILES: usize = 100;
const NEGATIVE: RGBColor = RGBColor(0, 114, 178);
const POSITIVE: RGBColor = RGBColor(213, 94, 0);

/// Draws both as SVG.
pub fn draw(path: &Path, experiment: &mut ActiveLearning<'_>, calibration: &[Bin]) -> Result<()> {
    let tiles = probabilities(experiment)?;
    let (asked, inducing) = (experiment.asked().into_diagnostic()?, experiment.inducing().into_diagnostic()?);
    let root = SVGBackend::new(path, (MAP + CALIBRATION, MAP)).into_drawing_area();
    let (left, right) = root.split_horizontally(MAP);
    let drawn = || -> Drawn {
        root.fill(&WHITE)?;
        draw_map(&left, &tiles, &asked, &inducing)?;
        draw_calibration(&right.margin(MAP / 6, MAP / 6, 0, 12), calibration)?;
        root.present()?;
        Ok(())
    };
    drawn().map_err(|error| miette!("cannot draw {}: {error}", path.display()))
}

type Drawn = std::result::Result<(), Box<dyn std::error::Error>>;
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// The mean probability of the cells of each tile.
fn probabilities(experiment: &mut ActiveLearning<'_>) -> Result<Vec<Option<f64>>> {
    let all: Vec<usize> = (0..experiment.cells().len()).collect();
    let probabilities = experiment.probabilities(&all).into_diagnostic()?;
    Ok(tiles(experiment.cells(), &probabilities, TILES))
}

/// From one class's colour over white to the other's.
fn colour(probability: f64) -> RGBAColor {
    let certainty = (2.0 * probability - 1.0).abs();
    if probability >= 0.5 { POSITIVE.mix(0.6 * certainty) } else { NEGATIVE.mix(0.6 * certainty) }
}

fn draw_map(area: &Area<'_>, tiles: &[Option<f64>], asked: &[([f64; 2], bool)], inducing: &[[f64; 2]]) -> Drawn {
    let mut chart = ChartBuilder::on(area)
        .caption("probability of a high prevalence", ("sans-serif", 17))
        .margin(12)
        .x_label_area_size(36)
        .y_label_area_size(48)
        .build_cartesian_2d(0.0..1.0, 0.0..1.0)?;
    chart.configure_mesh().disable_mesh().x_labels(6).y_labels(6).x_desc("longitude").y_desc("latitude").draw()?;
    let side = 1.0 / TILES as f64;
    chart.draw_series(tiles.iter().enumerate().filter_map(|(tile, probability)| {
        let corner = ((tile / TILES) as f64 * side, (tile % TILES) as f64 * side);
        Some(Rectangle::new([corner, (corner.0 + side, corner.1 + side)], colour((*probability)?).filled()))
    }))?;
    for (class, hue, name) in [(true, POSITIVE, "high"), (false, NEGATIVE, "low")] {
        let of: Vec<[f64; 2]> = asked.iter().filter(|(_, label)| *label == class).map(|(cell, _)| *cell).collect();
        let series = chart.draw_series(of.iter().map(|&[x, y]| Circle::new((x, y), 2, hue.filled())))?;
        series
            .label(format!("asked, {name} ({})", of.len()))
            .legend(move |(x, y)| Circle::new((x + 6, y), 3, hue.filled()));
    }
    let ring = BLACK.stroke_width(2);
    let series = chart.draw_series(inducing.iter().map(|&[x, y]| Circle::new((x, y), 5, ring)))?;
    series
        .label(format!("inducing points ({})", inducing.len()))
        .legend(move |(x, y)| Circle::new((x + 6, y), 5, ring));
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerRight)
        .background_style(WHITE.mix(0.85))
        .border_style(BLACK.mix(0.3))
        .draw()?;
    Ok(())
}

/// The share of positive cells against their probability.
fn draw_calibration(area: &Area<'_>, bins: &[Bin]) -> Drawn {
    let mut chart = ChartBuilder::on(area)
        .caption("calibration on held-out cells", ("sans-serif", 17))
        .margin(12)
        .x_label_area_size(36)
        .y_label_area_size(48)
        .build_cartesian_2d(0.0..1.0, 0.0..1.0)?;
    let mesh = || BLACK.mix(0.1);
    chart
        .configure_mesh()
        .bold_line_style(mesh())
        .light_line_style(WHITE)
        .x_labels(6)
        .y_labels(6)
        .x_desc("probability")
        .y_desc("share of positive cells")
        .draw()?;
    chart.draw_series(LineSeries::new([(0.0, 0.0), (1.0, 1.0)], BLACK.mix(0.4)))?;
    let points = || bins.iter().map(|bin| (bin.probability, bin.share));
    chart.draw_series(LineSeries::new(points(), NEGATIVE.stroke_width(2)))?;
    // Areas as the numbers of cells.
    let most = bins.iter().map(|bin| bin.cells).max().unwrap_or(1) as f64;
    let size = |bin: &Bin| (9.0 * (bin.cells as f64 / most).sqrt()).max(2.0) as i32;
    chart
        .draw_series(bins.iter().map(|bin| Circle::new((bin.probability, bin.share), size(bin), NEGATIVE.filled())))?;
    Ok(())
}
