"""The approval of a plan, as a template hands its variables to the filter."""

from __future__ import annotations

from typing import Any

import pytest
from ansible import template
from ansible.utils.unsafe_proxy import wrap_var

from ansible_collections.hosting.panel.plugins.filter.panel_approval import FilterModule

CHECKSUM = "6f" * 32


def mark(text: str) -> str:
    """Return a text with the marks that variables have, where ansible-core marks them."""
    trust = getattr(template, "trust_as_template", str)
    marked: str = trust(text)
    return marked


def test_a_text_with_the_marks_of_ansible_approves_as_a_plain_one_does() -> None:
    panel_approval = FilterModule().filters()["panel_approval"]
    text = mark(f'{{"web-1": "{CHECKSUM}"}}')
    approval = panel_approval({"panel_expected_checksums": text}, mark("web-1"))
    assert approval == {"checksum": CHECKSUM, "mistakes": []}


class ReadableBytes(bytes):
    """Are bytes as a lookup of ansible-core 2.16 returns them."""

    def __str__(self) -> str:
        return self.decode()


BINARY = [CHECKSUM.encode(), wrap_var(CHECKSUM.encode()), ReadableBytes(CHECKSUM.encode())]


@pytest.mark.parametrize("binary", BINARY, ids=["plain", "of a lookup", "readable"])
def test_a_checksum_that_is_no_text_approves_nothing(binary: Any) -> None:
    panel_approval = FilterModule().filters()["panel_approval"]
    for variables in (
        {"panel_expected_checksum": binary},
        {"panel_expected_checksums": {"web-1": binary}},
    ):
        approval = panel_approval(variables, "web-1")
        assert approval["checksum"] is None
        assert len(approval["mistakes"]) == 1


def test_a_host_that_is_no_text_approves_nothing() -> None:
    panel_approval = FilterModule().filters()["panel_approval"]
    checksums = {ReadableBytes(b"web-1"): CHECKSUM}
    approval = panel_approval({"panel_expected_checksums": checksums}, "web-1")
    assert approval["checksum"] is None
    assert len(approval["mistakes"]) == 1
