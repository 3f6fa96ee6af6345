"""Gaussian process models by scikit-learn's conventions, for people who want only those.

All parameters and results are in the units of the data. Hyperparameters that are given stay as they are, the others are
learned; `fit(X, y, optimize=False)` learns none.
"""

from __future__ import annotations

import inspect
import json
import sys
import warnings
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, Union, overload

import numpy as np
import numpy.typing as npt

from . import _spargo
from .posterior import Paths, Posterior, Prediction

if TYPE_CHECKING:
    from typing import Literal

__all__ = ["ExactGP", "SparseGP", "VariationalGP"]

Array = npt.NDArray[np.float64]
ArrayLike = npt.ArrayLike
Hyperparameters = Union[str, Mapping[str, int]]
Model = TypeVar("Model", bound="_Model")


class _Model:
    """What all models share: scikit-learn's face, predictions, paths."""

    _inference: ClassVar[str]

    # scikit-learn reads parameters off the constructor.

    @classmethod
    def _names(cls) -> list[str]:
        return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters of the constructor."""
        return {name: getattr(self, name) for name in self._names()}

    def set_params(self: Model, **params: Any) -> Model:
        """Changes parameters of the constructor."""
        for name, value in params.items():
            if name not in self._names():
                raise ValueError(f"{name!r} is no parameter of {type(self).__name__}: these are {self._names()}")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self).__init__).parameters
        changed = [
            f"{name}={value!r}"
            for name, value in self.get_params().items()
            if value is not defaults[name].default and not _equal(value, defaults[name].default)
        ]
        return f"{type(self).__name__}({', '.join(changed)})"

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, RegressorTags, Tags, TargetTags

        return Tags(
            estimator_type="regressor",
            target_tags=TargetTags(required=True),
            regressor_tags=RegressorTags(),
            input_tags=InputTags(),
        )

    @property
    def _estimator_type(self) -> str:
        return "regressor"

    # Fitting.

    def _fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        *,
        optimize: bool,
        inducing: int | ArrayLike = 1,
        allocate: Any = "random",
        hyperparameters: Hyperparameters,
        likelihood: Any = "gaussian",
        jitter: float | None = None,
        q: tuple[ArrayLike, ArrayLike] | None = None,
    ) -> None:
        names = _feature_names(X)
        x = _matrix(X, type(self).__name__)
        outcomes = _outcomes(y, len(x))
        points = None if isinstance(inducing, (int, np.integer)) else _matrix(inducing, type(self).__name__)
        lengthscales: Any = self.lengthscales  # type: ignore[attr-defined]
        settings = {
            "kernel": self.kernel,  # type: ignore[attr-defined]
            "variance": _number(self.variance),  # type: ignore[attr-defined]
            "lengthscales": None if lengthscales is None else np.atleast_1d(lengthscales).astype(float).tolist(),
            "noise": _number(self.noise),  # type: ignore[attr-defined]
            "mean": _number(self.mean),  # type: ignore[attr-defined]
            "inducing": 0 if points is not None else int(inducing),  # type: ignore[arg-type]
            "allocate": {"method": allocate} if isinstance(allocate, str) else dict(allocate),
            "learning": _learning(hyperparameters, len(x)) if optimize else "given",
            "inference": self._inference,
            "likelihood": likelihood,
            "jitter": _number(jitter),
            "priors": "on",
            "seed": int(self.seed),  # type: ignore[attr-defined]
        }
        given = None if q is None else (np.asarray(q[0], float).tolist(), _matrix(q[1], "q"))
        self._fitted = _spargo.Fitted.fit(x, outcomes, json.dumps(settings), points, given)
        self._describe(x.shape[1], names)

    def _describe(self, features: int, names: npt.NDArray[Any] | None) -> None:
        """What scikit-learn's users expect of a fitted model, with an underscore at the end."""
        self.variance_, lengthscales, self.noise_, self.mean_ = self._fitted.hyperparameters()
        self.lengthscales_ = np.array(lengthscales)
        # What was given comes back as it was, not by way of the model's units.
        for name in ("variance", "noise", "mean"):
            if (given := getattr(self, name)) is not None:
                setattr(self, f"{name}_", float(given))
        if (scales := getattr(self, "lengthscales")) is not None:
            self.lengthscales_ = np.full(features, scales, dtype=np.float64)
        self.n_features_in_ = features
        if names is not None:
            self.feature_names_in_ = names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_fitted")

    def _model(self) -> _spargo.Fitted:
        if not hasattr(self, "_fitted"):
            raise _not_fitted(f"This {type(self).__name__} instance is not fitted yet: call fit first")
        return self._fitted

    def _rows(self, X: ArrayLike) -> Array:
        self._model()
        names = _feature_names(X)
        known = getattr(self, "feature_names_in_", None)
        if names is not None and known is not None and not np.array_equal(names, known):
            raise ValueError(
                "The feature names should match those that were passed during fit. "
                f"Fitted on {list(known)}, asked about {list(names)}"
            )
        x = _matrix(X, type(self).__name__)
        if x.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {x.shape[1]} features, but {type(self).__name__} is expecting {self.n_features_in_} features as input"
            )
        return x

    # What it knows.

    @overload
    def predict(self, X: ArrayLike, return_std: Literal[False] = False) -> Array: ...
    @overload
    def predict(self, X: ArrayLike, return_std: Literal[True]) -> tuple[Array, Array]: ...
    @overload
    def predict(self, X: ArrayLike, return_std: bool) -> Array | tuple[Array, Array]: ...
    def predict(self, X: ArrayLike, return_std: bool = False) -> Array | tuple[Array, Array]:
        """Means at the rows of X and, if wanted, standard deviations: of the function, without noise."""
        x = self._rows(X)
        mean, variance = self._model().predict(x)
        return (mean, np.sqrt(variance)) if return_std else mean

    def predict_observed(self, X: ArrayLike) -> Prediction:
        """Means and variances of observations: the function's, and the noise."""
        x = self._rows(X)
        return Prediction(*self._model().predict_observed(x))

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """R², the share of the variance of y that the means explain."""
        mean = self.predict(X, False)
        outcomes = _outcomes(y, len(mean))
        weights = np.ones(len(mean)) if sample_weight is None else np.asarray(sample_weight, float)
        left = float(np.sum(weights * (outcomes - mean) ** 2))
        total = float(np.sum(weights * (outcomes - np.average(outcomes, weights=weights)) ** 2))
        return 1.0 - left / total if total > 0 else float(left == 0)

    @property
    def posterior(self) -> Posterior:
        """What is known of the function."""
        return Posterior(self._model().posterior(), self._rows)

    def sample_paths(self, n: int, seed: int = 0, *, features: int = 1000) -> Paths:
        """Functions drawn from the posterior: callables with a `gradient`.

        >>> import numpy as np, spargo
        >>> X = np.linspace(0, 1, 30)[:, None]
        >>> paths = spargo.ExactGP().fit(X, np.sin(6 * X[:, 0])).sample_paths(2, seed=1)
        >>> paths[0](X).shape, paths[0].gradient(X).shape
        ((30,), (30, 1))
        """
        return self.posterior.sample_paths(n, seed, features=features)

    @property
    def report_(self) -> dict[str, Any]:
        """How the fit came about: evaluations, why the search ended, jitter."""
        report: dict[str, Any] = json.loads(self._model().report())
        return report

    # Copies: the posterior is computed again from data, hyperparameters and inducing points.

    def __getstate__(self) -> dict[str, Any]:
        state = dict(vars(self))
        if "_fitted" in state:
            state["_fitted"] = state["_fitted"].state()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        if "_fitted" in state:
            self._fitted = _spargo.Fitted.restore(*state["_fitted"])


