"""What may be evaluated: inputs by name, or a table of candidates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Union

import numpy as np

from .tables import Table, is_table

__all__ = ["Candidates", "Choice", "Dimension", "Int", "Real", "Space", "SpaceLike"]


@dataclass(frozen=True)
class Real:
    """A real number from `lower` to `upper`; with `log` its range is divided evenly in the logarithm.

    >>> Real(1e-4, 1.0, log=True)
    Real(lower=0.0001, upper=1.0, log=True)
    """

    lower: float
    upper: float
    log: bool = False

    def form(self) -> tuple[str, Any, bool]:
        """Its kind, its ends, and whether it is logarithmic."""
        return "real", (float(self.lower), float(self.upper)), bool(self.log)


@dataclass(frozen=True)
class Int:
    """A whole number from `lower` to `upper`, both included."""

    lower: int
    upper: int
    log: bool = False

    def form(self) -> tuple[str, Any, bool]:
        """Its kind, its ends, and whether it is logarithmic."""
        return "int", (_whole(self.lower), _whole(self.upper)), bool(self.log)


@dataclass(frozen=True)
class Choice:
    """One of several values without order: words, numbers, or anything with a name of its own (`str`).

    Trials have the values as they are listed here. A study's file keeps their names, which is what trials have when the
    file is opened without these settings.

    >>> Choice(["Pd", "Ni"]).names()
    ['Pd', 'Ni']
    """

    choices: Sequence[Any]

    def names(self) -> list[str]:
        """The words that stand for the values."""
        return [name_of(choice) for choice in self.choices]

    def form(self) -> tuple[str, Any, bool]:
        """Its kind and its choices; these have no logarithm."""
        return "choice", self.names(), False


@dataclass(frozen=True)
class Candidates:
    """Only these points may be evaluated: a DataFrame, a list of dictionaries, or a dictionary of columns.

    Columns with words are choices without order, all others are numbers.

    >>> space = Candidates({"size": [1.0, 2.0, 4.0], "metal": ["Pd", "Ni", "Pd"]})
    """

    table: Any


Dimension = Union[Real, Int, Choice]
SpaceLike = Union[Mapping[str, Any], Candidates, Sequence[Mapping[str, Any]], Any]


class Space:
    """Inputs in their order, and what their names in a study's file mean."""

    def __init__(self, given: SpaceLike) -> None:
        self.dimensions: dict[str, Dimension] = {}
        self.candidates: Table | None = None
        if isinstance(given, Candidates):
            self.candidates = Table(given.table)
        elif isinstance(given, Mapping) and not _is_table_of_arrays(given):
            self.dimensions = {str(name): _dimension(str(name), one) for name, one in given.items()}
        elif is_table(given):
            self.candidates = Table(given)
        else:
            raise TypeError(f"a space is a dictionary of inputs or a table of candidates, not {type(given).__name__}")

    def form(self) -> list[tuple[str, str, Any, bool]]:
        """Its inputs: name, kind, ends or choices, and whether it is logarithmic."""
        return [(name, *dimension.form()) for name, dimension in self.dimensions.items()]

    def meanings(self) -> dict[str, dict[str, Any]]:
        """By the input's name: the values that names stand for."""
        choices = {name: one.choices for name, one in self.dimensions.items() if isinstance(one, Choice)}
        if self.candidates is not None:
            columns = self.candidates.columns
            choices = {name: [False, True] for name in columns if _is_logical(columns[name])}
        return {name: {name_of(value): value for value in values} for name, values in choices.items()}


def name_of(value: Any) -> str:
    """The word that stands for a value of a choice."""
    return str(value.item() if isinstance(value, np.generic) else value)


def _whole(given: Any) -> int:
    if isinstance(given, str) or int(given) != given:
        raise ValueError(f"an end of a range of whole numbers cannot be {given!r}")
    return int(given)


def _is_logical(column: Any) -> bool:
    return len(column) > 0 and all(isinstance(value, (bool, np.bool_)) for value in column)


def _dimension(name: str, given: Any) -> Dimension:
    if isinstance(given, (Real, Int, Choice)):
        return given
    if isinstance(given, tuple) and len(given) in (2, 3):
        log = len(given) == 3
        if log and given[2] not in ("log", True):
            raise TypeError(f"input '{name}': {given!r} is not (lower, upper) or (lower, upper, 'log')")
        ends = [end.item() if isinstance(end, np.generic) else end for end in given[:2]]
        if all(isinstance(end, int) and not isinstance(end, bool) for end in ends):
            return Int(ends[0], ends[1], log)
        if all(isinstance(end, (int, float)) and not isinstance(end, bool) for end in ends):
            return Real(ends[0], ends[1], log)
    if isinstance(given, list):
        return Choice(given)
    raise TypeError(
        f"input '{name}': {given!r} is neither Real, Int or Choice, nor a tuple (lower, upper), nor a list of choices"
    )


def _is_table_of_arrays(given: Mapping[Any, Any]) -> bool:
    """A list is a choice; an array or a Series is a column."""
    return len(given) > 0 and all(hasattr(column, "__array__") for column in given.values())
