"""Known hyperparameters, and numbers of inducing points that are chosen automatically."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import spargo

SPACE: dict[str, Any] = {"dose_mg": (10.0, 30.0), "b": (-1.0, 1.0)}


def rows(count: int) -> tuple[dict[str, Any], Any]:
    rng = np.random.default_rng(4)
    points = {"dose_mg": rng.uniform(10, 30, count), "b": rng.uniform(-1, 1, count)}
    return points, np.sin(points["dose_mg"] / 4) + points["b"] ** 2 + 0.1 * rng.standard_normal(count)


def fixed(**given: Any) -> spargo.ModelOptions:
    known = spargo.FixedHyperparameters(**given)
    return spargo.ModelOptions(kernel="matern32", hyperparameters={"fixed": known}, outcome_transform="off")


@pytest.mark.parametrize("goal", ["max", "min"])
def test_the_posterior_is_that_of_the_exact_model(goal: str) -> None:
    points, outcomes = rows(60)
    model = fixed(variance=np.float64(0.8), lengthscales={"dose_mg": 5.0, "b": 0.7}, noise=0.02, mean=0.4)
    study = spargo.Study(SPACE, goal, model=model)
    study.add(points, outcomes)
    given: dict[str, Any] = {"kernel": "matern32", "variance": 0.8, "lengthscales": [5.0, 0.7], "noise": 0.02, "mean": 0.4}
    exact = spargo.ExactGP(**given).fit(np.column_stack(list(points.values())), outcomes)
    at = {"dose_mg": [11.0, 17.5, 29.0], "b": [0.0, 0.9, -0.4]}
    found = study.predict(at)
    mean, std = exact.predict(np.column_stack(list(at.values())), return_std=True)
    np.testing.assert_allclose(found.mean, mean, rtol=1e-8)
    np.testing.assert_allclose(found.variance, std**2, rtol=1e-6)


def test_what_they_cannot_be_is_refused() -> None:
    known: dict[str, Any] = {"variance": 1.0, "lengthscales": 2.0, "noise": 0.1}
    with pytest.raises(spargo.errors.UnsupportedError, match='outcome-transform = "off"'):
        spargo.Study(SPACE, model=spargo.ModelOptions(hyperparameters={"fixed": spargo.FixedHyperparameters(**known)}))
    with pytest.raises(spargo.errors.UnsupportedError, match="the choices of 'metal'"):
        spargo.Study({**SPACE, "metal": ["Pd", "Ni"]}, model=fixed(**known))
    with pytest.raises(spargo.errors.UnsupportedError, match="'c', which is no input"):
        spargo.Study(SPACE, model=fixed(**known | {"lengthscales": {"dose_mg": 1.0, "b": 1.0, "c": 1.0}}))
    with pytest.raises(spargo.errors.ParameterError, match="noise of 'fixed'"):
        spargo.Study(SPACE, model=fixed(**known | {"noise": -1.0}))


def test_the_number_of_inducing_points_follows_the_noise() -> None:
    points, outcomes = rows(300)
    model = spargo.ModelOptions(exact_until=0)
    study = spargo.Study(SPACE, inducing="auto", inducing_max=120, batch=5, model=model)
    study.add(points, outcomes)
    found = study.inducing_points()
    assert found is not None and 16 <= len(found) <= 120
    assert (study.config["inducing"], study.config["inducing-max"]) == ("auto", 120)
    assert [change["what"] for change in study.configure(inducing=40)] == ["inducing"]
    with pytest.raises(spargo.errors.UnsupportedError, match="cannot be \"auto\""):
        study.configure(inducing="auto", allocation="kmeans")