class ExactGP(_Model):
    """The exact Gaussian process: up to some 10,000 rows.

    Parameters
    ----------
    kernel
        "rbf", "matern12", "matern32" or "matern52", with a length scale an input.
    variance, lengthscales, noise, mean
        Hyperparameters that are known: the kernel's variance, one length scale or one an input, the noise variance, the
        constant mean. What is `None` is learned.
    hyperparameters
        What is maximised: the likelihood of a random "subset" of 1,500 rows, of another size by `{"subset": 3000}`, or of
        "all".
    seed
        Of the choice of the subset.

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
        """Learns what is not given, and computes the posterior."""
        self._fit(X, y, optimize=optimize, hyperparameters=self.hyperparameters)
        return self

    def log_marginal_likelihood(self) -> float:
        """Of the data, at the hyperparameters of the fit."""
        return self._model().objective()


class SparseGP(_Model):
    """The collapsed sparse Gaussian process (Titsias 2009): any number of rows, through inducing points.

    Parameters
    ----------
    kernel, variance, lengthscales, noise, mean
        As of `ExactGP`.
    inducing
        The number of inducing points, or the points themselves.
    allocate
        How they are chosen: "random", "kmeans", "cvr", "imp-dpp" and others (see `spargo.allocate`), or a dictionary with
        the method's settings.
    hyperparameters
        What is maximised: the likelihood of a random "subset" of 1,500 rows, or the "bound" over all.
    seed
        Of every random choice.
    jitter
        What is at least added to the diagonal of Kzz; if not given, 1e-8 of the kernel's variance.

    Examples
    --------
    >>> import numpy as np, spargo
    >>> X = np.random.default_rng(0).random((2000, 1))
    >>> y = np.sin(9 * X[:, 0])
    >>> model = spargo.SparseGP(inducing=30, allocate="cvr").fit(X, y)
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
        allocate: str | Mapping[str, Any] = "cvr",
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
        self.allocate = allocate
        self.hyperparameters = hyperparameters
        self.seed = seed
        self.jitter = jitter

    def fit(self, X: ArrayLike, y: ArrayLike, optimize: bool = True) -> SparseGP:
        """Chooses inducing points, learns what is not given, and computes the posterior."""
        self._fit(
            X,
            y,
            optimize=optimize,
            inducing=self.inducing,
            allocate=self.allocate,
            hyperparameters=self.hyperparameters,
            jitter=self.jitter,
        )
        return self

    @property
    def inducing_points_(self) -> Array:
        """The points through which it sees the data."""
        return _present(self._model().inducing_points())

    def elbo(self) -> float:
        """The collapsed bound on the log marginal likelihood of the data, at the hyperparameters of the fit."""
        return self._model().objective()


