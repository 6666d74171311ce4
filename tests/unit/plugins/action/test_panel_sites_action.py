# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""When passwords of customers come into their files, and go out again, beside a panel_resources that answers as it is told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from ansible.parsing.vault import VaultLib, VaultSecret

from ansible_collections.hosting.panel.plugins.action import panel_sites as action
from ansible_collections.hosting.panel.plugins.plugin_utils._credentials import Credential, CredentialsFile

SITES = [
    {"client": {"username": "acme", "password": "given"}, "emails": [{"email": "info@acme.example"}]},
    {"client": {"username": "beta"}, "emails": [{"email": "info@beta.example", "regenerate_password": True}]},
]
CREATED = [("clients", "acme"), ("emails", "info@acme.example"), ("clients", "beta")]
VAULT = VaultLib(secrets=[("default", VaultSecret(b"secret"))])


def plan(*created: tuple[str, str]) -> dict[str, Any]:
    actions = [{"kind": kind, "key": key, "action": "create", "before": {}, "after": {}} for kind, key in created]
    summary = {"create": len(actions), "update": 0, "delete": 0, "unchanged": 0}
    return {"summary": summary, "actions": actions, "checksum": "of-the-plan"}


def passwords(folder: Path, name: str) -> dict[str, str]:
    content = CredentialsFile(str(folder / name), VAULT).content()
    return {entry["key"]: entry["password"] for entry in content["generated_passwords"]}


class Inner:
    """In place of panel_resources: a plan in check mode, then the given result; sees what is in the files meanwhile."""

    def __init__(self, folder: Path, done: dict[str, Any], meanwhile: Callable[[], object] = lambda: None) -> None:
        self.folder, self.done, self.meanwhile = folder, done, meanwhile
        self.runs: list[tuple[bool, Mapping[str, Any]]] = []
        self.seen: dict[str, str] = {}

    def __call__(self, task: Any, _module: str, options: Mapping[str, Any], check_mode: bool | None = None) -> Any:
        is_check = task._task.check_mode if check_mode is None else check_mode

        def run(task_vars: Any = None) -> dict[str, Any]:
            self.runs.append((is_check, options))
            if is_check:
                return {"changed": True, "plan": plan(*CREATED), "results": []}
            self.seen = {**passwords(self.folder, "acme.yml"), **passwords(self.folder, "beta.yml")}
            self.meanwhile()
            return self.done

        return SimpleNamespace(run=run, _task_environment=dict)


def run(folder: Path, inner: Inner, monkeypatch: pytest.MonkeyPatch, check_mode: bool = False) -> dict[str, Any]:
    monkeypatch.setattr(action, "inner_module", inner)
    args = {"sites": SITES, "credentials_dir": str(folder), "api_url": "https://panel.example", "api_key": "k"}
    shell = SimpleNamespace(tmpdir="/nowhere")
    made = action.ActionModule(
        task=SimpleNamespace(args=args, action="hosting.panel.panel_sites", async_val=0, check_mode=check_mode),
        connection=SimpleNamespace(_shell=shell),
        play_context=SimpleNamespace(),
        loader=SimpleNamespace(_vault=VAULT),
        templar=SimpleNamespace(),
        shared_loader_obj=None,
    )
    return made.run()


def test_new_passwords_are_in_the_files_when_the_panel_gets_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    regenerated = [{"kind": "emails", "key": "info@beta.example", "password": "of the panel"}]
    inner = Inner(
        tmp_path, {"changed": True, "plan": plan(*CREATED), "results": [], "generated_passwords": regenerated}
    )
    result = run(tmp_path, inner, monkeypatch)
    (_check, planned), (_real, done) = inner.runs
    assert planned["resources"] == done["resources"]
    assert done["expected_checksum"] == "of-the-plan"
    (sent,) = [item["password"] for item in done["resources"]["emails"] if "password" in item]
    (acme, beta) = (client["password"] for client in done["resources"]["clients"])
    assert inner.seen == {"info@acme.example": sent, "beta": beta}
    assert acme == "given"
    assert passwords(tmp_path, "beta.yml") == {"beta": beta, "info@beta.example": "of the panel"}
    assert not [text for text in (sent, beta, "of the panel", "given") if text in str(result)]


