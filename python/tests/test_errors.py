"""Exceptions: one class per reason, with the library's message and its parts."""

from __future__ import annotations

import copy
import inspect
import math
import pickle
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spargo
from spargo import errors

LINE: dict[str, Any] = {"x": (0.0, 1.0)}


def other_settings() -> None:
    path = Path(tempfile.mkdtemp()) / "study.db"
    for seed in (1, 2):
        spargo.Study(LINE, seed=seed, storage=path)


def told() -> spargo.Study:
    study = spargo.Study(LINE)
    study.tell(study.ask(1), [1.0])
    return study


def discarded() -> spargo.Study:
    study = told()
    study.discard(1, reason="mislabelled")
    return study


CASES: list[tuple[type[spargo.SpargoError], type[Exception], Callable[[], object], str, dict[str, Any]]] = [
    (
        spargo.ShapeError,
        ValueError,
        lambda: told().tell(1, [1.0, 2.0]),
        "the list of values of trial 1 has 2 but 1 is needed",
        {"what": "the list of values of trial 1", "found": 2, "expected": 1},
    ),
    (spargo.EmptyError, ValueError, lambda: spargo.Study(LINE).best(), "is empty: give at least one row", {}),
    (
        spargo.NonFiniteError,
        ValueError,
        lambda: spargo.ExactGP().fit(np.array([[0.0], [np.nan]]), [0.0, 1.0]),
        "is not finite (NaN) at row 1",
        {"row": 1},
    ),
    (
        spargo.ParameterError,
        ValueError,
        lambda: spargo.Study(LINE, batch=0),
        "batch = 0 must be at least 1",
        {"name": "batch", "value": 0.0, "must": "at least 1"},
    ),
    (
        spargo.InputError,
        ValueError,
        lambda: spargo.Study({"x": spargo.Real(0.0, 1.0, log=True)}),
        "input 'x': a logarithmic range cannot begin at 0.0",
        {"name": "x"},
    ),
    (
        spargo.InputValueError,
        ValueError,
        lambda: told().enqueue({"x": [2.0]}),
        "input 'x' cannot be 2.0: give a number from 0.0 to 1.0",
        {"input": "x", "value": "2.0", "allowed": "a number from 0.0 to 1.0"},
    ),
    (
        spargo.CandidateError,
        ValueError,
        lambda: spargo.Study(spargo.Candidates({"x": [1.0, np.inf]})),
        "row 1 of the candidates: input 'x' cannot be inf",
        {"row": 1},
    ),
    (
        spargo.InputConstraintError,
        ValueError,
        lambda: spargo.Study(LINE, input_constraints=[spargo.Sum(["x", "y"], at_most=1)]),
        "number 1 of the input constraints: there is no input 'y': name one of x",
        {"number": 0},
    ),
    (
        spargo.ExhaustedError,
        RuntimeError,
        lambda: spargo.Study({"n": (1, 3)}).ask(4),
        "4 new points are wanted, but only 3",
        {"wanted": 4, "left": 3},
    ),
    (
        spargo.UnsupportedError,
        ValueError,
        lambda: spargo.Study(LINE, rule="bald"),
        "'rule' cannot be \"bald\" for these outputs, as bald learns a yes-or-no output",
        {"what": "'rule' cannot be \"bald\" for these outputs, as bald learns a yes-or-no output"},
    ),
    (
        spargo.RetoldError,
        ValueError,
        lambda: told().tell(1, 2.0),
        "trial 1 already has the outcome 1 (got 2): `amend` it to correct it",
        {"index": 0, "trial": 1, "told": "1", "now": "2"},
    ),
    (
        spargo.DiscardedError,
        ValueError,
        lambda: discarded().tell(1, 2.0),
        "trial 1 was discarded: `amend` it with its outcome, or `retry` it",
        {"index": 0, "trial": 1},
    ),
    (
        spargo.UnknownTrialError,
        LookupError,
        lambda: told().tell(7, 2.0),
        "there is no trial 7: the study has 1",
        {"index": 0, "trial": 7, "trials": 1},
    ),
    (
        spargo.OtherPointError,
        ValueError,
        lambda: told().tell({"trial": [1], "x": [0.9], "objective": [1.0]}),
        "check that 'x' and the numbers of the trials are in the right rows",
        {"index": 0, "trial": 1, "column": "x", "found": "0.9"},
    ),
    (
        spargo.OtherSettingsError,
        ValueError,
        lambda: other_settings(),
        "has 'seed' = 1, these settings have 2: open it as it is and change it",
        {"field": "seed", "before": "1", "after": "2"},
    ),
    (
        spargo.NoLogarithmError,
        ValueError,
        lambda: spargo.Study(LINE, model=spargo.ModelOptions(outcome_transform="log")).add({"x": [0.5]}, [0.0]),
        "'objective' = 0 in point 1 of 1 has no logarithm: report the trial as failed",
        {"of": "point 1 of 1", "output": "objective", "value": 0.0},
    ),
    (
        spargo.StorageError,
        OSError,
        lambda: spargo.Study.open("/nowhere/study.db"),
        "the study '/nowhere/study.db'",
        {"path": "/nowhere/study.db"},
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].__name__)
def test_an_exception_has_its_class_message_and_parts(case: Any) -> None:
    kind, base, provoke, message, parts = case
    with pytest.raises(kind) as refused:
        provoke()
    error = refused.value
    assert type(error) is kind and isinstance(error, base) and isinstance(error, spargo.SpargoError)
    assert message in str(error)
    assert parts.items() <= vars(error).items()
    for twin in (copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert type(twin) is kind and str(twin) == str(error)
        assert {name: str(part) for name, part in vars(twin).items()} == {
            name: str(part) for name, part in vars(error).items()
        }


def test_every_exception_is_in_the_package() -> None:
    for name in errors.__all__:
        kind = getattr(errors, name)
        assert inspect.isclass(kind) and getattr(spargo, name) is kind
        assert issubclass(kind, UserWarning if name.endswith("Warning") else spargo.SpargoError)
    provoked = {case[0].__name__ for case in CASES}
    # InterruptedCall cannot be seen from Python: Ctrl-C raises what its handler raises. Warnings are not raised.
    rest = {"SpargoError", "NotPositiveDefiniteError", "InterruptedCall", "OutcomeWarning"}
    assert set(errors.__all__) - provoked == rest


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"model": spargo.ModelOptions(priors="some")}, "model.priors: unknown variant `some`"),  # type: ignore[arg-type]
        ({"model": spargo.ModelOptions(hyperparameters={"subset": -1})}, "model.hyperparameters.subset: invalid value"),
        ({"rule": "luck"}, "rule: unknown variant `luck`"),
        ({"allocation": "imp"}, "allocation: there is no allocation method 'imp'"),
        ({"allocation": {"method": "imp-dpp", "colour": 3}}, "allocation: unknown field `colour`"),
        ({"trust_regions": spargo.TrustRegionOptions(policy="turbo")}, "'turbo'"),  # type: ignore[arg-type]
        ({"seed": -1}, "seed: invalid value: integer `-1`"),
        ({"seed": 1.5}, "seed: invalid type: floating point `1.5`"),
    ],
)
def test_errors_name_the_setting(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(spargo.UnsupportedError) as refused:
        spargo.Study(LINE, **settings)
    assert message in str(refused.value) and "line 1" not in str(refused.value)


@pytest.mark.parametrize(
    "make",
    [
        lambda: spargo.Study({"x": 3}),
        lambda: spargo.Study({"x": (0.0, 1.0, "ln")}),
        lambda: spargo.Study({"x": (False, True)}),
        lambda: spargo.Study("x"),
        lambda: spargo.Study(LINE, "largest"),
        lambda: spargo.Study(LINE, {"y": {"level": 1.0, "goal": "max"}}),
        lambda: spargo.Study(LINE, "max", {"y": 3.0}),
        lambda: spargo.Study(LINE, bach=3),  # type: ignore[call-arg]
        lambda: spargo.ModelOptions(warp="off"),  # type: ignore[call-arg]
        lambda: spargo.LocalModelOptions(share="half"),  # type: ignore[arg-type]
        lambda: spargo.TrustRegionOptions(share="half"),  # type: ignore[arg-type]
        lambda: spargo.Study(LINE, model={"exact_until": 3}),  # type: ignore[arg-type]
        lambda: spargo.Study(LINE, sampling=spargo.SamplingOptions(features=object())),  # type: ignore[arg-type]
        lambda: told().add({"y": [0.5]}, [1.0]),
        lambda: told().add({"x": [0.5, 0.6]}, [1.0]),
        lambda: told().add(np.zeros(3), [1.0]),
        lambda: told().add([{"x": 0.5}, {"z": 0.5}], [1.0, 2.0]),
        lambda: told().add([{"x": [1]}], [1.0]),
        lambda: told().posterior("z"),
        lambda: told().tell(told().ask(2), 3.0),
        lambda: told().tell([1.7], [1.0]),  # type: ignore[list-item]
        lambda: told().tell([1], {"y": 1.0}),
        lambda: told().ask(-1),
        lambda: spargo.Study({"n": spargo.Int(0.5, 3.7)}),  # type: ignore[arg-type]
        lambda: spargo.Study(LINE, ["max"]),  # type: ignore[arg-type]
        lambda: spargo.Study(LINE, "max", {"c": (math.nan, 1.0)}),
        lambda: spargo.Study(LINE, {"y": {"level": math.nan}}),
        lambda: spargo.Study(LINE, {"a": "max", "bill": "min"}).add({"x": [0.5], "a": [1.0], "bll": [2.0]}),
    ],
)
def test_invalid_arguments_are_refused_in_python(make: Callable[[], object]) -> None:
    with pytest.raises((TypeError, ValueError)) as refused:
        make()
    assert str(refused.value)


def test_a_file_that_is_no_study_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Dear Sir or Madam,\n" * 100, encoding="utf-8")
    with pytest.raises(spargo.StorageError) as refused:
        spargo.Study(LINE, storage=path)
    assert refused.value.remedy
    assert path.read_text(encoding="utf-8").startswith("Dear Sir")


def test_a_network_file_system_is_warned_of_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "shared.db"
    assert spargo._spargo.network_file_system(str(tmp_path / "none")) is None
    monkeypatch.setattr(spargo._spargo, "network_file_system", lambda path: "NFS")
    with pytest.warns(UserWarning, match=r"shared.db is on a network file system \(NFS\)"):
        spargo.Study({"x": (0.0, 1.0)}, storage=path).close()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        spargo.Study.open(path).close()
        spargo.Study({"x": (0.0, 1.0)})
