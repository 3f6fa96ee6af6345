"""Executors of other packages and of asyncio: they work, or are refused by name with a remedy."""

from __future__ import annotations

import asyncio
import functools
import random
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import spargo
from spargo.inbox import Inbox

LINE: dict[str, Any] = {"x": (0.0, 1.0)}


def study(**settings: Any) -> spargo.Study:
    return spargo.Study(LINE, **{"seed": 1, "initial": 6, "batch": 3, **settings})


def identity(params: dict[str, Any]) -> float:
    return float(params["x"])


async def awaiting(params: dict[str, Any]) -> float:
    await asyncio.sleep(0.001)
    return identity(params)


class Job:
    """A job of a scheduler: no callbacks, no cancellation that is known of."""

    def __init__(self, thread: Future[Any]) -> None:
        self.thread = thread

    def done(self) -> bool:
        return self.thread.done()

    def result(self) -> Any:
        return self.thread.result()

    def exception(self) -> BaseException | None:
        return self.thread.exception()

    def cancel(self) -> None:
        self.thread.cancel()


class Scheduler:
    """As submitit's executors are."""

    def __init__(self, workers: int) -> None:
        self.threads = ThreadPoolExecutor(workers)

    def submit(self, fn: Callable[..., Any], *args: Any) -> Job:
        return Job(self.threads.submit(fn, *args))


@pytest.mark.parametrize("workers", [None, 2])
def test_jobs_without_callbacks_are_asked_whether_they_are_done(workers: int | None) -> None:
    executor: Any = Scheduler(2)
    found = study().optimize(identity, 15, executor=executor, workers=workers)
    assert [trial.value for trial in found.trials] == [identity(trial.params) for trial in found.trials]
    assert len(found) == 15 and not found.pending

    def callback(given: spargo.Study, trial: spargo.Trial) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        found.optimize(identity, 30, executor=executor, workers=workers, callbacks=[callback])
    assert len(found.optimize(identity, 30, executor=executor)) == 30 and not found.pending


@pytest.mark.parametrize("cluster", ["local", "debug"])
def test_submitit(cluster: str, tmp_path: Path) -> None:
    submitit = pytest.importorskip("submitit")
    executor = submitit.AutoExecutor(tmp_path, cluster=cluster)
    executor.update_parameters(timeout_min=5)
    # Not by its name: jobs do not know this module.
    found = study(initial=2, batch=2).optimize(lambda params: params["x"], 4, executor=executor, workers=2)
    assert [trial.value for trial in found.trials] == [identity(trial.params) for trial in found.trials]
    assert len(found) == 4 and not found.pending


@pytest.mark.parametrize("function", [awaiting, functools.partial(awaiting)])
def test_coroutines_run_on_every_executor(function: Any) -> None:
    with ThreadPoolExecutor(3) as threads:
        for settings in ({}, {"workers": 4}, {"executor": threads}, {"executor": threads, "timeout": 60.0}):
            found = study().optimize(function, 12, **settings)
            assert [trial.value for trial in found.trials] == [identity(trial.params) for trial in found.trials]
            assert len(found) == 12


def test_coroutines_keep_their_workers_busy() -> None:
    together = threading.Barrier(4, timeout=60)

    async def meeting(params: dict[str, Any]) -> float:
        together.wait()
        return identity(params)

    assert len(study().optimize(meeting, 12, workers=4, mode="batch", batch=4)) == 12


def test_coroutines_run_within_a_running_event_loop() -> None:
    """As in a notebook."""

    async def cell() -> spargo.Study:
        return study().optimize(awaiting, 8)

    found = asyncio.run(cell())
    assert len(found) == 8 and {trial.status for trial in found.trials} == {"done"}


def test_failures_and_timeouts_of_coroutines_are_failed_trials() -> None:
    async def late(params: dict[str, Any]) -> float:
        if params["x"] > 0.6:
            await asyncio.sleep(60)
        if params["x"] < 0.2:
            raise OSError("the pump stopped")
        return identity(params)

    found = study(initial=12).optimize(late, 12, workers=4, timeout=0.2)
    reasons = {True: "TimeoutError: it took more than 0.2 s", False: "OSError: the pump stopped"}
    failed = {trial.params["x"]: trial.failure for trial in found.trials if trial.status == "failed"}
    assert len(failed) >= 4 and all(failure == reasons[x > 0.6] for x, failure in failed.items())


class OfAsyncio(Executor):
    """Its `submit` returns something of asyncio."""

    def __init__(self, make: Callable[[Any], Any]) -> None:
        self.make = make

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
        return self.make(args[1])


def test_objects_of_asyncio_are_refused_by_name() -> None:
    loop = asyncio.new_event_loop()
    try:
        for make, name in ((awaiting, "coroutine"), (lambda params: loop.create_future(), "Future")):
            with pytest.raises(TypeError, match=f"OfAsyncio returns '{name}' of asyncio.*run_coroutine_threadsafe"):
                study().optimize(identity, 4, executor=OfAsyncio(make))
        with pytest.raises(TypeError, match="an event loop of asyncio is no executor: .*workers"):
            study().optimize(awaiting, 4, executor=loop)  # type: ignore[arg-type]
    finally:
        loop.close()


def test_the_inbox_has_each_call_once() -> None:
    inbox, futures = Inbox(), [Future[int]() for _ in range(100)]
    for future in futures:
        inbox.watch(future)

    def end() -> None:
        for future in random.Random(1).sample(futures, 100):
            future.set_result(1)

    assert inbox.collect(0.0) == []
    thread = threading.Thread(target=end)
    thread.start()
    found: list[Future[int]] = []
    while len(found) < 100:
        found += inbox.collect(60.0)
    thread.join()
    assert set(found) == set(futures) and inbox.collect(0.0) == []
    threading.Timer(0.05, inbox.wake).start()
    began = time.monotonic()
    assert inbox.collect(60.0) == [] and time.monotonic() - began < 30


def test_a_cancelled_call_is_a_failed_trial() -> None:
    class Cancelling(ThreadPoolExecutor):
        calls = 0

        def submit(self, *call: Any, **settings: Any) -> Future[Any]:
            self.calls += 1
            if self.calls != 3:
                return super().submit(*call, **settings)
            cancelled: Future[Any] = Future()
            cancelled.cancel()
            return cancelled

    with Cancelling(2) as executor:
        ended = study().optimize(identity, 8, executor=executor)
    assert [trial.failure for trial in ended.trials if trial.status == "failed"] == ["its evaluation was cancelled"]
