"""Known secrets leave what a person sees, in every spelling; the panel's own words stay."""

from __future__ import annotations

import base64
import html
import json
import re
import urllib.parse
from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ansible_collections.hosting.panel.plugins.module_utils._secrets import (
    displayed_arguments,
    redaction,
    secret_forms,
)
from ansible_collections.hosting.panel.plugins.module_utils._secrets.displayed_arguments import (
    OMITTED,
)
from ansible_collections.hosting.panel.plugins.module_utils._secrets.redaction import (
    Secrets,
    collect_secrets,
    mask_secrets,
    remove_secrets,
)
from ansible_collections.hosting.panel.plugins.module_utils._secrets.secret_forms import (
    KEY_MASK,
    MASK,
)
from ansible_collections.hosting.panel.plugins.module_utils._values.unsendable import (
    describe_unsendable,
)
from tests.support.marked_secrets import list_forms

# A quote, a backslash, a slash, a plus, a space, an umlaut, an ampersand and a less-than sign.
CANARY = 'Ca"na\\r/y+1 ü&<ß'
KEY = "-----BEGIN PRIVATE KEY-----\nMIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEH\nBG0wawIBAQQgevZzL1gdAFr88hb2\n-----END PRIVATE KEY-----\n"

# What panels say when they refuse something. None of it is a secret, and an operator needs all of
# it.
MESSAGES = [
    "Mailbox quota 5120 MB exceeds the client's remaining disk space (3172 MB of 20480 MB).",
    'Domain shop-müller.example is already assigned to client "kundeA".',
    "SQLSTATE[23000]: Integrity constraint violation: 1062 Duplicate entry 'acme_shop' for key 'databases.name'",
    'DNS record 3: TXT value "v=spf1 include:_spf.example.net ~all" is longer than 255 characters',
    "nginx: [emerg] duplicate listen options for 203.0.113.7:443 in /etc/nginx/sites-enabled/shop.example.conf:12",
    "Username must be 3 to 16 characters, start with a letter and contain only a-z, 0-9 and _.",
    "Cannot delete client 17: a backup job (task #4412) is still running since 2026-11-23 22:10:03.",
    'Invalid value for field "schedule.minute": "*/75" (expected 0-59, *, */n)',
    'The service "php8.2-fpm" could not be reloaded: Job for php8.2-fpm.service failed (see "journalctl -xe").',
    "Unable to connect to db2.internal:3306 (error 2002: Connection timed out). Request ID 7f3a9c21e0b84d55.",
    "Invalid value for field `php_version`: 8.9",
    "max_size: must be >= 1",
    "email_accounts=10 exceeded",
    "Password too weak: min. 8 chars, upper+lower, digit",
]


@pytest.mark.parametrize("message", MESSAGES)
def test_what_a_panel_says_is_shown_as_it_came(message: str) -> None:
    assert Secrets([CANARY, "admin", "7"]).clean_text(message) == message


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "Password 's3cret-s3cret' too weak", f"Password '{MASK}' too weak", id="quoted"
        ),
        pytest.param(
            '{"password":"s3cret-s3cret"} refused', f'{{"password":"{MASK}"}} refused', id="JSON"
        ),
        pytest.param("s3cret-s3cre&#116; is bad", f"{MASK} is bad", id="entity"),
        pytest.param(
            "/login?key=s3cret%2fs3cret%c3%bc refused",
            f"/login?key={MASK} refused",
            id="percent encoding in lower case",
        ),
        pytest.param(
            "/login?key=s3cret%2Fs3cret%C3%BC refused",
            f"/login?key={MASK} refused",
            id="percent encoding in upper case",
        ),
        pytest.param("<b>Error</b> 42<br/>x &lt; 3", "Error 42 x < 3", id="markup"),
        pytest.param(
            "two\nlines\x1b[2J and \u202eback", "two lines[2J and back", id="control characters"
        ),
        pytest.param(
            "s3cret\x00-s3c\u202eret is bad", f"{MASK} is bad", id="secret with control characters"
        ),
        pytest.param(
            "s3cret&#8232; of\r\ntwo\nwords is bad", f"{MASK} is bad", id="secret with line breaks"
        ),
        pytest.param(
            "s3cret\x01s3cret is bad", f"{MASK} is bad", id="secret with a control character"
        ),
        pytest.param("word " * 200, ("word " * 100).strip() + " …", id="many words"),
        pytest.param("x" * 600, "x" * 500 + " …", id="long word"),
    ],
)
def test_what_is_replaced_in_the_words_of_a_panel(text: Any, expected: Any) -> None:
    secrets = Secrets(
        ["s3cret-s3cret", "s3cret/s3cretü", "s3cret of two words", "s3cret\x01s3cret"]
    )
    assert secrets.clean_text(text) == expected, text


@pytest.mark.parametrize(
    ("content", "media_type", "expected"),
    [
        (
            "<html><title>404 Not Found</title>x",
            "text/html; charset=x",
            'text/html with the title "404 Not Found"',
        ),
        ("<h1>Not found</h1>", "text/html", "text/html of 18 bytes"),
        ("", "", "no media type of 0 bytes"),
        ("Fatal error: disk full", "text/plain", 'text/plain: "Fatal error: disk full"'),
        (
            '<br>Warning: x in y on line 3\n{"id": 8}',
            "application/json",
            'application/json: "Warning: x in y on line 3 {"id": 8}"',
        ),
    ],
)
def test_an_answer_that_cannot_be_read_is_shown_by_its_title_or_its_beginning(
    content: str, media_type: str, expected: str
) -> None:
    assert Secrets().describe_page(content.encode(), media_type) == expected, content


