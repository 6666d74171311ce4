# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""When passwords of customers come into their files, and go out again, beside a panel_resources that answers as it is told."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from ansible import constants
from ansible.parsing.vault import VaultLib, VaultSecret

from ansible_collections.hosting.panel.plugins.action import panel_sites as action
from ansible_collections.hosting.panel.plugins.plugin_utils._jobs import run_modules
from ansible_collections.hosting.panel.plugins.plugin_utils._passwords.credentials_content import begun, in_force
from ansible_collections.hosting.panel.plugins.plugin_utils._passwords.credentials_file import (
    Credential,
    CredentialsFile,
)

SITES: list[dict[str, Any]] = [
    {"client": {"username": "acme", "password": "given"}, "emails": [{"email": "info@acme.example"}]},
    {"client": {"username": "beta"}, "emails": [{"email": "info@beta.example", "regenerate_password": True}]},
]
CREATED = [("clients", "acme"), ("emails", "info@acme.example"), ("clients", "beta"), ("emails", "info@beta.example")]
VAULT = VaultLib(secrets=[("default", VaultSecret(b"secret"))])


def plan(*created: tuple[str, str]) -> dict[str, Any]:
    after = {"password": "(changes)"}
    actions = [{"kind": kind, "key": key, "action": "create", "before": {}, "after": after} for kind, key in created]
    summary = {"create": len(actions), "update": 0, "delete": 0, "unchanged": 0}
    return {"summary": summary, "actions": actions, "checksum": "of-the-plan"}


def passwords(folder: Path, name: str) -> dict[str, str]:
    """Those in force."""
    content = CredentialsFile(str(folder / name), VAULT).content()
    return {entry["key"]: entry["password"] for entry in content["generated_passwords"]}


def waiting(folder: Path) -> dict[str, str]:
    """Those that are pending, in both files."""
    contents = [CredentialsFile(str(folder / name), VAULT).content() for name in ("acme.yml", "beta.yml")]
    return {entry["key"]: entry["password"] for content in contents for entry in content.get("pending_passwords", ())}


def result(*written: tuple[str, str], **more: Any) -> dict[str, Any]:
    """What panel_resources returns where these were written, all of them if none is named."""
    results = [{"kind": kind, "key": key, "result": "changed"} for kind, key in written or CREATED]
    return {"changed": True, "plan": plan(*CREATED), "results": results, **more}


class Inner:
    """In place of panel_resources: a plan in check mode, then the given result; sees what is in the files meanwhile."""

    def __init__(self, folder: Path, done: dict[str, Any], meanwhile: Callable[[], object] = lambda: None) -> None:
        self.folder, self.done, self.meanwhile = folder, done, meanwhile
        self.runs: list[tuple[bool, Mapping[str, Any]]] = []
        self.seen: dict[str, str] = {}

    def __call__(self, task: Any, _module: str, options: Mapping[str, Any], check_mode: Any, _diff: Any) -> Any:
        is_check = task._task.check_mode if check_mode is None else check_mode

        def run(task_vars: Any = None) -> dict[str, Any]:
            self.runs.append((is_check, options))
            if is_check:
                return {"changed": True, "plan": plan(*CREATED), "results": []}
            self.seen = waiting(self.folder)
            self.meanwhile()
            return self.done

        return SimpleNamespace(run=run)


def run(folder: Path, inner: Inner, monkeypatch: pytest.MonkeyPatch, check_mode: bool = False) -> dict[str, Any]:
    monkeypatch.setattr(run_modules, "inner_module", inner)
    args = {"sites": SITES, "credentials_dir": str(folder), "api_url": "https://panel.example", "api_key": "k"}
    shell = SimpleNamespace(tmpdir="/nowhere")
    made = action.ActionModule(
        task=SimpleNamespace(
            args=args, action="hosting.panel.panel_sites", async_val=0, check_mode=check_mode, environment=None
        ),
        connection=SimpleNamespace(_shell=shell),
        play_context=SimpleNamespace(),
        loader=SimpleNamespace(_vault=VAULT),
        templar=SimpleNamespace(),
        shared_loader_obj=None,
    )
    return made.run()


def test_new_passwords_are_pending_in_the_files_when_the_panel_gets_them_and_in_force_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = Inner(tmp_path, result())
    shown = run(tmp_path, inner, monkeypatch)
    (_check, planned), (_real, done) = inner.runs
    assert planned["resources"] == done["resources"]
    assert done["expected_checksum"] == "of-the-plan"
    (acme, beta) = done["resources"]["clients"]
    (info, anew) = done["resources"]["emails"]
    assert acme == {"username": "acme", "password": "given"}
    assert (info["update_password"], anew["update_password"]) == ("on_create", "always")
    assert "regenerate_password" not in anew
    sent = {"info@acme.example": info["password"], "beta": beta["password"], "info@beta.example": anew["password"]}
    assert inner.seen == sent
    assert {**passwords(tmp_path, "acme.yml"), **passwords(tmp_path, "beta.yml")} == sent
    assert waiting(tmp_path) == {}
    assert not [text for text in (*sent.values(), "given") if text in str(shown)]


