"""A module returns no field that its documentation does not describe."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.parsing.plugin_docs import read_docstring

from tests.support import pem
from tests.support.mixed_panel import make_mixed_objects
from tools.layout import ROOT

# Those of every module, which Ansible documents.
COMMON = {"changed", "diff", "failed", "invocation", "msg", "warnings"}
# Their tasks start the tools of a host.
OF_CONTENT = ("panel_content_info", "panel_database_sync", "panel_files_sync", "panel_mailbox_sync")
MODULES = sorted(
    path.stem
    for path in (ROOT / "plugins" / "modules").glob("panel_*.py")
    if path.stem not in OF_CONTENT
)
READING = {
    **{name: {} for name in MODULES if name.endswith("_info")},
    "panel_login_info": {"username": "acme"},
}


@pytest.mark.parametrize("name", MODULES)
def test_a_failed_task_returns_only_what_is_documented(name: str, in_memory: Any) -> None:
    failure = in_memory().run(name, no_such_option="x")

    assert failure["failed"]
    assert failure["error"]["type"] == "OptionError"
    assert list(find_undescribed(read_returned(name), failure)) == []


@pytest.mark.parametrize("name", READING)
def test_a_task_that_reads_returns_only_what_is_documented(name: str, in_memory: Any) -> None:
    seed = make_mixed_objects(pem.make_texts(), clients=5)
    panel = in_memory({**seed, "clients": [*seed["clients"], {"username": "acme"}]})

    answer = panel.run(name, **READING[name])

    assert not answer.get("failed"), answer["msg"]
    assert list(find_undescribed(read_returned(name), answer)) == []


def test_a_plan_for_files_returns_only_what_is_documented(in_memory: Any, tmp_path: Path) -> None:
    (tmp_path / "plans.yml").write_text("plans:\n  - name: Business\n", encoding="utf-8")

    answer = in_memory().run(
        "panel_resources", resources_dir=str(tmp_path), compare=True, check_mode=True
    )

    files = {action["key"]: action["file"] for action in answer["plan"]["actions"]}
    assert "plans.yml" in files["Business"]
    assert list(find_undescribed(read_returned("panel_resources"), answer)) == []


def test_a_field_is_found_that_is_described_nowhere() -> None:
    described = {
        "email": {"type": "dict", "contains": {"id": {"type": "int"}}},
        "emails": {"type": "list", "elements": "dict", "contains": {"id": {"type": "int"}}},
        "summary": {"type": "dict"},
    }
    returned = {
        "changed": False,
        "email": {"id": 5, "size": 1},
        "emails": [{"id": 5}, {"note": None}],
        "summary": {"create": 1},
        "version": "26.0",
    }

    assert list(find_undescribed(described, returned)) == ["email.size", "emails.note", "version"]


def read_returned(name: str) -> dict[str, Any]:
    """Return the documentation of what a module returns, by name."""
    path = ROOT / "plugins" / "modules" / f"{name}.py"
    returned = read_docstring(str(path))["returndocs"]
    if isinstance(returned, str):
        returned = yaml.safe_load(returned)
    documented: dict[str, Any] = returned
    return documented


def find_undescribed(
    described: Mapping[str, Any], returned: Mapping[str, Any], path: str = ""
) -> Iterator[str]:
    """Yield the path of each returned field that is not described.

    A field whose own fields are not described has data, or describes them in words. Those of an
    error are in the guide.
    """
    for name, value in returned.items():
        if not path and name in COMMON:
            continue
        if name not in described:
            yield f"{path}{name}"
            continue
        contained = described[name].get("contains")
        if not contained or name == "error":
            continue
        for element in value if isinstance(value, list) else [value]:
            if isinstance(element, Mapping):
                yield from find_undescribed(contained, element, f"{path}{name}.")
