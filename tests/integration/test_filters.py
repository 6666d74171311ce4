"""The filters of DNS zones in playbooks: a zone file becomes a panel's zone, which becomes the same zone file."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.playbook import Run, play, task
from tests.support.simulator import Simulator

TRAP = "{{ lookup('ansible.builtin.pipe', 'touch sprung') }}"
ZONE = f"""$TTL 1h
@ IN SOA ns1.panel.example. hostmaster.acme.example. 2026010101 4h 30m 1w 1h
@ NS ns1.panel.example.
@ MX 10 mail
mail A 192.0.2.11
bücher 300 CNAME www
www 300 A 192.0.2.10
policy TXT "{TRAP}"
"""
READ = "lookup('ansible.builtin.file', 'acme.example.zone')"
AS_ZONE = f"{READ} | hosting.panel.panel_zone_to_records('acme.example', as_zone=true)"
SEED = {"clients": [{"username": "acme"}], "domains": [{"domain": "acme.example", "client": "acme"}]}


def tasks() -> Iterator[dict[str, Any]]:
    """Brings a zone file to the panel, twice, and back into a file."""
    options = {"domain": "acme.example", "records": "{{ zone.records }}", "soa": "{{ zone.soa }}", "purge": True}
    options["max_delete_percent"] = 100
    before: list[Any] = [["POST", "/seed", SEED]]
    yield task("import", "panel_dns", options, before, vars={"zone": f"{{{{ {AS_ZONE} }}}}"})
    yield task("import again", "panel_dns", options, vars={"zone": f"{{{{ {AS_ZONE} }}}}"})
    bulk = {"resources": {"dns": [f"{{{{ {AS_ZONE} }}}}"]}}
    yield task("import as one of many", "panel_resources", bulk)
    yield task("read", "panel_dns_info", {}, register="zones")
    written = "{{ zones.dns | map('hosting.panel.panel_records_to_zone') | first }}"
    yield {"name": "written", "ansible.builtin.copy": {"content": written, "dest": "back.zone"}}
    back = "lookup('ansible.builtin.file', 'back.zone') | hosting.panel.panel_zone_to_records(as_zone=true)"
    again = {**options, "records": "{{ zone.records }}"}
    yield task("import of what was written", "panel_dns", again, vars={"zone": f"{{{{ {back} }}}}"})
    planned = {"resources": {"emails": [{"email": "info@acme.example", "max_size": "1G"}]}, "concurrency": 1}
    yield task("planned", "panel_resources", planned, check_mode=True, register="planned")
    lines = "{{ planned | hosting.panel.panel_plan_lines(most=1) }}"
    yield {"name": "lines", "ansible.builtin.debug": {"msg": lines}}
    page = "{{ planned | hosting.panel.panel_plan_markdown(panel='web-1') }}"
    yield {"name": "page", "ansible.builtin.debug": {"msg": page}}
    mistaken = "{{ 'www A 192.0.2.1' | hosting.panel.panel_zone_to_records('acme.example') }}"
    yield {"name": "mistaken", "ansible.builtin.debug": {"msg": mistaken}}


@pytest.fixture(scope="module")
def run(simulator: Simulator, tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("filters")
    (folder / "acme.example.zone").write_text(ZONE, encoding="utf-8")
    return play(tasks(), simulator, folder)


def test_a_zone_file_becomes_the_zone_of_the_panel(run: Run) -> None:
    assert run["import"].changed, run["import"].msg
    assert run["import"].writes[-1]["body"]["records"]["other"] == [
        {"host": "@", "ttl": 3600, "type": "NS", "value": "ns1.panel.example."},
        {"host": "@", "ttl": 3600, "type": "MX", "value": "10 mail.acme.example."},
        {"host": "mail", "ttl": 3600, "type": "A", "value": "192.0.2.11"},
        {"host": "xn--bcher-kva", "ttl": 300, "type": "CNAME", "value": "www.acme.example."},
        {"host": "www", "ttl": 300, "type": "A", "value": "192.0.2.10"},
        {"host": "policy", "ttl": 3600, "type": "TXT", "value": TRAP},
    ]


@pytest.mark.parametrize("name", ["import again", "import as one of many", "import of what was written"])
def test_the_same_zone_again_sends_no_write(run: Run, name: str) -> None:
    assert (run[name].outcome, run[name].changed, run[name].writes) == ("ok", False, []), run[name].msg


def test_the_zone_of_the_panel_becomes_a_zone_file(run: Run) -> None:
    assert (run.folder / "back.zone").read_text(encoding="utf-8").splitlines() == [
        "$ORIGIN acme.example.",
        "$TTL 3600",
        "@             3600   IN SOA   ns1.panel.example. hostmaster.acme.example. 1 14400 1800 604800 3600",
        "@             3600   IN NS    ns1.panel.example.",
        "@             3600   IN MX    10 mail.acme.example.",
        "mail          3600   IN A     192.0.2.11",
        f'policy        3600   IN TXT   "{TRAP}"',
        "www           300    IN A     192.0.2.10",
        "xn--bcher-kva 300    IN CNAME www.acme.example.",
    ]


def test_a_mistake_in_a_zone_file_names_its_line(run: Run) -> None:
    assert run["mistaken"].outcome == "failed"
    assert "line 1: this cannot be read: Missing default TTL value." in run["mistaken"].msg


def test_no_template_in_a_zone_was_evaluated(run: Run) -> None:
    assert list(run.folder.rglob("sprung")) == []


def test_a_plan_is_shown_in_lines_as_in_its_diff_and_as_a_page(run: Run) -> None:
    lines = run["lines"].result["msg"]
    assert lines[1:] == ["acme:", "  create  mailbox info@acme.example  max_size 1G"]
    assert run["planned"].result["diff"] == {"prepared": "".join(f"{line}\n" for line in lines)}
    assert run["page"].result["msg"].startswith(f"# Plan for `web-1`\n\n- {lines[0]}.\n")
