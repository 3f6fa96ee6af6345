"""Whether memory stays flat: minutes of ask and tell, with the resident memory every ten seconds.

    python python/benches/memory.py [seconds]

A study keeps its outcomes, so it is replaced by a new one after some rounds.
"""

from __future__ import annotations

import sys
import time

import numpy as np

import spargo


def resident() -> float:
    """Resident memory in MB."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096 / 1e6


def main(seconds: float) -> None:
    problem = spargo.problems.hartmann6
    x = np.random.default_rng(0).random((1000, 6))
    y = problem.observe(x, seed=1)
    begun, shown, asked = time.monotonic(), 0.0, 0
    found: list[float] = []
    times: list[float] = []
    while (now := time.monotonic() - begun) < seconds:
        study = spargo.Study(problem.space, seed=asked, inducing=200, model=spargo.ModelOptions(exact_until=500))
        study.add(x, y)
        for step in range(5):
            trials = study.ask(50)
            points = np.array([list(trial.params.values()) for trial in trials])
            study.tell(trials, problem.observe(points, seed=step))
            study.predict(trials)
            asked += len(trials)
        study.best()
        study.posterior().sample_paths(10)(points)
        if now - shown >= 10 or not found:
            shown = now
            found.append(resident())
            times.append(now / 60)
            print(f"{now:6.0f} s  {asked:7d} points  {found[-1]:7.1f} MB", flush=True)
    # The process is still growing in the first quarter.
    late, minutes = np.array(found[len(found) // 4 :]), np.array(times[len(times) // 4 :])
    (slope, _), covariance = np.polyfit(minutes, late, 1, cov=True)
    print(f"after the first quarter: least {late.min():.1f} MB, largest {late.max():.1f} MB, last {late[-1]:.1f} MB")
    print(f"trend: {slope:+.2f} MB per minute, standard error {np.sqrt(covariance[0, 0]):.2f}")


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 180.0)
