"""A soak: what Python holds of a study grows with the trials only."""

from __future__ import annotations

import gc
import os
import tracemalloc
from pathlib import Path

import pytest

import spargo

# What crates/spargo/tests/memory.rs counts in the engine to the byte is seen here through the allocator's eyes.
STEPS = 500


def resident() -> int:
    """Bytes of memory that this process has."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif("SPARGO_LONG" not in os.environ, reason="scripts/test long runs it")
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the memory of a process cannot be known here")
def test_memory_grows_with_the_trials_only() -> None:
    study = spargo.Study(
        {"x": (0.0, 1.0), "y": (0.0, 1.0)},
        initial=8,
        inducing=8,
        model=spargo.ModelOptions(exact_until=0),
        acquisition=spargo.AcquisitionOptions(pool=50, near=10),
        local_models=spargo.LocalModelOptions(neighbours=20),
    )

    def advance() -> tuple[int, int]:
        for _ in range(STEPS):
            trials = study.ask(1)
            study.tell(trials, [trial.params["x"] - trial.params["y"] ** 2 for trial in trials])
        gc.collect()
        return tracemalloc.get_traced_memory()[0], resident()

    tracemalloc.start()
    try:
        # Allocators keep for later what the first models needed.
        advance()
        first, last = advance(), [advance() for _ in range(3)][-1]
    finally:
        tracemalloc.stop()
    held, grown = (now - then for now, then in zip(last, first, strict=True))
    # The history is the engine's, 1 kB per trial; Python's own objects are gone with the step.
    assert held < 0.1 * 1024 * 3 * STEPS
    assert grown < 8 * 1024 * 3 * STEPS
