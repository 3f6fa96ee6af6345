"""Sparse Gaussian-process optimisation: Bayesian optimisation for thousands to millions of noisy evaluations.

>>> import spargo
>>> study = spargo.Study({"rate": spargo.Real(1e-4, 1.0, log=True), "layers": (1, 8)}, initial=20, batch=10)
>>> for _ in range(5):
...     trials = study.ask()
...     study.tell(trials, [-abs(trial.params["layers"] - 3) for trial in trials])
20
10
10
10
10
>>> study.best().params["layers"]
3
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import errors, executors, problems
from ._spargo import __version__
from .allocation import allocate
from .errors import *  # noqa: F403
from .input_constraints import Exclude, InputConstraint, Nonzero, Ratio, Sum
from .insight import IntervalPrediction, LeaveOneOut
from .models import ExactGP, SparseGP, VariationalGP
from .optimize import maximize, minimize
from .options import (
    AcquisitionOptions,
    FixedHyperparameters,
    LocalModelOptions,
    ModelOptions,
    SamplingOptions,
    TrustRegionOptions,
)
from .outcomes import Failed
from .posterior import Path, Paths, Posterior, Prediction
from .problems import hypervolume
from .quality import QualityContext
from .space import Candidates, Choice, Int, Ordinal, Real, Values
from .study import Study
from .trial import Anywhere, Best, Fronts, ParetoPoint, Trial

if TYPE_CHECKING:
    from . import optuna, plot

__all__ = [
    "AcquisitionOptions",
    "Anywhere",
    "Best",
    "Candidates",
    "Choice",
    "ExactGP",
    "Exclude",
    "Failed",
    "FixedHyperparameters",
    "Fronts",
    "InputConstraint",
    "Int",
    "IntervalPrediction",
    "LeaveOneOut",
    "LocalModelOptions",
    "ModelOptions",
    "Nonzero",
    "Ordinal",
    "ParetoPoint",
    "Path",
    "Paths",
    "Posterior",
    "Prediction",
    "QualityContext",
    "Ratio",
    "Real",
    "SamplingOptions",
    "SparseGP",
    "Study",
    "Sum",
    "Trial",
    "TrustRegionOptions",
    "Values",
    "VariationalGP",
    "__version__",
    "allocate",
    "executors",
    "hypervolume",
    "maximize",
    "minimize",
    "optuna",
    "plot",
    "problems",
]
__all__ += errors.__all__


def __getattr__(name: str) -> Any:
    """Modules that need other packages, imported on first use."""
    if name in ("optuna", "plot"):
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
