//! Settings: written and read again, filled in, refused by name, and kept by the file.

use super::*;
use serde_json::{Value as Json, json};
use spargo::Error;
use spargo::allocate::Allocation;
use spargo::study::HyperparameterChoice;
use spargo::study::storage::{Event, MemoryStorage};
use spargo::study::{Goal, Output, Replicates};
use std::path::Path;

fn read(json: Json) -> Result<Config, String> {
    serde_json::from_value(json).map_err(|error| error.to_string())
}

fn written(config: &Config) -> Json {
    serde_json::to_value(config).unwrap()
}

#[test]
fn settings_are_written_and_read_again() {
    for (_, space) in spaces() {
        let mut config = small(space);
        (config.rule, config.replicates) = (Some(by_name("gibbon")), Replicates::Allowed);
        config.allocation = "kmeans".parse().unwrap();
        config.model.hyperparameters = HyperparameterChoice::Bound;
        assert_eq!(read(written(&config)), Ok(config));
    }
}

#[test]
fn a_space_is_enough() {
    let inputs = json!([{"name": "a", "real": [-1.0, 2.0]}, {"name": "b", "real": [0.01, 100.0], "log": true}]);
    let config = read(json!({"space": {"inputs": inputs}})).unwrap();
    assert_eq!(config, Config::new(plane()));
    config.check().unwrap();
    let nowhere = read(json!({"name": "no space"})).unwrap();
    assert!(nowhere.check().unwrap_err().to_string().contains("the space has no inputs"));
}

#[test]
fn unknown_settings_are_refused() {
    let good = written(&small(plane()));
    for table in ["", "model", "sampling", "acquisition", "space", "outputs/0"] {
        let mut bad = good.clone();
        let inside = table.split('/').filter(|step| !step.is_empty()).fold(&mut bad, |json, step| match step.parse() {
            Ok(index) => json.get_mut::<usize>(index).unwrap(),
            Err(_) => json.get_mut(step).unwrap(),
        });
        inside["colour"] = json!("red");
        assert!(read(bad).unwrap_err().contains("unknown field `colour`"), "{table}");
    }
}

#[test]
fn what_cannot_be_run_is_refused_by_name() {
    let change = |change: &dyn Fn(&mut Json)| {
        let mut json = written(&small(plane()));
        change(&mut json);
        let config = read(json).unwrap();
        let refused = config.check().unwrap_err();
        assert_eq!(Study::in_memory(config).unwrap_err(), refused);
        refused.to_string()
    };
    let limit = |low: f64, high: f64| json!({"constraint": {"at-least": low, "at-most": high}});
    for (goal, words) in [
        (json!({"constraint": {"at-most": 3.0}}), "there are limits but no objective"),
        (limit(2.0, 1.0), "'objective' = 1 must be above the lower one"),
        // No model gives a single value any probability.
        (limit(1.0, 1.0), "'objective' = 1 must be above the lower one"),
        (json!({"constraint": {}}), "'objective' has no limit"),
    ] {
        assert!(change(&|json| json["outputs"][0]["goal"] = goal.clone()).contains(words), "{words}");
    }
    for name in ["", "a"] {
        assert!(
            change(&|json| json["outputs"][0]["name"] = json!(name)).contains(&format!("'{name}' cannot be the name"))
        );
    }
    let outputs = |goals: &[Json]| {
        let output = |(k, goal): (usize, &Json)| json!({"name": format!("y{k}"), "goal": goal});
        goals.iter().enumerate().map(output).collect::<Vec<_>>()
    };
    let beside = outputs(&[json!("max"), json!("classify")]);
    assert!(change(&|json| json["outputs"] = json!(beside)).contains("a study of its own"));
    // Every rule is for one kind of goal.
    let (max, class, level) = (json!("max"), json!("classify"), json!({"level": 0.5}));
    let limit = limit(1.0, 2.0);
    let kinds: [(&[Json], &[&str]); 7] = [
        (std::slice::from_ref(&max), &["thompson", "log-ei", "gibbon"]),
        (&[max.clone(), limit.clone()], &["thompson", "log-ei"]),
        (&[max.clone(), json!("min")], &["thompson", "ehvi", "hippo"]),
        (&[max.clone(), json!("min"), max.clone(), limit.clone()], &["thompson", "ehvi", "hippo"]),
        (&[max.clone(), max.clone(), max.clone(), max.clone()], &["thompson"]),
        (&[class], &["bald"]),
        (&[level], &["straddle"]),
    ];
    for (goals, rules) in kinds {
        for rule in &RULES {
            let mut json = written(&small(plane()));
            (json["outputs"], json["rule"]) = (json!(outputs(goals)), json!(rule));
            let checked = read(json).unwrap().check();
            assert_eq!(checked.is_ok(), rules.contains(&rule.name), "{goals:?} {rule:?} {checked:?}");
        }
    }
    assert!(change(&|json| json["outputs"] = json!([])).contains("outputs is empty"));
    for (count, most) in [("batch", 1_000_000), ("initial", 1_000_000), ("inducing", 100_000)] {
        assert!(change(&|json| json[count] = json!(0)).starts_with(&format!("{count} = 0 must be at least 1")));
        let refused = change(&|json| json[count] = json!(most + 1));
        assert_eq!(refused, format!("{count} = {} must be at most {most}", most + 1));
    }
    let mut study = Study::in_memory(small(plane())).unwrap();
    for count in [1_000_001, usize::MAX] {
        let refused = study.ask(count).unwrap_err();
        assert!(matches!(&refused, Error::Parameter { must, .. } if must == "at most 1000000"), "{refused}");
    }
    assert!(change(&|json| json["acquisition"]["pool"] = json!(0)).contains("pool"));
    assert!(change(&|json| json["sampling"]["features"] = json!(0)).contains("features"));
    assert!(
        change(&|json| json["model"]["hyperparameters"] = json!({"subset": 0}))
            .contains("subset = 0 must be at least 1")
    );
    let mut elbo = written(&small(plane()));
    elbo["model"]["hyperparameters"] = json!("elbo");
    assert!(read(elbo).unwrap_err().contains("expected one of `subset`, `bound`, `fixed`"));
}

