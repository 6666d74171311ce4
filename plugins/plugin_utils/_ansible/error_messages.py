# SPDX-License-Identifier: GPL-3.0-or-later
"""The words of an error of ansible-core.

Private members of ansible-core:

- ``AnsibleError._help_text``: from 2.19 on an error keeps what to do about it apart from its
  message. Up to 2.18 it is in the message.

Tried on ansible-core 2.16, 2.18, 2.19, 2.20, 2.21.
"""

from __future__ import annotations

from ansible.errors import AnsibleError, AnsibleUndefinedVariable
from jinja2 import TemplateSyntaxError, UndefinedError


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
    if isinstance(error, (AnsibleUndefinedVariable, UndefinedError)):
        problem = f"its template has no value: {error}"
    elif isinstance(error, RecursionError):
        problem = "it is nested too deeply"
    else:
        problem = f"it cannot be evaluated: {describe_cause_of(error)}"
    return f"{problem.rstrip('.')}."


def describe_cause_of(error: BaseException) -> str:
    """Return the message of what an error of a template comes from.

    The messages of ansible-core around it quote the template, which may be a secret with a stray
    brace. Without a cause it is the type of the error. Up to 2.18 some errors of an expression come
    as they are.
    """
    cause = error
    while True:
        inner = cause.__cause__ or getattr(cause, "orig_exc", None)
        if inner is None:
            break
        cause = inner
    if cause is error and isinstance(error, AnsibleError):
        return type(error).__name__
    # The text of an error of syntax has the line of the template too.
    return str(cause.message) if isinstance(cause, TemplateSyntaxError) else str(cause)
