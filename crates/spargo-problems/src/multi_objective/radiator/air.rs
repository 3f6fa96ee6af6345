//! The air's side of the radiator.
//!
//! ```text
//!     j = c_j Re^−0.487,   f = c_f Re^−0.781                    louvered fins: Kim & Bullard 2002
//!     h = j G c_p Pr^(−2/3),   η = 1 − A_fin/A (1 − tanh(mL)/mL)    straight fins: Shah & Sekulić 2003
//!     Δp = G²/2ρ ((1 + σ²)(ρ/ρ₂ − 1) + f A/A_free ρ/ρ̄)           friction and acceleration: Kays & London
//! ```

use super::design::{CONDUCTIVITY, Design};

/// °C.
pub const INLET: f64 = 40.0;
const KELVIN: f64 = 273.15;
const DENSITY: f64 = 1.127;
const VISCOSITY: f64 = 1.95e-5;
const HEAT: f64 = 1007.0;
const PRANDTL: f64 = 0.71;
/// Angle of the louvers, as a share of a right angle.
const ANGLE: f64 = 27.0 / 90.0;

/// The air at one face velocity.
pub struct Air {
    /// G, kg/(m² s) through the free area.
    flux: f64,
    /// f.
    friction: f64,
    /// W/K, of mass flow times heat.
    pub capacity: f64,
    /// η h A, W/K.
    pub conductance: f64,
}

impl Air {
    /// The air that enters the face at that speed.
    pub fn new(design: &Design, velocity: f64) -> Self {
        let flux = DENSITY * velocity * design.face / design.free_area;
        let reynolds = flux * design.louver_pitch / VISCOSITY;
        let transfer = colburn(design) * reynolds.powf(-0.487) * flux * HEAT * PRANDTL.powf(-2.0 / 3.0);
        Air {
            flux,
            friction: friction(design) * reynolds.powf(-0.781),
            capacity: DENSITY * velocity * design.face * HEAT,
            conductance: surface_efficiency(design, transfer) * transfer * design.air_area,
        }
    }

    /// The pressure it loses when it takes up that heat.
    pub fn drop(&self, design: &Design, heat: f64) -> f64 {
        let outlet = DENSITY * (INLET + KELVIN) / (INLET + heat / self.capacity + KELVIN);
        let mean = 2.0 / (1.0 / DENSITY + 1.0 / outlet);
        let acceleration = (1.0 + (design.free_area / design.face).powi(2)) * (DENSITY / outlet - 1.0);
        let friction = self.friction * design.air_area / design.free_area * DENSITY / mean;
        self.flux.powi(2) / (2.0 * DENSITY) * (acceleration + friction)
    }
}

/// c_f.
fn friction(design: &Design) -> f64 {
    let over_pitch = |length: f64, power: f64| (length / design.louver_pitch).powf(power);
    ANGLE.powf(0.444)
        * over_pitch(design.fin_pitch, -1.682)
        * over_pitch(design.fin_height, -1.22)
        * over_pitch(design.depth, 0.818)
        * over_pitch(design.louver_length, 1.97)
}

/// c_j.
fn colburn(design: &Design) -> f64 {
    let over_pitch = |length: f64, power: f64| (length / design.louver_pitch).powf(power);
    ANGLE.powf(0.257)
        * over_pitch(design.fin_pitch, -0.13)
        * over_pitch(design.fin_height, -0.29)
        * over_pitch(design.depth, -0.235)
        * over_pitch(design.louver_length, 0.68)
        * over_pitch(design.tube_pitch, -0.279)
        * over_pitch(design.fin_thickness, -0.05)
}

/// η.
fn surface_efficiency(design: &Design, transfer: f64) -> f64 {
    let thickness = design.fin_thickness;
    let m = (2.0 * transfer / (CONDUCTIVITY * thickness) * (1.0 + thickness / design.depth)).sqrt();
    let ml = m * (design.fin_length / 2.0 - thickness);
    1.0 - design.fin_area / design.air_area * (1.0 - ml.tanh() / ml)
}
