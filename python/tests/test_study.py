"""Studies: spaces, goals, outcomes, and the files of the command line."""

from __future__ import annotations

import enum
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spargo
from spargo.codec import Codec


def hill(params: dict[str, Any]) -> float:
    """Best at x = 0.3, n = 4, metal = Ni."""
    bonus = {"Pd": 0.0, "Ni": 1.0}[params["metal"]]
    return float(bonus - (params["x"] - 0.3) ** 2 - 0.1 * abs(params["n"] - 4))


class Colour(enum.Enum):
    """Values that no JSON has."""

    RED = 1
    BLUE = 2


MIXED: dict[str, Any] = {"x": (0.0, 1.0), "n": spargo.Int(1, 9), "metal": ["Pd", "Ni"]}


def run(study: spargo.Study, batches: int) -> None:
    for _ in range(batches):
        trials = study.ask()
        assert study.tell(trials, [hill(trial.params) for trial in trials]) == len(trials)


def test_a_mixed_space_is_optimised() -> None:
    study = spargo.Study(MIXED, seed=1, initial=20, batch=10)
    run(study, 5)
    best = study.best()
    assert best.params["metal"] == "Ni" and best.params["n"] == 4
    assert abs(best.params["x"] - 0.3) < 0.05
    assert best.interval[0] <= best.mean <= best.interval[1]
    assert best.observed.value == max(trial.value for trial in study.trials)
    assert set(study.importance()) == {"x", "n", "metal"}
    assert len(study) == 60 and [trial.id for trial in study.trials] == list(range(1, 61))
    reports = study.reports()
    assert [report["asked"] for report in reports] == [20, 10, 10, 10, 10]


def test_the_best_point_may_be_one_that_was_not_evaluated() -> None:
    study = spargo.Study(MIXED, "min")
    x = np.linspace(0, 1, 6)
    study.add({"x": x, "n": [4] * 6, "metal": ["Ni"] * 6}, -np.sin(3 * x))
    found = study.best(anywhere=True)
    assert isinstance(found, spargo.Anywhere) and found.trial is None and found.feasible and found.row is None
    assert set(found.params) == {"x", "n", "metal"} and isinstance(found.params["n"], int)
    assert abs(found.params["x"] - math.pi / 6) < 0.05
    assert found.interval[0] <= found.mean <= found.interval[1]
    assert found.mean <= study.predict({"x": x, "n": [4] * 6, "metal": ["Ni"] * 6}).mean.min() + 1e-9
    table = spargo.Study(spargo.Candidates({"n": [1, 2, 3], "id": ["a", "b", "c"]}, inputs=["n"]))
    table.add({"n": [1, 2, 3]}, [1.0, 4.0, 2.0])
    best = table.best(anywhere=True)
    assert best.trial == table.best().observed and best.trial is not None and best.params == {"n": 2}
    assert best.row == 1 and best.labels == {"id": "b"}
    with pytest.raises(spargo.EmptyError):
        spargo.Study(MIXED).best(anywhere=True)
    with pytest.raises(spargo.UnsupportedError, match="single objective"):
        spargo.Study(MIXED, {"a": "max", "b": "min"}).best(anywhere=True)


def test_minimised_outputs_keep_their_sign() -> None:
    study = spargo.Study({"x": (0.0, 1.0)}, "min")
    x = np.linspace(0, 1, 30)
    study.add({"x": x}, 5 + (x - 0.4) ** 2)
    assert abs(study.best().params["x"] - 0.4) < 0.05
    mean, variance = study.predict({"x": [0.4, 1.0]})
    assert mean == pytest.approx([5.0, 5.36], abs=0.01)
    assert (variance >= 0).all()
    path = study.posterior().sample_paths(2, seed=3)[1]
    assert path({"x": [0.4, 1.0]}) == pytest.approx([5.0, 5.36], abs=0.05)


