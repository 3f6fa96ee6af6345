//! Outcomes: exact, in any order, twice, contradicting, unknown, and not a number.

use super::*;
use proptest::collection::vec;
use proptest::prelude::*;
use spargo::Error;

fn outcomes(study: &mut Study) -> Vec<Option<Outcome>> {
    study.refresh().unwrap();
    let records = study.history().records();
    records.iter().map(Record::outcome).collect()
}

fn finite() -> impl Strategy<Value = f64> {
    let any = any::<u64>().prop_map(f64::from_bits).prop_filter("finite", |x| x.is_finite());
    prop_oneof![any, Just(-0.0), Just(f64::from_bits(1)), Just(-f64::MIN_POSITIVE / 3.0), Just(f64::MAX)]
}

fn outcome(values: std::ops::Range<usize>) -> impl Strategy<Value = Outcome> {
    let variance = proptest::option::of(finite().prop_map(|x| x.abs().max(f64::from_bits(1))));
    let observed = (finite(), variance).prop_map(|(value, variance)| Measurement::Observed { value, variance });
    let one = prop_oneof![4 => observed, 1 => Just(Measurement::Pending), 1 => ".{0,9}".prop_map(Measurement::failed)];
    let measured = vec(one, values).prop_map(Outcome::Measured);
    let text = prop_oneof![".{0,20}".boxed(), Just("NUL \0 'quoted' \"twice\" \u{1F980}".to_string()).boxed()];
    prop_oneof![3 => measured, 1 => text.prop_map(Outcome::failed)]
}

/// Debug output tells −0 from 0 and prints every number in full.
fn exactly<T: std::fmt::Debug>(thing: &T) -> String {
    format!("{thing:?}")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn trials_come_back_as_they_were_given(
        given in vec((vec(finite(), 0..4), any::<i64>(), ".{0,9}", proptest::option::of(outcome(1..4))), 1..6),
    ) {
        let point = |reals: &[f64], int, text: &str| -> Point {
            let reals = reals.iter().map(|&x| Value::Real(x));
            reals.chain([Value::Int(int), Value::Choice(format!("{text}\0"))]).collect()
        };
        let added = |(reals, int, text, outcome): &(Vec<f64>, i64, String, Option<Outcome>)| {
            Event::Added { point: point(reals, *int, text), row: None, outcome: outcome.clone() }
        };
        let given: Vec<Event> = given.iter().map(added).collect();
        let folder = Folder::new();
        for mut storage in storages(&folder) {
            storage.append(0, &given).unwrap();
            prop_assert_eq!(exactly(&storage.load(0).unwrap()), exactly(&given));
        }
        let mut again = SqliteStorage::open(&folder.file("study.db")).unwrap();
        prop_assert_eq!(exactly(&again.load(0).unwrap()), exactly(&given));
    }

    #[test]
    fn the_order_of_tells_leaves_no_trace(
        results in vec(outcome(1..2), 1..12),
        order in any::<proptest::sample::Index>(),
    ) {
        let folder = Folder::new();
        let mut turned: Vec<(u64, Outcome)> = (1..).zip(results).collect();
        let mut read = Vec::new();
        for mut study in studies(&folder) {
            study.ask(turned.len()).unwrap();
            // One by one, and read in between: a history grown in pieces is the same as one read at once.
            for told in &turned {
                study.tell(std::slice::from_ref(told)).unwrap();
                study.refresh().unwrap();
            }
            if let Some((first, _)) = turned.iter().find(|(_, outcome)| !outcome.is_pending()) {
                prop_assert_eq!(study.trial(*first).map(|record| record.told[0].seq), Some(1));
            }
            read.push(exactly(&outcomes(&mut study)));
            let middle = order.index(turned.len());
            turned.rotate_left(middle);
            turned.reverse();
        }
        prop_assert_eq!(&read[0], &read[1]);
    }
}

