"""Runs of a study as its methods: `optimize`, and `stop` while it is going on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from .configure import Configurable
from .executors import ExecutorFactory
from .loop import Callback, Loop
from .optimize import Function, Mode, RunOptions, run

if TYPE_CHECKING:
    from typing_extensions import Self

    from .study import Study


class Runnable(Configurable):
    """How the trials of a study are evaluated."""

    _runs: list[Loop]
    """Runs of this object that are going on."""

    def optimize(
        self,
        f: Function,
        budget: int | None = None,
        *,
        more: int | None = None,
        executor: ExecutorFactory = None,
        mode: Mode = "async",
        batch: int | None = None,
        workers: int | None = None,
        refit_every: int | None = None,
        timeout: float | None = None,
        duration: float | None = None,
        callbacks: Sequence[Callback] = (),
        final_replicates: int = 0,
        resume: bool | None = None,
        progress: bool | None = None,
    ) -> Self:
        """Asks, evaluates and tells, until the study has `budget` trials, or `more` than it has now; returns the study.

        Exceptions, NaN, whatever is no number, outputs that are not returned, timeouts and workers that die make failures,
        with the reason; only a function that has not succeeded in this run and keeps failing ends it. After Ctrl-C everything
        that was evaluated is told, and trials that were in flight are pending: the next run begins with them. The logger
        "spargo" has the beginning and end of runs, fits (INFO) and failures (WARNING).

        Parameters
        ----------
        f
            Function of parameters by name that returns whatever `tell` takes as a value; may be an `async def`, of which every
            call has an event loop of its own in its worker.
        budget, more
            Trials in all, those that the study already has included (so that a script which is run again, or was killed, ends
            with the same number), or trials beyond those: one of the two.
        executor
            Any executor of `concurrent.futures`: threads, processes, loky, Dask's `client.get_executor()`, `mpi4py`,
            `spargo.executors.RayExecutor`; one of submitit; or a function that returns one, which is called again if the
            executor breaks. By default `f` is called in the calling thread, an `async def` in `workers` threads.
        mode
            "async" asks for a point as soon as a worker is idle, while a thread of its own fits the next models: nothing is lost
            or evaluated twice, but the points depend on the order of results. "batch" waits for all of a batch before it asks
            for the next one: the same seed gives the same trials.
        batch, workers
            Size of batches, by default the initial design and then the study's, and number of trials in flight, by default the
            executor's workers, or a batch if it does not say how many it has.
        refit_every
            In async mode, the number of outcomes after which models are fitted again, by default the size of a batch. In between, points
            come from fresh paths through the last models.
        timeout
            Seconds that an evaluation may take. It is abandoned afterwards, as threads cannot be ended.
        duration
            Seconds after which no more trials are begun; the run returns when those in flight have ended. What was asked for and
            not begun is pending: the next run begins with it.
        callbacks
            Functions of the study and a trial, called in this thread after each trial that was told. An exception of theirs
            stops the run as `stop` does, and is raised at its end.
        final_replicates
            Number of trials at the end that re-evaluate the likely winners: see `Study.replicate`.
        resume
            Whether pending trials, such as those of a run that was stopped or killed, are evaluated first. By default they
            are, unless another run is using the study's file, or this object's `ask` has handed out some of them.
        progress
            Whether to show a progress bar; by default on terminals and in notebooks.

        Examples
        --------
        >>> from concurrent.futures import ThreadPoolExecutor
        >>> import spargo
        >>> study = spargo.Study({"x": (0.0, 1.0)}, "min", seed=1, initial=8, batch=4)
        >>> with ThreadPoolExecutor(4) as executor:
        ...     study.optimize(lambda params: (params["x"] - 0.3) ** 2, budget=24, executor=executor)
        <spargo.Study 'study': x; objective (min); 24 trials>
        """
        options = RunOptions(
            budget=budget,
            more=more,
            executor=executor,
            mode=mode,
            batch=batch,
            workers=workers,
            refit_every=refit_every,
            timeout=timeout,
            duration=duration,
            callbacks=callbacks,
            final_replicates=final_replicates,
            resume=resume,
            progress=progress,
        )
        run(cast("Study", self), f, options)
        return self

    def stop(self) -> None:
        """Ends the runs of this object: no more trials are begun, and `optimize` returns when those in flight are told.

        It may be called by a callback, by the function in a thread of this process, or by the handler of a signal. Without a
        run it does nothing.

        >>> import spargo
        >>> study = spargo.Study({"x": (0.0, 1.0)}, initial=8)
        >>> len(study.optimize(lambda params: params["x"], budget=100, callbacks=[lambda study, trial: study.stop()]))
        1
        """
        for loop in list(self._runs):
            loop.stop()
