//! A log in memory, which ends with the process.

use super::{Appended, Event, Storage};
use crate::error::Result;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Events of a study that lives as long as its process.
#[derive(Debug, Default)]
pub struct MemoryStorage {
    events: Arc<Mutex<Vec<Event>>>,
}

impl MemoryStorage {
    /// A log that begins with these events.
    pub fn new(events: Vec<Event>) -> Self {
        MemoryStorage { events: Arc::new(Mutex::new(events)) }
    }

    fn events(&self) -> MutexGuard<'_, Vec<Event>> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Storage for MemoryStorage {
    fn name(&self) -> String {
        "in memory".into()
    }

    fn load(&mut self, position: u64) -> Result<Vec<Event>> {
        Ok(self.events().get(position as usize..).unwrap_or_default().to_vec())
    }

    fn append(&mut self, position: u64, events: &[Event]) -> Result<Appended> {
        let mut log = self.events();
        if position != log.len() as u64 {
            return Ok(Appended::Conflict);
        }
        if events.iter().any(|event| matches!(event, Event::Asked { state: Some(_), .. })) {
            let mut states = log.iter_mut().rev().filter_map(|event| match event {
                Event::Asked { state: state @ Some(_), .. } => Some(state),
                _ => None,
            });
            states.next().map(Option::take);
        }
        log.extend_from_slice(events);
        Ok(Appended::Done)
    }

    fn another(&self) -> Result<Option<Box<dyn Storage>>> {
        Ok(Some(Box::new(MemoryStorage { events: self.events.clone() })))
    }
}
