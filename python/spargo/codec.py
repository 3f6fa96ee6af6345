"""Between users' values and the library's: parameters by name and points, outcomes in any form and numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .outcome_table import read_outcomes
from .outcomes import PENDING, is_missing
from .space import label_of
from .tables import Table, is_table
from .trial import Trial

if TYPE_CHECKING:
    from ._spargo import EncodedCandidate, EncodedOutcome, EncodedRecord, EncodedTrial


@dataclass(frozen=True)
class Codec:
    """Names of a study's inputs and outputs; `labels` has values of choices that are no JSON values, by input and
    label.
    """

    inputs: list[str]
    outputs: list[str]
    choices: set[str]
    labels: dict[str, dict[str, Any]]
    integers: set[str] = field(default_factory=set)
    label_columns: list[str] = field(default_factory=list)
    """Names of the columns that travel with candidates."""
    conditional: set[str] = field(default_factory=set)
    """Inputs that are `None` where they are inactive."""

    @classmethod
    def of(cls, config: Mapping[str, Any], labels: dict[str, dict[str, Any]]) -> Codec:
        """Names and kinds from settings."""
        inputs = config["space"]["inputs"]
        labelled = {given["name"] for given in inputs if "choice" in given or "ordinal" in given}
        integers = {given["name"] for given in inputs if "int" in given}
        outputs = [output["name"] for output in config["outputs"]]
        columns = [label["name"] for label in config["space"].get("labels", [])]
        conditional = {given["name"] for given in inputs if "when" in given}
        return cls([given["name"] for given in inputs], outputs, labelled, labels, integers, columns, conditional)

    def params(self, point: Sequence[Any]) -> dict[str, Any]:
        """A point of the library as parameters by name."""
        params = dict(zip(self.inputs, point))
        for name in self.integers:
            params[name] = None if params[name] is None else int(params[name])
        for name, values in self.labels.items():
            label = params[name]
            params[name] = values.get(label, label) if isinstance(label, str) else label
        return params

    def trial(self, record: EncodedRecord) -> Trial:
        """A trial of the library."""
        number, ask, point, measurements, status, (row, labels) = record
        if status == "discarded":
            return Trial(number, self.params(point), ask=ask, status=status, output=self.outputs[0], row=row, labels=dict(labels))
        known = list(zip(self.outputs, measurements))
        values = {name: value for name, (value, _, _) in known if value is not None}
        noise = {name: variance for name, (_, variance, _) in known if variance is not None}
        failures = {name: reason for name, (_, _, reason) in known if reason is not None}
        outcome = (values or None, noise or None, failures or None)
        return Trial(number, self.params(point), *outcome, ask, status, self.outputs[0], row, dict(labels))

    def asked(self, trials: Iterable[EncodedTrial]) -> list[Trial]:
        """New trials of the library."""
        return [
            Trial(number, self.params(point), output=self.outputs[0], row=row, labels=dict(labels))
            for number, point, (row, labels) in trials
        ]

    def encode_outcomes(self, numbers: Sequence[int], values: Any, noise: Any) -> list[EncodedOutcome]:
        """Outcomes of trials as the library takes them, without those of rows that were discarded; pending without values."""
        if values is None:
            return [(number, [PENDING] * len(self.outputs), None) for number in numbers]
        read = read_outcomes(len(numbers), values, noise, self.outputs, self.inputs)
        return [(number, *outcome) for number, outcome in zip(numbers, read) if outcome is not None]

    def encode_points(self, given: Any) -> npt.NDArray[np.float64] | list[list[Any]]:
        """Points as the library takes them, from an array, a table, trials, or lists of values."""
        if isinstance(given, np.ndarray):
            if given.ndim != 2:
                raise ValueError(f"points must be the rows of an array with two dimensions, not {given.ndim}")
            if not self.choices and not self.conditional:
                return np.ascontiguousarray(given, dtype=np.float64)
            return [self._labelled(row) for row in given.tolist()]
        if isinstance(given, Sequence) and all(isinstance(row, (list, tuple)) for row in given):
            return [self._labelled(row) for row in given]
        table = Table(self.filled(columns_of(given)))
        missing = [name for name in self.conditional if name not in table.columns]
        table.columns |= {name: [None] * len(table) for name in missing}
        rows = table.points(self.inputs)
        if isinstance(rows, np.ndarray):
            return [self._labelled(row) for row in rows.tolist()] if self.conditional else rows
        return [self._labelled(row) for row in rows]

    def filled(self, given: Any) -> Any:
        """A list of dictionaries of which each has all inputs with a condition, `None` where it had none; all else as it is."""
        if not self.conditional or not isinstance(given, Sequence) or not all(isinstance(row, Mapping) for row in given):
            return given
        inactive = dict.fromkeys(name for name in self.inputs if name in self.conditional)
        return [{**inactive, **row} for row in given]

    def encode_queue(self, given: Any) -> tuple[list[str], Any, list[EncodedCandidate]]:
        """Names of inputs, points with these, and which candidate each is, of which a table need not have all inputs."""
        if isinstance(given, Sequence) and given and all(isinstance(one, (int, np.integer)) for one in given):
            return [], [[]] * len(given), [(_row(one), []) for one in given]
        candidates = self.encode_candidates(given)
        if not candidates or not is_table(columns_of(given)):
            return self.inputs, self.encode_points(given), candidates
        table = Table(columns_of(given))
        names = [name for name in self.inputs if name in table.columns]
        points: Any = table.points(names) if names else [[]] * len(table)
        if not isinstance(points, np.ndarray):
            points = [[self._label(name, one) for name, one in zip(names, row)] for row in points]
        return names, points, candidates

    def encode_rows(self, given: Any) -> tuple[list[str], Any, list[EncodedCandidate]]:
        """Names of the inputs that a table has, their values row by row, and the labels that it has; `None` for what is missing."""
        table = Table(columns_of(given))
        names = [name for name in self.inputs if name in table.columns]
        columns = [[self._known(name, one) for one in table.columns[name]] for name in names]
        points = [list(row) for row in zip(*columns)] if names else [[] for _ in range(len(table))]
        return names, points, self.encode_candidates(given)

    def _known(self, name: str, cell: Any) -> Any:
        if is_missing(cell) or cell != cell or cell == "":
            return None
        if isinstance(cell, str) and name not in self.choices:
            try:
                return float(cell)
            except ValueError:
                return cell
        return self._label(name, cell)

    def encode_candidates(self, given: Any) -> list[EncodedCandidate]:
        """Which candidate each point is: its row, or its labels where a table has them; nothing if neither is known."""
        if isinstance(given, Trial):
            given = [given]
        if isinstance(given, Sequence) and given and all(isinstance(one, Trial) for one in given):
            return [(trial.row, []) for trial in given]
        if not self.label_columns or not is_table(given):
            return []
        table = Table(columns_of(given))
        columns = dict(table.index) | table.columns
        texts = [_texts(columns[name]) if name in columns else [None] * len(table) for name in self.label_columns]
        return [(None, list(row)) for row in zip(*texts)]

    def _labelled(self, row: Sequence[Any]) -> list[Any]:
        if not (self.choices or self.conditional) or len(row) != len(self.inputs):
            return list(row)
        return [self._value(name, one) for name, one in zip(self.inputs, row)]

    def _value(self, name: str, one: Any) -> Any:
        if name in self.conditional and (is_missing(one) or (isinstance(one, (float, np.floating)) and np.isnan(one))):
            return None
        return self._label(name, one) if name in self.choices else one

    def encode_fixed(self, given: Mapping[str, Any]) -> list[tuple[str, Any]]:
        """Values of some inputs as the library takes them."""
        if not isinstance(given, Mapping):
            raise TypeError(f'fixed must be a dictionary such as {{"temperature": 60}}, not {given!r}')
        return [(str(name), self._label(name, one)) for name, one in given.items()]

    def _label(self, name: str, value: Any) -> Any:
        for label, known in self.labels.get(name, {}).items():
            if known is value or known == value:
                return label
        return label_of(value)


def _row(given: Any) -> int:
    if given < 0:
        raise ValueError(f"{given} is not the row of a candidate: they count from 0")
    return int(given)


def _texts(column: Iterable[Any]) -> list[str | None]:
    return [None if is_missing(one) or one != one else str(one) for one in column]


def columns_of(given: Any) -> Any:
    """Trials as their points; one point as a table of one row."""
    if isinstance(given, Trial):
        return [given.params]
    if isinstance(given, Mapping) and not any(_is_column(column) for column in given.values()):
        return [given]
    if isinstance(given, Sequence) and any(isinstance(one, Trial) for one in given):
        return [one.params if isinstance(one, Trial) else one for one in given]
    return given


def _is_column(given: Any) -> bool:
    return hasattr(given, "__array__") and np.ndim(given) == 1 or isinstance(given, (list, tuple, range))
