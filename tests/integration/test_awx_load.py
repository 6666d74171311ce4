"""load.yml runs, with modules in place of those of awx.awx that note what they are asked for and
fail where AWX does."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.integration.test_awx import MODULES, TABLES
from tests.support.awx import AWX
from tests.support.playbook import IN_PROCESS, run_ansible, write_inventory
from tools.layout import ROOT, link_collection

SECRETS = {
    "awx_vault_password": "of the files",
    "awx_repository_key": "a deploy key",
    "awx_repository_known_hosts": "git.example ssh-ed25519 AAAA",
}
NOTIFICATION = {
    "awx_notification_type": "email",
    "awx_notification_configuration": {"host": "mail.example"},
}


class FakeAwx:
    """An AWX that remembers what load.yml asks of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._notes = folder / "notes"
        modules = (
            folder / "collections" / "ansible_collections" / "awx" / "awx" / "plugins" / "modules"
        )
        modules.mkdir(parents=True)
        for name in MODULES:
            shutil.copyfile(ROOT / "tests" / "support" / "awx_module.py", modules / f"{name}.py")
        shutil.copytree(AWX, folder / "awx")
        self._notes.touch()

    def load(self, **settings: Any) -> tuple[int, str]:
        """Run load.yml as a person does; its code and what it printed."""
        settings_file = self.folder / "given.json"
        settings_file.write_text(json.dumps(settings), encoding="utf-8")
        inventory = write_inventory(self.folder)
        arguments = ["-i", str(inventory), str(self.folder / "awx" / "load.yml")]
        arguments += ["-e", f"@{self.folder / 'awx' / 'settings.yml'}", "-e", f"@{settings_file}"]
        variables = {
            "ANSIBLE_COLLECTIONS_PATH": f"{self.folder / 'collections'}:{link_collection()}",
            "FAKE_AWX": str(self._notes),
            "CONTROLLER_HOST": "https://awx.example",
        }
        done = run_ansible("playbook", arguments, self.folder, IN_PROCESS, variables)

        return done.returncode, " ".join(done.stdout.split())

    def make_repository_unreadable(self, is_unreadable: bool) -> None:
        """Let AWX fail to read the repository, or read it again."""
        mark = self._notes.with_suffix(".unreadable")
        if is_unreadable:
            mark.touch()
        else:
            mark.unlink()

    def list_options_of_calls(self, module: str) -> list[Mapping[str, Any]]:
        """Return the options of each call of a module that was taken."""
        notes = [json.loads(line) for line in self._notes.read_text(encoding="utf-8").splitlines()]
        return [
            note["options"] for note in notes if note["module"] == module and not note["problem"]
        ]


@pytest.fixture
def awx(tmp_path: Path) -> FakeAwx:
    """Return an AWX that only notes what it is asked for."""
    return FakeAwx(tmp_path)


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> FakeAwx:
    """Return an AWX that could not read the repository at first, and then could."""
    fake = FakeAwx(tmp_path_factory.mktemp("awx"))
    fake.make_repository_unreadable(True)
    code, text = fake.load(**SECRETS, **NOTIFICATION)
    assert code == 2
    assert (
        "AWX could not read the repository git@git.example:panels.git, so job templates cannot be made."
        in text
    )
    assert fake.list_options_of_calls("job_template") == []
    fake.make_repository_unreadable(False)
    code, text = fake.load(**SECRETS, **NOTIFICATION)
    assert code == 0, text

    return fake


def test_everything_is_loaded_also_where_the_project_could_not_be_read_at_first(
    loaded: FakeAwx,
) -> None:
    templates = [row["name"] for row in loaded.list_options_of_calls("job_template")]
    assert templates == [row["name"] for row in TABLES["controller_templates"]]


def test_the_project_notifies_nobody_and_every_template_but_those_of_the_workflow_does(
    loaded: FakeAwx,
) -> None:
    (project,) = loaded.list_options_of_calls("project")
    assert project["notification_templates_error"] == []

    silent = {
        row["name"]
        for row in loaded.list_options_of_calls("job_template")
        if not row.get("notification_templates_error")
    }
    assert silent == {"Panels - check a push", "Panels - plan", "Panels - apply the approved plan"}

    (workflow,) = loaded.list_options_of_calls("workflow_job_template")
    assert workflow["notification_templates_error"] == ["Panels"]


