//! `spargo completions`: completion scripts of shells.

use super::Cli;
use crate::io::output::print::print_data;
use clap::{Args, CommandFactory};
use clap_complete::Shell;
use miette::Result;

/// Arguments of `spargo completions`.
#[derive(Args)]
#[command(after_help = "\
Examples:
  spargo completions bash > ~/.local/share/bash-completion/completions/spargo
  spargo completions zsh > ~/.zfunc/_spargo
  spargo completions fish > ~/.config/fish/completions/spargo.fish")]
pub struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    pub fn run(self) -> Result<()> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "spargo", &mut script);
        print_data(&String::from_utf8_lossy(&script))
    }
}
