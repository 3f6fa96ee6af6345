//! Models of plain arrays in their user's units.

mod common;

use common::*;
use spargo::Error;
use spargo::allocate::Allocation;
use spargo::data::Dataset;
use spargo::linalg::Mat;
use spargo::model::{Inference, Learning, Likelihood};
use spargo::regression::{Given, Inducing, Regressing, Regression, standardizer};

/// Inputs of different ranges, outcomes far from 0.
fn data() -> Dataset {
    let unit = points(120, 2);
    let x = Mat::from_fn(120, 2, |i, k| [3.0, -50.0][k] + [2.0, 400.0][k] * unit[(i, k)]);
    let y = (0..120).map(|i| 1e4 + 300.0 * (2.0 * x[(i, 0)]).sin() + x[(i, 1)]).collect();
    Dataset::new(x, y).unwrap()
}

fn every() -> Vec<Regressing> {
    let with = |inference, learning| Regressing {
        inference,
        learning,
        allocation: Allocation::Cvr,
        inducing: Inducing::Count(40),
        ..Regressing::default()
    };
    vec![
        with(Inference::Exact, Learning::Subset(500)),
        with(Inference::Sparse, Learning::Subset(500)),
        with(Inference::Sparse, Learning::Bound),
        with(Inference::Variational, Learning::Elbo),
        Regressing { allocation: Allocation::default(), ..with(Inference::Sparse, Learning::Subset(100)) },
    ]
}

#[test]
fn a_model_restored_at_its_hyperparameters_is_the_model() {
    let data = data();
    for settings in every() {
        let fitted = Regression::fit(&data, &settings).unwrap();
        let (hyper, units, z) = (&fitted.fit.hyper, fitted.units.clone(), fitted.inducing.clone());
        let restored = Regression::at(hyper, &data, units, z, &settings).unwrap();
        let x = fitted.units.inputs(data.x());
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
fn given_hyperparameters_mean_the_same_in_either_units() {
    let data = data();
    for settings in every() {
        let learned = Regression::fit(&data, &settings).unwrap();
        let user = learned.hyperparameters();
        let units = standardizer(&data).unwrap();
        let z = learned
            .inducing
            .as_ref()
            .map(|z| Mat::from_fn(z.nrows(), 2, |i, k| units.lower[k] + units.range[k] * z[(i, k)]));
        let given = Given {
            variance: Some(user.variance),
            lengthscales: Some(user.lengthscales.clone()),
            noise: Some(user.noise),
            mean: Some(user.mean),
        };
        let inducing = z.map_or(Inducing::Count(1), Inducing::Points);
        let settings = Regressing { given, inducing, learning: Learning::Given, ..settings };
        let plain = Regression::fit(&data, &settings).unwrap();
        assert!((plain.objective() - learned.objective()).abs() < 1e-5 * learned.objective().abs());
        let mean = plain.posterior().mean(data.x()).unwrap();
        let standard = learned.posterior().mean(learned.units.inputs(data.x()).as_ref()).unwrap();
        let carried: Vec<f64> = standard.iter().map(|m| learned.units.mean(*m)).collect();
        assert_close("mean", &mean, &carried, 1e-6);
    }
}

#[test]
fn what_is_given_stays() {
    let given = Given { noise: Some(4.0), lengthscales: Some(vec![0.7]), ..Given::default() };
    let fitted = Regression::fit(&data(), &Regressing { given, ..every()[1].clone() }).unwrap();
    let user = fitted.hyperparameters();
    assert_close("noise", &[user.noise], &[4.0], 1e-12);
    assert_close("length scales", &user.lengthscales, &[0.7, 0.7], 1e-12);
    assert!(user.variance > 100.0, "{}", user.variance);
}

#[test]
fn nonsense_is_refused_by_name() {
    let with = |given| Regression::fit(&data(), &Regressing { given, ..Regressing::default() }).unwrap_err();
    let named = |error: Error, name: &str| matches!(error, Error::Parameter { name: found, .. } if found == name);
    assert!(named(with(Given { noise: Some(-1.0), ..Given::default() }), "noise"));
    assert!(named(with(Given { variance: Some(0.0), ..Given::default() }), "variance"));
    assert!(named(with(Given { lengthscales: Some(vec![f64::NAN]), ..Given::default() }), "a length scale"));
    let three = Given { lengthscales: Some(vec![1.0; 3]), ..Given::default() };
    assert!(matches!(with(three), Error::Shape { found: 3, expected: 2, .. }));
    let inducing = Inducing::Points(Mat::zeros(3, 5));
    let refused = Regression::fit(&data(), &Regressing { inducing, ..Regressing::default() }).unwrap_err();
    assert!(matches!(refused, Error::Shape { found: 5, expected: 2, .. }));
    let labels = Regressing {
        likelihood: Likelihood::Bernoulli,
        inference: Inference::Variational,
        learning: Learning::Elbo,
        ..Regressing::default()
    };
    assert!(Regression::fit(&data(), &labels).is_err());
}
