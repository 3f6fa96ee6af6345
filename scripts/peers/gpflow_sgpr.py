"""GPflow's collapsed sparse GP on the same work as `spargo fit --hyperparameters bound --priors off`.

    pip install gpflow tensorflow tf-keras
    python scripts/peers/gpflow_sgpr.py train.csv test.csv 500

Matérn-5/2 with ARD, constant mean, a random subset of the data as fixed inducing points, SciPy's L-BFGS-B from GPflow's
defaults. Prints one line of JSON with the keys of `spargo fit --json`.
"""

import json
import sys
import time

import gpflow
import numpy as np


def main(train_path, test_path, inducing):
    train = np.loadtxt(train_path, delimiter=",", skiprows=1)
    test = np.loadtxt(test_path, delimiter=",", skiprows=1)
    x, y = train[:, :-1], train[:, -1:]
    rows = np.random.default_rng(0).choice(len(x), inducing, replace=False)
    started = time.perf_counter()
    kernel = gpflow.kernels.Matern52(lengthscales=np.ones(x.shape[1]))
    mean = gpflow.functions.Constant(np.mean(y))
    model = gpflow.models.SGPR((x, y), kernel, x[rows], mean_function=mean)
    gpflow.set_trainable(model.inducing_variable, False)
    result = gpflow.optimizers.Scipy().minimize(
        model.training_loss, model.trainable_variables, options={"maxiter": 1000}
    )
    seconds = time.perf_counter() - started
    predicted, variance = model.predict_f(test[:, :-1])
    error = test[:, -1:] - predicted.numpy()

    def density(v):
        return float(np.mean(0.5 * error**2 / v + 0.5 * np.log(2 * np.pi * v)))

    noise = float(model.likelihood.variance.numpy())
    print(
        json.dumps(
            {
                "bound": float(model.elbo().numpy()) / len(x),
                "noise": noise,
                "seconds": seconds,
                "evaluations": int(result.nfev),
                "iterations": int(result.nit),
                "rmse": float(np.sqrt(np.mean(error**2))),
                "nlpd": density(variance.numpy() + noise),
                "nlpd_latent": density(variance.numpy()),
            }
        )
    )


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
