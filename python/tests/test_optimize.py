"""Runs over executors: in batches and asynchronously, through crashes, timeouts and Ctrl-C."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spargo
from spargo.executors import InlineExecutor, RayExecutor, WorkerPool, workers_of
from spargo.optimize import Mode

SPACE: dict[str, Any] = {"x": (0.0, 1.0), "n": spargo.Int(1, 9)}
MODES: tuple[Mode, ...] = ("batch", "async")


def hill(params: dict[str, Any]) -> float:
    return float(-((params["x"] - 0.3) ** 2) - 0.1 * abs(params["n"] - 4))


def deadly(params: dict[str, Any]) -> float:
    """Kills its worker at some points."""
    if params["n"] == 9:
        os._exit(3)
    return hill(params)


def moody(params: dict[str, Any]) -> Any:
    """Returns a value, or fails in one of many ways."""
    answers: dict[int, Any] = {2: None, 3: float("nan"), 4: "good", 5: [1.0, 2.0], 6: {"cost": 1.0}}
    if params["n"] == 1:
        raise OSError("the pump stopped")
    if params["n"] == 7:
        raise SystemExit(3)
    return answers.get(params["n"], np.float64(params["x"]))


class Awkward(Exception):
    """An exception that cannot be unpickled, and would break a pool of processes."""

    def __init__(self, one: str, two: str) -> None:
        super().__init__(one + two)


def awkward(params: dict[str, Any]) -> float:
    if params["n"] < 5:
        raise Awkward("a", "b")
    return hill(params)


def study(**settings: Any) -> spargo.Study:
    return spargo.Study(SPACE, **{"seed": 1, "initial": 8, "batch": 6, **settings})


def processes(workers: int = 2) -> ProcessPoolExecutor:
    context = get_context("forkserver")
    context.set_forkserver_preload(["spargo", "pytest"])  # Imported once, not by every worker.
    return ProcessPoolExecutor(workers, context)


@pytest.fixture(scope="module")
def pool() -> Iterator[ProcessPoolExecutor]:
    with processes() as pool:
        yield pool


@pytest.mark.parametrize("mode", MODES)
def test_every_trial_is_evaluated_once(mode: Mode, pool: ProcessPoolExecutor) -> None:
    with ThreadPoolExecutor(3) as threads:
        for executor in (None, threads, pool):
            found = study().optimize(hill, budget=25, executor=executor, mode=mode)
            assert len(found) == 25 and not found.pending
            assert all(trial.value == hill(trial.params) for trial in found.trials)
            assert found.best().params["n"] == 4


def test_batches_are_asked_for_as_batches() -> None:
    with ThreadPoolExecutor(3) as threads:
        found = study().optimize(hill, 20, executor=threads, mode="batch", batch=8)
    assert [report["asked"] for report in found.reports()] == [8, 8, 4]
    assert [report["asked"] for report in study().optimize(hill, 20, mode="batch").reports()] == [8, 6, 6]


def test_batches_of_the_same_seed_are_the_same_whatever_the_order_of_results() -> None:
    def slow(params: dict[str, Any]) -> float:
        time.sleep(0.01 * random.random())
        return hill(params)

    points = []
    for workers in (1, 3, 6):
        with ThreadPoolExecutor(workers) as threads:
            found = study().optimize(slow, 32, executor=threads, mode="batch")
        points.append([trial.params for trial in found.trials])
    assert points[0] == points[1] == points[2]


def test_async_is_the_default_and_takes_points_that_a_thread_has_ready() -> None:
    found = study().optimize(hill, 60, refit_every=5)
    reports = found.reports()
    assert {report["asked"] for report in reports} == {0, 1} and sum(report["ready"] for report in reports) > 20
    assert any(report["models"][0]["fit"] for report in reports if report["asked"] == 0), "by the thread"


def test_models_miss_few_outcomes_where_evaluations_are_short() -> None:
    with ThreadPoolExecutor(3) as threads:
        for executor in (None, threads):
            found = study().optimize(hill, 80, executor=executor, refit_every=5)
            seen = [report["models"][0]["observations"] for report in found.reports() if report["models"]]
            seen = sorted({*seen, len(found)})
            assert max(b - a for a, b in zip(seen, seen[1:])) <= 2 * 5 + 2 * 3 + 1, seen


def test_async_keeps_every_worker_busy() -> None:
    """A slow evaluation occupies its own worker only."""
    release, lock, done = threading.Event(), threading.Lock(), [0]

    def f(params: dict[str, Any]) -> float:
        with lock:
            done[0] += 1
            mine = done[0]
            if mine == 20:
                release.set()
        if mine == 1:
            assert release.wait(30)
        return hill(params)

    with ThreadPoolExecutor(3) as threads:
        found = study().optimize(f, 24, executor=threads, mode="async")
    assert release.is_set() and len(found) == 24 and not found.pending
    assert all(trial.status == "done" for trial in found.trials)


def test_no_more_trials_are_in_flight_than_workers() -> None:
    class Counting(ThreadPoolExecutor):
        in_flight = most = 0

        def submit(self, *args: Any, **kwargs: Any) -> Future[Any]:
            Counting.in_flight += 1
            Counting.most = max(Counting.most, Counting.in_flight)
            return super().submit(*args, **kwargs)

    def f(params: dict[str, Any]) -> float:
        time.sleep(0.005)
        Counting.in_flight -= 1
        return hill(params)

    for mode in MODES:
        Counting.most = 0
        with Counting(3) as executor:
            study().optimize(f, 12, executor=executor, mode=mode)
        assert Counting.most == 3
    Counting.most = 0
    with Counting(3) as executor:
        study().optimize(f, 12, executor=executor, workers=2)
    assert Counting.most == 2


@pytest.mark.parametrize("inline", [False, True])
def test_failures_of_every_kind_have_their_reason(pool: ProcessPoolExecutor, inline: bool) -> None:
    found = study(initial=40, batch=40).optimize(moody, 40, executor=None if inline else pool)
    reasons = {trial.params["n"]: trial.failure for trial in found.trials}
    beginnings = {
        1: "OSError: the pump stopped",
        2: "no value",
        3: "the outcome is NaN",
        4: "TypeError: a value cannot be the string 'good'",
        5: "ShapeError: ",
        6: "ValueError: there is no output 'cost'",
        7: "SystemExit: 3",
    }
    for n, beginning in beginnings.items():
        assert str(reasons[n]).startswith(beginning), reasons[n]
    assert reasons[8] is None and not found.pending


def test_exceptions_that_cannot_be_unpickled_are_failures(pool: ProcessPoolExecutor) -> None:
    found = study().optimize(awkward, 20, executor=pool)
    assert {trial.failure for trial in found.trials if trial.params["n"] < 5} == {"Awkward: ab"}
    assert all(trial.status == "done" for trial in found.trials if trial.params["n"] >= 5)


@pytest.mark.parametrize("mode", MODES)
def test_a_worker_that_dies_costs_its_own_trial_only(mode: Mode) -> None:
    executor = processes()
    found = study(initial=14, batch=7, seed=3).optimize(deadly, 14, executor=executor, mode=mode)
    killers = [trial for trial in found.trials if trial.params["n"] == 9]
    assert killers and all(str(trial.failure).startswith("BrokenProcessPool") for trial in killers)
    assert all(trial.value == hill(trial.params) for trial in found.trials if trial.params["n"] != 9)
    executor.shutdown()


def test_a_broken_pool_leaves_no_worker_behind() -> None:
    """The interpreter would wait for ever for a worker that was started while the pool broke down."""
    for given in ("executor", "factory"):
        made = [processes()]
        pool = WorkerPool(made[0] if given == "executor" else lambda: made.pop() if made else InlineExecutor())
        broken = pool._executor
        assert isinstance(broken, ProcessPoolExecutor)
        cause = broken.submit(os._exit, 3).exception(60)
        assert isinstance(cause, BrokenExecutor)
        survivor = get_context("forkserver").Process(target=time.sleep, args=(600,))
        survivor.start()
        workers: Any = broken._processes
        workers[survivor.pid] = survivor
        pool.renew(cause)
        survivor.join(60)
        assert survivor.exitcode == -signal.SIGKILL
        assert pool.submit(abs, -3).result(60) == 3
        pool.close()


def test_loky_is_replaced_when_a_worker_dies() -> None:
    loky = pytest.importorskip("loky")
    found = study(initial=10, batch=10, seed=3).optimize(deadly, 10, executor=loky.get_reusable_executor(2))
    failed = {trial.params["n"] == 9 for trial in found.trials if trial.status == "failed"}
    assert failed == {True} and not found.pending
    loky.get_reusable_executor().shutdown()


def test_an_executor_that_cannot_be_replaced_is_an_error_with_a_remedy() -> None:
    class Breaking(Executor):
        def __init__(self, calls: int) -> None:
            self.calls = calls

        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
            self.calls -= 1
            if self.calls < 0:
                raise BrokenExecutor("gone")
            return InlineExecutor().submit(fn, *args, **kwargs)

    broken = study()
    with pytest.raises(RuntimeError, match="a function that returns executors"):
        broken.optimize(hill, 10, executor=Breaking(4))
    assert sum(trial.status == "done" for trial in broken.trials) == 4
    made = []

    def make() -> Executor:
        made.append(Breaking(4))
        return made[-1]

    assert len(study().optimize(hill, 10, executor=make)) == 10
    assert len(made) == 3


def test_timeouts_free_the_worker() -> None:
    def f(params: dict[str, Any]) -> float:
        if params["n"] == 4:
            time.sleep(60)
        return hill(params)

    began = time.monotonic()
    with ThreadPoolExecutor(2) as threads:
        found = study(initial=20, batch=20).optimize(f, 20, executor=threads, timeout=0.2)
    assert time.monotonic() - began < 30
    reasons = {trial.failure for trial in found.trials if trial.params["n"] == 4}
    assert reasons == {"TimeoutError: it took more than 0.2 s"}
    assert all(trial.status == "done" for trial in found.trials if trial.params["n"] != 4)


def test_a_function_that_always_fails_ends_the_run() -> None:
    def broken(params: dict[str, Any]) -> float:
        raise KeyError("y")

    found = study()
    with pytest.raises(RuntimeError, match="all of the first 8 evaluations failed: KeyError: 'y'(.|\n)*in broken"):
        found.optimize(broken, 1000)
    assert len(found.trials) < 20
    # What an earlier run observed says nothing about this one.
    found = study().optimize(hill, 10)
    with pytest.raises(RuntimeError, match="evaluations failed: KeyError: 'y'"):
        found.optimize(broken, 1000)
    assert len(found.trials) < 40


def test_interrupted_runs_lose_nothing_and_can_be_resumed() -> None:
    calls: list[int] = []

    def f(params: dict[str, Any]) -> float:
        calls.append(1)
        if len(calls) == 10:
            raise KeyboardInterrupt
        return hill(params)

    stopped = study()
    with pytest.raises(KeyboardInterrupt):
        stopped.optimize(f, 30, mode="batch")
    assert [trial.status for trial in stopped.trials] == ["done"] * 9 + ["pending"] * 5
    stopped.optimize(hill, budget=19, resume=True)
    assert len(stopped) == 19 and not stopped.pending

    calls.clear()
    threads = ThreadPoolExecutor(3)
    stopped = study()
    with pytest.raises(KeyboardInterrupt):
        stopped.optimize(f, 30, executor=threads, mode="async")
    threads.shutdown()
    assert sum(trial.status == "done" for trial in stopped.trials) >= 7
    assert len(stopped.pending) <= 3 and not any(trial.status == "failed" for trial in stopped.trials)


CHILD = """
import sys, time, spargo
from concurrent.futures import ProcessPoolExecutor

