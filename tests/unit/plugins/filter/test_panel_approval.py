"""The approval of a plan, as a template hands its variables to the filter."""

from __future__ import annotations

from ansible import template

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
