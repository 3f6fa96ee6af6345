//! The optimizers against SciPy, against the first-order conditions and against hostile functions.

use serde_json::Value;
use spargo::optim::{Batch, Bounds, Lbfgsb, Minimum, Stop, minimize, minimize_many};

const GOLDEN: &str = include_str!("golden/lbfgsb_scipy.json");

type Objective = fn(&[f64], &mut [f64]) -> f64;
type Case = (&'static str, Vec<f64>, Bounds, Objective, Vec<f64>);

#[test]
fn scipy_finds_no_lower_minimum_in_fewer_evaluations() {
    let golden: Value = serde_json::from_str(GOLDEN).unwrap();
    let options = Lbfgsb {
        memory: golden["options"]["maxcor"].as_u64().unwrap() as usize,
        max_iterations: golden["options"]["maxiter"].as_u64().unwrap() as usize,
        max_evaluations: golden["options"]["maxfun"].as_u64().unwrap() as usize,
        gradient_tolerance: golden["options"]["gtol"].as_f64().unwrap(),
        value_tolerance: golden["options"]["ftol"].as_f64().unwrap(),
    };
    let problems = golden["problems"].as_array().unwrap();
    assert!(problems.len() >= 10);
    let (mut ours, mut theirs) = (0.0, 0.0);
    for problem in problems {
        let name = problem["function"].as_str().unwrap();
        let start = numbers(&problem["start"], f64::NAN);
        let bounds =
            Bounds::new(numbers(&problem["lower"], f64::NEG_INFINITY), numbers(&problem["upper"], f64::INFINITY));
        let minimum = minimize(&start, &bounds, &options, objective(name));

        let (fun, nfev) = (problem["fun"].as_f64().unwrap(), problem["nfev"].as_f64().unwrap());
        let evaluations = minimum.evaluations as f64;
        ours += evaluations;
        theirs += nfev;
        let label = format!(
            "{name} in {} dimensions: {} evaluations to SciPy's {nfev}, {:e} to {fun:e}, {}",
            start.len(),
            minimum.evaluations,
            minimum.value,
            minimum.stop
        );
        println!("{label}");
        assert!((minimum.value - fun).abs() <= 1e-8 * fun.abs().max(1.0), "{label}");
        assert!(evaluations <= 1.5 * nfev, "{label}");
        assert!(matches!(minimum.stop, Stop::Gradient | Stop::Value), "{label}");
        let x = numbers(&problem["x"], f64::NAN);
        assert!(distance(&minimum.point, &x) < 1e-4, "{label}");
    }
    assert!(ours <= 1.1 * theirs, "{ours} evaluations to SciPy's {theirs}");
}

#[test]
fn lockstep_equals_alone_and_batches_shrink() {
    let bounds = Bounds::new(vec![-2.0; 6], vec![2.0; 6]);
    let options = Lbfgsb::default();
    let mut random = Lcg(7);
    let mut starts: Vec<Vec<f64>> = (0..9).map(|_| random.vector(6, -2.5, 2.5)).collect();
    starts.push(vec![1.0; 6]);
    let mut rounds: Vec<Vec<usize>> = Vec::new();
    let together = minimize_many(&starts, &bounds, &options, |batch: Batch<'_>| {
        let Batch { elements, points, values, gradients } = batch;
        rounds.push(elements.to_vec());
        let rows = points.chunks(6).zip(gradients.chunks_mut(6));
        for ((point, gradient), value) in rows.zip(values) {
            *value = rosenbrock(point, gradient);
        }
    });
    for (index, (start, joint)) in starts.iter().zip(&together).enumerate() {
        let alone = minimize(start, &bounds, &options, rosenbrock);
        let bits = |m: &Minimum| -> Vec<u64> {
            let numbers = m.point.iter().chain(&m.gradient).chain([&m.value]);
            numbers.map(|v| v.to_bits()).collect()
        };
        assert_eq!(bits(&alone), bits(joint));
        assert_eq!(&alone, joint);
        // A problem is in the first rounds, as many as it has evaluations, and in no later one.
        let present: Vec<bool> = rounds.iter().map(|round| round.contains(&index)).collect();
        let expected: Vec<bool> = (0..rounds.len()).map(|r| r < joint.evaluations).collect();
        assert_eq!(present, expected);
    }
    let counts: Vec<usize> = together.iter().map(|m| m.evaluations).collect();
    assert_eq!(counts[9], 1, "the last start is the optimum");
    assert!(counts.iter().any(|&n| n != counts[0]), "{counts:?} tests nothing");
}

