"""Reference values of other implementations: GPflow's models, Trieste's allocations, hypervolumes and functions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spargo

CRATES = Path(__file__).resolve().parents[2] / "crates"


def golden(name: str, crate: str = "spargo") -> dict[str, Any]:
    path = CRATES / crate / "tests" / "golden" / f"{name}.json"
    file: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return file


def close(found: Any, expected: Any, tolerance: float = 1e-8) -> None:
    found, expected = np.asarray(found, float), np.asarray(expected, float)
    assert found.shape == expected.shape
    allowed = tolerance * np.maximum(np.abs(expected), 1e-4 * np.abs(expected).max())
    assert (np.abs(found - expected) <= allowed).all(), np.abs(found / expected - 1).max()


def parameters(file: dict[str, Any]) -> dict[str, Any]:
    return {
        "kernel": file["kernel"],
        "variance": file["variance"],
        "lengthscales": file["lengthscales"],
        "noise": file.get("noise_variance", 1.0),
        "mean": file["constant_mean"],
    }


@pytest.mark.parametrize("kernel", ["rbf", "matern32", "matern52"])
def test_exact_models(kernel: str) -> None:
    file = golden(f"gpr_{kernel}")
    model = spargo.ExactGP(**parameters(file)).fit(file["X"], file["y"], optimize=False)
    close(model.log_marginal_likelihood(), file["log_marginal_likelihood"])
    mean, std = model.predict(file["X_test"], return_std=True)
    close(mean, file["predict_f_mean"])
    close(std**2, file["predict_f_var"])
    close(model.predict_observed(file["X_test"]).variance, file["predict_y_var"])


@pytest.mark.parametrize("jitter", ["with_jitter", "no_jitter"])
@pytest.mark.parametrize("kernel", ["rbf", "matern32", "matern52"])
def test_collapsed_models(kernel: str, jitter: str) -> None:
    file = golden(f"sgpr_{kernel}")
    expected = file[jitter]
    model = spargo.SparseGP(**parameters(file), inducing=file["Z"], jitter=expected["jitter_on_Kuu"])
    model.fit(file["X"], file["y"], optimize=False)
    close(model.elbo(), expected["elbo"])
    mean, std = model.predict(file["X_test"], return_std=True)
    close(mean, expected["predict_f_mean"])
    close(std**2, expected["predict_f_var"])
    close(model.inducing_points_, file["Z"], 1e-15)


@pytest.mark.parametrize("name", ["svgp_gaussian", "svgp_bernoulli"])
def test_variational_models(name: str) -> None:
    file = golden(name)
    expected = file["whiten_true"]
    # GPflow's link has a floor of 1e-3 on either side.
    likelihood: Any = "gaussian" if name == "svgp_gaussian" else {"mislabelled": {"rate": 1e-3}}
    model = spargo.VariationalGP(
        **parameters(file), inducing=file["Z"], jitter=file["jitter_on_Kuu"], likelihood=likelihood
    )
    model.fit(file["X"], file["y"], optimize=False, q=(file["q_mu"], file["q_sqrt_lower"]))
    close(model.elbo(), expected["elbo"])
    mean, variance = model.posterior.predict(np.array(file["X_test"]))
    close(mean, expected["predict_f_mean"])
    close(variance, expected["predict_f_var"])
    mean, variance = model.predict_observed(file["X_test"])
    close(mean, expected["predict_y_mean"])
    close(variance, expected["predict_y_var"])


@pytest.mark.parametrize("name", ["cvr_selection", "imp_selection"])
def test_allocations(name: str) -> None:
    file = golden(name)
    settings = {"kernel": file["kernel"], "variance": file["variance"], "lengthscales": file["lengthscales"]}
    X = np.array(file["X"])
    quality = file.get("quality")
    rows = spargo.allocate(X, file["M"], quality=quality, **settings)
    assert rows.tolist() == file["indices"]
    if quality is not None:
        table = np.array(quality)
        again = spargo.allocate(X, file["M"], quality=lambda x: table[: len(x)], **settings)
        assert again.tolist() == file["indices"]


def test_hypervolumes() -> None:
    for one in golden("hypervolume")["sets"]:
        close(spargo.hypervolume(one["points"], one["reference"], goals="min"), one["hypervolume"], 1e-10)
        close(spargo.hypervolume(-np.array(one["points"]), -np.array(one["reference"])), one["hypervolume"], 1e-10)


@pytest.mark.parametrize(
    ("problem", "name", "values"),
    [
        (spargo.problems.shekel4, "Shekel4", "f_textbook_float64"),
        (spargo.problems.hartmann6, "Hartmann6", "f_textbook_float64"),
        (spargo.problems.michalewicz5, "Michalewicz5", "f_textbook_float64"),
        (spargo.problems.branin, "Branin", "f"),
    ],
    ids=lambda one: getattr(one, "name", one),
)
def test_functions(problem: spargo.problems.Problem, name: str, values: str) -> None:
    file = golden("functions", "spargo-problems")["functions"][name]
    (low, high), unit = np.array(problem.bounds).T, np.array(file["X"])
    unit = (unit - file["lower"]) / (np.array(file["upper"]) - file["lower"])
    close(problem(low + unit * (high - low)), np.ravel(file[values]), 1e-9)