NO_SECRETS_OF_AWX = {
    "encrypted": b"$ANSIBLE_VAULT;1.1;AES256\n3162\n",
    "a longer secret": b"k" * 64 + b"\n",
    "a secret above another line": b"k" * 50 + b"\nmore\n",
    "not in UTF-8": b"\xff\xfe\x00",
    "a blank of Latin 1": b"\xa0",
    "a zero byte": b"\0",
}


@pytest.mark.parametrize("content", NO_SECRETS_OF_AWX.values(), ids=NO_SECRETS_OF_AWX)
def test_the_secret_of_a_push_replaces_no_other_file(awx: FakeAwx, content: bytes) -> None:
    path = awx.folder / "my file"
    path.write_bytes(content)

    assert_refused(awx, path)

    assert path.read_bytes() == content


def test_the_secret_of_a_push_replaces_no_other_file_behind_a_link_and_no_directory(
    awx: FakeAwx,
) -> None:
    link = awx.folder / "link"
    link.symlink_to("target")
    (awx.folder / "target").mkdir()
    assert_refused(awx, link)
    (awx.folder / "target").rmdir()
    (awx.folder / "target").write_text("mine", encoding="utf-8")
    assert_refused(awx, link)


def assert_refused(awx: FakeAwx, path: Path) -> None:
    """Assert that loading names the file before it asks for anything."""
    code, output = awx.load(**SECRETS, awx_webhook_service="gitlab", awx_webhook_key_file=str(path))
    assert (
        code == 2
        and f"awx_webhook_key_file: {path}: that file has no secret of AWX"
        in " ".join(output.split())
    )
    assert awx.list_options_of_calls("organization") == []


def test_a_secret_of_a_push_that_awx_made_may_be_replaced(awx: FakeAwx) -> None:
    path = awx.folder / "webhook.key"
    path.write_text("aB3" * 16 + "zz", encoding="utf-8")
    _code, output = awx.load(
        **SECRETS, awx_webhook_service="gitlab", awx_webhook_key_file=str(path)
    )

    assert (
        "that file has no secret" not in output
        and len(awx.list_options_of_calls("organization")) == 1
    )


def test_every_team_may_read_the_inventory(loaded: FakeAwx) -> None:
    readers = [
        row["teams"]
        for row in loaded.list_options_of_calls("role")
        if row["role"] == "read" and "inventories" in row
    ]
    assert readers == [[row["name"] for row in TABLES["controller_teams"]]]


def test_no_question_has_an_empty_default(loaded: FakeAwx) -> None:
    surveys = [
        row["survey_spec"]["spec"]
        for row in loaded.list_options_of_calls("job_template")
        if row.get("survey_enabled")
    ]
    questions = [question for spec in surveys for question in spec]

    assert len(questions) > 20
    assert [question["variable"] for question in questions if question.get("default") == ""] == []


PANEL = {"api_url": "https://panel.example"}
LOOKUP = {
    "awx_lookup_type": "A lookup",
    "awx_lookups": {"awx_repository_key": {"secret_path": "panels"}},
}
MISSING = {
    "the Vault password": ({"awx_vault_password": None}, "Panels - Vault", "awx_vault_password is"),
    "an empty one": ({"awx_vault_password": ""}, "Panels - Vault", "awx_vault_password is"),
    "the host key": (
        {"awx_repository_known_hosts": None},
        "Panels - deploy key",
        "awx_repository_known_hosts is",
    ),
    "both": (
        {"awx_repository_key": None, "awx_repository_known_hosts": None},
        "Panels - deploy key",
        "awx_repository_key and awx_repository_known_hosts are",
    ),
    "the password of the registry": (
        {"awx_registry": {"host": "images.example"}},
        "Panels - images",
        "awx_registry_password is",
    ),
    "the key of the panel": ({"awx_panel": PANEL}, "Panels - the panel", "awx_panel_api_key is"),
    "the host key beside a key that is looked up": (
        {
            "awx_repository_known_hosts": None,
            "awx_repository_key": None,
            **LOOKUP,
            "awx_lookup_inputs": {"url": "u"},
        },
        "Panels - deploy key",
        "awx_repository_known_hosts is",
    ),
}


