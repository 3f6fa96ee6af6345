//! Kernel, bound, fit and prediction at N = 1,000, 5,000 and 50,000, M = 500, six inputs.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use spargo::data::Dataset;
use spargo::kernel::{Family, Kernel};
use spargo::linalg::{Mat, select_rows};
use spargo::model::sgpr::Sgpr;
use spargo::model::{FitOptions, HyperparameterObjective, Hyperparameters, fit};
use spargo::rng::{Purpose, normal, stream, uniform};
use std::hint::black_box;

const ROWS: [usize; 3] = [1_000, 5_000, 50_000];
const INDUCING: usize = 500;
const INPUTS: usize = 6;

fn data(rows: usize) -> Dataset {
    let mut rng = stream(0, Purpose::Data, 0, 0);
    let x = Mat::from_fn(rows, INPUTS, |_, _| uniform(&mut rng));
    let f = |i: usize| (0..INPUTS).map(|k| (5.0 * x[(i, k)]).sin()).sum::<f64>() / INPUTS as f64;
    let y = (0..rows).map(|i| f(i) + 0.1 * normal(&mut rng)).collect();
    Dataset::new(x, y).expect("generated data are finite")
}

fn models(criterion: &mut Criterion) {
    let hyper = Hyperparameters::cold(Kernel::cold(Family::Matern52, INPUTS));
    for rows in ROWS {
        let data = data(rows);
        let z = select_rows(data.x(), &(0..INDUCING).collect::<Vec<_>>());
        let sgpr = Sgpr::new(&hyper, &data, z.as_ref()).expect("shapes agree");
        let posterior = sgpr.infer().expect("well conditioned").posterior;

        let mut group = criterion.benchmark_group("kernel");
        group.bench_function(BenchmarkId::from_parameter(rows), |b| {
            b.iter(|| black_box(hyper.kernel.matrix(z.as_ref(), data.x())));
        });
        group.finish();
        let mut group = criterion.benchmark_group("bound with gradient");
        group.sample_size(10);
        group.bench_function(BenchmarkId::from_parameter(rows), |b| b.iter(|| black_box(sgpr.bound_gradient())));
        group.finish();
        let mut group = criterion.benchmark_group("prediction of all rows");
        group.bench_function(BenchmarkId::from_parameter(rows), |b| {
            b.iter(|| black_box(posterior.predict(data.x())));
        });
        group.finish();
        let mut group = criterion.benchmark_group("cold fit, bound");
        group.sample_size(10);
        let settings = FitOptions { hyperparameters: HyperparameterObjective::Bound, ..FitOptions::default() };
        group.bench_function(BenchmarkId::from_parameter(rows), |b| {
            b.iter(|| black_box(fit(&hyper, &data, z.as_ref(), &settings)));
        });
        group.finish();
    }
}

criterion_group!(benches, models);
criterion_main!(benches);