@pytest.mark.parametrize(
    "held",
    [
        '"password": "hunter2"',
        '"db_password":"hunter2',
        '\\"new-password\\": \\"hunter2\\"',
        "'api_token' => 'hunter2'",
        "password=hunter2&x=1",
        "pin: hunter2, more",
        "https://root:hunter2@db.example/x",
        '"url": "https://panel.example/login.php?t=hunter2"',
        "x $6$salt$hunter2hunter2 y",
        "-----BEGIN RSA PRIVATE KEY-----\nhunter2",
    ],
)
def test_in_an_answer_that_cannot_be_read_secrets_are_masked_by_name_and_form(held: str) -> None:
    displayed = Secrets().describe_page(
        f'<br>Warning: odd\n{{"id": 4, {held}'.encode(), "text/plain"
    )
    assert "hunter2" not in displayed, held
    assert "Warning: odd" in displayed, held


WEAK = "hunter2-hunter2"
# How programs write a field and its value; NAME is the name of a secret field.
SPELLINGS_OF_FIELDS = {
    "JSON with a dictionary": '{"NAME": {"value":"hunter2", "old": ["hunter2"]}, "id": 4}',
    "JSON with a list": '{"NAME":["hunter2","hunter2"], "id": 4}',
    "JSON with a bracket in a value": '{"NAME": {"value":"}hunter2"}, "id": 4}',
    "JSON that is cut off": 'x {"NAME":["hunter2","hunter2"',
    "JSON with name and value": '[{"name": "NAME", "value": "hunter2"}]',
    "JSON in HTML": "&quot;NAME&quot;:&quot;hunter2&quot;",
    "JSON with codes for quotes": r"{\u0022NAME\u0022:\u0022hunter2\u0022}",
    "JSON in JSON": r"{\"NAME\":\"hunter2\"}",
    "JSON in JSON in JSON": r"{\\\"NAME\\\":\\\"hunter2\\\"}",
    "a form": "id=4&NAME=hunter2&x=1",
    "a form with an array": "user[NAME]=hunter2&NAME[]=hunter2",
    "a form in an address": "next=%2Fx%3FNAME%3Dhunter2%26a%3D1",
    "a header with a scheme": "NAME: Bearer hunter2",
    "a header in a command": "curl -H 'NAME: Basic hunter2' x",
    "print_r": "Array ( [NAME] => hunter2 hunter2 )",
    "print_r of an object": "X Object ( [NAME:protected] => hunter2 )",
    "print_r of an array": "[NAME] => Array\n(\n  [0] => hunter2\n  [1] => hunter2\n)",
    "var_dump": '["NAME"]=>\n  string(7) "hunter2"',
    "var_dump of an object": '["NAME":protected]=> string(7) "hunter2"',
    "var_dump of an array": '["NAME"]=> array(1) { [0]=> string(7) "hunter2" }',
    "var_export": "'NAME' => array (\n  0 => 'hunter2',\n  1 => 'hunter2')",
    "serialize": 's:8:"NAME";s:7:"hunter2";',
    "serialize of an array": 's:8:"NAME";a:2:{i:0;s:7:"hunter2";i:1;s:7:"hunter2";}',
    "Python": "{'NAME': b'hunter2'}",
    "a call": "#0 x.php(3): NAME('hunter2', 'hunter2')",
    "a command": "tool --NAME hunter2",
    "after another name": "Error: NAME=hunter2",
    "XML": "<email><NAME>hunter2</NAME></email>",
    "XML with an attribute": '<NAME type="text">hunter2</NAME>',
    "XML of a name space": "<ns:NAME>hunter2</ns:NAME>",
    "XML with elements": "<NAME><item>hunter2</item><item>hunter2</item></NAME>",
    "XML with character data": "<NAME><![CDATA[hunter2 < hunter2]]></NAME>",
    "XML in an attribute": '<user NAME="hunter2" id="4"/>',
    "XML that is cut off": "<email><NAME>hunter2 hunter2",
    "XML in HTML": "&lt;NAME&gt;hunter2&lt;/NAME&gt;",
    "an attribute for the name": '<member name="NAME">hunter2</member>',
    "an attribute for the value": '<param name="NAME" value="a > hunter2',
    "XML-RPC": "<member><name>NAME</name><value><string>hunter2</string></value></member>",
    "XML-RPC with a list": "<name>NAME</name><value><value>a</value><value>hunter2</value></value>",
    "a property list": "<key>NAME</key>\n<string>hunter2</string>",
    "a table": "<table><tr><td>NAME</td><td>hunter2</td></tr></table>",
    "a table with a sentence": "<tr><th>Your NAME</th><td>hunter2</td></tr>",
    "an emphasized name": "<b>NAME</b>: hunter2",
    "a label": "<label>NAME:</label> <b>hunter2</b>",
    "YAML": "id: 4\nNAME: hunter2, hunter2\nx: 1",
    "YAML with a text of lines": "NAME: >-\n  hunter2\n  hunter2\nx: 1",
    "YAML with a list": "a:\n  NAME:\n    - hunter2\n    - hunter2\n  x: 1",
    "YAML with a list at its margin": "NAME:\n- hunter2\n- hunter2\nx: 1",
    "a file of settings": "[x]\nNAME = hunter2 hunter2\n",
}


