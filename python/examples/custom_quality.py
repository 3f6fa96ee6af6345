# %% [markdown]
# # A quality of your own
# A sparse model sees its data through inducing points. `spargo.allocate` chooses them among the data: diverse, and where a
# quality says that accuracy matters. Here a machine is run around one point, and what happens far from it is of less interest.

# %%
import matplotlib.pyplot as plt
import numpy as np
import numpy.typing as npt

import spargo

Array = npt.NDArray[np.float64]
rng = np.random.default_rng(0)
OPERATION = np.array([0.7, 0.4])


def f(X: Array) -> Array:
    return np.asarray(np.sin(20 * X[:, 0]) * np.cos(16 * X[:, 1]))


X = rng.random((2000, 2))
y = f(X) + rng.normal(0, 0.1, len(X))

# %% [markdown]
# A first model learns the kernel. The quality is a number for each row, none negative: an array, or a function of X that
# returns one.

# %%
first = spargo.SparseGP(inducing=60, allocation="kmeans").fit(X, y)


def quality(X: Array) -> Array:
    """Fifty times as much around the point of operation as far from it."""
    return np.asarray(0.02 + np.exp(-np.sum((X - OPERATION) ** 2, axis=1) / (2 * 0.1**2)))


rows = {
    "cover": spargo.allocate(X, 60, kernel=first),
    "around the point": spargo.allocate(X, 60, kernel=first, quality=quality),
}

# %% [markdown]
# The same 60 points, spent where they matter. The kernel is the first model's, so that nothing differs but the points:

# %%
test = rng.random((4000, 2))
close = np.linalg.norm(test - OPERATION, axis=1) < 0.15
errors = {}
for name, chosen in rows.items():
    model = spargo.SparseGP(
        inducing=X[chosen],
        variance=first.variance_,
        lengthscales=first.lengthscales_,
        noise=first.noise_,
        mean=first.mean_,
    ).fit(X, y, optimize=False)
    error = model.predict(test) - f(test)
    errors[name] = float(np.sqrt(np.mean(error[close] ** 2)))
    print(f"{name}: error {errors[name]:.3f} near the point, {np.sqrt(np.mean(error[~close] ** 2)):.3f} elsewhere")

assert errors["around the point"] < errors["cover"]

# %%
figure, axes = plt.subplots(1, 2, figsize=(8, 4), sharey=True)
for ax, (name, chosen) in zip(axes, rows.items()):
    ax.plot(X[:, 0], X[:, 1], ".", color="#dddddd", markersize=3)
    ax.plot(X[chosen, 0], X[chosen, 1], "x", color="#2f6fb0")
    ax.plot(*OPERATION, "o", color="#d9791a")
    ax.set_title(name)
plt.show()
