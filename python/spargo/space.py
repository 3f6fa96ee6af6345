"""Search spaces: inputs by name, or a table of candidates."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import MISSING, dataclass, field, fields
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from .tables import Table, is_frame, is_table

if TYPE_CHECKING:
    from ._spargo import EncodedDescriptors, EncodedInput, EncodedWhen

#: Kind, bounds or labels, whether the scale is logarithmic, step, decimal places, unit, descriptors, condition.
Spec = tuple[
    str,
    Any,
    bool,
    Union[float, None],
    Union[int, None],
    Union[str, None],
    Union["EncodedDescriptors", None],
    Union["EncodedWhen", None],
]


@dataclass(frozen=True, repr=False)
class _Input:
    """What all kinds of inputs have.

    With `when` an input has a value only where others have theirs, `{"catalyst": "Pd"}`, or one of several, `{"catalyst": ["Pd", "Ni"]}`.
    Elsewhere it is inactive, and `None`.
    """

    when: Mapping[str, Any] | None = field(default=None, kw_only=True, hash=False)

    def __repr__(self) -> str:
        own = sorted(fields(self), key=lambda one: one.name == "when")
        given = [one for one in own if one.default is MISSING or getattr(self, one.name) is not one.default]
        return f"{type(self).__name__}({', '.join(f'{one.name}={getattr(self, one.name)!r}' for one in given)})"

    def _condition(self) -> EncodedWhen | None:
        if self.when is None:
            return None
        if not isinstance(self.when, Mapping):
            raise TypeError(f'when must be a dictionary such as {{"catalyst": "Pd"}}, not {self.when!r}')
        return [(str(name), [label_of(one) for one in several(values)]) for name, values in self.when.items()]


@dataclass(frozen=True, repr=False)
class Real(_Input):
    """A real number from `lower` to `upper`, with `log` on a logarithmic scale.

    With `step` only `lower` and on from there in steps of this length, with `digits` only numbers with so many decimal places:
    what is asked for can be set on an instrument as it is printed. If `upper` is no such number, the last one below it is.

    >>> Real(1e-4, 1.0, log=True)
    Real(lower=0.0001, upper=1.0, log=True)
    >>> Real(20, 120, step=0.5)
    Real(lower=20, upper=120, step=0.5)

    Headers of tables may have the `unit` after the name; a table with another one there is refused. Every kind of input may have a
    condition: `when` others have certain values. Elsewhere it is inactive, and `None` in trials.

    >>> Real(0.01, 0.2, when={"catalyst": ["Pd", "Ni"]})
    Real(lower=0.01, upper=0.2, when={'catalyst': ['Pd', 'Ni']})
    """

    lower: float
    upper: float
    log: bool = False
    step: float | None = None
    digits: int | None = None
    unit: str | None = None

    def __post_init__(self) -> None:
        if self.step is not None and self.digits is not None:
            raise ValueError("give a step or digits, not both")

    def spec(self) -> Spec:
        """What the library needs of it."""
        step = None if self.step is None else float(self.step)
        digits = None if self.digits is None else _integer(self.digits)
        return "real", (float(self.lower), float(self.upper)), bool(self.log), step, digits, self.unit, None, self._condition()


@dataclass(frozen=True, repr=False)
class Int(_Input):
    """An integer from `lower` to `upper`, both included, with `log` on a logarithmic scale."""

    lower: int
    upper: int
    log: bool = False
    unit: str | None = None

    def spec(self) -> Spec:
        """What the library needs of it."""
        ends = _integer(self.lower), _integer(self.upper)
        return "int", ends, bool(self.log), None, None, self.unit, None, self._condition()


@dataclass(frozen=True, repr=False)
class Values(_Input):
    """One of several numbers, listed in any order, with `log` seen on a logarithmic scale.

    Only these are asked for, and trials have them as they are listed here. Other numbers that were observed are learned from.

    >>> Values([5.5, 6, 7, 8])
    Values(values=[5.5, 6, 7, 8])
    """

    values: Sequence[float]
    log: bool = False
    unit: str | None = None

    def spec(self) -> Spec:
        """What the library needs of it."""
        values = [label_of(value) for value in self.values]
        return "values", values, bool(self.log), None, None, self.unit, None, self._condition()


@dataclass(frozen=True, repr=False)
class _Labelled(_Input):
    """Values that tables and drawings have as texts."""

    choices: Sequence[Any]

    def __post_init__(self) -> None:
        if self.when is not None and any(choice is None for choice in self.choices):
            raise ValueError("an input with a condition is None where it is inactive: call its choice None otherwise")

    def labels(self) -> list[str]:
        """Strings that stand for the values in drawings."""
        return [str(label_of(choice)) for choice in self.choices]

    def objects(self) -> dict[str, Any]:
        """Values that are not in a study's file, by the strings that are there."""
        return {str(choice): choice for choice in self.choices if not _is_json(choice)}


