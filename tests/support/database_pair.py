"""A database on each of two servers of MariaDB, and tasks that copy it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._content.content_errors import (
    ContentError,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.database.task import (
    sync_database,
)
from tests.support.real_mariadb import NUMBERS, RealMariadb
from tools.layout import ROOT

DEFINER = "owner@localhost"
CREATION_TIMES = (
    "SELECT TABLE_NAME, CREATE_TIME FROM information_schema.TABLES"
    " WHERE TABLE_SCHEMA = DATABASE() AND TABLE_TYPE = 'BASE TABLE' ORDER BY 1;"
)
SAMPLE = (ROOT / "tests/content/database_sample.sql").read_text(encoding="utf-8")


class Pair:
    """A database on each of two servers.

    name: Of both databases.
    folder: For states and files of the test.
    """

    def __init__(self, source: RealMariadb, target: RealMariadb, folder: Path) -> None:
        self.source = source
        self.target = target
        self.folder = folder
        self.name = f"acme_db{next(NUMBERS)}"
        self.host: dict[str, Any] | None = None

    def create(self, statements: str | bytes = "", target_statements: str = "") -> None:
        """Make both databases, and carry out statements in each."""
        name = "`" + self.name.replace("`", "``") + "`"
        for server, text in ((self.source, statements), (self.target, target_statements)):
            server.run(f"CREATE DATABASE {name};")
            server.run(text, self.name)
        pattern = self.name
        for character in ("\\", "_", "%"):
            pattern = pattern.replace(character, "\\" + character)
        grant = "`" + pattern.replace("`", "``") + "`"
        self.target.run(
            f"CREATE USER IF NOT EXISTS owner@localhost; GRANT ALL ON {grant}.* TO owner@localhost;"
        )

    def make_options(self, **options: Any) -> dict[str, Any]:
        """Return the options of a task."""
        return {
            "source": self.host,
            "name": self.name,
            "source_name": None,
            "definer": DEFINER,
            "login": self.target.login,
            "source_login": self.source.login,
            "mode": "copy",
            "replace": False,
            "events": False,
            **options,
        }

    def sync(self, is_check: bool = False, **options: Any) -> dict[str, Any]:
        """Run a task, and return its result."""
        return sync_database(self.make_options(**options), is_check, str(self.folder / "state"))

    def run_and_get_error(self, is_check: bool = False, **options: Any) -> ContentError:
        """Run a task that has to fail, and return its error."""
        with pytest.raises(ContentError) as raised:
            self.sync(is_check, **options)
        return raised.value

    def list_accounts(self) -> list[list[str]]:
        """Return the temporary accounts and their connections on the target."""
        return self.target.run(
            "SELECT User FROM mysql.user WHERE User LIKE 'hosting\\_panel\\_%'"
            " UNION ALL SELECT USER FROM information_schema.PROCESSLIST"
            " WHERE USER LIKE 'hosting\\_panel\\_%';"
        )

    def read_target(self, statement: str) -> list[list[str]]:
        """Return the rows of a query in the database of the target."""
        return self.target.run(statement, self.name)


VIEWS_WITH_FUNCTION = {
    "itself": "CREATE SQL SECURITY INVOKER VIEW v AS SELECT SUBSTR('x', leave_trace()) AS a;",
    "by a view": "CREATE SQL SECURITY INVOKER VIEW w AS SELECT SUBSTR('x', leave_trace()) AS a;"
    "CREATE VIEW v AS SELECT a FROM w;",
    "in another database": "USE {neighbour}; CREATE SQL SECURITY INVOKER VIEW `v``w` AS"
    " SELECT SUBSTR('x', {name}.leave_trace()) AS a;"
    "USE {name}; CREATE VIEW v AS SELECT a FROM {neighbour}.`v``w`;",
}

# What no transaction that only reads prevents.
FUNCTION_WITH_EFFECT = """
DELIMITER //
CREATE FUNCTION leave_trace() RETURNS INT DETERMINISTIC NO SQL SQL SECURITY INVOKER
 BEGIN SET GLOBAL max_connect_errors = 4242; RETURN 1; END//
DELIMITER ;
"""

# A task in a process of its own, which a test can kill: its options come as JSON.
TASK = """
import json, sys
from ansible_collections.hosting.panel.plugins.module_utils._content.database.task import (
    sync_database,
)
options, directory = json.load(sys.stdin)
print(json.dumps(sync_database(options, False, directory)))
"""


def start_task(pair: Pair) -> subprocess.Popen[str]:
    """Start a copy as a process."""
    process = subprocess.Popen(
        [sys.executable, "-c", TASK],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert process.stdin is not None
    json.dump([pair.make_options(), str(pair.folder / "state")], process.stdin)
    process.stdin.close()
    return process


def wait_for(condition: Callable[[], Any], process: subprocess.Popen[str]) -> None:
    """Wait until something is so, while a task runs."""
    end = time.monotonic() + 60
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.01)


def kill(process: subprocess.Popen[str]) -> None:
    """Kill a task as nothing can prepare for, and nothing but the task itself."""
    process.send_signal(signal.SIGKILL)
    process.wait()
    for stream in (process.stdout, process.stderr):
        assert stream is not None
        stream.close()
