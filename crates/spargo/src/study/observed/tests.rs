//! Observations that grow, against those that are made of all.

use super::*;
use crate::rng::{Purpose, stream, uniform};
use crate::space::{Dimension, Point, Space, Value};
use crate::study::{Config, Goal, Note, Outcome, Output, Penalties, Study};

fn study(outputs: usize, penalties: Penalties) -> Study {
    let outputs = (0..outputs).map(|k| Output::new(format!("y{k}"), Goal::Maximize)).collect();
    let space = Space::new(vec![Dimension::real("x", 0.0, 1.0)]).unwrap();
    let mut config = Config { outputs, initial: 10.into(), ..Config::new(space) };
    config.model.penalties = penalties;
    Study::in_memory(config).unwrap()
}

/// Everything that a model may look at.
fn parts(observed: &Observed) -> String {
    let own = |own: &ObservedOutput| {
        let replicated = (0..own.data.len()).map(|row| own.replicated().first(row)).collect::<Vec<_>>();
        let ObservedOutput { rows, data, asked, seq, screened, .. } = own;
        format!(
            "{rows:?} {:?} {:?} {:?} {asked:?} {seq:?} {screened:?} {replicated:?}",
            data.x(),
            data.y(),
            data.noise(-1.0)
        )
    };
    let outputs: Vec<_> = observed.outputs.iter().flatten().map(own).collect();
    format!("{:?} {:?} {:?} {outputs:?}", observed.records, observed.x(), observed.extremes)
}

/// Tells that come late, twice at a point, with variances, failed and far out: what has grown is what is made of all.
#[test]
fn what_grows_is_what_would_be_made_of_all() {
    let mut counts = [0, 0];
    for seed in 0..30 {
        let mut rng = stream(seed, Purpose::Data, 0, 0);
        let outputs = 1 + seed as usize % 2;
        let mut study = study(outputs, if seed % 3 == 0 { Penalties::Failures } else { Penalties::Warn });
        let mut known: Option<Observed> = None;
        for _ in 0..25 {
            let points: Vec<(Point, _)> =
                (0..4).map(|_| (vec![Value::Real((16.0 * uniform(&mut rng)).floor() / 16.0)], None)).collect();
            study.add(&points).unwrap();
            let pending: Vec<u64> = study.history().pending().map(|trial| trial.id).collect();
            for trial in pending.into_iter().filter(|_| uniform(&mut rng) < 0.8).collect::<Vec<_>>() {
                let size = if uniform(&mut rng) < 0.01 { 1e6 } else { 1.0 };
                let variance = (uniform(&mut rng) < 0.1).then_some(0.3);
                let one = |value| {
                    if value < -0.98 {
                        Measurement::failed("broken")
                    } else {
                        Measurement::Observed { value: size * value, variance }
                    }
                };
                let outcome = (0..outputs).map(|_| one(2.0 * uniform(&mut rng) - 1.0)).collect();
                study.tell(&[(trial, Outcome::Measured(outcome))]).unwrap();
            }
            if uniform(&mut rng) < 0.05 {
                study.discard(&[1 + (uniform(&mut rng) * 4.0) as u64], &Note::new("wrong", "someone")).unwrap();
                known = None;
            }
            let (table, seen) = (&study.table, study.history.tells());
            let Ok(all) = table.observe(seen, &study.history) else { continue };
            let grown = known.take().and_then(|known| table.grow(known, seen, &study.history).unwrap());
            counts[usize::from(grown.is_some())] += 1;
            if let Some(grown) = &grown {
                assert_eq!(parts(grown), parts(&all), "seed {seed}");
                assert_eq!(grown.seen, seen);
            }
            known = Some(grown.unwrap_or(all));
        }
    }
    assert!(counts[0] > 50 && counts[1] > 300, "{counts:?}");
}

/// Much is kept, and grows; after a correction it is made again, and what was seen before is made apart.
#[test]
fn much_is_made_once() {
    let mut study = study(1, Penalties::Warn);
    let rows: Vec<(Point, _)> =
        (0..MANY + 1).map(|i| (vec![Value::Real(i as f64 / 1e4)], Some(Outcome::value((i % 97) as f64)))).collect();
    study.add(&rows).unwrap();
    let until = |study: &Study, seen: u64| study.table.until(seen, &study.history).unwrap();
    let seen = study.history.tells();
    let place = |observed: &Arc<Observed>| observed.records.as_ptr();
    let (first, again) = (place(&until(&study, seen)), place(&until(&study, seen)));
    assert_eq!(first, again);
    study.add(&rows[..3]).unwrap();
    let grown = until(&study, seen + 3);
    assert_eq!((grown.unchanged_from, grown.seen), (seen, seen + 3));
    assert_eq!(until(&study, seen).records.len(), MANY + 1);
    assert_eq!(place(&until(&study, seen + 3)), place(&grown));
    study.amend(&[(5, Outcome::value(3.5))], &Note::new("wrong", "someone")).unwrap();
    let amended = until(&study, seen + 4);
    assert_eq!((amended.unchanged_from, amended.outputs[0].as_ref().unwrap().data.y()[4]), (seen + 4, 3.5));
}