def f(params):
    time.sleep(0.05)
    return params["x"]

if __name__ == "__main__":
    study = spargo.Study({"x": (0.0, 1.0)}, storage=sys.argv[1], initial=5, batch=4)
    print("ready", flush=True)
    try:
        with ProcessPoolExecutor(2) as executor:
            study.optimize(f, 10_000, executor=executor, mode="async")
    except KeyboardInterrupt:
        done = sum(trial.status == "done" for trial in study.trials)
        print("stopped", done, len(study.pending), flush=True)
"""


def test_ctrl_c_during_a_run_with_processes(tmp_path: Path) -> None:
    """As from a terminal: the signal goes to the workers, too."""
    script, path = tmp_path / "child.py", tmp_path / "study.db"
    script.write_text(CHILD)
    child = subprocess.Popen(
        [sys.executable, str(script), str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, text=True
    )
    assert child.stdout is not None and child.stdout.readline() == "ready\n"
    with spargo.Study.open(path) as watched:
        while sum(trial.status == "done" for trial in watched.trials) < 6:
            assert child.poll() is None
            time.sleep(0.02)
    os.killpg(child.pid, 2)
    out, err = child.communicate(timeout=60)
    word, done, pending = out.split()
    assert word == "stopped" and int(done) >= 6 and int(pending) <= 3, err
    with spargo.Study.open(path) as left:
        assert not any(trial.status == "failed" for trial in left.trials)


def test_outcomes_without_a_logarithm_are_failures() -> None:
    log = spargo.Study(SPACE, initial=8, batch=6, model=spargo.ModelOptions(outcome_transform="log"))
    log.optimize(lambda params: params["x"] - 0.25, 26)
    failures = {trial.failure for trial in log.trials if trial.params["x"] <= 0.25}
    assert len(log) == 26 and failures and all("has no logarithm" in str(failure) for failure in failures)
    assert not any("report the trial" in str(failure) for failure in failures)


def test_the_last_trials_are_replicates() -> None:
    with ThreadPoolExecutor(3) as threads:
        for settings in ({}, {"executor": threads}, {"executor": threads, "mode": "async"}):
            found = study().optimize(hill, 30, final_replicates=8, **settings)
            points = [tuple(trial.params.values()) for trial in found.trials]
            assert len(points) == 30 and not found.pending
            assert len(set(points[:22])) == 22 and set(points[22:]) <= set(points[:22])
            # A thread that draws points ahead may still be at it.
            assert [report["asked"] for report in found.reports() if report["asked"]][-2:] == [6, 2]
    for wrong in (-1, 30):
        with pytest.raises(ValueError, match="final_replicates"):
            study().optimize(hill, 30, final_replicates=wrong)


def test_an_exhausted_space_gets_its_final_replicates() -> None:
    def cost(params: dict[str, Any]) -> float | None:
        return float(params["n"]) if params["n"] < 4 else None

    for mode in MODES:
        for size in (7, 8):  # The last batch is smaller, or there is none.
            found = spargo.Study({"n": (1, size)}, "min", initial=4, batch=4)
            found.optimize(cost, 99, final_replicates=5, mode=mode)
            assert len(found) == size + 5 and found.best().params["n"] == 1
            assert {trial.params["n"] for trial in found.trials[size:]} <= {1, 2, 3}
            assert len(found.optimize(cost, 99, final_replicates=8, mode=mode)) == size + 8
        most = spargo.Study({"n": (1, 8)}, "min", initial=8, batch=4).optimize(cost, 10, final_replicates=5, mode=mode)
        assert len(most) == 10


def test_several_outputs_get_final_replicates() -> None:
    several_outputs: list[dict[str, Any]] = [
        {"objectives": {"a": "max", "b": "min"}},
        {"objectives": {"a": "max"}, "constraints": {"b": {"at_most": 0.5}}},
    ]
    for outputs in several_outputs:
        several = spargo.Study({"x": (0.0, 1.0)}, initial=8, batch=4, seed=1, **outputs)
        several.optimize(lambda params: {"a": params["x"], "b": params["x"] ** 2}, 18, final_replicates=3)
        points = [trial.params["x"] for trial in several.trials]
        assert len(points) == 18 and len(set(points[:15])) == 15 and set(points[15:]) <= set(points[:15])
    for goal in ("classify", {"c": {"level": 1.0}}):
        boundary = spargo.Study({"x": (0.0, 1.0)}, goal)
        with pytest.raises(ValueError, match="needs an objective"):
            boundary.optimize(hill, 30, final_replicates=3)
        assert len(boundary) == 0
    with pytest.warns(RuntimeWarning, match="all of the 4 evaluations failed"):
        assert len(study().optimize(lambda params: None, 4, final_replicates=2)) == 4


def test_runs_end_when_the_space_is_exhausted() -> None:
    for mode in MODES:
        found = spargo.Study({"n": (1, 5), "m": ["a", "b"]}, initial=4, batch=4)
        found.optimize(lambda params: float(params["n"]), 100, mode=mode)
        assert len(found) == 10 and not found.pending


def test_the_first_outcome_stays_if_another_process_tells_it(tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    with study(storage=path) as mine, spargo.Study.open(path) as theirs:

        def f(params: dict[str, Any]) -> float:
            (trial, *_) = [one for one in theirs.pending if one.params == params]
            theirs.tell(trial, 7.0)
            return hill(params)

        mine.optimize(f, 4)
        assert [trial.value for trial in mine.trials] == [7.0] * 4


def test_several_outputs() -> None:
    found = spargo.Study(SPACE, {"a": "max", "b": "min"}, {"c": (None, 0.5)}, initial=6, batch=3)
    found.optimize(lambda params: {"a": params["x"], "b": params["n"], "c": params["x"]}, 15, mode="async")
    assert len(found) == 15 and found.fronts().observed


def test_maximize_and_minimize(tmp_path: Path) -> None:
    assert abs(spargo.maximize(hill, SPACE, 40, seed=2).best().params["x"] - 0.3) < 0.05
    least = spargo.minimize(lambda params: -hill(params), SPACE, 40, seed=2, batch=5, initial=10, name="least")
    assert least.best().params["n"] == 4 and least.name == "least" and least.batch == 5
    limited = spargo.maximize(
        lambda p: {"objective": p["x"], "cost": p["x"]}, SPACE, 40, constraints={"cost": {"at_most": 0.5}}, batch=4
    )
    assert 0.4 < limited.best().observed.value <= 0.5
    path = tmp_path / "kept.db"
    assert [len(spargo.maximize(hill, SPACE, budget, storage=path, seed=1)) for budget in (20, 60)] == [20, 60]
    with pytest.raises(TypeError, match="one objective"):
        spargo.maximize(hill, SPACE, objectives={"a": "max"})  # type: ignore[call-arg]


def test_errors_name_the_argument() -> None:
    wrong: dict[str, Any] = {"mode": "fast", "budget": 0, "workers": 0, "refit_every": 0, "batch": 0, "timeout": 0}
    for name, value in wrong.items():
        arguments: dict[str, Any] = {"budget": 3, name: value}
        with pytest.raises(ValueError, match=name):
            study().optimize(hill, **arguments)
    with pytest.raises(TypeError, match="function"):
        study().optimize(3, 3)  # type: ignore[arg-type]
    with pytest.warns(RuntimeWarning, match="all of the 3 evaluations failed"):
        study().optimize(lambda params: None, 3)
    with pytest.raises(TypeError, match="submit"):
        study().optimize(hill, 3, executor=3)  # type: ignore[arg-type]


def test_the_budget_counts_trials_that_the_study_has() -> None:
    for mode in MODES:
        found = study()
        found.add({"x": [0.1, 0.2], "n": [1, 2]}, [1.0, 2.0])
        assert len(found.optimize(hill, budget=10, mode=mode)) == 10
        assert len(found.optimize(hill, budget=10, mode=mode)) == 10
        assert len(found.optimize(hill, budget=13, mode=mode)) == 13


def test_ray(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a module of the same interface; the real one is in test_ray.py."""
    monkeypatch.setitem(sys.modules, "ray", FakeRay())
    executor = RayExecutor(num_cpus=2)
    assert workers_of(executor) == 4
    found = study().optimize(hill, 20, executor=executor, mode="async")
    assert len(found) == 20 and not found.pending
    assert list(executor.map(abs, [-1, 2])) == [1, 2]
    executor.shutdown()
    with pytest.raises(RuntimeError, match="shutdown"):
        executor.submit(abs, 1)


class FakeRay:
    """The part of Ray that `RayExecutor` uses, with threads."""

    def __init__(self) -> None:
        self.threads = ThreadPoolExecutor(2)
        self.started = False

    def is_initialized(self) -> bool:
        return self.started

    def init(self) -> None:
        self.started = True

    def cluster_resources(self) -> dict[str, float]:
        return {"CPU": 8.0}

    def remote(self, **options: Any) -> Any:
        assert options == {"max_retries": 0, "num_cpus": 2}
        fake = self

        class Reference:
            def __init__(self, future: Future[Any]) -> None:
                self._future = future

            def future(self) -> Future[Any]:
                return self._future

        class Task:
            def __init__(self, function: Any) -> None:
                self.function = function

            def remote(self, *args: Any) -> Reference:
                return Reference(fake.threads.submit(self.function, *args))

        return Task
