"""What corrections changed, as dictionaries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._spargo import EncodedChange

Change = dict[str, Any]
"""What a correction changed of one output: trial, time, by, reason, change, output, before, after."""

COLUMNS = ("trial", "time", "by", "reason", "change", "output", "before", "after")
"""Keys of a change, and columns of a table of them."""
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def named(changes: Iterable[EncodedChange], outputs: Sequence[str]) -> list[Change]:
    """Changes of the library with their names.

    >>> named([(1, 0, "me", "a typo", "amended", 0, "99999", "5.2")], ["yield"])[0]["output"]
    'yield'
    """
    rows: list[Change] = [dict(zip(COLUMNS, change)) for change in changes]
    for row in rows:
        row["time"] = _EPOCH + timedelta(milliseconds=row["time"])
        row["output"] = outputs[row["output"]]
    return rows