@pytest.mark.parametrize("name", MISSING)
def test_a_credential_that_is_not_written_is_named_with_what_is_missing(
    awx: FakeAwx, name: str
) -> None:
    changes, credential, lacking = MISSING[name]
    awx.make_repository_unreadable(True)  # which ends it after the credentials
    secrets = {name: value for name, value in {**SECRETS, **changes}.items() if value is not None}
    _code, text = awx.load(**secrets)

    assert f"{credential}: not written, because {lacking} missing in the settings." in text
    assert credential not in {row["name"] for row in awx.list_options_of_calls("credential")}


@pytest.mark.parametrize("is_looked_up", [False, True], ids=["given", "looked up"])
def test_no_credential_is_named_where_its_secrets_are_given_or_looked_up(
    awx: FakeAwx, is_looked_up: bool
) -> None:
    hosts = {"awx_repository_known_hosts": SECRETS["awx_repository_known_hosts"]}
    lookups = {name: {"secret_path": "panels"} for name in SECRETS.keys() - hosts.keys()}
    inputs = {"url": "https://vault.example"}
    looked_up = {
        **hosts,
        "awx_lookups": lookups,
        "awx_lookup_type": "A lookup",
        "awx_lookup_inputs": inputs,
    }

    awx.make_repository_unreadable(True)
    _code, text = awx.load(**(looked_up if is_looked_up else SECRETS))

    assert "could not read the repository" in text
    assert "not written, because" not in text


@pytest.mark.parametrize(
    ("secret", "setting"),
    [("awx_panel_api_key", "awx_panel"), ("awx_registry_password", "awx_registry")],
)
def test_a_secret_is_not_looked_up_for_a_credential_that_no_setting_asks_for(
    awx: FakeAwx, secret: str, setting: str
) -> None:
    """Name the setting before anything is written, since AWX refuses it after the credentials."""
    lookups = {
        "awx_lookups": {secret: {"secret_path": "panels"}},
        "awx_lookup_inputs": {"url": "u"},
    }
    code, text = awx.load(**SECRETS, **{**LOOKUP, **lookups})

    assert code == 2
    assert f"{setting}: missing. awx_lookups.{secret} needs it. Nothing was written." in text
    assert list_all_calls(awx) == []


