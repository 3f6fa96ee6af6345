//! `spargo run` and the commands beside it, with real programs in real processes.

#[path = "../common/mod.rs"]
mod common;

mod asynchronous;
mod corrections;
mod desk;
mod files;
mod folder;
mod formulation;
mod full_disk;
mod loops;
mod machine;
mod manual;
mod outcomes;
mod streams;
mod summaries;
mod survival;
mod tables;
mod terminal;
