#!/usr/bin/env python3
"""A problem by command: a shifted sphere or Rastrigin function for `spargo-lab`, with the standard library alone.

    spargo-lab optimize 'command:python3 scripts/problems/example.py --function rastrigin --dimension 3'
"""

import argparse
import json
import math
import sys

SHIFT = 1.25


def sphere(x):
    return sum((v - SHIFT) ** 2 for v in x)


def rastrigin(x):
    return sum((v - SHIFT) ** 2 + 10 * (1 - math.cos(2 * math.pi * (v - SHIFT))) for v in x)


def say(answer):
    print(json.dumps(answer, allow_nan=False), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--function", choices=["sphere", "rastrigin"], default="sphere")
    parser.add_argument("--dimension", type=int, default=2)
    parser.add_argument("--noise", type=float, default=0.0, help="variance of the noise that spargo-lab adds")
    parser.add_argument("--hide-minimum", action="store_true", help="do not tell the minimum")
    words = parser.parse_args()
    function = {"sphere": sphere, "rastrigin": rastrigin}[words.function]
    described = {"name": f"{words.function}{words.dimension}", "inputs": [[-5, 5]] * words.dimension}
    described |= {"noise": words.noise} | ({} if words.hide_minimum else {"minimum": 0})
    say(described)
    for line in sys.stdin:
        say({"values": [function(point) for point in json.loads(line)["points"]]})


if __name__ == "__main__":
    main()
