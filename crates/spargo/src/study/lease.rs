//! Leases: of several threads and processes that share a study, one fits and one draws, for all of them.
//!
//! ```text
//!     lease = (work, process, until):     others neither fit nor draw until it has asked, or the lease has run out
//! ```
//!
//! A lease saves work and protects nothing: two that fit at once do no harm. One that was killed delays the next fit, but not
//! on its own host, where it is seen to be gone.

use super::storage::{Appended, Event, Work, milliseconds};
use super::{Refit, Study};
use crate::error::Result;
use crate::interrupt;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::Path;
use std::time::Duration;

/// Milliseconds that a lease lasts at least: more than most fits and draws take.
const LEAST: u64 = 20_000;

/// Milliseconds that a lease lasts longer per trial.
const PER_TRIAL: f64 = 0.2;

/// Attempts to take a lease, or to give it back, while others tell.
const TRIES: usize = 20;

/// Pauses between two looks at a study whose next points another process is choosing, in milliseconds.
const PAUSES: (u64, u64) = (1, 20);

/// The name by which a process asks and holds leases: host, process, a random number, as one process may open a study twice, and
/// a number of the place in which process numbers count.
pub(super) fn name() -> String {
    // Seeded at random by the operating system.
    let number = RandomState::new().build_hasher().finish() >> 40;
    format!("{}:{}:{number:06x}{}", host(), std::process::id(), place())
}

/// A number of the kernel that runs and of its namespace of processes: containers may share the name of a host, but not the
/// numbers of its processes. Empty where that is not known.
fn place() -> String {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id");
    let Some((boot, namespace)) = boot.ok().zip(std::fs::read_link("/proc/self/ns/pid").ok()) else {
        return String::new();
    };
    format!("-{:08x}", hash(&format!("{boot}{}", namespace.display())))
}

/// A hash that is the same for all processes.
pub(super) fn hash(text: &str) -> u32 {
    text.bytes().fold(0, |hash: u32, byte| hash.wrapping_mul(16_777_619) ^ u32::from(byte))
}

fn host() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").ok().or_else(|| std::env::var("HOSTNAME").ok());
    host.map_or_else(String::new, |host| host.trim().chars().take(64).collect())
}

/// Whether the process with this name was in this place and is gone: what cannot be known is taken to be there.
pub(super) fn is_gone(name: &str) -> bool {
    let mut parts = name.rsplitn(3, ':');
    let (Some(number), Some(process), Some(its)) = (parts.next(), parts.next(), parts.next()) else { return false };
    let place = place();
    // Only where processes are listed.
    let is_listed = |process: &str| Path::new("/proc").join(process).join("stat").exists();
    let is_here = !its.is_empty() && its == host() && !place.is_empty() && number.ends_with(&place);
    is_here && is_listed("self") && !is_listed(process)
}

impl Study {
    /// By which models this process may choose points now, and whether it has a lease for it; `None` if another one is choosing
    /// them, or has asked meanwhile.
    pub(super) fn turn(&mut self, refit: Refit, is_design: bool) -> Result<Option<(Refit, bool)>> {
        if refit == Refit::Always || is_design {
            return Ok(Some((refit, false)));
        }
        let (usable, tells) = (self.last_usable()?, self.history.tells());
        let is_outdated = usable.is_none_or(|seen| !refit.allows(tells - seen));
        let work = if is_outdated && !self.is_leased(Work::Fit) { Work::Fit } else { Work::Draw };
        let must_wait = work == Work::Draw && usable.is_none() || self.is_leased(work);
        if must_wait || !self.lease(work)? {
            return Ok(None);
        }
        Ok(Some((if work == Work::Fit { Refit::Always } else { Refit::Never }, true)))
    }

    /// Whether another process is doing this work.
    pub(super) fn is_leased(&self, work: Work) -> bool {
        let now = milliseconds();
        let mut others = self.history.leases().iter().filter(|lease| lease.work == work && lease.by != self.by);
        // A clock that is ahead must not make others wait for longer than a lease lasts.
        let latest = now.saturating_add(2 * self.lease_lasts());
        others.any(|lease| (now..latest).contains(&lease.until) && !is_gone(&lease.by))
    }

    /// Milliseconds that a lease of this study lasts.
    fn lease_lasts(&self) -> u64 {
        LEAST + (PER_TRIAL * self.history.records().len() as f64) as u64
    }

    /// Takes a lease; `false` if others have one, or have asked, meanwhile.
    fn lease(&mut self, work: Work) -> Result<bool> {
        for _ in 0..TRIES {
            let event = [Event::Leased { work, by: self.by.clone(), until: milliseconds() + self.lease_lasts() }];
            let Some(news) = self.try_append(&event)? else { return self.apply(event.into()).map(|()| true) };
            let is_overtaken = news.iter().any(|one| matches!(one, Event::Leased { .. }) || one.outdates_batches());
            self.apply(news)?;
            if is_overtaken {
                break;
            }
        }
        Ok(false)
    }

    /// Gives back all leases, also if this thread is to end its work. What keeps it from that is said by the next call, and leases
    /// run out.
    pub(super) fn release(&mut self) {
        for _ in 0..TRIES {
            let Some(work) = self.history.leases().iter().find(|lease| lease.by == self.by).map(|lease| lease.work)
            else {
                return;
            };
            let event = [Event::Leased { work, by: String::new(), until: 0 }];
            let released = match self.storage.append(self.history.position(), &event) {
                Ok(Appended::Done) => self.apply(event.into()),
                Ok(Appended::Conflict) => self.refresh(),
                Err(error) => Err(error),
            };
            if released.is_err() {
                return;
            }
        }
    }
}

/// Longer and longer pauses.
#[derive(Debug, Default)]
pub(super) struct Pauses(u64);

impl Pauses {
    /// Waits for a moment, unless this thread is to end its work.
    pub fn wait(&mut self) -> Result<()> {
        interrupt::poll()?;
        self.0 = (2 * self.0).clamp(PAUSES.0, PAUSES.1);
        std::thread::sleep(Duration::from_millis(self.0));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_process_of_this_host_can_be_known_to_be_gone() {
        let name = name();
        let elsewhere = format!("not-{name}");
        // Process numbers end far below it.
        let gone = format!("{}:4194999:abcdef{}", host(), place());
        let in_a_container = format!("{}:4194999:abcdef-{:08x}", host(), !hash(&place()));
        let expected = [
            (&*name, false),
            (&*elsewhere, false),
            ("another", false),
            (&*in_a_container, false),
            (gone.trim_end_matches(&place()), false),
            (&*gone, true),
        ];
        for (name, is) in expected.into_iter().filter(|_| Path::new("/proc/self/stat").exists()) {
            assert_eq!(is_gone(name), is, "{name}");
        }
    }
}
