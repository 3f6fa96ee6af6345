"""Options of a study: what `study.toml` has in its sections, as frozen dataclasses.

Whatever is `None` has the library's default.

>>> to_settings(TrustRegionOptions(share=0.3))
{'share': 0.3}
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypedDict, Union

import numpy as np

from .input_constraints import InputConstraint
from .quality import QualityFunction

Method = Literal[
    "random", "uniform", "kmeans", "cvr", "dpp", "lin-dpp", "imp-dpp", "ent-dpp", "al-dpp", "hv-dpp", "front-dpp"
]
Allocation = Union[Method, Mapping[str, Any]]
"""How inducing points are chosen: a method's name, or a dictionary with the name as "method" and the method's settings."""
Kernel = Literal["rbf", "matern12", "matern32", "matern52", "linear-sphere"]
Rule = Literal["thompson", "log-ei", "gibbon", "ehvi", "hippo", "bald", "straddle"]
Replicates = Literal["auto", "never", "allowed"]
Initial = Union[int, Literal["auto"]]
"""Number of space-filling points before the first model; "auto": from the number of inputs and the batch."""
Inducing = Union[int, Literal["auto"]]
"""Number of inducing points; "auto": as many as the bound on the approximation's error asks for."""
Policy = Literal["memoryless", "memory"]


@dataclasses.dataclass(frozen=True)
class FixedHyperparameters:
    """Hyperparameters that are known, in your units: nothing is learned.

    >>> to_settings(ModelOptions(hyperparameters={"fixed": FixedHyperparameters(1.0, {"dose_mg": 0.3}, 1e-6)}))
    {'hyperparameters': {'fixed': {'variance': 1.0, 'lengthscales': {'dose_mg': 0.3}, 'noise': 1e-06, 'mean': 0.0}}}
    """

    variance: float
    """Variance of the kernel."""
    lengthscales: float | Mapping[str, float]
    """Length scale of all inputs, or one per input by its name; that of an input on a logarithmic scale is in its natural logarithm,
    that of choices is l in exp(-1/l), the correlation of two of them."""
    noise: float
    """Noise variance."""
    mean: float = 0.0
    """Constant mean."""


@dataclasses.dataclass(frozen=True)
class ModelOptions:
    """How the model of an output is learned."""

    kernel: Kernel | Sequence[Kernel] | None = None
    """Kernel over ordered inputs, or a list of kernels to be added; by default "matern52". For many inputs: "linear-sphere"."""
    hyperparameters: Literal["bound"] | Mapping[Literal["subset", "fixed"], int | FixedHyperparameters] | None = None
    """Objective that the hyperparameters maximise: the likelihood of a random subset, by default `{"subset": 1000}`, or the
    collapsed "bound" over all data; or `{"fixed": FixedHyperparameters(…)}`, which needs `outcome_transform="off"`."""
    exact_until: int | None = None
    """Number of observations up to which the posterior is exact; by default 2000."""
    priors: Literal["on", "off"] | None = None
    """Whether priors join the objective; by default "on"."""
    outcome_transform: Literal["auto", "asinh", "log", "off"] | None = None
    """Transform of the outcomes before the model sees them; by default "auto"."""
    noise_bound: Literal["close-pairs", "off"] | None = None
    """Upper bound on a learned noise variance; by default "close-pairs": what outcomes of close points differ by."""
    penalties: Literal["warn", "failures", "keep"] | None = None
    """What is done about extreme outcomes: by default "warn", they do not reach models as they are, with a warning; "failures":
    a value that three trials or more repeat exactly is a failure as well; "keep": they are outcomes like any others."""


@dataclasses.dataclass(frozen=True)
class SamplingOptions:
    """How functions are drawn from a posterior."""

    features: int | None = None
    """Random features per path; by default 1000."""
    block: int | None = None
    """Paths that share their random frequencies: more are faster, fewer are more independent; by default 25."""


@dataclasses.dataclass(frozen=True)
class AcquisitionOptions:
    """How acquisition functions are maximised."""

    pool: int | None = None
    """Space-filling points of the candidate pool; by default 10000."""
    near: int | None = None
    """Points of the candidate pool that are perturbations of the incumbents; by default 2000."""
    starts: int | None = None
    """Starts of the local search per batch element; by default 2."""
    exclusion: int | None = None
    """Number of trials around an incumbent from which on its neighbourhood is excluded from global search; 0 for never, by
    default 100."""


