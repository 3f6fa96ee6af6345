"""Tables: DataFrames, lists of dictionaries, dictionaries of columns, two-dimensional arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt


def is_table(given: Any) -> bool:
    """Whether it can be read as a table with named columns."""
    if isinstance(given, Mapping) or is_frame(given) or _is_matrix(given):
        return True
    if not isinstance(given, Sequence) or isinstance(given, str) or not given:
        return False
    return all(isinstance(row, Mapping) for row in given)


def is_frame(given: Any) -> bool:
    """Whether it is a DataFrame, of pandas, polars or pyarrow."""
    return hasattr(given, "columns") and hasattr(given, "__getitem__") and not isinstance(given, np.ndarray)


def headers_of(given: Any) -> list[str]:
    """Names of the columns of a table; nothing if it is none, or has other names than strings."""
    if isinstance(given, Mapping):
        names = list(given)
    elif is_frame(given):
        names = list(getattr(given, "column_names", given.columns))
    elif is_table(given) and not _is_matrix(given):
        names = list(given[0])
    else:
        return []
    return names if all(isinstance(name, str) for name in names) else []


def renamed(given: Any, names: Mapping[str, str]) -> Any:
    """A table with other names of some columns, and of the same kind."""
    if isinstance(given, Mapping):
        return {names.get(name, name): column for name, column in given.items()}
    if not is_frame(given):
        return [renamed(row, names) for row in given]
    if hasattr(given, "rename_columns"):  # pyarrow
        return given.rename_columns([names.get(name, name) for name in given.column_names])
    return given.rename(columns=names) if hasattr(given, "index") else given.rename(names)


class Table:
    """Columns by name, all of the same length; `index` has the names and values of an index that is not just 0, 1, …."""

    def __init__(self, given: Any) -> None:
        self.columns: dict[str, Sequence[Any] | npt.NDArray[Any]] = {}
        self.index: list[tuple[str, Sequence[Any]]] = []
        if isinstance(given, Mapping):
            self.columns = {str(name): _column(column) for name, column in given.items()}
        elif is_frame(given):
            self.columns = {str(name): _column(given[name]) for name in getattr(given, "column_names", given.columns)}
            self.index = _index(given)
        elif _is_matrix(given):
            self.columns = {f"x{k}": _column(given[:, k]) for k in range(given.shape[1])}
        elif is_table(given):
            names = [str(name) for name in given[0]]
            for i, row in enumerate(given):
                if len(row) != len(names) or any(name not in row for name in names):
                    raise ValueError(f"row {i} has the keys {list(row)}, row 0 has {names}")
            self.columns = {name: [row[name] for row in given] for name in names}
        else:
            raise TypeError(f"a table must be a DataFrame, a list of dictionaries or a dictionary of columns, not {type(given).__name__}")
        lengths = {len(column) for column in self.columns.values()}
        if len(lengths) > 1:
            raise ValueError(f"the columns of a table have different lengths: {sorted(lengths)}")

    def __len__(self) -> int:
        """Number of rows."""
        return max((len(column) for column in self.columns.values()), default=0)

    def points(self, names: Iterable[str]) -> npt.NDArray[np.float64] | list[list[Any]]:
        """Rows of some columns: an array if all are floats, else lists."""
        wanted = list(names)
        missing = [name for name in wanted if name not in self.columns]
        if missing:
            raise ValueError(f"the table has no column {missing[0]!r}; it has {list(self.columns)}")
        columns = [self.columns[name] for name in wanted]
        if columns and all(isinstance(column, np.ndarray) and column.dtype == np.float64 for column in columns):
            return np.column_stack(columns)
        return [list(row) for row in zip(*(_plain(column) for column in columns))]


def _is_matrix(given: Any) -> bool:
    return isinstance(given, np.ndarray) and given.ndim == 2


def _index(frame: Any) -> list[tuple[str, Sequence[Any]]]:
    index = getattr(frame, "index", None)
    if index is None or callable(index):
        return []
    values = list(index)
    counted = all(isinstance(one, (int, np.integer)) and one == i for i, one in enumerate(values))
    return [] if counted else [(str(getattr(index, "name", None) or "index"), values)]


def _column(given: Any) -> Sequence[Any] | npt.NDArray[Any]:
    if isinstance(given, (str, bytes)):
        raise TypeError(f"a column of a table cannot be the string {given!r}")
    if hasattr(given, "__array__"):
        array = np.asarray(given)
        if array.ndim != 1:
            raise ValueError(f"a column of a table must have one dimension, not {array.ndim}")
        return array.astype(np.float64) if array.dtype.kind == "f" else array
    if not isinstance(given, Iterable):
        raise TypeError(f"a column of a table must have one value per row; it cannot be {given!r}")
    return list(given)


def _plain(column: Sequence[Any] | npt.NDArray[Any]) -> list[Any]:
    values = column.tolist() if isinstance(column, np.ndarray) else list(column)
    return [value.item() if isinstance(value, np.generic) else value for value in values]
