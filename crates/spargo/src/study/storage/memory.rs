//! A log in memory, which ends with the process.

use super::packed::{pack, unpack};
use super::{Appended, Event, Storage};
use crate::error::Result;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Events of a study that lives as long as its process.
#[derive(Debug, Default)]
pub struct MemoryStorage {
    events: Arc<Mutex<Vec<Kept>>>,
}

/// An event as it is kept: a million trials take a fifth of the memory when they are packed.
#[derive(Debug)]
enum Kept {
    Packed(Box<[u8]>),
    Whole(Box<Event>),
}

impl Kept {
    fn new(event: &Event) -> Self {
        // The state of an ask is taken away by the next one.
        let bytes = if matches!(event, Event::Asked { .. }) { None } else { pack(event) };
        bytes.map_or_else(|| Kept::Whole(Box::new(event.clone())), |bytes| Kept::Packed(bytes.into()))
    }

    fn event(&self) -> Option<Event> {
        match self {
            Kept::Packed(bytes) => unpack(bytes),
            Kept::Whole(event) => Some(Event::clone(event)),
        }
    }

    fn drop_state(&mut self) -> bool {
        match self {
            Kept::Whole(event) => match &mut **event {
                Event::Asked { state, .. } => state.take().is_some(),
                _ => false,
            },
            Kept::Packed(_) => false,
        }
    }
}

impl MemoryStorage {
    /// A log that begins with these events.
    pub fn new(events: Vec<Event>) -> Self {
        MemoryStorage { events: Arc::new(Mutex::new(events.iter().map(Kept::new).collect())) }
    }

    fn events(&self) -> MutexGuard<'_, Vec<Kept>> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Storage for MemoryStorage {
    fn name(&self) -> String {
        "in memory".into()
    }

    fn load(&mut self, position: u64) -> Result<Vec<Event>> {
        self.load_some(position, usize::MAX)
    }

    fn load_some(&mut self, position: u64, count: usize) -> Result<Vec<Event>> {
        let log = self.events();
        let after = log.get(position as usize..).unwrap_or_default();
        Ok(after.iter().take(count).filter_map(Kept::event).collect())
    }

    fn append(&mut self, position: u64, events: &[Event]) -> Result<Appended> {
        let mut log = self.events();
        if position != log.len() as u64 {
            return Ok(Appended::Conflict);
        }
        if events.iter().any(|event| matches!(event, Event::Asked { state: Some(_), .. })) {
            log.iter_mut().rev().any(Kept::drop_state);
        }
        log.extend(events.iter().map(Kept::new));
        Ok(Appended::Done)
    }

    fn another(&self) -> Result<Option<Box<dyn Storage>>> {
        Ok(Some(Box::new(MemoryStorage { events: self.events.clone() })))
    }
}
