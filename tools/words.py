"""Check the words that users read: phrases that are always wrong, sentences that are too long, and how many words a page has.

Read are the pages, the documentation and messages of plugins, the specifications and task names of roles and playbooks.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import yaml

from tools.layout import ROOT, guides, tracked_paths

RULES = ROOT / "tools" / "words.yml"
PAGES = re.compile(r"(README|SECURITY|CONTRIBUTING)\.md|docs/[^/]+\.md|(roles|extensions)/.*\.md")
YAML = re.compile(r"(playbooks|roles)/.*\.yml")
CODE = re.compile(r"(?s:```.*?```|`[^`]*`|<!--.*?-->)|^#.*$|\(https?://[^)]*\)", re.MULTILINE)
TABLE = re.compile(r"^\|.*$", re.MULTILINE)
MARKUP = re.compile(r"\b[A-Z]+\([^)]*\)")
ENDS = re.compile(r"(?<=[.!?:;])\s+|\||\n\s*(?:[-*]|\n)")
JINJA = re.compile(r"\{\{.*?\}\}", re.DOTALL)
ROLE = re.compile(r"roles/[^/]+/README\.md")
LONGEST = 25
WRITTEN_BY_HAND = [path.relative_to(ROOT).as_posix() for path in guides()]


class Loader(yaml.CSafeLoader):
    """Takes what Ansible's own tags mark as it is."""


Loader.add_multi_constructor("!", lambda loader, _tag, node: loader.construct_scalar(node))


def texts() -> Iterator[tuple[str, str]]:
    """Every text with its path."""
    for path in tracked_paths():
        if PAGES.fullmatch(path):
            yield path, CODE.sub(" X ", (ROOT / path).read_text(encoding="utf-8"))
        elif YAML.fullmatch(path):
            yield from ((path, text) for text in _named(yaml.load((ROOT / path).read_text(encoding="utf-8"), Loader)))
        elif path.startswith("plugins/") and path.endswith(".py"):
            yield from ((path, text) for text in _documented(ROOT / path))


def messages() -> Iterator[tuple[str, str]]:
    """Every text in the code of a plugin that has at least three words, with its place."""
    for path in (path for path in tracked_paths() if re.fullmatch(r"plugins/.*\.py", path)):
        for node in ast.walk(ast.parse((ROOT / path).read_text(encoding="utf-8"))):
            # A docstring, and the documentation, are statements and assignments; a message is a part of an expression.
            parts = [] if isinstance(node, (ast.Expr, ast.Assign)) else list(ast.iter_child_nodes(node))
            for part in parts:
                if isinstance(part, ast.Constant) and isinstance(part.value, str) and len(part.value.split()) > 2:
                    yield f"{path}:{part.lineno}", part.value


def _documented(path: Path) -> Iterator[str]:
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in ("DOCUMENTATION", "RETURN"):
            yield from (MARKUP.sub("X", text) for text in _named(yaml.load(ast.literal_eval(node.value), Loader)))


def _named(value: object) -> Iterator[str]:
    """The descriptions, notes and names in a structure."""
    if isinstance(value, list):
        for item in value:
            yield from _named(item)
    elif isinstance(value, dict):
        for name, item in value.items():
            if name in ("description", "short_description", "notes", "name", "fail_msg", "msg"):
                yield from (text for text in ([item] if isinstance(item, str) else item or ()) if isinstance(text, str))
            yield from _named(item)


def hits(phrase: str, found: list[tuple[str, str]]) -> list[str]:
    """Where a phrase stands, which is a regular expression of whole words."""
    pattern = re.compile(rf"\b(?:{phrase})\b", re.IGNORECASE)
    return [f"{path}: {one[0]}" for path, text in found for one in pattern.finditer(text)]


def long_sentences(found: list[tuple[str, str]]) -> list[str]:
    """Sentences of too many words; names, paths and code count as none."""
    sentences = ((path, one.split()) for path, text in found for one in ENDS.split(JINJA.sub("X", text)))
    words = ((path, [word for word in one if word not in ("X", "X,", ",")]) for path, one in sentences)
    return [f"{path}: {' '.join(one)[:90]}" for path, one in words if len(one) > LONGEST]


def pages_too_long(found: list[tuple[str, str]], most: dict[str, int]) -> list[str]:
    """Pages with more words than they may have. The two that tools write have no budget, and each page of a role has one."""
    wrong = []
    for path, text in found:
        is_guide = most["other guides"] if path in WRITTEN_BY_HAND else None
        budget = most.get(path, most["roles/README.md"] if ROLE.fullmatch(path) else is_guide)
        if budget is not None and (words := len(TABLE.sub("", text).split())) > budget:
            wrong.append(f"{path}: {words} words, and tools/words.yml allows {budget}")
    return wrong


def main() -> int:
    """Return 0 when nothing is wrong."""
    rules, found = yaml.safe_load(RULES.read_text(encoding="utf-8")), list(texts())
    said = [*found, *messages()]
    wrong = [line for phrase in rules["wrong"] for line in hits(phrase, said)]
    wrong += long_sentences(found) + pages_too_long(found, rules["pages"])
    print(*wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
