"""Servers that the tests of content share: each test has databases and folders of its own, and puts back what it sets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.database_pair import Pair
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


@pytest.fixture
def pair(mariadb_servers: tuple[RealMariadb, RealMariadb], tmp_path: Path) -> Pair:
    """Return two databases that are not there yet."""
    source, target = mariadb_servers
    return Pair(source, target, tmp_path)


@pytest.fixture(params=["on one host", "by SSH"])
def anywhere(request: pytest.FixtureRequest, pair: Pair) -> Pair:
    """Return two databases, whose source is reached in each way."""
    if request.param == "by SSH":
        pair.host = request.getfixturevalue("ssh_server").source
    return pair


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[RealSsh, Path]]:
    """Yield a server that looks for tools in a folder of the tests first."""
    require_content_tools("ssh", "ssh-keygen", "sshd")
    folder = tmp_path_factory.mktemp("tools")
    with run_ssh(tmp_path_factory.mktemp("ssh"), f"{folder}:/usr/bin:/bin") as server:
        yield server, folder


@pytest.fixture
def replace_tool(pair: Pair, tools: tuple[RealSsh, Path]) -> Iterator[Callable[[str, str], None]]:
    """Yield a function that puts a shell script in the place of a tool of the source.

    Without a script, the real tool is back.
    """
    server, folder = tools
    pair.host = server.source

    def replace(tool: str, script: str) -> None:
        path = folder / tool
        path.unlink(missing_ok=True)
        if script:
            path.write_text(f"#!/bin/sh\nreal=/usr/bin/{tool}\n{script}\n", encoding="utf-8")
            path.chmod(0o755)

    yield replace
    for path in folder.iterdir():
        path.unlink()
