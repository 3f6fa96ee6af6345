#!/usr/bin/env python3
"""Makes docs/regret.svg from the rows in results/comparison: regret against evaluations, one panel per function.

    python3 -m venv target/figure && target/figure/bin/pip install matplotlib
    target/figure/bin/python scripts/figure.py
"""

import json
from collections import defaultdict
from pathlib import Path
from statistics import mean

import matplotlib

matplotlib.use("svg")

import matplotlib.pyplot as plt

ROOT = Path(__file__).resolve().parent.parent
ROWS = ROOT / "results" / "comparison"
PANELS = ["shekel4", "hartmann6", "ackley5", "michalewicz5", "rosenbrock4", "rover60"]
METHODS = {
    "default": ("spargo", "#0072b2"),
    "paper": ("paper's settings", "#e69f00"),
    "turbo": ("TuRBO", "#d55e00"),
    "cma": ("CMA-ES", "#009e73"),
}
FLOOR = 1e-4
"""Regrets below this are drawn here."""


def read():
    """Evaluations and regrets by (function, method), the longest run per seed."""
    runs = defaultdict(dict)
    for path in sorted(ROWS.rglob("*.jsonl")):
        for row in map(json.loads, path.read_text().splitlines()):
            settings, result = row["settings"], row["result"]
            if settings["method"] in METHODS:
                seeds = runs[settings["function"], settings["method"]]
                run = result["evaluations"], result["regret"]
                seeds[settings["seed"]] = max(run, seeds.get(settings["seed"], run), key=lambda run: run[0][-1])
    return {key: list(seeds.values()) for key, seeds in runs.items()}


def draw(ax, runs, function):
    counts = []
    for method, (label, colour) in METHODS.items():
        found = runs.get((function, method))
        if not found:
            continue
        counts.append(f"{label} {len(found)}")
        for evaluations, regret in found:
            ax.plot(evaluations, [max(r, FLOOR) for r in regret], color=colour, alpha=0.18, linewidth=0.6)
        shared = min((evaluations for evaluations, _ in found), key=len)
        means = [mean(regret[k] for _, regret in found) for k in range(len(shared))]
        ax.plot(shared, means, color=colour, linewidth=1.8, label=label)
    noise = "no noise" if function == "rover60" else "noise variance 0.01"
    ax.set_title(f"{function}, {noise}\n", fontsize=9)
    ax.text(0.5, 1.02, "seeds: " + ", ".join(counts), transform=ax.transAxes, ha="center", fontsize=6.5)
    ax.set_yscale("log")
    ax.set_xlim(left=0)
    ax.grid(alpha=0.25, linewidth=0.5)
    ax.tick_params(labelsize=7)


def main():
    plt.rcParams["svg.hashsalt"] = "spargo"
    runs = read()
    figure, axes = plt.subplots(2, 3, figsize=(10, 5.6), layout="constrained")
    for ax, function in zip(axes.flat, PANELS, strict=True):
        draw(ax, runs, function)
    for ax in axes[:, 0]:
        ax.set_ylabel("regret, in deviations of f", fontsize=8)
    for ax in axes[1]:
        ax.set_xlabel("evaluations, in batches of 100", fontsize=8)
    handles, labels = axes.flat[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels), fontsize=9, frameon=False)
    figure.savefig(ROOT / "docs" / "regret.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
