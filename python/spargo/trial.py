"""Trials, and what a study has found."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Trial:
    """A point and what is known of its outputs.

    `values` are the outputs that were observed, by name (`None` if there are none), `noise` their variances where these are
    known, and `failures` the reasons why others could not be measured. `ask` is the number of the ask that chose the point,
    if one did. `status` is "pending" or "partial" (some outputs were observed) as long as something is still to come, then
    "done", or "failed" if nothing was observed; or "discarded": then there is nothing but `Study.history()`.
    """

    id: int
    params: dict[str, Any]
    values: dict[str, float] | None = None
    noise: dict[str, float] | None = field(default=None, repr=False)
    failures: dict[str, str] | None = None
    ask: int | None = field(default=None, repr=False)
    status: str = "pending"
    output: str | None = field(default=None, repr=False, compare=False)
    """Name of the study's first output."""
    row: int | None = field(default=None, repr=False)
    """Row of the table of candidates as it was given, counted from 0; `None` if the point is none of them."""
    labels: dict[str, str] = field(default_factory=dict, repr=False)
    """Other columns of that row, such as an id or a supplier."""

    def __hash__(self) -> int:
        """By its number: dictionaries, such as those of parameters, have no hash."""
        return hash(self.id)

    @property
    def failure(self) -> str | None:
        """Why an output could not be measured, the first one's if there are several; `None` if none failed."""
        return next(iter(self.failures.values())) if self.failures else None

    @property
    def value(self) -> float:
        """The study's first output; NaN if it was not observed."""
        values = self.values or {}
        return values.get(self.output or next(iter(values), ""), float("nan"))


@dataclass(frozen=True)
class Best:
    """The recommended trial, and the best trial by outcome.

    `mean` and `interval` (central, 95 %) are of `trial`'s output without noise, by the global or local model that was chosen.
    Where no trial satisfies all constraints, `feasible` is false, and the trials are the least infeasible ones.
    """

    trial: Trial
    mean: float
    interval: tuple[float, float]
    observed: Trial
    feasible: bool = True

    def __repr__(self) -> str:
        """Its fields, with a warning first where nothing is feasible.

        >>> Best(Trial(1, {}), 0.5, (0.0, 1.0), Trial(1, {}), feasible=False)  # doctest: +ELLIPSIS
        Best(no trial satisfies all constraints; the least infeasible: trial=Trial(id=1, ...
        """
        warning = "" if self.feasible else "no trial satisfies all constraints; the least infeasible: "
        names = ("trial", "mean", "interval", "observed", "feasible")
        return f"Best({warning}{', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

    @property
    def params(self) -> dict[str, Any]:
        """Parameters of the recommended trial."""
        return self.trial.params


@dataclass(frozen=True)
class Anywhere:
    """The best point of the space by the model of all trials, evaluated or not.

    `mean` and `interval` (central, 95 %) are of the output without noise there. `trial` is the first trial at that very point, `None`
    if it was not evaluated. Where no point that satisfies all constraints was found, `feasible` is false, and the point is the least
    infeasible one.
    """

    params: dict[str, Any]
    mean: float
    interval: tuple[float, float]
    trial: Trial | None = None
    feasible: bool = True
    row: int | None = field(default=None, repr=False)
    """Row of the table of candidates as it was given, counted from 0; `None` without such a table."""
    labels: dict[str, str] = field(default_factory=dict, repr=False)
    """Other columns of that row."""


@dataclass(frozen=True)
class ParetoPoint:
    """A trial that no other one beats in every objective, and the values by which it was compared."""

    trial: Trial
    values: dict[str, float]

    @property
    def params(self) -> dict[str, Any]:
        """Parameters of the trial."""
        return self.trial.params


@dataclass(frozen=True)
class Fronts:
    """Pareto fronts of a study's trials, by posterior mean (`believed`) and by outcome (`observed`)."""

    believed: list[ParetoPoint]
    observed: list[ParetoPoint]


def numbers_of(trials: Trial | int | Iterable[Trial | int]) -> list[int]:
    """Numbers of one or several trials.

    >>> numbers_of([Trial(3, {}), 4])
    [3, 4]
    """
    if isinstance(trials, (Trial, int, np.integer)):
        return numbers_of([trials])
    return [trial.id if isinstance(trial, Trial) else operator.index(trial) for trial in trials]
