# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a monitoring system reads about a run, as OpenMetrics. Pure. Private to the collection."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

_FAMILIES = {
    "not_after_timestamp_seconds": "Until when the certificate that is in use is valid.",
    "issued": "Whether the last run issued it.",
    "failed": "Whether it failed in the last run, or was not tried after a failure.",
}
_LAST_RUN = "hosting_panel_certificates_last_run_timestamp_seconds"


def metrics_of(
    panel: str, certificates: Sequence[Mapping[str, Any]], failed: Collection[str], now: datetime.datetime
) -> str:
    """The whole file. certificates: as the task returns them; failed: their names."""
    return "\n".join([*_lines(panel, certificates, failed, now), "# EOF", ""])


def _lines(
    panel: str, certificates: Sequence[Mapping[str, Any]], failed: Collection[str], now: datetime.datetime
) -> Iterator[str]:
    for family, words in _FAMILIES.items():
        name = f"hosting_panel_certificate_{family}"
        yield from (f"# HELP {name} {words}", f"# TYPE {name} gauge")
        for one in certificates:
            value = _value(family, one, failed)
            if value is not None:
                yield f'{name}{{panel="{_escaped(panel)}",certificate="{_escaped(one["name"])}"}} {value:d}'
    yield from (f"# HELP {_LAST_RUN} When the last run ended.", f"# TYPE {_LAST_RUN} gauge")
    yield f'{_LAST_RUN}{{panel="{_escaped(panel)}"}} {int(now.timestamp())}'


def _value(family: str, certificate: Mapping[str, Any], failed: Collection[str]) -> int | None:
    if family == "issued":
        return int(certificate["renewed"])
    if family == "failed":
        return int(certificate["name"] in failed)
    end = certificate["not_after"]
    return int(datetime.datetime.fromisoformat(end.replace("Z", "+00:00")).timestamp()) if end else None


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
