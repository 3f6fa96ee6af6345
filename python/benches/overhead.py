"""What Python costs: a study of 5,000 outcomes asks for 100 points, through Python and by the command, in turns.

    cargo build --release && python python/benches/overhead.py target/release/spargo

Prints seconds by the clock and of the processor (all threads) for the whole command, and for `open` and `ask` in Python; and
how much longer than the library's own count of its seconds a call of `ask` takes. On a busy machine the clock says little.
"""

from __future__ import annotations

import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np

import spargo

REPEATS = 15


def children() -> float:
    """Processor seconds of the processes that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main(command: str) -> None:
    problem = spargo.problems.hartmann6
    clock: dict[str, list[float]] = {"command": [], "Python": []}
    processor: dict[str, list[float]] = {"command": [], "Python": []}
    around: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder) / "base.db"
        with spargo.Study(problem.space, seed=1, storage=base) as study:
            x = np.random.default_rng(0).random((5000, 6))
            study.add(x, problem.observe(x, seed=1))
        for number in range(REPEATS):
            copies = [Path(folder) / f"{number}-{way}.db" for way in range(2)]
            for copy in copies:
                shutil.copy(base, copy)
            begun, used = time.perf_counter(), children()
            subprocess.run([command, "ask", str(copies[0]), "-n", "100"], check=True, stdout=subprocess.DEVNULL)
            clock["command"].append(time.perf_counter() - begun)
            processor["command"].append(children() - used)
            begun, used = time.perf_counter(), time.process_time()
            study = spargo.Study.open(copies[1])
            asking = time.perf_counter()
            study.ask(100)
            ended = time.perf_counter()
            clock["Python"].append(ended - begun)
            processor["Python"].append(time.process_time() - used)
            own = study.reports()[-1]["total_s"]
            around.append((ended - asking - own) / own)
            study.close()
    for what, seconds in (("clock", clock), ("processor", processor)):
        print(f"{what}:")
        for way, found in seconds.items():
            print(f"  {way:<10}median {median(found):.3f} s, least {min(found):.3f} s, largest {max(found):.3f} s")
        of, over = seconds["Python"], seconds["command"]
        print(f"  {'overhead':<10}median {median(of) / median(over) - 1:+.1%}, least {min(of) / min(over) - 1:+.1%}")
    print(f"around the library's own seconds: median {median(around):+.2%}, largest {max(around):+.2%}")


if __name__ == "__main__":
    main(sys.argv[1])
