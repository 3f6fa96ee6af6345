"""The Optuna sampler: Optuna's own tests of samplers, its storages, several workers."""

from __future__ import annotations

import pickle
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import spargo

optuna = pytest.importorskip("optuna")

from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution  # noqa: E402
from optuna.trial import TrialState  # noqa: E402

from spargo.optuna import SpargoSampler  # noqa: E402

optuna.logging.set_verbosity(optuna.logging.ERROR)

QUICK: dict[str, Any] = {
    "acquisition": spargo.AcquisitionOptions(pool=200, near=50),
    "sampling": spargo.SamplingOptions(features=64),
}


def quick(**settings: Any) -> SpargoSampler:
    return SpargoSampler(**{"seed": 1, "n_startup_trials": 4, **QUICK, **settings})


try:
    from optuna.testing.pytest_samplers import (
        BasicSamplerTestCase,
        MultiObjectiveSamplerTestCase,
        RelativeSamplerTestCase,
    )
except ImportError:  # Optuna before 4.6 keeps them to itself.
    pass
else:

    class TestByOptuna(BasicSamplerTestCase, RelativeSamplerTestCase, MultiObjectiveSamplerTestCase):
        @pytest.fixture
        def sampler(self) -> Callable[[], Any]:
            return quick


DISTRIBUTIONS: dict[str, Any] = {
    "real": FloatDistribution(-1.0, 2.0),
    "log": FloatDistribution(1e-6, 1.0, log=True),
    "step": FloatDistribution(-0.3, 1.2, step=0.3),
    "int": IntDistribution(-2, 5),
    "log int": IntDistribution(1, 200, log=True),
    "step int": IntDistribution(3, 15, step=4),
    "choice": CategoricalDistribution(["a", None, 2.5, True, "1", 1]),
    "": FloatDistribution(0.0, 1.0),
    "single": IntDistribution(4, 4),
}


def test_every_kind_of_parameter_is_sampled_together() -> None:
    seen: list[dict[str, Any]] = []
    chosen: list[str] = []

    class Watched(SpargoSampler):
        def sample_independent(self, study: Any, trial: Any, name: str, distribution: Any) -> Any:
            chosen.append(name)
            return super().sample_independent(study, trial, name, distribution)

    def objective(trial: Any) -> float:
        params = {name: trial._suggest(name, one) for name, one in DISTRIBUTIONS.items()}
        seen.append(params)
        return float(params["real"] ** 2 + params["step"] + params["int"])

    study = optuna.create_study(sampler=Watched(seed=1, n_startup_trials=4, **QUICK))
    study.optimize(objective, n_trials=16)
    # Only the first trial has no common parameters.
    assert sorted(chosen) == sorted(name for name in DISTRIBUTIONS if name != "single")
    for params in seen:
        for name, value in params.items():
            distribution = DISTRIBUTIONS[name]
            assert distribution._contains(distribution.to_internal_repr(value)), (name, value)
            expected = {FloatDistribution: float, IntDistribution: int}.get(type(distribution))
            assert expected is None or type(value) is expected
        assert params["step"] in [pytest.approx(-0.3 + 0.3 * i) for i in range(6)]
        assert params["step int"] in (3, 7, 11, 15) and params["single"] == 4
    assert len({params["choice"] for params in seen}) > 2


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_the_best_is_found(direction: str) -> None:
    sign = 1 if direction == "minimize" else -1

    def objective(trial: Any) -> float:
        x = trial.suggest_float("x", -3, 3)
        rate = trial.suggest_float("rate", 1e-5, 1.0, log=True)
        kind = trial.suggest_categorical("kind", ["good", "bad"])
        return float(sign * ((x - 1) ** 2 + (np.log10(rate) + 2) ** 2 + (kind == "bad")))

    study = optuna.create_study(direction=direction, sampler=quick(seed=0, n_startup_trials=10))
    study.optimize(objective, n_trials=50)
    assert abs(study.best_value) < 0.1 and study.best_params["kind"] == "good"


def test_the_same_seed_gives_the_same_trials() -> None:
    def run(sampler: SpargoSampler) -> list[dict[str, Any]]:
        study = optuna.create_study(sampler=sampler)
        study.optimize(lambda t: (t.suggest_float("x", 0, 1) - t.suggest_int("n", 1, 9)) ** 2, n_trials=12)
        return [trial.params for trial in study.trials]

    assert run(quick(seed=7)) == run(quick(seed=7)) != run(quick(seed=8))
    reseeded = quick(seed=7)
    reseeded.reseed_rng()
    assert run(reseeded) != run(quick(seed=7))
    assert run(quick(seed=None)) != run(quick(seed=None))
    assert run(pickle.loads(pickle.dumps(quick(seed=7)))) == run(quick(seed=7))


