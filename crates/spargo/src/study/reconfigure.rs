//! Settings that change in mid-campaign: trials stay, and are seen as the new settings see them.
//!
//! ```text
//!     settings ─▶ settings′        every trial must have a place in space′, and every outcome a meaning under goals′
//! ```

use super::json::{from_json, to_json};
use super::observations::Observations;
use super::rows::row_after;
use super::storage::Event;
use super::{Config, Note, Study};
use crate::error::{Error, Result};
use crate::space::{Dimension, Point, Space};
use serde::Serialize;
use serde_json::{Map, Value};

/// What keeps the data where a setting cannot change.
const WAY: &str =
    "export the trials, give the study another name, and add them to that one as new points (`spargo tell --as-new`)";

/// What is left where a trial has no place in the new settings, and so no other study could have it either.
const WAY_WITHOUT: &str = "keep what it needs, or discard it first: it stays on record, but no model sees it";

/// A setting that differs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SettingChange {
    /// Its name.
    pub field: String,
    /// What it was, as JSON; null if it was not set.
    pub before: Value,
    /// What it is, as JSON; null if it is not set.
    pub after: Value,
}

impl SettingChange {
    /// The changes within this one, by the names of tables, inputs and outputs: `space.inputs.temperature.real`.
    pub fn parts(&self) -> Vec<SettingChange> {
        let (Some(before), Some(after)) = (by_name(&self.before), by_name(&self.after)) else {
            return vec![self.clone()];
        };
        let names = before.keys().chain(after.keys().filter(|name| !before.contains_key(*name)));
        let part = |name: &String| SettingChange {
            field: format!("{}.{name}", self.field),
            before: before.get(name).cloned().unwrap_or_default(),
            after: after.get(name).cloned().unwrap_or_default(),
        };
        let parts: Vec<_> = names.map(part).filter(|part| part.before != part.after).collect();
        // Another order of the same.
        if parts.is_empty() { vec![self.clone()] } else { parts.iter().flat_map(SettingChange::parts).collect() }
    }
}

/// The entries of a table, or of a list of tables that have names.
fn by_name(value: &Value) -> Option<Map<String, Value>> {
    match value {
        Value::Object(table) => Some(table.clone()),
        Value::Array(list) if !list.is_empty() => {
            let named = |one: &Value| Some((one.get("name")?.as_str()?.to_string(), one.clone()));
            list.iter().map(named).collect()
        }
        _ => None,
    }
}

impl Study {
    /// Changes the settings of a study that has begun, and returns those that differ; the history keeps what changed and
    /// when.
    ///
    /// Refuses, with a way that keeps the data, settings under which a trial or an outcome of the past has no meaning, unless it
    /// was discarded.
    pub fn reconfigure(&mut self, config: Config, note: &Note) -> Result<Vec<SettingChange>> {
        config.check_complete()?;
        self.refresh()?;
        let settings = to_json(&config)?;
        loop {
            let changes = setting_changes(&to_json(&self.config)?, &settings)?;
            if !changes.is_empty() {
                self.check_change(&config)?;
                let event = [Event::Configured { settings: settings.clone(), note: note.clone() }];
                if let Some(news) = self.try_append(&event)? {
                    self.apply(news)?;
                    continue;
                }
                self.apply(event.into())?;
            }
            // With the extensions that the caller has.
            self.config = config;
            return Ok(changes);
        }
    }

    /// All changes of settings so far, in their order, with the note of each.
    pub fn setting_history(&self) -> Result<Vec<(Note, SettingChange)>> {
        let mut history = Vec::new();
        for pair in self.history.settings().windows(2) {
            let ((_, before), (note, after)) = (&pair[0], &pair[1]);
            history.extend(setting_changes(before, after)?.into_iter().map(|change| (note.clone(), change)));
        }
        Ok(history)
    }

