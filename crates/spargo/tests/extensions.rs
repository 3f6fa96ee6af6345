//! Kernels and qualities from outside the crate, in a study and in its file.

use rand_chacha::ChaCha8Rng;
use spargo::allocate::{Allocation, QualityFunction};
use spargo::data::AllocationContext;
use spargo::kernel::{Cache, Covariance, CustomKernel, Family, KernelChoice, Role, Spectrum, Stationary};
use spargo::linalg::{MatMut, MatRef};
use spargo::space::{Dimension, Point, Space, Value};
use spargo::study::{Config, Extensions, Goal, Outcome, Output, Study, Trial};
use spargo::{Error, Result};
use std::path::PathBuf;

/// Rows between which there is no covariance, if that is wanted.
const UNKNOWN: usize = 13;

/// A Matérn-3/2 that the crate does not know, with or without random features.
#[derive(Debug, Clone)]
struct Own {
    leaf: Stationary,
    has_spectrum: bool,
    /// Whether models of [`UNKNOWN`] rows cannot be fitted.
    has_gap: bool,
}

fn own(has_spectrum: bool) -> Own {
    let leaf = Stationary { family: Family::Matern32, variance: 1.0, lengthscales: Vec::new() };
    Own { leaf, has_spectrum, has_gap: false }
}

impl CustomKernel for Own {
    fn name(&self) -> &str {
        "own"
    }

    fn cold(&self, inputs: usize) -> Box<dyn CustomKernel> {
        let leaf = Stationary { lengthscales: vec![0.4; inputs], ..self.leaf.clone() };
        Box::new(Own { leaf, ..*self })
    }
}

impl Covariance for Own {
    fn dimension(&self) -> Option<usize> {
        self.leaf.dimension()
    }

    fn roles(&self) -> Vec<Role> {
        self.leaf.roles()
    }

    fn inputs(&self) -> Vec<Option<usize>> {
        self.leaf.inputs()
    }

    fn parameters(&self) -> Vec<f64> {
        self.leaf.parameters()
    }

    fn set_parameters(&mut self, parameters: &[f64]) {
        self.leaf.set_parameters(parameters);
    }

    fn cross(&self, a: MatRef<'_>, b: MatRef<'_>, mut out: MatMut<'_>) {
        self.leaf.cross(a, b, out.as_mut());
        if self.has_gap && (a.nrows(), b.nrows()) == (UNKNOWN, UNKNOWN) {
            out.fill(f64::NAN);
        }
    }

    fn diagonal(&self, x: MatRef<'_>) -> Vec<f64> {
        self.leaf.diagonal(x)
    }

    fn forward(&self, a: MatRef<'_>, b: MatRef<'_>, mut out: MatMut<'_>, cache: &mut Cache) {
        self.leaf.forward(a, b, out.as_mut(), cache);
        if self.has_gap && (a.nrows(), b.nrows()) == (UNKNOWN, UNKNOWN) {
            out.fill(f64::NAN);
        }
    }

    fn backward(
        &self,
        a: MatRef<'_>,
        b: MatRef<'_>,
        k: MatRef<'_>,
        g: MatRef<'_>,
        cache: &Cache,
        gradient: &mut [f64],
    ) {
        self.leaf.backward(a, b, k, g, cache, gradient);
    }

    fn add_diagonal_gradient(&self, x: MatRef<'_>, g: &[f64], gradient: &mut [f64]) {
        self.leaf.add_diagonal_gradient(x, g, gradient);
    }

    fn add_input_gradient(&self, a: MatRef<'_>, b: MatRef<'_>, g: MatRef<'_>, out: MatMut<'_>) {
        self.leaf.add_input_gradient(a, b, g, out);
    }

    fn spectrum(&self, dimension: usize, count: usize, rng: &mut ChaCha8Rng) -> Result<Spectrum> {
        if self.has_spectrum {
            return self.leaf.spectrum(dimension, count, rng);
        }
        Err(Error::Unsupported { what: "paths of 'own'".into(), remedy: "none".into() })
    }
}

/// The posterior mean above the worst.
#[derive(Debug)]
struct Mean;

impl QualityFunction for Mean {
    fn name(&self) -> &str {
        "mean"
    }

    fn evaluate(&self, context: &AllocationContext, _: usize) -> Result<Vec<f64>> {
        let mean = context.outputs()[0].mean();
        let worst = mean.iter().copied().fold(f64::INFINITY, f64::min);
        Ok(mean.iter().map(|mean| mean - worst).collect())
    }
}

fn config() -> Config {
    let space = Space::new(vec![Dimension::real("x", 0.0, 1.0), Dimension::choice("kind", &["a", "b"])]).unwrap();
    let mut config = Config { initial: 20.into(), batch: 6, inducing: 10.into(), ..Config::new(space) };
    config.model.kernel = KernelChoice::custom(own(true));
    config.allocation = Allocation::custom(Mean);
    config.model.exact_until = 10;
    config
}

fn extensions() -> Extensions {
    Extensions::default().with_kernel(own(true)).with_quality(Mean)
}

