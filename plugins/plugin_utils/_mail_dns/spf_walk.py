# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a receiver does with an SPF record: whom it asks, how often, and where it ends (RFC 7208). Pure. Private to the collection."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...module_utils._dns.record_values import ascii_name
from .finding import named
from .names import Names
from .spf_syntax import ASKING, Spf, Term, is_spf, read_spf

MOST_LOOK_UPS = 10  # section 4.6.4
MOST_IN_VAIN = 2
PASS = "+"
_MOST_MX = 10
# A tree of records that asks more than this is not walked to its end.
_ENOUGH = 5 * MOST_LOOK_UPS


@dataclass
class Walk:
    """look_ups: at most, where nothing fits before the end. in_vain: words that find nothing. broken: words of the domain's own record that
    end in an error, with the reason. everyone: words of it that let almost everybody through. unseen: names that are not known here. end:
    the qualifier of the ``all`` that is reached, empty for none, None where that is not known.
    """

    look_ups: int = 0
    in_vain: list[str] = field(default_factory=list)
    broken: dict[str, str] = field(default_factory=dict)
    everyone: list[str] = field(default_factory=list)
    unseen: list[str] = field(default_factory=list)
    end: str | None = ""


def walk(domain: str, record: Spf, names: Names) -> Walk:
    """Walks all that a receiver may come to."""
    found = Walk()
    found.end = _Walker(names, found).through(domain, record, (domain,))
    return found


class _Walker:
    def __init__(self, names: Names, found: Walk) -> None:
        self._names, self._found = names, found

    def through(
        self, domain: str, record: Spf, path: tuple[str, ...], first: str = "", lets_through: bool = True
    ) -> str | None:
        """The qualifier of ``all`` that the record ends in. first: the word of the domain's own record that led here.

        lets_through: whether what fits here may send.
        """
        # A record with a mistake ends in an error.
        lets_through = lets_through and not record.wrong
        for term in record.read:
            is_pass = lets_through and term.qualifier == PASS
            if is_pass and term.is_vast:
                self._found.everyone.append(first or term.text)
            if term.name not in ASKING or self._found.look_ups > _ENOUGH:
                continue
            self._found.look_ups += 1
            target = term.target or domain
            if term.has_macro or term.name in ("exists", "ptr"):
                continue
            if term.name == "include":
                end = self._follow(term, path, first or term.text, is_pass)
                if end == PASS and is_pass:
                    self._found.everyone.append(first or term.text)
            else:
                self._servers(term, target, first or term.text)
        if record.end is not None:
            return record.end.qualifier if lets_through or record.end.qualifier != PASS else None
        if record.redirect is None or self._found.look_ups > _ENOUGH:
            return ""
        self._found.look_ups += 1
        if record.redirect.has_macro:
            return None
        return self._follow(record.redirect, path, first or record.redirect.text, lets_through)

    def _follow(self, term: Term, path: tuple[str, ...], first: str, lets_through: bool) -> str | None:
        """Another domain's record; the qualifier that it ends in."""
        target = ascii_name(term.target).rstrip(".")
        if target in path:
            self._found.broken[first] = f"leads back to {named(target)}"
            return None
        texts = self._names.find(target, "TXT")
        if texts is None:
            self._found.unseen.append(target)
            return None
        records = [text for text in texts if is_spf(text)]
        if len(records) != 1:
            self._found.broken[first] = (
                f"leads to {named(target)}, which has {'no' if not records else 'more than one'} SPF record"
            )
            return None
        record = read_spf(records[0])
        if record.wrong:
            self._found.broken[first] = f"leads to {named(target)}, whose SPF record has a mistake"
        return self.through(target, record, (*path, target), first, lets_through)

    def _servers(self, term: Term, target: str, first: str) -> None:
        """What ``a`` and ``mx`` find."""
        name = ascii_name(target).rstrip(".")
        values = self._names.addresses(name) if term.name == "a" else self._names.find(name, "MX")
        if values is None:
            self._found.unseen.append(name)
        elif not values:
            self._found.in_vain.append(term.text)
        elif term.name == "mx" and len(values) > _MOST_MX:
            self._found.broken[first] = f"finds {len(values)} mail servers, and receivers look at {_MOST_MX} at most"
