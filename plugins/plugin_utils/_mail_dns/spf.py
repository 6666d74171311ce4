# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Judges the SPF records of a domain. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from .finding import BAD, NEAR, SPF, Finding, Record, plain
from .names import Names
from .spf_syntax import VERSION, Spf, as_spf, composed, is_spf, looks_like_spf, mended, read_spf
from .spf_walk import MOST_IN_VAIN, MOST_LOOK_UPS, PASS, Walk, walk

USUAL = f"{VERSION} a mx ~all"
_NOBODY_KNOWS, _PERHAPS, _NOBODY = "?", "~", "-"


def judge_spf(domain: str, host: str, names: Names) -> tuple[list[Finding], Walk | None]:
    """What is wrong, and how a receiver goes through the one record; nothing where the texts of the domain are not known."""
    texts = names.find(domain, "TXT")
    if texts is None:
        return [], None
    judge = _Judge(domain, host, names)
    records = [text for text in texts if is_spf(text)]
    if not records:
        return [judge.missing(texts)], None
    if len(records) > 1:
        return [judge.several(records)], None
    record = read_spf(records[0])
    walked = walk(domain, record, names)
    return judge.one(records[0], record, walked), walked


class _Problem(NamedTuple):
    problem: str
    level: str
    message: str
    advice: str


class _Judge:
    def __init__(self, domain: str, host: str, names: Names) -> None:
        self._domain, self._host, self._names = domain, host, names

    def _record(self, value: str) -> Record:
        return {"host": self._host, "type": "TXT", "value": value}

    def _finding(self, problem: _Problem, value: str, replaces: Sequence[str] = ()) -> Finding:
        """value: of the record to set, empty where only the owner can know it."""
        gone = tuple(self._record(text) for text in replaces) if value else ()
        return Finding(SPF, *problem, record=self._record(value) if value else None, replaces=gone)

    def missing(self, texts: Sequence[str]) -> Finding:
        alike = [text for text in texts if looks_like_spf(text)]
        old = self._names.find(self._domain, "SPF") or []
        if alike:
            message = f"{plain(alike[0])} is no SPF record: one begins with {VERSION} and a blank."
            value = self._right([as_spf(text) for text in alike])
            return self._finding(_Problem("syntax", BAD, message, "Write it again."), value, alike)
        if old:
            message = "The SPF record is one of the type SPF, which receivers do not read."
            value = self._right([as_spf(text) for text in old])
            return self._finding(_Problem("obsolete_type", BAD, message, "Set it as TXT."), value)
        message = "There is no SPF record, so receivers cannot tell who may send for this domain."
        advice = "Set one that names the servers of the domain."
        return self._finding(_Problem("missing", BAD, message, advice), self._judged(USUAL))

    def several(self, records: Sequence[str]) -> Finding:
        merged = _merged([read_spf(text) for text in records])
        value = self._judged(merged)
        message = f"There are {len(records)} SPF records, and receivers then take none of them."
        advice = "Leave one of them, which names " + ("the servers of all." if value else "all servers that send.")
        problem = next(self._problems(merged), None) if merged else None
        if problem:
            advice += f" Put together they would not do. {problem.message} {problem.advice}"
        return self._finding(_Problem("several", BAD, message, advice), value, records)

    def one(self, text: str, record: Spf, walked: Walk) -> list[Finding]:
        """What is wrong with the one record; one record to set mends all of it."""
        problems = list(_problems(record, walked))
        value = self._right([record]) if problems else ""
        return [self._finding(problem, value, [text]) for problem in problems]

    def _right(self, records: Sequence[Spf]) -> str:
        return self._judged(_merged(records))

    def _judged(self, value: str) -> str:
        """The value where it names somebody who may send, and nothing is wrong with it."""
        record = read_spf(value)
        names_somebody = record.redirect or any(term.qualifier == PASS for term in record.read)
        return value if names_somebody and not any(self._problems(value)) else ""

    def _problems(self, value: str) -> Iterator[_Problem]:
        record = read_spf(value)
        return _problems(record, walk(self._domain, record, self._names))


