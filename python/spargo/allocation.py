"""Allocation: the choice of inducing points among the rows of an array."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Union

import numpy as np
import numpy.typing as npt

from . import _spargo
from .arrays import matrix, outcomes
from .estimator import Estimator, number, scales_of
from .options import Allocation, method_table, to_settings

Quality = Union[npt.ArrayLike, Callable[[npt.NDArray[np.float64]], npt.ArrayLike]]


def allocate(
    X: npt.ArrayLike,
    m: int,
    *,
    allocation: Allocation = "cvr",
    kernel: str | Estimator = "matern52",
    quality: Quality | None = None,
    y: npt.ArrayLike | None = None,
    goal: str = "max",
    level: float = 0.0,
    variance: float | None = None,
    lengthscales: float | npt.ArrayLike | None = None,
    noise: float | None = None,
    mean: float | None = None,
    seed: int = 0,
) -> npt.NDArray[np.intp]:
    """Indices of up to `m` rows of X as inducing points, in the order of choice.

    Parameters
    ----------
    allocation
        "cvr" covers the data, "random" is a random subset; "imp-dpp", "ent-dpp", "lin-dpp" and "al-dpp" prefer rows with good
        outcomes, with information about the optimum, or close to a level; "dpp" draws an exact sample. A dictionary has the
        method's settings as well: `{"method": "imp-dpp", "baseline": "max"}`.
    kernel
        Name of a kernel, or a fitted model that has it. Length scales that are not given are learned if there are outcomes,
        otherwise they are proportional to the range of the data.
    quality
        Weights of your own, one per row and none negative: an array, or a function of X that returns one. Rows are chosen
        greedily by weight and diversity ("cvr"), or drawn ("dpp").
    y, goal, level
        Outcomes, whether large or small ones are good ("max", "min"), and the level of "al-dpp".
    seed
        Random seed.

    Fewer rows are returned if these already determine all others.

    Examples
    --------
    >>> import numpy as np, spargo
    >>> X = np.linspace(0, 1, 101)[:, None]
    >>> sorted(spargo.allocate(X, 3, lengthscales=0.5).tolist())
    [0, 50, 100]
    >>> rows = spargo.allocate(X, 5, lengthscales=0.1, quality=lambda X: np.exp(-50 * (X[:, 0] - 0.5) ** 2))
    >>> bool((abs(X[rows, 0] - 0.5) < 0.4).all())
    True
    """
    x = matrix(X, "allocate")
    scales = scales_of(lengthscales)
    family = kernel
    if isinstance(kernel, Estimator):
        kernel._model()
        family = kernel.kernel
        scales = kernel.lengthscales_.tolist() if scales is None else scales
        variance = kernel.variance_ if variance is None else variance
        noise = kernel.noise_ if noise is None else noise
        mean = kernel.mean_ if mean is None else mean
    chosen = method_table(allocation)
    if quality is not None and chosen.get("method") not in ("cvr", "dpp"):
        raise ValueError(f"allocation={allocation!r} has a quality of its own: leave out one of the two")
    numbers = {"variance": variance, "noise": noise, "mean": mean, "level": level}
    settings = {
        **{name: number(name, given) for name, given in numbers.items()},
        "allocation": chosen,
        "kernel": family,
        "lengthscales": scales,
        "goal": goal,
        "seed": seed,
    }
    weights = quality(x) if callable(quality) else quality
    given = None if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
    if given is not None and given.ndim != 1:
        raise ValueError(f"quality must have one number per row, not the shape {given.shape}")
    targets = None if y is None else outcomes(y, len(x))
    return np.array(_spargo.allocate(x, m, json.dumps(to_settings(settings)), targets, given), dtype=np.intp)
