//! A study of 100,000 trials in six inputs: read by a new process; refreshed; a tell of 100.

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use spargo::rng::{Purpose, stream, uniform};
use spargo::space::{Dimension, Point, Space, Value};
use spargo::study::storage::{SqliteStorage, Storage};
use spargo::study::{Config, Outcome, Study};
use std::fs;
use std::hint::black_box;

const TRIALS: usize = 100_000;
const INPUTS: usize = 6;

fn storage(criterion: &mut Criterion) {
    let folder = std::env::temp_dir().join(format!("spargo-bench-storage-{}", std::process::id()));
    fs::create_dir(&folder).expect("a folder of its own");
    let mut rng = stream(0, Purpose::Data, 0, 0);
    let mut point = || -> Point { (0..INPUTS).map(|_| Value::Real(uniform(&mut rng))).collect() };
    let points: Vec<_> = (0..TRIALS).map(|i| (point(), Some(Outcome::value(i as f64 / 3.0)))).collect();
    let path = folder.join("study.db");
    let space = Space::new((0..INPUTS).map(|i| Dimension::real(format!("x{i}"), 0.0, 1.0)).collect());
    let mut writer = Study::create(&path, Config::new(space.expect("six inputs"))).expect("a new file");
    writer.add(&points).expect("finite outcomes");

    let mut group = criterion.benchmark_group("storage");
    group.sample_size(10);
    group.bench_function("read 100,000 trials", |b| {
        b.iter(|| {
            let mut storage = SqliteStorage::open(&path).expect("a study");
            black_box(storage.load(0).expect("readable").len())
        });
    });
    group.bench_function("open a study of 100,000 trials", |b| {
        b.iter(|| black_box(Study::open(&path).expect("a study").history().records().len()));
    });
    group.bench_function("refresh with nothing new", |b| b.iter(|| black_box(writer.refresh().is_ok())));
    group.bench_function("tell 100", |b| {
        let mut teller = Study::open(&path).expect("a study");
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

criterion_group!(benches, storage);
criterion_main!(benches);
