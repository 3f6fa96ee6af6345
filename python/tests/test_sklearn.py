"""Models pass scikit-learn's own checks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import spargo

sklearn = pytest.importorskip("sklearn")
from sklearn.utils.estimator_checks import parametrize_with_checks  # noqa: E402

MODELS = [spargo.ExactGP(), spargo.SparseGP(inducing=40), spargo.VariationalGP(inducing=20)]


@pytest.mark.filterwarnings("ignore:Estimator .* does not inherit")
@parametrize_with_checks(MODELS)  # type: ignore[untyped-decorator]
def test_scikit_learns_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def test_models_work_in_pipelines_and_searches() -> None:
    from sklearn.base import clone
    from sklearn.model_selection import GridSearchCV, cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    rng = np.random.default_rng(0)
    X = rng.random((120, 2))
    y = np.sin(6 * X[:, 0]) + X[:, 1] ** 2
    assert cross_val_score(make_pipeline(StandardScaler(), spargo.ExactGP()), X, y, cv=3).min() > 0.95
    search = GridSearchCV(spargo.SparseGP(inducing=20), {"kernel": ["matern12", "rbf"]}, cv=3).fit(X, y)
    assert search.best_params_ == {"kernel": "rbf"}
    copied = clone(spargo.SparseGP(lengthscales=[0.5, 1.0], inducing=X[:5]))
    assert copied.fit(X, y).lengthscales_.tolist() == [0.5, 1.0]
