# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""panel_plan_file of the playbooks hosting.panel.plan, apply and drift: a page for whoever reviews a plan."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.integration.roles.operators import VAULT, Operator, RoleRun, assert_failed, assert_refused

SEED: dict[str, Any] = {
    "plans": [{"name": "Business"}],
    "clients": [{"username": "acme", "hosting_plan": "Business"}],
    "domains": [{"domain": "acme.example", "client": "acme"}],
    "emails": [{"email": "info@acme.example", "max_size": "1G"}, {"email": "old@acme.example"}],
}


@pytest.fixture(scope="module")
def operator(make_operator: Callable[[str], Operator]) -> Operator:
    """An operator of a small panel, who has exported it."""
    made = make_operator("pages")
    made.simulator.settings({"status_delay": 0})
    made.simulator.seed(SEED)
    done = run(made, "export")
    assert done.code == 0, done.text
    return made


@pytest.fixture(autouse=True)
def as_exported(operator: Operator) -> Iterator[None]:
    """The file of the client as it was, after each test, and no other one."""
    file = exported(operator)
    before = file.read_text(encoding="utf-8")
    yield
    file.write_text(before, encoding="utf-8")
    (operator.folder / "panel" / "new.yml").unlink(missing_ok=True)


def exported(operator: Operator) -> Path:
    return operator.folder / "panel" / "clients" / "acme.yml"


def run(operator: Operator, name: str, *words: str, **variables: Any) -> RoleRun:
    return operator.run(f"hosting.panel.{name}", {"panel_dir": "panel", **variables}, *words, vault=False)


def set_mailbox(operator: Operator, size: str) -> None:
    file = exported(operator)
    file.write_text(file.read_text(encoding="utf-8").replace("max_size: 1G", f"max_size: {size}", 1), encoding="utf-8")


PAGE = """\
# Plan for `{panel}`

**1 to delete**, **1 to update**, **1 to create**, {unchanged} unchanged.

`hosting.panel.apply` with `panel_expected_checksum` `{checksum}` does exactly this, or nothing.

## To delete (1)

### `acme`

- delete: e-mail account `old@acme.example`

## To create and to change (2)

### `acme`

- change: e-mail account `info@acme.example`
  - `max_size`: `1G` → `7G`
- new: e-mail account `page@acme.example`
  - `description`: ``[x](https://evil.example) `@all``
  - `password`: `(a secret, which changes)`
"""


def test_a_plan_is_a_page_for_review_with_the_checksum_that_is_approved(operator: Operator) -> None:
    file, text = operator.folder / "panel" / "plan.md", "[x](https://evil.example) `@all"
    mailbox = {"email": "page@acme.example", "password": "s3cret-of-page", "description": text}
    added = {"emails": [mailbox]}
    (operator.folder / "panel" / "new.yml").write_text(json.dumps(added), encoding="utf-8")
    set_mailbox(operator, "7G")
    whole = exported(operator).read_text(encoding="utf-8")
    gone = whole.replace("- email: old@acme.example", "- state: absent\n    email: old@acme.example")
    exported(operator).write_text(gone, encoding="utf-8")
    planned = run(operator, "plan", "-vvv", "--diff", panel_plan_file="panel/plan.md")
    assert (planned.code, planned.writes) == (0, []), planned.text
    checksum = re.search("panel_expected_checksum=([0-9a-f]{64})", planned.said)
    unchanged = re.search(r"(\d+) unchanged", planned.said)
    assert checksum and unchanged
    page = file.read_text(encoding="utf-8")
    panel = operator.simulator.url.removeprefix("http://")
    assert page == PAGE.format(panel=panel, unchanged=unchanged[1], checksum=checksum[1])
    assert "s3cret-of-page" not in page + planned.text
    # The page lies in the folder that is planned, and is none of its files.
    assert "passed over" not in planned.said

    file.unlink()
    checked = run(operator, "apply", "--check", panel_plan_file="other.md")
    assert (checked.code, checked.writes) == (0, []), checked.text
    assert (operator.folder / "other.md").read_text(encoding="utf-8") == page


