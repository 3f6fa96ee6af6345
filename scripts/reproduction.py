#!/usr/bin/env python3
"""The tables of docs/REPRODUCTION.md that compare the same seeds: Figure 4, Appendices C, D and F, from the rows.

    python3 scripts/reproduction.py
"""

import json
from math import sqrt
from pathlib import Path
from statistics import mean, median, stdev

ROWS = Path(__file__).resolve().parent.parent / "results" / "reproduction"
FUNCTIONS = ["shekel4", "michalewicz5", "ackley5", "hartmann6", "rosenbrock4", "rosenbrock4-trieste"]
VARIANTS = ["imp-dpp", "imp-min-softplus", "imp-mean-relu", "imp-mean-softplus", "imp-max-relu", "imp-max-softplus"]
T95 = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 9: 2.262}
"""97.5 % quantiles of Student's t, by degrees of freedom."""


def runs(folder):
    """Results by (function, inducing points, method), then by seed."""
    found = {}
    for path in sorted(folder.glob("*.jsonl")):
        for row in map(json.loads, path.open()):
            settings = row["settings"]
            if row["kind"] == "run":
                key = settings["function"], settings["inducing"] or 0, settings["method"]
                found.setdefault(key, {})[settings["seed"]] = row["result"]
    return found


def interval(found, key, seeds):
    """The mean of the last regret with its 95 % interval."""
    last = [found[key][seed]["regret"][-1] for seed in seeds if seed in found.get(key, {})]
    if len(last) < 2:
        return ""
    half = T95[len(last) - 1] * stdev(last) / sqrt(len(last))
    few = "" if len(last) == len(seeds) else f" ({len(last)})"
    return f"{mean(last):.4g} [{max(mean(last) - half, 0):.4g}, {mean(last) + half:.4g}]{few}"


def table(title, header, rows):
    print(f"\n{title}\n\n| {' | '.join(header)} |\n|{'---|' * len(header)}")
    for row in rows:
        print(f"| {' | '.join(map(str, row))} |")


def below(results, what, limit):
    return sum(result[what][-1] < limit for result in results.values())


def seconds(result, first, last):
    """The median over steps that begin with so many evaluations: inducing points and model, then the next batch."""
    steps = zip(result["evaluations"], result["allocate_s"], result["fit_s"], result["acquire_s"][1:])
    within = [allocate + fit + acquire for n, allocate, fit, acquire in steps if first <= n <= last]
    return median(within) if within else float("nan")


found, few, many = runs(ROWS), range(5), range(10)
methods = ["imp-dpp", "cvr", "kmeans", "uniform"]
rows = []
for f in FUNCTIONS:
    for m in (250, 500):
        cells = [interval(found, (f, m, method), few) for method in methods]
        rows.append((f, m, *cells, interval(found, (f, 0, "exact"), few)))
table("Figure 4, seeds 0-4", ["function", "M", *methods, "exact, 1,100"], rows)
methods = ["imp-dpp", "ent", "ent-per-point", "cvr", "kmeans"]
rows = [(f, *[interval(found, (f, 250, method), few) for method in methods]) for f in FUNCTIONS]
table("Appendix C, seeds 0-4", ["function", *methods], rows)
rows = []
for method in [*VARIANTS, "kmeans", "cvr"]:
    key = ("shekel4", 250, method)
    counts = [below(found[key], *limit) for limit in (("least_regret", 1), ("regret", 1), ("regret", 0.1))]
    rows.append((method, interval(found, key, many), *counts))
table("Appendix D, seeds 0-9", ["method", "regret", "queried", "reported", "precisely"], rows)
spans = [(400, 600), (800, 1000), (2100, 3000), (4100, 5000)]
rows = []
for key, results in runs(ROWS / "overhead").items():
    rows.append((*key, *[f"{mean(seconds(r, *span) for r in results.values()):.2f}" for span in spans]))
table("Appendix F, seconds", ["function", "M", "method", *[f"{a}-{b}" for a, b in spans]], rows)
