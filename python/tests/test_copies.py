"""Pickles and copies of studies: those in memory in full, those in files by their path."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spargo

SPACE: dict[str, Any] = {"x": (0.0, 1.0), "size": spargo.Choice([8, 16])}


def begun(**settings: Any) -> spargo.Study:
    study = spargo.Study(SPACE, seed=2, initial=10, batch=5, **settings)
    for _ in range(3):
        trials = study.ask()
        study.tell(trials, [np.sin(5 * trial.params["x"]) + trial.params["size"] for trial in trials])
    study.tell(study.ask(2), [None, 3.0])
    study.ask(1)
    return study


def test_a_copy_goes_on_as_the_original_would() -> None:
    study = begun()
    for twin in (pickle.loads(pickle.dumps(study)), copy.deepcopy(study), copy.copy(study), study.copy()):
        assert twin.trials == study.trials and twin.config == study.config and twin.reports() == study.reports()
        original = study.copy()
        assert [trial.params for trial in twin.ask()] == [trial.params for trial in original.ask()]
        assert twin.best().params["size"] in (8, 16)
        assert len(twin) == len(study) + 5


def test_a_pickled_study_in_a_file_opens_the_file(tmp_path: Path) -> None:
    study = begun(storage=tmp_path / "study.db")
    twin = pickle.loads(pickle.dumps(study))
    assert twin.storage == study.storage
    asked = twin.ask(1)
    assert study.pending[-1] == spargo.Trial(asked[0].id, asked[0].params, ask=6)
    apart = study.copy()
    assert apart.storage is None and apart.trials == study.trials
    apart.ask(1)
    assert len(apart) == len(study) + 1


def test_a_closed_study_cannot_be_pickled() -> None:
    study = begun()
    study.close()
    with pytest.raises(spargo.UnsupportedError, match="closed"):
        pickle.dumps(study)


def test_posteriors_and_paths_cannot_be_copied() -> None:
    study = begun()
    for part in (study.posterior(), study.posterior().sample_paths(2)):
        with pytest.raises(TypeError, match="pickle the study"):
            copy.deepcopy(part)


def evaluate(trial: spargo.Trial) -> float:
    return float(np.sin(5 * trial.params["x"]) + trial.params["size"])


def best_params(study: spargo.Study) -> dict[str, Any]:
    return study.best().params


def test_trials_and_studies_are_sent_to_other_processes() -> None:
    study = begun()
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        trials = study.ask()
        study.tell(trials, pool.map(evaluate, trials))
        assert list(pool.map(best_params, [study]))[0] == study.best().params


@pytest.mark.parametrize("bytes", [b"", b"SQLite", b"\0" * 4096, b"x" * 5000])
def test_invalid_bytes_are_refused(bytes: bytes) -> None:
    from spargo import _spargo

    with pytest.raises(spargo.StorageError):
        _spargo.Study.from_bytes(bytes, None)


def test_a_pickled_study_is_found_from_another_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    study = spargo.Study({"x": (0.0, 1.0)}, storage="lab.db")
    study.ask(3)
    monkeypatch.chdir("/")
    assert len(pickle.loads(pickle.dumps(study))) == 3
