"""A customer of another panel moves with files, mail and databases, between two servers that are
this machine."""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.integration.roles.operators import Operator
from tests.support import froxlor_source, ispconfig_source
from tests.support.customer_server import (
    CUSTOMER,
    OTHER_CUSTOMER,
    Account,
    CustomerServer,
    make_customer_server,
    make_hosts,
)
from tests.support.dovecot import make_mail_folder
from tests.support.ispconfig_sample import make_sample
from tests.support.needed import require_content_tools
from tests.support.playbook import IN_PROCESS, make_environment
from tests.support.real_mariadb import RealMariadb
from tests.support.real_ssh import RealSsh, make_namespace, run_ssh
from tests.support.real_trees import give, write
from tests.support.simulator import Simulator

SECONDS = 600.0
PLAYS = [
    {
        "name": "Copy the content",
        "hosts": "new.example",
        "gather_facts": False,
        "roles": [{"role": "hosting.panel.content"}],
    }
]
SITES = "/srv/www/clients/client11"
WEBS = "/srv/customers/webs"
PANEL_SETTINGS = {"password_hashes": "written", "ignore_account_limits": True, "status_delay": 0}


@dataclass(frozen=True)
class OldServer:
    """What a customer has on the server of another panel.

    Attributes:
        panel: What the import calls the panel.
        customer: The username.
        trees: By directory the one on the new server, from the home on.
        owners: By directory its user.
        addresses: Of the mailboxes.
        databases: By name the user.
        files: By path the user of this machine who has the file, and its mode.
        uncopied: What the new server does not get, from the directory on.
        left_out: The lines of the page about it.
        without_site: Directories of domains that have none on the old server, such as for mail.
        log: A file that the web server itself writes; empty where it is elsewhere.
    """

    panel: str
    customer: str
    trees: Mapping[str, str]
    owners: Mapping[str, str]
    addresses: tuple[str, ...]
    databases: Mapping[str, str]
    files: Mapping[str, tuple[str | int, int]]
    uncopied: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    without_site: tuple[str, ...] = ()
    log: str = ""

    @property
    def summary(self) -> str:
        """Return how the page says that everything has arrived."""
        exception = ", except what was left out," if self.left_out else ""
        return f"Everything below{exception} is on the new server: both servers were compared."


ISPCONFIG = OldServer(
    "ispconfig",
    "hofladen",
    {
        f"{SITES}/web31": "www/hof.example",
        f"{SITES}/web32": "www/xn--kse-qla.example",
        f"{SITES}/web42": "www/aus.example",
    },
    {f"{SITES}/{name}": name for name in ("web31", "web32", "web42")},
    (
        "kontakt@xn--kse-qla.example",
        "laden.shop@hof.example",
        "lena@hof.example",
        "zu@hof.example",
    ),
    {"c11shop": "c11shop", "c11blog": "c11shop"},
    {
        f"{SITES}/web31/web/index.php": (CUSTOMER, 0o640),
        f"{SITES}/web31/web/bilder/Käse 1.jpg": (CUSTOMER, 0o644),
        f"{SITES}/web31/web/intern/.htpasswd": ("root", 0o644),
        f"{SITES}/web31/web/unten/index.html": (CUSTOMER, 0o644),
        f"{SITES}/web31/laden/index.php": (CUSTOMER, 0o640),
        f"{SITES}/web31/markt/public/index.php": (CUSTOMER, 0o640),
        f"{SITES}/web31/private/shop.ini": (CUSTOMER, 0o600),
        f"{SITES}/web31/ssl/hof.example.key": ("root", 0o400),
        f"{SITES}/web31/log/access.log": ("root", 0o644),
        f"{SITES}/web32/web/index.html": (CUSTOMER, 0o644),
        f"{SITES}/web42/web/index.html": (CUSTOMER, 0o644),
    },
    ("ssl", "ssl/hof.example.key", "log", "log/access.log"),
    (
        "- Files `{home}/www/hof.example`: `/log` is excluded",
        "- Files `{home}/www/hof.example`: `ssl`, which the user of the files cannot read",
        "- Files `{home}/www/xn--kse-qla.example`: `/log` is excluded",
        "- Files `{home}/www/aus.example`: `/log` is excluded",
    ),
    log=f"{SITES}/web31/log/access.log",
)
FROXLOR = OldServer(
    "froxlor",
    "muehle",
    {f"{WEBS}/muehle": "www"},
    {f"{WEBS}/muehle": "muehle"},
    (
        "info@muehle.example",
        "joerg.korn@muehle.example",
        "post@xn--mhle-0ra.example",
        "rest@xn--mhle-0ra.example",
    ),
    {"muehlesql1": "muehlesql1", "muehlesql2": "muehlesql2"},
    {
        f"{WEBS}/muehle/muehle.example/index.php": (CUSTOMER, 0o640),
        f"{WEBS}/muehle/xn--mhle-0ra.example/index.html": (CUSTOMER, 0o644),
        f"{WEBS}/muehle/neuer laden 2/index.php": (CUSTOMER, 0o644),
        f"{WEBS}/muehle/geheime akten/.htpasswd": ("root", 0o644),
        f"{WEBS}/muehle/intern/.htaccess": (CUSTOMER, 0o644),
        f"{WEBS}/muehle/goaccess/index.html": ("root", 0o644),
        f"{WEBS}/muehle/aus.example/index.html": (CUSTOMER, 0o644),
    },
    without_site=("www/nur-post.example", "www/verwaiste-post.example"),
)


