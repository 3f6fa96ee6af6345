//! Events in few bytes: numbers as they are in memory, not as text.
//!
//! ```text
//!     told   1  trial  outcome                     point    count  0  f64 …   or   count  1  (kind value) …
//!     added  2  point  row + 1  outcome?           outcome  count + 1  (kind value [variance] | kind text) …   or   0  text
//!     asked  3  count  point …  JSON of the rest   counts and numbers of trials take 7 bits per byte, the lowest first
//! ```
//!
//! Trials and outcomes are what a log has by the million; all other events are JSON. What was packed comes back to the last bit.

use super::Event;
use crate::space::{Point, Value};
use crate::study::{Measurement, Outcome};

/// First bytes, by which kinds of events are told apart.
const TOLD: u8 = 1;
const ADDED: u8 = 2;
const ASKED: u8 = 3;

/// Forms of a point: numbers only, or values with their kinds.
const REALS: u8 = 0;
const MIXED: u8 = 1;

/// Kinds of values.
const NULL: u8 = 0;
const FALSE: u8 = 1;
const TRUE: u8 = 2;
const INT: u8 = 3;
const REAL: u8 = 4;
const CHOICE: u8 = 5;

/// Kinds of measurements.
const PENDING: u8 = 0;
const VALUE: u8 = 1;
const NOISY: u8 = 2;
const FAILED: u8 = 3;

/// The bytes of an event; `None` if it is a kind that is kept as JSON.
pub(super) fn pack(event: &Event) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(80);
    match event {
        Event::Told { trial, outcome } => {
            bytes.push(TOLD);
            put_count(&mut bytes, *trial);
            put_outcome(&mut bytes, outcome);
        }
        Event::Added { point, row, outcome } => {
            bytes.push(ADDED);
            put_point(&mut bytes, point);
            put_count(&mut bytes, row.map_or(Some(0), |row| row.checked_add(1))?);
            outcome.iter().for_each(|outcome| put_outcome(&mut bytes, outcome));
        }
        Event::Asked { points, .. } => {
            bytes.push(ASKED);
            put_count(&mut bytes, points.len() as u64);
            points.iter().for_each(|point| put_point(&mut bytes, point));
            bytes.extend(serde_json::to_vec(&without_points(event)).ok()?);
        }
        _ => return None,
    }
    bytes.shrink_to_fit();
    Some(bytes)
}

/// The event of these bytes; `None` if they are those of no event.
pub(super) fn unpack(bytes: &[u8]) -> Option<Event> {
    let mut bytes = Bytes(bytes);
    let event = match bytes.byte()? {
        TOLD => Event::Told { trial: bytes.count()?, outcome: bytes.outcome()? },
        ADDED => {
            let (point, row) = (bytes.point()?, bytes.count()?.checked_sub(1));
            let outcome = if bytes.0.is_empty() { None } else { Some(bytes.outcome()?) };
            Event::Added { point, row, outcome }
        }
        ASKED => {
            let count = bytes.length()?;
            let own = (0..count).map(|_| bytes.point()).collect::<Option<Vec<_>>>()?;
            let mut event: Event = serde_json::from_slice(std::mem::take(&mut bytes.0)).ok()?;
            let Event::Asked { points, .. } = &mut event else { return None };
            *points = own;
            event
        }
        _ => return None,
    };
    bytes.0.is_empty().then_some(event)
}

/// An ask but for its points, which may be many.
fn without_points(event: &Event) -> Event {
    match event {
        Event::Asked { seen, time, points: _, rows, queued, ready, ahead, by, report, state } => Event::Asked {
            seen: *seen,
            time: *time,
            points: Vec::new(),
            rows: rows.clone(),
            queued: *queued,
            ready: *ready,
            ahead: ahead.clone(),
            by: by.clone(),
            report: report.clone(),
            state: state.clone(),
        },
        other => other.clone(),
    }
}

fn put_count(bytes: &mut Vec<u8>, mut count: u64) {
    while count >= 0x80 {
        bytes.push(count as u8 | 0x80);
        count >>= 7;
    }
    bytes.push(count as u8);
}

