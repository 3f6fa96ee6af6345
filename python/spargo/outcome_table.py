"""Tables of outcomes: what the columns of a table say of each row's trial, as the command line reads them.

```text
    yield                       a number; missing (None, NA, NaT, NaN in a DataFrame), "" or "pending": still to come;
                                "failed", "n/a", inf, Failed(…): failed
    yield sd, yield variance    noise of the value, where it is known
    status                      failed: the trial failed, for what stands in the column reason
                                discarded: the row does not count      done, partial, pending, empty: the outputs decide
```
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np

from .outcomes import Failed, Measurement, Outcome, is_missing, read_measurement, read_outcome, with_noise
from .tables import Table, is_frame

_FAILED = ("nan", "na", "n/a", "failed", "fail", "error", "none", "#n/a", "#num!", "#div/0!", "#value!")
"""Words of a failure, those of spreadsheets among them."""
_DONE = ("", "done", "ok", "observed", "partial", "pending")
"""Words of the status of a row whose outputs decide."""
_NOISE = ("sd", "variance")
"""What follows an output's name in the names of the columns of its noise."""
_ALIKE = 0.75
"""Similarity from which on a column is taken for an output that was misspelt."""


class OutcomeTable:
    """Columns of a table that are about outcomes."""

    def __init__(self, given: Any, outputs: Sequence[str], inputs: Sequence[str] = ()) -> None:
        self.table = Table(given)
        self.outputs = outputs
        self._is_frame = is_frame(given)
        """Whether NaN is a missing cell."""
        self.has_outputs = any(name in self.table.columns for name in outputs)
        self._refuse_misspelt(inputs)

    def _refuse_misspelt(self, inputs: Sequence[str]) -> None:
        columns = self.table.columns
        noise = [f"{name} {kind}" for name in self.outputs for kind in _NOISE]
        known = {*inputs, *self.outputs, *noise, "trial", "status", "reason"}
        others = {name.casefold(): name for name in columns if name not in known}
        for output in self.outputs:
            alike = get_close_matches(output.casefold(), others, 1, _ALIKE) if output not in columns else []
            if alike:
                raise ValueError(f"is the column {others[alike[0]]!r} the output {output!r}? Rename it, or leave it out")

    def numbers(self) -> list[int]:
        """Numbers of the trials, from the column `trial`."""
        if "trial" not in self.table.columns:
            raise ValueError(f"the table has no column 'trial' with the trials' numbers; it has {list(self.table.columns)}")
        return [self._number(row, cell) for row, cell in enumerate(self.table.columns["trial"])]

    def _number(self, row: int, cell: Any) -> int:
        try:
            number = int(cell)
        except (TypeError, ValueError, OverflowError):
            number = -1
        if number < 0 or number != float(cell):
            remedy = "add() takes points without a number"
            raise ValueError(f"row {row}: the trial is {cell!r}; it must be the number of a trial ({remedy})")
        return number

    def outcomes(self) -> list[Outcome | None]:
        """Outcome of each row; `None` for a row that was discarded."""
        if not self.has_outputs:
            raise ValueError(f"the table has no column of an output {list(self.outputs)}; it has {list(self.table.columns)}")
        return [self._outcome(row) for row in range(len(self.table))]

    def _outcome(self, row: int) -> Outcome | None:
        status = self._word("status", row)
        if status.casefold() == "discarded":
            return None
        measurements = [self._measurement(row, name) for name in self.outputs]
        if status.casefold() in _FAILED:
            observed = [name for name, (value, _, _) in zip(self.outputs, measurements) if value is not None]
            if observed:
                raise ValueError(
                    f"row {row}: its status is {status!r}, but it has a value of {observed[0]!r}: clear the one that is wrong"
                )
            return [], self._word("reason", row) or "failed"
        if status.casefold() not in _DONE:
            raise ValueError(f"row {row}: the status {status!r} is not one of done, failed, pending, discarded")
        return measurements, None

    def _measurement(self, row: int, name: str) -> Measurement:
        variance = self._variance(row, name)
        cell = self._cell(name, row)
        if isinstance(cell, str):
            word = cell.strip()
            if word.casefold() in _FAILED:
                cell = Failed(f"no value of '{name}'")
            elif word.casefold() in ("", "pending"):
                cell = None
            else:
                cell = _number_in(word, f"row {row}: {cell!r} is no value of {name!r}")
        measurement = read_measurement(cell)
        if variance is None:
            return measurement
        if measurement[0] is None:
            raise ValueError(f"row {row}: there is noise of {name!r}, but no value")
        return measurement[0], variance, None

    def _variance(self, row: int, name: str) -> float | None:
        found = [(kind, self._cell(f"{name} {kind}", row)) for kind in _NOISE]
        given = [(kind, cell) for kind, cell in found if cell is not None and cell != ""]
        if len(given) > 1:
            raise ValueError(f"row {row}: both the sd and the variance of {name!r} are given; leave one of them empty")
        for kind, cell in given:
            what = f"row {row}: {cell!r} is no {kind} of {name!r}"
            number = _number_in(cell, what)
            if not (number > 0 and np.isfinite(number)):
                raise ValueError(f"{what}: it must be positive and finite; leave it out to learn it")
            return number * number if kind == "sd" else number
        return None

    def _word(self, column: str, row: int) -> str:
        cell = self._cell(column, row)
        return "" if cell is None else str(cell).strip()

    def _cell(self, column: str, row: int) -> Any:
        """Content of a cell; `None` if it is empty, or if there is no such column."""
        if column not in self.table.columns:
            return None
        cell = self.table.columns[column][row]
        is_empty = is_missing(cell) or (self._is_frame and isinstance(cell, (float, np.floating)) and np.isnan(cell))
        return None if is_empty else cell


