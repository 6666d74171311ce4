"""What messages and pages count: one object is never called objects."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from ansible_collections.hosting.panel.plugins.filter.panel_rotation_mistakes import (
    panel_rotation_mistakes,
)
from ansible_collections.hosting.panel.plugins.module_utils._problems import format_number_of
from tools.layout import ROOT

PLUGINS = ROOT / "plugins"
# What an expression in a text is called that is a number of things.
_NUMBER = re.compile(r"len\(.*\)|(?:.*[._])?(?:count|counted|number|total|times|unchanged|goes)")
_SEVERAL = re.compile(r" (?:(?:other|more|new|private) )?[a-z]+s\b(?! of\b)")
# Behind a number these are no plurals.
_NO_PLURALS = re.compile(r" (?:is|was|has|as|bytes|seconds)\b")
# By file the texts that are said of several alone, or of a part of all.
OF_SEVERAL = {
    "filter/panel_customers_result.py": [" customers"],
    "module_utils/_problems.py": [" mistakes:"],
    "module_utils/_content/mailbox/sync_command.py": [" times: "],
    "module_utils/_content/mailbox/task.py": [" differences are left"],  # of a log alone
    "module_utils/_dns/record_forms.py": [" tokens instead of "],  # whose words nobody sees
    "module_utils/_values/pem.py": [" private keys; give the one of the certificate."],
    "plugin_utils/_import/writing/page.py": [" addresses that only forward get one too."],
    "plugin_utils/_import_source/froxlor/mysql_users.py": [
        " columns. It may be cut off; make it again."
    ],
    "plugin_utils/_mail_dns/dkim.py": [" texts at "],
    "plugin_utils/_variables/plugin_arguments.py": [" arguments at most."],
    "plugin_utils/_verify/verdicts.py": [" points, "],
    "plugin_utils/_zone_file/text_to_zone.py": [" mistakes: "],
}


def list_plurals(path: Path) -> Iterator[str]:
    """Yield the text behind each number in a text of a file, where it is one of several things."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.JoinedStr):
            continue
        preceding_text = ""
        for value, following in zip(node.values, [*node.values[1:], None], strict=True):
            if isinstance(value, ast.Constant):
                preceding_text = str(value.value)
                continue
            is_part_of_all = preceding_text.endswith(" of ")
            preceding_text = ""
            if is_part_of_all or not isinstance(following, ast.Constant):
                continue
            text = str(following.value)
            expression = ast.unparse(value.value) if isinstance(value, ast.FormattedValue) else ""
            is_plural = _SEVERAL.match(text) and not _NO_PLURALS.match(text)
            if is_plural and _NUMBER.fullmatch(expression):
                yield text


@pytest.mark.parametrize(
    "path", sorted(PLUGINS.rglob("*.py")), ids=lambda path: str(path.relative_to(PLUGINS))
)
def test_a_number_in_a_text_has_the_noun_for_one_or_for_several(path: Path) -> None:
    texts = [*dict.fromkeys(list_plurals(path))]
    assert texts == OF_SEVERAL.get(str(path.relative_to(PLUGINS)), [])


@pytest.mark.parametrize(
    ("number", "phrase"), [(0, "0 entries"), (1, "1 entry"), (2, "2 entries"), (11, "11 entries")]
)
def test_one_is_one_and_nothing_is_several(number: int, phrase: str) -> None:
    assert format_number_of(number, "entry", "entries") == phrase


def test_one_object_above_a_limit_of_none_is_one_object() -> None:
    settings = {"rotate_clients": ["acme"], "rotate_kinds": ["emails"], "rotate_max": 0}
    (mistake,) = panel_rotation_mistakes({"count": 1, "unmatched": []}, settings)
    assert mistake == "rotate_max: 1 object would get new passwords (limit 0)."
