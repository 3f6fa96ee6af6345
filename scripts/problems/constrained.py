#!/usr/bin/env python3
"""Problems with input constraints or conditional inputs and a known minimum, each also without them, for `spargo-lab`.

    spargo-lab compare --settings default --seeds 1 --budget 300 \
        --problems 'command:python3 scripts/problems/constrained.py --function simplex10 --seed 0' \
        --problems 'command:python3 scripts/problems/constrained.py --function simplex10 --seed 0 --form free'

    simplex10         a mixture of 10 that sums to 1: a quadratic by seed, whose minimum may be on a face
    simplex10-digits  the same in steps of 0.001
    g01               13 inputs, 9 inequalities: Floudas & Pardalos 1990, as g01 in Liang et al. 2006
    hs86              5 inputs, 10 inequalities: Colville 1968, number 86 of Hock & Schittkowski 1981; inputs to 1
    hs112             10 inputs, 3 equations: chemical equilibrium, number 112 of Hock & Schittkowski 1981; inputs to 2
    branches          two inputs, and three or four more of one of two branches: a bowl, or Hartmann's function of 6

The form `free` writes each point by inputs from 0 to 1 without constraints: mixtures by breaking a stick, so that
uniform inputs are uniform mixtures (rounded to steps afterwards); g01 and hs112 input by input, each a share of what
those before it leave, equations solved for the last ones; hs86 by rays from a point inside to the border. That of
`branches` is the better branch alone. Mixtures have a form `shares` as well: 10 inputs, divided by their sum.

Regret is in standard deviations of the function over 10,000 points of the free form.
"""

import argparse
import heapq
import json
import math
import random
import statistics
import sys

SAMPLE = 10_000
"""Points from which mean and standard deviation are estimated."""


class Simplex:
    """Σ wₖ (xₖ − tₖ)² over mixtures of 10."""

    DIMENSION = 10
    STEPS = 1000

    def __init__(self, seed, stepped):
        rng = random.Random(seed)
        self.weights = [10 ** rng.uniform(-0.5, 0.5) for _ in range(self.DIMENSION)]
        drawn = [rng.expovariate(1.0) for _ in range(self.DIMENSION)]
        # A mixture that is moved about: where the sum takes it back, some components are 0.
        self.centre = [v / sum(drawn) + rng.gauss(0, 0.05) for v in drawn]
        self.stepped = stepped
        inputs = [{"name": f"x{k + 1}", "real": [0, 1]} | ({"digits": 3} if stepped else {}) for k in range(10)]
        names = [one["name"] for one in inputs]
        self.space = {"inputs": inputs, "input-constraints": [{"sum": names, "equals": 1}]}
        self.free = self.DIMENSION - 1
        self.minimum = self.value(self.best_steps() if stepped else self.best())

    def value(self, x):
        return sum(w * (v - t) ** 2 for w, v, t in zip(self.weights, x, self.centre))

    def best(self):
        """The mixture with one slope for all components but those that are 0, which have a larger one."""
        low, high = -10.0, 10.0
        for _ in range(200):
            slope = (low + high) / 2
            x = [max(0.0, t + slope / (2 * w)) for t, w in zip(self.centre, self.weights)]
            low, high = (low, slope) if sum(x) > 1 else (slope, high)
        return [v / sum(x) for v in x]

    def best_steps(self):
        """One step after the other to where it costs least: exact, as costs are convex and add up."""
        cost = [lambda i, w=w, t=t: w * (i / self.STEPS - t) ** 2 for w, t in zip(self.weights, self.centre)]
        counts = [0] * self.DIMENSION
        heap = [(cost[k](1) - cost[k](0), k) for k in range(self.DIMENSION)]
        heapq.heapify(heap)
        for _ in range(self.STEPS):
            _, k = heapq.heappop(heap)
            counts[k] += 1
            heapq.heappush(heap, (cost[k](counts[k] + 1) - cost[k](counts[k]), k))
        return [count / self.STEPS for count in counts]

    def written(self, u):
        x, left = [], 1.0
        for k, share in enumerate(u):
            x.append(left * (1 - (1 - share) ** (1 / (self.DIMENSION - 1 - k))))
            left -= x[-1]
        return self.rounded([*x, max(left, 0.0)])

    def shared(self, u):
        return self.rounded([v / sum(u) if any(u) else 0.1 for v in u])

    def rounded(self, x):
        if not self.stepped:
            return x
        counts = [math.floor(v * self.STEPS) for v in x]
        most = sorted(range(self.DIMENSION), key=lambda k: counts[k] - x[k] * self.STEPS)
        for k in most[: self.STEPS - sum(counts)]:
            counts[k] += 1
        return [count / self.STEPS for count in counts]


