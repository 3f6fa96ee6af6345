//! The box `l ≤ x ≤ u` and what follows from it: projection, stationarity, room to move.

/// Lower and upper limits of every variable; infinities mean "no limit".
#[derive(Clone, Debug, PartialEq)]
pub struct Bounds {
    /// Lower limits, `-∞` for none.
    pub lower: Vec<f64>,
    /// Upper limits, `+∞` for none; equal to the lower limit for a fixed variable.
    pub upper: Vec<f64>,
}

impl Bounds {
    /// The box between two corners, which must have one length, hold no NaN and not cross.
    pub fn new(lower: Vec<f64>, upper: Vec<f64>) -> Self {
        let bounds = Self { lower, upper };
        debug_assert!(bounds.is_valid(), "malformed bounds: {bounds:?}");
        bounds
    }

    /// The whole space of the given dimension.
    pub fn none(dimension: usize) -> Self {
        Self { lower: vec![f64::NEG_INFINITY; dimension], upper: vec![f64::INFINITY; dimension] }
    }

    /// The number of variables.
    pub fn dimension(&self) -> usize {
        self.lower.len()
    }

    pub(super) fn is_valid(&self) -> bool {
        self.lower.len() == self.upper.len() && self.pairs().all(|(l, u)| l <= u)
    }

    /// Whether any variable is limited.
    pub(super) fn any_limit(&self) -> bool {
        self.pairs().any(|(l, u)| l.is_finite() || u.is_finite())
    }

    /// Whether every variable is limited on both sides.
    pub(super) fn all_boxed(&self) -> bool {
        self.pairs().all(|(l, u)| l.is_finite() && u.is_finite())
    }

    /// The nearest value of variable `i` inside the box; NaN stays NaN.
    pub(super) fn clamp(&self, i: usize, x: f64) -> f64 {
        if x < self.lower[i] {
            self.lower[i]
        } else if x > self.upper[i] {
            self.upper[i]
        } else {
            x
        }
    }

    /// The nearest point inside the box.
    pub(super) fn project(&self, x: &[f64]) -> Vec<f64> {
        x.iter().enumerate().map(|(i, &x)| self.clamp(i, x)).collect()
    }

    /// Whether variable `i` lies strictly between its limits.
    pub(super) fn is_inside(&self, i: usize, x: f64) -> bool {
        self.lower[i] < x && x < self.upper[i]
    }

    /// `‖P(x − g) − x‖∞`, zero exactly at the points that satisfy the first-order conditions.
    pub(super) fn projected_gradient(&self, x: &[f64], g: &[f64]) -> f64 {
        (0..x.len()).fold(0.0, |norm, i| {
            let room = if g[i] < 0.0 { self.upper[i] - x[i] } else { x[i] - self.lower[i] };
            f64::max(norm, g[i].abs().min(room))
        })
    }

    /// How often `velocity` fits between `x` and the limit of variable `i` it heads for.
    pub(super) fn time_to_limit(&self, i: usize, x: f64, velocity: f64) -> f64 {
        if velocity > 0.0 {
            (self.upper[i] - x) / velocity
        } else if velocity < 0.0 {
            (self.lower[i] - x) / velocity
        } else {
            f64::INFINITY
        }
    }

    fn pairs(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.lower.iter().copied().zip(self.upper.iter().copied())
    }
}
