# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Judges the DMARC record of a domain (RFC 7489, section 6, and what its successor added). Pure. Private to the collection."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from .dkim import replaced
from .finding import BAD, DMARC, HINT, NEAR, Finding, named, plain
from .names import Names
from .tag_list import TagList, read_tags

VERSION = "DMARC1"
USUAL = f"v={VERSION}; p=none"
NAME = "_dmarc"
_IS_ONE = re.compile(rf"v\s*=\s*{VERSION}\s*(?:;.*)?", re.DOTALL)
_LOOKS_LIKE = re.compile(r"\W*v?\s*=?\s*d?marc|(?:.*;)?\s*[sn]?p\s*[=:]\s*[nqr]", re.IGNORECASE | re.DOTALL)
_POLICIES = ("none", "quarantine", "reject")
_POLICY = re.compile("|".join(_POLICIES), re.IGNORECASE)
# Tags that hold a policy: with a wrong one receivers pass over the whole record (section 6.6.3).
_OF_POLICY = ("p", "sp", "np")
_DECIDE = "Decide which policy it is to have, none, quarantine or reject"
_ABOUT_POLICY = re.compile(r"[sn]?p\b|.*(?:quarantine|reject)", re.IGNORECASE | re.DOTALL)
_LIKE_VERSION = re.compile(r"\W*d?marc[0-9]*", re.IGNORECASE)
_ADDRESS = r"mailto:[^\s@,!;]+@[A-Za-z0-9._-]+(?:![0-9]+[kmgt]?)?"
_ONE_ADDRESS = re.compile(_ADDRESS, re.IGNORECASE)
_ADDRESSES = re.compile(rf"{_ADDRESS}(?:\s*,\s*{_ADDRESS})*", re.IGNORECASE)
_FORMS = {
    "v": (re.compile(VERSION), VERSION),
    "p": (_POLICY, "none, quarantine or reject"),
    "sp": (_POLICY, "none, quarantine or reject"),
    "np": (_POLICY, "none, quarantine or reject"),
    "adkim": (re.compile("[rs]", re.IGNORECASE), "r or s"),
    "aspf": (re.compile("[rs]", re.IGNORECASE), "r or s"),
    "fo": (re.compile(r"[01ds](?:\s*:\s*[01ds])*", re.IGNORECASE), "some of 0, 1, d and s with colons between them"),
    "pct": (re.compile("100|[1-9]?[0-9]"), "a whole number from 0 to 100"),
    "rf": (re.compile(r"afrf(?:\s*:\s*afrf)*", re.IGNORECASE), "afrf"),
    "ri": (re.compile("[0-9]{1,10}"), "a number of seconds"),
    "rua": (_ADDRESSES, "addresses such as mailto:dmarc@example.com, with commas between them"),
    "ruf": (_ADDRESSES, "addresses such as mailto:dmarc@example.com, with commas between them"),
    "psd": (re.compile("[ynu]", re.IGNORECASE), "y, n or u"),
    "t": (re.compile("[yn]", re.IGNORECASE), "y or n"),
}


def judge_dmarc(domain: str, host: str, names: Names, is_ready: bool) -> list[Finding]:
    """What is wrong. host: of the record in its zone. is_ready: whether SPF and DKIM are in order, so that a policy may count for more mail."""
    texts = names.find(f"{NAME}.{domain}", "TXT")
    if texts is None:
        return []
    records = [text for text in texts if is_dmarc(text)]
    is_above, unknown = _above(domain, names)
    if not records and is_above:
        return []
    meant = [text for text in texts if is_dmarc(text) or _LOOKS_LIKE.match(text)]
    judge = _Judge(f"{NAME}.{domain}", host, names, meant, is_above, unknown)
    if len(records) == 1:
        return list(judge.one(records[0], is_ready))
    return [judge.several(len(records)) if records else judge.missing(texts)]


