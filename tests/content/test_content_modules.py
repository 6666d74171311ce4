"""The modules for content as Ansible runs them: on a host, as root, with their documented results."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._content import info_task
from ansible_collections.hosting.panel.plugins.module_utils._content.content_errors import (
    ContentError,
)
from ansible_collections.hosting.panel.plugins.module_utils._content.host_tools import Ended
from ansible_collections.hosting.panel.plugins.module_utils._content.info_task import (
    INFO_OPTIONS,
    read_content,
)
from tests.meta.modules import read_documentation
from tests.support.needed import require_content_tools
from tests.support.real_mariadb import RealMariadb
from tests.support.real_trees import OWNER, Trees, describe, make_trees, remove, write


@pytest.fixture
def trees() -> Iterator[Trees]:
    """Yield an empty source and an empty target on this host."""
    require_content_tools("rsync", "setpriv", "runuser", "unshare")
    folder = Path(tempfile.mkdtemp(prefix="panel-files-", dir="/var/tmp"))
    folder.chmod(0o755)
    (folder / "lib").mkdir()
    yield make_trees(folder, None)
    remove(folder)


def run(prepared: Trees, module: str, check: bool = False, **options: Any) -> dict[str, Any]:
    """Run a module by Ansible, with a state directory of the test."""
    # What a run keeps is below /var/lib.
    script = 'mount --bind "$0" /var/lib && exec "$@"'
    namespace = ["unshare", "--mount", "sh", "-c", script, str(prepared.folder / "lib")]
    command = [sys.executable, "-m", "ansible", "adhoc", "host", "--inventory", "host,"]
    command += ["--connection", "local", "--extra-vars"]
    command += [json.dumps({"ansible_python_interpreter": sys.executable})]
    command += ["--module-name", f"hosting.panel.{module}", "--args", json.dumps(options)]
    if check:
        command.append("--check")
    process = subprocess.run(
        [*namespace, *command], capture_output=True, text=True, timeout=120, check=False
    )
    result: dict[str, Any] = json.loads(process.stdout.partition("=> ")[2])

    return result


def test_a_copy_by_a_task_has_the_documented_result(trees: Trees) -> None:
    write(trees.src / "a", "content")
    options = {"src": str(trees.src), "dest": str(trees.dest), "owner": OWNER}

    predicted = run(trees, "panel_files_sync", check=True, **options)
    copied = run(trees, "panel_files_sync", **options)
    second = run(trees, "panel_files_sync", **options)

    assert set(read_documentation("panel_files_sync")["return"]) ^ {"changed", "error"} == set(
        copied
    )
    assert predicted == copied
    assert (copied["changed"], copied["sent"], copied["bytes"]) == (True, 1, 7)
    assert (second["changed"], second["sent"]) == (False, 0)
    assert describe(trees.dest) == describe(trees.src)


def test_a_refusal_is_the_message_of_a_task_that_failed(trees: Trees) -> None:
    options = {"src": "relative", "dest": str(trees.dest), "owner": OWNER}

    result = run(trees, "panel_files_sync", **options)

    assert result["msg"].startswith("src: relative is not the whole path of a directory")
    assert set(result["error"]) == {"type", "option", "problem", "effect", "advice"}
    assert (result["error"]["type"], result["error"]["option"]) == ("ContentError", "src")
    assert result["changed"] is False


def test_the_facts_of_a_tree_are_the_documented_ones(trees: Trees) -> None:
    write(trees.src / "a", "content")
    write(trees.src / "sub" / "b", user="root")
    (trees.src / "link").symlink_to("/etc/shadow")

    result = run(trees, "panel_content_info", trees=[str(trees.src)])

    [facts] = result["content"]["trees"]
    described = read_documentation("panel_content_info")["return"]["content"]["contains"]
    assert set(result["content"]) == set(described)
    assert set(facts) == set(described["trees"]["contains"])
    assert (facts["files"], facts["bytes"], facts["folders"]) == (2, 8, 1)
    assert (sorted(facts["foreign"]), facts["leaving"]) == (["link", "sub/b"], ["link"])
    assert result["changed"] is False


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"login": {}}, "one of the following is required: username, trees, mailboxes, databases"),
        ({"username": OWNER, "trees": ["/srv"]}, "mutually exclusive: username|trees"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    trees: Trees, options: dict[str, Any], expected: str
) -> None:
    assert expected in run(trees, "panel_content_info", **options)["msg"]


@pytest.fixture(scope="module")
def server(mariadb_servers: tuple[RealMariadb, RealMariadb]) -> RealMariadb:
    """Return a database server with two databases of the owner, and one of another."""
    server = mariadb_servers[0]
    for name in (f"{OWNER}_db1", f"{OWNER}_db2", "other_db1"):
        server.run(f"CREATE DATABASE `{name}`")
    table = "CREATE TABLE t (a INT) ENGINE=MyISAM; INSERT INTO t VALUES (1), (2)"
    server.run(table, f"{OWNER}_db1")
    return server


def read(server: RealMariadb, **options: Any) -> dict[str, Any]:
    """Return what the module says of a host with that server."""
    defaults = dict.fromkeys(INFO_OPTIONS)
    return read_content({**defaults, "login": server.login, **options})


def test_databases_are_counted_and_described_as_documented(server: RealMariadb) -> None:
    [facts] = read(server, databases=[f"{OWNER}_db1"])["databases"]

    described = read_documentation("panel_content_info")["return"]["content"]["contains"]
    assert set(facts) == set(described["databases"]["contains"])
    assert (facts["tables"], facts["rows"], facts["engines"]) == (1, 2, ["MyISAM"])


@pytest.mark.parametrize(
    ("option", "value"),
    [("databases", ["no_such"]), ("trees", ["/no/such"]), ("username", "no-such-user")],
)
def test_what_is_not_there_is_an_error_that_names_the_option(
    server: RealMariadb, option: str, value: Any
) -> None:
    with pytest.raises(ContentError) as raised:
        read(server, **{option: value})

    assert raised.value.option == option


def test_the_databases_of_a_user_are_those_that_have_its_name_first(server: RealMariadb) -> None:
    content = read(server, username=OWNER)

    names = [database["name"] for database in content["databases"]]
    assert names == [f"{OWNER}_db1", f"{OWNER}_db2"]
    assert content["versions"]["mariadb"]
    assert content["versions"]["rsync"]


@pytest.mark.parametrize("option", ["mailboxes", "username"])
def test_a_failure_names_an_option_of_the_task(
    server: RealMariadb, option: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The user database knows the user, and its mailbox cannot be read."""
    require_content_tools("doveadm")
    monkeypatch.setattr(info_task, "run_command", lambda _command: Ended(0, b"2.3.19", b""))

    with pytest.raises(ContentError) as raised:
        read(server, **{option: OWNER if option == "username" else [OWNER]})

    assert raised.value.option == option


def test_a_mailbox_that_cannot_be_read_is_an_error_that_names_the_option() -> None:
    require_content_tools("doveadm")
    with pytest.raises(ContentError) as raised:
        read_content({**dict.fromkeys(INFO_OPTIONS), "mailboxes": ["*"]})

    assert raised.value.option == "mailboxes"


def test_a_task_can_be_followed_in_a_log(trees: Trees, monkeypatch: pytest.MonkeyPatch) -> None:
    log = trees.folder / "panel.log"
    monkeypatch.setenv("PANEL_LOG", str(log))
    write(trees.src / "a", "content")

    run(trees, "panel_files_sync", src=str(trees.src), dest=str(trees.dest), owner=OWNER)

    text = log.read_text(encoding="utf-8")
    assert f"plan tree {trees.dest}: copy, leave out 0 entries" in text
    assert "command rsync on this host starts" in text
    assert "command rsync on this host ends: exit code 0" in text
    assert text.endswith("task ends\n")
