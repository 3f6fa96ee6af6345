"""The policy of a run: what to evaluate next, and when to stop.

```text
    new points ─▶ … ─▶ budget − final_replicates trials ─▶ replicates of the likely winners ─▶ budget trials
```
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Union

from .errors import ExhaustedError

if TYPE_CHECKING:
    from .study import Study
    from .trial import Trial

__all__ = ["Campaign", "Done", "Evaluate", "Mode", "Step", "Wait"]

Mode = Literal["batch", "async"]

_FEWEST_FAILURES, _MOST_FAILURES = 5, 20
"""Failures without any success after which a run is given up: as many as initial points, within these bounds."""


@dataclass(frozen=True)
class Evaluate:
    """These trials are to be evaluated."""

    trials: list[Trial]


@dataclass(frozen=True)
class Wait:
    """Nothing is to be started before another outcome is told."""


@dataclass(frozen=True)
class Done:
    """The run is over: the budget is spent, the space is exhausted, or every evaluation failed."""

    why: Literal["budget", "exhausted", "failing"]


Step = Union[Evaluate, Wait, Done]


class Campaign:
    """Policy of a run over a study; `next` says what to do, given the outcomes that were told.

    `budget` is the number of trials in all, those that the study already has included; the last `final_replicates` of them
    re-evaluate the likely winners. In batches, all of `batch` trials have outcomes before the next ones are asked for; "async"
    asks for as many as workers are idle, and fits models again after `refit_every` outcomes. With `give_up` a run without any
    success ends early; with `resume`, pending trials of the study come first.
    """

    def __init__(
        self,
        budget: int,
        batch: int,
        final_replicates: int = 0,
        give_up: bool = True,
        *,
        mode: Mode = "batch",
        refit_every: int = 1,
        resume: bool = False,
    ) -> None:
        self._budget, self._batch, self._final_replicates = budget, batch, final_replicates
        self._give_up, self._mode, self._refit_every, self._resume = give_up, mode, refit_every, resume
        self._in_flight: set[int] = set()
        self._exhausted = False
        self.done = 0
        """Trials of this run that have an outcome."""
        self.failures: Counter[str] = Counter()
        """Numbers of failures of this run by reason."""
        self.best: float | None = None
        """Best feasible outcome of this run, if there is a single objective."""

    def next(self, study: Study, idle: int) -> Step:
        """What to do now; in async mode, `idle` workers could begin at once."""
        self._note_outcomes(study)
        if self._give_up and self._is_failing(study):
            return Done("failing")
        if self._in_flight and (self._mode == "batch" or idle <= 0):
            return Wait()
        trials = self._choose(study, self._batch if self._mode == "batch" else max(1, idle))
        self._in_flight |= {trial.id for trial in trials}
        if trials:
            return Evaluate(trials)
        if self._in_flight:
            return Wait()
        return Done("exhausted" if self._exhausted else "budget")

    def _note_outcomes(self, study: Study) -> None:
        for trial in study._trials(sorted(self._in_flight)):
            if trial.status != "pending":
                self._in_flight.discard(trial.id)
                self._note(study, trial)

    def _note(self, study: Study, trial: Trial) -> None:
        self.done += 1
        if trial.failure is not None:
            self.failures[trial.failure] += 1
        elif trial.values is not None and len(study.directions) == 1 and study.is_feasible(trial):
            ((name, goal),) = study.directions.items()
            better = max if goal == "max" else min
            self.best = trial.values[name] if self.best is None else better(self.best, trial.values[name])

    def _is_failing(self, study: Study) -> bool:
        enough = min(_MOST_FAILURES, max(_FEWEST_FAILURES, int(study._config["initial"])))
        return self.done == self.failures.total() >= enough

    def _choose(self, study: Study, count: int) -> list[Trial]:
        """Pending trials, new points, or, once all others are complete, replicates."""
        if self._resume:
            self._resume = False
            if pending := study.pending:
                return pending
        left = self._budget - len(study)
        new = left - self._final_replicates
        if new > 0 and not self._exhausted:
            trials = self._ask(study, min(count, new))
            if trials or not self._exhausted:
                return trials
        if left <= 0 or self._in_flight:
            return []
        if study._observed() == 0:
            return self._ask(study, min(count, left))
        return study.replicate(max(0, min(self._batch, self._replicates_left(study, left))))

    def _ask(self, study: Study, count: int) -> list[Trial]:
        """New points: `count`, or as many as the space still has."""
        if count <= 0 or self._exhausted:
            return []
        try:
            return study.ask(count, refit_every=self._refit_every)
        except ExhaustedError as error:
            self._exhausted = True
            return study.ask(error.left)

    def _replicates_left(self, study: Study, left: int) -> int:
        if not self._exhausted:
            return left
        replicated: int = sum(report["again"] for report in study.reports())
        return min(left, self._final_replicates - replicated)
