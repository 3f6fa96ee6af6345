"""Search spaces of Optuna's trials: parameters that all trials have, and what the others depend on.

```text
    p has the condition q ∈ V:    p is suggested in a trial  ⇔  q is suggested there, with a value in V
```

Objectives do not say so: it is inferred from completed trials. A condition that is wrong is refuted by a trial sooner or later.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution
from optuna.trial import FrozenTrial

_MOST_VALUES = 64
"""Values that a number may have for others to depend on it."""


class Condition(NamedTuple):
    """A parameter, and those of its values, in Optuna's internal representation, with which another one is suggested."""

    parent: str
    values: frozenset[float]

    def holds(self, trial: FrozenTrial) -> bool:
        """Whether a trial's own values satisfy it."""
        return self.parent in trial.params and _internal(trial, self.parent) in self.values


class ConditionalSearchSpace:
    """Parameters of completed trials with their conditions."""

    def __init__(self) -> None:
        self._seen: set[int] = set()
        self._distributions: dict[str, BaseDistribution] = {}
        self._changed: set[str] = set()
        """Parameters with other distributions in other trials."""
        self._counts: Counter[str] = Counter()
        """Numbers of trials that have a parameter."""
        self._values: dict[str, set[float]] = {}
        """Values of parameters that others may depend on."""
        self._with: defaultdict[tuple[str, str], set[float]] = defaultdict(set)
        """Values of the second parameter in trials that have the first."""
        self._without: defaultdict[tuple[str, str], set[float]] = defaultdict(set)
        """Values of the second parameter in trials that do not."""
        self._both: Counter[tuple[str, str]] = Counter()
        """Numbers of trials that have two parameters."""

    def update(self, trials: Iterable[FrozenTrial]) -> None:
        """Takes in completed trials, of which some may be known."""
        for trial in trials:
            if trial.number not in self._seen:
                self._seen.add(trial.number)
                self._add(trial)

    def _add(self, trial: FrozenTrial) -> None:
        for name, distribution in trial.distributions.items():
            if name not in self._distributions:
                self._distributions[name] = distribution
                for parent, values in self._values.items():
                    self._without[name, parent] |= values
            elif self._distributions[name] != distribution:
                self._changed.add(name)
            self._counts[name] += 1
        for parent in (name for name, one in trial.distributions.items() if _is_discrete(one)):
            value = _internal(trial, parent)
            self._values.setdefault(parent, set()).add(value)
            for name in self._distributions:
                is_there = name in trial.distributions
                (self._with if is_there else self._without)[name, parent].add(value)
                self._both[name, parent] += is_there

    def calculate(self) -> tuple[dict[str, BaseDistribution], dict[str, Condition]]:
        """Parameters that all completed trials have or that have a condition, in the order of their names, and the conditions."""
        conditions: dict[str, Condition] = {}
        known: list[str] = []
        # A parent is in more trials than what depends on it.
        for name in sorted(self._distributions, key=lambda name: (-self._counts[name], name)):
            if name in self._changed or self._distributions[name].single():
                continue
            if self._counts[name] < len(self._seen):
                parents = [parent for parent in known if self._separates(name, parent)]
                if not parents:
                    continue
                parent = min(parents, key=self._plainness)
                conditions[name] = Condition(parent, frozenset(self._with[name, parent]))
            known.append(name)
        return {name: self._distributions[name] for name in sorted(known)}, conditions

    def _separates(self, name: str, parent: str) -> bool:
        """Whether the values of a parent tell the trials that have a parameter."""
        absent = self._without[name, parent]
        return (
            self._both[name, parent] == self._counts[name] and bool(absent) and absent.isdisjoint(self._with[name, parent])
        )

    def _plainness(self, parent: str) -> tuple[bool, int, str]:
        """Of several parents the most probable is the least: a choice with few values."""
        is_choice = isinstance(self._distributions[parent], CategoricalDistribution)
        return not is_choice, len(self._values[parent]), parent


def within(
    space: Mapping[str, BaseDistribution], conditions: Mapping[str, Condition]
) -> tuple[dict[str, BaseDistribution], dict[str, Condition]]:
    """Parameters of a space without those that depend on others, and the conditions among them."""
    kept = {name: one for name, one in space.items() if not one.single()}
    while lost := [name for name in kept if name in conditions and conditions[name].parent not in kept]:
        kept = {name: one for name, one in kept.items() if name not in lost}
    return kept, {name: one for name, one in conditions.items() if name in kept}


def _internal(trial: FrozenTrial, name: str) -> float:
    return float(trial.distributions[name].to_internal_repr(trial.params[name]))


def _is_discrete(given: Any) -> bool:
    if isinstance(given, CategoricalDistribution):
        return True
    if isinstance(given, FloatDistribution) and given.step is None:
        return False
    return bool((given.high - given.low) / given.step < _MOST_VALUES)
