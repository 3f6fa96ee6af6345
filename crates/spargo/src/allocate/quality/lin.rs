//! The outcome above the worst one, q_i = y_i − min y: for outcomes without noise.

use super::lowest;
use crate::data::PosteriorAtData;

/// q_LIN.
pub(super) fn above_worst(posterior: &PosteriorAtData) -> Vec<f64> {
    let worst = lowest(posterior.y());
    posterior.y().iter().map(|y| (y - worst).max(0.0)).collect()
}