@pytest.mark.parametrize("name", ["password", "api_token", "Authorization", "newPassword"])
@pytest.mark.parametrize("spelling", SPELLINGS_OF_FIELDS)
def test_in_an_answer_that_cannot_be_read_a_secret_field_is_masked_in_every_spelling(
    spelling: str, name: str
) -> None:
    body = SPELLINGS_OF_FIELDS[spelling].replace("NAME", name)
    displayed = Secrets().describe_page(f"Warning: odd\n{body}".encode(), "application/json")
    assert "hunter2" not in displayed
    assert "Warning: odd" in displayed


@pytest.mark.parametrize("option_type", ["raw", "dict", "list"])
@pytest.mark.parametrize("spelling", SPELLINGS_OF_FIELDS)
def test_a_secret_in_the_text_of_a_structure_that_cannot_be_read_is_known(
    spelling: str, option_type: str
) -> None:
    text = SPELLINGS_OF_FIELDS[spelling].replace("NAME", "password").replace("hunter2", WEAK)

    secrets = Secrets(collect_secrets({"body": f"{text} {{"}, {"body": {"type": option_type}}))

    assert WEAK not in secrets.mask_given(f"/clients/name/{WEAK}")
    assert secrets.mask_given("/clients/name/acme") == "/clients/name/acme"


# What stands between a name and its value, one for each form that is looked for.
BETWEEN = {
    "a colon": ("password", ": "),
    "an equals sign": ("password", "="),
    "an arrow": ("'password'", " => "),
    "a comma and the word value": ("'password'", ", 'value' => "),
    "a comma and the word text": ('"password"', ', "text": '),
    "a blank": ("--password", " "),
}
BEFORE = {
    "at the start": "",
    "in a line": "usage ",
    "in the next line": "usage\n",
    "behind blanks": "usage\n  ",
    "in a list": "usage\n- ",
    "in brackets": "usage\n[",
}
QUOTES = {"no quotes": "", "single quotes": "'", "double quotes": '"'}


@pytest.mark.parametrize("quote", QUOTES.values(), ids=QUOTES)
@pytest.mark.parametrize("before", BEFORE.values(), ids=BEFORE)
@pytest.mark.parametrize(("name", "between"), BETWEEN.values(), ids=BETWEEN)
def test_a_value_is_masked_wherever_its_name_stands_and_however_both_are_joined(
    name: str, between: str, before: str, quote: str
) -> None:
    body = f"{before}{name}{between}{quote}hunter2{quote} failed"

    displayed = Secrets().describe_page(body.encode(), "text/plain")

    assert "hunter2" not in displayed
    assert before.strip(" -[\n") in displayed
    assert "password" in displayed


@pytest.mark.parametrize("name", ["notes", "auth_name", "key", "token_count"])
@pytest.mark.parametrize("spelling", SPELLINGS_OF_FIELDS)
def test_in_an_answer_that_cannot_be_read_every_other_field_is_shown(
    spelling: str, name: str
) -> None:
    body = SPELLINGS_OF_FIELDS[spelling].replace("NAME", name)
    displayed = Secrets().describe_page(f"Warning: odd\n{body}".encode(), "application/json")
    assert "hunter2" in displayed or 'NAME="hunter2"' in SPELLINGS_OF_FIELDS[spelling]


@pytest.mark.parametrize(
    ("body", "displayed"),
    [
        ('{"password": {"value": "x1"}, "id": 4}', '{"password": ********, "id": 4}'),
        ("<a><password>x1</password><id>4</id></a>", "******** 4"),
        ("<td>password</td><td>x1</td><td>id</td><td>4</td>", "password ******** id 4"),
        ("Undefined index: password in x.php on line 3", None),
        ("The password is wrong, and the token has expired", None),
        ("Call of password_hash() failed: disk full", None),
    ],
)
def test_what_is_around_a_secret_field_is_shown(body: str, displayed: str | None) -> None:
    expected = f'text/plain: "{displayed or body}"'
    assert Secrets().describe_page(body.encode(), "text/plain") == expected


@pytest.mark.parametrize(
    "body",
    [
        r'{"url": "https:\/\/panel.example\/login.php?t=hunter2"}',
        r"{\u0022x\u0022: \u0022https:\/\/root:hunter2@db.example\/x\u0022}",
        r'{"x": "\u0024""6\u0024salt\u0024hunter2hunter2"}'.replace('""', ""),
        r'{"x": "-----BEGIN PRIVATE KEY-----\nhunter2',
        "x=%2D%2D%2D%2D%2DBEGIN%20PRIVATE%20KEY%2D%2D%2D%2D%2D%0Ahunter2",
        "<title>x password=hunter2</title>",
    ],
)
def test_in_an_answer_that_cannot_be_read_secret_forms_are_masked_in_their_escapes_too(
    body: str,
) -> None:
    assert "hunter2" not in Secrets().describe_page(body.encode(), "application/json")


# Known secrets.


KNOWN = {
    "canary": CANARY,
    "words": "correct horse battery staple",
    "tab": "two  spaces\tand a tab",
    "quote": "it's-a-secret'9",
}


def list_spellings(secret: str) -> list[str]:
    """Return how encodings and messages write a secret."""
    shortened = {repr(secret)[1:-1], " ".join(secret.split()), secret.strip()}
    return sorted({*list_forms(secret)} | shortened)