#[test]
fn convex_quadratics_satisfy_the_first_order_conditions() {
    let mut random = Lcg(11);
    let options = Lbfgsb { max_iterations: 2000, max_evaluations: 5000, value_tolerance: 0.0, ..Lbfgsb::default() };
    let (mut active, mut inactive) = (0, 0);
    for case in 0..60 {
        let d = [1, 2, 3, 5, 10, 30][case % 6];
        let (quadratic, bounds) = (Quadratic::random(d, &mut random), random_box(d, &mut random));
        let start = random.vector(d, -5.0, 5.0);
        let minimum = minimize(&start, &bounds, &options, |x, g| {
            assert!(contains(&bounds, x), "{x:?} outside {bounds:?}");
            quadratic.evaluate(x, g)
        });
        assert_eq!(minimum.stop, Stop::Gradient, "case {case}");
        for i in 0..d {
            let (x, g) = (minimum.point[i], minimum.gradient[i]);
            let at_lower = x <= bounds.lower[i] + 1e-5;
            let at_upper = x >= bounds.upper[i] - 1e-5;
            if at_lower || at_upper {
                active += 1;
            } else {
                inactive += 1;
            }
            assert!(g > -1e-5 || at_upper, "case {case}: x[{i}] could grow");
            assert!(g < 1e-5 || at_lower, "case {case}: x[{i}] could shrink");
            let held = x == bounds.lower[i] || x == bounds.upper[i];
            assert!(g.abs() < 1e-5 || held, "case {case}: x[{i}] is near its limit, not at it");
        }
    }
    assert!(active > 50 && inactive > 50, "{active} active, {inactive} inactive");
}

#[test]
fn scale_of_the_function_does_not_matter() {
    for scale in [1e-12, 1.0, 1e12] {
        for bounds in [Bounds::none(2), Bounds::new(vec![-1.5, -1.0], vec![0.8, 2.0])] {
            let options =
                Lbfgsb { gradient_tolerance: 1e-7 * f64::min(scale, 1.0), value_tolerance: 0.0, ..Lbfgsb::default() };
            let minimum = minimize(&[-1.2, 1.0], &bounds, &options, |x, g| {
                let value = scale * rosenbrock(x, g);
                g.iter_mut().for_each(|g| *g *= scale);
                value
            });
            let edge = bounds.upper[0].min(1.0);
            assert!(distance(&minimum.point, &[edge, edge * edge]) < 1e-5, "{scale}: {minimum:?}");
            assert!(minimum.evaluations <= 60, "{scale}: {minimum:?}");
        }
    }
}

/// Wherever the value or gradient is not finite, the search must find its way around.
#[test]
fn non_finite_regions_are_avoided() {
    let poisons: [fn(&mut f64, &mut [f64]); 5] = [
        |f, _| *f = f64::NAN,
        |f, _| *f = f64::INFINITY,
        |f, _| *f = f64::NEG_INFINITY,
        |_, g| g[1] = f64::NAN,
        |_, g| g[0] = f64::NEG_INFINITY,
    ];
    for poison in poisons {
        let mut poisoned = 0;
        let minimum = minimize(&[-1.2, 1.0], &Bounds::none(2), &Lbfgsb::default(), |x, g| {
            let mut value = rosenbrock(x, g);
            if value > 25.0 {
                poisoned += 1;
                poison(&mut value, g);
            }
            value
        });
        assert!(distance(&minimum.point, &[1.0, 1.0]) < 1e-3, "{minimum:?}");
        assert!(poisoned > 0, "the poison was never met");
    }
}

#[test]
fn a_minimum_on_the_edge_of_nan_is_approached() {
    let minimum = minimize(&[5.0], &Bounds::none(1), &Lbfgsb::default(), |x, g| {
        g[0] = 1.0;
        if x[0] > 1.0 { x[0] } else { f64::NAN }
    });
    assert!(minimum.value > 1.0 && minimum.value < 1.01, "{minimum:?}");
    assert!(matches!(minimum.stop, Stop::Value | Stop::LineSearch));
}