def write_source(old: OldServer, folder: Path) -> None:
    """Write the dump of the other panel's database, as ``old.sql``."""
    path = folder / "old.sql"
    if old.panel == "froxlor":
        froxlor_source.write_dump(folder, froxlor_source.make_froxlor_rows()).rename(path)
    else:
        ispconfig_source.write_dump(make_sample(), path)
    text = path.read_text(encoding="utf-8")
    # The directory that this machine has, and names that Dovecot takes with its usual settings.
    for usual, replacement in (
        ("/var/www/", "/srv/www/"),
        ("Jörg.K", "Joerg.K"),
        ("en+Shop@", "en.Shop@"),
    ):
        text = text.replace(usual, replacement)
    path.write_text(text, encoding="utf-8")


@dataclass
class Transfer:
    """A customer on the old server, and an operator with everything for the new one.

    Attributes:
        old, new: What has files, mail and databases. The new one has what its panel has made.
        old_srv: What stands for /srv on the old server.
        home: Of the client on the new server.
    """

    described: OldServer
    operator: Operator
    ssh: RealSsh
    old: CustomerServer
    new: CustomerServer
    old_srv: Path
    home: Path

    @property
    def panel(self) -> Simulator:
        """Return the new panel, which is simulated."""
        return self.operator.simulator

    @property
    def folder(self) -> Path:
        """Return the operator's folder."""
        return self.operator.folder

    def find_old(self, path: str) -> Path:
        """Return where this machine has a path of the old server."""
        return self.old_srv / path.removeprefix("/srv/")

    def copy(self, step: str) -> subprocess.CompletedProcess[str]:
        """Take a step of the role content with the objects of the import."""
        variables = {
            "content_source": "old.example",
            "content_step": step,
            "content_state_dir": "content",
            "content_objects_file": "content.json",
            "content_authorized_keys_file": str(self.ssh.folder / "authorized_keys"),
        }
        hosts = make_hosts(self.ssh, "old.example", "new.example", self.home.parent)
        files = {"variables.yml": variables, "play.yml": PLAYS, "servers.yml": hosts}
        for name, content in files.items():
            (self.folder / name).write_text(yaml.safe_dump(content), encoding="utf-8")
        command = [sys.executable, "-m", "ansible", "playbook", "-i", "servers.yml"]
        command += ["-e", "@variables.yml", "play.yml"]
        return subprocess.run(
            [*make_namespace(self.new.files), *command],
            cwd=self.folder,
            env=make_environment(self.folder, IN_PROCESS),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=SECONDS,
            check=False,
        )

    def read_page(self) -> str:
        """Return the page of the last step."""
        return (self.folder / "content" / "new.example.content.md").read_text(encoding="utf-8")


