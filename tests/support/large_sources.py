"""Dumps of large panels, most of whose rows are logs and traffic, as those of real ones are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tests.support import froxlor_source, ispconfig_source

MAILBOXES_OF_CUSTOMER = 10
_LARGEST_STATEMENT = 1_000_000
"""Bytes of one INSERT, about as many as mysqldump writes."""
_RECORDS = ("A", "AAAA", "MX", "TXT", "CNAME", "SRV")
_LOG = (
    "a:2:{s:3:\"new\";a:3:{s:9:\"server_id\";s:1:\"1\";s:6:\"domain\";s:20:\"customer.example.com\";"
    "s:8:\"document\";s:40:\"it's a long text; with (brackets), \\n and it\";}}" * 6
)  # fmt: skip
# Tables that no reader needs, with a row of each.
_FILLING: dict[str, dict[str, Any]] = {
    "sys_datalog": {"datalog_id": 0, "dbtable": "mail_user", "action": "u", "data": _LOG},
    "mail_traffic": {"traffic_id": 0, "mailuser_id": 17, "month": "2026-01", "traffic": 123456},
    "web_traffic": {"id": 0, "hostname": "x.example", "traffic_date": "2026-01-01", "bytes": 9},
    "panel_syslog": {"logid": 0, "type": 99, "date": 1, "user": "cron", "text": _LOG},
}
Rows = Mapping[str, list[dict[str, Any]]]


def write_large_dump(panel: str, path: Path, customers: int, megabytes: int) -> None:
    """Write a dump of ten mailboxes for each customer, a site, a database, a zone and so on.

    Args:
        panel: ispconfig or froxlor.
        path: The file.
        customers: How many customers it has.
        megabytes: What the file has at least; the rest is logs and traffic.
    """
    rows = make_ispconfig(customers) if panel == "ispconfig" else make_froxlor(customers)
    columns = ispconfig_source.COLUMNS if panel == "ispconfig" else froxlor_source.COLUMNS
    with path.open("w", encoding="utf-8") as file:
        file.write("-- MariaDB dump 10.19  Distrib 10.11\n/*!40101 SET NAMES utf8mb4 */;\n")
        for table, table_rows in rows.items():
            file.write(_describe_table(table, columns[table]))
            file.writelines(_list_statements(table, iter(table_rows)))

        share = (megabytes * 1_000_000 - file.tell()) // len(_FILLING)
        for table, row in _FILLING.items():
            file.write(_describe_table(table, row))
            count = max(share, 0) // len(_format_values(row))
            file.writelines(_list_statements(table, _repeat(row, count)))
        file.write("-- Dump completed on 2026-11-29 12:00:00\n")


def _repeat(row: Mapping[str, Any], count: int) -> Iterator[Mapping[str, Any]]:
    """Yield a row with other numbers."""
    key = next(iter(row))
    for number in range(1, count + 1):
        yield {**row, key: number}


def _describe_table(table: str, columns: Mapping[str, Any]) -> str:
    """Return how a dump makes a table."""
    lines = [
        f"  `{name}` {'int(11)' if isinstance(value, int) else 'text'}"
        for name, value in columns.items()
    ]
    return f"CREATE TABLE `{table}` (\n" + ",\n".join(lines) + "\n) ENGINE=InnoDB;\n"


def _list_statements(table: str, rows: Iterator[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the INSERTs of a table."""
    parts: list[str] = []
    size = 0
    for row in rows:
        values = _format_values(row)
        parts.append(values)
        size += len(values)
        if size > _LARGEST_STATEMENT:
            yield f"INSERT INTO `{table}` VALUES {','.join(parts)};\n"
            parts = []
            size = 0
    if parts:
        yield f"INSERT INTO `{table}` VALUES {','.join(parts)};\n"


def _format_values(row: Mapping[str, Any]) -> str:
    """Return a row as an INSERT has it."""
    return f"({','.join(_quote(value) for value in row.values())})"


def _quote(value: Any) -> str:
    """Return a value as an INSERT has it."""
    if value is None:
        return "NULL"
    if isinstance(value, (int, float)):
        return str(value)
    escaped = value.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
    return f"'{escaped}'"


def _make_hash(number: int) -> str:
    """Return a hash that no other number has."""
    return f"$6$rounds=5000${number:016x}${number:086d}"


