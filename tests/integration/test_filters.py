"""A zone file in a playbook becomes a panel's zone, which becomes the same zone file; nothing in it is evaluated as a template."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.support.playbook import play, task
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


def test_a_zone_file_comes_to_the_panel_and_back_and_a_template_in_it_is_text(
    simulator: Simulator, tmp_path: Path
) -> None:
    (tmp_path / "acme.example.zone").write_text(ZONE, encoding="utf-8")
    options: dict[str, Any] = {"domain": "acme.example", "records": "{{ zone.records }}", "soa": "{{ zone.soa }}"}
    options |= {"purge": True, "max_delete_percent": 100}
    back = "lookup('ansible.builtin.file', 'back.zone') | hosting.panel.panel_zone_to_records(as_zone=true)"
    written = "{{ zones.dns | map('hosting.panel.panel_records_to_zone') | first }}"
    bulk = {"resources": {"dns": [f"{{{{ {AS_ZONE} }}}}"]}}
    planned = {"resources": {"emails": [{"email": "info@acme.example", "max_size": "1G"}]}}
    page = "{{ planned | hosting.panel.panel_plan_markdown(panel='web-1') }}"
    run = play(
        [
            task("import", "panel_dns", options, [["POST", "/seed", SEED]], vars={"zone": f"{{{{ {AS_ZONE} }}}}"}),
            task("as one of many", "panel_resources", bulk),
            task("read", "panel_dns_info", {}, register="zones"),
            {"name": "written", "ansible.builtin.copy": {"content": written, "dest": "back.zone"}},
            task("back", "panel_dns", options, vars={"zone": f"{{{{ {back} }}}}"}),
            task("planned", "panel_resources", planned, check_mode=True, register="planned"),
            {
                "name": "lines",
                "ansible.builtin.debug": {"msg": "{{ planned | hosting.panel.panel_plan_lines(most=1) }}"},
            },
            {"name": "page", "ansible.builtin.debug": {"msg": page}},
        ],
        simulator,
        tmp_path,
    )
    assert run["import"].changed, run["import"].msg
    records = run["import"].writes[-1]["body"]["records"]["other"]
    assert records[-1] == {"host": "policy", "ttl": 3600, "type": "TXT", "value": TRAP}
    for name in ("as one of many", "back"):
        assert (run[name].outcome, run[name].changed) == ("ok", False), run[name].msg
    assert f'"{TRAP}"' in (tmp_path / "back.zone").read_text(encoding="utf-8")
    assert list(tmp_path.rglob("sprung")) == []
    lines = run["lines"].result["msg"]
    assert run["planned"].result["diff"] == {"prepared": "".join(f"{line}\n" for line in lines)}
    assert run["page"].result["msg"].startswith(f"# Plan for `web-1`\n\n- {lines[0]}.\n")
