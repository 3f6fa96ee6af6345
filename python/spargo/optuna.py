"""Optuna sampler.

>>> import optuna
>>> from spargo.optuna import SpargoSampler
>>> optuna.logging.set_verbosity(optuna.logging.WARNING)
>>> study = optuna.create_study(sampler=SpargoSampler(seed=1))
>>> study.optimize(lambda trial: (trial.suggest_float("x", -1, 1) - 0.3) ** 2, n_trials=30)
>>> bool(abs(study.best_params["x"] - 0.3) < 0.02)
True
"""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.samplers import BaseSampler, RandomSampler
from optuna.study import Study as OptunaStudy
from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState

from .conditional import Condition, ConditionalSearchSpace, within
from .errors import ExhaustedError, InputError
from .options import EngineSettings
from .outcomes import Failed
from .space import Choice, Dimension, Int, Real
from .study import Study

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = ["SpargoSampler"]

_CONSTRAINTS = "constraints"
"""Key of the constraints among a trial's system attributes: a list, or one number per constraint under "constraints:NAME"."""


class SpargoSampler(BaseSampler):
    """Sampler that chooses all parameters of a trial together, at the optimum of a path drawn from the model (Thompson sampling).

    Every trial has its own path, and running trials, also of other processes, are taken into account; so any number of
    workers may share a study. Parameters that only some trials have are chosen with the others, if it is a choice or an integer that
    tells which trials have them: what depends on what is inferred from completed trials. Others are left to `independent_sampler`.
    Failed and pruned trials train the failure model.

    Parameters
    ----------
    seed
        Random seed; by default a random one.
    n_startup_trials
        Number of space-filling trials before the first model.
    refit_every
        Number of finished trials after which the model is fitted again; by default a tenth of those so far, at most 100.
    constraints_func
        Function of a finished trial that returns numbers that must not be above zero. (Or use `trial.set_constraint`.)
    independent_sampler
        Sampler of other parameters, and of all in the first trial; by default `RandomSampler`.
    settings
        Other settings of `spargo.Study`: `inducing`, `allocation`, `rule`, `model` and so on.
    """

    # The study that it serves, as a storage and a number, and its state for that study.
    _serves: tuple[Any, int] | None
    _mirror: _Mirror | None
    _parameters: ConditionalSearchSpace
    _replicates: dict[str, Any]

    def __init__(
        self,
        *,
        seed: int | None = None,
        n_startup_trials: int = 10,
        refit_every: int | None = None,
        constraints_func: Callable[[FrozenTrial], Sequence[float]] | None = None,
        independent_sampler: BaseSampler | None = None,
        **settings: Unpack[EngineSettings],
    ) -> None:
        if refit_every is not None and refit_every < 1:
            raise ValueError(f"refit_every is {refit_every}; it must be at least 1")
        self._random = np.random.default_rng(seed)
        self._independent = independent_sampler or RandomSampler(seed=seed)
        self._refit_every = refit_every
        self._constraints_func = constraints_func
        self._settings: dict[str, Any] = {"initial": max(1, n_startup_trials), **settings}
        self._lock = threading.RLock()
        self._forget()

    def infer_relative_search_space(self, study: OptunaStudy, trial: FrozenTrial) -> dict[str, BaseDistribution]:
        """Parameters that all completed trials have, and those whose conditions are known."""
        with self._lock:
            self._turn_to(study)
            return self._inferred(study)[0]

    def sample_relative(
        self, study: OptunaStudy, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """Values of all parameters, chosen together."""
        with self._lock:
            self._turn_to(study)
            space, conditions = within(search_space, self._inferred(study)[1])
        if not space or set(space) <= set(trial.system_attrs.get("fixed_params", {})):
            return {}
        with self._lock:
            try:
                self._turn_to(study)
                return self._ask(study, trial, space, conditions)
            except InputError as error:
                warnings.warn(f"spargo cannot model these parameters ({error}); they are sampled independently", stacklevel=2)
                return {}

    def sample_independent(
        self, study: OptunaStudy, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution
    ) -> Any:
        """Value of a parameter, chosen independently."""
        return self._independent.sample_independent(study, trial, param_name, param_distribution)

    def before_trial(self, study: OptunaStudy, trial: FrozenTrial) -> None:
        """Calls the independent sampler's hook."""
        self._independent.before_trial(study, trial)

    def after_trial(
        self, study: OptunaStudy, trial: FrozenTrial, state: TrialState, values: Sequence[float] | None
    ) -> None:
        """Stores a trial's constraints among its system attributes."""
        if self._constraints_func is not None and state in (TrialState.COMPLETE, TrialState.PRUNED):
            numbers = tuple(float(number) for number in self._constraints_func(trial))
            if any(np.isnan(numbers)):
                raise ValueError("constraint values cannot be NaN")
            study._storage.set_trial_system_attr(trial._trial_id, _CONSTRAINTS, numbers)
        self._independent.after_trial(study, trial, state, values)

    def reseed_rng(self) -> None:
        """Draws a new random seed."""
        with self._lock:
            self._random = np.random.default_rng()
            self._mirror = None
            self._independent.reseed_rng()

    def _forget(self) -> None:
        self._serves, self._mirror = None, None
        self._parameters = ConditionalSearchSpace()
        self._replicates = {}

    def _inferred(self, study: OptunaStudy) -> tuple[dict[str, BaseDistribution], dict[str, Condition]]:
        self._parameters.update(study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,)))
        return self._parameters.calculate()

    def _turn_to(self, study: OptunaStudy) -> None:
        """Resets the state for another study: studies may share a sampler, and their numbers are unique per storage only."""
        storage, number = study._storage, study._study_id
        if self._serves is None or self._serves[0] is not storage or self._serves[1] != number:
            self._forget()
            self._serves = (storage, number)

    def _ask(
        self,
        study: OptunaStudy,
        trial: FrozenTrial,
        space: dict[str, BaseDistribution],
        conditions: dict[str, Condition],
    ) -> dict[str, Any]:
        trials = study.get_trials(deepcopy=False)
        problem = _Problem(space, conditions, list(study.directions), _constraint_names(trials))
        mirror = self._mirror
        if mirror is None or mirror.problem != problem:
            mirror = self._new_mirror(problem)
        mirror.follow(trials)
        if mirror.is_stale():
            mirror = self._new_mirror(problem)
            mirror.follow(trials)
        try:
            return mirror.ask(trial.number, self._refit_every)
        except ExhaustedError:
            # Every point of a finite space was tried: allow replicates.
            self._replicates = {"replicates": "allowed"}
            mirror = self._new_mirror(problem)
            mirror.follow(trials)
            return mirror.ask(trial.number, self._refit_every)

    def _new_mirror(self, problem: _Problem) -> _Mirror:
        seed = int(self._random.integers(2**63))
        self._mirror = _Mirror(problem, {"seed": seed, **self._settings, **self._replicates})
        return self._mirror

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        for name in ("_lock", "_mirror", "_parameters", "_serves", "_replicates"):
            del state[name]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._lock = threading.RLock()
        self._forget()


