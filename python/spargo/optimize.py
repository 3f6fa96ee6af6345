"""Runs of a study: evaluates what the library's campaign asks for, and tells every outcome as it comes.

```text
    batch:   ask q ─▶ evaluate all ─▶ tell each as it comes ─▶ ask q …
    async:   ask as many as workers are idle ─▶ tell each as it comes ─▶ ask one …
```

Async asks without a fit while fewer than `refit_every` outcomes are new: each point is from a fresh path through the last
model, and accounts for all pending points.
"""

from __future__ import annotations

import os
import warnings
from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Future, wait
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from . import _spargo
from .errors import DiscardedError, NoLogarithmError, RetoldError, ShapeError
from .executors import Crash, ExecutorFactory, WorkerPool, evaluate
from .options import StudySettings
from .outcomes import PENDING, Failed, Measurement, read_outcome
from .progress import Progress
from .run_lock import RunLock

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .study import Study
    from .trial import Trial

Mode = Literal["batch", "async"]
Function = Callable[[dict[str, Any]], Any]
"""Function that is evaluated: parameters by name to whatever `Study.tell` takes as a value."""

_GRACE = 10.0
"""Seconds for a broken executor to report all its calls as broken."""
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
    mode: Mode = "batch"
    batch: int | None = None
    workers: int | None = None
    refit_every: int | None = None
    timeout: float | None = None
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
        if self.timeout is not None and not self.timeout > 0:
            raise ValueError(f"timeout is {self.timeout}; it must be above 0")
        if not 0 <= self.final_replicates < (self.budget or self.more or 0):
            raise ValueError(f"final_replicates is {self.final_replicates}; it must be at least 0 and below the budget")


def run(study: Study, f: Function, options: RunOptions) -> None:
    """Evaluates `f` until the budget is spent, the space is exhausted, or the run is given up."""
    if options.final_replicates and not study.directions:
        raise ValueError("final_replicates needs an objective that is maximised or minimised")
    if not callable(f):
        raise TypeError(f"f must be a function of parameters by name, not {f!r}")
    pool = WorkerPool(options.executor, options.workers)
    lock = RunLock(study._absolute_path)
    is_alone = lock.is_alone and study._runs == 0
    study._runs += 1
    try:
        loop = _Loop(study, f, options, pool, _resumes(study, options.resume, is_alone))
        try:
            loop.run()
        except BaseException:
            loop.save()
            raise
        finally:
            loop.bar.close()
    finally:
        study._runs -= 1
        lock.close()
        pool.close()


def _resumes(study: Study, wanted: bool | None, is_alone: bool) -> bool:
    """Whether pending trials are evaluated first: they may be those of another run, or of the caller."""
    if wanted is not None:
        return wanted
    return is_alone and study._by_hand.isdisjoint(trial.id for trial in study.pending)


