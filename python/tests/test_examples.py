"""The examples and the ten lines of the README and of docs/guide/python.md run as they are."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PYTHON = Path(__file__).parent.parent
EXAMPLES = sorted((PYTHON / "examples").glob("*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: str(path.stem))
def test_examples_run(example: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    if "dask" in example.stem:
        pytest.importorskip("distributed")
    _run([str(example)], tmp_path)


def test_the_ten_lines_of_the_documents_run(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    first, second = (_ten_lines(PYTHON.parent / document) for document in ("README.md", "docs/guide/python.md"))
    assert first == second and len(first.strip().splitlines()) <= 10
    _run(["-c", first], tmp_path)
    assert (tmp_path / "best.png").stat().st_size > 1000 and (tmp_path / "report.html").exists()


def _ten_lines(document: Path) -> str:
    blocks: list[str] = re.findall(r"```python\n(.*?)```", document.read_text(encoding="utf-8"), re.DOTALL)
    return next(block for block in blocks if "spargo.maximize(" in block)


def _run(arguments: list[str], folder: Path) -> None:
    environment = {**os.environ, "MPLBACKEND": "agg", "PYTHONWARNINGS": "error::UserWarning:__main__"}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
