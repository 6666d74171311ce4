"""Seeds of a fleet of three panels as an operator has them.

Most is well, and of everything that a report looks for there is some.
"""

from __future__ import annotations

import contextlib
import datetime
import json
import random
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support import pem
from tests.support.playbook import IN_PROCESS, run_ansible
from tests.support.simulator import Simulator

GIB = 1024**3
SERVERS = {"web-1": 0.44, "web-2": 0.34, "web-3": 0.22}
"""By name the share of the clients."""
CLIENTS = 500
DUPLICATES = 3
MONTHS = 12
# How much more or less than usual is sent in some months.
SEASONS = {7: 0.82, 8: 0.82, 11: 1.12, 12: 1.12}
ERROR = 2
_TRADES = (
    "bakery",
    "dental",
    "cycles",
    "garden",
    "hotel",
    "lawyers",
    "optics",
    "physio",
    "school",
    "studio",
    "timber",
    "travel",
    "vets",
    "wine",
    "yoga",
    "energy",
    "brewery",
    "museum",
    "florist",
    "music",
)
_NAMES = (
    "huber",
    "lindner",
    "moser",
    "novak",
    "okafor",
    "petrov",
    "quirin",
    "rossi",
    "silva",
    "tanaka",
    "ullrich",
    "varga",
    "weber",
    "xu",
    "yilmaz",
    "zoeller",
    "adler",
    "brandt",
    "conti",
    "dubois",
    "eder",
    "fischer",
    "gruber",
    "haas",
    "ivanov",
)
_PLANS = (("Starter", 5, 100, 0.5), ("Business", 25, 500, 0.38), ("Agency", 100, -1, 0.12))


def make_fleet(
    now: datetime.datetime, pem: Mapping[str, str], clients: int = CLIENTS
) -> dict[str, dict[str, list[Any]]]:
    """Return by server a seed for its simulator, the same for the same arguments.

    clients: of all servers together. pem: as ``tests.support.pem.texts()`` gives it.
    """
    chance = random.Random(2026)
    names = draw_usernames(chance)
    seeds = {}
    start = 0

    for server, share in SERVERS.items():
        count = round((clients - DUPLICATES) * share)
        seeds[server] = make_panel_seed(chance, names[start : start + count], now, pem)
        start += count

    _duplicate(seeds)

    return seeds


def draw_usernames(chance: random.Random) -> list[str]:
    """Return CLIENTS different names."""
    names = [f"{name}-{trade}" for trade in _TRADES for name in _NAMES]
    chance.shuffle(names)
    return names


def make_panel_seed(
    chance: random.Random, names: list[str], now: datetime.datetime, pem: Mapping[str, str]
) -> dict[str, list[Any]]:
    """Return the seed of one panel with these clients."""
    seed: dict[str, list[Any]] = {
        name: [] for name in ("clients", "certificates", "domains", "dns", "emails", "databases")
    }
    seed["plans"] = [_plan(name, disk, traffic) for name, disk, traffic, _share in _PLANS]
    for number, username in enumerate(names):
        _add_client(chance, seed, username, number, now)
    _add_certificates(chance, seed, now, pem)

    for kind, places in (("clients", (11,)), ("domains", (5, 23)), ("emails", (8,))):
        for position in places:
            seed[kind][position % len(seed[kind])]["status"] = ERROR

    return seed


def _plan(name: str, disk: int, traffic: int) -> dict[str, Any]:
    counts = {
        "domains": 10,
        "subdomains": 50,
        "email_accounts": 20,
        "databases": 10,
        "ftp_users": -1,
    }
    limits = {"disk_space": disk * GIB, "traffic": traffic * GIB if traffic > 0 else -1, **counts}

    return {"name": name, "resources": limits}


