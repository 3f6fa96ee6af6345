# %% [markdown]
# # A quality of your own
# A sparse model sees its data through inducing points. `spargo.allocate` chooses them among the data: diverse, and where a
# quality says that accuracy matters. Here we care about a function near the places where it crosses 1.

# %%
import matplotlib.pyplot as plt
import numpy as np
import numpy.typing as npt

import spargo

Array = npt.NDArray[np.float64]
rng = np.random.default_rng(0)


def f(X: Array) -> Array:
    return np.asarray(2 * np.sin(9 * X[:, 0] ** 2) * np.cos(4 * X[:, 1]))


X = rng.random((4000, 2))
y = f(X) + rng.normal(0, 0.1, len(X))

# %% [markdown]
# A first model of few points says where that roughly is. The quality is a number for each row, none negative: an array, or a
# function of X that returns one.

# %%
first = spargo.SparseGP(inducing=40, allocate="kmeans").fit(X, y)


def near_one(X: Array) -> Array:
    mean, std = first.predict(X, return_std=True)
    return np.exp(-0.5 * (mean - 1) ** 2 / (0.05 + std**2))


rows = {
    "cover": spargo.allocate(X, 60, kernel=first),
    "near 1": spargo.allocate(X, 60, kernel=first, quality=near_one),
}

# %% [markdown]
# The same 60 points, spent where they matter, judge better whether the function is above 1 in the close cases:

# %%
test = rng.random((4000, 2))
close = abs(f(test) - 1) < 0.2
errors = {}
for name, chosen in rows.items():
    model = spargo.SparseGP(inducing=X[chosen]).fit(X, y)
    errors[name] = float(np.sqrt(np.mean((model.predict(test[close]) - f(test[close])) ** 2)))
    print(f"{name}: error {errors[name]:.4f} where f is near 1")

assert errors["near 1"] < errors["cover"]

# %%
figure, axes = plt.subplots(1, 2, figsize=(8, 4), sharey=True)
grid = np.stack(np.meshgrid(np.linspace(0, 1, 101), np.linspace(0, 1, 101)), axis=-1)
for ax, (name, chosen) in zip(axes, rows.items()):
    ax.contour(grid[..., 0], grid[..., 1], f(grid.reshape(-1, 2)).reshape(101, 101), [1.0], colors="#d9791a")
    ax.plot(X[chosen, 0], X[chosen, 1], "x", color="#2f6fb0")
    ax.set_title(name)
plt.show()
