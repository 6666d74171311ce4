"""A number, switch or date that a template takes out of a dictionary, list or loop is refused where
a text is expected, on each ansible-core; the same in quotes is a text."""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from typing import Any

import pytest

from tests.support.playbook import IN_PROCESS, MODULE, Recording, Run, make_task, play
from tests.support.simulator import Simulator

# As a file of variables has them. Each comes to a value whose text could be a name.
SCALARS = {
    "int": "83",
    "octal": "0123",
    "hexadecimal": "0x1F",
    "underscores": "1_000",
    "sexagesimal": "12:30",
    "negative": "-5",
    "float": "8.10",
    "exponent": "1.0e+3",
    "infinity": ".inf",
    "date": "2026-12-31",
    "time": "2026-12-31 10:00:00",
    "switch": "yes",
}
# How a template comes to the scalar {0} of the dictionaries `scalars` and `named`, or of a loop.
FORMS = {
    "attribute": "{{{{ scalars.{0} }}}}",
    "element": "{{{{ scalars['{0}'] }}}}",
    "entry of a list": "{{{{ rows[0].{0} }}}}",
    "loop": "{{{{ item.{0} }}}}",
    "another variable": "{{{{ {0}_again }}}}",
    "default": "{{{{ nothing | default(scalars.{0}) }}}}",
    "choice": "{{{{ scalars.{0} if true else 'acme' }}}}",
    "filter": "{{{{ [scalars.{0}] | first }}}}",
    "lookup": "{{{{ lookup('ansible.builtin.vars', 'scalars').{0} }}}}",
    "statement": "{{% if true %}}{{{{ scalars.{0} }}}}{{% endif %}}",
    "line end": "{{{{ scalars.{0} }}}}\n",
}
# Up to ansible-core 2.18 no loop has a dictionary with one of these.
NOT_IN_LOOPS = ("date", "time", "infinity")
CASES = [
    (scalar, form)
    for scalar, form in itertools.product(SCALARS, FORMS)
    if form != "loop" or scalar not in NOT_IN_LOOPS
]
# A text, a list of names, a field of a dictionary, and a key and value of one.
TABLE = {
    "a_text": {"type": "text"},
    "a_list": {"type": "names"},
    "a_mapping": {"type": "mapping", "options": {"field": {"type": "text"}}},
    "a_pair": {"type": "mapping", "keys": {"type": "text"}, "values": {"type": "text"}},
}
# A blank beside the expression makes a text of any value, on every ansible-core.
PADDED = ["{{ scalars.SCALAR }} ", "\t{{ rows[0].SCALAR }}"]
# By role the variables in which a template with blanks names a client.
NAMING: dict[str, Any] = {
    "suspend list": lambda text: {"suspend_clients": [text]},
    "suspend text": lambda text: {"suspend_clients": text},
    "suspend entry": lambda text: {"suspend_clients": [{"username": text}]},
    "suspend exception": lambda text: {"suspend_clients": ["0123"], "suspend_except": [text]},
    "rotate list": lambda text: {"rotate_clients": [text], "rotate_kinds": ["clients"]},
    "rotate text": lambda text: {"rotate_clients": text, "rotate_kinds": ["clients"]},
    "offboard name": lambda text: {"offboard_client": text, "offboard_archive_dir": "archives"},
}
REFUSED = r"without blanks|blanks around it|_clients: .* is invalid"
# The options of tasks in which a template is the text.
OPTIONS: dict[str, tuple[str, Any]] = {
    "key": ("panel_client", lambda text: {"username": text}),
    "reference": ("panel_domain", lambda text: {"domain": "a.example", "client": text}),
    "field": (
        "panel_client",
        lambda text: {"username": "acme", "contact_data": {"company": text}},
    ),
    "item": ("panel_resources", lambda text: {"resources": {"clients": [{"username": text}]}}),
    "archive": ("panel_archive", lambda text: {"username": text, "dir": "archives"}),
}


def write_variables(folder: Path) -> Path:
    """Write the scalars as numbers, switches and dates, and once more as texts."""
    scalars = ", ".join(f"{name}: {scalar}" for name, scalar in SCALARS.items())
    texts = ", ".join(f'{name}: "{scalar}"' for name, scalar in SCALARS.items())
    content = [f"scalars: {{{scalars}}}\n", f"rows: [{{{scalars}}}]\n", f"texts: {{{texts}}}\n"]
    for name, scalar in SCALARS.items():
        content.append(f'{name}_again: "{{{{ scalars.{name} }}}}"\n')
        content.append(f"{name}_rows: [{{{name}: {scalar}}}]\n")
    path = folder / "scalars.yml"
    path.write_text("".join(content), encoding="utf-8")
    return path


