//! Panels of lines, bands, dots and shades in one SVG, with one legend and a caption that says what is shown.

mod axes;

use crate::error::{Error, Result};
use axes::{ranges, tick};
use plotters::coord::Shift;
use plotters::coord::ranged1d::{Ranged, ValueFormatter};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use std::path::Path;

/// Colours that most eyes can tell apart (Okabe & Ito 2008).
pub const COLORS: [RGBColor; 8] = [
    RGBColor(213, 94, 0),
    RGBColor(0, 114, 178),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(0, 0, 0),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(140, 140, 140),
];

/// Pixels of a panel, of a line of text, of a letter (no letter is much wider), around things, and left of the text.
const PANEL: (u32, u32) = (460, 320);
const LINE: u32 = 20;
const LETTER: u32 = 7;
const MARGIN: u32 = 12;
const LEFT: u32 = 60;

/// A picture of several panels.
pub struct Picture {
    /// What is shown, sentence by sentence: which mean, which band, how many repeats.
    pub caption: Vec<String>,
    /// Panels in a row.
    pub columns: usize,
    /// The panels, row by row.
    pub panels: Vec<Panel>,
}

/// One pair of axes.
#[derive(Default)]
pub struct Panel {
    /// What stands above it.
    pub title: String,
    /// What the axes show.
    pub axes: [String; 2],
    /// How the vertical axis runs.
    pub scale: Scale,
    /// Its layers, from back to front.
    pub layers: Vec<Layer>,
}

/// How an axis runs.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub enum Scale {
    /// Evenly.
    #[default]
    Linear,
    /// By powers.
    Log,
}

/// Something drawn; layers with a name are in the legend.
pub struct Layer {
    /// Its name in the legend, if it has one.
    pub name: Option<String>,
    /// Its colour.
    pub color: RGBColor,
    /// What it is.
    pub marks: Marks,
}

/// What a layer consists of.
pub enum Marks {
    /// A curve.
    Line(Vec<(f64, f64)>),
    /// A curve of dashes.
    Dashes(Vec<(f64, f64)>),
    /// What lies between two curves: (x, low, high).
    Band(Vec<(f64, f64, f64)>),
    /// Points, by their radius.
    Dots(Vec<(f64, f64)>, u32),
    /// Rectangles with a strength from 0 to 1.
    Cells(Vec<([(f64, f64); 2], f64)>),
}

impl Layer {
    /// A layer that the legend does not name.
    pub fn plain(color: RGBColor, marks: Marks) -> Self {
        Layer { name: None, color, marks }
    }

    /// A layer that the legend names.
    pub fn named(name: impl Into<String>, color: RGBColor, marks: Marks) -> Self {
        Layer { name: Some(name.into()), color, marks }
    }
}

/// Writes a picture as SVG.
pub fn draw(path: &Path, picture: &Picture) -> Result<()> {
    let columns = picture.columns.max(1).min(picture.panels.len().max(1));
    let rows = picture.panels.len().div_ceil(columns);
    let legend = legend(picture);
    let caption = wrapped(&picture.caption.join(" "), (columns as u32 * PANEL.0 - 2 * LEFT) / LETTER);
    let foot = LINE * (legend.len().div_ceil(columns) + caption.len()) as u32 + 2 * MARGIN;
    let size = (columns as u32 * PANEL.0, rows as u32 * PANEL.1 + foot);
    let root = SVGBackend::new(path, size).into_drawing_area();
    let drawn = || -> Drawn {
        root.fill(&WHITE)?;
        let (top, bottom) = root.split_vertically(size.1 - foot);
        for (area, panel) in top.split_evenly((rows, columns)).iter().zip(&picture.panels) {
            draw_panel(area, panel)?;
        }
        draw_foot(&bottom, &legend, columns, &caption)?;
        root.present()?;
        Ok(())
    };
    drawn().map_err(|error| Error::drawing(path, error))
}

type Drawn = std::result::Result<(), Box<dyn std::error::Error>>;
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// A text in lines of at most so many letters, unless a word is longer.
fn wrapped(text: &str, most: u32) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.chars().count() + word.chars().count() < most as usize => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.into()),
        }
    }
    lines
}

/// Named layers of all panels, each name once.
fn legend(picture: &Picture) -> Vec<&Layer> {
    let mut legend: Vec<&Layer> = Vec::new();
    for layer in picture.panels.iter().flat_map(|panel| &panel.layers).filter(|layer| layer.name.is_some()) {
        if legend.iter().all(|known| known.name != layer.name) {
            legend.push(layer);
        }
    }
    legend
}