class _Problem(NamedTuple):
    """Parameters with their conditions, directions of the objectives, and names of the constraints of an Optuna study."""

    space: dict[str, BaseDistribution]
    conditions: dict[str, Condition]
    directions: list[StudyDirection]
    constraints: list[str]


class _Mirror:
    """Study of spargo with the trials of an Optuna study, over their common and conditional parameters."""

    def __init__(self, problem: _Problem, settings: dict[str, Any]) -> None:
        self.problem = problem
        # Optuna's names may be anything.
        self._codes = {f"x{i}": (name, _Code(one)) for i, (name, one) in enumerate(problem.space.items())}
        goals = {f"y{i}": "max" if one == StudyDirection.MAXIMIZE else "min" for i, one in enumerate(problem.directions)}
        limits = {f"c{i}": {"at_most": 0.0} for i in range(len(problem.constraints))}
        inputs = {ours: self._input(name, code) for ours, (name, code) in self._codes.items()}
        self._study = Study(inputs, goals, limits, **settings)
        self._asked: dict[int, tuple[int, dict[str, Any]]] = {}
        """Number of our trial and point, by the number of Optuna's pending trial."""
        self._finished: set[int] = set()
        self._abandoned = 0
        """Number of our trials that Optuna changed, as some of their values were fixed: they stay pending for ever."""
        self._first = 0
        """Number of the first trial that may be unfinished."""

    def _input(self, name: str, code: _Code) -> Dimension:
        if name not in self.problem.conditions:
            return code.dimension
        parent, values = self.problem.conditions[name]
        ours, known = next((ours, known) for ours, (theirs, known) in self._codes.items() if theirs == parent)
        return replace(code.dimension, when={ours: [known.encode(value) for value in sorted(values)]})

    def is_stale(self) -> bool:
        """Whether so many trials are pending for ever that it is better to start again."""
        return self._abandoned > len(self._finished) // 10

    def ask(self, number: int, refit_every: int | None) -> dict[str, Any]:
        """Parameters for an Optuna trial."""
        refit_every = refit_every or max(1, min(100, len(self._finished) // 10))
        (trial,) = self._study.ask(1, refit_every=refit_every)
        self._asked[number] = (trial.id, trial.params)
        known = {ours: value for ours, value in trial.params.items() if value is not None}
        return {name: code.decode(known[ours]) for ours, (name, code) in self._codes.items() if ours in known}

    def follow(self, trials: Sequence[FrozenTrial]) -> None:
        """Tells the outcomes of Optuna's trials, and adds those that are new."""
        told: list[tuple[int, Any]] = []
        points: list[dict[str, Any]] = []
        outcomes: list[Any] = []
        pending: dict[int, dict[str, Any]] = {}
        for trial in trials[self._first :]:
            if trial.number in self._finished:
                continue
            point = self._point(trial)
            if not trial.state.is_finished():
                if point is not None and trial.number not in self._asked:
                    pending[trial.number] = point
                continue
            self._finished.add(trial.number)
            ours, asked = self._asked.pop(trial.number, (0, None))
            if point is not None and point == asked:
                told.append((ours, self._outcome(trial)))
                continue
            self._abandoned += asked is not None
            if point is not None:
                points.append(point)
                outcomes.append(self._outcome(trial))
        while self._first in self._finished:
            self._first += 1
        if told:
            self._study.tell(*zip(*told))
        if points:
            self._study.add(points, outcomes)
        if pending:
            numbers = self._study.add(list(pending.values()))
            self._asked |= {theirs: (ours, pending[theirs]) for theirs, ours in zip(pending, numbers)}

    def _point(self, trial: FrozenTrial) -> dict[str, Any] | None:
        """Parameters of a trial, if it has all of them within their ranges, except those whose conditions are not satisfied."""
        point: dict[str, Any] = {}
        for ours, (name, code) in self._codes.items():
            condition = self.problem.conditions.get(name)
            if condition is not None and not condition.holds(trial):
                if name in trial.params:
                    return None
                point[ours] = None
                continue
            if name not in trial.params or trial.distributions.get(name) != code.distribution:
                return None
            internal = code.distribution.to_internal_repr(trial.params[name])
            if not code.distribution._contains(internal):
                return None
            point[ours] = code.encode(internal)
        return point

    def _outcome(self, trial: FrozenTrial) -> Any:
        if trial.state != TrialState.COMPLETE or trial.values is None:
            return Failed(trial.state.name.lower())
        constraints = _constraints(trial)
        missing = [name for name in self.problem.constraints if name not in constraints]
        if missing:
            return Failed(f"without the constraint {missing[0]!r}")
        return [*trial.values, *(constraints[name] for name in self.problem.constraints)]


class _Code:
    """A distribution as an input; values with a step become integers."""

    def __init__(self, distribution: BaseDistribution) -> None:
        self.distribution: Any = distribution
        self.dimension, self._step = _dimension(distribution)

    def encode(self, internal: float) -> Any:
        """Value of the input for an internal value of Optuna."""
        if isinstance(self.dimension, Choice):
            return self.dimension.choices[int(internal)]
        if self._step is not None:
            return int(round((internal - self.distribution.low) / self._step))
        return int(internal) if isinstance(self.dimension, Int) else float(internal)

    def decode(self, value: Any) -> Any:
        """Optuna's value for a value of the input."""
        if isinstance(self.dimension, Choice):
            return self.distribution.to_external_repr(float(self.dimension.choices.index(value)))
        low, high = self.distribution.low, self.distribution.high
        if self._step is not None:
            value = low + value * self._step
        value = min(max(value, low), high)
        return int(value) if isinstance(self.distribution, IntDistribution) else float(value)


def _dimension(given: BaseDistribution) -> tuple[Dimension, float | None]:
    """Input for a distribution, and the step of its values if they become integers."""
    if isinstance(given, CategoricalDistribution):
        return Choice([str(i) for i in range(len(given.choices))]), None
    if isinstance(given, IntDistribution) and (given.log or given.step == 1):
        return Int(given.low, given.high, log=given.log), None
    if isinstance(given, (IntDistribution, FloatDistribution)) and given.step is not None:
        return Int(0, int(round((given.high - given.low) / given.step))), given.step
    if isinstance(given, FloatDistribution):
        return Real(given.low, given.high, log=given.log), None
    raise InputError(f"the distribution {given!r} is not supported")


def _constraints(trial: FrozenTrial) -> dict[str, float]:
    attributes = trial.system_attrs
    found = {str(i): float(number) for i, number in enumerate(attributes.get(_CONSTRAINTS) or ())}
    prefix = f"{_CONSTRAINTS}:"
    return found | {key[len(prefix) :]: float(one) for key, one in attributes.items() if key.startswith(prefix)}


def _constraint_names(trials: Sequence[FrozenTrial]) -> list[str]:
    """Names of the constraints of the first completed trial that has any."""
    found = (_constraints(trial) for trial in trials if trial.state == TrialState.COMPLETE)
    return sorted(next((constraints for constraints in found if constraints), {}))
