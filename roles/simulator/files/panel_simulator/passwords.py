"""Passwords that the panel makes, and the panel's policy for those that are given."""

from __future__ import annotations

import secrets
import string

from panel_simulator.errors import Invalid

_CHARACTERS = string.ascii_letters + string.digits
_SPECIAL = "!#%+-_=?"


def generated_password() -> str:
    """Sixteen characters that satisfy the policy."""
    letters = [
        secrets.choice(group) for group in (string.ascii_lowercase, string.ascii_uppercase, string.digits, _SPECIAL)
    ]
    letters += [secrets.choice(_CHARACTERS) for _number in range(12)]
    secrets.SystemRandom().shuffle(letters)
    return "".join(letters)


def check_policy(password: str) -> None:
    """The policy that applies with the setting ``apply_password_policy`` (facts.md section 12; the minimum is inferred)."""
    wanted = (
        (len(password) >= 8, "at least 8 characters"),
        (any(c.islower() for c in password), "a lower-case letter"),
        (any(c.isupper() for c in password), "an upper-case letter"),
        (any(c.isdigit() for c in password), "a digit"),
    )
    missing = [words for fulfilled, words in wanted if not fulfilled]
    if missing:
        raise Invalid(f"password: the password policy asks for {', '.join(missing)}.")
