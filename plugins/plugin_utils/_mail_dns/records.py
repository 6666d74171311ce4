# SPDX-License-Identifier: GPL-3.0-or-later
"""SPF (RFC 7208), DKIM (RFC 6376), DMARC (RFC 7489) and MX records, judged. The zones of the panel answer. Private to the collection."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...module_utils._dns.record_values import PLACEHOLDER, sent_value
from .names import Names, and_above, named, plain

# A problem, its level, what is wrong, and what to do.
Problem = tuple[str, str, str, str]
# Of an SPF record: qualifier, name and target by word.
Terms = dict[str, tuple[str, str, str]]
BAD, NEAR, HINT = "bad", "near", "fine"
USUAL_SPF = "v=spf1 a mx ~all"
USUAL_DMARC = "v=DMARC1; p=none"
_MOST_LOOK_UPS = 10  # RFC 7208, section 4.6.4
_IS_SPF = re.compile(r"v=spf1(?: .*)?", re.IGNORECASE | re.DOTALL)
_IS_DMARC = re.compile(r"\s*v\s*=\s*DMARC1\s*(?:;.*)?", re.DOTALL)
# With a slip of the hand; a second record beside one of these would be none the better.
_MEANT_AS_SPF = re.compile(r"\W*v\W*spf|.*spf1", re.IGNORECASE | re.DOTALL)
_MEANT_AS_DMARC = re.compile(r".*marc|(?:.*;)?\s*[sn]?p\s*[=:]\s*[nqr]", re.IGNORECASE | re.DOTALL)
_TERM = re.compile(r"([-+~?]?)([a-z][a-z0-9_.-]*)(.*)", re.IGNORECASE | re.ASCII)
_NAME = r"((?:[a-z0-9_-]+\.)+[a-z0-9_-]+\.?|[!-~]*%[!-~]*)"
# By the name of a term of SPF what stands behind it, and of those that ask the DNS.
_ASKING = {
    **dict.fromkeys(("include", "exists"), f":{_NAME}"),
    **dict.fromkeys(("a", "mx", "ptr"), rf"(?::{_NAME})?(?:/\d{{1,3}})?(?://\d{{1,3}})?"),
    "redirect": f"={_NAME}",
}
_TERMS = {**_ASKING, "all": "()", "ip4": r":(\d+(?:\.\d+){3}(?:/\d+)?)", "ip6": r":([\da-f]*:[\da-f:./]+)"}
_TAG = re.compile(r"\s*([A-Za-z][A-Za-z0-9_]*)\s*=\s*(.*?)\s*", re.DOTALL)
_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")
_URI = r"\s*mailto:[^\s@,]+@[^\s@,]+\s*"
# By tag of DMARC which values it may have, and how to say that.
_FORMS = {
    **dict.fromkeys(("p", "sp", "np"), ("none|quarantine|reject", "none, quarantine or reject")),
    **dict.fromkeys(("rua", "ruf"), (rf"{_URI}(?:,{_URI})*", "addresses such as mailto:dmarc@example.com")),
    "pct": ("100|[1-9]?[0-9]", "a whole number from 0 to 100"),
}
_DECIDE = "Decide which policy it is to have, none, quarantine or reject."


def judge_spf(domain: str, names: Names) -> tuple[list[Problem], int | None]:
    """What is wrong, and how many look-ups the one record makes; None without one."""
    texts = names.find(domain, "TXT") or []
    records = [text for text in texts if _IS_SPF.fullmatch(text)]
    if len(records) == 1:
        terms, wrong = _terms(records[0])
        look_ups, broken = _walk(terms, names, (domain,))
        return list(_spf_problems(wrong, look_ups, broken, _end_of(terms, names))), look_ups
    if records:
        message = f"There are {len(records)} SPF records, and receivers then take none of them."
        return [("several", BAD, message, "Leave one that names all servers that send.")], None
    if meant := next((text for text in texts if _MEANT_AS_SPF.match(text)), ""):
        message = f"{plain(meant)} is no SPF record: one starts with v=spf1 and a blank."
        return [("syntax", BAD, message, "Correct it.")], None
    message = "There is no SPF record, so receivers cannot tell who may send for this domain."
    return [("missing", BAD, message, "Set one that names the servers of the domain.")], None


def _terms(text: str) -> tuple[Terms, list[str]]:
    """As far as a receiver reads them, and the words that are no terms."""
    terms: Terms = {}
    wrong = []
    for word in text.split()[1:]:
        match = _TERM.fullmatch(word)
        qualifier, name, rest = (match[1], match[2].lower(), match[3]) if match else ("", "", "")
        found = re.fullmatch(_TERMS.get(name, "()=.*"), rest, re.IGNORECASE)
        if found:
            terms[word] = (qualifier, name, found[1] or "")
        else:
            wrong.append(word)
        if found and name == "all":
            break
    return terms, wrong


def _walk(terms: Terms, names: Names, path: tuple[str, ...]) -> tuple[int, str]:
    """How many look-ups a receiver makes, a few more than it may at most, and why it stops with an error; empty if it does not."""
    look_ups, broken = 0, ""
    # Beside all, no receiver reads a redirect.
    has_end = any(name == "all" for _qualifier, name, _target in terms.values())
    followed = ("include",) if has_end else ("include", "redirect")
    for word, (_qualifier, name, target) in terms.items():
        look_ups += name in _ASKING
        if name in followed and "%" not in target and max(look_ups, len(path)) <= _MOST_LOOK_UPS:
            target = target.lower().rstrip(".")
            records = _spf_records(target, names)
            if target in path:
                broken = broken or f"{plain(word)} refers back to {named(target)}"
            elif records is not None and len(records) != 1:
                number = "several" if records else "no"
                broken = broken or f"{plain(word)} leads to {named(target)}, which has {number} SPF records"
            elif records:
                inner, wrong = _terms(records[0])
                more, reason = _walk(inner, names, (*path, target))
                look_ups += more
                mistake = f"{plain(word)} leads to {named(target)}, whose SPF record has a mistake" if wrong else ""
                broken = broken or mistake or reason
    return look_ups, broken


def _end_of(terms: Terms, names: Names, most: int = _MOST_LOOK_UPS) -> str:
    """What is said of all other senders, + - ~ or ?, at the end of redirects; empty for nothing."""
    ends = {name: (qualifier, target) for qualifier, name, target in terms.values() if name in ("all", "redirect")}
    if "all" in ends:
        return ends["all"][0] or "+"
    if "redirect" not in ends:
        return ""
    records = _spf_records(ends["redirect"][1].lower().rstrip("."), names) if most else None
    return _end_of(_terms(records[0])[0], names, most - 1) if records and len(records) == 1 else "-"


def _spf_records(name: str, names: Names) -> list[str] | None:
    """None where it is unknown what is there."""
    texts = names.find(name, "TXT")
    return None if texts is None else [text for text in texts if _IS_SPF.fullmatch(text)]


def _spf_problems(wrong: list[str], look_ups: int, broken: str, end: str) -> Iterator[Problem]:
    if wrong:
        words = plain(", ".join(wrong))
        yield "syntax", BAD, f"No receiver understands this in it: {words}.", "Correct it, or take it out (RFC 7208)."
    if broken:
        message = f"{broken}, so receivers stop with an error."
        yield "broken_include", BAD, message, "Correct it, or take it out if no one sends from there any more."
    if look_ups > _MOST_LOOK_UPS:
        message = f"It makes {look_ups} look-ups, and receivers stop with an error after {_MOST_LOOK_UPS}."
        advice = "Take out services that do not send any more, or name servers by their addresses, with ip4 and ip6."
        yield "look_ups", BAD, message, advice
    advice = "List the servers that send, and end it in ~all or -all."
    # A record with a mistake ends in an error.
    if end == "+" and not wrong:
        yield "allows_everyone", BAD, "It ends in +all, which lets everybody send for this domain.", advice
    elif end == "?":
        yield "open_end", NEAR, "It ends in ?all, which says nothing of other senders.", advice
    elif not end:
        yield "open_end", NEAR, "It does not end in all, so it says nothing of other senders.", advice


def _tags(text: str) -> tuple[dict[str, str], bool]:
    """The tags of a record in their order, and whether it has nothing else and none twice."""
    parts = [_TAG.fullmatch(part) for part in text.strip().removesuffix(";").split(";")]
    tags = {match[1]: match[2] for match in parts if match}
    return tags, len(tags) == len(parts)


def key_in(text: str) -> str:
    """The key of a DKIM record with its type; empty for one that cannot be read."""
    tags, is_right = _tags(text)
    key = "".join(tags.get("p", "").split())
    is_right = is_right and ("v" not in tags or next(iter(tags.items())) == ("v", "DKIM1"))
    return f"{tags.get('k', 'rsa')} {key}" if is_right and _BASE64.fullmatch(key) else ""


def judge_dkim(name: str, key: str, names: Names) -> Iterator[Problem]:
    """What is wrong with the record of a selector. key: what the panel signs with, empty if it does not say."""
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
        sent_value("MX", value)
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
