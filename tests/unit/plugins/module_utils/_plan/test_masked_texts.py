# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests that would write what results show in the place of a secret."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._errors import OptionError
from ansible_collections.hosting.panel.plugins.module_utils._plan.masked_texts import (
    refuse_masked_texts,
)
from ansible_collections.hosting.panel.plugins.module_utils._secrets.redaction import Secrets

SECRET = "prefix01.Zm9vYmFyYmF6cXV4"
SECRETS = Secrets([SECRET])
OWN = f"key {SECRET}!"
SHOWN = "key ********!"


@pytest.mark.parametrize(
    ("requested", "actual", "option"),
    [
        pytest.param({"notes": SHOWN}, {"notes": OWN}, "notes", id="field"),
        pytest.param({"a": {"b": SHOWN}}, {"a": {"b": OWN}}, "a.b", id="field of a group"),
        pytest.param({"list": ["x", SHOWN]}, {"list": [OWN, "y"]}, "list", id="entry of a list"),
        pytest.param(
            {"list": [{"text": SHOWN}]},
            {"list": [{}, {"text": OWN}]},
            "list.text",
            id="in an entry",
        ),
    ],
)
def test_a_text_as_results_show_it_is_refused_by_its_name(
    requested: Any, actual: Any, option: str
) -> None:
    with pytest.raises(OptionError) as caught:
        refuse_masked_texts(requested, actual, SECRETS.is_masked_form)

    assert caught.value.option == option


@pytest.mark.parametrize(
    ("requested", "actual"),
    [
        pytest.param({"notes": SHOWN}, {"notes": SHOWN}, id="own asterisks"),
        pytest.param({"notes": SHOWN}, {"notes": "key of the panel"}, id="no secret on the panel"),
        pytest.param({"notes": f"{SHOWN}!"}, {"notes": OWN}, id="another text"),
        pytest.param({"notes": SHOWN}, {"more": OWN}, id="another field"),
        pytest.param({"list": [SHOWN]}, {"list": [SHOWN, OWN]}, id="own entry"),
        pytest.param({"notes": OWN}, {"notes": SHOWN}, id="secret in place of asterisks"),
    ],
)
def test_a_text_that_no_result_has_shown_in_place_of_a_secret_is_taken(
    requested: Any, actual: Any
) -> None:
    refuse_masked_texts(requested, actual, SECRETS.is_masked_form)
