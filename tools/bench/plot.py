# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The picture: time over the number of objects, nothing to do on the left, all new on the right."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from statistics import median
from typing import Any

from tools.bench import ways
from tools.bench.mailboxes import Start
from tools.bench.report import Outcome
from tools.bench.ways import Way

LINES = (
    (ways.URI_LOOP, "uri: requests for each (from ten)", "#b3261e", ":"),
    (ways.URI_FILTERS, "uri: list, filters", "#b3261e", "--"),
    (ways.URI_TEMPLATE, "uri: list, tuned template", "#e08a00", "--"),
    (ways.BULK_MODULE, "panel_resources, as module", "#1d6fb8", "--"),
    (ways.BULK, "panel_resources, in process", "#1d6fb8", "-"),
    (ways.EMPTY, "empty play", "#888888", "-"),
    (ways.SCRIPT, "script with requests", "#333333", "-"),
)
PANES = ((Start.UNCHANGED, "Nothing to do"), (Start.NEW, "All are missing"))
Points = list[tuple[int, float]]


def points(outcomes: Iterable[Outcome], way: Way, start: Start) -> Points:
    """Return (number of objects, median seconds) of a way, in the experiments with all objects in one task."""
    found: dict[int, float] = {}
    for outcome in outcomes:
        if not outcome.experiment.name.startswith("bulk-"):
            continue
        total = int(outcome.experiment.name.removeprefix("bulk-"))
        rows = {one.row.name: one for one in outcome.rows}
        for one in outcome.rows:
            seconds = list(one.values("wall").values())
            if one.row.way is not way or one.row.start is not start or not seconds:
                continue
            if way is not ways.URI_LOOP and one.row.count == total:
                found[total] = median(seconds)
            elif way is ways.URI_LOOP and (empty := list(rows["empty, 10"].values("wall").values())):
                found[total] = (median(seconds) - median(empty)) / one.row.count * total
    return sorted(found.items())


def draw(outcomes: list[Outcome], file: Path) -> None:
    """Write the picture as SVG."""
    import matplotlib as mpl  # type: ignore[import-not-found]  # only the environment of `make bench` has it

    mpl.use("svg")
    # Texts stay texts, and the same numbers make the same file.
    mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "hosting.panel", "font.size": 10})
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 2, figsize=(11, 4.6), sharey=True, layout="constrained")
    for axis, (start, title) in zip(axes, PANES, strict=True):
        _draw_pane(axis, outcomes, start, title)
    axes[0].set_ylabel("seconds")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, frameon=False)
    figure.savefig(file, metadata={"Date": None, "Title": "Time over number of objects"}, facecolor="white")
    pyplot.close(figure)


def _draw_pane(axis: Any, outcomes: list[Outcome], start: Start, title: str) -> None:
    for way, label, colour, style in LINES:
        # An empty play does nothing in both.
        line = points(outcomes, way, Start.UNCHANGED if way is ways.EMPTY else start)
        if line:
            axis.plot(*zip(*line, strict=True), style, color=colour, label=label, marker="o", markersize=3)
    axis.set(xscale="log", yscale="log", title=title, xlabel="objects")
    axis.xaxis.set_major_formatter(lambda value, _position: f"{value:,.0f}")
    axis.yaxis.set_major_formatter(lambda value, _position: f"{value:g}")
    axis.grid(visible=True, alpha=0.3)
