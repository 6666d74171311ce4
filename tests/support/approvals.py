"""What approves a plan of the playbook apply for a host, and what does not."""

from __future__ import annotations

import json
from typing import Any

import yaml

OF_ONE = "panel_expected_checksum"
BY_HOST = "panel_expected_checksums"
OTHER = "f" * 64


def make_approvals(host: str, checksum: str) -> dict[str, dict[str, Any]]:
    """Return variables that approve the plan with this checksum, by a name for the test."""
    of_two = {host: checksum, "another": OTHER}

    return {
        "one": {OF_ONE: checksum},
        "by host": {BY_HOST: of_two},
        "the same in both": {OF_ONE: checksum, BY_HOST: of_two},
        "JSON": {BY_HOST: json.dumps(of_two)},
        "YAML": {BY_HOST: yaml.safe_dump(of_two)},
        "another host has none": {BY_HOST: {host: checksum, "another": None}},
    }


def make_useless_approvals(host: str, checksum: str) -> dict[str, dict[str, Any]]:
    """Return variables that approve no plan for this host, by a name for the test.

    Although they hold its checksum.
    """
    of_two = {host: checksum, "another": OTHER}
    no_checksums: dict[str, Any] = {
        "null": None,
        "empty": "",
        "blank": " ",
        "part": checksum[:63],
        "part of a text": f"x{checksum}",
        "with a line end": f"{checksum}\n",
        "with a blank": f" {checksum}",
        "too long": f"{checksum}0",
        "other digits": "\u0663" * 64,
        "true": True,
        "number": int("1" * 64),
        "list": [checksum],
        "dictionary": {"checksum": checksum},
    }
    no_dictionaries: dict[str, Any] = {
        "checksum alone": checksum,
        "text that holds host and checksum": f"{host} {checksum}",
        "list of hosts": [host],
        "list of checksums": [checksum],
        "list of pairs": [[host, checksum]],
        "list of dictionaries": [of_two],
        "JSON of a list": json.dumps([of_two]),
        "JSON that is cut off": json.dumps(of_two)[:-1],
        "JSON with a host twice": f'{{"{host}": "{OTHER}", "{host}": "{checksum}"}}',
        "JSON with another checksum": f'{{"{host}": "0000wrong"}}',
        "nested": {"hosts": of_two},
        "true": True,
        "number": 7,
        "null": None,
        "empty": "",
        "blank": " ",
        "empty list": [],
        "empty dictionary": {},
        "text of an empty dictionary": "{}",
        "another host": {"another": checksum},
        "part of the name": {host[:-1]: checksum, f"{host}1": checksum},
        "another case": {host.upper(): checksum},
        "YAML with a tag at the checksum": f"{host}: !!binary {checksum}",
        "YAML with a tag at the host": f"!!binary {host}: {checksum}",
        "YAML with a tag at the dictionary": f"!!omap {{{host}: {checksum}}}",
    }

    return {
        **{f"one: {name}": {OF_ONE: value} for name, value in no_checksums.items()},
        **{f"by host: {name}": {BY_HOST: {host: value}} for name, value in no_checksums.items()},
        **{f"form: {name}": {BY_HOST: value} for name, value in no_dictionaries.items()},
        "both differ": {OF_ONE: OTHER, BY_HOST: of_two},
        "one beside a form": {OF_ONE: checksum, BY_HOST: [host]},
        "by host beside an empty one": {OF_ONE: "", BY_HOST: of_two},
    }
