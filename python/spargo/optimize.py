"""The loop with somebody to evaluate points: asks, hands out, tells, until the trials are spent.

```text
    batch:   ask q ─▶ evaluate all ─▶ tell each as it comes ─▶ ask q …
    async:   ask as many as workers are idle ─▶ tell each as it comes ─▶ ask one …
```

Async asks without a fit while fewer than `refit_every` outcomes are new: a fresh path through the last model, beside all
that is under way.
"""

from __future__ import annotations

import os
import warnings
from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Future, wait
from typing import TYPE_CHECKING, Any

from .errors import ExhaustedError, RetoldError
from .executors import Crash, Crew, Maker, evaluate
from .outcomes import Failed
from .progress import Progress

if TYPE_CHECKING:
    from .study import Study, Trial

__all__ = ["Function", "maximize", "minimize", "run"]

Function = Callable[[dict[str, Any]], Any]
"""What is evaluated: parameters by name to a value, or to whatever `Study.tell` takes for one."""

_GRACE = 10.0
"""Seconds in which a broken executor has to say so of all its calls."""


def run(
    study: Study,
    f: Function,
    trials: int,
    *,
    executor: Maker = None,
    mode: str = "batch",
    batch: int | None = None,
    workers: int | None = None,
    refit_every: int | None = None,
    timeout: float | None = None,
    confirm: int = 0,
    resume: bool = False,
    progress: bool | None = None,
) -> None:
    """What `Study.optimize` does."""
    if mode not in ("batch", "async"):
        raise ValueError(f'mode is "batch" or "async", not {mode!r}')
    for name, number in (("trials", trials), ("batch", batch), ("workers", workers), ("refit_every", refit_every)):
        if number is not None and number < 1:
            raise ValueError(f"{name} is {number}; it must be at least 1")
    if timeout is not None and not timeout > 0:
        raise ValueError(f"timeout is {timeout}; it must be above 0")
    if not 0 <= confirm < trials:
        raise ValueError(f"confirm is {confirm}; it must be at least 0 and below the number of trials")
    if confirm and not len(study.outputs) == len(study.directions) == 1:
        raise ValueError("confirm is for one objective that is maximized or minimized, without constraints")
    if not callable(f):
        raise TypeError(f"f is a function of parameters by name, not {f!r}")
    crew = Crew(executor, workers)
    bar = Progress(trials, progress)
    loop = _Loop(study, f, trials, crew, bar, timeout)
    loop.batch = batch or study.batch
    loop.confirm = confirm
    loop.within = (refit_every or loop.batch) if mode == "async" else 0
    if resume:
        loop.waiting.extend(study.pending[:trials])
        loop.left -= len(loop.waiting)
    try:
        loop.go()
        loop.tally.warn_if_all_failed()
    except BaseException:
        loop.save()
        raise
    finally:
        bar.close()
        crew.close()


