"""The task panel_import: its options, the files that it writes, and what its result never has."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from ansible.parsing.vault import VaultLib

from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import KINDS
from ansible_collections.hosting.panel.plugins.plugin_utils._content_copy.content_objects import (
    read_objects_text,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._folder.folder import read_folder
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.froxlor.rows import (
    FroxlorRow,
)
from tests.support import ispconfig_sample
from tests.support.folder_texts import read_texts
from tests.support.froxlor_source import dump_text, make_froxlor_rows
from tests.support.in_memory import VAULT, InMemory
from tests.support.ispconfig_sample import make_sample
from tests.support.ispconfig_source import write_answers, write_dump

PANELS = ("ispconfig", "froxlor")
LISTS = {"carried", "renamed", "left_out", "questions"}


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Return by panel a dump of one with every kind of object."""
    folder = tmp_path_factory.mktemp("sources")
    dumps = {panel: folder / f"{panel}.sql" for panel in PANELS}
    dumps["froxlor"].write_text(dump_text(make_froxlor_rows()), encoding="utf-8")
    write_dump(make_sample(), dumps["ispconfig"])
    return dumps


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return where the files of a test are."""
    return tmp_path


def take_over(
    sources: dict[str, Path], folder: Path, panel: str = "froxlor", **options: Any
) -> dict[str, Any]:
    """Import a panel into a directory."""
    defaults = {"source": panel, "path": str(sources[panel]), "dir": str(folder / "panel")}
    return InMemory().run("panel_import", **{**defaults, **options})


def get_failure(sources: dict[str, Path], folder: Path, **options: Any) -> str:
    """Return the message of an import that fails before it writes anything."""
    before = read_texts(folder)
    result = take_over(sources, folder, **options)
    assert result["failed"]
    assert not result["changed"]
    assert read_texts(folder) == before
    return str(result["msg"])


def make_file_options(folder: Path) -> dict[str, str]:
    """Return a page and a file of content beside the directory, as options."""
    return {"page_file": str(folder / "page.md"), "content_file": str(folder / "content.json")}


# The result


@pytest.mark.parametrize("panel", PANELS)
def test_the_result_accounts_for_what_is_in_the_directory(
    sources: dict[str, Path], folder: Path, panel: str
) -> None:
    result = take_over(sources, folder, panel)

    assert not result.get("failed"), result["msg"]
    assert result["changed"]
    resources = read_folder(folder / "panel", VAULT, None).resources
    assert result["counts"] == {kind: len(items) for kind, items in resources.items()}
    carried = {(entry["kind"], entry["key"]) for entry in result["carried"]}
    for kind, items in resources.items():
        if kind != "plans":
            keys = {KINDS[kind].format_key(item) for item in items}
            assert {key for key in keys if (kind, key) not in carried} == set()


@pytest.mark.parametrize("panel", PANELS)
def test_the_result_has_what_is_documented_and_nothing_else(
    sources: dict[str, Path], folder: Path, panel: str
) -> None:
    result = take_over(sources, folder, panel)

    assert result.keys() == LISTS | {
        "changed", "written", "removed", "unchanged", "counts", "passwords"
    }  # fmt: skip
    assert result["passwords"].keys() == {"kept", "new"}
    for entry in result["carried"]:
        assert entry.keys() == {"client", "kind", "key", "source"}
    for entry in result["left_out"]:
        assert entry.keys() - {"field"} == {"client", "kind", "key", "source", "why"}
    for entry in result["renamed"]:
        assert entry.keys() == {"client", "kind", "from", "to", "why"}
    for entry in result["questions"]:
        assert entry.keys() == {"mapping", "about", "default"}


@pytest.mark.parametrize("panel", PANELS)
def test_a_second_run_changes_nothing(sources: dict[str, Path], folder: Path, panel: str) -> None:
    first = take_over(sources, folder, panel, **make_file_options(folder))
    before = read_texts(folder)

    second = take_over(sources, folder, panel, **make_file_options(folder), diff=True)

    assert (second["changed"], second["written"], second["diff"]) == (False, [], [])
    assert second["unchanged"] == len(first["written"])
    assert read_texts(folder) == before


def test_check_mode_predicts_the_result_and_writes_nothing(
    sources: dict[str, Path], folder: Path
) -> None:
    predicted = take_over(sources, folder, **make_file_options(folder), check_mode=True)

    assert read_texts(folder) == {}
    assert predicted == take_over(sources, folder, **make_file_options(folder))


@pytest.mark.parametrize("passwords", ["keep", "new"])
def test_nothing_that_a_person_sees_has_a_secret(
    sources: dict[str, Path], folder: Path, passwords: str
) -> None:
    options = {**make_file_options(folder), "passwords": passwords, "diff": True}

    result = take_over(sources, folder, "ispconfig", **options)

    visible = [json.dumps(result), *read_texts(folder).values()]
    secrets = [ispconfig_sample.HASH, ispconfig_sample.DATABASE_HASH]
    for secret in [*secrets, *ispconfig_sample.SECRETS.values()]:
        assert [text for text in visible if secret in text] == []


def test_the_answers_of_the_api_give_the_same_directory_as_the_dump(
    sources: dict[str, Path], folder: Path
) -> None:
    (folder / "answers").mkdir()
    write_answers(make_sample(), folder / "answers")
    take_over(sources, folder, "ispconfig")
    before = read_texts(folder / "panel")

    result = take_over(sources, folder, "ispconfig", path=str(folder / "answers"))

    assert result["changed"] is False
    assert read_texts(folder / "panel") == before


# The files beside the directory


def test_the_page_and_the_objects_with_content_are_written_beside_the_directory(
    sources: dict[str, Path], folder: Path
) -> None:
    result = take_over(sources, folder, **make_file_options(folder))

    assert (folder / "page.md").read_text("utf-8").startswith("# Import from froxlor\n")
    content = json.loads((folder / "content.json").read_text("utf-8"))
    assert list(content) == ["trees", "mailboxes", "databases"]
    assert [name for name in result["written"] if "page" in name or "content" in name] == []


def test_a_text_of_the_other_panel_is_no_template_where_the_content_is_loaded_as_variables(
    sources: dict[str, Path], folder: Path
) -> None:
    dump = sources["froxlor"].read_text("utf-8")
    text = dump.replace("/srv/customers/webs/kontor", "/srv/customers/webs/{{ x }}")
    assert text != dump
    sources["froxlor"].write_text(text, "utf-8")

    take_over(sources, folder, **make_file_options(folder))

    content = json.loads((folder / "content.json").read_text("utf-8"))
    origins = [tree["from"] for tree in content["trees"]]
    marked = [origin["__ansible_unsafe"] for origin in origins if isinstance(origin, dict)]
    assert marked
    assert all("{{ x }}" in origin for origin in marked)
    assert "{{" not in "".join(origin for origin in origins if isinstance(origin, str))


def test_a_page_alone_is_no_change(sources: dict[str, Path], folder: Path) -> None:
    take_over(sources, folder)

    result = take_over(sources, folder, page_file=str(folder / "page.md"))

    assert result["changed"] is False
    assert (folder / "page.md").exists()


def test_a_page_may_lie_in_the_directory_that_the_import_makes(
    sources: dict[str, Path], folder: Path
) -> None:
    page = folder / "panel" / "pages" / "import.md"

    assert not take_over(sources, folder, page_file=str(page)).get("failed")
    assert page.exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"page_file": "{}/missing/page.md"}, "missing does not exist; create it."),
        ({"page_file": "{}/other.md"}, "that file is no page of an import, so it is not replaced"),
        ({"page_file": "{}/panel/panel.yml"}, "would be read as a file of dir"),
        ({"page_file": "{}/a", "content_file": "{}/a"}, "both are one file"),
        ({"content_file": "{}/panel/content.json"}, "Name a file elsewhere."),
        ({"content_file": "{}/other.md"}, "so it is not replaced"),
    ],
)
def test_a_file_that_must_not_be_written_is_named_before_anything_is(
    sources: dict[str, Path], folder: Path, options: dict[str, str], message: str
) -> None:
    (folder / "other.md").write_text("# Mine\n", encoding="utf-8")
    paths = {name: path.format(folder) for name, path in options.items()}

    problem = get_failure(sources, folder, **paths)

    assert message in problem
    assert "Nothing was written." in problem


@pytest.mark.parametrize("panel", PANELS)
def test_the_role_content_takes_the_file_of_content_as_it_is(
    sources: dict[str, Path], folder: Path, panel: str
) -> None:
    result = take_over(sources, folder, panel, **make_file_options(folder))
    assert not result.get("failed"), result["msg"]

    read = read_objects_text((folder / "content.json").read_text(encoding="utf-8"), "file")

    assert read.mistakes == []
    assert {entry["kind"] for entry in read.objects} == {"tree", "mailbox", "database"}


# Options


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"source": "other"}, "source: "),
        ({"path": None}, "path: missing."),
        ({"source_url": "https://x.example"}, "path: source_url is set too."),
        ({"source_username": "api"}, "source_username: only an import from source_url uses it."),
        ({"source_password": "Given-1"}, "source_password: only an import from source_url"),
        ({"source_ca_path": "ca.pem"}, "source_ca_path: only an import from source_url uses it."),
        ({"clients": ["mueller", "nobody"]}, "clients: the source has no customers"),
        (
            {"mapping": {"php_versions": {"PHP 8.9": "8.1"}}},
            "mapping: the source has nothing for php_versions.PHP 8.9. Nothing was written.",
        ),
        (
            {"mapping": {"adresses": {}}},
            "mapping.adresses: there is no such part; did you mean addresses?",
        ),
        ({"mapping": {"addresses": {"192.0.2.1": "x"}}}, "mapping.addresses.192.0.2.1: "),
    ],
)
def test_a_wrong_option_is_named_before_anything_is_written(
    sources: dict[str, Path], folder: Path, options: dict[str, Any], message: str
) -> None:
    assert get_failure(sources, folder, **options).startswith(message)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("missing.sql", None, "missing.sql: No such file or directory."),
        ("cut.sql", "-- MariaDB dump 10.19\nINSERT INTO `client` VALUES (1", "cut.sql"),
        ("other.sql", "", "other.sql"),
    ],
)
def test_a_source_that_nobody_can_read_is_one_error_that_names_it(
    sources: dict[str, Path], folder: Path, name: str, text: str | None, message: str
) -> None:
    if text is not None:
        (folder / name).write_text(text, encoding="utf-8")

    problem = get_failure(sources, folder, path=str(folder / name))

    assert message in problem
    assert problem.endswith("Nothing was written.")


def test_a_fault_of_a_reader_is_in_the_log_and_in_the_result(
    sources: dict[str, Path], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PANEL_LOG", str(folder / "log"))
    # Wrong names of a column, as somebody may write them into a reader.
    monkeypatch.setattr(FroxlorRow, "read_path", lambda self, column: self.values[f"{column}s"])

    result = take_over(sources, folder)

    assert result["counts"]["emails"] > 0
    reasons = {entry["why"] for entry in result["left_out"] if entry["kind"] == "ftp_users"}
    assert (
        "The reader of the import failed at this row (KeyError), which is a fault to report."
        in (reasons)
    )
    log = (folder / "log").read_text(encoding="utf-8")
    assert "read row of ftp_users: KeyError in access.py line " in log


def test_the_dump_of_another_panel_is_named(sources: dict[str, Path], folder: Path) -> None:
    path = sources["ispconfig"]
    names = {"__panel_option_names": {"source": "import_source"}}

    problem = get_failure(sources, folder, path=str(path), task_vars=names)

    assert problem == (
        f"import_source: {path}: this is a dump of ISPConfig. Set import_source to ispconfig. "
        "Nothing was written."
    )


@pytest.mark.parametrize(
    ("names", "option"), [({}, "path"), ({"path": "import_path"}, "import_path")]
)
def test_a_source_that_is_not_there_is_named_by_its_option(
    sources: dict[str, Path], folder: Path, names: dict[str, str], option: str
) -> None:
    problem = get_failure(
        sources, folder, path="dump.sql", task_vars={"__panel_option_names": names}
    )

    assert problem == f"{option}: dump.sql: No such file or directory. Nothing was written."


def test_names_of_variables_stand_for_options(sources: dict[str, Path], folder: Path) -> None:
    variables = {"__panel_option_names": {"dir": "panel_dir", "page_file": "import_page_file"}}

    problem = get_failure(
        sources, folder, page_file=str(folder / "x" / "y.md"), task_vars=variables
    )

    assert problem.startswith("import_page_file: ")


def test_chosen_clients_are_written_alone(sources: dict[str, Path], folder: Path) -> None:
    everybody = take_over(sources, folder / "all", "ispconfig")
    before = read_texts(folder / "all" / "panel")

    result = take_over(sources, folder, "ispconfig", clients=["hofladen"])

    assert result["written"] == ["clients/hofladen.yml", "panel.yml"]
    assert {entry["client"] for entry in result["carried"]} <= {"hofladen", None}
    assert len(result["carried"]) < len(everybody["carried"])
    # What is encrypted differs.
    chosen = read_texts(folder / "panel")["clients/hofladen.yml"]
    assert len(chosen) == len(before["clients/hofladen.yml"])


# Plan and apply


@pytest.mark.parametrize("panel", PANELS)
def test_the_directory_is_applied_to_an_empty_panel_and_nothing_is_left_to_do(
    sources: dict[str, Path], folder: Path, panel: str
) -> None:
    take_over(sources, folder, panel)
    memory = InMemory(password_hashes="written", ignore_account_limits=True)
    options = {
        "resources_dir": str(folder / "panel"),
        "credentials_file": str(folder / "passwords.yml"),
    }

    planned = memory.run("panel_resources", check_mode=True, **options)
    applied = memory.run("panel_resources", **options)
    second_plan = memory.run("panel_resources", check_mode=True, **options)

    for result in (planned, applied, second_plan):
        assert not result.get("failed"), result["msg"]
    assert planned["plan"]["summary"]["create"] > 0
    assert (applied["changed"], second_plan["changed"]) == (True, False)


# Vault


@pytest.mark.parametrize("options", [{}, {"passwords": "keep"}], ids=["omitted", "given"])
def test_without_a_vault_password_hashes_are_not_taken_over(
    sources: dict[str, Path], folder: Path, options: dict[str, str]
) -> None:
    problem = get_failure(sources, folder, vault=VaultLib(), **options)

    assert problem.startswith("passwords: keep writes the hashes encrypted")
    assert "Nothing was written." in problem


@pytest.mark.parametrize("panel", PANELS)
def test_without_a_vault_password_no_key_is_written_where_passwords_are_new(
    sources: dict[str, Path], folder: Path, panel: str
) -> None:
    usual = take_over(sources, folder / "usual", panel, passwords="new")
    result = take_over(sources, folder, panel, passwords="new", vault=VaultLib())

    written = "".join(read_texts(folder / "panel").values())
    assert "PRIVATE KEY" not in written
    assert "!vault" not in written
    assert result["counts"].get("certificates", 0) == 0
    rows = {(entry["kind"], entry["source"]) for entry in usual["carried"]}
    for entry in [*result["carried"], *result["left_out"]]:
        rows.discard((entry["kind"], entry["source"]))
    assert rows == set()


def test_answers_that_a_run_kept_encrypted_are_read(sources: dict[str, Path], folder: Path) -> None:
    answers = folder / "answers"
    answers.mkdir()
    write_answers(make_sample(), answers)
    for path in answers.iterdir():
        path.write_bytes(VAULT.encrypt(path.read_bytes(), secret=VAULT.secrets[0][1]))

    assert take_over(sources, folder, "ispconfig", path=str(answers))["changed"]
    shutil.rmtree(folder / "panel")
    problem = get_failure(
        sources, folder, panel="ispconfig", path=str(answers), vault=VaultLib(), passwords="new"
    )
    assert "encrypted with Ansible Vault, and this run has no password" in problem
