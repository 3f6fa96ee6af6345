"""Between users' values and the library's: parameters by name and points, outcomes in any form and numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from .outcomes import Failed, read_noise, read_value
from .space import label_of
from .tables import Table
from .trial import Trial

if TYPE_CHECKING:
    from ._spargo import EncodedOutcome, EncodedRecord


@dataclass(frozen=True)
class Codec:
    """Names of a study's inputs and outputs; `labels` has values of choices that are no JSON values, by input and
    label.
    """

    inputs: list[str]
    outputs: list[str]
    choices: set[str]
    labels: dict[str, dict[str, Any]]

    def params(self, point: Sequence[Any]) -> dict[str, Any]:
        """A point of the library as parameters by name."""
        params = dict(zip(self.inputs, point))
        for name, values in self.labels.items():
            label = params[name]
            params[name] = values.get(label, label) if isinstance(label, str) else label
        return params

    def trial(self, record: EncodedRecord) -> Trial:
        """A trial of the library."""
        number, ask, point, values, noise, reason = record
        named = None if values is None else dict(zip(self.outputs, values))
        variances = None if noise is None else dict(zip(self.outputs, noise))
        return Trial(number, self.params(point), named, variances, reason, ask)

    def asked(self, trials: Iterable[tuple[int, list[Any]]]) -> list[Trial]:
        """New trials of the library, as numbers and points."""
        return [Trial(number, self.params(point)) for number, point in trials]

    def encode_outcomes(self, numbers: Sequence[int], values: Any, noise: Any) -> list[EncodedOutcome]:
        """Outcomes of trials as the library takes them; pending ones, if there are no values."""
        if values is None:
            return [(number, None, None, None) for number in numbers]
        given = list(_rows_of(values))
        if len(given) != len(numbers):
            raise ValueError(f"there are {len(numbers)} trials and {len(given)} values")
        single = noise is None or isinstance(noise, (int, float, np.number, Mapping))
        variances = [noise] * len(given) if single else list(_rows_of(noise))
        if len(variances) != len(given):
            raise ValueError(f"there are {len(given)} values and {len(variances)} noise variances")
        encoded: list[EncodedOutcome] = []
        for number, one, variance in zip(numbers, given, variances):
            read = read_value(one, self.outputs)
            if isinstance(read, Failed):
                encoded.append((number, None, None, read.reason))
            else:
                encoded.append((number, read, read_noise(variance, self.outputs), None))
        return encoded

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


def _rows_of(given: Any) -> Iterable[Any]:
    """One item per trial, from an array, a table, a dictionary of columns or any list."""
    if isinstance(given, np.ndarray):
        rows: Iterable[Any] = given.tolist()
        return rows
    if isinstance(given, Mapping) or hasattr(given, "columns"):
        columns = Table(given).columns
        return [dict(zip(columns, row)) for row in zip(*columns.values())]
    if not isinstance(given, Iterable) or isinstance(given, (set, frozenset)):
        raise TypeError(f"one value per trial is needed, not {given!r}")
    return given
