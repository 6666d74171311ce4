# SPDX-License-Identifier: GPL-3.0-or-later
"""The neutral shape between what another panel says and what the mapper makes of it.

A reader turns rows of one panel into a Source and decides nothing about the target: no name is
changed, no size is invented. What it cannot make sense of is a LeftOut with the row's origin. A third
panel needs a reader that fills this shape, and nothing else.

Units: sizes in bytes, -1 is unlimited, None is unknown. Names of domains are lower-case punycode
without a final dot; addresses of mailboxes have such a domain. Texts are as the source has them.
`customer` is the username of a Customer, exactly as the source has it. All collections are tuples in
the order of the source's ids, so that the same rows give the same bytes.
"""

from __future__ import annotations

from dataclasses import dataclass, field

CONTENT = "content"
"""The field that an object arrives without whose files, mail or tables are not copied."""
NO_ROOT = "{} is no full path of a directory, so its files are not copied."


@dataclass(frozen=True)
class Origin:
    """A row of the source's database."""

    table: str
    id: str

    def __str__(self) -> str:
        """Return the form that results show, such as mail_user:15."""
        return f"{self.table}:{self.id}"


@dataclass(frozen=True)
class LeftOut:
    """A row, or one field of a row, that does not arrive, and the reason.

    Attributes:
        customer: Username of the owner; None for an orphan.
        plural: The kind of the folder that the row would have been, such as emails.
        key: The source's name of the object.
        field: The field that is not carried of an object that is; None for the whole object.
        reason: One sentence for people, without a secret of the row.
    """

    customer: str | None
    plural: str
    key: str
    origin: Origin
    reason: str
    field: str | None = None


@dataclass(frozen=True)
class FieldLeftOut:
    """A field of an object that is carried without it: an autoresponder, a setting of PHP."""

    field: str
    reason: str


@dataclass(frozen=True)
class Limits:
    """What a customer or a plan may have. -1 is unlimited, None is not said."""

    disk_space: int | None = None
    traffic: int | None = None
    domains: int | None = None
    subdomains: int | None = None
    mailboxes: int | None = None
    forwards: int | None = None
    databases: int | None = None
    ftp_users: int | None = None
    scheduled_tasks: int | None = None


@dataclass(frozen=True)
class Plan:
    """A plan or a template of customers."""

    origin: Origin
    name: str
    limits: Limits


@dataclass(frozen=True)
class PathPrefix:
    """Where a folder of the source lies on the panel, below the client's home.

    Attributes:
        owner: The system user to whom it belongs at the source; empty for the customer's username.
        excluded: Paths below it, with a slash at the beginning, that are not the customer's.
        site: The name of the site that has this folder alone; empty for the customer's home.
        origin: The row of that site; None for the customer's home.
    """

    source: str
    target: str
    owner: str = ""
    excluded: tuple[str, ...] = ()
    site: str = ""
    origin: Origin | None = None


@dataclass(frozen=True)
class Customer:
    """An account.

    Attributes:
        plan: Name of the plan or template that it was made from; None where there is none.
        contact: Fields of contact_data of the panel, by their names there; empty ones are left out.
        is_locked: The account is locked, cancelled or deactivated.
        hash: The stored hash of its password; empty where there is none.
        paths: The source's own layout: home or folders of sites, absolute, without a final slash.
    """

    origin: Origin
    username: str
    email: str
    limits: Limits
    contact: dict[str, str] = field(default_factory=dict)
    language: str = ""
    notes: str = ""
    reseller: str = ""
    plan: str | None = None
    is_locked: bool = False
    hash: str = field(default="", repr=False)
    paths: tuple[PathPrefix, ...] = ()
    fields_left_out: tuple[FieldLeftOut, ...] = ()


@dataclass(frozen=True)
class Redirect:
    """Where requests of a domain go; code is 301 or 302."""

    url: str
    code: int


@dataclass(frozen=True)
class Certificate:
    """A certificate with its key, of the site whose row has it."""

    origin: Origin
    certificate: str
    private_key: str = field(repr=False)
    ca_certificate: str = ""


@dataclass(frozen=True)
class Domain:
    """A name of a customer with a site: a main domain, a subdomain or an alias.

    Attributes:
        parent: The name that it is a subdomain of at the source; None for others.
        alias_of: The name whose site it shows; None for others.
        folder: Absolute path of its files at the source; empty for an alias or a redirect.
        www: www.NAME shows the same site.
        php: The source's word for the version, such as PHP 8.1; empty for none or the default.
        has_php: Whether PHP runs there; None is unknown.
        uses_lets_encrypt: The source renews its certificate itself.
        addresses: Addresses of the site; empty where the source does not say.
    """

    origin: Origin
    customer: str
    name: str
    parent: str | None = None
    alias_of: str | None = None
    folder: str = ""
    redirect: Redirect | None = None
    www: bool = False
    php: str = ""
    has_php: bool | None = None
    is_active: bool = True
    uses_lets_encrypt: bool = False
    certificate: Certificate | None = None
    addresses: tuple[str, ...] = ()
    fields_left_out: tuple[FieldLeftOut, ...] = ()


