"""A soak: what Python holds of a study grows with the trials only."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

# What crates/spargo/tests/memory.rs counts in the engine to the byte is seen here as the memory that the process has. Three
# things would hide a leak there, and are kept out: the models' matrices, which grow with the trials up to a limit of their own
# (1,000 rows for hyperparameters, unless it is set); what the allocator keeps for a second after its last use; threads, each of
# which has buffers of its own. What is left goes up and down with each step, so the least value of many steps counts.
SETTINGS = {"MIMALLOC_PURGE_DELAY": "0", "RAYON_NUM_THREADS": "1"}

# Steps of a window, windows until everything was used once, and windows after these.
STEPS, FIRST, MORE = 250, 3, 5

# Bytes per trial: Python holds its number, in a set that has at most seven slots for each; a step of one trial, with its report,
# takes 4 kB of the log and the history of a study in memory.
HELD, GROWN = 28 + 7 * 16, 6 * 1024

SOAK = """
import gc, json, os, sys, tracemalloc
from pathlib import Path
import numpy as np
import spargo
from spargo import _spargo

steps, windows, leak = map(int, sys.argv[1:])
study = spargo.Study(
    {"x": (0.0, 1.0), "y": (0.0, 1.0)},
    initial=8,
    inducing=8,
    model=spargo.ModelOptions(exact_until=0, hyperparameters={"subset": 20}),
    sampling=spargo.SamplingOptions(features=64),
    acquisition=spargo.AcquisitionOptions(pool=50, near=10),
    local_models=spargo.LocalModelOptions(neighbours=20),
)
leaked = []


def advance():
    trials = study.ask(1)
    study.tell(trials, [trial.params["x"] - trial.params["y"] ** 2 for trial in trials])
    if leak > 0:
        # An array of the engine's allocator.
        leaked.append(_spargo.evaluate("hartmann6", np.zeros((leak // 8, 6))))
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


tracemalloc.start()
for _ in range(windows):
    resident = min(advance() for _ in range(steps))
    gc.collect()
    print(json.dumps([tracemalloc.get_traced_memory()[0], resident]))
"""


def soak(leak: int) -> tuple[float, float]:
    """Bytes per trial that Python's objects, and the process, have grown by after the first windows; so many are leaked."""
    words = [sys.executable, "-c", SOAK, *map(str, (STEPS, FIRST + MORE, leak))]
    ended = subprocess.run(words, env={**os.environ, **SETTINGS}, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    windows = [json.loads(line) for line in ended.stdout.splitlines()]
    held, grown = ((last - first) / (MORE * STEPS) for first, last in zip(windows[FIRST - 1], windows[-1], strict=True))
    print(f"leaked {leak} bytes per trial; Python's objects grew by {held:.0f}, the process by {grown:.0f}: {windows}")
    return held, grown


@pytest.mark.skipif("SPARGO_LONG" not in os.environ, reason="scripts/test long runs it")
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the memory of a process cannot be known here")
def test_memory_grows_with_the_trials_only() -> None:
    held, grown = soak(leak=0)
    assert held < HELD
    assert grown < GROWN
    # A leak would be seen.
    assert soak(leak=8 * 1024)[1] > GROWN
