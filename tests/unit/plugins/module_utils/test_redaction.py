# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Secrets leave what a person sees, by name and by value, in every encoding; nothing else does."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ansible_collections.hosting.panel.plugins.module_utils._secrets.redaction import (
    MASK,
    OMITTED,
    Redactor,
    is_secret_name,
    logged_arguments,
    secret_texts_in,
    secrets_in,
    shown_address,
    shown_arguments,
    with_masked_secrets,
    without_secrets,
)

# A quote, a backslash, a slash, a plus, a space, an umlaut, an ampersand and a less-than sign.
CANARY = 'Ca"na\\r/y+1 ü&<ß'
KEY = "-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEH\nBG0wawIBAQQgevZzL1gdAFr88hb2\n-----END PRIVATE KEY-----\n"


# How Ansible and we write a value into a message.
FORMS: dict[str, Callable[[str], str]] = {
    "literal": lambda text: text,
    "JSON": lambda text: json.dumps(text)[1:-1],
    "with line ends as spaces": lambda text: " ".join(text.split()),
    "in quotes of Python": lambda text: repr(text)[1:-1],
}


@pytest.mark.parametrize(
    "secret",
    [
        CANARY,
        "correct horse battery staple",
        "two  spaces\tand a tab",
        "p!w(x)*'y~z",
        "it's-a-secret'9",
        "both 'kinds' of \"quotes\"",
    ],
)
@pytest.mark.parametrize("form", FORMS)
def test_a_secret_is_masked_in_every_form(form: str, secret: str) -> None:
    written = FORMS[form](secret)
    shown = Redactor([secret]).text(f"The value {written} is wrong; again: {written}.")
    assert shown == f"The value {MASK} is wrong; again: {MASK}."


def test_a_secret_with_white_space_around_it_is_masked_without_it_too() -> None:
    assert Redactor(["  hunter2hunter2\n"]).text("password hunter2hunter2 is weak") == f"password {MASK} is weak"


def test_a_secret_that_is_no_text_at_all_is_masked() -> None:
    # What Python makes of a variable of the environment that is no UTF-8.
    secret = b"hunter2-\xff\xfe-hunter2".decode(errors="surrogateescape")
    assert Redactor([secret]).text(f"bad {secret}") == f"bad {MASK}"


@pytest.mark.parametrize("joined", ["\n", "\r\n", " "])
def test_no_line_of_a_private_key_is_left(joined: str) -> None:
    shown = Redactor([KEY]).text("The key is invalid: " + joined.join(KEY.split("\n")))
    for line in KEY.split("\n")[1:-2]:
        assert line not in shown


def test_the_words_for_a_key_itself_are_left() -> None:
    text = "it must be PEM text with -----BEGIN PRIVATE KEY-----"
    assert Redactor([KEY]).text(text) == text


@pytest.mark.parametrize("secret", ["admin", "test", "1", "root", "panel"])
def test_a_short_secret_does_not_blank_unrelated_words(secret: str) -> None:
    text = "The administration of panels, tests and roots: 11 attempts at /clients/name/administrator."
    assert Redactor([secret]).text(text) == text


@pytest.mark.parametrize("secret", ["admin", "a-b", "1234"])
def test_a_short_secret_is_masked_as_a_word(secret: str) -> None:
    assert Redactor([secret]).text(f"password '{secret}' is too short: {secret}") == (
        f"password '{MASK}' is too short: {MASK}"
    )


def test_the_longer_of_two_secrets_is_masked_whole() -> None:
    assert Redactor(["hunter2hunter2", "hunter2hunter2-and-more"]).text("hunter2hunter2-and-more") == MASK


@pytest.mark.parametrize("secrets", [[], [""], ["   "], ["\n"]])
def test_without_secrets_a_text_stays_as_it_is(secrets: list[str]) -> None:
    assert Redactor(secrets).text("a  text\nof two lines") == "a  text\nof two lines"


def test_texts_inside_of_a_value_are_masked() -> None:
    value = {"message": f"bad {CANARY}", "list": [CANARY, 1, None, {"deep": f"x{CANARY}x"}], "status": 400}
    assert Redactor([CANARY]).value(value) == {
        "message": f"bad {MASK}",
        "list": [MASK, 1, None, {"deep": f"x{MASK}x"}],
        "status": 400,
    }


