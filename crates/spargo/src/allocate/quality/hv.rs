//! The dominated volume of several objectives (the paper's q_HV).
//!
//! ```text
//!     q_HV(x) = Π_k u_k(x),     u_k(x) = E max(f_k(x) − f̂_k, 0) in units of its largest value,   f̂_k = min μ_k
//! ```

use super::{Improvement, front::rows, highest};
use crate::data::PosteriorAtData;

/// q_HV.
pub(super) fn hypervolume(outputs: &[PosteriorAtData]) -> Vec<f64> {
    let columns: Vec<Vec<f64>> = outputs.iter().map(improvement).collect();
    rows(&columns).iter().map(|u| u.iter().product()).collect()
}

/// u_k.
fn improvement(posterior: &PosteriorAtData) -> Vec<f64> {
    let gains = Improvement::default().expected(posterior);
    let largest = highest(&gains);
    gains.iter().map(|gain| if largest > 0.0 { gain / largest } else { 0.0 }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_product_of_improvements_over_the_worst() {
        let columns = [[4.0, 3.0, 0.0, 2.0, 2.0, 0.0, 4.0], [0.0, 3.0, 4.0, 2.0, 0.0, 0.0, -3.0]];
        let outputs = columns.map(|y| PosteriorAtData::exact(y.to_vec()).unwrap());
        // From the worst of each, (0, −3), in units of the largest.
        let volume = [12.0, 18.0, 0.0, 10.0, 6.0, 0.0, 0.0].map(|v| v / 28.0);
        let found = hypervolume(&outputs);
        assert!(found.iter().zip(&volume).all(|(a, b)| (a - b).abs() < 1e-15), "{found:?} {volume:?}");
    }
}
