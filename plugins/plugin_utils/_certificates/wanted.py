# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The certificates that somebody wants, read and checked before anything is asked. Pure. Private to the collection."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from ...module_utils._task.mistakes import Mistake
from ...module_utils._values.names import AccountName, DomainName, EmailAddress, ascii_domain, composed, punycode
from ...module_utils._values.value_types import Integer, ValueType, shortened
from .._jobs.mistyped_names import nearest
from .._mail_dns.resolver import FORM, WrongResolver, address_and_port

WILDCARD = "*."
_MEMBERS = ("name", "client", "domains", "assign")
_REQUIRED = ("name", "client", "domains")
_LONGEST_TEXT = 253
# With _acme-challenge. before it, a name has 253.
_LONGEST_NAME = 237
_NAME = f"{AccountName().form}, of at most {_LONGEST_TEXT} characters"
_DOMAIN = (
    "a domain name such as shop.example.com or *.example.com, in punycode or UTF-8, of letters, digits and hyphens, and of at most "
    f"{_LONGEST_NAME} characters"
)
_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?")
_INTERNATIONAL = "xn--"
# As many as Let's Encrypt takes.
_MOST_NAMES = 100
_DAY = Integer(1, 86400)
_VALUES: dict[str, ValueType] = {
    "account_email": EmailAddress(),
    # No authority that browsers trust issues certificates for longer.
    "renew_days": Integer(1, 398),
    "dns_timeout": _DAY,
    "order_timeout": _DAY,
}


@dataclass(frozen=True)
class Wanted:
    """A certificate. name: its stable name on the panel. names: what it is for, in punycode. assign: the domains that are to use it."""

    name: str
    client: str
    names: tuple[str, ...]
    assign: tuple[str, ...]

    def covers(self, domain: str) -> bool:
        """Whether it is for a domain, by its name or by a wildcard."""
        return domain in self.names or _wildcard_for(domain) in self.names


def mistakes_in_options(options: Mapping[str, Any]) -> Iterator[str]:
    """A sentence for each mistake in what is not about single certificates. Nothing outside the options is looked at."""
    if not options["terms_agreed"]:
        yield (
            "terms_agreed: is false; an authority issues certificates only to those who agree to its terms of service. Read them, and set it "
            "to true."
        )
    if not _is_directory(options["acme_directory"]):
        yield (
            "acme_directory: must be the address of a directory, such as https://acme-v02.api.letsencrypt.org/directory, without a user name "
            "or password in it."
        )
    for option, value_type in _VALUES.items():
        value = options[option]
        # Authorities make accounts without an address, too.
        if (value or option != "account_email") and not _can(value_type.parse, value):
            yield f"{option}: {shortened(value)} is not accepted; it must be {value_type.form}."
    for index, server in enumerate(options["nameservers"] or ()):
        if not _is_name_server(server):
            yield f"nameservers[{index}]: must be the name of a name server, or {FORM}."


def _can(read: Callable[[Any], Any], value: Any) -> bool:
    """Whether a value can be read."""
    try:
        read(value)
    except (ValueError, TypeError, WrongResolver):
        return False
    return True


def _is_directory(address: str) -> bool:
    if not (address.isascii() and address.isprintable() and _can(lambda text: urlsplit(text).port, address)):
        return False
    parts = urlsplit(address)
    return parts.scheme == "https" and bool(parts.hostname) and parts.port != 0 and not {" ", "@"}.intersection(address)


def _is_name_server(value: Any) -> bool:
    if not isinstance(value, str):
        return False
    return _can(address_and_port, value) or (_can(ascii_domain, value) and not value.rpartition(".")[2].isdecimal())


def read_wanted(items: Any) -> tuple[list[Wanted], list[str]]:
    """The certificates, and a sentence for each mistake in them."""
    if not isinstance(items, list):
        return [], ["items: must be a list of dictionaries with name, client and domains."]
    wanted: dict[str, Wanted] = {}
    mistakes: list[str] = []
    for index, item in enumerate(items):
        place = f"items[{index}]"
        if not isinstance(item, Mapping):
            mistakes.append(Mistake(place, "must be a dictionary with name, client and domains.", ": "))
            continue
        if _is_text(item.get("name")):
            place = f"{place} ({item['name']})"
        found = [Mistake(place, sentence, ": ") for sentence in _mistakes_in(item)]
        mistakes += found
        if not found:
            wanted[place] = _wanted(item)
    mistakes += _twice(wanted)
    return list(wanted.values()), mistakes


