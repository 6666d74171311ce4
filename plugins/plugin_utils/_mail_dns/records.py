# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""DKIM (RFC 6376), DMARC (RFC 7489) and MX records, judged. The zones of the panel answer. Private to the collection."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator

from ...module_utils._dns.record_values import PLACEHOLDER, is_name
from .names import Names, named, plain
from .spf import BAD, NEAR, Problem

HINT = "fine"
USUAL_DMARC = "v=DMARC1; p=none"
_TAG = re.compile(r"\s*([A-Za-z][A-Za-z0-9_]*)\s*=\s*(.*?)\s*", re.DOTALL)
_VALUE = re.compile(r"[!-:<-~\s]*")
_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")
_IS_DMARC = re.compile(r"v\s*=\s*DMARC1\s*(?:;.*)?", re.DOTALL)
_LIKE_DMARC = re.compile(r"\W*v?\s*=?\s*d?marc|(?:.*;)?\s*[sn]?p\s*[=:]\s*[nqr]", re.IGNORECASE | re.DOTALL)
_POLICY = re.compile("none|quarantine|reject", re.IGNORECASE)
# With a wrong one of these, receivers pass over the whole record (section 6.6.3).
_OF_POLICY = ("p", "sp", "np")
_ADDRESS = re.compile(r"\s*mailto:[^\s@,!;]+@[A-Za-z0-9._-]+(?:![0-9]+[kmgt]?)?\s*", re.IGNORECASE)
_FORMS = {
    "v": (re.compile("DMARC1"), "DMARC1"),
    **dict.fromkeys(_OF_POLICY, (_POLICY, "none, quarantine or reject")),
    **dict.fromkeys(("adkim", "aspf"), (re.compile("[rs]", re.IGNORECASE), "r or s")),
    "pct": (re.compile("100|[1-9]?[0-9]"), "a whole number from 0 to 100"),
    **dict.fromkeys(("fo", "rf", "ri", "psd", "t"), (re.compile(".*", re.DOTALL), "")),
}
_HIGHEST_PRIORITY = 65535


def _tags(text: str) -> tuple[dict[str, str], list[str]]:
    """The tags of a record in their order, and what of it is wrong."""
    tags: dict[str, str] = {}
    mistakes: list[str] = []
    parts = text.split(";")
    for part in parts if parts[-1].strip() else parts[:-1]:
        match = _TAG.fullmatch(part)
        if match is None:
            mistakes.append(f"{plain(part.strip(), 40)} is no tag=value" if part.strip() else "two semicolons in a row")
        elif match[1] in tags:
            mistakes.append(f"{match[1]} is there twice")
        elif not _VALUE.fullmatch(match[2]):
            mistakes.append(f"{match[1]} has characters that no value may have")
        else:
            tags[match[1]] = match[2]
    return tags, mistakes


def judge_dkim(name: str, host: str, key: str, names: Names) -> list[Problem]:
    """What is wrong with the record of a selector. key: what the panel signs with, empty if it does not say."""
    texts = names.find(name, "TXT")
    if texts is None or [text.strip() for text in texts] == [PLACEHOLDER]:
        return []
    advice = "Replace it with the key that the panel shows at the domain."
    if len(texts) != 1:
        if texts:
            message = (
                f"There are {len(texts)} texts at {named(host)}, and which one a receiver takes is left to chance."
            )
            return [("several", BAD, message, advice)]
        message = f"There is no DKIM record at {named(host)}, so no one can check the signature of mail from here."
        return [("missing", BAD, message, f"Set the key that the panel {'signs with' if key else 'shows'}.")]
    tags, mistakes = _tags(texts[0])
    mistake = (mistakes or [_dkim_mistake(tags)])[0]
    if mistake:
        return [("syntax", BAD, f"The DKIM record at {named(host)} cannot be read: {mistake}.", advice)]
    if not _bare(tags["p"]):
        message = f"The DKIM record at {named(host)} has no key, which says that the old one is revoked."
        return [("revoked", BAD, message, advice)]
    if key and not _is_same_key(tags, _tags(key)[0]):
        return [("other_key", BAD, f"The key at {named(host)} is not the one that the panel signs with.", advice)]
    if "y" in tags.get("t", "").lower().split(":"):
        message = f"The DKIM record at {named(host)} says that it is a test (t=y), so receivers do not rely on it."
        return [("testing", NEAR, message, "Take out t=y once receivers accept the signatures.")]
    return []


