"""TuRBO-1 (Eriksson, Pearce, Gardner, Turner & Poloczek 2019, NeurIPS 32) from BoTorch's models and samplers, a peer of compare.py.

A trust region is a box around the best point of its run, with sides in proportion to the model's length scales and the volume
L^d. Batches are Thompson samples over candidates in it. L doubles after SUCCESSES batches in a row that improve on the best
outcome, and halves after ceil(max(4, d)/batch) that do not; when it falls below L_MIN, everything begins anew with fresh points.
Numbers are those of the paper and, where that is silent, of its authors' code (github.com/uber-research/TuRBO).

Ours to choose:
- the GP is BoTorch's SingleTaskGP with a Matérn-5/2 kernel, a length scale an input within the authors' bounds, and the noise
  learned without an upper bound (the authors' code allows for a fifth of the outcomes' variance, and is meant for exact
  outcomes). It is fitted anew after each batch, to all outcomes since the restart, which are standardized;
- its search ends when it converges, or with `--fit-steps` after so many steps of L-BFGS (the authors take 50 of Adam);
- there are min(5000, max(2000, 200 d)) candidates, more than the authors' min(5000, 100 d);
- the centre is the evaluated point with the best posterior mean, as the paper says for noisy functions; improvement is that of
  the best outcome by a thousandth, as in the authors' code;
- reported is the evaluated point with the best posterior mean, of the run that has the best one;
- without noise, both are the point with the best outcome, as in the authors' code, which is for that case.
"""

import math
import warnings

import gpytorch
import numpy as np
import torch
from botorch.exceptions import ModelFittingError
from botorch.fit import fit_gpytorch_mll
from botorch.generation import MaxPosteriorSampling
from botorch.models import SingleTaskGP
from gpytorch.constraints import Interval
from gpytorch.kernels import MaternKernel, ScaleKernel
from gpytorch.mlls import ExactMarginalLogLikelihood
from torch.quasirandom import SobolEngine

torch.set_num_threads(1)
torch.set_default_dtype(torch.float64)

BATCH = 100
INITIAL = 100
L_FIRST, L_MIN, L_MAX = 0.8, 0.5**7, 1.6
SUCCESSES = 3
LENGTH_SCALES = (0.005, 2.0)

DESCRIPTION = {
    "package": "botorch",
    "torch": torch.__version__,
    "batch": BATCH,
    "initial": INITIAL,
    "successes": SUCCESSES,
    "report": "posterior mean if noisy",
}


class Region:
    """The side of a trust region, and how its batches went."""

    def __init__(self, dimension):
        self.side, self.successes, self.failures = L_FIRST, 0, 0
        self.most_failures = math.ceil(max(4 / BATCH, dimension / BATCH))

    def update(self, before, batch):
        """Learns whether a batch improved on the best outcome before it."""
        if batch.max() > before + 1e-3 * abs(before):
            self.successes, self.failures = self.successes + 1, 0
        else:
            self.successes, self.failures = 0, self.failures + 1
        if self.successes == SUCCESSES:
            self.side, self.successes = min(2 * self.side, L_MAX), 0
        elif self.failures == self.most_failures:
            self.side, self.failures = self.side / 2, 0


def turbo(run, rng, fit_steps=None):
    """Runs of one trust region, one after the other, until the budget is spent."""
    torch.manual_seed(int(rng.integers(2**31)))
    best = (-np.inf, None)
    while run.left:
        region = Region(run.dimension)
        points = sobol(run.dimension, min(INITIAL, run.left), rng)
        outcomes, model = run.evaluate(points), None
        while True:
            model, means = fit(points, outcomes, model, fit_steps)
            believed = means if run.noise else outcomes
            centre = points[np.argmax(believed)]
            current = (believed.max(), centre)
            run.reported = max(best, current, key=lambda pair: pair[0])[1]
            if not run.left or region.side < L_MIN:
                break
            batch = choose(model, centre, region.side, min(BATCH, run.left), rng)
            observed = run.evaluate(batch)
            region.update(outcomes.max(), observed)
            points, outcomes = np.vstack([points, batch]), np.append(outcomes, observed)
        best = max(best, current, key=lambda pair: pair[0])


def sobol(dimension, count, rng):
    """Scrambled Sobol points of the unit cube."""
    return SobolEngine(dimension, scramble=True, seed=int(rng.integers(2**31))).draw(count, dtype=torch.float64).numpy()


def fit(points, outcomes, last=None, steps=None):
    """The model of standardized outcomes, and its means at the points, in units of the outcomes.

    Hyperparameters are climbed from those of the last model of the run, which takes half the time.
    """
    shift, scale = outcomes.mean(), max(outcomes.std(ddof=1) if len(outcomes) > 1 else 0.0, 1e-9)
    x, y = torch.from_numpy(points), torch.from_numpy((outcomes - shift) / scale)[:, None]
    matern = MaternKernel(nu=2.5, ard_num_dims=points.shape[1], lengthscale_constraint=Interval(*LENGTH_SCALES))
    model = SingleTaskGP(x, y, covar_module=ScaleKernel(matern), outcome_transform=None)
    if last is not None:
        model.load_state_dict(last.state_dict())
    with warnings.catch_warnings(), exactly():
        warnings.simplefilter("ignore")
        try:
            limit = {} if steps is None else {"optimizer_kwargs": {"options": {"maxiter": steps}}, "max_attempts": 1}
            fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model), **limit)
        except ModelFittingError:
            # With the hyperparameters that it has reached.
            model.eval()
        with torch.no_grad():
            means = model.posterior(x).mean.squeeze(-1).numpy()
    return model, shift + scale * means


def choose(model, centre, side, count, rng):
    """Maximisers of so many sampled functions among candidates of the trust region, all different."""
    dimension = len(centre)
    scales = model.covar_module.base_kernel.lengthscale.detach().numpy().ravel()
    half = 0.5 * side * scales / np.exp(np.log(scales).mean())
    lower, upper = np.clip(centre - half, 0, 1), np.clip(centre + half, 0, 1)
    candidates = lower + sobol(dimension, min(5000, max(2000, 200 * dimension)), rng) * (upper - lower)
    # Each input of a candidate is the centre's, but for some; for one at least.
    moved = rng.random(candidates.shape) < min(1.0, 20 / dimension)
    none = np.flatnonzero(~moved.any(axis=1))
    moved[none, rng.integers(dimension, size=len(none))] = True
    candidates = np.where(moved, candidates, centre)
    with torch.no_grad(), warnings.catch_warnings(), exactly():
        warnings.simplefilter("ignore")
        return MaxPosteriorSampling(model, replacement=False)(torch.from_numpy(candidates), num_samples=count).numpy()


def exactly():
    """Cholesky factors at any size, instead of iterative approximations."""
    return gpytorch.settings.max_cholesky_size(1_000_000)
