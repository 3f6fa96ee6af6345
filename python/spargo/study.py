"""Studies: ask for points, tell their outcomes."""

from __future__ import annotations

import functools
import json
import os
import warnings
from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import Any, overload

import numpy as np

from . import _spargo
from .codec import Codec, columns_of
from .corrections import FROM_TABLE, Given, Trials, Values
from .errors import OtherSettingsError
from .input_constraints import InputConstraint, forms_of
from .options import (
    AcquisitionOptions,
    Allocation,
    Inducing,
    Initial,
    LocalModelOptions,
    ModelOptions,
    Replicates,
    Rule,
    SamplingOptions,
    TrustRegionOptions,
    checked_settings,
    refuse_setting,
)
from .outcome_table import OutcomeTable
from .outcomes import Noise, Value
from .outputs import outputs_of
from .quality import QualityFunction, check_quality
from .runnable import Runnable
from .space import Space, SpaceLike
from .tables import is_table
from .trial import Trial

_Labels = dict[str, dict[str, Any]]


class Study(Runnable):
    """A study: ask for points, tell their outcomes.

    Parameters
    ----------
    space
        Inputs by name: `Real`, `Int`, `Choice`, or in short a tuple `(lower, upper)` (integers if both bounds are; with
        `"log"` as its third element on a logarithmic scale) or a list of choices. Or a table of candidates: a DataFrame,
        a list of dictionaries, a dictionary of arrays, `Candidates`. An input with `when={"catalyst": "Pd"}` has a value only there; elsewhere
        it is inactive, and `None`.
    objectives
        "max" or "min"; or by name: `{"yield": "max", "cost": "min"}`. "classify" is for an output that is 0 or 1, and
        `{"level": 2.0}` for one that is to be known around a level. What is known of an output's noise stands beside its goal,
        here or among the constraints: `{"yield": {"goal": "max", "noise": "none"}}`, `{"sd": 0.1}` or `{"variance": 0.01}`.
    constraints
        Bounds on outputs: `{"impurity": {"at_most": 0.05}}`, or `(lower, upper)` with `None` for no bound.
    input_constraints
        What must hold between inputs, a list of `Sum`, `Ratio`, `Nonzero` and `Exclude`: `[Sum(["water", "glycol"], equals=1)]`.
        Whatever is asked for satisfies it as it is printed; past trials that do not are learned from, but not recommended.
    name, seed
        Name of the study; random seed.
    batch, initial
        Number of points that `ask()` returns, and of the space-filling points before the first model, which the first
        `ask()` returns; by default "auto", from the number of inputs and the batch.
    inducing, inducing_max, allocation
        Number of inducing points of sparse models, or "auto" for as many as the bound on the approximation's error asks for, up
        to `inducing_max`, by default 2000; and how they are chosen: see `spargo.allocate`.
    quality
        Function of a `QualityContext` that returns one weight per observation: inducing points are chosen by weight and
        diversity, except those of constraints, which lie around their bounds. A study's file keeps the function's name, so it
        must have one (no lambda); give the function to `Study.open`, too.
    rule
        How batches are chosen: "thompson", "log-ei", "gibbon", "ehvi", "hippo", "bald" or "straddle"; by default what suits
        the outputs.
    replicates
        Whether points are asked for again: "auto" (one in twenty of the first 200 trials, which tells noise from misfit), "never"
        or "allowed".
    model, sampling, acquisition, trust_regions, local_models
        Options of the stages, as in the sections of a study file.
    storage
        File of the study, opened if it exists: the one that the command line uses, safe to share among processes. Its study must
        have these settings: `Study.open` takes it as it is, and `configure` changes it.

    Examples
    --------
    >>> import spargo
    >>> study = spargo.Study({"x": (0.0, 1.0), "metal": ["Pd", "Ni"]}, "max", seed=3, initial=8, batch=4)
    >>> for _ in range(4):
    ...     trials = study.ask()
    ...     _ = study.tell(trials, [t.params["x"] + (t.params["metal"] == "Ni") for t in trials])
    >>> study.best().params["metal"]
    'Ni'
    >>> study
    <spargo.Study 'study': x, metal; objective (max); 20 trials>
    """

    def __init__(
        self,
        space: SpaceLike,
        objectives: str | Mapping[str, Any] = "max",
        constraints: Mapping[str, Any] | None = None,
        *,
        input_constraints: Iterable[InputConstraint] | None = None,
        name: str = "study",
        seed: int = 0,
        batch: int | None = None,
        initial: Initial | None = None,
        inducing: Inducing | None = None,
        inducing_max: int | None = None,
        allocation: Allocation | None = None,
        quality: QualityFunction | None = None,
        rule: Rule | None = None,
        replicates: Replicates | None = None,
        model: ModelOptions | None = None,
        sampling: SamplingOptions | None = None,
        acquisition: AcquisitionOptions | None = None,
        trust_regions: TrustRegionOptions | None = None,
        local_models: LocalModelOptions | None = None,
        storage: str | os.PathLike[str] | None = None,
    ) -> None:
        check_quality(quality, allocation)
        settings = {
            "name": name,
            "seed": seed,
            "batch": batch,
            "initial": initial,
            "inducing": inducing,
            "inducing_max": inducing_max,
            "allocation": allocation,
            "rule": rule,
            "replicates": replicates,
            "model": model,
            "sampling": sampling,
            "acquisition": acquisition,
            "trust_regions": trust_regions,
            "local_models": local_models,
        }
        config = checked_settings(settings) | {"outputs": outputs_of(objectives, constraints)}
        path = None if storage is None else os.fspath(storage)
        text = json.dumps(config, default=refuse_setting)
        inner, labels = _begun(text, Space(space), json.dumps(forms_of(input_constraints)), path, quality)
        self._set(inner, labels, quality)

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, quality: QualityFunction | None = None) -> Study:
        """The study in a file, begun by Python or by the command line; `quality` is the function that it names."""
        return _reopened(os.fspath(path), {}, quality)

    def _set(self, inner: _spargo.Study, labels: _Labels, quality: QualityFunction | None) -> None:
        self._inner = inner
        self._quality = quality
        path = inner.path()
        # For copies: the working directory may be another one by then.
        self._absolute_path = None if path is None else os.path.abspath(path)
        if self._absolute_path is not None:
            _warn_of_network(self._absolute_path)
        self._codec = Codec.of(self._config, labels)
        self._by_hand: set[int] = set()
        """Trials that `ask` has handed out."""
        self._runs = []

    # The loop.

    def ask(
        self, count: int | None = None, *, fixed: Mapping[str, Any] | None = None, refit_every: int = 1
    ) -> list[Trial]:
        """The next points to evaluate, all new; by default the initial design, then `batch` of them or what is left.

        With `fixed` some inputs have one value each, and all points are chosen now: those that are enqueued wait. The models of the
        last ask are used again while fewer than `refit_every` outcomes are new.

        >>> import spargo
        >>> study = spargo.Study({"x": (0.0, 1.0)})
        >>> [trial.id for trial in study.ask(2)]
        [1, 2]
        >>> study = spargo.Study({"temperature": (20.0, 120.0), "metal": ["Pd", "Ni"]})
        >>> {trial.params["temperature"] for trial in study.ask(2, fixed={"temperature": 60})}
        {60.0}
        """
        trials = self._asked(self._inner.ask(_checked(count), refit_every, self._codec.encode_fixed(fixed or {})))
        self._warn(stacklevel=2)
        return trials

    def replicate(self, count: int | None = None) -> list[Trial]:
        """Trials that re-evaluate the likely winners, in proportion to their probability of being best; by default `batch`.

        For the end of a budget, if outcomes are noisy and there is an objective. With constraints the winners are the best
        feasible trials, with several objectives those on the front.

        >>> import spargo
        >>> study = spargo.Study({"x": (0.0, 1.0)}, seed=1)
        >>> _ = study.add({"x": [0.1, 0.5, 0.9], "objective": [1.0, 5.0, 1.0]})
        >>> [trial.params["x"] for trial in study.replicate(2)]
        [0.5, 0.5]
        """
        return self._asked(self._inner.replicate(_checked(count)))

    def _asked(self, trials: list[_spargo.EncodedTrial]) -> list[Trial]:
        """New trials, which are the caller's: no run takes them up by itself."""
        self._by_hand.update(number for number, _, _ in trials)
        return self._codec.asked(trials)

    @overload
    def tell(self, trials: Trials, values: Values, *, noise: Noise | Iterable[Noise] = None) -> int: ...
    @overload
    def tell(self, trials: Any) -> int: ...
    def tell(self, trials: Any, values: Values | Given = FROM_TABLE, *, noise: Noise | Iterable[Noise] = None) -> int:
        """Tells the outcomes of trials; returns how many of them are new.

        A value is a number, or one per output: a sequence, or a dictionary by name. Outputs may come one by one: those that
        are left out or `None` are told later. NaN, infinities, an exception and `Failed(reason)` are failures, of one output
        or of the trial; so is `None` in place of all outputs. `noise` are variances, where they are known.

        Values of several trials may be a DataFrame or a dictionary of columns, and `tell(table)` is enough if one of its
        columns is `trial`: `to_dataframe()`, filled in. There an empty cell (NaN, NA, `None`) is still to come, and a row
        without any outcome is passed over; `"failed"` or an infinity is a failure, as is a row whose `status` is "failed", for
        its `reason`, and an empty cell next to a `reason` or a `yield reason`. A row whose `status` is "pending" or "failed" has
        no values. Columns such as `yield sd` or `yield variance` are noise; other columns are ignored. Inputs and labels of
        candidates, if there are any, must be those of the trials. A unit may follow a name, `yield (mg)`: it is kept, and a
        table with another one is refused.

        The same outcome told again is ignored, a different one is refused: `amend` corrects it.

        >>> import spargo
        >>> study = spargo.Study({"x": (0.0, 1.0)}, {"yield": "max", "cost": "min"})
        >>> a, b = study.ask(2)
        >>> study.tell([a, b], [{"yield": 0.5}, None])
        2
        >>> [trial.status for trial in study.trials]
        ['partial', 'failed']
        >>> study.tell({"trial": [a.id], "cost": [3.0]})
        1
        """
        return self._inner.tell(*self._outcomes(trials, values, noise))

    def add(
        self,
        points: Any,
        values: Iterable[Value] | None = None,
        *,
        noise: Noise | Iterable[Noise] = None,
    ) -> list[int]:
        """Adds points that were not asked for, with their outcomes; returns the numbers of their trials.

        `points` is a DataFrame, a list of dictionaries, a dictionary of columns, or an array with one column per input.
        Without `values`, the columns of a table with the outputs' names are the outcomes, read as `tell` reads them; what has
        none is pending, and rows whose `status` is "discarded" are left out. Where candidates have the same inputs, columns with
        the names of labels, or the `row` of a `Trial`, say which one it is.

        >>> import numpy as np, spargo
        >>> study = spargo.Study({"x": (0.0, 1.0), "n": (1, 9)}, {"yield": "max"})
        >>> study.add({"x": [0.1, 0.2], "n": [3, 4], "yield": [5.0, 6.0]})
        [1, 2]
        >>> study.add(np.array([[0.3, 5]]), [7.0])
        [3]
        """
        points, units = self._without_units(points)
        rows = self._codec.encode_points(points)
        numbers = range(len(rows))
        given: Any = values
        if values is None and is_table(points):
            table = OutcomeTable(columns_of(points), self.outputs, self.inputs)
            given = table if table.has_outputs else None
        outcomes = self._codec.encode_outcomes(numbers, given, noise)
        kept = [outcome[0] for outcome in outcomes]
        rows = rows[kept] if isinstance(rows, np.ndarray) else [rows[number] for number in kept]
        candidates = self._codec.encode_candidates(points)
        first = self._inner.add(rows, outcomes, [candidates[number] for number in kept] if candidates else [], units)
        return list(range(first, first + len(outcomes)))

    def refresh(self) -> None:
        """Reads what other processes have written to the study's file; every other call does so, too."""
        self._inner.refresh()

    # Copies.

    def copy(self) -> Study:
        """An independent copy in memory, also of a study in a file."""
        return _restored(self._inner.to_bytes(), self._codec.labels, self._quality)

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        """A study in memory is copied in full; one in a file is opened again, so that there is one source of truth."""
        if self._absolute_path is None:
            return _restored, (self._inner.to_bytes(), self._codec.labels, self._quality)
        return _reopened, (self._absolute_path, self._codec.labels, self._quality)

    # The end.

    def close(self) -> None:
        """Closes the study's file; the study cannot be used any more."""
        self._inner.close()

    def __enter__(self) -> Study:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


