"""A directory says whose it is.

Another panel is refused in both directions, and so is an export that removes most of what is there.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.hosting.panel.plugins.plugin_utils._folder.export_text import MARK
from ansible_collections.hosting.panel.plugins.plugin_utils._folder.panel_line import (
    parse_host_and_port,
)
from tests.support.folder_texts import read_texts
from tests.support.in_memory import VAULT, InMemory

OWN, OTHER = "panel.example", "other.example"
CLIENTS = [{"username": name, "email": f"{name}@b.example"} for name in ("acme", "beta", "gamma")]


@pytest.fixture
def panel(in_memory: Any) -> InMemory:
    """Make a panel with some clients."""
    memory: InMemory = in_memory({"clients": CLIENTS})
    return memory


@pytest.fixture
def folder(panel: InMemory, tmp_path: Path) -> Path:
    """The directory of a first export."""
    result = export(panel, tmp_path / "panel")
    assert not result.get("failed"), result["msg"]
    return tmp_path / "panel"


def export(panel: InMemory, folder: Path, host: str = OWN, **more: Any) -> dict[str, Any]:
    """Export the panel that a host is called, into a directory."""
    return panel.run("panel_export", dir=str(folder), api_url=f"https://{host}", **more)


def apply(panel: InMemory, folder: Path, host: str = OWN, **more: Any) -> dict[str, Any]:
    """Apply a directory to the panel that a host is called."""
    return panel.run(
        "panel_resources", resources_dir=str(folder), api_url=f"https://{host}", **more
    )


def export_beta(panel: InMemory, folder: Path, host: str = OWN, **more: Any) -> dict[str, Any]:
    """Export one client of a panel into a directory."""
    return export(panel, folder, host, clients=["beta"], **more)


EACH_DIRECTION = pytest.mark.parametrize(
    "use", [apply, export, export_beta], ids=["apply", "export", "export of a client"]
)
Use = Callable[..., dict[str, Any]]


def say_owner(folder: Path, value: str) -> None:
    """Have panel.yml say so; nothing for no line."""
    path = folder / "panel.yml"
    lines = [line for line in path.read_text("utf-8").splitlines() if not line.startswith("panel:")]
    lines[2:2] = [f"panel: {value}"] if value else []
    path.write_text("\n".join(lines) + "\n", "utf-8")


# The line


def test_an_export_says_whose_the_files_are_and_files_of_objects_are_read_as_before(
    panel: InMemory, folder: Path
) -> None:
    assert (folder / "panel.yml").read_text("utf-8").splitlines()[1:3] == ["---", f"panel: {OWN}"]
    assert "panel" not in yaml.safe_load((folder / "clients/acme.yml").read_text("utf-8"))
    assert apply(panel, folder)["plan"]["actions"] == []
    assert export(panel, folder)["changed"] is False


@pytest.mark.parametrize(
    "spelling", ["PANEL.example", "panel.example:443", "'panel.example'", "!unsafe panel.example"]
)
def test_a_line_is_read_as_an_address_is(panel: InMemory, folder: Path, spelling: str) -> None:
    say_owner(folder, spelling)
    assert apply(panel, folder)["plan"]["actions"] == []
    assert export(panel, folder)["written"] == ["panel.yml"]


@pytest.mark.parametrize(
    "text",
    [f"panel: {OWN}\nplans: [{{name: Business}}]", f"plans: [{{name: Business}}]\npanel: {OWN}"],
    ids=["above the objects", "below the objects"],
)
@pytest.mark.parametrize("host", [OWN, OTHER])
def test_the_line_counts_wherever_it_stands_in_its_file(
    panel: InMemory, folder: Path, text: str, host: str
) -> None:
    write_panel_file(folder, text)
    result = apply(panel, folder, host)

    assert bool(result.get("failed")) is (host == OTHER), result["msg"]
    assert "there is no type" not in result.get("msg", "")


WRONG = {
    "nothing": "''",
    "null": "null",
    "a number": "8443",
    "a switch": "true",
    "a list": "[panel.example]",
    "a dictionary": "{host: panel.example}",
    "an address with a path": "panel.example/api",
    "an address": "https://panel.example",
    "blanks": "panel example",
    "a template": "'{{ panel }}'",
    "two lines": f"{OWN}\npanel: {OWN}",
    "an unknown tag": "!lookup panel.example",
}


@pytest.mark.parametrize("rebuild", [False, True], ids=["as usual", "rebuild"])
@pytest.mark.parametrize("value", WRONG.values(), ids=WRONG)
def test_a_line_that_names_no_panel_is_an_error_with_its_place_before_any_request(
    panel: InMemory, folder: Path, value: str, rebuild: bool
) -> None:
    say_owner(folder, value)
    panel.log.clear()

    result = apply(panel, folder, rebuild=rebuild)

    assert result["failed"]
    assert "panel.yml: line" in result["msg"]
    assert panel.log == []


@pytest.mark.parametrize("use", [export, export_beta], ids=["all", "a client"])
@pytest.mark.parametrize("value", WRONG.values(), ids=WRONG)
def test_no_export_replaces_a_line_that_names_no_panel(
    panel: InMemory, folder: Path, value: str, use: Use
) -> None:
    say_owner(folder, value)
    before = read_texts(folder)
    panel.run("panel_client", username="beta", notes="new")

    assert use(panel, folder)["failed"]
    assert read_texts(folder) == before


# What may be meant as the line, and how it is read.
MEANT_AS_LINE = {
    "a capital letter": "Panel: other.example",
    "capital letters": "PANEL: other.example",
    "mixed case": "pAnEl: other.example",
    "a blank in the name": "'panel ': other.example",
    "full width": "\uff50anel: other.example",
    "an escape that is none": "'pan\\x65l': other.example",
    "a mistyped name": "panels: other.example",
    "another word": "host: other.example",
    "a type in the singular": "email: []",
    "null": "null: other.example",
    "a switch": "true: other.example",
    "a number": "1: other.example",
    "a list": "- panel: other.example",
    "a text": "panel is other.example",
    "a sentence without a blank": "panel:other.example",
}
SPELLINGS_OF_LINE = [
    '"panel" : other.example',
    "'panel': other.example",
    "panel : other.example",
    "? panel\n: other.example",
    '"pan\\x65l": other.example',
    "{panel: other.example}",
    "<<: {panel: other.example}",
    "!!str panel: other.example",
    "!unsafe panel: other.example",
]


def write_panel_file(folder: Path, text: str) -> None:
    """Write the file that says whose the directory is."""
    (folder / "panel.yml").write_text(f"{MARK}\n---\n{text}\n", "utf-8")


@EACH_DIRECTION
@pytest.mark.parametrize("text", MEANT_AS_LINE.values(), ids=MEANT_AS_LINE)
def test_a_name_that_may_be_meant_as_the_line_is_refused_in_both_directions(
    panel: InMemory, folder: Path, text: str, use: Use
) -> None:
    write_panel_file(folder, text)
    before = read_texts(folder)

    result = use(panel, folder)

    assert result["failed"], result["msg"]
    assert "panel.yml: line 3: " in result["msg"], result["msg"]
    assert read_texts(folder) == before
    assert panel.writes == []


@EACH_DIRECTION
@pytest.mark.parametrize("name", ["Panel", "PANEL", "'panel '", "\uff50anel"])
@pytest.mark.parametrize("owner", [OWN, OTHER])
def test_a_second_name_that_may_be_meant_as_the_line_is_refused_in_both_directions(
    panel: InMemory, folder: Path, name: str, owner: str, use: Use
) -> None:
    write_panel_file(folder, f"panel: {OWN}\n{name}: {owner}")
    before = read_texts(folder)

    result = use(panel, folder)

    assert result["failed"], result["msg"]
    assert "panel.yml: line 4: " in result["msg"], result["msg"]
    assert read_texts(folder) == before
    assert panel.writes == []


@EACH_DIRECTION
@pytest.mark.parametrize("text", SPELLINGS_OF_LINE)
def test_the_line_is_read_in_every_spelling_that_yaml_has_for_it_in_both_directions(
    panel: InMemory, folder: Path, text: str, use: Use
) -> None:
    write_panel_file(folder, text)

    result = use(panel, folder)

    assert result["failed"], result["msg"]
    assert f"these are files of the panel {OTHER}" in result["msg"], result["msg"]

    write_panel_file(folder, text.replace(OTHER, OWN))
    assert not use(panel, folder).get("failed")


@pytest.mark.parametrize("text", ["", "{}", "emails: []", "emails:"])
def test_a_file_with_nothing_but_types_has_no_owner_and_is_taken_over(
    panel: InMemory, folder: Path, text: str
) -> None:
    write_panel_file(folder, text)
    assert not apply(panel, folder).get("failed")
    assert "did not say whose they are" in export(panel, folder)["lines"][0]


@EACH_DIRECTION
def test_a_line_that_is_encrypted_is_an_error(panel: InMemory, folder: Path, use: Use) -> None:
    lines = VAULT.encrypt("other.example", secret=VAULT.secrets[0][1]).decode().splitlines()
    say_owner(folder, "!vault |\n" + "\n".join(f"  {line}" for line in lines))

    result = use(panel, folder)

    assert result["failed"]
    assert "in plain text" in result["msg"]
    assert "other.example" not in result["msg"]


ELSEWHERE = {
    "file of a client": "clients/acme.yml",
    "file with that name among the clients": "clients/panel.yml",
    "directory below the clients": "clients/old/panel.yml",
    "hidden file among the clients": "clients/.panel.yml",
    "file of objects": "mail.yml",
    "directory below": "more/panel.yml",
    "other ending": "panel.yaml",
    "capital letter": "Panel.yml",
    "ending in capitals": "panel.YML",
}


@EACH_DIRECTION
@pytest.mark.parametrize("has_own", [True, False], ids=["beside the line", "without the line"])
@pytest.mark.parametrize(
    "line",
    [
        f"{key}: {owner}"
        for key in ("panel", "Panel", '"pan\\x65l"', "\uff50anel")
        for owner in (OWN, OTHER)
    ],
)
@pytest.mark.parametrize("name", ELSEWHERE.values(), ids=ELSEWHERE)
def test_a_file_that_is_not_read_for_the_owner_says_nothing_about_it_in_both_directions(
    panel: InMemory, folder: Path, name: str, line: str, has_own: bool, use: Use
) -> None:
    if not has_own:
        say_owner(folder, "")

    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"{MARK}\n---\n{line}\nemails: []\n", "utf-8")
    before = read_texts(folder)
    panel.run("panel_client", username="beta", notes="new")
    panel.log.clear()

    result = use(panel, folder)

    assert result["failed"], result
    assert (
        f"{name}: line 3: the line panel counts in panel.yml of the directory alone."
        in result["msg"]
    )
    assert read_texts(folder) == before
    assert panel.writes == []


@EACH_DIRECTION
@pytest.mark.parametrize("name", ["panel.yaml", "Panel.yml"])
@pytest.mark.parametrize(
    "text", ["panel other.example", "host: other.example", "'panel: other.example", "- panel: a"]
)
def test_what_is_no_file_of_objects_under_that_name_may_say_whose_the_directory_is(
    panel: InMemory, folder: Path, name: str, text: str, use: Use
) -> None:
    (folder / "panel.yml").unlink()
    (folder / name).write_text(f"{text}\n", "utf-8")
    before = read_texts(folder)

    result = use(panel, folder)

    assert result["failed"], result
    assert f"{name}: line " in result["msg"], result
    assert read_texts(folder) == before
    assert panel.writes == []


@pytest.mark.parametrize("name", ["panel.yaml", "more/panel.yml"])
def test_objects_under_that_name_stay_as_they_are(panel: InMemory, folder: Path, name: str) -> None:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("emails: []\n", "utf-8")

    assert export(panel, folder)["changed"] is False
    assert not apply(panel, folder).get("failed")


def test_a_client_of_that_name_has_a_file_as_any_other(panel: InMemory, folder: Path) -> None:
    panel.run("panel_client", username="panel", email="a@b.example")
    assert export(panel, folder)["written"] == ["clients/panel.yml"]

    (folder / "clients/panel.yml").write_text(f"{MARK}\n---\nclients: [\n", "utf-8")
    result = export(panel, folder)

    assert result["written"] == ["clients/panel.yml"]
    assert "not valid" in result["warnings"][0]


@given(
    st.one_of(
        st.text(max_size=20),
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.lists(st.text()),
        st.binary(),
    )
)
def test_a_line_is_a_host_or_an_error(value: Any) -> None:
    try:
        host = parse_host_and_port(value)
    except ValueError:
        return
    assert isinstance(value, str)
    assert host
    assert parse_host_and_port(host) == host == host.lower()


# Another panel


def is_refusal(result: dict[str, Any], names: tuple[str, ...] = (OWN, OTHER)) -> bool:
    """Whether a task was refused because of these two panels."""
    message = result.get("msg", "")
    return (
        bool(result.get("failed"))
        and all(name in message for name in names)
        and "rebuild: true" in message
    )


WAYS: dict[str, dict[str, Any]] = {
    "applying": {},
    "planning": {"check_mode": True},
    "purging": {"purge": ["clients"], "max_deletes": 99},
    "comparing": {"compare": True, "check_mode": True},
    "deleting": {"max_deletes": 99},
}


@pytest.mark.parametrize("options", WAYS.values(), ids=WAYS)
def test_files_are_not_read_for_another_panel(
    panel: InMemory, folder: Path, options: dict[str, Any]
) -> None:
    panel.log.clear()
    result = apply(panel, folder, OTHER, **options)

    assert is_refusal(result)
    assert "Nothing was written." in result["msg"]
    assert panel.log == []
    assert result["error"]["directory_panel"] == OWN
    assert result["error"]["panel"] == OTHER


@pytest.mark.parametrize("rebuild", [False, "false", "no", 0, None], ids=repr)
@pytest.mark.parametrize("options", WAYS.values(), ids=WAYS)
def test_files_are_not_read_for_another_panel_where_rebuild_is_false(
    panel: InMemory, folder: Path, options: dict[str, Any], rebuild: Any
) -> None:
    panel.log.clear()

    assert is_refusal(apply(panel, folder, OTHER, rebuild=rebuild, **options))
    assert panel.log == []


@pytest.mark.parametrize("options", WAYS.values(), ids=WAYS)
def test_a_rebuild_that_is_no_switch_is_refused_before_any_request(
    panel: InMemory, folder: Path, options: dict[str, Any]
) -> None:
    panel.log.clear()

    result = apply(panel, folder, OTHER, rebuild="perhaps", **options)

    assert result["error"]["type"] == "OptionError"
    assert panel.log == []


@pytest.mark.parametrize("rebuild", [True, "yes", "true", 1], ids=repr)
@pytest.mark.parametrize("options", WAYS.values(), ids=WAYS)
def test_files_are_read_for_another_panel_with_rebuild(
    panel: InMemory, folder: Path, options: dict[str, Any], rebuild: Any
) -> None:
    assert not apply(panel, folder, OTHER, rebuild=rebuild, **options).get("failed")


@pytest.mark.parametrize("check_mode", [False, True])
@pytest.mark.parametrize("clients", [None, ["acme"]], ids=["all", "one client"])
def test_another_panel_is_not_exported_over_the_files(
    panel: InMemory, folder: Path, clients: list[str] | None, check_mode: bool
) -> None:
    before = read_texts(folder)
    panel.run("panel_client", username="acme", notes="new")
    chosen = {"clients": clients}
    if clients is None:
        chosen = {}

    result = export(panel, folder, OTHER, check_mode=check_mode, **chosen)

    assert is_refusal(result)
    assert "No file was written." in result["msg"]
    assert read_texts(folder) == before

    result = export(panel, folder, OTHER, check_mode=check_mode, rebuild=True, **chosen)
    assert result["written"] == ["clients/acme.yml", *([] if clients else ["panel.yml"])]

    if not clients and not check_mode:
        assert is_refusal(export(panel, folder))
        assert not apply(panel, folder, OTHER).get("failed")


@EACH_DIRECTION
@pytest.mark.parametrize(
    "host", ["panel.example:8443", "localhost", "xpanel.example", "panel.exampl", "127.0.0.1"]
)
def test_a_panel_is_told_by_host_and_port(
    panel: InMemory, folder: Path, host: str, use: Use
) -> None:
    assert use(panel, folder, host)["failed"]
    assert not use(panel, folder, "PANEL.example:443/api/v2/").get("failed")


@pytest.mark.parametrize(
    "spellings",
    [
        pytest.param(("panel.example", "Panel.Example.", "panel.example:443"), id="final dot"),
        pytest.param(
            ("p\u00e4nel.example", "XN--pnel-loa.example", "P\u00c4NEL.example."), id="IDN"
        ),
        pytest.param(("localhost:18321", "LocalHost.:18321"), id="localhost"),
    ],
)
def test_a_host_is_one_panel_in_every_spelling(spellings: tuple[str, ...]) -> None:
    assert len({parse_host_and_port(spelling) for spelling in spellings}) == 1


def test_localhost_and_its_address_are_two_panels() -> None:
    assert parse_host_and_port("localhost:18321") != parse_host_and_port("127.0.0.1:18321")


def test_rebuild_without_a_directory_is_an_error(panel: InMemory) -> None:
    result = panel.run("panel_resources", resources={}, rebuild=True)
    assert result["failed"]
    assert "rebuild: needs resources_dir" in result["msg"]
    assert not panel.run("panel_resources", resources={}, rebuild=False).get("failed")


@pytest.mark.parametrize("run_task", [apply, export])
def test_an_address_with_a_password_is_not_shown(
    panel: InMemory, folder: Path, run_task: Any
) -> None:
    result = run_task(panel, folder, "user:geheim-1A@panel.example")

    assert result["failed"]
    assert "geheim" not in str(result)


def test_a_task_on_another_host_names_its_panel_itself(
    panel: InMemory, folder: Path, monkeypatch: Any
) -> None:
    monkeypatch.setenv("PANEL_API_URL", f"https://{OWN}")
    options = {"resources_dir": str(folder), "api_url": None, "task": {"transport": "ssh"}}

    result = panel.run("panel_resources", **options)

    assert result["failed"]
    assert result["msg"].startswith("api_url: missing;")
    assert OWN in result["msg"]


# A directory without the line


@pytest.mark.parametrize("state", ["older", "by a person"])
def test_a_directory_without_the_line_is_anyones_until_an_export_says_so(
    panel: InMemory, folder: Path, state: str
) -> None:
    say_owner(folder, "")
    if state == "by a person":
        (folder / "panel.yml").rename(folder / "hosting.yml")

    assert not apply(panel, folder, OTHER).get("failed")

    partial_export = export(panel, folder, clients=["acme"])
    assert partial_export["changed"] is False
    assert "lines" not in partial_export

    predicted = export(panel, folder, check_mode=True)
    result = export(panel, folder)

    assert predicted["lines"] == result["lines"]
    assert result["written"] == ["panel.yml"]

    (line,) = result["lines"]
    assert f"belong to the panel {OWN} from now on" in line

    second_export = export(panel, folder)
    assert second_export["changed"] is False
    assert "lines" not in second_export


def test_a_new_directory_says_nothing_about_it(panel: InMemory, tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# Files of a panel\n", "utf-8")
    assert "lines" not in export(panel, tmp_path)


def test_an_archive_is_for_any_panel(panel: InMemory, tmp_path: Path) -> None:
    result = panel.run("panel_archive", username="acme", dir=str(tmp_path))
    assert "panel:" not in (Path(result["archive"]) / "rebuild.yml").read_text("utf-8")
    assert not apply(panel, Path(result["archive"]), OTHER).get("failed")


# An export that removes most


def test_a_small_part_of_the_clients_may_be_gone_and_not_most_of_them(
    panel: InMemory, folder: Path
) -> None:
    panel.run("panel_client", username="gamma", state="absent")
    assert export(panel, folder)["removed"] == ["clients/gamma.yml"]

    for name in ("one", "two", "three"):
        panel.run("panel_client", username=name, email="a@b.example")

    panel.run("panel_client", username="acme", state="absent")

    assert export(panel, folder)["removed"] == ["clients/acme.yml"]


@pytest.fixture(params=[(2, 1), (3, 0)], ids=["one of three stays", "none stays"])
def numbers(request: pytest.FixtureRequest, panel: InMemory, folder: Path) -> tuple[int, int]:
    """Delete clients whose files a directory has, and return how many went and stayed."""
    deleted, kept = request.param
    for client in CLIENTS[:deleted]:
        panel.run("panel_client", username=client["username"], state="absent")

    # New ones are none that are kept.
    for name in ("one", "two", "three", "four"):
        panel.run("panel_client", username=name, email="a@b.example")

    return deleted, kept


@pytest.mark.parametrize("check_mode", [True, False], ids=["check mode", "real"])
def test_an_export_that_would_remove_more_of_the_clients_than_it_keeps_is_refused_with_the_numbers(
    panel: InMemory, folder: Path, numbers: tuple[int, int], check_mode: bool
) -> None:
    deleted, kept = numbers
    before = read_texts(folder)

    result = export(panel, folder, check_mode=check_mode)

    assert result["failed"]
    assert f"the files of {deleted} clients and keep {kept}." in result["msg"]
    assert result["error"]["removed"] == deleted
    assert result["error"]["kept"] == kept
    assert read_texts(folder) == before


def test_a_client_is_exported_alone_where_most_others_went(
    panel: InMemory, folder: Path, numbers: tuple[int, int]
) -> None:
    assert not export(panel, folder, clients=["one"]).get("failed")


def test_the_files_of_most_clients_are_removed_with_rebuild(
    panel: InMemory, folder: Path, numbers: tuple[int, int]
) -> None:
    assert len(export(panel, folder, rebuild=True)["removed"]) == numbers[0]


def test_files_of_a_person_are_neither_removed_nor_kept(panel: InMemory, folder: Path) -> None:
    for name in ("one", "two", "three"):
        (folder / f"clients/{name}.yml").write_text("---\nclients: []\n", "utf-8")

    for client in CLIENTS[:2]:
        panel.run("panel_client", username=client["username"], state="absent")

    assert "the files of 2 clients and keep 1." in export(panel, folder)["msg"]
    assert not (folder / "clients/one.yml").read_text("utf-8").startswith(MARK)
