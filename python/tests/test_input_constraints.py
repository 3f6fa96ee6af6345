"""Constraints among inputs, inputs with conditions, and inputs that are fixed for an ask, in studies as people run them."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spargo
from spargo import Exclude, Nonzero, Ratio, Sum

PARTS = ("water", "glycol", "salt", "sugar")
FRACTIONS: dict[str, Any] = {name: spargo.Real(0, 1, digits=2) for name in PARTS}
QUICK: dict[str, Any] = {
    "initial": 10,
    "batch": 6,
    "acquisition": spargo.AcquisitionOptions(pool=300, near=60),
    "sampling": spargo.SamplingOptions(features=100),
}


def printed(params: dict[str, Any], *names: str) -> list[Decimal]:
    """Values as a table has them."""
    return [Decimal(str(params[name])) for name in names]


def run(study: spargo.Study, f: Callable[[dict[str, Any]], float], batches: int = 3) -> list[spargo.Trial]:
    trials = []
    for _ in range(batches):
        asked = study.ask()
        study.tell(asked, [f(trial.params) for trial in asked])
        trials += asked
    return trials


def test_mixtures_sum_to_one_as_printed() -> None:
    constraints = [
        Sum(PARTS, equals=1),
        Nonzero(PARTS, at_most=3),
        Sum({"water": 2, "glycol": -1}, at_most=0.9),
        Ratio("salt", "sugar", at_least=0.5),
    ]
    study = spargo.Study(FRACTIONS, seed=1, input_constraints=constraints, **QUICK)
    trials = run(study, lambda p: -((p["water"] - 0.3) ** 2) - (p["salt"] - 0.4) ** 2)
    assert len({tuple(trial.params.values()) for trial in trials}) > 15
    for trial in trials:
        water, glycol, salt, sugar = printed(trial.params, *PARTS)
        assert water + glycol + salt + sugar == 1, trial
        assert sum(one != 0 for one in (water, glycol, salt, sugar)) <= 3
        assert 2 * water - glycol <= Decimal("0.9") and 2 * salt >= sugar
    assert study.best().params["water"] == pytest.approx(0.3, abs=0.1)
    # What Python shows of them makes the same study.
    assert study.input_constraints[2:] == [Sum({"glycol": -1, "water": 2}, at_most=0.9), constraints[3]]
    again = spargo.Study(FRACTIONS, seed=1, input_constraints=study.input_constraints, **QUICK)
    assert again.config == study.config
    best = study.best(anywhere=True).params
    assert sum(printed(best, *PARTS)) == 1


def test_values_that_do_not_go_together_are_not_asked_for() -> None:
    pandas = pytest.importorskip("pandas")
    space: dict[str, Any] = {"catalyst": ["Cu", "Pd"], "solvent": ["DMF", "THF", "MeCN"], "n": (1, 2)}
    one = {"catalyst": "Cu", "solvent": "DMF"}
    two = {"catalyst": ["Cu", "Pd"], "solvent": ["DMF", "MeCN"]}
    for given, size in (
        (one, 10),
        ([one], 10),
        (two, 8),
        (pandas.DataFrame(two), 8),
        ([one, {"catalyst": "Pd", "solvent": "MeCN"}], 8),
    ):
        study = spargo.Study(space, input_constraints=[Exclude(given)])
        assert study.size == size
        points = {(trial.params["catalyst"], trial.params["solvent"]) for trial in study.ask(size)}
        assert ("Cu", "DMF") not in points and len(points) == size // 2
        with pytest.raises(spargo.ExhaustedError):
            study.ask(1)
    objects = spargo.Study({"size": [1, 2], "kind": [Path("a"), Path("b")]}, input_constraints=[Exclude({"kind": Path("a")})])
    assert {trial.params["kind"] for trial in objects.ask(2)} == {Path("b")}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: [Sum(PARTS, equals=3), Sum(PARTS, at_most=2)], "number 1 (water + glycol + salt + sugar = 3) and number 2"),
        (lambda: [Sum(["water", "oil"], equals=1)], "number 1 of the input constraints: there is no input 'oil'"),
        (lambda: [Sum(PARTS)], "the input constraint Sum(inputs=('water', 'glycol', 'salt', 'sugar')): it has no limit"),
        (lambda: [Sum(PARTS, equals=1, at_most=1)], "it has equals and another limit: leave out one of them"),
        (lambda: [Sum(PARTS, at_least=1, at_most=0)], "at_least is above at_most: swap them"),
        (lambda: [Sum("water", equals=1)], "write ['water']"),
        (lambda: [Sum({"water": math.nan}, equals=1)], "the coefficient of 'water' is nan: give a finite number"),
        (lambda: [Nonzero(PARTS, at_most="2")], "at_most is '2': give a finite number"),  # type: ignore[arg-type]
        (lambda: [Ratio("salt", "water", at_least=1, at_most=2)], "write two input constraints"),
        (lambda: [Exclude({"water": 0.5, "metal": "Pd"})], "there is no input 'metal'"),
        (lambda: [Exclude([])], "give a dictionary of one value per input, or a table with"),
        (lambda: [Exclude("water")], "give a dictionary of one value per input, or a table with"),
        (lambda: Sum(PARTS, equals=1), "input_constraints must be a list"),
        (lambda: [{"sum": PARTS}], "an input constraint is a spargo.Sum, Ratio, Nonzero or Exclude"),
    ],
)
def test_a_refusal_names_the_constraint_and_the_remedy(make: Callable[[], Any], message: str) -> None:
    with pytest.raises((ValueError, TypeError)) as refused:
        spargo.Study(FRACTIONS, input_constraints=make())
    assert message in str(refused.value)


def test_the_parts_of_a_refusal() -> None:
    with pytest.raises(spargo.InputConstraintError) as refused:
        spargo.Study(FRACTIONS, input_constraints=[Sum(PARTS, equals=1), Nonzero(["oil"], at_most=1)])
    error = pickle.loads(pickle.dumps(refused.value))
    assert error.number == 1 and isinstance(error.error, spargo.UnsupportedError) and error.error.remedy.startswith("name one of")


def test_constraints_change_in_mid_campaign(tmp_path: Path) -> None:
    path = tmp_path / "mix.db"
    with spargo.Study(FRACTIONS, storage=path, input_constraints=[Sum(PARTS, at_most=1)], **QUICK) as study:
        run(study, lambda p: p["water"])
        study.add([dict.fromkeys(PARTS, 0.5)], [9.0])
        assert study.best().params["water"] != 0.5
        changes = study.configure(input_constraints=[Sum(PARTS, equals=1)], reason="no air")
        assert len(changes) == 1 and "input-constraints" in changes[0]["what"]
        assert all(sum(printed(trial.params, *PARTS)) == 1 for trial in study.ask())
    with spargo.Study.open(path) as study:
        assert study.input_constraints == [Sum(list(PARTS), equals=1)]
        study.configure(batch=4)
        assert study.input_constraints != []
        study.configure(input_constraints=[])
        assert study.input_constraints == []
    with pytest.raises(spargo.OtherSettingsError):
        spargo.Study(FRACTIONS, storage=path, input_constraints=[Sum(PARTS, equals=1)], **QUICK)


def test_candidates_satisfy_constraints() -> None:
    table = {"a": np.array([0.1, 0.5, 0.9]), "b": np.array([0.2, 0.6, 0.1])}
    study = spargo.Study(spargo.Candidates(table), input_constraints=[Sum(["a", "b"], at_most=1)], initial=2)
    assert study.size == 2 and {trial.row for trial in study.ask()} == {0, 2}
    study.configure(space=spargo.Candidates({**table, "a": table["a"] / 2}), reason="diluted")
    assert study.size == 3
    with pytest.raises(spargo.UnsupportedError, match="no candidate satisfies the input constraints"):
        spargo.Study(spargo.Candidates(table), input_constraints=[Sum(["a", "b"], at_most=0.25)])


BRANCHES: dict[str, Any] = {
    "catalyst": spargo.Choice(["Pd", "Ni", "Cu"]),
    "loading": spargo.Real(0.01, 0.2, when={"catalyst": ["Pd", "Ni"]}),
    "ligand": spargo.Choice(["XPhos", "SPhos"], when={"catalyst": "Pd"}),
    "equivalents": spargo.Int(1, 8, when={"catalyst": "Ni"}),
    "temperature": spargo.Real(20, 120, step=0.5),
}
INACTIVE = {"Pd": {"equivalents"}, "Ni": {"ligand"}, "Cu": {"loading", "ligand", "equivalents"}}


def outcome(p: dict[str, Any]) -> float:
    value = -(((p["temperature"] - 60) / 50) ** 2)
    if p["catalyst"] == "Pd":
        return float(value - 10 * abs(p["loading"] - 0.1) + (p["ligand"] == "SPhos"))
    return float(value - 0.1 * p["equivalents"]) if p["catalyst"] == "Ni" else float(value - 2)


def test_inactive_inputs_are_none_and_the_best_branch_is_found(tmp_path: Path) -> None:
    path = tmp_path / "branches.db"
    with spargo.Study(BRANCHES, seed=2, storage=path, **QUICK) as study:
        assert study.space == BRANCHES
        for trial in run(study, outcome, batches=6):
            missing = {name for name, value in trial.params.items() if value is None}
            assert missing == INACTIVE[trial.params["catalyst"]], trial
            assert trial.params["equivalents"] is None or type(trial.params["equivalents"]) is int
        best = study.best().params
        assert best["catalyst"] == "Pd" and best["ligand"] == "SPhos" and abs(best["loading"] - 0.1) < 0.05
    with spargo.Study.open(path) as study:
        assert study.space == BRANCHES
        assert study.trial(1).params.keys() == BRANCHES.keys()
    spargo.Study(BRANCHES, seed=2, storage=path, **QUICK).close()


def test_points_without_inactive_inputs_are_taken_in_any_form() -> None:
    study = spargo.Study(BRANCHES, **QUICK)
    copper = {"catalyst": "Cu", "temperature": 60.0}
    nickel = {"catalyst": "Ni", "loading": 0.1, "equivalents": 3, "temperature": 60.0}
    full = {"catalyst": "Pd", "loading": 0.1, "ligand": "XPhos", "equivalents": None, "temperature": 60.0}
    study.add([copper, nickel, full], [1.0, 2.0, 3.0])
    assert study.trial(1).params == {**dict.fromkeys(BRANCHES), **copper}
    assert study.trial(2).params == {**dict.fromkeys(BRANCHES), **nickel}
    study.add([{**copper, "objective": 1.0}, {**full, "objective": 2.0}])
    study.add({"catalyst": ["Cu", "Cu"], "temperature": [20.0, 30.0]}, [1.0, 1.0])
    study.add([["Cu", None, None, None, 40.0], ["Ni", 0.1, math.nan, 2, 40.0]], [1.0, 1.0])
    study.add(study.trials[:2], [1.0, 2.0])
    assert study.enqueue([{**copper, "temperature": 21.0}]) == 1 and study.enqueue({**copper, "temperature": 22.0}) == 2
    assert [trial.params["temperature"] for trial in study.ask(2)] == [21.0, 22.0]
    mean, _ = study.predict([copper, full])
    assert study.posterior().predict([copper, full]).mean == pytest.approx(mean)
    assert len(study.predict_interval(copper).mean) == 1
    with pytest.raises(spargo.InputError, match="where catalyst is 'Pd' or 'Ni'"):
        study.add([{**copper, "loading": 0.1}], [1.0])
    with pytest.raises(spargo.InputValueError, match="'ligand' cannot be"):
        study.add([{"catalyst": "Pd", "loading": 0.1, "temperature": 60.0}], [1.0])
    with pytest.raises(ValueError, match="no column 'temperature'"):
        study.add([{"catalyst": "Cu"}], [1.0])


def test_inactive_inputs_of_spaces_of_numbers_are_nan() -> None:
    study = spargo.Study({"n": (0, 2), "x": spargo.Real(0, 1, when={"n": np.array([1, 2])})}, **QUICK)
    study.add(np.array([[0, np.nan], [1, 0.5]]), [1.0, 2.0])
    assert [trial.params for trial in study.trials] == [{"n": 0, "x": None}, {"n": 1, "x": 0.5}]
    mean, _ = study.predict(np.array([[0, np.nan]]))
    assert mean == pytest.approx(study.predict({"n": 0}).mean)
    slopes = study.posterior().sample_paths(1, seed=1)[0].gradient(np.array([[0, np.nan], [1, 0.5]]))
    assert slopes[0, 1] == 0 and slopes[1, 1] != 0


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_inactive_cells_of_tables_are_empty(library: str) -> None:
    module = pytest.importorskip(library)
    pandas = pytest.importorskip("pandas")
    study = spargo.Study(BRANCHES, **QUICK)
    asked = study.ask()
    table = study.to_dataframe()
    for trial in asked:
        cells = table.loc[table.trial == trial.id].iloc[0]
        assert {name for name in BRANCHES if pandas.isna(cells[name])} == INACTIVE[trial.params["catalyst"]]
    table["objective"] = [outcome(trial.params) for trial in asked]
    table = table.drop(columns=["status", "reason"])
    given = table if library == "pandas" else module.from_pandas(table)
    assert study.tell(given) == len(asked)
    other = spargo.Study(BRANCHES, **QUICK)
    other.add(given.drop(columns="trial") if library == "pandas" else given.drop("trial"))
    assert [trial.params for trial in other.trials] == [trial.params for trial in study.trials]
    wrong = table.assign(loading=0.15)
    with pytest.raises(spargo.OtherPointError, match="'loading'"):
        study.tell(wrong)


def test_conditions_may_change_and_depend_on_conditions() -> None:
    space: dict[str, Any] = {
        "coated": [True, False],
        "layers": spargo.Int(1, 3, when={"coated": True}),
        "gap": spargo.Values([0.1, 0.2, 0.4], when={"layers": [2, 3]}),
        "mode": spargo.Ordinal(["slow", "fast"], when={"coated": [False]}),
    }
    study = spargo.Study(space, **QUICK)
    assert study.size == 1 + 2 * 3 + 2
    for trial in study.ask(9):
        layers, gap = trial.params["layers"], trial.params["gap"]
        assert (layers is None) is (trial.params["coated"] is False)
        assert (gap is None) is (layers in (None, 1)) and (trial.params["mode"] is None) is trial.params["coated"]
    study.configure(space={"gap": spargo.Values([0.1, 0.2, 0.4, 0.8])}, reason="another spacer")
    assert study.space["gap"].when == {"layers": [2, 3]} and study.size == 11
    assert "when={'coated': True}" in repr(study.space["layers"])
    with pytest.raises(ValueError, match="name one of coated"):
        spargo.Study({"coated": [True, False], "x": spargo.Real(0, 1, when={"painted": True})})
    with pytest.raises(ValueError, match="None where it is inactive"):
        spargo.Choice([None, "a"], when={"coated": True})
    with pytest.raises(TypeError, match='such as {"catalyst": "Pd"}'):
        spargo.Study({"x": spargo.Real(0, 1, when="y")})  # type: ignore[arg-type]


def test_an_input_loses_its_condition() -> None:
    study = spargo.Study({"metal": ["Pd", "Ni"], "x": spargo.Real(0, 1, when={"metal": "Pd"})}, **QUICK)
    study.configure(space={"x": spargo.Real(0, 1, when={})}, reason="it always has one")
    assert study.space["x"].when is None
    assert all(trial.params["x"] is not None for trial in study.ask(6))


def test_figures_of_conditional_spaces() -> None:
    pytest.importorskip("matplotlib").use("agg")
    study = spargo.Study(BRANCHES, seed=2, inducing=8, model=spargo.ModelOptions(exact_until=10), **QUICK)
    run(study, outcome)
    for catalyst in ("Pd", "Ni", "Cu"):
        point = next(trial.params for trial in study.trials if trial.params["catalyst"] == catalyst)
        axes = spargo.plot.slices(study, at=point)
        empty = {name for name, one in zip(BRANCHES, axes) if [text.get_text() for text in one.texts] == ["inactive here"]}
        assert empty == INACTIVE[catalyst]
    spargo.plot.inducing_points(study, ["loading", "ligand"])


def test_inputs_that_are_fixed_have_their_value() -> None:
    space = {**FRACTIONS, "metal": [Path("Pd"), Path("Ni")]}
    study = spargo.Study(space, input_constraints=[Sum(PARTS, equals=1)], **QUICK)
    fixed = {"water": 0.25, "metal": Path("Ni")}
    for count in (None, 4):
        trials = study.ask(count, fixed=fixed)
        assert len(trials) == (count or 10)
        for trial in trials:
            assert trial.params["water"] == 0.25 and trial.params["metal"] == Path("Ni")
            assert sum(printed(trial.params, *PARTS)) == 1
        study.tell(trials, [trial.params["salt"] for trial in trials])
    study.enqueue([{**dict.fromkeys(PARTS, 0.25), "metal": Path("Pd")}])
    assert study.ask(1, fixed={"water": np.float64(0.5)})[0].params["water"] == 0.5
    assert study.ask(1)[0].params["metal"] == Path("Pd")
    with pytest.raises(spargo.SpargoError, match="there is no input 'oil' to be fixed"):
        study.ask(1, fixed={"oil": 1})
    with pytest.raises(spargo.InputValueError, match="'water' cannot be 2"):
        study.ask(1, fixed={"water": 2})
    with pytest.raises(ValueError):
        study.ask(1, fixed={"water": 0.75, "salt": 0.75})
    with pytest.raises(TypeError, match="fixed must be a dictionary"):
        study.ask(1, fixed=["water"])  # type: ignore[arg-type]


def test_minimize_and_optimize_take_constraints() -> None:
    def f(p: dict[str, Any]) -> float:
        return float((p["water"] - 0.4) ** 2 + (p["glycol"] - 0.6) ** 2)

    study = spargo.minimize(f, FRACTIONS, budget=30, seed=1, input_constraints=[Sum(PARTS, equals=1), Nonzero(PARTS, at_most=2)])
    assert len(study) == 30 and study.best().mean < 0.01
    assert all(sum(printed(trial.params, *PARTS)) == 1 for trial in study.trials)
