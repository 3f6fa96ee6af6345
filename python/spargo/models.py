"""Gaussian process models by scikit-learn's conventions.

All parameters and results are in the units of the data. Hyperparameters that are given are fixed, the others are learned;
`fit(X, y, optimize=False)` learns none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from .estimator import Array, ArrayLike, Estimator, Hyperparameters
from .options import Allocation


@dataclass(repr=False, eq=False)
class ExactGP(Estimator):
    """Exact Gaussian process, for up to some 10,000 rows.

    Parameters
    ----------
    kernel
        "rbf", "matern12", "matern32" or "matern52", with one length scale per input.
    variance, lengthscales, noise, mean
        Fixed hyperparameters: the kernel's variance, one length scale or one per input, the noise variance, the constant
        mean. Those that are `None` are learned.
    hyperparameters
        Objective that is maximised: the likelihood of a random "subset" of 1,500 rows, of another size by
        `{"subset": 3000}`, or of "all".
    seed
        Random seed of the subset.

    Examples
    --------
    >>> import numpy as np, spargo
    >>> X = np.random.default_rng(0).random((100, 2))
    >>> y = np.sin(5 * X[:, 0]) + X[:, 1]
    >>> model = spargo.ExactGP().fit(X, y)
    >>> mean, std = model.predict(X[:3], return_std=True)
    >>> bool(np.allclose(mean, y[:3], atol=0.01)), round(model.score(X, y), 3)
    (True, 1.0)
    >>> spargo.ExactGP(noise=0.1).fit(X, y).noise_
    0.1
    """

    _inference = "exact"

    hyperparameters: Hyperparameters = "subset"
    seed: int = 0

    def fit(self, X: ArrayLike, y: ArrayLike, optimize: bool = True) -> ExactGP:
        """Learns the hyperparameters that are not fixed, and computes the posterior."""
        if self.hyperparameters in ("bound", "elbo"):
            raise ValueError(f'hyperparameters={self.hyperparameters!r} needs inducing points: use "subset" or "all"')
        return self._fit(X, y, optimize)

    def log_marginal_likelihood(self) -> float:
        """Log marginal likelihood of the data, at the hyperparameters of the fit."""
        return self._model().objective()


@dataclass(repr=False, eq=False)
class _InducingEstimator(Estimator):
    """Base class of the models with inducing points."""

    inducing: int | ArrayLike = 500
    allocation: Allocation = "cvr"
    hyperparameters: Hyperparameters = "subset"
    seed: int = 0

    @property
    def inducing_points_(self) -> Array:
        """Inducing points."""
        points = self._model().inducing_points()
        assert points is not None, "a sparse model has inducing points"
        return points

    def elbo(self) -> float:
        """Bound on the log marginal likelihood of the data, at the hyperparameters of the fit."""
        return self._model().objective()


@dataclass(repr=False, eq=False)
class SparseGP(_InducingEstimator):
    """Collapsed sparse Gaussian process (Titsias 2009), for any number of rows.

    Parameters
    ----------
    kernel, variance, lengthscales, noise, mean
        See `ExactGP`.
    inducing
        Number of inducing points, or the points themselves.
    allocation
        How they are chosen: "random", "kmeans", "cvr", "imp-dpp" and others (see `spargo.allocate`), or a dictionary with
        the method's settings.
    hyperparameters
        Objective that is maximised: the likelihood of a random "subset" of 1,500 rows, or the collapsed "bound" over all rows.
    seed
        Random seed.
    jitter
        Least jitter on the diagonal of Kzz; by default 1e-8 of the kernel's variance.

    Examples
    --------
    >>> import numpy as np, spargo
    >>> X = np.random.default_rng(0).random((2000, 1))
    >>> y = np.sin(9 * X[:, 0])
    >>> model = spargo.SparseGP(inducing=30, allocation="cvr").fit(X, y)
    >>> model.inducing_points_.shape, round(model.score(X, y), 3)
    ((30, 1), 1.0)
    """

    _inference = "sparse"

    jitter: float | None = None


@dataclass(repr=False, eq=False)
class VariationalGP(_InducingEstimator):
    """Variational sparse Gaussian process (Hensman et al. 2013, 2015), also for labels.

    Parameters
    ----------
    kernel, variance, lengthscales, noise, mean, inducing, allocation, seed, jitter
        See `SparseGP`.
    likelihood
        "gaussian"; "bernoulli" for outcomes that are 0 or 1, by P(y = 1) = Φ(f); or `{"mislabelled": {"rate": 0.01}}` if some
        of the labels are wrong.
    hyperparameters
        Objective that is maximised: the "elbo" over all data; for Gaussian noise also the likelihood of a "subset" or the
        collapsed "bound".

    For labels, `predict` returns the probability of 1 and `predict_proba` those of both; `posterior` is that of the latent f.

    Examples
    --------
    >>> import numpy as np, spargo
    >>> X = np.random.default_rng(0).random((200, 1))
    >>> model = spargo.VariationalGP(likelihood="bernoulli", inducing=20).fit(X, X[:, 0] > 0.5)
    >>> model.predict([[0.1], [0.9]]).round()
    array([0., 1.])
    """

    _inference = "variational"

    inducing: int | ArrayLike = 100
    hyperparameters: Hyperparameters = "elbo"
    likelihood: str | Mapping[str, Any] = "gaussian"
    jitter: float | None = None

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        optimize: bool = True,
        q: tuple[ArrayLike, ArrayLike] | None = None,
    ) -> VariationalGP:
        """Chooses inducing points, learns the hyperparameters that are not fixed, and computes the optimal q(u).

        `q` is a given q(u) instead: mean and lower triangular root of the whitened inducing variables.
        """
        return self._fit(X, y, optimize, q)

    def _has_labels(self) -> bool:
        return self.likelihood != "gaussian"

    @property
    def predict_proba(self) -> Callable[[ArrayLike], Array]:
        """`predict_proba(X)`: probabilities of the labels 0 and 1; absent for Gaussian noise."""
        if not self._has_labels():
            raise AttributeError("outcomes with Gaussian noise have no probabilities: choose another likelihood")
        return self._probabilities

    def _probabilities(self, X: ArrayLike) -> Array:
        ones = self.predict_observed(X).mean
        return np.column_stack([1 - ones, ones])
