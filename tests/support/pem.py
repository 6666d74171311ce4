"""Certificates and keys for tests, made anew in every run."""

from __future__ import annotations

from functools import cache

from cryptography.hazmat.primitives.asymmetric import ec

from tests.support.authority import key_pem, self_signed


@cache
def texts() -> dict[str, str]:
    """PEM texts by name: two pairs ``one`` and ``two``, ``one.renewed`` for the key of ``one``, and ``authority.certificate``."""
    one, two, authority = (ec.generate_private_key(ec.SECP256R1()) for _number in range(3))
    made = {
        "one.private_key": key_pem(one),
        "one.certificate": self_signed(one, "one.example", days=365),
        "one.renewed": self_signed(one, "one.example", days=730),
        "two.private_key": key_pem(two),
        "two.certificate": self_signed(two, "two.example", days=365),
        "authority.certificate": self_signed(authority, "authority.example", days=365),
    }
    return {name: text.decode() for name, text in made.items()}
