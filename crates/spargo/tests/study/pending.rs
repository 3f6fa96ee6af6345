//! Trials without an outcome: an ask takes them for evaluated, whether an earlier ask or the user brought them.

use super::*;

/// Without its pending trial, a study would ask for the same point once more, or for one right next to it.
#[test]
fn an_ask_keeps_away_from_pending_points() {
    for rule in [by_name("log-ei"), by_name("gibbon")] {
        let mut study = memory(Config { rule: Some(rule), initial: 20.into(), ..small(plane()) });
        advance(&mut study, 20, observe);
        let mut asked = Study::from_bytes(&study.to_bytes().unwrap()).unwrap();
        let first = asked.ask(1).unwrap().remove(0).point;
        study.add(&[(first.clone(), None)]).unwrap();
        for (way, mut study) in [("asked for", asked), ("added", study)] {
            let second = study.ask(1).unwrap().remove(0).point;
            let distance = apart(&plane(), &first, &second);
            assert!(distance > 0.05, "{rule:?}, {way}: {distance}");
        }
    }
}