@dataclass(frozen=True, repr=False)
class Ordinal(_Labelled):
    """One of several values in order, each as far from the next as any other: `Ordinal(["slow", "medium", "fast"])`.

    Values may be what those of a `Choice` may be.

    >>> Ordinal(["slow", "medium", "fast"]).labels()
    ['slow', 'medium', 'fast']
    """

    def spec(self) -> Spec:
        """What the library needs of it."""
        choices = [label_of(choice) for choice in self.choices]
        return "ordinal", choices, False, None, None, None, None, self._condition()


@dataclass(frozen=True, repr=False)
class Choice(_Labelled):
    """One of several values without order: strings, numbers, booleans, None, or anything whose `str` is unique.

    Trials have the values as they are listed here. A study's file keeps strings, numbers, booleans and None as they are, of
    anything else its `str`, which is what trials have when the file is opened by `Study.open`. Values of which a table would
    have the same text, such as 1 and "1", cannot be told apart and are refused.

    >>> Choice(["Pd", "Ni"]).labels()
    ['Pd', 'Ni']

    With `descriptors`, numbers for each choice, choices are the more alike the closer these are; how much they say is learned. Give a
    two-dimensional array with a row for each choice in their order, a dictionary of lists by choice, or a DataFrame with the
    choices in its index. Columns with one number for all choices are left out, with a warning.

    >>> Choice(["Pd", "Ni", "Cu"], descriptors={"Pd": [2.2, 1.4], "Ni": [1.9, 1.2], "Cu": [1.9, 1.3]}).descriptors
    ((2.2, 1.4), (1.9, 1.2), (1.9, 1.3))
    """

    descriptors: Any = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.descriptors is not None:
            columns, rows = _described(self.choices, self.descriptors)
            object.__setattr__(self, "descriptors", rows)
            object.__setattr__(self, "_columns", columns)

    def spec(self) -> Spec:
        """What the library needs of it."""
        choices = [label_of(choice) for choice in self.choices]
        return "choice", choices, False, None, None, None, self._encoded(), self._condition()

    def _encoded(self) -> EncodedDescriptors | None:
        if self.descriptors is None:
            return None
        columns: list[str] = self._columns  # type: ignore[attr-defined]
        constant = [name for name, column in zip(columns, zip(*self.descriptors)) if len(set(column)) == 1]
        if constant and len(constant) < len(columns):
            names = ", ".join(constant[:5]) + (", …" if len(constant) > 5 else "")
            warnings.warn(f"descriptors with one number for all choices are left out: {names}", stacklevel=2)
        return columns, [list(row) for row in self.descriptors]


@dataclass(frozen=True, repr=False)
class _StringChoice(Choice):
    """A choice in the file of an earlier version, which kept the `str` of every value."""

    def objects(self) -> dict[str, Any]:
        return {str(choice): choice for choice in self.choices if not isinstance(choice, str)}

    def spec(self) -> Spec:
        return "choice", [str(choice) for choice in self.choices], False, None, None, None, None, None


@dataclass(frozen=True)
class Candidates:
    """A fixed list of points: a DataFrame (of pandas, polars or pyarrow), a list of dictionaries, a dictionary of columns, or a
    two-dimensional array, whose columns are called x0, x1, ….

    All columns are inputs, unless `inputs` names those that are, or says what they may be. Other columns are labels, such as
    an id or a supplier, and so is an index that is not just 0, 1, …. Rows with the same inputs and another id (without a
    column id: other labels) are different candidates. Trials have their `row` and `labels`, which are strings.

    Columns with strings, booleans or None are choices without order, all others are numbers.

    >>> space = Candidates({"size": [1.0, 2.0, 4.0], "metal": ["Pd", "Ni", "Pd"]})
    >>> pool = Candidates({"id": ["a", "b"], "size": [1.0, 1.0]}, inputs=["size"])
    """

    table: Any
    inputs: Mapping[str, Any] | Sequence[str] | None = None


Dimension = Union[Real, Int, Values, Ordinal, Choice]
SpaceLike = Union[Mapping[str, Any], Candidates, Sequence[Mapping[str, Any]], Any]


