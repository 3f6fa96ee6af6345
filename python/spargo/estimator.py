"""Base class of the models: scikit-learn's conventions, predictions, paths, copies."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, Union, overload

import numpy as np
import numpy.typing as npt

from . import _spargo
from .arrays import feature_names, matrix, not_fitted, outcomes
from .options import method_table, to_settings
from .posterior import Paths, Posterior, Prediction

if TYPE_CHECKING:
    from typing import Literal

Array = npt.NDArray[np.float64]
ArrayLike = npt.ArrayLike
Hyperparameters = Union[str, Mapping[str, int]]
Model = TypeVar("Model", bound="Estimator")


@dataclasses.dataclass(repr=False, eq=False)
class Estimator:
    """Base class of the models; the fields are the parameters, those that every model has first."""

    _inference: ClassVar[str]
    kernel: str = "matern52"
    variance: float | None = None
    lengthscales: float | ArrayLike | None = None
    noise: float | None = None
    mean: float | None = None

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters of the constructor."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}

    def set_params(self: Model, **params: Any) -> Model:
        """Changes parameters of the constructor."""
        names = list(self.get_params())
        for name, value in params.items():
            if name not in names:
                raise ValueError(f"{name!r} is no parameter of {type(self).__name__}: the parameters are {names}")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        given = [(field.name, getattr(self, field.name), field.default) for field in dataclasses.fields(self)]
        changed = [f"{name}={value!r}" for name, value, default in given if not _equal(value, default)]
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

    def fit(self: Model, X: ArrayLike, y: ArrayLike, optimize: bool = True) -> Model:
        """Chooses inducing points, if the model has any, learns the hyperparameters that are not fixed, and computes the posterior."""
        return self._fit(X, y, optimize)

    def _fit(
        self: Model, X: ArrayLike, y: ArrayLike, optimize: bool, q: tuple[ArrayLike, ArrayLike] | None = None
    ) -> Model:
        names = feature_names(X)
        x = matrix(X, type(self).__name__)
        targets = outcomes(y, len(x))
        params = self.get_params()
        points = None
        if not isinstance(params.get("inducing", 0), (int, np.integer)):
            points = matrix(params.pop("inducing"), type(self).__name__)
        settings = {
            **params,
            **{name: number(name, params.get(name)) for name in ("variance", "noise", "mean", "jitter")},
            "lengthscales": scales_of(self.lengthscales),
            "allocation": method_table(params.get("allocation", "random")),
            "hyperparameters": _objective(params["hyperparameters"], len(x)) if optimize else "fixed",
            "inference": self._inference,
        }
        given = None if q is None else (np.asarray(q[0], dtype=np.float64), matrix(q[1], "q"))
        self._fitted = _spargo.Fitted.fit(x, targets, json.dumps(to_settings(settings)), points, given)
        self._describe(x.shape[1], names)
        return self

    def _describe(self, features: int, names: npt.NDArray[Any] | None) -> None:
        """Sets the attributes of a fitted model, which end with an underscore."""
        self.variance_, lengthscales, self.noise_, self.mean_ = self._fitted.hyperparameters()
        self.lengthscales_ = np.array(lengthscales)
        # What was given comes back as it was, without a round trip through the model's units.
        for name in ("variance", "noise", "mean"):
            if (given := getattr(self, name)) is not None:
                setattr(self, f"{name}_", float(given))
        if self.lengthscales is not None:
            self.lengthscales_ = np.full(features, self.lengthscales, dtype=np.float64)
        self.n_features_in_ = features
        if names is not None:
            self.feature_names_in_ = names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_fitted")

    def _model(self) -> _spargo.Fitted:
        if not hasattr(self, "_fitted"):
            raise not_fitted(f"This {type(self).__name__} instance is not fitted yet: call fit first")
        return self._fitted

    def _rows(self, X: ArrayLike) -> Array:
        self._model()
        names = feature_names(X)
        known = getattr(self, "feature_names_in_", None)
        if names is not None and known is not None and not np.array_equal(names, known):
            raise ValueError(
                "The feature names should match those that were passed during fit. "
                f"Fitted on {list(known)}, asked about {list(names)}"
            )
        x = matrix(X, type(self).__name__)
        if x.shape[1] != self.n_features_in_:
            raise ValueError(
                f"X has {x.shape[1]} features, but {type(self).__name__} is expecting {self.n_features_in_} features "
                "as input"
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
        """Means of the function without noise, or probabilities of the label 1, and with `return_std` their standard deviations."""
        mean, variance = self._model().predict(self._rows(X), self._has_labels())
        return (mean, np.sqrt(variance)) if return_std else mean

    def _has_labels(self) -> bool:
        """Whether outcomes are labels."""
        return False

    def predict_observed(self, X: ArrayLike) -> Prediction:
        """Means and variances of observations, noise included."""
        return Prediction(*self._model().predict(self._rows(X), True))

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """R², the share of the variance of y that the means explain."""
        mean = self.predict(X, False)
        targets = outcomes(y, len(mean))
        weights = np.ones(len(mean)) if sample_weight is None else np.asarray(sample_weight, float)
        left = float(np.sum(weights * (targets - mean) ** 2))
        total = float(np.sum(weights * (targets - np.average(targets, weights=weights)) ** 2))
        return 1.0 - left / total if total > 0 else float(left == 0)

    @property
    def posterior(self) -> Posterior:
        """Posterior of the function."""
        return Posterior(self._model().posterior(), self._rows)

    def sample_paths(self, count: int, seed: int = 0, *, features: int = 1000) -> Paths:
        """Functions drawn from the posterior: callables with a `gradient`.

        >>> import numpy as np, spargo
        >>> X = np.linspace(0, 1, 30)[:, None]
        >>> paths = spargo.ExactGP().fit(X, np.sin(6 * X[:, 0])).sample_paths(2, seed=1)
        >>> paths[0](X).shape, paths[0].gradient(X).shape
        ((30,), (30, 1))
        """
        return self.posterior.sample_paths(count, seed, features=features)

    @property
    def report_(self) -> dict[str, Any]:
        """Report of the fit: evaluations, why the search ended, jitter."""
        return self._model().report()

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


def number(name: str, given: Any) -> float | None:
    """A finite float, or `None`."""
    if given is not None and not np.isfinite(float(given)):
        raise ValueError(f"{name} = {given} must be finite")
    return None if given is None else float(given)


def scales_of(given: Any) -> list[float] | None:
    """Length scales, or `None`: one, or one per input."""
    if given is None:
        return None
    scales = np.atleast_1d(np.asarray(given, dtype=np.float64))
    if scales.ndim != 1 or not np.isfinite(scales).all():
        raise ValueError(f"lengthscales = {given!r} must be one finite number, or one per input")
    return [float(scale) for scale in scales]


def _equal(a: Any, b: Any) -> bool:
    return bool(np.array_equal(np.asarray(a, dtype=object), np.asarray(b, dtype=object)))


def _objective(given: Hyperparameters, rows: int) -> Any:
    if isinstance(given, Mapping):
        return {str(name): int(size) for name, size in given.items()}
    known = {"subset": {"subset": 1500}, "all": {"subset": max(rows, 1)}, "bound": "bound", "elbo": "elbo"}
    if given not in known:
        raise ValueError(f'hyperparameters={given!r} must be one of {list(known)} or {{"subset": 3000}}')
    return known[given]
