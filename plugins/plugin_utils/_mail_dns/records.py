# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""SPF (RFC 7208), DKIM (RFC 6376), DMARC (RFC 7489) and MX records, judged. The zones of the panel answer. Private to the collection."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ...module_utils._dns.record_values import PLACEHOLDER, ascii_name, is_name
from .names import Names, named, plain

# A problem, its level, what is wrong, and what to do.
Problem = tuple[str, str, str, str]
BAD, NEAR, HINT = "bad", "near", "fine"
VERSION = "v=spf1"
# With a slip of the hand; a second record beside one of these would be none the better.
_MEANT_AS_SPF = re.compile(r"\W*v\W*spf|.*spf1", re.IGNORECASE | re.DOTALL)
_MEANT_AS_DMARC = re.compile(r".*marc|(?:.*;)?\s*[sn]?p\s*[=:]\s*[nqr]", re.IGNORECASE | re.DOTALL)
USUAL_SPF = f"{VERSION} a mx ~all"
MOST_LOOK_UPS = 10  # section 4.6.4
# A tree of records that asks more than this is not walked to its end.
_ENOUGH = 5 * MOST_LOOK_UPS
_MECHANISMS = ("all", "include", "exists", "a", "mx", "ptr", "ip4", "ip6")
_ASKING = ("include", "exists", "a", "mx", "ptr")
_MODIFIER = re.compile(r"([A-Za-z][A-Za-z0-9_.-]*)=([!-~]*)")
_MECHANISM = re.compile(
    r"([-+~?]?)(all|include|exists|a|mx|ptr|ip4|ip6)(?::(.*?))?((?:/[0-9]{1,3})?(?://[0-9]{1,3})?)", re.IGNORECASE
)
USUAL_DMARC = "v=DMARC1; p=none"
_TAG = re.compile(r"\s*([A-Za-z][A-Za-z0-9_]*)\s*=\s*(.*?)\s*", re.DOTALL)
_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")
_IS_DMARC = re.compile(r"\s*v\s*=\s*DMARC1\s*(?:;.*)?", re.DOTALL)
_ADDRESS = r"\s*mailto:[^\s@,!;]+@[A-Za-z0-9._-]+(?:![0-9]+[kmgt]?)?\s*"
# The tags of a DMARC record: which values they may have, and how to say that.
_POLICY = ("none|quarantine|reject", "none, quarantine or reject")
_ADDRESSES = (f"{_ADDRESS}(?:,{_ADDRESS})*", "addresses such as mailto:dmarc@example.com, with commas between them")
_FORMS = {
    **dict.fromkeys(("p", "sp", "np"), _POLICY),
    **dict.fromkeys(("rua", "ruf"), _ADDRESSES),
    **dict.fromkeys(("adkim", "aspf"), ("[rs]", "r or s")),
    "pct": ("100|[1-9]?[0-9]", "a whole number from 0 to 100"),
}
_DECIDE = "Decide which policy it is to have, none, quarantine or reject."


@dataclass(frozen=True)
class Term:
    """One word of a record. qualifier: one of + - ~ ?, empty for a modifier."""

    text: str
    name: str
    qualifier: str = ""
    target: str = ""


def is_spf(text: str) -> bool:
    """Whether receivers take the text for an SPF record (section 4.5)."""
    return f"{text.lower()} ".startswith(f"{VERSION} ")


def _term(word: str) -> Term | None:
    """The term that a word is; None if it is none."""
    modifier, mechanism = _MODIFIER.fullmatch(word), _MECHANISM.fullmatch(word)
    if modifier:
        name, target = modifier[1].lower(), modifier[2]
        is_right = name not in _MECHANISMS and (name != "redirect" or _may_be_name(target))
        return Term(word, name, "", target) if is_right else None
    if mechanism is None:
        return None
    name, target = mechanism[2].lower(), mechanism[3] or ""
    if name in ("ip4", "ip6"):
        is_right = _is_network(target + mechanism[4], int(name[2]))
    elif name == "all":
        is_right = word.lower().endswith("all")
    else:
        is_right = _may_be_name(target) if target or name in ("include", "exists") else True
    return Term(word, name, mechanism[1] or "+", target) if is_right else None


def _is_network(text: str, version: int) -> bool:
    try:
        return ipaddress.ip_network(text, strict=False).version == version
    except ValueError:
        return False


def _may_be_name(target: str) -> bool:
    return target.isascii() and ("%" in target or (is_name(target) and "." in target.rstrip(".")))


