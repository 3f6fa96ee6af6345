//! The section of runs.

use super::*;

#[test]
fn runs_are_shown_with_what_they_evaluate_and_what_is_ready() {
    let path = watched();
    let (study, page) = (Study::open(&path).unwrap(), report(&path));
    let trials: Vec<u64> = study.history().pending().map(|trial| trial.id).collect();
    let (data, mut browser) = (data(&page), Browser::start());
    let shown: Vec<u64> =
        data["runs"]["runs"][0]["trials"].as_array().unwrap().iter().map(|trial| trial[0].as_u64().unwrap()).collect();
    assert_eq!(shown, trials);
    assert_eq!(data["runs"]["ready"], serde_json::json!([[3, study.history().ready().len()]]));
    let tabs = [&TABS[..5], &["runs"], &TABS[5..]].concat();
    for width in [1100, 390] {
        browser.view(width, 844);
        browser.open(&page);
        look_at_every_tab(&mut browser, "runs", &tabs);
        browser.click("#tab-runs");
        let cells = browser.run("[...document.querySelectorAll('#panel-runs td')].map(cell => cell.textContent)");
        let cells = words(&cells);
        for expected in ["4", "90 %", "10 s", &trials[0].to_string(), &study.history().ready().len().to_string()] {
            assert!(cells.contains(&expected), "{expected}: {cells:?}");
        }
        assert!(cells.iter().any(|cell| cell.contains(" before")), "{cells:?}");
    }
}