def _add_client(
    chance: random.Random,
    seed: dict[str, list[Any]],
    username: str,
    number: int,
    now: datetime.datetime,
) -> None:
    plan, disk, traffic, _share = chance.choices(_PLANS, [plan[3] for plan in _PLANS])[0]
    fill = min(0.86, chance.betavariate(1.6, 3.4))
    if number % 41 == 7:
        fill = chance.uniform(0.9, 0.99)
    if number % 97 == 17:
        fill = chance.uniform(1.0, 1.06)
    most = traffic * GIB if traffic > 0 else 800 * GIB
    seed["clients"].append(
        {
            "username": username,
            "email": f"office@{username}.example",
            "hosting_plan": plan,
            "is_suspended": number % 53 == 29,
            "statistics": {
                "disk_space": int(fill * disk * GIB),
                "files": chance.randrange(900, 90000),
            },
            "traffic": _make_traffic(chance, most * chance.betavariate(1.3, 6), now),
        }
    )
    domain = f"{username}.example"
    seed["domains"].append(
        {
            "domain": domain,
            "client": username,
            "security": {"lets_encrypt": number % 3 != 0, "is_prefer_https": True},
        }
    )
    seed["dns"].append({"domain": domain, "records": _make_records(domain, number)})

    for box in ("info", "office", "shop")[: chance.randint(1, 3)]:
        full = chance.uniform(0.9, 1.0) if chance.random() < 0.012 else chance.betavariate(1.2, 4)
        seed["emails"].append(
            {"email": f"{box}@{domain}", "max_size": 2 * GIB, "size": int(full * 2 * GIB)}
        )

    if number % 2:
        seed["databases"].append(
            {
                "database_name": f"{username}_web",
                "client": username,
                "size": chance.randrange(10**8),
            }
        )


def _make_records(domain: str, number: int) -> list[dict[str, Any]]:
    """Return a zone as the panel makes it.

    With DMARC, and of some customers what they made of it.
    """
    spf = "v=spf1 a mx ~all"
    dmarc = "v=DMARC1; p=quarantine"
    mail = f"10 mail.{domain}."
    if number % 89 == 6:
        spf = "v=spf1 a mx ipv4:192.0.2.77 include:_spf.newsletter.example"
    if number % 97 == 4:
        mail = f"10 mial.{domain}."
    if number % 37 == 14:
        dmarc = "v=DMARC1; p=none"
    records = [
        ("@", "A", "192.0.2.10"),
        ("mail", "A", "192.0.2.10"),
        ("@", "MX", mail),
        ("@", "TXT", spf),
    ]
    records.append(
        (
            "default._domainkey",
            "TXT",
            "v=DKIM1; k=rsa; p=MIIB" if number % 113 == 3 else "<DKIM_RECORD_VALUE>",
        )
    )
    if number % 41 != 12:
        records.append(("_dmarc", "TXT", dmarc))

    return [
        {"host": host, "type": kind, "ttl": 86400, "value": value} for host, kind, value in records
    ]