def _wanted(item: Mapping[str, Any]) -> Wanted:
    names = dict.fromkeys(_name_of_certificate(name) for name in item["domains"])
    assign = dict.fromkeys(DomainName().parse(name) for name in item.get("assign") or ())
    return Wanted(composed(item["name"]), item["client"], tuple(names), tuple(assign))


def _mistakes_in(item: Mapping[str, Any]) -> Iterator[str]:
    for name in item:
        if name not in _MEMBERS:
            meant = nearest(str(name), _MEMBERS)
            yield f"{name}: there is no such member" + (f"; did you mean {meant}?" if meant else ".")
    for name in _REQUIRED:
        if item.get(name) in (None, "", []):
            yield f"{name}: missing."
        elif name != "domains" and not _is_text(item[name]):
            yield f"{name}: must be {_NAME}."
    wrong = [*_wrong_names(item, "domains", _name_of_certificate, _DOMAIN)]
    wrong += _wrong_names(item, "assign", DomainName().parse, DomainName.form)
    yield from wrong
    if not wrong and item.get("domains"):
        yield from _mistakes_in_names(_wanted({**item, "name": "", "client": ""}))


def _wrong_names(item: Mapping[str, Any], member: str, read: Callable[[str], str], form: str) -> Iterator[str]:
    names = item.get(member)
    if names is not None and not isinstance(names, list):
        yield f"{member}: must be a list."
        return
    for number, name in enumerate(names or ()):
        if not (isinstance(name, str) and name == name.strip() and _can(read, name)):
            yield f"{member}[{number}]: must be {form}."


def _mistakes_in_names(wanted: Wanted) -> Iterator[str]:
    if len(wanted.names) > _MOST_NAMES:
        yield f"domains: are {len(wanted.names)} names, and a certificate is for {_MOST_NAMES} at most; make several of it."
    for name in wanted.names:
        if not name.startswith(WILDCARD) and _wildcard_for(name) in wanted.names:
            yield f"domains: {name} is covered by {_wildcard_for(name)} as well, which authorities refuse; leave one of the two out."
    for domain in wanted.assign:
        if not wanted.covers(domain):
            yield f"assign: {domain} is not covered by the certificate; add it to domains."


def _twice(wanted: Mapping[str, Wanted]) -> Iterator[str]:
    """What several certificates claim. wanted: by place."""
    for what, of in (("name", lambda one: (one.name,)), ("assign", lambda one: one.assign)):
        seen: set[str] = set()
        for place, one in wanted.items():
            for claimed in of(one):
                if claimed in seen:
                    yield Mistake(place, f"{what}: {claimed} is in another item too.", ": ")
                seen.add(claimed)


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= _LONGEST_TEXT and _can(AccountName().parse, value)


def _wildcard_for(name: str) -> str:
    return f"{WILDCARD}{name.partition('.')[2]}"


def _name_of_certificate(name: str) -> str:
    """The stored form of a name that authorities issue certificates for, perhaps a wildcard; raises ValueError where it is none."""
    base = name.removeprefix(WILDCARD)
    stored = DomainName().parse(base)
    if len(stored) > _LONGEST_NAME or not all(_is_label(label) for label in stored.split(".")):
        raise ValueError
    return f"{WILDCARD}{stored}" if name != base else stored


def _is_label(label: str) -> bool:
    """Whether authorities take it: no underscore, and two hyphens behind two letters only where that is punycode."""
    if label[2:4] != "--":
        return bool(_LABEL.fullmatch(label))
    return label.startswith(_INTERNATIONAL) and _can(_from_punycode, label)


def _from_punycode(label: str) -> None:
    if punycode(label[len(_INTERNATIONAL) :].encode().decode("punycode")) != label:
        raise ValueError
