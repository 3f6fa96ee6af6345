"""Runs of `spargo-lab compare` and of scripts/peers/compare.py, seed by seed: a problem may differ between seeds."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENTS = Path("scripts/peers/.env")


def add_options(parser, budget):
    """What every such script can be asked for."""
    parser.add_argument("--budget", type=int, default=budget, help="evaluations of a run")
    parser.add_argument("--seeds", type=int, default=3, help="how many")
    parser.add_argument("--seed-from", type=int, default=0, help="the first one")
    parser.add_argument("--settings", default="default", help="of spargo-lab compare; empty for peers only")
    parser.add_argument("--peers", default="cma-100,random", help="of scripts/peers/compare.py; empty for none")
    parser.add_argument("--environment", default="cma", help="of the peers, by scripts/peers/install")
    parser.add_argument("--jobs", type=int, default=2, help="of spargo-lab, side by side")
    parser.add_argument("--lab", default="target/release/spargo-lab", help="the program spargo-lab")
    parser.add_argument("--output", type=Path, required=True, help="the folder of rows")


def run(words, programs):
    """All seeds, each on the programs that it has; finished rows are kept."""
    os.chdir(ROOT)
    for seed in range(words.seed_from, words.seed_from + words.seeds):
        problems = [word for program in programs(seed) for word in ("--problems", f"command:{program}")]
        common = [*problems, "--seeds", "1", "--seed-from", str(seed), "--budget", str(words.budget)]
        common += ["--output", str(words.output)]
        calls = []
        if words.settings:
            calls.append([words.lab, "compare", "--settings", words.settings, "--resume", f"--jobs={words.jobs}"])
        if words.peers:
            python = ENVIRONMENTS / words.environment / "bin/python"
            calls.append([str(python), "scripts/peers/compare.py", "--peers", words.peers])
        for call in calls:
            done = subprocess.run(call + common, stdout=subprocess.DEVNULL)
            if done.returncode:
                sys.exit(done.returncode)