def _make_traffic(chance: random.Random, usual: float, now: datetime.datetime) -> dict[str, Any]:
    """Return months until now.

    With growth, a quiet summer, and a last one that has just begun.
    """
    months = {}
    for back in range(MONTHS):
        year, month = divmod(now.year * 12 + now.month - 1 - back, 12)
        amount = usual * SEASONS.get(month + 1, 1) * (1 - 0.025 * back) * chance.uniform(0.85, 1.15)
        if not back:
            amount *= now.day / 30
        web = int(amount * 0.86)
        mail = int(amount * 0.11)
        months[f"{year:04}-{month + 1:02}"] = {
            "http": {"in": web // 12, "out": web},
            "smtp": {"in": mail // 2, "out": mail // 3},
            "imap": {"in": 0, "out": mail // 3},
            "ftp": {"in": int(amount * 0.02), "out": 0},
        }

    return months


def _add_certificates(
    chance: random.Random,
    seed: dict[str, list[Any]],
    now: datetime.datetime,
    pem: Mapping[str, str],
) -> None:
    parts = {
        "private_key": pem["two.private_key"],
        "certificate": pem["two.certificate"],
        "ca_certificate": "",
    }
    bought = [domain for domain in seed["domains"] if not domain["security"]["lets_encrypt"]][::2]

    for number, domain in enumerate(bought):
        days = chance.choice((3, 5)) if number % 17 == 4 else chance.randrange(9, 360)
        if number == 1:
            days = -2
        ends = now + datetime.timedelta(days=days, hours=5)
        name = f"{domain['domain']} {ends.year}"
        seed["certificates"].append(
            {
                "name": name,
                "client": domain["client"],
                "components": parts,
                "secured_domains": [domain["domain"], f"www.{domain['domain']}"],
                "valid_till": ends.isoformat(timespec="seconds"),
                "issuer": "Example Trust CA 3",
            }
        )
        domain["security"]["certificate"] = name

    old = now - datetime.timedelta(days=40)
    seed["certificates"].append(
        {
            "name": "old wildcard",
            "components": parts,
            "secured_domains": ["*.panel.example"],
            "valid_till": old.isoformat(timespec="seconds"),
            "issuer": "Example Trust CA 3",
        }
    )


def _duplicate(seeds: dict[str, dict[str, list[Any]]]) -> None:
    """Add two clients of the first server that were moved and left behind.

    And one that another server knows by its name only.
    """
    first, second, third = seeds.values()
    for number, target in ((3, second), (7, third)):
        client = first["clients"][number]
        domain = first["domains"][number]
        target["clients"].append({**client, "is_suspended": True})
        target["domains"].append({"domain": domain["domain"], "client": client["username"]})

    third["clients"].append(
        {**second["clients"][4 % len(second["clients"])], "email": "office@other.example"}
    )


NOW = datetime.datetime(2026, 11, 20, 6, 0, tzinfo=datetime.timezone(datetime.timedelta(hours=1)))
DISKS = {"web-1": "4T", "web-2": "2T", "web-3": "2T"}
FILES = {
    "report_file": "report.html",
    "report_json_file": "report.json",
    "report_metrics_file": "report.prom",
    "report_time": NOW.isoformat(),
}


@dataclass(frozen=True)
class ReportedFleet:
    """Panels by name, and the folder, which has an inventory of them, ``panels.json``."""

    panels: dict[str, Simulator]
    folder: Path

    def run(self, plays: list[Any], *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run plays against the inventory; what it printed is in ``stdout``."""
        (self.folder / "plays.json").write_text(json.dumps(plays), encoding="utf-8")
        return run_ansible(
            "playbook", ["-i", "panels.json", *arguments, "plays.json"], self.folder, IN_PROCESS
        )

    def export(self) -> dict[str, Any]:
        """Return the play that exports every panel into ``exports/NAME``."""
        return {
            "ansible.builtin.import_playbook": "hosting.panel.export",
            "vars": {"panel_hosts": "all"},
        }

    def report(self, **variables: Any) -> dict[str, Any]:
        """Return a play that makes ``report.html`` and ``report.json`` at the time of the fleet."""
        wanted = {**FILES, **variables}
        roles = ["hosting.panel.report"]

        return {
            "name": "Report",
            "hosts": "all",
            "gather_facts": False,
            "vars": wanted,
            "roles": roles,
        }

    def report_playbook(self, **variables: Any) -> dict[str, Any]:
        """Return the same through the collection's playbook."""
        wanted = {"panel_hosts": "all", **FILES, **variables}
        return {"ansible.builtin.import_playbook": "hosting.panel.report", "vars": wanted}

    def drift(self) -> None:
        """Change something on the first panel by hand, as people do."""
        panel = self.panels["web-1"]
        clients = panel.list_objects("clients")
        emails = panel.list_objects("emails")
        panel.request("PUT", f"/clients/{clients[2]['id']}", {"notes": "Called about the bill"})
        panel.request("PUT", f"/emails/{emails[6]['id']}", {"max_size": "5G"})
        panel.request("DELETE", f"/emails/{emails[9]['id']}")
        panel.request(
            "POST", "/databases", {"id_user": clients[4]["id"], "database_name": "shop_test"}
        )


@contextlib.contextmanager
def start_reported_fleet(folder: Path, clients: int = CLIENTS) -> Iterator[ReportedFleet]:
    """Start the fleet, and stop it afterwards."""
    folder.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as running:
        panels = {}
        for name, seed in make_fleet(NOW, pem.make_texts(), clients).items():
            settings = {"hostname": f"{name}.hosting.example", "status_delay": 0}
            panels[name] = running.enter_context(Simulator.start(settings=settings))
            panels[name].seed(seed)

        hosts = {
            name: {
                "panel_api_url": panel.url,
                "panel_api_key": panel.api_key,
                "panel_retry_time": 1,
                "panel_disk_space": DISKS[name],
                "panel_dir": f"exports/{name}",
            }
            for name, panel in panels.items()
        }
        (folder / "panels.json").write_text(json.dumps({"all": {"hosts": hosts}}), encoding="utf-8")

        yield ReportedFleet(panels, folder)
