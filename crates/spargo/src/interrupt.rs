//! Long calls can be ended from outside: the program around the library raises a flag, the library looks at it wherever it
//! works for long.
//!
//! Code that sees the flag may leave its work half done, as all code up to the caller will see it, too: a flag is never lowered.
//! Every call that ends so says [`Error::Interrupted`], and a study is as it was before.

use crate::error::{Error, Result};
use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A wish that calls end, to be raised by any thread.
#[derive(Debug, Clone, Default)]
pub struct Flag(Arc<AtomicBool>);

impl Flag {
    /// A flag that is down.
    pub fn new() -> Self {
        Flag::default()
    }

    /// Ends the calls that look at it.
    pub fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether calls are to end.
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Refuses to go on if it is raised.
    pub fn check(&self) -> Result<()> {
        if self.is_raised() { Err(Error::Interrupted) } else { Ok(()) }
    }
}

thread_local! {
    static CURRENT: RefCell<Option<Flag>> = const { RefCell::new(None) };
}

/// Does some work, in which this thread looks at this flag.
pub fn until<T>(flag: &Flag, work: impl FnOnce() -> T) -> T {
    let _restore = Restore(CURRENT.replace(Some(flag.clone())));
    work()
}

/// The flag that this thread looks at, to be taken along to others; one that is never raised if there is none.
pub fn current() -> Flag {
    CURRENT.with_borrow(|flag| flag.clone()).unwrap_or_default()
}

/// Refuses to go on if the flag of this thread is raised.
pub fn poll() -> Result<()> {
    CURRENT.with_borrow(|flag| flag.as_ref().map_or(Ok(()), Flag::check))
}

struct Restore(Option<Flag>);

impl Drop for Restore {
    fn drop(&mut self) {
        CURRENT.set(self.0.take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_seen_within_their_scope_only() {
        let (outer, inner) = (Flag::new(), Flag::new());
        until(&outer, || {
            assert_eq!(poll(), Ok(()));
            outer.raise();
            assert_eq!(poll(), Err(Error::Interrupted));
            until(&inner, || assert_eq!(poll(), Ok(())));
            assert_eq!(poll(), Err(Error::Interrupted));
            let taken_along = current();
            std::thread::spawn(move || assert!(poll().is_ok() && taken_along.is_raised())).join().unwrap();
        });
        assert!(poll().is_ok() && !current().is_raised());
    }

    #[test]
    fn a_panic_restores_what_was_before() {
        let raised = Flag::new();
        raised.raise();
        let caught = std::panic::catch_unwind(|| until(&raised, || panic!("as it may")));
        assert!(caught.is_err());
        assert_eq!(poll(), Ok(()));
    }
}
