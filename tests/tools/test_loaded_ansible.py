"""A command is run in a copy of the process that has loaded Ansible only where it does the same
there."""

from __future__ import annotations

from pathlib import Path

import pytest
from ansible import constants

from tests.support.ansible_command import is_usual

# Ansible looks for a role when a play names it, and the paths of collections are compared by what
# is in them.
READ_LATER = ("ANSIBLE_ROLES_PATH", "ANSIBLE_COLLECTIONS_PATH")


def list_folders_of_loaders() -> list[str]:
    """List the variables that name folders for one of Ansible's loaders of plugins."""
    definitions = constants.config.get_configuration_definitions().values()
    searched = [definition for definition in definitions if definition.get("type") == "pathspec"]
    names = [variable["name"] for definition in searched for variable in definition.get("env", ())]
    return sorted(set(names).difference(READ_LATER))


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Return an environment with a configuration of its own."""
    settings = tmp_path / "ansible.cfg"
    settings.touch()
    return {"ANSIBLE_CONFIG": str(settings), "ANSIBLE_FORKS": "5"}


def test_a_command_with_settings_that_are_read_at_its_start_runs_in_the_loaded_process(
    environment: dict[str, str],
) -> None:
    assert is_usual(environment, {})


@pytest.mark.parametrize("variable", list_folders_of_loaders())
def test_a_command_with_folders_of_plugins_of_its_own_gets_a_process_of_its_own(
    environment: dict[str, str], variable: str
) -> None:
    assert not is_usual({**environment, variable: "/plugins/of/a/test"}, {})
