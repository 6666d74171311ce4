"""The guide explains each type of error that the result of a task can have."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator

from ansible_collections.hosting.panel.plugins.module_utils._content.content_errors import (
    ContentError,
)
from ansible_collections.hosting.panel.plugins.module_utils._errors import PanelError
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.source_tables import (
    SourceError,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._run.job import JobFailed
from tools.layout import ROOT

PLUGINS = "ansible_collections.hosting.panel.plugins"
# The result has the more exact type below it, or the code answers it before it ends a task.
WITHIN = {
    "ModuleFailed",
    "NameTaken",
    "NotMade",
    "OddForm",
    "PanelError",
    "RequestError",
    "SameObject",
    "UnclearAnswer",
    "UnreadableList",
}


def test_the_guide_explains_each_type_of_error() -> None:
    possible_types = set(list_types())

    assert possible_types >= WITHIN
    assert sorted(possible_types - WITHIN - read_explained_types()) == []


def list_types() -> Iterator[str]:
    """Yield what results call each class of errors of all utilities."""
    for path in (ROOT / "plugins").glob("*_utils/**/*.py"):
        relative = path.relative_to(ROOT / "plugins").with_suffix("")
        importlib.import_module(".".join((PLUGINS, *relative.parts)))

    for base in (PanelError, JobFailed, SourceError, ContentError):
        for error_type in list_classes(base):
            yield getattr(error_type, "public_name", "") or error_type.__name__


def list_classes(base: type) -> Iterator[type]:
    """Yield a class and all those that extend it."""
    yield base
    for extending_class in base.__subclasses__():
        yield from list_classes(extending_class)


def read_explained_types() -> set[str]:
    """Return the types in the first column of the guide's table."""
    guide = (ROOT / "docs" / "faults.md").read_text(encoding="utf-8")
    section = guide.partition("## Error types\n")[2]
    first_cells = re.findall(r"^\| (`[^|]+) \|", section, re.MULTILINE)

    return set(re.findall(r"`(\w+)`", " ".join(first_cells)))