def fill_old_server(old: OldServer, srv: Path, server: CustomerServer) -> None:
    """Give the customer files, mail and tables."""
    for path in old.trees:
        # The server's administrator has the directory of a site.
        (srv / path.removeprefix("/srv/")).mkdir(parents=True)
    for path, (user, mode) in old.files.items():
        write(srv / path.removeprefix("/srv/"), f"content of {path}", mode, user)
    for path in srv.rglob("ssl"):
        give(path, "root")
        path.chmod(0o750)
    for address, mailbox in server.mailboxes.items():
        mailbox.deliver(f"first-{address}")
        mailbox.deliver("order", "INBOX")
        mailbox.make_folders("INBOX.Archiv")
        mailbox.deliver("old", "INBOX.Archiv")
        mailbox.flag("\\Seen", "order")
    for name, user in old.databases.items():
        server.mariadb.run(
            "CREATE TABLE orders (id INT PRIMARY KEY, name VARCHAR(50));"
            "INSERT INTO orders VALUES (1, 'Zoë'), (2, 'Jörg');"
            f"CREATE DEFINER={user}@localhost VIEW names AS SELECT name FROM orders;"
            f"CREATE DEFINER={user}@localhost TRIGGER named BEFORE INSERT ON orders"
            " FOR EACH ROW SET NEW.name = TRIM(NEW.name);",
            name,
        )


def list_targets(panel: Simulator) -> list[str]:
    """Return the directories of sites, below the directory of all."""
    targets = [
        (domain.get("target") or {}).get("target") for domain in panel.list_objects("domains")
    ]
    return [target.rstrip("/") for target in targets if target and target.startswith("/")]


def make_homes(panel: Simulator, home: Path) -> None:
    """Make the directories of sites in the home of the only client, as a panel does."""
    for path in ("", *list_targets(panel)):
        (home / "www" / path.removeprefix("/")).mkdir(parents=True, exist_ok=True)
    for path in (home, *home.rglob("*")):
        give(path, OTHER_CUSTOMER)


@pytest.fixture(params=[ISPCONFIG, FROXLOR], ids=["ispconfig", "froxlor"])
def transfer(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Transfer]:
    """Yield a customer whose settings an import has brought to the new panel."""
    require_content_tools("ssh", "ssh-keygen", "sshd", "rsync", "unshare", "doveadm", "mariadbd")
    described: OldServer = request.param
    with ExitStack() as stack:
        folder = stack.enter_context(make_mail_folder())
        panel = stack.enter_context(Simulator.start())
        panel.change_settings(PANEL_SETTINGS)
        operator = Operator(tmp_path / "operator", panel)
        write_source(described, operator.folder)
        bring_settings(described, operator)

        home = folder / "home"
        make_homes(panel, home)
        new_accounts = {described.customer: Account(str(home), OTHER_CUSTOMER)}
        new = stack.enter_context(
            make_customer_server(
                folder / "new", new_accounts, list_mailboxes(panel), list_databases(panel)
            )
        )
        old_accounts = {user: Account(path, CUSTOMER) for path, user in described.owners.items()}
        old = stack.enter_context(
            make_customer_server(
                folder / "old", old_accounts, described.addresses, described.databases
            )
        )
        srv = folder / "srv"
        fill_old_server(described, srv, old)
        ssh = stack.enter_context(run_ssh(tmp_path / "ssh", files={**old.files, "/srv": srv}))
        yield Transfer(described, operator, ssh, old, new, srv, home)


def bring_settings(described: OldServer, operator: Operator) -> None:
    """Import the customer, apply the files, and check that nothing is left to do."""
    variables = {
        "import_source": described.panel,
        "import_path": "old.sql",
        "import_clients": described.customer,
        "import_content_file": "content.json",
        "import_page_file": "import.md",
        "panel_dir": "imported",
    }
    imported = operator.run("hosting.panel.import", variables)
    assert imported.code == 0, imported.text
    files = {"panel_dir": "imported", "panel_passwords_file": "passwords.yml"}
    applied = operator.run("hosting.panel.apply", {**files, "panel_confirm": False})
    assert applied.code == 0, applied.text
    planned = operator.run("hosting.panel.plan", files)
    assert "0 to create, 0 to update, 0 to delete" in planned.said, planned.text


def list_mailboxes(panel: Simulator) -> list[str]:
    """Return the addresses of the panel that keep mail."""
    return [box["email"] for box in panel.list_objects("emails") if keeps_mail(box)]


