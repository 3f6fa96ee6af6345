//! Hyperparameters that are known: posteriors are the reference's at the same ones, and nothing is learned.

use super::*;
use serde_json::{Value as Json, json};
use spargo::Error;
use spargo::model::Prediction;
use spargo::study::{Goal, HyperparameterChoice, OutcomeTransformChoice, Output};

fn golden(name: &str) -> Json {
    let path = format!("{}/tests/golden/{name}.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn numbers(values: &Json) -> Vec<f64> {
    values.as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect()
}

fn points_of(rows: &Json) -> Vec<Point> {
    let point = |row: &Json| numbers(row).into_iter().map(Value::Real).collect();
    rows.as_array().unwrap().iter().map(point).collect()
}

/// These settings with known hyperparameters.
fn fixed(mut config: Config, known: Json) -> Config {
    config.model.outcome_transform = OutcomeTransformChoice::Off;
    config.model.hyperparameters = serde_json::from_value(json!({ "fixed": known })).unwrap();
    config
}

/// Whatever the ranges of inputs and the sign of the goal, predictions are those of GPflow at the same hyperparameters.
#[test]
fn the_posterior_is_the_references() {
    for family in ["rbf", "matern32", "matern52"] {
        let file = golden(&format!("gpr_{family}"));
        for (goal, sign) in [(Goal::Maximize, 1.0), (Goal::Minimize, -1.0)] {
            let inputs = [(-1.0, 1.5), (-4.0, 9.0), (-0.5, 30.0)];
            let named = |(k, (lower, upper)): (usize, (f64, f64))| Dimension::real(format!("x{k}"), lower, upper);
            let mut config = Config::new(Space::new(inputs.into_iter().enumerate().map(named).collect()).unwrap());
            config.outputs = vec![Output::new("y", goal)];
            config.model.kernel = String::from(family).into();
            let scales = numbers(&file["lengthscales"]);
            let known = json!({
                "variance": file["variance"], "noise": file["noise_variance"],
                "mean": sign * file["constant_mean"].as_f64().unwrap(),
                "lengthscales": { "x0": scales[0], "x1": scales[1], "x2": scales[2] },
            });
            let mut study = memory(fixed(config, known));
            let outcomes = numbers(&file["y"]).into_iter().map(|y| Some(Outcome::value(sign * y)));
            study.add(&points_of(&file["X"]).into_iter().zip(outcomes).collect::<Vec<_>>()).unwrap();
            let Prediction { mean, variance } = study.predict(0, &points_of(&file["X_test"])).unwrap();
            let close = |found: f64, expected: f64| (found - expected).abs() <= 1e-8 * expected.abs().max(1.0);
            for (i, expected) in numbers(&file["predict_f_mean"]).into_iter().enumerate() {
                assert!(close(mean[i], sign * expected), "{family}, {goal:?}: {} for {expected}", mean[i]);
            }
            for (i, expected) in numbers(&file["predict_f_var"]).into_iter().enumerate() {
                assert!(close(variance[i], expected), "{family}, {goal:?}: {} for {expected}", variance[i]);
            }
            let fit = study.model_reports().unwrap().remove(0).fit.unwrap();
            assert!(fit.evaluations == 0 && fit.stop.is_none(), "{fit:?}");
        }
    }
}

/// Exact, sparse, with local models: θ is what was given at every step, and a resumed study asks for the same points.
#[test]
fn nothing_is_learned_and_a_resumed_study_asks_for_the_same_points() {
    let known = json!({
        "variance": 0.5, "noise": 0.0025, "mean": 0.2,
        "lengthscales": { "a": 1.2, "b": 3.0, "c": 4.0, "d": 1.5 },
    });
    for exact_until in [0, 100] {
        let mut config = fixed(small(mixed()), known.clone());
        (config.model.exact_until, config.local_models.neighbours) = (exact_until, 10);
        config.local_models.share = Some(0.4);
        let mut study = memory(config);
        for _ in 0..4 {
            advance(&mut study, 10, observe);
            let (hyper, units) = study.hyperparameters(0).unwrap();
            let square = (units.from_model(1.0) - units.from_model(0.0)).powi(2);
            let found = [units.from_model(hyper.mean), hyper.noise * square];
            let scales = hyper.kernel.scales(4);
            let expected = [1.2 / 3.0, 3.0 / 1e4f64.ln(), 4.0 / 8.0, 1.5];
            let pairs = found.iter().zip([0.2, 0.0025]).chain(scales.iter().zip(expected));
            pairs.for_each(|(found, expected)| assert!((found / expected - 1.0).abs() < 1e-9, "{found} {expected}"));
        }
        let mut resumed = Study::from_bytes(&study.to_bytes().unwrap()).unwrap();
        assert_eq!(resumed.config(), study.config());
        resumed.ask(5).unwrap();
        study.ask(5).unwrap();
        assert_eq!(points(&resumed), points(&study));
        let fits = last_report(&study).models.remove(0);
        assert!(fits.fit.is_none_or(|fit| fit.evaluations == 0));
    }
}

#[test]
fn what_has_no_meaning_is_refused_with_a_remedy() {
    let known = |lengthscales: Json| json!({ "variance": 1, "noise": 0.01, "lengthscales": lengthscales });
    let refused = |config: Config| config.check().unwrap_err().to_string();
    let base = || fixed(small(plane()), known(json!(0.5)));
    base().check().unwrap();
    for (config, words) in [
        (fixed(small(mixed()), known(json!(0.5))), "the choices of 'd'"),
        (fixed(small(plane()), known(json!({ "a": 1 }))), "none for the input 'b'"),
        (fixed(small(plane()), known(json!({ "a": 1, "b": 1, "z": 1 }))), "'z', which is no input"),
        (fixed(small(plane()), known(json!(-0.5))), "positive"),
        (fixed(small(plane()), json!({ "variance": 0, "noise": 1, "lengthscales": 1 })), "variance of 'fixed'"),
        (Config { outputs: vec![Output::new("y", Goal::Classify)], ..base() }, "'y', a class"),
        (
            Config { outputs: ["u", "v"].map(|name| Output::new(name, Goal::Maximize)).into(), ..base() },
            "a study of its own",
        ),
        (
            Config {
                outputs: vec![Output::new("y", Goal::Maximize).with_noise(spargo::study::Noise::Sd(0.1))],
                ..base()
            },
            "given twice",
        ),
    ] {
        let message = refused(config);
        assert!(message.contains(words), "{message}");
    }
    for transform in [OutcomeTransformChoice::Auto, OutcomeTransformChoice::Asinh, OutcomeTransformChoice::Log] {
        let mut config = base();
        config.model.outcome_transform = transform;
        assert!(refused(config).contains("outcome-transform = \"off\""));
    }
    let mut config = base();
    let HyperparameterChoice::Fixed(known) = &mut config.model.hyperparameters else { panic!() };
    known.mean = f64::NAN;
    assert!(matches!(config.check(), Err(Error::Parameter { .. })));
}
