"""Code of a checkout or of a revision without comments and tests, for the scripts that count, list and draw lines."""

import io
import re
import subprocess
import tarfile
import tokenize
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

RUST = re.compile(
    r"""
    (?P<comment> //[^\n]* )
  | (?P<block> /\* )
  | (?P<raw> b?r(?P<hashes>\#*)" (?: .*? )" (?P=hashes) )
  | (?P<string> b?" (?: \\. | [^"\\] )* " )
  | (?P<char> b?' (?: \\x[0-9a-fA-F]{2} | \\u\{[^}]*\} | \\. | [^'\\\n] ) ' )
    """,
    re.VERBOSE | re.DOTALL,
)


def files(revision=None):
    """Text by path: of the working tree's tracked and new files, or of a revision."""
    if revision is None:
        listed = git("ls-files", "--cached", "--others", "--exclude-standard").splitlines()
        paths = [path for path in listed if (ROOT / path).is_file()]
        return {path: read(lambda path=path: (ROOT / path).read_bytes()) for path in paths}
    archive = subprocess.run(["git", "archive", revision], cwd=ROOT, check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        return {entry.name: read(tar.extractfile(entry).read) for entry in tar if entry.isfile()}


def read(load):
    """Text, or nothing for a file that is none."""
    try:
        return load().decode()
    except UnicodeDecodeError:
        return ""


def git(*arguments):
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout


def is_test(path):
    """Whether a source file is compiled for tests only."""
    return any("tests" in part for part in Path(path).parts)


def blank(text):
    """As many line breaks, and nothing else."""
    return "\n" * text.count("\n")


def without_comments(text, strings=True):
    """Rust with its comments blanked, and its strings and characters as well unless `strings`."""
    out, at = [], 0
    while found := RUST.search(text, at):
        out.append(text[at : found.start()])
        at = found.end()
        if found["block"]:
            at = end_of_block(text, found.start())
            out.append(blank(text[found.start() : at]))
        elif found["comment"]:
            pass
        else:
            out.append(found[0] if strings else '""' + blank(found[0]))
    return "".join(out) + text[at:]


def end_of_block(text, start):
    """Where a block comment ends; they nest."""
    depth = 0
    for mark in re.finditer(r"/\*|\*/", text[start:]):
        depth += 1 if mark[0] == "/*" else -1
        if depth == 0:
            return start + mark.end()
    return len(text)


def rust_lines(text):
    """Numbered lines of Rust without comments, blanks and items under `#[cfg(test)]` or `#[cfg(doctest)]`."""
    code, bare = without_comments(text).split("\n"), without_comments(text, strings=False).split("\n")
    tests = test_lines(bare)
    return [(k + 1, line) for k, line in enumerate(code) if line.strip() and k not in tests]


def test_lines(bare):
    tests, k = set(), 0
    while k < len(bare):
        if not re.match(r"\s*#\[cfg\((test|doctest)\)\]", bare[k]):
            k += 1
            continue
        first, depth, opened = k, 0, False
        while k < len(bare):
            line = re.sub(r"^\s*(#\[.*?\]\s*)+", "", bare[k])
            depth += line.count("{") - line.count("}")
            opened = opened or "{" in line
            k += 1
            if (opened and depth == 0) or (not opened and line.rstrip().endswith((";", ","))):
                break
        tests.update(range(first, k))
    return tests


def python_lines(text):
    """Numbers of the lines of Python that hold more than comments and docstrings."""
    skipped = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING}
    found, begins = set(), True
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    for token, after in zip(tokens, tokens[1:] + tokens[-1:], strict=True):
        if token.type in skipped or token.type == tokenize.ENDMARKER:
            begins = begins or token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
            continue
        docstring = begins and token.type == tokenize.STRING and after.type == tokenize.NEWLINE
        if not docstring:
            found.update(range(token.start[0], token.end[0] + 1))
        begins = False
    return found


def page_lines(text):
    """Lines of JavaScript, CSS or HTML without blanks and comments."""
    text = re.sub(r"/\*.*?\*/|<!--.*?-->", lambda found: blank(found[0]), text, flags=re.DOTALL)
    return [line for line in text.split("\n") if line.strip() and not line.strip().startswith("//")]
