# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes passwords on the controller. Private to the collection."""

from __future__ import annotations

import secrets
import string

LEAST, MOST, USUAL = 12, 64, 24
# Without what looks alike in print (I, l, 1, O, 0), and only signs that need no quoting in shells, URLs and configuration files.
_LETTERS_AND_DIGITS = "".join(sorted(set(string.ascii_letters + string.digits) - set("Il1O0")))
_SIGNS = "-_."
_CLASSES = (string.ascii_lowercase, string.ascii_uppercase, string.digits, _SIGNS)


def new_password(length: int = USUAL) -> str:
    """A random password that begins with a letter or digit and has a small letter, a capital, a digit and a sign in it.

    A panel may ask for all of these (facts.md section 12, password policy).
    """
    while True:
        first = secrets.choice(_LETTERS_AND_DIGITS)
        password = first + "".join(secrets.choice(_LETTERS_AND_DIGITS + _SIGNS) for _place in range(length - 1))
        if all(any(character in password for character in characters) for characters in _CLASSES):
            return password
