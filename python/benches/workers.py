"""How busy workers are: threads that sleep, and processes that ask and tell on one file.

    python python/benches/workers.py

Sixteen threads evaluate Hartmann's function of six inputs for 1 s and for 0.1 s each, in a study with 1,000 outcomes: prints the
share of their time in which they evaluate. Sixteen processes ask for a point and tell its outcome on one file: prints their rate
against that of one process, the seconds of an ask, and how often one was drawn again. Each measurement takes less than a minute.
"""

from __future__ import annotations

import multiprocessing
import shutil
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

import spargo

WORKERS, TOLD = 16, 1000
SECONDS = 20.0
PROBLEM = spargo.problems.hartmann6


def begun(path: Path | None) -> spargo.Study:
    """A study with outcomes."""
    study = spargo.Study(PROBLEM.space, seed=1, batch=WORKERS, initial=WORKERS, storage=path)
    x = np.random.default_rng(0).random((TOLD, 6))
    study.add(x, PROBLEM.observe(x, seed=1))
    return study


def value(params: dict[str, Any]) -> float:
    return float(PROBLEM.scaled(np.array([list(params.values())]))[0])


def threads(path: Path | None, evaluation: float, trials: int) -> None:
    """Workers of one run."""
    busy = [0.0]

    def f(params: dict[str, Any]) -> float:
        began = time.perf_counter()
        time.sleep(evaluation)
        found = value(params)
        busy[0] += time.perf_counter() - began
        return found

    with begun(path) as study, ThreadPoolExecutor(WORKERS) as executor:
        study.ask(1, refit_every=10**9)  # The first fit is not measured.
        began, used = time.perf_counter(), time.process_time()
        study.optimize(f, more=trials, executor=executor, resume=False)
        clock, used = time.perf_counter() - began, time.process_time() - used
        fits = [report for report in study.reports() if any(model["fit"] is not None for model in report["models"])]
    where = "in memory" if path is None else "in a file"
    print(
        f"{WORKERS} threads, {evaluation:g} s, {where}: busy {busy[0] / (WORKERS * clock):.1%}, {trials / clock:.1f} trials/s "
        f"({trials} trials, {clock:.1f} s by the clock, {used:.1f} s of the processor, {len(fits)} fits)",
        flush=True,
    )


def ask_and_tell(path: Path, until: float, asks: Any) -> None:
    """A process that asks and tells."""
    seconds: list[float] = []
    with spargo.Study.open(path) as study:
        while time.time() < until:
            began = time.perf_counter()
            (trial,) = study.ask(1, refit_every=WORKERS)
            seconds.append(time.perf_counter() - began)
            study.tell(trial, value(trial.params))
    asks.put(seconds)


def processes(base: Path, path: Path, count: int) -> float:
    """Trials per second of some processes on one file."""
    shutil.copy(base, path)
    context = multiprocessing.get_context("spawn")
    asks: Any = context.Queue()
    # The interpreters begin at their own pace, before the clock does.
    until = time.time() + SECONDS + 1.0 + 0.5 * count
    known = TOLD
    workers = [context.Process(target=ask_and_tell, args=(path, until, asks)) for _ in range(count)]
    for worker in workers:
        worker.start()
    time.sleep(max(0.0, until - SECONDS - time.time()))
    with spargo.Study.open(path) as study:
        known = len(study)
        seconds = sorted(one for _ in workers for one in asks.get())
        for worker in workers:
            worker.join()
        rate = (len(study) - known) / SECONDS
        redraws = max(report["redraws"] for report in study.reports())
        pending = len(study.pending)
    at = [seconds[int(share * (len(seconds) - 1))] for share in (0.5, 0.95, 1.0)]
    print(
        f"{count} processes: {rate:.1f} trials/s; an ask takes {at[0]:.3f} s (median), {at[1]:.3f} s (95 %), {at[2]:.3f} s (at most); "
        f"redrawn {redraws} times at most; {pending} pending",
        flush=True,
    )
    return rate


def main(what: list[str]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if "threads" in what:
            for path in (None, folder / "threads.db"):
                for evaluation, trials in ((1.0, 16 * WORKERS), (0.1, 150 * WORKERS)):
                    if path is not None:
                        path = path.with_name(f"{evaluation}.db")
                    threads(path, evaluation, trials)
        if "processes" in what:
            base = folder / "base.db"
            begun(base).close()
            alone = processes(base, folder / "1.db", 1)
            together = processes(base, folder / "16.db", WORKERS)
            print(f"{WORKERS} processes against one: {together / alone:.2f} times the rate")


if __name__ == "__main__":
    main(sys.argv[1:] or ["threads", "processes"])
