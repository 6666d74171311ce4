"""Each job of the kit with what AWX writes: nothing for optional questions, strings for choices.

Every optional question of every survey is left empty, which AWX writes as ``!unsafe ''`` and newer
releases of ansible-core hand on as null; or is not there, as in a launch by the API or a schedule.
In the output there is no path of the job's container and no command line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from ansible.release import __version__

from tests.support.awx import KEYS, Fleet, Play, list_survey_questions, read_tables
from tests.support.froxlor_source import dump_text, make_froxlor_rows
from tests.support.ispconfig_sample import make_sample
from tests.support.ispconfig_source import make_answers, write_dump
from tests.support.simulator import Simulator
from tests.support.source_server import PASSWORD, USERNAME, SourceServer, serve

TABLES = read_tables()
TEMPLATES = {row["playbook"]: row for row in TABLES["controller_templates"]}
CUSTOMERS = "client: {username: new, email: it@new.example}\ndomains: [{domain: new.example}]\n"
ANSIBLE = tuple(map(int, __version__.split(".")[:2]))
# What a person answers to the required questions that have no default.
ANSWERS: dict[str, Any] = {
    "import_path": "froxlor.sql",
    "panels_clients": "acme\n",
    "panels_customers": "customers.yml",
    "panels_rotation": "spring",
    "move_step": "copy",
    "panels_source": "panel1",
    "panels_target": "panel2",
}
# Of the question for the client.
CLIENTS = {"onboard.yml": "fresh", "move.yml": "mover", "offboard.yml": "acme"}
LIMITS = dict.fromkeys(
    ("onboard.yml", "sites.yml", "import.yml", "suspend.yml", "rotate.yml", "offboard.yml"),
    "panel1",
)
_COMMAND = re.compile(r"ansible-(?:playbook|vault)|(?<!\S)-e ")
_ODD = re.compile(r"NoneType|CapturedException|Traceback|\bNone\b|\bnull\b(?!,)")


@pytest.fixture(scope="module")
def fleet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fleet]:
    """Yield two panels and a repository that has their files."""
    folder = tmp_path_factory.mktemp("fleet")
    settings = {"status_delay": 0.0}

    with (
        Simulator.start(KEYS["panel1"], settings) as first,
        Simulator.start(KEYS["panel2"], settings) as second,
    ):
        fleet = Fleet(folder, {"panel1": first, "panel2": second})
        (fleet.work / "customers.yml").write_text(CUSTOMERS, encoding="utf-8")
        (fleet.work / "froxlor.sql").write_text(dump_text(make_froxlor_rows()), encoding="utf-8")
        write_dump(make_sample(), fleet.work / "ispconfig.sql")
        fleet.commit("Add customers")
        yield fleet


def as_it_was(fleet: Fleet) -> None:
    """Set the panels and the repository back to the beginning of a case."""
    for name, panel in fleet.panels.items():
        panel.reset()
        clients = [{"username": "acme"}, *([{"username": "mover"}] if name == "panel1" else [])]
        domains = [{"domain": "acme.example", "client": "acme"}]
        panel.seed(
            {"clients": clients, "domains": domains, "emails": [{"email": "info@acme.example"}]}
        )


def make_blank_answers(playbook: str) -> dict[str, Any]:
    """Return the answers of a person who leaves every optional question empty."""
    answers = {}
    for question in list_survey_questions(TEMPLATES[playbook], TABLES):
        name = question["variable"]
        required = {**ANSWERS, "panels_client": CLIENTS.get(playbook)}
        answer = required.get(name, question.get("default")) if question["required"] else ""
        is_multiple = question["type"] == "multiselect" and isinstance(answer, str) and answer
        answers[name] = [answer] if is_multiple else answer

    if playbook == "import.yml":
        # One of two optional questions, of which one has to be answered.
        answers["import_path"] = ANSWERS["import_path"]
    return answers


def list_choices() -> Iterator[tuple[str, str, str]]:
    """Yield each choice of each question of one choice."""
    for playbook, template in TEMPLATES.items():
        for question in list_survey_questions(template, TABLES):
            if question["type"] == "multiplechoice":
                yield from (
                    (playbook, question["variable"], choice) for choice in question["choices"]
                )


def find_mistakes(fleet: Fleet, play: Play) -> list[str]:
    """Return what no output of a job has."""
    lines = play.displayed.splitlines()
    paths = [
        line
        for line in lines
        if str(fleet.folder) in line.replace(str(get_volume(fleet)), "") or "/panels." in line
    ]
    commands = [line for line in lines if _COMMAND.search(line)]

    return [*paths, *commands, *(line for line in lines if _ODD.search(line))]


def get_volume(fleet: Fleet) -> Path:
    """Return the folder of files that no repository may have."""
    folder = fleet.folder / "volume"
    folder.mkdir(exist_ok=True)
    return folder


def run(fleet: Fleet, playbook: str, answers: Mapping[str, Any], limit: str | None = None) -> Play:
    """Run a playbook of a job as the survey's answers would have it run.

    limit: the hosts of the job; None for those that the playbook is for.
    """
    as_it_was(fleet)
    more = (
        {"panels_volume": str(get_volume(fleet))}
        if playbook in ("rotate.yml", "offboard.yml")
        else {}
    )
    hosts = LIMITS.get(playbook, "") if limit is None else limit
    return fleet.play(playbook, answers, hosts, **more)


@pytest.mark.parametrize("playbook", sorted(set(TEMPLATES) - {"apply.yml"}))
@pytest.mark.parametrize("how", ["left empty", "not given"])
def test_a_job_without_answers_to_optional_questions_does_its_work(
    fleet: Fleet, playbook: str, how: str
) -> None:
    answers = make_blank_answers(playbook)

    if how == "not given":
        answers = {name: answer for name, answer in answers.items() if answer != ""}
        if answers == make_blank_answers(playbook):
            pytest.skip("no question is optional")

    if playbook in ("drift.yml", "plan.yml"):
        as_it_was(fleet)
        assert fleet.play("export.yml", {}).code == 0

    play = run(fleet, playbook, answers)

    assert (play.code, find_mistakes(fleet, play)) == (0, []), play.text


def test_blanks_for_a_volume_and_a_branch_count_as_not_given(fleet: Fleet) -> None:
    as_it_was(fleet)
    play = fleet.play(
        "onboard.yml",
        make_blank_answers("onboard.yml"),
        LIMITS["onboard.yml"],
        panels_volume=" ",
        panels_branch=" ",
    )

    assert (play.code, find_mistakes(fleet, play)) == (0, []), play.text


@pytest.mark.parametrize("name", ["2026-11-29", '"83"', " spring ", '"2026-11-30"'])
def test_a_rotation_has_the_name_that_was_typed_whatever_yaml_makes_of_it(
    fleet: Fleet, name: str
) -> None:
    play = run(fleet, "rotate.yml", {**make_blank_answers("rotate.yml"), "panels_rotation": name})
    assert (play.code, find_mistakes(fleet, play)) == (0, []), play.text

    typed = name.strip(' "')
    assert f"rotation {typed}: 1 new password is in" in play.flat_text


@pytest.mark.parametrize("answer", ["acme", " acme ", '"acme"'])
def test_a_client_and_its_confirmation_are_the_same_however_they_are_typed(
    fleet: Fleet, answer: str
) -> None:
    answers = {"panels_client": answer, "offboard_action": "delete", "panels_confirm": "acme"}
    play = run(fleet, "offboard.yml", answers)

    assert (play.code, find_mistakes(fleet, play)) == (0, []), play.text
    assert "acme: deleted." in play.flat_text


@pytest.mark.parametrize(
    ("confirmation", "repeated"),
    [("", ""), ("acm", "'acm' is not the name of the client; ")],
)
def test_a_deletion_that_is_not_confirmed_names_the_answer_that_is_missing(
    fleet: Fleet, confirmation: str, repeated: str
) -> None:
    answers = {
        "panels_client": "acme",
        "offboard_action": "delete",
        "panels_confirm": confirmation,
    }
    play = run(fleet, "offboard.yml", answers)

    assert play.code != 0
    assert f"panels_confirm: {repeated}this would delete client acme" in play.flat_text
    assert "Set panels_confirm to acme to delete the client." in play.flat_text


NO_CLIENT = {"panels_client": "nobody"}
# By case the playbook, the answers, and what the message says.
NAMED_BY_QUESTION: dict[str, tuple[str, dict[str, Any], str]] = {
    "a client to rotate that is not there": (
        "rotate.yml",
        {"panels_clients": "acmee"},
        "panels_clients: nothing on this panel fits acmee; did you mean acme?",
    ),
    "a client to rotate with an invisible sign": (
        "rotate.yml",
        {"panels_clients": "a\u200bcme"},
        "panels_clients: nothing on this panel fits",
    ),
    "no client to rotate": (
        "rotate.yml",
        {"panels_clients": "\n,\n"},
        "panels_clients",
    ),
    "a client to suspend with an invisible sign": (
        "suspend.yml",
        {"panels_clients": "a\u200bcme"},
        "panels_clients[0]: ",
    ),
    "a hosting plan that is not there": (
        "onboard.yml",
        {"panels_hosting_plan": "Busines"},
        "panels_hosting_plan: there is no hosting plan Busines on this panel",
    ),
    "a file of customers that is not there": (
        "sites.yml",
        {"panels_customers": "nofile.csv"},
        "panels_customers: there is no file or directory ",
    ),
    "a mailbox that is no address": (
        "onboard.yml",
        {"panels_mailboxes": "info@fresh"},
        "panels_mailboxes[0] (info@fresh) email: ",
    ),
    "an e-mail address that is none": (
        "onboard.yml",
        {"panels_email": "fresh"},
        "panels_email: 'fresh' is not accepted",
    ),
    "a client to move that is not there": (
        "move.yml",
        NO_CLIENT,
        "panels_client: there is no client nobody on the source",
    ),
    "a client to move that is no username": (
        "move.yml",
        {"panels_client": "../x"},
        "panels_client: this is no username.",
    ),
    "a new address that is none": (
        "move.yml",
        {"panels_addresses": "192.0.2.1 new"},
        "panels_addresses",
    ),
    "a new name that is none": (
        "move.yml",
        {"panels_names": "old.example 192.0.2.1"},
        "panels_names",
    ),
    "one panel twice": (
        "move.yml",
        {"panels_target": "panel1"},
        "panels_target: the client is that of the source, and both addresses lead to one panel.",
    ),
    "one panel twice, to prepare": (
        "move.yml",
        {"panels_target": "panel1", "move_step": "prepare"},
        "panels_target: the client is that of the source, and both addresses lead to one panel.",
    ),
    "one panel twice, to compare": (
        "move.yml",
        {"panels_target": "panel1", "move_step": "verify"},
        "panels_target: the client is that of the source, and both addresses lead to one panel.",
    ),
}
_OF_A_ROLE = re.compile(
    r"\b(?:rotate|suspend|move|offboard|sites?)_"
    r"(?:clients?|id|names|addresses|confirm|hosting_plan|emails|from)\b"
)


@pytest.mark.parametrize(
    ("playbook", "answers", "message"), NAMED_BY_QUESTION.values(), ids=NAMED_BY_QUESTION
)
def test_a_wrong_answer_is_named_by_the_variable_of_its_question(
    fleet: Fleet, playbook: str, answers: dict[str, Any], message: str
) -> None:
    play = run(fleet, playbook, {**make_blank_answers(playbook), **answers})

    assert play.code == 2
    assert message in play.flat_text, play.text
    assert _OF_A_ROLE.findall(play.flat_text) == []


@pytest.mark.parametrize(
    "commit", [{}, {"author": None}, {"author": {"name": "Operator"}}], ids=str
)
def test_a_push_whose_commits_name_no_author_is_one_of_a_person(
    fleet: Fleet, commit: dict[str, Any]
) -> None:
    payload = {"ref": "refs/heads/main", "commits": [commit]}
    play = fleet.play("pushed.yml", {}, awx_webhook_payload=payload)

    assert play.code == 0, play.text


QUESTIONS = [
    (playbook, question["variable"])
    for playbook, template in TEMPLATES.items()
    for question in list_survey_questions(template, TABLES)
    if question["type"] in ("text", "textarea", "password")
]


@pytest.mark.skipif(
    ANSIBLE < (2, 19), reason="older releases of ansible-core hand answers on as they were typed"
)
@pytest.mark.parametrize(("playbook", "variable"), QUESTIONS)
def test_a_number_is_refused_with_what_to_type_before_anything_is_made(
    fleet: Fleet, playbook: str, variable: str, tmp_path: Path
) -> None:
    as_it_was(fleet)
    answers = {**make_blank_answers(playbook), variable: "83"}

    play = fleet.play(
        playbook, answers, LIMITS.get(playbook, ""), panels_volume=str(tmp_path / "volume")
    )

    assert play.code == 2

    advice = (
        "Use a text that is no number"
        if variable in ("import_password", "panels_password")
        else "Type it in double quotes, also in a survey."
    )

    assert f"{variable}: " in play.flat_text and advice in play.flat_text, play.text
    assert not (tmp_path / "volume").exists()
    assert [write for panel in fleet.panels.values() for write in panel.list_writes()] == []


@pytest.mark.parametrize("variable", ["panels_addresses", "panels_names"])
def test_lines_with_two_new_values_for_an_old_one_are_refused_by_name(
    fleet: Fleet, variable: str
) -> None:
    as_it_was(fleet)
    lines = "old.example new.example\nOLD.example other.example\nelse.example new.example\n"

    play = fleet.play("move.yml", {**make_blank_answers("move.yml"), variable: lines})

    assert play.code == 2
    assert (
        "the new one only: old.example new.example; OLD.example other.example. Nothing was read"
        in play.flat_text
    )


def test_a_panel_that_runs_is_imported_with_the_password_of_the_survey(fleet: Fleet) -> None:
    server = SourceServer(make_answers(make_sample()))
    with serve(server, server.answer_ispconfig) as url:
        answers = {
            "import_source": "ispconfig",
            "import_path": "",
            "import_url": url,
            "import_username": USERNAME,
            "import_password": PASSWORD,
            "import_passwords": "new",
        }
        play = run(fleet, "import.yml", {**make_blank_answers("import.yml"), **answers}, "panel2")

    assert (play.code, find_mistakes(fleet, play)) == (0, []), play.text
    assert PASSWORD not in play.text
    assert server.sessions == {}


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ({"import_path": ""}, "import_path: missing."),
        ({"import_url": "https://old.example"}, "import_path: import_url is set too."),
        ({"import_path": "", "import_url": "https://old.example"}, "import_username: missing."),
    ],
)
def test_a_source_that_is_missing_or_given_twice_is_named_by_its_question(
    fleet: Fleet, answers: dict[str, str], message: str
) -> None:
    play = run(fleet, "import.yml", {**make_blank_answers("import.yml"), **answers}, "panel1")

    assert play.code == 2
    assert message in play.flat_text


def test_a_wrong_name_of_the_test_client_is_told_by_its_variable(fleet: Fleet) -> None:
    answers = {**make_blank_answers("verify.yml"), "panel_verify_client": "acme"}
    play = run(fleet, "verify.yml", answers, "panel1")

    assert play.code == 2
    assert "panel_verify_client: 'acme' is invalid." in play.flat_text


@pytest.mark.release
@pytest.mark.parametrize(("playbook", "variable", "choice"), list(list_choices()))
def test_every_choice_of_a_survey_is_taken_as_the_string_that_it_is(
    fleet: Fleet, playbook: str, variable: str, choice: str
) -> None:
    answers = {**make_blank_answers(playbook), variable: choice}
    limit = LIMITS.get(playbook, "")
    if choice == "ispconfig":
        # The directory of the other panel has the customers of froxlor.
        answers["import_path"] = "ispconfig.sql"
        limit = "panel2"
    if choice == "delete":
        answers["panels_confirm"] = "acme"

    play = run(fleet, playbook, answers, limit)
    # What was not copied is not on the target.
    code = 2 if choice == "verify" else 0

    assert (play.code, find_mistakes(fleet, play)) == (code, []), play.text

    if choice == "false":
        writes = [write for panel in fleet.panels.values() for write in panel.list_writes()]
        assert writes == [] or playbook != "verify.yml"


@pytest.mark.release
def test_a_new_object_is_planned_applied_and_drifts_in_the_words_of_awx(fleet: Fleet) -> None:
    as_it_was(fleet)
    assert fleet.play("export.yml", {}).code == 0

    fleet.run_git("pull", "--quiet")

    for panel in ("panel1", "panel2"):
        (fleet.work / "panels" / panel / "new.yml").write_text(
            "emails:\n  - email: new@acme.example\n", encoding="utf-8"
        )

    fleet.commit("Add a mailbox")
    answers = make_blank_answers("plan.yml")

    planned = fleet.play("plan.yml", answers)

    assert (planned.code, find_mistakes(fleet, planned)) == (0, []), planned.text
    assert "To apply it, launch Panels - plan, approve, apply." in planned.flat_text

    in_workflow = fleet.play("plan.yml", answers, awx_workflow_job_id=12)
    assert "If it is approved, exactly this plan is applied." in in_workflow.flat_text

    differing = fleet.play("drift.yml", {})
    assert (differing.code, find_mistakes(fleet, differing)) == (2, []), differing.text
    assert (
        "To accept the panel as it is, launch Panels - export; to change the panel back"
        in differing.flat_text
    )
    assert "launch Panels - plan, approve, apply." in differing.flat_text

    alone = fleet.play("apply.yml", answers)
    assert alone.code == 2
    assert "This job is part of the workflow Panels - plan, approve, apply" in alone.flat_text


def test_a_move_whose_push_is_refused_shows_the_zones_as_they_were(fleet: Fleet) -> None:
    as_it_was(fleet)
    fleet.panels["panel1"].seed({"domains": [{"domain": "mover.example", "client": "mover"}]})
    hook = fleet.repository / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")

    hook.chmod(0o755)

    try:
        play = fleet.play("move.yml", {**make_blank_answers("move.yml"), "move_step": "prepare"})
    finally:
        hook.unlink()

    assert play.code == 2, play.text
    assert "TTLs lowered in mover.example" in play.flat_text
    assert "moves/mover.zones-before.json could not be pushed" in play.flat_text
    assert '\\"ttl\\": 86400' in play.text


@pytest.mark.parametrize("content", ["", "---\n", "# Later.\n", "{}\n"])
def test_an_empty_file_of_certificates_is_named(fleet: Fleet, content: str) -> None:
    as_it_was(fleet)
    file = fleet.work / "certificates" / "panel1.yml"
    file.parent.mkdir(exist_ok=True)
    file.write_text(content, encoding="utf-8")
    fleet.commit("Add a file of certificates")

    try:
        play = fleet.play("certificates.yml", {})
    finally:
        file.unlink()
        fleet.commit("Remove the file of certificates")

    assert play.code == 2
    assert "certificates/panel1.yml: empty. Name the certificates in" in play.flat_text
    assert find_mistakes(fleet, play) == []
    assert [write for panel in fleet.panels.values() for write in panel.list_writes()] == []


def test_an_answer_about_certificates_is_checked_for_a_panel_that_has_none(fleet: Fleet) -> None:
    as_it_was(fleet)

    play = fleet.play("certificates.yml", {"certificate_renew_days": -1})

    assert play.code == 2, play.text
    message = "certificate_renew_days: -1 is invalid. Use a whole number from 0 to 3650."
    assert f"{message} Nothing was read or written." in play.flat_text
