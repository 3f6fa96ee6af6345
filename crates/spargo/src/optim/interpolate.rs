//! The next step of a line search from what is known of its ends (Moré & Thuente 1994, section 4).
//!
//! Four cases, by where the trial says the minimum is: between it and the best knot ([`inside`]),
//! likewise but with the trial the lower ([`across`]), beyond the trial in a bracket ([`onwards`]),
//! beyond it without one ([`outwards`]). Each weighs the minimiser of the cubic through both values
//! and slopes against that of a parabola.

/// A step with the value and slope of `φ` there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Knot {
    pub(super) step: f64,
    pub(super) value: f64,
    pub(super) slope: f64,
}

impl Knot {
    /// The knot of `φ(t) − tilt · t`.
    pub(super) fn tilted(self, tilt: f64) -> Self {
        Self { step: self.step, value: self.value - tilt * self.step, slope: self.slope - tilt }
    }
}

/// Case 1, a higher value: the minimum lies between. The quadratic may be far from the best knot,
/// so the cubic is preferred when it stays closer.
pub(super) fn inside(best: Knot, trial: Knot) -> f64 {
    let (cubic, quadratic) = (cubic(best, trial), quadratic(best, trial));
    if (cubic - best.step).abs() < (quadratic - best.step).abs() { cubic } else { midpoint(cubic, quadratic) }
}

/// Case 2, a lower value beyond the minimum: the candidate further from the trial.
pub(super) fn across(best: Knot, trial: Knot) -> f64 {
    further(trial.step, cubic(best, trial), secant(best, trial))
}

/// Cases 3 and 4 inside a bracket, still descending: on towards the other end.
pub(super) fn onwards(best: Knot, other: Knot, trial: Knot) -> f64 {
    if trial.slope.abs() >= best.slope.abs() {
        return cubic(other, trial);
    }
    let secant = secant(best, trial);
    let next = match cubic_beyond(best, trial) {
        Some(cubic) if (cubic - trial.step).abs() < (secant - trial.step).abs() => cubic,
        _ => secant,
    };
    let limit = trial.step + 0.66 * (other.step - trial.step);
    if trial.step > best.step { next.min(limit) } else { next.max(limit) }
}

/// Cases 3 and 4 without a bracket, still descending: further out.
pub(super) fn outwards(best: Knot, trial: Knot, (near, far): (f64, f64)) -> f64 {
    if trial.slope.abs() >= best.slope.abs() {
        return far;
    }
    let cubic = cubic_beyond(best, trial).unwrap_or(far);
    further(trial.step, cubic, secant(best, trial)).max(near).min(far)
}

pub(super) fn opposite(a: f64, b: f64) -> bool {
    a.signum() != b.signum()
}

pub(super) fn midpoint(a: f64, b: f64) -> f64 {
    a + 0.5 * (b - a)
}

fn further(from: f64, a: f64, b: f64) -> f64 {
    if (a - from).abs() > (b - from).abs() { a } else { b }
}

/// The minimiser of the parabola through both values and the slope at `a`.
fn quadratic(a: Knot, b: Knot) -> f64 {
    let h = b.step - a.step;
    a.step + 0.5 * h * a.slope / ((a.value - b.value) / h + a.slope)
}

/// The minimiser of the parabola through both slopes.
fn secant(a: Knot, b: Knot) -> f64 {
    b.step - (b.step - a.step) * b.slope / (b.slope - a.slope)
}

/// The minimiser of the cubic through both values and slopes.
fn cubic(a: Knot, b: Knot) -> f64 {
    b.step - (b.step - a.step) * cubic_fraction(a, b).0
}

/// The same, if the cubic has a minimiser and it lies beyond `b`.
fn cubic_beyond(a: Knot, b: Knot) -> Option<f64> {
    let (fraction, root) = cubic_fraction(a, b);
    (fraction < 0.0 && root != 0.0).then_some(b.step - (b.step - a.step) * fraction)
}

/// How far back from `b` towards `a` the minimiser lies, in units of their distance, and the root
/// of the discriminant, scaled against overflow and zero if there is no minimiser.
fn cubic_fraction(a: Knot, b: Knot) -> (f64, f64) {
    let h = b.step - a.step;
    let mean = 3.0 * (a.value - b.value) / h + a.slope + b.slope;
    let scale = mean.abs().max(a.slope.abs()).max(b.slope.abs());
    let discriminant = (mean / scale).powi(2) - (a.slope / scale) * (b.slope / scale);
    let root = scale * discriminant.max(0.0).sqrt() * h.signum();
    let fraction = (b.slope + root - mean) / (b.slope - a.slope + 2.0 * root);
    (fraction, root)
}
