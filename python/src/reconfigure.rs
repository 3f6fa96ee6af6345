//! Settings that change in mid-campaign: what the caller names is changed, everything else stays as it is.

use crate::quality::PythonQuality;
use crate::settings::read;
use serde::Serialize;
use serde_json::{Map, Value, json};
use spargo::Result;
use spargo::space::{Dimension, Space};
use spargo::study::{Config, HistoryEntry, Note, SettingChange, Study};

/// Where settings are described.
const REMEDY: &str = "help(spargo.Study.configure) lists the settings";

/// What an input or output keeps unless the caller gives another one.
const KEPT: [&str; 4] = ["unit", "past", "noise", "when"];

/// What is to be changed.
pub struct Changes {
    /// Settings and outputs by name, as JSON.
    pub settings: String,
    /// Inputs that are new or different.
    pub inputs: Vec<Dimension>,
    /// A table of candidates in place of the space.
    pub candidates: Option<Space>,
    /// A quality in place of the allocation.
    pub quality: Option<PythonQuality>,
}

impl Changes {
    /// Changes the settings of a study; returns those that differ, part by part.
    pub fn apply(self, study: &mut Study, note: &Note) -> Result<Vec<HistoryEntry>> {
        study.refresh()?;
        let config = self.merged(study.config())?;
        let changes: Vec<SettingChange> = study.reconfigure(config, note)?;
        Ok(changes.iter().flat_map(|change| HistoryEntry::of_setting(note, change)).collect())
    }

    fn merged(self, present: &Config) -> Result<Config> {
        if !self.inputs.is_empty() {
            // For the errors of inputs, which those of settings would hide; what conditions name may be among the others.
            let alone = self.inputs.iter().map(|input| Dimension { when: None, ..input.clone() });
            Space::new(alone.collect())?;
        }
        let mut settings = value(present);
        let given: Map<String, Value> = read(&self.settings, REMEDY)?;
        for (name, one) in given {
            match name.as_str() {
                "input-constraints" => settings["space"]["input-constraints"] = one,
                _ => merge(&name, &mut settings[&name], one),
            }
        }
        merge_named(&mut settings["space"]["inputs"], self.inputs.iter().map(value).collect());
        if let Some(space) = &self.candidates {
            let constraints = settings["space"]["input-constraints"].take();
            settings["space"] = value(space);
            if !constraints.is_null() {
                settings["space"]["input-constraints"] = constraints;
            }
        }
        let mut config: Config = read(&settings.to_string(), REMEDY)?;
        config.adopt_extensions(present);
        if let Some(quality) = &self.quality {
            config.allocation = quality.allocation();
        }
        Ok(config)
    }
}

/// A setting as JSON; what has no JSON is null, and refused as such.
fn value(one: &impl Serialize) -> Value {
    serde_json::to_value(one).unwrap_or_default()
}

/// Puts a setting in the place of another: options one by one, outputs by their names, all else as a whole.
fn merge(name: &str, into: &mut Value, given: Value) {
    match (name, into, given) {
        ("outputs", into, Value::Array(given)) => merge_named(into, given),
        // Its keys are those of one method.
        ("allocation", into, given) => *into = given,
        (_, Value::Object(into), Value::Object(given)) => into.extend(given),
        (_, into, given) => *into = given,
    }
}

/// Puts tables in the place of those with their names, or at the end.
fn merge_named(into: &mut Value, given: Vec<Value>) {
    let Value::Array(into) = into else { return };
    for mut one in given {
        match into.iter_mut().find(|old| old["name"] == one["name"]) {
            Some(old) => {
                for key in KEPT {
                    if one[key].is_null() && !old[key].is_null() {
                        one[key] = json!(old[key]);
                    }
                }
                *old = one;
            }
            None => into.push(one),
        }
    }
    // An empty condition is none.
    for one in into.iter_mut().filter_map(Value::as_object_mut) {
        if one.get("when").and_then(Value::as_object).is_some_and(Map::is_empty) {
            one.remove("when");
        }
    }
}
