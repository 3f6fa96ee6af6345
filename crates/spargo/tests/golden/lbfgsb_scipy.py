"""Writes lbfgsb_scipy.json: what SciPy's L-BFGS-B makes of the problems in tests/optimize.rs, and
the steps its line search tries on the functions in the tests of line_search.rs.

Run from any directory with SciPy installed: python lbfgsb_scipy.py
"""

import json
import pathlib

import numpy as np
import scipy
from scipy.optimize import minimize
from scipy.optimize._dcsrch import DCSRCH

OPTIONS = {"maxcor": 10, "ftol": 1e-12, "gtol": 1e-8, "maxiter": 2000, "maxfun": 5000}


def rosenbrock(x):
    """Extended Rosenbrock over consecutive variables."""
    a, b = x[:-1], x[1:]
    gradient = np.zeros_like(x)
    gradient[:-1] = -400 * a * (b - a**2) - 2 * (1 - a)
    gradient[1:] += 200 * (b - a**2)
    return np.sum(100 * (b - a**2) ** 2 + (1 - a) ** 2), gradient


def beale(x):
    a, b = x
    residuals = np.array([1.5 - a + a * b, 2.25 - a + a * b**2, 2.625 - a + a * b**3])
    jacobian = np.array([[b - 1, a], [b**2 - 1, 2 * a * b], [b**3 - 1, 3 * a * b**2]])
    return residuals @ residuals, 2 * residuals @ jacobian


def quadratic(x):
    """Condition 1e4, eigenvectors turned by a Householder reflection, centre beyond the box."""
    d = len(x)
    i = np.arange(d)
    v = np.sin(i + 1.0)
    v /= np.linalg.norm(v)
    eigenvalues = 10.0 ** (4 * i / (d - 1))
    centred = x - 1.5 * np.cos(2.0 * i)
    turned = centred - 2 * v * (v @ centred)
    scaled = eigenvalues * turned
    return 0.5 * turned @ scaled, scaled - 2 * v * (v @ scaled)


def trigonometric(x):
    """Non-convex: every variable is tied to the sum of all cosines (Spedicato 1975)."""
    d = len(x)
    k = np.arange(1, d + 1)
    r = d - np.sum(np.cos(x)) + k * (1 - np.cos(x)) - np.sin(x)
    gradient = 2 * np.sum(r) * np.sin(x) + 2 * r * (k * np.sin(x) - np.cos(x))
    return r @ r, gradient


def box(lower, upper, d):
    return [[lower, upper]] * d


PROBLEMS = [
    ("rosenbrock", [-1.2, 1.0], box(None, None, 2)),
    ("rosenbrock", [-1.2, 1.0], [[-1.5, 0.8], [-0.5, 2.0]]),
    ("quadratic", [0.0] * 10, box(-1.0, 1.0, 10)),
    ("quadratic", [0.9, -0.9] * 5, [[-1.0, None], [None, 0.7]] * 5),
    ("beale", [1.0, 1.0], box(-4.5, 4.5, 2)),
    ("beale", [-3.0, -2.0], box(-4.5, 4.5, 2)),
    ("rosenbrock", [-1.2, 1.0] * 25, box(None, None, 50)),
    ("rosenbrock", [-1.2, 1.0] * 25, [[-2.0, 2.0], [-2.0, 0.9]] * 25),
    ("rosenbrock", [3.0] * 50, [[1.0, 100.0], [-100.0, 100.0]] * 25),
    ("trigonometric", [0.02] * 50, box(None, None, 50)),
    ("trigonometric", [0.5] * 50, [[0.1, None], [-3.0, 3.0]] * 25),
]


def solve(name, start, bounds):
    result = minimize(
        globals()[name], np.array(start), jac=True, method="L-BFGS-B", bounds=bounds, options=OPTIONS
    )
    active = sum(x in (l, u) for x, (l, u) in zip(result.x, bounds))
    print(f"{name:14} d={len(start):3} f={result.fun:.12g} nfev={result.nfev} active={active}")
    return {
        "function": name,
        "start": start,
        "lower": [l for l, _ in bounds],
        "upper": [u for _, u in bounds],
        "fun": float(result.fun),
        "x": result.x.tolist(),
        "nfev": result.nfev,
    }


def rational(t):
    return -t / (t * t + 2), (t * t - 2) / (t * t + 2) ** 2


def two_roots(t):
    a, b = np.sqrt(1 + 1e-6 + (1 - t) ** 2), np.sqrt(1e-6 + t * t)
    return 1e-3 * a + b - 2e-3 * t, -1e-3 * (1 - t) / a + t / b - 2e-3


def wavy(t):
    return -t / 20 + np.cos(3 * t) / 5, -1 / 20 - 0.6 * np.sin(3 * t)


def quartic(t):
    return (t - 3) ** 4 / 8 - 5 * t, (t - 3) ** 3 / 2 - 5


def cliff(t):
    """Falls too slowly for a sufficient decrease, then rises: only the auxiliary function sees it."""
    return -2e-4 * t - t / (1 + 1e4 * t) + 1e-5 * t**4, -2e-4 - 1 / (1 + 1e4 * t) ** 2 + 4e-5 * t**3


def hinge(t):
    s = t - 1
    root = np.sqrt(s * s + 1e-6)
    return -t + 10 * (s + root), -1 + 10 * (1 + s / root)


def bent(t):
    """Slopes -1, then nearly flat: secants overshoot what is beyond."""
    return -np.tanh(t) + 1e-3 * (t - 4) ** 4, -1 / np.cosh(t) ** 2 + 4e-3 * (t - 4) ** 3


def search(name, first):
    """The steps tried, at most 20, and whether the last satisfies the strong Wolfe conditions."""
    phi = globals()[name]
    state = DCSRCH(None, None, ftol=1e-3, gtol=0.9, xtol=0.1, stpmin=0.0, stpmax=1e10)
    step, _, _, task = state._iterate(first, *phi(0.0), b"START")
    steps = []
    while task[:2] == b"FG" and len(steps) < 20:
        steps.append(float(step))
        step, _, _, task = state._iterate(step, *phi(step), task)
    if task[:4] == b"WARN":
        steps.pop()  # the best step once more, which was evaluated before
    print(f"{name:14} from {first}: {task.decode()} after {len(steps)}")
    return {"function": name, "steps": steps, "converged": task[:4] == b"CONV"}


problems = [solve(*problem) for problem in PROBLEMS]
firsts = [1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0]
names = ["rational", "two_roots", "wavy", "quartic", "cliff", "hinge", "bent"]
searches = [search(name, first) for name in names for first in firsts]
golden = {"scipy": scipy.__version__, "options": OPTIONS, "problems": problems, "searches": searches}
path = pathlib.Path(__file__).with_suffix(".json")
path.write_text(json.dumps(golden, indent=1) + "\n")
