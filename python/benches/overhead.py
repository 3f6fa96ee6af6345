"""What Python costs: a study of 5,000 outcomes asks for 100 points, through Python and by the command, in turns.

    cargo build --release && python python/benches/overhead.py target/release/spargo

Prints seconds of the whole command, of `open` and `ask` in Python, and of the whole Python process; medians and the
overhead of the second over the first.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np

import spargo

REPEATS = 7
CHILD = "import sys, spargo; spargo.Study.open(sys.argv[1]).ask(100)"


def main(command: str) -> None:
    problem = spargo.problems.hartmann6
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder) / "base.db"
        with spargo.Study(problem.space, seed=1, storage=base) as study:
            x = np.random.default_rng(0).random((5000, 6))
            study.add(x, problem.observe(x, seed=1))
        by_command, in_python, by_python = [], [], []
        for number in range(REPEATS):
            copies = [Path(folder) / f"{number}-{way}.db" for way in range(3)]
            for copy in copies:
                shutil.copy(base, copy)
            begun = time.perf_counter()
            subprocess.run([command, "ask", str(copies[0]), "-n", "100"], check=True, stdout=subprocess.DEVNULL)
            by_command.append(time.perf_counter() - begun)
            begun = time.perf_counter()
            study = spargo.Study.open(copies[1])
            study.ask(100)
            in_python.append(time.perf_counter() - begun)
            study.close()
            begun = time.perf_counter()
            subprocess.run([sys.executable, "-c", CHILD, str(copies[2])], check=True)
            by_python.append(time.perf_counter() - begun)
        report = (("the command", by_command), ("open and ask in Python", in_python), ("a Python process", by_python))
        for what, seconds in report:
            print(f"{what:<24}median {median(seconds):.3f} s, least {min(seconds):.3f} s")
        print(f"{'overhead in Python':<24}median {median(in_python) / median(by_command) - 1:+.1%}, "
              f"least {min(in_python) / min(by_command) - 1:+.1%}")


if __name__ == "__main__":
    main(sys.argv[1])
