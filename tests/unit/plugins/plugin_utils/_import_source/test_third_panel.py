"""A panel needs a dump and a reader to be imported: what else it may have is optional."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.parsing.vault import VaultLib

from ansible_collections.hosting.panel.plugins.action import panel_import
from ansible_collections.hosting.panel.plugins.plugin_utils._import_live import ask_panel
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.read_source import (
    PANELS,
    AnswersForm,
    SourcePanel,
    read_answers,
    read_path,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.source_answers import (
    Answers,
    KeptAnswers,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.source_shape import (
    Customer,
    Limits,
    Origin,
    Source,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.source_tables import (
    SourceError,
    TableForm,
    Tables,
)
from tests.support.in_memory import InMemory
from tools.layout import ROOT

FORMS = (TableForm("kiosk_accounts", "id", ("login",)),)
DUMP = """-- MariaDB dump 10.19
CREATE TABLE `kiosk_accounts` (
  `id` int(11),
  `login` text
);
INSERT INTO `kiosk_accounts` VALUES (1,'anna');
-- Dump completed
"""


def read_kiosk(tables: Tables) -> Source:
    """Return the customers of the panel."""
    customers = [
        Customer(Origin("kiosk_accounts", row["id"] or ""), row["login"] or "", "", Limits())
        for row in tables.list_rows("kiosk_accounts")
    ]
    return Source(customers=tuple(customers))


def make_tables(answers: Answers) -> Tables:
    """Return the table that the only answer of the panel's API shows."""
    return Tables({"kiosk_accounts": answers.get_body("accounts")}, answers.location)


def add_berta(tables: Tables, source: Path) -> Tables:
    """Return the tables with the row of a file beside the source."""
    row = json.loads((source.parent / "more.json").read_text(encoding="utf-8"))
    return Tables({"kiosk_accounts": [*tables.list_rows("kiosk_accounts"), row]}, tables.location)


KIOSK = SourcePanel(title="Kiosk", forms=FORMS, mark="kiosk_accounts", read=read_kiosk)
Register = Callable[[SourcePanel], None]


@pytest.fixture
def register(monkeypatch: pytest.MonkeyPatch) -> Register:
    """Return what registers a third panel for the time of a test."""

    def register(panel: SourcePanel) -> None:
        monkeypatch.setitem(PANELS, "kiosk", panel)
        source_option = {"type": "str", "required": True, "choices": list(PANELS)}
        monkeypatch.setitem(panel_import.ActionModule.specification, "source", source_option)

    return register


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    """Return a dump of the third panel."""
    path = tmp_path / "kiosk.sql"
    path.write_text(DUMP, encoding="utf-8")
    return path


def run_import(folder: Path, **options: Any) -> dict[str, Any]:
    """Return the result of an import of the third panel."""
    defaults = {"source": "kiosk", "dir": str(folder / "panel"), "passwords": "new"}
    return InMemory().run("panel_import", **{**defaults, **options})


def list_usernames(source: Source) -> list[str]:
    """Return the names of all customers."""
    return [customer.username for customer in source.customers]


def test_a_panel_with_a_reader_alone_is_imported_from_its_dump(
    register: Register, dump: Path, tmp_path: Path
) -> None:
    register(KIOSK)

    result = run_import(tmp_path, path=str(dump))

    assert not result.get("failed"), result["msg"]
    assert result["counts"]["clients"] == 1


def test_a_panel_without_an_api_is_asked_by_no_address(register: Register, tmp_path: Path) -> None:
    register(KIOSK)

    result = run_import(tmp_path, source_url="https://kiosk.example")

    assert result["msg"] == (
        "source_url: Kiosk has no API that an import asks. Nothing was written. "
        "Set path to a dump of its database."
    )


def test_a_panel_without_answers_refuses_a_directory_of_them(
    register: Register, tmp_path: Path
) -> None:
    register(KIOSK)

    result = run_import(tmp_path, path=str(tmp_path))

    assert result["msg"] == (
        f"path: {tmp_path}: answers of an API of Kiosk are not read. Give a dump of its database. "
        "Nothing was written."
    )


def test_answers_and_a_file_beside_them_are_read_where_a_panel_has_them(
    register: Register, dump: Path, tmp_path: Path
) -> None:
    register(
        KIOSK._replace(
            answers=AnswersForm(frozenset({"accounts"}), make_tables), add_files=add_berta
        )
    )
    (tmp_path / "more.json").write_text('{"id": "2", "login": "berta"}', encoding="utf-8")
    directory = tmp_path / "answers"
    directory.mkdir()
    answer = [{"id": "1", "login": "anna"}]
    (directory / "accounts.json").write_text(json.dumps(answer), encoding="utf-8")

    assert list_usernames(read_path("kiosk", dump, VaultLib())) == ["anna", "berta"]
    assert list_usernames(read_path("kiosk", directory, VaultLib())) == ["anna", "berta"]
    # Answers that are kept nowhere have no file beside them.
    assert list_usernames(read_answers("kiosk", KeptAnswers("old", {"accounts": answer}))) == [
        "anna"
    ]


@pytest.mark.parametrize(
    ("panel", "function", "title"),
    [
        ("froxlor", "client_get", "ISPConfig"),
        ("froxlor", "client_get_all", "ISPConfig"),
        ("ispconfig", "Customers.listing", "froxlor"),
        ("ispconfig", "accounts", "Kiosk"),
        ("froxlor", "accounts", "Kiosk"),
        ("kiosk", "Customers.listing", "froxlor"),
        ("kiosk", "sites_web_domain_get", "ISPConfig"),
    ],
)
def test_answers_of_any_other_panel_say_whose_they_are(
    register: Register, panel: str, function: str, title: str
) -> None:
    register(KIOSK._replace(answers=AnswersForm(frozenset({"accounts"}), make_tables)))

    with pytest.raises(SourceError, match=rf"^old: these are answers of {title}\."):
        read_answers(panel, KeptAnswers("old", {function: []}))


def test_a_dump_of_the_third_panel_is_none_of_another(register: Register, dump: Path) -> None:
    register(KIOSK)

    with pytest.raises(SourceError, match="this is a dump of Kiosk"):
        read_path("froxlor", dump, VaultLib())


# The places that name the panels


SURVEY = """variable: import_source
      type: multiplechoice
      required: true
      choices: """


def test_only_panels_that_are_read_are_asked() -> None:
    assert ask_panel.LIVE_PANELS.keys() <= {
        name for name, panel in PANELS.items() if panel.answers is not None
    }


@pytest.mark.parametrize(
    ("path", "entry"),
    [
        ("plugins/modules/panel_import.py", "choices: "),
        ("playbooks/vars/panel.yml", "import_source: {type: choice, choices: "),
        ("extensions/awx/project/vars/panels.yml", "import_source: {type: choice, choices: "),
        ("extensions/awx/objects/job_templates.yml", SURVEY),
    ],
)
def test_each_list_of_panels_names_all(path: str, entry: str) -> None:
    text = (ROOT / path).read_text(encoding="utf-8")

    choices = re.search(rf"{re.escape(entry)}(\[.*?\])", text)

    assert choices is not None
    assert sorted(yaml.safe_load(choices[1])) == sorted(PANELS)