def test_paths_of_a_study_have_gradients_in_its_units() -> None:
    space = {"rate": spargo.Real(1e-3, 10.0, log=True), "x": spargo.Real(-5.0, 20.0), "n": spargo.Int(1, 30)}
    study = spargo.Study(space, "min", seed=2)
    rng = np.random.default_rng(0)
    points = {"rate": 10 ** rng.uniform(-3, 1, 40), "x": rng.uniform(-5, 20, 40), "n": rng.integers(1, 31, 40)}
    study.add(points, np.exp(np.log10(points["rate"])) + points["x"] ** 2 / 100 + points["n"])
    paths = study.posterior().sample_paths(3, seed=5)
    assert len(paths) == 3 and len(paths[1:]) == 2
    at = np.array([[0.1, 2.0, 7.0], [5.0, 12.0, 20.0]])
    together = paths(at)
    assert together.shape == (2, 3)
    for number, path in enumerate(paths):
        assert path(at) == pytest.approx(together[:, number], rel=1e-9)
        gradient = path.gradient(at)
        for k in (0, 1):
            # Values are differences of large numbers where noise is small: a shorter step has more rounding than slope.
            step = 1e-4 * at[:, k]
            up, down = at.copy(), at.copy()
            up[:, k] += step
            down[:, k] -= step
            assert gradient[:, k] == pytest.approx((path(up) - path(down)) / (2 * step), rel=1e-4, abs=1e-7)
    with pytest.raises(IndexError):
        paths[3]


def test_points_come_in_every_form() -> None:
    pandas = pytest.importorskip("pandas")
    rows = [{"x": 0.1, "n": 2, "metal": "Pd"}, {"x": 0.2, "n": 3, "metal": "Ni"}]
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    forms: list[Any] = [
        rows,
        columns,
        {name: np.array(column) for name, column in columns.items()},
        pandas.DataFrame(rows),
        [spargo.Trial(7, row) for row in rows],
        np.array([list(row.values()) for row in rows], dtype=object),
    ]
    for form in forms:
        study = spargo.Study(MIXED)
        assert study.add(form, [1.0, 2.0]) == [1, 2]
        assert [trial.params for trial in study.trials] == rows
    study = spargo.Study(MIXED, {"yield": "max"})
    assert study.add(pandas.DataFrame(rows).assign(**{"yield": [3.0, 4.0]})) == [1, 2]
    assert [trial.value for trial in study.trials] == [3.0, 4.0]
    assert study.add(rows[0]) == [3] and study.pending[0].params == rows[0]
    assert study.predict(rows).mean.shape == (2,)


def test_choices_may_be_any_values() -> None:
    study = spargo.Study({"size": spargo.Choice([8, 16]), "fast": spargo.Choice([True, False]), "what": [None, 2.5]})
    trials = study.ask(8)
    assert {type(trial.params["size"]) for trial in trials} == {int}
    assert {trial.params["fast"] for trial in trials} == {True, False}
    assert {trial.params["what"] for trial in trials} == {None, 2.5}
    study.tell(trials, [float(trial.params["size"]) for trial in trials])
    either = spargo.Study({"what": [1, True]})
    either.add([{"what": True}, {"what": 1}], [1.0, 2.0])
    assert [type(trial.params["what"]) for trial in either.trials] == [bool, int]
    point = {"size": np.int64(16), "fast": np.bool_(True), "what": 2.5}
    assert abs(study.predict(point).mean[0] - 16) < 2
    assert study.best().params["size"] == 16


def test_choices_keep_their_types_in_a_file(tmp_path: Path) -> None:
    space = {"flag": [True, False], "size": [1, 2.5, "large", None], "colour": [Colour.RED, Colour.BLUE]}
    path = tmp_path / "types.db"
    with spargo.Study(space, storage=path, initial=12) as study:
        trials = study.ask(12)
        study.add({"flag": ["True", False], "size": [np.float64(1), "2.5"], "colour": [Colour.BLUE, "Colour.RED"]})
        added = [trial.params for trial in study.trials[12:]]
        assert study.space["flag"] == spargo.Choice([True, False])
    blue, red = Colour.BLUE, Colour.RED
    assert added == [{"flag": True, "size": 1, "colour": blue}, {"flag": False, "size": 2.5, "colour": red}]
    with spargo.Study.open(path) as study:
        # Only what JSON does not know is a string.
        plain = [trial.params | {"colour": str(trial.params["colour"])} for trial in trials]
        assert [trial.params for trial in study.trials[:12]] == plain
        assert {type(trial.params["flag"]) for trial in study.trials} == {bool}
        assert {type(trial.params["size"]) for trial in study.trials} == {int, float, str, type(None)}
        assert study.space["size"] == spargo.Choice([1, 2.5, "large", None])
    for alike in ([1, "1"], [True, "True"], [2, 2.0]):
        with pytest.raises(spargo.InputError):
            spargo.Study({"c": alike, "x": (0.0, 1.0)})
    mixed = spargo.Study(spargo.Candidates({"a": [0.1, "x", True], "b": [1.0, 2.0, 3.0]}), initial=3)
    assert {trial.params["a"] for trial in mixed.ask(3)} == {0.1, "x", True}