def is_dmarc(text: str) -> bool:
    """Whether receivers take the text for a DMARC record (section 6.6.3)."""
    return _IS_ONE.fullmatch(text.strip()) is not None


def _above(domain: str, names: Names) -> tuple[bool, str]:
    """Whether a domain above has a record, which counts where there is none, and the nearest of which that is not known here.

    Which one is the organisational domain only a list of public suffixes could tell: the successor of RFC 7489 asks all, without one.
    """
    labels = domain.split(".")
    unknown = ""
    for above in (".".join(labels[start:]) for start in range(1, len(labels) - 1)):
        name = f"{NAME}.{above}"
        texts = names.find(name, "TXT")
        # An alias for a name elsewhere stands for the record of a service.
        if any(is_dmarc(text) for text in texts or ()) or (texts is None and names.canonical(name) != name):
            return True, ""
        if texts is None:
            unknown = unknown or above
    return False, unknown


class _Judge:
    """meant: texts that are records, or were meant as one. is_above: whether the record of a domain above counts where there is none.

    unknown: a domain above that may have one.
    """

    def __init__(self, name: str, host: str, names: Names, meant: list[str], is_above: bool, unknown: str) -> None:
        self._name, self._host, self._names = name, host, names
        self._meant, self._unknown = meant, unknown
        self._is_first = not (is_above or unknown)

    def _finding(
        self, problem: str, level: str, message: str, advice: str, value: str, texts: list[str] | None = None
    ) -> Finding:
        """value: of the record to set, empty where only the owner can know it. texts: that stand in its place."""
        if not value:
            return Finding(DMARC, problem, level, message, advice)
        others = [text for text in texts or () if text != value]
        gone = () if texts is None else replaced(self._names, self._name, self._host, others)
        return Finding(
            DMARC, problem, level, message, advice, {"host": self._host, "type": "TXT", "value": value}, gone
        )

    def missing(self, texts: list[str]) -> Finding:
        if self._meant:
            message = f"{plain(self._meant[0])} is no DMARC record: one begins with v={VERSION}; and says its policy behind it."
            value = self._as_before()
            advice = "Write it again." if value else f"{_DECIDE}: receivers kept to none of it so far."
            return self._finding("syntax", BAD, message, advice, value, self._meant)
        value = USUAL if self._is_first else ""
        advice = "Set one; p=none changes nothing for mail that is right."
        if not value:
            advice = f"Look whether {named(self._unknown)} has one, which counts here too; only where it has none set {USUAL}."
        if self._names.canonical(self._name) != self._name:
            message = "The name of the DMARC record is an alias for one that has none, so receivers are not told what to do with forged mail."
            return self._finding("broken_alias", NEAR, message, advice, value, texts)
        message = "There is no DMARC record, so receivers are not told what to do with forged mail, and some refuse bulk mail."
        found = self._finding("missing", NEAR, message, advice, value)
        # At the main domain, where it counts for all names below and nothing ends it.
        return replace(found, record={**found.record, "host": NAME}) if found.record else found

    def several(self, count: int) -> Finding:
        value = self._as_before()
        message = f"There are {count} DMARC records, and receivers then take none of them."
        advice = "Leave one of them." if value else "Decide which policy is right, and leave one record with it."
        return self._finding("several", BAD, message, advice, value, self._meant)

    def _agreed(self) -> str:
        """The record that all that were meant say; empty where they differ, or one of them is not known."""
        values = {self._mended(read_tags(text)) for text in self._meant}
        return values.pop() if len(values) == 1 else ""

    def _as_before(self) -> str:
        """That record, where it asks for no more and no less than receivers do, who pass over it; empty where it does not."""
        value = self._agreed()
        return value if self._is_first and not _asks_for_something(value) else ""

    def one(self, text: str, is_ready: bool) -> Iterator[Finding]:
        read = read_tags(text)
        mistakes = _mistakes(read)
        policy, part = read.tags.get("p", "").lower(), read.tags.get("pct", "100")
        more = replace(read, tags={name: value for name, value in read.tags.items() if name != "pct"})
        if mistakes:
            is_void = any(not _POLICY.fullmatch(read.tags.get(name, "none")) for name in _OF_POLICY) or not policy
            level, effect = NEAR, "and receivers pass over that part"
            if is_void and _addresses(read.tags.get("rua", "")):
                effect = "and receivers take it for p=none"
            elif is_void:
                level, effect = BAD, "so receivers pass over it"
            message = f"The DMARC record has a mistake, {effect}: {'; '.join(mistakes[:3])}."
            value = self._agreed()
            value = "" if is_void and _asks_for_something(value) else value
            advice = "Correct it." if value else f"{_DECIDE}."
            yield self._finding("syntax", level, message, advice, value, self._meant)
        elif policy == "none" or int(part) == 0:
            shown = "p=none" if policy == "none" else "for 0 % of the mail"
            message = f"The policy is {shown}, which asks receivers to do nothing about forged mail."
            advice = "Once all mail of the domain is signed or sent by the servers in its SPF record, set p=quarantine, and later p=reject."
            yield self._finding(
                "no_policy",
                HINT,
                message,
                advice,
                _right(read if int(part) else more, "quarantine") if is_ready else "",
                [text],
            )
        elif int(part) < 100:
            message = f"The policy counts for {int(part)} % of the mail only."
            advice = "Leave out pct once that went well."
            yield self._finding("partial", HINT, message, advice, _right(more) if is_ready else "", [text])

    def _mended(self, read: TagList) -> str:
        """The record without its mistakes; empty where a policy is among them, which only the owner knows."""
        tags = read.tags
        lost = [*read.unread, *(f"{name}={value}" for name, value in tags.items() if name not in _FORMS)]
        lost += [tags["v"]] if not _LIKE_VERSION.fullmatch(tags.get("v", VERSION)) else []
        if any(_ABOUT_POLICY.match(one) for one in lost) or any(
            name in tags and not _POLICY.fullmatch(tags[name]) for name in _OF_POLICY
        ):
            return ""
        if "p" in tags:
            return _right(read)
        # Without a policy it is p=none as it is, or no record at all, which ends what a domain above asks for.
        return _right(read, "none") if not lost and (self._is_first or _addresses(tags.get("rua", ""))) else ""


