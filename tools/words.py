"""Check what users read: phrases that are always wrong, long sentences, and the words of a page."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import yaml

from tools.layout import ROOT, list_guides, list_tracked_paths

LONGEST = 25
PAGE = re.compile(r"(README|SECURITY|CONTRIBUTING)\.md|docs/[^/]+\.md|(roles|extensions)/.*\.md")
# What is no sentence: code, links, markup of Ansible, templates.
NO_WORDS = re.compile(
    r"(?ms)```.*?```|`[^`]*`|<!--.*?-->|\{[{%].*?[%}]\}|(?:^|\s)# ?[^\n]*$|\(https?://[^)]*\)|\b[A-Z]+\([^)]*\)"
)
WORD = re.compile(r"[\"(]?[A-Za-z][a-z'-]+[,)\"]*[.:;]?")
YAML_OF_USERS = re.compile(r"playbooks/[^/]+\.yml|roles/[^/]+/(tasks|meta)/.*\.yml")
ENDS = re.compile(r"(?<=[.!?:;])\s+|\||\n\s*(?:[-*]|\n)")


def list_strings(path: Path) -> Iterator[str]:
    """Yield the texts of a plugin, its examples left out: they are a playbook."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Expr) or _is_example(node):
            continue
        for child in ast.iter_child_nodes(node):
            value = getattr(child, "value", None)
            if isinstance(child, ast.Constant) and isinstance(value, str) and _is_prose(value):
                yield value


def _is_example(node: ast.AST) -> bool:
    return isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "EXAMPLES"


def _is_prose(text: str) -> bool:
    return len(text.split()) > 2


def list_texts() -> Iterator[tuple[str, str]]:
    """Yield what users read, with its path: pages, and the texts of plugins, roles and playbooks."""
    for name in list_tracked_paths():
        path = ROOT / name
        if PAGE.fullmatch(name) or YAML_OF_USERS.fullmatch(name):
            yield name, NO_WORDS.sub(" X ", path.read_text(encoding="utf-8"))
        elif re.fullmatch(r"plugins/.*\.py", name):
            for text in list_strings(path):
                yield name, NO_WORDS.sub(" X ", text)


def find_mistakes() -> Iterator[str]:
    """Yield a line for each wrong phrase, each long sentence and each page with too many words."""
    rules = yaml.safe_load((ROOT / "tools/words.yml").read_text(encoding="utf-8"))
    wrong_phrases = "|".join(rules["wrong"])
    wrong_phrase = re.compile(rf"\b(?:{wrong_phrases})\b", re.IGNORECASE)
    budgets = _read_budgets(rules["pages"])

    for name, text in list(list_texts()):
        for match in wrong_phrase.finditer(text):
            yield f"{name}: {match[0]}"
        for sentence in _find_long_sentences(text):
            yield f"{name}: {sentence[:90]}"

        budget = budgets.get(name)
        if budget is None and re.fullmatch(r"roles/[^/]+/README\.md", name):
            budget = rules["pages"]["roles/README.md"]
        without_tables = re.sub(r"(?m)^\|.*$", "", text)
        count = len(without_tables.split())
        if budget is not None and count > budget:
            yield f"{name}: {count} words, and tools/words.yml allows {budget}"


def _find_long_sentences(text: str) -> Iterator[str]:
    for sentence in ENDS.split(text):
        prose = [token for token in sentence.split() if WORD.fullmatch(token)]
        if len(prose) > LONGEST:
            yield " ".join(prose)


def _read_budgets(pages: dict[str, int]) -> dict[str, int]:
    """Return how many words a page may have, by its path."""
    budgets = {path.relative_to(ROOT).as_posix(): pages["other guides"] for path in list_guides()}
    return budgets | pages


if __name__ == "__main__":
    found_mistakes = list(find_mistakes())
    print(*found_mistakes, sep="\n")
    sys.exit(1 if found_mistakes else 0)