def test_conditional_parameters_are_sampled_independently_and_the_others_together() -> None:
    spaces: list[set[str]] = []

    class Watched(SpargoSampler):
        def sample_relative(self, study: Any, trial: Any, search_space: Any) -> Any:
            spaces.append(set(search_space))
            return super().sample_relative(study, trial, search_space)

    def objective(trial: Any) -> float:
        x = trial.suggest_float("x", 0, 1)
        if trial.number % 2:
            return float(x + trial.suggest_float("odd", 0, 1))
        # A range that changes.
        return float(x + trial.suggest_int("even", 0, 1 + trial.number))

    study = optuna.create_study(sampler=Watched(seed=1, n_startup_trials=4, **QUICK))
    study.optimize(objective, n_trials=14)
    assert spaces[0] == set() and spaces[1] == {"x", "even"} and all(space == {"x"} for space in spaces[2:])
    assert all(trial.state == TrialState.COMPLETE for trial in study.trials)


def branches(trial: Any) -> float:
    if trial.suggest_categorical("kind", ["a", "b"]) == "a":
        return float((trial.suggest_float("x_a", -5, 5) - 1) ** 2)
    return float((trial.suggest_float("y_b", -5, 5) + 2) ** 2 + 0.1)


def layers(trial: Any) -> float:
    """A choice of a number of inputs, one of which has a choice of its own."""
    count = trial.suggest_int("count", 1, 3)
    error = sum((trial.suggest_float(f"x{k}", 0, 1) - 0.3) ** 2 for k in range(count))
    if count == 3 and trial.suggest_categorical("last", [True, None]):
        error += (trial.suggest_int("step", 0, 20, step=5) - 15) ** 2 / 100 - 0.5
    return float(error)


class Recorded(SpargoSampler):
    """What is sampled together, and what is not."""

    alone: list[tuple[int, str]]
    together: list[tuple[int, dict[str, Any]]]

    def sample_relative(self, study: Any, trial: Any, search_space: Any) -> Any:
        values = super().sample_relative(study, trial, search_space)
        self.__dict__.setdefault("together", []).append((trial.number, values))
        return values

    def sample_independent(self, study: Any, trial: Any, name: str, distribution: Any) -> Any:
        self.__dict__.setdefault("alone", []).append((trial.number, name))
        return super().sample_independent(study, trial, name, distribution)


@pytest.mark.parametrize("objective", [branches, layers])
def test_parameters_that_depend_on_a_choice_are_sampled_with_it(objective: Callable[[Any], float]) -> None:
    sampler = Recorded(seed=1, n_startup_trials=6, **QUICK)
    study = optuna.create_study(sampler=sampler)
    study.optimize(objective, n_trials=40)
    # Each parameter alone at first, until it is known when there is one.
    assert max(number for number, _ in sampler.alone) < 20
    for number, values in sampler.together[20:]:
        assert values == study.trials[number].params
    # Below 0 is only the branch of a branch.
    assert study.best_value < (0.01 if objective is branches else 0)


def test_a_range_or_a_choice_of_earlier_trials_that_depends_on_nothing_known_is_sampled_independently() -> None:
    sampler = Recorded(seed=1, n_startup_trials=4, **QUICK)

    def objective(trial: Any) -> float:
        x = trial.suggest_float("x", 0, 1)
        kind = trial.suggest_categorical("kind", ["a", "b"])
        # What depends on a number that is no choice.
        return float(x + (trial.suggest_float("deep", 0, 1) if x > 0.5 else 0.0) + (kind == "a"))

    study = optuna.create_study(direction="maximize", sampler=sampler)
    study.optimize(objective, n_trials=16)
    assert {name for number, name in sampler.alone if number > 8} <= {"deep"}
    assert all({"x", "kind"} <= set(values) for _, values in sampler.together[1:])
    assert all(trial.state == TrialState.COMPLETE for trial in study.trials)


