#!/usr/bin/env python3
"""The evidence for a study's defaults: each setting changed alone, on five problems, over seeds.

    cargo build --release && python3 scripts/defaults.py run && python3 scripts/defaults.py table

`run` adds a row to docs/defaults.csv for each run that is not there yet, so it can be stopped and resumed.
"""

import csv
import json
import subprocess
import sys
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import mean, median
from threading import Lock

ROOT = Path(__file__).resolve().parent.parent
ROWS = ROOT / "docs" / "defaults.csv"
PROBLEMS = ["shekel4", "hartmann6", "ackley5", "michalewicz5", "rosenbrock4"]
SEEDS = range(3)
BATCHES, INDUCING = 15, 250
VARIANTS = {
    "default": [],
    "sparse posterior": ["--posterior", "sparse"],
    "sparse, bound": ["--posterior", "sparse", "--hyperparameters", "bound"],
    "100 features": ["--features", "100"],
    "pool of 2,000": ["--pool", "2000"],
    "nothing near": ["--near", "0"],
    "no warp": ["--warp", "off"],
}
FIELDS = ["variant", "problem", "seed", "regret_500", "regret", "overhead_s"]


def read():
    return list(csv.DictReader(ROWS.open())) if ROWS.exists() else []


def one(variant, problem, seed):
    command = [str(ROOT / "target/release/spargo"), "optimize", problem, "--batches", str(BATCHES), "--seed", str(seed)]
    command += ["--inducing", str(INDUCING), "--threads", "1", "--json"]
    flags = VARIANTS[variant]
    command += flags if "--posterior" in flags else ["--posterior", "default", *flags]
    report = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    at_500 = report["regret"][report["evaluations"].index(500)]
    row = [variant, problem, seed, at_500, report["regret"][-1], report["overhead_s"]]
    return dict(zip(FIELDS, row))


def run():
    done = {(row["variant"], row["problem"], int(row["seed"])) for row in read()}
    wanted = [(v, p, s) for s in SEEDS for v in VARIANTS for p in PROBLEMS if (v, p, s) not in done]
    lock, new = Lock(), not ROWS.exists()
    with ROWS.open("a", newline="") as file, ThreadPoolExecutor(2) as pool:
        writer = csv.DictWriter(file, FIELDS)
        if new:
            writer.writeheader()

        def work(job):
            row = one(*job)
            with lock:
                writer.writerow(row)
                file.flush()

        list(pool.map(work, wanted))


def table():
    """Mean regret at the end (median in brackets) and seconds of overhead."""
    groups = defaultdict(list)
    for row in read():
        groups[row["variant"], row["problem"]].append(row)
    print("| setting | " + " | ".join(PROBLEMS) + " | overhead s |\n|---|" + "---|" * (len(PROBLEMS) + 1))
    for variant in VARIANTS:
        cells, seconds = [], []
        for problem in PROBLEMS:
            rows = groups[variant, problem]
            regrets = [float(row["regret"]) for row in rows]
            seconds += [float(row["overhead_s"]) for row in rows]
            cells.append(f"{mean(regrets):.3f} ({median(regrets):.3f})" if regrets else "")
        print(f"| {variant} | " + " | ".join(cells) + f" | {mean(seconds):.1f} |" if seconds else "")


if __name__ == "__main__":
    {"run": run, "table": table}[sys.argv[1]]()
