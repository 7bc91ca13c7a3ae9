//! Options of what helps with the command line itself.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use clap_complete::Shell;

#[derive(ClapArgs)]
#[command(after_long_help = "\
Examples:
  ringleader completions bash > ~/.local/share/bash-completion/completions/ringleader
  ringleader completions zsh > ~/.zfunc/_ringleader
  ringleader completions fish > ~/.config/fish/completions/ringleader.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell
    pub(crate) shell: Shell,
}

#[derive(ClapArgs)]
#[command(after_long_help = "\
Examples:
  ringleader man | man -l -
  ringleader man sweep | man -l -
  ringleader man --out ~/.local/share/man/man1")]
pub(crate) struct ManArgs {
    /// The command; ringleader itself if none is named
    #[arg(value_name = "COMMAND")]
    pub(crate) command: Option<String>,
    /// Write all pages into this folder, which is made if need be
    #[arg(long, short, value_name = "FOLDER", conflicts_with = "command")]
    pub(crate) out: Option<PathBuf>,
}