def test_where_there_is_no_plan_the_page_says_why_in_the_place_of_an_older_one(operator: Operator) -> None:
    operator.simulator.seed({"emails": [{"email": "extra@acme.example"}]})
    page = operator.folder / "plan.md"
    new = operator.folder / "panel" / "new.yml"
    for text, variables, words in (
        ("emails: [{email: nobody}]\n", {}, "# No plan for `127.0.0.1:"),
        ("emails: [{email: nobody}]\n", {}, "new.yml: line 1, column 11: emails[0]"),
        ("emails: {\n", {}, "new.yml: line 2, column 1:"),
        ("emails: [{email: new@acme.example}]\n", {}, "nobody would know the passwords of 1 object."),
        ("plans: []\n", {"panel_purge": ["ftp_users"]}, "no file of panel has a list of ftp_users"),
        ("plans: []\n", {"panel_purge": ["emails"]}, "**This plan cannot be applied:**"),
    ):
        page.write_text("# Plan for `another`", encoding="utf-8")
        new.write_text(text, encoding="utf-8")
        done = run(operator, "plan", panel_plan_file="plan.md", **variables)
        new.unlink()
        assert done.code != 0, (text, done.text)
        assert words in page.read_text(encoding="utf-8"), (text, done.text)
    page.write_text("# Plan for `another`", encoding="utf-8")
    assert_refused(run(operator, "plan", panel_plan_file="plan.md", panel_purg=["emails"]), "did you mean panel_purge?")
    assert page.read_text(encoding="utf-8") == "# Plan for `another`"
    page.unlink()


def test_a_page_that_cannot_be_written_is_an_error_before_anything_is_read(operator: Operator) -> None:
    for name in ("plan", "apply", "drift"):
        done = run(operator, name, panel_plan_file="missing/plan.md")
        assert_failed(done, "missing/plan.md: the folder", "does not exist; create it. Nothing was read or written.")
        assert done.times("does not exist") == 1
        assert done.requests == []


def test_a_page_never_takes_the_place_of_anything_else(operator: Operator) -> None:
    passwords = operator.folder / "passwords.yml"
    passwords.write_bytes(VAULT.encrypt("passwords: []"))
    for file, why in (
        (passwords, "that file is encrypted with Ansible Vault, and what it keeps would be lost"),
        (exported(operator), "that file is no page of a plan, so it is not overwritten"),
    ):
        before = file.read_bytes()
        for name in ("plan", "apply", "drift"):
            assert_refused(run(operator, name, panel_plan_file=str(file)), why, "Nothing was read or written.")
            assert file.read_bytes() == before
    passwords.unlink()


def test_the_panels_of_a_fleet_have_a_page_each(operator: Operator) -> None:
    panel = {"panel_api_url": operator.simulator.url, "panel_api_key": operator.simulator.api_key}
    fleet = operator.folder / "fleet.json"
    fleet.write_text(json.dumps({"panels": {"hosts": {"web1": panel, "web2": panel}}}), encoding="utf-8")
    refused = run(operator, "plan", "-i", str(fleet), panel_hosts="panels", panel_plan_file="plan.md")
    assert_refused(refused, "names the same file for several panels; put {{ inventory_hostname }} into its name.")
    each = {"panel_hosts": "panels", "panel_plan_file": "plan-{{ inventory_hostname }}.md"}
    assert run(operator, "plan", "-i", str(fleet), **each).code == 0
    assert sorted(path.name for path in operator.folder.glob("plan-*.md")) == ["plan-web1.md", "plan-web2.md"]


def test_drift_is_a_page_of_what_is_gone_changed_and_new(operator: Operator) -> None:
    operator.simulator.seed({"clients": [{"username": "beta"}]})
    set_mailbox(operator, "9G")
    done = run(operator, "drift", panel_plan_file="drift.md")
    assert done.code != 0, done.text
    page = (operator.folder / "drift.md").read_text(encoding="utf-8")
    assert re.search(
        r"### `acme`\n\n- changed: e-mail account `info@acme.example`\n  - `max_size`: `9G` → `\dG`\n", page
    )
    assert "### `beta`\n\n- new: client `beta`" in page


def test_where_a_panel_cannot_be_read_no_page_of_an_earlier_run_is_left(operator: Operator) -> None:
    page = operator.folder / "page.md"
    for name in ("plan", "apply", "drift"):
        page.write_text("# Drift of `another`", encoding="utf-8")
        operator.simulator.fault(
            {"kind": "status", "status": 403, "method": "GET", "path": "^/domains", "body": "json"}
        )
        done = run(operator, name, panel_plan_file="page.md")
        operator.simulator.clear_faults()
        assert (done.code != 0, done.writes) == (True, []), done.text
        text = page.read_text(encoding="utf-8")
        assert text.startswith("# The drift of `panel` is not known" if name == "drift" else "# No plan for `127"), text
        assert "403" in text, text
    page.unlink()
