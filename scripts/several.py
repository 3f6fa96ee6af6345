#!/usr/bin/env python3
"""The evidence for issues beyond one objective: active learning, several objectives, constraints.

    cargo build --release && python3 scripts/several.py run FOLDER && python3 scripts/several.py table FOLDER

`run` writes one JSON file a run into FOLDER and passes over those that are there, so it can be stopped and resumed; words
after FOLDER choose among malaria, zdt3 and radiator. The map is that of $SPARGO_DATA/nigeria_pfpr_map2015.csv. Each run has
one thread and two runs go side by side, but for the radiator's, whose seconds are compared: they go one after another.
$SPARGO names another binary than target/release/spargo.
"""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from math import sqrt
from pathlib import Path
from statistics import mean, stdev

ROOT = Path(__file__).resolve().parent.parent
SPARGO = os.environ.get("SPARGO", str(ROOT / "target/release/spargo"))
MAP = Path(os.environ.get("SPARGO_DATA", "")) / "nigeria_pfpr_map2015.csv"
ZDT3 = ["hv-dpp", "front-dpp", "cvr", "kmeans", "uniform"]
RADIATOR = ["sparse", "exact"]


def malaria(allocation, seed):
    return ["learn", "malaria", "--data", str(MAP), "--allocate", allocation, "--seed", str(seed)]


def zdt3(allocation, seed):
    words = ["optimize", "zdt3", "--initial", "100", "--batches", "20", "--batch", "100", "--inducing", "100"]
    return words + ["--allocate", allocation, "--seed", str(seed)]


def radiator(posterior, seed):
    words = ["optimize", "radiator", "--initial", "100", "--batches", "10", "--batch", "100", "--inducing", "100"]
    # The bound through 100 points costs a tenth of the exact likelihood; an exact posterior has no other.
    learning = {"sparse": "bound", "exact": "subset"}[posterior]
    return words + ["--posterior", posterior, "--hyperparameters", learning, "--seed", str(seed)]


# Command, variants, seeds, runs side by side.
EXPERIMENTS = {
    "malaria": (malaria, ["al-dpp", "cvr"], range(10), 2),
    "zdt3": (zdt3, ZDT3, range(5), 2),
    "radiator": (radiator, RADIATOR, range(3), 1),
}


def file(folder, experiment, variant, seed):
    return folder / f"{experiment}_{variant}_{seed}.json"


def run(folder, names):
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        command, variants, seeds, beside = EXPERIMENTS[name]

        def one(job):
            path = file(folder, name, *job)
            if path.exists():
                return
            words = [SPARGO, *command(*job), "--threads", "1", "--json"]
            done = subprocess.run(words, check=True, capture_output=True, text=True)
            path.write_text(done.stdout)

        with ThreadPoolExecutor(beside) as pool:
            list(pool.map(one, [(variant, seed) for seed in seeds for variant in variants]))


def read(folder, name, variant):
    seeds = EXPERIMENTS[name][2]
    paths = [file(folder, name, variant, seed) for seed in seeds]
    return [json.loads(path.read_text()) for path in paths if path.exists()]


def with_error(values, digits):
    error = stdev(values) / sqrt(len(values)) if len(values) > 1 else float("nan")
    return f"{mean(values):.{digits}f} ± {error:.{digits}f}"


def table_of_malaria(folder):
    print("| allocation | seeds | accuracy % after 300 | after 1,100 | log loss after 1,100 | overhead s |\n|---|---|---|---|---|---|")
    for variant in EXPERIMENTS["malaria"][1]:
        runs = read(folder, "malaria", variant)
        if not runs:
            continue
        at_300 = [100 * one["accuracy"][one["evaluations"].index(300)] for one in runs]
        last = [100 * one["accuracy"][-1] for one in runs]
        loss = [one["log_loss"][-1] for one in runs]
        seconds = mean(one["overhead_s"] for one in runs)
        print(f"| {variant} | {len(runs)} | {with_error(at_300, 2)} | {with_error(last, 2)} | {with_error(loss, 4)} | {seconds:.1f} |")


def table_of_zdt3(folder):
    print("| allocation | seeds | regret after 1,100 | after 2,100 | pieces, models of f1 and f2 | largest gap | on the front | overhead s |")
    print("|---|---|---|---|---|---|---|---|")
    for variant in ZDT3:
        runs = read(folder, "zdt3", variant)
        if not runs:
            continue
        of = lambda key: ", ".join(f"{mean(one['coverage'][k][key] for one in runs):.3g}" for k in (0, 1))
        half, last = ([one["regret"][i] for one in runs] for i in (9, -1))
        seconds = mean(one["overhead_s"] for one in runs)
        cells = [with_error(half, 4), with_error(last, 4), of("pieces"), of("largest_gap"), of("on_front")]
        print(f"| {variant} | {len(runs)} | " + " | ".join(cells) + f" | {seconds:.1f} |")


def table_of_radiator(folder):
    print("| seed | hypervolume, sparse | exact | ratio | overhead s, sparse | exact | ratio |\n|---|---|---|---|---|---|---|")
    for seed, (sparse, exact) in enumerate(zip(*(read(folder, "radiator", variant) for variant in RADIATOR))):
        volumes, seconds = ([one[key] for one in (sparse, exact)] for key in ("hypervolume", "overhead_s"))
        volumes = [volume[-1] for volume in volumes]
        print(f"| {seed} | {volumes[0]:.2f} | {volumes[1]:.2f} | {volumes[0] / volumes[1]:.3f} ", end="")
        print(f"| {seconds[0]:.1f} | {seconds[1]:.1f} | {seconds[0] / seconds[1]:.3f} |")


def table(folder, names):
    for name in names:
        print(f"\n{name}\n")
        globals()[f"table_of_{name}"](folder)


if __name__ == "__main__":
    {"run": run, "table": table}[sys.argv[1]](Path(sys.argv[2]), sys.argv[3:] or list(EXPERIMENTS))
