//! The generalised Cauchy point: the first local minimiser of the model along the projected
//! gradient path (Byrd, Lu, Nocedal & Zhu 1995, section 4).
//!
//! ```text
//! x(t) = P(x − t g),   q(z) = gᵀ(z − x) + ½ (z − x)ᵀ B (z − x)
//! ```
//!
//! The path is piecewise linear, with a corner whenever a variable meets its limit. Along a piece
//! of direction `d` the model is a parabola of slope `q′ = gᵀd + dᵀB(x(t) − x)` and curvature
//! `q″ = dᵀBd`; past a corner both follow from the old ones in `O(m²)` through `p = Wᵀd` and
//! `c = Wᵀ(x(t) − x)`.

use super::bounds::Bounds;
use super::dense::{axpy, dot};
use super::memory::Memory;

/// The Cauchy point and its displacement seen by the memory, `Wᵀ(x_c − x)`.
#[derive(Debug)]
pub(super) struct Cauchy {
    pub(super) point: Vec<f64>,
    pub(super) gathered: Vec<f64>,
}

pub(super) fn cauchy_point(x: &[f64], g: &[f64], bounds: &Bounds, memory: &Memory) -> Cauchy {
    let times: Vec<f64> = (0..x.len()).map(|i| bounds.time_to_limit(i, x[i], -g[i])).collect();
    let mut corners: Vec<usize> = (0..x.len()).filter(|&i| times[i] > 0.0 && times[i].is_finite()).collect();
    corners.sort_by(|&i, &j| times[i].total_cmp(&times[j]));

    let mut path = Path::new(x, g, &times, memory);
    for corner in corners {
        let leg = times[corner] - path.time;
        if path.minimiser() < leg {
            break;
        }
        path.advance(leg);
        let limit = if g[corner] > 0.0 { bounds.lower[corner] } else { bounds.upper[corner] };
        path.turn(corner, limit - x[corner], g[corner]);
        path.point[corner] = limit;
    }
    path.advance(path.minimiser());
    path.finish(x, bounds)
}

/// The model along the path, at time `time`.
struct Path<'a> {
    memory: &'a Memory,
    /// Exact for variables that met their limit, `x` for the others until the end.
    point: Vec<f64>,
    direction: Vec<f64>,
    time: f64,
    slope: f64,
    curvature: f64,
    /// Rounding must not make the curvature of a positive definite model vanish.
    least_curvature: f64,
    p: Vec<f64>,
    c: Vec<f64>,
}

impl<'a> Path<'a> {
    fn new(x: &[f64], g: &[f64], times: &[f64], memory: &'a Memory) -> Self {
        let moving = |(g, &time): (&f64, &f64)| if time > 0.0 { -g } else { 0.0 };
        let direction: Vec<f64> = g.iter().zip(times).map(moving).collect();
        let p = memory.gather(&direction);
        let slope = -dot(&direction, &direction);
        let isotropic = -memory.theta() * slope;
        let least_curvature = f64::EPSILON * isotropic;
        Self {
            memory,
            point: x.to_vec(),
            time: 0.0,
            slope,
            curvature: (isotropic - dot(&p, &memory.middle(&p))).max(least_curvature),
            least_curvature,
            c: vec![0.0; p.len()],
            p,
            direction,
        }
    }

    /// How much further the parabola of this piece has its minimum.
    fn minimiser(&self) -> f64 {
        if self.slope < 0.0 { -self.slope / self.curvature } else { 0.0 }
    }

    fn advance(&mut self, leg: f64) {
        self.time += leg;
        self.slope += leg * self.curvature;
        axpy(leg, &self.p, &mut self.c);
    }

    /// Stops variable `b`, of gradient `g` and `displacement` from `x`, at its limit.
    fn turn(&mut self, b: usize, displacement: f64, g: f64) {
        let theta = self.memory.theta();
        let row: Vec<f64> = self.memory.row(b).collect();
        let solved = self.memory.middle(&row);
        self.slope += g * (g + theta * displacement - dot(&solved, &self.c));
        let curvature = self.curvature - g * (theta * g + 2.0 * dot(&solved, &self.p) + g * dot(&solved, &row));
        self.curvature = curvature.max(self.least_curvature);
        axpy(g, &row, &mut self.p);
        self.direction[b] = 0.0;
    }

    fn finish(mut self, x: &[f64], bounds: &Bounds) -> Cauchy {
        for (i, &d) in self.direction.iter().enumerate() {
            if d != 0.0 {
                self.point[i] = bounds.clamp(i, x[i] + self.time * d);
            }
        }
        Cauchy { point: self.point, gathered: self.c }
    }
}
