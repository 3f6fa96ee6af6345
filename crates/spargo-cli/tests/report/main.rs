//! `spargo report` as a user runs it and sees it: real studies, the real binary, a real browser.

#[path = "../common/mod.rs"]
mod common;

mod browser;
mod runs;
mod studies;

use browser::Browser;
use common::complaint;
use serde_json::Value;
use spargo::study::{Goal, Study};
use std::path::Path;
use studies::*;

const TABS: [&str; 6] = ["overview", "model", "slices", "inducing", "overhead", "trials"];

/// The data in a page.
fn data(page: &Path) -> Value {
    let html = std::fs::read_to_string(page).unwrap();
    let start = html.find("type=\"application/json\">").unwrap() + "type=\"application/json\">".len();
    serde_json::from_str(&html[start..start + html[start..].find("</script>").unwrap()]).unwrap()
}

fn words(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect()
}

/// Tabs and panels that can be seen: [all tabs, selected ones, visible panels].
fn seen(browser: &mut Browser) -> [Vec<String>; 3] {
    let found = browser.run(
        "[[...document.querySelectorAll('[role=tab]')].map(t => t.id), \
          [...document.querySelectorAll('[role=tab][aria-selected=true]')].map(t => t.id), \
          [...document.querySelectorAll('[role=tabpanel]')].filter(p => p.offsetParent !== null).map(p => p.id)]",
    );
    [0, 1, 2].map(|i| {
        words(&found[i]).iter().map(|id| id.trim_start_matches("tab-").trim_start_matches("panel-").into()).collect()
    })
}

/// What is wrong with the panel that can be seen: drawings without marks, and numbers that are none.
fn faults(browser: &mut Browser) -> Vec<String> {
    let found = browser.run(
        "(() => { const panel = [...document.querySelectorAll('[role=tabpanel]')].find(p => !p.hidden), bad = []; \
          for (const host of panel.querySelectorAll('.host')) { \
            const marks = host.querySelectorAll('svg.plot g.marks > *'); \
            const boxes = [...marks].map(m => m.getBBox()).filter(b => b.width + b.height > 0); \
            if (!boxes.length) bad.push('nothing is drawn: ' + host.outerHTML.slice(0, 300)); \
            if (host.scrollWidth > host.clientWidth + 1) bad.push('a drawing is too wide'); } \
          for (const word of ['NaN', 'undefined', 'Infinity', '∞', '[object', 'null']) \
            if (panel.innerHTML.includes(word)) bad.push(word + ': ' + panel.innerHTML.slice(Math.max(0, panel.innerHTML.indexOf(word) - 150)).slice(0, 300)); \
          for (const head of panel.querySelectorAll('th')) { \
            const probe = document.createElement('span'), text = head.textContent; head.replaceChildren(probe); \
            probe.style = 'display: inline-block; width: min-content; overflow-wrap: normal'; probe.textContent = text; \
            const longest = probe.getBoundingClientRect().width; \
            head.textContent = text; const style = getComputedStyle(head); \
            const padding = parseFloat(style.paddingLeft) + parseFloat(style.paddingRight); \
            const wanted = Math.min(longest, parseFloat(style.maxWidth) - padding), room = head.clientWidth - padding; \
            if (room < wanted - 1) bad.push('a header breaks a word: ' + text + ' ' + room + ' < ' + wanted); \
            if (head.scrollWidth > head.clientWidth + 1) bad.push('a header runs into its neighbour: ' + text); } \
          if (!panel.textContent.trim()) bad.push('the panel is empty'); \
          if (document.scrollingElement.scrollWidth > innerWidth) bad.push('the page is too wide: ' + document.scrollingElement.scrollWidth); \
          return bad; })()",
    );
    words(&found).into_iter().map(String::from).collect()
}

/// Clicks through all tabs of an open page and looks at each.
fn look_at_every_tab(browser: &mut Browser, name: &str, expected: &[&str]) {
    let [tabs, ..] = seen(browser);
    assert_eq!(tabs, expected, "{name}");
    for tab in expected {
        browser.click(&format!("#tab-{tab}"));
        let [_, selected, panels] = seen(browser);
        assert_eq!((selected, panels), (vec![tab.to_string()], vec![tab.to_string()]), "{name}");
        assert_eq!(faults(browser), [""; 0], "{name}, {tab}");
        let drawings = browser.run("document.querySelectorAll('[role=tabpanel]:not([hidden]) svg.plot').length");
        assert_eq!(drawings.as_u64().unwrap(), expected_drawings(browser, tab), "{name}, {tab}");
    }
    assert_eq!(browser.complaints(), [""; 0], "{name}");
}

