"""The example in the README of each role does on every supported ansible-core what the page says,
in process and as a module."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from ansible.release import __version__ as core

from tests.support.playbook import IN_PROCESS, MODULE, WAYS
from tests.support.snippets import Reader
from tools.environments import OLDEST_CORE
from tools.layout import ROOT

# The role certificate needs an authority, content needs two servers, and the role simulator is what
# the practice fleet starts: all have tests of their own. Those of content run the play of its page.
ROLES = sorted(
    path.parent.name
    for path in ROOT.glob("roles/*/README.md")
    if path.parent.name not in ("certificate", "content", "simulator")
)
# What a push runs: the roles that write passwords, as a module, and on the oldest release all
# others in process, which `pages` does on the newest.
WITH_PASSWORDS = ("rotate", "site", "sites")
IS_OLDEST = core.startswith(f"{OLDEST_CORE}.")


def list_examples() -> Iterator[object]:
    """Yield each role in each way to run tasks; a push tries some of them."""
    for role in ROLES:
        for way in WAYS:
            is_on_push = role in WITH_PASSWORDS if way == MODULE else IS_OLDEST
            yield pytest.param(
                role, way, marks=() if is_on_push else pytest.mark.release, id=f"{role}, {way}"
            )


@pytest.mark.parametrize(("role", "way"), [*list_examples()])
def test_the_example_of_a_role_does_what_its_page_says(role: str, way: str, tmp_path: Path) -> None:
    with Reader(tmp_path / "page", way) as reader:
        reader.follow(ROOT / "roles" / role / "README.md")


def test_every_role_with_an_example_is_among_them_in_each_way() -> None:
    assert {"move", "offboard", "report", "rotate", "site", "sites", "suspend"} == set(ROLES)
    assert WAYS == (IN_PROCESS, MODULE)