/// A method that cannot be had would leave nothing but points without a model.
#[test]
fn every_allocation_runs_or_is_refused() {
    let mut run = Vec::new();
    for name in Allocation::NAMES {
        for learning in [HyperparameterChoice::Subset(1000), HyperparameterChoice::Bound] {
            let mut config = Config { allocation: name.parse().unwrap(), ..small(mixed()) };
            config.model.hyperparameters = learning;
            let Ok(mut study) = Study::in_memory(config) else { continue };
            for count in [8, 5, 5, 5, 1] {
                advance(&mut study, count, observe);
            }
            let reports = study.reports().unwrap();
            assert!(reports.iter().all(|report| report.without_model.is_none()), "{name}: {reports:?}");
            let model = last_report(&study).models.remove(0);
            assert!(model.observations == 23 && (2..=15).contains(&model.inducing), "{name}: {model:?}");
            run.push(name);
        }
    }
    let expected = ["random", "uniform", "kmeans", "cvr", "dpp", "lin-dpp", "imp-dpp", "ent-dpp"];
    assert!(expected.iter().all(|name| run.contains(name)), "{run:?}");
}

#[test]
fn a_file_keeps_its_settings() {
    let folder = Folder::new();
    let path = folder.file("study.db");
    let config = small(mixed());
    drop(Study::create(&path, config.clone()).unwrap());
    assert!(matches!(Study::create(&path, config.clone()), Err(Error::Storage { .. })));
    assert_eq!(*Study::open(&path).unwrap().config(), config);
    drop(Study::open_or_create(&path, config.clone()).unwrap());

    let mut others: Vec<(&str, Config)> = vec![
        ("space", small(plane())),
        ("seed", Config { seed: 6, ..config.clone() }),
        ("batch", Config { batch: 6, ..config.clone() }),
        ("rule", Config { rule: Some(by_name("log-ei")), ..config.clone() }),
        ("outputs", goals_minimize(config.clone())),
    ];
    let mut model = config.clone();
    model.model.exact_until = 1;
    others.push(("model", model));
    for (field, other) in others {
        let refused = Study::open_or_create(&path, other).unwrap_err().to_string();
        assert!(refused.contains(&format!("has '{field}")) && refused.contains("these settings have"), "{refused}");
    }
    // A refusal creates nothing.
    let never = folder.file("never.db");
    assert!(Study::open_or_create(&never, Config { batch: 0, ..config }).is_err() && !never.exists());
}

fn goals_minimize(mut config: Config) -> Config {
    config.outputs[0].goal = spargo::study::Goal::Minimize;
    config
}

#[test]
fn settings_that_a_rule_ignores_are_refused_with_its_name() {
    for section in ["trust-regions", "local-models"] {
        for (rule, share, is_refused) in [
            ("gibbon", json!(0.5), true),
            ("log-ei", json!(0.01), true),
            ("log-ei", json!(0.0), false),
            ("gibbon", json!("auto"), false),
            ("thompson", json!(0.5), false),
        ] {
            let mut json = written(&small(plane()));
            (json["rule"], json[section]["share"]) = (json!(rule), share);
            let refused = read(json).unwrap().check().map_err(|error| error.to_string());
            assert_eq!(refused.is_err(), is_refused, "{section} {rule} {refused:?}");
            let names = [format!("'{section}.share'"), format!("'{rule}'")];
            assert!(refused.map_or_else(|error| names.iter().all(|name| error.contains(name)), |()| true));
        }
    }
}

#[test]
fn names_of_other_columns_of_a_table_are_refused_at_creation() {
    let folder = Folder::new();
    let named = |input: &str, output: &str| {
        let mut config = small(Space::new(vec![Dimension::real(input, 0.0, 1.0)]).unwrap());
        config.outputs = ["yield", output].map(|name| Output::new(name, Goal::Maximize)).into();
        config
    };
    for name in ["trial", "status", "reason", "yield sd", "yield variance"] {
        for (kind, config) in [("input", named(name, "cost")), ("output", named("x", name))] {
            let path = folder.file("study.db");
            let made: [fn(&Path, Config) -> spargo::Result<Study>; 3] =
                [Study::create, Study::open_or_create, |_, config| Study::in_memory(config)];
            for make in made {
                let refused = make(&path, config.clone()).unwrap_err().to_string();
                let expected = format!("an {kind} with the name '{name}'");
                assert!(refused.contains(&expected) && refused.contains("another name"), "{refused}");
                assert!(!path.exists(), "nothing is left of a study that was refused");
            }
            // A study that was made before such names were refused is still read.
            let before = Event::Created { settings: serde_json::to_string(&config).unwrap() };
            let opened = Study::with_storage(config, Box::new(MemoryStorage::new(vec![before])));
            assert!(opened.is_ok(), "{:?}", opened.err());
        }
    }
    assert!(Study::in_memory(named("x sd", "variance")).is_ok(), "these are names of no column");
}
