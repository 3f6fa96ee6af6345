//! A simulator whose disk is full: the run ends, nothing that it went on from is lost, and the next run goes on.

use crate::folder::{Folder, Said, said};
use std::path::PathBuf;
use std::process::Command;

/// Trials in all: their log does not fit on the disk.
const BUDGET: u64 = 60;

const STUDY: &str = "\
name = 'simulated'
initial = 8
batch = 4
[objectives]
y = { goal = 'max' }
[space]
x = { real = [0, 1] }
";

/// A disk of 256 kB in place of a folder, until it is dropped.
struct SmallDisk {
    folder: PathBuf,
}

impl SmallDisk {
    /// Mounts the disk, with the files of the folder; `None` where that is not allowed.
    fn mount(folder: &Folder) -> Option<Self> {
        let files = ["study.toml", "sim.sh"].map(|name| (name, folder.read(name)));
        let disk = SmallDisk { folder: folder.path("") };
        disk.command("mount", &["-t", "tmpfs", "-o", "size=256k", "tmpfs"]).then(|| {
            files.iter().for_each(|(name, text)| folder.write(name, text));
            disk
        })
    }

    fn make_room(&self) {
        assert!(self.command("mount", &["-o", "remount,size=20m"]));
    }

    fn command(&self, name: &str, words: &[&str]) -> bool {
        let done = Command::new(name).args(words).arg(&self.folder).output();
        done.is_ok_and(|done| done.status.success())
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        self.command("umount", &[]);
    }
}

/// A run whose files may not grow beyond a limit, instead of which it would be killed by default.
fn run_limited(folder: &Folder) -> Said {
    let script = "trap '' XFSZ; ulimit -f 200; exec \"$0\" run study.toml";
    let mut command = Command::new("sh");
    command.args(["-c", script, env!("CARGO_BIN_EXE_spargo")]).current_dir(folder.path(""));
    said(command.output().unwrap())
}

/// The trials that a complaint names as not kept.
fn not_kept(complaint: &str) -> Vec<u64> {
    let (_, list) = complaint.split_once("not kept: ").unwrap_or_default();
    let words: Vec<&str> = list.split_whitespace().collect();
    words
        .windows(2)
        .filter(|pair| pair[0] == "trial")
        .map(|pair| pair[1].trim_end_matches(':').parse().unwrap())
        .collect()
}

#[test]
fn a_full_disk_ends_a_run_and_the_next_one_goes_on() {
    for way in ["disk", "limit"] {
        // What was evaluated is written down where there is room.
        let elsewhere = tempfile::tempdir().unwrap();
        let log = elsewhere.path().join("calls");
        let script = format!("echo $1 >> '{}'; sleep 0.05; echo $2", log.display());
        let folder = Folder::new(STUDY, "{trial} {x}", &format!("budget = {BUDGET}\nparallel = 4"), &script);
        let calls = || -> Vec<u64> {
            std::fs::read_to_string(&log).unwrap().lines().map(|trial| trial.parse().unwrap()).collect()
        };
        let disk = (way == "disk").then(|| SmallDisk::mount(&folder)).flatten();
        let (ended, words) = match (&disk, way) {
            (Some(_), _) => (folder.spargo(&["run", "study.toml"]), "does not fit on the disk"),
            (None, "limit") => (run_limited(&folder), "check the disk"),
            (None, _) => {
                println!("skipped: a disk cannot be mounted");
                continue;
            }
        };
        assert!(ended.code == Some(1) && ended.stderr.contains(words), "{way}: {ended:?}");
        let (first, mut lost) = (calls(), not_kept(&ended.stderr));
        assert!(first.len() > 4 && (first.len() as u64) < BUDGET, "{way}: {first:?} {ended:?}");

        // Every outcome is in the study or named, those of evaluations that ran when the disk was full among them.
        let rows = folder.export();
        let is_done = |trial: &u64| rows[*trial as usize - 1][3] == "done";
        let mut repeated: Vec<u64> = first.iter().copied().filter(|trial| !is_done(trial)).collect();
        repeated.sort_unstable();
        lost.sort_unstable();
        assert_eq!(repeated, lost, "{way}: {ended:?}");
        if let Some(disk) = &disk {
            disk.make_room();
        }
        assert!(folder.done(&["run", "study.toml"]).contains(&format!("{BUDGET} trials, {BUDGET} observed")), "{way}");
        let mut again: Vec<u64> =
            calls()[first.len()..].iter().copied().filter(|trial| first.contains(trial)).collect();
        again.sort_unstable();
        assert_eq!(again, repeated, "{way}: what was kept is not evaluated again");
    }
}
