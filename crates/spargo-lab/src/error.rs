//! What can go wrong between a job and its figure.

use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Everything that ends a reproduction.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The engine refuses.
    #[error(transparent)]
    Engine(#[from] spargo::Error),

    /// A file or folder cannot be used.
    #[error("cannot {doing} {}: {source}", path.display())]
    File {
        /// What was tried.
        doing: &'static str,
        /// With what.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },

    /// A line of a results file is no row.
    #[error("{}, line {line}: {message}; remove the line, or keep the file out of the folder", path.display())]
    Row {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
        /// What is wrong.
        message: String,
    },

    /// A figure cannot be drawn.
    #[error("cannot draw {}: {message}", path.display())]
    Drawing {
        /// The drawing.
        path: PathBuf,
        /// Why not.
        message: String,
    },

    /// A program that evaluates a problem does not do what it should.
    #[error("the program `{command}` {message}")]
    Program {
        /// The program and its arguments.
        command: String,
        /// What it did.
        message: String,
    },

    /// Something that was asked for does not exist.
    #[error("{what}; {remedy}")]
    Unsupported {
        /// What.
        what: String,
        /// What to do about it.
        remedy: String,
    },
}

/// What this crate returns.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub(crate) fn file(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Error {
        move |source| Error::File { doing, path: path.to_path_buf(), source }
    }

    pub(crate) fn drawing(path: &Path, error: impl std::fmt::Display) -> Error {
        Error::Drawing { path: path.to_path_buf(), message: error.to_string() }
    }
}