def test_conditional_parameters_may_be_fixed_fail_and_be_shared_by_workers(tmp_path: Path) -> None:
    def objective(trial: Any) -> float:
        value = branches(trial)
        if trial.number % 6 == 5:
            raise optuna.TrialPruned
        return value

    study = optuna.create_study(storage=f"sqlite:///{tmp_path}/lab.db", sampler=quick())
    study.optimize(objective, n_trials=10)
    study.enqueue_trial({"kind": "b", "y_b": -2.0})
    study.enqueue_trial({"kind": "a"})
    study.optimize(objective, n_trials=4)
    assert study.trials[10].params == {"kind": "b", "y_b": -2.0} and study.trials[11].params["kind"] == "a"
    study.optimize(objective, n_trials=12, n_jobs=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fixed = optuna.samplers.PartialFixedSampler({"kind": "b"}, study.sampler)
    other = optuna.load_study(study_name=study.study_name, storage=study._storage, sampler=fixed)
    other.optimize(objective, n_trials=4)
    assert all(set(trial.params) == {"kind", "y_b"} for trial in other.trials[26:])
    assert len(study.trials) == 30


def test_failed_pruned_and_unusual_trials_do_no_harm() -> None:
    def objective(trial: Any) -> float:
        x = trial.suggest_float("x", -1, 1)
        if trial.number % 5 == 1:
            raise ValueError
        if trial.number % 5 == 2:
            trial.report(x, 0)
            raise optuna.TrialPruned
        return float([x * x, 0, 0, "inf", "nan"][trial.number % 5])

    study = optuna.create_study(sampler=quick())
    study.enqueue_trial({"x": 0.5})
    study.add_trial(optuna.trial.create_trial(state=TrialState.FAIL))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        study.optimize(objective, n_trials=25, catch=(ValueError,))
        # Out of its range.
        study.enqueue_trial({"x": 7.0})
        study.optimize(lambda trial: float(trial.suggest_float("x", -1, 1)), n_trials=5)
    # Without anything in common.
    study.add_trial(optuna.trial.create_trial(value=1.0, params={"y": 2}, distributions={"y": IntDistribution(1, 3)}))
    study.optimize(lambda trial: float(trial.suggest_float("x", -1, 1)), n_trials=2)
    assert len(study.trials) == 34
    assert study.trials[0].params == {"x": 0.5}


def test_failures_train_the_model() -> None:
    """Trials that fail in half of the space are asked for less and less often there."""

    def objective(trial: Any) -> float:
        x = trial.suggest_float("x", 0, 1)
        if x > 0.5:
            raise optuna.TrialPruned
        return float(x)

    study = optuna.create_study(direction="maximize", sampler=quick(n_startup_trials=10))
    study.optimize(objective, n_trials=50)
    assert sum(trial.state == TrialState.PRUNED for trial in study.trials[30:]) < 15
    assert study.best_value > 0.45


def test_several_objectives_and_constraints() -> None:
    def objective(trial: Any) -> tuple[float, float]:
        x, y = trial.suggest_float("x", 0, 1), trial.suggest_float("y", 0, 1)
        trial.set_user_attr("c", 0.5 - x)
        return x, (1 - x) ** 2 + y

    late: list[Any] = []
    for seed in range(1, 5):  # Of one seed, between 7 and 14 of 16 are feasible, with a model per trial as well.
        sampler = quick(constraints_func=lambda trial: (trial.user_attrs["c"], -1.0), n_startup_trials=8, seed=seed)
        study = optuna.create_study(directions=["minimize", "minimize"], sampler=sampler)
        study.optimize(objective, n_trials=36)
        assert study.trials[3].system_attrs["constraints"][1] == -1.0
        assert all(trial.params["x"] >= 0.5 for trial in study.best_trials)
        assert min(trial.params["y"] for trial in study.trials[20:]) < 0.05
        late += study.trials[20:]
    assert sum(trial.params["x"] >= 0.5 for trial in late) > 0.6 * len(late)
    with pytest.raises(ValueError, match="NaN"):
        bad = optuna.create_study(sampler=quick(constraints_func=lambda trial: (float("nan"),)))
        bad.optimize(lambda trial: float(trial.suggest_float("x", 0, 1)), n_trials=1)


def test_constraints_that_trials_set() -> None:
    if not hasattr(optuna.Trial, "set_constraint"):
        pytest.skip("this Optuna has only constraints_func")

    def objective(trial: Any) -> float:
        x = trial.suggest_float("x", 0, 1)
        trial.set_constraint("low", x - 0.4)
        return float(x)

    study = optuna.create_study(direction="maximize", sampler=quick())
    study.optimize(objective, n_trials=25)
    assert 0.35 < study.best_value <= 0.4


def test_models_are_refitted_periodically(monkeypatch: pytest.MonkeyPatch) -> None:
    asks: list[int] = []
    ask = spargo.Study.ask

    def watched(self: spargo.Study, count: int | None = None, *, refit_every: int = 1) -> Any:
        asks.append(refit_every)
        return ask(self, count, refit_every=refit_every)

    monkeypatch.setattr(spargo.Study, "ask", watched)
    for refit_every, expected in ((5, [5] * 29), (None, [1] * 19 + [2] * 10)):
        asks.clear()
        study = optuna.create_study(sampler=quick(refit_every=refit_every))
        study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=30)
        assert asks == expected
    with pytest.raises(ValueError, match="refit_every"):
        SpargoSampler(refit_every=0)


