//! A kernel of one's own: the rational quadratic, a mixture of smooth functions of many length scales.
//!
//! ```text
//!     k(x, x') = s² (1 + r²/2α)^(−α) = s² E exp(−τr²/2),   τ ~ Gamma(α, α),   r² = Σₖ (xₖ − x'ₖ)²/ℓₖ²,   α = 2
//!     cargo run --release --example custom_kernel
//! ```
//!
//! The mixture is also its spectrum: ω = √τ n/ℓ with n ~ N(0, I), from which paths are drawn.

use rand_chacha::ChaCha8Rng;
use spargo::kernel::{Cache, Covariance, CustomKernel, KernelChoice, Role, Spectrum};
use spargo::linalg::{Mat, MatMut, MatRef};
use spargo::rng::{normal, uniform};
use spargo::space::{Dimension, Space, Value};
use spargo::study::{Config, Extensions, Outcome, Study, Trial};
use spargo::{Error, Result};

const ALPHA: f64 = 2.0;

#[derive(Debug, Default)]
struct RationalQuadratic {
    /// (log s², log ℓ₁, …, log ℓ_d).
    parameters: Vec<f64>,
}

impl RationalQuadratic {
    fn variance(&self) -> f64 {
        self.parameters[0].exp()
    }

    fn lengthscale(&self, input: usize) -> f64 {
        self.parameters[input + 1].exp()
    }

    /// (a_k − b_k)/ℓ_k of rows i and j.
    fn offset(&self, a: MatRef<'_>, i: usize, b: MatRef<'_>, j: usize, k: usize) -> f64 {
        (a[(i, k)] - b[(j, k)]) / self.lengthscale(k)
    }

    /// 1 + r²/2α of rows i and j.
    fn base(&self, a: MatRef<'_>, i: usize, b: MatRef<'_>, j: usize) -> f64 {
        let squares = (0..a.ncols()).map(|k| self.offset(a, i, b, j, k).powi(2));
        1.0 + squares.sum::<f64>() / (2.0 * ALPHA)
    }

    /// ∂k/∂r² of rows i and j.
    fn slope(&self, a: MatRef<'_>, i: usize, b: MatRef<'_>, j: usize) -> f64 {
        -0.5 * self.variance() * self.base(a, i, b, j).powf(-ALPHA - 1.0)
    }
}

impl CustomKernel for RationalQuadratic {
    fn name(&self) -> &str {
        "rational-quadratic"
    }

    fn cold(&self, inputs: usize) -> Box<dyn CustomKernel> {
        let lengthscale = 0.2 * (inputs as f64).sqrt();
        let parameters = std::iter::once(0.0).chain(std::iter::repeat_n(lengthscale.ln(), inputs)).collect();
        Box::new(RationalQuadratic { parameters })
    }
}

impl Covariance for RationalQuadratic {
    fn dimension(&self) -> Option<usize> {
        Some(self.parameters.len() - 1)
    }

    fn roles(&self) -> Vec<Role> {
        std::iter::once(Role::Variance).chain(self.parameters.iter().skip(1).map(|_| Role::Lengthscale)).collect()
    }

    fn inputs(&self) -> Vec<Option<usize>> {
        std::iter::once(None).chain((0..self.parameters.len() - 1).map(Some)).collect()
    }

    fn parameters(&self) -> Vec<f64> {
        self.parameters.clone()
    }

    fn set_parameters(&mut self, parameters: &[f64]) {
        self.parameters = parameters.to_vec();
    }

    fn cross(&self, a: MatRef<'_>, b: MatRef<'_>, mut out: MatMut<'_>) {
        for (i, j) in pairs(a, b) {
            out[(i, j)] = self.variance() * self.base(a, i, b, j).powf(-ALPHA);
        }
    }

    fn diagonal(&self, x: MatRef<'_>) -> Vec<f64> {
        vec![self.variance(); x.nrows()]
    }

    fn backward(&self, a: MatRef<'_>, b: MatRef<'_>, k: MatRef<'_>, g: MatRef<'_>, _: &Cache, gradient: &mut [f64]) {
        for (i, j) in pairs(a, b) {
            gradient[0] += g[(i, j)] * k[(i, j)];
            let weight = -2.0 * g[(i, j)] * self.slope(a, i, b, j);
            for input in 0..a.ncols() {
                gradient[input + 1] += weight * self.offset(a, i, b, j, input).powi(2);
            }
        }
    }

