//! Greedy batches from a pool of 12,000 in six inputs with M = 500, without local searches; and the gradients of a local search.

use criterion::{Criterion, criterion_group, criterion_main};
use spargo::acquire::optimizer::{AcquisitionOptimizer, AcquisitionOptions};
use spargo::acquire::{
    AcquisitionFunction, Context, FailureModel, Fantasised, Fantasy, Gibbon, LogEi, OutputModel, ParetoState,
    greedy_from,
};
use spargo::data::Dataset;
use spargo::kernel::{Family, Kernel};
use spargo::linalg::{Mat, select_rows};
use spargo::model::Hyperparameters;
use spargo::model::sgpr::Sgpr;
use spargo::optim::BatchedObjective;
use spargo::rng::{Purpose, StepRng, normal, stream, uniform};
use spargo::sample::SamplingOptions;
use spargo::space::{Dimension, Space};
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
    let inputs = (0..INPUTS).map(|k| Dimension::real(format!("x{k}"), 0.0, 1.0)).collect();
    let space = Space::new(inputs).expect("different names");
    let (options, sampling) = (AcquisitionOptions::default(), SamplingOptions::default());
    let rng = StepRng { seed: 0, step: 0 };
    let optimizer = AcquisitionOptimizer::new(&space, none.as_ref(), &options, rng).expect("default options");
    let objectives = [OutputModel { posterior: &posterior, noise: hyper.noise }];
    let pareto = ParetoState::new(&objectives, &[], data.x()).expect("finite data");
    let context = Context {
        objectives: &objectives,
        constraints: &[],
        level: None,
        pareto: &pareto,
        observed: data.x(),
        failed: none.as_ref(),
        pending: none.as_ref(),
        optimizer: &optimizer,
        sampling: &sampling,
        rng,
    };

    let maxima: Vec<f64> = (0..32).map(|i| 1.0 + 0.02 * i as f64).collect();
    let mut log_ei = LogEi::new(1.0).expect("finite");
    let mut gibbon = Gibbon::new(maxima, hyper.noise).expect("finite");
    let functions: [(&str, &mut dyn AcquisitionFunction); 2] = [("log EI", &mut log_ei), ("GIBBON", &mut gibbon)];
    for (name, function) in functions {
        for count in [100, 1000] {
            criterion.bench_function(&format!("{count} points by {name}"), |b| {
                b.iter(|| {
                    greedy_from(&context, function, pool.as_ref(), count, |_, scores| {
                        let best = (0..POOL).max_by(|&i, &j| scores[(i, 0)].total_cmp(&scores[(j, 0)]));
                        Ok((0..INPUTS).map(|k| pool[(best.unwrap_or(0), k)]).collect())
                    })
                });
            });
        }
        let fantasy = [Fantasy::new(&posterior, hyper.noise, first(100).as_ref()).expect("finite points")];
        let acquisition = Fantasised::new(&fantasy, function);
        let rows = first(10);
        criterion.bench_function(&format!("gradients of {name} at 10 points, 100 pending"), |b| {
            b.iter(|| black_box(acquisition.value_gradient(&[0; 10], rows.as_ref())));
        });
    }

    let model = FailureModel::new(&hyper.kernel, data.x(), first(50).as_ref()).expect("finite points");
    criterion.bench_function("failure model of 5,000 and 50 on the pool", |b| {
        b.iter(|| black_box(model.at(pool.as_ref())));
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(10);
    targets = batches
}
criterion_main!(benches);