def test_passwords_are_withdrawn_when_the_panel_changed_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(tmp_path, "earlier")
    inner = Inner(tmp_path, {"failed": True, "msg": "the plan is another one now", "error": {"type": "PlanChanged"}})
    shown = run(tmp_path, inner, monkeypatch)
    assert sorted(inner.seen) == ["beta", "info@acme.example", "info@beta.example"]
    assert shown["failed"]
    assert shown["msg"] == "The panel changed while this was planned. Nothing was written to it; run again."
    assert (passwords(tmp_path, "acme.yml"), waiting(tmp_path)) == ({"info@acme.example": "earlier"}, {})


def keep(folder: Path, password: str) -> None:
    """As a run did that made the same mailbox before it was deleted."""
    credential = Credential(panel="panel.example", kind="emails", key="info@acme.example", password=password)
    CredentialsFile(str(folder / "acme.yml"), VAULT).change(lambda content: in_force(content, [credential]))


def failed(**error: Any) -> dict[str, Any]:
    """What panel_resources returns where the mailbox failed and everything else was written."""
    name = {"kind": "emails", "key": "info@acme.example"}
    done = result(*[one for one in CREATED if one[1] != "info@acme.example"])
    results = [*done["results"], {**name, "result": "failed", "msg": "no", "error": error}]
    return {**done, "failed": True, "msg": "one failed", "results": results}


@pytest.mark.parametrize(
    ("error", "is_pending"),
    [
        ({"type": "Refused", "attempts": 1}, False),
        ({"type": "Conflict"}, False),
        ({"type": "Refused", "attempts": 2}, True),
        ({"type": "OutcomeUnknown", "attempts": 1}, True),
        ({"type": "ServerFailed", "attempts": 1}, True),
    ],
)
def test_a_password_is_withdrawn_only_where_its_object_is_certainly_not_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: dict[str, Any], is_pending: bool
) -> None:
    keep(tmp_path, "earlier")
    inner = Inner(tmp_path, failed(**error))
    shown = run(tmp_path, inner, monkeypatch)
    assert passwords(tmp_path, "acme.yml") == {"info@acme.example": "earlier"}
    assert waiting(tmp_path) == ({"info@acme.example": inner.seen["info@acme.example"]} if is_pending else {})
    assert ("emails info@acme.example is not known. They are in" in shown["msg"]) == is_pending


def test_the_password_of_what_somebody_else_made_meanwhile_is_not_taken_for_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep(tmp_path, "of the other run")
    done = result()
    for one in done["results"]:
        one["existed"] = True
    run(tmp_path, Inner(tmp_path, done), monkeypatch)
    assert passwords(tmp_path, "acme.yml") == {"info@acme.example": "of the other run"}
    # This one was to get a new password in any case.
    assert list(passwords(tmp_path, "beta.yml")) == ["info@beta.example"]
    assert waiting(tmp_path) == {}


@pytest.mark.parametrize("error", [{"type": "OutcomeUnknown"}, {"type": "Refused", "attempts": 1}])
def test_what_an_earlier_run_left_pending_is_set_again_and_stays_until_it_is_in_force(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: dict[str, Any]
) -> None:
    left = Credential(panel="panel.example", kind="emails", key="info@acme.example", password="of a killed run")
    CredentialsFile(str(tmp_path / "acme.yml"), VAULT).change(lambda content: begun(content, [left]))
    inner = Inner(tmp_path, failed(**error))
    shown = run(tmp_path, inner, monkeypatch)
    assert "an earlier run ended before it was known" in shown["warnings"][0]
    sent = inner.runs[-1][1]["resources"]["emails"][0]
    assert (sent["password"], sent["update_password"]) == ("of a killed run", "always")
    assert waiting(tmp_path) == {"info@acme.example": "of a killed run"}
    run(tmp_path, Inner(tmp_path, result()), monkeypatch)
    assert passwords(tmp_path, "acme.yml") == {"info@acme.example": "of a killed run"}
    assert waiting(tmp_path) == {}


