"""Servers that the tests of content share: each test has databases and folders of its own, and puts back what it sets."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.needed import require_content_tools
from tests.support.real_mariadb import RealMariadb, run_mariadb
from tests.support.real_ssh import RealSsh, run_ssh


@pytest.fixture(scope="session")
def ssh_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealSsh]:
    """Yield an SSH server by which the modules reach this machine; ``ssh_server.source`` is the option ``source``."""
    require_content_tools("ssh", "ssh-keygen", "sshd")
    with run_ssh(tmp_path_factory.mktemp("ssh")) as server:
        yield server


@pytest.fixture(scope="session")
def mariadb_servers(
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[tuple[RealMariadb, RealMariadb]]:
    """Yield two database servers: the source's and the target's."""
    require_content_tools("mariadb", "mariadb-dump", "mariadb-install-db", "mariadbd")
    with (
        run_mariadb(tmp_path_factory.mktemp("a")) as source,
        run_mariadb(tmp_path_factory.mktemp("b")) as target,
    ):
        source.run("CREATE USER ghost@localhost; GRANT ALL ON *.* TO ghost@localhost;")
        yield source, target