#[test]
fn degenerate_problems_end_as_they_should() {
    let infinity = f64::INFINITY;
    let fixed = Bounds::new(vec![0.5, -infinity], vec![0.5, infinity]);
    let corner = Bounds::new(vec![2.0; 2], vec![3.0; 2]);
    let point = Bounds::new(vec![4.0; 2], vec![4.0; 2]);
    let ray = Bounds::new(vec![-9.0], vec![infinity]);
    let (rosen, bowl): (Objective, Objective) = (rosenbrock, bowl);
    let cases: [Case; 7] = [
        ("at the optimum", vec![1.0; 2], Bounds::none(2), rosen, vec![1.0; 2]),
        ("one fixed", vec![9.0; 2], fixed, bowl, vec![0.5, 0.0]),
        ("all fixed", vec![9.0; 2], point, bowl, vec![4.0; 2]),
        ("the best corner", vec![2.0; 2], corner.clone(), bowl, vec![2.0; 2]),
        ("the worst corner", vec![3.0; 2], corner, bowl, vec![2.0; 2]),
        ("a line", vec![-7.0], ray, bowl, vec![0.0]),
        ("nothing", vec![], Bounds::none(0), bowl, vec![]),
    ];
    for (name, start, bounds, f, expected) in cases {
        let minimum = minimize(&start, &bounds, &Lbfgsb::default(), f);
        assert_eq!(minimum.stop, Stop::Gradient, "{name}");
        assert!(distance(&minimum.point, &expected) < 1e-4, "{name}: {minimum:?}");
    }
}

#[test]
fn a_non_finite_start_is_returned_as_it_is() {
    let bounds = Bounds::new(vec![0.0], vec![1.0]);
    let cases: [(f64, f64, f64); 4] =
        [(0.5, f64::NAN, 1.0), (0.5, f64::NEG_INFINITY, 1.0), (0.5, 1.0, f64::NAN), (f64::NAN, 1.0, 1.0)];
    for (start, value, slope) in cases {
        let minimum = minimize(&[start], &bounds, &Lbfgsb::default(), |_, g| {
            g[0] = slope;
            value
        });
        assert_eq!((minimum.stop, minimum.evaluations), (Stop::NonFinite, 1));
        assert_eq!(minimum.point[0].to_bits(), start.to_bits());
    }
}

#[test]
fn limits_hold_and_the_best_point_is_kept() {
    let start = [-1.2, 1.0];
    let run = |options: Lbfgsb| {
        let mut lowest = f64::INFINITY;
        let minimum = minimize(&start, &Bounds::none(2), &options, |x, g| {
            let value = rosenbrock(x, g);
            lowest = lowest.min(value);
            value
        });
        assert_eq!(minimum.value, lowest);
        let mut gradient = [0.0; 2];
        assert_eq!(rosenbrock(&minimum.point, &mut gradient), lowest);
        assert_eq!(minimum.gradient, gradient);
        minimum
    };
    for limit in 0..25 {
        let minimum = run(Lbfgsb { max_iterations: limit, ..Lbfgsb::default() });
        assert_eq!((minimum.stop, minimum.iterations), (Stop::Iterations, limit));
        let minimum = run(Lbfgsb { max_evaluations: limit, ..Lbfgsb::default() });
        assert_eq!((minimum.stop, minimum.evaluations), (Stop::Evaluations, limit.max(1)));
    }
    let forgetful = run(Lbfgsb { memory: 0, ..Lbfgsb::default() });
    assert!(forgetful.value < 10.0 && forgetful.iterations > 1);
    let loose = run(Lbfgsb { value_tolerance: 0.5, ..Lbfgsb::default() });
    assert_eq!(loose.stop, Stop::Value);
}

/// A search that fails outright is repeated from steepest descent before giving up.
#[test]
fn a_passing_failure_is_survived() {
    let mut calls = 0;
    let minimum = minimize(&[-1.2, 1.0], &Bounds::none(2), &Lbfgsb::default(), |x, g| {
        calls += 1;
        let value = rosenbrock(x, g);
        if (10..30).contains(&calls) { f64::NAN } else { value }
    });
    assert!(distance(&minimum.point, &[1.0, 1.0]) < 1e-3, "{minimum:?}");
}

/// At a kink no step satisfies the curvature condition; the decrease found is kept all the same.
#[test]
fn a_kink_is_stepped_onto() {
    let minimum = minimize(&[2.7], &Bounds::none(1), &Lbfgsb::default(), |x, g| {
        g[0] = 2.0 * (x[0] - 0.3).signum();
        2.0 * (x[0] - 0.3).abs()
    });
    assert!(minimum.iterations >= 1 && minimum.value < 0.5, "{minimum:?}");
}