def test_passwords_are_withdrawn_when_the_panel_changed_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = Inner(tmp_path, {"failed": True, "msg": "the plan is another one now", "error": {"type": "PlanChanged"}})
    result = run(tmp_path, inner, monkeypatch)
    assert sorted(inner.seen) == ["beta", "info@acme.example"]
    assert result["failed"]
    assert result["msg"] == "The panel changed while this was planned. Nothing was written to it; run again."
    assert passwords(tmp_path, "acme.yml") == passwords(tmp_path, "beta.yml") == {}


def keep(folder: Path, password: str) -> None:
    """As another run does, which makes the same mailbox."""
    credential = Credential(panel="panel.example", kind="emails", key="info@acme.example", password=password)
    CredentialsFile(str(folder / "acme.yml"), VAULT).keep(credential)


def results(outcome: str, **more: Any) -> list[dict[str, Any]]:
    return [{"kind": "emails", "key": "info@acme.example", "result": outcome, **more}]


def test_what_a_file_had_is_put_back_when_the_panel_changed_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(tmp_path, "earlier")
    inner = Inner(tmp_path, {"failed": True, "msg": "the plan is another one now", "error": {"type": "PlanChanged"}})
    run(tmp_path, inner, monkeypatch)
    assert inner.seen["info@acme.example"] != "earlier"
    assert passwords(tmp_path, "acme.yml") == {"info@acme.example": "earlier"}


@pytest.mark.parametrize(
    ("error", "is_earlier"), [("Refused", True), ("Conflict", True), ("OutcomeUnknown", False), ("ServerFailed", False)]
)
def test_what_a_file_had_is_put_back_when_an_object_is_certainly_not_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: str, is_earlier: bool
) -> None:
    keep(tmp_path, "earlier")
    failed = results("failed", error={"type": error})
    inner = Inner(tmp_path, {"failed": True, "msg": "one failed", "plan": plan(*CREATED), "results": failed})
    run(tmp_path, inner, monkeypatch)
    expected = "earlier" if is_earlier else inner.seen["info@acme.example"]
    assert passwords(tmp_path, "acme.yml") == {"info@acme.example": expected}


def test_the_password_of_the_run_that_made_an_object_is_in_the_file_whatever_others_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = {"changed": True, "plan": plan(*CREATED), "results": results("changed")}
    inner = Inner(tmp_path, done, meanwhile=lambda: keep(tmp_path, "of another run"))
    run(tmp_path, inner, monkeypatch)
    assert passwords(tmp_path, "acme.yml") == {"info@acme.example": inner.seen["info@acme.example"]}


def test_a_file_that_is_spoilt_meanwhile_is_a_failure_that_names_the_objects(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = {"changed": True, "plan": plan(*CREATED), "results": results("changed")}
    inner = Inner(tmp_path, done, meanwhile=lambda: (tmp_path / "acme.yml").write_text("spoilt", encoding="utf-8"))
    result = run(tmp_path, inner, monkeypatch)
    assert result["failed"]
    assert "in force is not known, for emails info@acme.example:" in result["msg"]


def test_passwords_stay_when_it_is_not_known_what_was_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = Inner(tmp_path, {"failed": True, "msg": "MODULE FAILURE"})
    assert run(tmp_path, inner, monkeypatch)["failed"]
    assert {**passwords(tmp_path, "acme.yml"), **passwords(tmp_path, "beta.yml")} == inner.seen != {}


def test_a_file_that_cannot_be_written_stops_it_before_the_panel_gets_anything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = VaultLib(secrets=[("default", VaultSecret(b"another"))])
    CredentialsFile(str(tmp_path / "beta.yml"), other).change(lambda content: {**content, "note": "kept"})
    inner = Inner(tmp_path, {})
    for check_mode in (True, False):
        result = run(tmp_path, inner, monkeypatch, check_mode)
        assert "decrypts the file" in result["msg"]
        assert result["msg"].endswith("Nothing was written to the panel.")
    assert [is_check for is_check, _options in inner.runs] == [True, True]
