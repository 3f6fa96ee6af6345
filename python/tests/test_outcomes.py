"""Outcomes: output by output, late, in tables with gaps, and back from a table."""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spargo
from spargo.outcome_table import OutcomeTable

pandas = pytest.importorskip("pandas")

Frame = Callable[[dict[str, list[Any]]], Any]


def study(**outputs: str) -> spargo.Study:
    return spargo.Study({"x": (0.0, 1.0), "n": (1, 9)}, outputs or {"yield": "max", "cost": "min"}, seed=1)


def statuses(of: spargo.Study) -> list[str]:
    return [trial.status for trial in of.trials]


def test_outputs_come_one_by_one() -> None:
    late = study()
    (trial,) = late.ask(1)
    assert late.tell(trial, {"yield": 50}) == 1
    known = late.trial(trial.id)
    assert (known.status, known.values, known.value) == ("partial", {"yield": 50.0}, 50.0)
    assert late.pending == [known] and not late.is_feasible(known)
    assert late.tell(trial, [50, None]) == 0, "the same once more, and nothing of the other"
    assert late.tell(trial, {"cost": 2.0}, noise={"cost": 0.5}) == 1
    known = late.trial(trial.id)
    assert (known.status, known.values, known.noise) == ("done", {"yield": 50.0, "cost": 2.0}, {"cost": 0.5})
    with pytest.raises(spargo.RetoldError, match="amend"):
        late.tell(trial, {"cost": 3.0})


def test_the_value_is_that_of_the_first_output() -> None:
    late = study()
    late.tell(late.ask(1), [{"cost": 2.0}])
    assert math.isnan(late.trials[0].value)


def test_an_output_may_fail_alone() -> None:
    mixed = study()
    trials = mixed.ask(5)
    mixed.tell(trials, [[1.0, math.nan], [1.0, math.inf], {"yield": 1.0, "cost": spargo.Failed("spilt")}, None, [None, None]])
    assert statuses(mixed) == ["done", "done", "done", "failed", "pending"]
    assert [trial.failures for trial in mixed.trials[:3]] == [
        {"cost": "'cost' is NaN"},
        {"cost": "'cost' is inf"},
        {"cost": "spilt"},
    ]
    assert mixed.trials[3].failures == {"yield": "no value", "cost": "no value"}
    assert len(mixed.ask(2)) == 2, "the model of each output uses the rows that it has"


def polars_frame(columns: dict[str, list[Any]]) -> Any:
    return pytest.importorskip("polars").DataFrame(columns)


def arrow_table(columns: dict[str, list[Any]]) -> Any:
    return pytest.importorskip("pyarrow").table(columns)


def nullable_frame(columns: dict[str, list[Any]]) -> Any:
    return pandas.DataFrame(columns).convert_dtypes()


FRAMES: list[Frame] = [pandas.DataFrame, nullable_frame, polars_frame, arrow_table]


@pytest.mark.parametrize("frame", FRAMES)
def test_an_empty_cell_is_pending(frame: Frame) -> None:
    cells = {"yield": [1.0, None, 3.0, None], "cost": [2.0, 5.0, None, None]}
    told = study()
    trials = told.ask(4)
    assert told.tell(trials, frame(cells)) == 3
    assert statuses(told) == ["done", "partial", "partial", "pending"]
    by_number = study()
    numbers = [trial.id for trial in by_number.ask(4)]
    assert by_number.tell(frame({"trial": numbers, **cells, "operator": ["me"] * 4})) == 3
    assert [trial.values for trial in by_number.trials] == [trial.values for trial in told.trials]
    added = study()
    assert added.add(frame({"x": [0.1, 0.2, 0.3, 0.4], "n": [1, 2, 3, 4], **cells})) == [1, 2, 3, 4]
    assert statuses(added) == statuses(told)
    one = study(objective="max")
    assert one.tell(one.ask(4), frame(cells)["cost"]) == 2, "a column is the values of a single output"
    assert statuses(one) == ["done", "done", "pending", "pending"]


