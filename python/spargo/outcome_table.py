"""Tables of outcomes: what the columns of a table say of each row's trial, as the command line reads them.

```text
    status                      done, ok, observed, partial or empty: the outputs decide
                                failed, error, n/a, …: the trial failed, and no output may have a number
                                pending: no outcome yet, and no output may have a number    discarded: the row does not count
    yield                       a number: observed;  missing (None, NA, NaT, NaN in a DataFrame), "" or "pending": still to come
                                "failed", "n/a", inf, Failed(…): failed
    reason                      if it is not empty, outputs whose cells are empty failed for it
    yield reason                the same of the output yield alone
    yield sd, yield variance    noise of the value, where it is known
```
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np

from ._spargo import (
    DISCARDED_WORD,
    DONE_WORDS,
    FAILED_WORDS,
    OUTPUT_COLUMN_WORDS,
    OUTPUT_COLUMNS,
    PENDING_WORD,
    RESERVED_NAMES,
)
from .outcomes import PENDING, Failed, Measurement, Outcome, is_missing, read_measurement, read_outcome, with_noise
from .tables import Table, is_frame

_NOISE = [kind for kind, what in OUTPUT_COLUMNS if what == "noise"]
"""What follows an output's name in the names of the columns of its noise."""
_ALIKE = 0.8
"""Similarity from which on a column is taken for an output that was misspelt."""


class OutcomeTable:
    """Columns of a table that are about outcomes."""

    def __init__(self, given: Any, outputs: Sequence[str], inputs: Sequence[str] = ()) -> None:
        self.table = Table(given)
        self._read_capitals()
        self.outputs = outputs
        self._is_frame = is_frame(given)
        """Whether NaN is a missing cell."""
        self.has_outputs = any(name in self.table.columns for name in outputs)
        self._refuse_misspelt(inputs)

    def _read_capitals(self) -> None:
        """Columns such as `Trial` are those of every table of trials."""
        columns = self.table.columns
        for word in RESERVED_NAMES:
            alike = [name for name in columns if name.casefold() == word]
            if word not in columns and alike:
                columns[word] = columns[alike[0]]

    def _refuse_misspelt(self, inputs: Sequence[str]) -> None:
        columns = self.table.columns
        own = [f"{name} {kind}" for name in self.outputs for kind, _ in OUTPUT_COLUMNS]
        known = {*inputs, *self.outputs, *own, *RESERVED_NAMES}
        for column in (name for name in columns if name not in known):
            for output in self.outputs:
                words = [f"{output} {kind}" for word, kind in OUTPUT_COLUMN_WORDS if _plain(column) == _plain(f"{output} {word}")]
                meant = words[0] if words else output if _is_alike(column, output) else None
                if meant is not None and meant not in columns:
                    raise ValueError(f"is the column {column!r} meant to be {meant!r}? Rename it, or leave it out")

    def numbers(self) -> list[int]:
        """Numbers of the trials, from the column `trial`."""
        if "trial" not in self.table.columns:
            raise ValueError(f"the table has no column 'trial' with the trials' numbers; it has {list(self.table.columns)}")
        numbers = [self._number(row, cell) for row, cell in enumerate(self.table.columns["trial"])]
        rows: dict[int, int] = {}
        for row, number in enumerate(numbers):
            if rows.setdefault(number, row) != row:
                raise ValueError(f"row {row}: trial {number} is in row {rows[number]} as well")
        return numbers

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
        word = self._word("status", row)
        status, reason = word.casefold(), self._word("reason", row)
        numbers = [name for name in self.outputs if _is_number(self._cell(name, row))]
        has_own = any(self._own_reason(row, name) for name in self.outputs)
        if status == DISCARDED_WORD:
            return None
        if status in (PENDING_WORD, *FAILED_WORDS) and numbers:
            raise ValueError(
                f"row {row}: its status is {word!r}, but it has a value of {numbers[0]!r}: make the status 'done', or clear the value"
            )
        if status in FAILED_WORDS and not has_own:
            return [], reason or "failed"
        if status == PENDING_WORD and not has_own:
            return [PENDING] * len(self.outputs), None
        if status not in (PENDING_WORD, *FAILED_WORDS, *DONE_WORDS):
            raise ValueError(f"row {row}: the status {word!r} is not one of done, failed, pending, discarded")
        return self._measured(row, reason or ("failed" if status in FAILED_WORDS else ""))

    def _measured(self, row: int, reason: str) -> Outcome:
        """What the cells of the outputs say."""
        measurements = [self._measurement(row, name, reason) for name in self.outputs]
        observed = [name for name, (value, _, _) in zip(self.outputs, measurements) if value is not None]
        if reason and len(observed) == len(self.outputs):
            raise ValueError(
                f"row {row}: it has a value of {observed[0]!r} and the reason {reason!r} of a failure: clear the one that is wrong"
            )
        reasons = {why for _, _, why in measurements}
        is_marked = any(_is_word(self._cell(name, row), PENDING_WORD) for name in self.outputs)
        # Nothing is to come of a row with a reason and no value, in whatever table the other outputs are.
        if reason and not observed and not is_marked and reasons <= {reason, None}:
            return [], reason
        return measurements, None

    def _measurement(self, row: int, name: str, reason: str) -> Measurement:
        variance = self._variance(row, name)
        cell = self._cell(name, row)
        if own := self._own_reason(row, name):
            if _is_number(cell) or _is_word(cell, PENDING_WORD):
                raise ValueError(
                    f"row {row}: there is the reason {own!r} of a failure, but {name!r} is {cell!r}: clear the one that is wrong"
                )
            cell = Failed(own)
        measurement = read_measurement(self._meaning(row, name, cell, reason))
        if variance is None:
            return measurement
        if measurement[0] is None:
            raise ValueError(f"row {row}: there is noise of {name!r}, but no value")
        return measurement[0], variance, None

    def _meaning(self, row: int, name: str, cell: Any, reason: str) -> Any:
        """A cell as a number or a failure; `None` if it is still to come."""
        if cell is None or _is_word(cell, ""):
            return Failed(reason) if reason and name in self.table.columns else None
        if _is_word(cell, *FAILED_WORDS) or (reason and isinstance(cell, (float, np.floating)) and np.isnan(cell)):
            return Failed(reason or f"no value of '{name}'")
        if _is_word(cell, PENDING_WORD):
            return None
        return _number_in(cell.strip(), f"row {row}: {cell!r} is no value of {name!r}") if isinstance(cell, str) else cell

    def _own_reason(self, row: int, name: str) -> str:
        return self._word(f"{name} reason", row)

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


def _plain(name: str) -> str:
    return name.casefold().replace("_", " ").replace("-", " ")


def _is_alike(a: str, b: str) -> bool:
    """Whether people may write one name for the other; other digits are on purpose."""
    a, b = _plain(a), _plain(b)
    first, second = ("".join(letter for letter in name if not letter.isdigit()).strip() for name in (a, b))
    return a == b or (first != second and bool(get_close_matches(a, [b], 1, _ALIKE)))


def _is_word(cell: Any, *words: str) -> bool:
    return isinstance(cell, str) and cell.strip().casefold() in words


def _is_number(cell: Any) -> bool:
    try:
        return not np.isnan(float(cell))
    except OverflowError:
        return True
    except (TypeError, ValueError):
        return False


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