def make_ispconfig(customers: int) -> Rows:
    """Return the rows of an ISPConfig."""
    rows: ispconfig_source.Rows = {table: [] for table in ispconfig_source.COLUMNS}
    add = ispconfig_source.add_row
    add(rows, "server_ip", 1, ip_address="192.0.2.10")
    add(rows, "server_php", 1, name="PHP 8.2")
    for number in range(1, customers + 1):
        group = number + 1
        name = f"customer{number}"
        domain = f"{name}.example"
        root = f"/var/www/clients/client{number}/web{number}"
        add(rows, "sys_group", group, name=name, client_id=number)
        add(
            rows, "client", number, username=name, password=_make_hash(number),
            email=f"it@{domain}", contact_name="Korn", city="Dorf",
        )  # fmt: skip
        add(
            rows, "web_domain", number, group, domain=domain, document_root=root,
            subdomain="www", server_php_id=1,
        )  # fmt: skip
        add(
            rows, "web_domain", customers + number, group, domain=f"shop.{domain}",
            type="vhostsubdomain", parent_domain_id=number, web_folder="shop",
        )  # fmt: skip
        add(
            rows, "web_database", number, group, database_name=f"c{number}shop",
            database_user_id=number,
        )  # fmt: skip
        add(
            rows, "web_database_user", number, group, database_user=f"c{number}shop",
            database_password=f"*{number:040X}",
        )  # fmt: skip
        add(
            rows, "ftp_user", number, group, parent_domain_id=number, username=f"{name}ftp",
            password=_make_hash(number), dir=root,
        )  # fmt: skip
        add(rows, "cron", number, group, command=f"https://{domain}/cron.php", run_min="5")
        add(rows, "mail_domain", number, group, domain=domain)
        add(rows, "dns_soa", number, group, origin=f"{domain}.")
        for position, record in enumerate(_RECORDS):
            add(
                rows, "dns_rr", number * 10 + position, group, zone=number, name=f"host{position}",
                type=record, data=_get_value(record), aux=10,
            )  # fmt: skip
        for position in range(MAILBOXES_OF_CUSTOMER):
            row_id = number * MAILBOXES_OF_CUSTOMER + position
            add(
                rows, "mail_user", row_id, group, email=f"box{position}@{domain}",
                login=f"box{position}@{domain}", password=_make_hash(row_id), quota=1 << 30,
            )  # fmt: skip
        add(
            rows, "mail_forwarding", number, group, source=f"info@{domain}", type="forward",
            destination=f"box1@{domain}\nelsewhere@post.example",
        )  # fmt: skip
    return rows


def _get_value(record: str) -> str:
    """Return a value of a record of a type, without the number in front of it."""
    values = {
        "A": "203.0.113.7",
        "AAAA": "2001:db8::7",
        "MX": "mail.elsewhere.example.",
        "TXT": "key=0123456789",
        "CNAME": "elsewhere.example.",
        "SRV": "5 443 elsewhere.example.",
    }
    return values[record]


def make_froxlor(customers: int) -> Rows:
    """Return the rows of a froxlor, with the users of its database server as a table of its own."""
    rows: froxlor_source.Rows = {table: [] for table in froxlor_source.COLUMNS}
    make = froxlor_source.make_row
    rows["panel_admins"] = [
        make("panel_admins", adminid=1, loginname="root", change_serversettings=1)
    ]
    rows["panel_ipsandports"] = [make("panel_ipsandports", id=1, ip="192.0.2.80")]
    rows["panel_phpconfigs"] = [make("panel_phpconfigs", id=1, description="PHP 8.2")]
    for number in range(1, customers + 1):
        name = f"customer{number}"
        domain = f"{name}.example"
        home = f"/srv/webs/{name}/"
        own = {"customerid": number}

        def add(table: str, **values: Any) -> None:
            rows[table].append(make(table, **values))

        add(
            "panel_customers", **own, loginname=name, password=froxlor_source.BCRYPT,
            email=f"it@{domain}", name="Korn", city="Dorf", documentroot=home,
        )  # fmt: skip
        add(
            "panel_domains", id=number, **own, domain=domain, domain_ace=domain,
            documentroot=home, isbinddomain=1, isemaildomain=1, wwwserveralias=1,
        )  # fmt: skip
        add(
            "panel_domains", id=customers + number, **own, domain=f"shop.{domain}",
            domain_ace=f"shop.{domain}", documentroot=f"{home}shop/", parentdomainid=number,
        )  # fmt: skip
        add("panel_domaintoip", id_domain=number, id_ipandports=1)
        add("panel_databases", id=number, **own, databasename=f"{name}sql1")
        add(
            "ftp_users", id=number, **own, username=f"{name}ftp1",
            password=f"$5${number:016x}${number:043d}", homedir=home,
        )  # fmt: skip
        for position, record in enumerate(_RECORDS):
            add(
                "domain_dns_entries", id=number * 10 + position, domain_id=number,
                record=f"host{position}", type=record, content=_get_value(record), prio=10,
            )  # fmt: skip
        for position in range(MAILBOXES_OF_CUSTOMER):
            row_id = number * MAILBOXES_OF_CUSTOMER + position
            address = f"box{position}@{domain}"
            add(
                "mail_users", id=row_id, **own, email=address, username=address,
                password_enc=f"{{SHA512-CRYPT}}{_make_hash(row_id)}", domainid=number, quota=1024,
            )  # fmt: skip
            add(
                "mail_virtual", id=row_id, **own, email=address, email_full=address,
                destination=address, domainid=number, popaccountid=row_id,
            )  # fmt: skip
    return rows
