//! How studies are created and opened: in memory, in a file, in any storage.

use super::demand::Demand;
use super::json::{from_json, to_json};
use super::observations::Observations;
use super::reconfigure::setting_changes;
use super::storage::{Appended, Event, History, MemoryStorage, SqliteStorage, Storage};
use super::{Config, EVENTS_AT_A_TIME, Note, SettingChange, Study, lease, refused};
use crate::error::{Error, Result};
use std::cell::OnceCell;
use std::path::Path;

/// Characters of a setting's value in an error.
const LONGEST_VALUE: usize = 60;

impl Study {
    /// A study that lives as long as this process.
    pub fn in_memory(config: Config) -> Result<Self> {
        Study::with_storage(config, Box::new(MemoryStorage::default()))
    }

    /// A new study in a file of its own; refuses if there is one.
    pub fn create(path: &Path, config: Config) -> Result<Self> {
        config.check_complete()?;
        let events = [created(&config)?];
        let (mut storage, is_created) = SqliteStorage::open_or_begin(path, &events)?;
        if is_created || storage.append(0, &events)? == Appended::Done {
            return Study::with_storage(config, Box::new(storage));
        }
        Err(refused(&storage, "exists already", "open it, or give another path"))
    }

    /// The study in this file.
    pub fn open(path: &Path) -> Result<Self> {
        Study::resume(Box::new(SqliteStorage::open(path)?))
    }

    /// The study in this file, to be looked at: neither the file nor its folder need be writable.
    pub fn open_to_read(path: &Path) -> Result<Self> {
        Study::resume(Box::new(SqliteStorage::open_to_read(path)?))
    }

    /// The study in this file if there is one, with these very settings, else a new one.
    pub fn open_or_create(path: &Path, config: Config) -> Result<Self> {
        config.check_complete()?;
        let storage = open_or_begin(path, &config)?;
        Study::with_storage(config, Box::new(storage))
    }

    /// The study in this file if there is one, which takes these settings, else a new one; returns the settings that differed.
    pub fn open_or_reconfigure(path: &Path, config: Config, note: &Note) -> Result<(Self, Vec<SettingChange>)> {
        config.check_complete()?;
        let mut storage = open_or_begin(path, &config)?;
        if storage.load_some(0, 1)?.is_empty() {
            storage.append(0, &[created(&config)?])?;
        }
        let mut study = Study::resume(Box::new(storage))?;
        let changes = study.reconfigure(config, note)?;
        Ok((study, changes))
    }

    /// The study in this storage if there is one, with these very settings, else a new one.
    pub fn with_storage(mut config: Config, mut storage: Box<dyn Storage>) -> Result<Self> {
        config.check_complete()?;
        let mut first = storage.load_some(0, EVENTS_AT_A_TIME)?;
        if first.is_empty() {
            // If another process is faster, its settings are compared with ours.
            storage.append(0, &[created(&config)?])?;
            first = storage.load_some(0, EVENTS_AT_A_TIME)?;
        }
        let mut study = Study::resume_after(storage, first)?;
        // That an input was added later is the study's history, which the caller need not repeat.
        config.space.adopt_past(&study.config.space);
        study.check_made_with(&config)?;
        study.config = config;
        Ok(study)
    }

    /// The whole study, to be made into a study in memory by [`from_bytes`](Self::from_bytes).
    pub fn to_bytes(&mut self) -> Result<Vec<u8>> {
        Ok(to_json(&self.storage.load(0)?)?.into_bytes())
    }

    /// A study in memory that goes on where the one with these bytes was.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let read = |error| {
            let cause = format!("is damaged, or was not written by this version of spargo ({error})");
            refused(&MemoryStorage::default(), &cause, "make the bytes again from the study itself")
        };
        Study::resume(Box::new(MemoryStorage::new(serde_json::from_slice(bytes).map_err(read)?)))
    }

    /// Refuses other settings than those that the study has, by name.
    pub fn check_made_with(&self, config: &Config) -> Result<()> {
        let changes = setting_changes(&to_json(&self.config)?, &to_json(config)?)?;
        match changes.iter().flat_map(SettingChange::parts).next() {
            None => Ok(()),
            Some(SettingChange { field, before, after }) => {
                let [before, after] = [before, after].map(|value| abbreviated(&value.to_string()));
                Err(Error::OtherSettings { path: self.storage.name(), field, before, after })
            }
        }
    }

    /// The study that the events of a storage make.
    fn resume(mut storage: Box<dyn Storage>) -> Result<Self> {
        let first = storage.load_some(0, EVENTS_AT_A_TIME)?;
        Study::resume_after(storage, first)
    }

    /// The study that the events of a storage make, of which the first are known: to load them may be costly.
    fn resume_after(storage: Box<dyn Storage>, first: Vec<Event>) -> Result<Self> {
        let Some(Event::Created { settings }) = first.first() else {
            return Err(refused(&*storage, "is empty", "give the path of a study, or another path to create one"));
        };
        let config: Config = from_json("the settings in the study's file", settings)?;
        config.check()?;
        let (table, history) = (Observations::new(&config), History::new(config.outputs.len()));
        let state = OnceCell::new();
        let (by, demand, states) = (lease::name(), Demand::default(), 0);
        let mut study = Study { config, storage, history, table, models: None, state, states, by, demand };
        let is_last = first.len() < EVENTS_AT_A_TIME;
        study.apply(first)?;
        if !is_last {
            study.refresh()?;
        }
        // What was asked for before says nothing about what will be.
        study.demand = Demand::default();
        Ok(study)
    }

    /// The same study once more, for another thread; `None` if its storage cannot be used twice.
    pub(super) fn another(&self) -> Result<Option<Study>> {
        let Some(storage) = self.storage.another()? else { return Ok(None) };
        let mut study = Study::resume(storage)?;
        study.config.adopt_extensions(&self.config);
        study.state.take();
        Ok(Some(study))
    }
}

/// The file of a study if there is one, else a new one that begins with these settings.
fn open_or_begin(path: &Path, config: &Config) -> Result<SqliteStorage> {
    if path.exists() {
        return SqliteStorage::open_or_create(path);
    }
    Ok(SqliteStorage::open_or_begin(path, &[created(config)?])?.0)
}

fn abbreviated(text: &str) -> String {
    let short: String = text.chars().take(LONGEST_VALUE).collect();
    if short.len() < text.len() { format!("{short}…") } else { short }
}

fn created(config: &Config) -> Result<Event> {
    config.check_columns()?;
    Ok(Event::Created { settings: to_json(config)? })
}
