//! Supervision of child processes: each is killed at its timeout, and all of them when the run stops.
//!
//! A child is listed from its start until it has ended but is not yet reaped. Its process id cannot be reused in the
//! meantime, so a kill never hits another process.

use super::group::Group;
use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Why a child was killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Killed {
    Overdue,
    Stopped,
}

/// The running children, with a thread that watches the clock until the process ends.
#[derive(Default)]
pub struct Supervisor {
    list: Mutex<List>,
    changed: Condvar,
}

#[derive(Default)]
struct List {
    children: HashMap<Group, Child>,
    stopped: bool,
    /// Whether no child is to be started any more; those that run go on.
    closed: bool,
}

struct Child {
    deadline: Option<Instant>,
    killed: Option<Killed>,
}

impl Supervisor {
    pub fn start() -> Arc<Self> {
        let supervisor = Arc::new(Supervisor::default());
        let clock = supervisor.clone();
        thread::spawn(move || clock.watch());
        supervisor
    }

    /// Adds a child that has just been started.
    pub fn add(&self, group: Group, timeout: Option<Duration>) {
        let mut list = self.lock();
        let mut child = Child { deadline: timeout.map(|timeout| Instant::now() + timeout), killed: None };
        if list.stopped {
            child.kill(group, Killed::Stopped);
        }
        list.children.insert(group, child);
        self.changed.notify_all();
    }

    /// Removes a child that has ended; says whether it was killed.
    pub fn remove(&self, group: Group) -> Option<Killed> {
        self.lock().children.remove(&group)?.killed
    }

    /// Kills all children, and those that are added later.
    pub fn stop(&self) {
        let mut list = self.lock();
        list.stopped = true;
        list.children.iter_mut().for_each(|(group, child)| child.kill(*group, Killed::Stopped));
        self.changed.notify_all();
    }

    /// Whether the run is stopped by now, or will be within this time.
    pub fn stops_within(&self, patience: Duration) -> bool {
        let waited = self.changed.wait_timeout_while(self.lock(), patience, |list| !list.stopped);
        waited.unwrap_or_else(PoisonError::into_inner).0.stopped
    }

    /// Lets no further child be started; those that run go on.
    pub fn close(&self) {
        self.lock().closed = true;
    }

    /// Whether a child may be started.
    pub fn is_open(&self) -> bool {
        let list = self.lock();
        !(list.stopped || list.closed)
    }

    pub fn stopped(&self) -> bool {
        self.lock().stopped
    }

    fn lock(&self) -> MutexGuard<'_, List> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Kills overdue children, for ever.
    fn watch(&self) {
        let mut list = self.lock();
        loop {
            let now = Instant::now();
            for (group, child) in &mut list.children {
                if child.deadline.is_some_and(|deadline| deadline <= now) {
                    child.kill(*group, Killed::Overdue);
                }
            }
            let waiting = list.children.values().filter(|child| child.killed.is_none());
            list = match waiting.filter_map(|child| child.deadline).min() {
                Some(next) => {
                    let timeout = next.saturating_duration_since(now);
                    self.changed.wait_timeout(list, timeout).unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.changed.wait(list).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }
}

impl Child {
    fn kill(&mut self, group: Group, why: Killed) {
        if self.killed.is_none() {
            self.killed = Some(why);
            group.kill();
        }
    }
}
