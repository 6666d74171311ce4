# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers for a monitoring system, in the text of OpenMetrics. Pure. Private to the collection.

Every metric is a gauge without a time of its own, so that the text is one of the older Prometheus format too, which is what the textfile collector
reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

PREFIX = "hosting_panel_"
_UNITS = ("seconds", "bytes")
_ESCAPED = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})
Labels = Mapping[str, str]
Sample = tuple[Labels, "float | int"]


class Metric(NamedTuple):
    """A metric with its samples: its name without the prefix, ending with its unit where it has one."""

    name: str
    help: str
    samples: Iterable[Sample]


def metrics_text(metrics: Iterable[Metric]) -> str:
    """The text of a file that has these metrics and no others."""
    return "\n".join([*(line for metric in metrics for line in _lines(metric)), "# EOF", ""])


def _lines(metric: Metric) -> Iterator[str]:
    name = PREFIX + metric.name
    yield f"# TYPE {name} gauge"
    unit = next((unit for unit in _UNITS if name.endswith(f"_{unit}")), None)
    if unit:
        yield f"# UNIT {name} {unit}"
    yield f"# HELP {name} {metric.help}"
    for labels, value in metric.samples:
        shown = ",".join(f'{label}="{text.translate(_ESCAPED)}"' for label, text in labels.items())
        yield f"{name}{{{shown}}} {value}" if shown else f"{name} {value}"
