//! Rows that other packages made on the same functions.

use super::{Comparison, KIND, noise};
use crate::error::{Error, Result};
use crate::rows::{Row, Rows};
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashMap;

/// What a peer's run depends on.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Peer {
    function: String,
    method: String,
    seed: u64,
    budget: usize,
    noise: f64,
    /// The package, its version, and how it is set.
    peer: Value,
}

/// How a run went, as far as peers tell it as well.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(super) struct Seen {
    /// Evaluations so far.
    pub evaluations: Vec<usize>,
    /// Regret of the point that is reported.
    pub regret: Vec<f64>,
    /// What peers say of their time.
    #[serde(default)]
    seconds: Vec<f64>,
    #[serde(default)]
    allocate_s: Vec<f64>,
    #[serde(default)]
    fit_s: Vec<f64>,
    #[serde(default)]
    acquire_s: Vec<f64>,
}

impl Comparison {
    /// Those of all peers on these problems with these seeds and this budget.
    pub(super) fn peers(&self, rows: &Rows) -> Result<Vec<Row>> {
        let mut peers = Vec::new();
        let mut known: HashMap<(String, String), (Value, Vec<usize>)> = HashMap::new();
        for row in rows.0.iter().filter(|row| row.kind == KIND) {
            let Some((peer, seen)) = row.read::<Peer, Seen>().filter(|(peer, seen)| self.wants(peer, seen)) else {
                continue;
            };
            let this = (peer.peer, seen.evaluations);
            let first = known.entry((peer.function, peer.method.clone())).or_insert_with(|| this.clone());
            let refuse = |what: String, remedy: &str| Err(Error::Unsupported { what, remedy: remedy.into() });
            if self.methods.iter().any(|method| method.name == peer.method) {
                let what = format!("a peer in this folder is called '{}', as settings are", peer.method);
                return refuse(what, "rename the file of settings");
            }
            if *first != this {
                let what = format!("two peers in this folder are called '{}': {} and {}", peer.method, first.0, this.0);
                return refuse(what, "keep the rows of one of them elsewhere");
            }
            peers.push(row.clone());
        }
        Ok(peers)
    }

    fn wants(&self, peer: &Peer, seen: &Seen) -> bool {
        let problem = self.problems.iter().find(|problem| problem.name() == peer.function);
        let whole = seen.evaluations.len() == seen.regret.len() && seen.evaluations.last() == Some(&self.budget);
        let seed = self.seeds.contains(&peer.seed);
        problem.is_some_and(|problem| noise(problem) == peer.noise) && peer.budget == self.budget && whole && seed
    }
}

impl Seen {
    /// Seconds of every step, evaluations not counted.
    pub fn seconds(&self) -> Vec<f64> {
        let parts = [&self.seconds, &self.allocate_s, &self.fit_s, &self.acquire_s];
        let of = |i: usize| parts.iter().filter_map(|part| part.get(i)).sum();
        (0..self.evaluations.len()).map(of).collect()
    }
}
