"""What a study is and knows: settings, trials, models, predictions, reports."""

from __future__ import annotations

import functools
import os
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from . import _spargo
from .changes import COLUMNS, Change, named
from .codec import Codec
from .errors import OutcomeWarning
from .input_constraints import InputConstraint, constraint_of
from .outputs import goal_in_words
from .posterior import Posterior, Prediction
from .space import Choice, Dimension, Int, Ordinal, Real, Values
from .trial import Anywhere, Best, Fronts, ParetoPoint, Trial

if TYPE_CHECKING:
    import pandas

Array = npt.NDArray[np.float64]


class IntervalPrediction(NamedTuple):
    """Means of an output without noise, and the bounds of central 95 % intervals."""

    mean: Array
    lower: Array
    upper: Array


class LeaveOneOut(NamedTuple):
    """Outcomes, and for each the mean and the bounds of the central 95 % interval (noise included) without that outcome."""

    observed: Array
    mean: Array
    lower: Array
    upper: Array


class Insight:
    """Questions about a study that change nothing."""

    _inner: _spargo.Study
    _codec: Codec
    _known_config: tuple[int, dict[str, Any]] | None = None
    """Settings as of the last question about them, with their number."""

    @functools.cached_property
    def _warned(self) -> set[str]:
        """Warnings that were given."""
        return set()

    # What it is.

    @property
    def config(self) -> dict[str, Any]:
        """All settings, as study files have them."""
        return self._inner.config()

    @property
    def _config(self) -> dict[str, Any]:
        """The settings as of the last call, not to be changed."""
        number = self._inner.configurations()
        if self._known_config is None or self._known_config[0] != number:
            self._known_config = number, self._inner.config()
        return self._known_config[1]

    @property
    def name(self) -> str:
        """Name of the study."""
        return str(self._config["name"])

    @property
    def space(self) -> dict[str, Dimension]:
        """Inputs by name; for a table of candidates, their ranges.

        >>> import spargo
        >>> spargo.Study({"rate": (1e-3, 1.0, "log"), "metal": ["Pd", "Ni"]}).space["rate"]
        Real(lower=0.001, upper=1.0, log=True)
        """
        return {given["name"]: self._dimension(given) for given in self._config["space"]["inputs"]}

    def _dimension(self, given: Mapping[str, Any]) -> Dimension:
        when = self._when(given)
        kind = "ordinal" if "ordinal" in given else "choice"
        if kind in given:
            values = self._codec.labels.get(given["name"], {})
            choices = [values.get(label, label) if isinstance(label, str) else label for label in given[kind]]
            if kind == "ordinal":
                return Ordinal(choices, when=when)
            return Choice(choices, given["descriptors"]["rows"] if "descriptors" in given else None, when=when)
        log = bool(given.get("log"))
        if "values" in given:
            return Values(given["values"], log, given.get("unit"), when=when)
        lower, upper = given["int" if "int" in given else "real"]
        if "int" in given:
            return Int(lower, upper, log, given.get("unit"), when=when)
        return Real(lower, upper, log, given.get("step"), given.get("digits"), given.get("unit"), when=when)

    def _when(self, given: Mapping[str, Any]) -> dict[str, Any] | None:
        """Condition of an input, with values as trials have them."""
        if "when" not in given:
            return None
        known = {name: self._codec.labels.get(name, {}) for name in given["when"]}

        def meant(name: str, label: Any) -> Any:
            return known[name].get(label, label) if isinstance(label, str) else label

        return {
            name: [meant(name, one) for one in values] if isinstance(values, list) else meant(name, values)
            for name, values in given["when"].items()
        }

    @property
    def input_constraints(self) -> list[InputConstraint]:
        """Constraints among inputs.

        >>> import spargo
        >>> spargo.Study({"a": (0.0, 1.0), "b": (0.0, 1.0)}, input_constraints=[spargo.Sum(["a", "b"], at_most=1)]).input_constraints
        [Sum(inputs=['a', 'b'], at_most=1.0)]
        """
        return [constraint_of(form) for form in self._config["space"].get("input-constraints", [])]

    @property
    def inputs(self) -> list[str]:
        """Names of the inputs."""
        return list(self._codec.inputs)

    @property
    def outputs(self) -> list[str]:
        """Names of the outputs, objectives first."""
        return list(self._codec.outputs)

    @property
    def directions(self) -> dict[str, str]:
        """Goals of the objectives by name: "max" or "min"."""
        goals = {output["name"]: output["goal"] for output in self._config["outputs"]}
        return {name: goal for name, goal in goals.items() if goal in ("max", "min")}

    @property
    def batch(self) -> int:
        """Number of points that `ask()` returns after the initial design."""
        return int(self._config["batch"])

    @property
    def storage(self) -> str | None:
        """File of the study, if it has one."""
        path = self._inner.path()
        return None if path is None else os.fspath(path)

    @property
    def size(self) -> int | None:
        """Number of points of the space; `None` if it is infinite."""
        return self._inner.size()

    def __repr__(self) -> str:
        goals = {output["name"]: output["goal"] for output in self._config["outputs"]}
        outputs = ", ".join(f"{name} ({goal_in_words(goal)})" for name, goal in goals.items())
        inputs = ", ".join(self.inputs[:8]) + (", …" if len(self.inputs) > 8 else "")
        place = f" in {self.storage}" if self.storage else ""
        return f"<spargo.Study '{self.name}'{place}: {inputs}; {outputs}; {self._counts_in_words()}>"

    def _counts_in_words(self) -> str:
        if self._inner.closed():
            return "closed"
        counts = self._inner.counts()
        parts = [f"{counts[what]} {what}" for what in ("pending", "failed", "discarded") if counts[what]]
        return f"{counts['trials']} trials" + (f" ({', '.join(parts)})" if parts else "")

    def warnings(self) -> list[str]:
        """What is to be known about extreme outcomes, which models do not see as they were told, and about outputs without any.

        >>> import spargo
        >>> study = spargo.Study({"x": (0.0, 1.0)}, "max")
        >>> _ = study.add({"x": [i / 20 for i in range(20)], "objective": [*range(19), -1e6]})
        >>> study.warnings()[0][:58]
        'the outcome of trial 20, objective = -1e6, is far below al'
        """
        return [text for _, text in self._inner.warnings()]

    def _warn(self, stacklevel: int) -> None:
        """Warns of everything in `warnings`, of each once."""
        for key, text in self._inner.warnings():
            if key not in self._warned:
                self._warned.add(key)
                warnings.warn(text, OutcomeWarning, stacklevel=stacklevel + 1)

    # Trials.

    @property
    def trials(self) -> list[Trial]:
        """All trials in the order of their numbers."""
        return self.trials_from(1)

    def trials_from(self, first: int) -> list[Trial]:
        """Trials from a number on."""
        return [self._codec.trial(record) for record in self._inner.records_from(first)]

    def trial(self, number: int) -> Trial:
        """Trial with a number.

        >>> import spargo
        >>> study = spargo.Study({"n": (1, 9)})
        >>> _ = study.add({"n": [4, 5]}, [1.0, 2.0])
        >>> study.trial(2).values
        {'objective': 2.0}
        """
        return self._trials([number])[0]

    def _trials(self, numbers: Sequence[int]) -> list[Trial]:
        return [self._codec.trial(record) for record in self._inner.records(numbers)] if numbers else []

    @property
    def pending(self) -> list[Trial]:
        """Trials of which something is still to come."""
        return [self._codec.trial(record) for record in self._inner.pending_records()]

    def __len__(self) -> int:
        """Number of trials that were not discarded."""
        return self._inner.counts()["trials"]

    def is_feasible(self, trial: Trial) -> bool:
        """Whether a trial has all of its outputs, and these satisfy all constraints."""
        values = [(trial.values or {}).get(name) for name in self._codec.outputs]
        known = [value for value in values if value is not None]
        return len(known) == len(values) and self._inner.is_feasible(known)

    def to_dataframe(self, *, history: bool = False) -> pandas.DataFrame:
        """All trials: numbers, inputs, labels of candidates, outputs, noise variances where one is known, status and reasons of failures.

        A trial of which nothing was observed has a `reason`; if there are several outputs, columns such as `yield reason` have
        those of each. Outputs that are pending, failed or discarded are NaN. Filled in, the table is one that `tell` takes. With `history`,
        all changes instead: see `Study.history`.
        """
        if history:
            changes: pandas.DataFrame = _pandas().DataFrame(self.history(), columns=COLUMNS)
            return changes
        trials = self.trials
        table: dict[str, Any] = {"trial": [trial.id for trial in trials]}
        table |= {name: [trial.params[name] for trial in trials] for name in self._codec.inputs}
        table |= {name: [trial.labels.get(name) for trial in trials] for name in self._codec.label_columns}
        missing = float("nan")
        table |= {name: [(trial.values or {}).get(name, missing) for trial in trials] for name in self._codec.outputs}
        for name in self._codec.outputs:
            variances = [(trial.noise or {}).get(name, missing) for trial in trials]
            if any(variance == variance for variance in variances):
                table[f"{name} variance"] = variances
        for name in self._codec.outputs if len(self._codec.outputs) > 1 else []:
            reasons = [_reason(trial, name) for trial in trials]
            if any(reasons):
                table[f"{name} reason"] = reasons
        table["status"] = [trial.status for trial in trials]
        # Next to the reason of a trial, every empty cell would have failed.
        table["reason"] = [trial.failure if trial.status == "failed" else None for trial in trials]
        frame: pandas.DataFrame = _pandas().DataFrame(table)
        return frame

    def history(self) -> list[Change]:
        """What people changed, in the order of time, as `spargo export --history` has it: corrections, one for each output that
        changed, settings, and points that were enqueued.

        Each is a dictionary: trial (`None` if it is not about one), time, by, reason, change ("amended", "discarded", "retried",
        "setting" or "enqueued"), what (an output, a setting or "point"), before, after (of settings as JSON).

        >>> import spargo
        >>> study = spargo.Study({"x": (0.0, 1.0)})
        >>> _ = study.add({"x": [0.1]}, [1.0])
        >>> _ = study.discard(1, reason="mislabelled")
        >>> [(row["change"], row["before"], row["reason"]) for row in study.history()]
        [('discarded', '1', 'mislabelled')]
        """
        return named(self._inner.history())

    # What was found.

    @overload
    def best(self, *, anywhere: Literal[False] = False) -> Best: ...

    @overload
    def best(self, *, anywhere: Literal[True]) -> Anywhere: ...

    def best(self, *, anywhere: bool = False) -> Best | Anywhere:
        """The recommended trial, and the best feasible trial by outcome.

        Where no trial is feasible, those that come closest: `feasible` of the answer says so. With `anywhere=True`, the point of the
        space where the model of all trials expects the best, evaluated or not.

        >>> import numpy as np, spargo
        >>> study = spargo.Study({"x": (0.0, 1.0)})
        >>> x = np.linspace(0, 1, 6)
        >>> _ = study.add({"x": x}, np.sin(3 * x))
        >>> found = study.best(anywhere=True)
        >>> bool(abs(found.params["x"] - np.pi / 6) < 0.05), found.trial
        (True, None)
        """
        if anywhere:
            return self._best_anywhere()
        found = self._inner.best()
        believed, observed = found["believed"], found["observed"]
        trial, best = self._trials([believed["trial"]["id"], observed["trial"]["id"]])
        return Best(trial, believed["mean"], tuple(believed["interval"]), best, found.get("feasible", True))

    def _best_anywhere(self) -> Anywhere:
        point, (row, labels), mean, interval, number, feasible = self._inner.best_anywhere()
        trial = None if number is None else self._trials([number])[0]
        return Anywhere(self._codec.params(point), mean, interval, trial, feasible, row, dict(labels))

    def fronts(self) -> Fronts:
        """Pareto fronts of the feasible trials, by posterior mean and by outcome."""
        found = self._inner.fronts()
        return Fronts(self._front(found["believed"]), self._front(found["observed"]))

    def _front(self, points: Sequence[Mapping[str, Any]]) -> list[ParetoPoint]:
        trials = self._trials([point["trial"]["id"] for point in points])
        values = (dict(zip(self._codec.outputs, point["values"])) for point in points)
        return [ParetoPoint(trial, named) for trial, named in zip(trials, values)]

    # Models.

    def predict(self, points: Any, output: str | int | None = None) -> Prediction:
        """Means and variances of an output without noise (of a class: the probability P of yes, and P(1 - P))."""
        return Prediction(*self._inner.predict(self._output(output), self._codec.encode_points(points)))

    def predict_interval(self, points: Any, output: str | int | None = None) -> IntervalPrediction:
        """Means of an output without noise (of a class: the probability of yes), and bounds of central 95 % intervals."""
        return IntervalPrediction(*self._inner.predict_interval(self._output(output), self._codec.encode_points(points)))

    def posterior(self, output: str | int | None = None) -> Posterior:
        """Posterior of an output given all outcomes, in the output's units.

        >>> import numpy as np, spargo
        >>> study = spargo.Study({"x": (0.0, 1.0)})
        >>> x = np.linspace(0, 1, 20)
        >>> _ = study.add({"x": x}, np.sin(5 * x))
        >>> mean, variance = study.posterior().predict({"x": [0.5]})
        >>> bool(abs(mean[0] - np.sin(2.5)) < 0.01)
        True
        """
        return Posterior(self._inner.posterior(self._output(output)), self._codec.encode_points)

    def leave_one_out(self, output: str | int | None = None) -> LeaveOneOut:
        """All outcomes of an output, and the prediction of each from all the others."""
        return LeaveOneOut(*self._inner.leave_one_out(self._output(output)))

    def hyperparameters(self, output: str | int | None = None) -> dict[str, Any]:
        """Kernel, mean and noise of an output's model, for inputs in the unit cube and standardised outcomes."""
        return self._inner.hyperparameters(self._output(output))

    def importance(self, output: str | int | None = None) -> dict[str, float]:
        """Importance of each input for an output: the input's range in length scales."""
        return dict(zip(self._codec.inputs, self._inner.importance(self._output(output))))

    def inducing_points(self, output: str | int | None = None) -> list[dict[str, Any]] | None:
        """Inducing points of an output's model; `None` if the model is exact."""
        points = self._inner.inducing_points(self._output(output))
        return None if points is None else [self._codec.params(point) for point in points]

    def _output(self, output: str | int | None) -> int:
        outputs = self._codec.outputs
        if isinstance(output, str):
            if output not in outputs:
                raise ValueError(f"there is no output {output!r}: the outputs are {outputs}")
            return outputs.index(output)
        if output is not None:
            return int(output)
        if len(outputs) > 1 and len(self.directions) != 1:
            raise ValueError(f"name the output: one of {outputs}")
        return 0

    # Reports.

    def reports(self) -> list[dict[str, Any]]:
        """Report of every ask: models, number of points, seconds of its stages."""
        return self._inner.reports(0)

    def report(self, path: str | os.PathLike[str] | None = None) -> str:
        """The study as a self-contained HTML page; written to a file if there is a path."""
        html = self._inner.html()
        if path is not None:
            FilePath(path).write_text(html, encoding="utf-8")
        return html


def _reason(trial: Trial, output: str) -> str | None:
    """Why an output could not be measured, in a word at least; `None` if it did not fail."""
    failures = trial.failures or {}
    return (failures[output] or "failed") if output in failures else None


def _pandas() -> Any:
    try:
        import pandas
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("to_dataframe() needs pandas: pip install 'spargo[pandas]'", name=error.name) from None
    return pandas
