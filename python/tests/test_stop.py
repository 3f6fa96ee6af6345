"""Ends of runs: by duration, by `stop` from anywhere, by callbacks that raise; and what the log says of them."""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import pytest

import spargo
from spargo import _spargo
from spargo.optimize import Mode

LINE: dict[str, Any] = {"x": (0.0, 1.0)}
MODES: tuple[Mode, ...] = ("batch", "async")


def study(**settings: Any) -> spargo.Study:
    return spargo.Study(LINE, **{"seed": 1, "initial": 8, "batch": 4, **settings})


def identity(params: dict[str, Any]) -> float:
    return float(params["x"])


def by_callback(study: spargo.Study, count: int) -> dict[str, Any]:
    def callback(given: spargo.Study, trial: spargo.Trial) -> None:
        if trial.id == count:
            given.stop()

    return {"callbacks": [callback]}


def by_function(study: spargo.Study, count: int) -> dict[str, Any]:
    calls: list[int] = []

    def f(params: dict[str, Any]) -> float:
        calls.append(1)
        if len(calls) == count:
            study.stop()
        return identity(params)

    return {"f": f}


def by_signal(study: spargo.Study, count: int) -> dict[str, Any]:
    signal.signal(signal.SIGUSR1, lambda *_: study.stop())

    def callback(given: spargo.Study, trial: spargo.Trial) -> None:
        if trial.id == count:
            os.kill(os.getpid(), signal.SIGUSR1)

    return {"callbacks": [callback]}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("threads", [0, 3])
@pytest.mark.parametrize("way", [by_callback, by_function, by_signal])
def test_a_stopped_run_tells_what_is_in_flight_and_goes_on_later(
    way: Callable[[spargo.Study, int], dict[str, Any]], threads: int, mode: Mode
) -> None:
    found = study()
    executor = ThreadPoolExecutor(threads) if threads else None
    assert found.optimize(budget=100, executor=executor, mode=mode, **{"f": identity, **way(found, 10)}) is found
    done = [trial for trial in found.trials if trial.status == "done"]
    assert 10 <= len(done) <= 10 + 2 * threads and len(found.trials) < 40
    assert len(done) + len(found.pending) == len(found.trials)
    left = len(found.trials)
    found.optimize(identity, 40, executor=executor, mode=mode)
    assert len(found) == 40 > left and not found.pending


def test_stop_without_a_run_does_nothing() -> None:
    found = study()
    found.stop()
    assert len(found.optimize(identity, 10)) == 10


@pytest.mark.parametrize("mode", MODES)
def test_no_trial_begins_after_the_duration(mode: Mode) -> None:
    begun: list[float] = []

    def f(params: dict[str, Any]) -> float:
        begun.append(time.monotonic())
        time.sleep(0.03)
        return identity(params)

    for threads in (0, 3):
        found = study(initial=40)
        executor = ThreadPoolExecutor(threads) if threads else None
        ended = time.monotonic() + 0.4
        found.optimize(f, 10_000, executor=executor, mode=mode, duration=0.4)
        assert 0 < len(found.trials) < 10_000 and begun[-1] < ended + 0.2
        assert sum(trial.status == "done" for trial in found.trials) == len(begun)
        begun.clear()
        budget = len(found.trials) + 2
        assert len(found.optimize(identity, budget, mode=mode)) == budget and not found.pending


def test_a_long_evaluation_outlives_the_duration() -> None:
    release = threading.Event()

    def f(params: dict[str, Any]) -> float:
        assert release.wait(60)
        return identity(params)

    threading.Timer(0.5, release.set).start()
    with ThreadPoolExecutor(2) as threads:
        found = study().optimize(f, 100, executor=threads, duration=0.05)
    assert sum(trial.status == "done" for trial in found.trials) == 2


@pytest.mark.parametrize("mode", MODES)
def test_callbacks_get_every_trial_that_was_told_in_this_thread(mode: Mode) -> None:
    seen: list[spargo.Trial] = []
    here = threading.get_ident()

    def callback(given: spargo.Study, trial: spargo.Trial) -> None:
        assert threading.get_ident() == here and given.trial(trial.id) == trial
        seen.append(trial)

    def f(params: dict[str, Any]) -> float | None:
        return identity(params) if params["x"] < 0.7 else None

    with ThreadPoolExecutor(3) as threads:
        for executor in (None, threads):
            seen.clear()
            found = study().optimize(f, 20, executor=executor, mode=mode, callbacks=[callback])
            assert sorted(seen, key=lambda trial: trial.id) == found.trials
            assert {trial.status for trial in seen} == {"done", "failed"}


@pytest.mark.parametrize("threads", [0, 3])
def test_what_a_callback_raises_ends_the_run_in_order(threads: int) -> None:
    def callback(given: spargo.Study, trial: spargo.Trial) -> None:
        if len(given) >= 5:
            raise LookupError("no such sheet")

    def f(params: dict[str, Any]) -> float:
        time.sleep(0.01)
        return identity(params)

    executor = ThreadPoolExecutor(threads) if threads else None
    found, begun = study(), []
    with pytest.raises(LookupError, match="no such sheet"):
        found.optimize(lambda params: begun.append(1) or f(params), 1000, executor=executor, callbacks=[callback])  # type: ignore[func-returns-value]
    assert 5 <= sum(trial.status == "done" for trial in found.trials) == len(begun) < 50
    for wrong in (3, [3]):
        with pytest.raises(TypeError):
            found.optimize(f, 1000, callbacks=wrong)  # type: ignore[arg-type]


