"""Writes radiator_designs.json: outputs of the radiator's reference for the tests of problems/radiator.

Needs NumPy and a module `radiator` with the reference's `simulate` and `sample` on the path:
PYTHONPATH=FOLDER_OF_RADIATOR python radiator_designs.py
"""

import json
import pathlib

import numpy as np
from radiator import HI, LO, evaluate, sample, simulate

rng = np.random.default_rng(7)
corners = np.where(rng.random((10, 9)) < 0.5, LO, HI)
many = sample(2000, rng)
feasible = many[(evaluate(many)[1] <= 0).all(1)]
points = np.vstack([many[:30], feasible[:10], corners])
result = simulate(points)
outputs = np.c_[result["Q"], result["mass"], result["dpa"], result["dpc"], result["Tco"]]
rows = [{"x": x.tolist(), "outputs": y.tolist()} for x, y in zip(points, outputs)]
target = pathlib.Path(__file__).with_suffix(".json")
target.write_text(json.dumps({"numpy": np.__version__, "points": rows}) + "\n")
