"""Trials, and what a study has found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Trial:
    """A point and its outcome.

    `values` are the outputs by name once they are told, `noise` their variances where these were given, and `failure` is the
    reason why there are no values. `ask` is the number of the ask that chose the point, if one did.
    """

    id: int
    params: dict[str, Any]
    values: dict[str, float] | None = None
    noise: dict[str, float | None] | None = field(default=None, repr=False)
    failure: str | None = None
    ask: int | None = field(default=None, repr=False)

    @property
    def status(self) -> str:
        """"done", "failed" or "pending"."""
        if self.values is not None:
            return "done"
        return "pending" if self.failure is None else "failed"

    @property
    def value(self) -> float:
        """The first output; NaN if there is none."""
        return next(iter(self.values.values())) if self.values else float("nan")


@dataclass(frozen=True)
class Best:
    """The best trial by posterior mean, and the best trial by outcome.

    `mean` and `interval` (central, 95 %) are of `trial`'s output without noise, by the global or local model that was chosen.
    """

    trial: Trial
    mean: float
    interval: tuple[float, float]
    observed: Trial

    @property
    def params(self) -> dict[str, Any]:
        """Parameters of the best trial by posterior mean."""
        return self.trial.params


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