def test_real_inputs_have_steps_and_digits(tmp_path: Path) -> None:
    space = {"t": spargo.Real(20, 120, step=0.5, unit="K"), "w": spargo.Real(0.0, 1.0, digits=2), "x": spargo.Real(1e-3, 0.1, log=True, digits=3)}
    path = tmp_path / "grid.db"
    with spargo.Study(space, storage=path, initial=16, batch=8) as study:
        study.optimize(lambda params: float(params["t"]), budget=32)
    with spargo.Study.open(path) as study:
        assert study.space == space and repr(study.space["t"]) == "Real(lower=20.0, upper=120.0, step=0.5, unit='K')"
        for params in (trial.params for trial in study.trials):
            assert params["t"] % 0.5 == 0 and params["w"] == round(params["w"], 2) and params["x"] == round(params["x"], 3)
        assert study.best().params["t"] == 120
    with pytest.raises(spargo.InputError, match="longer than its range"):
        spargo.Study({"t": spargo.Real(0.0, 1.0, step=2.0)})
    with pytest.raises(ValueError, match="not both"):
        spargo.Real(0, 1, step=0.1, digits=1)


def test_outcomes_come_in_every_form() -> None:
    study = spargo.Study({"x": (0.0, 1.0)}, {"a": "max", "b": "min"})
    outcomes: list[Any] = [
        [1.0, 2.0],
        {"b": 4, "a": 3},
        np.array([5.0, 6.0]),
        None,
        [1.0, None],
        {"a": 1.0},
        [math.nan, spargo.Failed("spilt")],
        TimeoutError("an hour"),
        KeyError(),
        spargo.Failed("spilt"),
        math.nan,
    ]
    trials = study.ask(len(outcomes))
    assert study.tell(trials, outcomes) == len(outcomes)
    told = study.trials
    assert [trial.values for trial in told[:3]] == [{"a": 1.0, "b": 2.0}, {"a": 3.0, "b": 4.0}, {"a": 5.0, "b": 6.0}]
    assert [(trial.status, trial.values) for trial in told[4:6]] == [("partial", {"a": 1.0})] * 2
    assert told[6].failures == {"a": "'a' is NaN", "b": "spilt"}
    assert [trial.failure for trial in told[3:]] == [
        "no value",
        None,
        None,
        "'a' is NaN",
        "TimeoutError: an hour",
        "KeyError",
        "spilt",
        "NaN",
    ]
    refusals: list[Any] = ["good", {"c": 1.0}]
    for refused in refusals:
        with pytest.raises((TypeError, ValueError)):
            study.tell(study.ask(1), [refused])
    with pytest.raises(ValueError, match="2 trials and 1 values"):
        study.tell(study.ask(2), [[1.0, 2.0]])
    assert len(study.pending) == 6


def test_one_noise_variance_is_that_of_all_trials() -> None:
    assert spargo.Study({"x": (0.0, 1.0)}).add({"x": [0.1, 0.2]}, [1.0, 2.0], noise=np.float32(0.25)) == [1, 2]


def test_one_trial_at_a_time_with_noise() -> None:
    study = spargo.Study({"x": (0.0, 1.0)})
    a, b = study.ask(2)
    assert study.tell(a, 1.5, noise=0.25) == 1
    assert study.tell(a, 1.5, noise=0.25) == 0
    assert study.tell(b.id, 2.5) == 1
    assert [trial.noise for trial in study.trials] == [{"objective": 0.25}, None]
    study.add({"x": [0.1, 0.2]}, [1.0, 2.0], noise=[0.1, None])
    assert [trial.noise for trial in study.trials_from(3)] == [{"objective": 0.1}, None]


def test_several_objectives_and_constraints() -> None:
    study = spargo.Study({"x": (0.0, 1.0)}, {"up": "max", "down": "min"}, {"safe": {"at_most": 0.5}}, seed=4)
    x = np.linspace(0, 1, 21)
    study.add({"x": x}, np.column_stack([x, x**2, x]))
    observed = study.fronts().observed
    assert observed and all(point.values == point.trial.values and point.values["safe"] <= 0.5 for point in observed)
    assert {point.params["x"] for point in observed} == {value for value in x if value <= 0.5}
    believed = study.fronts().believed
    assert believed and all(point.values["up"] == pytest.approx(point.trial.value, abs=0.1) for point in believed)
    assert len(study.ask(3)) == 3
    with pytest.raises(spargo.UnsupportedError, match="fronts"):
        study.best()
    with pytest.raises(ValueError, match="name the output"):
        study.posterior()
    assert study.predict({"x": [0.5]}, "down").mean == pytest.approx([0.25], abs=0.02)
    assert "safe (≤ 0.5)" in repr(study)


