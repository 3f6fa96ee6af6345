"""What all tests need."""

import multiprocessing
import signal

# Jobs that a shell runs in the background ignore Ctrl-C, and so do their children: here it must be heard.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_sessionfinish() -> None:
    """Nothing waits for workers that a failed test left behind."""
    for child in multiprocessing.active_children():
        child.kill()
