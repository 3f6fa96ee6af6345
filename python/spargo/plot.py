"""Figures of a study: each function draws into `ax`, or a new figure, and returns the axes.

>>> import matplotlib
>>> matplotlib.use("agg")
>>> import spargo
>>> study = spargo.maximize(lambda p: -(p["x"] - 0.3) ** 2, {"x": (0.0, 1.0)}, budget=20)
>>> ax = spargo.plot.best_so_far(study)
>>> ax.get_xlabel()
'trials'
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt
import numpy as np
import numpy.typing as npt

from .errors import UnsupportedError
from .space import Choice, Dimension, Int, Ordinal, Values, several

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .study import Study
    from .trial import Trial

__all__ = ["best_so_far", "front", "inducing_points", "predicted", "regret", "slices"]

Array = npt.NDArray[np.float64]

_BLUE, _ORANGE, _GREY = "#2f6fb0", "#d9791a", "#9a9a9a"
_GRID = 101


def best_so_far(study: Study, *, output: str | None = None, ax: Axes | None = None) -> Axes:
    """Outcomes of an objective in the order of trials, and the best feasible one so far."""
    name, sign = _objective(study, output)
    ax = _axes(ax)
    trials, best = _done(study), _bests(study, name, sign)
    numbers = [trial.id for trial in trials]
    ax.plot(numbers, _values(trials, name), ".", color=_GREY, markersize=4, label="outcomes")
    ax.step(numbers, best, where="post", color=_BLUE, label="best so far")
    ax.set(xlabel="trials", ylabel=name)
    ax.legend()
    return ax


def regret(study: Study, optimum: float, *, output: str | None = None, ax: Axes | None = None) -> Axes:
    """Difference of the best feasible outcome so far to a known optimum, on a logarithmic scale.

    Nothing is drawn where a noisy outcome is better than the optimum.
    """
    name, sign = _objective(study, output)
    ax = _axes(ax)
    gap = sign * (optimum - _bests(study, name, sign))
    ax.step([trial.id for trial in _done(study)], np.where(gap > 0, gap, np.nan), where="post", color=_BLUE)
    ax.set(xlabel="trials", ylabel=f"regret of {name}")
    if (gap > 0).any():
        ax.set_yscale("log")
    return ax


def slices(
    study: Study,
    inputs: Sequence[str] | None = None,
    *,
    output: str | None = None,
    at: dict[str, Any] | None = None,
    ax: Axes | Sequence[Axes] | None = None,
) -> list[Axes]:
    """Posterior mean and central 95 % interval along each input through a point, by default the best one. One axes per input."""
    names = list(inputs or study.inputs)
    if not study.directions and output is None:
        output = study.outputs[0]
    point = at if at is not None else _centre(study)
    if ax is None:
        size = (2.8 * len(names), 2.6)
        _, grid = plt.subplots(1, len(names), figsize=size, sharey=True, squeeze=False, layout="constrained")
        row: list[Axes] = list(grid[0])
    else:
        row = list(np.ravel(np.asarray(ax, dtype=object)))
    if len(row) != len(names):
        raise ValueError(f"there are {len(row)} axes for {len(names)} inputs")
    for name, one in zip(names, row):
        _slice(study, name, point, output, one)
    row[0].set_ylabel(output or next(iter(study.directions)))
    return row


def front(study: Study, objectives: Sequence[str] | None = None, *, ax: Axes | None = None) -> Axes:
    """Outcomes of two objectives, and their Pareto front."""
    first, second = objectives or _two(list(study.directions), "objectives")
    ax = _axes(ax)
    trials = _done(study)
    best = [point.trial for point in study.fronts().observed]
    ax.plot(_values(trials, first), _values(trials, second), ".", color=_GREY, markersize=4, label="outcomes")
    x, y = _values(best, first), _values(best, second)
    order = np.argsort(x)
    joined = "-o" if len(study.directions) == 2 else "o"
    ax.plot(x[order], y[order], joined, color=_BLUE, markersize=4, linewidth=1, label="front")
    ax.set(xlabel=_label(study, first), ylabel=_label(study, second))
    ax.legend()
    return ax


def inducing_points(
    study: Study, inputs: Sequence[str] | None = None, *, output: str | None = None, ax: Axes | None = None
) -> Axes:
    """Inducing points of the model over two inputs, in front of the data."""
    names = list(inputs or study.inputs[:2])
    if len(names) == 1:
        names *= 2
    first, second = _two(names, "inputs")
    ax = _axes(ax)
    trials = _done(study)
    points = study.inducing_points(output if output is not None or len(study.outputs) == 1 else study.outputs[0])
    _scatter(study, (first, second), [trial.params for trial in trials], ax, ".", _GREY, "data")
    if points is not None:
        _scatter(study, (first, second), points, ax, "x", _ORANGE, f"{len(points)} inducing points")
    else:
        ax.set_title("the model is exact: it has no inducing points", fontsize="small")
    for name, axis in ((first, ax.xaxis), (second, ax.yaxis)):
        domain = study.space[name]
        axis.set_label_text(name)
        if isinstance(domain, (Choice, Ordinal)):
            axis.set_ticks(range(len(domain.choices)), domain.labels())
        elif domain.log:
            (ax.set_xscale if axis is ax.xaxis else ax.set_yscale)("log")
    ax.legend()
    return ax


def predicted(study: Study, *, output: str | None = None, ax: Axes | None = None) -> Axes:
    """Leave-one-out predictions with central 95 % intervals against outcomes: good models are close to the diagonal."""
    observed, mean, lower, upper = study.leave_one_out(output)
    if len(observed) == 0:
        raise ValueError("there is nothing to draw: the study has no outcomes")
    ax = _axes(ax)
    error = np.clip(np.vstack([mean - lower, upper - mean]), 0, None)
    ax.errorbar(observed, mean, error, fmt=".", color=_BLUE, ecolor="#bcd2e8", markersize=4, elinewidth=1)
    ends = [min(observed.min(), mean.min()), max(observed.max(), mean.max())]
    ax.plot(ends, ends, "-", color=_ORANGE, linewidth=1)
    ax.set(xlabel="observed", ylabel="predicted by leave-one-out")
    goals = [one["goal"] for one in study.config["outputs"]]
    if goals[study._output(output)] != "classify":  # Intervals of classes are of their probabilities.
        inside = float(np.mean((lower <= observed) & (observed <= upper)))
        ax.set_title(f"{inside:.0%} within their 95 % intervals")
    return ax


def _axes(ax: Axes | None) -> Axes:
    return plt.subplots(figsize=(5, 3.5), layout="constrained")[1] if ax is None else ax


def _done(study: Study) -> list[Trial]:
    trials = [trial for trial in study.trials if len(trial.values or {}) == len(study.outputs)]
    if not trials:
        raise ValueError("there is nothing to draw: the study has no outcomes")
    return trials


def _values(trials: Sequence[Trial], name: str) -> Array:
    return np.array([(trial.values or {})[name] for trial in trials], dtype=np.float64)


def _objective(study: Study, output: str | None) -> tuple[str, float]:
    directions = study.directions
    if output is None and len(directions) == 1:
        output = next(iter(directions))
    if output is None or output not in directions:
        raise ValueError(f"name the objective: one of {list(directions)}")
    return output, 1.0 if directions[output] == "max" else -1.0


def _bests(study: Study, name: str, sign: float) -> Array:
    """Best feasible outcome after each trial; NaN before the first one."""
    trials = _done(study)
    feasible = np.array([study.is_feasible(trial) for trial in trials])
    values = np.where(feasible, sign * _values(trials, name), -np.inf)
    best = np.maximum.accumulate(values)
    return np.where(np.isfinite(best), sign * best, np.nan)


def _centre(study: Study) -> dict[str, Any]:
    last = _done(study)[-1].params
    if len(study.directions) == 1:
        try:
            return study.best().params
        except UnsupportedError:  # No trial is feasible.
            return last
    believed = study.fronts().believed if study.directions else []
    return believed[0].params if believed else last


def _slice(study: Study, name: str, point: dict[str, Any], output: str | None, ax: Axes) -> None:
    space = study.space
    domain = space[name]
    ax.set_xlabel(name)
    if _is_inactive(space, point, name):
        ax.text(0.5, 0.5, "inactive here", ha="center", va="center", color=_GREY, transform=ax.transAxes)
        return
    values = _along(domain)
    mean, lower, upper = study.predict_interval([_consistent(space, {**point, name: value}) for value in values], output)
    if isinstance(domain, (Choice, Ordinal)):
        places = np.arange(len(values))
        ax.errorbar(places, mean, np.clip([mean - lower, upper - mean], 0, None), fmt="o", color=_BLUE, capsize=3)
        ax.set_xticks(places, domain.labels())
        here: float = values.index(point[name])
    else:
        ax.fill_between(values, lower, upper, color=_BLUE, alpha=0.2, linewidth=0)
        ax.plot(values, mean, color=_BLUE)
        ax.set_xscale("log" if domain.log else "linear")
        here = point[name]
    ax.axvline(here, color=_ORANGE, linewidth=1, linestyle="--")


def _is_inactive(space: dict[str, Dimension], point: dict[str, Any], name: str) -> bool:
    return point[name] is None and space[name].when is not None


def _consistent(space: dict[str, Dimension], point: dict[str, Any]) -> dict[str, Any]:
    """A point without values of inactive inputs, and with the middle value of those that are active and have none."""
    point = dict(point)
    for _ in space:  # A condition may be about an input that has a condition.
        for name, domain in space.items():
            if any(point[parent] not in several(values) for parent, values in (domain.when or {}).items()):
                point[name] = None
            elif _is_inactive(space, point, name):
                values = _along(domain)
                point[name] = values[len(values) // 2]
    return point


def _scatter(
    study: Study, names: tuple[str, str], points: Sequence[dict[str, Any]], ax: Axes, mark: str, color: str, label: str
) -> None:
    space = study.space
    domains = [space[name] for name in names]
    points = [point for point in points if not any(_is_inactive(space, point, name) for name in names)]
    columns = [
        [domain.choices.index(p[name]) if isinstance(domain, (Choice, Ordinal)) else p[name] for p in points]
        for name, domain in zip(names, domains)
    ]
    ax.plot(*columns, mark, color=color, markersize=5, label=label)


def _along(domain: Dimension) -> list[Any]:
    """Values of an input from bound to bound."""
    if isinstance(domain, (Choice, Ordinal)):
        return list(domain.choices)
    if isinstance(domain, Values):
        return sorted(domain.values)
    even = (np.geomspace if domain.log else np.linspace)(domain.lower, domain.upper, _GRID)
    grid = np.clip(even, domain.lower, domain.upper)
    if isinstance(domain, Int):
        return sorted({int(round(value)) for value in grid})
    values: list[float] = grid.tolist()
    if domain.digits is not None:
        values = sorted({round(value, domain.digits) for value in values})
    if domain.step is not None:
        lower, step = Decimal(str(domain.lower)), Decimal(str(domain.step))
        values = sorted({float(lower + step * round((value - domain.lower) / domain.step)) for value in values})
    return [value for value in values if domain.lower <= value <= domain.upper]


def _two(names: Sequence[str], what: str) -> tuple[str, str]:
    if len(names) != 2:
        raise ValueError(f"name two {what}: there are {list(names)}")
    return names[0], names[1]


def _label(study: Study, name: str) -> str:
    return f"{name} ({study.directions[name]})"
