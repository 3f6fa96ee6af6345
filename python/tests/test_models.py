"""Models: units of the data, labels, paths, copies."""

from __future__ import annotations

import copy
import pickle
from typing import Any, cast

import numpy as np
import pytest

import spargo

RNG = np.random.default_rng(7)
X = RNG.random((150, 2)) * [3.0, 200.0] + [10.0, -50.0]
Y = 1e3 * np.sin(X[:, 0] * 2) + 5 * X[:, 1] + RNG.normal(0, 5, 150)
AT = RNG.random((9, 2)) * [3.0, 200.0] + [10.0, -50.0]
MODELS: list[Any] = [
    spargo.ExactGP(),
    spargo.SparseGP(inducing=60, hyperparameters="bound"),
    spargo.SparseGP(inducing=60, allocation="imp-dpp"),
    spargo.VariationalGP(inducing=40),
]


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_models_have_the_units_of_their_data(model: Any) -> None:
    model.fit(X, Y)
    assert model.score(X, Y) > 0.99
    assert 1.0 < model.noise_ < 400.0 and model.lengthscales_.shape == (2,)
    mean, std = model.predict(AT, return_std=True)
    assert np.abs(mean - (1e3 * np.sin(AT[:, 0] * 2) + 5 * AT[:, 1])).max() < 200
    assert (std > 0).all()
    observed = model.predict_observed(AT)
    assert observed.variance == pytest.approx(std**2 + model.noise_, rel=1e-6)
    # The same in other units: everything scales with them. Powers of two change no digit, so nothing is rounded otherwise.
    other = type(model)(**model.get_params()).fit(X * [2.0, 0.125], 4 * Y)
    assert other.predict(AT * [2.0, 0.125]) == pytest.approx(4 * mean, rel=1e-9)
    assert other.lengthscales_ == pytest.approx(model.lengthscales_ * [2.0, 0.125], rel=1e-9)
    assert other.noise_ == pytest.approx(16 * model.noise_, rel=1e-9)
    # Where digits change, a search ends elsewhere within its tolerance, with nearly the same model.
    shifted = type(model)(**model.get_params()).fit(X * [2.0, 0.1] + 5.0, 3 * Y - 7.0)
    assert shifted.predict(AT * [2.0, 0.1] + 5.0) == pytest.approx(3 * mean - 7.0, rel=1e-3, abs=2.0)
    assert shifted.noise_ == pytest.approx(9 * model.noise_, rel=0.05)


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_models_are_the_same_at_their_own_hyperparameters(model: Any) -> None:
    model.fit(X, Y)
    known = {name: getattr(model, f"{name}_") for name in ("variance", "lengthscales", "noise", "mean")}
    if hasattr(model, "inducing"):
        known["inducing"] = model.inducing_points_
    twin = type(model)(**{**model.get_params(), **known}).fit(X, Y, optimize=False)
    objective = "log_marginal_likelihood" if isinstance(model, spargo.ExactGP) else "elbo"
    assert getattr(twin, objective)() == pytest.approx(getattr(model, objective)(), rel=1e-6)
    for found, expected in zip(twin.predict(AT, return_std=True), model.predict(AT, return_std=True)):
        assert found == pytest.approx(expected, rel=1e-5, abs=1e-3)


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_paths_are_functions_with_gradients(model: Any) -> None:
    model.fit(X, Y)
    mean, std = model.predict(AT, return_std=True)
    paths = model.sample_paths(400, seed=3)
    values = paths(AT)
    assert values.shape == (9, 400)
    assert (np.abs(values.mean(axis=1) - mean) < 6 * values.std(axis=1) / np.sqrt(400)).all()
    # Paths share frequencies by the hundred, around whose average their variances scatter.
    assert np.log(values.std(axis=1) / std) == pytest.approx(np.zeros(9), abs=np.log(1.6))
    path = paths[17]
    assert path(AT) == pytest.approx(values[:, 17], rel=1e-9)
    gradient = path.gradient(AT)
    for k, step in enumerate([1e-4, 1e-2]):
        shift = step * np.eye(2)[k]
        slope = (path(AT + shift) - path(AT - shift)) / (2 * step)
        assert gradient[:, k] == pytest.approx(slope, rel=1e-4, abs=1e-4 * np.abs(slope).max())
    assert model.sample_paths(400, seed=3)(AT) == pytest.approx(values)
    assert np.abs(model.sample_paths(400, seed=4)(AT) - values).max() > 0


@pytest.mark.parametrize("model", [*MODELS, spargo.VariationalGP(inducing=20, likelihood="bernoulli")], ids=repr)
def test_models_are_pickled_and_copied(model: Any) -> None:
    unfitted = pickle.loads(pickle.dumps(type(model)(**model.get_params())))
    assert unfitted.get_params() == model.get_params() and not hasattr(unfitted, "noise_")
    model.fit(X, Y > 0 if getattr(model, "likelihood", "") == "bernoulli" else Y)
    for twin in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), copy.copy(model)):
        for found, expected in zip(twin.predict(AT, return_std=True), model.predict(AT, return_std=True)):
            assert found == pytest.approx(expected, rel=1e-9)
        assert twin.report_ == model.report_ and repr(twin) == repr(model)
        assert twin.sample_paths(2, seed=1)(AT) == pytest.approx(model.sample_paths(2, seed=1)(AT), rel=1e-6)
    for part in (model.posterior, model.sample_paths(2), model.sample_paths(2)[0]):
        with pytest.raises(TypeError, match="the study or model"):
            pickle.dumps(part)