    fn add_diagonal_gradient(&self, _: MatRef<'_>, g: &[f64], gradient: &mut [f64]) {
        gradient[0] += self.variance() * g.iter().sum::<f64>();
    }

    fn add_input_gradient(&self, a: MatRef<'_>, b: MatRef<'_>, g: MatRef<'_>, mut out: MatMut<'_>) {
        for (i, j) in pairs(a, b) {
            let weight = 2.0 * g[(i, j)] * self.slope(a, i, b, j);
            for input in 0..a.ncols() {
                out[(i, input)] += weight * self.offset(a, i, b, j, input) / self.lengthscale(input);
            }
        }
    }

    fn spectrum(&self, dimension: usize, count: usize, rng: &mut ChaCha8Rng) -> Result<Spectrum> {
        let mut frequencies = Mat::zeros(dimension, count);
        for feature in 0..count {
            // The sum of α exponential variables, over α.
            let tau = (0..ALPHA as usize).map(|_| -(1.0 - uniform(rng)).ln()).sum::<f64>() / ALPHA;
            for input in 0..dimension {
                frequencies[(input, feature)] = tau.sqrt() * normal(rng) / self.lengthscale(input);
            }
        }
        Ok(Spectrum::of_frequencies(frequencies))
    }
}

fn pairs(a: MatRef<'_>, b: MatRef<'_>) -> impl Iterator<Item = (usize, usize)> {
    let rows = a.nrows();
    (0..b.nrows()).flat_map(move |j| (0..rows).map(move |i| (i, j)))
}

fn main() -> Result<()> {
    let path = std::env::temp_dir().join(format!("custom-kernel-{}.db", std::process::id()));
    let inputs =
        vec![Dimension::real("x", -2.0, 2.0), Dimension::real("y", -2.0, 2.0), Dimension::choice("z", &["a", "b"])];
    let mut config = Config { initial: 30.into(), batch: 10, inducing: 15.into(), ..Config::new(Space::new(inputs)?) };
    config.model.kernel = KernelChoice::custom(RationalQuadratic::default());
    config.model.exact_until = 15;
    let mut study = Study::create(&path, config)?;
    for count in [30, 10, 10] {
        let trials = study.ask(count)?;
        study.tell(&evaluated(&trials))?;
    }
    drop(study);

    // The file has the kernel's name and parameters: the study can be read without it, but not asked.
    let mut bare = Study::open(&path)?;
    println!("{} trials; without the kernel: {}", bare.history().records().len(), refusal(bare.ask(10))?);
    drop(bare);

    let mut study =
        Study::open(&path)?.with_extensions(&Extensions::default().with_kernel(RationalQuadratic::default()));
    let trials = study.ask(10)?;
    study.tell(&evaluated(&trials))?;
    let best = study.best()?.map(|best| best.observed.value);
    println!("best of {} trials with it: {}", study.history().records().len(), best.unwrap_or(f64::NAN));
    drop(study);
    std::fs::remove_file(&path).map_err(|error| unexpected(&error.to_string()))
}

/// A hill at (1, −½), higher for one choice than for the other.
fn evaluated(trials: &[Trial]) -> Vec<(u64, Outcome)> {
    let value = |trial: &Trial| match &trial.point[..] {
        [Value::Real(x), Value::Real(y), Value::Choice(z)] => {
            let height = if z == "a" { 2.0 } else { 1.0 };
            Outcome::value(height / (1.0 + (x - 1.0).powi(2) + (y + 0.5).powi(2)))
        }
        _ => Outcome::failed("not a point of this space"),
    };
    trials.iter().map(|trial| (trial.id, value(trial))).collect()
}

/// Why an ask was refused.
fn refusal(asked: Result<Vec<Trial>>) -> Result<String> {
    match asked {
        Err(error) if error.to_string().contains("'rational-quadratic'") => Ok(error.to_string()),
        Err(error) => Err(error),
        Ok(_) => Err(unexpected("an ask without the kernel")),
    }
}

fn unexpected(what: &str) -> Error {
    Error::Unsupported { what: what.into(), remedy: "report it".into() }
}
