"""What a run costs per trial with many pending: processor seconds, which must grow linearly.

    python python/benches/pending.py [1000 2000 4000]

All trials are in flight at once, on an executor whose workers end them one by one in a random order, as soon as the run waits.
No model is fitted: what is left is the loop's own work.
"""

from __future__ import annotations

import random
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any

import spargo


class Cluster(Executor):
    """Takes all calls, then ends them one by one in a thread."""

    def __init__(self, workers: int) -> None:
        self.num_workers = workers
        self.calls: list[tuple[Future[Any], Callable[[], Any]]] = []

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.calls.append((future, lambda: fn(*args, **kwargs)))
        if len(self.calls) == self.num_workers:
            threading.Thread(target=self.work).start()
        return future

    def work(self) -> None:
        random.Random(1).shuffle(self.calls)
        for future, call in self.calls:
            future.set_result(call())
            time.sleep(0.0005)  # So that outcomes come one by one.


def seconds(pending: int) -> tuple[float, float]:
    """Processor seconds of all threads, and seconds by the clock."""
    study = spargo.Study({"x": (0.0, 1.0), "y": (0.0, 1.0)}, initial=pending, batch=pending)
    began, clock = time.process_time(), time.perf_counter()
    study.optimize(lambda params: params["x"], budget=pending, executor=Cluster(pending), mode="batch", progress=True)
    assert not study.pending
    return time.process_time() - began, time.perf_counter() - clock


def main(counts: list[int]) -> None:
    for count in counts:
        processor, clock = seconds(count)
        print(f"{count:>6} pending: {processor:.2f} s of the processor, {1e3 * processor / count:.3f} ms per trial, {clock:.1f} s by the clock")


if __name__ == "__main__":
    main([int(count) for count in sys.argv[1:]] or [1000, 2000, 4000])
