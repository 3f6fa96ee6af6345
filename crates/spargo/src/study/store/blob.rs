//! Points and numbers as bytes: exact to the bit, and read back several times faster than text (benches/store.rs).
//!
//! ```text
//!     point    (tag, word)*     i: an i64      r: an f64      c: the length of the UTF-8 that follows
//!     numbers  f64*             noise variances: NaN where unknown
//! ```
//!
//! Words are 8 bytes, little-endian.

use crate::space::{Point, Value};

/// A point as bytes.
pub(super) fn from_point(point: &[Value]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(9 * point.len());
    for value in point {
        let (tag, word, text) = match value {
            Value::Int(int) => (b'i', int.to_le_bytes(), ""),
            Value::Real(real) => (b'r', real.to_le_bytes(), ""),
            Value::Choice(text) => (b'c', (text.len() as u64).to_le_bytes(), text.as_str()),
        };
        bytes.push(tag);
        bytes.extend(word);
        bytes.extend(text.as_bytes());
    }
    bytes
}

/// The point that was written; `None` if these bytes are none.
pub(super) fn to_point(mut bytes: &[u8]) -> Option<Point> {
    let mut point = Vec::with_capacity(bytes.len() / 9);
    while let Some((tag, rest)) = bytes.split_first() {
        let (&word, mut rest) = rest.split_first_chunk()?;
        point.push(match tag {
            b'i' => Value::Int(i64::from_le_bytes(word)),
            b'r' => Value::Real(f64::from_le_bytes(word)),
            b'c' => {
                let (text, after) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(word)).ok()?)?;
                rest = after;
                Value::Choice(std::str::from_utf8(text).ok()?.to_string())
            }
            _ => return None,
        });
        bytes = rest;
    }
    Some(point)
}

/// Numbers as bytes.
pub(super) fn from_numbers(numbers: &[f64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// The numbers that were written; `None` if these bytes are none.
pub(super) fn to_numbers(bytes: &[u8]) -> Option<Vec<f64>> {
    let (words, rest) = bytes.as_chunks();
    rest.is_empty().then(|| words.iter().map(|&word| f64::from_le_bytes(word)).collect())
}

/// Noise variances, which are never NaN, as bytes.
pub(super) fn from_noise(noise: &[Option<f64>]) -> Vec<u8> {
    noise.iter().flat_map(|variance| variance.unwrap_or(f64::NAN).to_le_bytes()).collect()
}

/// The noise variances that were written; `None` if these bytes are none.
pub(super) fn to_noise(bytes: &[u8]) -> Option<Vec<Option<f64>>> {
    Some(to_numbers(bytes)?.into_iter().map(|variance| (!variance.is_nan()).then_some(variance)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::vec;
    use proptest::prelude::*;

    fn value() -> impl Strategy<Value = Value> {
        prop_oneof![
            any::<i64>().prop_map(Value::Int),
            // Every bit pattern: signed zeros, subnormals, infinities and NaN among them.
            any::<u64>().prop_map(|bits| Value::Real(f64::from_bits(bits))),
            Just(Value::Real(-0.0)),
            ".{0,12}".prop_map(Value::Choice),
            Just(Value::Choice("\0'\";--\u{1F980}".into())),
        ]
    }

    /// Equality to the bit, which `==` is not.
    fn bits(point: &[Value]) -> Vec<String> {
        let word = |value: &Value| match value {
            Value::Real(real) => format!("{:x}", real.to_bits()),
            other => format!("{other:?}"),
        };
        point.iter().map(word).collect()
    }

    proptest! {
        #[test]
        fn points_come_back_to_the_bit(point in vec(value(), 0..8)) {
            prop_assert_eq!(bits(&to_point(&from_point(&point)).unwrap()), bits(&point));
        }

        #[test]
        fn bytes_that_are_no_point_are_refused_or_read(bytes in vec(any::<u8>(), 0..40)) {
            // Never a panic or a huge allocation; what is read is what would have been written.
            if let Some(point) = to_point(&bytes) {
                prop_assert_eq!(from_point(&point), bytes);
            }
        }

        #[test]
        fn numbers_come_back_to_the_bit(numbers in vec(any::<u64>().prop_map(f64::from_bits), 0..5)) {
            let back = to_numbers(&from_numbers(&numbers)).unwrap();
            let bits = |numbers: &[f64]| numbers.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            prop_assert_eq!(bits(&back), bits(&numbers));
        }
    }

    #[test]
    fn a_cut_is_noticed() {
        let point = [Value::Int(3), Value::Choice("word".into()), Value::Real(0.5)];
        let bytes = from_point(&point);
        let whole: Vec<usize> = (0..=bytes.len()).filter(|&end| to_point(&bytes[..end]).is_some()).collect();
        assert_eq!(whole, [0, 9, 22, 31]);
        assert_eq!(to_numbers(&[0; 12]), None);
    }

    #[test]
    fn unknown_noise_stays_unknown() {
        let noise = [Some(0.5), None, Some(f64::MIN_POSITIVE)];
        assert_eq!(to_noise(&from_noise(&noise)).unwrap(), noise);
    }
}