/// How many drawings a tab has.
fn expected_drawings(browser: &mut Browser, tab: &str) -> u64 {
    match tab {
        "overview" => browser.run("DATA.overview.observed + DATA.overview.failed ? 1 : 0").as_u64().unwrap(),
        // Nothing is said of the calibration of classes.
        "model" => browser.run("DATA.model[0].calibration ? 3 : 1").as_u64().unwrap(),
        "slices" => browser.run("DATA.inputs.length").as_u64().unwrap(),
        "trials" | "runs" => 0,
        _ => 1,
    }
}

#[test]
fn every_kind_of_study_is_drawn_in_every_tab_without_a_complaint() {
    let mut browser = Browser::start();
    for (name, study) in modelled() {
        let page = report(&study);
        for width in [1100, 390] {
            browser.view(width, 844);
            browser.open(&page);
            look_at_every_tab(&mut browser, &name, &TABS);
        }
    }
}

#[test]
fn several_outputs_are_drawn_in_every_tab() {
    let mut browser = Browser::start();
    for (name, study, has_front) in several() {
        let page = report(&study);
        let tabs: Vec<&str> = match has_front {
            true => [&TABS[..1], &["front"], &TABS[1..]].concat(),
            false => TABS.to_vec(),
        };
        for width in [1100, 390] {
            browser.view(width, 844);
            browser.open(&page);
            look_at_every_tab(&mut browser, &name, &tabs);
        }
        look_at_every_output(&mut browser, &name);
    }
}

/// Chooses every output in every section that has a list of them; each drawing is another one.
fn look_at_every_output(browser: &mut Browser, name: &str) {
    let outputs = browser.run("DATA.outputs.length").as_u64().unwrap();
    for tab in ["overview", "model", "slices", "inducing"] {
        browser.click(&format!("#tab-{tab}"));
        let list = format!("output-{}", if tab == "overview" { "course" } else { tab });
        let there = browser.run(&format!("document.getElementById('{list}') !== null"));
        assert_eq!(there, outputs > 1, "{name}, {tab}");
        let mut drawings = Vec::new();
        for output in (0..outputs).filter(|_| outputs > 1) {
            choose(browser, &list, output);
            let marks =
                "[...document.querySelectorAll('[role=tabpanel]:not([hidden]) .marks')].map(m => m.innerHTML).join()";
            let drawing = browser.run(marks);
            assert!(!drawings.contains(&drawing), "{name}, {tab}, output {output}");
            assert_eq!(faults(browser), [""; 0], "{name}, {tab}, output {output}");
            drawings.push(drawing);
        }
    }
    assert_eq!(browser.complaints(), [""; 0], "{name}");
}

/// Chooses from a list as a user would, and waits until everything is drawn.
fn choose(browser: &mut Browser, list: &str, option: u64) {
    browser.run(&format!(
        "(() => {{ const list = document.getElementById('{list}'); list.value = '{option}'; \
         list.dispatchEvent(new Event('change')); }})()"
    ));
    browser.drawn();
}

#[test]
fn fronts_and_limits_are_those_of_the_library() {
    let mut browser = Browser::start();
    for (name, path, has_front) in several() {
        let page = report(&path);
        let (data, mut study) = (data(&page), Study::open(&path).unwrap());
        let fronts = study.fronts().unwrap();
        browser.open(&page);
        if has_front {
            let trials = |list: &Value| -> Vec<u64> {
                list.as_array().unwrap().iter().map(|one| one["trial"].as_u64().unwrap()).collect()
            };
            for (shown, expected) in [("believed", &fronts.believed), ("observed", &fronts.observed)] {
                let expected: Vec<u64> = expected.iter().map(|one| one.trial.id).collect();
                assert_eq!(trials(&data["front"][shown]), expected, "{name}, {shown}");
            }
            browser.click("#tab-front");
            let rings = browser.run("document.querySelectorAll('#panel-front .marks .ring').length");
            assert!(rings.as_u64().unwrap() <= fronts.believed.len() as u64, "{name}");
            assert_eq!(rings == 0, fronts.believed.is_empty(), "{name}");
        }
        let values = study.history().records().iter().filter_map(|record| record.values());
        let feasible = values.filter(|values| study.config().is_feasible(values)).count();
        let (_, limited) = study.config().objectives_and_constraints();
        match study.config().outputs[limited.first().copied().unwrap_or(0)].goal {
            Goal::Constraint { .. } => {
                assert_eq!(data["overview"]["feasibility"]["all"], feasible, "{name}");
                browser.click("#tab-overview");
                let text = browser.run("document.getElementById('panel-overview').textContent");
                assert!(text.as_str().unwrap().contains("all constraints"), "{name}: {text}");
            }
            _ => assert!(data["overview"]["feasibility"].is_null(), "{name}"),
        }
        let best = study.best().unwrap().filter(|best| best.feasible);
        assert_eq!(data["overview"]["best"].is_null(), best.is_none(), "{name}");
        if let Some(best) = best {
            assert_eq!(data["overview"]["best"]["trial"], best.observed.trial.id, "{name}");
        }
    }
}

