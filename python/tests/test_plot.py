"""Every figure, for every kind of study."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import spargo

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("agg")

import matplotlib.pyplot as plt  # noqa: E402

from spargo import plot  # noqa: E402

SPACE: dict[str, Any] = {"x": (0.0, 1.0), "rate": (1e-4, 1.0, "log"), "n": (1, 9), "metal": ["Pd", 2, None]}


def outcome(params: dict[str, Any]) -> list[float]:
    value = -((params["x"] - 0.3) ** 2) - (math.log10(params["rate"]) + 2) ** 2 + (params["metal"] == 2)
    return [value, params["n"] + params["x"], params["x"]]


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    yield
    plt.close("all")


def single(goal: str = "max", **settings: Any) -> spargo.Study:
    study = spargo.Study(SPACE, {"y": goal}, seed=1, initial=20, batch=10, **settings)
    sign = 1 if goal == "max" else -1
    return study.optimize(lambda params: None if params["n"] == 1 else sign * outcome(params)[0], 40)


@pytest.fixture(scope="module")
def several() -> spargo.Study:
    goals = {"up": "max", "down": "min"}
    return spargo.Study(SPACE, goals, {"c": {"at_most": 0.6}}, initial=20, batch=10).optimize(outcome, 30)


@pytest.mark.parametrize("goal", ["max", "min"])
def test_best_and_regret_follow_the_goal(goal: str) -> None:
    study = single(goal)
    better = np.maximum if goal == "max" else np.minimum
    values = [trial.value for trial in study.trials if trial.values]
    line = plot.best_so_far(study).get_lines()[1]
    assert np.allclose(line.get_ydata(), better.accumulate(values))
    optimum = 1.0 if goal == "max" else -1.0
    ax = plot.regret(study, optimum)
    assert ax.get_yscale() == "log"
    assert np.allclose(ax.get_lines()[0].get_ydata(), abs(optimum - better.accumulate(values)))
    assert "y" in ax.get_ylabel()
    plot.regret(study, -100.0 if goal == "max" else 100.0)


def test_only_feasible_outcomes_are_best(several: spargo.Study) -> None:
    with pytest.raises(ValueError, match="name the objective"):
        plot.best_so_far(several)
    drawn = np.asarray(plot.best_so_far(several, output="up").get_lines()[1].get_ydata(), dtype=float)
    feasible = [trial.values["up"] for trial in several.trials if trial.values and trial.values["c"] <= 0.6]
    assert drawn[-1] == max(feasible)


def test_slices_go_through_the_best_point() -> None:
    study = single()
    axes = plot.slices(study)
    assert [ax.get_xlabel() for ax in axes] == ["x", "rate", "n", "metal"]
    assert axes[1].get_xscale() == "log" and axes[0].get_ylabel() == "y"
    assert [tick.get_text() for tick in axes[3].get_xticklabels()] == ["Pd", "2", "None"]
    best = study.best()
    x, y = axes[2].get_lines()[0].get_data()
    assert np.asarray(x).tolist() == list(range(1, 10))
    mean, *_ = study.predict_interval(best.params)
    assert np.asarray(y)[best.params["n"] - 1] == pytest.approx(mean[0])
    (ax,) = plot.slices(study, ["x"], at={"x": 0.5, "rate": 0.1, "n": 3, "metal": "Pd"})
    assert np.asarray(ax.get_lines()[1].get_xdata())[0] == 0.5


def test_fronts_are_those_of_the_study(several: spargo.Study) -> None:
    ax = plot.front(several)
    line = ax.get_lines()[1]
    found = sorted(point.values["up"] for point in several.fronts().observed)
    assert np.allclose(line.get_xdata(), found)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("up (max)", "down (min)")
    assert plot.front(several, ["down", "up"]).get_xlabel() == "down (min)"
    plot.slices(several, output="down")
    with pytest.raises(ValueError, match="name two objectives"):
        plot.front(single())


def test_inducing_points_over_any_two_inputs() -> None:
    study = single(inducing=8, model=spargo.ModelOptions(exact_until=0))
    for first, second in (("x", "rate"), ("n", "metal"), ("metal", "x")):
        with np.errstate(all="raise"):
            ax = plot.inducing_points(study, [first, second])
        points = study.inducing_points()
        assert points is not None and np.asarray(ax.get_lines()[1].get_xdata()).shape == (len(points),)
        assert (ax.get_xlabel(), ax.get_ylabel()) == (first, second)
        ax.figure.canvas.draw()
    exact = plot.inducing_points(single())
    assert "exact" in exact.get_title() and exact.get_yscale() == "log"


def test_predictions_are_those_of_the_others() -> None:
    study = single()
    observed, mean, lower, upper = study.leave_one_out()
    assert (lower <= mean).all() and (mean <= upper).all()
    assert observed.tolist() == [trial.value for trial in study.trials if trial.values]
    own = study.predict([trial.params for trial in study.trials if trial.values]).mean
    assert np.abs(mean - observed).sum() > np.abs(own - observed).sum()
    ax = plot.predicted(study)
    assert "95 %" in ax.get_title()


def test_axes_can_be_given_and_empty_studies_are_refused() -> None:
    study = single()
    _, ax = plt.subplots()
    for draw in (plot.best_so_far, plot.inducing_points, plot.predicted):
        assert draw(study, ax=ax) is ax
    with pytest.raises(ValueError, match="nothing to draw"):
        plot.best_so_far(spargo.Study(SPACE))
    with pytest.raises(ValueError, match="nothing to draw"):
        plot.predicted(spargo.Study(SPACE))


def test_slices_are_drawn_without_feasible_trials() -> None:
    for objectives in ({"a": "max"}, {"a": "max", "b": "min"}):
        study = spargo.Study({"x": (0.0, 1.0)}, objectives, {"c": {"at_most": -1.0}}, initial=8)
        trials = study.ask(8)
        study.tell(trials, [[trial.params["x"]] * (len(objectives) + 1) for trial in trials])
        plot.slices(study, output="a")


def test_candidates_and_classes_have_figures() -> None:
    rows = [{"size": float(i), "metal": "Pd" if i % 2 else "Ni"} for i in range(30)]
    table = spargo.Study(rows, initial=10, batch=5).optimize(lambda params: params["size"], 20)
    plot.slices(table)
    plot.inducing_points(table)
    classes = spargo.Study({"x": (0.0, 1.0)}, {"alive": "classify"}, initial=10, batch=5)
    classes.optimize(lambda params: float(params["x"] > 0.5), 20)
    plot.slices(classes)
    plot.inducing_points(classes)
    assert plot.predicted(classes).get_title() == ""
