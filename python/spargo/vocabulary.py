"""Between users' values and the library's: what inputs and outputs are called, and what the names of choices stand for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from .outcomes import Failed, read_noise, read_value
from .space import name_of
from .tables import Table
from .trial import Trial

Told = tuple[int, Union[list[float], None], Union[list[Union[float, None]], None], Union[str, None]]


@dataclass(frozen=True)
class Vocabulary:
    """The names of a study; `meanings` has the values that choices stand for, by input and name, where they are not words."""

    inputs: list[str]
    outputs: list[str]
    choices: set[str]
    meanings: dict[str, dict[str, Any]]

    def params(self, point: Sequence[Any]) -> dict[str, Any]:
        """A point of the library as its user wrote it."""
        params = dict(zip(self.inputs, point))
        for name, meaning in self.meanings.items():
            params[name] = meaning.get(params[name], params[name])
        return params

    def told(self, numbers: Sequence[int], values: Any, noise: Any) -> list[Told]:
        """Outcomes as the library takes them, in any form that people have them."""
        given = list(rows_of(values))
        if len(given) != len(numbers):
            raise ValueError(f"there are {len(numbers)} trials and {len(given)} values")
        single = noise is None or isinstance(noise, (int, float, np.number, Mapping))
        variances = [noise] * len(given) if single else list(rows_of(noise))
        if len(variances) != len(given):
            raise ValueError(f"there are {len(given)} values and {len(variances)} noise variances")
        told: list[Told] = []
        for number, one, variance in zip(numbers, given, variances):
            read = read_value(one, self.outputs)
            if isinstance(read, Failed):
                told.append((number, None, None, read.reason))
            else:
                told.append((number, read, read_noise(variance, self.outputs), None))
        return told

    def points(self, given: Any) -> npt.NDArray[np.float64] | list[list[Any]]:
        """Points as the library takes them, in any form that people have them."""
        if isinstance(given, np.ndarray):
            if given.ndim != 2:
                raise ValueError(f"points are the rows of an array with two dimensions, not {given.ndim}")
            if not self.choices:
                return np.ascontiguousarray(given, dtype=np.float64)
            return [self._named(row) for row in given.tolist()]
        if isinstance(given, Sequence) and all(isinstance(row, (list, tuple)) for row in given):
            return [self._named(row) for row in given]
        rows = Table(columns_of(given)).points(self.inputs)
        return rows if isinstance(rows, np.ndarray) else [self._named(row) for row in rows]

    def _named(self, row: Sequence[Any]) -> list[Any]:
        """Values of choices by their names."""
        if not self.choices or len(row) != len(self.inputs):
            return list(row)
        return [self._name(name, one) if name in self.choices else one for name, one in zip(self.inputs, row)]

    def _name(self, name: str, value: Any) -> str:
        for word, meaning in self.meanings.get(name, {}).items():
            if meaning is value or (type(meaning) is not bool and type(value) is not bool and meaning == value):
                return word
        return name_of(value)


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


def rows_of(given: Any) -> Iterable[Any]:
    """One thing a trial, of an array, a table, a dictionary of columns or any list."""
    if isinstance(given, np.ndarray):
        rows: Iterable[Any] = given.tolist()
        return rows
    if isinstance(given, Mapping) or hasattr(given, "columns"):
        columns = Table(given).columns
        return [dict(zip(columns, row)) for row in zip(*columns.values())]
    if not isinstance(given, Iterable) or isinstance(given, (set, frozenset)):
        raise TypeError(f"one value a trial is needed, not {given!r}")
    return given