@functools.cache
def _warn_of_network(path: str) -> None:
    """Warns, once, of a file that other machines may use at the same time."""
    if name := _spargo.network_file_system(path):
        text = f"{path} is on a network file system ({name}): use it from one machine at a time, or its trials may be lost"
        warnings.warn(text, UserWarning, stacklevel=4)


def _checked(count: int | None) -> int | None:
    if count is not None and count < 0:
        raise ValueError(f"count is {count}; it must be at least 0")
    return count


def _begun(
    config: str, space: Space, constraints: str, path: str | None, quality: QualityFunction | None
) -> tuple[_spargo.Study, _Labels]:
    """A study with these settings, new or opened, and the values of its choices that are no JSON values there."""

    def begin(space: Space) -> tuple[_spargo.Study, _Labels]:
        inner = _spargo.Study.begin(config, space.specs(), space.rows(), space.row_labels(), constraints, path, quality)
        return inner, space.labels()

    try:
        return begin(space)
    except OtherSettingsError as refused:
        # A file of an earlier version has strings in place of all choices, and keeps them.
        try:
            return begin(space.with_string_choices())
        except OtherSettingsError:
            raise refused from None


def _with(inner: _spargo.Study, labels: _Labels, quality: QualityFunction | None) -> Study:
    study = Study.__new__(Study)
    study._set(inner, labels, quality)
    return study


def _restored(bytes: bytes, labels: _Labels, quality: QualityFunction | None) -> Study:
    return _with(_spargo.Study.from_bytes(bytes, quality), labels, quality)


def _reopened(path: str, labels: _Labels, quality: QualityFunction | None) -> Study:
    return _with(_spargo.Study.open(path, quality), labels, quality)