def _number_in(given: Any, what: str) -> float:
    try:
        return float(given)
    except (TypeError, ValueError):
        raise ValueError(f"{what}: it must be a number") from None


def read_outcomes(count: int, values: Any, noise: Any, outputs: Sequence[str], inputs: Sequence[str]) -> list[Outcome | None]:
    """Outcomes of `count` trials, from a table or from one value per trial; `None` for rows that were discarded."""
    table = _as_table(values, outputs, inputs)
    rows: list[Any] = list(_rows(values)) if table is None else table.outcomes()
    _check_count(count, len(rows), "values")
    is_shared = noise is None or isinstance(noise, (int, float, np.number, Mapping))
    variances = [noise] * count if is_shared else list(_rows(noise))
    _check_count(count, len(variances), "noise variances")
    if table is None:
        return [read_outcome(one, variance, outputs) for one, variance in zip(rows, variances)]
    return [row and (with_noise(row[0], variance, outputs), row[1]) for row, variance in zip(rows, variances)]


def _check_count(trials: int, found: int, what: str) -> None:
    if trials != found:
        raise ValueError(f"there are {trials} trials and {found} {what}")


def _as_table(values: Any, outputs: Sequence[str], inputs: Sequence[str]) -> OutcomeTable | None:
    """Values as a table, if they are one or, for a single output, one of its columns."""
    if isinstance(values, OutcomeTable):
        return values
    if isinstance(values, Mapping) or is_frame(values):
        return OutcomeTable(values, outputs, inputs)
    if len(outputs) == 1 and (hasattr(values, "to_frame") or hasattr(values, "to_pylist")):
        return OutcomeTable(_Columns({outputs[0]: values}), outputs, inputs)
    return None


class _Columns(dict[str, Any]):
    """Columns of a DataFrame."""

    columns = property(dict.keys)


def _rows(given: Any) -> Iterable[Any]:
    if isinstance(given, np.ndarray):
        rows: Iterable[Any] = given.tolist()
        return rows
    if is_frame(given):
        columns = Table(given).columns
        return [dict(zip(columns, row)) for row in zip(*columns.values())]
    if not isinstance(given, Iterable) or isinstance(given, (str, set, frozenset)):
        raise TypeError(f"one value per trial is needed, not {given!r}")
    return given
