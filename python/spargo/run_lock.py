"""Runs that use a study's file: the first one takes up trials that a dead run left pending.

```text
    <file>.lock     exclusive: no other run      shared, as long as a run lasts: others know of it
```

`spargo run` locks the same file. The kernel releases the lock when its holder ends, however it ends.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress

try:
    import fcntl
except ImportError:  # A system without such locks.
    fcntl = None  # type: ignore[assignment]

_TRIES, _PAUSE = 20, 0.01
"""Attempts at the shared lock, and the seconds between them: another run may be just about to give up the exclusive one."""
_open_files: set[int] = set()
"""Locked files, which forked processes must close: a lock lasts until its last holder has closed it."""


class RunLock:
    """A run that uses a study's file, if there is one; `is_alone` if no other run did when it began."""

    def __init__(self, storage: str | None) -> None:
        self.is_alone = storage is None
        self._file: int | None = None
        if storage is None or fcntl is None:
            return
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        with suppress(OSError):
            self._file = os.open(os.path.realpath(storage) + ".lock", flags, 0o644)
            _open_files.add(self._file)
            self.is_alone = _lock(self._file, fcntl.LOCK_EX)
            if self.is_alone:  # The holder, for the message of `spargo run`.
                os.truncate(self._file, 0)
                os.write(self._file, str(os.getpid()).encode())
            for _ in range(_TRIES):
                if _lock(self._file, fcntl.LOCK_SH):
                    break
                time.sleep(_PAUSE)

    def close(self) -> None:
        """The run is over."""
        if self._file is not None:
            _open_files.discard(self._file)
            os.close(self._file)
            self._file = None


def _lock(file: int, kind: int) -> bool:
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _close_in_fork() -> None:
    for file in _open_files:
        with suppress(OSError):
            os.close(file)
    _open_files.clear()


if fcntl is not None:
    os.register_at_fork(after_in_child=_close_in_fork)
