"""The loop: ask for points, tell what came of them."""

from __future__ import annotations

import json
import operator
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path as FilePath
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _spargo
from .executors import Maker
from .optimize import Function, run
from .outcomes import Failed, Noise, Value
from .outputs import outputs_of
from .posterior import Posterior, Prediction
from .settings import goal_in_words, hyphened, plain
from .space import Choice, Dimension, Int, Real, Space, SpaceLike
from .tables import Table, is_table
from .trial import Best, Fronts, Trial
from .vocabulary import Told, Vocabulary, columns_of

if TYPE_CHECKING:
    import pandas

__all__ = ["Best", "Failed", "Fronts", "Study", "Trial"]

class Study:
    """A study: ask for points, tell their outcomes.

    Parameters
    ----------
    space
        Inputs by name: `Real`, `Int`, `Choice`, or in short a tuple `(lower, upper)` (whole numbers if both ends are; with
        `"log"` as its third element on a logarithmic scale) or a list of choices. Or a table of candidates: a DataFrame,
        a list of dictionaries, a dictionary of arrays, `Candidates`.
    objectives
        "max" or "min"; or by name: `{"yield": "max", "cost": "min"}`. "classify" is for an output that is 0 or 1, and
        `{"level": 2.0}` for one that is to be known around a level.
    constraints
        Outputs that must stay within limits: `{"impurity": {"at_most": 0.05}}`, or `(lower, upper)` with `None` for no
        limit.
    name, seed, batch
        What it is called; of every random choice; how many points `ask()` returns.
    storage
        A file for the study, opened if it exists: the same that the command line uses, safe to share among processes.
    settings
        Any other setting of a study file, with underscores: `initial`, `inducing`, `allocation`, `rule`, `model`,
        `sampling`, `maximizing`, `replicates`.

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
    <spargo.Study 'study': x, metal; objective (max); 16 trials>
    """

    def __init__(
        self,
        space: SpaceLike,
        objectives: str | Mapping[str, Any] = "max",
        constraints: Mapping[str, Any] | None = None,
        *,
        name: str = "study",
        seed: int = 0,
        batch: int = 100,
        storage: str | os.PathLike[str] | None = None,
        **settings: Any,
    ) -> None:
        inputs = Space(space)
        config: dict[str, Any] = hyphened(settings)
        config |= {"name": name, "seed": seed, "batch": batch, "outputs": outputs_of(objectives, constraints)}
        candidates = None
        if inputs.candidates is not None:
            names = list(inputs.candidates.columns)
            candidates = (names, inputs.candidates.points(names))
        path = None if storage is None else os.fspath(storage)
        inner = _spargo.Study.begin(json.dumps(config, default=plain), inputs.form(), candidates, path)
        self._set(inner, inputs.meanings())

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Study:
        """The study in a file, whoever began it: Python or the command line."""
        study = cls.__new__(cls)
        study._set(_spargo.Study.open(os.fspath(path)), {})
        return study

    def _set(self, inner: _spargo.Study, meanings: dict[str, dict[str, Any]]) -> None:
        self._inner = inner
        path = inner.path()
        # For copies: the working directory may be another one by then.
        self._place = None if path is None else os.path.abspath(path)
        self._config: dict[str, Any] = json.loads(inner.config())
        self._inputs = [name for name, _ in inner.inputs()]
        self._outputs: list[str] = [output["name"] for output in self._config["outputs"]]
        choices = {name for name, kind in inner.inputs() if kind == "choice"}
        self._words = Vocabulary(self._inputs, self._outputs, choices, meanings)

    # What it is.

    @property
    def config(self) -> dict[str, Any]:
        """All settings, as study files have them."""
        config: dict[str, Any] = json.loads(self._inner.config())
        return config

    @property
    def name(self) -> str:
        """What it is called."""
        return str(self._config["name"])

    @property
    def space(self) -> dict[str, Dimension]:
        """Its inputs by name; of a table of candidates, their ranges.

        >>> Study({"rate": (1e-3, 1.0, "log"), "metal": ["Pd", "Ni"]}).space["rate"]
        Real(lower=0.001, upper=1.0, log=True)
        """
        found: dict[str, Dimension] = {}
        for given in self._config["space"]["inputs"]:
            name, log = given["name"], bool(given.get("log"))
            if "choice" in given:
                meaning = self._words.meanings.get(name, {})
                found[name] = Choice([meaning.get(word, word) for word in given["choice"]])
            elif "real" in given:
                lower, upper = given["real"]
                found[name] = Real(lower, upper, log)
            else:
                lower, upper = given["int"]
                found[name] = Int(lower, upper, log)
        return found

    @property
    def inputs(self) -> list[str]:
        """The names of its inputs."""
        return list(self._inputs)

    @property
    def outputs(self) -> list[str]:
        """The names of its outputs, objectives first."""
        return list(self._outputs)

    @property
    def directions(self) -> dict[str, str]:
        """The goals of its objectives by name: "max" or "min"."""
        goals = {output["name"]: output["goal"] for output in self._config["outputs"]}
        return {name: goal for name, goal in goals.items() if goal in ("max", "min")}

    @property
    def batch(self) -> int:
        """The number of points that `ask()` returns."""
        return int(self._config["batch"])

    @property
    def storage(self) -> str | None:
        """Its file, if it has one."""
        path = self._inner.path()
        return None if path is None else os.fspath(path)

    @property
    def size(self) -> int | None:
        """The number of points that may be asked for; `None` if there is no end to them."""
        return self._inner.size()

    # The loop.

    def ask(self, n: int | None = None, *, refit_every: int = 1) -> list[Trial]:
        """The next points to evaluate, all new; `batch` of them unless `n` says otherwise.

        With `refit_every` the last ask's models are used again while fewer outcomes than that are new.

        >>> import spargo
        >>> study = spargo.Study({"x": (0.0, 1.0)})
        >>> [trial.id for trial in study.ask(2)]
        [1, 2]
        """
        asked = self._inner.ask(self._number(n), refit_every)
        return [Trial(number, self._words.params(point)) for number, point in asked]

    def confirm(self, n: int | None = None) -> list[Trial]:
        """Trials to evaluate again, to be sure which is the best; `batch` of them unless `n` says otherwise.

        Each is a point with an outcome, as a trial of its own: those that may be the best, the likelier the more often. For
        the end of a budget, if outcomes are noisy and there is one objective.

        >>> import spargo
        >>> study = spargo.Study({"x": (0.0, 1.0)}, seed=1)
        >>> _ = study.add({"x": [0.1, 0.5, 0.9], "objective": [1.0, 5.0, 1.0]})
        >>> [trial.params["x"] for trial in study.confirm(2)]
        [0.5, 0.5]
        """
        return [Trial(number, self._words.params(point)) for number, point in self._inner.confirm(self._number(n))]

    def _number(self, n: int | None) -> int:
        if n is not None and n < 0:
            raise ValueError(f"n is {n}; it must be at least 0")
        return self.batch if n is None else n

    def tell(
        self,
        trials: Trial | int | Iterable[Trial | int],
        values: Value | Iterable[Value] | Mapping[str, Iterable[Any]],
        *,
        noise: Noise | Iterable[Noise] = None,
    ) -> int:
        """What came of trials; returns how many of these outcomes are new.

        A value is a number, or one an output: a sequence, or a dictionary by name. `None`, NaN, an exception and
        `Failed(reason)` are failures. Values of several trials may be a DataFrame or a dictionary of columns. `noise` are
        variances, where they are known.

        An outcome never changes: the same one told again is passed over, another one is refused.

        >>> import spargo
        >>> study = spargo.Study({"x": (0.0, 1.0)})
        >>> a, b = study.ask(2)
        >>> study.tell([a, b], [0.5, None])
        2
        >>> [trial.status for trial in study.trials]
        ['done', 'failed']
        """
        if isinstance(trials, (Trial, int, np.integer)):
            return self.tell([trials], [values], noise=[noise])  # type: ignore[list-item]
        numbers = [trial.id if isinstance(trial, Trial) else operator.index(trial) for trial in trials]
        return self._inner.tell(self._words.told(numbers, values, noise))

    def add(
        self,
        points: Any,
        values: Iterable[Value] | None = None,
        *,
        noise: Noise | Iterable[Noise] = None,
    ) -> list[int]:
        """Points that were not asked for, with their outcomes; returns the numbers of their trials.

        `points` is a DataFrame, a list of dictionaries, a dictionary of columns, or an array with one column an input.
        Without `values` a table's columns with the outputs' names are the outcomes; if there are none, the points are
        under way.

        >>> import numpy as np, spargo
        >>> study = spargo.Study({"x": (0.0, 1.0), "n": (1, 9)}, {"yield": "max"})
        >>> study.add({"x": [0.1, 0.2], "n": [3, 4], "yield": [5.0, 6.0]})
        [1, 2]
        >>> study.add(np.array([[0.3, 5]]), [7.0])
        [3]
        """
        rows = self._words.points(points)
        if values is None and is_table(points) and not isinstance(points, Trial):
            columns = Table(columns_of(points)).columns
            missing = [name for name in self._outputs if name not in columns]
            if 0 < len(missing) < len(self._outputs):
                raise ValueError(f"the table has no column {missing[0]!r}; it has {list(columns)}")
            if not missing:
                values = [dict(zip(self._outputs, row)) for row in zip(*(columns[name] for name in self._outputs))]
        numbers = [0] * len(rows)
        told: list[Told] = [(0, None, None, None) for _ in numbers]
        if values is not None:
            told = self._words.told(numbers, values, noise)
        first = self._inner.add(rows, told)
        return list(range(first, first + len(told)))

    def optimize(
        self,
        f: Function,
        trials: int,
        *,
        executor: Maker = None,
        mode: str = "batch",
        batch: int | None = None,
        workers: int | None = None,
        refit_every: int | None = None,
        timeout: float | None = None,
        confirm: int = 0,
        resume: bool = False,
        progress: bool | None = None,
    ) -> Study:
        """Asks, evaluates and tells, until `trials` more trials are done; returns itself.

        Exceptions, NaN, timeouts and workers that die make failed trials, with the reason; only a function that has never
        succeeded and keeps failing ends the run. After Ctrl-C everything that was evaluated is told, and trials that were
        under way are pending.

        Parameters
        ----------
        f
            Takes parameters by name, returns whatever `tell` takes for a value.
        trials
            How many trials to evaluate.
        executor
            Any executor of `concurrent.futures`: threads, processes, loky, Dask's `client.get_executor()`, `mpi4py`,
            `spargo.executors.RayExecutor`; or a function that makes one, which is called again if it breaks. Without one,
            `f` is called here.
        mode
            "batch" waits for all of a batch before it asks for the next one; "async" asks for a point as soon as a worker
            is idle.
        batch, workers
            The size of batches, if not the study's, and how many trials may be under way, if not as many as the executor
            has workers.
        refit_every
            In async mode, the number of outcomes after which models are fitted again: `batch`, unless it is said. In
            between, points come from fresh paths through the last models.
        timeout
            Seconds that an evaluation may take. It is left alone afterwards, as threads cannot be ended.
        confirm
            How many of the trials, at the end, evaluate those that may be best again: see `Study.confirm`.
        resume
            Whether trials that nothing was told of are evaluated first: those of a run that was stopped.
        progress
            Whether there is a bar; `None` for one on terminals and in notebooks.

        Examples
        --------
        >>> from concurrent.futures import ThreadPoolExecutor
        >>> import spargo
        >>> study = spargo.Study({"x": (0.0, 1.0)}, "min", seed=1, initial=8, batch=4)
        >>> with ThreadPoolExecutor(4) as executor:
        ...     study.optimize(lambda params: (params["x"] - 0.3) ** 2, 24, executor=executor, mode="async")
        <spargo.Study 'study': x; objective (min); 24 trials>
        """
        run(
            self,
            f,
            trials,
            executor=executor,
            mode=mode,
            batch=batch,
            workers=workers,
            refit_every=refit_every,
            timeout=timeout,
            confirm=confirm,
            resume=resume,
            progress=progress,
        )
        return self

    def refresh(self) -> None:
        """Reads what other processes have written to the study's file; every other call does so, too."""
        self._inner.refresh()

    # What it knows.

    @property
    def trials(self) -> list[Trial]:
        """All trials in the order of their numbers."""
        return self.trials_from(1)

    def trials_from(self, first: int) -> list[Trial]:
        """The trials from a number on."""
        return [self._trial(*record) for record in self._inner.records(first)]

    def keeps_to_limits(self, trial: Trial) -> bool:
        """Whether a trial has outcomes, and they keep to all limits."""
        limits = {one["name"]: one["goal"]["limit"] for one in self._config["outputs"] if "limit" in one["goal"]}
        values = trial.values
        return values is not None and all(
            (limit.get("at-least") is None or values[name] >= limit["at-least"])
            and (limit.get("at-most") is None or values[name] <= limit["at-most"])
            for name, limit in limits.items()
        )

    def __len__(self) -> int:
        """The number of trials."""
        return self._inner.counts()[0]

    def _observed(self) -> int:
        """The number of trials with values."""
        trials, pending, failed, _ = self._inner.counts()
        return trials - pending - failed

    @property
    def pending(self) -> list[Trial]:
        """Trials that nothing was told of."""
        return [trial for trial in self.trials if trial.status == "pending"]

    def best(self) -> Best:
        """The evaluated point that models believe to be the best, and the best outcome, of those that keep to all limits."""
        found = json.loads(self._inner.best())
        believed, observed = found["believed"], found["observed"]
        interval = (float(believed["interval"][0]), float(believed["interval"][1]))
        return Best(self._known(believed["trial"]), float(believed["mean"]), interval, self._known(observed["trial"]))

    def fronts(self) -> Fronts:
        """The evaluated points that no other one beats in every objective, among those that keep to all limits.

        The values of `believed` are posterior means, those of `observed` outcomes.
        """
        found = json.loads(self._inner.fronts())
        return Fronts(*([self._compromise(one) for one in found[of]] for of in ("believed", "observed")))

    def predict(self, points: Any, output: str | int | None = None) -> Prediction:
        """Means and variances of an output without noise (of a class: of its latent function)."""
        return self.posterior(output).predict(points)

    def posterior(self, output: str | int | None = None) -> Posterior:
        """What is known of an output given everything told so far, in its own units.

        >>> import numpy as np, spargo
        >>> study = spargo.Study({"x": (0.0, 1.0)})
        >>> x = np.linspace(0, 1, 20)
        >>> _ = study.add({"x": x}, np.sin(5 * x))
        >>> mean, variance = study.posterior().predict({"x": [0.5]})
        >>> bool(abs(mean[0] - np.sin(2.5)) < 0.01)
        True
        """
        return Posterior(self._inner.posterior(self._output(output)), self._words.points)

    def forecast(self, points: Any, output: str | int | None = None) -> tuple[npt.NDArray[np.float64], ...]:
        """Means and the lower and upper ends of central 95 % intervals of an output without noise."""
        return self._inner.forecast(self._output(output), self._words.points(points))

    def left_out(self, output: str | int | None = None) -> tuple[npt.NDArray[np.float64], ...]:
        """All outcomes of an output, and what the model of all the others says of each: means and the lower and upper ends
        of central 95 % intervals, noise included."""
        observed, mean, lower, upper = self._inner.left_out(self._output(output))
        return observed, mean, lower, upper

    def hyperparameters(self, output: str | int | None = None) -> dict[str, Any]:
        """Kernel, mean and noise of an output's model, in the model's units: inputs in the unit cube, outcomes
        standardized."""
        found: dict[str, Any] = json.loads(self._inner.hyperparameters(self._output(output)))
        return found

    def importance(self, output: str | int | None = None) -> dict[str, float]:
        """How fast an output may change with each input: the input's range in length scales."""
        return dict(zip(self._inputs, self._inner.importance(self._output(output))))

    def inducing_points(self, output: str | int | None = None) -> list[dict[str, Any]] | None:
        """The points through which a sparse model sees the data; `None` if the model is exact."""
        points = self._inner.inducing_points(self._output(output))
        return None if points is None else [self._words.params(point) for point in points]

    def reports(self) -> list[dict[str, Any]]:
        """What every ask did, and the seconds of its stages."""
        reports: list[dict[str, Any]] = json.loads(self._inner.reports())
        return reports

    def to_dataframe(self) -> pandas.DataFrame:
        """All trials: their numbers, inputs, outputs, status (done, failed or pending) and reasons of failures."""
        import pandas

        trials = self.trials
        columns: dict[str, Any] = {"trial": [trial.id for trial in trials]}
        columns |= {name: [trial.params[name] for trial in trials] for name in self._inputs}
        missing = dict.fromkeys(self._outputs, float("nan"))
        columns |= {name: [(trial.values or missing)[name] for trial in trials] for name in self._outputs}
        columns["status"] = [trial.status for trial in trials]
        columns["reason"] = [trial.failure for trial in trials]
        return pandas.DataFrame(columns)

    def report(self, path: str | os.PathLike[str] | None = None) -> str:
        """The study as one page of HTML that opens offline; written to a file if there is a path."""
        html = self._inner.html()
        if path is not None:
            FilePath(path).write_text(html, encoding="utf-8")
        return html

    # Copies.

    def copy(self) -> Study:
        """A copy in memory that goes on on its own, also of a study in a file."""
        return _restored(self._inner.to_bytes(), self._words.meanings)

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        """A study in memory is copied with all it knows; one in a file is opened again, so that there is one truth."""
        if self._place is None:
            return _restored, (self._inner.to_bytes(), self._words.meanings)
        return _reopened, (self._place, self._words.meanings)

    # The end.

    def close(self) -> None:
        """Closes its file; the study cannot be used any more."""
        self._inner.close()

    def __enter__(self) -> Study:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        goals = {output["name"]: output["goal"] for output in self._config["outputs"]}
        outputs = ", ".join(f"{name} ({goal_in_words(goal)})" for name, goal in goals.items())
        inputs = ", ".join(self._inputs[:8]) + (", …" if len(self._inputs) > 8 else "")
        place = f" in {self.storage}" if self.storage else ""
        return f"<spargo.Study '{self.name}'{place}: {inputs}; {outputs}; {self._count()}>"

    # Between users' values and the library's.

    def _count(self) -> str:
        if self._inner.closed():
            return "closed"
        trials, pending, failed, _ = self._inner.counts()
        parts = [f"{count} {what}" for count, what in ((pending, "pending"), (failed, "failed")) if count]
        return f"{trials} trials" + (f" ({', '.join(parts)})" if parts else "")

    def _output(self, output: str | int | None) -> int:
        if isinstance(output, str):
            if output not in self._outputs:
                raise ValueError(f"there is no output {output!r}: there are {self._outputs}")
            return self._outputs.index(output)
        if output is not None:
            return int(output)
        if len(self._outputs) > 1 and len(self.directions) != 1:
            raise ValueError(f"say which output: one of {self._outputs}")
        return 0

    def _trial(
        self,
        number: int,
        ask: int | None,
        point: Sequence[Any],
        values: list[float] | None,
        noise: list[float | None] | None,
        reason: str | None,
    ) -> Trial:
        named = None if values is None else dict(zip(self._outputs, values))
        variances = None if noise is None else dict(zip(self._outputs, noise))
        return Trial(number, self._words.params(point), named, variances, reason, ask)

    def _known(self, trial: Mapping[str, Any]) -> Trial:
        return self.trials_from(int(trial["id"]))[0]

    def _compromise(self, one: Mapping[str, Any]) -> Trial:
        trial = one["trial"]
        return Trial(int(trial["id"]), self._words.params(trial["point"]), dict(zip(self._outputs, one["values"])))


def _restored(bytes: bytes, meanings: dict[str, dict[str, Any]]) -> Study:
    study = Study.__new__(Study)
    study._set(_spargo.Study.from_bytes(bytes), meanings)
    return study


def _reopened(path: str, meanings: dict[str, dict[str, Any]]) -> Study:
    study = Study.__new__(Study)
    study._set(_spargo.Study.open(path), meanings)
    return study
