# SPDX-License-Identifier: GPL-3.0-or-later
"""The words of an error of ansible-core.

Private members of ansible-core:

- ``AnsibleError._help_text``: from 2.19 on an error keeps what to do about it apart from its
  message. Up to 2.18 it is in the message.
- ``UndecryptableVaultError`` and ``_AnsibleLazyTemplateList``, by name alone: from 2.19 on what a
  template says of a value that cannot be decrypted, and what it calls a list.

Tried on ansible-core 2.16, 2.18, 2.19, 2.20, 2.21.
"""

from __future__ import annotations

import re

from ansible.errors import AnsibleError, AnsibleUndefinedVariable
from ansible.parsing.vault import AnsibleVaultError, AnsibleVaultFormatError
from jinja2 import TemplateSyntaxError, UndefinedError

# From 2.19 on, lists and dictionaries of a template are of these classes. The names of packages are
# bounded, so that the time grows with the length of the text alone.
_LAZY_VALUE = re.compile(r"\b(?:\w{1,40}\.){0,6}_AnsibleLazyTemplate(?P<form>List|Dict)\b")


def format_message_with_help(error: Exception) -> str:
    """Return the message of an error, and what to do about it and about its cause."""
    parts = [str(error)]
    for source in (error, error.__cause__):
        help_text = getattr(source, "_help_text", None)
        if help_text:
            parts.append(help_text)
    return " ".join(parts)


def describe_problem_of_template(error: BaseException) -> str:
    """Return what follows the name of a variable whose template ended in the error."""
    cause = _find_cause(error)
    if _is_undecryptable(cause):
        problem = (
            "it cannot be decrypted. Give this run its Vault password, or encrypt the value again"
        )
    elif isinstance(error, (AnsibleUndefinedVariable, UndefinedError)):
        problem = f"its template has no value: {_describe_undefined(cause)}"
    elif isinstance(error, RecursionError):
        problem = "it is nested too deeply"
    elif text := describe_cause_of(error):
        problem = f"it cannot be evaluated: {text}"
    else:
        problem = "it cannot be evaluated. Try each part of it in a debug task"
    return f"{problem.rstrip('.')}."


def describe_cause_of(error: BaseException) -> str:
    """Return the message of what an error of a template comes from; empty if it may not be shown.

    The messages of ansible-core around it quote the template, which may be a secret with a stray
    brace. Up to 2.18 some errors of an expression come as they are.
    """
    cause = _find_cause(error)
    if cause is error and isinstance(error, AnsibleError):
        return ""
    # The text of an error of syntax has the line of the template too.
    return str(cause.message) if isinstance(cause, TemplateSyntaxError) else str(cause)


def _find_cause(error: BaseException) -> BaseException:
    """Return the first of the errors that led to one. Each of the later ones quotes it."""
    cause = error
    while inner := cause.__cause__ or getattr(cause, "orig_exc", None):
        cause = inner
    return cause


def _is_undecryptable(error: BaseException) -> bool:
    """Return whether a value that is encrypted with Vault could not be read."""
    is_of_vault = isinstance(error, (AnsibleVaultError, AnsibleVaultFormatError))
    return is_of_vault or type(error).__name__ == "UndecryptableVaultError"


def _describe_undefined(cause: BaseException) -> str:
    """Return once which part of a template has no value, without classes of ansible-core."""
    text = _LAZY_VALUE.sub(lambda match: match["form"].lower(), str(cause))
    # Up to 2.18 an error by way of another variable is its template, and then its cause twice.
    before, separator, last = text.rpartition(". ")
    return last if separator and before.endswith(last) else text
