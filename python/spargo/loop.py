"""The loop of a run: hands trials to workers, tells every outcome as it comes, and recovers when workers die.

```text
    campaign ─▶ waiting ─▶ in flight ─▶ inbox ─▶ told, all that have ended at once ─▶ callbacks
```
"""

from __future__ import annotations

import logging
import time
import warnings
from collections import Counter, deque
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Future, wait
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from . import _spargo
from .errors import DiscardedError, NoLogarithmError, RetoldError, ShapeError
from .executors import Crash, WorkerPool, evaluate
from .inbox import Inbox
from .outcomes import PENDING, Failed, Measurement, read_outcome
from .progress import Progress

if TYPE_CHECKING:
    from .optimize import Function, RunOptions
    from .study import Study
    from .trial import Trial

Callback = Callable[["Study", "Trial"], object]
"""What is called after a trial was told."""

_GRACE = 10.0
"""Seconds for a broken executor to report all its calls as broken."""
_CHEAP, _RECENT = 0.05, 50
"""Mean seconds of the last so many evaluations below which a run waits for models that have missed too many outcomes."""
_MOST_MISSED = 2
"""How many times `refit_every` outcomes models may have missed then."""
_HEARTBEAT = 10.0
"""Seconds of waiting for outcomes after which the campaign is called all the same: it says that the run is alive."""

_WARNED = 1.05
"""How much more trials there must be before warnings are looked for again."""

log = logging.getLogger("spargo")
log.addHandler(logging.NullHandler())