#[test]
fn the_same_again_is_ignored_and_another_is_refused_with_the_whole_call() {
    let folder = Folder::new();
    let (value, failed) = (Outcome::value(1.0), Outcome::failed("timeout"));
    for mut study in studies(&folder) {
        study.ask(3).unwrap();
        assert_eq!(study.tell(&[(1, value.clone()), (2, failed.clone())]), Ok(2));
        assert_eq!(study.tell(&[(2, Outcome::failed("other words")), (1, value.clone())]), Ok(0));
        assert_eq!(study.tell(&[(2, Outcome::value(f64::NAN))]), Ok(0));

        for (trial, told, now) in [
            (1, "1", Outcome::value(1.0 + f64::EPSILON)),
            (1, "1", Outcome::noisy(1.0, 0.5)),
            (1, "1", failed.clone()),
            (1, "1", Outcome::value(f64::INFINITY)),
            (2, "failed (timeout)", value.clone()),
        ] {
            let call = [(3, Outcome::value(3.0)), (trial, now.clone())];
            let now = study.config().settled("", &now).unwrap().to_string();
            assert_eq!(study.tell(&call), Err(Error::Retold { index: 1, trial, told: told.into(), now }));
        }
        let twice = [(3, Outcome::value(3.0)), (3, Outcome::value(4.0))];
        let refused = Error::Retold { index: 1, trial: 3, told: "3".into(), now: "4".into() };
        assert_eq!(study.tell(&twice), Err(refused));
        assert_eq!(outcomes(&mut study), [Some(value.clone()), Some(failed.clone()), None]);
        assert_eq!(study.history().pending().map(|trial| trial.id).collect::<Vec<_>>(), [3]);
        assert_eq!(study.tell(&[(3, Outcome::value(3.0)), (3, Outcome::value(3.0))]), Ok(1));
        assert_eq!(study.history().tells(), 3);
    }
}

#[test]
fn unknown_trials_and_meaningless_noise_are_refused_with_the_whole_call() {
    let folder = Folder::new();
    for mut study in studies(&folder) {
        study.ask(2).unwrap();
        for trial in [0, 3, u64::MAX] {
            let refused = study.tell(&[(1, Outcome::value(1.0)), (trial, Outcome::value(2.0))]);
            assert_eq!(refused, Err(Error::UnknownTrial { index: 1, trial, trials: 2 }));
        }
        let refused = study.tell(&[(1, Outcome::value(1.0)), (2, Outcome::noisy(2.0, -1.0))]).unwrap_err();
        assert!(refused.to_string().starts_with("the noise variance of trial 2 = -1 must"), "{refused}");
        let refused = study.add(&[(point(2.0), None), (point(3.0), Some(Outcome::noisy(2.0, 0.0)))]).unwrap_err();
        assert!(refused.to_string().starts_with("the noise variance of point 2 of 2 = 0 must"), "{refused}");
        assert_eq!(outcomes(&mut study), [None, None]);
    }
}

#[test]
fn what_is_no_number_is_recorded_as_failed() {
    let folder = Folder::new();
    for mut study in studies(&folder) {
        study.ask(1).unwrap();
        study.tell(&[(1, Outcome::value(f64::NAN))]).unwrap();
        study.add(&[(point(0.0), Some(Outcome::value(f64::INFINITY)))]).unwrap();
        let reasons = ["the outcome is NaN", "the outcome is inf"].map(|reason| Some(Outcome::failed(reason)));
        assert_eq!(outcomes(&mut study), reasons);
    }
}

#[test]
fn a_point_added_twice_makes_two_trials() {
    let folder = Folder::new();
    for mut study in studies(&folder) {
        study.ask(1).unwrap();
        let again = (point(0.0), Some(Outcome::value(1.0)));
        assert_eq!(study.add(&[again.clone(), again]), Ok(2..4));
        let asks: Vec<Option<u64>> = study.history().records().iter().map(|record| record.ask).collect();
        assert_eq!(asks, [Some(1), None, None]);
    }
}