/// Before anything is known of the curvature, a step is as long as the unit, not as the gradient.
#[test]
fn the_first_trial_has_unit_length() {
    let start = [-1.2, 1.0];
    let mut points = Vec::new();
    let options = Lbfgsb { max_evaluations: 2, ..Lbfgsb::default() };
    minimize(&start, &Bounds::none(2), &options, |x, g| {
        points.push(x.to_vec());
        rosenbrock(x, g)
    });
    let length = (points[1][0] - start[0]).hypot(points[1][1] - start[1]);
    assert!((length - 1.0).abs() < 1e-12, "{length}");
}

/// A first step as short as the gradient decreases next to nothing; that is not convergence.
#[test]
fn a_small_gradient_does_not_look_like_convergence() {
    let bounds = Bounds::new(vec![-2.0; 2], vec![2.0; 2]);
    let options = Lbfgsb { gradient_tolerance: 1e-8, ..Lbfgsb::default() };
    let minimum = minimize(&[1.5, -1.0], &bounds, &options, |x, g| {
        let value = 5e-6 * bowl(x, g);
        g.iter_mut().for_each(|g| *g *= 5e-6);
        value
    });
    assert!(distance(&minimum.point, &[0.0, 0.0]) < 0.1, "{minimum:?}");
}

/// A gradient that lies leaves no direction of descent; the search must end about where it began.
#[test]
fn a_wrong_gradient_ends_the_search() {
    let minimum = minimize(&[3.0, 4.0], &Bounds::none(2), &Lbfgsb::default(), |x, g| {
        let value = bowl(x, g);
        g.iter_mut().for_each(|g| *g = -*g);
        value
    });
    assert!(distance(&minimum.point, &[3.0, 4.0]) < 1e-6, "{minimum:?}");
    assert!(minimum.evaluations <= 100, "{minimum:?}");
}