def run(folder: Path, tasks: list[dict[str, Any]], simulator: Simulator, way: str) -> Run:
    """Run tasks in check mode with the scalars as variables."""
    write_variables(folder)
    keywords = {"vars_files": ["scalars.yml"], "ignore_errors": True}
    return play(tasks, simulator, folder, way, arguments=["--check"], keywords=keywords)


def make_readings(text: str) -> dict[str, Any]:
    """Return the variables of the table with this text."""
    return {
        "a_text": text,
        "a_list": ["acme", text],
        "a_mapping": {"field": text},
        "a_pair": {"old": text},
    }


def make_reading_task(name: str, text: str, loop: str = "{{ [0] }}") -> dict[str, Any]:
    """Return a task that reads the variables of the table by the lookup."""
    lookup = "{{ lookup('hosting.panel.panel_variables', table) }}"
    variables = {**make_readings(text), "table": TABLE}
    return {
        "name": name,
        "ansible.builtin.debug": {"msg": lookup},
        "vars": variables,
        "loop": loop,
    }


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory, simulator: Simulator) -> Run:
    """Read each template once as each of the variables, and the texts in quotes."""
    tasks = []
    for scalar, form in CASES:
        loop = f"{{{{ {scalar}_rows }}}}" if form == "loop" else "{{ [0] }}"
        tasks.append(make_reading_task(f"{scalar}: {form}", FORMS[form].format(scalar), loop))
    tasks += [
        make_reading_task(f"quoted {scalar}", f"{{{{ texts.{scalar} }}}}") for scalar in SCALARS
    ]
    return run(tmp_path_factory.mktemp("read"), tasks, simulator, IN_PROCESS)


def get_result(recording: Recording) -> Any:
    """Return what the lookup came to in the only item of a loop."""
    (item,) = recording.result["results"]
    return item["msg"]


@pytest.mark.parametrize(("scalar", "form"), CASES)
def test_a_variable_that_comes_to_no_text_is_a_mistake_wherever_it_is_nested(
    read: Run, scalar: str, form: str
) -> None:
    mistakes = get_result(read[f"{scalar}: {form}"])["mistakes"]

    variables = [mistake.partition(":")[0] for mistake in mistakes]
    assert variables == ["a_text", "a_list[1]", "a_mapping.field", "a_pair.old"]


@pytest.mark.parametrize("scalar", SCALARS)
def test_a_text_in_quotes_that_looks_like_a_number_is_read_as_it_is(read: Run, scalar: str) -> None:
    if scalar == "switch":
        pytest.skip("a text of a switch is one of the scalars of the operator")
    result = get_result(read[f"quoted {scalar}"])

    assert (result["mistakes"], result["settings"]) == ([], make_readings(SCALARS[scalar]))


def make_option_task(option: str, scalar: str) -> dict[str, Any]:
    """Return a task with the scalar out of a dictionary, if possible in a loop, as the option."""
    module, options = OPTIONS[option]
    name = f"{option}: {scalar}"
    if scalar in NOT_IN_LOOPS:
        return make_task(name, module, options(f"{{{{ scalars.{scalar} }}}}"))
    return make_task(
        name, module, options(f"{{{{ item.{scalar} }}}}"), loop=f"{{{{ {scalar}_rows }}}}"
    )


@pytest.fixture(scope="module", params=[IN_PROCESS, MODULE])
def numbers(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, simulator: Simulator
) -> Run:
    """Run a task for each scalar and option, with the scalar as no text."""
    folder = tmp_path_factory.mktemp("numbers")
    tasks = [make_option_task(option, scalar) for option in OPTIONS for scalar in SCALARS]
    return run(folder, tasks, simulator, request.param)


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("scalar", SCALARS)
def test_an_option_that_comes_to_no_text_is_refused_before_any_request(
    numbers: Run, option: str, scalar: str
) -> None:
    recording = numbers[f"{option}: {scalar}"]
    (result,) = recording.result.get("results", [recording.result])

    assert recording.outcome == "failed"
    assert any(cause in result["msg"] for cause in ("quotes", "infinite")), result["msg"]
    assert recording.requests == []


