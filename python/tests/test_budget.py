"""Budgets: trials in all, however often a script is run or killed, and runs that no return value ends."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import spargo
from spargo.loop import Loop
from spargo.run_lock import RunLock

LINE: dict[str, Any] = {"x": (0.0, 1.0)}

SCRIPT = """
import sys, time, spargo
from concurrent.futures import ProcessPoolExecutor

def f(params):
    with open(sys.argv[2], "a") as log:
        print(params["x"], file=log)
    time.sleep(float(sys.argv[3]))
    return params["x"]

if __name__ == "__main__":
    executor = ProcessPoolExecutor(2) if sys.argv[4] == "processes" else None
    study = spargo.maximize(
        f, {"x": (0.0, 1.0)}, budget=20, storage=sys.argv[1], initial=8, batch=4, executor=executor
    )
    print(len(study), len(study.pending))
"""


def evaluations(log: Path) -> list[str]:
    return log.read_text().splitlines() if log.exists() else []


@pytest.mark.parametrize("executor", ["inline", "processes"])
def test_a_killed_script_that_is_run_again_spends_its_budget_once(tmp_path: Path, executor: str) -> None:
    script, path, log = (tmp_path / name for name in ("script.py", "study.db", "log"))
    script.write_text(SCRIPT)
    command = [sys.executable, str(script), str(path), str(log)]
    for reached in (3, 10, 15):
        child = subprocess.Popen([*command, "0.1", executor], stdout=subprocess.DEVNULL)
        while len(evaluations(log)) < reached:
            assert child.poll() is None
            time.sleep(0.01)
        child.kill()
        child.wait()
    time.sleep(0.5)  # Workers of the last run may be at work.
    killed = evaluations(log)
    for _ in range(2):
        done = subprocess.run([*command, "0", executor], capture_output=True, text=True, check=True)
        assert done.stdout.split() == ["20", "0"], done.stderr
    points = evaluations(log)
    with spargo.Study.open(path) as study:
        assert len(study) == 20 and {trial.status for trial in study.trials} == {"done"}
        assert set(points) == {str(trial.params["x"]) for trial in study.trials}
    in_flight = 3 * (1 if executor == "inline" else 3)
    assert len(points) <= 20 + in_flight, "only what was in flight is evaluated once more"
    assert len(points) > len(killed)


def test_more_is_beyond_what_there_is() -> None:
    study = spargo.maximize(lambda p: p["x"], LINE, more=10, initial=4, batch=2)
    assert len(study) == 10
    assert len(study.optimize(lambda p: p["x"], 10)) == 10
    assert len(study.optimize(lambda p: p["x"], more=5)) == 15
    for budget, more in ((None, None), (20, 5)):
        with pytest.raises(TypeError, match="one of the two"):
            study.optimize(lambda p: p["x"], budget, more=more)
    for budget, more in ((0, None), (None, 0)):
        with pytest.raises(ValueError, match="at least 1"):
            study.optimize(lambda p: p["x"], budget, more=more)
    with pytest.raises(TypeError):
        spargo.maximize(lambda p: p["x"], LINE, trials=20)  # type: ignore[call-arg]


def test_trials_that_the_caller_asked_for_are_the_callers() -> None:
    study = spargo.Study(LINE, initial=4, batch=2)
    mine = study.ask(2)
    study.optimize(lambda p: p["x"], 8)
    assert study.pending == [study.trial(trial.id) for trial in mine]
    study.tell(mine, [0.5, 0.5])
    assert not study.pending


def test_a_run_within_a_run_leaves_its_trials_alone() -> None:
    study = spargo.Study(LINE, initial=4, batch=2)
    inner: list[float] = []

    def f(params: dict[str, Any]) -> float:
        if not inner:
            study.optimize(lambda p: inner.append(p["x"]) or p["x"], more=2)  # type: ignore[func-returns-value]
        return float(params["x"])

    study.optimize(f, 8, mode="batch")
    assert len(study) == 8 and not study.pending
    assert inner == [trial.params["x"] for trial in study.trials[4:6]]


def test_trials_of_a_run_that_is_going_on_are_its_own(tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    with spargo.Study(LINE, storage=path, initial=4, batch=2) as left:
        left.ask(4)
    running = RunLock(str(path))
    assert running.is_alone
    with spargo.Study.open(path) as study:
        study.optimize(lambda p: p["x"], 6)
        assert len(study.pending) == 4
        running.close()
        study.optimize(lambda p: p["x"], 6)
        assert len(study) == 6 and not study.pending


def test_a_forked_process_does_not_prolong_a_run(tmp_path: Path) -> None:
    path = str(tmp_path / "study.db")
    run = RunLock(path)
    child = os.fork()
    if child == 0:
        time.sleep(60)
        os._exit(0)
    try:
        time.sleep(0.2)
        run.close()
        assert RunLock(path).is_alone
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)


class Refusing:
    """A tensor of two elements, which has no float."""

    def __float__(self) -> float:
        raise RuntimeError("a Tensor with 2 elements cannot be converted to Scalar")


async def waits(params: dict[str, Any]) -> Any:
    return "good"


def leaves(params: dict[str, Any]) -> float:
    raise SystemExit(3)


ODD: list[tuple[Callable[[dict[str, Any]], Any], str]] = [
    (lambda params: 10**400, "OverflowError: int too large to convert to float"),
    (lambda params: Refusing(), "RuntimeError: a Tensor with 2 elements"),
    (lambda params: 1j, "TypeError"),
    (lambda params: {"objective": Refusing()}, "RuntimeError: a Tensor with 2 elements"),
    (lambda params: [1.0, 2.0], "has 2 but 1 is needed"),
    (lambda params: "good", "TypeError: a value cannot be the string"),
    (waits, "TypeError: a value cannot be the string"),
    (leaves, "SystemExit: 3"),
]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("threads", [False, True])
@pytest.mark.parametrize(("odd", "reason"), ODD)
def test_no_return_value_ends_a_run(odd: Callable[[dict[str, Any]], Any], reason: str, threads: bool) -> None:
    study = spargo.Study(LINE, initial=8, batch=4)
    executor: Executor | None = ThreadPoolExecutor(2) if threads else None
    study.optimize(lambda params: odd(params) if params["x"] > 0.5 else 1.0, 12, executor=executor)
    assert len(study) == 12 and not study.pending
    failures = [trial for trial in study.trials if trial.params["x"] > 0.5]
    assert failures and all(reason in str(trial.failure) for trial in failures)


def test_outputs_that_are_not_returned_have_failed() -> None:
    study = spargo.Study(LINE, {"yield": "max", "cost": "min"}, initial=8, batch=4)
    study.optimize(lambda p: {"yield": p["x"]} if p["x"] > 0.5 else (p["x"], None) if p["x"] > 0.2 else (1.0, 1.0), 16)
    assert len(study) == 16 and not study.pending
    assert all(t.failures == {"cost": "no value of 'cost'"} for t in study.trials if t.params["x"] > 0.2)


def test_an_output_that_was_told_before_stays(tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    with spargo.Study(LINE, {"yield": "max", "cost": "min"}, storage=path, initial=4, batch=2) as other:
        other.tell(other.ask(1), [{"yield": 7.0}])
    with spargo.Study.open(path) as study:
        study.optimize(lambda p: (p["x"], 1.0), 5)
        assert len(study) == 5 and not study.pending
        assert study.trial(1).values == {"yield": 7.0, "cost": 1.0}


def test_a_trial_that_is_retried_at_once_is_evaluated_again(monkeypatch: pytest.MonkeyPatch) -> None:
    study = spargo.Study(LINE, initial=4, batch=2)
    draw, calls = Loop.draw, [0]

    def retried_once(loop: Loop, last: bool = False) -> None:
        draw(loop, last)
        if not study.history():
            study.retry(1, reason="as soon as it was told")

    def f(params: dict[str, Any]) -> float:
        calls[0] += 1
        return float(params["x"])

    monkeypatch.setattr(Loop, "draw", retried_once)
    study.optimize(f, 6)
    assert len(study) == 6 and not study.pending and calls == [7]


def test_what_nothing_was_ever_observed_of_is_pending_again() -> None:
    study = spargo.Study(LINE, initial=6, batch=4)
    with pytest.raises(RuntimeError, match="no such command; their trials are pending again"):
        study.optimize(lambda p: spargo.Failed("no such command"), 20)
    assert {trial.status for trial in study.trials} == {"pending"}
    study.optimize(lambda p: p["x"], 20)
    assert len(study) == 20 and {trial.status for trial in study.trials} == {"done"}


def test_executors_without_futures_are_refused_in_words() -> None:
    class Cluster:
        def submit(self, f: Any, *args: Any) -> object:
            return object()

    with pytest.raises(TypeError, match="the executor Cluster returns 'object', which cannot be waited for"):
        spargo.Study(LINE).optimize(lambda p: p["x"], 4, executor=Cluster())  # type: ignore[arg-type]