def test_the_log_has_runs_fits_and_failures(caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]) -> None:
    def f(params: dict[str, Any]) -> float:
        if params["x"] > 0.7:
            raise OSError("the pump stopped")
        return identity(params)

    study(name="quiet").optimize(f, 12)
    assert capfd.readouterr() == ("", "")
    caplog.clear()
    with caplog.at_level(logging.INFO, "spargo"):
        study(name="loud").optimize(f, 30, mode="batch")
    lines = [(record.levelname, record.getMessage()) for record in caplog.records if record.name == "spargo"]
    assert lines[0] == ("INFO", "run of 'loud' begins: 0 trials, budget 30, mode batch")
    assert lines[-1][1].startswith("run of 'loud' ends (budget): 30 trials told, ")
    assert any("failed: OSError: the pump stopped" in text for level, text in lines if level == "WARNING")
    fits = [text for level, text in lines if text.startswith("model of 'objective' fitted to ")]
    assert 5 <= len(fits) <= 6


def test_a_run_is_seen_to_be_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    """The campaign is called while nothing but one long evaluation is going on."""
    calls: list[int] = []
    monkeypatch.setattr("spargo.loop._HEARTBEAT", 0.02)

    class Counting:
        def __init__(self, inner: Any) -> None:
            self.inner = inner

        def next(self, given: Any, idle: int, workers: int, most_missed: int | None) -> Any:
            calls.append(workers)
            return self.inner.next(given, idle, workers, most_missed)

        def close(self, given: Any) -> None:
            self.inner.close(given)

    def long(params: dict[str, Any]) -> float:
        time.sleep(0.3)
        return identity(params)

    campaign = spargo._spargo.Campaign
    monkeypatch.setattr("spargo._spargo.Campaign", lambda *arguments: Counting(campaign(*arguments)))
    for mode in MODES:
        calls.clear()
        with ThreadPoolExecutor(2) as threads:
            study().optimize(long, 2, executor=threads, mode=mode)
        assert len(calls) >= 6 and set(calls) == {2}


@pytest.mark.parametrize("mode", MODES)
def test_a_trial_that_a_callback_retries_is_evaluated_again(mode: Mode) -> None:
    told: list[int] = []

    def again(given: spargo.Study, trial: spargo.Trial) -> None:
        told.append(trial.id)
        if trial.id == 3 and told.count(3) == 1:
            given.retry(3, reason="the sample was spilt")

    begun = study()
    begun.optimize(identity, 12, mode=mode, callbacks=[again])
    assert sorted(told) == sorted([*range(1, 13), 3])
    assert not begun.pending


def test_nothing_begins_that_was_asked_for_when_a_run_was_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, calls, campaign = study(), list[float](), _spargo.Campaign

    class StoppedMeanwhile:
        """A campaign during whose asks a signal arrives, the handler of which stops the run."""

        def __init__(self, *settings: Any) -> None:
            self.campaign = campaign(*settings)

        def next(self, *now: Any) -> Any:
            step = self.campaign.next(*now)
            begun.stop()
            return step

        def close(self, *study: Any) -> None:
            self.campaign.close(*study)

    def f(params: dict[str, Any]) -> float:
        calls.append(identity(params))
        return calls[-1]

    monkeypatch.setattr(_spargo, "Campaign", StoppedMeanwhile)
    begun.optimize(f, 12)
    assert begun.pending and not calls


def test_what_has_ended_when_a_run_is_interrupted_is_told() -> None:
    begun, may_end, has_ended, calls = study(), threading.Event(), threading.Event(), list[float]()

    def f(params: dict[str, Any]) -> float:
        calls.append(identity(params))
        if len(calls) > 1:
            may_end.wait(60)
            threading.Timer(0.2, has_ended.set).start()
        return 0.0

    def interrupt(given: spargo.Study, trial: spargo.Trial) -> None:
        may_end.set()
        has_ended.wait(60)
        raise KeyboardInterrupt

    with ThreadPoolExecutor(2) as executor, pytest.raises(KeyboardInterrupt):
        begun.optimize(f, 12, executor=executor, callbacks=[interrupt])
    assert len(begun) - len(begun.pending) == 2


@pytest.mark.parametrize("ending", [KeyboardInterrupt, None])
def test_a_run_that_was_interrupted_or_stopped_is_not_taken_for_killed(ending: type[BaseException] | None) -> None:
    begun = study()

    def f(params: dict[str, Any]) -> float:
        if len(begun) > 2 and ending is not None:
            raise ending
        if len(begun) > 2:
            begun.stop()
        return identity(params)

    with suppress(KeyboardInterrupt):
        begun.optimize(f, 20, batch=5, mode="batch")
    assert begun.pending
    assert '"is_alive":false,"has_ended":true' in begun.report()
