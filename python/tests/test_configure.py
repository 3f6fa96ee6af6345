"""Settings that change in mid-campaign, and files whose settings are not the caller's."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

import spargo
from spargo import _spargo

SPACE: dict[str, Any] = {"x": spargo.Real(0.0, 1.0, unit="mm"), "metal": ["Pd", "Ni"]}
GOALS: dict[str, Any] = {"yield": "max"}
BOUNDS: dict[str, Any] = {"cost": {"at_most": 5.0}}


def study(**settings: Any) -> spargo.Study:
    begun = spargo.Study(SPACE, GOALS, BOUNDS, **{"seed": 1, "initial": 4, "batch": 2, **settings})
    points = [(x, metal) for x in (0.1, 0.4, 0.9) for metal in ("Pd", "Ni")]
    begun.add([{"x": x, "metal": metal} for x, metal in points], [[x, 1.0] for x, _ in points])
    return begun


def test_settings_change_and_the_history_says_so(tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    with study(storage=path) as mine, spargo.Study.open(path) as theirs:
        changes = mine.configure(batch=5, rule="log-ei", reason="a larger plate")
        assert [(row["what"], row["before"], row["after"]) for row in changes] == [
            ("batch", "2", "5"),
            ("rule", "null", '"log-ei"'),
        ]
        assert mine.batch == 5 and len(mine.ask()) == 5
        assert mine.configure(batch=5) == []
        theirs.refresh()
        assert theirs.batch == 5 and theirs.config == mine.config
        theirs.enqueue({"x": [0.25], "metal": ["Ni"]}, reason="a hunch")
        mine.discard(1, reason="mislabelled")
        # What happened within a millisecond may be in any order.
        history = sorted(theirs.history(), key=lambda row: str(row["change"]))
        assert [(row["change"], row["what"], row["trial"], row["reason"]) for row in history] == [
            ("discarded", "yield", 1, "mislabelled"),
            ("discarded", "cost", 1, "mislabelled"),
            ("enqueued", "point", None, "a hunch"),
            ("setting", "batch", None, "a larger plate"),
            ("setting", "rule", None, "a larger plate"),
        ]
        assert history[2]["after"] == "x 0.25, metal Ni"
        theirs.ask(1)
        assert [row["trial"] for row in theirs.history() if row["change"] == "enqueued"] == [12]
    with study_again(path, batch=5, rule="log-ei") as again:
        assert len(again) == 11
    with pytest.raises(spargo.OtherSettingsError, match=r"'batch' = 5, these settings have 2: .*configure") as refused:
        study_again(path, rule="log-ei")
    assert (refused.value.field, refused.value.before, refused.value.after) == ("batch", "5", "2")


def study_again(path: Path, **settings: Any) -> spargo.Study:
    return spargo.Study(SPACE, GOALS, BOUNDS, storage=path, **{"seed": 1, "initial": 4, "batch": 2, **settings})


def test_what_is_not_given_stays() -> None:
    changed = study(allocation="cvr", model=spargo.ModelOptions(kernel="rbf"))
    before = changed.config
    changed.configure(model=spargo.ModelOptions(exact_until=7), space={"x": (-1.0, 2.0)})
    assert changed.config["model"] == {**before["model"], "exact-until": 7}
    first, second = changed.config["space"]["inputs"]
    assert first == {"name": "x", "real": [-1.0, 2.0], "unit": "mm"} and second == before["space"]["inputs"][1]
    changed.configure(allocation="uniform", constraints={"cost": (None, 6.0)})
    assert changed.config["outputs"][0] == before["outputs"][0]
    assert changed.config["outputs"][1]["goal"] == {"constraint": {"at-most": 6.0}}
    changed.configure(objectives="min")
    assert changed.directions == {"yield": "min"} and changed.best().observed.params["x"] == 0.1
    changed.configure(constraints={"yield": {"at_least": 0.0}}, objectives={"cost": "min"})
    assert changed.directions == {"cost": "min"}


def test_inputs_and_choices_are_added(tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    shapes = [complex(1, 2), complex(3, 4)]
    with study(storage=path) as changed, spargo.Study.open(path) as other:
        with pytest.raises(spargo.UnsupportedError, match="input 'shape' is new.*past"):
            changed.configure(space={"shape": shapes})
        more: dict[str, Any] = {"metal": ["Pd", "Ni", "Cu"], "shape": shapes, "n": (1, 3)}
        changed.configure(space=more, past={"shape": shapes[1], "n": 2})
        assert changed.inputs == ["x", "metal", "shape", "n"] and changed.space["shape"] == spargo.Choice(shapes)
        assert changed.trial(1).params == {"x": 0.1, "metal": "Pd", "shape": shapes[1], "n": 2}
        asked = changed.ask(12)
        assert all(trial.params["shape"] in shapes and type(trial.params["n"]) is int for trial in asked)
        assert {trial.params["n"] for trial in asked} - {2}
        changed.tell(asked, [[1.0, 1.0]] * 12)
        assert changed.configure(space={"x": (0.0, 2.0)}) and changed.trial(1).params["shape"] == shapes[1]
        with pytest.raises(spargo.UnsupportedError, match="open it again"):
            other.ask()
    settings: dict[str, Any] = {"seed": 1, "initial": 4, "batch": 2, "storage": path}
    with spargo.Study({**SPACE, **more, "x": spargo.Real(0.0, 2.0, unit="mm")}, GOALS, BOUNDS, **settings) as again:
        assert again.trial(1).params["shape"] == shapes[1], "it is opened by its inputs, whenever they were added"


def test_candidates_are_replaced() -> None:
    def pool(count: int) -> spargo.Candidates:
        table = {"size": [1.0, 1.0, 2.0, 3.0][:count], "id": ["a", "b", "c", "d"][:count]}
        return spargo.Candidates(table, inputs={"size": spargo.Real(0, 4)})

    changed = spargo.Study(pool(3), initial=3)
    changed.tell(changed.ask(3), [1.0, 2.0, 3.0])
    labels = [trial.labels for trial in changed.trials]
    changed.configure(space=pool(4))
    assert changed.size == 4 and [trial.labels for trial in changed.trials] == labels
    assert [trial.labels for trial in changed.ask(1)] == [{"id": "d"}]


def test_a_quality_stays() -> None:
    def even(context: Any) -> list[float]:
        return [1.0] * len(context.y)

    options: dict[str, Any] = {"model": spargo.ModelOptions(exact_until=4), "inducing": 4, "quality": even}
    changed = study(**options)
    changed.configure(batch=3)
    assert len(changed.ask()) == 3 and changed.reports()[-1].get("without-model") is None


REFUSED: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"objectives": {"other": "max"}}, spargo.UnsupportedError, "the outputs cannot change.*--as-new"),
    ({"space": {"metal": ["Pd"]}}, spargo.InputError, "only one value"),
    ({"space": {"metal": ["Pd", "Cu"]}}, spargo.UnsupportedError, "trial 2 does not fit.*discard it first"),
    ({"space": {"x": (0, 1)}}, spargo.UnsupportedError, "trial 1 does not fit"),
    ({"space": {"n": (1, 3)}, "past": {"x": 2}}, ValueError, "no new input"),
    ({"past": {"n": 2}}, ValueError, "give the new input by space="),
    ({"batch": 0}, ValueError, "batch"),
    ({"rule": "best"}, ValueError, "rule.*best"),
    ({"model": {"kernel": "rbf"}}, TypeError, "spargo.ModelOptions"),
    ({"objectives": "max", "constraints": {"cost": 5}}, ValueError, "constraint 'cost'"),
]


@pytest.mark.parametrize(("given", "kind", "message"), REFUSED)
def test_what_cannot_change_is_refused(given: dict[str, Any], kind: type[Exception], message: str) -> None:
    kept = study()
    before = kept.config
    with pytest.raises(kind, match=message):
        kept.configure(**given)
    assert kept.config == before and kept.history() == [] and len(kept.ask()) == 2


def test_a_word_needs_a_single_objective() -> None:
    two = spargo.Study({"x": (0.0, 1.0)}, {"a": "max", "b": "max"})
    with pytest.raises(ValueError, match=r"name the objective .*\['a', 'b'\]"):
        two.configure(objectives="min")


def test_choices_that_a_file_keeps_as_strings(tmp_path: Path) -> None:
    """Files of earlier versions have the `str` of every choice; those that use them see the values that they list."""
    path, values = tmp_path / "old.db", [True, False, 2, None]
    with spargo.Study({"flag": [str(value) for value in values], "x": (0.0, 1.0)}, seed=3, storage=path) as old:
        old.add([{"flag": "False", "x": 0.5}], [1.0])
        settings = old.config
    with spargo.Study({"flag": values, "x": (0.0, 1.0)}, seed=3, storage=path) as opened:
        assert opened.trial(1).params["flag"] is False
        opened.add([{"flag": True, "x": 0.5}, {"flag": None, "x": 0.5}], [1.0, 2.0])
        assert {type(trial.params["flag"]) for trial in opened.ask(20)} <= {bool, int, type(None)}
        assert opened.config == settings, "the file stays what it is"
        assert pickle.loads(pickle.dumps(opened)).trial(2).params["flag"] is True
    with spargo.Study.open(path) as raw:
        assert [trial.params["flag"] for trial in raw.trials[:3]] == ["False", "True", "None"]
    with pytest.raises(spargo.OtherSettingsError, match="space.inputs.flag.choice"):
        spargo.Study({"flag": [True, False], "x": (0.0, 1.0)}, seed=3, storage=path)
    with pytest.raises(spargo.OtherSettingsError) as refused:
        spargo.Study({"flag": ["True", "False", "2", "None"], "x": (0.0, 1.0)}, seed=4, storage=path)
    assert refused.value.field == "seed"


def test_a_kind_of_input_that_is_unknown_is_named() -> None:
    with pytest.raises(ValueError, match="input 'x' is of an unknown kind, 'nominal': it must be real, int, values, ordinal or choice"):
        given: Any = ("x", "nominal", [1, 2], False, None, None, None, None, None, None)
        _spargo.Study.begin("{}", [given], None, [], "[]", None, None)
