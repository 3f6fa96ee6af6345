"""Settings of a study between Python's names and those of study files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np


def hyphened(settings: Any) -> Any:
    """Names as study files write them."""
    if isinstance(settings, Mapping):
        return {str(name).replace("_", "-"): hyphened(one) for name, one in settings.items()}
    return settings


def plain(value: Any) -> Any:
    """A NumPy number as one of Python's, for JSON."""
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"{value!r} of type {type(value).__name__} cannot be a setting")


def goal_in_words(goal: Any) -> str:
    """Such as "max" or "≤ 5"."""
    if isinstance(goal, str):
        return goal
    (kind, detail), *_ = goal.items()
    if kind == "level":
        return f"level {detail}"
    words = {"at-least": "≥", "at-most": "≤"}
    return ", ".join(f"{words[name]} {limit}" for name, limit in detail.items() if limit is not None)
