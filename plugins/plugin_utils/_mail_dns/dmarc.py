# SPDX-License-Identifier: GPL-3.0-or-later
"""Judges DMARC records (RFC 7489) by the zones of a panel."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from .mail_problem import BAD, HINT, NEAR, MailProblem
from .record_tags import RecordTags, parse_tags
from .resolver import Resolver, display_name, display_text, list_suffixes

USUAL_DMARC = "v=DMARC1; p=none"
_IS_DMARC = re.compile(r"v\s*=\s*DMARC1\s*(?:;.*)?", re.DOTALL)
# With a slip of the hand; a second record beside one of these would be none the better.
_MEANT_AS_DMARC = re.compile(r".*marc|(?:.*;)?\s*[sn]?p\s*[=:]\s*[nqr]", re.IGNORECASE | re.DOTALL)
# With the size of the largest report.
_URI = r"\s*mailto:[^\s@,!]+@[^\s@,!]+(?:![0-9]+[kmgt]?)?\s*"
_POLICY = ("none|quarantine|reject", "none, quarantine or reject")
_ADDRESSES = (rf"{_URI}(?:,{_URI})*", "addresses such as mailto:dmarc@example.com")
_ALIGNMENT = ("[rs]", "r or s")
# By tag which values it may have, and how to say that.
_FORMS = {
    "p": _POLICY,
    "sp": _POLICY,
    "np": _POLICY,
    "rua": _ADDRESSES,
    "ruf": _ADDRESSES,
    "pct": ("100|[1-9]?[0-9]", "a whole number from 0 to 100"),
    "adkim": _ALIGNMENT,
    "aspf": _ALIGNMENT,
    "fo": (r"[01ds](?:\s*:\s*[01ds])*", "0, 1, d or s, with a colon between them"),
    "ri": ("[0-9]{1,10}", "a whole number of seconds"),
}
# With a mistake in one of these, the record has no policy.
_POLICY_TAGS = frozenset({"p", "sp", "np"})
_MAX_MISTAKES = 3
_DECIDE = "Decide which policy it is to have, none, quarantine or reject."


class DmarcJudgement(NamedTuple):
    """Holds what is wrong, and whether a record may be set: none above may count here."""

    problems: list[MailProblem]
    may_be_set: bool


class _Inherited(NamedTuple):
    """What the names above a domain have.

    Attributes:
        has_record: Whether one of them has a record that counts for the domain.
        unknown_domain: The nearest one whose records no zone holds; empty where all are known.
    """

    has_record: bool
    unknown_domain: str


def judge_dmarc(domain: str, resolver: Resolver) -> DmarcJudgement:
    """Return what is wrong with the DMARC record of a domain."""
    texts = resolver.find_values(f"_dmarc.{domain}", "TXT")
    if texts is None:
        return DmarcJudgement([], may_be_set=False)
    records = [text for text in texts if _IS_DMARC.fullmatch(text)]
    if len(records) == 1:
        return DmarcJudgement(_judge_text(records[0]), may_be_set=False)
    if records:
        message = f"There are {len(records)} DMARC records, and receivers then take none of them."
        advice = "Decide which policy is right, and leave one record with it."
        problem = MailProblem("several", BAD, message, advice)
        return DmarcJudgement([problem], may_be_set=False)

    inherited = _find_inherited(domain, resolver)
    if inherited.has_record:
        return DmarcJudgement([], may_be_set=False)
    for text in texts:
        if _MEANT_AS_DMARC.match(text):
            message = f'"{display_text(text)}" is no DMARC record: one starts with v=DMARC1; and its policy.'
            problem = MailProblem("syntax", BAD, message, _DECIDE)
            return DmarcJudgement([problem], may_be_set=False)
    return _judge_missing(inherited.unknown_domain)


def _find_inherited(domain: str, resolver: Resolver) -> _Inherited:
    unknown_domain = ""
    # Only a list of public suffixes could tell the organisational domain, so all domains above are
    # asked.
    for parent in list_suffixes(domain)[1:-1]:
        has_record = _has_record(f"_dmarc.{parent}", resolver)
        if has_record:
            return _Inherited(has_record=True, unknown_domain="")
        if has_record is None:
            unknown_domain = unknown_domain or parent
    return _Inherited(has_record=False, unknown_domain=unknown_domain)


def _has_record(name: str, resolver: Resolver) -> bool | None:
    """Tell whether a name has a DMARC record; None where no zone holds it."""
    texts = resolver.find_values(name, "TXT")
    if texts is not None:
        return any(_IS_DMARC.fullmatch(text) for text in texts)
    if resolver.follow_aliases(name) != name:
        # An alias for a name elsewhere stands for the record of a service.
        return True
    return None


def _judge_missing(unknown_domain: str) -> DmarcJudgement:
    message = "There is no DMARC record, so receivers do not know what to do with forged mail. Some refuse bulk mail."
    advice = "Set one; p=none does not affect legitimate mail."
    if unknown_domain:
        displayed = display_name(unknown_domain)
        advice = (
            f"Check whether {displayed} has one, which counts here too. If not, set {USUAL_DMARC}."
        )
    problem = MailProblem("missing", NEAR, message, advice)
    return DmarcJudgement([problem], may_be_set=not unknown_domain)


def _judge_text(text: str) -> list[MailProblem]:
    """Return what is wrong with the only record of a domain."""
    tags = parse_tags(text)
    wrong_tags = _find_wrong_tags(tags.values)
    mistakes = _list_mistakes(tags, wrong_tags)
    if mistakes:
        return [_judge_mistakes(mistakes, tags, wrong_tags)]
    if tags.values["p"].lower() == "none":
        message = "The policy asks receivers to do nothing about forged mail."
        advice = (
            "Once SPF and DKIM cover all mail of the domain, set p=quarantine, and later p=reject."
        )
        return [MailProblem("no_policy", HINT, message, advice)]
    return []


def _list_mistakes(tags: RecordTags, wrong_tags: Sequence[str]) -> list[str]:
    """Return each mistake of a record as a clause."""
    mistakes = []
    if "p" not in tags.values:
        mistakes.append("it has no policy p")
    for name in wrong_tags:
        value = display_text(tags.values[name], 40) or "empty"
        mistakes.append(f"{name} is {value}, and must be {_FORMS[name][1]}")
    if tags.repeated:
        mistakes.append(f"{' and '.join(tags.repeated[:_MAX_MISTAKES])} must not be there twice")
    elif not tags.is_well_formed:
        mistakes.append("it must be tag=value parts with a semicolon between them")
    return mistakes


def _judge_mistakes(
    mistakes: Sequence[str], tags: RecordTags, wrong_tags: Sequence[str]
) -> MailProblem:
    """Return how bad the mistakes of a record are: what receivers still take of it."""
    listed = "; ".join(mistakes[:_MAX_MISTAKES])
    has_no_policy = "p" not in tags.values or not _POLICY_TAGS.isdisjoint(wrong_tags)
    if tags.repeated or (has_no_policy and not _has_report_address(tags.values)):
        message = f"The DMARC record has a mistake, so receivers pass over it: {listed}."
        return MailProblem("syntax", BAD, message, _DECIDE)
    if has_no_policy:
        message = f"The DMARC record has a mistake, so receivers take it for p=none: {listed}."
        return MailProblem("syntax", NEAR, message, _DECIDE)
    message = f"The DMARC record has a mistake, and receivers pass over that part: {listed}."
    return MailProblem("syntax", NEAR, message, "Correct it.")


def _find_wrong_tags(values: dict[str, str]) -> list[str]:
    """Return the names of the tags whose values receivers do not accept."""
    wrong_tags = []
    for name, (pattern, _form) in _FORMS.items():
        value = values.get(name)
        if value is not None and not re.fullmatch(pattern, value, re.IGNORECASE | re.DOTALL):
            wrong_tags.append(name)
    return wrong_tags


def _has_report_address(values: dict[str, str]) -> bool:
    """Tell whether reports can be sent, which makes a record without a policy count (6.6.3)."""
    addresses = values.get("rua", "").split(",")
    return any(re.fullmatch(_URI, address, re.IGNORECASE) for address in addresses)
