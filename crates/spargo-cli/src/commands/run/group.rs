//! The process group of a child: the child and all processes that it starts, unless they leave the group.

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};

/// A process group by the id of its first process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Group(Pid);

impl Group {
    /// Starts a program in a group of its own: a terminal's Ctrl-C does not reach it.
    pub fn spawn(command: &mut Command) -> io::Result<(Child, Group)> {
        let child = command.process_group(0).spawn()?;
        let group = Group(Pid::from_child(&child));
        Ok((child, group))
    }

    /// Kills all processes of the group.
    pub fn kill(self) {
        // Processes that have ended need not be killed.
        let _ = kill_process_group(self.0, Signal::KILL);
    }

    /// Waits until the first process has ended, without reaping it.
    pub fn wait(self) -> io::Result<()> {
        loop {
            match waitid(WaitId::Pid(self.0), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT) {
                Err(Errno::INTR) => {}
                ended => return ended.map(drop).map_err(io::Error::from),
            }
        }
    }
}
