# SPDX-License-Identifier: GPL-3.0-or-later
"""The types that records have, and patterns of them. Pure.

Which types a panel takes, its API shows nowhere (docs/panel_api.md#types-of-records). So a type that
is surely misspelled is refused, and of one that is only unusual the task warns.
"""

from __future__ import annotations

import fnmatch
import re

from .._values.near_names import find_near_name

# What IANA lists for data, without the types that only questions and messages have, such as ANY,
# AXFR and OPT. SOA is not among them, since no option treats it as one of the records.
_REGISTERED = """
    A A6 AAAA AFSDB AMTRELAY APL ATMA AVC BRID CAA CDNSKEY CDS CERT CLA CNAME CSYNC DHCID DLV
    DNAME DNSKEY DOA DS DSYNC EID EUI48 EUI64 GID GPOS HHIT HINFO HIP HTTPS IPN IPSECKEY ISDN
    KEY KX L32 L64 LOC LP MB MD MF MG MINFO MR MX NAPTR NID NIMLOC NINFO NS NSAP NSAP-PTR NSEC
    NSEC3 NSEC3PARAM NULL NXT OPENPGPKEY PTR PX RESINFO RKEY RP RRSIG RT SIG SINK SMIMEA SPF SRV
    SSHFP SVCB TA TALINK TLSA TXT UID UINFO UNSPEC URI WALLET WKS X25 ZONEMD
"""
# Types of name servers alone, which make other records of them.
_OF_NAME_SERVERS = "ALIAS ANAME LUA"
RECORD_TYPES = frozenset(f"{_REGISTERED} {_OF_NAME_SERVERS}".split())
USUAL_TYPES = (
    *("A", "AAAA", "CAA", "CNAME", "DNAME", "DS", "HTTPS", "LOC", "MX", "NAPTR", "NS"),
    *("OPENPGPKEY", "PTR", "SMIMEA", "SPF", "SRV", "SSHFP", "SVCB", "TLSA", "TXT", "URI"),
)
"""What people keep in a panel, beside SOA."""
_NUMBERED = re.compile(r"TYPE(0|[1-9][0-9]{0,4})", re.ASCII)
_MAX_NUMBER = 65535  # RFC 3597: two bytes
_WILDCARD = re.compile(r"[*?\[]")


def has_wildcard(text: str) -> bool:
    """Tell whether a text is a shell pattern for several names, and no name."""
    return bool(_WILDCARD.search(text))


def is_record_type(text: str) -> bool:
    """Tell whether a text in upper case is a record type, also one by number such as TYPE65280."""
    if text in RECORD_TYPES:
        return True
    numbered = _NUMBERED.fullmatch(text)
    return numbered is not None and int(numbered[1]) <= _MAX_NUMBER


def matches_record_type(pattern: str) -> bool:
    """Tell whether a text in upper case is a record type or a shell pattern that matches one."""
    if not has_wildcard(pattern):
        return is_record_type(pattern)
    if any(fnmatch.fnmatchcase(name, pattern) for name in RECORD_TYPES):
        return True
    numbers = range(_MAX_NUMBER + 1)
    return any(fnmatch.fnmatchcase(f"TYPE{number}", pattern) for number in numbers)


def find_meant_type(text: str) -> str | None:
    """Return the usual type that a text in upper case misspells; None for any that may be meant."""
    if text in USUAL_TYPES or is_record_type(text):
        return None
    return find_near_name(text, USUAL_TYPES)
