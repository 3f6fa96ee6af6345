"""What spargo refuses: one class a reason, all of them `SpargoError`.

Each has the message that the command line would show, and the parts of that message as attributes.

>>> import spargo
>>> try:
...     spargo.Study({"x": spargo.Real(1.0, 0.0)})
... except spargo.InputError as error:
...     print(error.name, "|", error.remedy)
x | swap them
"""

from __future__ import annotations

__all__ = [
    "CandidateError",
    "EmptyError",
    "ExhaustedError",
    "InputError",
    "InputValueError",
    "InterruptedCall",
    "NonFiniteError",
    "NotPositiveDefiniteError",
    "ParameterError",
    "RetoldError",
    "ShapeError",
    "SpargoError",
    "StorageError",
    "UnknownTrialError",
    "UnsupportedError",
]


class SpargoError(Exception):
    """Everything that spargo refuses."""


class ShapeError(SpargoError, ValueError):
    """Two arrays that must agree in size do not."""

    what: str
    found: int
    expected: int


class EmptyError(SpargoError, ValueError):
    """There is nothing to work on."""

    what: str


class NonFiniteError(SpargoError, ValueError):
    """A NaN or an infinity among the data."""

    what: str
    row: int
    value: float


class ParameterError(SpargoError, ValueError):
    """A number outside the range that makes sense."""

    name: str
    value: float
    must: str


class InputError(SpargoError, ValueError):
    """An input of a space whose description makes no sense."""

    name: str
    problem: str
    remedy: str


class InputValueError(SpargoError, ValueError):
    """A value that an input cannot take."""

    input: str
    value: str
    allowed: str


class CandidateError(SpargoError, ValueError):
    """A row of a table of candidates that is refused."""

    row: int
    error: SpargoError


class NotPositiveDefiniteError(SpargoError, ArithmeticError):
    """A covariance matrix that stays indefinite, whatever is added to its diagonal."""

    size: int
    jitter: float


class ExhaustedError(SpargoError, RuntimeError):
    """More new points were wanted than there are."""

    wanted: int
    left: int


class UnsupportedError(SpargoError, ValueError):
    """A setting that cannot be combined with another, or with these data."""

    what: str
    remedy: str


class RetoldError(SpargoError, ValueError):
    """A trial that already has another outcome."""

    index: int
    trial: int
    told: str
    now: str


class UnknownTrialError(SpargoError, LookupError):
    """A trial that the study does not have."""

    index: int
    trial: int
    trials: int


class StorageError(SpargoError, OSError):
    """A study whose storage cannot be used."""

    path: str
    cause: str
    remedy: str


class InterruptedCall(SpargoError, RuntimeError):
    """A call that was stopped halfway; nothing changed. (Ctrl-C raises `KeyboardInterrupt`, as ever.)"""