def is_key(text: str) -> bool:
    """Whether the text is a DKIM record with a key."""
    tags, mistakes = _tags(text)
    return not (mistakes or _dkim_mistake(tags)) and bool(_bare(tags["p"]))


def _dkim_mistake(tags: dict[str, str]) -> str:
    if "v" in tags and (tags["v"] != "DKIM1" or next(iter(tags)) != "v"):
        return "v must be DKIM1, and the first tag"
    if "p" not in tags:
        return "it has no tag p, which is the key"
    if _bare(tags["p"]) and not _BASE64.fullmatch(_bare(tags["p"])):
        return "p is no key in base64"
    if tags.get("k", "rsa") not in ("rsa", "ed25519"):
        return f"k is {plain(tags['k'], 20)}, and must be rsa or ed25519"
    if "h" in tags and "sha256" not in _bare(tags["h"]).lower().split(":"):
        return "h leaves out sha256"
    return "" if {"*", "email"} & set(_bare(tags.get("s", "*")).lower().split(":")) else "s leaves out e-mail"


def _is_same_key(one: dict[str, str], other: dict[str, str]) -> bool:
    return all(_bare(one.get(tag, usual)) == _bare(other.get(tag, usual)) for tag, usual in (("p", ""), ("k", "rsa")))


def _bare(value: str) -> str:
    return "".join(value.split())


def judge_dmarc(domain: str, names: Names) -> tuple[list[Problem], bool]:
    """What is wrong, and whether a record may be set: no domain above may have one that counts here."""
    texts = names.find(f"_dmarc.{domain}", "TXT")
    if texts is None:
        return [], False
    records = [text for text in texts if _IS_DMARC.fullmatch(text.strip())]
    if len(records) == 1:
        return list(_dmarc_problems(records[0])), False
    if records:
        message = f"There are {len(records)} DMARC records, and receivers then take none of them."
        return [("several", BAD, message, "Decide which policy is right, and leave one record with it.")], False
    is_above, unknown = _dmarc_above(domain, names)
    meant = next((text for text in texts if _LIKE_DMARC.match(text)), "")
    if is_above:
        return [], False
    if meant:
        message = f"{plain(meant)} is no DMARC record: one starts with v=DMARC1; and its policy."
        return [("syntax", BAD, message, "Decide which policy it is to have, none, quarantine or reject.")], False
    message = (
        "There is no DMARC record, so receivers are not told what to do with forged mail, and some refuse bulk mail."
    )
    advice = "Set one; p=none changes nothing for mail that is right."
    if unknown:
        advice = (
            f"Check whether {named(unknown)} has one, which counts here too. Set {USUAL_DMARC} only if it has none."
        )
    return [("missing", NEAR, message, advice)], not unknown


def _dmarc_above(domain: str, names: Names) -> tuple[bool, str]:
    """Whether a domain above has a record, and the nearest of which the zones do not know.

    Only a list of public suffixes could tell the organisational domain, so all domains above are asked.
    """
    labels, unknown = domain.split("."), ""
    for above in (".".join(labels[start:]) for start in range(1, len(labels) - 1)):
        name = f"_dmarc.{above}"
        texts = names.find(name, "TXT")
        # An alias for a name elsewhere stands for the record of a service.
        if any(_IS_DMARC.fullmatch(text.strip()) for text in texts or ()) or (
            texts is None and names.canonical(name) != name
        ):
            return True, ""
        unknown = unknown or ("" if texts is not None else above)
    return False, unknown


