//! The end of a child's output, which may be endless.

use std::io::{self, Read};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// How long to wait for the rest of a pipe whose writer has ended.
const GRACE: Duration = Duration::from_secs(2);

/// The last bytes of a pipe, read by a thread of its own.
pub struct Tail {
    kept: Arc<Mutex<Vec<u8>>>,
    ended: Receiver<()>,
    limit: usize,
}

impl Tail {
    /// Keeps the last `limit` bytes.
    pub fn of(pipe: impl Read + Send + 'static, limit: usize) -> io::Result<Self> {
        let (kept, (end, ended)) = (Arc::new(Mutex::new(Vec::new())), mpsc::channel());
        let theirs = kept.clone();
        thread::Builder::new().spawn(move || {
            read(pipe, &theirs, limit);
            // The receiver may have stopped waiting.
            let _ = end.send(());
        })?;
        Ok(Tail { kept, ended, limit })
    }

    /// The bytes that were kept, once the child has ended.
    pub fn finish(self) -> Vec<u8> {
        // A process that has left the group may hold the pipe open for ever.
        let _ = self.ended.recv_timeout(GRACE);
        let mut kept = std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner));
        kept.drain(..kept.len().saturating_sub(self.limit));
        kept
    }
}

fn read(mut pipe: impl Read, kept: &Mutex<Vec<u8>>, limit: usize) {
    let mut chunk = vec![0; 1 << 13];
    loop {
        match pipe.read(&mut chunk) {
            Ok(0) => return,
            Ok(length) => {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                kept.extend_from_slice(&chunk[..length]);
                // Rarely, so that no byte is moved more than once.
                if kept.len() > 2 * limit {
                    let surplus = kept.len() - limit;
                    kept.drain(..surplus);
                }
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_bytes_are_kept() {
        let bytes: Vec<u8> = (0..100_000_u32).map(|i| (i % 251) as u8).collect();
        for limit in [0, 1, 1000, 50_000, 100_000, 1_000_000] {
            let kept = Tail::of(std::io::Cursor::new(bytes.clone()), limit).unwrap().finish();
            assert_eq!(kept, bytes[bytes.len().saturating_sub(limit)..], "{limit}");
        }
    }
}