fn put_real(bytes: &mut Vec<u8>, value: f64) {
    bytes.extend(value.to_le_bytes());
}

fn put_text(bytes: &mut Vec<u8>, text: &str) {
    put_count(bytes, text.len() as u64);
    bytes.extend(text.as_bytes());
}

fn put_point(bytes: &mut Vec<u8>, point: &Point) {
    put_count(bytes, point.len() as u64);
    if point.iter().all(|value| matches!(value, Value::Real(_))) {
        bytes.push(REALS);
        point.iter().for_each(|value| {
            if let Value::Real(x) = value {
                put_real(bytes, *x)
            }
        });
        return;
    }
    bytes.push(MIXED);
    for value in point {
        match value {
            Value::Null => bytes.push(NULL),
            Value::Bool(false) => bytes.push(FALSE),
            Value::Bool(true) => bytes.push(TRUE),
            Value::Int(i) => {
                bytes.push(INT);
                // Small numbers are short, whatever their sign.
                put_count(bytes, ((i << 1) ^ (i >> 63)).cast_unsigned());
            }
            Value::Real(x) => {
                bytes.push(REAL);
                put_real(bytes, *x);
            }
            Value::Choice(text) => {
                bytes.push(CHOICE);
                put_text(bytes, text);
            }
        }
    }
}

fn put_outcome(bytes: &mut Vec<u8>, outcome: &Outcome) {
    match outcome {
        Outcome::Failed { reason } => {
            put_count(bytes, 0);
            put_text(bytes, reason);
        }
        Outcome::Measured(measurements) => {
            put_count(bytes, measurements.len() as u64 + 1);
            measurements.iter().for_each(|measurement| put_measurement(bytes, measurement));
        }
    }
}

fn put_measurement(bytes: &mut Vec<u8>, measurement: &Measurement) {
    match measurement {
        Measurement::Pending => bytes.push(PENDING),
        Measurement::Observed { value, variance: None } => {
            bytes.push(VALUE);
            put_real(bytes, *value);
        }
        Measurement::Observed { value, variance: Some(variance) } => {
            bytes.push(NOISY);
            put_real(bytes, *value);
            put_real(bytes, *variance);
        }
        Measurement::Failed { reason } => {
            bytes.push(FAILED);
            put_text(bytes, reason);
        }
    }
}

