//! Drawings as SVG.

use miette::{Result, miette};
use plotters::coord::Shift;
use plotters::prelude::*;
use spargo::linalg::Mat;
use std::path::Path;

/// Data, their quality as the background, and the chosen points, over two inputs.
pub fn allocation(
    path: &Path,
    x: &Mat<f64>,
    quality: &[f64],
    chosen: &Mat<f64>,
    axes: [usize; 2],
    names: &[String],
) -> Result<()> {
    let root = SVGBackend::new(path, (SIZE, SIZE)).into_drawing_area();
    draw(&root, x, quality, chosen, axes, names).map_err(|error| miette!("cannot draw {}: {error}", path.display()))
}

type Drawn = std::result::Result<(), Box<dyn std::error::Error>>;

/// Pixels a side.
const SIZE: u32 = 640;

/// Cells of the background a side.
const CELLS: usize = 60;

fn draw(
    root: &DrawingArea<SVGBackend<'_>, Shift>,
    x: &Mat<f64>,
    quality: &[f64],
    chosen: &Mat<f64>,
    axes: [usize; 2],
    names: &[String],
) -> Drawn {
    let data: Vec<(f64, f64)> = plane(x, axes);
    let chosen: Vec<(f64, f64)> = plane(chosen, axes);
    let [across, up] = [0, 1].map(|axis| range(data.iter().chain(&chosen).map(|p| if axis == 0 { p.0 } else { p.1 })));
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(root)
        .margin(12)
        .x_label_area_size(36)
        .y_label_area_size(44)
        .build_cartesian_2d(across.0..across.1, up.0..up.1)?;
    chart.configure_mesh().disable_mesh().x_desc(&names[axes[0]]).y_desc(&names[axes[1]]).draw()?;
    chart.draw_series(background(&data, quality, across, up))?;
    chart.draw_series(data.iter().map(|&p| Circle::new(p, 3, GREEN.filled())))?;
    chart.draw_series(chosen.iter().map(|&p| Circle::new(p, 5, RED.filled())))?;
    root.present()?;
    Ok(())
}

fn plane(points: &Mat<f64>, [a, b]: [usize; 2]) -> Vec<(f64, f64)> {
    (0..points.nrows()).map(|i| (points[(i, a)], points[(i, b)])).collect()
}

/// The values' range with a margin, never empty.
fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    let margin = if high > low { 0.04 * (high - low) } else { 0.5 };
    (low - margin, high + margin)
}

/// Each cell in the shade of its nearest datum's quality; none where quality does not vary.
fn background(data: &[(f64, f64)], quality: &[f64], across: (f64, f64), up: (f64, f64)) -> Vec<Rectangle<(f64, f64)>> {
    let (low, high) = quality.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &q| (l.min(q), h.max(q)));
    if high <= low {
        return Vec::new();
    }
    let (width, height) = ((across.1 - across.0) / CELLS as f64, (up.1 - up.0) / CELLS as f64);
    let cell = |i: usize, j: usize| {
        let corner = (across.0 + width * i as f64, up.0 + height * j as f64);
        let centre = (corner.0 + 0.5 * width, corner.1 + 0.5 * height);
        let distance = |p: &(f64, f64)| ((p.0 - centre.0) / width).powi(2) + ((p.1 - centre.1) / height).powi(2);
        let nearest = (0..data.len()).min_by(|&a, &b| distance(&data[a]).total_cmp(&distance(&data[b])));
        let shade = nearest.map_or(0.0, |i| (quality[i] - low) / (high - low));
        let opposite = (corner.0 + width, corner.1 + height);
        Rectangle::new([corner, opposite], BLUE.mix(0.55 * shade).filled())
    };
    (0..CELLS).flat_map(|i| (0..CELLS).map(move |j| (i, j))).map(|(i, j)| cell(i, j)).collect()
}
