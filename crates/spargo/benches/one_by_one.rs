//! Batches chosen one by one from a pool of 12,000 in six inputs with M = 500, without climbs; and a climb's gradients.

use criterion::{Criterion, criterion_group, criterion_main};
use spargo::acquire::{Believed, FailureModel, Fantasy, Merit, OneByOne, one_by_one};
use spargo::data::Dataset;
use spargo::kernel::{Family, Kernel};
use spargo::linalg::{Mat, select_rows};
use spargo::model::Hyperparameters;
use spargo::model::sgpr::Sgpr;
use spargo::optim::BatchedObjective;
use spargo::rng::{Purpose, normal, stream, uniform};
use std::hint::black_box;

const INPUTS: usize = 6;
const POOL: usize = 12_000;

fn batches(criterion: &mut Criterion) {
    let mut rng = stream(0, Purpose::Data, 0, 0);
    let pool = Mat::from_fn(POOL, INPUTS, |_, _| uniform(&mut rng));
    let first = |n: usize| select_rows(pool.as_ref(), &(0..n).collect::<Vec<_>>());
    let y = (0..5000).map(|i| (5.0 * pool[(i, 0)]).sin() + 0.1 * normal(&mut rng)).collect();
    let data = Dataset::new(first(5000), y).expect("generated data are finite");
    let hyper = Hyperparameters::cold(Kernel::cold(Family::Matern52, INPUTS));
    let z = first(500);
    let sgpr = Sgpr::new(&hyper, &data, z.as_ref()).expect("shapes agree");
    let posterior = sgpr.infer().expect("well conditioned").posterior;
    let none = first(0);
    let vote = FailureModel::new(&hyper.kernel, data.x(), none.as_ref()).expect("nothing to check");

    let maxima: Vec<f64> = (0..32).map(|i| 1.0 + 0.02 * i as f64).collect();
    for (name, merit) in [("log EI", Merit::LogEi { baseline: 1.0 }), ("GIBBON", Merit::Gibbon { maxima })] {
        let rule =
            OneByOne { posterior: &posterior, merit: &merit, noise: hyper.noise, pending: none.as_ref(), vote: &vote };
        for count in [100, 1000] {
            criterion.bench_function(&format!("{count} points by {name}"), |b| {
                b.iter(|| {
                    one_by_one(&rule, pool.as_ref(), count, |_, scores| {
                        let best = (0..POOL).max_by(|&i, &j| scores[(i, 0)].total_cmp(&scores[(j, 0)]));
                        Ok((0..INPUTS).map(|k| pool[(best.unwrap_or(0), k)]).collect())
                    })
                });
            });
        }
        let believer = Fantasy::new(&posterior, hyper.noise, first(100).as_ref()).expect("finite points");
        let acquisition = Believed { believer: &believer, merit: &merit };
        let rows = first(10);
        criterion.bench_function(&format!("gradients of {name} at 10 points, 100 pending"), |b| {
            b.iter(|| black_box(acquisition.value_gradient(&[0; 10], rows.as_ref())));
        });
    }

    let vote = FailureModel::new(&hyper.kernel, data.x(), first(50).as_ref()).expect("finite points");
    criterion.bench_function("votes of 5,000 and 50 on the pool", |b| b.iter(|| black_box(vote.at(pool.as_ref()))));
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10);
    targets = batches
}
criterion_main!(benches);