def test_classes_and_levels() -> None:
    for objectives in ({"alive": "classify"}, {"height": {"level": 0.5}}, {"height": {"goal": "level", "level": 0.5}}):
        study = spargo.Study({"x": (0.0, 1.0)}, objectives, initial=10, batch=5, seed=6)
        for _ in range(4):
            trials = study.ask()
            study.tell(trials, [float(trial.params["x"] > 0.6) for trial in trials])
        assert study.directions == {}
        points = {"x": [0.3, 0.9]}
        mean, variance = study.predict(points)
        assert mean[0] < 0.5 < mean[1]
        if "alive" in objectives:
            # The same probability wherever it is asked for; the posterior is that of the latent function.
            assert mean == pytest.approx(study.predict_interval(points).mean)
            assert variance == pytest.approx(mean * (1 - mean))
            assert study.posterior().predict(points).mean[0] < 0
        rule = {"alive": "classify", "height": {"level": 0.5}}[study.outputs[0]]
        assert study.config["outputs"] == [{"name": study.outputs[0], "goal": rule}]


def test_integers_come_back_as_integers() -> None:
    study = spargo.Study({"k": (1, 9), "x": (0.0, 1.0)})
    study.add([{"k": 2.0, "x": 0.5}, {"k": 3, "x": 0.25}], [1.0, 2.0])
    added = [trial.params["k"] for trial in study.trials]
    assert added == [2, 3]
    assert all(type(k) is int for k in added)


