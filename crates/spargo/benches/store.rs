//! A study of 100,000 trials in six inputs: read by a new process and, for comparison, points as JSON; a tell of 100.

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use spargo::rng::{Purpose, stream, uniform};
use spargo::space::{Point, Value};
use spargo::study::Outcome;
use spargo::study::store::{Store, StoreOptions};
use std::fs;
use std::hint::black_box;

const TRIALS: usize = 100_000;
const INPUTS: usize = 6;

fn store(criterion: &mut Criterion) {
    let folder = std::env::temp_dir().join(format!("spargo-bench-store-{}", std::process::id()));
    fs::create_dir(&folder).expect("a folder of its own");
    let mut rng = stream(0, Purpose::Data, 0, 0);
    let mut point = || -> Point { (0..INPUTS).map(|_| Value::Real(uniform(&mut rng))).collect() };
    let points: Vec<_> = (0..TRIALS).map(|i| (point(), Some(Outcome::value(i as f64 / 3.0)))).collect();
    let path = folder.join("study.db");
    let options = StoreOptions::default();
    let mut writer = Store::create(&path, "{}", &options).expect("a new file");
    writer.add(&points).expect("finite outcomes");

    let mut group = criterion.benchmark_group("store");
    group.sample_size(10);
    group.bench_function("open and read 100,000 trials", |b| {
        b.iter(|| {
            let mut store = Store::open(&path, &options).expect("a study");
            black_box(store.refresh().expect("readable").records().len())
        });
    });
    let texts: Vec<String> = points.iter().map(|(point, _)| serde_json::to_string(point).expect("finite")).collect();
    group.bench_function("read 100,000 points from JSON alone", |b| {
        let read = |text: &String| serde_json::from_str::<Point>(text).expect("a point");
        b.iter(|| black_box(texts.iter().map(read).collect::<Vec<Point>>()));
    });
    writer.refresh().expect("readable");
    group.bench_function("refresh with nothing new", |b| b.iter(|| black_box(writer.refresh().is_ok())));
    group.bench_function("tell 100", |b| {
        let mut teller = Store::open(&path, &options).expect("a study");
        let pending: Vec<_> = (0..100).map(|_| (point(), None)).collect();
        let asked = || {
            let ids = writer.add(&pending).expect("a study");
            ids.map(|id| (id, Outcome::value(id as f64))).collect::<Vec<_>>()
        };
        b.iter_batched(asked, |told| teller.tell(&told).expect("pending"), BatchSize::PerIteration);
    });
    group.finish();
    fs::remove_dir_all(folder).expect("a folder of its own");
}

criterion_group!(benches, store);
criterion_main!(benches);
