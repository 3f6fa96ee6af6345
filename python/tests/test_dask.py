"""A local Dask cluster, and workers that are killed during a run."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

import spargo
from spargo.executors import workers_of

distributed = pytest.importorskip("distributed")


def hill(params: dict[str, Any]) -> float:
    time.sleep(0.03)
    return float(-((params["x"] - 0.3) ** 2))


def deadly(params: dict[str, Any]) -> float:
    """Kills every worker that tries the point."""
    if params["n"] == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return float(params["n"])


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    import dask

    settings = {"distributed.scheduler.allowed-failures": 1, "distributed.comm.timeouts.connect": "30s"}
    with dask.config.set(settings):
        cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50)
        client = distributed.Client(cluster)
        yield client
        client.close()
        cluster.close()


def test_a_killed_worker_loses_no_trial(client: Any) -> None:
    study = spargo.Study({"x": (0.0, 1.0)}, seed=1, initial=10, batch=5)
    killed: list[int] = []

    def kill() -> None:
        while sum(trial.status == "done" for trial in study.trials) < 8:
            time.sleep(0.01)
        pid = next(iter(client.run(os.getpid).values()))
        os.kill(pid, signal.SIGKILL)
        killed.append(pid)

    killer = threading.Thread(target=kill)
    killer.start()
    executor = client.get_executor()
    assert workers_of(executor) == 2
    study.optimize(hill, 40, executor=executor, mode="async")
    killer.join()
    assert killed and killed[0] not in client.run(os.getpid).values()
    assert [trial.status for trial in study.trials] == ["done"] * 40
    assert abs(study.best().params["x"] - 0.3) < 0.05


def test_a_point_that_kills_every_worker_fails(client: Any) -> None:
    study = spargo.Study({"n": (1, 12)}, initial=12, batch=12)
    study.optimize(deadly, 12, executor=client.get_executor())
    failures = {trial.params["n"]: trial.failure for trial in study.trials if trial.status != "done"}
    assert list(failures) == [1] and str(failures[1]).startswith("KilledWorker")
