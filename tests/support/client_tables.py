"""Tables of clients to suspend, and what was read of them."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from pathlib import Path
from typing import Any

# What YAML makes of names without quotes.
NUMBERS = [83, 750, 8.1, True, datetime.date(2026, 12, 31)]
# What a template with a blank beside its expression makes of these.
PADDED = [f"{number} " for number in NUMBERS] + [" 83", "83\t", " 83 ", "\u00a083", "83\n"]


def write_file(folder: Path, text: str) -> Path:
    """Write the table of clients into its file."""
    (folder / "unpaid.csv").write_text(text, encoding="utf-8")
    return folder / "unpaid.csv"


def get_entries(reading: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the entries of a list that has no mistakes."""
    assert reading["mistakes"] == []
    entries: list[dict[str, Any]] = reading["clients"]
    return entries


def get_mistakes(reading: Mapping[str, Any]) -> str:
    """Return the mistakes of a list that has some."""
    assert reading["clients"] == []
    [mistakes] = reading["mistakes"]
    return str(mistakes)