#[test]
fn three_objectives_are_drawn_two_by_two() {
    let (_, study, _) = several().into_iter().find(|(name, ..)| name == "three").unwrap();
    let mut browser = Browser::start();
    browser.open(&report(&study));
    browser.click("#tab-front");
    let mut drawings = Vec::new();
    for (list, option) in [("front-x", 0), ("front-y", 2), ("front-x", 1)] {
        choose(&mut browser, list, option);
        let drawing = browser.run("document.querySelector('#panel-front .marks').innerHTML");
        assert!(!drawings.contains(&drawing), "{list} {option}");
        assert_eq!(faults(&mut browser), [""; 0], "{list} {option}");
        drawings.push(drawing);
    }
}

#[test]
fn classes_are_mapped_and_their_slices_are_probabilities() {
    let mut browser = Browser::start();
    for (name, path, mapped) in classified() {
        let page = report(&path);
        let tabs: Vec<&str> = match mapped {
            true => [&TABS[..1], &["classes"], &TABS[1..]].concat(),
            false => TABS.to_vec(),
        };
        for width in [1100, 390] {
            browser.view(width, 844);
            browser.open(&page);
            look_at_every_tab(&mut browser, &name, &tabs);
        }
        let data = data(&page);
        let numbers = |list: &Value| -> Vec<f64> {
            list.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
        };
        for slice in data["slices"][0]["slices"].as_array().unwrap() {
            let (low, mean, high) = (numbers(&slice["low"]), numbers(&slice["mean"]), numbers(&slice["high"]));
            for i in 0..mean.len() {
                assert!(0.0 <= low[i] && low[i] <= mean[i] && mean[i] <= high[i] && high[i] <= 1.0, "{name}");
            }
        }
        assert!(data["model"][0]["calibration"].is_null() && data["overview"]["best"].is_null(), "{name}");
        if !mapped {
            assert!(data["classes"].is_null());
            continue;
        }
        browser.click("#tab-classes");
        let pairs = data["inputs"].as_array().unwrap().len().min(4);
        let maps = data["classes"]["maps"].as_array().unwrap();
        assert_eq!(maps.len(), pairs * (pairs - 1) / 2, "{name}");
        for (number, map) in maps.iter().enumerate().filter(|_| maps.len() > 1) {
            choose(&mut browser, "map", number as u64);
            let tiles = browser.run("document.querySelectorAll('#panel-classes .marks .tile').length");
            let sides = ["across", "up"].map(|side| map[side].as_array().unwrap().len() as u64);
            assert_eq!(tiles.as_u64().unwrap(), sides[0] * sides[1], "{name}, {number}");
            assert_eq!(faults(&mut browser), [""; 0], "{name}, {number}");
        }
    }
}

/// The plane is divided where the first input is 0.4 of its range: the map knows.
#[test]
fn the_class_map_is_right() {
    let (_, path, _) = classified().into_iter().find(|(name, ..)| name == "plane").unwrap();
    let data = data(&report(&path));
    let map = &data["classes"]["maps"][0];
    let along = map["inputs"].as_array().unwrap().iter().position(|input| input == 0).unwrap();
    let side = |name: &str| map[name].as_array().unwrap().len();
    let (width, height) = (side("across"), side("up"));
    let x = |i: usize, j: usize| {
        if along == 0 { map["across"][i].as_f64().unwrap() } else { map["up"][j].as_f64().unwrap() }
    };
    let cells: Vec<(usize, usize)> = (0..height).flat_map(|j| (0..width).map(move |i| (i, j))).collect();
    let right =
        |&(i, j): &(usize, usize)| (map["probability"][j * width + i].as_f64().unwrap() > 0.5) == (x(i, j) > -0.2);
    let share = cells.iter().filter(|cell| right(cell)).count() as f64 / cells.len() as f64;
    assert!(share > 0.93, "{share}");
}

