#!/usr/bin/env python3
"""Functions of many inputs for `spargo-lab`; seeds have their own where the optimum would be in the middle of the box.

    spargo-lab compare --settings default --seeds 1 --budget 2000 \
        --problems 'command:python3 scripts/problems/many_inputs.py --function ackley20 --seed 0'

    levy20          [-10, 10]^20          Laguna & Marti 2005
    ackley20        [-32.768, 32.768]^20  Ackley 1987; its optimum is moved by 0.1 to 0.3 of the box along every input
    rosenbrock50    [-5, 10]^50           Rosenbrock 1960
    hartmann6-100   [0, 1]^100            Hartmann 1973; six inputs matter, drawn by the seed

Regret is in standard deviations of the function over its box, estimated from 10,000 uniform points.
"""

import argparse
import json
import math
import random
import statistics
import sys

SAMPLE = 10_000
"""Uniform points from which mean and standard deviation are estimated."""

NEAREST, FARTHEST = 0.1, 0.3
"""How far an optimum is moved along every input, in units of the box."""

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


def levy(x):
    w = [1 + (v - 1) / 4 for v in x]
    ripples = sum((v - 1) ** 2 * (1 + 10 * math.sin(math.pi * v + 1) ** 2) for v in w[:-1])
    return math.sin(math.pi * w[0]) ** 2 + ripples + (w[-1] - 1) ** 2 * (1 + math.sin(2 * math.pi * w[-1]) ** 2)


def ackley(x):
    radius = math.sqrt(sum(v * v for v in x) / len(x))
    waves = sum(math.cos(2 * math.pi * v) for v in x) / len(x)
    return 20 * (1 - math.exp(-0.2 * radius)) + math.e - math.exp(waves)


def rosenbrock(x):
    return sum(100 * (b - a * a) ** 2 + (1 - a) ** 2 for a, b in zip(x, x[1:]))


def hartmann6(x):
    return -sum(
        alpha * math.exp(-sum(a * (v - p) ** 2 for a, v, p in zip(row, x, centre)))
        for alpha, row, centre in zip(ALPHA, A, P)
    )


def moved(function, dimension, lower, upper, rng):
    """The function with its optimum, at 0, moved away from the middle of the box."""
    distances = [rng.uniform(NEAREST, FARTHEST) * (upper - lower) * rng.choice((-1, 1)) for _ in range(dimension)]
    return lambda x: function([v - distance for v, distance in zip(x, distances)])


def embedded(function, inputs, dimension, rng):
    """The function of some inputs, the others without any effect."""
    which = rng.sample(range(dimension), inputs)
    return lambda x: function([x[k] for k in which])


def problem(name, rng):
    """(function, dimension, lower, upper, minimum)"""
    return {
        "levy20": lambda: (levy, 20, -10, 10, 0.0),
        "ackley20": lambda: (moved(ackley, 20, -32.768, 32.768, rng), 20, -32.768, 32.768, 0.0),
        "rosenbrock50": lambda: (rosenbrock, 50, -5, 10, 0.0),
        "hartmann6-100": lambda: (embedded(hartmann6, 6, 100, rng), 100, 0, 1, -3.322368011415515),
    }[name]()


def say(answer):
    print(json.dumps(answer, allow_nan=False), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--function", choices=["levy20", "ackley20", "rosenbrock50", "hartmann6-100"], required=True)
    parser.add_argument("--seed", type=int, default=0, help="of what is moved or drawn")
    parser.add_argument("--noise", type=float, default=0.0, help="variance of the noise that spargo-lab adds")
    words = parser.parse_args()
    function, dimension, lower, upper, minimum = problem(words.function, random.Random(words.seed))
    rng = random.Random(0)
    values = [function([rng.uniform(lower, upper) for _ in range(dimension)]) for _ in range(SAMPLE)]
    name = words.function + ("-noisy" if words.noise > 0 else "")
    described = {"name": name, "inputs": [[lower, upper]] * dimension, "minimum": minimum, "noise": words.noise}
    say(described | {"mean": statistics.fmean(values), "std": statistics.stdev(values)})
    for line in sys.stdin:
        say({"values": [function(point) for point in json.loads(line)["points"]]})


if __name__ == "__main__":
    main()
