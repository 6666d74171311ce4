"""Which hashes of another panel stay."""

from __future__ import annotations

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._values.password_hashes import find_hash

_SHA512 = "$6$saltsalt$" + "a" * 86
_SHA256 = "$5$saltsalt$" + "b" * 43
_BCRYPT = "$2y$10$" + "c" * 53
_APR1 = "$apr1$saltsalt$" + "d" * 22
_MYSQL = "*" + "0A" * 20
_LOGINS = ("clients", "emails", "ftp_users", "directory_protections")


@pytest.mark.parametrize("kind", _LOGINS)
@pytest.mark.parametrize("stored", [_SHA512, _SHA256, _BCRYPT])
def test_crypt_hashes_stay_where_people_log_in(kind: str, stored: str) -> None:
    assert find_hash(kind, stored) == (stored, "")


@pytest.mark.parametrize(
    ("kind", "stored", "expected"),
    [
        ("directory_protections", _APR1, _APR1),
        ("databases", _MYSQL, _MYSQL),
        ("emails", "{BLF-CRYPT}" + _BCRYPT, _BCRYPT),
        ("emails", "{sha512-crypt}" + _SHA512, _SHA512),
        ("ftp_users", "$6$rounds=5000$" + _SHA512[3:], _SHA512),
        ("ftp_users", "$6$rounds=9000$" + _SHA512[3:], "$6$rounds=9000$" + _SHA512[3:]),
    ],
)
def test_a_hash_stays_without_its_scheme_and_the_usual_rounds(
    kind: str, stored: str, expected: str
) -> None:
    assert find_hash(kind, stored) == (expected, "")


@pytest.mark.parametrize(
    ("kind", "stored"),
    [
        ("emails", ""),
        ("emails", "!" + _SHA512),
        ("emails", _APR1),
        ("emails", _SHA512[:-1]),
        ("emails", _SHA512 + "a"),
        ("emails", _SHA512 + "\nx"),
        ("emails", "$1$saltsalt$" + "e" * 22),
        ("emails", "{PLAIN}" + _SHA512),
        ("emails", "{PLAIN}Geheim99"),
        ("emails", "5f4dcc3b5aa765d61d8327deb882cf99"),
        ("clients", "$2b$10$" + "c" * 53),
        ("clients", "$y$j9T$" + "f" * 60),
        ("databases", _SHA512),
        ("databases", _MYSQL[:-1]),
        ("databases", _MYSQL[1:]),
        ("directory_protections", _MYSQL),
    ],
)
def test_any_other_hash_is_left_out_with_a_reason_that_does_not_show_it(
    kind: str, stored: str
) -> None:
    usable, reason = find_hash(kind, stored)

    assert usable == ""
    assert reason
    assert "Geheim99" not in reason
    assert not stored or stored not in reason
