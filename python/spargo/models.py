"""Gaussian process models by scikit-learn's conventions.

All parameters and results are in the units of the data. Hyperparameters that are given are fixed, the others are learned;
`fit(X, y, optimize=False)` learns none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from .estimator import Array, ArrayLike, Estimator, Hyperparameters
from .options import Allocation

if TYPE_CHECKING:
    from typing import Literal

__all__ = ["ExactGP", "SparseGP", "VariationalGP"]


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

    def __init__(
        self,
        kernel: str = "matern52",
        variance: float | None = None,
        lengthscales: float | ArrayLike | None = None,
        noise: float | None = None,
        mean: float | None = None,
        hyperparameters: Hyperparameters = "subset",
        seed: int = 0,
    ) -> None:
        self.kernel = kernel
        self.variance = variance
        self.lengthscales = lengthscales
        self.noise = noise
        self.mean = mean
        self.hyperparameters = hyperparameters
        self.seed = seed

    def fit(self, X: ArrayLike, y: ArrayLike, optimize: bool = True) -> ExactGP:
        """Learns the hyperparameters that are not fixed, and computes the posterior."""
        if self.hyperparameters in ("bound", "elbo"):
            raise ValueError(f'hyperparameters={self.hyperparameters!r} needs inducing points: use "subset" or "all"')
        self._fit(X, y, optimize=optimize)
        return self

    def log_marginal_likelihood(self) -> float:
        """Log marginal likelihood of the data, at the hyperparameters of the fit."""
        return self._model().objective()


class SparseGP(Estimator):
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

    def __init__(
        self,
        kernel: str = "matern52",
        variance: float | None = None,
        lengthscales: float | ArrayLike | None = None,
        noise: float | None = None,
        mean: float | None = None,
        inducing: int | ArrayLike = 500,
        allocation: Allocation = "cvr",
        hyperparameters: Hyperparameters = "subset",
        seed: int = 0,
        jitter: float | None = None,
    ) -> None:
        self.kernel = kernel
        self.variance = variance
        self.lengthscales = lengthscales
        self.noise = noise
        self.mean = mean
        self.inducing = inducing
        self.allocation = allocation
        self.hyperparameters = hyperparameters
        self.seed = seed
        self.jitter = jitter

    def fit(self, X: ArrayLike, y: ArrayLike, optimize: bool = True) -> SparseGP:
        """Chooses inducing points, learns the hyperparameters that are not fixed, and computes the posterior."""
        self._fit(
            X,
            y,
            optimize=optimize,
            inducing=self.inducing,
            allocation=self.allocation,
            jitter=self.jitter,
        )
        return self

    @property
    def inducing_points_(self) -> Array:
        """Inducing points."""
        return _present(self._model().inducing_points())

    def elbo(self) -> float:
        """Collapsed bound on the log marginal likelihood of the data, at the hyperparameters of the fit."""
        return self._model().objective()


class VariationalGP(Estimator):
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

    def __init__(
        self,
        kernel: str = "matern52",
        variance: float | None = None,
        lengthscales: float | ArrayLike | None = None,
        noise: float | None = None,
        mean: float | None = None,
        inducing: int | ArrayLike = 100,
        allocation: Allocation = "cvr",
        hyperparameters: Hyperparameters = "elbo",
        seed: int = 0,
        likelihood: str | Mapping[str, Any] = "gaussian",
        jitter: float | None = None,
    ) -> None:
        self.kernel = kernel
        self.variance = variance
        self.lengthscales = lengthscales
        self.noise = noise
        self.mean = mean
        self.inducing = inducing
        self.allocation = allocation
        self.hyperparameters = hyperparameters
        self.seed = seed
        self.likelihood = likelihood
        self.jitter = jitter

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
        self._fit(
            X,
            y,
            optimize=optimize,
            inducing=self.inducing,
            allocation=self.allocation,
            likelihood=self.likelihood if isinstance(self.likelihood, str) else dict(self.likelihood),
            jitter=self.jitter,
            q=q,
        )
        return self

    @property
    def inducing_points_(self) -> Array:
        """Inducing points."""
        return _present(self._model().inducing_points())

    def elbo(self) -> float:
        """Variational bound on the log marginal likelihood of the data, at the fit."""
        return self._model().objective()

    @overload
    def predict(self, X: ArrayLike, return_std: Literal[False] = False) -> Array: ...
    @overload
    def predict(self, X: ArrayLike, return_std: Literal[True]) -> tuple[Array, Array]: ...
    @overload
    def predict(self, X: ArrayLike, return_std: bool) -> Array | tuple[Array, Array]: ...
    def predict(self, X: ArrayLike, return_std: bool = False) -> Array | tuple[Array, Array]:
        """Means of the function, or probabilities of the label 1, and with `return_std` their standard deviations."""
        if self.likelihood == "gaussian":
            return super().predict(X, return_std)
        mean, variance = self.predict_observed(X)
        return (mean, np.sqrt(variance)) if return_std else mean

    @property
    def predict_proba(self) -> Callable[[ArrayLike], Array]:
        """`predict_proba(X)`: probabilities of the labels 0 and 1; absent for Gaussian noise."""
        if self.likelihood == "gaussian":
            raise AttributeError("outcomes with Gaussian noise have no probabilities: choose another likelihood")
        return self._probabilities

    def _probabilities(self, X: ArrayLike) -> Array:
        ones = self.predict_observed(X).mean
        return np.column_stack([1 - ones, ones])


def _present(points: Array | None) -> Array:
    assert points is not None, "a sparse model has inducing points"
    return points