def test_an_option_that_comes_to_a_text_in_quotes_is_taken(
    tmp_path: Path, simulator: Simulator
) -> None:
    task_of_one_template = make_task(
        "whole", "panel_client", args="{{ {'username': texts.octal} }}"
    )
    task_of_one_template["hosting.panel.panel_client"] = None
    loop = make_task("loop", "panel_client", {"username": "{{ item.int }}"}, loop="{{ [texts] }}")
    result_of_play = run(tmp_path, [task_of_one_template, loop], simulator, IN_PROCESS)

    assert [recording.outcome for recording in result_of_play.recordings] == ["ok", "ok"], (
        result_of_play.text
    )


def test_options_that_are_a_template_as_a_whole_are_refused_alike(
    tmp_path: Path, simulator: Simulator
) -> None:
    task_of_one_template = make_task(
        "whole", "panel_client", args="{{ {'username': scalars.octal | string | int} }}"
    )
    task_of_one_template["hosting.panel.panel_client"] = None
    result_of_play = run(tmp_path, [task_of_one_template], simulator, IN_PROCESS)

    assert "username: 83 is a number" in result_of_play["whole"].msg, result_of_play.text
    assert result_of_play["whole"].requests == []


def test_the_role_offboard_deletes_no_client_whose_name_a_template_makes_of_a_number(
    tmp_path: Path, simulator: Simulator
) -> None:
    simulator.reset()
    simulator.seed({"clients": [{"username": "83"}, {"username": "0123"}]})
    name = "{{ scalars.octal }}"
    include = {
        "name": "Offboard",
        "ansible.builtin.include_role": {"name": "hosting.panel.offboard"},
        "vars": {
            "offboard_client": name,
            "offboard_confirm": name,
            "offboard_action": "delete",
            "offboard_archive_dir": str(tmp_path / "archives"),
        },
    }
    write_variables(tmp_path)
    keywords = {"vars_files": ["scalars.yml"]}
    result_of_play = play([include], simulator, tmp_path, keywords=keywords)

    assert "offboard_client: 83 is invalid" in result_of_play.text
    assert [recording.calls for recording in result_of_play.recordings if recording.calls] == []


def test_a_date_inside_of_a_dictionary_reaches_a_role(tmp_path: Path, simulator: Simulator) -> None:
    simulator.reset()
    (tmp_path / "customer.yml").write_text(
        "customer: {username: acme, delete_on: 2027-12-31, password: Given-12345}\n",
        encoding="utf-8",
    )
    include = {
        "name": "Site",
        "ansible.builtin.include_role": {"name": "hosting.panel.site"},
        "vars": {"site_client": "{{ customer }}"},
    }
    result_of_play = play([include], simulator, tmp_path, keywords={"vars_files": ["customer.yml"]})

    assert result_of_play.code == 0, result_of_play.text
    (client,) = simulator.list_objects("clients")
    assert client["delete_on"].startswith("2027-12-31")


def make_naming_tasks(folder: Path) -> list[dict[str, Any]]:
    """Return a task for each scalar, each way to name a client, and each place of blanks."""
    rotation = {"rotate_id": "one", "rotate_credentials_file": str(folder / "rotated.yml")}
    tasks = []
    for name, variables_of in NAMING.items():
        role = name.partition(" ")[0]
        more = rotation if role == "rotate" else {}
        for scalar in ("octal", "date"):
            for number, form in enumerate(PADDED):
                text = form.replace("SCALAR", scalar)
                tasks.append({
                    "name": f"{name}: {scalar} {number}",
                    "ansible.builtin.include_role": {"name": f"hosting.panel.{role}"},
                    "vars": {**variables_of(text), **more},
                })  # fmt: skip
    return tasks


def test_no_role_takes_a_number_beside_a_blank_for_the_name_of_a_client(
    tmp_path: Path, simulator: Simulator
) -> None:
    simulator.reset()
    usernames = ["83", "0123", "123", "8.1", "2026-12-31", "true"]
    simulator.seed({"clients": [{"username": name} for name in usernames]})
    write_variables(tmp_path)
    tasks = [
        {"name": task["name"], "block": [task], "rescue": [{"ansible.builtin.meta": "noop"}]}
        for task in make_naming_tasks(tmp_path)
    ]
    before = simulator.get_last_number()

    run_of_roles = play(
        tasks,
        simulator,
        tmp_path,
        keywords={"vars_files": ["scalars.yml"], "ignore_errors": False},
    )

    requests = simulator.read_log(before)
    assert {request["method"] for request in requests} <= {"GET"}
    failures = [entry for entry in run_of_roles.recordings if entry.outcome == "failed"]
    assert len(failures) == len(tasks), run_of_roles.text[-3000:]
    unclear = [entry.msg for entry in failures if not re.search(REFUSED, entry.msg)]
    assert unclear == []
