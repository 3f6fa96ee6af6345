#!/usr/bin/env python3
"""Rewrites the settings of rows under results/ from the keys of commit fe5206c to today's; results stay as they are.

    python3 scripts/migrate-rows.py [FOLDER]

Everything outside `kind` and `settings` is copied byte by byte, and the script ends with an error, before it writes
anything, if a line's other bytes would differ. Rows that have today's keys are left alone, so it may be run again.

One setting has no word today: the outcome transform learned from random trials (`warp = "learned"`, which only the
rows of `plain` in results/defaults have). Such rows keep the word `learned`: they can be read, but no job of today is
taken for done by them.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).resolve().parent.parent / "results"

KINDS = {"lesson": "active-learning"}

METHODS = {
    "no-regions": "no-trust-regions",
    "no-crowds": "no-exclusion",
    "one-model": "no-local-models",
    "likely-noise": "unbounded-noise",
    "no-warp": "no-transform",
}
"""Settings files of results/defaults."""

TRANSFORMS = {"covering": "auto", "off": "off", "learned": "learned"}
NOISE_BOUNDS = {"limited": "close-pairs", "likely": "off"}
AUTO = {"local": 0.5, "polish": 0.2}
"""Shares of a batch that were defaults, for which the word is "auto"."""


def share(name: str, value: float) -> float | str:
    return "auto" if value == AUTO[name] else value


def migrate_study(study: dict[str, Any]) -> dict[str, Any]:
    """The whole settings of a study, as rows of `compare` hold them."""
    study = dict(study)
    if "maximizing" in study:
        old = study.pop("maximizing")
        study["trust-regions"] = {"share": share("local", old.pop("local"))}
        exclusion = old.pop("crowd")
        study["acquisition"] = old | {"exclusion": exclusion}
    if "locality" in study:
        old = study.pop("locality")
        study["local-models"] = {"neighbours": old["neighbours"], "share": share("polish", old["polish"])}
    model = dict(study["model"])
    if "learning" in model:
        model["hyperparameters"] = model.pop("learning")
    if "warp" in model:
        model["outcome-transform"] = TRANSFORMS[model.pop("warp")]
    if "noise" in model:
        model["noise-bound"] = NOISE_BOUNDS[model.pop("noise")]
    return study | {"model": model}


def migrate_run(settings: dict[str, Any]) -> dict[str, Any]:
    """The settings of a run of the paper's figures."""
    settings = dict(settings)
    if "learning" in settings:
        settings["hyperparameters"] = settings.pop("learning")
    if "warp" in settings:
        settings["outcome-transform"] = TRANSFORMS[settings.pop("warp")]
    if "noise-bound" not in settings:
        limited = settings["noise"] == "limited"
        settings["noise-bound"] = "close-pairs" if limited else "off"
        settings["noise"] = "learned" if limited else settings["noise"]
    return settings


def migrate_settings(kind: str, settings: dict[str, Any]) -> dict[str, Any]:
    if kind == "run":
        return migrate_run(settings)
    if kind == "compare" and "study" in settings:
        method = METHODS.get(settings["method"], settings["method"])
        return settings | {"method": method, "study": migrate_study(settings["study"])}
    return settings


def span(line: str, key: str) -> tuple[int, int]:
    """Where the value of a row's first occurrence of a key begins and ends."""
    match = re.search(rf'"{key}":\s*', line)
    if match is None:
        raise SystemExit(f"a line without {key}: {line[:80]}")
    return match.end(), json.JSONDecoder().raw_decode(line, match.end())[1]


def migrate_line(line: str) -> str:
    row = json.loads(line)
    kind, settings = row["kind"], migrate_settings(row["kind"], row["settings"])
    if settings != row["settings"]:
        text = json.dumps(settings, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        start, end = span(line, "settings")
        line = line[:start] + re.sub(r"e-0(\d)", r"e-\1", text) + line[end:]
    if kind in KINDS:
        start, end = span(line, "kind")
        line = line[:start] + json.dumps(KINDS[kind]) + line[end:]
    return line


def untouched(line: str) -> tuple[str, str]:
    """What a row has besides its kind and settings."""
    (_, kind), (settings, end) = span(line, "kind"), span(line, "settings")
    return line[kind:settings], line[end:]


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else RESULTS
    changed: dict[Path, str] = {}
    rows = learned = 0
    for path in sorted(folder.rglob("*.jsonl")):
        text = path.read_text()
        old = text.splitlines(keepends=True)
        new = [migrate_line(line) for line in old]
        for number, (before, after) in enumerate(zip(old, new), 1):
            if untouched(before) != untouched(after):
                raise SystemExit(f"{path}, line {number}: a result would change")
            rows += before != after
            learned += '"outcome-transform":"learned"' in after
        if "".join(new) != text:
            changed[path] = "".join(new)
    for path, text in changed.items():
        path.write_text(text)
    print(f"{rows} rows of {len(changed)} files rewritten; {learned} rows hold a setting that no longer exists")


if __name__ == "__main__":
    main()
