"""Qualities of your own: which observations matter when a study chooses inducing points."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class QualityContext:
    """Posterior of an output at its observations, in the model's units: outcomes are transformed, and large ones are good."""

    y: Array
    """Outcomes."""
    mean: Array
    """Posterior means of the function without noise."""
    variance: Array
    """Posterior variances of the function without noise."""
    noise: Array
    """Noise variances."""
    level: float
    """Level of interest of an output that is to be known around a level."""
    count: int
    """Number of inducing points that are chosen."""


QualityFunction = Callable[[QualityContext], npt.ArrayLike]
"""Function that returns one weight per observation, finite and not negative."""


def check_quality(quality: QualityFunction | None, allocation: Any) -> None:
    """Refuses two ways of choosing inducing points at once."""
    if quality is not None and allocation is not None:
        raise ValueError(f"allocation={allocation!r} has a quality of its own: leave out one of the two")


def evaluate(
    function: QualityFunction, y: Array, mean: Array, variance: Array, noise: Array, level: float, count: int
) -> Array:
    """Weights of the observations.

    >>> evaluate(lambda context: context.mean - context.mean.min(), *[np.arange(3.0)] * 4, 0.0, 2)
    array([0., 1., 2.])
    """
    weights = np.ascontiguousarray(function(QualityContext(y, mean, variance, noise, level, count)), dtype=np.float64)
    if weights.shape != y.shape:
        raise ValueError(f"quality must return one weight for each of {len(y)} observations, not the shape {weights.shape}")
    if not (np.isfinite(weights) & (weights >= 0)).all():
        raise ValueError("quality must return weights that are finite and not negative")
    return weights