@dataclass
class Walk:
    """What a receiver comes to. wrong: the words of the domain's own record that are no terms."""

    names: Names
    look_ups: int = 0
    wrong: list[str] = field(default_factory=list)
    broken: dict[str, str] = field(default_factory=dict)

    def through(self, text: str, path: tuple[str, ...], first: str = "") -> str | None:
        """The qualifier of the ``all`` that a receiver reaches, empty for none, None if that is unknown.

        first: the word of the domain's own record that led here.
        """
        read = [(word, _term(word)) for word in text[len(VERSION) :].split()]
        wrong = [word for word, term in read if term is None]
        if first and wrong:
            self.broken[first] = f"leads to {named(path[-1])}, whose SPF record has a mistake"
        self.wrong = self.wrong if first else wrong
        redirect = None
        for term in (term for _word, term in read if term is not None):
            if term.name == "all":
                # A record with a mistake ends in an error.
                return term.qualifier if not wrong or term.qualifier != "+" else None
            redirect = term if term.name == "redirect" and not redirect else redirect
            if term.name in _ASKING and self.look_ups <= _ENOUGH:
                self.look_ups += 1
                if term.name == "include":
                    self._follow(term, path, first or term.text)
        if redirect is None or self.look_ups > _ENOUGH:
            return ""
        self.look_ups += 1
        return self._follow(redirect, path, first or redirect.text)

    def _follow(self, term: Term, path: tuple[str, ...], first: str) -> str | None:
        if "%" in term.target:
            return None
        target = ascii_name(term.target).rstrip(".")
        texts = self.names.find(target, "TXT")
        records = [text for text in texts or () if is_spf(text)]
        if target in path:
            self.broken[first] = f"leads back to {named(target)}"
        elif texts is not None and len(records) != 1:
            self.broken[first] = f"leads to {named(target)}, which has {'several' if records else 'no'} SPF records"
        elif records:
            return self.through(records[0], (*path, target), first)
        return None


def judge_spf(domain: str, names: Names) -> tuple[list[Problem], int | None]:
    """What is wrong, and how many look-ups the one record makes; None without one."""
    texts = names.find(domain, "TXT") or []
    records = [text for text in texts if is_spf(text)]
    if len(records) == 1:
        walk = Walk(names)
        end = walk.through(records[0], (domain,))
        return list(_problems(walk, end)), walk.look_ups
    if records:
        message = f"There are {len(records)} SPF records, and receivers then take none of them."
        return [("several", BAD, message, "Leave one that names all servers that send.")], None
    if meant := next((text for text in texts if _MEANT_AS_SPF.match(text)), ""):
        message = f"{plain(meant)} is no SPF record: one starts with {VERSION} and a blank."
        return [("syntax", BAD, message, "Correct it.")], None
    message = "There is no SPF record, so receivers cannot tell who may send for this domain."
    return [("missing", BAD, message, "Set one that names the servers of the domain.")], None


def _problems(walk: Walk, end: str | None) -> Iterator[Problem]:
    if walk.wrong:
        words = plain(", ".join(walk.wrong))
        yield "syntax", BAD, f"No receiver understands this in it: {words}.", "Correct it, or take it out (RFC 7208)."
    for word, reason in walk.broken.items():
        message = f"{plain(word, 60)} {plain(reason)}, so receivers stop with an error."
        yield "broken_include", BAD, message, "Correct it, or take it out if no one sends from there any more."
    if walk.look_ups > MOST_LOOK_UPS:
        message = f"It makes {walk.look_ups} look-ups, and receivers stop with an error after {MOST_LOOK_UPS}."
        advice = "Take out services that do not send any more, or name servers by their addresses, with ip4 and ip6."
        yield "look_ups", BAD, message, advice
    advice = "Name the servers that send, and end it in ~all or -all."
    if end == "+":
        yield "allows_everyone", BAD, "It ends in +all, which lets everybody send for this domain.", advice
    elif end == "?":
        yield "open_end", NEAR, "It ends in ?all, which says nothing of other senders.", advice
    elif end == "":
        yield "open_end", NEAR, "It does not end in all, so it says nothing of other senders.", advice


def _tags(text: str) -> tuple[dict[str, str], str]:
    """The tags of a record in their order, and the first thing that is wrong with it."""
    tags: dict[str, str] = {}
    mistake = ""
    for part in text.strip().removesuffix(";").split(";"):
        match = _TAG.fullmatch(part)
        if match is None:
            mistake = mistake or f"{plain(part.strip(), 40) or 'nothing between two semicolons'} is no tag=value"
        elif match[1] in tags:
            mistake = mistake or f"{match[1]} is there twice"
        else:
            tags[match[1]] = match[2]
    return tags, mistake


def _key_in(text: str) -> tuple[str, str]:
    """The key of a DKIM record with its type, and what is wrong with the record."""
    tags, mistake = _tags(text)
    key = "".join(tags.get("p", "").split())
    if "v" in tags and (tags["v"] != "DKIM1" or next(iter(tags)) != "v"):
        mistake = mistake or "v must be DKIM1, and the first tag"
    elif "p" not in tags:
        mistake = mistake or "it has no tag p, which is the key"
    elif key and not _BASE64.fullmatch(key):
        mistake = mistake or "p is no key in base64"
    return key and f"{tags.get('k', 'rsa')} {key}", mistake


def is_key(text: str) -> bool:
    """Whether the text is a DKIM record with a key."""
    key, mistake = _key_in(text)
    return bool(key) and not mistake


