"""The progress bar: on terminals, in notebooks, and nowhere else."""

from __future__ import annotations

import io
import sys
import types
from typing import Any

import pytest

import spargo
from spargo.progress import Progress, State


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_terminals_have_one_line_that_is_redrawn() -> None:
    screen = Terminal()
    bar = Progress(20, stream=screen)
    bar.update(1, 0, "best 0.123456789012345")
    bar.update(20, 3, "best 1")
    bar.close()
    bar.close()
    text = screen.getvalue()
    assert text.endswith("\n") and text.count("\n") == 1 and text.startswith("\r 1/20")
    first, last = text.split("\r")[1:3]
    assert "best 1, 3 failed" in last and len(last.rstrip("\n")) >= len(first)


def test_lines_fit() -> None:
    for width in (1, 5, 20, 79, 200):
        for done in (0, 1, 999, 1000):
            line = State(done, 1000, 7, "best -1.23456e+10", 4000.0).line(width)
            assert len(line) <= width
    assert State(1000, 1000, 0, "", 4000.0).words() == "1:06:40"
    assert State(500, 1000, 0, "", 60.0).words() == "1:00 left"


def test_nothing_is_drawn_elsewhere_unless_requested(monkeypatch: pytest.MonkeyPatch) -> None:
    for show, stream, drawn in ((None, io.StringIO(), 0), (False, Terminal(), 0), (True, io.StringIO(), 1)):
        bar = Progress(3, show, stream)
        bar.update(3)
        bar.close()
        assert bool(stream.getvalue()) == bool(drawn)


def test_notebooks_have_an_html_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[State] = []

    class Handle:
        def update(self, state: State) -> None:
            shown.append(state)

    def display(state: State, display_id: bool) -> Handle:
        shown.append(state)
        return Handle()

    class ZMQInteractiveShell:
        pass

    ipython: Any = types.ModuleType("IPython")
    ipython.get_ipython = ZMQInteractiveShell
    ipython.display = types.ModuleType("IPython.display")
    ipython.display.display = display
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", ipython.display)
    spargo.maximize(lambda params: params["x"], {"x": (0.0, 1.0)}, budget=12)
    assert [state.done for state in shown][-1] == 12
    assert '<progress value="12" max="12">' in shown[-1]._repr_html_()
    assert "12/12" in repr(shown[-1])
