"""How busy `spargo run` keeps eight programs of 0.2 s, and what one straggler in twelve costs.

    python python/benches/programs.py [PATH OF THE PROGRAM spargo]

A straggler takes 1.2 s. Prints the share of the time, from the first beginning of a program to the last, in which the eight run: each
writes when it begins and ends, so that what it takes to start one counts as idle. Threads that only start the same programs say what
the machine allows. Stragglers cost what they take away from the share.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

WORKERS, TRIALS, INPUTS = 8, 600, 6
SECONDS, STRAGGLER, ONE_IN = 0.2, 1.2, 12
STUDY = """\
name = "programs"
batch = 8
initial = 16
[objectives]
y = {{ goal = "max" }}
[space]
{space}
[run]
command = ["sh", "program.sh", "{{trial}}", {values}]
parallel = {workers}
budget = {trials}
"""
PROGRAM = """\
date +%s.%N > begun.$1
seconds={seconds}
if [ $(($1 % {one_in})) = 0 ]; then seconds={straggler}; fi
sleep $seconds
trial=$1
shift
echo "$@" | awk '{{ y = 0; for (i = 1; i <= NF; i++) y -= ($i - 0.3) ^ 2; print y }}'
date +%s.%N > ended.$trial
"""


def run(spargo: str, folder: Path) -> None:
    """A run of a study."""
    subprocess.run([spargo, "run", "study.toml"], cwd=folder, check=True, capture_output=True)


def only_start(_: str, folder: Path) -> None:
    """The same programs without a study."""

    def start(trial: int) -> None:
        subprocess.run(["sh", "program.sh", str(trial), *["0.5"] * INPUTS], cwd=folder, check=True, capture_output=True)

    with ThreadPoolExecutor(WORKERS) as executor:
        list(executor.map(start, range(1, TRIALS + 1)))


def busy(name: str, how: Callable[[str, Path], None], spargo: str, straggler: float) -> float:
    """The share of the workers' time in which programs run."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        inputs = [f"x{i}" for i in range(INPUTS)]
        space = "\n".join(f"{x} = {{ real = [0, 1] }}" for x in inputs)
        values = ", ".join(f'"{{{x}}}"' for x in inputs)
        (folder / "study.toml").write_text(STUDY.format(space=space, values=values, workers=WORKERS, trials=TRIALS))
        (folder / "program.sh").write_text(PROGRAM.format(seconds=SECONDS, one_in=ONE_IN, straggler=straggler))
        started = time.perf_counter()
        how(spargo, folder)
        clock = time.perf_counter() - started
        trials = range(1, TRIALS + 1)
        begun, ended = ([float((folder / f"{what}.{trial}").read_text()) for trial in trials] for what in ("begun", "ended"))
    first, last = min(begun), max(begun)
    share = sum(min(end, last) - begin for begin, end in zip(begun, ended)) / (WORKERS * (last - first))
    what = f"{name}, {TRIALS} trials, {straggler:g} s for one in {ONE_IN}"
    print(f"{what}: busy {share:.1%}, {clock:.1f} s by the clock", flush=True)
    return share


def main(spargo: str) -> None:
    for straggler in (SECONDS, STRAGGLER):
        limit = busy("programs alone", only_start, spargo, straggler)
        share = busy("spargo run", run, spargo, straggler)
        print(f"{share / limit:.1%} of what the machine allows")


if __name__ == "__main__":
    # Runs change to a folder of their own.
    main(str(Path(sys.argv[1]).resolve()) if len(sys.argv) > 1 else "spargo")