#[test]
fn a_study_without_outcomes_says_so() {
    let mut browser = Browser::start();
    for (name, study) in without_outcomes() {
        browser.open(&report(&study));
        let tabs: &[&str] = if name == "empty" { &["overview"] } else { &["overview", "overhead"] };
        let notice = browser.run("document.querySelector('.notice').textContent");
        assert!(notice.as_str().unwrap().contains("There is no outcome yet"), "{name}: {notice}");
        look_at_every_tab(&mut browser, &name, tabs);
    }
}

#[test]
fn the_page_says_what_the_library_says() {
    let (_, path) = mixed();
    let page = report(&path);
    let (data, mut study) = (data(&page), Study::open(&path).unwrap());
    let best = study.best().unwrap().unwrap();
    let shown = &data["overview"]["best"];
    assert_eq!(shown["believed"]["trial"], best.believed.trial.id);
    assert_eq!(shown["believed"]["mean"], best.believed.mean);
    assert_eq!(shown["believed"]["interval"][0], best.believed.interval.0);
    assert_eq!((&shown["trial"], &shown["value"]), (&best.observed.trial.id.into(), &best.observed.value.into()));
    assert_eq!(data["inducing"][0]["count"], study.inducing_points(0).unwrap().unwrap().len());
    assert_eq!(data["trials"]["rows"].as_array().unwrap().len(), data["overview"]["observed"]);
    assert_eq!(data["overview"]["pending"], 4);

    let mut browser = Browser::start();
    browser.open(&page);
    let number = browser.run("document.getElementById('best-believed').textContent");
    let number: f64 = number.as_str().unwrap().replace('−', "-").parse().unwrap();
    assert!((number / best.believed.mean - 1.0).abs() < 1e-4, "{number} {}", best.believed.mean);
    // Minimised: the curve falls, and so do its steps on the screen (y grows downwards).
    let curve: Vec<f64> =
        data["overview"]["courses"][0]["curve"].as_array().unwrap().iter().map(|p| p[1].as_f64().unwrap()).collect();
    assert!(curve.len() > 1 && curve.is_sorted_by(|a, b| a > b), "{curve:?}");
}

#[test]
fn names_are_text_and_never_markup() {
    let mut browser = Browser::start();
    browser.open(&report(&mixed().1));
    assert_eq!(browser.run("document.getElementById('name').textContent"), NASTY);
    browser.click("#tab-inducing");
    let options = browser.run("[...document.querySelectorAll('#axis-x option')].map(o => o.textContent)");
    assert_eq!(options[4], format!("loss {NASTY}"));
    assert_eq!(browser.run("typeof window.hacked + document.images.length + document.scripts.length"), "undefined02");
}

#[test]
fn tabs_are_moved_by_keys() {
    let mut browser = Browser::start();
    browser.open(&report(&mixed().1));
    browser.run("document.querySelector('[role=tab][tabindex=\"0\"]').focus()");
    let steps = [
        ("ArrowRight", 39, "model"),
        ("ArrowLeft", 37, "overview"),
        ("ArrowLeft", 37, "trials"),
        ("Home", 36, "overview"),
        ("End", 35, "trials"),
    ];
    for (key, code, expected) in steps {
        browser.press(key, code);
        let [_, selected, panels] = seen(&mut browser);
        assert_eq!((&selected[0][..], &panels[..]), (expected, &[expected.to_string()][..]), "{key}");
        assert_eq!(browser.run("document.activeElement.id"), format!("tab-{expected}"), "{key}");
    }
}

#[test]
fn drop_downs_choose_the_axes() {
    let mut browser = Browser::start();
    browser.open(&report(&mixed().1));
    browser.click("#tab-inducing");
    assert_eq!(browser.run("document.querySelectorAll('#panel-inducing .marks circle.ring').length"), 20);
    let mut drawings = Vec::new();
    for (list, option) in [("axis-x", 0), ("axis-y", 1), ("axis-x", 3), ("axis-y", 4), ("axis-x", 2)] {
        let axes = browser.run(&format!(
            "(() => {{ const list = document.getElementById('{list}'); list.value = '{option}'; list.dispatchEvent(new Event('change')); \
             return [...document.querySelectorAll('#panel-inducing text.axis')].map(t => t.firstChild.data); }})()"
        ));
        let name = browser.run(&format!("document.querySelector('#{list} option:checked').textContent"));
        let (place, shown) = (usize::from(list == "axis-y"), |text: &str| text.trim_end_matches('…').to_string());
        assert!(name.as_str().unwrap().starts_with(&shown(axes[place].as_str().unwrap())), "{axes} {name}");
        let drawing = browser.run("document.querySelector('#panel-inducing .marks').innerHTML");
        assert!(!drawings.contains(&drawing), "{list} {option}");
        assert_eq!(faults(&mut browser), [""; 0], "{list} {option}");
        drawings.push(drawing);
    }
}

