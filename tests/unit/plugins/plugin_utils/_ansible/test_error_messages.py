# SPDX-License-Identifier: GPL-3.0-or-later
"""What is wrong with the template of a variable is told once, in words of operators."""

from __future__ import annotations

from itertools import pairwise

import pytest
from ansible.errors import AnsibleError, AnsibleUndefinedVariable
from ansible.parsing.vault import AnsibleVaultError, AnsibleVaultFormatError
from jinja2 import UndefinedError

from ansible_collections.hosting.panel.plugins.plugin_utils._ansible.error_messages import (
    describe_problem_of_template,
)

NO_PASSWORD = (
    "it cannot be decrypted. Give this run its Vault password, or encrypt the value again."
)


class UndecryptableVaultError(AnsibleError):
    """Stands for the private class of newer releases of ansible-core."""


def join_errors(*errors: Exception) -> Exception:
    """Return the first of the errors, each of which comes from the next."""
    for error, cause in pairwise(errors):
        error.__cause__ = cause
    return errors[0]


ERRORS: dict[str, tuple[Exception, str]] = {
    "an undefined variable, in which ansible-core 2.16 says the cause twice": (
        join_errors(
            AnsibleUndefinedVariable("'a' is undefined. 'a' is undefined"),
            UndefinedError("'a' is undefined"),
        ),
        "its template has no value: 'a' is undefined.",
    ),
    "one by way of another variable": (
        join_errors(
            AnsibleUndefinedVariable("{{ b }}: 'a' is undefined. 'a' is undefined. {{ b }}: 'a'"),
            AnsibleUndefinedVariable("{{ b }}: 'a' is undefined. 'a' is undefined"),
            UndefinedError("'a' is undefined"),
        ),
        "its template has no value: 'a' is undefined.",
    ),
    "one by way of two, whose cause is lost": (
        AnsibleUndefinedVariable(
            "{{ c }}: {{ b }}: 'a' is undefined. 'a' is undefined."
            " {{ b }}: 'a' is undefined. 'a' is undefined"
        ),
        "its template has no value: 'a' is undefined.",
    ),
    "a sentence of an operator": (
        join_errors(AnsibleUndefinedVariable("Set it.. Set it."), UndefinedError("Set it.")),
        "its template has no value: Set it.",
    ),
    "an error without a cause": (
        AnsibleUndefinedVariable("'a' is undefined"),
        "its template has no value: 'a' is undefined.",
    ),
    "an entry that a list has not": (
        UndefinedError("ansible._internal._a._AnsibleLazyTemplateList object has no element 0"),
        "its template has no value: list object has no element 0.",
    ),
    "a damaged value of Vault": (AnsibleVaultFormatError("Odd-length string"), NO_PASSWORD),
    "a value of Vault without a password": (AnsibleVaultError("no secrets"), NO_PASSWORD),
    "one inside of a template": (
        join_errors(AnsibleError("{{ a }}"), AnsibleVaultFormatError("unhexlify")),
        NO_PASSWORD,
    ),
    "one of ansible-core 2.19": (
        join_errors(
            AnsibleError("{{ a }}"), UndecryptableVaultError("Attempt to use undecryptable")
        ),
        NO_PASSWORD,
    ),
    "a mistake in an expression": (
        join_errors(AnsibleError("{{ 1 / 0 }}"), ZeroDivisionError("division by zero")),
        "it cannot be evaluated: division by zero.",
    ),
    "an error that quotes the template": (
        AnsibleError("{{ 'geheim"),
        "it cannot be evaluated. Try each part of it in a debug task.",
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_the_cause_is_told_once_and_in_plain_words(name: str) -> None:
    error, message = ERRORS[name]

    assert describe_problem_of_template(error) == message
    assert "Ansible" not in message
