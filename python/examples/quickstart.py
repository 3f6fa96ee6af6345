# %% [markdown]
# # Quickstart
# A function of parameters by name, a space, and a budget of trials.

# %%
import math
import random
from typing import Any

import matplotlib.pyplot as plt

import spargo

random.seed(0)


def brew(params: dict[str, Any]) -> float:
    """How good the tea is; no two cups are the same."""
    heat = -(((params["temperature"] - 82) / 9) ** 2)
    time = -(math.log(params["minutes"] / 3.5) ** 2)
    leaf = {"sencha": 0.6, "assam": 0.0, "oolong": 0.3}[params["leaf"]]
    return float(5 + heat + time + leaf + random.gauss(0, 0.1))


study = spargo.maximize(
    brew,
    {
        "temperature": spargo.Real(60, 100),
        "minutes": spargo.Real(0.5, 20, log=True),
        "leaf": spargo.Choice(["sencha", "assam", "oolong"]),
    },
    budget=120,
)

# %% [markdown]
# The best point by posterior mean, which a lucky cup does not mislead, and its central 95 % interval:

# %%
best = study.best()
print(best.params)
print(f"{best.mean:.2f}, within {best.interval[0]:.2f} and {best.interval[1]:.2f}")

assert best.params["leaf"] == "sencha" and abs(best.params["temperature"] - 82) < 5

# %% [markdown]
# Figures, one call each; `study.report("tea.html")` writes a page with all of them.

# %%
spargo.plot.best_so_far(study)
spargo.plot.slices(study)
spargo.plot.predicted(study)
plt.show()

# %% [markdown]
# By hand, if the cups are brewed elsewhere: ask for points, tell their outcomes, in any order.

# %%
study = spargo.Study({"temperature": (60.0, 100.0), "minutes": (0.5, 20.0, "log")}, "max", initial=10, batch=5)
for _ in range(4):
    trials = study.ask()
    study.tell(trials, [brew({**trial.params, "leaf": "oolong"}) for trial in trials])
print(study)
