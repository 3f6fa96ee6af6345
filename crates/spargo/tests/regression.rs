//! Models of plain arrays in their user's units.

mod common;

use common::*;
use spargo::Error;
use spargo::allocate::Allocation;
use spargo::data::Dataset;
use spargo::linalg::Mat;
use spargo::model::{FitOptions, HyperparameterObjective, Inference, Likelihood};
use spargo::regression::{FixedHyperparameters, Inducing, Regression, RegressionOptions, standardizer};

/// Inputs of different ranges, outcomes far from 0.
fn data() -> Dataset {
    let unit = points(120, 2);
    let x = Mat::from_fn(120, 2, |i, k| [3.0, -50.0][k] + [2.0, 400.0][k] * unit[(i, k)]);
    let y = (0..120).map(|i| 1e4 + 300.0 * (2.0 * x[(i, 0)]).sin() + x[(i, 1)]).collect();
    Dataset::new(x, y).unwrap()
}

fn every() -> Vec<RegressionOptions> {
    let with = |inference, hyperparameters| RegressionOptions {
        fit: FitOptions { inference, hyperparameters, ..FitOptions::default() },
        allocation: Allocation::Cvr,
        inducing: Inducing::Count(40),
        ..RegressionOptions::default()
    };
    vec![
        with(Inference::Exact, HyperparameterObjective::Subset(500)),
        with(Inference::Sparse, HyperparameterObjective::Subset(500)),
        with(Inference::Sparse, HyperparameterObjective::Bound),
        with(Inference::Variational, HyperparameterObjective::Elbo),
        RegressionOptions {
            allocation: Allocation::default(),
            ..with(Inference::Sparse, HyperparameterObjective::Subset(100))
        },
    ]
}

#[test]
fn a_model_restored_at_its_hyperparameters_is_the_model() {
    let data = data();
    for settings in every() {
        let fitted = Regression::fit(&data, &settings).unwrap();
        let (hyper, units, z) = (&fitted.fit.hyper, fitted.units.clone(), fitted.inducing.clone());
        let restored = Regression::at(hyper, &data, units, z, &settings).unwrap();
        let x = fitted.units.inputs.to_model(data.x());
        assert_eq!(
            restored.posterior().predict(x.as_ref()).unwrap(),
            fitted.posterior().predict(x.as_ref()).unwrap(),
            "{settings:?}"
        );
        assert_eq!(restored.objective(), fitted.objective());
    }
}

/// With nothing to learn, data stay in the user's units: the numbers are those of standardized data, carried over.
#[test]
fn fixed_hyperparameters_mean_the_same_in_both_units() {
    let data = data();
    for settings in every() {
        let learned = Regression::fit(&data, &settings).unwrap();
        let user = learned.hyperparameters();
        let units = standardizer(&data).unwrap();
        let z = learned.inducing.as_ref().map(|z| units.inputs.from_model(z.as_ref()));
        let given = FixedHyperparameters {
            variance: Some(user.variance),
            lengthscales: Some(user.lengthscales.clone()),
            noise: Some(user.noise),
            mean: Some(user.mean),
        };
        let inducing = z.map_or(Inducing::Count(1), Inducing::Points);
        let fit = FitOptions { hyperparameters: HyperparameterObjective::Fixed, ..settings.fit.clone() };
        let settings = RegressionOptions { given, inducing, fit, ..settings };
        let plain = Regression::fit(&data, &settings).unwrap();
        assert!((plain.objective() - learned.objective()).abs() < 1e-5 * learned.objective().abs());
        let mean = plain.posterior().mean(data.x()).unwrap();
        let standard = learned.posterior().mean(learned.units.inputs.to_model(data.x()).as_ref()).unwrap();
        let carried: Vec<f64> = standard.iter().map(|m| learned.units.outcomes.from_model(*m)).collect();
        assert_close("mean", &mean, &carried, 1e-6);
    }
}

#[test]
fn fixed_hyperparameters_stay() {
    let given =
        FixedHyperparameters { noise: Some(4.0), lengthscales: Some(vec![0.7]), ..FixedHyperparameters::default() };
    let fitted = Regression::fit(&data(), &RegressionOptions { given, ..every()[1].clone() }).unwrap();
    let user = fitted.hyperparameters();
    assert_close("noise", &[user.noise], &[4.0], 1e-12);
    assert_close("length scales", &user.lengthscales, &[0.7, 0.7], 1e-12);
    assert!(user.variance > 100.0, "{}", user.variance);
}

#[test]
fn invalid_hyperparameters_are_refused_by_name() {
    let with =
        |given| Regression::fit(&data(), &RegressionOptions { given, ..RegressionOptions::default() }).unwrap_err();
    let named = |error: Error, name: &str| matches!(error, Error::Parameter { name: found, .. } if found == name);
    assert!(named(with(FixedHyperparameters { noise: Some(-1.0), ..FixedHyperparameters::default() }), "noise"));
    assert!(named(with(FixedHyperparameters { variance: Some(0.0), ..FixedHyperparameters::default() }), "variance"));
    assert!(named(
        with(FixedHyperparameters { lengthscales: Some(vec![f64::NAN]), ..FixedHyperparameters::default() }),
        "a length scale"
    ));
    let three = FixedHyperparameters { lengthscales: Some(vec![1.0; 3]), ..FixedHyperparameters::default() };
    assert!(matches!(with(three), Error::Shape { found: 3, expected: 2, .. }));
    let inducing = Inducing::Points(Mat::zeros(3, 5));
    let refused =
        Regression::fit(&data(), &RegressionOptions { inducing, ..RegressionOptions::default() }).unwrap_err();
    assert!(matches!(refused, Error::Shape { found: 5, expected: 2, .. }));
    let fit = FitOptions {
        likelihood: Likelihood::Bernoulli,
        inference: Inference::Variational,
        hyperparameters: HyperparameterObjective::Elbo,
        ..FitOptions::default()
    };
    assert!(Regression::fit(&data(), &RegressionOptions { fit, ..RegressionOptions::default() }).is_err());
}
