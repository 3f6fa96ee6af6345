"""TuRBO-ENN (Bafna, Jadhav & Sweet 2025, arXiv 2506.12818) by the package ennbo, a peer of compare.py.

The package's own settings: `turbo_enn_config()`, a trust region with candidates by RAASP and a choice by the Pareto front of mean and
deviation. Its initial points, a Latin hypercube, come in batches as all others do. Reported is the point with the best outcome.
`cpu_s` are its processor seconds, batch by batch.
"""

import time

import numpy as np
from enn import create_optimizer, turbo_enn_config

DESCRIPTION = {"package": "ennbo", "config": "turbo_enn_config", "report": "best outcome"}


def turbo_enn(run, rng, initial=100, batch=100):
    """One optimizer until the budget is spent."""
    bounds = np.array([[0.0, 1.0]] * run.dimension)
    optimizer = create_optimizer(bounds=bounds, config=turbo_enn_config(num_init=initial), rng=rng)
    seconds = run.result.setdefault("cpu_s", [])
    while run.left:
        began = time.process_time()
        points = optimizer.ask(batch)
        spent = time.process_time() - began
        outcomes = run.evaluate(points)
        began = time.process_time()
        optimizer.tell(points[: len(outcomes)], outcomes)
        seconds.append(spent + time.process_time() - began)
        run.reported = run.best_observed()
