"""Strategies for sources of random shape: hostile texts, collisions, orphans."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.source_shape import (
    CatchAll,
    Certificate,
    CronJob,
    Customer,
    Database,
    Domain,
    FieldLeftOut,
    Forward,
    FtpUser,
    LeftOut,
    Limits,
    MailAliasDomain,
    Mailbox,
    MailDomain,
    Origin,
    PathPrefix,
    Plan,
    ProtectionUser,
    Record,
    Redirect,
    Source,
    Zone,
)

OWN_ADDRESS = "192.0.2.10"
HASHES = (
    "",
    "!$6$salt$" + "x" * 86,
    "$6$rounds=5000$saltsaltsaltsalt$" + "x" * 86,
    "{BLF-CRYPT}$2y$10$" + "x" * 53,
    "$5$salt$" + "x" * 43,
    "$apr1$salt$" + "x" * 22,
    "$1$salt$" + "x" * 22,
    "{PLAIN}geheim",
    "*" + "A" * 40,
    "5f4dcc3b5aa765d61d8327deb882cf99",
    "$6$cut",
)
_HOSTILE = (
    "",
    " ",
    "a\nb",
    "{{ 1 + 1 }}",
    "half \ud800 letter",
    "nul\0",
    "********",
    "\u202egnp.exe",
    "x" * 300,
    "<b>*[a](b)|",
    "ü ß",
    "../..",
    "a:b",
)
_USERNAMES = ("acme", "Acme", "ACME", "ü-ber", "-x", "web_1", "x" * 70, *_HOSTILE)
_DOMAINS = (
    "acme.example",
    "www.acme.example",
    "shop.acme.example",
    "a.shop.acme.example",
    "other.example",
    "xn--mbel-5qa.example",
    "bad name.example",
    "*.acme.example",
    "single",
    "x" * 64 + ".example",
    "half\ud800.example",
    "",
)
_LOCALS = ("info", "Info", "a.b", "x+y", "catch-all", "catch-all-2", "", "a b", "ü", "\ud800", "|x")
_RECORD_VALUES = (
    OWN_ADDRESS,
    "198.51.100.7",
    "2001:db8::10",
    "10 mail.acme.example.",
    "acme.example.",
    '"v=spf1 a mx ~all"',
    "v=DKIM1; p=AAAA",
    "0 5 443 host.example.",
    '0 issue "ca.example"',
    *_HOSTILE,
)
_HOSTS = (
    "@", "www", "*", "mail", "default._domainkey", "k1._domainkey", "_sip._tcp", "elsewhere.",
    "acme.example.", "a b", "", "\ud800",
)  # fmt: skip
_TYPES = ("A", "AAAA", "MX", "TXT", "CNAME", "NS", "SRV", "CAA", "ALIAS", "SOA", "a", "", "X Y")
_PATHS = (
    "/home/acme", "/home/acme/web", "/home/acme/web/shop", "/home/other", "", "relative",
    "/home/acme/../x", "/home/acme/a\nb", "/home/acme/ blank ", "/home/acme/\ud800", "/",
)  # fmt: skip
_SCHEDULES = ("*/5 * * * *", "@daily", "@reboot", "99 * * * *", "* * *", "", "0 0 1 jan mon", "\0")
_COMMANDS = (
    "/bin/true",
    "wget -q -O /dev/null https://acme.example/cron.php",
    "curl -s https://user:Geheim99@acme.example/x",
    "https://acme.example/cron.php?password=Geheim99",
    "mysqldump -uroot -pGeheim99 db",
    "ftp://x/",
    *_HOSTILE,
)
_URLS = (
    "https://elsewhere.example/",
    "[scheme]://elsewhere.example/",
    "https://www.acme.example/",
    "/relative",
    "https://user:Geheim99@elsewhere.example/",
    "javascript:alert(1)",
    *_HOSTILE,
)
_PEMS = ("", "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n", "junk\ud800")


def _pick(*choices: Any) -> st.SearchStrategy[Any]:
    return st.sampled_from(choices)


_TEXTS = st.one_of(_pick("", "plain"), _pick(*_HOSTILE), st.text(max_size=8))


def _weigh(usual: tuple[Any, ...], odd: tuple[Any, ...]) -> st.SearchStrategy[Any]:
    """Pick mostly what is usual, since one odd value is enough to leave an object out."""
    repeats = 1 + 4 * len(odd) // len(usual)
    return st.sampled_from(usual * repeats + odd)


_OWNERS = _weigh(("acme",), ("Acme", "nobody"))
_NAMES = _weigh(_DOMAINS[:3], _DOMAINS[3:])
_ADDRESSES = st.builds(
    lambda local, domain: f"{local}@{domain}", _weigh(_LOCALS[:2], _LOCALS[2:]), _NAMES
)
_TARGETS = st.lists(
    st.one_of(_ADDRESSES, _pick("far@elsewhere.example", "|/bin/x", ":fail:", "", "\ud800@x.y")),
    max_size=3,
).map(tuple)
_NUMBERS = st.one_of(st.none(), st.integers(-1, 2), _pick(2**31, 2**70))
_LIMITS = st.builds(Limits, *[_NUMBERS] * 9)
_FIELDS = st.lists(st.builds(FieldLeftOut, _pick("autoresponder", "php"), _TEXTS), max_size=1)
_FIELD_TUPLES = _FIELDS.map(tuple)


class _Rows:
    """Makes rows with an id each."""

    def __init__(self, draw: Callable[..., Any]) -> None:
        self._draw = draw
        self._ids = itertools.count(1)

    def make_origin(self, table: str) -> Origin:
        """Return a row with an id of its own."""
        return Origin(table, str(next(self._ids)))

    def draw_objects(self, table: str, shape: Any, most: int = 3, **fields: Any) -> tuple[Any, ...]:
        """Draw some objects of a shape, each of a row of its own."""
        drawn = []
        for _number in range(self._draw(st.integers(0, most))):
            values = {name: self._draw(strategy) for name, strategy in fields.items()}
            drawn.append(shape(origin=self.make_origin(table), **values))
        return tuple(drawn)


@st.composite
def draw_source(draw: Callable[..., Any]) -> Source:
    """Draw a source."""
    rows = _Rows(draw)
    first = Customer(
        rows.make_origin("client"),
        "acme",
        "it@acme.example",
        Limits(),
        hash=HASHES[2],
        paths=(PathPrefix("/home/acme", "/www"),),
    )
    customers = (
        first,
        *rows.draw_objects(
            "client",
            Customer,
            username=_pick(*_USERNAMES),
            email=st.one_of(_ADDRESSES, _pick("", "a@b.example, c@d.example")),
            limits=_LIMITS,
            contact=st.dictionaries(
                _pick("first_name", "country", "zip", "odd"), _TEXTS, max_size=3
            ),
            language=_pick("", "de", "Deutsch", "klingonisch", "�"),
            notes=_TEXTS,
            reseller=_TEXTS,
            plan=st.one_of(st.none(), _pick("Web S", "Import 1")),
            is_locked=st.booleans(),
            hash=_pick(*HASHES),
            paths=_pick((), (PathPrefix("/home/acme", "/www"),)),
            fields_left_out=_FIELD_TUPLES,
        ),
    )
    return Source(
        customers=customers,
        plans=rows.draw_objects(
            "template", Plan, name=_pick("Web S", "Import 1", *_HOSTILE), limits=_LIMITS
        ),
        domains=rows.draw_objects(
            "domain",
            Domain,
            5,
            customer=_OWNERS,
            name=_NAMES,
            parent=st.one_of(st.none(), _NAMES),
            alias_of=st.one_of(st.none(), _NAMES),
            folder=_weigh(_PATHS[:3], _PATHS[3:]),
            redirect=st.one_of(st.none(), st.builds(Redirect, _pick(*_URLS), _pick(301, 302, 307))),
            www=st.booleans(),
            php=_pick("", "PHP 8.1", "\ud800"),
            has_php=_pick(None, True, False),
            is_active=st.booleans(),
            uses_lets_encrypt=st.booleans(),
            certificate=st.one_of(
                st.none(),
                st.builds(
                    lambda text, key: Certificate(rows.make_origin("ssl"), text, key),
                    _pick(*_PEMS),
                    _pick(*_PEMS),
                ),
            ),
            addresses=_pick((), (OWN_ADDRESS,), ("*",)),
            fields_left_out=_FIELD_TUPLES,
        ),
        mail_domains=rows.draw_objects(
            "mail_domain",
            MailDomain,
            4,
            customer=_OWNERS,
            name=_NAMES,
            is_active=_pick(True, True, False),
            selector=_pick("", "default"),
            fields_left_out=_FIELD_TUPLES,
        ),
        mail_alias_domains=rows.draw_objects(
            "mail_alias", MailAliasDomain, 2, customer=_OWNERS, name=_NAMES, target=_NAMES
        ),
        mailboxes=rows.draw_objects(
            "mail_user",
            Mailbox,
            4,
            customer=_OWNERS,
            address=_ADDRESSES,
            quota=_pick(-1, 0, 1, 2**20, 2**70),
            hash=_pick(*HASHES),
            copies=_TARGETS,
            description=_TEXTS,
            login=_TEXTS,
            is_active=_pick(True, True, False),
            hash_origin=st.builds(
                lambda has: rows.make_origin("mail_hash") if has else None, st.booleans()
            ),
            fields_left_out=_FIELD_TUPLES,
        ),
        forwards=rows.draw_objects(
            "forward",
            Forward,
            5,
            customer=_OWNERS,
            address=_ADDRESSES,
            targets=_TARGETS,
            description=_TEXTS,
            is_alias=st.booleans(),
        ),
        catch_alls=rows.draw_objects(
            "catch_all", CatchAll, customer=_OWNERS, domain=_NAMES, targets=_TARGETS
        ),
        zones=rows.draw_objects(
            "zone",
            Zone,
            customer=_OWNERS,
            name=_NAMES,
            is_whole=st.booleans(),
            records=st.lists(
                st.builds(
                    lambda host, kind, value, ttl: Record(
                        rows.make_origin("record"), host, kind, value, ttl
                    ),
                    _weigh(_HOSTS[:4], _HOSTS[4:]),
                    _weigh(_TYPES[:5], _TYPES[5:]),
                    _weigh(_RECORD_VALUES[:6], _RECORD_VALUES[6:]),
                    _pick(0, 1, 3600, -5, 2**40),
                ),
                max_size=6,
            ).map(tuple),
        ),
        databases=rows.draw_objects(
            "database",
            Database,
            customer=_OWNERS,
            name=_weigh(("acme_web", "acme_shop"), _HOSTILE),
            description=_TEXTS,
            user=_weigh(("acme_web", "acme_user", ""), _HOSTILE),
            user_origin=st.builds(
                lambda has: Origin("database_user", "1") if has else None, st.booleans()
            ),
            hash=_pick(*HASHES),
            remote_hosts=st.lists(_pick("%", "192.0.2.1", "http://x", "\ud800"), max_size=2).map(
                tuple
            ),
            fields_left_out=_FIELD_TUPLES,
        ),
        ftp_users=rows.draw_objects(
            "ftp",
            FtpUser,
            customer=_OWNERS,
            username=_weigh(("acme_ftp", "web"), _HOSTILE),
            folder=_weigh(_PATHS[:3], _PATHS[3:]),
            hash=_pick(*HASHES),
            description=_TEXTS,
            fields_left_out=_FIELD_TUPLES,
        ),
        protection_users=rows.draw_objects(
            "folder_user",
            ProtectionUser,
            customer=_OWNERS,
            folder=_weigh(_PATHS[:3], _PATHS[3:]),
            username=_weigh(("staff", "anna"), _HOSTILE),
            hash=_pick(*HASHES),
            auth_name=_TEXTS,
            folder_origin=st.builds(
                lambda has: Origin("folder", "1") if has else None, st.booleans()
            ),
            fields_left_out=_FIELD_TUPLES,
        ),
        cron_jobs=rows.draw_objects(
            "cron",
            CronJob,
            4,
            customer=_OWNERS,
            schedule=_weigh(_SCHEDULES[:2], _SCHEDULES[2:]),
            command=_weigh(_COMMANDS[:5], _COMMANDS[5:]),
            is_url=st.booleans(),
            fields_left_out=_FIELD_TUPLES,
        ),
        left_out=rows.draw_objects(
            "shell_user",
            LeftOut,
            customer=st.one_of(st.none(), _OWNERS),
            plural=_pick("ftp_users", "emails"),
            key=_TEXTS,
            reason=_pick("the panel has no such objects"),
            field=_pick(None, None, "filters"),
        ),
        own_addresses=_pick_addresses(draw),
    )


def _pick_addresses(draw: Callable[..., Any]) -> tuple[str, ...]:
    addresses: tuple[str, ...] = draw(_pick((), (OWN_ADDRESS,), ("junk", OWN_ADDRESS)))
    return addresses
