"""The arguments of the lookup hosting.panel.panel_suspend_list."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from ansible.errors import AnsibleLookupError

from ansible_collections.hosting.panel.plugins.lookup.panel_suspend_list import LookupModule
from tests.support.client_tables import get_entries, get_mistakes, write_file
from tests.support.in_memory import VAULT


def read_entries(*files: Any, **options: Any) -> list[dict[str, Any]]:
    """Read the entries of files, or of a variable, that have no mistakes."""
    return get_entries(read_list(*files, **options))


def read_mistakes(*files: Any, **options: Any) -> str:
    """Read files, or a variable, that have mistakes, and return these."""
    return get_mistakes(read_list(*files, **options))


def read_list(*files: Any, **options: Any) -> dict[str, Any]:
    """Read files, or a variable, with the lookup."""
    lookup = LookupModule(loader=SimpleNamespace(_vault=VAULT))
    lookup.set_options = lambda **_keywords: None
    lookup.get_option = {"clients": None, **options}.get
    terms = [str(file) if isinstance(file, Path) else file for file in files]
    [reading] = lookup.run(terms, **options)
    return dict(reading)


@pytest.mark.parametrize(
    ("value", "needs_due"),
    [(True, True), ("yes", True), (False, False), ("no", False), (None, False), ("", False)],
)
def test_whether_a_due_date_is_needed_is_a_switch(
    value: Any, needs_due: bool, tmp_path: Path
) -> None:
    file = str(write_file(tmp_path, "username;due\nacme;\n"))
    if needs_due:
        assert re.search("give each client a due date", read_mistakes(file, needs_due=value))
    else:
        assert len(read_entries(file, needs_due=value)) == 1


@pytest.mark.parametrize("value", ["maybe", 2, [True], {}])
def test_a_switch_of_the_list_that_is_none_is_refused_by_name(value: Any) -> None:
    with pytest.raises(AnsibleLookupError, match="panel_suspend_list: needs_due: it must be true"):
        read_entries(clients=["acme"], needs_due=value)


@pytest.mark.parametrize("term", [None, "", " ", 83, True, ["a.csv"]])
def test_a_file_that_is_empty_or_no_text_is_refused(term: Any) -> None:
    with pytest.raises(AnsibleLookupError, match="panel_suspend_list: term 1"):
        read_entries(term)


def test_columns_and_names_of_options_go_to_the_reading_of_the_list(tmp_path: Path) -> None:
    table = write_file(tmp_path, "Kunde;Bis\nacme;soon\nbeta;2026-11-01\n")
    columns = {"username_column": "Kunde", "due_column": "Bis"}
    names = {"clients": "suspend_clients"}

    mistakes = read_mistakes(table, clients=[""], option_names=names, **columns)

    assert "suspend_clients[0] has no username." in mistakes
    assert f"{table}: line 2 (acme): due: 'soon' is not accepted" in mistakes
    assert "beta" not in mistakes


def test_a_directory_in_place_of_a_file_is_named_with_its_variable(tmp_path: Path) -> None:
    mistakes = read_mistakes(str(tmp_path), option_names={"files": "suspend_csv_file"})
    assert mistakes.startswith(f"suspend_csv_file: {tmp_path}: that is no regular file")


@pytest.mark.parametrize("clients", [None, ""])
def test_a_list_that_a_template_makes_an_empty_text_of_is_none(clients: Any) -> None:
    assert "both are empty; give one of them." in read_mistakes(clients=clients)
