#!/usr/bin/env python3
"""Conditional objectives of Optuna: SpargoSampler beside TPE by groups and random trials.

    python -m pip install './python[optuna]'
    python scripts/peers/conditional.py [--trials 50] [--seeds 10] [--samplers spargo,tpe,random]

Prints the mean, the median and the largest regret of the best trial over the seeds.
"""

import argparse
import time
import warnings

import numpy as np
import optuna


def branches(trial):
    """Two branches with an input each; the better one has its optimum, 0, at x = 1."""
    if trial.suggest_categorical("kind", ["a", "b"]) == "a":
        return (trial.suggest_float("x_a", -5, 5) - 1) ** 2
    return (trial.suggest_float("y_b", -5, 5) + 2) ** 2 + 0.1


def correlated(trial):
    """The example of optuna#5299: an input of each branch, and one that both share and that must agree with it."""
    is_a = trial.suggest_categorical("x", ["A", "B"]) == "A"
    shared = trial.suggest_float("t", -2, 2)
    return (trial.suggest_float("y", 1, 2) - shared) ** 2 if is_a else (trial.suggest_float("z", -2, 1) - shared) ** 2 + 0.1


def nested(trial):
    """As many inputs as another one says, of which three are best; the optimum, 0, is at 1, 2 and 3."""
    count = trial.suggest_int("count", 1, 4)
    values = [trial.suggest_float(f"x{k}", 0, 5) for k in range(count)]
    return sum((value - k - 1) ** 2 for k, value in enumerate(values)) / count + 0.5 * abs(count - 3)


OBJECTIVES = {"branches": branches, "correlated": correlated, "nested": nested}


def sampler_of(name, seed):
    if name == "spargo":
        from spargo.optuna import SpargoSampler

        return SpargoSampler(seed=seed)
    if name == "tpe":
        return optuna.samplers.TPESampler(seed=seed, multivariate=True, group=True)
    return optuna.samplers.RandomSampler(seed=seed)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--trials", type=int, default=50)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--samplers", default="spargo,tpe,random")
    parser.add_argument("--objectives", default=",".join(OBJECTIVES))
    given = parser.parse_args()
    warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    print("| objective | sampler | mean | median | largest | CPU s |")
    print("|---|---|---|---|---|---|")
    for objective in given.objectives.split(","):
        for name in given.samplers.split(","):
            regrets, begun = [], time.process_time()
            for seed in range(given.seeds):
                study = optuna.create_study(sampler=sampler_of(name, seed))
                study.optimize(OBJECTIVES[objective], n_trials=given.trials)
                regrets.append(study.best_value)
            seconds = (time.process_time() - begun) / given.seeds
            cells = [f"{found:.2g}" for found in (np.mean(regrets), np.median(regrets), max(regrets))]
            print("|", " | ".join([objective, name, *cells, f"{seconds:.1f}"]), "|", flush=True)


if __name__ == "__main__":
    main()