@given(
    st.text(alphabet=st.characters(exclude_characters="*…", exclude_categories=["Cs"]), min_size=8, max_size=40),
    st.text(max_size=20),
    st.text(max_size=20),
    st.sampled_from(sorted(FORMS)),
)
def test_a_secret_is_never_left(secret: str, before: str, after: str, form: str) -> None:
    assume(len(secret.strip()) >= 8)
    written = FORMS[form](secret.strip())
    shown = Redactor([secret]).text(f"{before} {written} {after}")
    assert written not in shown
    assert secret not in shown


# By name.


@pytest.mark.parametrize(
    "name",
    [
        "password",
        "PASSWORD",
        "pass_word",
        "ssh_key",
        "hash",
        "hashes",
        "crypt",
        "session",
        "Session",
        "session_id",
        "cookie",
        "smtp_password",
        "password_hash",
        "password_hash_os",
        "private_key",
        "api_key",
        "auth_token",
        "secret",
        "passphrase",
        "newPassword",
        "new-password",
        "NewPassword2",
        "smtpPasswordConfirmation",
        "dbpassword",
        "passwords",
        "privateKey",
        "privateKeyPem",
        "private-key",
        "apiKey",
        "APIKey",
        "APIKEY",
        "X-API-Key",
        "accessKeys",
        "pass",
        "ftp_pass",
        "pwd",
        "dbPwd",
        "pw",
        "token",
        "accessToken",
        "csrfToken",
        "tokens",
        "clientSecret",
        "clientsecret",
        "credential",
        "credentials",
        "auth",
        "Authorization",
        "loginUrl",
        "login_url",
        "sessionId",
        "password_plain",
        "passwordHash",
        "hashed password old",
        "db_pw2",
        "pin",
        "loginPin",
        "PIN2",
        "pin_code",
        "securityCode",
        "backup-codes",
        "totp",
        "totp_seed",
        "seed",
        "otpSecret",
        "private",
        "secret_key",
        "hmac_key",
        "recoveryPhrase",
        "mnemonic",
        "cvv",
        "cvc2",
        "puk",
        "psk",
        "wpa_psk",
        "preSharedKey",
        "salt",
        "password_salt",
        "signature",
        "reset_link",
        "resetLinks",
        "password-reset-url",
        "login_link",
        "magicLink",
        "licence_key",
        "licenseKey",
        "license_keys",
        "motdepasse",
        "nouveau_motdepasse",
        "mot_de_passe",
        "motDePasse",
    ],
)
def test_these_names_are_those_of_secrets(name: str) -> None:
    assert is_secret_name(name)


@pytest.mark.parametrize(
    "name",
    [
        "password",
        "loginUrl",
        "login_url",
        "db_pw2",
        "session-id",
        "master key",
        "Kennwort",
        "pin",
        "totp_seed",
        "psk",
        "salt",
        "signature",
        "reset_link",
        "licenseKey",
        "motdepasse",
        "mot de passe",
    ],
)
def test_a_secret_of_an_answer_is_known_by_its_name(name: str) -> None:
    assert secret_texts_in([{name: "x"}]) == ["x"]


def test_a_list_of_plain_members_holds_no_secret() -> None:
    plain = {
        "id": 5,
        "email": "info@acme.example",
        "description": "Büro",
        "max_size": 1,
        "id_user": 2,
        "letsencrypt": "x",
    }
    assert secret_texts_in([plain]) == []


@pytest.mark.parametrize(
    "name",
    [
        "username", "certificate", "dkim_record", "keyword", "secretary", "tokens_used", "password_policy", "auth_name", "authName", "key",
        "keys", "id_certificate", "is_password_set", "passwordLength", "dkim_key", "public_key", "is_hash_set", "value", "bypass", "passive", "url",
        "session_count", "letsencrypt", "is_private_x", "pinned", "pin_count", "private_note", "ping", "mapping", "seeded", "code", "status_code",
        "country_code", "author", "mail_signature", "dkim_signature", "signature_algorithm", "signatures_valid", "salted", "salt_rounds",
        "link", "links", "public_link", "licence", "license", "license_key_count", "shared", "passe_partout", "reset", "link_reset",
        "", "_", "123", 7, None,
    ],
)  # fmt: skip
def test_these_names_are_not(name: Any) -> None:
    assert not is_secret_name(name)


