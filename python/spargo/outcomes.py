"""Outcomes of evaluations: values, noise variances, failures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Union

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Failed:
    """A failed evaluation, and the reason."""

    reason: str


Value = Union[
    float, None, Failed, BaseException, Sequence[Union[float, None]], Mapping[str, Union[float, None]], npt.NDArray[Any]
]
Noise = Union[float, np.number[Any], None, Sequence[Union[float, None]], Mapping[str, Union[float, None]], npt.NDArray[Any]]


def read_value(given: Any, outputs: Sequence[str]) -> list[float] | Failed:
    """One number per output, or the failure.

    >>> read_value({"cost": 2, "yield": 1.5}, ["yield", "cost"])
    [1.5, 2.0]
    >>> read_value(TimeoutError("an hour"), ["yield"])
    Failed(reason='TimeoutError: an hour')
    """
    if isinstance(given, Failed):
        return given
    if isinstance(given, BaseException):
        text = str(given)
        return Failed(f"{type(given).__name__}: {text}" if text else type(given).__name__)
    if len(outputs) > 1 and isinstance(given, (float, np.floating)) and np.isnan(given):
        return Failed("NaN")
    numbers = _by_output(given, outputs, "value")
    for name, number in zip(outputs, numbers):
        if number is None or _is_missing(number):
            return Failed("no value" if len(outputs) == 1 else f"no value of '{name}'")
    return [float(number) for number in numbers]


def read_noise(given: Any, outputs: Sequence[str]) -> list[float | None] | None:
    """A variance or `None` for each output; `None` if nothing is known."""
    if given is None:
        return None
    return [None if number is None else float(number) for number in _by_output(given, outputs, "noise variance")]


def _by_output(given: Any, outputs: Sequence[str], what: str) -> list[Any]:
    if isinstance(given, Mapping):
        unknown = [name for name in given if name not in outputs]
        if unknown:
            raise ValueError(f"there is no output {unknown[0]!r}: the outputs are {list(outputs)}")
        return [given.get(name) for name in outputs]
    if isinstance(given, (str, bytes)):
        raise TypeError(f"a {what} cannot be the string {given!r}; use Failed({given!r}) for a failure")
    if isinstance(given, np.ndarray):
        given = given.tolist()
    elif hasattr(given, "to_dict") and hasattr(given, "index"):
        return _by_output(given.to_dict(), outputs, what)  # A row of a DataFrame.
    if isinstance(given, Sequence):
        return list(given)
    return [given] if given is not None else [None] * len(outputs)


def _is_missing(number: Any) -> bool:
    """Whether it is a missing value of pandas: NA or NaT."""
    return type(number).__name__ in ("NAType", "NaTType")
