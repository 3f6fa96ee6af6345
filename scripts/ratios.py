#!/usr/bin/env python3
"""Regret of one method over that of others, function by function, from the rows of `spargo-lab compare` and its peers.

    python3 scripts/ratios.py results/bbob --method default --against cma-100,random --floor 0.003

The regret of a run is the mean over its last ten checkpoints, at least the floor; a ratio is the geometric mean over
the seeds that both have, then over functions. Instances of a BBOB function are one function. With several others the
last column is the ratio to the better of their means, function by function. A win is a ratio below 0.8, a tie one up
to 1.25.
"""

import argparse
import json
import re
from collections import defaultdict
from math import exp, log
from pathlib import Path

WIN, TIE = 0.8, 1.25


def regrets(folders, last, key, budget):
    """{(function, method): {seed: regret}} of all rows."""
    found = defaultdict(dict)
    for path in sorted(path for folder in folders for path in folder.glob("*.jsonl")):
        for line in path.read_text().splitlines():
            row = json.loads(line)
            settings, values = row["settings"], row["result"].get(key)
            if row["kind"] == "compare" and values and budget in (None, settings["budget"]):
                values = values[-last:]
                function = re.sub(r"-i\d+", "", settings["function"])
                found[function, settings["method"]][settings["seed"]] = sum(values) / len(values)
    return found


def mean(values):
    """The geometric mean."""
    values = list(values)
    return exp(sum(map(log, values)) / len(values)) if values else float("nan")


def verdict(ratios):
    wins, losses = sum(r < WIN for r in ratios), sum(r > TIE for r in ratios)
    ties = len(ratios) - wins - losses
    return f"{mean(ratios):.3f}; {wins} wins, {ties} ties, {losses} losses; worst {max(ratios):.2f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folders", type=Path, nargs="+", help="of rows")
    parser.add_argument("--method", default="default")
    parser.add_argument("--against", default="cma-100", help="separated by commas")
    parser.add_argument("--floor", type=float, default=0.003, help="regrets below count as this")
    parser.add_argument("--last", type=int, default=10, help="checkpoints of a run that count")
    parser.add_argument("--budget", type=int, help="only runs of so many evaluations")
    parser.add_argument("--of", default="regret", help="regret, or least_regret of all points evaluated")
    words = parser.parse_args()
    others = words.against.split(",")
    found = regrets(words.folders, words.last, words.of, words.budget)
    floored = {of: {seed: max(r, words.floor) for seed, r in runs.items()} for of, runs in found.items()}
    columns = ["function", "seeds", words.method, *others, *(f"ratio to {other}" for other in others), "to the better"]
    print("| " + " | ".join(columns) + " |")
    print("|" + "---|" * (4 + 2 * len(others)))
    ratios = defaultdict(list)
    for function in sorted({function for function, method in floored if method == words.method}):
        own = floored[function, words.method]
        rivals = [floored.get((function, other), {}) for other in others]
        seeds = sorted(set(own).intersection(*rivals))
        if not seeds:
            continue
        means = [mean(runs[seed] for seed in seeds) for runs in [own, *rivals]]
        row = [means[0] / rival for rival in means[1:]]
        row.append(max(row))
        for name, ratio in zip([*others, "the better"], row):
            ratios[name].append(ratio)
        cells = [function, str(len(seeds)), *(f"{value:.3g}" for value in means), *(f"{ratio:.2f}" for ratio in row)]
        print("| " + " | ".join(cells) + " |")
    print()
    for name, values in ratios.items():
        print(f"against {name}: {verdict(values)}")


if __name__ == "__main__":
    main()
