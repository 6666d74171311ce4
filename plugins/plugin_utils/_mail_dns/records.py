# SPDX-License-Identifier: GPL-3.0-or-later
"""SPF (RFC 7208), DKIM (RFC 6376), DMARC (RFC 7489) and MX records, judged. The zones of the panel answer. Private to the collection."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ...module_utils._dns.record_values import PLACEHOLDER, parse_value
from .names import Names, and_above, named, plain
from .spf_syntax import ASKING, SpfRecord, Term, is_host_name, is_spf, read_spf

# A problem, its level, what is wrong, and what to do.
Problem = tuple[str, str, str, str]
BAD, NEAR, HINT = "bad", "near", "fine"
USUAL_SPF = "v=spf1 a mx ~all"
USUAL_DMARC = "v=DMARC1; p=none"
# RFC 7208, section 4.6.4
_MOST_LOOK_UPS = 10
_MOST_VOID = 2
_MOST_SERVERS = 10
_IS_DMARC = re.compile(r"\s*v\s*=\s*DMARC1\s*(?:;.*)?", re.DOTALL)
# With a slip of the hand; a second record beside one of these would be none the better.
_MEANT_AS_SPF = re.compile(r"\W*v\W*spf|.*spf1", re.IGNORECASE | re.DOTALL)
_MEANT_AS_DMARC = re.compile(r".*marc|(?:.*;)?\s*[sn]?p\s*[=:]\s*[nqr]", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"\s*([A-Za-z][A-Za-z0-9_]*)\s*=(.*)", re.DOTALL)
_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")
_URI = r"\s*mailto:[^\s@,]+@[^\s@,]+\s*"
# By tag of DMARC which values it may have, and how to say that.
_FORMS = {
    **dict.fromkeys(("p", "sp", "np"), ("none|quarantine|reject", "none, quarantine or reject")),
    **dict.fromkeys(("rua", "ruf"), (rf"{_URI}(?:,{_URI})*", "addresses such as mailto:dmarc@example.com")),
    "pct": ("100|[1-9]?[0-9]", "a whole number from 0 to 100"),
}
_DECIDE = "Decide which policy it is to have, none, quarantine or reject."


class Walk(NamedTuple):
    """What a receiver does with a record. void: the words that ask for what is not there. broken: why it stops with an error, or empty."""

    look_ups: int
    void: list[str]
    broken: str


def judge_spf(domain: str, names: Names) -> tuple[list[Problem], int | None]:
    """What is wrong, and how many look-ups the one record makes; None without one."""
    texts = names.find(domain, "TXT") or []
    records = [text for text in texts if is_spf(text)]
    if len(records) == 1:
        record = read_spf(records[0])
        walk = _walk(record, names, (domain,))
        return list(_spf_problems(record, walk, _end_of(record, names))), walk.look_ups
    if records:
        message = f"There are {len(records)} SPF records, and receivers then take none of them."
        return [("several", BAD, message, "Leave one that names all servers that send.")], None
    if meant := next((text for text in texts if _MEANT_AS_SPF.match(text)), ""):
        message = f"{plain(meant)} is no SPF record: one starts with v=spf1 and a blank."
        return [("syntax", BAD, message, "Correct it.")], None
    message = "There is no SPF record, so receivers cannot tell who may send for this domain."
    return [("missing", BAD, message, "Set one that names the servers of the domain.")], None


def _walk(record: SpfRecord, names: Names, path: tuple[str, ...]) -> Walk:
    """What a receiver does that no term lets end before. A few more look-ups than it may make are followed.

    path: the names that led here, the last one that of the record.
    """
    look_ups, void, broken = 0, list[str](), ""
    for term in record.terms:
        look_ups += term.name in ASKING
        if max(look_ups, len(path)) > _MOST_LOOK_UPS or not term.is_known:
            continue
        if term.name in ("include", "redirect"):
            inner = _follow(term, names, path)
            look_ups += inner.look_ups
            void += inner.void
            broken = broken or inner.broken
        else:
            host = term.host or path[-1]
            void += [plain(term.word)] if _is_void(term, host, names) else []
            broken = broken or _too_many_servers(term, host, names)
    return Walk(look_ups, void, broken)


def _follow(term: Term, names: Names, path: tuple[str, ...]) -> Walk:
    """The walk through the record that a term leads to."""
    word, at = plain(term.word), named(term.host)
    records = _spf_records(term.host, names)
    if term.host in path:
        return Walk(0, [], f"{word} refers back to {at}")
    if not is_host_name(term.host):
        return Walk(0, [], f"{word} leads to {at}, which is no name of a domain")
    if records is None:
        return Walk(0, [], "")
    if len(records) != 1:
        number = "several" if records else "no"
        return Walk(0, [], f"{word} leads to {at}, which has {number} SPF records")
    inner = read_spf(records[0])
    walk = _walk(inner, names, (*path, term.host))
    if inner.mistakes:
        return walk._replace(broken=f"{word} leads to {at}, whose SPF record has a mistake")
    return walk


def _is_void(term: Term, host: str, names: Names) -> bool:
    """Whether the zones say that there is nothing of what a term asks for."""
    if term.name == "a":
        return names.addresses(host) == []
    if term.name == "exists":
        return names.find(host, "A") == []
    return term.name == "mx" and names.find(host, "MX") == []


def _too_many_servers(term: Term, host: str, names: Names) -> str:
    servers = names.find(host, "MX") if term.name == "mx" else None
    if servers is None or len(servers) <= _MOST_SERVERS:
        return ""
    return f"{plain(term.word)} leads to {len(servers)} MX records, more than {_MOST_SERVERS}"


def _end_of(record: SpfRecord, names: Names, most: int = _MOST_LOOK_UPS) -> str:
    """What is said of all other senders, + - ~ or ?, at the end of redirects; empty for nothing."""
    for term in record.terms:
        if term.name == "all":
            return term.qualifier or "+"
    redirect = next((term for term in record.terms if term.name == "redirect"), None)
    if redirect is None:
        return ""
    records = _spf_records(redirect.host, names) if most else None
    return _end_of(read_spf(records[0]), names, most - 1) if records and len(records) == 1 else "-"


def _spf_records(name: str, names: Names) -> list[str] | None:
    """None where it is unknown what is there."""
    texts = names.find(name, "TXT")
    return None if texts is None else [text for text in texts if is_spf(text)]


def _spf_problems(record: SpfRecord, walk: Walk, end: str) -> Iterator[Problem]:
    if record.mistakes:
        words = plain(", ".join(record.mistakes))
        yield "syntax", BAD, f"No receiver understands this in it: {words}.", "Correct it, or take it out (RFC 7208)."
    if walk.broken:
        message = f"{walk.broken}, so receivers stop with an error."
        yield "broken_include", BAD, message, "Correct it, or take it out if no one sends from there any more."
    if walk.look_ups > _MOST_LOOK_UPS:
        message = f"It makes {walk.look_ups} look-ups, and receivers stop with an error after {_MOST_LOOK_UPS}."
        advice = "Take out services that do not send any more, or name servers by their addresses, with ip4 and ip6."
        yield "look_ups", BAD, message, advice
    if len(walk.void) > _MOST_VOID:
        words = plain(", ".join(walk.void))
        message = f"Receivers stop with an error after {_MOST_VOID} terms that ask for what is not there: {words}."
        yield "void", BAD, message, "Take them out, or set the records that they ask for."
    # A record with a mistake ends in an error, so nothing in it counts.
    if record.ignored and not record.mistakes:
        words = plain(", ".join(record.ignored))
        message = f"Receivers ignore mechanisms behind all, and redirect beside it: {words}."
        advice = "Move what is to count in front of all, and take the rest out (RFC 7208)."
        yield "ignored", NEAR, message, advice
    advice = "List the servers that send, and end it in ~all or -all."
    # The same holds for its end.
    if end == "+" and not record.mistakes:
        yield "allows_everyone", BAD, "It ends in +all, which lets everybody send for this domain.", advice
    elif end == "?":
        yield "open_end", NEAR, "It ends in ?all, which says nothing of other senders.", advice
    elif not end:
        yield "open_end", NEAR, "It does not end in all, so it says nothing of other senders.", advice


def _tags(text: str) -> tuple[dict[str, str], bool]:
    """The tags of a record in their order, and whether it has nothing else and none twice."""
    parts = [_TAG.fullmatch(part) for part in text.strip().removesuffix(";").split(";")]
    tags = {match[1]: match[2].strip() for match in parts if match}
    return tags, len(tags) == len(parts)


def key_in(text: str) -> str:
    """The key of a DKIM record with its type; empty for one that has none or cannot be read."""
    tags = _dkim_tags(text)
    key = "".join(tags.get("p", "").split())
    return f"{tags.get('k', 'rsa')} {key}" if _BASE64.fullmatch(key) else ""


def is_revoked(text: str) -> bool:
    """Whether a DKIM record says that its key counts no more: p is there and empty (RFC 6376, section 3.6.1)."""
    return _dkim_tags(text).get("p") == ""


def _dkim_tags(text: str) -> dict[str, str]:
    """Empty for what no receiver takes for the record of a key."""
    tags, is_right = _tags(text)
    has_version = "v" not in tags or next(iter(tags.items())) == ("v", "DKIM1")
    return tags if is_right and has_version else {}


def may_hold_key(name: str, names: Names) -> bool:
    """Whether mail may be signed with the key at a name: one is there, or no zone says what is there."""
    texts = names.find(name, "TXT")
    return texts is None or any(text == PLACEHOLDER or key_in(text) for text in texts)


def judge_dkim(name: str, key: str, names: Names, level_if_revoked: str = BAD) -> Iterator[Problem]:
    """What is wrong with the record of a selector.

    Args:
        name: Where the record is.
        key: What the panel signs with, empty if it does not say.
        names: Ask the zones.
        level_if_revoked: How bad it is if this key counts no more.
    """
    texts, at = names.find(name, "TXT"), named(name)
    advice = "Replace it with the key that the panel shows at the domain."
    if texts is None or texts == [PLACEHOLDER]:
        return
    if not texts:
        message = f"There is no DKIM record at {at}, so no one can check the signature of mail from here."
        yield "missing", BAD, message, f"Set the key that the panel {'signs with' if key else 'shows'}."
    elif len(texts) > 1:
        message = f"There are {len(texts)} texts at {at}, and which one a receiver takes is left to chance."
        yield "several", BAD, message, advice
    elif is_revoked(texts[0]):
        message = f"The DKIM key at {at} is revoked: its p is empty, so no signature with it is valid."
        is_fine = level_if_revoked == HINT
        yield "revoked", level_if_revoked, message, "Nothing, since there is another key." if is_fine else advice
    else:
        found = key_in(texts[0])
        if not found:
            form = "v=DKIM1 has to be its first tag, p the key in base64, and no tag may be there twice"
            yield "syntax", BAD, f"The DKIM record at {at} cannot be read: {form}.", advice
        elif key and found != key_in(key):
            yield "other_key", BAD, f"The key at {at} is not the one that the panel signs with.", advice


def judge_dmarc(domain: str, names: Names) -> tuple[list[Problem], bool]:
    """What is wrong, and whether a record may be set: no domain above may have one that counts here."""
    texts = names.find(f"_dmarc.{domain}", "TXT")
    if texts is None:
        return [], False
    records = [text for text in texts if _IS_DMARC.fullmatch(text)]
    if len(records) == 1:
        return [*_dmarc_problems(records[0])], False
    if records:
        message = f"There are {len(records)} DMARC records, and receivers then take none of them."
        return [("several", BAD, message, "Decide which policy is right, and leave one record with it.")], False
    unknown = ""
    # Only a list of public suffixes could tell the organisational domain, so all domains above are asked.
    for above in and_above(domain)[1:-1]:
        name = f"_dmarc.{above}"
        found = names.find(name, "TXT")
        if found is None and names.canonical(name) == name:
            unknown = unknown or above
        # An alias for a name elsewhere stands for the record of a service.
        elif found is None or any(_IS_DMARC.fullmatch(text) for text in found):
            return [], False
    if meant := next((text for text in texts if _MEANT_AS_DMARC.match(text)), ""):
        message = f"{plain(meant)} is no DMARC record: one starts with v=DMARC1; and its policy."
        return [("syntax", BAD, message, _DECIDE)], False
    message = "There is no DMARC record, so receivers do not know what to do with forged mail. Some refuse bulk mail."
    advice = "Set one; p=none does not affect legitimate mail."
    if unknown:
        advice = f"Check whether {named(unknown)} has one, which counts here too. If not, set {USUAL_DMARC}."
    return [("missing", NEAR, message, advice)], not unknown


def _dmarc_problems(text: str) -> Iterator[Problem]:
    tags, is_right = _tags(text)
    wrong = {
        name: f"{name} is {plain(tags[name], 40) or 'empty'}, and must be {form}"
        for name, (pattern, form) in _FORMS.items()
        if name in tags and not re.fullmatch(pattern, tags[name], re.IGNORECASE | re.DOTALL)
    }
    mistakes = [*([] if "p" in tags else ["it has no policy p"]), *wrong.values()]
    mistakes += [] if is_right else ["it must be tag=value parts with a semicolon between them, no tag twice"]
    if mistakes:
        is_void = "p" not in tags or bool({"p", "sp", "np"} & set(wrong))
        effect = "so receivers pass over it" if is_void else "and receivers pass over that part"
        message = f"The DMARC record has a mistake, {effect}: {'; '.join(mistakes[:3])}."
        yield "syntax", BAD if is_void else NEAR, message, _DECIDE if is_void else "Correct it."
    elif tags["p"].lower() == "none":
        message = "The policy asks receivers to do nothing about forged mail."
        advice = "Once SPF and DKIM cover all mail of the domain, set p=quarantine, and later p=reject."
        yield "no_policy", HINT, message, advice


def judge_mx(domain: str, names: Names) -> list[Problem]:
    """What is wrong with the records of a domain that takes mail."""
    values = names.find(domain, "MX")
    if values == []:
        message = "There is no MX record, so mail to this domain is lost, or goes to its web server by luck."
        return [("missing", BAD, message, "Set one that points to the name of the mail server.")]
    found = [_mx_problem(value, names) for value in values or ()]
    # A wrong record beside a working one loses no mail.
    level = NEAR if any(problem is None or problem[0] == "alias" for problem in found) else BAD
    return [(word, level, message, advice) for word, message, advice in filter(None, found)]


def _mx_problem(value: str, names: Names) -> tuple[str, str, str] | None:
    advice = "Let it point to the name of the mail server, or remove it if there is another one."
    try:
        parse_value("MX", value)
    except ValueError:
        message = f"The MX record is {plain(value)}, and must be a number and a name, not an address."
        return "syntax", message, advice
    name = value.split()[1]
    if name == ".":
        return "refuses_mail", "The MX record says that this domain takes no mail.", advice
    if names.addresses(name) == []:
        message = f"The MX record points to {named(name)}, which has no address."
        return "no_address", message, f"Give {named(name)} the address of the mail server, or remove the MX record."
    canonical = names.canonical(name)
    if canonical != name:
        message = f"The MX record points to {named(name)}, which is an alias; some servers refuse that."
        return "alias", message, f"Let it point to {named(canonical)}."
    return None


def mail_server(domain: str, main_domain: str, names: Names) -> str:
    """A name of the zone that is likely to be the mail server; empty without one."""
    usual = (f"mail.{domain}", f"mail.{main_domain}", domain, main_domain)
    return next((name for name in usual if names.canonical(name) == name and names.addresses(name)), "")