def test_studies_share_a_file(tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    settings: dict[str, Any] = {"seed": 9, "initial": 8, "batch": 4, "model": spargo.ModelOptions(exact_until=100)}
    with spargo.Study(MIXED, storage=path, **settings) as study:
        run(study, 3)
        assert study.storage == str(path)
        with spargo.Study.open(path) as other:
            asked = other.ask(2)
            assert study.pending == other.pending and [trial.id for trial in asked] == [17, 18]
            study.tell(asked, [0.0, None])
            assert [trial.status for trial in other.trials_from(17)] == ["done", "failed"]
            assert other.config == study.config and other.config["model"]["exact-until"] == 100
    with pytest.raises(spargo.UnsupportedError, match="closed"):
        study.ask()
    assert "closed" in repr(study)
    with spargo.Study(MIXED, storage=path, **settings) as study:
        assert len(study) == 18
    with pytest.raises(spargo.OtherSettingsError, match=r"has 'seed' = 9, these settings have 8: .*configure"):
        spargo.Study(MIXED, storage=path, **{**settings, "seed": 8})


def test_the_same_seed_asks_for_the_same_points() -> None:
    def points(seed: int) -> list[dict[str, Any]]:
        study = spargo.Study(MIXED, seed=seed, initial=10, batch=5)
        run(study, 4)
        return [trial.params for trial in study.trials]

    assert points(3) == points(3) != points(4)


def test_a_study_has_a_report_and_a_table(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    study = spargo.Study(MIXED, {"yield": "max"}, initial=8, batch=4)
    run(study, 3)
    study.tell(study.ask(2), [None, 1.0])
    study.ask(1)
    html = study.report(tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == html and "</html>" in html
    table = study.to_dataframe()
    assert list(table.columns) == ["trial", "x", "n", "metal", "yield", "status", "reason"]
    assert list(table["status"].value_counts().sort_index().items()) == [("done", 17), ("failed", 1), ("pending", 1)]
    assert table["yield"][:12].tolist() == [trial.value for trial in study.trials[:12]]


def test_inducing_points_are_points_of_the_space() -> None:
    study = spargo.Study(MIXED, initial=40, batch=40, inducing=10, model=spargo.ModelOptions(exact_until=10), seed=2)
    run(study, 2)
    points = study.inducing_points()
    assert points is not None and 0 < len(points) <= 10
    assert all(set(point) == set(MIXED) and point["metal"] in ("Pd", "Ni") for point in points)
    assert len(study.posterior()) == len(points)
    exact = spargo.Study(MIXED, initial=8, batch=8)
    run(exact, 1)
    assert exact.inducing_points() is None


def test_trials_have_numbers() -> None:
    study = spargo.Study(MIXED, initial=8, batch=8)
    run(study, 1)
    assert study.trial(3) == study.trials[2]
    with pytest.raises(spargo.UnknownTrialError):
        study.trial(9)


def test_only_what_is_needed_is_converted(monkeypatch: pytest.MonkeyPatch) -> None:
    study = spargo.Study({"x": (0.0, 1.0)}, {"yield": "max", "cost": "min"})
    study.add({"x": np.linspace(0, 1, 50)}, [[1.0, 2.0]] * 48 + [None, {"yield": 1.0}])
    converted: list[int] = []
    convert = Codec.trial

    def counted(codec: Codec, record: Any) -> spargo.Trial:
        converted.append(record[0])
        return convert(codec, record)

    monkeypatch.setattr(Codec, "trial", counted)
    assert [trial.id for trial in study.pending] == [50] and len(study) == 50 and study.trial(7).id == 7
    study.retry(failed=True, output="cost", reason="again")
    assert converted == [50, 7]


def test_trials_have_hashes_and_integers_stay_integers() -> None:
    study = spargo.Study({"n": (1, 9), "x": (0.0, 1.0)})
    study.add(np.array([[2.0, 0.5]]), [1.0])
    study.add([{"n": 3.0, "x": 1}], [1.0])
    assert [type(trial.params["n"]) for trial in study.trials] == [int, int]
    assert len({*study.trials, study.trial(1)}) == 2


@pytest.mark.parametrize("name", ["trial", "status", "reason", "yield sd", "yield variance", "yield reason"])
def test_names_of_other_columns_are_refused(name: str, tmp_path: Path) -> None:
    for space, outputs in (({name: (0.0, 1.0)}, {"yield": "max"}), ({"x": (0.0, 1.0)}, {"yield": "max", name: "min"})):
        path = tmp_path / "study.db"
        with pytest.raises(spargo.UnsupportedError, match=f"with the name '{name}', .*another name"):
            spargo.Study(space, outputs, storage=path)
        assert not path.exists()


def test_nothing_feasible_is_said_in_words() -> None:
    study = spargo.Study({"x": (0.0, 1.0)}, "max", {"cost": {"at_most": 0.0}})
    study.add({"x": [0.1, 0.2, 0.3]}, [[1.0, 2.0], [2.0, 3.0], [3.0, 4.0]])
    try:
        best = study.best()
    except spargo.UnsupportedError as refused:
        assert "satisfies all constraints" in str(refused)
    else:
        assert not best.feasible and "no trial satisfies all constraints" in repr(best)


def test_only_trials_that_satisfy_all_constraints_are_feasible() -> None:
    study = spargo.Study({"x": (0.0, 1.0)}, "max", {"a": (0.0, None), "b": {"at_most": 1.0}})
    study.add({"x": [0.1, 0.2, 0.3, 0.4]}, [[1, 0, 1], [1, -1, 0], [1, 0, 2], None])
    assert [study.is_feasible(trial) for trial in study.trials] == [True, False, False, False]


def test_noise_stands_beside_goals_and_bounds() -> None:
    study = spargo.Study(
        {"x": (0.0, 1.0)},
        {"y": {"goal": "max", "noise": {"sd": 0.5}}, "z": {"goal": "min", "noise": "none"}},
        {"c": {"at_most": 5.0, "noise": {"variance": np.float64(0.01)}}},
    )
    noises = [output.get("noise") for output in study.config["outputs"]]
    assert noises == [{"sd": 0.5}, "none", {"variance": 0.01}]
    # Whatever is not named stays, and "auto" takes it back.
    [change] = study.configure(objectives={"y": "min"}, reason="a test")
    assert change["what"] == "outputs.y.goal"
    study.configure(objectives={"y": {"goal": "min", "noise": "auto"}}, reason="a test")
    assert "noise" not in study.config["outputs"][0]
    for noise in ("low", 0, 0.1, {}, {"sd": 0.0}, {"sd": -1.0}, {"variance": math.nan}, {"sd": math.inf}, {"sd": 1, "variance": 1}):
        with pytest.raises(ValueError, match="noise of 'y' cannot be .*none"):
            spargo.Study({"x": (0.0, 1.0)}, {"y": {"goal": "max", "noise": noise}})
    with pytest.raises(spargo.SpargoError, match="'y' is a class"):
        spargo.Study({"x": (0.0, 1.0)}, {"y": {"goal": "classify", "noise": "none"}})


def test_the_initial_design_suits_inputs_and_batch() -> None:
    plane = {"x": (0.0, 1.0), "y": (0.0, 1.0)}
    assert [len(spargo.Study(plane, initial=given).ask()) for given in (None, "auto", 7)] == [40, 40, 7]
    assert len(spargo.Study(plane, batch=4).ask()) == 10
    with pytest.raises(spargo.SpargoError, match='initial: .*a whole number or "auto"'):
        spargo.Study(plane, initial="automatic")  # type: ignore[arg-type]


def test_inputs_have_listed_and_ordered_values(tmp_path: Path) -> None:
    class Speed(enum.Enum):
        SLOW = 1
        FAST = 2

    space: dict[str, Any] = {
        "buffer": spargo.Values([8, 5.5, 6, 7]),
        "dose": spargo.Values([0.1, 1.0, 10.0], log=True, unit="mM"),
        "stirring": spargo.Ordinal(["slow", "medium", "fast"]),
        "speed": spargo.Ordinal([Speed.SLOW, Speed.FAST]),
        "dry": [True, False],
    }
    path = tmp_path / "kinds.db"
    with spargo.Study(space, storage=path, initial=12, batch=6) as study:
        study.add({name: [value] for name, value in {"buffer": 6.4, "dose": 2.0, "stirring": "medium", "speed": Speed.FAST, "dry": "True"}.items()}, [0.0])
        study.optimize(lambda p: p["buffer"] + ["slow", "medium", "fast"].index(p["stirring"]), budget=40)
        assert study.space["speed"] == space["speed"] and study.trials[0].params["speed"] is Speed.FAST
        spargo.plot.slices(study)
    with spargo.Study.open(path) as study:
        assert all(study.space[name] == space[name] for name in ("buffer", "dose", "stirring"))
        asked = [trial.params for trial in study.trials[1:]]
        assert {repr(p["buffer"]) for p in asked} == {"8", "5.5", "6", "7"}
        assert {p["dose"] for p in asked} == {0.1, 1.0, 10.0} and {p["dry"] for p in asked} == {True, False}
        assert study.trials[0].params["buffer"] == 6.4
        best = study.best().params
        assert (best["buffer"], best["stirring"]) == (8, "fast")
        assert np.isfinite(study.predict([asked[0], study.trials[0].params]).mean).all()
    for wrong, match in [(spargo.Values([1, 1.0]), "twice"), (spargo.Values(["a", "b"]), "ordinal"), (spargo.Ordinal(["a"]), "only one")]:  # type: ignore[list-item]
        with pytest.raises(spargo.InputError, match=match):
            spargo.Study({"x": wrong})


def test_choices_have_descriptors(tmp_path: Path) -> None:
    labels = [f"L{k}" for k in range(30)]
    table = np.array([[math.sin(k), k % 7, 4.0] for k in range(30)])
    with pytest.warns(UserWarning, match="left out: x2"):
        study = spargo.Study({"ligand": spargo.Choice(labels, descriptors=table), "x": (0.0, 1.0)}, storage=tmp_path / "d.db", initial=10, batch=5)
    with study:
        study.optimize(lambda p: -abs(table[labels.index(p["ligand"]), 0] - 0.9) - (p["x"] - 0.5) ** 2, budget=40)
        best = study.best().params
        assert table[labels.index(best["ligand"]), 0] > 0.7 and all(study.importance().values())
    with spargo.Study.open(tmp_path / "d.db") as study:
        assert study.space["ligand"] == spargo.Choice(labels, dict(zip(labels, table.tolist())))
        assert len(study.ask(5)) == 5
    rows = {"a": [1.0, 2.0], True: [3, 4], None: [5.0, 7.0]}
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(rows.values(), index=list(rows), columns=["size", "charge"])
    choices = ["a", True, None]
    assert spargo.Choice(choices, frame) == spargo.Choice(choices, rows) == spargo.Choice(choices, list(rows.values()))
    for wrong, match in [([[1.0]], "each of the 3"), ({"a": [1.0]}, "no row"), (rows | {"a": [1.0]}, "numbers"), (rows | {"a": ["x", 1.0]}, "no number")]:
        with pytest.raises(ValueError, match=match):
            spargo.Choice(choices, wrong)
    with pytest.raises(spargo.InputError, match="same for all"):
        spargo.Study({"c": spargo.Choice(["a", "b"], [[1.0], [1.0]])})
    with pytest.raises(spargo.InputError, match="not finite"):
        spargo.Study({"c": spargo.Choice(["a", "b"], [[1.0], [float("nan")]])})