class _Loop:
    """One run."""

    def __init__(
        self, study: Study, f: Function, trials: int, crew: Crew, bar: Progress, timeout: float | None
    ) -> None:
        self.study, self.f, self.crew, self.bar, self.timeout = study, f, crew, bar, timeout
        self.left = trials
        """Trials that are to be asked for."""
        self.batch = 1
        self.confirm = 0
        """How many of the trials, the last ones, evaluate the best again."""
        self.within = 0
        """Outcomes that models may miss when asked for single points; 0 for batches."""
        self.waiting: deque[Trial] = deque()
        self.suspects: deque[Trial] = deque()
        """Trials that were under way when a worker died: each is tried again on its own."""
        self.flight: dict[Future[Any], Trial] = {}
        self.tally = _Tally(study)

    def go(self) -> None:
        while True:
            self.ask()
            self.hand_out()
            if not self.flight:
                return
            done, _ = wait(self.flight, return_when=FIRST_COMPLETED)
            self.collect(done)
            self.bar.update(self.tally.done, self.tally.failed, self.tally.found())
            self.tally.give_up_if_hopeless()

    def window(self) -> int:
        """How many trials are under way at once: more would be suspects when a worker dies."""
        return self.crew.workers() or self.batch

    def under_way(self) -> int:
        return len(self.flight) + len(self.waiting) + len(self.suspects)

    def ask(self) -> None:
        if self.left > self.confirm:
            self.ask_new(self.left - self.confirm)
        if 0 < self.left <= self.confirm and self.under_way() == 0:
            self.ask_again()

    def ask_new(self, most: int) -> None:
        """A batch, or as many as workers are idle; what is left, if the space has no more."""
        if self.within:
            wanted = min(most, self.window() - self.under_way())
        else:
            wanted = min(most, self.batch) if self.under_way() == 0 else 0
        if wanted <= 0:
            return
        try:
            asked = self.study.ask(wanted, refit_every=max(1, self.within))
            self.left -= len(asked)
        except ExhaustedError as error:
            asked = self.study.ask(error.left)
            self.left = min(self.left - len(asked), self.confirm)
        self.waiting.extend(asked)

    def ask_again(self) -> None:
        """A batch of trials that may be the best, when all others are complete; new ones, if none has an outcome."""
        if self.study._observed() == 0:
            self.ask_new(self.left)
            return
        again = self.study.confirm(min(self.left, self.batch))
        self.left -= len(again)
        self.waiting.extend(again)

    def hand_out(self) -> None:
        while self.suspects and not self.flight:
            self.submit(self.suspects.popleft())
        while self.waiting and not self.suspects and len(self.flight) < self.window():
            self.submit(self.waiting.popleft())

    def submit(self, trial: Trial) -> None:
        call = (evaluate, self.f, trial.params, self.timeout)
        try:
            future = self.crew.submit(*call)
        except BrokenExecutor as error:
            self.recover(error)
            future = self.crew.submit(*call)
        self.flight[future] = trial

    def collect(self, done: set[Future[Any]]) -> None:
        broken: BaseException | None = None
        alone = len(self.flight) == 1
        stop: BaseException | None = None
        for future in sorted(done, key=lambda future: self.flight[future].id):
            trial = self.flight.pop(future)
            try:
                outcome = future.result()
            except BrokenExecutor as error:
                broken, outcome = error, error
                if not alone:
                    self.suspects.append(trial)
                    continue
            except KeyboardInterrupt as error:
                stop = error
                continue
            except CancelledError:
                outcome = Failed("its evaluation was cancelled")
            except BaseException as error:
                outcome = error
            self.tell(trial, outcome)
        if stop is not None:
            raise stop
        if broken is not None:
            self.recover(broken)

    def recover(self, cause: BaseException) -> None:
        """Another executor; what the broken one had under way is tried again."""
        wait(self.flight, timeout=_GRACE)
        for future, trial in list(self.flight.items()):
            if future.done() and not future.cancelled() and future.exception() is None:
                self.tell(trial, future.result())
            else:
                self.suspects.append(trial)
        self.flight.clear()
        self.crew.renew(cause)

    def tell(self, trial: Trial, outcome: Any) -> None:
        if isinstance(outcome, Crash):
            self.tally.trace = outcome.trace
            outcome = Failed(outcome.reason)
        try:
            self.study.tell([trial], [outcome])
        except RetoldError:
            pass  # Somebody else has evaluated it, too: what was told stays.
        except (TypeError, ValueError) as error:
            self.study.tell([trial], [error])
        self.tally.note(self.study.trials_from(trial.id)[0])

    def save(self) -> None:
        """After an interruption: what is done is told, what has not begun is not to begin. Trials stay pending."""
        for future in self.flight:
            future.cancel()
        for future, trial in self.flight.items():
            if future.done() and not future.cancelled() and future.exception() is None:
                self.tell(trial, future.result())


