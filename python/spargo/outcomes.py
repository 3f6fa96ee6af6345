"""Outcomes of evaluations: values, noise variances, failures, each output for itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Union

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Failed:
    """A failed evaluation, or a failed measurement of one output, and the reason."""

    reason: str


One = Union[float, None, Failed, BaseException]
"""What came of one output."""
Value = Union[One, Sequence[One], Mapping[str, One], npt.NDArray[Any]]
"""What came of a trial."""
Noise = Union[float, np.number[Any], None, Sequence[Union[float, None]], Mapping[str, Union[float, None]], npt.NDArray[Any]]
Measurement = tuple[Union[float, None], Union[float, None], Union[str, None]]
"""Value, noise variance and reason of a failure of one output."""
Outcome = tuple[list[Measurement], Union[str, None]]
"""Outputs of a trial, or the reason why it failed as a whole."""

PENDING: Measurement = (None, None, None)
"""An output that is still to come."""


def read_outcome(given: Any, noise: Any, outputs: Sequence[str]) -> Outcome:
    """Outputs of a trial, or the reason why it failed as a whole.

    >>> read_outcome({"cost": 2}, None, ["yield", "cost"])
    ([(None, None, None), (2.0, None, None)], None)
    >>> read_outcome(TimeoutError("an hour"), None, ["yield"])
    ([], 'TimeoutError: an hour')
    """
    reason = _failure(given)
    if reason is None and len(outputs) > 1 and isinstance(given, (float, np.floating)) and np.isnan(given):
        reason = "NaN"
    if reason is not None or is_missing(given):
        return [], "no value" if reason is None else reason
    measurements = [read_measurement(value) for value in _by_output(given, outputs, "value")]
    if len(outputs) == 1 and measurements == [PENDING]:
        return [], "no value"
    return with_noise(measurements, noise, outputs), None


def with_noise(measurements: list[Measurement], noise: Any, outputs: Sequence[str]) -> list[Measurement]:
    """Measurements with the noise variances of those that have a value."""
    if noise is None:
        return measurements
    variances = _by_output(noise, outputs, "noise variance")
    if len(variances) != len(measurements):
        raise ValueError(f"there are {len(measurements)} values and {len(variances)} noise variances")
    known = [None if is_missing(variance) else float(variance) for variance in variances]
    return [
        (value, None if value is None else variance, reason)
        for (value, _, reason), variance in zip(measurements, known)
    ]


def read_measurement(given: Any) -> Measurement:
    """What came of one output: a number, a failure, or nothing yet."""
    if (reason := _failure(given)) is not None:
        return None, None, reason
    return PENDING if is_missing(given) else (float(given), None, None)


def is_missing(given: Any) -> bool:
    """Whether it stands for nothing: `None`, or a missing value of pandas."""
    return given is None or type(given).__name__ in ("NAType", "NaTType", "MaskedConstant")


def _failure(given: Any) -> str | None:
    if isinstance(given, Failed):
        return given.reason
    if isinstance(given, BaseException):
        text = str(given)
        return f"{type(given).__name__}: {text}" if text else type(given).__name__
    return None


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
        # A row of a DataFrame, where NaN is an empty cell.
        return _by_output(given.dropna().to_dict(), outputs, what)
    if isinstance(given, Sequence):
        return list(given)
    return [given]