@pytest.mark.parametrize("remove", [without_secrets, with_masked_secrets])
def test_a_switch_that_asks_for_a_secret_is_none(remove: Callable[[Any], Any]) -> None:
    switches = {"has_password": True, "usesToken": False, "is_password_set": True}
    assert remove(switches) == switches
    assert "hunter" not in str(remove({"has_password": "hunter"}))


NESTED = {
    "username": "acme",
    "password_hash": "$6$x",
    "password_hash_os": "$6$y",
    "components": {"private_key": "k", "certificate": "c"},
    "users": [{"name": "a", "password": "p"}],
    "empty": {"password": None},
}


def test_secret_members_are_left_out_of_results() -> None:
    assert without_secrets(NESTED) == {
        "username": "acme",
        "components": {"certificate": "c"},
        "users": [{"name": "a"}],
        "empty": {},
    }


def test_secret_members_are_masked_in_what_the_user_wrote() -> None:
    assert with_masked_secrets(NESTED) == {
        "username": "acme",
        "password_hash": MASK,
        "password_hash_os": MASK,
        "components": {"private_key": MASK, "certificate": "c"},
        "users": [{"name": "a", "password": MASK}],
        "empty": {"password": None},
    }


@pytest.mark.parametrize("remove", [without_secrets, with_masked_secrets])
def test_a_private_key_in_another_member_is_masked(remove: Callable[[Any], Any]) -> None:
    assert remove({"certificate": KEY, "list": [KEY]}) == {"certificate": MASK, "list": [MASK]}


SPEC: dict[str, Any] = {
    "username": {"type": "str"},
    "password": {"type": "str", "no_log": True},
    "update_password": {"type": "str", "no_log": False},
    "regenerate_password": {"type": "bool", "no_log": False},
    "extra": {"type": "dict"},
    "components": {
        "type": "dict",
        "options": {"private_key": {"type": "str", "no_log": True}, "certificate": {"type": "str"}},
    },
    "users": {"type": "list", "options": {"name": {"type": "str"}, "password": {"type": "str", "no_log": True}}},
}
PARAMS: dict[str, Any] = {
    "username": "acme",
    "password": "hunter2hunter2",
    "update_password": "always",
    "regenerate_password": False,
    "extra": {"smtp": {"password": "letmein1", "port": 25}, "api_token": 12345678},
    "components": {"private_key": "k", "certificate": "c"},
    "users": [{"name": "a", "password": "p"}],
}


def test_the_invocation_shows_everything_but_secrets() -> None:
    assert shown_arguments(PARAMS, SPEC) == {
        "username": "acme",
        "password": OMITTED,
        "update_password": "always",
        "regenerate_password": False,
        "extra": {"smtp": {"password": MASK, "port": 25}, "api_token": MASK},
        "components": {"private_key": OMITTED, "certificate": "c"},
        "users": [{"name": "a", "password": OMITTED}],
    }


def test_the_invocation_shows_no_secret_that_is_no_option() -> None:
    # One whose name is mistyped may be any option, so none is shown.
    given = {"passwd": "x", "password_hash": "$6$", "components": {"api_key": "k"}, "pasword": "y", "usename": None}
    assert shown_arguments(given, SPEC) == {
        "passwd": MASK,
        "password_hash": MASK,
        "components": {"api_key": MASK},
        "pasword": MASK,
        "usename": None,
    }


def test_the_secrets_of_a_task_are_found_wherever_they_are() -> None:
    assert sorted(secrets_in(PARAMS, SPEC)) == ["12345678", "hunter2hunter2", "k", "letmein1", "p"]


def test_an_option_that_is_no_secret_by_declaration_is_none() -> None:
    # "always" and "on_create" occur in the collection's own messages.
    assert secrets_in({"update_password": "on_create"}, SPEC) == []