/// The brightness of the background and of the text, from 0 to 1.
fn brightness(browser: &mut Browser) -> (f64, f64) {
    let of = |browser: &mut Browser, what: &str| {
        let channels = browser.run(&format!("getComputedStyle(document.body).{what}.match(/\\d+/g).map(Number)"));
        channels.as_array().unwrap().iter().take(3).map(|c| c.as_f64().unwrap()).sum::<f64>() / 765.0
    };
    (of(browser, "backgroundColor"), of(browser, "color"))
}

#[test]
fn dark_mode_is_dark() {
    let mut browser = Browser::start();
    browser.open(&report(&mixed().1));
    browser.prefer("light");
    let (ground, ink) = brightness(&mut browser);
    assert!(ground > 0.9 && ink < 0.25, "{ground} {ink}");
    browser.prefer("dark");
    let (ground, ink) = brightness(&mut browser);
    assert!(ground < 0.15 && ink > 0.8, "{ground} {ink}");
}

#[test]
fn marks_answer_to_the_pointer_and_drawings_to_the_width() {
    let mut browser = Browser::start();
    browser.open(&report(&mixed().1));
    let dot = browser.run(
        "(() => { const b = document.querySelector('#panel-overview circle.dot').getBoundingClientRect(); \
         scrollTo(0, b.y - 300); const c = document.querySelector('#panel-overview circle.dot').getBoundingClientRect(); return [c.x + 2, c.y + 2]; })()",
    );
    browser.point(dot[0].as_f64().unwrap(), dot[1].as_f64().unwrap());
    let tip = browser.run("document.getElementById('tip').hidden ? '' : document.getElementById('tip').textContent");
    assert!(tip.as_str().unwrap().starts_with("trial "), "{tip}");
    let width = |browser: &mut Browser| {
        browser.run("document.querySelector('svg.plot').viewBox.baseVal.width").as_f64().unwrap()
    };
    let wide = width(&mut browser);
    browser.view(390, 844);
    browser.drawn();
    assert!(width(&mut browser) < 390.0 && wide > 700.0, "{wide}");
}

#[test]
fn fifty_thousand_trials_open_within_three_seconds() {
    let page = report(&large());
    let (size, data) = (std::fs::metadata(&page).unwrap().len(), data(&page));
    assert!(size < 2_000_000, "{size} bytes");
    for (section, list) in
        [("points", &data["overview"]["courses"][0]["points"]), ("inducing", &data["inducing"][0]["trials"])]
    {
        assert_eq!(list.as_array().unwrap().len(), 2000, "{section}");
    }
    let best = data["overview"]["best"]["trial"].clone();
    assert!(data["overview"]["courses"][0]["points"].as_array().unwrap().iter().any(|dot| dot["trial"] == best));
    let mut browser = Browser::start();
    browser.open(&page);
    let ready = browser.run("performance.now()").as_f64().unwrap();
    println!("50,000 trials: {size} bytes, drawn after {ready:.0} ms");
    assert!(ready < 3000.0, "drawn after {ready} ms");
    look_at_every_tab(&mut browser, "large", &TABS);
}

#[test]
fn what_cannot_be_read_or_written_is_named() {
    let (_, study) = mixed();
    let study = study.display().to_string();
    let missing = complaint(&["report", "no-such-study.db"]);
    assert!(missing.contains("no-such-study.db"), "{missing}");
    let text = common::file("no-study.db", "name = 'not a study'");
    let other = complaint(&["report", &text]);
    assert!(other.contains("no-study.db"), "{other}");
    let nowhere = complaint(&["report", &study, "-o", "/no/such/folder/report.html"]);
    assert!(nowhere.contains("/no/such/folder/report.html"), "{nowhere}");
    let itself = complaint(&["report", &study, "-o", &study]);
    assert!(itself.contains("would overwrite"), "{itself}");
    assert!(Study::open(Path::new(&study)).is_ok());
}
