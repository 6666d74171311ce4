"""The playbook hosting.panel.import, by the name that users type, and what plan and apply make of
its files."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.integration.roles.operators import Operator, assert_refused
from tests.support.folder_texts import read_texts
from tests.support.froxlor_source import BCRYPT, dump_text, make_answer_bodies, make_froxlor_rows
from tests.support.ispconfig_sample import make_sample
from tests.support.ispconfig_source import make_answers
from tests.support.source_server import PASSWORD, USERNAME, SourceServer, serve

MakeOperator = Callable[[str], Operator]
IMPORT = "hosting.panel.import"
VARIABLES: dict[str, Any] = {
    "import_source": "froxlor",
    "import_path": "froxlor.sql",
    "panel_dir": "imported",
}


@pytest.fixture
def operator(make_operator: MakeOperator) -> Operator:
    """Return an operator who has a dump of froxlor."""
    operator = make_operator("importing")
    (operator.folder / "froxlor.sql").write_text(dump_text(make_froxlor_rows()), encoding="utf-8")
    return operator


def test_an_import_is_shown_in_forty_lines_planned_applied_and_nothing_is_left_to_do(
    operator: Operator,
) -> None:
    (operator.folder / "decisions.yml").write_text("mailbox_size: 5G\n", encoding="utf-8")
    variables = {
        **VARIABLES,
        "import_page_file": "imported/README.md",
        "import_content_file": "content.json",
        "import_mapping_file": "decisions.yml",
        "import_clients": "",
        "import_passwords": "",
    }

    predicted = operator.run(IMPORT, variables, "--check")

    assert (predicted.code, predicted.writes) == (0, []), predicted.text
    assert not (operator.folder / "imported").exists()

    run = operator.run(IMPORT, variables)

    assert (run.code, run.writes, run.recap["changed"]) == (0, [], 1), run.text
    assert len([line for line in run.text.splitlines() if line.strip()]) <= 40
    assert "Files in imported: 4 written" in run.said
    assert BCRYPT not in run.text
    assert {"README.md", "panel.yml", "clients/muehle.yml"} <= read_texts(
        operator.folder / "imported"
    ).keys()

    second_run = operator.run(IMPORT, variables)
    assert (second_run.code, second_run.recap["changed"]) == (0, 0), second_run.text

    operator.simulator.change_settings(
        {"password_hashes": "written", "ignore_account_limits": True, "status_delay": 0}
    )
    files = {"panel_dir": "imported", "panel_passwords_file": "passwords.yml"}
    applied = operator.run("hosting.panel.apply", {**files, "panel_confirm": False})
    assert applied.code == 0, applied.text
    assert applied.writes

    planned = operator.run("hosting.panel.plan", files)
    assert planned.code == 0, planned.text
    assert "0 to create, 0 to update, 0 to delete" in planned.said


def test_the_command_of_the_last_line_works_though_all_passwords_stay(operator: Operator) -> None:
    # An address that only forwards has no password at the source, and gets one.
    (operator.folder / "decisions.yml").write_text("skip: [databases]\n", encoding="utf-8")
    variables = {
        **VARIABLES,
        "import_clients": "muehle",
        "import_mapping_file": "decisions.yml",
    }

    imported = operator.run(IMPORT, variables)

    assert re.search(r"Passwords: [1-9][0-9]* stay, 0 new", imported.said), imported.text
    ((playbook, arguments),) = re.findall(
        r"Next: ansible-playbook (\S+) (.*?) --ask-vault-pass", imported.said
    )
    planned = operator.run(playbook, dict(re.findall(r"-e (\w+)=(\S+)", arguments)))
    assert planned.code == 0, planned.text


@pytest.mark.parametrize("panel", ["ispconfig", "froxlor"])
def test_a_live_panel_is_asked_in_place_of_a_dump(operator: Operator, panel: str) -> None:
    if panel == "ispconfig":
        server = SourceServer(make_answers(make_sample()))
        answer = server.answer_ispconfig
    else:
        server = SourceServer(make_answer_bodies(make_froxlor_rows()))
        answer = server.answer_froxlor
    variables = {
        "import_source": panel,
        "import_username": USERNAME,
        "import_password": PASSWORD,
        "panel_dir": "imported",
    }

    with serve(server, answer) as url:
        predicted = operator.run(IMPORT, {**variables, "import_url": url}, "--check", "-vvv")
        run = operator.run(IMPORT, {**variables, "import_url": url}, "--diff", "-vvv")
        second_run = operator.run(IMPORT, {**variables, "import_url": url})
        refused = operator.run(
            IMPORT, {**variables, "import_url": url, "import_password": "wrong-one-26"}
        )

    assert (predicted.code, run.code, second_run.code) == (0, 0, 0), run.text
    assert (run.recap["changed"], second_run.recap["changed"]) == (1, 0)
    assert refused.code != 0
    assert "import_password" in refused.said
    assert server.sessions == {}
    for text in (predicted.text, run.text, second_run.text):
        assert PASSWORD not in text
        assert "-of-the-import" not in text
    assert "wrong-one-26" not in refused.text


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"import_url": "https://old.example"}, "import_path: import_url is set too."),
        ({"import_path": "", "import_url": "old.example"}, "import_username: missing."),
        ({"import_password": "x"}, "import_password: only an import from import_url uses it."),
        ({"import_pasword": "x"}, "import_pasword: did you mean import_password?"),
        ({"import_dir": "x", "panel_dir": ""}, "panel_dir: missing."),
        ({"import_source": ""}, "import_source: missing. Set it to ispconfig or froxlor."),
        (
            {"import_source": "plesk"},
            "import_source: 'plesk' is invalid. Use ispconfig or froxlor.",
        ),
        ({"import_path": ""}, "import_path: missing."),
        ({"import_mapping_file": "no.yml"}, "import_mapping_file: no.yml: No such file"),
        ({"import_mapping_file": "broken.yml"}, "import_mapping_file: broken.yml: line "),
        ({"import_mapping_file": "list.yml"}, "list.yml: the file holds no dictionary."),
    ],
)
def test_a_mistake_in_a_variable_is_named_before_anything_is_read(
    operator: Operator, variables: dict[str, Any], message: str
) -> None:
    (operator.folder / "broken.yml").write_text("a: [", encoding="utf-8")
    (operator.folder / "list.yml").write_text("- a\n", encoding="utf-8")

    refused = operator.run(IMPORT, {**VARIABLES, **variables})

    assert_refused(refused, message)
    is_missing = message.startswith("import_source: missing.")
    assert ("import_source: missing." in refused.said) == is_missing
    assert not (operator.folder / "imported").exists()


def test_a_wrong_decision_is_named_by_the_variable_of_its_file(operator: Operator) -> None:
    (operator.folder / "decisions.yml").write_text("adresses: {}\n", encoding="utf-8")

    run = operator.run(IMPORT, {**VARIABLES, "import_mapping_file": "decisions.yml"})

    assert run.code != 0
    assert (
        "import_mapping_file.adresses: there is no such part; did you mean addresses?" in run.said
    )
    assert not (operator.folder / "imported").exists()