def test_everything_below_a_secret_name_is_a_secret() -> None:
    body = {"token": {"id": "tokenid1", "parts": ["part-one", "part-two"]}, "secret": ["s1"], "password": None}
    assert sorted(secrets_in({"body": body}, {"body": {"type": "dict"}})) == ["part-one", "part-two", "s1", "tokenid1"]


def test_switches_are_no_secrets() -> None:
    assert secrets_in({"body": {"password": True, "token": False, "secret": ""}}, {}) == []


@pytest.mark.parametrize("end", ["?api_key=hunter2hunter2", "/api/v2?key=hunter2hunter2#top", "/#hunter2hunter2"])
def test_what_follows_the_path_of_an_address_is_not_shown(end: str) -> None:
    shown = shown_arguments({"api_url": f"https://panel.example{end}"}, {"api_url": {"type": "str"}})["api_url"]
    assert shown.startswith(("https://panel.example/", "https://panel.example?"))
    assert "hunter2" not in shown


@pytest.mark.parametrize(
    "text",
    [
        "$1$salt$abcdefghij",
        "$2y$10$abcdefghijklmnopqrstuv",
        "$5$rounds=5000$salt$abcdefghij",
        "$6$salt$abcdefghij",
        "$y$j9T$salt$abcdefghij",
        "$apr1$salt$abcdefghij",
        "$argon2id$v=19$m=65536,t=3,p=4$c2FsdA$aGFzaGhhc2g",
    ],
)
def test_a_hash_of_a_password_is_masked_in_whichever_member_it_stands(text: str) -> None:
    assert without_secrets({"colour": text, "list": [text]}) == {"colour": MASK, "list": [MASK]}
    assert with_masked_secrets({"colour": text}) == {"colour": MASK}


@pytest.mark.parametrize(
    "text",
    [
        "{SSHA}c2FsdGVkaGFzaA==",
        "{BLF-CRYPT}$2y$05$abcdefghijklmnopqrstuv",
        "{sha512-crypt}$6$salt$abcdefghij",
        "$P$Babcdefghijklmnop",
        "pbkdf2_sha256$600000$salt$abcdefghij=",
        "scrypt:32768:8:1$salt$abcdefghij",
        "SCRAM-SHA-256$4096:c2FsdA==$c3RvcmVk:c2VydmVy",
        "md50123456789abcdef0123456789abcdef",
        "*0123456789ABCDEF0123456789ABCDEF01234567",
    ],
)
def test_a_hash_as_databases_and_frameworks_write_it_is_masked(text: str) -> None:
    assert without_secrets([text, f"  {text}\n"]) == [MASK, f"  {MASK}\n"]


def test_a_line_of_a_file_of_users_shows_the_name_alone() -> None:
    text = "admin:$apr1$salt$abcdefghij\nguest:{SHA}c2FsdGVkaGFzaA=\n# end"
    assert without_secrets(text) == f"admin:{MASK}\nguest:{MASK}\n# end"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("https://root:hunter2@db.example/x?y=1", "https://********@db.example/x?y=1"),
        ("curl 'https://u:p@ss@acme.example/cron' -s", "curl 'https://********@acme.example/cron' -s"),
        ("mysql://root:hunter2@localhost/shop", "mysql://********@localhost/shop"),
        ("redis://:hunter2@localhost", "redis://********@localhost"),
        ("https://ghp_tokentoken@git.example/x", "https://********@git.example/x"),
        ("http://a:b@c.example,http://d:e@f.example", "http://********@c.example,http://********@f.example"),
    ],
)
def test_what_logs_in_within_an_address_is_masked(text: str, shown: str) -> None:
    assert without_secrets({"colour": text}) == {"colour": shown}
    assert with_masked_secrets([text]) == [shown]
    assert without_secrets(shown) == shown


@pytest.mark.parametrize(
    "text",
    [
        "https://acme.example:8443/a@b",
        "ssh://git@acme.example/x.git",
        "https://acme.example/?mail=a:b@acme.example",
        "a:b@acme.example",
        "{DOMAIN}/public_html",
        '{"size": 1,  "user": "acme"}',
        "[not JSON: password]",
        "12345678",
    ],
)
def test_addresses_and_texts_without_a_secret_stay_as_they_are(text: str) -> None:
    assert without_secrets({"colour": text}) == {"colour": text}


