"""Corrections: amended, discarded and retried trials, and their history."""

from __future__ import annotations

import getpass
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import spargo

pandas = pytest.importorskip("pandas")


def study(**settings: Any) -> spargo.Study:
    begun = spargo.Study({"x": (0.0, 1.0)}, {"yield": "max", "cost": "min"}, seed=1, **settings)
    begun.add({"x": [0.1, 0.2, 0.3, 0.4]}, [[5.0, 1.0], [99999.0, 2.0], None, {"yield": 7.0}])
    return begun


def statuses(of: spargo.Study) -> list[str]:
    return [trial.status for trial in of.trials]


def test_outcomes_are_amended(tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    with study(storage=path) as mine, spargo.Study.open(path) as theirs:
        planned = mine.amend([2, 3], [{"yield": 5.2}, {"yield": 1.0}], reason="a typo", dry_run=True)
        assert theirs.trial(2).value == 99999.0 and theirs.history() == []
        changes = mine.amend([mine.trial(2), 3], [{"yield": 5.2}, {"yield": 1.0}], reason="a typo", noise=[{"yield": 0.5}, None])
        assert [change["trial"] for change in planned] == [change["trial"] for change in changes] == [2, 3]
        assert theirs.trial(2).values == {"yield": 5.2, "cost": 2.0} and theirs.trial(2).noise == {"yield": 0.5}
        third = theirs.trial(3)
        assert third.values == {"yield": 1.0} and third.failures == {"cost": "no value"} and third.status == "done"
        assert mine.amend(1, spargo.Failed("contaminated"), reason="contaminated")[0]["after"] == "failed (contaminated)"
        assert mine.amend(1, [5.0, 1.0], reason="it was not")[1]["before"] == "failed (contaminated)"
        assert mine.amend(1, [5.0, 1.0], reason="nothing new") == []
        history = theirs.history()
        history.sort(key=lambda row: row["trial"])
        assert [(row["trial"], row["what"], row["change"]) for row in history if row["trial"] > 1] == [
            (2, "yield", "amended"),
            (3, "yield", "amended"),
        ]
        assert {row["by"] for row in history} == {getpass.getuser()} and history[-1]["reason"] == "a typo"


def test_the_history_is_a_table() -> None:
    pytest.importorskip("pandas")
    columns = ["trial", "time", "by", "reason", "change", "what", "before", "after"]
    assert list(study().to_dataframe(history=True).columns) == columns
    corrected = study()
    corrected.discard([1], reason="mislabelled")
    table = corrected.to_dataframe(history=True)
    assert list(table.columns) == columns and table["before"].tolist() == ["5", "1"]
    assert (corrected.to_dataframe()["yield"] == 5.0).sum() == 0


def test_trials_are_discarded_and_come_back() -> None:
    corrected = study()
    assert [row["change"] for row in corrected.discard([2, 1], reason="mislabelled")] == ["discarded"] * 4
    assert statuses(corrected) == ["discarded", "discarded", "failed", "partial"]
    gone = corrected.trial(2)
    assert (gone.values, gone.failure, gone.params) == (None, None, {"x": 0.2})
    assert len(corrected) == 2 and "2 discarded" in repr(corrected)
    with pytest.raises(spargo.DiscardedError, match="amend"):
        corrected.tell(2, [1.0, 1.0])
    corrected.amend(2, [5.2, 2.0], reason="found")
    assert corrected.trial(2).status == "done"
    asked = corrected.ask(2)
    assert {row["trial"] for row in corrected.discard(pending=True, reason="lost")} == {trial.id for trial in asked}
    assert not [trial for trial in corrected.pending if trial.status == "pending"]


def test_failures_are_retried() -> None:
    corrected = study()
    corrected.tell(4, {"cost": spargo.Failed("the detector was off")})
    assert [row["trial"] for row in corrected.retry(failed=True, output="yield", reason="again", dry_run=True)] == [3]
    assert [row["trial"] for row in corrected.retry(failed=True, output="cost", reason="again")] == [3, 4]
    assert statuses(corrected) == ["done", "done", "pending", "partial"]
    corrected.retry(failed=True, reason="again")
    assert corrected.trial(3).failures is None
    corrected.retry(1, output="cost", reason="again")
    assert corrected.trial(1).values == {"yield": 5.0}
    corrected.retry(corrected.trials[:1], reason="again")
    assert corrected.trial(1).status == "pending"


def test_a_run_evaluates_what_is_retried() -> None:
    line = spargo.Study({"x": (0.0, 1.0)}, initial=4, batch=4)
    line.optimize(lambda p: p["x"] if len(line) > 4 or p["x"] < 0.5 else None, 8)
    failed = [trial.id for trial in line.trials if trial.status == "failed"]
    assert failed
    line.retry(failed=True, reason="a wrong command")
    line.optimize(lambda p: p["x"], 8)
    assert len(line) == 8 and statuses(line) == ["done"] * 8


def test_corrections_that_say_too_little_are_refused() -> None:
    corrected = study()
    with pytest.raises(spargo.UnsupportedError, match="needs a reason"):
        corrected.amend(1, [1.0, 1.0], reason=" ")
    with pytest.raises(spargo.UnknownTrialError):
        corrected.discard([1, 9], reason="mislabelled")
    wrong: list[Any] = [
        lambda: corrected.discard(reason="all"),
        lambda: corrected.discard(1, pending=True, reason="both"),
        lambda: corrected.retry(reason="all"),
        lambda: corrected.retry(1, failed=True, reason="both"),
        lambda: corrected.amend(1, reason="no value"),
        lambda: corrected.amend([1, 2], None, reason="no values"),
        lambda: corrected.retry(1, output="yeild", reason="misspelt"),
    ]
    for refused in wrong:
        with pytest.raises((TypeError, ValueError)):
            refused()
    assert corrected.history() == [] and statuses(corrected) == ["done", "done", "failed", "partial"]


def test_the_author_has_a_name_or_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody() -> str:
        raise KeyError("getpwuid(): uid not found")

    monkeypatch.setattr(getpass, "getuser", nobody)
    assert study().discard(1, reason="mislabelled")[0]["by"] == f"uid {os.getuid()}"


@pytest.mark.parametrize("how", ["tell", "amend", "discard", "retry", "tell values"])
def test_no_table_applies_to_trials_at_other_points(how: str) -> None:
    study = spargo.Study({"x": (0.0, 1.0), "n": (0, 1000), "metal": ["Pd", "Ni"]}, {"yield": "max", "cost": "min"})
    _ = study.add({"x": [0.25, 0.75], "n": [500, 503], "metal": ["Pd", "Ni"], "yield": [1.0, 2.0]})
    calls: dict[str, Callable[[Any], Any]] = {
        "tell": lambda table: study.tell(table),
        "tell values": lambda table: study.tell(table["trial"], table),
        "amend": lambda table: study.amend(table, reason="a typo"),
        "discard": lambda table: study.discard(table, reason="a spill"),
        "retry": lambda table: study.retry(table, reason="a leak"),
    }
    call = calls[how]
    right = pandas.DataFrame({"trial": [1, 2], "x": [0.251, None], "n": [500.0, None], "metal": ["Pd", None], "cost": [3.0, 4.0]})
    for column, cells in {"x": [0.75, 0.25], "n": [503, 500], "metal": ["Ni", "Pd"]}.items():
        before = study.trials
        with pytest.raises(spargo.OtherPointError, match=f"trial 1 was asked for at .* check that '{column}'") as refused:
            call(right.assign(**{column: cells}))
        assert (refused.value.index, refused.value.column) == (0, column)
        assert study.trials == before
    call(right)
    assert study.trials != before


def test_no_table_applies_to_other_candidates() -> None:
    pool = pandas.DataFrame({"size": [1.0, 1.0, 2.0], "id": ["007", "8", "9"], "supplier": ["Acme", "Bolt", "Acme"]})
    study = spargo.Study(spargo.Candidates(pool, inputs=["size"]))
    _ = study.add(pool)
    with pytest.raises(spargo.OtherPointError, match="'007', not '8'"):
        study.tell({"trial": [1, 2], "id": [8, 7], "objective": [1.0, 2.0]})
    # Spreadsheets drop zeros, and people correct what identifies nothing.
    assert study.tell({"trial": [1, 2], "id": [7, 8], "supplier": ["ACME Ltd", "Bolt"], "objective": [1.0, 2.0]}) == 2