fn draw_foot(area: &Area<'_>, legend: &[&Layer], columns: usize, caption: &[String]) -> Drawn {
    let style = TextStyle::from(("sans-serif", 14).into_font());
    for (i, layer) in legend.iter().enumerate() {
        let (x, y) = ((i % columns) as i32 * PANEL.0 as i32 + LEFT as i32, (i / columns) as i32 * LINE as i32 + 16);
        let line = |from: i32, to: i32| PathElement::new(vec![(x + from, y), (x + to, y)], layer.color.stroke_width(2));
        match &layer.marks {
            Marks::Line(_) => area.draw(&line(0, 28))?,
            Marks::Dashes(_) => [0, 10, 20].into_iter().try_for_each(|from| area.draw(&line(from, from + 6)))?,
            Marks::Dots(_, radius) => area.draw(&Circle::new((x + 14, y), *radius, layer.color.filled()))?,
            Marks::Band(_) | Marks::Cells(_) => {
                area.draw(&Rectangle::new([(x, y - 6), (x + 28, y + 6)], layer.color.mix(0.3).filled()))?;
            }
        }
        area.draw(&Text::new(layer.name.clone().unwrap_or_default(), (x + 36, y - 7), style.clone()))?;
    }
    let first = (legend.len().div_ceil(columns) as u32 * LINE + MARGIN) as i32;
    for (i, line) in caption.iter().enumerate() {
        area.draw(&Text::new(line.clone(), (LEFT as i32, first + i as i32 * LINE as i32), style.clone()))?;
    }
    Ok(())
}

fn draw_panel(area: &Area<'_>, panel: &Panel) -> Drawn {
    let (across, up) = ranges(panel);
    let mut builder = ChartBuilder::on(area);
    builder.caption(&panel.title, ("sans-serif", 17)).margin(MARGIN).x_label_area_size(38).y_label_area_size(58);
    match panel.scale {
        Scale::Linear => draw_layers(builder.build_cartesian_2d(across.0..across.1, up.0..up.1)?, panel, up),
        Scale::Log => draw_layers(builder.build_cartesian_2d(across.0..across.1, (up.0..up.1).log_scale())?, panel, up),
    }
}

fn draw_layers<'a, Y: Ranged<ValueType = f64> + ValueFormatter<f64>>(
    mut chart: ChartContext<'a, SVGBackend<'_>, Cartesian2d<RangedCoordf64, Y>>,
    panel: &Panel,
    (low, high): (f64, f64),
) -> Drawn {
    chart
        .configure_mesh()
        .light_line_style(WHITE)
        .bold_line_style(BLACK.mix(0.08))
        .x_labels(6)
        .y_labels(7)
        .x_label_formatter(&|v| tick(*v))
        .y_label_formatter(&|v| tick(*v))
        .x_desc(&panel.axes[0])
        .y_desc(&panel.axes[1])
        .draw()?;
    // Bands may leave the picture: a mean on a logarithmic axis can have an interval that reaches below 0.
    let inside = |v: f64| v.clamp(low, high);
    for Layer { color, marks, .. } in &panel.layers {
        match marks {
            Marks::Line(points) => {
                chart.draw_series(LineSeries::new(points.iter().map(|p| (p.0, inside(p.1))), color.stroke_width(2)))?;
            }
            Marks::Dashes(points) => {
                let points = points.iter().map(|p| (p.0, inside(p.1)));
                chart.draw_series(DashedLineSeries::new(points, 6, 4, color.stroke_width(2)))?;
            }
            Marks::Band(band) => {
                let there = band.iter().map(|p| (p.0, inside(p.2)));
                let back = band.iter().rev().map(|p| (p.0, inside(p.1)));
                let outline: Vec<(f64, f64)> = there.chain(back).collect();
                chart.draw_series(std::iter::once(Polygon::new(outline, color.mix(0.15).filled())))?;
            }
            Marks::Dots(points, radius) => {
                chart.draw_series(points.iter().map(|&p| Circle::new(p, *radius, color.filled())))?;
            }
            Marks::Cells(cells) => {
                let shades = cells.iter().map(|(cell, strength)| Rectangle::new(*cell, color.mix(*strength).filled()));
                chart.draw_series(shades)?;
            }
        }
    }
    Ok(())
}
