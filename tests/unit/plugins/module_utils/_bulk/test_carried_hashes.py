"""Passwords of new objects, by the hashes that another panel shows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.support.in_memory import VAULT, InMemory, make_folder_of_run
from tests.support.module_process import imitate_processes
from tests.support.playbook import MODULE, WAYS

OTHER = "https://old.panel.example/api/v2"
CRYPT = "$6$saltsalt$" + "a" * 86
BCRYPT = "$2y$10$" + "b" * 53
APACHE = "$apr1$saltsalt$" + "c" * 22
OLD = "$1$saltsalt$" + "d" * 22
OF_DATABASE = "*" + "0123456789ABCDEF0123" * 2
CLIENT = {"username": "acme"}
DOMAIN = {"domain": "acme.example", "client": "acme"}
BOX = {"email": "info@acme.example", "client": "acme"}
DATABASE = {"database_name": "acme_db1", "database_username": "acme_db1", "client": "acme"}
FTP_USER = {"username": "acme_f", "client": "acme", "home_directory": "/www"}
PROTECTION = {"client": "acme", "path": "/intern", "username": "anna", "auth_name": "Intern"}
RESOURCES: dict[str, Any] = {
    "clients": [CLIENT],
    "domains": [DOMAIN],
    "emails": [BOX],
    "databases": [DATABASE],
    "ftp_users": [FTP_USER],
    "directory_protections": [PROTECTION],
}
HASHES = {
    "clients": CRYPT,
    "emails": BCRYPT,
    "databases": OF_DATABASE,
    "ftp_users": CRYPT,
    "directory_protections": APACHE,
}
FROM = {"api_url": "https://old.panel.example", "api_key": "k1234567.a-key-of-another-panel"}


class Panels:
    """A panel, and the one that shows hashes."""

    def __init__(self, hashes: dict[str, str], **changes: Any) -> None:
        settings = {"password_hashes": "written_and_shown", **changes}
        self.target = InMemory({}, **settings)
        self.source = InMemory(RESOURCES, password_hashes="written_and_shown")
        self.target.others[OTHER] = self.source
        for kind, text in hashes.items():
            for entry in self.source.panel.store.list_all(kind):
                entry.hidden["password_hash"] = text
        FROM["api_key"] = self.source.panel.api_key

    def run(self, **options: Any) -> dict[str, Any]:
        """Make the objects, with the hashes of the source."""
        resources = options.pop("resources", RESOURCES)
        done = self.target.run(
            "panel_resources", resources=resources, password_hashes_from=FROM, **options
        )
        assert not any(text in json.dumps(done) for text in (CRYPT, BCRYPT, APACHE, OF_DATABASE))
        return done

    def list_hashes(self, kind: str) -> list[Any]:
        """Return the hashes that the objects of a kind have on the target."""
        return [
            entry.hidden.get("password_hash") for entry in self.target.panel.store.list_all(kind)
        ]


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run modules in each of the two ways."""
    if request.param == MODULE:
        imitate_processes(monkeypatch)
    with make_folder_of_run(tmp_path):
        yield


def _list_outcomes(done: dict[str, Any]) -> dict[str, str]:
    return {entry["kind"]: entry["outcome"] for entry in done["password_hashes"]}


@pytest.mark.usefixtures("way")
def test_new_objects_get_the_hashes_of_the_other_panel_and_a_second_run_nothing() -> None:
    panels = Panels(HASHES)

    done = panels.run()
    second_run = panels.run()

    assert done["changed"] is True, done
    assert {kind: panels.list_hashes(kind) for kind in HASHES} == {
        kind: [text] for kind, text in HASHES.items()
    }
    assert _list_outcomes(done) == dict.fromkeys(HASHES, "stays") == _list_outcomes(second_run)
    assert (second_run["changed"], "generated_passwords" in done) == (False, False)
    (client,) = panels.target.panel.store.list_all("clients")
    assert client.hidden["password_hash_os"] == CRYPT
    assert panels.source.writes == []


@pytest.mark.usefixtures("way")
def test_what_has_no_usable_hash_gets_a_password_that_the_file_keeps(tmp_path: Path) -> None:
    panels = Panels({**HASHES, "emails": OLD, "ftp_users": ""})
    file = tmp_path / "acme.yml"

    predicted = panels.run(credentials_file=str(file), check_mode=True)
    done = panels.run(credentials_file=str(file))

    kept = yaml.safe_load(VAULT.decrypt(file.read_bytes()))["generated_passwords"]
    assert {entry["kind"] for entry in kept} == {"emails", "ftp_users"}
    assert predicted["password_hashes"] == done["password_hashes"]
    assert _list_outcomes(done) == {
        **dict.fromkeys(HASHES, "stays"),
        **dict.fromkeys(("emails", "ftp_users"), "new"),
    }
    reasons = {entry["kind"]: entry["why"] for entry in done["password_hashes"]}
    assert "an MD5 crypt hash ($1$)" in reasons["emails"]
    assert panels.list_hashes("emails") == [None]