class VariationalGP(_Model):
    """The variational sparse Gaussian process (Hensman et al. 2013, 2015), also for labels.

    Parameters
    ----------
    kernel, variance, lengthscales, noise, mean, inducing, allocate, seed, jitter
        As of `SparseGP`.
    likelihood
        "gaussian"; "bernoulli" for outcomes that are 0 or 1, by P(y = 1) = Φ(f); or `{"mislabelled": {"rate": 0.01}}` if some
        of the labels are wrong.
    hyperparameters
        What is maximised: the "elbo" over all data; for Gaussian noise also the likelihood of a "subset" or the collapsed
        "bound".

    Of labels, `predict` tells the probability that they are 1 and `predict_proba` those of both; `posterior` is that of f.

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
        allocate: str | Mapping[str, Any] = "cvr",
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
        self.allocate = allocate
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
        """Chooses inducing points, learns what is not given, and computes the optimal q(u), or takes the given one: mean and
        lower triangular root of the whitened inducing variables."""
        self._fit(
            X,
            y,
            optimize=optimize,
            inducing=self.inducing,
            allocate=self.allocate,
            hyperparameters=self.hyperparameters,
            likelihood=self.likelihood if isinstance(self.likelihood, str) else dict(self.likelihood),
            jitter=self.jitter,
            q=q,
        )
        return self

    @property
    def inducing_points_(self) -> Array:
        """The points through which it sees the data."""
        return _present(self._model().inducing_points())

    def elbo(self) -> float:
        """The variational bound on the log marginal likelihood of the data, at the fit."""
        return self._model().objective()

    @overload
    def predict(self, X: ArrayLike, return_std: Literal[False] = False) -> Array: ...
    @overload
    def predict(self, X: ArrayLike, return_std: Literal[True]) -> tuple[Array, Array]: ...
    @overload
    def predict(self, X: ArrayLike, return_std: bool) -> Array | tuple[Array, Array]: ...
    def predict(self, X: ArrayLike, return_std: bool = False) -> Array | tuple[Array, Array]:
        """Means of the function and, if wanted, standard deviations; of labels, probabilities of 1 and their deviations."""
        if self.likelihood == "gaussian":
            return super().predict(X, return_std)
        mean, variance = self.predict_observed(X)
        return (mean, np.sqrt(variance)) if return_std else mean

    @property
    def predict_proba(self) -> Callable[[ArrayLike], Array]:
        """`predict_proba(X)`: the probabilities of the labels 0 and 1. There is none for Gaussian noise."""
        if self.likelihood == "gaussian":
            raise AttributeError("outcomes with Gaussian noise have no probabilities: choose another likelihood")
        return self._probabilities

    def _probabilities(self, X: ArrayLike) -> Array:
        ones = self.predict_observed(X).mean
        return np.column_stack([1 - ones, ones])


def _present(points: Array | None) -> Array:
    assert points is not None, "a sparse model has inducing points"
    return points


def _number(given: Any) -> float | None:
    return None if given is None else float(given)


def _equal(a: Any, b: Any) -> bool:
    return bool(np.array_equal(np.asarray(a, dtype=object), np.asarray(b, dtype=object)))


def _learning(given: Hyperparameters, rows: int) -> Any:
    if isinstance(given, Mapping):
        return {str(name): int(size) for name, size in given.items()}
    known = {"subset": {"subset": 1500}, "all": {"subset": max(rows, 1)}, "bound": "bound", "elbo": "elbo"}
    if given not in known:
        raise ValueError(f'hyperparameters={given!r} must be one of {list(known)} or {{"subset": 3000}}')
    return known[given]


def _feature_names(given: Any) -> npt.NDArray[Any] | None:
    columns = getattr(given, "columns", None)
    if columns is None or not all(isinstance(name, str) for name in columns):
        return None
    return np.asarray(columns, dtype=object)


def _matrix(given: Any, what: str) -> Array:
    if hasattr(given, "toarray"):
        raise TypeError("Sparse data was passed, but dense data is required: use .toarray()")
    array = np.asarray(given)
    if np.iscomplexobj(array):
        raise ValueError("Complex data not supported")
    if array.dtype.kind in "SVmM":
        raise ValueError(f"{what} needs numbers, not values of type {array.dtype}")
    array = array.astype(np.float64)
    if array.ndim == 1:
        raise ValueError(
            "Expected 2D array, got 1D array instead. Reshape your data either using X.reshape(-1, 1) if it has a single "
            "feature or X.reshape(1, -1) if it is a single sample"
        )
    if array.ndim != 2:
        raise ValueError(f"Expected 2D array, got {array.ndim}D array instead")
    if array.shape[1] == 0:
        raise ValueError(f"0 feature(s) (shape={array.shape}) while a minimum of 1 is required.")
    if array.shape[0] == 0:
        raise ValueError(f"0 sample(s) (shape={array.shape}) while a minimum of 1 is required.")
    return np.ascontiguousarray(array)


def _outcomes(given: Any, rows: int) -> Array:
    if given is None:
        raise ValueError("requires y to be passed, but the target y is None")
    array = np.asarray(given)
    if np.iscomplexobj(array):
        raise ValueError("Complex data not supported")
    array = array.astype(np.float64)
    if array.ndim == 2 and array.shape[1] == 1:
        _warn_column_vector()
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError(f"y should be a 1d array, got an array of shape {array.shape} instead")
    if len(array) != rows:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: [{rows}, {len(array)}]")
    return np.ascontiguousarray(array)


def _warn_column_vector() -> None:
    kind = getattr(sys.modules.get("sklearn.exceptions"), "DataConversionWarning", UserWarning)
    warnings.warn("A column-vector y was passed when a 1d array was expected", kind, stacklevel=4)


def _not_fitted(message: str) -> Exception:
    """scikit-learn's own exception where it is in use: its tools look for that."""
    kind = getattr(sys.modules.get("sklearn.exceptions"), "NotFittedError", AttributeError)
    error: Exception = kind(message)
    return error