#[test]
fn stops_have_names_and_sentences() {
    assert_eq!(serde_json::to_string(&Stop::LineSearch).unwrap(), "\"line-search\"");
    assert_eq!(serde_json::from_str::<Stop>("\"non-finite\"").unwrap(), Stop::NonFinite);
    assert_eq!(Stop::Iterations.to_string(), "the iteration limit was reached");
    let options: Lbfgsb = serde_json::from_str(r#"{"memory": 3}"#).unwrap();
    assert_eq!(options, Lbfgsb { memory: 3, ..Lbfgsb::default() });
}

fn objective(name: &str) -> Objective {
    match name {
        "rosenbrock" => rosenbrock,
        "quadratic" => reflected_quadratic,
        "beale" => beale,
        "trigonometric" => trigonometric,
        other => panic!("no function called {other}"),
    }
}

fn bowl(x: &[f64], g: &mut [f64]) -> f64 {
    g.iter_mut().zip(x).for_each(|(g, x)| *g = x * (1.0 + x * x));
    x.iter().map(|x| x * x * (0.5 + 0.25 * x * x)).sum()
}

fn rosenbrock(x: &[f64], g: &mut [f64]) -> f64 {
    g.fill(0.0);
    let mut value = 0.0;
    for i in 0..x.len() - 1 {
        let (bend, gap) = (x[i + 1] - x[i] * x[i], 1.0 - x[i]);
        value += 100.0 * bend * bend + gap * gap;
        g[i] -= 400.0 * x[i] * bend + 2.0 * gap;
        g[i + 1] += 200.0 * bend;
    }
    value
}

fn beale(x: &[f64], g: &mut [f64]) -> f64 {
    let (a, b) = (x[0], x[1]);
    g.fill(0.0);
    let mut value = 0.0;
    for (target, power) in [(1.5, 1), (2.25, 2), (2.625, 3)] {
        let residual = target - a + a * b.powi(power);
        value += residual * residual;
        g[0] += 2.0 * residual * (b.powi(power) - 1.0);
        g[1] += 2.0 * residual * a * f64::from(power) * b.powi(power - 1);
    }
    value
}

fn reflected_quadratic(x: &[f64], g: &mut [f64]) -> f64 {
    let d = x.len();
    let mut v: Vec<f64> = (0..d).map(|i| (i as f64 + 1.0).sin()).collect();
    let norm = v.iter().map(|v| v * v).sum::<f64>().sqrt();
    v.iter_mut().for_each(|v| *v /= norm);
    let reflect = |z: &[f64]| -> Vec<f64> {
        let along: f64 = v.iter().zip(z).map(|(v, z)| v * z).sum();
        v.iter().zip(z).map(|(v, z)| z - 2.0 * along * v).collect()
    };
    let centred: Vec<f64> = (0..d).map(|i| x[i] - 1.5 * (2.0 * i as f64).cos()).collect();
    let turned = reflect(&centred);
    let eigenvalue = |i: usize| 10f64.powf(4.0 * i as f64 / (d as f64 - 1.0));
    let scaled: Vec<f64> = (0..d).map(|i| eigenvalue(i) * turned[i]).collect();
    g.copy_from_slice(&reflect(&scaled));
    0.5 * turned.iter().zip(&scaled).map(|(t, s)| t * s).sum::<f64>()
}

fn trigonometric(x: &[f64], g: &mut [f64]) -> f64 {
    let d = x.len() as f64;
    let cosines: f64 = x.iter().map(|x| x.cos()).sum();
    let residual = |k: usize| d - cosines + (k as f64 + 1.0) * (1.0 - x[k].cos()) - x[k].sin();
    let residuals: Vec<f64> = (0..x.len()).map(residual).collect();
    let total: f64 = residuals.iter().sum();
    for (k, (&x, &r)) in x.iter().zip(&residuals).enumerate() {
        g[k] = 2.0 * total * x.sin() + 2.0 * r * ((k as f64 + 1.0) * x.sin() - x.cos());
    }
    residuals.iter().map(|r| r * r).sum()
}

/// `½ xᵀ(AᵀA + εI)x − bᵀx`.
struct Quadratic {
    factor: Vec<f64>,
    shift: Vec<f64>,
}

impl Quadratic {
    fn random(d: usize, random: &mut Lcg) -> Self {
        Self { factor: random.vector(d * d, -1.0, 1.0), shift: random.vector(d, -3.0, 3.0) }
    }

    fn evaluate(&self, x: &[f64], g: &mut [f64]) -> f64 {
        let mut value = 0.0;
        for ((g, &x), &b) in g.iter_mut().zip(x).zip(&self.shift) {
            *g = 1e-2 * x - b;
            value += 0.5e-2 * x * x - b * x;
        }
        for row in self.factor.chunks(x.len()) {
            let image: f64 = row.iter().zip(x).map(|(a, x)| a * x).sum();
            value += 0.5 * image * image;
            g.iter_mut().zip(row).for_each(|(g, a)| *g += image * a);
        }
        value
    }
}

/// A box whose sides are finite, half open, open or of no width, by chance.
fn random_box(d: usize, random: &mut Lcg) -> Bounds {
    let (mut lower, mut upper) = (Vec::new(), Vec::new());
    for _ in 0..d {
        let (a, width) = (random.uniform(-2.0, 1.0), random.uniform(0.0, 3.0));
        let kind = random.uniform(0.0, 1.0);
        lower.push(if kind < 0.25 { f64::NEG_INFINITY } else { a });
        upper.push(match kind {
            k if k > 0.9 => a,
            k if !(0.1..=0.75).contains(&k) => f64::INFINITY,
            _ => a + width,
        });
    }
    Bounds::new(lower, upper)
}

fn contains(bounds: &Bounds, x: &[f64]) -> bool {
    let sides = bounds.lower.iter().zip(&bounds.upper);
    sides.zip(x).all(|((l, u), x)| l <= x && x <= u)
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).fold(0.0, |d, (a, b)| f64::max(d, (a - b).abs()))
}

/// The numbers of a JSON list, with `missing` for null.
fn numbers(list: &Value, missing: f64) -> Vec<f64> {
    let list = list.as_array().unwrap().iter();
    list.map(|v| v.as_f64().unwrap_or(missing)).collect()
}

/// A linear congruential generator (Knuth's MMIX constants).
struct Lcg(u64);

impl Lcg {
    fn uniform(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        low + (high - low) * (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn vector(&mut self, n: usize, low: f64, high: f64) -> Vec<f64> {
        (0..n).map(|_| self.uniform(low, high)).collect()
    }
}