def _merged(records: Sequence[Spf]) -> str:
    """One record that lets all those send that the records name, without their mistakes; empty where only the owner can know it.

    Names stay names: their addresses would be wrong from the day on which a server gets another one.
    """
    words = [word for record in records for word in _words(record)]
    # In which order words with a sign were meant to be read, several records do not tell.
    has_signs = any(word[:1] in ("-", "~", "?") for word in words)
    redirects = any(record.redirect for record in records)
    if not all(words) or (len(records) > 1 and (has_signs or redirects)):
        return ""
    if redirects:
        return composed(words, "")
    ends = {record.end.qualifier if record.end else "" for record in records}
    explanation = next((word for word in words if word.lower().startswith("exp=")), "")
    # A redirect is void beside all, and an explanation may be there only once.
    words = [word for word in words if word == explanation or not word.lower().startswith(("redirect=", "exp="))]
    return composed(words, _NOBODY if ends == {_NOBODY} else _PERHAPS)


def _problems(record: Spf, walked: Walk) -> Iterator[_Problem]:
    """What is wrong with a record."""
    if record.wrong:
        word, reason = record.wrong[0]
        more = f", and {len(record.wrong) - 1} more" if len(record.wrong) > 1 else ""
        advice = "Correct it, or take it out if nothing was meant by it."
        yield _Problem("syntax", BAD, f"{plain(word, 60)} is wrong: {reason}{more}.", advice)
    for word, reason in walked.broken.items():
        message = f"{plain(word, 60)} {plain(reason)}, so receivers stop with an error."
        advice = "Correct what it names, or take it out if nobody sends from there any more."
        yield _Problem("broken_include", BAD, message, advice)
    if walked.look_ups > MOST_LOOK_UPS:
        message = f"It makes {walked.look_ups} look-ups, and receivers stop with an error behind {MOST_LOOK_UPS}."
        advice = "Take out services that do not send for the domain any more, or name servers by their addresses, with ip4 and ip6."
        yield _Problem("look_ups", BAD, message, advice)
    if len(walked.in_vain) > MOST_IN_VAIN:
        message = f"{len(walked.in_vain)} words find nothing, and receivers stop behind {MOST_IN_VAIN}: {_listed(walked.in_vain)}."
        advice = "Correct the names, or take out those that nobody sends from any more."
        yield _Problem("in_vain", BAD, message, advice)
    yield from _open_ends(record, walked)
    if any(term.name == "ptr" for term in record.read):
        message = "ptr is slow and not to be used any more; many receivers pass over it."
        yield _Problem("ptr", NEAR, message, "Name the servers with a, mx or ip4.")


def _open_ends(record: Spf, walked: Walk) -> Iterator[_Problem]:
    advice = "Name the servers that send, and end it in ~all or -all."
    if walked.everyone:
        message = f"Almost everybody may send for this domain: {_listed(walked.everyone)}."
        yield _Problem("allows_everyone", BAD, message, "Name only the servers that send.")
    if walked.end == PASS:
        yield _Problem("allows_everyone", BAD, "It ends in +all, which lets everybody send for this domain.", advice)
    elif walked.end == _NOBODY_KNOWS:
        yield _Problem("open_end", NEAR, "It ends in ?all, which says nothing of other senders.", advice)
    elif walked.end == "":
        message = "It does not end in all, so it says nothing of other senders."
        yield _Problem("open_end", NEAR, message, advice)
    if record.behind_the_end:
        message = f"Nobody reads what all makes void: {_listed(term.text for term in record.behind_the_end)}."
        yield _Problem(
            "behind_the_end", NEAR, message, "Move before the first all what is to count, and take out the rest."
        )


def _listed(words: Iterable[str]) -> str:
    return ", ".join(plain(word, 40) for word in dict.fromkeys(words))


def _words(record: Spf) -> list[str]:
    """The words of a record in their order but ``all``, the wrong ones as they were probably meant, empty where that is not known."""
    wrong = dict(record.wrong)
    ends = {term.text for term in record.terms if term.name == "all"}
    return [mended(word) if word in wrong else word for word in record.words if word not in ends]
