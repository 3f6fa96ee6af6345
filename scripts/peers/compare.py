"""Peers of `spargo-lab compare` on the same noisy functions: rows that it draws alongside its own.

    scripts/peers/install cma
    scripts/peers/.env/cma/bin/python scripts/peers/compare.py --problems shekel4,hartmann6 --peers cma --output comparison
    spargo-lab compare --problems shekel4,hartmann6 --settings paper,default --budget 5000 --output comparison --draw

Every run of (problem, peer, seed) is a line of OUT/peers.jsonl as soon as it is done; what has a line is not run again, and
several processes may write at the same time. Regret is that of the point that a peer would report, without noise, after every
100 evaluations; the other lists are `least_regret` of all points evaluated, `regret_observed` of the one with the best outcome,
and `seconds` that were not spent on evaluations. Each run has one thread.

A problem may be a program: see docs/guide/problems.md. random, sobol, cma, cma-100 (whose population is a batch): see searches.py. turbo: see turbo.py.
enn, which has `--initial` points and batches of `--batch`: see enn_peer.py.
"""

import argparse
import fcntl
import functools
import json
import os
import sys
import time
import tomllib
from importlib.metadata import version
from pathlib import Path

for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{library}_NUM_THREADS"] = "1"

import numpy as np  # noqa: E402  (the number of threads is read when it is imported)

import program  # noqa: E402
import searches  # noqa: E402

KIND = "compare"

EVERY = 100
"""Evaluations between records."""

WORKSPACE = tomllib.loads((Path(__file__).resolve().parents[2] / "Cargo.toml").read_text())["workspace"]

VERSION = WORKSPACE["package"]["version"]
"""Of these sources: where all problems are programs, spargo itself need not be installed."""

EXACT = {"rover60"}
"""Problems without noise, as in `spargo-lab compare`."""


class Run:
    """A problem under evaluation: what was seen, what is reported, and the records.

    A peer works in the unit cube and maximises. It calls `evaluate` until `left` is 0, and sets `reported` whenever it would
    answer otherwise. A record is made of what was reported on the strength of the evaluations before it: if a batch passes over
    the place of a record, that is the report before the batch.
    """

    def __init__(self, problem, noise, seed, budget):
        self.problem, self.noise, self.budget = problem, noise, budget
        self.dimension = problem.dimension
        self.reported = None
        self._noise = np.random.default_rng([seed, 1])
        self._points = np.empty((0, problem.dimension))
        self._outcomes, self._regrets = np.empty(0), np.empty(0)
        self._marks = [*range(EVERY, budget, EVERY), budget]
        self._began, self._evaluating, self._told = time.perf_counter(), 0.0, 0.0
        self.result = {"evaluations": [], "regret": [], "least_regret": [], "regret_observed": [], "seconds": []}

    @property
    def left(self):
        """Evaluations that may still be made."""
        return self.budget - len(self._outcomes)

    def evaluate(self, unit):
        """Outcomes at the rows, as many as the budget allows."""
        began = time.perf_counter()
        unit = np.clip(np.asarray(unit, float)[: self.left], 0.0, 1.0)
        true = self.problem.scaled(self._box(unit))
        outcomes = true + np.sqrt(self.noise) * self._noise.standard_normal(len(true))
        self._points = np.vstack([self._points, unit])
        self._outcomes = np.append(self._outcomes, outcomes)
        self._regrets = np.append(self._regrets, self.problem.optimum - true)
        self._evaluating += time.perf_counter() - began
        self._record(len(self._outcomes) - 1)
        return outcomes

    def best_observed(self, count=None):
        """The point with the best outcome of the first so many."""
        return self._points[np.argmax(self._outcomes[:count])]

    def finish(self):
        """The result, when the budget is spent."""
        self._record(self.budget)
        return self.result

    def _record(self, most):
        while self._marks and self._marks[0] <= most:
            mark = self._marks.pop(0)
            observed = self.best_observed(mark)
            reported = observed if self.reported is None else self.reported
            spent = time.perf_counter() - self._began - self._evaluating
            self.result["evaluations"].append(mark)
            self.result["regret"].append(self._regret(reported))
            self.result["least_regret"].append(float(self._regrets[:mark].min()))
            self.result["regret_observed"].append(self._regret(observed))
            self.result["seconds"].append(spent - self._told)
            self._told = spent

    def _regret(self, unit):
        return float(self.problem.optimum - self.problem.scaled(self._box(np.clip(unit, 0.0, 1.0)[None, :]))[0])

    def _box(self, unit):
        lower, upper = np.array(self.problem.bounds).T
        return np.clip(lower + unit * (upper - lower), lower, upper)