@pytest.mark.parametrize(
    ("secret", "written"),
    [
        pytest.param(secret, written, id=f"{name} as {written}")
        for name, secret in KNOWN.items()
        for written in list_spellings(secret)
    ],
)
def test_a_known_secret_is_masked_in_every_spelling(secret: str, written: str) -> None:
    assert (
        Secrets([secret]).mask(f"The value {written} is wrong: x{written}y.")
        == f"The value {MASK} is wrong: x{MASK}y."
    )


OTHER_SECRETS = [f"other-secret-{number}" for number in range(60)]


@given(
    st.text(
        alphabet=st.characters(exclude_characters="*…", exclude_categories=["Cs"]),
        min_size=8,
        max_size=40,
    ),
    st.text(max_size=20),
    st.booleans(),
)
@pytest.mark.long
def test_a_secret_is_never_left(secret: str, around: str, among_many: bool) -> None:
    assume(len(secret.strip()) >= 8)
    assert secret not in Secrets([*OTHER_SECRETS[:: 1 if among_many else 30], secret]).mask(
        f"{around} {secret} {around}"
    )


# Letters that some language escapes, and none that is around a secret below.
LETTERS = st.text(alphabet="abcdefXYZ\"\\/+%&<>'=?#ü€🔑 -_~", min_size=8, max_size=40).filter(
    lambda text: len(text.strip()) == len(text)
)
AROUND = st.text(alphabet="0123456789:;,.()", max_size=12)


def encode_every_byte(text: str) -> str:
    """Return a text with each byte in percent encoding."""
    return "".join(f"%{byte:02x}" for byte in text.encode())


def as_entities(text: str) -> str:
    """Return a text with its signs as decimal entities."""
    return "".join(f"&#{ord(letter)};" if not letter.isalnum() else letter for letter in text)


def as_hexadecimal_entities(text: str) -> str:
    """Return a text with each letter as a hexadecimal entity."""
    return "".join(f"&#x{ord(letter):x};" for letter in text)


LANGUAGES: dict[str, Callable[[str], str]] = {
    "address": partial(quote, safe=""),
    "path": quote,
    "form": quote_plus,
    "address of a browser": partial(quote, safe="!'()*"),
    "address in small letters": lambda text: re.sub(
        "%..", lambda hit: hit[0].lower(), quote(text, safe="")
    ),
    "address, every byte": encode_every_byte,
    "JSON": lambda text: json.dumps(text)[1:-1],
    "JSON of PHP": lambda text: json.dumps(text)[1:-1].replace("/", "\\/"),
    "JSON with letters": lambda text: json.dumps(text, ensure_ascii=False)[1:-1],
    "Python": lambda text: text.encode("unicode_escape").decode(),
    "HTML": html.escape,
    "HTML in numbers": as_entities,
    "HTML in hexadecimal numbers": as_hexadecimal_entities,
}


@pytest.mark.long
@pytest.mark.parametrize("outer", [None, *LANGUAGES])
@pytest.mark.parametrize("inner", LANGUAGES)
@given(secret=LETTERS, before=AROUND, behind=AROUND)
def test_a_known_secret_is_masked_in_every_language_and_in_one_within_another(
    inner: str, outer: str | None, secret: str, before: str, behind: str
) -> None:
    def write_in_languages(text: str) -> str:
        once = LANGUAGES[inner](text)
        return LANGUAGES[outer](once) if outer else once

    displayed = Secrets([secret]).mask(
        write_in_languages(before) + write_in_languages(secret) + write_in_languages(behind)
    )

    assert displayed == write_in_languages(before) + MASK + write_in_languages(behind)


SPELLINGS: dict[str, Callable[[str], str]] = {
    "SQL": lambda text: text.replace("'", "''"),
    "table": lambda text: text.replace('"', '""'),
    "shell": lambda text: text.replace("'", "'\\''"),
    "bytes of Python": lambda text: repr(text.encode())[2:-1],
    "bytes in hexadecimal": lambda text: "".join(f"\\x{byte:02x}" for byte in text.encode()),
    "bytes in octal": lambda text: "".join(f"\\{byte:03o}" for byte in text.encode()),
    "address of old browsers": lambda text: "".join(f"%u{ord(letter):04x}" for letter in text),
    "base64 of JSON": lambda text: encode_base64(json.dumps({"p": text})),
    "base64 of JSON of PHP": lambda text: encode_base64(json.dumps(text).replace("/", "\\/")),
    "base64 of JSON with letters": lambda text: encode_base64(json.dumps(text, ensure_ascii=False)),
    "base64 of an address": lambda text: encode_base64(f"p={quote(text, safe='')}&q=1"),
    "base64 of a form": lambda text: encode_base64(f"p={quote_plus(text)}&q=1"),
    "base64 in lines of 8": lambda text: break_lines(encode_base64(text), 8, "\n"),
    "base64 in indented lines": lambda text: break_lines(encode_base64(text), 20, "\r\n\t "),
}


def encode_base64(text: str) -> str:
    """Return a text in base64."""
    return base64.b64encode(text.encode()).decode()


def break_lines(text: str, length: int, end: str) -> str:
    """Return a text in lines of a length."""
    return end.join(text[start : start + length] for start in range(0, len(text), length))


