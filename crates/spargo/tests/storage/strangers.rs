//! Settings, states and events that anyone may have written: each is refused or works, and none makes a panic.

use super::*;
use serde_json::{Value as Json, json};
use spargo::study::{Goal, Output};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What a stranger puts in the place of anything.
fn replacements() -> [Json; 11] {
    let huge = 1_u64 << 63;
    [
        json!(null),
        json!(-1),
        json!(0),
        json!(huge),
        json!(1e12),
        json!(1e308),
        json!(-1e-308),
        json!("x"),
        json!([]),
        json!({}),
        json!([1.0, 2.0, 3.0, 4.0, 5.0]),
    ]
}

/// A study with every kind of input, two outputs, a sparse model or an exact one, and a state, as its events.
fn events(exact_until: usize) -> Vec<Json> {
    let colours = Dimension::choice("colour", &["red", "green", "blue"]);
    let space = Space::new(vec![Dimension::real("x", -1.0, 1.0), Dimension::int("n", 0, 9), colours]).unwrap();
    let mut config = Config { initial: 8.into(), batch: 2, inducing: 6.into(), ..Config::new(space) };
    let cost = Goal::Constraint { at_least: None, at_most: Some(5.0) };
    config.outputs.push(Output::new("cost", cost));
    config.model.exact_until = exact_until;
    (config.acquisition.pool, config.acquisition.near, config.sampling.features) = (60, 20, 20);
    let mut study = Study::in_memory(config).unwrap();
    for _ in 0..2 {
        for trial in study.ask(8).unwrap() {
            let Value::Real(x) = trial.point[0] else { panic!("{trial:?}") };
            let outcome = Outcome::values([-x * x, 2.0 * x + 3.0]);
            study.tell(&[(trial.id, outcome)]).unwrap();
        }
    }
    assert!(study.history().state().is_some());
    serde_json::from_slice(&study.to_bytes().unwrap()).unwrap()
}

/// The places of all values in a JSON text, as pointers.
fn places(json: &Json, here: String, all: &mut Vec<String>) {
    let mut inner = |key: &str, value| places(value, format!("{here}/{key}"), all);
    match json {
        Json::Object(table) => table.iter().for_each(|(key, value)| inner(key, value)),
        Json::Array(list) => list.iter().enumerate().take(3).for_each(|(i, value)| inner(&i.to_string(), value)),
        _ => {}
    }
    all.push(here);
}

/// Opens and uses a study; whether it was of use.
fn try_all(events: &[Json]) -> Result<(), spargo::Error> {
    let mut study = Study::from_bytes(&serde_json::to_vec(events).unwrap())?;
    study.refresh()?;
    study.reports()?;
    study.best()?;
    study.ask(1).map(|_| ())
}

/// Tries all replacements of all values of a text; returns how many there were, and how many of them were refused.
fn replace_all(what: &str, json: &Json, tried: &dyn Fn(&Json) -> Result<(), spargo::Error>) -> (usize, usize) {
    let (mut all, mut counts) = (Vec::new(), (0, 0));
    places(json, String::new(), &mut all);
    for place in all {
        for replacement in replacements() {
            let mut changed = json.clone();
            *changed.pointer_mut(&place).unwrap() = replacement.clone();
            let result = catch_unwind(AssertUnwindSafe(|| tried(&changed)));
            let Ok(result) = result else { panic!("{what}: {replacement} at '{place}' made a panic") };
            counts = (counts.0 + 1, counts.1 + usize::from(result.is_err()));
        }
    }
    counts
}

#[test]
fn no_change_of_settings_states_or_events_makes_a_panic() {
    for exact_until in [0, 100] {
        let events = events(exact_until);
        try_all(&events).unwrap();
        let last = events.iter().rposition(|event| event["asked"]["state"].is_string()).unwrap();
        for (index, place) in [(0, "/created/settings"), (last, "/asked/state")] {
            let text = events[index].pointer(place).unwrap().as_str().unwrap();
            let (changes, refused) = replace_all(place, &serde_json::from_str(text).unwrap(), &|changed| {
                let mut events = events.clone();
                *events[index].pointer_mut(place).unwrap() = json!(changed.to_string());
                try_all(&events)
            });
            assert!(changes > 200 && refused > changes / 2, "{place}: {refused} of {changes} refused");
        }
        let told = events.iter().position(|event| event["told"].is_object()).unwrap();
        for index in [0, 1, told, last] {
            replace_all("events", &events[index], &|changed| {
                let mut events = events.clone();
                events[index] = changed.clone();
                try_all(&events)
            });
        }
    }
}
