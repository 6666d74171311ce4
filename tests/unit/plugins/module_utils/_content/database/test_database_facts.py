"""How the facts about a database are shown."""

from __future__ import annotations

from ansible_collections.hosting.panel.plugins.module_utils._content.database.facts import (
    DatabaseFacts,
)


def test_names_of_customers_are_shown_on_one_line() -> None:
    facts = DatabaseFacts("a\nb", 1, 2, 3, ["InnoDB"], 0, 0, 0, 1, ["\x1b[1mroot\\@%"])

    description = facts.describe()

    assert description["name"] == "a\\x0ab"
    assert description["definers"] == ["\\x1b[1mroot\\\\@%"]
    assert description["engines"] == ["InnoDB"]
    assert description["rows"] == 2
