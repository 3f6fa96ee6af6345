"""Progress bar of a run: on terminals and in notebooks, nothing elsewhere."""

from __future__ import annotations

import html
import shutil
import sys
import time
from dataclasses import dataclass
from typing import Any, TextIO

_PERIOD = 0.2
"""Seconds between two drawings."""


@dataclass(frozen=True)
class State:
    """State of a run.

    >>> print(State(30, 120, 2, "best 0.93", 10.0).line(60))
     30/120 ━━━━━                best 0.93, 2 failed, 0:30 left
    """

    done: int
    total: int
    failed: int
    found: str
    seconds: float

    def words(self) -> str:
        """Best outcome, number of failures, and the time that is left."""
        words = [self.found] if self.found else []
        if self.failed:
            words.append(f"{self.failed} failed")
        if 0 < self.done < self.total:
            words.append(f"{_clock(self.seconds / self.done * (self.total - self.done))} left")
        elif self.done:
            words.append(_clock(self.seconds))
        return ", ".join(words)

    def count(self) -> str:
        """Trials that are done, out of all."""
        return f"{self.done:>{len(str(self.total))}}/{self.total}"

    def line(self, width: int) -> str:
        """One line for a terminal of some width."""
        words = self.words()
        room = max(0, min(40, width - len(self.count()) - len(words) - 3))
        halves = round(2 * room * self.done / max(1, self.total))
        bar = "━" * (halves // 2) + "╸" * (halves % 2)
        return f"{self.count()} {bar:<{room}} {words}"[: max(1, width)]

    def _repr_html_(self) -> str:
        bar = f'<progress value="{self.done}" max="{self.total}"></progress>'
        return f"<div>{bar} {html.escape(self.count().strip())} {html.escape(self.words())}</div>"

    def __repr__(self) -> str:
        return self.line(80)


class Progress:
    """Progress bar that is redrawn as trials are done.

    `show` is whether to draw it; `None` for terminals and notebooks only.
    """

    def __init__(self, total: int, show: bool | None = None, stream: TextIO | None = None) -> None:
        self._total = total
        self._began = time.monotonic()
        self._drawn = -1e9
        self._state: State | None = None
        self._screen = _screen(show, stream or sys.stderr)

    def update(self, done: int, failed: int = 0, found: str = "") -> None:
        """Updates the numbers of trials that are done and failed, and the best outcome."""
        now = time.monotonic()
        self._state = State(done, self._total, failed, found, now - self._began)
        if self._screen is not None and self.is_due(done):
            self._screen.draw(self._state)
            self._drawn = now

    def is_due(self, done: int) -> bool:
        """Whether it would be redrawn now: finding the best outcome takes time."""
        is_late = time.monotonic() - self._drawn >= _PERIOD
        return self._screen is not None and (is_late or done == self._total)

    def close(self) -> None:
        """Draws the last state and ends the line."""
        if self._screen is not None:
            if self._state is not None:
                self._screen.draw(self._state)
            self._screen.end()
            self._screen = None


class _Terminal:
    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._last = 0

    def draw(self, state: State) -> None:
        line = state.line(shutil.get_terminal_size().columns - 1)
        self._stream.write("\r" + line.ljust(self._last))
        self._stream.flush()
        self._last = len(line)

    def end(self) -> None:
        if self._last:
            self._stream.write("\n")
            self._stream.flush()


class _Notebook:
    def __init__(self, display: Any) -> None:
        self._display = display
        self._handle: Any = None

    def draw(self, state: State) -> None:
        if self._handle is None:
            self._handle = self._display(state, display_id=True)
        else:
            self._handle.update(state)

    def end(self) -> None:
        self._handle = None


def _screen(show: bool | None, stream: TextIO) -> _Terminal | _Notebook | None:
    if show is False:
        return None
    display = _notebook()
    if display is not None:
        return _Notebook(display)
    if show or (hasattr(stream, "isatty") and stream.isatty()):
        return _Terminal(stream)
    return None


def _notebook() -> Any:
    """IPython's `display`, in a notebook."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None or type(shell).__name__ != "ZMQInteractiveShell":
        return None
    from IPython.display import display  # type: ignore[import-not-found,unused-ignore]

    return display


def _clock(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
