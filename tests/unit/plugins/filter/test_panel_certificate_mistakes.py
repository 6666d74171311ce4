"""The filter panel_certificate_mistakes: what the role certificate refuses before it reads a panel."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.filter.panel_certificate_mistakes import (
    panel_certificate_mistakes,
)

DIRECTORY = "https://ca.example/directory"
ADDRESS = "certificate_acme_directory: use the address of a directory, without a password in it."
TERMS = (
    f"certificate_terms_agreed is false. Read the terms of service of {DIRECTORY}, and set it to "
    "true."
)
MISSPELT = "certificate_itms: did you mean certificate_items?"
SETTINGS: dict[str, Any] = {
    "certificate_acme_directory": DIRECTORY,
    "certificate_acme_ca_path": "",
    "certificate_terms_agreed": True,
}
LIBRARY = "The library cryptography is missing."


CHECK: dict[str, Any] = {"mistakes": [], "missing": [LIBRARY]}


def make_variables(*mistakes: str, **settings: Any) -> dict[str, Any]:
    """Return right variables with some other values, and what was found when they were read."""
    return {"settings": {**SETTINGS, **settings}, "mistakes": list(mistakes)}


def find_mistakes(**settings: Any) -> list[str]:
    """Return the mistakes of right variables with some other values, without a file."""
    return panel_certificate_mistakes([], make_variables(**settings), CHECK, has_ca_file=False)


def test_right_variables_leave_only_what_the_controller_lacks() -> None:
    assert find_mistakes() == [LIBRARY]


def test_a_misspelt_variable_and_what_was_found_before_are_all_that_is_told() -> None:
    earlier = ["hosts: missing.", "hosts: missing."]
    variables = make_variables("certificate_items: missing.", certificate_terms_agreed=False)
    written: dict[str, list[str]] = {"names": ["certificate_itms"], "foreign": []}

    mistakes = panel_certificate_mistakes(
        earlier, variables, CHECK, has_ca_file=False, written=written
    )

    assert mistakes == [MISSPELT, "hosts: missing."]


def test_all_mistakes_in_values_are_told_at_once_and_the_terms_after_them() -> None:
    variables = make_variables(
        "certificate_key_type: 'rsa' is invalid.",
        certificate_acme_directory="http://ca.example/directory",
        certificate_acme_ca_path="nowhere.pem",
        certificate_terms_agreed=False,
    )
    check = {**CHECK, "mistakes": ["acme: domains is empty."]}

    assert panel_certificate_mistakes([], variables, check, has_ca_file=False) == [
        "certificate_key_type: 'rsa' is invalid.",
        "acme: domains is empty.",
        ADDRESS,
        "certificate_acme_ca_path: no such file: nowhere.pem.",
    ]


def test_the_terms_are_told_before_what_the_controller_lacks() -> None:
    assert find_mistakes(certificate_terms_agreed=False) == [TERMS]


def test_the_file_of_an_authority_that_is_there_is_accepted() -> None:
    variables = make_variables(certificate_acme_ca_path="ca.pem")
    assert panel_certificate_mistakes([], variables, CHECK, has_ca_file=True) == [LIBRARY]


@pytest.mark.parametrize(
    "address",
    [
        "http://ca.example/directory",
        "https://ca.example",
        "https://somebody:geheim@ca.example/directory",
        "https://ca.example/directory?key=a@b",
        "",
    ],
)
def test_an_address_of_another_form_or_with_a_password_is_refused(address: str) -> None:
    assert find_mistakes(certificate_acme_directory=address) == [ADDRESS]


def test_variables_that_could_not_be_read_are_told_once() -> None:
    mistakes = ["certificate_acme_directory: it is no text."]
    variables: dict[str, Any] = {"settings": {}, "mistakes": mistakes}
    assert panel_certificate_mistakes([], variables, CHECK, has_ca_file=False) == mistakes