    /// Takes the settings of an event; what the past was worth under others is forgotten.
    pub(super) fn configured(&mut self, settings: &str) -> Result<()> {
        let mut config: Config = from_json("the settings in the study's file", settings)?;
        config.check()?;
        config.adopt_extensions(&self.config);
        let old = std::mem::replace(&mut self.config, config);
        let new = &self.config;
        let row = |point: &Point, row| row_after(point, row, &old.space, &new.space);
        self.history.convert(|point| converted(point, &old.space, &new.space), row)?;
        if old.inducing != new.inducing || old.inducing_max != new.inducing_max || old.allocation != new.allocation {
            self.history.outdate_state();
        }
        if old.space != new.space || old.outputs != new.outputs || old.model != new.model {
            self.history.forget_state();
        }
        self.table = Observations::new(new);
        self.models = None;
        self.state.take();
        Ok(())
    }

    /// Refuses settings under which a trial or an outcome of the past has no meaning.
    fn check_change(&self, config: &Config) -> Result<()> {
        let names = |config: &Config| config.outputs.iter().map(|output| output.name.clone()).collect::<Vec<_>>();
        let (before, after) = (names(&self.config), names(config));
        if before != after {
            let what = format!("the outputs cannot change from {} to {}", before.join(", "), after.join(", "));
            return Err(Error::unsupported(what, WAY));
        }
        self.check_units(&config.space)?;
        for point in self.history.queue() {
            let point = converted(point, &self.config.space, &config.space)?;
            let refused = |error: Error| {
                Error::unsupported(format!("a point in the queue does not fit: {error}"), "ask for it first")
            };
            config.space.encode_observed(&point).map_err(refused)?;
        }
        for record in self.history.records() {
            let id = record.trial.id;
            let point = converted(&record.trial.point, &self.config.space, &config.space)?;
            if record.is_discarded {
                continue;
            }
            let refused = |error: Error| Error::unsupported(format!("trial {id} does not fit: {error}"), WAY_WITHOUT);
            config.space.encode_observed(&point).map_err(refused)?;
            let outcome = record.outcome().map(|outcome| config.settled(format!("trial {id}"), &outcome));
            outcome.transpose().map_err(refused)?;
        }
        Ok(())
    }
}

impl Config {
    /// Takes over the extensions of other settings that name the same ones.
    pub fn adopt_extensions(&mut self, from: &Config) {
        if self.model.kernel == from.model.kernel {
            self.model.kernel = from.model.kernel.clone();
        }
        if self.allocation == from.allocation {
            self.allocation = from.allocation.clone();
        }
        if self.trust_regions.policy == from.trust_regions.policy {
            self.trust_regions.policy = from.trust_regions.policy.clone();
        }
    }
}

/// A point of one space in another: inputs by name.
fn converted(point: &Point, from: &Space, to: &Space) -> Result<Point> {
    if let Some(gone) = from.dimensions().iter().find(|old| to.dimensions().iter().all(|new| new.name != old.name)) {
        return Err(Error::unsupported(format!("the input '{}' cannot be taken away", gone.name), WAY));
    }
    let value = |name: &str| from.dimensions().iter().position(|old| old.name == name).map(|k| point[k].clone());
    let input = |new: &Dimension| {
        value(&new.name).or_else(|| new.past.clone()).ok_or_else(|| {
            let what =
                format!("the input '{}' is new, and no value of it is known for the trials of the past", new.name);
            Error::unsupported(what, "say it by `past = …`")
        })
    };
    to.dimensions().iter().map(input).collect()
}

/// The settings in which two texts differ, in the order of the first.
pub(super) fn setting_changes(before: &str, after: &str) -> Result<Vec<SettingChange>> {
    let read = |json| from_json::<Map<String, Value>>("the settings in the study's file", json);
    let (before, after) = (read(before)?, read(after)?);
    let names = before.keys().chain(after.keys().filter(|name| !before.contains_key(*name)));
    let of = |settings: &Map<String, Value>, name: &str| settings.get(name).cloned().unwrap_or_default();
    let change =
        |name: &String| SettingChange { field: name.clone(), before: of(&before, name), after: of(&after, name) };
    Ok(names.map(change).filter(|change| change.before != change.after).collect())
}