def test_z_at_the_data_is_the_exact_model() -> None:
    known: dict[str, Any] = {"variance": 2.0, "lengthscales": [0.5, 40.0], "noise": 0.1, "mean": 0.3}
    y = np.sin(X[:, 0]) + X[:, 1] / 100
    exact = spargo.ExactGP(**known).fit(X, y, optimize=False)
    sparse = spargo.SparseGP(**known, inducing=X).fit(X, y, optimize=False)
    variational = spargo.VariationalGP(**known, inducing=X).fit(X, y, optimize=False)
    for model in (sparse, variational):
        assert model.elbo() == pytest.approx(exact.log_marginal_likelihood(), abs=1e-3)
        assert model.predict(AT) == pytest.approx(exact.predict(AT), abs=1e-5)


def test_labels_have_probabilities() -> None:
    x = RNG.random((300, 1))
    labels = x[:, 0] > 0.4
    model = spargo.VariationalGP(likelihood="bernoulli", inducing=30).fit(x, labels)
    ones, std = model.predict([[0.1], [0.8]], return_std=True)
    assert ones[0] < 0.1 and ones[1] > 0.9
    assert std**2 == pytest.approx(ones * (1 - ones))
    assert model.predict_proba([[0.1]]) == pytest.approx(np.array([[1 - ones[0], ones[0]]]))
    latent = model.posterior.predict(np.array([[0.1], [0.8]])).mean
    assert latent[0] < 0 < latent[1]
    with pytest.raises(spargo.SpargoError):
        spargo.VariationalGP(likelihood="bernoulli").fit(x, x[:, 0])
    with pytest.raises(AttributeError):
        spargo.VariationalGP().predict_proba


def test_fixed_hyperparameters_are_not_learned() -> None:
    model = spargo.SparseGP(noise=25.0, lengthscales=2.0, inducing=30).fit(X, Y)
    assert model.noise_ == 25.0 and model.lengthscales_.tolist() == [2.0, 2.0]
    assert model.variance_ > 1e3


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: spargo.ExactGP(kernel="cubic").fit(X, Y), "kernel: unknown variant `cubic`"),
        (lambda: spargo.ExactGP(noise=-1.0).fit(X, Y), "noise = -1 must be positive"),
        (lambda: spargo.ExactGP(lengthscales=[1.0, 2.0, 3.0]).fit(X, Y), "length scales has 3 but 2"),
        (lambda: spargo.ExactGP(hyperparameters="luck").fit(X, Y), "must be one of"),
        (lambda: spargo.ExactGP(hyperparameters="elbo").fit(X, Y), "needs inducing points"),
        (lambda: spargo.ExactGP(hyperparameters="bound").fit(X, Y), "needs inducing points"),
        (lambda: spargo.ExactGP(variance=np.nan).fit(X, Y), "variance = nan must be finite"),
        (lambda: spargo.ExactGP(lengthscales=[[1.0, 2.0]]).fit(X, Y), "lengthscales"),
        (lambda: spargo.ExactGP().fit(X.astype(str), Y), "needs numbers"),
        (lambda: spargo.SparseGP(inducing=0).fit(X, Y), "number of inducing points"),
        (lambda: spargo.SparseGP(inducing=X[:, :1]).fit(X, Y), "inducing point has 1 but 2"),
        (lambda: spargo.SparseGP(allocation=cast(Any, "luck")).fit(X, Y), "allocation.method: unknown variant `luck`"),
        (lambda: spargo.ExactGP().set_params(colour=1), "no parameter"),
        (lambda: spargo.ExactGP().fit(X, Y).predict(AT[:, :1]), "expecting 2 features"),
    ],
)
def test_errors_name_their_cause(make: Any, message: str) -> None:
    with pytest.raises(ValueError) as refused:
        make()
    assert message in str(refused.value)


def test_models_work_without_scikit_learn() -> None:
    import subprocess
    import sys

    code = """
        import sys
        sys.modules["sklearn"] = None
        import numpy as np, spargo
        try:
            spargo.ExactGP().predict([[0.0]])
        except AttributeError as error:
            assert "not fitted" in str(error)
        assert spargo.ExactGP().fit(np.eye(3), [0, 1, 2]).predict(np.eye(3)).shape == (3,)
        assert not [name for name in sys.modules if name.split(".")[0] in ("pandas", "matplotlib", "scipy", "sklearn")
                    and sys.modules[name] is not None]
        """
    import textwrap

    subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=True)
