"""Problems that a program evaluates (docs/guide/problems.md), for compare.py."""

import json
import shlex
import subprocess

import numpy as np

PREFIX = "command:"


class ProgramProblem:
    """A problem as `spargo.problems` has them, evaluated by a program of its own."""

    def __init__(self, text):
        command = shlex.split(text.removeprefix(PREFIX))
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        described = self._read()
        self.name = described["name"]
        self.bounds = described.get("inputs") or [[0.0, 1.0]] * described["dimension"]
        self.dimension = len(self.bounds)
        self.noise = described.get("noise", 0.0)
        self._mean, self._std = described.get("mean", 0.0), described.get("std", 1.0)
        minimum = described.get("minimum")
        self.optimum = 0.0 if minimum is None else (self._mean - minimum) / self._std

    def scaled(self, points):
        """g at the rows, to be maximised."""
        self._process.stdin.write(json.dumps({"points": np.asarray(points).tolist()}) + "\n")
        self._process.stdin.flush()
        values = self._read()["values"]
        if len(values) != len(points):
            raise RuntimeError(f"{self.name} answered {len(values)} values for {len(points)} points")
        return (self._mean - np.array(values, float)) / self._std

    def _read(self):
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self._process.args} ended without an answer")
        return json.loads(line)


def split(lists):
    """The names in lists that are separated by commas; a list may be one command."""
    return [name for text in lists for name in ([text] if text.startswith(PREFIX) else text.split(","))]