def peer_by_name(name, fit_steps=None, initial=100, batch=100):
    """How a peer is described in its rows, and its search."""
    if name == "enn":
        import enn_peer

        description, search = enn_peer.DESCRIPTION, functools.partial(enn_peer.turbo_enn, initial=initial, batch=batch)
        return description | {"initial": initial, "batch": batch, "version": version("ennbo")}, search
    if name == "turbo":
        import turbo

        description, search = turbo.DESCRIPTION, functools.partial(turbo.turbo, fit_steps=fit_steps)
        description = description if fit_steps is None else description | {"fit_steps": fit_steps}
    else:
        description, search = searches.ALL[name]
    return description | {"version": version(description["package"])}, search


def named(name):
    """A problem of spargo itself; None if it has several objectives."""
    from spargo import problems

    problem = problems.by_name(name)
    return problem if isinstance(problem, problems.Problem) else None


def is_done(folder, settings):
    """Whether some row of the folder has these settings."""
    lines = (line for path in sorted(folder.glob("*.jsonl")) for line in path.read_text().splitlines(keepends=True))
    rows = (json.loads(line) for line in lines if line.endswith("\n") and line.strip())
    return any(row["kind"] == KIND and row["settings"] == settings for row in rows)


def append(folder, row):
    """Writes a row, on the disk when this returns; a line that another process left torn is cut off."""
    line = json.dumps(row, allow_nan=False) + "\n"
    with open(folder / "peers.jsonl", "a+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        file.truncate(file.read().rfind(b"\n") + 1)
        file.write(line.encode())
        file.flush()
        os.fsync(file.fileno())


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--problems", required=True, action="append", help="separated by commas; or one command:PROGRAM")
    parser.add_argument("--peers", default="random,sobol,cma,turbo", help="separated by commas")
    parser.add_argument("--seeds", type=int, default=10, help="how many")
    parser.add_argument("--seed-from", type=int, default=0, help="the first one")
    parser.add_argument("--budget", type=int, default=5000, help="evaluations of a run")
    parser.add_argument("--fit-steps", type=int, help="of each of turbo's models at most; without, until it converges")
    parser.add_argument("--initial", type=int, default=100, help="points before the first model of enn")
    parser.add_argument("--batch", type=int, default=100, help="points that enn asks for at a time")
    parser.add_argument("--output", type=Path, default=Path("comparison"), help="the folder of rows")
    words = parser.parse_args()
    names = program.split(words.problems)
    commands = [program.ProgramProblem(name) for name in names if name.startswith(program.PREFIX)]
    chosen = [named(name) for name in names if not name.startswith(program.PREFIX)]
    peers = words.peers.split(",")
    unknown = set(peers) - {*searches.ALL, "turbo", "enn"}
    if unknown or words.budget < EVERY or None in chosen:
        parser.error(f"peers are {', '.join(searches.ALL)}, turbo, enn; problems have one objective; budgets reach {EVERY}")
    chosen += commands
    words.output.mkdir(parents=True, exist_ok=True)
    for seed in range(words.seed_from, words.seed_from + words.seeds):
        for problem in chosen:
            for name in peers:
                description, search = peer_by_name(name, words.fit_steps, words.initial, words.batch)
                noise = 0.0 if problem.name in EXACT else problem.noise
                settings = {"function": problem.name, "method": name, "seed": seed, "budget": words.budget}
                settings |= {"noise": noise, "peer": description}
                if is_done(words.output, settings):
                    continue
                began = time.perf_counter()
                run = Run(problem, noise, seed, words.budget)
                search(run, np.random.default_rng([seed, 0]))
                result = run.finish()
                append(words.output, {"kind": KIND, "settings": settings, "result": result, "version": VERSION})
                spent, regret = time.perf_counter() - began, result["regret"][-1]
                print(f"{spent:.1f} s  {problem.name}, {name}, seed {seed}: regret {regret:.4g}", file=sys.stderr)


if __name__ == "__main__":
    main()