WRITTEN = {
    "a panel whose certificate is checked": (
        {"awx_panel": {**PANEL, "skip_certificate_check": False}, "awx_panel_api_key": "k"},
        "Panels - the panel",
        {**PANEL, "skip_certificate_check": False, "api_key": "k"},
    ),
    "a panel with an empty authority": (
        {"awx_panel": {**PANEL, "ca": ""}, "awx_panel_api_key": "k"},
        "Panels - the panel",
        {**PANEL, "api_key": "k"},
    ),
    "a registry without a username": (
        {"awx_registry": {"host": "images.example"}, "awx_registry_password": "p"},
        "Panels - images",
        {"host": "images.example", "password": "p"},
    ),
    "a lookup with a switch that is off": (
        {**LOOKUP, "awx_lookup_inputs": {"url": "https://vault.example", "is_checked": False}},
        "Panels - lookup",
        {"url": "https://vault.example", "is_checked": False},
    ),
    "a signature": (
        {"awx_signature_key": "PUBLIC"},
        "Panels - signature",
        {"gpg_public_key": "PUBLIC"},
    ),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_a_credential_is_written_also_where_a_field_that_it_does_not_need_is_empty_or_off(
    awx: FakeAwx, name: str
) -> None:
    settings, credential, inputs = WRITTEN[name]
    awx.make_repository_unreadable(True)  # which ends it after the credentials
    _code, text = awx.load(**SECRETS, **settings, awx_update_secrets=True)
    written = {row["name"]: row for row in awx.list_options_of_calls("credential")}

    assert credential in written, text
    assert written[credential]["inputs"] == inputs
    assert written[credential]["update_secrets"] is True
    assert set(written) == {
        "Panels - repository",
        "Panels - deploy key",
        "Panels - Vault",
        credential,
    }


VARIABLES = TABLES["__awx_variables"]
OPTIONAL = [name for name, rules in VARIABLES.items() if not rules.get("required")]
REQUIRED = [name for name, rules in VARIABLES.items() if rules.get("required")]
EMPTY = {"null": None, "an empty text": "", "a blank": " "}
NOT_NEEDED = [name for name in OPTIONAL if name not in SECRETS]


def list_all_calls(awx: FakeAwx) -> list[tuple[str, Mapping[str, Any]]]:
    """Return every call in its order, without what each ansible-core adds."""
    lines = (awx.folder / "notes").read_text(encoding="utf-8").splitlines()
    notes = [json.loads(line) for line in lines]
    return [(note["module"], note["options"]) for note in notes]


@pytest.fixture(scope="module")
def calls_without_options(
    tmp_path_factory: pytest.TempPathFactory,
) -> list[tuple[str, Mapping[str, Any]]]:
    """Return what is asked of AWX where only the required settings are given.

    And the secrets of every load.
    """
    fake = FakeAwx(tmp_path_factory.mktemp("plain"))
    code, text = fake.load(**SECRETS)
    assert code == 0, text
    return list_all_calls(fake)


@pytest.mark.parametrize("value", EMPTY.values(), ids=EMPTY)
def test_empty_settings_load_the_same_objects_as_settings_that_are_not_given(
    awx: FakeAwx, calls_without_options: list[tuple[str, Mapping[str, Any]]], value: str | None
) -> None:
    code, text = awx.load(**SECRETS, **dict.fromkeys(NOT_NEEDED, value))
    assert code == 0, text
    assert list_all_calls(awx) == calls_without_options


SETTING_IN_A_TEMPLATE = re.compile(rf"(?<![\w.'\[])({'|'.join(VARIABLES)})\b(?!')")


@pytest.mark.parametrize(
    "path", [AWX / "load.yml", *sorted((AWX / "objects").glob("*.yml"))], ids=lambda path: path.name
)
def test_no_template_reads_a_setting_past_the_rule(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    conditions = [line for line in lines if re.match(r" *when: ", line)]

    templates = re.findall(r"\{\{.*?\}\}", path.read_text(encoding="utf-8"), re.DOTALL)
    texts = [re.sub(r"'[^']*'", "''", text) for text in [*conditions, *templates]]

    assert [text for text in texts if SETTING_IN_A_TEMPLATE.search(text)] == []


def test_the_rule_knows_every_setting_of_the_example() -> None:
    text = (AWX / "settings.yml").read_text(encoding="utf-8")
    named = set(re.findall(r"^(?:# )?(awx_\w+):", text, re.MULTILINE))

    # Only other settings of the example read these.
    assert named - {"awx_notification_password", "awx_lookup_secret"} == set(VARIABLES)


MISTAKES = {
    "a source without a folder": (
        {"awx_volume_source": "/srv/panels"},
        "awx_volume_folder: missing.",
    ),
    "a source with an empty folder": (
        {"awx_volume_source": "/srv/panels", "awx_volume_folder": " "},
        "awx_volume_folder: missing.",
    ),
    "a claim without a folder": ({"awx_volume_claim": "panels"}, "awx_volume_folder: missing."),
    "a notification without its fields": (
        {"awx_notification_type": "email", "awx_notification_configuration": None},
        "awx_notification_configuration: missing.",
    ),
    "a panel that is a text": (
        {"awx_panel": "https://panel.example"},
        "awx_panel: text is invalid.",
    ),
    "a panel without an address": ({"awx_panel": {"api_url": ""}}, "awx_panel.api_url: missing."),
    "a field that a panel does not have": (
        {"awx_panel": {"api_url": "https://panel.example", "api_key": "k"}},
        "awx_panel.api_key: unknown.",
    ),
    **{
        f"{name} in a field of the lookup": (
            {**LOOKUP, "awx_lookup_inputs": {"url": "https://vault.example", "secret_id": value}},
            "awx_lookup_inputs.secret_id: empty.",
        )
        for name, value in EMPTY.items()
    },
    "a template without a value": (
        {"awx_signature_key": "{{ not_there }}"},
        "awx_signature_key: its template",
    ),
    **{f"an empty {name}": ({name: ""}, f"{name}: missing.") for name in REQUIRED},
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_in_the_settings_is_named_before_anything_is_written(
    awx: FakeAwx, name: str
) -> None:
    changes, message = MISTAKES[name]
    code, text = awx.load(**{**SECRETS, **changes})

    assert code == 2
    assert message in text and "Nothing was written." in text
    assert list_all_calls(awx) == []
