# SPDX-License-Identifier: GPL-3.0-or-later
"""Marks what a panel or a customer's table says, so that no release of ansible-core evaluates it.

Private behaviour of ansible-core:

- Up to 2.18 every text is a template unless ``ansible.utils.unsafe_proxy.wrap_var``, which no guide
  of Ansible describes, has marked it.
- From 2.19 on only a text is a template that ``ansible.template.trust_as_template`` has marked,
  which is public.

Tried on ansible-core 2.16, 2.18, 2.19, 2.20, 2.21.
"""

from __future__ import annotations

import contextlib
import functools
from typing import Any, Callable

trusted_template: Any = str  # releases before 2.19 evaluate every text that has no mark
with contextlib.suppress(ImportError):
    from ansible.template import trust_as_template as trusted_template


def mark_untrusted(value: Any) -> Any:
    """Mark each text in a value as one that is no template.

    No text is looked into, since there are more ways to write a template than braces: a header can
    name other ones. Since 2.19 ansible-core evaluates only what is marked as trusted, so there a
    text without a mark is untrusted.
    """
    if trusted_template is not str:
        return value

    from ansible.utils.unsafe_proxy import wrap_var  # noqa: PLC0415 - only old releases need it

    return wrap_var(value)


def with_marked_result(filter_: Callable[..., Any]) -> Callable[..., Any]:
    """Return the filter with its result marked.

    Before 2.19 a text loses its mark where a filter makes another one of it, and Ansible puts it
    back only where it sees the text in a variable of the template, which it does not in
    ``hostvars``.
    """

    @functools.wraps(filter_)
    def run_filter(*arguments: Any, **options: Any) -> Any:
        return mark_untrusted(filter_(*arguments, **options))

    return run_filter
