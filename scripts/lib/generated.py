"""Documents that scripts make: written, or with `--check` compared with what is there."""

import sys


def write_or_check(path, text, command):
    if "--check" not in sys.argv[1:]:
        path.write_text(text)
    elif not path.exists() or path.read_text() != text:
        sys.exit(f"{path.name} is out of date: run `{command}`")