def test_cells_are_read_as_the_command_line_reads_them() -> None:
    words = study()
    numbers = [trial.id for trial in words.ask(8)]
    table = {
        "trial": numbers,
        "yield": ["71.5", "failed", "", "pending", 5, np.inf, None, None],
        "cost": [1.0, 2.0, 3.0, 4.0, "n/a", 6.0, None, None],
        "status": ["", "done", None, "partial", "ok", "partial", "failed", "failed"],
        "reason": [None, None, None, None, None, None, "the vial broke", ""],
    }
    assert words.tell(pandas.DataFrame(table)) == 8
    assert statuses(words) == ["done", "done", "partial", "partial", "done", "done", "failed", "failed"]
    assert words.trials[0].values == {"yield": 71.5, "cost": 1.0}
    assert words.trials[4].failures == {"cost": "no value of 'cost'"}
    assert [trial.failure for trial in words.trials[6:]] == ["the vial broke", "failed"]


ROWS = json.loads((Path(__file__).parents[2] / "crates/spargo-cli/tests/outcome-rows.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("cells", "expected"), ROWS)
def test_rows_are_read_as_the_command_line_reads_them(cells: list[str], expected: Any) -> None:
    """The command line's tests read the same file; in a DataFrame an empty cell is NaN."""
    columns = {name: [cell] for name, cell in zip(("y", "status", "reason", "z"), cells)}
    empty = {name: [cell or None for cell in column] for name, column in columns.items()}
    for table in (columns, pandas.DataFrame(columns), pandas.DataFrame(empty, dtype=object)):
        assert in_words(table) == expected


def in_words(table: Any) -> Any:
    try:
        [row] = OutcomeTable(table, ["y", "z"]).outcomes()
    except ValueError:
        return "refused"
    if row is None:
        return "discarded"
    if row[1] is not None:
        return f"failed ({row[1]})"
    words = ["pending" if why is None else f"failed ({why})" for _, _, why in row[0]]
    return [word if value is None else value for word, (value, _, _) in zip(words, row[0])]


def test_outputs_have_reasons_of_their_own() -> None:
    """A table that goes out says of each output why it failed, and comes back as what it was."""
    parts: list[Any] = [
        {"yield": 1.0, "cost": spargo.Failed("burnt")},
        {"yield": spargo.Failed("burnt")},
        {"yield": spargo.Failed("burnt"), "cost": spargo.Failed("lost")},
        None,
        {"cost": spargo.Failed("")},
    ]
    told = study()
    told.tell(told.ask(6)[:5], parts)
    table = told.to_dataframe()
    assert list(table.columns)[-4:] == ["yield reason", "cost reason", "status", "reason"]
    assert table["reason"].dropna().to_dict() == {2: "burnt", 3: "no value"}
    assert told.tell(table) == 0, "nothing is new"
    again = study()
    again.add(table)
    reasons = [trial.failures for trial in told.trials]
    reasons[4] = {"cost": "failed"}
    assert [trial.failures for trial in again.trials] == reasons and statuses(again) == statuses(told)
    for cell in (3.0, "pending"):
        with pytest.raises(ValueError, match="row 0: there is the reason 'burnt' of a failure, but 'cost' is"):
            told.tell({"trial": [1], "cost": [cell], "cost reason": ["burnt"]})


def test_noise_is_a_column_and_comes_back() -> None:
    noisy = study()
    numbers = [trial.id for trial in noisy.ask(3)]
    noisy.tell(
        {"trial": numbers, "yield": [1, 2, 3], "cost": [4, 5, 6], "yield sd": [0.5, None, None], "cost variance": [None, 2.0, None]}
    )
    assert [trial.noise for trial in noisy.trials] == [{"yield": 0.25}, {"cost": 2.0}, None]
    table = noisy.to_dataframe()
    assert list(table.columns)[-4:] == ["yield variance", "cost variance", "status", "reason"]
    again = study()
    again.add(table)
    assert [trial.noise for trial in again.trials] == [trial.noise for trial in noisy.trials]


WRONG: list[tuple[dict[str, list[Any]], str]] = [
    ({"yield": [1.0]}, "no column 'trial'"),
    ({"trial": [1]}, "no column of an output"),
    ({"trial": [None], "yield": [1.0]}, "row 0: the trial is None"),
    ({"trial": [1.5], "yield": [1.0]}, "row 0: the trial is 1.5"),
    ({"trial": [1], "yield": ["good"]}, "row 0: 'good' is no value of 'yield'"),
    ({"trial": [1], "yield": [1.0], "status": ["running"]}, "the status 'running' is not one of"),
    ({"trial": [1], "yield": [1.0], "status": ["failed"]}, "make the status 'done', or clear the value"),
    ({"trial": [1], "yield": [None], "yield sd": [1.0]}, "noise of 'yield', but no value"),
    ({"trial": [1], "yield": [1.0], "yield sd": [-1.0]}, "positive and finite"),
    ({"trial": [1], "yield": [1.0], "yield sd": [1.0], "yield variance": [1.0]}, "both the sd and the variance"),
    ({"trial": [1], "yield": [1.0], "yield_sd": [1.0]}, "is the column 'yield_sd' meant to be 'yield sd'"),
    ({"trial": [1], "yield": [1.0], "Costs": [1.0]}, "is the column 'Costs' meant to be 'cost'"),
]


@pytest.mark.parametrize(("table", "message"), WRONG)
def test_tables_that_make_no_sense_are_refused(table: dict[str, list[Any]], message: str) -> None:
    asked = study()
    asked.ask(1)
    for form in (table, pandas.DataFrame(table, dtype=object)):
        with pytest.raises(ValueError, match=message.replace("(", r"\(")):
            asked.tell(form)
    assert statuses(asked) == ["pending"]


def test_the_loop_of_a_robot() -> None:
    """A table goes out, comes back with gaps, later with the rest, and once more in full: nothing is told twice."""
    robot = study()
    robot.ask(6)
    robot.discard(6, reason="the well is empty")
    table = robot.to_dataframe()
    table.loc[:2, "yield"] = [50.0, 60.0, 70.0]
    with pytest.raises(ValueError, match="row 0: its status is 'pending', but it has a value of 'yield': make the status 'done'"):
        robot.tell(table)
    table.loc[:2, "status"] = "done"
    table.loc[3, ["status", "reason"]] = ["failed", "the pipette broke"]
    assert robot.tell(table) == 4
    assert statuses(robot) == ["partial"] * 3 + ["failed", "pending", "discarded"]
    table = robot.to_dataframe()
    assert robot.tell(table) == 0, "nothing is new"
    table.loc[:2, "cost"] = [1.0, 2.0, 3.0]
    assert robot.tell(table) == 3 and robot.tell(table) == 0
    assert statuses(robot) == ["done"] * 3 + ["failed", "pending", "discarded"]
    table.loc[0, "yield"] = 51.0
    with pytest.raises(spargo.RetoldError, match="amend"):
        robot.tell(table)
    changes = robot.amend(table, reason="read off the wrong scale")
    assert [(change["trial"], change["before"], change["after"]) for change in changes] == [(1, "50", "51")]
    elsewhere = study()
    assert elsewhere.add(robot.to_dataframe()) == [1, 2, 3, 4, 5]
    assert statuses(elsewhere) == statuses(robot)[:5]


@pytest.mark.parametrize("frame", [dict, *FRAMES])
def test_units_follow_names(frame: Frame, tmp_path: Path) -> None:
    space = {"x": spargo.Real(0.0, 1.0, unit="m"), "n": (1, 9)}
    with spargo.Study(space, {"yield": "max", "cost": "min"}, storage=tmp_path / "units.db") as units:
        assert units.add(frame({"x (m)": [0.25, 0.5], "n": [3, 4], "yield [mg]": [1.0, 2.0]})) == [1, 2]
        assert [trial.values for trial in units.trials] == [{"yield": 1.0}, {"yield": 2.0}]
        assert units.tell(frame({"trial": [1], "x (m)": [0.25], "cost / EUR": [3.0]})) == 1
        wrong = {"yield (g)": "in g in a table in Python, but in mg in a table", "x (mm)": "in mm in a table in Python, but in m in the study"}
        for header, words in wrong.items():
            table = frame({"trial": [2], header: [0.5], "cost": [4.0]})
            calls: list[Callable[[], Any]] = [
                lambda: units.tell(table),
                lambda: units.tell([2], table),
                lambda: units.amend(table, reason="a typo"),
                lambda: units.discard(table, reason="a spill"),
            ]
            for call in calls if frame is not dict else calls[:1] + calls[2:]:
                with pytest.raises(spargo.UnsupportedError, match=words):
                    call()
        with pytest.raises(spargo.UnsupportedError, match="both 'yield \\(mg\\)' and 'yield \\[mg\\]'"):
            units.tell(frame({"trial": [2], "yield (mg)": [2.0], "yield [mg]": [2.0]}))
    with spargo.Study.open(tmp_path / "units.db") as again, pytest.raises(spargo.UnsupportedError, match="in USD"):
        again.tell(frame({"trial": [2], "cost (USD)": [3.0]}))


def test_capitals_of_reserved_columns_do_not_matter() -> None:
    loud = study()
    loud.ask(3)
    assert loud.tell({"trial": [1], "yield mean": [3.0], "cost 2": [1.0], "yield": [1.0]}) == 1, "other columns"
    assert loud.retry(1, reason="again")
    assert loud.tell({"Trial": [1, 2, 3], "yield": [1.0, None, None], "STATUS": ["", "failed", ""], "Reason": ["", "spilt", "burnt"]}) == 3
    assert statuses(loud) == ["partial", "failed", "failed"] and loud.trial(3).failure == "burnt"


def test_a_trial_is_in_one_row() -> None:
    twice = study()
    twice.ask(2)
    for call in (lambda table: twice.tell(table), lambda table: twice.amend(table, reason="a typo")):
        with pytest.raises(ValueError, match="row 1: trial 2 is in row 0 as well"):
            call({"trial": [2, 2], "cost": [1.0, 2.0]})


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'spargo\[pandas\]'"):
        study().to_dataframe()


def test_extreme_outcomes_are_warned_of_once() -> None:
    odd = spargo.Study({"x": (0.0, 1.0)}, "max", initial=20, batch=2, seed=1)
    trials = odd.ask()
    odd.tell(trials, [-1e6 if trial.id in (3, 7, 9) else trial.params["x"] for trial in trials])
    with pytest.warns(spargo.OutcomeWarning, match="3 trials .* have exactly objective = -1e6, far below all others"):
        trials = odd.ask()
    odd.tell(trials, [-1e6, 0.5])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        odd.ask()
    assert [text.split(" have")[0] for text in odd.warnings()] == ["4 trials (3, 7, 9, …)"]
    odd.configure(model=spargo.ModelOptions(penalties="keep"))
    assert odd.warnings() == []


def test_an_output_that_never_comes_is_warned_of() -> None:
    words = "no outcome of 'cost' is known yet, and the choice does not depend on it"
    late = spargo.Study({"x": (0.0, 1.0)}, {"yield": "max", "cost": "min"}, initial=10)
    trials = late.ask()
    assert late.warnings() == []
    late.tell(trials, [{"yield": trial.params["x"]} for trial in trials])
    with pytest.warns(spargo.OutcomeWarning, match=words):
        late.ask(2)
    assert late.warnings() == [words]
    late.tell(trials[:1], [{"cost": spargo.Failed("spilt")}])
    assert late.warnings() == [f"{words}: it failed in 1 trial"]
    late.tell(trials[1:2], [{"cost": 1.0}])
    assert late.warnings() == []


def test_a_run_warns_of_extreme_outcomes() -> None:
    odd = spargo.Study({"x": (0.0, 1.0)}, "max", initial=20, seed=1)
    high = max(trial.params["x"] for trial in spargo.Study({"x": (0.0, 1.0)}, "max", initial=20, seed=1).ask())
    with pytest.warns(spargo.OutcomeWarning, match="objective = 1e6, is far above all others"):
        odd.optimize(lambda params: 1e6 if params["x"] == high else params["x"], 20, progress=False)
