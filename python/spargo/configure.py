"""Settings that change in mid-campaign: trials stay, and are seen as the new settings see them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from .changes import Change, named
from .codec import Codec
from .corrections import Corrections, author
from .input_constraints import InputConstraint, forms_of
from .options import (
    AcquisitionOptions,
    Allocation,
    Inducing,
    Initial,
    LocalModelOptions,
    ModelOptions,
    Replicates,
    Rule,
    SamplingOptions,
    TrustRegionOptions,
    checked_settings,
    refuse_setting,
)
from .outputs import changed_outputs
from .quality import QualityFunction, check_quality
from .space import Space, SpaceLike


class Configurable(Corrections):
    """How the settings of a study change."""

    _quality: QualityFunction | None

    def configure(
        self,
        *,
        space: SpaceLike | None = None,
        past: Mapping[str, Any] | None = None,
        objectives: str | Mapping[str, Any] | None = None,
        constraints: Mapping[str, Any] | None = None,
        input_constraints: Iterable[InputConstraint] | None = None,
        name: str | None = None,
        seed: int | None = None,
        batch: int | None = None,
        initial: Initial | None = None,
        inducing: Inducing | None = None,
        inducing_max: int | None = None,
        allocation: Allocation | None = None,
        quality: QualityFunction | None = None,
        rule: Rule | None = None,
        replicates: Replicates | None = None,
        model: ModelOptions | None = None,
        sampling: SamplingOptions | None = None,
        acquisition: AcquisitionOptions | None = None,
        trust_regions: TrustRegionOptions | None = None,
        local_models: LocalModelOptions | None = None,
        reason: str = "changed in Python",
    ) -> list[Change]:
        """Changes settings of a study that has begun; returns what differs, as `history()` has it.

        The arguments are those of `Study`. Whatever is `None`, also among options, stays as it is, and so do inputs, objectives
        and constraints that are not named; a goal that is only a word is the single objective's. Ranges may become wider
        or narrower, choices and inputs may be added; trials outside a range are used, but not recommended. A table of
        candidates replaces the one before, and a list of `input_constraints` the list before; `[]` is none of them. An input keeps
        its condition, unless it is given another one, or with `when={}` none.

        `past` has the values that past trials had of inputs that are new. What cannot change, such as the names of outputs, is
        refused with a way that keeps the data. A `quality` replaces the allocation, and an `allocation` the quality.

        >>> import spargo
        >>> study = spargo.Study({"x": (0.0, 1.0)}, batch=4)
        >>> _ = study.add({"x": [0.1, 0.2]}, [1.0, 2.0])
        >>> [change["what"] for change in study.configure(batch=8, space={"n": (1, 3)}, past={"n": 2}, reason="a new stirrer")]
        ['batch', 'space.inputs.n']
        >>> study.batch, study.trial(1).params
        (8, {'x': 0.1, 'n': 2})
        """
        check_quality(quality, allocation)
        inputs = Space({} if space is None else space)
        settings = checked_settings(
            {
                "name": name,
                "seed": seed,
                "batch": batch,
                "initial": initial,
                "inducing": inducing,
                "inducing_max": inducing_max,
                "allocation": allocation,
                "rule": rule,
                "replicates": replicates,
                "model": model,
                "sampling": sampling,
                "acquisition": acquisition,
                "trust_regions": trust_regions,
                "local_models": local_models,
            }
        )
        if input_constraints is not None:
            settings["input-constraints"] = forms_of(input_constraints)
        if outputs := changed_outputs(self._config["outputs"], objectives, constraints):
            settings["outputs"] = outputs
        specs = inputs.specs(self._checked_past(past or {}, inputs))
        text = json.dumps(settings, default=refuse_setting)
        changes = self._inner.configure(text, specs, inputs.rows(), inputs.row_labels(), quality, reason, author())
        if quality is not None or allocation is not None:
            self._quality = quality
        labels = {name: values for name, values in self._codec.labels.items() if name not in inputs.dimensions}
        self._codec = Codec.of(self._config, labels | inputs.labels())
        return named(changes)

    def _checked_past(self, past: Mapping[str, Any], inputs: Space) -> Mapping[str, Any]:
        for name in past:
            if name in self._codec.inputs:
                raise ValueError(f"past names {name!r}, which is no new input: past trials have their own values of it")
            if name not in inputs.dimensions:
                raise ValueError(f"past names {name!r}: give the new input by space={{{name!r}: …}}")
        return past