def _asks_for_something(value: str) -> bool:
    """Whether receivers would do anything about forged mail for this record."""
    return any(read_tags(value).tags.get(name, "none").lower() != "none" for name in _OF_POLICY)


def _mistakes(read: TagList) -> list[str]:
    """In words, the policy first."""
    tags = read.tags
    found = ["it has no policy p"] if "p" not in tags else []
    found += [*_wrong_values(tags), *read.mistakes]
    if "p" in tags and list(tags).index("p") != 1:
        found.append("p has to stand right behind v")
    return found


def _wrong_values(tags: Mapping[str, str]) -> Iterator[str]:
    for name, value in tags.items():
        if name not in _FORMS:
            yield f"there is no tag {plain(name, 20)}"
        elif not _FORMS[name][0].fullmatch(value):
            yield f"{name} is {plain(value, 40) or 'empty'}, and has to be {_FORMS[name][1]}"


def _addresses(value: str) -> list[str]:
    """Those of the addresses for reports that are right."""
    return [one.strip() for one in value.split(",") if _ONE_ADDRESS.fullmatch(one.strip())]


def _right(read: TagList, policy: str = "") -> str:
    """The record without its mistakes; policy: in place of its own."""
    tags = {"v": VERSION, "p": policy or read.tags["p"]}
    for name, value in read.tags.items():
        right = ",".join(_addresses(value)) if name in ("rua", "ruf") else value
        if name in _FORMS and _FORMS[name][0].fullmatch(right):
            tags.setdefault(name, right)
    return "; ".join(f"{name}={value}" for name, value in tags.items())
