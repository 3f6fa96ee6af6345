"""Calls that have ended: each is put into one queue by its own callback, so that a run costs the same however many are pending.

Jobs without callbacks, such as those of submitit, are asked from time to time whether they are done.
"""

from __future__ import annotations

import time
from concurrent.futures import Future
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any

_POLL = 0.05
"""Seconds between two looks at jobs without callbacks."""
_POLL_SHARE = 0.1
"""Share of the time that these looks may take: asking a scheduler may be slow, and jobs may be many."""


class Inbox:
    """Futures that are done, as they come.

    >>> done: Future[int] = Future()
    >>> done.set_result(3)
    >>> inbox = Inbox()
    >>> inbox.watch(done)
    >>> [future.result() for future in inbox.collect(1.0)], inbox.collect(0.0)
    ([3], [])
    """

    def __init__(self) -> None:
        # Its `put` may be called from any thread and from the handler of a signal.
        self._queue: SimpleQueue[Future[Any] | None] = SimpleQueue()
        self._polled: set[Future[Any]] = set()
        self._next_poll = 0.0

    def watch(self, future: Future[Any]) -> None:
        """Collects a call once it has ended."""
        if hasattr(future, "add_done_callback"):
            future.add_done_callback(self._queue.put)
        else:
            self._polled.add(future)

    def wake(self) -> None:
        """Ends a wait."""
        self._queue.put(None)

    def collect(self, timeout: float) -> list[Future[Any]]:
        """All calls that have ended since the last time; waits for the first one, for so many seconds at most."""
        until = time.monotonic() + timeout
        while True:
            found = self._poll()
            left = 0.0 if found else max(0.0, until - time.monotonic())
            pause = min(left, max(0.0, self._next_poll - time.monotonic())) if self._polled else left
            woken = False
            with suppress(Empty):
                first = self._queue.get(timeout=pause) if pause > 0 else self._queue.get_nowait()
                woken = first is None
                while True:
                    if first is not None:
                        found.append(first)
                    first = self._queue.get_nowait()
            if found or woken or time.monotonic() >= until:
                return found

    def _poll(self) -> list[Future[Any]]:
        began = time.monotonic()
        if not self._polled or began < self._next_poll:
            return []
        found = [job for job in self._polled if job.done()]
        self._polled.difference_update(found)
        ended = time.monotonic()
        self._next_poll = ended + max(_POLL, (ended - began) / _POLL_SHARE)
        return found
