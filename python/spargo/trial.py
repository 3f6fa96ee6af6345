"""Trials, and what a study has found."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["Best", "Fronts", "Trial"]


@dataclass(frozen=True)
class Trial:
    """A point, and what is known of it.

    `values` are its outputs by name once they are told, `noise` their variances where these were given, `failure` is the
    reason why there are none. `ask` is the number of the step that asked for it, if one did.
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
        """Its first output; NaN if there is none."""
        return next(iter(self.values.values())) if self.values else float("nan")


@dataclass(frozen=True)
class Best:
    """What a study has found: the evaluated point that models take for the best, and the best outcome as it was told.

    `mean` and `interval` are of the model that knows the point best, which may be one of its neighbourhood alone.
    """

    trial: Trial
    mean: float
    interval: tuple[float, float]
    observed: Trial

    @property
    def params(self) -> dict[str, Any]:
        """The point that the model believes to be best."""
        return self.trial.params


@dataclass(frozen=True)
class Fronts:
    """The trials that no other one beats in every objective, by posterior means and by outcomes."""

    believed: list[Trial]
    observed: list[Trial]
