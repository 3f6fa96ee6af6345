"""Candidates: tables of any kind, labels, and which candidate a trial is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spargo


def test_candidates_keep_their_labels(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"size": [1.0, 1.0, 2.0], "id": ["a", "b", "c"]}, index=["r1", "r2", "r3"])
    path = tmp_path / "pool.db"
    for inputs in (["size"], {"size": spargo.Real(1, 2)}):
        with spargo.Study(spargo.Candidates(frame, inputs=inputs), initial=3) as study:
            # Two of them have the same input.
            asked = sorted(study.ask(3), key=lambda trial: trial.row or 0)
            assert [(trial.row, trial.params["size"]) for trial in asked] == [(0, 1), (1, 1), (2, 2)]
            assert [trial.labels for trial in asked] == [{"index": f"r{i + 1}", "id": "abc"[i]} for i in range(3)]
            table = study.to_dataframe().assign(objective=[1.0, 2.0, 3.0])
            assert list(table.columns[:4]) == ["trial", "size", "index", "id"]
            assert study.tell(table.drop(columns=["status", "reason"])) == 3
            assert study.best().trial.labels == study.trials[study.best().trial.id - 1].labels != {}
            labels = study.config["space"]["labels"]
            assert [label["name"] for label in labels] == ["index", "id"]
            assert labels[0]["values"] == ["r1", "r2", "r3"]
    assert "labels" not in spargo.Study(spargo.Candidates(frame.reset_index(drop=True))).config["space"]
    with spargo.Study(np.array([[0.0, 1.0], [2.0, 3.0]]), storage=path, initial=2) as study:
        assert {(trial.params["x0"], trial.params["x1"]) for trial in study.ask(2)} == {(0, 1), (2, 3)}
    with pytest.raises(ValueError, match="no column 'weight'"):
        spargo.Study(spargo.Candidates(frame, inputs=["weight"]))


def test_labels_say_which_candidate_was_added() -> None:
    pandas = pytest.importorskip("pandas")
    pool = {"size": [1.0, 1.0, 2.0, 1.0], "id": ["a", "b", "c", "d"], "maker": ["x", "y", "x", "y"]}
    study = spargo.Study(spargo.Candidates(pool, inputs=["size"]))
    told = {"size": [1.0, 1.0, 2.0, 1.0, 1.0], "id": ["d", "b", "c", "b", None], "objective": [1.0, 2.0, 3.0, 4.0, 5.0]}
    study.add(told)
    # The last one has no label: it is the candidate with the fewest trials.
    assert [trial.row for trial in study.trials] == [3, 1, 2, 1, 0]
    study.add(pandas.DataFrame({**told, "status": ["discarded", "", "discarded", "", ""]}))
    assert [trial.row for trial in study.trials_from(6)] == [1, 1, 0]
    study.add(study.trial(1), [2.0])
    study.add([study.trial(2), study.trial(1)], [2.0, 3.0])
    assert [trial.row for trial in study.trials_from(9)] == [3, 1, 3]
    index = pandas.DataFrame({"size": [1.0, 1.0]}, index=["r1", "r2"])
    named = spargo.Study(spargo.Candidates(index, inputs=["size"]))
    named.add(index.iloc[1:].assign(objective=[1.0]))
    assert named.trial(1).labels == {"index": "r2"}


def test_candidates_are_enqueued_by_what_no_other_one_has() -> None:
    pandas = pytest.importorskip("pandas")
    pool = {"size": [1.0, 1.0, 2.0, 1.0], "metal": ["Pd", "Pd", "Ni", "Ni"], "id": ["a", "b", "c", "d"]}
    study = spargo.Study(spargo.Candidates(pool, inputs=["size", "metal"]), initial=1)
    givens: list[Any] = [
        {"id": "b"},
        {"id": ["d", "c"]},
        pandas.DataFrame({"metal": ["Pd"], "size": [1.0], "id": ["a"]}),
        [2, 1],
        {"size": [2.0]},
    ]
    for given in givens:
        study.enqueue(given)
    assert [trial.labels["id"] for trial in study.ask(7)] == ["b", "d", "c", "a", "c", "b", "c"]
    study.enqueue([study.trial(1)])
    assert study.ask(1)[0].row == 1
    for given, part in [
        ({"id": "z"}, "no candidate has id z"),
        ({"metal": ["Pd"]}, "2 candidates have metal Pd"),
        ({"size": 2.0, "metal": "Ni", "id": "a"}, "no candidate with these inputs has id a"),
        ([7], "no row 7"),
    ]:
        with pytest.raises(spargo.SpargoError, match=part):
            study.enqueue(given)
    with pytest.raises(ValueError, match="-1 is not the row"):
        study.enqueue([-1])
    # An outcome of a candidate that is not there is not another one's.
    with pytest.raises(spargo.SpargoError, match="no candidate with these inputs has id z"):
        study.add({"size": [1.0], "metal": ["Pd"], "id": ["z"], "objective": [1.0]})


@pytest.mark.parametrize("package", ["polars", "pyarrow"])
def test_candidates_come_from_any_table(package: str) -> None:
    module: Any = pytest.importorskip(package)
    columns = {"size": [1.0, 2.0], "metal": ["Pd", "Ni"], "fast": [True, False]}
    table = module.DataFrame(columns) if package == "polars" else module.table(columns)
    for given in (table, spargo.Candidates(table, inputs=["size", "metal", "fast"])):
        asked = [trial.params for trial in spargo.Study(given, initial=2).ask(2)]
        assert sorted(asked, key=lambda one: one["size"]) == [
            {"size": 1.0, "metal": "Pd", "fast": True},
            {"size": 2.0, "metal": "Ni", "fast": False},
        ]


def test_candidates_come_back_as_they_were() -> None:
    pandas = pytest.importorskip("pandas")
    rows = [{"size": float(i), "id": i, "metal": "Pd" if i % 2 else "Ni", "hot": i % 3 == 0} for i in range(40)]
    forms: list[Any] = [rows, pandas.DataFrame(rows), spargo.Candidates({k: [r[k] for r in rows] for k in rows[0]})]
    for form in forms:
        study = spargo.Study(form, seed=1, initial=10, batch=10)
        assert study.size == 40
        trials = study.ask()
        assert all(trial.params in rows and type(trial.params["hot"]) is bool for trial in trials)
        study.tell(trials, [trial.params["size"] for trial in trials])
        study.ask(27)
        with pytest.raises(spargo.ExhaustedError) as refused:
            study.ask(4)
        assert (refused.value.wanted, refused.value.left) == (4, 3)
        assert len(study.ask()) == 3  # The last ones, where a batch has 10.
        for count in (None, 2):
            with pytest.raises(spargo.ExhaustedError) as refused:
                study.ask(count)
            assert (refused.value.wanted, refused.value.left) == (count or 10, 0)
