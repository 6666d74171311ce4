"""A source that the modules for content reach by SSH: this machine, by a server of its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.needed import require_content_tools
from tests.support.real_ssh import RealSsh, run_ssh


@pytest.fixture(scope="module")
def ssh_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealSsh]:
    """Yield a running SSH server; ``ssh_server.source`` is the option ``source``."""
    require_content_tools("ssh", "ssh-keygen", "sshd")
    with run_ssh(tmp_path_factory.mktemp("ssh")) as server:
        yield server