@pytest.mark.parametrize("spelling", SPELLINGS)
@pytest.mark.parametrize("secret", ["Abcd-1234_xyz.QQ", "Pä$s wörd/&<>\"'12%+", "päß€kéy-1 x"])
def test_a_known_secret_is_masked_in_the_spellings_of_other_programs(
    spelling: str, secret: str
) -> None:
    written = SPELLINGS[spelling](secret)

    displayed = Secrets([secret]).mask(f"the value [{written}] is wrong")

    assert MASK in displayed
    assert len(displayed) < len(f"the value [{written}] is wrong")
    assert written[len(written) // 2 :] not in displayed


ALPHABETS = {"+/": base64.b64encode, "-_": base64.urlsafe_b64encode}
WRAPPED = {
    "in one line": lambda text: text,
    "in lines of 64": lambda text: "\n".join(
        text[start : start + 64] for start in range(0, len(text), 64)
    ),
    "in lines of 76": lambda text: "\r\n".join(
        text[start : start + 76] for start in range(0, len(text), 76)
    ),
    "in an address": partial(quote, safe=""),
    "in JSON of PHP": lambda text: json.dumps(text)[1:-1].replace("/", "\\/"),
    "in lines in JSON": lambda text: json.dumps(
        "\n".join(text[start : start + 64] for start in range(0, len(text), 64))
    )[1:-1],
}


@pytest.mark.long
@pytest.mark.parametrize("wrapped", WRAPPED)
@pytest.mark.parametrize("alphabet", ALPHABETS)
@given(secret=LETTERS, before=st.text(alphabet="0123456789:;,.()", max_size=80), behind=AROUND)
def test_base64_of_a_text_around_a_secret_shows_no_digit_of_it(
    alphabet: str, wrapped: str, secret: str, before: str, behind: str
) -> None:
    digits = ALPHABETS[alphabet]((before + secret + behind).encode()).decode()
    first = len(before.encode()) * 8 // 6
    end = -(-len((before + secret).encode()) * 8 // 6)
    displayed = Secrets([secret]).mask(WRAPPED[wrapped](digits))

    displayed = (
        urllib.parse.unquote(displayed)
        .replace("\\/", "/")
        .replace("\\n", "")
        .replace("\n", "")
        .replace("\r", "")
    )
    # Of one that is like a part of itself, such as eight equal letters, a neighbour may be masked
    # too.
    head, tail = displayed.partition(MASK)[0], displayed.rpartition(MASK)[2]

    assert first - 2 <= len(head)
    assert digits[:first].startswith(head)
    assert len(digits) - end - 2 <= len(tail)
    assert digits[end:].endswith(tail)


@pytest.mark.parametrize("before", ["", "u", "us", "use", "user:", "Basic user:"])
def test_the_key_of_a_panel_is_masked_in_base64_of_user_and_key(before: str) -> None:
    key = "prefix01.Zm9vYmFyYmF6cXV4"
    digits = base64.b64encode(f"{before}{key}".encode()).decode()

    displayed = Secrets([key]).clean_text(f"Authorization: Basic {digits} was refused")

    assert (
        displayed
        == f"Authorization: Basic {digits[: len(before) * 8 // 6]}{MASK}{'=' * digits.count('=')} was refused"
    )


def test_a_secret_at_the_end_of_what_is_looked_at_is_masked_whole() -> None:
    secret = "hunter2-hunter2-hunter2"
    for blanks in range(15_950, 16_050):
        displayed = Secrets([secret]).clean_text("<p>" + " " * blanks + secret + " and more")
        assert "hunter" not in displayed, blanks


def test_a_number_of_thousands_of_digits_in_a_page_is_no_letter() -> None:
    assert Secrets().clean_text(f"x &#{'9' * 5000}; y") == "x …"


@pytest.mark.parametrize("end", ["\n", "\r\n", " "], ids=["lines", "lines of Windows", "one line"])
def test_no_line_of_a_private_key_is_left(end: str) -> None:
    displayed = Secrets([KEY]).mask("The key is invalid: " + end.join(KEY.split("\n")))

    assert [line for line in KEY.split("\n")[1:-2] if line in displayed] == []


def test_a_message_about_the_form_of_a_private_key_is_shown() -> None:
    message = "it must be PEM text with -----BEGIN PRIVATE KEY-----"
    assert Secrets([KEY]).mask(message) == message


def test_a_short_secret_is_masked_as_a_whole_word_and_a_very_short_one_as_a_whole_value() -> None:
    secrets = Secrets(["admin", "a-b"])
    assert secrets.mask("'admin' is an administrator, a-b") == f"'{MASK}' is an administrator, a-b"
    assert secrets.mask_value({"x": ["a-b", "of a-b"], "n": 1}) == {"x": [MASK, "of a-b"], "n": 1}


def test_the_longer_of_two_secrets_is_masked_whole() -> None:
    assert (
        Secrets(["hunter2hunter2", "hunter2hunter2-and-more"]).mask("hunter2hunter2-and-more")
        == MASK
    )


@pytest.mark.parametrize("nothing", [[], [""], ["   "], ["\n"]], ids=str)
def test_without_secrets_a_text_stays_as_it_is(nothing: list[str]) -> None:
    assert Secrets(nothing).mask("a  text\nof two lines") == "a  text\nof two lines"


def test_secret_fields_of_answers_are_known_from_then_on() -> None:
    secrets = Secrets()

    for number in range(200):
        secrets.learn(
            [{"id": number, "more": {"newPassword": f"hunter-{number:03}"}, "notes": "plain text"}]
        )

    assert secrets.mask("hunter-000 hunter-199 plain text") == f"{MASK} {MASK} plain text"


# Secrets by name and form in values.

NAMES = """
password PASSWORD pass_word ssh_key hash hashes crypt session session_id cookie smtp_password password_hash
password_hash_os private_key api_key auth_token secret passphrase newPassword new-password NewPassword2
smtpPasswordConfirmation dbpassword passwords privateKeyPem APIKey APIKEY X-API-Key accessKeys pass ftp_pass
dbPwd pw accessToken tokens clientsecret credentials auth Authorization loginUrl login_url password_plain
db_pw2 PIN2 pin_code backup-codes totp_seed otpSecret private secret_key recoveryPhrase cvc2 wpa_psk
authcode auth_code authCode AuthInfo auth_info eppCode epp_code EPPCode transfer_code authorization_code ext_authcode
password_salt signature resetLinks magicLink licenseKey motdepasse mot_de_passe
"""
OTHERS = """
username certificate dkim_record keyword secretary tokens_used password_policy auth_name authName key keys
id_certificate is_password_set passwordLength dkim_key public_key value bypass passive url session_count
letsencrypt is_private_x pinned pin_count private_note ping mapping code status_code author mail_signature
signatures_valid salted salt_rounds link public_link licence license_key_count shared passe_partout reset
link_reset _ 123 auth_code_expires auth_information area_code eppendorf transfer codec
"""


def test_the_names_of_secret_fields() -> None:
    assert [name for name in NAMES.split() if not secret_forms.is_secret_name(name)] == []
    assert [
        name for name in (*OTHERS.split(), "", 7, None) if secret_forms.is_secret_name(name)
    ] == []


NESTED = {
    "username": "acme",
    "password_hash": "$6$x",
    "parts": {"private_key": "k", "list": [{"pin": 1234}]},
    "has_password": True,
    "token": None,
}


def test_secret_fields_are_left_out_of_results_and_masked_in_options() -> None:
    assert remove_secrets(NESTED) == {
        "username": "acme",
        "parts": {"list": [{}]},
        "has_password": True,
    }

    masked = {"private_key": MASK, "list": [{"pin": MASK}]}
    assert redaction.mask_secrets(NESTED) == {
        **NESTED,
        "password_hash": MASK,
        "parts": masked,
    }
    assert sorted(redaction.collect_secrets([NESTED])) == ["$6$x", "1234", "k"]


@pytest.mark.parametrize(
    ("text", "displayed"),
    [
        pytest.param(KEY, MASK, id="private key"),
        pytest.param("$6$salt$abcdefghij", MASK, id="SHA-512 hash"),
        pytest.param("$argon2id$v=19$m=65536,t=3,p=4$c2FsdA$aGFzaGhhc2g", MASK, id="Argon2 hash"),
        pytest.param("{BLF-CRYPT}$2y$05$abcdefghijklmnopqrstuv", MASK, id="bcrypt hash of Dovecot"),
        pytest.param("pbkdf2_sha256$600000$salt$abcdefghij=", MASK, id="PBKDF2 hash"),
        pytest.param("SCRAM-SHA-256$4096:c2FsdA==$c3RvcmVk:c2VydmVy", MASK, id="SCRAM hash"),
        pytest.param("md50123456789abcdef0123456789abcdef", MASK, id="MD5 hash of PostgreSQL"),
        pytest.param(
            "admin:$apr1$salt$abcdefghij\n# end", f"admin:{MASK}\n# end", id="line of htpasswd"
        ),
        pytest.param(
            "# users\n root:$6$salt$abcdefghij:19000: ",
            f"# users\n root:{MASK}:19000: ",
            id="line of shadow",
        ),
        pytest.param(
            "curl 'https://u:p@ss@acme.example/cron' -s",
            "curl 'https://********@acme.example/cron' -s",
            id="login in a quoted address",
        ),
        pytest.param(
            "redis://:hunter2@localhost", "redis://********@localhost", id="password without a user"
        ),
        pytest.param(
            "https://ghp_tokentoken@git.example/x",
            "https://********@git.example/x",
            id="token in an address",
        ),
        pytest.param("ssh://git@acme.example/x.git", None, id="user of SSH"),
        pytest.param(
            "https://acme.example/?mail=a:b@acme.example", None, id="address as a parameter"
        ),
        pytest.param("$5 a month", None, id="price"),
        pytest.param("costs $6$ or more", None, id="price with a digit"),
        pytest.param("{DOMAIN}/public_html", None, id="placeholder"),
        pytest.param(
            "rm -r /var/cache/md5d41d8cd98f00b204e9800998ecf8427e/x", None, id="path with a hash"
        ),
        pytest.param("echo $1$HOME/backup", None, id="variable of a shell"),
        pytest.param("sql '*0123456789ABCDEF0123456789ABCDEF01234567'", None, id="hash of MySQL"),
    ],
)
def test_a_field_is_shown_without_what_is_secret_by_its_form(text: Any, displayed: Any) -> None:
    expected = text if displayed is None else displayed
    assert remove_secrets({"notes": text, "list": [text]}) == {
        "notes": expected,
        "list": [expected],
    }, text
    assert redaction.mask_secrets([text]) == [expected], text


BEGIN_KEY = "-----BEGIN PRIVATE KEY-----"
KEY_LETTERS = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj"


@pytest.mark.parametrize(
    ("text", "displayed"),
    [
        pytest.param(
            f"# {BEGIN_KEY}\nInclude /home/x",
            f"# {KEY_MASK}\nInclude /home/x",
            id="no letters, no end",
        ),
        pytest.param(f"{BEGIN_KEY}\n{KEY_LETTERS}\n\n", MASK, id="no end"),
        pytest.param(f"{BEGIN_KEY}; reboot", f"{KEY_MASK}; reboot", id="code on the same line"),
        pytest.param(
            f"{BEGIN_KEY}\n{KEY_LETTERS}\n{KEY_LETTERS}; rm -r x",
            f"{KEY_MASK}; rm -r x",
            id="code behind letters",
        ),
        pytest.param(
            f"echo '{KEY.strip()}' > x", f"echo '{KEY_MASK}' > x", id="code around a whole key"
        ),
        pytest.param(
            f"{BEGIN_KEY}\nrm -r x\n-----END PRIVATE KEY-----\n",
            f"{KEY_MASK}\nrm -r x\n-----END PRIVATE KEY-----\n",
            id="code between begin and end",
        ),
        pytest.param(
            f"{BEGIN_KEY}\n# {KEY_LETTERS}\n# x",
            f"{KEY_MASK}\n# {MASK}\n# x",
            id="lines of a comment",
        ),
        pytest.param(
            "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B\n\n"
            f"{KEY_LETTERS}\nabc=\n-----END RSA PRIVATE KEY-----",
            MASK,
            id="an encrypted key",
        ),
        pytest.param(KEY.replace("\n", "\\n"), MASK, id="line breaks as in JSON"),
        pytest.param(KEY.replace("\n", "\r\n"), MASK, id="line breaks of Windows"),
        pytest.param(f"{KEY}{KEY}", MASK, id="two keys"),
    ],
)
def test_of_a_private_key_the_key_is_masked_and_what_else_a_field_has_is_shown(
    text: str, displayed: str
) -> None:
    assert mask_secrets(text) == displayed
    assert mask_secrets(displayed) == displayed
    assert "instead of a secret" in describe_unsendable(displayed)


COMMANDS = [
    ("mysql -u shop -pS3cret shop < x.sql", "mysql -u shop -p******** shop < x.sql"),
    (
        "/usr/bin/mysqldump -ushop -p'a b;c' shop | ssh -p22 x",
        "/usr/bin/mysqldump -ushop -p******** shop | ssh -p22 x",
    ),
    ('mariadb-dump --password="a b" shop', "mariadb-dump --password=******** shop"),
    ("mysql -pmysql mysql", "mysql -p******** mysql"),
    ("mysql -pa; mysqladmin -pb ping", "mysql -p********; mysqladmin -p******** ping"),
    ("sshpass -p S3cret rsync -a x y:", "sshpass -p ******** rsync -a x y:"),
    (
        "MYSQL_PWD=S3cret mysql; PGPASSWORD='x' pg_dump",
        "MYSQL_PWD=******** mysql; PGPASSWORD=******** pg_dump",
    ),
    ("curl -s -u shop:S3cret https://x.example", "curl -s -u shop:******** https://x.example"),
    (
        "wget --http-password=S3cret https://x.example",
        "wget --http-password=******** https://x.example",
    ),
    ("mysql -p shop", None),
    ("mysql -p$PASSWORD shop", None),
    ('mysql -p"$(cat /home/acme/x)" shop', None),
    ("mysqldump --defaults-file=x.cnf shop; mkdir -p/backup", None),
    ("ssh -p2222 x; docker run -p8080:80 x", None),
    ("PWD=/home/acme php x.php", None),
]


@pytest.mark.parametrize(
    ("command", "displayed"), COMMANDS, ids=[command for command, _displayed in COMMANDS]
)
def test_a_command_is_shown_without_the_password_in_it(command: str, displayed: str | None) -> None:
    expected = command if displayed is None else displayed
    assert remove_secrets({"command": command}) == {"command": expected}
    assert mask_secrets(expected) == expected
    assert ("instead of a secret" in describe_unsendable(expected)) is (displayed is not None)


@pytest.mark.parametrize(
    "name", ["authcode", "auth_code", "epp_code", "current_authcode_of_domain", "transferCodeNow"]
)
def test_a_transfer_code_in_extra_is_a_secret(name: str) -> None:
    assert secret_forms.is_secret_in_extra(name)


def test_public_fields_are_shown_except_private_keys() -> None:
    zone = {
        "records": [
            {"value": "https://u:p@x.example", "note": "https://u:p@x.example"},
            {"value": KEY},
        ]
    }

    assert remove_secrets(zone, public=frozenset({"value"})) == {
        "records": [
            {"value": "https://u:p@x.example", "note": f"https://{MASK}@x.example"},
            {"value": MASK},
        ]
    }


# Options.

SPEC: dict[str, Any] = {
    "username": {"type": "str"},
    "password": {"type": "str", "no_log": True},
    "update_password": {"type": "str", "no_log": False},
    "extra": {"type": "dict"},
    "parts": {
        "type": "dict",
        "options": {"private_key": {"type": "str", "no_log": True}, "certificate": {"type": "str"}},
    },
}
PARAMS: dict[str, Any] = {
    "username": "acme",
    "password": "hunter2hunter2",
    "update_password": "always",
    "extra": {"smtp": {"password": "letmein1", "port": 25}, "api_token": 12345678, "secret": True},
    "parts": {"private_key": "k", "certificate": "c"},
}


def test_the_invocation_shows_every_option_except_secrets() -> None:
    assert displayed_arguments.display_arguments(PARAMS, SPEC) == {
        "username": "acme",
        "password": OMITTED,
        "update_password": "always",
        "extra": {"smtp": {"password": MASK, "port": 25}, "api_token": MASK, "secret": True},
        "parts": {"private_key": OMITTED, "certificate": "c"},
    }

    # What is no option may be a mistyped one, and a text in place of a dictionary may be its
    # secret.
    options = {
        "pasword": "y",
        "usename": None,
        "parts": "hunter2",
        "extra": json.dumps({"pwd": "x", "a": 1}),
    }

    assert displayed_arguments.display_arguments(options, SPEC) == {
        "pasword": MASK,
        "usename": None,
        "parts": OMITTED,
        "extra": {"pwd": MASK, "a": 1},
    }


@pytest.mark.parametrize("text", ["pw: x", "a=geh", "{x: y", "[x", "x y"])
def test_a_short_text_that_may_be_a_structure_is_not_shown(text: str) -> None:
    assert displayed_arguments.display_arguments({"extra": text}, SPEC) == {"extra": OMITTED}


@pytest.mark.parametrize("text", ["none", "-1", "10G", "12345678"])
def test_a_short_word_in_place_of_a_structure_is_shown(text: str) -> None:
    assert displayed_arguments.display_arguments({"extra": text}, SPEC) == {"extra": text}


def test_the_secrets_of_a_task_are_found_wherever_they_are() -> None:
    assert sorted(redaction.collect_secrets(PARAMS, SPEC)) == [
        "12345678",
        "hunter2hunter2",
        "k",
        "letmein1",
    ]


@pytest.mark.parametrize(
    ("written", "displayed"),
    [
        ("/emails?token=hunter2&page=2", f"/emails?{MASK}"),
        ("/emails#hunter2=x", f"/emails#{MASK}"),
        (
            "https://u:hunter2@panel.example/emails?k=hunter2",
            f"https://{MASK}@panel.example/emails?{MASK}",
        ),
        ("//u:hunter2@panel.example/emails", f"//{MASK}@panel.example/emails"),
        ("/emails/name/info@acme.example", "/emails/name/info@acme.example"),
    ],
)
def test_an_address_is_shown_without_what_logs_in_and_without_parameters(
    written: str, displayed: str
) -> None:
    assert displayed_arguments.display_address(written) == displayed, written


LONG_SECRET = "Zq7Secret." + "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9" * 4


@pytest.mark.parametrize("cut", ["...", "\N{HORIZONTAL ELLIPSIS}"])
@pytest.mark.parametrize("length", [8, 9, 76, len(LONG_SECRET) - 1])
@pytest.mark.parametrize("count", [0, 200])
def test_the_beginning_of_a_secret_is_masked_where_a_message_cuts_it_off(
    cut: str, length: int, count: int
) -> None:
    secrets = Secrets([LONG_SECRET, *(f"another-secret-{number:04}" for number in range(count))])
    text = f"name: 'x ... {LONG_SECRET[:length]}{cut} is not accepted"
    assert secrets.mask(text) == f"name: 'x ... {MASK}{cut} is not accepted"


@pytest.mark.parametrize("text", ["Zq7Secret is a word", "Zq7Secret is a word...", "Zq7Secr..."])
def test_a_text_that_only_begins_as_a_secret_does_stays_where_nothing_is_cut_off(
    text: str,
) -> None:
    assert Secrets([LONG_SECRET]).mask(text) == text


@pytest.mark.parametrize("mask", [Secrets.mask_value, Secrets.mask_given_value])
def test_a_known_secret_is_masked_in_the_name_of_a_field(mask: Any) -> None:
    keys = ["prefix01.Zm9vYmFyYmF6cXV4", "prefix02.Zm9vYmFyYmF6cXV4"]
    value = {"keys": [{keys[0]: {"a": 1}, keys[1]: {"a": 2}, "a": f"x {keys[0]}"}]}

    assert mask(Secrets(keys), value) == {
        "keys": [{MASK: {"a": 1}, f"{MASK} (2)": {"a": 2}, "a": f"x {MASK}"}]
    }


def test_the_names_of_results_stay_where_a_password_is_the_same_word() -> None:
    result = {"changed": True, "scheduled_tasks": [], 5: "x"}

    assert Secrets(["changed", "scheduled_tasks"]).mask_value(result) == result


ANSWERED = "hunter-of-an-answer"


@pytest.mark.parametrize("is_masked_before", [False, True])
@pytest.mark.parametrize("count", [1, 200])
def test_what_only_answers_hold_stays_in_results_whatever_was_masked_before(
    count: int, is_masked_before: bool
) -> None:
    secrets = Secrets(["secret-of-an-option"])
    for number in range(count):
        secrets.learn({"name": "acme", "password": f"{ANSWERED}-{number}"})
    if is_masked_before:
        assert secrets.mask(f"refused: {ANSWERED}-0") == f"refused: {MASK}"

    text = f"secret-of-an-option and {ANSWERED}-0"
    assert secrets.mask_given(text) == f"{MASK} and {ANSWERED}-0"
    assert secrets.mask_given_value({"notes": text}) == {"notes": f"{MASK} and {ANSWERED}-0"}
    assert secrets.mask(text) == f"{MASK} and {MASK}"


def test_a_secret_that_was_added_after_an_answer_held_it_is_masked_in_results() -> None:
    secrets = Secrets()
    secrets.learn({"password": ANSWERED})
    assert secrets.mask(ANSWERED) == MASK

    secrets.add([ANSWERED])
    assert secrets.mask_given(f"x {ANSWERED} y") == f"x {MASK} y"


def test_what_is_added_is_read_at_once() -> None:
    texts = ["secret-of-an-option"]
    secrets = Secrets()
    secrets.add(text for text in texts)
    texts.clear()

    assert secrets.mask("secret-of-an-option") == MASK
