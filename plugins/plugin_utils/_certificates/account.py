# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The account with an authority, whose key is in the state file before the authority sees it. Private to the collection."""

from __future__ import annotations

from .authority import KEY_TYPES, Authority, AuthorityError, Trouble
from .state import account_keys, with_account_key
from .state_file import StateFile


def register(authority: Authority, file: StateFile, email: str) -> list[str]:
    """Makes sure of the account, which the authority may have forgotten; with another key where it was ended, of which a warning is returned.

    Raises AuthorityError and StateError.
    """
    key = account_keys(file.content()).get(authority.directory)
    try:
        _register(authority, file, key or _new_key(authority), email)
    except AuthorityError as error:
        if error.trouble is not Trouble.ACCOUNT:
            raise
        _register(authority, file, _new_key(authority), email)
        return ["The account was ended at the authority, so there is a new one, with another key."]
    return []


def _new_key(authority: Authority) -> str:
    return authority.new_key(next(iter(KEY_TYPES)))


def _register(authority: Authority, file: StateFile, key: str, email: str) -> None:
    authority.key = key
    file.change(lambda content: with_account_key(content, authority.directory, key))
    authority.register(email)
