"""A plan is approved by a whole checksum for the host and by nothing else."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.hosting.panel.plugins.filter.panel_approval import panel_approval
from ansible_collections.hosting.panel.plugins.plugin_utils._variables.approval import BY_HOST, OF_ONE, read_approval

CHECKSUM = "0123456789abcdef" * 4
OTHER = "f" * 64
HOST = "web-1"
OF_TWO = {HOST: CHECKSUM, "web-2": OTHER}

APPROVALS: dict[str, dict[str, Any]] = {
    "one": {OF_ONE: CHECKSUM},
    "by host": {BY_HOST: OF_TWO},
    "the same in both": {OF_ONE: CHECKSUM, BY_HOST: OF_TWO},
    "JSON": {BY_HOST: json.dumps(OF_TWO)},
    "YAML": {BY_HOST: yaml.safe_dump(OF_TWO)},
    "another host has none": {BY_HOST: {HOST: CHECKSUM, "web-2": None}},
}
# Nothing of this approves a plan for web-1.
NO_CHECKSUMS: dict[str, Any] = {
    "null": None,
    "empty": "",
    "blank": " ",
    "part": CHECKSUM[:63],
    "part of a text": f"x{CHECKSUM}",
    "with a line end": f"{CHECKSUM}\n",
    "with a blank": f" {CHECKSUM}",
    "upper case": CHECKSUM.upper(),
    "too long": CHECKSUM + "0",
    "other digits": "٣" * 64,
    "true": True,
    "number": int("1" * 64),
    "list": [CHECKSUM],
    "dictionary": {"checksum": CHECKSUM},
}
NO_DICTIONARIES: dict[str, Any] = {
    "checksum alone": CHECKSUM,
    "text that holds host and checksum": f"{HOST} {CHECKSUM}",
    "list of hosts": [HOST],
    "list of checksums": [CHECKSUM],
    "list of pairs": [[HOST, CHECKSUM]],
    "list of dictionaries": [OF_TWO],
    "JSON of a list": json.dumps([OF_TWO]),
    "JSON that is cut off": json.dumps(OF_TWO)[:-1],
    "JSON with a host twice": f'{{"{HOST}": "{CHECKSUM}", "{HOST}": "{CHECKSUM}"}}',
    "nested": {"hosts": OF_TWO},
    "true": True,
    "number": 7,
    "null": None,
    "empty": "",
    "blank": " ",
    "empty dictionary": {},
    "text of an empty dictionary": "{}",
    "another host": {"web-2": CHECKSUM},
    "part of the name": {"web": CHECKSUM, "web-11": CHECKSUM},
    "another case": {"WEB-1": CHECKSUM},
}
REFUSED = {
    **{f"one: {name}": {OF_ONE: value} for name, value in NO_CHECKSUMS.items()},
    **{f"by host: {name}": {BY_HOST: {HOST: value}} for name, value in NO_CHECKSUMS.items()},
    **{f"form: {name}": {BY_HOST: value} for name, value in NO_DICTIONARIES.items()},
    "both differ": {OF_ONE: OTHER, BY_HOST: OF_TWO},
    "one beside a form": {OF_ONE: CHECKSUM, BY_HOST: [HOST]},
    "by host beside an empty one": {OF_ONE: "", BY_HOST: OF_TWO},
}


@pytest.mark.parametrize("variables", APPROVALS.values(), ids=APPROVALS)
def test_a_whole_checksum_for_the_host_approves(variables: dict[str, Any]) -> None:
    assert panel_approval({**variables, "panel_dir": "panel"}, HOST) == {"checksum": CHECKSUM, "mistakes": []}


def test_without_the_variables_nothing_is_approved_and_nothing_wrong() -> None:
    assert read_approval({"panel_dir": "panel"}, HOST) == (None, [])


@pytest.mark.parametrize("variables", REFUSED.values(), ids=REFUSED)
def test_anything_else_approves_nothing_and_is_a_mistake(variables: dict[str, Any]) -> None:
    checksum, mistakes = read_approval(variables, HOST)
    assert checksum is None
    assert mistakes
    assert all(mistake.startswith("panel_expected_checksum") for mistake in mistakes)
    assert not any(CHECKSUM in mistake for mistake in mistakes)


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from([CHECKSUM, HOST]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text() | st.sampled_from([HOST, CHECKSUM]), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(value=ANYTHING)
def test_whatever_the_variables_are_only_the_whole_checksum_for_the_host_approves(value: Any) -> None:
    one = read_approval({OF_ONE: value}, HOST)
    assert one[0] == (CHECKSUM if value == CHECKSUM else None)
    assert bool(one[1]) == (one[0] is None)
    by_host = read_approval({BY_HOST: value}, HOST)
    is_approval = isinstance(value, dict) and value.get(HOST) == CHECKSUM
    assert by_host[0] == (CHECKSUM if is_approval else None)
    assert bool(by_host[1]) == (by_host[0] is None)


@given(text=st.text(alphabet='{}[]":, \nweb-10' + CHECKSUM[:3]) | st.text())
def test_no_text_that_is_no_dictionary_approves(text: str) -> None:
    checksum, mistakes = read_approval({BY_HOST: text}, HOST)
    assert checksum is None and mistakes
