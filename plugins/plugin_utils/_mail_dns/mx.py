# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Judges the MX records of a domain that takes mail (RFC 5321, section 5, and RFC 7505). Pure. Private to the collection."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator

from ...module_utils._dns.record_values import is_name
from .finding import BAD, MX, NEAR, Finding, Record, named
from .names import Names

_USUAL_PRIORITY = 10
_HIGHEST_PRIORITY = 65535
_NUMBER = re.compile("[0-9]{1,10}")


def judge_mx(domain: str, main_domain: str, host: str, names: Names) -> list[Finding]:
    """What is wrong with them; nothing where they are not known."""
    values = names.find(domain, "MX")
    if values is None:
        return []
    return list(_Judge(domain, main_domain, host, names).all(values))


class _Judge:
    def __init__(self, domain: str, main_domain: str, host: str, names: Names) -> None:
        self._domain, self._main_domain, self._host, self._names = domain, main_domain, host, names

    def all(self, values: list[str]) -> Iterator[Finding]:
        read = [_priority_and_name(value) for value in values]
        targets = [name for priority, name in read if priority <= _HIGHEST_PRIORITY]
        right = next((name for name in targets if self._takes_mail(name)), "") or self._server()
        if not values:
            message = "There is no MX record, so mail to this domain is lost, or goes to its web server by luck."
            yield self._finding("missing", BAD, message, "", _USUAL_PRIORITY, right)
        level = NEAR if any(self._may_take_mail(name) for name in targets) else BAD
        for value, (priority, name) in zip(values, read, strict=True):
            problem = self._too_high(priority, name) or self._problem(name)
            if problem is None:
                continue
            word, message, better = problem
            is_known = better or (right if right not in targets else "")
            old: Record = {"host": self._host, "type": "MX", "value": _complete(value)}
            yield self._finding(word, NEAR if word == "alias" else level, message, name, priority, is_known, old)

    def _too_high(self, priority: int, name: str) -> tuple[str, str, str] | None:
        if priority <= _HIGHEST_PRIORITY:
            return None
        message = f"The MX record for {named(name)} has the number {priority}, and {_HIGHEST_PRIORITY} is the highest."
        return "syntax", message, name if self._takes_mail(name) else ""

    def _problem(self, name: str) -> tuple[str, str, str] | None:
        """(the problem, in words, the name that is right where this one says it)."""
        if not name:
            return "syntax", "The MX record is not a number and a name.", ""
        if name == ".":
            return "refuses_mail", "The MX record is a dot, which says that this domain takes no mail.", ""
        if _is_address(name):
            return "address", f"The MX record points to the address {name}; only a name is allowed there.", ""
        if not is_name(name):
            return "syntax", f"The MX record points to {named(name)}, which is no name.", ""
        canonical = self._names.canonical(name)
        if self._names.addresses(name) == []:
            return "no_address", f"The MX record points to {named(name)}, which has no address.", ""
        if canonical != name:
            return (
                "alias",
                f"The MX record points to {named(name)}, which is an alias; some servers refuse that.",
                canonical,
            )
        return None

    def _finding(
        self, problem: str, level: str, message: str, name: str, priority: int, better: str, old: Record | None = None
    ) -> Finding:
        record: Record | None = None
        if better:
            record = {"host": self._host, "type": "MX", "value": f"{min(priority, _HIGHEST_PRIORITY)} {better}."}
            advice = f"Let it point to {named(better)}." if old else f"Set one that points to {named(better)}."
            advice = f"Give it the number {_HIGHEST_PRIORITY} or a smaller one." if better == name else advice
        elif problem == "no_address":
            advice = f"Set a record of type A or AAAA with the address of the mail server for {named(name)}, or remove the MX record."
        elif old:
            advice = "Let it point to the name of the mail server, or remove it where there is another one."
        else:
            advice = "Set one that points to the name of the mail server."
        return Finding(MX, problem, level, message, advice, record, (old,) if record and old else ())

    def _takes_mail(self, name: str) -> bool:
        return self._problem(name) is None and bool(self._names.addresses(name))

    def _may_take_mail(self, name: str) -> bool:
        problem = self._problem(name)
        return problem is None or problem[0] == "alias"

    def _server(self) -> str:
        """A name of the zone that is likely to be the mail server; empty where there is none."""
        usual = (f"mail.{self._domain}", f"mail.{self._main_domain}", self._domain, self._main_domain)
        return next((name for name in usual if self._takes_mail(name)), "")


def _priority_and_name(value: str) -> tuple[int, str]:
    words = value.split()
    if len(words) != 2 or not _NUMBER.fullmatch(words[0]):
        return _USUAL_PRIORITY, ""
    return int(words[0]), words[1].rstrip(".") or "."


def _complete(value: str) -> str:
    return value if value.endswith(".") else f"{value}."


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.strip("[]").removeprefix("ipv6:"))
    except ValueError:
        return False
    return True
