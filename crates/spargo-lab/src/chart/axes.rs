//! Where axes end, and what their ticks are labelled.

use super::{Marks, Panel, Scale};

/// The ends of both axes: all curves and dots are inside, bands need not be.
pub(super) fn ranges(panel: &Panel) -> ((f64, f64), (f64, f64)) {
    let mut points: Vec<(f64, f64)> = Vec::new();
    for layer in &panel.layers {
        match &layer.marks {
            Marks::Line(line) | Marks::Dashes(line) | Marks::Dots(line, _) => points.extend(line),
            Marks::Cells(cells) => points.extend(cells.iter().flat_map(|(corners, _)| corners)),
            Marks::Band(band) => points.extend(band.iter().map(|p| (p.0, p.2))),
        }
    }
    points.retain(|p| p.0.is_finite() && p.1.is_finite() && (panel.scale == Scale::Linear || p.1 > 0.0));
    let (low, high) = ends(points.iter().map(|p| p.0));
    let up = ends(points.iter().map(|p| p.1));
    let up = match panel.scale {
        Scale::Linear => (up.0 - 0.05 * (up.1 - up.0), up.1 + 0.05 * (up.1 - up.0)),
        Scale::Log => (0.7 * up.0, 1.4 * up.1),
    };
    ((low, high), up)
}

/// The least and the largest value, never equal.
fn ends(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
    match (low < high, low.is_finite()) {
        (true, _) => (low, high),
        (false, true) => (low - 0.5 * low.abs().max(1e-3), low + 0.5 * low.abs().max(1e-3)),
        (false, false) => (0.5, 1.5),
    }
}

/// Plain where that is short, else with an exponent.
pub(super) fn tick(value: f64) -> String {
    match value.abs() {
        0.0 => "0".into(),
        size if (1e-2..1e4).contains(&size) => format!("{}", (value * 1e4).round() / 1e4),
        _ => format!("{value:.0e}"),
    }
}
