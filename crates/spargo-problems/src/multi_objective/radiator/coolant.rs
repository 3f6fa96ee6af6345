//! The coolant's side of the radiator: equal parts of water and glycol in flat tubes.
//!
//! ```text
//!     laminar:    f Re and Nu of rectangular ducts, polynomials in height/width   (Shah & London 1978)
//!     turbulent:  f = (0.79 ln Re − 1.64)⁻²,   Nu = (f/8)(Re − 1000)Pr / (1 + 12.7 √(f/8) (Pr^⅔ − 1))   (Gnielinski 1976)
//!     between Re = 2300 and 4000 a straight line from one to the other            (Gnielinski 2013)
//! ```

use super::design::Design;

/// °C.
pub const INLET: f64 = 105.0;
pub const DENSITY: f64 = 1013.0;
/// kg/s.
const FLOW: f64 = 2.0;
const VISCOSITY: f64 = 6.6e-4;
const HEAT: f64 = 3710.0;
const CONDUCTIVITY: f64 = 0.42;
/// Velocity heads lost at the ends of a pass.
const LOSSES: f64 = 1.5;
const LAMINAR: f64 = 2300.0;
const TURBULENT: f64 = 4000.0;

/// One way through some of the tubes.
pub struct Pass {
    /// From the coolant to the wall, K/W.
    pub resistance: f64,
    /// Pressure, Pa.
    pub drop: f64,
}

/// W/K, of mass flow times heat.
pub fn capacity() -> f64 {
    FLOW * HEAT
}

/// The coolant's way through that many tubes of each row at a time.
pub fn pass(design: &Design, tubes: f64) -> Pass {
    let (section, wetted) = design.channel();
    let diameter = 4.0 * section / wetted;
    let parallel = tubes * design.rows;
    let velocity = FLOW / (DENSITY * section * parallel);
    let (friction, nusselt) = duct(DENSITY * velocity * diameter / VISCOSITY, design.inner_height / design.inner_width);
    let transfer = nusselt * CONDUCTIVITY / diameter;
    Pass {
        resistance: 1.0 / (transfer * wetted * design.length * parallel),
        drop: (friction * design.length / diameter + LOSSES) * DENSITY * velocity.powi(2) / 2.0,
    }
}

/// Darcy's friction factor and the Nusselt number.
fn duct(reynolds: f64, aspect: f64) -> (f64, f64) {
    let share = ((reynolds - LAMINAR) / (TURBULENT - LAMINAR)).clamp(0.0, 1.0);
    let (slow, fast) = (laminar(reynolds.min(LAMINAR), aspect), turbulent(reynolds.max(TURBULENT)));
    let between = |a: f64, b: f64| (1.0 - share) * a + share * b;
    (between(slow.0, fast.0), between(slow.1, fast.1))
}

fn laminar(reynolds: f64, aspect: f64) -> (f64, f64) {
    let polynomial = |coefficients: [f64; 6]| coefficients.iter().rev().fold(0.0, |sum, c| sum * aspect + c);
    let fanning = 24.0 * polynomial([1.0, -1.3553, 1.9467, -1.7012, 0.9564, -0.2537]) / reynolds;
    (4.0 * fanning, 8.235 * polynomial([1.0, -2.0421, 3.0853, -2.4765, 1.0578, -0.1861]))
}

fn turbulent(reynolds: f64) -> (f64, f64) {
    let prandtl = HEAT * VISCOSITY / CONDUCTIVITY;
    let friction = (0.79 * reynolds.ln() - 1.64).powi(-2);
    let eighth = friction / 8.0;
    let nusselt =
        eighth * (reynolds - 1000.0) * prandtl / (1.0 + 12.7 * eighth.sqrt() * (prandtl.powf(2.0 / 3.0) - 1.0));
    (friction, nusselt)
}