class _Tally:
    """What has come of a run so far."""

    def __init__(self, study: Study) -> None:
        self.done = self.failed = 0
        self.trace = ""
        self._reasons: Counter[str] = Counter()
        self._directions = study.directions
        self._keeps_to_limits = study.keeps_to_limits
        # A function that has never succeeded will not the next time either; one crash proves nothing.
        self._hopeless = min(20, max(5, int(study.config["initial"])))
        self._best: float | None = None

    def note(self, trial: Trial) -> None:
        self.done += 1
        if trial.values is None:
            self.failed += 1
            self._reasons[trial.failure or ""] += 1
        elif len(self._directions) == 1 and self._keeps_to_limits(trial):
            (name, goal), *_ = self._directions.items()
            value, better = trial.values[name], max if goal == "max" else min
            self._best = value if self._best is None else better(self._best, value)

    def found(self) -> str:
        return "" if self._best is None else f"best {self._best:.6g}"

    def give_up_if_hopeless(self) -> None:
        if self.done == self.failed and self.failed >= self._hopeless:
            trace = f"\n\nThe last one:\n{self.trace}" if self.trace else ""
            raise RuntimeError(f"all of the first {self.failed} evaluations failed{self._why()}{trace}")

    def warn_if_all_failed(self) -> None:
        """Of a run that is too short to be given up."""
        if 0 < self.done == self.failed:
            warnings.warn(f"all of the {self.failed} evaluations failed{self._why()}", RuntimeWarning, stacklevel=4)

    def _why(self) -> str:
        ((reason, count), *_) = self._reasons.most_common(1)
        return f": {reason}" if count == self.failed else f", {count} of them with: {reason}"


def maximize(f: Function, space: Any, trials: int = 100, **settings: Any) -> Study:
    """Finds where `f` is largest; returns the study, whose `best()` is the answer.

    `f` takes parameters by name and returns a number. `space` and all other settings are those of `Study` and of
    `Study.optimize`. Unless they say otherwise, a fifth of the trials (100 at most) is spread over the space, and the others
    come in 20 batches (of 100 at most), or in batches as large as the number of workers if that is larger.

    >>> import spargo
    >>> study = spargo.maximize(lambda p: -(p["x"] - 0.3) ** 2, {"x": (0.0, 1.0)}, 40, seed=1)
    >>> bool(abs(study.best().params["x"] - 0.3) < 0.01)
    True
    """
    return _extremize(f, space, trials, "max", settings)


def minimize(f: Function, space: Any, trials: int = 100, **settings: Any) -> Study:
    """Finds where `f` is least; otherwise as `maximize`.

    >>> import spargo
    >>> study = spargo.minimize(lambda p: (p["x"] - 0.3) ** 2, {"x": (0.0, 1.0)}, 40, seed=1)
    >>> bool(abs(study.best().params["x"] - 0.3) < 0.01)
    True
    """
    return _extremize(f, space, trials, "min", settings)


_OF_THE_LOOP = ("executor", "mode", "workers", "refit_every", "timeout", "confirm", "resume", "progress")


def _extremize(f: Function, space: Any, trials: int, goal: str, settings: dict[str, Any]) -> Study:
    from .study import Study

    loop = {name: settings.pop(name) for name in _OF_THE_LOOP if name in settings}
    if "objectives" in settings:
        raise TypeError("a function that is maximized or minimized has one objective: begin a Study for several")
    storage = settings.get("storage")
    if storage is not None and os.path.exists(storage):
        with Study.open(storage) as begun:  # With another number of trials it is still the same study.
            settings = {name: begun.config[name] for name in ("batch", "initial")} | settings
    settings.setdefault("batch", max(1, min(100, trials // 20)))
    settings.setdefault("initial", max(1, min(100, trials // 5)))
    study = Study(space, goal, **settings)
    study.optimize(f, trials, **loop)
    return study
