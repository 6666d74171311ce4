# SPDX-License-Identifier: GPL-3.0-or-later
"""Tags of DKIM and DMARC records, such as ``v=DMARC1; p=none``. Pure."""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

_TAG = re.compile(r"\s*([A-Za-z][A-Za-z0-9_]*)\s*=(.*)", re.DOTALL)


class RecordTags(NamedTuple):
    """Holds the tags of a record.

    Attributes:
        values: By name, in their order.
        is_well_formed: Whether the record has nothing else, and no tag twice.
        repeated: The names of the tags that are there twice.
    """

    values: dict[str, str]
    is_well_formed: bool
    repeated: list[str]


def parse_tags(text: str) -> RecordTags:
    """Read the tags of a record."""
    parts = text.strip().removesuffix(";").split(";")
    matches = [_TAG.fullmatch(tag_text) for tag_text in parts]
    tags = [match for match in matches if match is not None]
    values = {tag[1]: tag[2].strip() for tag in tags}
    counts = Counter(tag[1] for tag in tags)
    repeated = [name for name, count in counts.items() if count > 1]
    return RecordTags(values, len(values) == len(parts), repeated)