def test_passwords_of_objects_that_are_not_named_any_more_are_warned_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = Credential(panel="panel.example", kind="emails", key="old@acme.example", password="of a killed run")
    CredentialsFile(str(tmp_path / "acme.yml"), VAULT).change(lambda content: begun(content, [left]))
    (warning,) = run(tmp_path, Inner(tmp_path, result()), monkeypatch)["warnings"]
    assert "under pending_passwords of emails old@acme.example" in warning
    assert waiting(tmp_path) == {"old@acme.example": "of a killed run"}


def test_a_file_that_is_spoilt_meanwhile_is_a_failure_that_names_the_objects(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = Inner(tmp_path, result(), meanwhile=lambda: (tmp_path / "acme.yml").write_text("spoilt", encoding="utf-8"))
    shown = run(tmp_path, inner, monkeypatch)
    assert shown["failed"]
    assert "Which of the passwords of emails info@acme.example are in force could not be written" in shown["msg"]


def test_a_disk_that_is_full_only_afterwards_loses_nothing_and_the_next_run_says_what_is_in_force(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fill(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as full:
        inner = Inner(tmp_path, result(), meanwhile=lambda: full.setattr(os, "fsync", fill))
        shown = run(tmp_path, inner, full)
    assert shown["failed"]
    assert "could not be written to the file" in shown["msg"]
    assert "No space left on device. They are in it, under pending_passwords." in shown["msg"]
    assert waiting(tmp_path) == inner.seen
    assert run(tmp_path, Inner(tmp_path, result()), monkeypatch).get("failed") is None
    assert waiting(tmp_path) == {}
    assert {**passwords(tmp_path, "acme.yml"), **passwords(tmp_path, "beta.yml")} == inner.seen


def test_passwords_stay_pending_when_it_is_not_known_what_was_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = Inner(tmp_path, {"failed": True, "msg": "MODULE FAILURE"})
    assert run(tmp_path, inner, monkeypatch)["failed"]
    assert waiting(tmp_path) == inner.seen != {}


def _keeps_another_secret(folder: Path, patched: pytest.MonkeyPatch) -> None:
    other = VaultLib(secrets=[("default", VaultSecret(b"another"))])
    CredentialsFile(str(folder / "beta.yml"), other).change(lambda content: {**content, "note": "kept"})


def _has_no_secret(folder: Path, patched: pytest.MonkeyPatch) -> None:
    patched.setattr(VAULT, "secrets", [])


def _is_read_only(folder: Path, patched: pytest.MonkeyPatch) -> None:
    patched.setattr(os, "access", lambda _path, _mode: False)


def _takes_no_file(folder: Path, patched: pytest.MonkeyPatch) -> None:
    """As /proc does, which says that its superuser may write."""

    def refuse(*_words: Any, **_keywords: Any) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    patched.setattr(tempfile, "mkstemp", refuse)


def _is_full(folder: Path, patched: pytest.MonkeyPatch) -> None:
    def fill(_descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    patched.setattr(os, "fsync", fill)


def _knows_no_such_label(folder: Path, patched: pytest.MonkeyPatch) -> None:
    patched.setattr(constants.config, "get_config_value", lambda _name: "three")


# Why files of passwords cannot be written, what is said of it, and whether that is known before the panel is asked for anything.
REFUSALS: dict[str, tuple[Callable[[Path, pytest.MonkeyPatch], object], str, bool]] = {
    "no folder": (lambda folder, _: folder.rmdir(), "does not exist; create it", True),
    "no writable folder": (_is_read_only, "is not writable for this user", True),
    "a folder in the way": (lambda folder, _: (folder / "beta.yml").mkdir(), "that is a folder", True),
    "a file that is not encrypted": (
        lambda folder, _: (folder / "beta.yml").write_text("a: 1", encoding="utf-8"),
        "is not encrypted with Ansible Vault",
        True,
    ),
    "a file of another secret": (_keeps_another_secret, "none of this run's Vault secrets decrypts the file", True),
    "no secret": (_has_no_secret, "this run has no Vault secret", True),
    "no secret with the label": (_knows_no_such_label, "no Vault secret with the label three", False),
    "a folder that takes no file": (_takes_no_file, "cannot be written: Read-only file system", False),
    "a full disk": (_is_full, "cannot be written: No space left on device", False),
}


@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize("why", REFUSALS)
def test_what_forbids_to_write_a_file_is_told_before_the_panel_gets_anything_and_in_check_mode_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, why: str, check_mode: bool
) -> None:
    spoil, words, is_known_at_once = REFUSALS[why]
    folder = tmp_path / "credentials"
    folder.mkdir()
    spoil(folder, monkeypatch)
    inner = Inner(folder, {})
    shown = run(folder, inner, monkeypatch, check_mode)
    assert words in shown["msg"]
    # At most it was planned.
    assert [is_check for is_check, _options in inner.runs] == ([] if is_known_at_once else [True])
