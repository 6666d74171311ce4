# SPDX-License-Identifier: GPL-3.0-or-later
"""The options that set the password of an object. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from .._errors import raise_if_any
from .._problems import Problem, describe_option_problem
from .._secrets.displayed_arguments import TAKEN_FOR_SECRET_MARK
from .._values.value_types import Boolean, Choice

CREDENTIALS_FILE = "credentials_file"
_HASH_OPTIONS = ("password_hash", "password_hash_os")
SECRET_OPTIONS = ("password", *_HASH_OPTIONS)
REGENERATE = "regenerate_password"
PASSWORD_OPTIONS = (
    *SECRET_OPTIONS,
    "update_password",
    REGENERATE,
    CREDENTIALS_FILE,
)


class _UpdatePassword(Choice):
    """Says when the password is set. People type the password itself there."""

    is_printable = False

    def describe_argument(self) -> dict[str, Any]:
        """Return how Ansible describes the option."""
        return {**super().describe_argument(), "no_log": False, **TAKEN_FOR_SECRET_MARK}


class _RegeneratePassword(Boolean):
    """Says whether the panel makes a new password. People type the new one there."""

    is_printable = False

    def describe_argument(self) -> dict[str, Any]:
        """Return how Ansible describes the option."""
        return {**super().describe_argument(), "no_log": False, **TAKEN_FOR_SECRET_MARK}


UPDATE_PASSWORD = _UpdatePassword("on_create", "always")
REGENERATE_PASSWORD = _RegeneratePassword()


class DesiredPassword(NamedTuple):
    """What a task says about the password.

    password: The password.
    password_hash: Its hash.
    password_hash_os: Its hash for the operating system.
    always: Whether it is set in every run (update_password).
    regenerate: Whether the panel makes a new one.
    is_for_new_alone: Whether an object that exists keeps its password whatever it is.
    """

    password: str | None = None
    password_hash: str | None = None
    password_hash_os: str | None = None
    always: bool = False
    regenerate: bool = False
    is_for_new_alone: bool = False

    def build_body(self) -> dict[str, Any]:
        """Return what is sent to set it."""
        if self.password is not None:
            return {"password": self.password}
        hashes = (self.password_hash, self.password_hash_os)
        return {name: value for name, value in zip(_HASH_OPTIONS, hashes) if value is not None}

    def list_changes(self, actual_hash: Any) -> dict[str, Any]:
        """Return what is sent to change the password of an object that exists.

        Args:
            actual_hash: The hash that the panel shows; None where it shows none.
        """
        if self.regenerate:
            return {"password": None}
        if not self.is_for_new_alone and self._has_to_be_set(actual_hash):
            return self.build_body()
        return {}

    def _has_to_be_set(self, actual_hash: Any) -> bool:
        is_readable = isinstance(actual_hash, str) and actual_hash != ""
        if self.password_hash is not None and is_readable:
            return bool(actual_hash != self.password_hash)
        return self.always


NO_PASSWORD = DesiredPassword()


class Password(NamedTuple):
    """Declares how a kind takes passwords. An empty one is refused, since the panel would generate
    another (docs/panel_api.md#generated-passwords).

    hash_os: Whether password_hash_os has to accompany a hash (docs/panel_api.md#password-hashes).
    """

    hash_os: bool = False

    def describe_arguments(self) -> dict[str, dict[str, Any]]:
        """Return how Ansible describes the options of the password."""
        secrets = ["password", "password_hash"]
        if self.hash_os:
            secrets.append("password_hash_os")
        return {
            **{name: {"type": "str", "no_log": True} for name in secrets},
            "update_password": {**UPDATE_PASSWORD.describe_argument(), "default": "on_create"},
            REGENERATE: {**REGENERATE_PASSWORD.describe_argument(), "default": False},
            CREDENTIALS_FILE: {"type": "path"},
        }

    def read(self, requested: Mapping[str, Any]) -> DesiredPassword:
        """Return what the options say, checked; raises OptionError."""
        raise_if_any(self._find_problems(requested))
        return DesiredPassword(
            password=requested.get("password"),
            password_hash=requested.get("password_hash"),
            password_hash_os=requested.get("password_hash_os"),
            always=requested.get("update_password") == "always",
            regenerate=bool(requested.get(REGENERATE)),
        )

    def _find_problems(self, requested: Mapping[str, Any]) -> Iterator[Problem]:
        """Yield everything that is wrong with the options."""
        if CREDENTIALS_FILE in requested:
            # The controller's front end takes the file out; nothing else may make a password that
            # no file keeps.
            yield describe_option_problem(
                CREDENTIALS_FILE,
                "needs the action plugin of this module, which keeps the file on the controller.",
            )

        secrets = {option: requested.get(option) for option in SECRET_OPTIONS}
        if secrets["password"] is not None and secrets["password_hash"] is not None:
            yield describe_option_problem(
                "password", "excludes password_hash; give one of the two."
            )

        regenerate = bool(requested.get(REGENERATE))
        for option, secret in secrets.items():
            for cause in _find_secret_problems(secret, regenerate):
                yield describe_option_problem(option, cause)

        if self.hash_os:
            yield from _find_lone_hash(secrets)


def _find_secret_problems(secret: Any, regenerate: bool) -> Iterator[str]:
    """Yield what is wrong with a password or a hash."""
    if secret == "":
        yield (
            "is empty, which would make the panel generate a new password. "
            "Omit it, or set regenerate_password: true."
        )
    if str(secret).endswith("\n"):
        yield "ends with a line break, as echo adds one; take it away."
    if secret and regenerate:
        yield "excludes regenerate_password: true; give one of the two."


def _find_lone_hash(secrets: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield a problem for a hash that is needed with the other one, and missing."""
    hash_of_panel, hash_of_system = _HASH_OPTIONS
    for missing, present in [(hash_of_panel, hash_of_system), (hash_of_system, hash_of_panel)]:
        if secrets[missing] is None and secrets[present] is not None:
            yield describe_option_problem(missing, f"missing; it is needed with {present}.")
