"""Exceptions: one class per reason, all of them `SpargoError`.

Each has the message that the command line shows, and the parts of that message as attributes.

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
    "DiscardedError",
    "EmptyError",
    "ExhaustedError",
    "InputConstraintError",
    "InputError",
    "InputValueError",
    "InterruptedCall",
    "NoLogarithmError",
    "OutcomeWarning",
    "NonFiniteError",
    "NotPositiveDefiniteError",
    "OtherPointError",
    "OtherSettingsError",
    "ParameterError",
    "RetoldError",
    "ShapeError",
    "SpargoError",
    "StorageError",
    "UnknownTrialError",
    "UnsupportedError",
]


class SpargoError(Exception):
    """Base class of all exceptions of spargo."""


class ShapeError(SpargoError, ValueError):
    """Two arrays that must agree in size do not."""

    what: str
    found: int
    expected: int


class EmptyError(SpargoError, ValueError):
    """A list that must not be empty is."""

    what: str


class NonFiniteError(SpargoError, ValueError):
    """A NaN or an infinity among the data."""

    what: str
    row: int
    value: float


class ParameterError(SpargoError, ValueError):
    """A number outside its range."""

    name: str
    value: float
    must: str


class InputError(SpargoError, ValueError):
    """An invalid input of a space."""

    name: str
    problem: str
    remedy: str


class InputValueError(SpargoError, ValueError):
    """A value that an input cannot take."""

    input: str
    value: str
    allowed: str


class InputConstraintError(SpargoError, ValueError):
    """An invalid constraint among inputs; `number` is its place in the list, counted from 0."""

    number: int
    error: SpargoError


class CandidateError(SpargoError, ValueError):
    """An invalid row of a table of candidates."""

    row: int
    error: SpargoError


class NotPositiveDefiniteError(SpargoError, ArithmeticError):
    """A covariance matrix that stays indefinite with the largest jitter."""

    size: int
    jitter: float


class ExhaustedError(SpargoError, RuntimeError):
    """More new points were asked for than the space has."""

    wanted: int
    left: int


class UnsupportedError(SpargoError, ValueError):
    """A setting that cannot be combined with another, or with these data."""

    what: str
    remedy: str


class DiscardedError(SpargoError, ValueError):
    """An outcome of a trial that was discarded."""

    index: int
    trial: int


class RetoldError(SpargoError, ValueError):
    """A trial that already has another outcome; `Study.amend` corrects it."""

    index: int
    trial: int
    told: str
    now: str


class UnknownTrialError(SpargoError, LookupError):
    """A trial that the study does not have."""

    index: int
    trial: int
    trials: int


class OtherPointError(SpargoError, ValueError):
    """A row of a table with the number of a trial and the inputs or labels of another one."""

    index: int
    trial: int
    column: str
    asked: str
    found: str


class NoLogarithmError(SpargoError, ValueError):
    """An outcome that has no logarithm, in a study that models those."""

    of: str
    output: str
    value: float


class OtherSettingsError(SpargoError, ValueError):
    """A study that has other settings; `Study.configure` changes them."""

    path: str
    field: str
    before: str
    after: str


class StorageError(SpargoError, OSError):
    """A study whose storage cannot be used."""

    path: str
    cause: str
    remedy: str


class OutcomeWarning(UserWarning):
    """Outcomes that models do not see as they were told, or that never came; `Study.warnings` has them all."""


class InterruptedCall(SpargoError, RuntimeError):
    """A call that was interrupted; nothing changed. (Ctrl-C raises `KeyboardInterrupt`.)"""