@dataclasses.dataclass(frozen=True)
class TrustRegionOptions:
    """Trust regions around the incumbents."""

    share: float | Literal["auto"] | None = None
    """Share of a Thompson batch that is maximised within trust regions; by default "auto": by what they have found recently,
    for a single objective, else 0; with memory 1."""
    policy: Policy | None = None
    """Which regions the points of a batch have; by default "memoryless": all sizes at once; "memory": a region that moves, grows and
    shrinks, with a model of its own, and begins again elsewhere."""

    def __post_init__(self) -> None:
        _check_share(self.share)


@dataclasses.dataclass(frozen=True)
class LocalModelOptions:
    """Local models around the incumbents."""

    neighbours: int | None = None
    """Observations of a neighbourhood; 0 for no local models, by default 400."""
    share: float | Literal["auto"] | None = None
    """Share of a Thompson batch that is drawn from local models; by default "auto": by what they have found recently, for a
    single objective, else 0."""

    def __post_init__(self) -> None:
        _check_share(self.share)


_SECTIONS: dict[str, type] = {
    "model": ModelOptions,
    "sampling": SamplingOptions,
    "acquisition": AcquisitionOptions,
    "trust_regions": TrustRegionOptions,
    "local_models": LocalModelOptions,
}
"""Classes of the options."""


class EngineSettings(TypedDict, total=False):
    """Keyword arguments of `spargo.Study` about models and acquisition."""

    inducing: Inducing | None
    inducing_max: int | None
    allocation: Allocation | None
    quality: QualityFunction | None
    rule: Rule | None
    replicates: Replicates | None
    model: ModelOptions | None
    sampling: SamplingOptions | None
    acquisition: AcquisitionOptions | None
    trust_regions: TrustRegionOptions | None
    local_models: LocalModelOptions | None


class StudySettings(EngineSettings, total=False):
    """Keyword arguments of `spargo.Study`."""

    constraints: Mapping[str, Any] | None
    input_constraints: Iterable[InputConstraint] | None
    name: str
    seed: int
    batch: int | None
    initial: Initial | None
    storage: str | os.PathLike[str] | None


def method_table(allocation: Allocation) -> Mapping[str, Any]:
    """An allocation as a dictionary.

    >>> method_table("cvr")
    {'method': 'cvr'}
    """
    return {"method": allocation} if isinstance(allocation, str) else allocation


def checked_settings(given: Mapping[str, Any]) -> dict[str, Any]:
    """Settings as `study.toml` has them; options must be of their class."""
    for name, kind in _SECTIONS.items():
        if given[name] is not None and not isinstance(given[name], kind):
            raise TypeError(f"{name} must be spargo.{kind.__name__}(…), not {given[name]!r}")
    settings: dict[str, Any] = to_settings(given)
    return settings


def refuse_setting(value: Any) -> Any:
    """For values that are no JSON."""
    raise TypeError(f"{value!r} of type {type(value).__name__} cannot be a setting")


def _check_share(share: Any) -> None:
    if isinstance(share, str) and share != "auto":
        raise ValueError(f'share must be a number or "auto", not {share!r}')


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _plain(one) for name, one in value.items()}
    return value.item() if isinstance(value, np.generic) else value


def to_settings(options: Any) -> Any:
    """Options as `study.toml` has them: hyphenated names, without those that are `None`.

    >>> to_settings({"local_models": LocalModelOptions(neighbours=100), "rule": None})
    {'local-models': {'neighbours': 100}}
    >>> to_settings({"fixed": {"lengthscales": {"dose_mg": 0.3}}})
    {'fixed': {'lengthscales': {'dose_mg': 0.3}}}
    """
    if isinstance(options, FixedHyperparameters):
        # Names of inputs stay as they are.
        return {field.name: _plain(getattr(options, field.name)) for field in dataclasses.fields(options)}
    if dataclasses.is_dataclass(options) and not isinstance(options, type):
        options = {field.name: getattr(options, field.name) for field in dataclasses.fields(options)}
    if isinstance(options, Mapping):
        # Names of inputs stay as they are.
        plain = {"lengthscales": _plain(options["lengthscales"])} if "lengthscales" in options else {}
        return {str(name).replace("_", "-"): to_settings(one) for name, one in options.items() if one is not None} | plain
    return options.item() if isinstance(options, np.generic) else options