class Space:
    """Inputs in their order, or a table of candidates."""

    def __init__(self, given: SpaceLike) -> None:
        self.dimensions: dict[str, Dimension] = {}
        self.candidates: Table | None = None
        self.columns: list[str] = []
        if isinstance(given, Candidates):
            self._set_candidates(given.table, given.inputs)
        elif isinstance(given, Mapping) and not _is_table_of_arrays(given):
            self.dimensions = {str(name): _dimension(str(name), one) for name, one in given.items()}
        elif is_table(given):
            self._set_candidates(given, None)
        else:
            raise TypeError(f"a space must be a dictionary of inputs or a table of candidates, not {type(given).__name__}")

    def _set_candidates(self, table: Any, inputs: Mapping[str, Any] | Sequence[str] | None) -> None:
        self.candidates = Table(table)
        self.columns = list(self.candidates.columns if inputs is None else inputs)
        if isinstance(inputs, Mapping):
            self.dimensions = {str(name): _dimension(str(name), one) for name, one in inputs.items()}

    def rows(self) -> tuple[list[str], Any] | None:
        """Names and points of the candidates, if there are any."""
        return None if self.candidates is None else (self.columns, self.candidates.points(self.columns))

    def row_labels(self) -> list[tuple[str, list[str]]]:
        """Columns that travel with the candidates, with their names."""
        if self.candidates is None:
            return []
        others = [(name, column) for name, column in self.candidates.columns.items() if name not in self.columns]
        return [(name, [str(one) for one in column]) for name, column in [*self.candidates.index, *others]]

    def specs(self, past: Mapping[str, Any] | None = None) -> list[EncodedInput]:
        """Inputs as the library takes them: their names, what they are, and the values that past trials had."""
        values = {name: label_of(value) for name, value in (past or {}).items()}
        return [(name, *dimension.spec(), values.get(name)) for name, dimension in self.dimensions.items()]

    def labels(self) -> dict[str, dict[str, Any]]:
        """Values of choices that are no JSON values, by input and label."""
        objects = {name: one.objects() for name, one in self.dimensions.items() if isinstance(one, _Labelled)}
        return {name: values for name, values in objects.items() if values}

    def with_string_choices(self) -> Space:
        """The space as files of earlier versions have it: of every value of a choice its `str`. They have neither descriptors nor
        conditions.
        """
        space = copy(self)
        space.dimensions = {
            name: _StringChoice(one.choices) if isinstance(one, Choice) and one.descriptors is None and one.when is None else one
            for name, one in self.dimensions.items()
        }
        return space


def _described(choices: Sequence[Any], given: Any) -> tuple[list[str], tuple[tuple[float, ...], ...]]:
    """Names of the columns, and a row of numbers for each choice."""
    labels = [label_of(choice) for choice in choices]
    if is_frame(given) and hasattr(given, "index"):
        columns, rows = [str(name) for name in given.columns], dict(zip(map(label_of, given.index), np.asarray(given).tolist()))
        if len(rows) < len(given):
            raise ValueError("descriptors: a choice has two rows in the index of the DataFrame")
    elif isinstance(given, Mapping):
        columns, rows = [], {label_of(choice): list(row) for choice, row in given.items()}
    else:
        table = np.asarray(given)
        if table.ndim != 2 or len(table) != len(labels):
            raise ValueError(f"descriptors: an array must have a row for each of the {len(labels)} choices, not the shape {table.shape}")
        columns, rows = [], dict(zip(labels, table.tolist()))
    missing = [label for label in labels if label not in rows]
    if missing:
        raise ValueError(f"descriptors: the choice {missing[0]!r} has no row")
    width = len(columns or rows[labels[0]]) if labels else 0
    for label in labels:
        if len(rows[label]) != width:
            raise ValueError(f"descriptors: the choice {label!r} has {len(rows[label])} numbers, and others {width}")
        if not all(isinstance(one, (int, float, np.number)) for one in rows[label]):
            raise ValueError(f"descriptors: the choice {label!r} has something that is no number")
    return columns or [f"x{k}" for k in range(width)], tuple(tuple(float(one) for one in rows[label]) for label in labels)


def several(values: Any) -> Sequence[Any]:
    """Values of a condition; a single one need not be in a list."""
    return list(values) if isinstance(values, (list, tuple, set, frozenset, range, np.ndarray)) else [values]


def label_of(value: Any) -> str | int | float | bool | None:
    """What a study's file keeps of a value of a choice: a JSON value as it is, of anything else its `str`."""
    plain = value.item() if isinstance(value, np.generic) else value
    return plain if _is_json(plain) else str(plain)


def _is_json(value: Any) -> bool:
    return value is None or isinstance(value, (str, bool)) or _is_i64(value) or (isinstance(value, float) and math.isfinite(value))


def _is_i64(value: Any) -> bool:
    return isinstance(value, int) and -(2**63) <= value < 2**63


def _integer(given: Any) -> int:
    if isinstance(given, str) or int(given) != given:
        raise ValueError(f"a bound of an integer must be an integer, not {given!r}")
    return int(given)


def _dimension(name: str, given: Any) -> Dimension:
    if isinstance(given, (Real, Int, Values, Ordinal, Choice)):
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
        f"input '{name}': {given!r} is neither Real, Int, Values, Ordinal or Choice, nor a tuple (lower, upper), nor a list of choices"
    )


def _is_table_of_arrays(given: Mapping[Any, Any]) -> bool:
    """Whether all values are arrays or Series; a list is a choice."""
    return len(given) > 0 and all(hasattr(column, "__array__") for column in given.values())
