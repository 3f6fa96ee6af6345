//! The end of a child's output, which may be endless.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// How often a reader looks whether the child has ended, in nanoseconds: a process that has left the child's group may hold
/// the pipe open for ever, and then nothing else tells.
const LOOK: i64 = 200_000_000;

/// How long such a process is read after the child has ended, if it goes on writing.
const GRACE: Duration = Duration::from_millis(200);

/// The last bytes of a pipe, read by a thread of its own.
pub struct Tail {
    reader: JoinHandle<Vec<u8>>,
    ended: Arc<AtomicBool>,
}

impl Tail {
    /// Keeps the last `limit` bytes.
    pub fn of(pipe: impl Read + AsFd + Send + 'static, limit: usize) -> io::Result<Self> {
        let ended = Arc::new(AtomicBool::new(false));
        let theirs = ended.clone();
        let reader = thread::Builder::new().spawn(move || read(pipe, &theirs, limit))?;
        Ok(Tail { reader, ended })
    }

    /// Says that the child has ended: what it has written is in the pipe by now.
    pub fn end(&self) {
        self.ended.store(true, Ordering::Release);
    }

    /// The bytes that were kept, once the child has ended; our end of the pipe is then closed.
    pub fn finish(self) -> Vec<u8> {
        self.end();
        self.reader.join().unwrap_or_default()
    }
}

fn read(mut pipe: impl Read + AsFd, ended: &AtomicBool, limit: usize) -> Vec<u8> {
    let (mut kept, mut chunk, mut deadline) = (Vec::new(), vec![0; 1 << 13], None);
    loop {
        // Before the pipe is found empty: what the child has written is in it.
        let is_over = ended.load(Ordering::Acquire);
        let deadline = is_over.then(|| *deadline.get_or_insert_with(|| Instant::now() + GRACE));
        if !is_readable(&pipe, is_over) {
            if is_over {
                break;
            }
            continue;
        }
        match pipe.read(&mut chunk) {
            Ok(0) => break,
            Ok(length) => {
                kept.extend_from_slice(&chunk[..length]);
                // Rarely, so that no byte is moved more than once.
                if kept.len() > 2 * limit {
                    kept.drain(..kept.len() - limit);
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => break,
        }
        if deadline.is_some_and(|deadline| deadline < Instant::now()) {
            break;
        }
    }
    kept.drain(..kept.len().saturating_sub(limit));
    kept
}

/// Waits until there is something to be read, or an end, or it is time to look; at once if the child has ended.
fn is_readable(pipe: &impl AsFd, at_once: bool) -> bool {
    let wait = Timespec { tv_sec: 0, tv_nsec: if at_once { 0 } else { LOOK } };
    match poll(&mut [PollFd::new(pipe, PollFlags::IN)], Some(&wait)) {
        Ok(ready) => ready > 0,
        Err(Errno::INTR) => false,
        // The read tells what is wrong.
        Err(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn the_last_bytes_are_kept() {
        let bytes: Vec<u8> = (0..100_000_u32).map(|i| (i % 251) as u8).collect();
        for limit in [0, 1, 1000, 50_000, 100_000, 1_000_000] {
            let (reader, mut writer) = io::pipe().unwrap();
            let tail = Tail::of(reader, limit).unwrap();
            writer.write_all(&bytes).unwrap();
            drop(writer);
            assert_eq!(tail.finish(), bytes[bytes.len().saturating_sub(limit)..], "{limit}");
        }
    }

    #[test]
    fn a_pipe_that_stays_open_is_read_to_where_it_is_and_closed() {
        for endless in [false, true] {
            let (reader, mut writer) = io::pipe().unwrap();
            let tail = Tail::of(reader, 1000).unwrap();
            writer.write_all(b"71.3\n").unwrap();
            let other = endless.then(|| {
                let mut writer = writer.try_clone().unwrap();
                thread::spawn(move || while writer.write_all(b"71.3\n").is_ok() {})
            });
            let started = Instant::now();
            assert!(tail.finish().ends_with(b"71.3\n") || endless);
            assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
            assert_eq!(writer.write_all(b"more").unwrap_err().kind(), io::ErrorKind::BrokenPipe);
            if let Some(other) = other {
                other.join().unwrap();
            }
        }
    }
}