fn evaluated(trials: &[Trial]) -> Vec<(u64, Outcome)> {
    let value = |trial: &Trial| match &trial.point[..] {
        [Value::Real(x), Value::Choice(kind)] => (7.0 * x).sin() + if kind == "a" { 0.3 } else { 0.0 },
        other => panic!("{other:?}"),
    };
    trials.iter().map(|trial| (trial.id, Outcome::value(value(trial)))).collect()
}

fn step(study: &mut Study, count: usize) -> Vec<Point> {
    let trials = study.ask(count).unwrap();
    study.tell(&evaluated(&trials)).unwrap();
    trials.into_iter().map(|trial| trial.point).collect()
}

/// A new place for a file.
fn place(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("extensions-{name}-{}.db", std::process::id()));
    std::fs::remove_file(&path).ok();
    path
}

#[test]
fn a_study_that_is_opened_with_its_extensions_goes_on_as_if_never_closed() {
    let path = place("again");
    let mut whole = Study::in_memory(config()).unwrap();
    let asked: Vec<Vec<Point>> = [20, 6, 6, 6].map(|count| step(&mut whole, count)).to_vec();
    for (k, (count, expected)) in [20, 6, 6, 6].into_iter().zip(asked).enumerate() {
        let mut study = match k {
            0 => Study::create(&path, config()).unwrap(),
            _ => Study::open(&path).unwrap().with_extensions(&extensions()),
        };
        assert_eq!(step(&mut study, count), expected, "step {k}");
    }
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn without_its_extensions_a_study_is_read_and_told_but_not_asked() {
    let path = place("bare");
    let mut study = Study::create(&path, config()).unwrap();
    step(&mut study, 20);
    let pending = study.ask(6).unwrap();
    drop(study);

    let mut bare = Study::open(&path).unwrap();
    assert_eq!((bare.history().records().len(), bare.reports().unwrap().len()), (26, 2));
    assert_eq!(bare.tell(&evaluated(&pending)).unwrap(), 6);
    let refused = bare.ask(6).unwrap_err().to_string();
    assert!(refused.contains("'own'") && refused.contains("extensions"), "{refused}");
    assert_eq!(bare.best().unwrap_err().to_string(), refused);
    assert_eq!(bare.replicate(2).unwrap_err().to_string(), refused);
    let mut half = bare.with_extensions(&Extensions::default().with_kernel(own(true)));
    let refused = half.ask(6).unwrap_err().to_string();
    assert!(refused.contains("'mean'") && refused.contains("extensions"), "{refused}");
    assert_eq!(half.replicate(2).unwrap_err().to_string(), refused);
    assert_eq!(half.counts().trials, 26);
    let mut study = half.with_extensions(&extensions());
    assert_eq!(study.ask(6).unwrap().len(), 6);
    // A study that could never be asked is not begun.
    let text = serde_json::to_string(study.config()).unwrap();
    let read: Config = serde_json::from_str(&text).unwrap();
    assert!(Study::in_memory(read.clone()).is_err());
    assert!(Study::in_memory(extensions().complete(read)).is_ok());
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn a_quality_is_kept_for_a_single_output_of_any_goal() {
    for goal in [Goal::Maximize, Goal::Classify, Goal::Level(0.5)] {
        let mut config = config();
        config.outputs[0].goal = goal;
        assert_eq!(config.allocation_of(0), Allocation::custom(Mean), "{goal:?}");
        config.outputs.push(Output::new("waste", Goal::Constraint { at_least: None, at_most: Some(1.0) }));
        assert_eq!(config.allocation_of(1), Allocation::AlDpp);
    }
}

#[test]
fn a_kernel_without_random_features_goes_with_rules_without_paths() {
    let mut config = config();
    config.model.kernel = KernelChoice::custom(own(false));
    let mut study = Study::in_memory(config.clone()).unwrap();
    step(&mut study, 20);
    assert!(study.ask(6).unwrap_err().to_string().contains("paths of 'own'"));
    config.rule = Some(spargo::acquire::Rule::by_name("log-ei").unwrap());
    let mut study = Study::in_memory(config).unwrap();
    step(&mut study, 20);
    assert_eq!(step(&mut study, 3).len(), 3);
}

#[test]
fn local_models_that_cannot_be_fitted_do_not_end_an_ask_of_several_objectives() {
    for has_gap in [false, true] {
        let mut config = config();
        let goals = [("u", Goal::Maximize), ("v", Goal::Minimize)];
        config.outputs = goals.map(|(name, goal)| Output::new(name, goal)).to_vec();
        (config.model.kernel, config.allocation) =
            (KernelChoice::custom(Own { has_gap, ..own(true) }), Allocation::default());
        (config.local_models.neighbours, config.local_models.share) = (UNKNOWN, Some(0.5));
        let mut study = Study::in_memory(config).unwrap();
        for count in [20, 6, 6] {
            let trials = study.ask(count).unwrap();
            let both = |(id, outcome): (u64, Outcome)| match outcome.observed() {
                Some(values) => (id, Outcome::values([values[0]; 2])),
                None => (id, outcome),
            };
            let outcomes: Vec<_> = evaluated(&trials).into_iter().map(both).collect();
            study.tell(&outcomes).unwrap();
        }
        assert!(study.reports().unwrap().iter().all(|report| report.without_model.is_none()), "{has_gap}");
    }
}
