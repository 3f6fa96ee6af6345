//! Drawings as SVG.

use miette::{Result, miette};
use plotters::coord::Shift;
use plotters::prelude::*;
use spargo::linalg::Mat;

/// Pixels per side.
const SIZE: u32 = 640;

/// Cells of the background per side.
const CELLS: usize = 60;

/// Width of the smoothing of the background, in cells.
const REACH: f64 = 1.5;

type Drawn = std::result::Result<(), Box<dyn std::error::Error>>;

/// Two opposite corners.
type Corners = [(f64, f64); 2];

/// The SVG of a drawing.
fn svg(size: (u32, u32), draw: impl FnOnce(&DrawingArea<SVGBackend<'_>, Shift>) -> Drawn) -> Result<String> {
    let mut text = String::new();
    {
        let root = SVGBackend::with_string(&mut text, size).into_drawing_area();
        let drawn = root.fill(&WHITE).map_err(Into::into).and_then(|()| draw(&root)).and_then(|()| Ok(root.present()?));
        drawn.map_err(|error| miette!("cannot draw: {error}"))?;
    }
    Ok(text)
}

/// An allocation over two inputs: data, their quality as the background, and the chosen points.
pub struct AllocationDrawing<'a> {
    pub x: &'a Mat,
    pub quality: &'a [f64],
    pub chosen: &'a Mat,
    /// The two inputs.
    pub axes: [usize; 2],
    /// The names of all inputs.
    pub names: &'a [String],
}

impl AllocationDrawing<'_> {
    pub fn svg(&self) -> Result<String> {
        svg((SIZE, SIZE), |root| self.draw(root))
    }

    fn draw(&self, root: &DrawingArea<SVGBackend<'_>, Shift>) -> Drawn {
        let [data, chosen] = [self.x, self.chosen].map(|points| plane(points, self.axes));
        let [across, up] =
            [0, 1].map(|axis| range(data.iter().chain(&chosen).map(|p| if axis == 0 { p.0 } else { p.1 })));
        let mut chart = ChartBuilder::on(root)
            .margin(12)
            .x_label_area_size(40)
            .y_label_area_size(64)
            .build_cartesian_2d(across.0..across.1, up.0..up.1)?;
        chart
            .configure_mesh()
            .disable_mesh()
            .x_labels(6)
            .y_labels(6)
            .x_label_formatter(&|v| tick(*v, across))
            .y_label_formatter(&|v| tick(*v, up))
            .x_desc(&self.names[self.axes[0]])
            .y_desc(&self.names[self.axes[1]])
            .draw()?;
        let shade = |strength: f64| BLUE.mix(0.5 * strength).filled();
        let cells = background(&data, self.quality, across, up);
        if !cells.is_empty() {
            let series =
                chart.draw_series(cells.into_iter().map(|(cell, strength)| Rectangle::new(cell, shade(strength))))?;
            series.label("quality").legend(move |(x, y)| Rectangle::new([(x, y - 5), (x + 12, y + 5)], shade(1.0)));
        }
        // Many points are drawn small and faint, so that they do not hide the quality.
        let (size, strength) = if data.len() > 1000 { (1, 0.4) } else { (3, 0.7) };
        let dot = RGBColor(40, 120, 60).mix(strength).filled();
        let series = chart.draw_series(data.iter().map(|&p| Circle::new(p, size, dot)))?;
        series.label(format!("data ({})", data.len())).legend(move |(x, y)| Circle::new((x + 6, y), 3, dot));
        let series = chart.draw_series(chosen.iter().map(|&p| Circle::new(p, 5, RED.filled())))?;
        series.label(format!("chosen ({})", chosen.len())).legend(|(x, y)| Circle::new((x + 6, y), 5, RED.filled()));
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperRight)
            .background_style(WHITE.mix(0.85))
            .border_style(BLACK.mix(0.3))
            .draw()?;
        Ok(())
    }
}

/// A tick's label: with decimals if that is short, otherwise with an exponent.
fn tick(value: f64, (low, high): (f64, f64)) -> String {
    let largest = low.abs().max(high.abs());
    if (1e-2..1e4).contains(&largest) { format!("{value:.2}") } else { format!("{value:.1e}") }
}

fn plane(points: &Mat, [a, b]: [usize; 2]) -> Vec<(f64, f64)> {
    (0..points.nrows()).map(|i| (points[(i, a)], points[(i, b)])).collect()
}

/// The values' range with a margin, never empty.
fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    let margin = if high > low { 0.04 * (high - low) } else { 0.5 };
    (low - margin, high + margin)
}

/// Cells with the mean quality around them, 0 to 1; none where quality does not vary.
fn background(data: &[(f64, f64)], quality: &[f64], across: (f64, f64), up: (f64, f64)) -> Vec<(Corners, f64)> {
    let (low, high) = quality.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), &q| (l.min(q), h.max(q)));
    if high <= low {
        return Vec::new();
    }
    let (width, height) = ((across.1 - across.0) / CELLS as f64, (up.1 - up.0) / CELLS as f64);
    let cell = |i: usize, j: usize| {
        let corner = (across.0 + width * i as f64, up.0 + height * j as f64);
        let centre = (corner.0 + 0.5 * width, corner.1 + 0.5 * height);
        let distance = |p: &(f64, f64)| ((p.0 - centre.0) / width).powi(2) + ((p.1 - centre.1) / height).powi(2);
        let distances: Vec<f64> = data.iter().map(distance).collect();
        let nearest = distances.iter().copied().fold(f64::INFINITY, f64::min);
        // A mean over the neighbourhood, as other inputs vary as well; the nearest datum always counts.
        let weights = distances.iter().map(|d| (0.5 * (nearest - d) / REACH.powi(2)).exp());
        let (sum, total) = weights.zip(quality).fold((0.0, 0.0), |(sum, total), (w, q)| (sum + w * q, total + w));
        ([corner, (corner.0 + width, corner.1 + height)], (sum / total - low) / (high - low))
    };
    (0..CELLS).flat_map(|i| (0..CELLS).map(move |j| (i, j))).map(|(i, j)| cell(i, j)).collect()
}

/// The SVG of regret against evaluations, on a logarithmic scale.
pub fn regret(curve: &[(f64, f64)], title: &str) -> Result<String> {
    svg((SIZE, SIZE * 2 / 3), |root| draw_regret(root, curve, title))
}

fn draw_regret(root: &DrawingArea<SVGBackend<'_>, Shift>, curve: &[(f64, f64)], title: &str) -> Drawn {
    // A regret of 0 has no logarithm.
    let curve: Vec<(f64, f64)> = curve.iter().map(|&(n, regret)| (n, regret.max(1e-6))).collect();
    let across = range(curve.iter().map(|p| p.0));
    let (low, high) = curve.iter().fold((f64::INFINITY, 0f64), |(l, h), p| (l.min(p.1), h.max(p.1)));
    let mut chart = ChartBuilder::on(root)
        .caption(title, ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(40)
        .y_label_area_size(64)
        .build_cartesian_2d(across.0..across.1, (0.7 * low..1.4 * high).log_scale())?;
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .x_labels(6)
        .x_label_formatter(&|v| format!("{v:.0}"))
        .x_desc("evaluations")
        .y_desc("regret")
        .draw()?;
    chart.draw_series(LineSeries::new(curve.iter().copied(), BLUE.stroke_width(2)))?;
    chart.draw_series(curve.iter().map(|&p| Circle::new(p, 3, BLUE.filled())))?;
    Ok(())
}
