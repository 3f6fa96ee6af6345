"""Allocation of inducing points, and benchmark problems."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import spargo
from spargo.options import Method

RNG = np.random.default_rng(3)
X = RNG.random((400, 2))
Y = -((X - 0.7) ** 2).sum(axis=1)


@pytest.mark.parametrize("allocation", ["random", "cvr", "dpp", "lin-dpp", "imp-dpp", "ent-dpp", "al-dpp"])
def test_every_allocation_returns_rows(allocation: Method) -> None:
    rows = spargo.allocate(X, 20, allocation=allocation, y=Y, seed=1)
    assert rows.dtype == np.intp and len(set(rows.tolist())) == 20 and rows.max() < 400
    assert (rows == spargo.allocate(X, 20, allocation=allocation, y=Y, seed=1)).all()


def test_rows_are_where_quality_is_large() -> None:
    def spread(rows: Any) -> float:
        return float(np.linalg.norm(X[rows] - 0.7, axis=1).mean())

    cover = spread(spargo.allocate(X, 20, lengthscales=0.2))
    assert spread(spargo.allocate(X, 20, allocation="imp-dpp", y=Y, lengthscales=0.2)) < cover
    assert spread(spargo.allocate(X, 20, allocation={"method": "imp-dpp", "baseline": "max"}, y=Y, lengthscales=0.2)) < cover
    assert spread(spargo.allocate(X, 20, quality=np.exp(20 * Y), lengthscales=0.2)) < 0.8 * cover
    assert spread(spargo.allocate(X, 20, allocation="imp-dpp", y=-Y, goal="min", lengthscales=0.2)) < cover
    drawn = [spread(spargo.allocate(X, 20, allocation="dpp", quality=np.exp(20 * Y), lengthscales=0.2, seed=s)) for s in (1, 2)]
    assert max(drawn) < cover and drawn[0] != drawn[1]


def test_the_kernel_can_be_that_of_a_model() -> None:
    model = spargo.ExactGP(kernel="rbf").fit(X, Y)
    rows = spargo.allocate(X, 15, kernel=model)
    same = spargo.allocate(X, 15, kernel="rbf", lengthscales=model.lengthscales_, variance=model.variance_)
    assert (rows == same).all()
    assert (spargo.SparseGP(kernel="rbf", inducing=X[rows]).fit(X, Y).inducing_points_ == pytest.approx(X[rows]))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"allocation": "imp-dpp"}, "depends on outcomes"),
        ({"allocation": "kmeans"}, "no rows"),
        ({"allocation": "luck"}, "allocation.method: unknown variant"),
        ({"allocation": "imp-dpp", "y": Y, "quality": np.ones(400)}, "a quality of its own"),
        ({"quality": np.ones(3)}, "qualities has 3 but 400"),
        ({"quality": -np.ones(400)}, "must be at least 0"),
        ({"quality": np.full(400, np.nan)}, "not finite"),
        ({"quality": np.ones((400, 1))}, "one number per row"),
        ({"goal": "most"}, "goal: unknown variant `most`"),
        ({"kernel": "matern72"}, "kernel: unknown variant"),
    ],
)
def test_errors_name_their_cause(settings: Any, message: str) -> None:
    with pytest.raises(ValueError) as refused:
        spargo.allocate(X, 20, **settings)
    assert message in str(refused.value)


@pytest.mark.parametrize("name", spargo.problems.names())
def test_problems_match_their_description(name: str) -> None:
    problem = spargo.problems.by_name(name)
    assert getattr(spargo.problems, name.replace("-", "_")) is not None and problem.citation
    if isinstance(problem, spargo.problems.Problem):
        low, high = np.array(problem.bounds).T
        points = low + np.random.default_rng(1).random((2000, problem.dimension)) * (high - low)
        values = problem(points)
        assert values.shape == (2000,) and values.min() >= problem.minimum
        for point in problem.minimisers:
            assert problem(point)[0] == pytest.approx(problem.minimum, abs=1e-6)
            assert problem.scaled(point)[0] == pytest.approx(problem.optimum, abs=1e-5)
        noise = problem.observe(points, seed=4) - problem.scaled(points)
        assert noise.var() == pytest.approx(problem.noise, rel=0.2)
        assert spargo.Study(problem.space, "min").inputs == [f"x{k}" for k in range(problem.dimension)]
    else:
        study = spargo.Study(problem.space, problem.objectives, problem.constraints)
        assert study.space == problem.space and str(study.space) == str(problem.space)  # Integers have integer bounds.
        trials = study.ask(30)
        outputs = problem(np.array([list(trial.params.values()) for trial in trials], dtype=float))
        study.tell(trials, outputs)
        assert study.outputs == problem.outputs and problem.hypervolume(outputs) >= 0


def test_hypervolumes_of_boxes() -> None:
    assert spargo.hypervolume(np.empty((0, 2)), [0.0, 0.0]) == 0.0
    assert spargo.hypervolume([[1.0, -2.0]], [0.0, 0.0], goals=["max", "min"]) == 2.0
    assert spargo.hypervolume([[1.0, 1.0, 1.0], [-1.0, 5.0, 5.0]], [0.0, 0.0, 0.0]) == 1.0
    refused: list[tuple[Any, Any, str]] = [
        ([[1.0]], [0.0, 0.0], "max"),
        ([[1.0]], [0.0], "most"),
        ([[1.0]], [[0.0]], "max"),
    ]
    for points, reference, goals in refused:
        with pytest.raises(ValueError):
            spargo.hypervolume(points, reference, goals=goals)
