# SPDX-License-Identifier: GPL-3.0-or-later
"""Marks in the specification of an option, beside Ansible's own words; Ansible does not get them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# The mark that a number, switch or date in the place of a text is a mistake.
TEXT_ONLY = "text"
TEXT_ONLY_MARK = {TEXT_ONLY: True}
# The mark of a list that an empty string clears. Ansible would make a list of an empty string of it.
EMPTY_CLEARS = "empty_clears"
# What an option takes that is written as a text and is no word, such as a size: for it, quotes
# around a switch would help nobody.
ACCEPTED = "accepted"
# The mark of a dictionary, or of a list of them, whose fields Ansible does not know: their names.
FIELDS = "fields"
# The mark of an option that narrows what a task does: what the task would do without it.
NARROWS = "narrows"
CHOOSES_CLIENTS_MARK = {TEXT_ONLY: True, NARROWS: "read every client"}


def is_text_only(rules: Mapping[str, Any]) -> bool:
    """Tell whether a number, switch or date in the place of an option is a mistake.

    Args:
        rules: What Ansible's words and the marks say of the option.
    """
    return rules.get("type") == "path" or bool(rules.get(TEXT_ONLY))