def keeps_mail(box: Mapping[str, Any]) -> bool:
    """Tell whether mail stays in a mailbox."""
    return not box.get("forwardings") or box.get("store_forwarded_emails") is not False


def list_databases(panel: Simulator) -> dict[str, str]:
    """Return the databases of the panel by name, each with its user."""
    return {
        database["database_name"]: database["database_username"]
        for database in panel.list_objects("databases")
    }


def list_entries(tree: Path, uncopied: Iterable[str]) -> dict[str, tuple[Any, ...]]:
    """Return what belongs to each entry below a tree, by its path."""
    listed = {}
    for path in sorted(tree.rglob("*")):
        name = str(path.relative_to(tree))
        if name not in uncopied:
            status = path.stat()
            content = path.read_bytes() if path.is_file() else b""
            digest = hashlib.sha256(content).hexdigest()
            listed[name] = (status.st_mode, status.st_mtime_ns, digest)
    return listed


def dump_database(server: RealMariadb, name: str) -> tuple[str, set[str]]:
    """Return a database as the tool of MariaDB writes it, and who owns its views and programs."""
    command = ["mariadb-dump", "--no-defaults", f"--socket={server.socket}", "--user=root"]
    options = ["--routines", "--triggers", "--events", "--skip-dump-date", name]
    ended = subprocess.run(
        [*command, *options], capture_output=True, text=True, check=True, timeout=60
    )
    pattern = r"DEFINER=`([^`]*)`@`localhost`"
    return re.sub(pattern, "", ended.stdout), set(re.findall(pattern, ended.stdout))


def assert_everything_is_there(transfer: Transfer) -> None:
    """Assert that the new server has what the panel says, and what the old one shows."""
    described = transfer.described
    for old, new in described.trees.items():
        copied = transfer.home / new
        expected = list_entries(transfer.find_old(old), described.uncopied)
        assert expected
        assert list_entries(copied, ()) == expected
        assert {path.stat().st_uid for path in copied.rglob("*")} == {OTHER_CUSTOMER}

    assert transfer.new.mailboxes.keys() == transfer.old.mailboxes.keys()
    for address, mailbox in transfer.new.mailboxes.items():
        assert mailbox.list_everything() == transfer.old.mailboxes[address].list_everything()

    users = list_databases(transfer.panel)
    assert users.keys() == described.databases.keys()
    for name, user in users.items():
        content, owners = dump_database(transfer.new.mariadb, name)
        assert content == dump_database(transfer.old.mariadb, name)[0]
        assert owners == {user}


def assert_settings_lead_to_content(transfer: Transfer) -> None:
    """Assert that what the panel says of directories is where the copy has put them."""
    paths = [f"www{path}" for path in list_targets(transfer.panel)]
    paths += [user["home_directory"] for user in transfer.panel.list_objects("ftp_users")]
    protections = transfer.panel.list_objects("directory_protections")
    paths += [f"www{protection['path']}" for protection in protections]
    missing = {path for path in paths if not (transfer.home / path.lstrip("/")).is_dir()}
    assert missing == {*transfer.described.without_site}


@pytest.mark.release
def test_a_customer_of_another_panel_has_everything_and_a_second_run_changes_nothing(
    transfer: Transfer,
) -> None:
    final = transfer.copy("final")

    assert final.returncode == 0, final.stdout
    assert_everything_is_there(transfer)
    assert_settings_lead_to_content(transfer)
    page = transfer.read_page()
    assert transfer.described.summary in page
    assert [line for line in page.splitlines() if "ssl" in line or "/log" in line] == (
        [line.format(home=transfer.home) for line in transfer.described.left_out]
    )
    keys = (transfer.ssh.folder / "authorized_keys").read_text(encoding="utf-8")
    assert "hosting.panel" not in keys

    # The old web server goes on writing, if only about its page of maintenance.
    if transfer.described.log:
        with transfer.find_old(transfer.described.log).open("a", encoding="utf-8") as log:
            log.write("one more request")
    second = transfer.copy("final")

    assert second.returncode == 0, second.stdout
    assert re.search(r"new\.example\s+: .* changed=0 ", second.stdout), second.stdout
    assert_everything_is_there(transfer)
    second_page = transfer.read_page()
    assert transfer.described.summary in second_page
    assert second_page.count(": was right already.") == page.count(": copied.") > 0
