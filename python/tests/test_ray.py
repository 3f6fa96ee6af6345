"""Ray itself, if it is installed: it is no dependency, not even of the tests."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

import spargo
from spargo.executors import RayExecutor

ray: Any = pytest.importorskip("ray")


def test_runs_continue_when_a_worker_of_ray_dies(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def fragile(params: dict[str, Any]) -> float:
        if params["n"] == 1:
            os._exit(1)
        return float(params["n"])

    # Ray keeps files of its own in the user's home.
    monkeypatch.setenv("HOME", str(tmp_path))
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        study = spargo.Study({"n": (1, 12)}, initial=6, batch=6)
        study.optimize(fragile, 12, executor=RayExecutor(), mode="async")
        failed = [trial for trial in study.trials if trial.status == "failed"]
        assert [trial.params["n"] for trial in failed] == [1]
        assert str(failed[0].failure).startswith("WorkerCrashedError")
        assert sum(trial.status == "done" for trial in study.trials) == 11
    finally:
        ray.shutdown()
