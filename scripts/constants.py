#!/usr/bin/env python3
"""Makes docs/constants.md, the table of the engine's numeric constants, from their declarations and doc comments.

Fails if a file of any crate has a constant below its first type or function.

    python3 scripts/constants.py            # writes it
    python3 scripts/constants.py --check    # fails if it is out of date
"""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "lib"))
from generated import write_or_check
from sources import ROOT, files, is_test, rust_lines

SOURCE, TARGET = ROOT / "crates/spargo/src", ROOT / "docs/constants.md"
NUMERIC = re.compile(r"\(?\[?\(?&?(f64|f32|u8|u32|u64|usize|i32|i64|Duration)\b")
LONGEST = 60
"""Characters of a value that the table has room for."""

HEAD = """# Constants of the engine

Numbers that the algorithms depend on and no setting changes: the ones in
[study files](guide/study-file.md) are settings. `python3 scripts/constants.py` makes this table from the declarations
and their doc comments in `crates/spargo/src`; `scripts/test fast` fails if it is out of date.

| file | name | value | meaning |
|---|---|---|---|
"""


def declarations(text):
    """Name, type, value and first line of every `const` outside functions' tests."""
    lines = rust_lines(text)
    for k, (number, line) in enumerate(lines):
        found = re.match(r"\s*(?:pub(?:\([a-z]+\))? )?const ([A-Z][A-Z0-9_]*): (.+?) =(.*)", line)
        if found:
            value = found[3]
            for _, more in lines[k + 1 :]:
                if value.rstrip().endswith(";"):
                    break
                value += " " + more.strip()
            yield found[1], found[2], " ".join(value.strip().rstrip(";").split()), number


def meaning(lines, number):
    """The first sentence of the comment above a line."""
    said = []
    for line in reversed(lines[: number - 1]):
        if not (found := re.match(r"\s*///? ?(.*)", line)):
            if re.match(r"\s*#\[", line):
                continue
            break
        said.insert(0, found[1])
    paragraph = " ".join(said).split("  ")[0]
    return re.split(r"(?<=[.:])\s+(?=[A-Z])", paragraph)[0].replace("|", "\\|")


def late():
    """Constants that do not stand on top of their file, as path, line and name."""
    for path, text in sorted(files().items()):
        if not re.fullmatch(r"(crates/[^/]+|python)/src/.*\.rs", path) or is_test(path):
            continue
        begun = False
        for number, line in rust_lines(text):
            begun = begun or bool(re.match(r"(pub(\(.*?\))? )?(fn|struct|enum|impl|trait)\b", line))
            if begun and (found := re.match(r"(?:pub(?:\(.*?\))? )?const ([A-Z]\w*)", line)):
                yield f"{path}:{number}: {found[1]} belongs on top of the file, below the imports"


def main():
    if misplaced := list(late()):
        sys.exit("\n".join(misplaced))
    rows = []
    for path in sorted(SOURCE.rglob("*.rs")):
        if is_test(path.relative_to(ROOT)):
            continue
        text = path.read_text()
        for name, kind, value, number in declarations(text):
            if NUMERIC.match(kind):
                value = value if len(value) <= LONGEST else "…"
                said = meaning(text.split("\n"), number)
                rows.append(f"| {path.relative_to(SOURCE)} | `{name}` | `{value}` | {said} |")
    write_or_check(TARGET, HEAD + "\n".join(rows) + "\n", "python3 scripts/constants.py")


if __name__ == "__main__":
    main()
