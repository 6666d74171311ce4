"""Check the words that users read: phrases that are always wrong, sentences that are too long, and how many words a page has."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import yaml

from tools.layout import ROOT, guides, tracked_paths

LONGEST = 25
PAGE = re.compile(r"(README|SECURITY|CONTRIBUTING)\.md|docs/[^/]+\.md|(roles|extensions)/.*\.md")
# What is no sentence: code, links, markup of Ansible, templates.
NO_WORDS = re.compile(
    r"(?ms)```.*?```|`[^`]*`|<!--.*?-->|\{[{%].*?[%}]\}|(?:^|\s)# ?[^\n]*$|\(https?://[^)]*\)|\b[A-Z]+\([^)]*\)"
)
WORD = re.compile(r"[\"(]?[A-Za-z][a-z'-]+[,)\"]*[.:;]?")
ENDS = re.compile(r"(?<=[.!?:;])\s+|\||\n\s*(?:[-*]|\n)")


def strings(path: Path) -> Iterator[str]:
    """The texts of a plugin, its examples left out: they are a playbook."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        is_example = (
            isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "EXAMPLES"
        )
        for part in [] if is_example or isinstance(node, ast.Expr) else ast.iter_child_nodes(node):
            if (
                isinstance(part, ast.Constant)
                and isinstance(part.value, str)
                and len(part.value.split()) > 2
            ):
                yield part.value


def texts() -> Iterator[tuple[str, str]]:
    """What users read, with its path: pages, the documentation and messages of plugins, roles and playbooks."""
    for name in tracked_paths():
        path = ROOT / name
        if PAGE.fullmatch(name) or re.fullmatch(
            r"playbooks/[^/]+\.yml|roles/[^/]+/(tasks|meta)/.*\.yml", name
        ):
            yield name, NO_WORDS.sub(" X ", path.read_text(encoding="utf-8"))
        elif re.fullmatch(r"plugins/.*\.py", name):
            yield from ((name, NO_WORDS.sub(" X ", text)) for text in strings(path))


def mistakes() -> Iterator[str]:
    rules, found = (
        yaml.safe_load((ROOT / "tools/words.yml").read_text(encoding="utf-8")),
        list(texts()),
    )
    wrong = re.compile(rf"\b(?:{'|'.join(rules['wrong'])})\b", re.IGNORECASE)
    most = {path.relative_to(ROOT).as_posix(): rules["pages"]["other guides"] for path in guides()}
    for name, text in found:
        yield from (f"{name}: {one[0]}" for one in wrong.finditer(text))
        sentences = (
            [word for word in one.split() if WORD.fullmatch(word)] for one in ENDS.split(text)
        )
        yield from (f"{name}: {' '.join(one)[:90]}" for one in sentences if len(one) > LONGEST)
        of_a_role = (
            rules["pages"]["roles/README.md"]
            if re.fullmatch(r"roles/[^/]+/README\.md", name)
            else None
        )
        budget = rules["pages"].get(name, of_a_role or most.get(name))
        words = len(re.sub(r"(?m)^\|.*$", "", text).split())
        if budget is not None and words > budget:
            yield f"{name}: {words} words, and tools/words.yml allows {budget}"


if __name__ == "__main__":
    wrong = list(mistakes())
    print(*wrong, sep="\n")
    sys.exit(1 if wrong else 0)
