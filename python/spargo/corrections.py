"""Corrections: outcomes are amended, trials discarded or retried, and what was known before stays on record."""

from __future__ import annotations

import getpass
import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Union, overload

from .changes import Change, named
from .insight import Insight
from .outcome_table import OutcomeTable
from .outcomes import PENDING, Noise, Value
from .tables import headers_of, is_frame, is_table, renamed
from .trial import Trial, numbers_of

if TYPE_CHECKING:
    from ._spargo import EncodedOutcome, EncodedUnit

Trials = Union[Trial, int, Iterable[Union[Trial, int]]]
"""One or several trials, or their numbers."""
Values = Union[Value, Iterable[Value], Mapping[str, Iterable[Any]]]
"""What came of one or several trials."""

class Given:
    """Stands for an argument that was not given, where `None` is a failure."""

    def __repr__(self) -> str:
        return "<from the table>"


FROM_TABLE = Given()


class Corrections(Insight):
    """What people got wrong, and how it is put right."""

    @overload
    def amend(
        self,
        trials: Trials,
        values: Values,
        *,
        noise: Noise | Iterable[Noise] = None,
        reason: str,
        dry_run: bool = False,
    ) -> list[Change]: ...
    @overload
    def amend(self, trials: Any, *, reason: str, dry_run: bool = False) -> list[Change]: ...
    def amend(
        self,
        trials: Any,
        values: Values | Given = FROM_TABLE,
        *,
        noise: Noise | Iterable[Noise] = None,
        reason: str,
        dry_run: bool = False,
    ) -> list[Change]:
        """Corrects outcomes of trials, all or nothing; returns what changed, or with `dry_run` what would.

        Trials and values are those of `tell`: outputs that are not among the values stay as they are, and a failure may
        become a value and a value a failure. A trial that was discarded counts again. Models use the latest outcomes;
        `history()` has all of them, with the reason.

        >>> import spargo
        >>> study = spargo.Study({"x": (0.0, 1.0)}, {"yield": "max"})
        >>> _ = study.add({"x": [0.1, 0.2], "yield": [5.0, 99999.0]})
        >>> [change] = study.amend(2, 5.2, reason="a typo")
        >>> change["before"], change["after"], study.trial(2).values
        ('99999', '5.2', {'yield': 5.2})
        """
        outcomes, _ = self._outcomes(trials, values, noise)
        return named(self._inner.amend(outcomes, reason, author(), dry_run))

    def discard(
        self, trials: Trials | Any = None, *, pending: bool = False, reason: str, dry_run: bool = False
    ) -> list[Change]:
        """Withdraws trials, or all `pending` ones: no model sees them, and their points may be asked for again.

        `trials` are trials, their numbers, or a table with a column `trial`, whose inputs must be those of its trials.
        Returns what changed, or with `dry_run` what would. `pending=True` means trials of which nothing was observed, and
        something is still to come. `amend` and `retry` bring a trial back.

        >>> import spargo
        >>> study = spargo.Study({"x": (0.0, 1.0)})
        >>> asked = study.ask(3)
        >>> len(study.discard(pending=True, reason="the plate fell down"))
        3
        """
        _check_either(trials, pending, "pending")
        numbers = None if trials is None else self._numbers(trials)
        return named(self._inner.discard(numbers, reason, author(), dry_run))

    def retry(
        self,
        trials: Trials | Any = None,
        *,
        failed: bool = False,
        output: str | int | None = None,
        reason: str,
        dry_run: bool = False,
    ) -> list[Change]:
        """Makes trials pending again: all of their outputs, or one `output`; or, with `failed`, outputs that failed.

        `trials` are trials, their numbers, or a table with a column `trial`, whose inputs must be those of its trials.
        Returns what changed, or with `dry_run` what would. A run evaluates such trials next.

        >>> import spargo
        >>> study = spargo.Study({"x": (0.0, 1.0)})
        >>> _ = study.add({"x": [0.1, 0.2]}, [1.0, None])
        >>> [change["trial"] for change in study.retry(failed=True, reason="the pump was off")]
        [2]
        """
        _check_either(trials, failed, "failed")
        number = None if output is None else self._output(output)
        numbers = None if trials is None else self._numbers(trials)
        if failed and number is not None:
            numbers = self._inner.failed(number)
        return named(self._inner.retry(numbers, number, reason, author(), dry_run))

    def enqueue(self, points: Any, *, reason: str = "") -> int:
        """Points of your own that the next `ask` or run begins with; returns how many are waiting.

        `points` is what `add` takes without outcomes. Of a candidate it is enough to give what no other one has: some inputs, an
        id or other labels; or its `row` in the table of candidates, as a list of numbers.

        >>> import spargo
        >>> study = spargo.Study({"x": (0.0, 1.0)})
        >>> study.enqueue({"x": [0.25, 0.75]})
        2
        >>> [trial.params["x"] for trial in study.ask(2)]
        [0.25, 0.75]
        >>> shelf = spargo.Study(spargo.Candidates({"size": [1.0, 2.0], "id": ["a", "b"]}, inputs=["size"]))
        >>> shelf.enqueue({"id": "b"}), shelf.enqueue([0])
        (1, 2)
        >>> [trial.labels for trial in shelf.ask(2)]
        [{'id': 'b'}, {'id': 'a'}]
        """
        points, _ = self._without_units(points)
        names, rows, candidates = self._codec.encode_queue(points)
        return self._inner.enqueue(names, rows, candidates, reason, author())

    def _outcomes(self, trials: Any, values: Any, noise: Any) -> tuple[list[EncodedOutcome], list[EncodedUnit]]:
        """Outcomes of trials, or of the rows of a table with a column `trial`, and new units, as the library takes them."""
        if values is not FROM_TABLE:
            if isinstance(trials, Trial) or not isinstance(trials, Iterable):
                return self._codec.encode_outcomes(numbers_of(trials), [values], [noise]), []
            if values is None:
                raise TypeError("there are no values: give one per trial, None for each that failed")
            numbers = numbers_of(trials)
            units: list[EncodedUnit] = []
            if is_frame(values):
                values, units = self._without_units(values)
                self._check_rows(numbers, values)
            return self._codec.encode_outcomes(numbers, values, noise), units
        if not is_table(trials):
            raise TypeError("there are no values: give one per trial, or a table with the columns 'trial' and the outputs'")
        trials, units = self._without_units(trials)
        table = OutcomeTable(trials, self._codec.outputs, self._codec.inputs)
        numbers = table.numbers()
        encoded = self._codec.encode_outcomes(numbers, table, noise)
        self._check_rows(numbers, trials)
        return [one for one in encoded if one[2] is not None or any(known != PENDING for known in one[1])], units

    def _numbers(self, trials: Any) -> list[int]:
        """Numbers of trials, or of those that a table names."""
        if not is_table(trials):
            return numbers_of(trials)
        trials, _ = self._without_units(trials)
        numbers = OutcomeTable(trials, self._codec.outputs, self._codec.inputs).numbers()
        self._check_rows(numbers, trials)
        return numbers

    def _without_units(self, given: Any) -> tuple[Any, list[EncodedUnit]]:
        """A table whose columns have no units in their names, `yield (mg)`, and the units that are new to the study."""
        given = self._codec.filled(given)
        headers = headers_of(given)
        if not any(header.endswith((")", "]")) or " / " in header for header in headers):
            return given, []
        names, units = self._inner.read_headers(headers)
        others = {header: name for header, name in zip(headers, names) if header != name}
        return renamed(given, others) if others else given, units

    def _check_rows(self, numbers: list[int], table: Any) -> None:
        """Refuses rows whose inputs or labels are not those of the trials they name: then the numbers have slipped."""
        names, points, candidates = self._codec.encode_rows(table)
        if (names or candidates) and len(points) == len(numbers):
            self._inner.check_rows(numbers, names, points, candidates)


def _check_either(trials: Any, all_of_them: bool, name: str) -> None:
    if (trials is None) is not all_of_them:
        raise TypeError(f"name the trials, or give {name}=True: one of the two")


def author() -> str:
    """Name of the user, as the system knows it."""
    try:
        return getpass.getuser()
    except Exception:  # The account may have no name, as in a container.
        return f"uid {os.getuid()}" if hasattr(os, "getuid") else "unknown"
