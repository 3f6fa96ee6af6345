"""What the outputs of a study are for, as people write it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

__all__ = ["outputs_of"]

_GOALS = ("max", "min", "classify")


def outputs_of(objectives: str | Mapping[str, Any], constraints: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    """As settings hold them: objectives first, then constraints.

    >>> outputs_of({"yield": "max"}, {"cost": (None, 5.0)})
    [{'name': 'yield', 'goal': 'max'}, {'name': 'cost', 'goal': {'limit': {'at-most': 5.0}}}]
    """
    named = {"objective": objectives} if isinstance(objectives, str) else objectives
    for what, given in (("objectives", named), ("constraints", constraints or {})):
        if not isinstance(given, Mapping):
            raise TypeError(f"{what} are a dictionary by name, not {given!r}")
    outputs = [{"name": str(name), "goal": _goal(str(name), goal)} for name, goal in named.items()]
    limits = (constraints or {}).items()
    return outputs + [{"name": str(name), "goal": {"limit": _limit(str(name), limit)}} for name, limit in limits]


def _goal(name: str, given: Any) -> Any:
    table = dict(given) if isinstance(given, Mapping) else {"goal": given}
    goal = table.pop("goal", "level" if "level" in table else None)
    goal = {"maximize": "max", "minimize": "min"}.get(str(goal), goal)
    if goal == "level" and set(table) == {"level"} and math.isfinite(float(table["level"])):
        return {"level": float(table["level"])}
    if goal in _GOALS and not table:
        return goal
    raise ValueError(f"objective '{name}' cannot be {given!r}: give \"max\", \"min\", \"classify\" or {{\"level\": 2.0}}")


def _limit(name: str, given: Any) -> dict[str, float]:
    if isinstance(given, Mapping):
        table = {str(key).replace("_", "-"): limit for key, limit in given.items()}
    elif isinstance(given, (tuple, list)) and len(given) == 2:
        table = {"at-least": given[0], "at-most": given[1]}
    else:
        table = {"": None}
    if not set(table) <= {"at-least", "at-most"}:
        raise ValueError(
            f"constraint '{name}' cannot be {given!r}: give {{\"at_most\": 5.0}}, {{\"at_least\": 1.0}} or (lower, upper)"
        )
    if any(limit is not None and not math.isfinite(float(limit)) for limit in table.values()):
        raise ValueError(f"constraint '{name}' cannot be {given!r}: a limit is a finite number, or None if there is none")
    return {key: float(limit) for key, limit in table.items() if limit is not None}
