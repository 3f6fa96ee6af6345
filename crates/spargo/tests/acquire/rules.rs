//! The list of rules: names, defaults, refusals, and how settings spell them.

use spargo::Error;
use spargo::acquire::{RULES, Rule, Task};
use std::collections::HashSet;

fn optimize(objectives: usize, constraints: usize) -> Task {
    Task::Optimize { objectives, constraints }
}

/// Every kind of task, with the rules that support it; the first is the default.
fn tasks() -> [(Task, &'static [&'static str]); 8] {
    [
        (optimize(1, 0), &["thompson", "log-ei", "gibbon"]),
        (optimize(1, 2), &["thompson", "log-ei"]),
        (optimize(2, 0), &["thompson", "ehvi", "hippo"]),
        (optimize(3, 0), &["thompson", "ehvi", "hippo"]),
        (optimize(3, 1), &["thompson", "ehvi", "hippo"]),
        (optimize(4, 0), &["thompson"]),
        (Task::Classify, &["bald"]),
        (Task::Level, &["straddle"]),
    ]
}

#[test]
fn every_rule_has_a_name_of_its_own_and_a_sentence() {
    let names: HashSet<&str> = RULES.iter().map(|rule| rule.name).collect();
    assert_eq!(names.len(), RULES.len());
    for rule in &RULES {
        assert!(std::ptr::eq(Rule::by_name(rule.name).unwrap(), rule));
        assert!(rule.about.ends_with('.') && rule.about.len() > 20, "{rule:?}: {}", rule.about);
        assert!(rule.name.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{rule:?}");
    }
}

#[test]
fn every_task_has_a_default_and_refusals_say_why_and_what_else() {
    for (task, supported) in tasks() {
        assert_eq!(Rule::default_for(task).name, supported[0], "{task:?}");
        for rule in &RULES {
            assert_eq!(rule.supports(task), supported.contains(&rule.name), "{rule:?} {task:?}");
            match rule.check(task) {
                Ok(()) => assert!(rule.supports(task)),
                Err(Error::Unsupported { what, remedy }) => {
                    assert!(!rule.supports(task));
                    let (head, reason) = what.split_once(", as ").unwrap();
                    assert!(head.contains(&format!("\"{}\"", rule.name)) && reason.len() > 10, "{what}");
                    assert_eq!(remedy, format!("use {}", supported.join(", ")));
                }
                Err(other) => panic!("{other}"),
            }
        }
    }
}

#[test]
fn settings_spell_rules_by_name() {
    for rule in &RULES {
        let written = serde_json::to_value(rule).unwrap();
        assert_eq!(written, rule.name);
        let read: &'static Rule = serde_json::from_value(written).unwrap();
        assert_eq!(read, rule);
        let optional: Option<&'static Rule> = serde_json::from_str(&format!("\"{}\"", rule.name)).unwrap();
        assert_eq!(optional, Some(rule));
    }
    let unknown = serde_json::from_str::<&'static Rule>("\"thomson\"").unwrap_err().to_string();
    assert!(unknown.contains("unknown variant `thomson`"), "{unknown}");
    assert!(RULES.iter().all(|rule| unknown.contains(&format!("`{}`", rule.name))), "{unknown}");
    assert!(serde_json::from_str::<&'static Rule>("3").is_err());
    let refused = Rule::by_name("thomson").unwrap_err().to_string();
    assert!(refused.contains("'thomson'"), "{refused}");
    assert!(RULES.iter().all(|rule| refused.contains(rule.name)), "{refused}");
}
