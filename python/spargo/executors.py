"""Evaluation on any executor of `concurrent.futures`, and recovery when its workers die.

Threads, processes, loky, Dask (`client.get_executor()`), MPI (`mpi4py.futures`) and submitit come with executors; for Ray there
is `RayExecutor`. A function that is an `async def` runs in an event loop of its own in its worker.
"""

from __future__ import annotations

import asyncio
import inspect
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Union

__all__ = ["Crash", "ExecutorFactory", "InlineExecutor", "RayExecutor", "WorkerPool", "evaluate", "workers_of"]

ExecutorFactory = Union[Executor, Callable[[], Executor], None]
"""An executor, a function that returns one (and another one, if the first breaks), or `None` for the calling thread."""

_RECOUNT = 5.0
"""Seconds after which workers are counted again: clusters grow and shrink."""


@dataclass(frozen=True)
class Crash:
    """An exception in a worker as text: not every exception can be pickled."""

    reason: str
    trace: str


def evaluate(f: Callable[[dict[str, Any]], Any], params: dict[str, Any], timeout: float | None) -> Any:
    """Value of `f`, or the crash, in the worker.

    >>> evaluate(lambda params: 1 / params["x"], {"x": 0.0}, None).reason
    'ZeroDivisionError: float division by zero'
    >>> evaluate(lambda params: time.sleep(9), {}, 0.01).reason
    'TimeoutError: it took more than 0.01 s'
    """
    try:
        return _called(f, params) if timeout is None else _within(f, params, timeout)
    except (Exception, SystemExit) as error:
        text = str(error)
        return Crash(f"{type(error).__name__}: {text}" if text else type(error).__name__, traceback.format_exc())


def _called(f: Callable[[dict[str, Any]], Any], params: dict[str, Any]) -> Any:
    """Value of a function, plain or an `async def`.

    >>> async def f(params):
    ...     await asyncio.sleep(0)
    ...     return params["x"]
    >>> _called(f, {"x": 3.0})
    3.0
    """
    value = f(params)
    if not inspect.iscoroutine(value):
        return value
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(value)
    # In a notebook this thread's event loop is running already.
    with ThreadPoolExecutor(1, "spargo-evaluation") as thread:
        return thread.submit(asyncio.run, value).result()


def _within(f: Callable[[dict[str, Any]], Any], params: dict[str, Any], timeout: float) -> Any:
    """Calls in a thread that is abandoned after the timeout: nothing can end it, but the worker is free again."""
    outcome: Future[Any] = Future()

    def call() -> None:
        try:
            outcome.set_result(_called(f, params))
        except BaseException as error:
            outcome.set_exception(error)

    threading.Thread(target=call, daemon=True, name="spargo-evaluation").start()
    if not wait([outcome], timeout).done:
        raise TimeoutError(f"it took more than {timeout:g} s")
    return outcome.result()


def workers_of(executor: Executor) -> int | None:
    """Number of calls that an executor works on at once, if it is known.

    >>> from concurrent.futures import ThreadPoolExecutor
    >>> workers_of(ThreadPoolExecutor(3))
    3
    """
    client = getattr(executor, "_client", None)
    if client is not None and hasattr(client, "nthreads"):
        return max(1, int(sum(client.nthreads().values())))
    for name in ("num_workers", "_max_workers", "max_workers"):
        count = getattr(executor, name, None)
        if isinstance(count, int) and count > 0:
            return count
    return None


class InlineExecutor(Executor):
    """Executor that works in the calling thread."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Calls `fn` now; Ctrl-C ends the call."""
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


class WorkerPool:
    """An executor that is replaced when it breaks."""

    def __init__(self, given: ExecutorFactory, workers: int | None = None, f: object = None) -> None:
        self._make: Callable[[], Executor] | None = None
        self._ours = False
        if given is None and inspect.iscoroutinefunction(f) and workers is not None:
            threads = workers
            given = lambda: ThreadPoolExecutor(threads, "spargo-evaluation")  # noqa: E731
        if given is None:
            self._executor: Executor = InlineExecutor()
            workers = 1
        elif hasattr(given, "submit"):
            self._executor = _executor_of(given)
            self._make = _factory(self._executor)
        elif callable(given):
            self._make, self._executor, self._ours = given, _executor_of(given()), True
        elif isinstance(given, asyncio.AbstractEventLoop):
            remedy = "leave it out: an `async def` runs on any executor, or in `workers` threads without one"
            raise TypeError(f"an event loop of asyncio is no executor: {remedy}")
        else:
            raise TypeError(f"executor must have a method 'submit', or be a function that returns an executor, not {given!r}")
        self._given = workers
        self._counted = workers
        self._when = time.monotonic() - 2 * _RECOUNT

    def workers(self) -> int | None:
        """Number of calls that are worked on at once, if it is known."""
        if self._given is None and time.monotonic() - self._when > _RECOUNT:
            self._counted = workers_of(self._executor)
            self._when = time.monotonic()
        return self._counted

    def submit(self, fn: Callable[..., Any], *args: Any) -> Future[Any]:
        """Submits a call to a worker."""
        return _future_of(self._executor.submit(fn, *args), self._executor)

    def renew(self, cause: BaseException) -> None:
        """Replaces a broken executor."""
        if self._make is None:
            remedy = "give a function that returns executors instead of an executor"
            raise RuntimeError(f"the executor is broken and cannot be replaced: {remedy}") from cause
        _end_workers(self._executor)  # First: a pool that is shut down has forgotten its workers.
        self.close()
        self._executor, self._ours = _executor_of(self._make()), True

    def close(self) -> None:
        """Shuts down an executor that was made here; one that was given is left as it is."""
        if self._ours:
            self._executor.shutdown(wait=False)


