"""No canary is found in what a slice of the tasks that handle secrets prints and leaves behind."""

from __future__ import annotations

import base64
import html
import json
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

import pytest
import yaml

from tests.support.marked_secrets import (
    find_secrets,
    find_secrets_in_files,
    list_printed_forms,
    make_secret,
)
from tools.reliability import canary
from tools.reliability.canary import API_KEY, contains_secret, list_cases

SECRET = make_secret("example")
ENCODED = {
    "literal": SECRET,
    "percent": quote(SECRET, safe=""),
    "base64": base64.b64encode(SECRET.encode()).decode(),
    "base64 behind a name": base64.b64encode(f"admin:{SECRET}".encode()).decode(),
    "base64 of addresses": base64.urlsafe_b64encode(f"a{SECRET}".encode()).decode(),
    "hexadecimal": SECRET.encode().hex(),
    "JSON": json.dumps(SECRET),
    "JSON in JSON": json.dumps(json.dumps(SECRET)),
    "YAML": yaml.safe_dump({"a": [SECRET]}),
    "YAML in double quotes": yaml.safe_dump({"a": SECRET}, default_style='"', width=30),
    "HTML": html.escape(SECRET),
    "the first half": SECRET[: len(SECRET) // 2],
    "the second half": SECRET[len(SECRET) // 2 :],
    "lower case": SECRET.lower(),
}


def test_no_secret_is_shown() -> None:
    row = canary.run("canary", is_slice=True)

    assert row.wrong == []
    assert row.numbers["Tried"] >= 50
    assert row.numbers["Failed and said so"] >= 20


@pytest.mark.parametrize("text", ENCODED.values(), ids=ENCODED.keys())
def test_a_secret_is_found_in_every_encoding(text: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "left.log").write_text(f"before {text} behind", encoding="utf-8")

    assert find_secrets(f"before {text} behind")
    assert list(find_secrets_in_files(tmp_path)) == ["folder/left.log"]


@pytest.mark.parametrize("secret", [SECRET, API_KEY], ids=["password", "key"])
def test_a_secret_is_found_in_every_form_in_which_ansible_prints_it(secret: str) -> None:
    assert [form for form in list_printed_forms(secret) if not find_secrets(form)] == []


def test_a_text_without_a_secret_holds_none() -> None:
    assert find_secrets("Nothing was written. ******** head tail") == []


def test_every_secret_option_of_every_kind_is_tried() -> None:
    tried = {
        (case.module, name)
        for case in list_cases()
        for name, value in case.options.items()
        if contains_secret(str(value))
    }

    kinds = ("admin", "client", "database", "directory_protection", "email", "ftp_user")

    assert {
        (kind, name) for kind in kinds for name in ("password", "password_hash", "extra")
    } <= tried
    assert {
        ("client", "password_hash_os"),
        ("certificate", "components"),
        ("resources", "resources"),
    } <= tried
    assert {("api", "body"), ("ping", "api_key"), ("ping", "api_url")} <= tried


def test_a_secret_among_the_arguments_of_a_process_is_found() -> None:
    with canary.watch_arguments() as processes:
        subprocess.run([sys.executable, "-c", "import time; time.sleep(0.5)", SECRET], check=True)

    assert any(SECRET in command for command in processes)
