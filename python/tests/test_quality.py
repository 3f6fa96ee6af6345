"""Qualities of the user: which observations matter when a study chooses inducing points."""

from __future__ import annotations

import functools
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spargo

SPACE = {"x": (0.0, 1.0), "z": (0.0, 1.0)}
SPARSE: dict[str, Any] = {"seed": 1, "inducing": 12, "model": spargo.ModelOptions(exact_until=10)}


def good(context: spargo.QualityContext) -> Any:
    return np.exp(4 * context.mean)


def failing(context: spargo.QualityContext) -> Any:
    raise LookupError("no such row")


def observed(study: spargo.Study) -> spargo.Study:
    x = np.random.default_rng(0).random((300, 2))
    study.add(x, -((x - 0.8) ** 2).sum(axis=1))
    study.ask(3)  # Its model has the posterior that the next allocation is based on.
    study.add(x / 2, -((x / 2 - 0.8) ** 2).sum(axis=1))
    return study


def distance(study: spargo.Study) -> float:
    points = study.inducing_points()
    assert points is not None
    return float(np.mean([abs(point["x"] - 0.8) + abs(point["z"] - 0.8) for point in points]))


def test_inducing_points_are_where_the_quality_is_large() -> None:
    seen: list[spargo.QualityContext] = []

    def quality(context: spargo.QualityContext) -> Any:
        seen.append(context)
        return good(context)

    weighted = observed(spargo.Study(SPACE, quality=quality, **SPARSE))
    weighted.ask(2)
    covering = observed(spargo.Study(SPACE, allocation="cvr", **SPARSE))
    covering.ask(2)
    assert distance(weighted) < distance(covering)
    last = seen[-1]
    assert len(last.y) == len(last.mean) == len(last.variance) == len(last.noise) == 600 and last.count == 12


def test_its_exceptions_and_errors_are_raised() -> None:
    with pytest.raises(LookupError, match="no such row"):
        observed(spargo.Study(SPACE, quality=failing, **SPARSE)).ask(2)
    with pytest.raises(ValueError, match="one weight for each of"):
        observed(spargo.Study(SPACE, quality=lambda context: 1.0, **SPARSE)).ask(2)
    with pytest.raises(ValueError, match="finite and not negative"):
        observed(spargo.Study(SPACE, quality=lambda context: -np.ones(len(context.y)), **SPARSE)).ask(2)
    with pytest.raises(ValueError, match="leave out one"):
        spargo.Study(SPACE, allocation="cvr", quality=good)


def test_a_file_keeps_its_name(tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    with observed(spargo.Study(SPACE, storage=path, quality=good, **SPARSE)) as study:
        twin = pickle.loads(pickle.dumps(study))
        asked = [trial.params for trial in study.copy().ask(2)]
        assert [trial.params for trial in twin.ask(2)] == asked
    with spargo.Study.open(path) as unknown:
        assert len(unknown.trials) == 605
        with pytest.raises(spargo.UnsupportedError, match=r"good.*Study\.open\(…, quality=…\)"):
            unknown.ask(2)
    with pytest.raises(spargo.UnsupportedError, match="'failing' for a study whose quality is 'good'.*quality=good"):
        spargo.Study.open(path, quality=failing)
    for nameless in (lambda context: good(context), functools.partial(good)):
        with pytest.raises(spargo.UnsupportedError, match="without a name.*define it with def"):
            spargo.Study(SPACE, storage=tmp_path / "nameless.db", quality=nameless)
        with pytest.raises(spargo.UnsupportedError, match="whose quality is 'good'"):
            spargo.Study.open(path, quality=nameless)
        assert len(observed(spargo.Study(SPACE, quality=nameless, **SPARSE)).copy().ask(2)) == 2
    plain = tmp_path / "plain.db"
    spargo.Study(SPACE, storage=plain).close()
    with pytest.raises(spargo.UnsupportedError, match="made without one"):
        spargo.Study.open(plain, quality=good)
    with spargo.Study.open(path, quality=good) as again:
        assert len(again.ask(2)) == 2


def test_it_may_change_in_mid_campaign(tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    with observed(spargo.Study(SPACE, storage=path, allocation="cvr", **SPARSE)) as study:
        changes = {change["what"] for change in study.configure(quality=good, batch=4)}
        assert changes == {"allocation.method", "allocation.quality", "batch"}
        twin = pickle.loads(pickle.dumps(study))
        assert [trial.params for trial in study.copy().ask(2)] == [trial.params for trial in twin.ask(2)]
        study.configure(quality=failing)
        study.add({"x": [0.3], "z": [0.4]}, [0.1])  # The next ask fits, and allocates.
        with pytest.raises(LookupError, match="no such row"):
            study.ask(2)
        with pytest.raises(spargo.UnsupportedError, match="without a name"):
            study.configure(quality=lambda context: good(context))
        with pytest.raises(ValueError, match="leave out one"):
            study.configure(quality=good, allocation="cvr")
        study.configure(allocation="cvr")
        assert len(pickle.loads(pickle.dumps(study)).ask(2)) == 2
    with pytest.raises(spargo.UnsupportedError, match="made without one"):
        spargo.Study.open(path, quality=good)
