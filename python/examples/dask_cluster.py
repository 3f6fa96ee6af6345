# %% [markdown]
# # A Dask cluster
# The same code runs on a laptop and on a hundred machines: only the cluster differs. `LocalCluster` starts workers here;
# `dask_jobqueue.SLURMCluster`, `dask_kubernetes` and others start them elsewhere. The workers need spargo installed, too.

# %%
import time
from typing import Any

from distributed import Client, LocalCluster

import spargo


def simulate(params: dict[str, Any]) -> float:
    """A simulation of varying duration that sometimes fails."""
    time.sleep(0.02 + 0.05 * params["x"])
    if params["x"] > 0.95:
        raise RuntimeError("the mesh is broken")
    return float(-((params["x"] - 0.3) ** 2) - (params["y"] - 0.7) ** 2)


# %% [markdown]
# A new point is asked for whenever a worker is idle: from a fresh path through the last model, with all pending
# points taken into account. The model is fitted again after every 20 outcomes. Exceptions are failed trials. When a worker dies, Dask tries
# its trial elsewhere; a trial that kills several workers is a failed one. Workers may come and go meanwhile.


# %%
def main() -> None:
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        study = spargo.Study({"x": (0.0, 1.0), "y": (0.0, 1.0)}, initial=20, batch=20)
        study.optimize(simulate, budget=80, executor=client.get_executor(), refit_every=20)
    print(study)
    print(study.best().params)
    assert abs(study.best().params["x"] - 0.3) < 0.1 and len(study) == 80


if __name__ == "__main__":
    main()
