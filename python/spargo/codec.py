"""Between users' values and the library's: parameters by name and points, outcomes in any form and numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .outcome_table import read_outcomes
from .outcomes import PENDING
from .space import label_of
from .tables import Table
from .trial import Trial

if TYPE_CHECKING:
    from ._spargo import EncodedOutcome, EncodedRecord, EncodedTrial


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

    def params(self, point: Sequence[Any]) -> dict[str, Any]:
        """A point of the library as parameters by name."""
        params = dict(zip(self.inputs, point))
        for name in self.integers:
            params[name] = int(params[name])
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
            if not self.choices:
                return np.ascontiguousarray(given, dtype=np.float64)
            return [self._labelled(row) for row in given.tolist()]
        if isinstance(given, Sequence) and all(isinstance(row, (list, tuple)) for row in given):
            return [self._labelled(row) for row in given]
        rows = Table(columns_of(given)).points(self.inputs)
        return rows if isinstance(rows, np.ndarray) else [self._labelled(row) for row in rows]

    def _labelled(self, row: Sequence[Any]) -> list[Any]:
        if not self.choices or len(row) != len(self.inputs):
            return list(row)
        return [self._label(name, one) if name in self.choices else one for name, one in zip(self.inputs, row)]

    def _label(self, name: str, value: Any) -> Any:
        for label, known in self.labels.get(name, {}).items():
            if known is value or known == value:
                return label
        return label_of(value)


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
