"""A server with what customers have on it: homes, mailboxes and databases, where Debian has them."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from tests.support.dovecot import RealMailbox, run_user_database
from tests.support.real_mariadb import RealMariadb, run_mariadb
from tests.support.real_ssh import RealSsh

SOCKET = Path("/run/mysqld/mysqld.sock")


CUSTOMER = 2501
OTHER_CUSTOMER = 2502
"""Numbers of users of customers, which this machine does not have."""


class Account(NamedTuple):
    """A user of a server: its home and its number."""

    home: str
    number: int


@dataclass(frozen=True)
class CustomerServer:
    """What a server has for customers, beside its panel.

    mailboxes: By address.
    mariadb: The server of databases.
    files: What its programs see in place of files of this machine.
    """

    mailboxes: Mapping[str, RealMailbox]
    mariadb: RealMariadb
    files: Mapping[str, Path]


@contextmanager
def make_customer_server(
    folder: Path,
    accounts: Mapping[str, Account],
    addresses: Iterable[str],
    databases: Mapping[str, str],
) -> Iterator[CustomerServer]:
    """Yield a server with users, empty mailboxes and empty databases.

    Each tool finds them where Debian has them.

    Args:
        folder: Where all of it is.
        accounts: The users by name.
        addresses: Of the mailboxes.
        databases: By the name of each the account that has all rights in it.
    """
    SOCKET.parent.mkdir(exist_ok=True)
    lib = folder / "lib"
    lib.mkdir(parents=True)
    passwd = folder / "passwd"
    passwd.write_text(_make_passwd(accounts), encoding="utf-8")
    with (
        run_user_database(folder / "mail", [*addresses]) as mailboxes,
        run_mariadb(folder / "mariadb") as mariadb,
    ):
        (mariadb.folder / SOCKET.name).symlink_to(mariadb.socket)
        for name, user in databases.items():
            mariadb.run(f"CREATE DATABASE {name}; CREATE USER IF NOT EXISTS {user}@localhost;")
            mariadb.run(f"GRANT ALL ON {name}.* TO {user}@localhost;")
        files = {
            "/etc/passwd": passwd,
            "/etc/dovecot/dovecot.conf": folder / "mail" / "dovecot.conf",
            str(SOCKET.parent): mariadb.folder,
            "/var/lib": lib,
        }
        yield CustomerServer(mailboxes, mariadb, files)


def _make_passwd(accounts: Mapping[str, Account]) -> str:
    """Return the file of users of this machine with more of them."""
    users = Path("/etc/passwd").read_text(encoding="utf-8")
    lines = [
        f"{name}:x:{account.number}:{account.number}::{account.home}:/bin/false\n"
        for name, account in accounts.items()
    ]
    return users + "".join(lines)


def make_hosts(ssh: RealSsh, source: str, target: str, folder: Path) -> dict[str, Any]:
    """Return an inventory of two servers.

    Args:
        ssh: The SSH server of the source.
        source, target: Their names. Ansible itself runs on the target.
        folder: A folder for sockets of SSH, whose path is short.
    """
    key = f"-i {ssh.key_file} -o UserKnownHostsFile={ssh.known_hosts_file}"
    hosts: dict[str, dict[str, Any]] = {
        target: {
            "ansible_connection": "local",
            "ansible_python_interpreter": sys.executable,
            "ansible_pipelining": True,
        },
        source: {
            "ansible_host": "127.0.0.1",
            "ansible_port": ssh.port,
            "ansible_user": "root",
            "ansible_python_interpreter": "/usr/bin/python3",
            "ansible_ssh_args": f"{key} -F none -o ControlMaster=auto -o ControlPersist=10s",
            "ansible_control_path_dir": str(folder),
            "ansible_pipelining": True,
        },
    }
    return {"all": {"hosts": hosts}}
