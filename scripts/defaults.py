#!/usr/bin/env python3
"""The table of docs/DEFAULTS.md, from the rows of results/defaults: mean regret at the end (the worst seed in brackets)."""

import json
from collections import defaultdict
from pathlib import Path
from statistics import mean

ROWS = Path(__file__).resolve().parent.parent / "results" / "defaults" / "compare.jsonl"


def main():
    regrets, seconds, order = defaultdict(list), defaultdict(list), {}
    for row in map(json.loads, ROWS.read_text().splitlines()):
        settings, result = row["settings"], row["result"]
        order.setdefault(settings["function"], len(order))
        regrets[settings["method"], settings["function"]].append(result["regret"][-1])
        stages = zip(result["allocate_s"], result["fit_s"], result["acquire_s"])
        seconds[settings["method"]] += [sum(stage) for stage in stages]
    functions = sorted(order, key=order.get)
    print("| settings | " + " | ".join(functions) + " | s per step |\n|" + "---|" * (len(functions) + 2))
    for method in seconds:
        cells = [f"{mean(r):.3g} ({max(r):.3g})" for r in (regrets[method, function] for function in functions)]
        print(f"| {method} | " + " | ".join(cells) + f" | {mean(seconds[method]):.2f} |")


if __name__ == "__main__":
    main()
