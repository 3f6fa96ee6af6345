"""Benchmark problems: functions of an array's rows, with their optima.

>>> import spargo
>>> hartmann6 = spargo.problems.hartmann6
>>> hartmann6.dimension, round(hartmann6.minimum, 4), round(float(hartmann6(hartmann6.minimisers)[0]), 4)
(6, -3.3224, -3.3224)
>>> sorted(spargo.problems.names())[:3]
['ackley5', 'branin', 'dtlz2']
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _spargo
from .space import Int, Real

__all__ = ["Problem", "MultiObjectiveProblem", "by_name", "names"]

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Problem:
    """A function of the rows of an array, to be minimised."""

    name: str
    bounds: list[tuple[float, float]]
    """Lower and upper bound of each input."""
    minimum: float
    """Least value; a lower bound on it if no minimiser is known."""
    minimisers: Array
    """Every point where the minimum is attained, one per row."""
    mean: float
    """Mean over the box."""
    std: float
    """Standard deviation over the box."""
    noise: float
    """Noise variance of `observe`."""
    citation: str

    @property
    def dimension(self) -> int:
        """Number of inputs."""
        return len(self.bounds)

    @property
    def space(self) -> dict[str, Real]:
        """Space for a study; the inputs are x0, x1, …"""
        return {f"x{k}": Real(lower, upper) for k, (lower, upper) in enumerate(self.bounds)}

    @property
    def optimum(self) -> float:
        """Largest value of `scaled`."""
        return (self.mean - self.minimum) / self.std

    def __call__(self, X: npt.ArrayLike) -> Array:
        """Value at each row, to be minimised."""
        return _spargo.evaluate(self.name, _rows(X))

    def scaled(self, X: npt.ArrayLike) -> Array:
        """Negated, standardised value at each row, to be maximised."""
        scaled: Array = (self.mean - self(X)) / self.std
        return scaled

    def observe(self, X: npt.ArrayLike, seed: int) -> Array:
        """`scaled` with Gaussian noise of the variance `noise`."""
        return _spargo.observe(self.name, _rows(X), seed)


@dataclass(frozen=True)
class MultiObjectiveProblem:
    """Several functions of the rows of an array: objectives, then constraints."""

    name: str
    space: dict[str, Real | Int]
    """Space for a study."""
    objectives: dict[str, str]
    """Goals of the objectives by name, for a study."""
    constraints: dict[str, dict[str, float]]
    """Bounds of the constraints by name, for a study."""
    reference: Array
    """Reference point of the objectives, for `spargo.hypervolume`."""
    std: Array
    """Standard deviations of the objectives over the space."""
    noise: float
    """Usual noise variance, for objectives scaled to variance one."""
    citation: str

    @property
    def dimension(self) -> int:
        """Number of inputs."""
        return len(self.space)

    @property
    def outputs(self) -> list[str]:
        """Names of the outputs: objectives, then constraints."""
        return [*self.objectives, *self.constraints]

    def __call__(self, X: npt.ArrayLike) -> Array:
        """All outputs at each row."""
        return _spargo.evaluate_outputs(self.name, _rows(X))

    def hypervolume(self, outputs: npt.ArrayLike) -> float:
        """Hypervolume of the feasible ones among some outputs."""
        rows = np.atleast_2d(np.asarray(outputs, float))
        limits = [limit["at_most"] for limit in self.constraints.values()]
        kept = rows[(rows[:, len(self.objectives) :] <= limits).all(axis=1), : len(self.objectives)]
        return hypervolume(kept, self.reference, goals=list(self.objectives.values()))


def by_name(name: str) -> Problem | MultiObjectiveProblem:
    """Problem with a name."""
    if name not in _ALL:
        raise ValueError(f"there is no problem {name!r}: the problems are {names()}")
    return _ALL[name]


def names() -> list[str]:
    """Names of all problems."""
    return list(_ALL)


def hypervolume(
    points: npt.ArrayLike, reference: npt.ArrayLike, *, goals: str | list[str] | tuple[str, ...] = "max"
) -> float:
    """Hypervolume that points dominate, relative to a reference point.

    `goals` are "max" or "min", for all outputs or one per output.

    >>> import spargo
    >>> spargo.hypervolume([[1.0, 2.0], [2.0, 1.0]], [0.0, 0.0])
    3.0
    >>> spargo.hypervolume([[1.0, 2.0], [2.0, 1.0]], [3.0, 3.0], goals="min")
    3.0
    """
    turned = np.asarray(reference, dtype=np.float64)
    if turned.ndim != 1:
        raise ValueError(f"the reference must be a list of numbers, not an array of shape {turned.shape}")
    each = [goals] * len(turned) if isinstance(goals, str) else list(goals)
    if len(each) != len(turned) or not set(each) <= {"max", "min"}:
        raise ValueError(f'goals={goals!r} must be "max" or "min", for all {len(turned)} outputs or one per output')
    signs = np.array([1.0 if goal == "max" else -1.0 for goal in each])
    rows = np.asarray(points, dtype=np.float64).reshape(-1, len(turned)) if np.size(points) == 0 else _rows(points)
    if rows.shape[1] != len(turned):
        raise ValueError(f"points have {rows.shape[1]} outputs, the reference has {len(turned)}")
    return _spargo.hypervolume(np.ascontiguousarray(rows * signs), turned * signs)


def _rows(given: Any) -> Array:
    array = np.asarray(given, dtype=np.float64)
    return np.ascontiguousarray(array[None, :] if array.ndim == 1 else array)


def _problem(given: dict[str, Any]) -> Problem:
    bounds = [(lower, upper) for lower, upper in given["bounds"]]
    minimisers = np.array(given["minimisers"]).reshape(-1, len(bounds))
    return Problem(**{**given, "bounds": bounds, "minimisers": minimisers})


def _input(name: str, lower: float, upper: float, numbers: str) -> Real | Int:
    return Int(int(lower), int(upper)) if numbers == "int" else Real(lower, upper)


def _multi_objective(given: dict[str, Any]) -> MultiObjectiveProblem:
    objectives = given["objectives"]
    return MultiObjectiveProblem(
        given["name"],
        {one["name"]: _input(**one) for one in given["inputs"]},
        {one["name"]: one["direction"] for one in objectives},
        {one["name"]: {"at_most": one["at_most"]} for one in given["constraints"]},
        np.array([one["reference"] for one in objectives]),
        np.array([one["std"] for one in objectives]),
        given["noise"],
        given["citation"],
    )


_ONE = {given["name"]: _problem(given) for given in _spargo.list_problems()}
_SEVERAL = {given["name"]: _multi_objective(given) for given in _spargo.list_multi_objective()}
_ALL: dict[str, Problem | MultiObjectiveProblem] = {**_ONE, **_SEVERAL}

shekel4 = _ONE["shekel4"]
hartmann6 = _ONE["hartmann6"]
ackley5 = _ONE["ackley5"]
michalewicz5 = _ONE["michalewicz5"]
rosenbrock4 = _ONE["rosenbrock4"]
rosenbrock4_trieste = _ONE["rosenbrock4-trieste"]
branin = _ONE["branin"]
levy10 = _ONE["levy10"]
rover60 = _ONE["rover60"]
zdt1 = _SEVERAL["zdt1"]
zdt2 = _SEVERAL["zdt2"]
zdt3 = _SEVERAL["zdt3"]
dtlz2 = _SEVERAL["dtlz2"]
vlmop2 = _SEVERAL["vlmop2"]
radiator = _SEVERAL["radiator"]
