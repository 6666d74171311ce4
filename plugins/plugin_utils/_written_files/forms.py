# SPDX-License-Identifier: GPL-3.0-or-later
"""How each file begins that the collection writes on the controller, and may replace later.

A new file of the collection gets its form in `FORMS`.
"""

from __future__ import annotations

import re
from typing import NamedTuple


class Form(NamedTuple):
    """A file that the collection writes.

    Attributes:
        title: What a message calls it.
        beginning: What it begins with, from its first character on.
        fields: Of JSON that a later run reads again, the fields that it needs, with their types.
        can_be_empty: Whether an empty file counts as none.
        remedy: What to do where a later run cannot read the file.
    """

    title: str
    beginning: re.Pattern[str]
    fields: tuple[tuple[str, type], ...] = ()
    can_be_empty: bool = True
    remedy: str = "restore it, or move it away"


_REPORT_PAGE_HEAD = (
    r'<!DOCTYPE html>\n<html lang="en">\n<head>\n(?:<meta [^<>\n]*>\n)*'
    r'<meta name="generator" content="hosting\.panel">\n'
)
_REPORT_FIELDS = r'\{\s*"format": "hosting\.panel\.report"'
_USAGE_LINE = r"panel([,;|\t])client\1client_id\1plan\1month\1"
_METRICS_LINE = r"# TYPE hosting_panel_report_timestamp_seconds gauge\n"
# Also what earlier revisions wrote, such as "No drift of".
_PLAN_TITLE = r"# (?:(?:Plan|No plan) for|(?:Drift|No drift|No comparison) of) `.+\n\n"
_VERIFY_TITLE = r"# What this panel does\n\nPanel version: "
_PROFILE_LINE = r"# (?:How|What) a panel .*; written by hosting\.panel\.verify\.?\n"
_SUMMARY_LINE = r"client {18}\S"
_HAND_OVER_TITLE = r"# Move of .+ from .+ to .+\n\nAs of "
_HAND_OVER_FIELDS = (
    r'\{\n    "at": "[^"\n]*",\n    "client": "[^"\n]*",\n    "(?:content|credentials_file)": '
)
# The name of a panel has a mark where it is an address of IPv6.
_PANEL_OF_ZONES = r'(?:"[^"\n]*"|\{\n        "__ansible_unsafe": "[^"\n]*"\n    \})'
_ZONES_FIELDS = rf'\{{\n    "client": "[^"\n]*",\n    "panel": {_PANEL_OF_ZONES},\n    "zones": '
_IMPORT_TITLE = r"# Import from [^\n]+\n\n## What arrives\n"
# Of other fields, one may come before it.
_CONTENT_STATE_FIELDS = r'(?ms)\{$.*?^    "format": "hosting\.panel\.content"'
_CONTENT_TITLE = r"# Content of .+ from .+, step [a-z]+\n\nAs of "
_CONTENT_FIELDS = r'\{\n    "trees": \['

FORMS = {
    "plan": Form("page of a plan", re.compile(_PLAN_TITLE)),
    "summary": Form("summary of onboard", re.compile(_SUMMARY_LINE)),
    "verify_report": Form("page of verify", re.compile(_VERIFY_TITLE)),
    "verify_profile": Form("profile of verify", re.compile(_PROFILE_LINE)),
    "report_page": Form("page of a report", re.compile(_REPORT_PAGE_HEAD)),
    "report_json": Form("JSON file of a report", re.compile(_REPORT_FIELDS)),
    "report_usage": Form("table of usage", re.compile(_USAGE_LINE)),
    "report_metrics": Form("metrics file of a report", re.compile(_METRICS_LINE)),
    "hand_over_page": Form("hand-over page", re.compile(_HAND_OVER_TITLE)),
    "hand_over_json": Form(
        "JSON file of a hand-over", re.compile(_HAND_OVER_FIELDS), (("at", str),)
    ),
    "import_page": Form("page of an import", re.compile(_IMPORT_TITLE)),
    "import_content": Form("file of an import for the role content", re.compile(_CONTENT_FIELDS)),
    "copy_state": Form(
        "state of a copy",
        re.compile(_CONTENT_STATE_FIELDS),
        # The role says what else is wrong with it.
        (("format", str),),
        can_be_empty=False,
        # Without it, no run knows that the step late has been.
        remedy="restore it; move it away only if customers do not use the target yet",
    ),
    "copy_page": Form("page of a copy", re.compile(_CONTENT_TITLE)),
    # Nothing else knows the zones as they were, so an empty file may be one that was lost.
    "zones_before": Form(
        "file with the zones of a move",
        re.compile(_ZONES_FIELDS),
        (("panel", str), ("zones", dict)),
        can_be_empty=False,
    ),
}
"""By name what the collection writes on the controller and replaces as a whole."""