def test_a_text_of_json_is_shown_as_one_without_its_secrets() -> None:
    inner = json.dumps({"pwd": "hunter2", "user": "Zoë", "at": "https://u:hunter2@x.example"})
    shown = {"pwd": MASK, "user": "Zoë", "at": f"https://{MASK}@x.example"}
    assert json.loads(without_secrets({"details": inner})["details"]) == shown
    assert "Zoë" in without_secrets(inner)
    outer = without_secrets([json.dumps({"a": [inner]}), json.dumps(inner)])
    assert json.loads(json.loads(outer[0])["a"][0]) == shown
    assert json.loads(json.loads(outer[1])) == shown


@pytest.mark.parametrize(
    "text", ['{"password": "hunter2", "password": ""}', "[" * 100000, '{"a":' * 900 + '{"pwd": "hunter2"}' + "}" * 900]
)
def test_a_text_of_json_that_cannot_be_looked_through_is_not_shown(text: str) -> None:
    shown = without_secrets({"details": text})["details"]
    # Newer Pythons look through deeper ones, down to the secret.
    assert shown == MASK or (MASK in shown and "hunter2" not in shown)


def test_secrets_by_their_form_are_known_as_secrets() -> None:
    values = [
        "$6$salt$abcdefghij",
        "see https://u:hunter2@x.example",
        "https://tokentoken:@x.example",
        '{"a": {"pwd": "deep1"}}',
    ]
    expected = ["$6$salt$abcdefghij", "hunter2", "tokentoken", "deep1"]
    assert secret_texts_in({"colour": values}) == expected
    assert secrets_in({"colour": values}, {}) == expected


def test_what_is_public_stays_but_for_private_keys() -> None:
    zone = {"records": [{"value": "https://u:p@x.example", "note": "https://u:p@x.example"}, {"value": KEY}]}
    assert without_secrets(zone, public=frozenset({"value"})) == {
        "records": [{"value": "https://u:p@x.example", "note": f"https://{MASK}@x.example"}, {"value": MASK}]
    }


@pytest.mark.parametrize(
    "text", ["$5 a month", "$HOME/bin/x", "$6$", "costs $6$ or more", "v=spf1 -all", "$1$ and $2$"]
)
def test_a_text_that_only_begins_like_a_hash_stays(text: str) -> None:
    assert without_secrets({"description": text}) == {"description": text}


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("/emails?token=hunter2&page=2", f"/emails?token={MASK}&page={MASK}"),
        ("/emails?hunter2", f"/emails?{MASK}"),
        ("/emails?aHVudGVyMg==", f"/emails?{MASK}"),
        ("/emails?a=1#hunter2=x", f"/emails?a={MASK}#{MASK}"),
        ("/emails#hunter2", f"/emails#{MASK}"),
        ("https://u:hunter2@panel.example/emails?k=hunter2", f"https://{MASK}@panel.example/emails?k={MASK}"),
        ("/emails/name/info@acme.example", "/emails/name/info@acme.example"),
    ],
)
def test_of_the_parameters_of_an_address_the_names_are_shown(written: str, shown: str) -> None:
    assert shown_address(written) == shown


def test_a_log_gets_of_dictionaries_of_anyones_making_the_names_alone() -> None:
    spec: dict[str, Any] = {
        "query": {"type": "dict"},
        "body": {"type": "raw"},
        "size": {"type": "raw"},
        "aliases": {"type": "list", "elements": "str"},
        "contact": {"type": "dict", "options": {"city": {"type": "str"}}},
    }
    params = {
        "query": {"k": "hunter2", "pages": [1, {"deep": 4711}], "all": True, "none": None},
        "body": [{"note": "hunter2"}],
        "size": "10G",
        "aliases": ["info"],
        "contact": {"city": "Bern"},
    }
    assert logged_arguments(params, spec) == {
        "query": {"k": MASK, "pages": [MASK, {"deep": MASK}], "all": True, "none": None},
        "body": [{"note": MASK}],
        "size": "10G",
        "aliases": ["info"],
        "contact": {"city": "Bern"},
    }
