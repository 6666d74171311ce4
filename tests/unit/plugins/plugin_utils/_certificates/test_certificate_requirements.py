# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the controller lacks is said before anything is read."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._certificates import bring
from ansible_collections.hosting.panel.plugins.plugin_utils._jobs.foreign_modules import collection_version
from ansible_collections.hosting.panel.plugins.plugin_utils._jobs.job_failed import JobFailed

NEEDED = "This role needs the collection community.crypto from 3.0.0 on and before 4.0.0, which {} on this controller: "
NOBODY: Any = None


def missing(monkeypatch: pytest.MonkeyPatch, version: str | None, library: bool = True) -> str:
    monkeypatch.setattr(bring, "collection_version", lambda _name: version)
    monkeypatch.setattr(bring, "has_library", lambda: library)
    with pytest.raises(JobFailed) as caught:
        # It looks at nothing of its task before that.
        bring.bring_certificates(NOBODY)
    return str(caught.value)


@pytest.mark.parametrize(
    ("version", "found"),
    [
        (None, "is not installed"),
        ("2.26.3", "is installed as 2.26.3"),
        ("4.0.0", "is installed as 4.0.0"),
        ("4.0.0-a1", "is installed as 4.0.0-a1"),
    ],
)
def test_another_release_of_the_collection_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, version: str | None, found: str
) -> None:
    told = missing(monkeypatch, version)
    assert told.startswith(NEEDED.format(found))
    assert "ansible-galaxy collection install 'community.crypto:>=3.0.0,<4.0.0'. Nothing was read or written." in told


@pytest.mark.parametrize("version", ["3.0.0", "3.0.5", "3.12.0-dev0"])
def test_without_dnspython_it_says_where_to_install_it(monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    assert missing(monkeypatch, version, library=False) == (
        "This role needs the Python library dnspython, which is not installed for the Python that runs Ansible; install it there "
        "(pip install dnspython). Nothing was read or written."
    )


@pytest.mark.parametrize("name", ["hosting.nothing", "nobody.knows"])
def test_a_collection_that_is_not_there_has_no_version(name: str) -> None:
    assert collection_version(name) is None
