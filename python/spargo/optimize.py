"""Runs of a study: evaluates what the library's campaign asks for, and tells every outcome as it comes.

```text
    batch:   ask q ─▶ evaluate all ─▶ tell each as it comes ─▶ ask q …
    async:   ask as many as workers are idle ─▶ tell each as it comes ─▶ ask one …
```

Async takes points that are ready: a thread of its own fits models after `refit_every` outcomes and draws points from them, each
from a fresh path, given all pending points. Which outcomes a model has seen depends on the order of results; batches do not.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from .executors import ExecutorFactory, WorkerPool
from .loop import Loop
from .options import StudySettings
from .run_lock import RunLock

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .loop import Callback
    from .study import Study

Mode = Literal["batch", "async"]
Function = Callable[[dict[str, Any]], Any]
"""Function that is evaluated: parameters by name to whatever `Study.tell` takes as a value."""

_BUDGET = 100
"""Trials of `maximize` unless the caller says how many."""
_MOST_BATCH, _MOST_INITIAL = 100, 100
"""Largest batch and initial design that `maximize` chooses by itself."""


@dataclass(frozen=True)
class RunOptions:
    """Arguments of `Study.optimize`, checked."""

    budget: int | None = None
    more: int | None = None
    executor: ExecutorFactory = None
    mode: Mode = "async"
    batch: int | None = None
    workers: int | None = None
    refit_every: int | None = None
    timeout: float | None = None
    duration: float | None = None
    callbacks: Sequence[Callback] = ()
    final_replicates: int = 0
    resume: bool | None = None
    progress: bool | None = None

    def __post_init__(self) -> None:
        if (self.budget is None) is (self.more is None):
            raise TypeError("give the budget (trials in all), or how many trials more: one of the two")
        if self.mode not in ("batch", "async"):
            raise ValueError(f'mode must be "batch" or "async", not {self.mode!r}')
        for name in ("budget", "more", "batch", "workers", "refit_every"):
            number = getattr(self, name)
            if number is not None and number < 1:
                raise ValueError(f"{name} is {number}; it must be at least 1")
        for name in ("timeout", "duration"):
            seconds = getattr(self, name)
            if seconds is not None and not seconds > 0:
                raise ValueError(f"{name} is {seconds}; it must be above 0")
        if not all(map(callable, self.callbacks)):
            raise TypeError(f"callbacks must be functions of a study and a trial, not {self.callbacks!r}")
        if not 0 <= self.final_replicates < (self.budget or self.more or 0):
            raise ValueError(f"final_replicates is {self.final_replicates}; it must be at least 0 and below the budget")


def run(study: Study, f: Function, options: RunOptions) -> None:
    """Evaluates `f` until the budget is spent, the space is exhausted, or the run is stopped or given up."""
    if options.final_replicates and not study.directions:
        raise ValueError("final_replicates needs an objective that is maximised or minimised")
    if not callable(f):
        raise TypeError(f"f must be a function of parameters by name, not {f!r}")
    pool = WorkerPool(options.executor, options.workers, f)
    lock = RunLock(study._absolute_path)
    is_alone = lock.is_alone and not study._runs
    try:
        loop = Loop(study, f, options, pool, _resumes(study, options.resume, is_alone))
        study._runs.append(loop)
        try:
            loop.run()
        except BaseException:
            loop.save()
            raise
        finally:
            study._runs.remove(loop)
            loop.close()
    finally:
        lock.close()
        pool.close()


def _resumes(study: Study, wanted: bool | None, is_alone: bool) -> bool:
    """Whether pending trials are evaluated first: they may be those of another run, or of the caller."""
    if wanted is not None:
        return wanted
    return is_alone and study._by_hand.isdisjoint(trial.id for trial in study.pending)


class RunSettings(TypedDict, total=False):
    """Keyword arguments of `Study.optimize` that are no settings of the study."""

    more: int | None
    executor: ExecutorFactory
    mode: Mode
    workers: int | None
    refit_every: int | None
    timeout: float | None
    duration: float | None
    callbacks: Sequence[Callback]
    final_replicates: int
    resume: bool | None
    progress: bool | None


class OptimizeSettings(StudySettings, RunSettings, total=False):
    """Keyword arguments of `maximize` and `minimize`: those of `Study` and of `Study.optimize`."""


def maximize(f: Function, space: Any, budget: int | None = None, **settings: Unpack[OptimizeSettings]) -> Study:
    """Maximises `f` over a space; returns the study, whose `best()` is the answer.

    `f` takes parameters by name and returns a number. `space` and all other settings are those of `Study` and of
    `Study.optimize`: `budget` is the number of trials in all, by default 100, however often the script is run. By default a
    fifth of it (100 trials at most) is a space-filling initial design, and the rest comes in 20 batches (of 100 trials at most).

    >>> import spargo
    >>> study = spargo.maximize(lambda p: -(p["x"] - 0.3) ** 2, {"x": (0.0, 1.0)}, budget=40, seed=1)
    >>> bool(abs(study.best().params["x"] - 0.3) < 0.01)
    True
    """
    return _optimize(f, space, budget, "max", dict(settings))


def minimize(f: Function, space: Any, budget: int | None = None, **settings: Unpack[OptimizeSettings]) -> Study:
    """Minimises `f` over a space; returns the study, whose `best()` is the answer. See `maximize` for the settings.

    >>> import spargo
    >>> study = spargo.minimize(lambda p: (p["x"] - 0.3) ** 2, {"x": (0.0, 1.0)}, budget=40, seed=1)
    >>> bool(abs(study.best().params["x"] - 0.3) < 0.01)
    True
    """
    return _optimize(f, space, budget, "min", dict(settings))


def _optimize(f: Function, space: Any, budget: int | None, goal: str, settings: dict[str, Any]) -> Study:
    from .study import Study

    if "objectives" in settings:
        raise TypeError("maximize and minimize have one objective: use a Study for several")
    run_settings = {name: settings.pop(name) for name in RunSettings.__annotations__ if name in settings}
    if budget is None and run_settings.get("more") is None:
        budget = _BUDGET
    trials = budget or run_settings.get("more") or 1
    storage = settings.get("storage")
    if storage is not None and os.path.exists(storage):
        with Study.open(storage) as begun:  # With another budget it is still the same study.
            settings = {name: begun.config[name] for name in ("batch", "initial")} | settings
    settings.setdefault("batch", max(1, min(_MOST_BATCH, trials // 20)))
    settings.setdefault("initial", max(1, min(_MOST_INITIAL, trials // 5)))
    return Study(space, goal, **settings).optimize(f, budget, **run_settings)
