"""Posteriors: means, variances, and functions drawn from them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar, overload

import numpy as np
import numpy.typing as npt

from . import _spargo

Array = npt.NDArray[np.float64]
Inner = TypeVar("Inner")


class Prediction(NamedTuple):
    """Means and variances of a function without noise, in the user's units."""

    mean: Array
    variance: Array

    @property
    def std(self) -> Array:
        """Standard deviations."""
        return np.sqrt(self.variance)


class _OfPoints(Generic[Inner]):
    """Functions of points, which `points` encodes."""

    def __init__(self, inner: Inner, points: Callable[[Any], Any]) -> None:
        self._inner = inner
        self._points = points

    def __reduce__(self) -> Any:
        raise TypeError(
            f"a {type(self).__name__} cannot be pickled or copied: pickle the study or model that it comes from, and compute it again"
        )


class Path(_OfPoints[_spargo.Paths]):
    """A function drawn from a posterior.

    >>> import numpy as np, spargo
    >>> study = spargo.Study({"x": (0.0, 1.0)}, seed=1)
    >>> _ = study.add({"x": np.linspace(0, 1, 9)}, np.linspace(0, 1, 9) ** 2)
    >>> path = study.posterior().sample_paths(3, seed=7)[0]
    >>> path({"x": [0.25, 0.75]}).shape
    (2,)
    >>> path.gradient({"x": [0.25, 0.75]}).shape
    (2, 1)
    """

    def __call__(self, points: Any) -> Array:
        """Value of the path at each point."""
        return self._inner.values(self._points(points))[:, 0]

    def gradient(self, points: Any) -> Array:
        """Gradient of the path at each point, one row per point and one column per input."""
        return self._inner.gradient(0, self._points(points))


class Paths(_OfPoints[_spargo.Paths], Sequence[Path]):
    """Functions drawn from a posterior: a list of `Path`, which can be evaluated together."""

    def __len__(self) -> int:
        return len(self._inner)

    @overload
    def __getitem__(self, index: int) -> Path: ...
    @overload
    def __getitem__(self, index: slice) -> list[Path]: ...
    def __getitem__(self, index: int | slice) -> Path | list[Path]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        number = index + len(self) if index < 0 else index
        if not 0 <= number < len(self):
            raise IndexError(f"there is no path {index}: there are {len(self)}")
        return Path(self._inner.only(number), self._points)

    def __call__(self, points: Any) -> Array:
        """Value of every path at every point, one row per point and one column per path."""
        return self._inner.values(self._points(points))


class Posterior(_OfPoints[_spargo.Posterior]):
    """Posterior of a Gaussian process, in the user's units."""

    def __len__(self) -> int:
        """Number of inducing points, or of data if the posterior is exact."""
        return self._inner.size()

    def predict(self, points: Any) -> Prediction:
        """Means and variances of the function, without noise."""
        return Prediction(*self._inner.predict(self._points(points)))

    def sample_paths(self, count: int, seed: int = 0, *, features: int = 1000) -> Paths:
        """Functions drawn from the posterior: callables with a `gradient`.

        `features` is the number of random features of a path's prior part.
        """
        return Paths(self._inner.sample_paths(count, features, seed), self._points)
