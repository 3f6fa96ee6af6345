"""Makes docs/python.png: a run on a noisy function of six inputs, in the four pictures of `spargo.plot`.

    python scripts/picture.py          # with spargo and matplotlib installed
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt
import numpy as np

import spargo

BUDGET, NOISE = 600, 0.1


def main() -> None:
    hartmann = spargo.problems.hartmann6
    rng = np.random.default_rng(0)

    def observe(params: dict[str, Any]) -> float:
        return float(hartmann([list(params.values())])[0]) + rng.normal(0, NOISE)

    sparse = spargo.ModelOptions(exact_until=0)
    study = spargo.minimize(
        observe, dict(hartmann.space), BUDGET, batch=50, initial=100, inducing=60, model=sparse, progress=True
    )
    first, second = list(study.importance())[:2]
    figure, axes = plt.subplots(2, 2, figsize=(9, 6.4), layout="constrained")
    spargo.plot.best_so_far(study, ax=axes[0, 0]).set_ylabel("hartmann6 with noise")
    spargo.plot.predicted(study, ax=axes[0, 1])
    spargo.plot.inducing_points(study, [first, second], ax=axes[1, 0])
    slice_of(study, first, axes[1, 1])
    figure.savefig(Path(__file__).parent.parent / "docs" / "python.png", dpi=110)
    print(study.best().mean, "where the least is", hartmann.minimum)


def slice_of(study: spargo.Study, name: str, ax: Any) -> None:
    """One slice alongside the other pictures."""
    spargo.plot.slices(study, [name], ax=ax)
    ax.set_ylabel("hartmann6")


if __name__ == "__main__":
    main()
