//! The radiator's geometry and mass, in SI units.

use super::coolant;
use std::f64::consts::PI;

/// Height of the core, m: tubes and fins share it.
const HEIGHT: f64 = 0.40;
pub const WALL: f64 = 0.30e-3;
/// Gap between rows of tubes, m.
const GAP: f64 = 2e-3;
/// Length of a louver, as a share of the fin's height.
const LOUVER: f64 = 0.85;
/// Aluminium: W/(m K), kg/m³.
pub const CONDUCTIVITY: f64 = 180.0;
const ALUMINIUM: f64 = 2700.0;
/// Headers of aluminium and tanks of polyamide, m and kg/m³.
const HEADER: f64 = 1.5e-3;
const TANK: f64 = 2.5e-3;
const TANK_DEPTH: f64 = 40e-3;
const POLYAMIDE: f64 = 1370.0;
/// Excess width of headers and tanks over the core, m.
const RIM: f64 = 0.01;

/// What is chosen, and the lengths and areas that follow from it.
pub struct Design {
    pub length: f64,
    pub fin_pitch: f64,
    pub louver_pitch: f64,
    pub fin_thickness: f64,
    pub tubes: f64,
    pub rows: f64,
    passes: f64,
    pub tube_pitch: f64,
    pub fin_height: f64,
    /// Length along a fin from tube to tube.
    pub fin_length: f64,
    pub louver_length: f64,
    /// Depth in the direction of the air.
    pub depth: f64,
    /// Outer perimeter of a tube.
    perimeter: f64,
    /// Clear height and width inside a tube.
    pub inner_height: f64,
    pub inner_width: f64,
    /// Areas: of the face; on the air's side of fins and of all; free for the air.
    pub face: f64,
    pub fin_area: f64,
    pub air_area: f64,
    pub free_area: f64,
    /// Aluminium of all fins.
    fin_volume: f64,
}

impl Design {
    /// The design of a point of the problem's inputs.
    pub fn new(x: &[f64]) -> Self {
        let [length, tube_height, fin_pitch, louver_pitch, fin_thickness, tube_depth, tubes, rows, passes]: [f64; 9] =
            std::array::from_fn(|k| x[k]);
        // The fins fill what the tubes leave of the core's height.
        let fin_height = (HEIGHT - tubes * tube_height) / (tubes + 1.0);
        let fin_length = fin_height.hypot(fin_pitch);
        let fins = length / fin_pitch * (tubes + 1.0);
        let depth = rows * tube_depth + (rows - 1.0) * GAP;
        let perimeter = 2.0 * (tube_depth - tube_height) + PI * tube_height;
        let fin_area = 2.0 * fin_length * depth * fins;
        let tube_area = perimeter * length * tubes * rows - 2.0 * fin_thickness * tube_depth * rows * fins;
        Design {
            length,
            fin_pitch,
            louver_pitch,
            fin_thickness,
            tubes,
            rows,
            passes,
            tube_pitch: fin_height + tube_height,
            fin_height,
            fin_length,
            louver_length: LOUVER * fin_height,
            depth,
            perimeter,
            inner_height: tube_height - 2.0 * WALL,
            inner_width: tube_depth - 2.0 * WALL,
            face: HEIGHT * length,
            fin_area,
            air_area: fin_area + tube_area,
            free_area: fin_height * length * (tubes + 1.0) - fin_thickness * fin_length * fins,
            fin_volume: fin_thickness * fin_length * depth * fins,
        }
    }

    /// The number of tubes of each pass; the first ones take what does not divide evenly.
    pub fn tubes_of_passes(&self) -> impl Iterator<Item = f64> {
        let (each, left) = ((self.tubes / self.passes).floor(), self.tubes % self.passes);
        (0..self.passes as usize).map(move |k| if (k as f64) < left { each + 1.0 } else { each })
    }

    /// Thermal resistance of the tubes' walls, K/W.
    pub fn wall_resistance(&self, tubes: f64) -> f64 {
        WALL / (CONDUCTIVITY * self.perimeter * self.length * tubes * self.rows)
    }

    /// Cross-section of the coolant in a tube with round ends, and the perimeter that it wets.
    pub fn channel(&self) -> (f64, f64) {
        let (height, straight) = (self.inner_height, self.inner_width - self.inner_height);
        (straight * height + PI * height.powi(2) / 4.0, 2.0 * straight + PI * height)
    }

    /// With its coolant, headers and tanks, kg.
    pub fn mass(&self) -> f64 {
        let run = self.length * self.tubes * self.rows;
        let core =
            ALUMINIUM * (self.fin_volume + self.perimeter * WALL * run) + coolant::DENSITY * self.channel().0 * run;
        let rim = self.depth + RIM;
        core + 2.0 * HEIGHT * (ALUMINIUM * HEADER * rim + POLYAMIDE * TANK * (rim + 2.0 * TANK_DEPTH))
    }
}