def test_running_trials_are_pending() -> None:
    """All of a finite space, each point once, though none is finished meanwhile."""
    space = {"n": IntDistribution(1, 4), "c": CategoricalDistribution(["a", "b"])}
    study = optuna.create_study(sampler=quick(n_startup_trials=1))
    first = study.ask(space)
    study.tell(first, 1.0)
    others = [study.ask(space) for _ in range(7)]
    points = {tuple(trial.params.values()) for trial in [first, *others]}
    assert len(points) == 8
    # The space is exhausted: points may come again.
    study.ask(space)
    # Another worker's sampler takes them into account, too.
    elsewhere = optuna.create_study(sampler=quick(n_startup_trials=1))
    for trial in study.get_trials()[:7]:
        elsewhere.add_trial(trial if trial.state.is_finished() else _running(trial))
    assert tuple(elsewhere.ask(space).params.values()) == tuple(others[-1].params.values())


def _running(trial: Any) -> Any:
    return optuna.trial.create_trial(state=TrialState.RUNNING, params=trial.params, distributions=trial.distributions)


def test_threads_share_a_sampler() -> None:
    study = optuna.create_study(sampler=quick())
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1) ** 2, n_trials=24, n_jobs=3)
    assert len({trial.params["x"] for trial in study.trials}) == 24


WORKER = """
import sys, optuna
from spargo import AcquisitionOptions, SamplingOptions
from spargo.optuna import SpargoSampler
from optuna.storages.journal import JournalFileBackend
optuna.logging.set_verbosity(optuna.logging.ERROR)
kind, path, seed = sys.argv[1], sys.argv[2], int(sys.argv[3])
if kind == "sqlite":
    storage = optuna.storages.RDBStorage("sqlite:///" + path, engine_kwargs={"connect_args": {"timeout": 60}})
else:
    storage = optuna.storages.JournalStorage(JournalFileBackend(path))
sampler = SpargoSampler(seed=seed, n_startup_trials=4, acquisition=AcquisitionOptions(pool=200, near=50), sampling=SamplingOptions(features=64))
study = optuna.load_study(study_name="shared", storage=storage, sampler=sampler)
study.optimize(lambda trial: (trial.suggest_float("x", -1, 1) - 0.3) ** 2 + trial.suggest_int("n", 0, 3), n_trials=int(sys.argv[4]))
"""


@pytest.mark.parametrize(("kind", "each"), [("sqlite", 3), ("journal", 6)])
def test_four_workers_share_a_storage(kind: str, each: int, tmp_path: Path) -> None:
    from optuna.storages.journal import JournalFileBackend

    path, script = str(tmp_path / "store"), tmp_path / "worker.py"
    script.write_text(WORKER)
    if kind == "sqlite":
        storage = optuna.storages.RDBStorage(f"sqlite:///{path}")
    else:
        storage = optuna.storages.JournalStorage(JournalFileBackend(path))
    study = optuna.create_study(study_name="shared", storage=storage)
    command = [sys.executable, str(script), kind, path]
    workers = [subprocess.Popen([*command, str(seed), str(each)], stderr=subprocess.PIPE, text=True) for seed in range(4)]
    for worker in workers:
        _, errors = worker.communicate(timeout=120)
        assert worker.returncode == 0, errors
    assert [trial.state for trial in study.trials] == [TrialState.COMPLETE] * 4 * each
    # Two that ask at the same instant do not see each other, and may both choose the same corner.
    assert len({tuple(trial.params.values()) for trial in study.trials}) > 3 * each


@pytest.mark.parametrize("storage", [None, "sqlite"])
def test_studies_can_share_a_sampler(storage: str | None, tmp_path: Path) -> None:
    sampler, url = quick(), storage and f"sqlite:///{tmp_path}/lab.db"
    for best in (0.2, 0.8):
        study = optuna.create_study(sampler=sampler, storage=url)
        study.optimize(lambda trial: (trial.suggest_float("x", 0, 1) - best) ** 2, n_trials=20)
        assert sampler._mirror is not None and len(sampler._mirror._study) == 20
        assert abs(study.best_params["x"] - best) < 0.05


def test_trials_with_some_values_fixed_leave_nothing_pending() -> None:
    study = optuna.create_study(sampler=quick())

    def objective(trial: Any) -> float:
        return trial.suggest_float("x", 0, 1) + trial.suggest_float("z", 0, 1)  # type: ignore[no-any-return]

    study.optimize(objective, n_trials=4)
    for k in range(12):
        study.enqueue_trial({"x": k / 12})
    study.optimize(objective, n_trials=14)
    study.ask(dict.fromkeys(("x", "z"), FloatDistribution(0, 1)))
    assert [trial.params["x"] for trial in study.trials[4:16]] == [k / 12 for k in range(12)]
    assert study.sampler._mirror is not None
    mirror = study.sampler._mirror._study
    assert len(mirror) - len(mirror.pending) == 18 and len(mirror.pending) <= 2
