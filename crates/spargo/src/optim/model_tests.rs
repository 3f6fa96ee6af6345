//! The limited-memory model against the same model written out in full.

use super::bounds::Bounds;
use super::cauchy::cauchy_point;
use super::dense::{axpy, difference, dot, solve};
use super::memory::Memory;
use super::subspace::subspace_point;

const SIZE: usize = 7;

/// A memory of the newest `capacity` of `pushed` random pairs, and its Hessian by the BFGS formula.
fn model(capacity: usize, pushed: usize, random: &mut Random) -> (Memory, Vec<Vec<f64>>) {
    let mut memory = Memory::new(capacity);
    let mut pairs = Vec::new();
    for _ in 0..pushed {
        let s = random.vector();
        let curvatures = (0..SIZE).map(|i| 1.0 + i as f64 + 0.5 * random.next());
        let y: Vec<f64> = s.iter().zip(curvatures).map(|(s, c)| s * c).collect();
        memory.push(s.clone(), y.clone(), -1.0);
        pairs.push((s, y));
    }
    let mut hessian = vec![vec![0.0; SIZE]; SIZE];
    (0..SIZE).for_each(|i| hessian[i][i] = memory.theta());
    for (s, y) in &pairs[pushed.saturating_sub(capacity)..] {
        let image = times(&hessian, s);
        let (sbs, sy) = (dot(s, &image), dot(s, y));
        for (i, row) in hessian.iter_mut().enumerate() {
            axpy(-image[i] / sbs, &image, row);
            axpy(y[i] / sy, y, row);
        }
    }
    (memory, hessian)
}

#[test]
fn the_newton_step_solves_the_reduced_system() {
    let mut random = Random(3);
    for (capacity, pushed) in [(1, 1), (3, 2), (3, 3), (3, 9), (6, 8)] {
        let (memory, hessian) = model(capacity, pushed, &mut random);
        let free: Vec<bool> = (0..SIZE).map(|i| (i + pushed) % 3 != 0).collect();
        let mut reduced = random.vector();
        (0..SIZE).filter(|&i| !free[i]).for_each(|i| reduced[i] = 0.0);
        let step = memory.newton_step(&reduced, &free).unwrap();
        let image = times(&hessian, &step);
        for i in 0..SIZE {
            let residual = if free[i] { image[i] + reduced[i] } else { step[i] };
            assert!(residual.abs() < 1e-9, "{pushed} pairs, variable {i}: {residual}");
        }
    }
}

#[test]
fn the_cauchy_point_is_the_first_minimum_along_the_path() {
    let mut random = Random(17);
    let mut corners_passed = 0;
    for case in 0..200 {
        let (memory, hessian) = model(4, case % 7, &mut random);
        let (bounds, x, g) = random.problem();
        let cauchy = cauchy_point(&x, &g, &bounds, &memory);
        let expected = brute_force(&x, &g, &bounds, &hessian);
        let gap = difference(&cauchy.point, &expected);
        assert!(dot(&gap, &gap) < 1e-18, "case {case}: {gap:?}");
        let gathered = memory.gather(&difference(&expected, &x));
        let gap = difference(&cauchy.gathered, &gathered);
        assert!(dot(&gap, &gap) < 1e-16, "case {case}: {gap:?}");
        corners_passed += (0..SIZE).filter(|&i| x[i] != expected[i] && !bounds.is_inside(i, expected[i])).count();
    }
    assert!(corners_passed > 200, "only {corners_passed} corners");
}

/// Without limits in the way the target is the Newton point; with them it is in the box and, as
/// the Cauchy point is, downhill for the model.
#[test]
fn the_subspace_point_minimises_the_model_inside_the_box() {
    let mut random = Random(29);
    for case in 0..200 {
        let (memory, hessian) = model(4, 1 + case % 6, &mut random);
        let (mut bounds, x, g) = random.problem();
        if case % 4 == 0 {
            bounds = Bounds::none(SIZE);
        }
        let cauchy = cauchy_point(&x, &g, &bounds, &memory);
        let target = subspace_point(&x, &g, &bounds, &memory, cauchy).unwrap();
        assert_eq!(target, bounds.project(&target));
        let step = difference(&target, &x);
        assert!(dot(&g, &step) < 0.0, "case {case} is not downhill");
        if case % 4 == 0 {
            let newton = solve(hessian.concat(), g.iter().map(|g| -g).collect()).unwrap();
            let gap = difference(&step, &newton);
            assert!(dot(&gap, &gap) < 1e-18, "case {case}: {gap:?}");
        }
    }
}

#[test]
fn pairs_that_teach_nothing_are_skipped() {
    let mut memory = Memory::new(5);
    memory.push(vec![1.0, 0.0], vec![-1.0, 0.0], -1.0);
    memory.push(vec![1.0, 0.0], vec![1e-17, 0.0], -1.0);
    memory.push(vec![1.0, 0.0], vec![f64::INFINITY, 0.0], -1.0);
    assert!(memory.is_empty() && memory.theta() == 1.0);
    memory.push(vec![1.0, 0.0], vec![2.0, 0.0], -1.0);
    assert!(!memory.is_empty() && memory.theta() == 2.0);
    memory.clear();
    assert!(memory.is_empty() && memory.theta() == 1.0);
}

/// Follows the projected gradient path corner by corner with the full Hessian.
fn brute_force(x: &[f64], g: &[f64], bounds: &Bounds, hessian: &[Vec<f64>]) -> Vec<f64> {
    let times_to: Vec<f64> = (0..SIZE).map(|i| bounds.time_to_limit(i, x[i], -g[i])).collect();
    let at = |t: f64| -> Vec<f64> {
        (0..SIZE)
            .map(|i| if t >= times_to[i] { bounds.clamp(i, x[i] - g[i] * f64::INFINITY) } else { x[i] - t * g[i] })
            .collect()
    };
    let mut now = 0.0;
    loop {
        let direction: Vec<f64> = (0..SIZE).map(|i| if times_to[i] > now { -g[i] } else { 0.0 }).collect();
        let image = times(hessian, &difference(&at(now), x));
        let slope = dot(g, &direction) + dot(&direction, &image);
        if slope >= 0.0 {
            return at(now);
        }
        let minimum = now - slope / dot(&direction, &times(hessian, &direction));
        let corner = times_to.iter().copied().filter(|&t| t > now).fold(f64::INFINITY, f64::min);
        if minimum < corner {
            return at(minimum);
        }
        now = corner;
    }
}

fn times(matrix: &[Vec<f64>], v: &[f64]) -> Vec<f64> {
    matrix.iter().map(|row| dot(row, v)).collect()
}

/// A linear congruential generator (Knuth's MMIX constants), uniform on ±1.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn vector(&mut self) -> Vec<f64> {
        (0..SIZE).map(|_| self.next()).collect()
    }

    /// A box, a point in it, some variables at their limits, and a gradient.
    fn problem(&mut self) -> (Bounds, Vec<f64>, Vec<f64>) {
        let lower: Vec<f64> =
            self.vector().iter().map(|v| if *v < -0.7 { f64::NEG_INFINITY } else { v - 1.0 }).collect();
        let upper: Vec<f64> = self.vector().iter().map(|v| if *v > 0.7 { f64::INFINITY } else { v + 1.0 }).collect();
        let bounds = Bounds::new(lower, upper);
        let x = bounds.project(&self.vector().iter().map(|v| 1.5 * v).collect::<Vec<f64>>());
        let g = self.vector().iter().map(|v| 8.0 * v).collect();
        (bounds, x, g)
    }
}
