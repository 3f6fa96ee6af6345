//! Tests with a folder and processes of their own.
#![allow(dead_code)]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder of a test's own, gone when the test is.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("spargo-test-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        fs::create_dir(&path).unwrap();
        Folder(path)
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// How often a test repeats itself: `often` in `scripts/test long`, which sets SPARGO_LONG, `seldom` otherwise.
pub fn repeats(seldom: usize, often: usize) -> usize {
    if std::env::var_os("SPARGO_LONG").is_some() { often } else { seldom }
}

/// This program once more, as a process that runs the test `name` with `SPARGO_TEST_CHILD` set to `task`.
///
/// What it acknowledges comes line by line over its standard error, which the test harness leaves alone.
pub fn child(name: &str, task: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([name, "--exact", "--nocapture", "--test-threads=1"]);
    command.env("SPARGO_TEST_CHILD", task).stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

/// The task of this process, if it is a child.
pub fn task() -> Option<String> {
    std::env::var("SPARGO_TEST_CHILD").ok()
}

/// Says over the pipe, in one write, that something was committed.
pub fn acknowledge(line: &str) {
    use std::io::Write;
    std::io::stderr().write_all(format!("ack {line}\n").as_bytes()).unwrap();
}

/// The acknowledgements among a child's output; a line that was cut short is none.
pub fn acknowledged(output: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(output);
    let whole = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
    whole.filter_map(|line| line.trim_end().strip_prefix("ack ")).map(String::from).collect()
}
