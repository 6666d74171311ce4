# SPDX-License-Identifier: GPL-3.0-or-later
"""What the profile of a panel says about hashes of passwords.

Pure.
"""

from __future__ import annotations

from typing import Any

import yaml

from ...module_utils._values.password_hashes import FORMS
from .._run.nested_text import TooDeep, TooLarge, load_yaml

# The point of the profile, and the name of the option for which it stands.
_POINTS = ("password_hashes", "password_hash")
_REASONS = {
    "refused": "the profile says that the panels take no hashes of passwords",
    "written": "the profile says that the panels show no hashes of passwords",
}
_COPIED = "written_and_shown"


def read_hash_points(text: str) -> dict[str, Any]:
    """Return what the filter ``panel_move_hashes`` returns.

    Args:
        text: The profile, as panel_verify wrote it: YAML of a mapping of points, in which what is
            usual is left out.
    """
    try:
        profile = load_yaml(text)
    except (TooDeep, TooLarge) as error:
        return _make_mistake(str(error))
    except (yaml.YAMLError, ValueError):
        return _make_mistake("this is no YAML.")
    if profile is None:
        profile = {}
    if not isinstance(profile, dict):
        return _make_mistake("this is no profile, which is a mapping of points.")

    # Hashes are refused where nobody has switched them on.
    hashes = next((profile[name] for name in _POINTS if name in profile), "refused")
    refused_forms = profile.get("refused_hashes")
    if refused_forms is None:
        refused_forms = []
    if hashes not in (*_REASONS, _COPIED):
        expected = ", ".join((*_REASONS, _COPIED))
        return _make_mistake(f"password_hashes is none of {expected}.")
    if not isinstance(refused_forms, list) or not set(map(str, refused_forms)) <= set(FORMS):
        return _make_mistake(f"refused_hashes is no list of {', '.join(FORMS)}.")

    reason = _REASONS.get(hashes, "")
    return {"copied": not reason, "refused_forms": refused_forms, "why": reason, "mistake": ""}


def _make_mistake(problem: str) -> dict[str, Any]:
    advice = "Give the file that panel_verify_profile_file names."
    return {"copied": False, "refused_forms": [], "why": "", "mistake": f"{problem} {advice}"}
