# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Judges the DKIM record of a domain by the panel's key, with which its mail is signed (RFC 6376, section 3.6). Pure. Private to the collection."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ...module_utils._dns.record_values import PLACEHOLDER
from .finding import BAD, DKIM, NEAR, Finding, Record, named, plain
from .names import Names
from .tag_list import read_tags

VERSION = "DKIM1"
_KEY = re.compile(r"[A-Za-z0-9+/]+={0,2}")


def judge_dkim(name: str, host: str, key: str, names: Names) -> Finding | None:
    """What is wrong with the record of a selector. name: of the record. key: what the panel says has to be there; empty where it does not."""
    texts = names.find(name, "TXT")
    if texts is None:
        return None
    key = key if _is_key(key) else ""
    problem = _problem(texts, key, host)
    if problem is None:
        return None
    word, level, message = problem
    # Where the panel's own key says that it is a test, there is nothing better to set.
    is_better = bool(key) and (word != "testing" or _problem([key], key, host) is None)
    record: Record | None = {"host": host, "type": "TXT", "value": key} if is_better else None
    advice = "Set the panel's key." if record else "Set the key that the panel shows at the domain."
    if record and texts:
        advice = "Set the panel's key in its place."
    if word == "testing":
        advice = "Take out t=y once receivers find the signatures right."
    replaces = replaced(names, name, host, [text for text in texts if text != key]) if record else ()
    return Finding(DKIM, word, level, message, advice, record, replaces)


def replaced(names: Names, name: str, host: str, texts: list[str]) -> tuple[Record, ...]:
    """The records that stand where a text is to be set."""
    alias = names.alias(name)
    if alias:
        return ({"host": host, "type": "CNAME", "value": f"{alias}."},)
    # Texts behind the alias of a wildcard are not at this name.
    return (
        () if names.canonical(name) != name else tuple({"host": host, "type": "TXT", "value": text} for text in texts)
    )


def _problem(texts: list[str], key: str, host: str) -> tuple[str, str, str] | None:
    if not texts:
        return (
            "missing",
            BAD,
            f"There is no DKIM record at {named(host)}, so nobody can check the signature of mail from here.",
        )
    if len(texts) > 1:
        return (
            "several",
            BAD,
            f"There are {len(texts)} texts at {named(host)}, and which one a receiver takes is left to chance.",
        )
    if texts[0].strip() == PLACEHOLDER:
        return None
    read = read_tags(texts[0])
    tags = read.tags
    mistake = read.mistakes[0] if read.mistakes else _mistake(tags, read.first)
    if mistake:
        return "syntax", BAD, f"The DKIM record at {named(host)} cannot be read: {mistake}."
    if not _bare(tags["p"]):
        return "revoked", BAD, f"The DKIM record at {named(host)} has no key, which says that the old one is revoked."
    if key and not is_same_key(tags, read_tags(key).tags):
        return "other_key", BAD, f"The key at {named(host)} is not the one that the panel signs with."
    if "y" in tags.get("t", "").lower().split(":"):
        return (
            "testing",
            NEAR,
            f"The DKIM record at {named(host)} says that it is a test (t=y), so receivers do not rely on it.",
        )
    return None


def _is_key(text: str) -> bool:
    """Whether what the panel shows is a record with a key."""
    read = read_tags(text)
    return not (read.mistakes or _mistake(read.tags, read.first)) and bool(_bare(read.tags["p"]))


def _mistake(tags: Mapping[str, str], first: str) -> str:
    """The first mistake in the tags; empty where they are right."""
    if "v" in tags and (tags["v"] != VERSION or first != "v"):
        return f"v has to be {VERSION}, and the first tag"
    if "p" not in tags:
        return "it has no tag p, which is the key"
    if _bare(tags["p"]) and not _KEY.fullmatch(_bare(tags["p"])):
        return "p is no key in base64"
    if tags.get("k", "rsa") not in ("rsa", "ed25519"):
        return f"k is {plain(tags['k'], 20)}, and has to be rsa or ed25519"
    if "h" in tags and "sha256" not in _listed(tags["h"]):
        return "h leaves out sha256"
    if "s" in tags and not {"*", "email"} & set(_listed(tags["s"])):
        return "s leaves out e-mail"
    return ""


def _listed(value: str) -> list[str]:
    return [part.strip().lower() for part in value.split(":")]


def is_same_key(one: Mapping[str, str], other: Mapping[str, str]) -> bool:
    """Whether two records hold the same key, however they are written."""
    return all(
        _bare(one.get(name, usual)) == _bare(other.get(name, usual)) for name, usual in (("p", ""), ("k", "rsa"))
    )


def _bare(value: str) -> str:
    return "".join(value.split())
