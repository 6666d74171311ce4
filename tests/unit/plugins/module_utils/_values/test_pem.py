"""PEM texts: every spelling of the same blocks is one value, written anew, and every other text is
refused with its own sentence."""

from __future__ import annotations

import base64
import datetime
import itertools
import re
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import dsa, ec, ed25519, rsa
from cryptography.hazmat.primitives.serialization import pkcs7, pkcs12
from cryptography.x509.oid import NameOID
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.hosting.panel.plugins.module_utils._errors import OptionError
from ansible_collections.hosting.panel.plugins.module_utils._values.der_forms import (
    DerForm,
    recognize_form,
)
from ansible_collections.hosting.panel.plugins.module_utils._values.pem import (
    CERTIFICATE_LABEL,
    PRIVATE_KEY_LABEL,
    Pem,
    read_blocks,
)
from ansible_collections.hosting.panel.plugins.module_utils._values.value_types import (
    WrongValue,
    parse_option,
)
from tests.support import pem as made
from tests.support.in_memory import InMemory

CERTIFICATES = Pem(CERTIFICATE_LABEL)
CHAIN = Pem(CERTIFICATE_LABEL, clearable=True)
KEYS = Pem(PRIVATE_KEY_LABEL)
BOM = "\ufeff"


def encode_der(content: bytes) -> bytes:
    """A sequence with this content."""
    size = len(content)
    if size < 0x80:
        return bytes([0x30, size]) + content
    length = size.to_bytes((size.bit_length() + 7) // 8, "big")

    return bytes([0x30, 0x80 + len(length)]) + length + content


def make_block(
    content: bytes, label: str = CERTIFICATE_LABEL, width: int = 64, headers: str = ""
) -> str:
    """Return a PEM block around some bytes."""
    text = base64.b64encode(content).decode()
    lines = [text[start : start + width] for start in range(0, len(text), width)]
    return "\n".join(
        [f"-----BEGIN {label}-----", *headers.splitlines(), *lines, f"-----END {label}-----", ""]
    )


LEAF, MIDDLE, TOP = (make_block(encode_der(name * 40)) for name in (b"leaf", b"middle", b"root"))
KEY = make_block(encode_der(b"key" * 20), "EC PRIVATE KEY")

# Each writes the same blocks in another way.
SPELLINGS: dict[str, Any] = {
    "as it is": lambda text: text,
    "mark of byte order": lambda text: BOM + text,
    "mark before each block": lambda text: text.replace("-----BEGIN", BOM + "-----BEGIN"),
    "line ends of Windows": lambda text: text.replace("\n", "\r\n"),
    "line ends of old Macs": lambda text: text.replace("\n", "\r"),
    "mixed line ends": lambda text: text.replace("\n", "\r\n", 2),
    "indented": lambda text: "".join(f"    {line}\n" for line in text.splitlines()),
    "indented with tabs": lambda text: "".join(f"\t{line}\n" for line in text.splitlines()),
    "blanks at line ends": lambda text: text.replace("\n", "  \t\n"),
    "empty lines": lambda text: text.replace("\n", "\n\n"),
    "glued blocks": lambda text: text.replace("-----\n-----BEGIN", "----------BEGIN"),
    "one line": lambda text: text if ":" in text else text.replace("\n", " "),
    "no line end": lambda text: text.rstrip("\n"),
    "blanks in marks": lambda text: text.replace("-----BEGIN ", "----- BEGIN  ").replace(
        "E-----", "E -----"
    ),
    "text around": lambda text: f"subject=CN = x\n{text}\nissuer: y\n",
    "attributes before each block": lambda text: text.replace(
        "-----BEGIN", "Bag Attributes\n  a: 1\n-----BEGIN"
    ),
    "lines without ends": lambda text: text if ":" in text else text.replace("\n", ""),
    "without width": lambda text: text.replace("A\n", "A \u200b\n"),
    "headers in blocks": lambda text: text.replace("E-----\n", "E-----\nX-Note: old server\n\n", 1),
}


@pytest.mark.parametrize("first", SPELLINGS)
@pytest.mark.parametrize("second", SPELLINGS)
@pytest.mark.parametrize(
    ("value_type", "text"),
    [
        pytest.param(CERTIFICATES, LEAF, id="certificate"),
        pytest.param(CHAIN, MIDDLE + TOP, id="chain"),
        pytest.param(CERTIFICATES, LEAF + MIDDLE + TOP, id="certificate with its chain"),
    ],
)
def test_every_spelling_is_written_anew_as_the_same_text(
    first: str, second: str, value_type: Any, text: Any
) -> None:
    written = SPELLINGS[second](SPELLINGS[first](text))
    assert value_type.parse(written) == text
    assert value_type.equals(text, written)
    assert value_type.equals(value_type.parse(written), text)


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_key_is_written_anew_without_what_stands_around_it(spelling: str) -> None:
    around = make_block(b"curve", "EC PARAMETERS") + KEY
    assert KEYS.parse(SPELLINGS[spelling](KEY)) == KEY
    assert KEYS.parse(SPELLINGS[spelling](around)) == KEY
    assert KEYS.equals(KEY, SPELLINGS[spelling](around))


@given(st.lists(st.binary(min_size=1, max_size=400), min_size=1, max_size=4), st.integers(1, 100))
def test_blocks_of_any_width_and_length_are_the_same_certificates(
    contents: list[bytes], width: int
) -> None:
    written = "".join(make_block(encode_der(content), width=width) for content in contents)
    anew = CERTIFICATES.parse(written)

    assert anew == "".join(make_block(encode_der(content)) for content in contents)
    assert CERTIFICATES.equals(anew, written)


@given(st.permutations([LEAF, MIDDLE, TOP]), st.permutations([LEAF, MIDDLE, TOP]))
def test_the_order_of_blocks_counts(requested: list[str], actual: list[str]) -> None:
    assert CHAIN.equals(CHAIN.parse("".join(requested)), "".join(actual)) is (requested == actual)


def test_a_label_with_another_name_is_written_as_a_certificate() -> None:
    assert CERTIFICATES.parse(LEAF.replace("CERTIFICATE", "X509 CERTIFICATE")) == LEAF


def _list_real_contents() -> dict[str, bytes]:
    """Return what programs write, as DER, by its name."""
    rsa_key = rsa.generate_private_key(65537, 2048)
    key = ec.generate_private_key(ec.SECP256R1())
    dsa_key = dsa.generate_private_key(2048)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "acme.example")])
    certificate = x509.load_pem_x509_certificate(made.make_texts()["one.certificate"].encode())
    der_form = serialization.Encoding.DER
    keys = {
        "RSA": rsa_key,
        "EC": key,
        "DSA": dsa_key,
        "Ed25519": ed25519.Ed25519PrivateKey.generate(),
    }
    passphrase = serialization.BestAvailableEncryption(b"passphrase")
    now = datetime.datetime(2026, 1, 1)
    revocations = x509.CertificateRevocationListBuilder().issuer_name(name)
    revocations = revocations.last_update(now).next_update(now + datetime.timedelta(days=9))
    request = x509.CertificateSigningRequestBuilder().subject_name(name)
    names = x509.SubjectAlternativeName([x509.DNSName("acme.example")])

    contents = {
        "certificate": certificate.public_bytes(der_form),
        "request": request.sign(key, hashes.SHA256()).public_bytes(der_form),
        "request with a name": request.add_extension(names, critical=False)
        .sign(rsa_key, hashes.SHA256())
        .public_bytes(der_form),
        "list of revocations": revocations.sign(key, hashes.SHA256()).public_bytes(der_form),
        "container": pkcs7.serialize_certificates([certificate], der_form),
        "key store": pkcs12.serialize_key_and_certificates(
            b"acme", rsa_key, None, None, passphrase
        ),
        "public key of PKCS#1": rsa_key.public_key().public_bytes(
            der_form, serialization.PublicFormat.PKCS1
        ),
        "key of OpenSSH": b"openssh-key-v1\x00" + b"key" * 20,
        "certificate of version 1": encode_der(
            encode_der(b"\x02\x01\x07" + encode_der(b"") * 5) + encode_der(b"") + b"\x03\x00"
        ),
        "list of revocations of version 1": encode_der(
            encode_der(encode_der(b"") * 2 + b"\x17\x00") + encode_der(b"") + b"\x03\x00"
        ),
    }
    for kind, private in keys.items():
        public = private.public_key()
        contents[f"public key of {kind}"] = public.public_bytes(
            der_form, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        for protection, word in (
            (serialization.NoEncryption(), "private"),
            (passphrase, "encrypted"),
        ):
            contents[f"{word} key of {kind}"] = private.private_bytes(
                der_form, serialization.PrivateFormat.PKCS8, protection
            )
        if kind != "Ed25519":
            contents[f"private key of {kind} in its own form"] = private.private_bytes(
                der_form,
                serialization.PrivateFormat.TraditionalOpenSSL,
                serialization.NoEncryption(),
            )
    return contents


REAL = _list_real_contents()
# What each component says of a content, by how its name begins; None where it takes it.
MESSAGES: list[tuple[str, str | None, str | None]] = [
    ("private key", None, "holds a private key; give certificates alone"),
    ("encrypted key", "encrypted with a passphrase", "holds a private key; give certificates"),
    ("key of OpenSSH", "a key of OpenSSH", "holds a private key; give certificates alone"),
    ("key store", "a PKCS#12 container; give its key", "a PKCS#12 container; give its certif"),
    ("public key", "a public key; give the private key", "a public key; give the certificate"),
    ("certificate", "holds a certificate; give the private key alone", None),
    ("request", "request; give the private key that it was made with", "request; give the certif"),
    ("list of revocations", "a list of revocations; give the", "a list of revocations; give cert"),
    ("container", "a PKCS#7 container, which has no", "a PKCS#7 container; give its certificates"),
]


def _find_messages(name: str) -> list[str | None]:
    return next(messages for start, *messages in MESSAGES if name.startswith(start))


@pytest.mark.parametrize("name", REAL)
@pytest.mark.parametrize(
    ("value_type", "label"),
    [
        (CERTIFICATES, CERTIFICATE_LABEL),
        (CHAIN, "X509 CERTIFICATE"),
        (KEYS, PRIVATE_KEY_LABEL),
        (KEYS, "RSA PRIVATE KEY"),
        (KEYS, "EC PRIVATE KEY"),
    ],
)
def test_what_a_block_holds_counts_and_not_what_its_label_says(
    name: str, value_type: Pem, label: str
) -> None:
    for_key, for_certificate = _find_messages(name)
    message = for_key if value_type is KEYS else for_certificate
    text = make_block(REAL[name], label)
    if message is None:
        assert read_blocks(value_type.parse(text))[0].content == REAL[name]
        return

    with pytest.raises(WrongValue, match=re.escape(message)):
        value_type.parse(text)


@given(st.binary(max_size=60), st.sampled_from(sorted(REAL)), st.integers(0, 400))
def test_a_form_is_told_of_any_bytes(noise: bytes, name: str, start: int) -> None:
    content = REAL[name]
    for damaged in (
        noise,
        content[:start],
        content[:start] + noise + content[start + len(noise) :],
    ):
        assert recognize_form(damaged) in DerForm


BODY = LEAF.splitlines()[1]
HEADERS = "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,0011\n"
ONLY = "only -----BEGIN"
# For each component: a text and the words of its own sentence.
WRONG: dict[str, tuple[Pem, str, str]] = {
    "passphrase of PKCS#8": (
        KEYS,
        make_block(encode_der(b"x"), "ENCRYPTED PRIVATE KEY"),
        "encrypted with a passphrase",
    ),
    "passphrase of OpenSSL": (
        KEYS,
        make_block(b"x" * 48, "RSA PRIVATE KEY", headers=HEADERS),
        "encrypted with a passphrase",
    ),
    "key of OpenSSH": (
        KEYS,
        make_block(b"openssh-key-v1", "OPENSSH PRIVATE KEY"),
        "a key of OpenSSH",
    ),
    "two keys": (KEYS, KEY + KEY, "holds 2 private keys"),
    "certificate for a key": (KEYS, LEAF, "holds a certificate; give the private key alone"),
    "key and certificate for a key": (
        KEYS,
        KEY + LEAF,
        "holds a certificate; give the private key alone",
    ),
    "public key": (
        KEYS,
        make_block(encode_der(b"x"), "PUBLIC KEY"),
        f"a block PUBLIC KEY; {ONLY} PRIVATE KEY-----",
    ),
    "cut key": (
        KEYS,
        make_block(encode_der(b"key" * 20)[:-1], "PRIVATE KEY"),
        "a block PRIVATE KEY that is cut off or damaged",
    ),
    "request for a key": (
        KEYS,
        make_block(encode_der(b"x"), "CERTIFICATE REQUEST"),
        "a certificate signing request",
    ),
    "key": (CERTIFICATES, KEY, "holds a private key; give certificates alone"),
    "key in a chain": (CHAIN, MIDDLE + KEY, "holds a private key; give certificates alone"),
    "key with a passphrase": (
        CERTIFICATES,
        make_block(b"x", "RSA PRIVATE KEY", headers=HEADERS),
        "holds a private key",
    ),
    "PKCS#8 key that is called a certificate": (
        CERTIFICATES,
        make_block(encode_der(b"\x02\x01\x00\x30" + b"key" * 20), "CERTIFICATE"),
        "holds a private key",
    ),
    "RSA key that is called a certificate": (
        CHAIN,
        MIDDLE + make_block(encode_der(b"\x02\x01\x00\x02" + b"key" * 200), "X509 CERTIFICATE"),
        "holds a private key",
    ),
    "EC key that is called a certificate": (
        CERTIFICATES,
        make_block(encode_der(b"\x02\x01\x01\x04" + b"key" * 20), "CERTIFICATE"),
        "holds a private key",
    ),
    "certificate that is called a key": (
        KEYS,
        make_block(REAL["certificate"], "PRIVATE KEY"),
        "holds a certificate; give the private key alone",
    ),
    "key with a passphrase that is called a key": (
        KEYS,
        make_block(REAL["encrypted key of EC"], "PRIVATE KEY"),
        "encrypted with a passphrase",
    ),
    "key with a passphrase that is called a certificate": (
        CERTIFICATES,
        make_block(REAL["encrypted key of EC"]),
        "holds a private key",
    ),
    "PKCS#7": (CERTIFICATES, make_block(encode_der(b"x"), "PKCS7"), "a PKCS#7 container"),
    "CMS": (CHAIN, make_block(encode_der(b"x"), "CMS"), "a PKCS#7 container"),
    "request": (
        CERTIFICATES,
        make_block(encode_der(b"x"), "CERTIFICATE REQUEST"),
        "a certificate signing request",
    ),
    "new request": (
        CERTIFICATES,
        make_block(encode_der(b"x"), "NEW CERTIFICATE REQUEST"),
        "a certificate signing request",
    ),
    "trusted certificate": (
        CERTIFICATES,
        make_block(encode_der(b"x"), "TRUSTED CERTIFICATE"),
        "a TRUSTED CERTIFICATE",
    ),
    "list of revocations": (
        CHAIN,
        LEAF + make_block(encode_der(b"x"), "X509 CRL"),
        f"a block X509 CRL; {ONLY} CERTIFICATE-----",
    ),
    "parameters": (
        CERTIFICATES,
        LEAF + make_block(encode_der(b"x"), "DH PARAMETERS"),
        "a block DH PARAMETERS;",
    ),
    "written out": (CERTIFICATES, LEAF.replace("\n", "\\n"), "has \\n written out where lines end"),
    "written out as on Windows": (
        CERTIFICATES,
        LEAF.replace("\n", "\\r\\n"),
        "has \\n written out where lines end",
    ),
    "no end": (
        CERTIFICATES,
        LEAF.rpartition("-----END")[0],
        "has -----BEGIN CERTIFICATE----- without its -----END",
    ),
    "cut mark": (
        CERTIFICATES,
        LEAF.rstrip("-\n"),
        "has -----BEGIN CERTIFICATE----- without its -----END",
    ),
    "no end before the next": (
        CHAIN,
        LEAF.rpartition("-----END")[0] + TOP,
        "has -----BEGIN CERTIFICATE----- without",
    ),
    "no begin": (
        CERTIFICATES,
        LEAF.partition("\n")[2],
        "has -----END CERTIFICATE----- without its -----BEGIN",
    ),
    "other end": (
        CERTIFICATES,
        LEAF.replace("END CERT", "END PKCS7 CERT"),
        "has -----END PKCS7 CERTIFICATE----- without",
    ),
    "no base64": (
        CERTIFICATES,
        LEAF.replace(BODY, "!" + BODY),
        "a block CERTIFICATE that is not base64",
    ),
    "line lost": (
        CERTIFICATES,
        LEAF.replace(BODY + "\n", ""),
        "a block CERTIFICATE that is cut off or damaged",
    ),
    "line twice": (
        CERTIFICATES,
        LEAF.replace(BODY, BODY + "\n" + BODY),
        "a block CERTIFICATE that is cut off or damaged",
    ),
    "empty block": (CERTIFICATES, make_block(b""), "a block CERTIFICATE that is empty"),
    "no DER": (
        CERTIFICATES,
        make_block(b"certificate"),
        "a block CERTIFICATE that is cut off or damaged",
    ),
    "no length": (
        CERTIFICATES,
        make_block(b"\x30\x80\x00\x00"),
        "a block CERTIFICATE that is cut off or damaged",
    ),
    "nothing": (
        CERTIFICATES,
        "",
        "is not accepted; it must be PEM text with -----BEGIN CERTIFICATE-----.",
    ),
    "a blank": (
        CHAIN,
        " ",
        "is not accepted; it must be PEM text with -----BEGIN CERTIFICATE-----, or an empty",
    ),
    "ends of lines": (
        CHAIN,
        "\n\t",
        "is not accepted; it must be PEM text with -----BEGIN CERTIFICATE-----, or an empty",
    ),
    "another text": (
        CHAIN,
        "MIIB",
        "is not accepted; it must be PEM text with -----BEGIN CERTIFICATE-----, or an empty",
    ),
    "other dashes": (
        CERTIFICATES,
        LEAF.replace("-----", "\u2014"),
        "is not accepted; it must be PEM text with",
    ),
}
COMPONENT = {id(CERTIFICATES): "certificate", id(CHAIN): "ca_certificate", id(KEYS): "private_key"}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_text_is_refused_with_a_sentence_of_its_own_and_not_shown(name: str) -> None:
    value_type, text, message = WRONG[name]
    with pytest.raises(OptionError) as caught:
        parse_option(value_type, "here", text)

    assert str(caught.value).startswith("here: the given value ")
    assert message in str(caught.value)
    assert BODY not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "spelling"),
    [*itertools.product(WRONG, ["mark of byte order", "indented", "text around"])],
)
def test_a_wrong_text_stays_wrong_in_every_spelling(name: str, spelling: str) -> None:
    value_type, text, message = WRONG[name]
    if name == "nothing" and spelling != "text around":
        return

    with pytest.raises(OptionError) as caught:
        parse_option(value_type, "here", SPELLINGS[spelling](text))

    assert message in str(caught.value)


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("in_bulk", [False, True], ids=["module", "in bulk"])
def test_a_wrong_text_is_told_by_component_before_any_request(name: str, in_bulk: bool) -> None:
    value_type, text, message = WRONG[name]
    component = COMPONENT[id(value_type)]
    item = {"name": "acme", "client": "acme", "components": {component: text}}
    panel = InMemory({"clients": [{"username": "acme"}]})

    if in_bulk:
        result = panel.run("panel_resources", resources={"certificates": [item]})
    else:
        result = panel.run("panel_certificate", **item)

    assert result["failed"]
    assert f"components.{component}: the given value " in result["msg"]
    assert message in result["msg"]
    # What stands around a certificate may be a key; certificates are public, and in what was
    # called.
    assert panel.log == []
    assert BODY not in result["msg"]
    assert KEY.splitlines()[1] not in str(result)


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_certificate_in_another_spelling_is_unchanged_and_its_chain_in_another_order_is_not(
    spelling: str,
) -> None:
    texts = made.make_texts()
    authority = made.make_texts()["authority.certificate"] + made.make_texts()["two.certificate"]
    pair = {"certificate": texts["one.certificate"], "private_key": texts["one.private_key"]}
    components = {**pair, "ca_certificate": authority}
    panel = InMemory(
        {
            "clients": [{"username": "acme"}],
            "certificates": [{"name": "acme", "client": "acme", "components": components}],
        }
    )
    respelled = {
        name: SPELLINGS[spelling](components[name]) for name in ("certificate", "ca_certificate")
    }

    result = panel.run("panel_certificate", name="acme", client="acme", components=respelled)

    assert result.get("changed") is False, result

    swapped = texts["two.certificate"] + texts["authority.certificate"]
    result = panel.run(
        "panel_certificate",
        name="acme",
        client="acme",
        components={"ca_certificate": SPELLINGS[spelling](swapped)},
    )

    assert result.get("changed") is True, result
    assert panel.log[-1]["body"]["components"]["ca_certificate"] == swapped


@pytest.mark.parametrize(
    "text",
    [
        "-----BEGIN HIDDENTHING-----\nMAA=\n-----END HIDDENTHING-----",
        "-----BEGIN HIDDENTHING-----\n:%\nx!\n-----END HIDDENTHING-----",
        "-----BEGIN HIDDENTHING-----\nMAA=",
        "MAA=\n-----END HIDDENTHING-----",
    ],
)
@pytest.mark.parametrize("kind", [CERTIFICATES, KEYS])
def test_a_label_that_no_program_writes_may_be_a_secret_and_is_not_shown(
    kind: Any, text: str
) -> None:
    with pytest.raises(ValueError) as raised:
        kind.parse(text)
    assert "HIDDENTHING" not in str(raised.value)
