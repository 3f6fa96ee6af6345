"""What must hold between inputs: sums, ratios, how many are not 0, and values that do not go together.

Every point that is asked for satisfies all of them by its values as they are printed. Past trials that do not are kept and learned
from, but not recommended.

>>> import spargo
>>> fractions = {name: spargo.Real(0, 1, digits=2) for name in ("water", "glycol", "salt")}
>>> study = spargo.Study(fractions, input_constraints=[Sum(list(fractions), equals=1), Nonzero(list(fractions), at_most=2)])
>>> {round(sum(trial.params.values()), 9) for trial in study.ask(8)}
{1.0}
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, fields
from typing import Any

from .space import label_of
from .tables import Table, is_frame


@dataclass(frozen=True, repr=False)
class InputConstraint(ABC):
    """A `Sum`, `Ratio`, `Nonzero` or `Exclude`."""

    @abstractmethod
    def form(self) -> dict[str, Any]:
        """The constraint as study files have it."""

    def __repr__(self) -> str:
        own = {one.name: getattr(self, one.name) for one in fields(self)}
        given = ", ".join(f"{name}={one!r}" for name, one in own.items() if one is not None)
        return f"{type(self).__name__}({given})"


@dataclass(frozen=True, repr=False)
class Sum(InputConstraint):
    """A sum of inputs, `Sum(["water", "glycol"], equals=1)`, or of inputs times coefficients.

    >>> Sum({"water": 2, "glycol": -1}, at_most=0.5)
    Sum(inputs={'water': 2, 'glycol': -1}, at_most=0.5)
    """

    inputs: Sequence[str] | Mapping[str, float]
    _: KW_ONLY
    equals: float | None = None
    at_least: float | None = None
    at_most: float | None = None

    def form(self) -> dict[str, Any]:
        """The constraint as study files have it."""
        if isinstance(self.inputs, Mapping):
            terms: Any = {str(name): _number(self, one, f"the coefficient of {name!r}") for name, one in self.inputs.items()}
        else:
            terms = _names(self, self.inputs)
        return {"sum": terms, **_limits(self)}


@dataclass(frozen=True, repr=False)
class Ratio(InputConstraint):
    """One input over another, which cannot be negative. It says nothing where one of them is inactive.

    >>> Ratio("ligand_loading", "loading", at_least=1)
    Ratio(over='ligand_loading', under='loading', at_least=1)
    """

    over: str
    under: str
    _: KW_ONLY
    equals: float | None = None
    at_least: float | None = None
    at_most: float | None = None

    def form(self) -> dict[str, Any]:
        """The constraint as study files have it."""
        return {"ratio": _names(self, [self.over, self.under]), **_limits(self)}


@dataclass(frozen=True, repr=False)
class Nonzero(InputConstraint):
    """How many of several inputs are not 0.

    >>> Nonzero(["water", "glycol", "salt"], at_most=2)
    Nonzero(inputs=['water', 'glycol', 'salt'], at_most=2)
    """

    inputs: Sequence[str]
    _: KW_ONLY
    equals: int | None = None
    at_least: int | None = None
    at_most: int | None = None

    def form(self) -> dict[str, Any]:
        """The constraint as study files have it."""
        return {"nonzero": _names(self, self.inputs), **_limits(self)}


@dataclass(frozen=True, repr=False)
class Exclude(InputConstraint):
    """Values of some inputs that do not go together: a dictionary, or a table with one combination per row (a DataFrame, a list of
    dictionaries), whose columns are inputs.

    >>> Exclude({"catalyst": "Cu", "solvent": "DMF"})
    Exclude(values={'catalyst': 'Cu', 'solvent': 'DMF'})
    """

    values: Any

    def form(self) -> dict[str, Any]:
        """The constraint as study files have it."""
        table = [self.values] if isinstance(self.values, Mapping) and not _has_columns(self.values) else self.values
        try:
            columns = Table(table).columns
        except (TypeError, ValueError) as error:
            raise _refused(self, f"{error}; give a dictionary of one value per input, or a table with a column per input") from None
        rows = [dict(zip(columns, map(label_of, row))) for row in zip(*columns.values())]
        if not rows:
            raise _refused(self, "it excludes nothing: give a dictionary of one value per input, or a table with rows")
        return {"exclude": rows[0] if len(rows) == 1 else rows}


def forms_of(given: Iterable[InputConstraint] | None) -> list[dict[str, Any]]:
    """Constraints as study files have them.

    >>> forms_of([Sum(["a", "b"], equals=1), Nonzero(["a", "b"], at_most=1)])
    [{'sum': ['a', 'b'], 'equals': 1.0}, {'nonzero': ['a', 'b'], 'at-most': 1.0}]
    """
    if isinstance(given, InputConstraint):
        raise TypeError(f"input_constraints must be a list: write [{given!r}]")
    constraints = list(given or [])
    for one in constraints:
        if not isinstance(one, InputConstraint):
            raise TypeError(f"an input constraint is a spargo.Sum, Ratio, Nonzero or Exclude, not {one!r}")
    return [one.form() for one in constraints]


def constraint_of(form: Mapping[str, Any]) -> InputConstraint:
    """A constraint from what study files have.

    >>> constraint_of({"ratio": ["a", "b"], "at-least": 2})
    Ratio(over='a', under='b', at_least=2)
    """
    if "exclude" in form:
        return Exclude(form["exclude"])
    limits: Any = {name.replace("-", "_"): form[name] for name in ("equals", "at-least", "at-most") if name in form}
    if "sum" in form:
        return Sum(form["sum"], **limits)
    if "nonzero" in form:
        return Nonzero(form["nonzero"], **limits)
    return Ratio(*form["ratio"], **limits)


def _limits(constraint: Sum | Ratio | Nonzero) -> dict[str, float]:
    names = {"equals": constraint.equals, "at-least": constraint.at_least, "at-most": constraint.at_most}
    given = {name: one for name, one in names.items() if one is not None}
    if not given:
        raise _refused(constraint, "it has no limit: give it equals, at_least or at_most")
    if "equals" in given and len(given) > 1:
        raise _refused(constraint, "it has equals and another limit: leave out one of them")
    limits = {name: _number(constraint, one, name.replace("-", "_")) for name, one in given.items()}
    if len(limits) > 1 and limits["at-least"] > limits["at-most"]:
        raise _refused(constraint, "at_least is above at_most: swap them")
    return limits


def _number(constraint: InputConstraint, given: Any, what: str) -> float:
    try:
        number = float(given)
    except (TypeError, ValueError):
        number = math.nan
    if isinstance(given, str) or not math.isfinite(number):
        raise _refused(constraint, f"{what} is {given!r}: give a finite number")
    return number


def _names(constraint: InputConstraint, given: Any) -> list[str]:
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise _refused(constraint, f"{given!r} is no list of inputs: write [{given!r}]")
    return [str(name) for name in given]


def _has_columns(given: Mapping[Any, Any]) -> bool:
    return any(hasattr(one, "__array__") and getattr(one, "ndim", 1) == 1 or isinstance(one, (list, tuple)) for one in given.values())


def _refused(constraint: InputConstraint, problem: str) -> ValueError:
    text = f"{type(constraint).__name__}(a table)" if is_frame(getattr(constraint, "values", None)) else repr(constraint)
    return ValueError(f"the input constraint {text}: {problem}")
