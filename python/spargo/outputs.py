"""Goals of a study's outputs: objectives and constraints in Python's form, and in the library's."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

_GOALS = ("max", "min", "classify")


def outputs_of(objectives: str | Mapping[str, Any], constraints: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    """Outputs as settings have them: objectives first, then constraints.

    >>> outputs_of({"yield": "max"}, {"cost": (None, 5.0)})
    [{'name': 'yield', 'goal': 'max'}, {'name': 'cost', 'goal': {'constraint': {'at-most': 5.0}}}]
    """
    named = {"objective": objectives} if isinstance(objectives, str) else objectives
    for what, given in (("objectives", named), ("constraints", constraints or {})):
        if not isinstance(given, Mapping):
            raise TypeError(f"{what} must be a dictionary by name, not {given!r}")
    outputs = [_output(str(name), goal, _goal) for name, goal in named.items()]
    return outputs + [_output(str(name), one, _constraint) for name, one in (constraints or {}).items()]


def _output(name: str, given: Any, goal_of: Callable[[str, Any], Any]) -> dict[str, Any]:
    """An output, whose noise may stand beside its goal or its bounds."""
    if not isinstance(given, Mapping) or given.get("noise") is None:
        return {"name": name, "goal": goal_of(name, given)}
    rest = {key: one for key, one in given.items() if key != "noise"}
    return {"name": name, "goal": goal_of(name, rest), "noise": _noise(name, given["noise"])}


def _noise(name: str, given: Any) -> Any:
    """What is known of the noise, as settings have it.

    >>> _noise("y", {"sd": 0.1})
    {'sd': 0.1}
    """
    if given in ("auto", "none"):
        return given
    if isinstance(given, Mapping) and len(given) == 1 and set(given) <= {"sd", "variance"}:
        ((kind, number),) = given.items()
        if not isinstance(number, (bool, str)) and math.isfinite(float(number)) and float(number) > 0:
            return {kind: float(number)}
        raise ValueError(f"noise of '{name}' cannot be {given!r}: give a finite number above 0, or \"none\" if there is no noise")
    raise ValueError(f"noise of '{name}' cannot be {given!r}: give \"auto\", \"none\", {{\"sd\": 0.1}} or {{\"variance\": 0.01}}")


def changed_outputs(
    present: Sequence[Mapping[str, Any]], objectives: str | Mapping[str, Any] | None, constraints: Mapping[str, Any] | None
) -> list[dict[str, Any]]:
    """Outputs that are to have other goals; a goal without a name is the only objective's.

    >>> changed_outputs([{"name": "yield", "goal": "max"}], "min", None)
    [{'name': 'yield', 'goal': 'min'}]
    """
    if isinstance(objectives, str):
        names = [output["name"] for output in present if "constraint" not in output["goal"]]
        if len(names) != 1:
            raise ValueError(f"name the objective that is to be {objectives!r}: one of {names}")
        objectives = {names[0]: objectives}
    return outputs_of({} if objectives is None else objectives, constraints)


def _goal(name: str, given: Any) -> Any:
    table = dict(given) if isinstance(given, Mapping) else {"goal": given}
    goal = table.pop("goal", "level" if "level" in table else None)
    goal = {"maximize": "max", "minimize": "min"}.get(str(goal), goal)
    if goal == "level" and set(table) == {"level"} and math.isfinite(float(table["level"])):
        return {"level": float(table["level"])}
    if goal in _GOALS and not table:
        return goal
    raise ValueError(f"objective '{name}' cannot be {given!r}: give \"max\", \"min\", \"classify\" or {{\"level\": 2.0}}")


def _constraint(name: str, given: Any) -> dict[str, Any]:
    return {"constraint": _bounds(name, given)}


def _bounds(name: str, given: Any) -> dict[str, float]:
    if isinstance(given, Mapping):
        table = {str(key).replace("_", "-"): bound for key, bound in given.items()}
    elif isinstance(given, (tuple, list)) and len(given) == 2:
        table = {"at-least": given[0], "at-most": given[1]}
    else:
        table = {"": None}
    if not set(table) <= {"at-least", "at-most"}:
        raise ValueError(
            f"constraint '{name}' cannot be {given!r}: give {{\"at_most\": 5.0}}, {{\"at_least\": 1.0}} or (lower, upper)"
        )
    if any(bound is not None and not math.isfinite(float(bound)) for bound in table.values()):
        raise ValueError(f"constraint '{name}' cannot be {given!r}: a bound must be a finite number, or None for no bound")
    return {key: float(bound) for key, bound in table.items() if bound is not None}


def goal_in_words(goal: Any) -> str:
    """A goal in words, such as "max" or "≤ 5"."""
    if isinstance(goal, str):
        return goal
    ((kind, detail),) = goal.items()
    if kind == "level":
        return f"level {detail}"
    signs = {"at-least": "≥", "at-most": "≤"}
    return ", ".join(f"{signs[name]} {bound}" for name, bound in detail.items() if bound is not None)
