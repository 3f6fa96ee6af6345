//! What a user knows of an output's noise: a floor under what is learned, which may change in mid-campaign.

use super::*;
use spargo::rng::uniform;
use spargo::study::{Goal, Noise, Note, OutcomeTransformChoice, Output, Place, Treatment};

/// A smooth function with noise of deviation 0.02.
fn told(output: Output, transform: OutcomeTransformChoice) -> Study {
    let mut config = Config { outputs: vec![output], ..small(plane()) };
    (config.model.outcome_transform, config.model.exact_until) = (transform, 1000);
    let mut study = memory(config);
    let mut rng = stream(1, Purpose::Data, 0, 0);
    let mut point = || {
        let [a, b] = [(); 2].map(|()| uniform(&mut rng));
        let point = plane().decode(&[a, b]).unwrap();
        (point, Some(Outcome::value((3.0 * a).sin() + b + 0.02 * normal(&mut rng))))
    };
    let points: Vec<_> = (0..120).map(|_| point()).collect();
    study.add(&points).unwrap();
    study
}

/// The noise variance that was learned, in the user's units.
fn learned(study: &mut Study) -> f64 {
    let (hyper, units) = study.hyperparameters(0).unwrap();
    hyper.noise * (-2.0 * units.log_slope(1.0)).exp()
}

#[test]
fn noise_is_never_learned_below_what_is_known() {
    for goal in [Goal::Maximize, Goal::Minimize, Goal::Level(1.0)] {
        let noise = |noise| learned(&mut told(Output::new("y", goal).with_noise(noise), OutcomeTransformChoice::Off));
        let free = noise(Noise::Auto);
        assert!(free < 0.003, "{free}");
        assert_eq!(noise(Noise::None), free);
        // Less than what is learned anyway: it is a bound, not a value.
        assert_eq!(noise(Noise::Sd(1e-3)), free);
        // Above the bound that close pairs set.
        for known in [Noise::Sd(0.3), Noise::Variance(0.09)] {
            let found = noise(known);
            assert!((found / 0.09 - 1.0).abs() < 1e-6, "{known}: {found}");
        }
    }
}

#[test]
fn noise_beyond_all_outcomes_leaves_a_model_that_can_be_used() {
    for (noise, transform) in [
        (Noise::Sd(1e150), OutcomeTransformChoice::Off),
        (Noise::Variance(1e-300), OutcomeTransformChoice::Auto),
        (Noise::Variance(1e300), OutcomeTransformChoice::Asinh),
    ] {
        let mut study = told(Output::new("y", Goal::Maximize).with_noise(noise), transform);
        let best = study.best().unwrap().unwrap();
        assert!(best.believed.mean.is_finite(), "{noise}");
        assert_eq!(study.ask(5).unwrap().len(), 5, "{noise}");
    }
}

#[test]
fn noise_changes_in_mid_campaign_and_models_are_fitted_afresh() {
    let mut study = told(Output::new("y", Goal::Maximize), OutcomeTransformChoice::Off);
    study.ask(3).unwrap();
    let mut config = study.config().clone();
    config.outputs[0].noise = Noise::Sd(0.3);
    let changes = study.reconfigure(config.clone(), &Note::new("measured it", "me")).unwrap();
    let parts: Vec<_> = changes.iter().flat_map(|change| change.parts()).collect();
    assert_eq!(parts.len(), 1);
    assert_eq!((parts[0].field.as_str(), parts[0].after.to_string()), ("outputs.y.noise", r#"{"sd":0.3}"#.into()));
    assert!(learned(&mut study) > 0.0899);
    for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e200] {
        config.outputs[0].noise = Noise::Sd(wrong);
        let refused = study.reconfigure(config.clone(), &Note::new("", "me")).unwrap_err().to_string();
        assert!(refused.contains("noise of 'y'") && refused.contains("\"none\""), "{wrong}: {refused}");
    }
    config.outputs = vec![Output::new("y", Goal::Classify).with_noise(Noise::None)];
    assert!(config.check().unwrap_err().to_string().contains("'y' is a class"));
}

#[test]
fn outcomes_that_differ_at_one_point_contradict_that_there_is_no_noise() {
    for (goal, noise, is_warned) in [
        (Goal::Maximize, Noise::None, true),
        (Goal::Minimize, Noise::None, true),
        (Goal::Maximize, Noise::Auto, false),
        (Goal::Maximize, Noise::Sd(0.1), false),
    ] {
        let mut study = told(Output::new("y", goal).with_noise(noise), OutcomeTransformChoice::Off);
        let point = study.trial(7).unwrap().trial.point.clone();
        let Some(first) = study.trial(7).unwrap().told[0].measurement.observed() else { panic!() };
        study.add(&[(point.clone(), Some(Outcome::value(first)))]).unwrap();
        assert_eq!(study.outcome_warnings(), [], "the same outcome twice is no contradiction");
        study.add(&[(point, Some(Outcome::value(first + 0.1)))]).unwrap();
        let warnings = study.outcome_warnings();
        assert_eq!(warnings.len(), usize::from(is_warned), "{noise}");
        for warning in warnings {
            assert_eq!((warning.treatment, warning.place), (Treatment::Contradictory, Place::Above));
            assert_eq!((&warning.trials[..], warning.value), (&[7, 122][..], first + 0.1));
            let text = warning.to_string();
            assert!(text.contains("trials (7, 122)") && text.contains("noise = \"auto\""), "{text}");
        }
    }
}
