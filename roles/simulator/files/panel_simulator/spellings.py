"""How the panel writes names and dates: domains and addresses in lower-case punycode, dates in ISO 8601."""

from __future__ import annotations

import contextlib
import re
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

# requests brings it along; a host with Python alone has the older rules of the standard library.
idna: Any = None
with contextlib.suppress(ImportError):
    import idna

_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)", re.ASCII)
_LOCAL_PART = re.compile(r"[^\s@,;<>()\[\]\"\\]+")


def ascii_domain(text: str) -> str:
    """The stored form of a domain name; raises ValueError when it is none."""
    name = text.strip().rstrip(".").lower()
    if not name.isascii():
        name = (idna.encode(name, uts46=True) if idna else name.encode("idna")).decode("ascii")
    if "." not in name or len(name) > 253 or not all(_LABEL.fullmatch(label) for label in name.split(".")):
        raise ValueError("not a domain name")
    return name


def utf8_domain(name: str) -> str:
    """The readable form of a stored domain name."""
    if "xn--" not in name:
        return name
    try:
        return str(idna.decode(name)) if idna else name.encode("ascii").decode("idna")
    except ValueError:
        return name


def ascii_address(text: str) -> str:
    """The stored form of an e-mail address; raises ValueError when it is none."""
    local, separator, domain = text.strip().rpartition("@")
    if not separator or not _LOCAL_PART.fullmatch(local):
        raise ValueError("not an e-mail address")
    return f"{local.lower()}@{ascii_domain(domain)}"


def utf8_address(address: str) -> str:
    """The readable form of a stored address."""
    local, _separator, domain = address.rpartition("@")
    return f"{local}@{utf8_domain(domain)}"


PANEL_ZONE = timezone(timedelta(hours=2))
_WINTER_ZONE = timezone(timedelta(hours=1))
WITH_WINTER = "local_with_winter"
LAST_DAY = date(2099, 12, 31)
_SHOWN_ZONES = {
    "utc": UTC,
    "local": PANEL_ZONE,
    "west": timezone(timedelta(hours=-5)),
}
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def now() -> str:
    """This moment in the panel's zone, with a colon in the offset (facts.md section 6, ``created_at``)."""
    return datetime.now(PANEL_ZONE).isoformat(timespec="seconds")


def read_instant(text: str, zone: timezone) -> datetime:
    """A date (midnight in ``zone``) or an ISO 8601 date and time, in ``zone``; raises ValueError."""
    text = text.strip()
    if _DATE.fullmatch(text):
        moment = datetime.fromisoformat(text).replace(tzinfo=zone)
    else:
        moment = datetime.fromisoformat(text)
        moment = moment.replace(tzinfo=zone) if moment.tzinfo is None else moment.astimezone(zone)
    if moment.date() > LAST_DAY:
        raise ValueError(f"after {LAST_DAY}")
    return moment


def _zone_of_season(moment: datetime) -> timezone:
    """The panel's zone in summer, and an hour less in winter: from the last Sundays of October and of March on, at one o'clock UTC."""
    begin, end = (_last_sunday(moment.astimezone(UTC).year, month) for month in (3, 10))
    return PANEL_ZONE if begin <= moment < end else _WINTER_ZONE


def _last_sunday(year: int, month: int) -> datetime:
    last = datetime(year, month, 31, 1, tzinfo=UTC)
    return last - timedelta(days=(last.weekday() + 1) % 7)


def with_season(value: Any) -> Any:
    """A bare day as the moment at which it begins in a zone with summer and winter time; anything else as it is."""
    if not isinstance(value, str) or not _DATE.fullmatch(value.strip()):
        return value
    try:
        midnight = datetime.fromisoformat(value.strip()).replace(tzinfo=_WINTER_ZONE)
    except ValueError:
        return value
    return midnight.replace(tzinfo=_zone_of_season(midnight)).isoformat(timespec="seconds")


def shown_instant(text: str, dates: str) -> str:
    """What was written, as answers show it with the setting ``dates``."""
    moment = datetime.fromisoformat(text)
    if dates == "date":
        return moment.date().isoformat()
    zone = _zone_of_season(moment) if dates == WITH_WINTER else _SHOWN_ZONES.get(dates)
    return text if zone is None else write_instant(moment.astimezone(zone), colon=dates != "utc")


def write_instant(moment: datetime, colon: bool) -> str:
    """ISO 8601 with an offset, ``+02:00`` or, as in ``delete_on`` of domains, ``+0000``."""
    return moment.isoformat(timespec="seconds") if colon else moment.strftime("%Y-%m-%dT%H:%M:%S%z")
