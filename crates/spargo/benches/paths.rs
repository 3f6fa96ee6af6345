//! 100 paths with 1,000 features and M = 500 in six inputs: drawn, scored on 10,000 points, and their gradients at 100 rows.

use criterion::{Criterion, criterion_group, criterion_main};
use spargo::data::Dataset;
use spargo::kernel::{Family, Kernel};
use spargo::linalg::{Mat, MatRef, select_rows};
use spargo::model::Hyperparameters;
use spargo::model::sgpr::Sgpr;
use spargo::rng::{Purpose, StepRng, normal, stream, uniform};
use spargo::sample::{Features, Paths, SamplingOptions};
use std::hint::black_box;

const PATHS: usize = 100;
const INPUTS: usize = 6;

fn paths(criterion: &mut Criterion) {
    let mut rng = stream(0, Purpose::Data, 0, 0);
    let x = Mat::from_fn(10_000, INPUTS, |_, _| uniform(&mut rng));
    let first = |n: usize| select_rows(x.as_ref(), &(0..n).collect::<Vec<_>>());
    let y = (0..1000).map(|i| (5.0 * x[(i, 0)]).sin() + 0.1 * normal(&mut rng)).collect();
    let data = Dataset::new(first(1000), y).expect("generated data are finite");
    let hyper = Hyperparameters::cold(Kernel::cold(Family::Matern52, INPUTS));
    let z = first(500);
    let sgpr = Sgpr::new(&hyper, &data, z.as_ref()).expect("shapes agree");
    let posterior = sgpr.infer().expect("well conditioned").posterior;

    let settings = SamplingOptions { features: 1000, block: PATHS };
    let draw =
        || Paths::draw(&posterior, 0..PATHS, &settings, StepRng { seed: 0, step: 0 }).expect("the kernel has features");
    let paths = draw();
    criterion.bench_function("draw 100 paths", |b| b.iter(|| black_box(draw())));
    criterion.bench_function("100 paths at 10,000 points", |b| b.iter(|| black_box(paths.values(x.as_ref()))));
    let (elements, rows): (Vec<usize>, Mat) = ((0..PATHS).collect(), first(PATHS));
    criterion.bench_function("gradients of 100 paths, a row each", |b| {
        b.iter(|| black_box(paths.value_gradient(&elements, rows.as_ref())));
    });

    let features = Features::draw(&hyper.kernel, INPUTS, 1000, &mut rng).expect("the kernel has features");
    let block: MatRef<'_> = x.as_ref().subrows(0, 256);
    criterion.bench_function("1,000 features of 256 points", |b| b.iter(|| black_box(features.matrix(block))));
}

criterion_group!(benches, paths);
criterion_main!(benches);
