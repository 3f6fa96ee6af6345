//! Points by a hash of their bits: sets and maps of millions of points in a few bytes each.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use xxhash_rust::xxh3::xxh3_128;

/// Inputs of a point whose bits need no memory of their own.
const FEW_INPUTS: usize = 32;

/// A hash of the bits of a point, 128 of them: two of 10⁶ points share one with a probability of 10⁻²⁷.
pub(crate) type PointKey = (u64, u64);

/// Values by points.
pub(crate) type PointMap<V> = HashMap<PointKey, V, BuildHasherDefault<Hashed>>;

/// The hash of a point, by its bits: −0 and 0 differ.
pub(crate) fn point_key(point: impl ExactSizeIterator<Item = f64>) -> PointKey {
    let (mut few, mut many) = ([[0; 8]; FEW_INPUTS], Vec::new());
    let bytes = if point.len() <= FEW_INPUTS {
        &mut few[..point.len()]
    } else {
        many.resize(point.len(), [0; 8]);
        &mut many[..]
    };
    bytes.iter_mut().zip(point).for_each(|(bytes, v)| *bytes = v.to_bits().to_le_bytes());
    let hash = xxh3_128(bytes.as_flattened());
    (hash as u64, (hash >> 64) as u64)
}

/// Hashes keys that are hashes already.
#[derive(Debug, Default)]
pub(crate) struct Hashed(u64);

impl Hasher for Hashed {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.0 = self.0.rotate_left(8) ^ u64::from(byte));
    }

    fn write_u64(&mut self, half: u64) {
        self.0 ^= half;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_of_any_number_of_inputs_are_told_apart() {
        for inputs in [1, 6, FEW_INPUTS, FEW_INPUTS + 1, 300] {
            let point = |last: f64| point_key((0..inputs).map(|k| if k + 1 == inputs { last } else { 0.5 }));
            let keys = [0.0, -0.0, 1.0, 1.0 + f64::EPSILON].map(point);
            assert!((0..4).all(|i| (0..4).all(|j| (keys[i] == keys[j]) == (i == j))));
            assert_eq!(point(1.0), keys[2]);
        }
    }
}