def linear(terms, **limit):
    """An input constraint: terms are {number of the input: coefficient}."""
    return {"sum": {f"x{k}": c for k, c in terms.items()}} | {key.replace("_", "-"): v for key, v in limit.items()}


def reals(bounds):
    return [{"name": f"x{k + 1}", "real": list(ends)} for k, ends in enumerate(bounds)]


class G01:
    free = 13
    minimum = -15.0

    def __init__(self):
        sums = [{1: 2, 2: 2, 10: 1, 11: 1}, {1: 2, 3: 2, 10: 1, 12: 1}, {2: 2, 3: 2, 11: 1, 12: 1}]
        differences = [{1: -8, 10: 1}, {2: -8, 11: 1}, {3: -8, 12: 1}]
        differences += [{4: -2, 5: -1, 10: 1}, {6: -2, 7: -1, 11: 1}, {8: -2, 9: -1, 12: 1}]
        constraints = [linear(terms, at_most=10) for terms in sums]
        constraints += [linear(terms, at_most=0) for terms in differences]
        bounds = [(0, 1)] * 9 + [(0, 100)] * 3 + [(0, 1)]
        self.space = {"inputs": reals(bounds), "input-constraints": constraints}

    def value(self, x):
        return 5 * sum(v - v * v for v in x[:4]) - sum(x[4:])

    def written(self, u):
        x = list(u)
        x[9] = u[9] * min(8 * x[0], 2 * x[3] + x[4], 10 - 2 * x[0] - 2 * x[1], 10 - 2 * x[0] - 2 * x[2])
        x[10] = u[10] * min(8 * x[1], 2 * x[5] + x[6], 10 - 2 * x[0] - 2 * x[1] - x[9], 10 - 2 * x[1] - 2 * x[2])
        left = min(10 - 2 * x[0] - 2 * x[2] - x[9], 10 - 2 * x[1] - 2 * x[2] - x[10])
        x[11] = u[11] * min(8 * x[2], 2 * x[7] + x[8], left)
        return x


class Hs86:
    free = 5
    minimum = -32.348678965
    E = [-15, -27, -36, -18, -12]
    C = [
        [30, -20, -10, 32, -10],
        [-20, 39, -6, -31, 32],
        [-10, -6, 10, -6, -10],
        [32, -31, -6, 39, -20],
        [-10, 32, -10, -20, 30],
    ]
    D = [4, 8, 10, 6, 2]
    A = [
        [-16, 2, 0, 1, 0],
        [0, -2, 0, 0.4, 2],
        [-3.5, 0, 2, 0, 0],
        [0, -2, 0, -4, -1],
        [0, -9, -2, 1, -2.8],
        [2, 0, -4, 0, 0],
        [-1, -1, -1, -1, -1],
        [-1, -2, -3, -2, -1],
        [1, 2, 3, 4, 5],
        [1, 1, 1, 1, 1],
    ]
    B = [-40, -2, -0.25, -4, -4, -1, -40, -60, 5, 1]
    INSIDE = [0.15, 0.1, 0.23, 0.5, 0.6]

    def __init__(self):
        rows = [{k + 1: c for k, c in enumerate(row) if c} for row in self.A]
        constraints = [linear(row, at_least=b) for row, b in zip(rows, self.B)]
        self.space = {"inputs": reals([(0, 1)] * 5), "input-constraints": constraints}
        # a·x ≥ b, ranges among them.
        unit = [[float(k == j) for j in range(5)] for k in range(5)]
        self.rows = list(zip(self.A, self.B)) + [(e, 0) for e in unit] + [([-v for v in e], -1) for e in unit]

    def value(self, x):
        squares = sum(c * a * b for row, a in zip(self.C, x) for c, b in zip(row, x))
        return sum(e * v for e, v in zip(self.E, x)) + squares + sum(d * v**3 for d, v in zip(self.D, x))

    def written(self, u):
        """As far towards the border as the point is towards that of its cube."""
        v = [2 * t - 1 for t in u]
        size = max(map(abs, v))
        gauge = max(
            -sum(a * d for a, d in zip(row, v)) / (sum(a * c for a, c in zip(row, self.INSIDE)) - b)
            for row, b in self.rows
        )
        return [c + d * (size / gauge if gauge > 0 else 0.0) for c, d in zip(self.INSIDE, v)]


