# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Judges the SPF records of a domain. Pure. Private to the collection."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .finding import BAD, NEAR, SPF, Finding, Record, plain
from .names import Names
from .spf_syntax import VERSION, Spf, composed, is_spf, looks_like_spf, mended, read_spf
from .spf_walk import MOST_IN_VAIN, MOST_LOOK_UPS, Walk, walk

USUAL = f"{VERSION} a mx ~all"
_MOST_ADDRESSES = 8
_EVERYONE, _NOBODY_KNOWS, _PERHAPS = "+", "?", "~"


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
    return list(judge.one(records[0], record, walked)), walked


class _Judge:
    def __init__(self, domain: str, host: str, names: Names) -> None:
        self._domain, self._host, self._names = domain, host, names

    def _record(self, value: str) -> Record:
        return {"host": self._host, "type": "TXT", "value": value}

    def _finding(
        self, problem: str, level: str, message: str, advice: str, value: str = "", replaces: Sequence[str] = ()
    ) -> Finding:
        """value: of the record to set, which is none where it says what is there already."""
        if value in replaces:
            value = ""
        gone = tuple(self._record(text) for text in replaces) if value else ()
        return Finding(SPF, problem, level, message, advice, self._record(value) if value else None, gone)

    def missing(self, texts: Sequence[str]) -> Finding:
        alike = [text for text in texts if looks_like_spf(text)]
        old = self._names.find(self._domain, "SPF") or []
        if alike:
            message = f"{plain(alike[0])} is no SPF record: one begins with {VERSION} and a blank."
            return self._finding("syntax", BAD, message, "Write it again.", self._again(alike[:1]), alike)
        if old:
            message = "The SPF record is one of the type SPF, which receivers do not read."
            return self._finding("obsolete_type", BAD, message, "Set it as TXT.", self._again(old[:1]))
        message = "There is no SPF record, so receivers cannot tell who may send for this domain."
        return self._finding("missing", BAD, message, "Set one that names the servers of the domain.", USUAL)

    def _again(self, texts: Sequence[str]) -> str:
        """Records of texts that are none, or that are several, as one."""
        read = [read_spf(f"{VERSION} {text.strip().partition(' ')[2]}") for text in texts]
        ends = [record.end.qualifier for record in read if record.end]
        words = [word for record in read for word in _words(record)]
        if not words:
            return USUAL
        if any(record.redirect for record in read):
            return composed(words, "")
        return composed(words, ends[-1] if ends and ends[-1] in "~-" else _PERHAPS)

    def several(self, records: Sequence[str]) -> Finding:
        merged = self._again(records)
        walked = walk(self._domain, read_spf(merged), self._names)
        is_enough = walked.look_ups <= MOST_LOOK_UPS and not walked.broken and not read_spf(merged).redirect
        message = f"There are {len(records)} SPF records, and receivers then take none of them."
        advice = "Leave one of them, which names the servers of all." if is_enough else "Leave one of them."
        return self._finding("several", BAD, message, advice, merged if is_enough else "", records)

    def one(self, text: str, record: Spf, walked: Walk) -> Iterator[Finding]:
        """What is wrong with the one record."""
        right = self._right(record, walked)
        replaces = [text]
        if record.wrong:
            word, reason = record.wrong[0]
            more = f", and {len(record.wrong) - 1} more" if len(record.wrong) > 1 else ""
            lost = [plain(word, 40) for word, _reason in record.wrong if not mended(word)]
            advice = f"Correct it; the record to set leaves out {', '.join(lost)}." if lost else "Correct it."
            yield self._finding("syntax", BAD, f"{plain(word, 60)} is wrong: {reason}{more}.", advice, right, replaces)
        for word, reason in walked.broken.items():
            message = f"{plain(word, 60)} {plain(reason)}, so receivers stop with an error."
            advice = "Take it out, or correct what it names."
            yield self._finding("broken_include", BAD, message, advice, right, replaces)
        if walked.look_ups > MOST_LOOK_UPS:
            yield self._too_many(record, walked, text)
        if len(walked.in_vain) > MOST_IN_VAIN:
            words = ", ".join(plain(word, 40) for word in walked.in_vain)
            message = f"{len(walked.in_vain)} words find nothing, and receivers stop behind {MOST_IN_VAIN}: {words}."
            yield self._finding("in_vain", BAD, message, "Take them out.", right, replaces)
        yield from self._end(record, walked, right, replaces)
        if any(term.name == "ptr" for term in record.read):
            message = "ptr is slow and not to be used any more; many receivers pass over it."
            yield self._finding("ptr", NEAR, message, "Name the servers with a, mx or ip4.", right, replaces)

    def _end(self, record: Spf, walked: Walk, right: str, replaces: Sequence[str]) -> Iterator[Finding]:
        if walked.end == _EVERYONE:
            message = "It ends in +all, which lets everybody send for this domain."
            yield self._finding("allows_everyone", BAD, message, "End it in ~all or -all.", right, replaces)
        elif walked.end == _NOBODY_KNOWS:
            message = "It ends in ?all, which says nothing of other senders."
            yield self._finding("open_end", NEAR, message, "End it in ~all or -all.", right, replaces)
        elif walked.end == "":
            message = "It does not end in all, so it says nothing of other senders."
            yield self._finding("open_end", NEAR, message, "Put ~all at its end.", right, replaces)
        if record.behind_the_end:
            words = ", ".join(plain(term.text, 40) for term in record.behind_the_end)
            message = f"Nobody reads what all makes void: {words}."
            yield self._finding("behind_the_end", NEAR, message, "Move it before all, or take it out.", right, replaces)

    def _right(self, record: Spf, walked: Walk) -> str:
        """The record without its mistakes, words behind ``all`` before it, as somebody meant them."""
        vain = walked.in_vain if len(walked.in_vain) > MOST_IN_VAIN else ()
        gone = {*walked.broken, *vain}
        words = [word for word in _words(record) if word not in gone and not _is_ptr(word)]
        if record.redirect is not None and record.redirect.text not in gone:
            return composed(words, "")
        # Void beside all.
        words = [word for word in words if not word.lower().startswith("redirect=")]
        end = record.end.qualifier if record.end else ""
        return composed(words, end if end and end in "~-" else _PERHAPS)

    def _too_many(self, record: Spf, walked: Walk, text: str) -> Finding:
        """With addresses in place of names, as far as they are known."""
        words: list[str] = []
        for word in read_spf(self._right(record, walked)).terms:
            own = self._addresses(word.name, word.target) if word.name in ("a", "mx") and not word.length else []
            sign = word.qualifier.replace("+", "")
            words += [f"{sign}ip{6 if ':' in one else 4}:{one}" for one in own] or [word.text]
        shorter = " ".join([VERSION, *words])
        fits = walk(self._domain, read_spf(shorter), self._names).look_ups <= MOST_LOOK_UPS
        message = f"It makes {walked.look_ups} look-ups, and receivers stop with an error behind {MOST_LOOK_UPS}."
        advice = "Name servers by their addresses, with ip4 and ip6."
        if not fits:
            advice = "Take out services that do not send for the domain any more, or name servers by their addresses, with ip4 and ip6."
        return self._finding("look_ups", BAD, message, advice, shorter if fits else "", [text])

    def _addresses(self, name: str, target: str) -> list[str]:
        """The addresses that ``a`` or ``mx`` finds, where all of them are known and few."""
        if "%" in target:
            return []
        domain = target.lower().rstrip(".") or self._domain
        servers = [domain] if name == "a" else [one.split()[-1] for one in self._names.find(domain, "MX") or []]
        known = [self._names.addresses(server) for server in servers]
        found = [address for values in known for address in values or ()]
        return found if all(known) and len(found) <= _MOST_ADDRESSES else []


def _words(record: Spf) -> list[str]:
    """The words of a record in their order but ``all``, the wrong ones as they were probably meant."""
    kept = [term.text for term in record.terms if term.name != "all"]
    return [*kept, *(meant for word, _reason in record.wrong if (meant := mended(word)))]


def _is_ptr(word: str) -> bool:
    return word.lower().lstrip("+-~?").partition(":")[0] == "ptr"
