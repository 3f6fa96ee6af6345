"""Arrays, checked by scikit-learn's conventions."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


def feature_names(given: Any) -> npt.NDArray[Any] | None:
    """Names of a DataFrame's columns, if all of them are strings."""
    columns = getattr(given, "columns", None)
    if columns is None or not all(isinstance(name, str) for name in columns):
        return None
    return np.asarray(columns, dtype=object)


def matrix(given: Any, what: str) -> Array:
    """Points, one per row."""
    if hasattr(given, "toarray"):
        raise TypeError("Sparse data was passed, but dense data is required: use .toarray()")
    array = _real(given)
    if array.dtype.kind in "USVmM":
        raise ValueError(f"{what} needs numbers, not values of type {array.dtype}")
    array = array.astype(np.float64, copy=False)
    if array.ndim == 1:
        raise ValueError(
            "Expected 2D array, got 1D array instead. Reshape your data either using X.reshape(-1, 1) if it has a single "
            "feature or X.reshape(1, -1) if it is a single sample"
        )
    if array.ndim != 2:
        raise ValueError(f"Expected 2D array, got {array.ndim}D array instead")
    if array.shape[1] == 0:
        raise ValueError(f"0 feature(s) (shape={array.shape}) while a minimum of 1 is required.")
    if array.shape[0] == 0:
        raise ValueError(f"0 sample(s) (shape={array.shape}) while a minimum of 1 is required.")
    return np.ascontiguousarray(array)


def _real(given: Any) -> npt.NDArray[Any]:
    array = np.asarray(given)
    if np.iscomplexobj(array):
        raise ValueError("Complex data not supported")
    return array


def outcomes(given: Any, rows: int) -> Array:
    """Outcomes, one per row."""
    if given is None:
        raise ValueError("requires y to be passed, but the target y is None")
    array = _real(given)
    array = array.astype(np.float64, copy=False)
    if array.ndim == 2 and array.shape[1] == 1:
        _warn_column_vector()
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError(f"y should be a 1d array, got an array of shape {array.shape} instead")
    if len(array) != rows:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: [{rows}, {len(array)}]")
    return np.ascontiguousarray(array)


def _warn_column_vector() -> None:
    kind = getattr(sys.modules.get("sklearn.exceptions"), "DataConversionWarning", UserWarning)
    warnings.warn("A column-vector y was passed when a 1d array was expected", kind, stacklevel=4)


def not_fitted(message: str) -> Exception:
    """scikit-learn's exception for models that are not fitted, if scikit-learn is imported."""
    kind = getattr(sys.modules.get("sklearn.exceptions"), "NotFittedError", AttributeError)
    error: Exception = kind(message)
    return error
