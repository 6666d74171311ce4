"""Entries of a list of names and shell patterns, told apart as fnmatch reads them."""

from __future__ import annotations

from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.hosting.panel.plugins.module_utils._values.shell_patterns import (
    EntryForm,
    find_entry_form,
)
from tests.support.growth import is_linear

SIGNS = "ab*?[]!-"


@given(st.text(SIGNS, max_size=8))
def test_a_name_matches_itself_alone(entry: str) -> None:
    names = {entry, *(entry.replace(sign, "b") for sign in SIGNS), f"{entry}a", entry[:-1]}

    matching = {name for name in names if fnmatchcase(name, entry)}

    if find_entry_form(entry) is EntryForm.NAME:
        assert matching == {entry}


@pytest.mark.parametrize(
    ("form", "entries"),
    [
        (EntryForm.NAME, ["", "a", "[a", "a]", "[]", "[!]", "[", "]["]),
        (EntryForm.PATTERN, ["*", "a?", "[ab]", "[!a]", "[]]", "[a-z]*", "[[]a", "a]*", "[*]"]),
        (EntryForm.BROKEN, ["[*", "a[?", "*[", "[]*", "[!*", "[z-a]", "[ab]*[", "[a-zz-a]"]),
    ],
)
def test_an_entry_has_the_form_that_its_brackets_give_it(
    form: EntryForm, entries: list[str]
) -> None:
    assert {entry: find_entry_form(entry) for entry in entries} == dict.fromkeys(entries, form)


def test_an_entry_is_read_in_time_in_proportion_to_its_length() -> None:
    for text in ("[", "[a", "[a-", "[]", "[]]", "*["):
        assert is_linear(find_entry_form, text.__mul__)