class _Loop:
    """A run: hands trials to workers, collects outcomes, and recovers from broken executors."""

    def __init__(self, study: Study, f: Function, options: RunOptions, pool: WorkerPool, resume: bool) -> None:
        self.study, self.f, self.pool = study, f, pool
        begun = len(study)
        budget = begun + options.more if options.more is not None else options.budget or 0
        self.bar = Progress(max(1, budget - begun + resume * len(study.pending)), options.progress)
        self.timeout = options.timeout
        self.batch = options.batch or study.batch
        refit_every = (options.refit_every or self.batch) if options.mode == "async" else None
        self.campaign = _spargo.Campaign(
            budget, options.batch, refit_every, options.final_replicates, resume
        )
        self.waiting: deque[Trial] = deque()
        self.retries: deque[Trial] = deque()
        """Trials that were in flight when a worker died: each is tried again alone."""
        self.in_flight: dict[Future[Any], Trial] = {}
        self.told: set[int] = set()
        """Trials that this run has told."""
        self.done = 0
        """Trials of this run that have an outcome."""
        self.failures: Counter[str] = Counter()
        """Numbers of failures of this run by reason."""
        self.trace = ""
        """Traceback of the last exception."""

    def run(self) -> None:
        while True:
            step = self.campaign.next(self.study._inner, self.idle())
            if isinstance(step, str):
                self.finish(step)
                return
            self.waiting.extend(self.study._codec.asked(step or []))
            if not (self.in_flight or self.waiting or self.retries):
                # Trials that were retried as soon as they had been told: the campaign takes them for in flight.
                self.waiting.extend(trial for trial in self.study.pending if trial.id in self.told)
            self.hand_out()
            done, _ = wait(self.in_flight, return_when=FIRST_COMPLETED)
            self.collect(done)
            self.draw()

    def window(self) -> int:
        """Trials in flight at a time: more would have to be retried when a worker dies."""
        return self.pool.workers() or self.batch

    def idle(self) -> int:
        """Number of workers without a trial."""
        return max(0, self.window() - len(self.in_flight) - len(self.waiting) - len(self.retries))

    def hand_out(self) -> None:
        while self.retries and not self.in_flight:
            self.submit(self.retries.popleft())
        while self.waiting and not self.retries and len(self.in_flight) < self.window():
            self.submit(self.waiting.popleft())

    def submit(self, trial: Trial) -> None:
        call = (evaluate, self.f, trial.params, self.timeout)
        try:
            future = self.pool.submit(*call)
        except BrokenExecutor as error:
            self.recover(error)
            future = self.pool.submit(*call)
        self.in_flight[future] = trial

    def collect(self, done: set[Future[Any]]) -> None:
        broken: BaseException | None = None
        interrupt: BaseException | None = None
        alone = len(self.in_flight) == 1
        for future in sorted(done, key=lambda future: self.in_flight[future].id):
            trial = self.in_flight.pop(future)
            try:
                outcome = future.result()
            except BrokenExecutor as error:
                broken, outcome = error, error
                if not alone:
                    self.retries.append(trial)
                    continue
            except KeyboardInterrupt as error:
                interrupt = error
                continue
            except CancelledError:
                outcome = Failed("its evaluation was cancelled")
            except BaseException as error:
                outcome = error
            self.tell(trial, outcome)
        if interrupt is not None:
            raise interrupt
        if broken is not None:
            self.recover(broken)

    def recover(self, cause: BaseException) -> None:
        """Replaces a broken executor; trials that were in flight are tried again."""
        wait(self.in_flight, timeout=_GRACE)
        for future, trial in list(self.in_flight.items()):
            if _succeeded(future):
                self.tell(trial, future.result())
            else:
                self.retries.append(trial)
        self.in_flight.clear()
        self.pool.renew(cause)

    def tell(self, trial: Trial, outcome: Any) -> None:
        if isinstance(outcome, Crash):
            self.trace = outcome.trace
            outcome = Failed(outcome.reason)
        tell = self.study._inner.tell
        encoded = self.encoded(trial, outcome)
        try:
            tell([encoded])
        except RetoldError:  # Another process has told some of it: what it says stays.
            tell([(trial.id, self.unknown(encoded), None)])
        except DiscardedError:
            pass
        except NoLogarithmError as error:
            tell([(trial.id, [], f"'{error.output}' = {error.value} has no logarithm")])
        except ShapeError as error:
            tell([(trial.id, [], f"ShapeError: {error}")])
        self.done += 1
        self.told.add(trial.id)
        told = self.study.trial(trial.id)
        if told.status == "failed" and told.failure is not None:
            self.failures[told.failure] += 1

    def unknown(self, encoded: _spargo.EncodedOutcome) -> list[Measurement]:
        """Outputs of an outcome that are not known yet; the others as pending."""
        number, measurements, _ = encoded
        trial, outputs = self.study.trial(number), self.study._codec.outputs
        known = {*(trial.values or {}), *(trial.failures or {})}
        told = measurements or [PENDING] * len(outputs)
        return [PENDING if name in known else one for name, one in zip(outputs, told)]

    def encoded(self, trial: Trial, value: Any) -> _spargo.EncodedOutcome:
        """An outcome of which nothing is pending: what an evaluation does not return will never come."""
        outputs = self.study._codec.outputs
        try:
            measurements, reason = read_outcome(value, None, outputs)
        except Exception as error:  # Whatever a value's conversion to a number raises.
            measurements, reason = read_outcome(error, None, outputs)
        known = zip(outputs, measurements)
        complete = [one if one != PENDING else (None, None, f"no value of '{name}'") for name, one in known]
        return trial.id, complete + measurements[len(outputs) :], reason

    def draw(self) -> None:
        best = self.study._inner.best_observed()
        self.bar.update(self.done, self.failures.total(), "" if best is None else f"best {best:.6g}")

    def finish(self, why: str) -> None:
        failed = self.failures.total()
        if failed == 0 or failed < self.done:
            return
        ((reason, count),) = self.failures.most_common(1)
        reasons = f": {reason}" if count == failed else f", {count} of them with: {reason}"
        if why in ("failing", "pending again"):
            again = "; their trials are pending again, as nothing was ever observed" if why == "pending again" else ""
            trace = f"\n\nThe last one:\n{self.trace}" if self.trace else ""
            raise RuntimeError(f"all of the first {failed} evaluations failed{reasons}{again}{trace}")
        warnings.warn(f"all of the {failed} evaluations failed{reasons}", RuntimeWarning, stacklevel=5)

    def save(self) -> None:
        """After an interruption: tells finished evaluations, cancels those that have not begun; their trials stay pending."""
        for future in self.in_flight:
            future.cancel()
        for future, trial in self.in_flight.items():
            if _succeeded(future):
                self.tell(trial, future.result())


def _succeeded(future: Future[Any]) -> bool:
    return future.done() and not future.cancelled() and future.exception() is None


class RunSettings(TypedDict, total=False):
    """Keyword arguments of `Study.optimize` that are no settings of the study."""

    more: int | None
    executor: ExecutorFactory
    mode: Mode
    workers: int | None
    refit_every: int | None
    timeout: float | None
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
