#!/usr/bin/env python3
"""A function of the BBOB suite (Hansen et al. 2009) for `spargo-lab`, evaluated by `ioh`: `pip install ioh`.

    spargo-lab compare --settings default --seeds 3 --budget 1000 \
        --problems 'command:python3 scripts/problems/bbob.py --function 15 --dimension 5'

Regret is in standard deviations of the function over its box, estimated from 10,000 uniform points.
"""

import argparse
import json
import random
import statistics
import sys

SAMPLE = 10_000
"""Uniform points from which mean and standard deviation are estimated."""


def say(answer):
    print(json.dumps(answer, allow_nan=False), flush=True)


def moments(problem):
    """Mean and standard deviation over the box."""
    rng = random.Random(0)
    bounds = list(zip(problem.bounds.lb, problem.bounds.ub))
    values = [float(problem([rng.uniform(*bound) for bound in bounds])) for _ in range(SAMPLE)]
    return statistics.fmean(values), statistics.stdev(values)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--function", type=int, required=True, choices=range(1, 25), metavar="1-24")
    parser.add_argument("--dimension", type=int, default=5)
    parser.add_argument("--instance", type=int, default=1)
    parser.add_argument("--noise", type=float, default=0.0, help="variance of the noise that spargo-lab adds")
    words = parser.parse_args()
    try:
        import ioh
    except ImportError:
        sys.exit("the package ioh is missing: pip install ioh")

    arguments = (words.function, words.instance, words.dimension, ioh.ProblemClass.BBOB)
    problem = ioh.get_problem(*arguments)
    name = f"bbob-f{words.function:02}-i{words.instance}-d{words.dimension}"
    bounds = zip(problem.bounds.lb, problem.bounds.ub)
    inputs = [[float(lower), float(upper)] for lower, upper in bounds]
    mean, std = moments(problem)
    minimum = float(problem.optimum.y)
    say({"name": name, "inputs": inputs, "minimum": minimum, "mean": mean, "std": std, "noise": words.noise})
    for line in sys.stdin:
        say({"values": [float(problem(point)) for point in json.loads(line)["points"]]})


if __name__ == "__main__":
    main()
