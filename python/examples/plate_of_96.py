# %% [markdown]
# # A plate of 96 wells
# A robot fills 96 wells at a time; the space is mixed, some wells are spoilt, and impurities must stay below a bound. The
# study lives in a file, so that this can be run again tomorrow, or on another machine.

# %%
import tempfile
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np

import spargo

folder = Path(tempfile.mkdtemp())
rng = np.random.default_rng(0)

study = spargo.Study(
    {
        "temperature": spargo.Real(20, 120),
        "loading": spargo.Real(0.001, 0.1, log=True),
        "equivalents": spargo.Int(1, 8),
        "catalyst": ["Pd", "Ni", "Cu"],
        "solvent": ["DMF", "THF", "MeCN", "toluene"],
    },
    objectives={"yield": "max"},
    constraints={"impurity": {"at_most": 5.0}},
    name="coupling",
    batch=96,
    initial=96,
    storage=folder / "coupling.db",
)


# %% [markdown]
# A stand-in for the robot and the chromatograph: yield and impurity in percent, or `None` if the well was spoilt.


# %%
def measure(well: dict[str, Any]) -> dict[str, float] | None:
    if rng.random() < 0.03:
        return None
    heat = np.exp(-(((well["temperature"] - 85) / 30) ** 2))
    load = np.exp(-((np.log10(well["loading"]) + 1.7) ** 2))
    metal = {"Pd": 1.0, "Ni": 0.8, "Cu": 0.4}[well["catalyst"]]
    solvent = {"DMF": 1.0, "THF": 0.7, "MeCN": 0.9, "toluene": 0.5}[well["solvent"]]
    equivalents = 1 - 0.02 * (well["equivalents"] - 4) ** 2
    impurity = 0.12 * max(0.0, well["temperature"] - 40) * (1.3 if well["solvent"] == "DMF" else 0.8)
    return {
        "yield": 100 * heat * load * metal * solvent * equivalents + rng.normal(0, 1),
        "impurity": impurity + rng.normal(0, 0.2),
    }


# %% [markdown]
# Four plates. Each could as well be written to a table for the robot: `pandas.DataFrame(w.params for w in wells)`.

# %%
for plate in range(4):
    wells = study.ask()
    study.tell(wells, [measure(well.params) for well in wells])
    best = study.best()
    print(f"plate {plate + 1}: {best.mean:5.1f} % yield with {best.params}")

assert len(study) == 4 * 96 and best.params["solvent"] == "MeCN" and best.params["catalyst"] == "Pd"

# %% [markdown]
# Predictions, importance of the inputs, and leave-one-out predictions of the impurity:

# %%
spargo.plot.best_so_far(study)
spargo.plot.slices(study, output="yield")
spargo.plot.predicted(study, output="impurity")
print({name: round(share, 2) for name, share in study.importance("yield").items()})
plt.show()

# %%
study.report(folder / "coupling.html")
study.close()

# %% [markdown]
# Tomorrow: the file has everything, for Python as for the command line (`spargo status coupling.db`).

# %%
with spargo.Study.open(folder / "coupling.db") as again:
    print(again)