def test_a_password_of_the_task_counts_for_more_than_a_hash() -> None:
    panels = Panels(HASHES)

    done = panels.run(resources={**RESOURCES, "emails": [{**BOX, "password": "given-Password.1"}]})

    assert _list_outcomes(done)["emails"] == "new"
    assert panels.list_hashes("emails") == [None]


def test_an_object_that_exists_keeps_its_password_and_the_report_says_that_it_differs() -> None:
    panels = Panels(HASHES)
    panels.target.seed(RESOURCES)
    for entry in panels.target.panel.store.list_all("emails"):
        entry.hidden["password_hash"] = CRYPT

    done = panels.run()

    assert (done["changed"], panels.target.writes) == (False, [])
    assert _list_outcomes(done) == {
        "clients": "unknown",
        "emails": "new",
        "databases": "unknown",
        "ftp_users": "unknown",
        "directory_protections": "unknown",
    }


@pytest.mark.parametrize(
    ("hashes", "forms", "reason"),
    [
        (HASHES, ["$2y$"], "The panel takes no hash that starts with $2y$"),
        ({**HASHES, "emails": ""}, [], "shows no hash"),
        ({**HASHES, "emails": f"!{CRYPT}"}, [], "locked"),
    ],
    ids=["a form that the panel refuses", "no hash", "a locked hash"],
)
def test_the_reason_of_a_new_password_is_told(
    hashes: dict[str, str], forms: list[str], reason: str
) -> None:
    panels = Panels(hashes)

    done = panels.target.run(
        "panel_resources",
        resources=RESOURCES,
        password_hashes_from={**FROM, "refused_forms": forms},
        check_mode=True,
    )

    (told_reason,) = [
        entry["why"] for entry in done["password_hashes"] if entry["kind"] == "emails"
    ]
    assert reason in told_reason


def test_no_hash_of_another_clients_object_is_taken() -> None:
    panels = Panels(HASHES)
    panels.source.seed({"clients": [{"username": "beta"}]})
    _acme, beta = panels.source.panel.store.list_all("clients")
    (box,) = panels.source.panel.store.list_all("emails")
    box.data["id_user"] = beta.id

    done = panels.run()

    (entry,) = [entry for entry in done["password_hashes"] if entry["kind"] == "emails"]
    assert (entry["outcome"], "another client's" in entry["why"]) == ("new", True)


def test_lists_without_hashes_are_completed_where_single_objects_show_them() -> None:
    panels = Panels(HASHES)
    panels.source.panel.settings.merge({"short_lists": {"emails": ["password_hash"]}})

    done = panels.run()

    assert _list_outcomes(done)["emails"] == "stays"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"api_key": "wrong"}, "old.panel.example"),
        ({"api_url": "http://old.panel.example"}, "password_hashes_from.api_url"),
        (
            {"api_key": None},
            "password_hashes_from.api_key: is null; give a value.",
        ),
        (
            {"api_key": ""},
            "password_hashes_from.api_key: is empty. Give that of the other panel here",
        ),
        ({"forms": []}, "forms"),
        ({"refused_forms": ["$9$"]}, "refused_forms"),
    ],
    ids=[
        "a refused key",
        "plain http",
        "no key",
        "an empty key",
        "an unknown member",
        "an unknown form",
    ],
)
def test_what_keeps_hashes_from_being_read_is_told_before_anything_is_written(
    changes: dict[str, Any], message: str
) -> None:
    panels = Panels(HASHES)

    done = panels.target.run(
        "panel_resources", resources=RESOURCES, password_hashes_from={**FROM, **changes}
    )

    assert done["failed"] is True
    assert message in done["msg"]
    assert panels.target.writes == []


@pytest.mark.parametrize("names", [{}, {"password_hashes_from": "move_source"}], ids=str)
def test_a_wrong_address_of_the_other_panel_is_not_taken_for_that_of_this_one(
    names: dict[str, str],
) -> None:
    refused = Panels(HASHES).target.run(
        "panel_resources",
        task_vars={"__panel_option_names": names},
        resources=RESOURCES,
        password_hashes_from={**FROM, "api_url": "http://old.panel.example"},
    )

    option = "password_hashes_from.api_url"
    assert refused["error"] == {"type": "OptionError", "option": option}
    typed = names.get("password_hashes_from", "password_hashes_from")
    assert refused["msg"].startswith(f"{typed}.api_url: ")