@dataclass(frozen=True)
class MailDomain:
    """A domain that has mail at the source. selector is the one of its DKIM key, empty without."""

    origin: Origin
    customer: str
    name: str
    is_active: bool = True
    selector: str = ""
    fields_left_out: tuple[FieldLeftOut, ...] = ()


@dataclass(frozen=True)
class MailAliasDomain:
    """A mail domain each of whose addresses is the one of the same name in another domain."""

    origin: Origin
    customer: str
    name: str
    target: str


@dataclass(frozen=True)
class Mailbox:
    """A mailbox with storage. quota is in bytes, -1 without a limit.

    Attributes:
        copies: Addresses that get each message too.
    """

    origin: Origin
    customer: str
    address: str
    quota: int
    hash: str = field(default="", repr=False)
    copies: tuple[str, ...] = ()
    description: str = ""
    login: str = ""
    is_active: bool = True
    hash_origin: Origin | None = None
    fields_left_out: tuple[FieldLeftOut, ...] = ()


@dataclass(frozen=True)
class Forward:
    """An address without storage of its own. is_alias: made as one more name of a mailbox."""

    origin: Origin
    customer: str
    address: str
    targets: tuple[str, ...]
    description: str = ""
    is_alias: bool = False
    fields_left_out: tuple[FieldLeftOut, ...] = ()


@dataclass(frozen=True)
class CatchAll:
    """Where mail for all other addresses of a domain goes.

    Attributes:
        address: The address that the source's row has too; empty where it has none.
    """

    origin: Origin
    customer: str
    domain: str
    targets: tuple[str, ...]
    address: str = ""
    description: str = ""
    fields_left_out: tuple[FieldLeftOut, ...] = ()


@dataclass(frozen=True)
class Record:
    """A record of a zone: host relative to the zone (@ is the zone), value as the panel writes it."""

    origin: Origin
    host: str
    type: str
    value: str
    ttl: int


@dataclass(frozen=True)
class Zone:
    """A zone with the customer's own records, without SOA.

    Attributes:
        is_whole: The records are the whole zone; otherwise they add to one that the panel generates.
    """

    origin: Origin
    customer: str
    name: str
    records: tuple[Record, ...]
    is_whole: bool
    fields_left_out: tuple[FieldLeftOut, ...] = ()


@dataclass(frozen=True)
class Database:
    """A database with the user that keeps its rights. user_origin is None where none has any."""

    origin: Origin
    customer: str
    name: str
    description: str = ""
    user: str = ""
    user_origin: Origin | None = None
    hash: str = field(default="", repr=False)
    remote_hosts: tuple[str, ...] = ()
    fields_left_out: tuple[FieldLeftOut, ...] = ()


@dataclass(frozen=True)
class FtpUser:
    """An account of FTP. folder is absolute at the source."""

    origin: Origin
    customer: str
    username: str
    folder: str
    hash: str = field(default="", repr=False)
    description: str = ""
    fields_left_out: tuple[FieldLeftOut, ...] = ()


@dataclass(frozen=True)
class ProtectionUser:
    """A user of a protected folder. folder is absolute at the source."""

    origin: Origin
    customer: str
    folder: str
    username: str
    hash: str = field(default="", repr=False)
    auth_name: str = ""
    folder_origin: Origin | None = None
    fields_left_out: tuple[FieldLeftOut, ...] = ()


@dataclass(frozen=True)
class CronJob:
    """A job: the five fields or a macro as written, and a command or a URL that is fetched."""

    origin: Origin
    customer: str
    schedule: str
    command: str
    is_url: bool = False
    fields_left_out: tuple[FieldLeftOut, ...] = ()


@dataclass(frozen=True)
class Source:
    """Everything that a panel says, each row once: in an object or in left_out.

    Attributes:
        own_addresses: Addresses of the source's server, from its own table.
    """

    customers: tuple[Customer, ...] = ()
    plans: tuple[Plan, ...] = ()
    domains: tuple[Domain, ...] = ()
    mail_domains: tuple[MailDomain, ...] = ()
    mail_alias_domains: tuple[MailAliasDomain, ...] = ()
    mailboxes: tuple[Mailbox, ...] = ()
    forwards: tuple[Forward, ...] = ()
    catch_alls: tuple[CatchAll, ...] = ()
    zones: tuple[Zone, ...] = ()
    databases: tuple[Database, ...] = ()
    ftp_users: tuple[FtpUser, ...] = ()
    protection_users: tuple[ProtectionUser, ...] = ()
    cron_jobs: tuple[CronJob, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    own_addresses: tuple[str, ...] = ()
