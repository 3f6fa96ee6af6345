"""Writes rover.json: rewards of the 60-d rover problem (Wang et al. 2018) for the tests of problems/rover.

Needs NumPy and a module `rover60` with the reference's `reward(x)` on the path:
PYTHONPATH=FOLDER_OF_ROVER60 python rover.py
"""

import json
import pathlib

import numpy as np
from rover60 import reward

rng = np.random.default_rng(4)
line = (np.linspace(0.05, 0.95, 30)[:, None] * np.ones(2) + 0.1) / 1.2
two_places = np.repeat([[0.2, 0.3], [0.9, 0.4]], 15, axis=0)
points = [rng.random(60) for _ in range(6)]
points += [np.clip(line + scale * rng.normal(size=(30, 2)), 0, 1).ravel() for scale in (0, 0.01, 0.03, 0.1, 0.2)]
points += [0.5 + 1e-3 * np.arange(60) / 60, two_places.ravel()]
rows = [{"x": [float(v) for v in x], "reward": float(reward(x))} for x in points]
target = pathlib.Path(__file__).with_suffix(".json")
target.write_text(json.dumps({"numpy": np.__version__, "points": rows}) + "\n")
