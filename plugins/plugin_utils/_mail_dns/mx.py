# SPDX-License-Identifier: GPL-3.0-or-later
"""Judges MX records by the zones of a panel."""

from __future__ import annotations

from ...module_utils._dns.record_values import parse_value
from .mail_problem import BAD, NEAR, MailProblem
from .resolver import Resolver, display_name, display_text

_CHANGE_TARGET = (
    "Let it point to the name of the mail server, or remove it if there is another one."
)


def judge_mx(domain: str, resolver: Resolver) -> list[MailProblem]:
    """Return what is wrong with the MX records of a domain that takes mail."""
    values = resolver.find_values(domain, "MX")
    if values is None:
        return []
    if not values:
        message = "There is no MX record, so mail to this domain is lost, or goes to its web server by luck."
        advice = "Set one that points to the name of the mail server."
        return [MailProblem("missing", BAD, message, advice)]

    results = [_judge_value(value, resolver) for value in values]
    problems = [problem for problem in results if problem is not None]
    # A wrong record beside a working one loses no mail.
    has_working_record = any(result is None or result.problem == "alias" for result in results)
    if has_working_record:
        return problems
    return [problem._replace(level=BAD) for problem in problems]


def _judge_value(value: str, resolver: Resolver) -> MailProblem | None:
    """Return what is wrong with one record, with the level that it has beside a working one."""
    try:
        parse_value("MX", value)
    except ValueError:
        message = f"The MX record is {display_text(value)}, and must be a number and a name, not an address."
        return MailProblem("syntax", NEAR, message, _CHANGE_TARGET)
    name = value.split()[1]
    if name == ".":
        message = "The MX record says that this domain takes no mail."
        return MailProblem("refuses_mail", NEAR, message, _CHANGE_TARGET)

    displayed = display_name(name)
    if resolver.find_addresses(name) == []:
        message = f"The MX record points to {displayed}, which has no address."
        advice = f"Give {displayed} the address of the mail server, or remove the MX record."
        return MailProblem("no_address", NEAR, message, advice)
    canonical = resolver.follow_aliases(name)
    if canonical != name:
        message = (
            f"The MX record points to {displayed}, which is an alias; some servers refuse that."
        )
        return MailProblem("alias", NEAR, message, f"Let it point to {display_name(canonical)}.")
    return None


def find_mail_server(domain: str, main_domain: str, resolver: Resolver) -> str:
    """Return a name of the zone that is likely to be the mail server; empty without one."""
    for name in (f"mail.{domain}", f"mail.{main_domain}", domain, main_domain):
        is_alias = resolver.follow_aliases(name) != name
        if not is_alias and resolver.find_addresses(name):
            return name
    return ""