/// What is left to be read.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn take(&mut self, count: usize) -> Option<&[u8]> {
        let (taken, left) = self.0.split_at_checked(count)?;
        self.0 = left;
        Some(taken)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|byte| byte[0])
    }

    fn count(&mut self) -> Option<u64> {
        let mut count = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let part = u64::from(byte & 0x7f);
            count |= part << shift;
            if part << shift >> shift != part {
                return None;
            }
            if byte < 0x80 {
                return Some(count);
            }
        }
        None
    }

    /// The number of things that follow, of a byte at least each.
    fn length(&mut self) -> Option<usize> {
        self.count().and_then(|count| usize::try_from(count).ok()).filter(|&count| count <= self.0.len())
    }

    fn real(&mut self) -> Option<f64> {
        self.take(8)?.try_into().ok().map(f64::from_le_bytes)
    }

    fn text(&mut self) -> Option<String> {
        let length = self.length()?;
        String::from_utf8(self.take(length)?.to_vec()).ok()
    }

    fn point(&mut self) -> Option<Point> {
        let count = self.length()?;
        match self.byte()? {
            REALS => (0..count).map(|_| self.real().map(Value::Real)).collect(),
            MIXED => (0..count).map(|_| self.value()).collect(),
            _ => None,
        }
    }

    fn value(&mut self) -> Option<Value> {
        Some(match self.byte()? {
            NULL => Value::Null,
            FALSE => Value::Bool(false),
            TRUE => Value::Bool(true),
            INT => {
                let count = self.count()?;
                Value::Int((count >> 1).cast_signed() ^ -(count & 1).cast_signed())
            }
            REAL => Value::Real(self.real()?),
            CHOICE => Value::Choice(self.text()?),
            _ => return None,
        })
    }

    fn outcome(&mut self) -> Option<Outcome> {
        match self.count()? {
            0 => Some(Outcome::Failed { reason: self.text()? }),
            more => {
                let count = usize::try_from(more - 1).ok().filter(|&count| count <= self.0.len())?;
                (0..count).map(|_| self.measurement()).collect::<Option<_>>().map(Outcome::Measured)
            }
        }
    }

    fn measurement(&mut self) -> Option<Measurement> {
        Some(match self.byte()? {
            PENDING => Measurement::Pending,
            VALUE => Measurement::value(self.real()?),
            NOISY => Measurement::Observed { value: self.real()?, variance: Some(self.real()?) },
            FAILED => Measurement::failed(self.text()?),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn value() -> impl Strategy<Value = Value> {
        prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::Bool),
            any::<i64>().prop_map(Value::Int),
            any::<f64>().prop_filter("equal to itself", |x| !x.is_nan()).prop_map(Value::Real),
            ".*".prop_map(Value::Choice),
        ]
    }

    fn point() -> impl Strategy<Value = Point> {
        prop_oneof![
            prop::collection::vec(value(), 0..5),
            prop::collection::vec((-1e9..1e9).prop_map(Value::Real), 1..9),
        ]
    }

    fn outcome() -> impl Strategy<Value = Outcome> {
        let measurement = prop_oneof![
            Just(Measurement::Pending),
            (-1e300..1e300).prop_map(Measurement::value),
            (-1.0..1.0, 0.0..9.0).prop_map(|(value, v)| Measurement::Observed { value, variance: Some(v) }),
            ".*".prop_map(Measurement::failed),
        ];
        prop_oneof![
            prop::collection::vec(measurement, 0..4).prop_map(Outcome::Measured),
            ".*".prop_map(Outcome::failed)
        ]
    }

    fn event() -> impl Strategy<Value = Event> {
        let row = prop::option::of(0..u64::MAX);
        let asked = (prop::collection::vec(point(), 0..5), any::<u64>(), ".*").prop_map(|(points, seen, report)| {
            let (rows, by) = (vec![Some(3); points.len()], "me".into());
            let (queued, ready, ahead, state) = (1, 2, None, Some("{}".into()));
            Event::Asked { seen, time: 7, points, rows, queued, ready, ahead, by, report, state }
        });
        prop_oneof![
            (any::<u64>(), outcome()).prop_map(|(trial, outcome)| Event::Told { trial, outcome }),
            (point(), row, prop::option::of(outcome())).prop_map(|(point, row, outcome)| Event::Added {
                point,
                row,
                outcome
            }),
            asked,
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_was_packed_comes_back(event in event()) {
            let bytes = pack(&event).unwrap();
            prop_assert_eq!(unpack(&bytes), Some(event));
            // Nothing that was cut or lengthened is an event, and nothing is taken for one that is too long for memory.
            prop_assert_eq!(unpack(&[&bytes[..], &[0]].concat()), None);
        }

        #[test]
        fn any_bytes_are_an_event_or_none(bytes in prop::collection::vec(any::<u8>(), 0..60)) {
            unpack(&bytes);
        }
    }

    /// A trial of six inputs, which was asked for and told, or added: with a row of a table and its checksum around it, some 100 bytes.
    #[test]
    fn trials_are_short() {
        let point: Point = (0..6).map(|k| Value::Real(f64::from(k) / 7.0)).collect();
        let outcome = Outcome::value(0.1);
        let bytes = |event: &Event| pack(event).unwrap().len();
        let told = bytes(&Event::Told { trial: 1_000_000, outcome: outcome.clone() });
        let added = bytes(&Event::Added { point, row: None, outcome: Some(outcome) });
        assert_eq!((told, added), (14, 62));
        assert_eq!(pack(&Event::Dialect { dialect: "comma".into() }), None);
    }
}