def _executor_of(given: Any) -> Executor:
    """An executor as it was given, that of a client of Dask, whose own `submit` takes equal calls for one."""
    if type(given).__module__.startswith("distributed") and hasattr(given, "get_executor"):
        given = given.get_executor(pure=False)
    executor: Executor = given
    return executor


def _future_of(given: Any, executor: Executor) -> Future[Any]:
    """What `submit` returned, if it can be waited for: a future, or a job with `done` and `result` alone."""
    kind, what = type(executor).__name__, type(given).__name__
    if isinstance(given, asyncio.Future) or inspect.iscoroutine(given):
        with suppress(Exception):
            given.close() if inspect.iscoroutine(given) else given.cancel()
        remedy = "let its `submit` return asyncio.run_coroutine_threadsafe(…, loop), or give `workers` and an `async def`"
        raise TypeError(f"the executor {kind} returns {what!r} of asyncio, which only its event loop can wait for: {remedy}")
    if what == "DebugJob":  # Submitit's, which begins when its result is wanted.
        return InlineExecutor().submit(given.result)
    if not hasattr(given, "done") or not hasattr(given, "result"):
        with suppress(Exception):
            given.cancel()
        remedy = "wrap it in a class whose `submit` returns a concurrent.futures.Future"
        raise TypeError(f"the executor {kind} returns {what!r}, which cannot be waited for: {remedy}")
    future: Future[Any] = given
    return future


def _end_workers(broken: Executor) -> None:
    """Kills what is left of a broken pool of processes.

    The pool does so itself, except for a worker that a call has started at that very moment (in CPython 3.11, at least):
    the pool, and the interpreter with it, would wait for that worker for ever.
    """
    if type(broken) is ProcessPoolExecutor:
        for process in list((getattr(broken, "_processes", None) or {}).values()):
            with suppress(ValueError, OSError):
                process.kill()


def _factory(executor: Executor) -> Callable[[], Executor] | None:
    """Function that returns another executor of the same kind, if there is one."""
    workers = workers_of(executor)
    if type(executor) is ProcessPoolExecutor:
        context, initializer, initargs = (
            getattr(executor, name, None) for name in ("_mp_context", "_initializer", "_initargs")
        )
        return lambda: ProcessPoolExecutor(workers, context, initializer, initargs or ())
    if type(executor).__module__.startswith("loky"):
        import loky  # type: ignore[import-untyped,import-not-found,unused-ignore]

        return lambda: loky.get_reusable_executor(max_workers=workers)  # type: ignore[no-any-return,unused-ignore]
    return None


class RayExecutor(Executor):
    """Executor over Ray's workers; `options` are those of a Ray task, such as `num_cpus`.

    ```python
    import ray, spargo
    ray.init()
    study.optimize(f, budget=1000, executor=spargo.executors.RayExecutor(num_cpus=2))
    ```
    """

    def __init__(self, max_workers: int | None = None, **options: Any) -> None:
        import ray  # type: ignore[import-not-found,import-untyped,unused-ignore]

        self._ray: Any = ray
        self._options: Mapping[str, Any] = {"max_retries": 0, **options}
        self._limit = max_workers
        self._closed = False
        self._pending: dict[Future[Any], Any] = {}
        if not ray.is_initialized():
            ray.init()

    @property
    def num_workers(self) -> int:
        """Number of calls that the cluster's processors allow at once."""
        if self._limit is not None:
            return self._limit
        share = float(self._options.get("num_cpus") or 1)
        return max(1, int(self._ray.cluster_resources().get("CPU", 1) // share))

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Submits a call to one of Ray's workers; if the worker dies, the future has an exception."""
        if self._closed:
            raise RuntimeError("cannot schedule new futures after shutdown")
        reference = self._ray.remote(**self._options)(fn).remote(*args, **kwargs)
        future: Future[Any] = reference.future()
        self._pending[future] = reference
        future.add_done_callback(lambda done: self._pending.pop(done, None))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Accepts no more calls; Ray itself keeps running."""
        self._closed = True
        pending = dict(self._pending)
        if cancel_futures:
            for reference in pending.values():
                self._ray.cancel(reference)
        if wait:
            for future in pending:
                future.exception()