def judge_dkim(name: str, host: str, key: str, names: Names) -> list[Problem]:
    """What is wrong with the record of a selector. key: what the panel signs with, empty if it does not say."""
    texts = names.find(name, "TXT")
    if texts is None or texts == [PLACEHOLDER]:
        return []
    advice = "Replace it with the key that the panel shows at the domain."
    if not texts:
        message = f"There is no DKIM record at {named(host)}, so no one can check the signature of mail from here."
        return [("missing", BAD, message, f"Set the key that the panel {'signs with' if key else 'shows'}.")]
    if len(texts) > 1:
        message = f"There are {len(texts)} texts at {named(host)}, and which one a receiver takes is left to chance."
        return [("several", BAD, message, advice)]
    found, mistake = _key_in(texts[0])
    if mistake:
        return [("syntax", BAD, f"The DKIM record at {named(host)} cannot be read: {mistake}.", advice)]
    if not found:
        message = f"The DKIM record at {named(host)} has no key, which says that the old one is revoked."
        return [("revoked", BAD, message, advice)]
    if key and found != _key_in(key)[0]:
        return [("other_key", BAD, f"The key at {named(host)} is not the one that the panel signs with.", advice)]
    if "y" in _tags(texts[0])[0].get("t", "").split(":"):
        message = f"The DKIM record at {named(host)} says that it is a test (t=y), so receivers do not rely on it."
        return [("testing", NEAR, message, "Take out t=y once receivers accept the signatures.")]
    return []


def judge_dmarc(domain: str, names: Names) -> tuple[list[Problem], bool]:
    """What is wrong, and whether a record may be set: no domain above may have one that counts here."""
    texts = names.find(f"_dmarc.{domain}", "TXT")
    if texts is None:
        return [], False
    records = [text for text in texts if _IS_DMARC.fullmatch(text)]
    if len(records) == 1:
        return _dmarc_problems(records[0]), False
    if records:
        message = f"There are {len(records)} DMARC records, and receivers then take none of them."
        return [("several", BAD, message, "Decide which policy is right, and leave one record with it.")], False
    is_above, unknown = _dmarc_above(domain, names)
    if is_above:
        return [], False
    if meant := next((text for text in texts if _MEANT_AS_DMARC.match(text)), ""):
        message = f"{plain(meant)} is no DMARC record: one starts with v=DMARC1; and its policy."
        return [("syntax", BAD, message, _DECIDE)], False
    message = "There is no DMARC record, so receivers do not know what to do with forged mail. Some refuse bulk mail."
    advice = "Set one; p=none changes nothing for mail that is right."
    if unknown:
        advice = f"Check whether {named(unknown)} has one, which counts here too. If not, set {USUAL_DMARC}."
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
        is_elsewhere = texts is None and names.canonical(name) != name
        if is_elsewhere or any(_IS_DMARC.fullmatch(text) for text in texts or ()):
            return True, ""
        unknown = unknown or ("" if texts is not None else above)
    return False, unknown


def _dmarc_problems(text: str) -> list[Problem]:
    tags, mistake = _tags(text)
    wrong = {
        name: f"{name} is {plain(tags[name], 40) or 'empty'}, and must be {form}"
        for name, (pattern, form) in _FORMS.items()
        if name in tags and not re.fullmatch(pattern, tags[name], re.IGNORECASE | re.DOTALL)
    }
    mistakes = [*([] if "p" in tags else ["it has no policy p"]), *wrong.values(), *filter(None, [mistake])]
    if mistakes:
        is_void = "p" not in tags or bool({"p", "sp", "np"} & set(wrong))
        effect = "so receivers pass over it" if is_void else "and receivers pass over that part"
        message = f"The DMARC record has a mistake, {effect}: {'; '.join(mistakes[:3])}."
        return [("syntax", BAD if is_void else NEAR, message, _DECIDE if is_void else "Correct it.")]
    policy, part = tags["p"].lower(), int(tags.get("pct", "100"))
    if policy == "none" or part == 0:
        message = "The policy asks receivers to do nothing about forged mail."
        advice = "Once SPF and DKIM cover all mail of the domain, set p=quarantine, and later p=reject."
        return [("no_policy", HINT, message, advice)]
    if part < 100:
        message = f"The policy counts for {part} % of the mail only."
        return [("partial", HINT, message, "Leave out pct once that went well.")]
    return []


def judge_mx(domain: str, names: Names) -> list[Problem]:
    """What is wrong with the records of a domain that takes mail."""
    values = names.find(domain, "MX")
    if values is None:
        return []
    if not values:
        message = "There is no MX record, so mail to this domain is lost, or goes to its web server by luck."
        return [("missing", BAD, message, "Set one that points to the name of the mail server.")]
    found = [_mx_problem(value, names) for value in values]
    # A wrong record beside a working one loses no mail.
    level = NEAR if any(problem is None or problem[0] == "alias" for problem in found) else BAD
    return [(word, level, message, advice) for word, message, advice in filter(None, found)]


def _mx_problem(value: str, names: Names) -> tuple[str, str, str] | None:
    """The problem, in words, and what to do."""
    advice = "Let it point to the name of the mail server, or remove it if there is another one."
    match = re.fullmatch(r"[0-9]{1,5}\s+(\S+)", value)
    if match is None:
        return "syntax", "The MX record is not a number and a name.", advice
    name = match[1].rstrip(".")
    if not name:
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
