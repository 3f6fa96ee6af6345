//! How a study begins and goes on: in memory, in a file, in another storage, from bytes.

use super::Study;
use super::config::Config;
use super::json::{differing, from_json, to_json};
use super::observations::Observations;
use super::storage::{Appended, Event, History, MemoryStorage, SqliteStorage, Storage};
use crate::error::{Error, Result};
use std::path::Path;

impl Study {
    /// A study that lives as long as this process.
    pub fn in_memory(config: Config) -> Result<Self> {
        Study::with_storage(config, Box::new(MemoryStorage::default()))
    }

    /// A new study in a file of its own; refuses if there is one.
    pub fn create(path: &Path, config: Config) -> Result<Self> {
        config.check()?;
        let mut storage = SqliteStorage::open_or_create(path)?;
        let created = [created(&config)?];
        match storage.append(0, &created)? {
            Appended::Done => Study::new(config, Box::new(storage), created.into()),
            Appended::Conflict => Err(refused(&storage, "exists already", "open it, or give another path")),
        }
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
        config.check()?;
        Study::with_storage(config, Box::new(SqliteStorage::open_or_create(path)?))
    }

    /// The study in this storage if there is one, with these very settings, else a new one.
    pub fn with_storage(config: Config, mut storage: Box<dyn Storage>) -> Result<Self> {
        config.check()?;
        let mut events = storage.load(0)?;
        if events.is_empty() {
            let created = [created(&config)?];
            if storage.append(0, &created)? == Appended::Done {
                return Study::new(config, storage, created.into());
            }
            // Another process was faster.
            events = storage.load(0)?;
        }
        check_same(&config, &settings(&events, &*storage)?, &*storage)?;
        Study::new(config, storage, events)
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

    /// Refuses other settings than those that the study was made with, by name.
    pub fn check_made_with(&self, config: &Config) -> Result<()> {
        check_same(config, &self.config, &*self.storage)
    }

    fn resume(mut storage: Box<dyn Storage>) -> Result<Self> {
        let events = storage.load(0)?;
        Study::new(settings(&events, &*storage)?, storage, events)
    }

    fn new(config: Config, storage: Box<dyn Storage>, events: Vec<Event>) -> Result<Self> {
        let (table, history) = (Observations::new(&config), History::default());
        let mut study = Study { config, storage, history, table, models: None };
        study.apply(events)?;
        Ok(study)
    }
}

/// The settings that a study was created with.
fn settings(events: &[Event], storage: &dyn Storage) -> Result<Config> {
    let Some(Event::Created { settings }) = events.first() else {
        return Err(refused(storage, "is empty", "give the path of a study, or another path to create one"));
    };
    let config: Config = from_json("the settings in the study's file", settings)?;
    config.check()?;
    Ok(config)
}

fn created(config: &Config) -> Result<Event> {
    Ok(Event::Created { settings: to_json(config)? })
}

pub(super) fn refused(storage: &dyn Storage, cause: &str, remedy: &str) -> Error {
    Error::Storage { path: storage.name(), cause: cause.into(), remedy: remedy.into() }
}

fn check_same(ours: &Config, stored: &Config, storage: &dyn Storage) -> Result<()> {
    if ours == stored {
        return Ok(());
    }
    match differing(&to_json(ours)?, &to_json(stored)?)? {
        None => Ok(()),
        Some(field) => Err(Error::Unsupported {
            what: format!("the study in {} has another setting of '{field}'", storage.name()),
            remedy: "open it with the settings it was made with, or create another study".into(),
        }),
    }
}