class Loop:
    """A run of a study."""

    def __init__(self, study: Study, f: Function, options: RunOptions, pool: WorkerPool, resume: bool) -> None:
        self.study, self.f, self.pool = study, f, pool
        begun = len(study)
        self.budget = begun + options.more if options.more is not None else options.budget or 0
        self.bar = Progress(max(1, self.budget - begun + resume * len(study.pending)), options.progress)
        self.mode, self.timeout = options.mode, options.timeout
        self.batch = options.batch or study.batch
        self.refit_every = options.refit_every or self.batch
        refit_every = self.refit_every if options.mode == "async" else None
        self.campaign = _spargo.Campaign(self.budget, options.batch, refit_every, options.final_replicates, resume)
        self.seconds: deque[float] = deque(maxlen=_RECENT)
        """Seconds of the last evaluations, where executors say when they end."""
        self.deadline = None if options.duration is None else time.monotonic() + options.duration
        self.callbacks: Sequence[Callback] = tuple(options.callbacks)
        self.inbox = Inbox()
        self.waiting: deque[Trial] = deque()
        self.retries: deque[Trial] = deque()
        """Trials that were in flight when a worker died: each is tried again alone."""
        self.in_flight: dict[Future[Any], Trial] = {}
        self.done = 0
        """Trials of this run that have an outcome."""
        self.failures: Counter[str] = Counter()
        """Numbers of failures of this run by reason."""
        self.trace = ""
        """Traceback of the last exception."""
        self.looked = 0
        """Trials when warnings were last looked for."""
        self.is_stopped = False
        self.raised: Exception | None = None
        """What a callback has raised."""
        self.reported = len(study.reports()) if log.isEnabledFor(logging.INFO) else 0
        """Asks whose reports were looked at for the log."""

    def run(self) -> None:
        """Evaluates trials until the campaign is over or the run is stopped."""
        log.info("run of %r begins: %d trials, budget %d, mode %s", self.study.name, len(self.study), self.budget, self.mode)
        why = self.work()
        self.draw(last=True)
        log.info("run of %r ends (%s): %d trials told, %d failed", self.study.name, why, self.done, self.failures.total())
        if self.raised is not None:
            raise self.raised
        self.finish(why)

    def stop(self) -> None:
        """Begins no more trials; may be called from any thread and from the handler of a signal."""
        self.is_stopped = True
        self.inbox.wake()

    def close(self) -> None:
        """Ends the thread that fits models, and the progress bar."""
        self.campaign.close(self.study._inner)
        self.bar.close()

    def work(self) -> str:
        """Why the run is over."""
        while True:
            stopped = self.stopped()
            if stopped and not self.in_flight:
                return stopped
            idle = 0 if stopped else self.idle()
            step = self.campaign.next(self.study._inner, idle, self.window(), self.most_missed())
            if isinstance(step, str):
                return step
            if not self.stopped():  # The handler of a signal may have stopped it by now.
                self.take_up(step or [])
                self.hand_out()
            self.collect(self.inbox.collect(self.patience()))
            self.draw()
            self.log_fits()

    def stopped(self) -> str | None:
        """Why no more trials are begun, if none are: those that have not begun stay pending."""
        if self.is_stopped:
            return "stopped"
        return "duration" if self.deadline is not None and time.monotonic() >= self.deadline else None

    def patience(self) -> float:
        """Seconds to wait for an outcome."""
        if self.deadline is None or self.stopped():
            return _HEARTBEAT
        return min(_HEARTBEAT, max(0.0, self.deadline - time.monotonic()))

    def window(self) -> int:
        """Trials in flight at a time: more would have to be retried when a worker dies."""
        return self.pool.workers() or self.batch

    def idle(self) -> int:
        """Number of workers without a trial."""
        return max(0, self.window() - len(self.in_flight) - len(self.waiting) - len(self.retries))

    def most_missed(self) -> int | None:
        """Outcomes that models may have missed: any number, unless evaluations cost less than to wait for a model."""
        seconds = list(self.seconds)
        is_cheap = bool(seconds) and sum(seconds) < _CHEAP * len(seconds)
        return _MOST_MISSED * self.refit_every if is_cheap else None

    def take_up(self, step: list[_spargo.EncodedTrial]) -> None:
        self.waiting.extend(self.study._codec.asked(step))
        if step and len(self.study) > _WARNED * self.looked:
            self.looked = len(self.study)
            self.study._warn(stacklevel=6)

    def hand_out(self) -> None:
        while self.retries and not self.in_flight:
            self.submit(self.retries.popleft())
        window = self.window()
        while self.waiting and not self.retries and len(self.in_flight) < window:
            self.submit(self.waiting.popleft())

    def submit(self, trial: Trial) -> None:
        call = (evaluate, self.f, trial.params, self.timeout)
        began = time.monotonic()
        try:
            future = self.pool.submit(*call)
        except BrokenExecutor as error:
            self.recover(error)
            future = self.pool.submit(*call)
        self.in_flight[future] = trial
        if hasattr(future, "add_done_callback"):
            future.add_done_callback(lambda _: self.seconds.append(time.monotonic() - began))
        self.inbox.watch(future)

    def collect(self, done: list[Future[Any]]) -> None:
        """Tells what has ended; a call that a broken executor took along is no longer in flight."""
        broken: BaseException | None = None
        interrupt: BaseException | None = None
        alone = len(self.in_flight) == 1
        outcomes: list[tuple[Trial, Any]] = []
        known = [future for future in done if future in self.in_flight]
        for future in sorted(known, key=lambda future: self.in_flight[future].id):
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
            outcomes.append((trial, outcome))
        self.tell(outcomes)
        if interrupt is not None:
            raise interrupt
        if broken is not None:
            self.recover(broken)

    def recover(self, cause: BaseException) -> None:
        """Replaces a broken executor; trials that were in flight are tried again."""
        wait([future for future in self.in_flight if isinstance(future, Future)], timeout=_GRACE)
        log.warning("the executor is broken, with %d trials in flight: %s", len(self.in_flight), cause)
        self.tell([(trial, future.result()) for future, trial in self.in_flight.items() if _succeeded(future)])
        self.retries.extend(trial for future, trial in self.in_flight.items() if not _succeeded(future))
        self.in_flight.clear()
        self.pool.renew(cause)

    def tell(self, outcomes: list[tuple[Trial, Any]]) -> None:
        """Tells outcomes, all at once if nothing is in the way."""
        if not outcomes:
            return
        encoded = [self.encoded(trial, outcome) for trial, outcome in outcomes]
        try:
            self.study._inner.tell(encoded)
        except (RetoldError, DiscardedError, NoLogarithmError, ShapeError):
            for one in encoded:
                self.tell_one(one)
        numbers = [trial.id for trial, _ in outcomes]
        self.done += len(numbers)
        for record in self.study._inner.records(numbers):
            self.after(self.study._codec.trial(record))

    def tell_one(self, encoded: _spargo.EncodedOutcome) -> None:
        tell, number = self.study._inner.tell, encoded[0]
        try:
            tell([encoded])
        except RetoldError:  # Another process has told some of it: what it says stays.
            tell([(number, self.unknown(encoded), None)])
        except DiscardedError:
            pass
        except NoLogarithmError as error:
            tell([(number, [], f"'{error.output}' = {error.value} has no logarithm")])
        except ShapeError as error:
            tell([(number, [], f"ShapeError: {error}")])

    def after(self, trial: Trial) -> None:
        """Counts a trial that was told, and calls the callbacks: an exception of theirs stops the run."""
        if trial.status == "failed" and trial.failure is not None:
            self.failures[trial.failure] += 1
            log.warning("trial %d failed: %s", trial.id, trial.failure)
        try:
            for callback in self.callbacks:
                callback(self.study, trial)
        except Exception as error:
            self.raised, self.callbacks = error, ()
            self.stop()

    def unknown(self, encoded: _spargo.EncodedOutcome) -> list[Measurement]:
        """Outputs of an outcome that are not known yet; the others as pending."""
        number, measurements, _ = encoded
        trial, outputs = self.study.trial(number), self.study._codec.outputs
        known = {*(trial.values or {}), *(trial.failures or {})}
        told = measurements or [PENDING] * len(outputs)
        return [PENDING if name in known else one for name, one in zip(outputs, told)]

    def encoded(self, trial: Trial, value: Any) -> _spargo.EncodedOutcome:
        """An outcome of which nothing is pending: what an evaluation does not return will never come."""
        if isinstance(value, Crash):
            self.trace = value.trace
            value = Failed(value.reason)
        outputs = self.study._codec.outputs
        try:
            measurements, reason = read_outcome(value, None, outputs)
        except Exception as error:  # Whatever a value's conversion to a number raises.
            measurements, reason = read_outcome(error, None, outputs)
        known = zip(outputs, measurements)
        complete = [one if one != PENDING else (None, None, f"no value of '{name}'") for name, one in known]
        return trial.id, complete + measurements[len(outputs) :], reason

    def draw(self, last: bool = False) -> None:
        if last or self.bar.is_due(self.done):
            best = self.study._inner.best_observed()
            self.bar.update(self.done, self.failures.total(), "" if best is None else f"best {best:.6g}")

    def log_fits(self) -> None:
        """Logs the fits that were reported since the last look."""
        if not log.isEnabledFor(logging.INFO):
            return
        reports = self.study._inner.reports(self.reported)
        self.reported += len(reports)
        for report in reports:
            for model in report["models"]:
                if model["fit"] is not None:
                    what = (model["output"], model["observations"], model["fit_s"])
                    log.info("model of %r fitted to %d outcomes in %.2f s", *what)

    def finish(self, why: str) -> None:
        self.study._warn(stacklevel=5)
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
        self.callbacks = ()
        ended = {future: _succeeded(future) for future in self.in_flight}
        for future, is_done in ended.items():
            if not is_done:
                with suppress(Exception):  # Jobs of a scheduler that cannot be reached.
                    future.cancel()
        self.tell([(trial, future.result()) for future, trial in self.in_flight.items() if ended[future] or _succeeded(future)])
        log.info("run of %r is interrupted: %d trials told, %d failed", self.study.name, self.done, self.failures.total())


def _succeeded(future: Future[Any]) -> bool:
    """Whether a call has a result. Jobs of other packages do not know whether they were cancelled."""
    if not future.done():
        return False
    try:
        return future.exception() is None
    except (CancelledError, Exception):
        return False