def _dmarc_problems(text: str) -> Iterator[Problem]:
    tags, mistakes = _tags(text)
    found = [] if "p" in tags else ["it has no policy p"]
    found += [*filter(None, (_wrong_tag(name, value) for name, value in tags.items())), *mistakes]
    if "p" in tags and list(tags).index("p") != 1:
        found.append("p must stand right behind v")
    policy, part = tags.get("p", "").lower(), tags.get("pct", "100")
    if found:
        is_void = not policy or not all(_POLICY.fullmatch(tags.get(name, "none")) for name in _OF_POLICY)
        is_none = is_void and any(_ADDRESS.fullmatch(one) for one in tags.get("rua", "").split(","))
        effect = "and receivers pass over that part"
        if is_void:
            effect = "and receivers take it for p=none" if is_none else "so receivers pass over it"
        message = f"The DMARC record has a mistake, {effect}: {'; '.join(found[:3])}."
        advice = "Decide which policy it is to have, none, quarantine or reject." if is_void else "Correct it."
        yield "syntax", BAD if is_void and not is_none else NEAR, message, advice
    elif policy == "none" or int(part) == 0:
        shown = "p=none" if policy == "none" else "for 0 % of the mail"
        message = f"The policy is {shown}, which asks receivers to do nothing about forged mail."
        advice = "Once SPF and DKIM cover all mail of the domain, set p=quarantine, and later p=reject."
        yield "no_policy", HINT, message, advice
    elif int(part) < 100:
        message = f"The policy counts for {int(part)} % of the mail only."
        yield "partial", HINT, message, "Leave out pct once that went well."


def _wrong_tag(name: str, value: str) -> str:
    if name in ("rua", "ruf"):
        is_right = all(_ADDRESS.fullmatch(one) for one in value.split(","))
        form = "addresses such as mailto:dmarc@example.com, with commas between them"
    elif name not in _FORMS:
        return f"there is no tag {plain(name, 20)}"
    else:
        is_right, form = _FORMS[name][0].fullmatch(value) is not None, _FORMS[name][1]
    return "" if is_right else f"{name} is {plain(value, 40) or 'empty'}, and must be {form}"


def judge_mx(domain: str, names: Names) -> list[Problem]:
    """What is wrong with the records of a domain that takes mail."""
    values = names.find(domain, "MX")
    if values is None:
        return []
    if not values:
        message = "There is no MX record, so mail to this domain is lost, or goes to its web server by luck."
        return [("missing", BAD, message, "Set one that points to the name of the mail server.")]
    problems = [_mx_problem(value, names) for value in values]
    # A wrong record beside a working one loses no mail.
    level = NEAR if any(problem is None or problem[0] == "alias" for problem in problems) else BAD
    return [
        (problem, NEAR if problem == "alias" else level, message, advice)
        for problem, message, advice in filter(None, problems)
    ]


def _mx_problem(value: str, names: Names) -> tuple[str, str, str] | None:
    """The problem, in words, and what to do."""
    advice = "Let it point to the name of the mail server, or remove it if there is another one."
    words = value.split()
    if len(words) != 2 or not re.fullmatch("[0-9]{1,10}", words[0]):
        return "syntax", "The MX record is not a number and a name.", advice
    name = words[1].rstrip(".") or "."
    if int(words[0]) > _HIGHEST_PRIORITY:
        message = (
            f"The MX record for {named(name)} has the number {int(words[0])}, and {_HIGHEST_PRIORITY} is the highest."
        )
        return "syntax", message, "Give it a smaller number."
    if name == ".":
        return "refuses_mail", "The MX record is a dot, which says that this domain takes no mail.", advice
    if _is_address(name):
        return "address", f"The MX record points to the address {name}; only a name is allowed there.", advice
    if not is_name(name):
        return "syntax", f"The MX record points to {named(name)}, which is no name.", advice
    if names.addresses(name) == []:
        message = f"The MX record points to {named(name)}, which has no address."
        return "no_address", message, f"Give {named(name)} the address of the mail server, or remove the MX record."
    canonical = names.canonical(name)
    if canonical != name:
        message = f"The MX record points to {named(name)}, which is an alias; some servers refuse that."
        return "alias", message, f"Let it point to {named(canonical)}."
    return None


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.strip("[]").removeprefix("ipv6:"))
    except ValueError:
        return False
    return True


def mail_server(domain: str, main_domain: str, names: Names) -> str:
    """A name of the zone that is likely to be the mail server; empty without one."""
    usual = (f"mail.{domain}", f"mail.{main_domain}", domain, main_domain)
    return next((name for name in usual if names.canonical(name) == name and names.addresses(name)), "")
