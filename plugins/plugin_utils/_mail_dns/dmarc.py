# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Judges the DMARC record of a domain (RFC 7489, section 6, and what its successor added). Pure. Private to the collection."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from .dkim import replaced
from .finding import BAD, DMARC, HINT, NEAR, Finding, Record, plain
from .names import Names
from .tag_list import TagList, read_tags

VERSION = "DMARC1"
USUAL = f"v={VERSION}; p=none"
NAME = "_dmarc"
_IS_ONE = re.compile(rf"v\s*=\s*{VERSION}\s*(?:;.*)?", re.DOTALL)
_LOOKS_LIKE = re.compile(r"\W*v?\s*=?\s*d?marc|p\s*=", re.IGNORECASE)
_POLICIES = ("none", "quarantine", "reject")
_POLICY = re.compile("|".join(_POLICIES), re.IGNORECASE)
_ADDRESS = r"mailto:[^\s@,!;]+@[A-Za-z0-9._-]+(?:![0-9]+[kmgt]?)?"
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


def judge_dmarc(domain: str, main_domain: str, host: str, names: Names) -> list[Finding]:
    """What is wrong. main_domain: whose record counts where the domain has none of its own. host: of the record in its zone."""
    texts = names.find(f"{NAME}.{domain}", "TXT")
    if texts is None:
        return []
    records = [text for text in texts if is_dmarc(text)]
    if not records and domain != main_domain:
        above = names.find(f"{NAME}.{main_domain}", "TXT")
        if above is None or any(is_dmarc(text) for text in above):
            return []
    judge = _Judge(f"{NAME}.{domain}", host, names)
    if len(records) == 1:
        return list(judge.one(records[0]))
    return [judge.several(records) if records else judge.missing(texts)]


def is_dmarc(text: str) -> bool:
    """Whether receivers take the text for a DMARC record (section 6.6.3)."""
    return _IS_ONE.fullmatch(text.strip()) is not None


class _Judge:
    def __init__(self, name: str, host: str, names: Names) -> None:
        self._name, self._host, self._names = name, host, names

    def _finding(
        self, problem: str, level: str, message: str, advice: str, value: str, texts: list[str] | None = None
    ) -> Finding:
        if texts is not None and value in texts:
            texts = [text for text in texts if text != value]
        record: Record = {"host": self._host, "type": "TXT", "value": value}
        gone = () if texts is None else replaced(self._names, self._name, self._host, texts)
        return Finding(DMARC, problem, level, message, advice, record, gone)

    def missing(self, texts: list[str]) -> Finding:
        alike = [text for text in texts if _LOOKS_LIKE.match(text)]
        if alike:
            message = (
                f"{plain(alike[0])} is no DMARC record: one begins with v={VERSION}; and says its policy behind it."
            )
            return self._finding("syntax", BAD, message, "Write it again.", _right(read_tags(alike[0])), alike)
        if self._names.canonical(self._name) != self._name:
            message = "The name of the DMARC record is an alias for one that has none, so receivers are not told what to do with forged mail."
            return self._finding("broken_alias", NEAR, message, "Set the record itself.", USUAL, texts)
        message = "There is no DMARC record, so receivers are not told what to do with forged mail, and some refuse bulk mail."
        return self._finding("missing", NEAR, message, "Set one; p=none changes nothing for mail that is right.", USUAL)

    def several(self, records: list[str]) -> Finding:
        right = next((text for text in records if not _mistakes(read_tags(text))), records[0])
        message = f"There are {len(records)} DMARC records, and receivers then take none of them."
        return self._finding("several", BAD, message, "Leave one of them.", _right(read_tags(right)), records)

    def one(self, text: str) -> Iterator[Finding]:
        read = read_tags(text)
        mistakes = _mistakes(read)
        if mistakes:
            is_bad = _is_void(read)
            message = f"The DMARC record has a mistake, {'so receivers pass over it' if is_bad else 'and receivers pass over that part'}: "
            message += f"{'; '.join(mistakes[:3])}."
            yield self._finding("syntax", BAD if is_bad else NEAR, message, "Correct it.", _right(read), [text])
        policy, part = read.tags.get("p", "").lower(), read.tags.get("pct", "100")
        if policy == "none":
            message = "The policy is p=none, which asks receivers to do nothing about forged mail."
            advice = "Once all mail of the domain is signed or sent by the servers in its SPF record, set p=quarantine, and later p=reject."
            yield self._finding("no_policy", HINT, message, advice, _right(read, "quarantine"), [text])
        elif policy in _POLICIES and part.isdecimal() and int(part) < 100:
            message = f"The policy counts for {int(part)} % of the mail only."
            right = "; ".join(one for one in _right(read).split("; ") if not one.startswith("pct="))
            yield self._finding("partial", HINT, message, "Leave out pct once that went well.", right, [text])


def _is_void(read: TagList) -> bool:
    """Whether receivers pass over the whole record: without a policy, unless it says at least where reports go (section 6.6.3)."""
    return not _POLICY.fullmatch(read.tags.get("p", ""))


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


def _right(read: TagList, policy: str = "") -> str:
    """The record without its mistakes."""
    kept = {name: value for name, value in read.tags.items() if name in _FORMS and _FORMS[name][0].fullmatch(value)}
    tags = {
        "v": VERSION,
        "p": policy or kept.get("p", "none"),
        **{one: kept[one] for one in kept if one not in ("v", "p")},
    }
    return "; ".join(f"{name}={value}" for name, value in tags.items())
