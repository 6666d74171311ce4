# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads where ISPConfig's sites redirect to, in the words of Apache and of nginx."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ....module_utils._values.names import normalize_domain
from ..source_shape import FieldLeftOut, Redirect
from ..source_tables import Row
from .rows import check_length, read_prose

_FIELD = "target"
_PROXIES = frozenset({"proxy", "p"})
_PERMANENT = frozenset({"permanent", "r=301", "r=308"})
# A flag that makes the browser ask again, for a path of the same site too.
_OUTSIDE = re.compile(r"r(?:=\d+)?|redirect|permanent")
_SCHEME = re.compile(r"\[scheme\](?=://)", re.IGNORECASE)
_URL = re.compile(
    r"https?://(?:[^/?#\s@]*@)?(?P<host>[^/?#\s:]+)(?::\d*)?(?:[/?#]\S*)?", re.IGNORECASE
)


@dataclass(frozen=True)
class Forwarding:
    """What a site does with its requests.

    Attributes:
        redirect: Where they go; None for a site that answers itself.
        folder: A folder below its own that it shows instead; empty for its own.
        field_left_out: What cannot be carried of it.
    """

    redirect: Redirect | None = None
    folder: str = ""
    field_left_out: FieldLeftOut | None = None


def read_forwarding(row: Row, name: str) -> Forwarding:
    """Return what a site does with its requests.

    Args:
        row: The row of the site.
        name: Its domain.
    """
    flags = read_prose(row, "redirect_type").lower()
    target = _SCHEME.sub("https", read_prose(row, "redirect_path"))
    if not flags or not target:
        return Forwarding()
    flag_list = [flag.strip() for flag in flags.split(",")]
    if not _PROXIES.isdisjoint(flag_list):
        return _leave_out("The site is a proxy for another address, and the panel has no proxies.")
    if target.startswith("/"):
        return _read_path(target, flag_list)
    return _read_url(target, flag_list, name)


def _read_path(path: str, flags: Sequence[str]) -> Forwarding:
    """Return what a site does that shows a path on itself."""
    if any(_OUTSIDE.fullmatch(flag) for flag in flags):
        return _leave_out("The site redirects to a path on itself.")
    return Forwarding(folder=path)


def _read_url(target: str, flags: Sequence[str], name: str) -> Forwarding:
    """Return what a site does that leads to another address."""
    url = _URL.fullmatch(target)
    if not url:
        return _leave_out("The target of the redirect is no URL.")
    if _normalize(url["host"]) in (name, f"www.{name}"):
        return _leave_out("The site redirects to itself.")
    is_permanent = not _PERMANENT.isdisjoint(flags)
    return Forwarding(Redirect(target, 301 if is_permanent else 302))


def _leave_out(reason: str) -> Forwarding:
    """Return that a site answers itself, since its redirect cannot be carried."""
    return Forwarding(field_left_out=FieldLeftOut(_FIELD, reason))


def _normalize(host: str) -> str:
    """Return a host in the form of a site's name; what is no domain stays as it is."""
    try:
        return normalize_domain(check_length(host))
    except ValueError:
        return host.lower()