class Hs112:
    free = 7
    minimum = -47.76109085936586
    C = [-6.089, -17.164, -34.054, -5.914, -24.721, -14.986, -24.100, -10.708, -26.662, -22.179]
    LEAST = 1e-6

    def __init__(self):
        rows = [({1: 1, 2: 2, 3: 2, 6: 1, 10: 1}, 2), ({4: 1, 5: 2, 6: 1, 7: 1}, 1)]
        rows.append(({3: 1, 7: 1, 8: 1, 9: 2, 10: 1}, 1))
        constraints = [linear(terms, equals=value) for terms, value in rows]
        self.space = {"inputs": reals([(self.LEAST, 2)] * 10), "input-constraints": constraints}

    def value(self, x):
        total = sum(x)
        return sum(v * (c + math.log(v / total)) for v, c in zip(x, self.C))

    def written(self, u):
        x6 = u[0]
        x10 = u[1] * min(1, 2 - x6)
        x7 = u[2] * min(1 - x6, 1 - x10)
        x3 = u[3] * min((2 - x6 - x10) / 2, 1 - x7 - x10)
        x2 = u[4] * (2 - x6 - x10 - 2 * x3) / 2
        x5 = u[5] * (1 - x6 - x7) / 2
        x9 = u[6] * (1 - x3 - x7 - x10) / 2
        x1, x4, x8 = 2 - 2 * x2 - 2 * x3 - x6 - x10, 1 - 2 * x5 - x6 - x7, 1 - x3 - x7 - 2 * x9 - x10
        return [max(v, self.LEAST) for v in (x1, x2, x3, x4, x5, x6, x7, x8, x9, x10)]


class Branches:
    """A bowl or Hartmann's function, of the shared inputs and those of the branch."""

    free = 6
    minimum = -3.322368011415515
    LEAST = -2.8
    ALPHA = [1.0, 1.2, 3.0, 3.2]
    A = [
        [10, 3, 17, 3.5, 1.7, 8],
        [0.05, 10, 17, 0.1, 8, 14],
        [3, 3.5, 1.7, 10, 17, 8],
        [17, 8, 0.05, 10, 0.1, 14],
    ]
    P = [
        [0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886],
        [0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991],
        [0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650],
        [0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381],
    ]

    def __init__(self, seed):
        rng = random.Random(seed)
        self.centre = [rng.uniform(0.2, 0.8) for _ in range(5)]
        own = [{"name": f"a{k + 1}", "real": [0, 1], "when": {"branch": 0}} for k in range(3)]
        own += [{"name": f"b{k + 1}", "real": [0, 1], "when": {"branch": 1}} for k in range(4)]
        self.space = {"inputs": [{"name": "branch", "choice": [0, 1]}, *reals([(0, 1)] * 2), *own]}

    def value(self, x):
        if x[0] == 0:
            return self.LEAST + 4 * sum((v - c) ** 2 for v, c in zip(x[1:6], self.centre))
        return self.hartmann(x[1:3] + x[6:])

    def hartmann(self, x):
        distances = [sum(a * (v - p) ** 2 for a, v, p in zip(row, x, centre)) for row, centre in zip(self.A, self.P)]
        return -sum(alpha * math.exp(-distance) for alpha, distance in zip(self.ALPHA, distances))

    def written(self, u):
        return [1, *u[:2], None, None, None, *u[2:]]


def problem(name, seed):
    return {
        "simplex10": lambda: Simplex(seed, False),
        "simplex10-digits": lambda: Simplex(seed, True),
        "g01": G01,
        "hs86": Hs86,
        "hs112": Hs112,
        "branches": lambda: Branches(seed),
    }[name]()


def say(answer):
    print(json.dumps(answer, allow_nan=False), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    names = ["simplex10", "simplex10-digits", "g01", "hs86", "hs112", "branches"]
    parser.add_argument("--function", choices=names, required=True)
    parser.add_argument("--form", choices=["constrained", "free", "shares"], default="constrained")
    parser.add_argument("--seed", type=int, default=0, help="of what is drawn")
    parser.add_argument("--noise", type=float, default=0.0, help="variance of the noise that spargo-lab adds")
    words = parser.parse_args()
    own = problem(words.function, words.seed)
    rng = random.Random(0)
    values = [own.value(own.written([rng.random() for _ in range(own.free)])) for _ in range(SAMPLE)]
    is_constrained = words.form == "constrained"
    if words.form == "shares" and not isinstance(own, Simplex):
        parser.error("only mixtures have the form 'shares'")
    name = words.function + ("" if is_constrained else f"-{words.form}")
    described = {"name": name, "minimum": own.minimum, "noise": words.noise}
    forms = {"constrained": lambda x: x, "free": own.written, "shares": getattr(own, "shared", None)}
    inputs = own.DIMENSION if words.form == "shares" else own.free
    described |= {"space": own.space} if is_constrained else {"dimension": inputs}
    say(described | {"mean": statistics.fmean(values), "std": statistics.stdev(values)})
    for line in sys.stdin:
        points = json.loads(line)["points"]
        say({"values": [own.value(forms[words.form](x)) for x in points]})


if __name__ == "__main__":
    main()
