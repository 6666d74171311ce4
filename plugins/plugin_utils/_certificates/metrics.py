# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a monitoring system reads about a run. Pure. Private to the collection."""

from __future__ import annotations

import datetime
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from .._jobs.open_metrics import PREFIX, Metric, metrics_text
from .._run.own_files import OwnFiles

_FAMILIES = {
    "not_after_timestamp_seconds": "Until when the certificate that the panel has is valid.",
    "issued": "Whether the last run issued it.",
    "failed": "Whether it failed in the last run, or was not tried after a failure.",
}
METRICS = OwnFiles("file of metrics about certificates", re.compile(f"# TYPE {PREFIX}certificate_"))


def metrics_of(
    panel: str, certificates: Sequence[Mapping[str, Any]], failed: Collection[str], now: datetime.datetime
) -> str:
    """The whole file. certificates: as the task returns them; failed: their names."""
    return metrics_text(_metrics(panel, certificates, failed, now))


def _metrics(
    panel: str, certificates: Sequence[Mapping[str, Any]], failed: Collection[str], now: datetime.datetime
) -> Iterator[Metric]:
    for family, words in _FAMILIES.items():
        found = [({"panel": panel, "certificate": one["name"]}, _value(family, one, failed)) for one in certificates]
        samples = [(labels, value) for labels, value in found if value is not None]
        yield Metric(f"certificate_{family}", words, samples)
    last = [({"panel": panel}, int(now.timestamp()))]
    yield Metric("certificates_last_run_timestamp_seconds", "When the last run ended.", last)


def _value(family: str, certificate: Mapping[str, Any], failed: Collection[str]) -> int | None:
    if family == "issued":
        return int(certificate["renewed"])
    if family == "failed":
        return int(certificate["name"] in failed)
    end = certificate["not_after"]
    return int(datetime.datetime.fromisoformat(end.replace("Z", "+00:00")).timestamp()) if end else None
