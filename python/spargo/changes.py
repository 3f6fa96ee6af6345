"""What people changed in a study, as dictionaries."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._spargo import EncodedChange

Change = dict[str, Any]
"""A change: trial (`None` if it is not about one), time, by, reason, change, what (an output, a setting or "point"), before, after."""

COLUMNS = ("trial", "time", "by", "reason", "change", "what", "before", "after")
"""Keys of a change, and columns of a table of them."""
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def named(changes: Iterable[EncodedChange]) -> list[Change]:
    """Changes of the library by the names of their parts.

    >>> named([(1, 0, "me", "a typo", "amended", "yield", "99999", "5.2")])[0]["what"]
    'yield'
    """
    rows: list[Change] = [dict(zip(COLUMNS, change)) for change in changes]
    for row in rows:
        row["time"] = _EPOCH + timedelta(milliseconds=row["time"])
    return rows
