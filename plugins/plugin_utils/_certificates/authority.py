# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The conversation with a certificate authority, in modules of community.crypto. Private to the collection."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import ssl
from collections.abc import Collection, Iterable, Iterator, Mapping
from enum import Enum
from http.client import HTTPException
from typing import Any, NamedTuple
from urllib.error import HTTPError

from ansible.module_utils.urls import SSLValidationError, open_url

from ...module_utils._secrets.foreign_texts import Gate
from .._jobs.foreign_modules import ForeignModules
from .._jobs.module_host import TOO_MANY_REQUESTS, NoResult
from .._run.controller_files import read_regular

try:
    from cryptography.hazmat.primitives import serialization
except ImportError:
    serialization = None  # type: ignore[assignment] # of Ansible's own libraries, and so missing only where nothing is run

COLLECTION = "community.crypto"
LEAST, BELOW = "3.0.0", "4.0.0"
"""The releases of the collection that are supported: from the first on, and before the second."""
MODULES = [
    f"{COLLECTION}.{name}"
    for name in (
        "acme_account",
        "acme_inspect",
        "openssl_csr_pipe",
    )
]
"""Those of its modules that are no actions."""
_REQUEST_SECONDS = 30
# From this status on a server says that it is the one in trouble.
_IN_TROUBLE = 500
# Of those that an authority lists, the last.
_MOST_ORDERS = 100
_MOST_PAGES = 50
_NEXT_PAGE = re.compile(r'<([^<>]+)>\s*;\s*rel="?next\b')
_END_OF_CERTIFICATE = "-----END CERTIFICATE-----"
KEY_TYPES: dict[str, dict[str, Any]] = {
    "ec256": {"type": "ECC", "curve": "secp256r1"},
    "ec384": {"type": "ECC", "curve": "secp384r1"},
    "rsa2048": {"type": "RSA", "size": 2048},
    "rsa3072": {"type": "RSA", "size": 3072},
    "rsa4096": {"type": "RSA", "size": 4096},
}
_ERROR = "urn:ietf:params:acme:error:"
_NOT_REACHED = re.compile(
    r"<url\w+ error|Connection (?:refused|reset|failure)|timed out|Name or service not known|No route|error: Request failed"
    r"|Giving up after|HTTP status (?:-1|5\d\d)|status 5\d\d|does not look like a valid ACME|Was not able to obtain nonce",
    re.I,
)
_NO_ACCOUNT = re.compile(r"account (?:is|does not exist or is) deactivated", re.I)


class Trouble(Enum):
    """What kind of trouble there is with the authority.

    With the first three nothing would come of whatever else it is asked for; the others are of one certificate: refused, refused for now
    since there were too many, or a step that did not come to an end here, after which the order goes on.
    """

    AWAY = "away"
    UNVERIFIED = "unverified"
    ACCOUNT = "account"
    REFUSED = "refused"
    LIMITED = "limited"
    UNFINISHED = "unfinished"

    @property
    def ends_run(self) -> bool:
        """Whether nothing else is to be asked for."""
        return self in (Trouble.AWAY, Trouble.UNVERIFIED, Trouble.ACCOUNT)


class AuthorityError(Exception):
    """The authority did not do what it was asked; the text is a sentence for a person, in its own words as far as they are shown."""

    def __init__(self, trouble: Trouble, message: str) -> None:
        super().__init__(message)
        self.trouble = trouble


def check_authorities(ca_file: str) -> None:
    """Raises OSError where a file cannot be read, or has no certificate of an authority in PEM."""
    try:
        # A certificate without its authority may be in it too.
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(
            cadata=read_regular(ca_file).decode("ascii", "ignore")
        )
    except (ssl.SSLError, ValueError):
        raise OSError(0, "there is no certificate in PEM in it") from None


def look_at_directory(directory: str, ca_file: str | None) -> None:
    """Reads the directory once, since modules try again and again. Raises AuthorityError where it cannot be reached or verified."""
    away = _away(directory)
    try:
        found = json.loads(open_url(directory, timeout=_REQUEST_SECONDS, ca_path=ca_file).read())
    except (OSError, ValueError, HTTPException, SSLValidationError) as error:
        if isinstance(error, HTTPError) and error.code == TOO_MANY_REQUESTS:
            raise _limited(_problem_in(error.read().decode("utf-8", "replace")), Gate()) from None
        if isinstance(error, SSLValidationError) or isinstance(getattr(error, "reason", error), ssl.SSLError):
            raise AuthorityError(
                Trouble.UNVERIFIED,
                f"The authority at {directory} shows a certificate that cannot be verified. Name the file of its CA, or correct the address.",
            ) from None
        raise away from None
    if not isinstance(found, dict) or "newOrder" not in found:
        raise away


class State(NamedTuple):
    """Where an order stands.

    status: as the authority calls it. finalize, certificate: the addresses where it takes the request, and has the certificate.
    authorizations: those where it says what is to be proven. problem: why it refused, as far as it says that here.
    """

    status: str
    finalize: str
    certificate: str
    authorizations: tuple[str, ...]
    problem: Mapping[str, Any]


class Authority:
    """One authority and one account with it. ``key`` and ``uri`` are the account's; both are empty before ``register``.

    Each step is one request with those that it takes, whatever number of names a certificate has.
    """

    def __init__(self, modules: ForeignModules, directory: str) -> None:
        self.directory, self.key, self.uri = directory, "", ""
        self._modules, self._orders = modules, ""

    def new_key(self, key_type: str) -> str:
        """A private key in PEM."""
        return str(self._made("openssl_privatekey_pipe", KEY_TYPES[key_type])["privatekey"])

    def request(self, key: str, names: Iterable[str]) -> str:
        """A request for a certificate in PEM."""
        options = {"privatekey_content": key, "subject_alt_name": [f"DNS:{name}" for name in names]}
        return str(self._made("openssl_csr_pipe", options)["csr"])

    def register(self, email: str) -> str:
        """Finds the account by its key, or makes it, with this address; its URI. Raises AuthorityError."""
        self.uri = ""
        contact = [f"mailto:{email}"] if email else []
        done = self._asked("acme_account", {"state": "present", "terms_agreed": True, "contact": contact})
        self.uri = str(done["account_uri"])
        self._orders = str(self._asked("acme_inspect", {"method": "directory-only"})["directory"]["newOrder"])
        return self.uri

    def order(self, names: Iterable[str]) -> tuple[str, State]:
        """Orders a certificate; the address of the order, and where it stands. Raises AuthorityError."""
        names = list(names)
        done = self._sent(self._orders, {"identifiers": [{"type": "dns", "value": name} for name in names]}, names)
        return str(done["headers"].get("location")), _state(done)

    def open_orders(self, known: Collection[str]) -> dict[frozenset[str], list[str]]:
        """By their names the orders of the account that can still become certificates, but for the known ones. Raises AuthorityError.

        known: addresses. There is none where the authority lists no orders; those answer the same order with the one that is open.
        """
        address = self._read(self.uri).get("orders")
        listed: list[str] = []
        for _page in range(_MOST_PAGES):
            if not address:
                break
            done = self._got(address)
            listed += _content(done).get("orders") or ()
            further = _NEXT_PAGE.search(str(done["headers"].get("link")))
            address = further and further[1]
        found: dict[frozenset[str], list[str]] = {}
        for uri in (one for one in listed[-_MOST_ORDERS:] if one not in known):
            order = self._read(uri)
            if order.get("status") in ("pending", "ready"):
                names = frozenset(str(one.get("value")).lower() for one in order.get("identifiers") or ())
                found.setdefault(names, []).append(uri)
        return found

    def state(self, uri: str, names: Iterable[str]) -> State:
        """Where an order stands. Raises AuthorityError."""
        return _state(self._got(uri, names))

    def challenges(self, state: State, names: Iterable[str]) -> dict[str, list[str]]:
        """By host the values that prove the names which are not proven yet. Raises AuthorityError."""
        found: dict[str, list[str]] = {}
        for name, challenge in self._open_challenges(state, list(names)):
            found.setdefault(f"_acme-challenge.{name}", []).append(_value_of(str(challenge["token"]), self.key))
        return found

    def prove(self, state: State, names: Iterable[str]) -> None:
        """Says that the challenge records are there. Raises AuthorityError."""
        names = list(names)
        for _name, challenge in self._open_challenges(state, names):
            # It may have been told by a run that was killed.
            if challenge.get("status") == "pending":
                self._sent(str(challenge["url"]), {}, names)

    def _open_challenges(self, state: State, names: list[str]) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """The names that are not proven yet, with their challenges."""
        for address in state.authorizations:
            authorization = self._read(address, names)
            if authorization.get("status") == "pending":
                name = str(authorization["identifier"]["value"])
                yield from ((name, one) for one in authorization["challenges"] if one["type"] == "dns-01")

    def refusal(self, state: State, names: Iterable[str]) -> str:
        """Why an order is invalid, in the authority's words. Raises AuthorityError."""
        names = list(names)
        problems = [state.problem]
        for address in state.authorizations:
            problems += (one.get("error") or {} for one in self._read(address, names).get("challenges") or ())
        gate = _gate(names)
        return " ".join(dict.fromkeys(_words(one, gate) for one in problems if one)) or "the order is invalid."

    def finalize(self, address: str, request: str, names: Iterable[str]) -> State:
        """Hands in the request of an order whose names are proven; nothing waits until the certificate is there. Raises AuthorityError."""
        return _state(self._sent(address, {"csr": _base64_of(request)}, names))

    def certificate(self, address: str, names: Iterable[str]) -> tuple[str, str]:
        """The certificate of an order that is done, and those above it. Raises AuthorityError."""
        own, end, above = str(self._got(address, names).get("output_text")).partition(_END_OF_CERTIFICATE)
        if not end:
            raise AuthorityError(Trouble.REFUSED, "The authority has something else than a certificate in its place.")
        return f"{own.lstrip()}{end}\n", above.lstrip()

    def _read(self, url: str, names: Iterable[str] = ()) -> Mapping[str, Any]:
        return _content(self._got(url, names))

    def _got(self, url: str, names: Iterable[str] = ()) -> Mapping[str, Any]:
        return self._asked("acme_inspect", {"method": "get", "url": url}, names)

    def _sent(self, url: str, content: Mapping[str, Any], names: Iterable[str]) -> Mapping[str, Any]:
        return self._asked("acme_inspect", {"method": "post", "url": url, "content": json.dumps(content)}, names)

    def _asked(self, module: str, options: Mapping[str, Any], names: Iterable[str] = ()) -> dict[str, Any]:
        account = {"account_key_content": self.key, "acme_directory": self.directory, "acme_version": 2}
        if self.uri:
            account["account_uri"] = self.uri
        options = {**account, "request_timeout": _REQUEST_SECONDS, **options}
        try:
            result = self._modules.run(f"{COLLECTION}.{module}", options)
        except NoResult as error:
            raise _unfinished(error, self.directory, _gate(names)) from None
        if result.get("failed"):
            raise _error(result, self.directory, _gate(names))
        return result

    def _made(self, module: str, options: Mapping[str, Any]) -> dict[str, Any]:
        try:
            result = self._modules.run(f"{COLLECTION}.{module}", options)
        except NoResult as error:
            raise AuthorityError(Trouble.REFUSED, str(error)) from None
        if result.get("failed"):
            # What it says might be about the key that it was given.
            raise AuthorityError(Trouble.REFUSED, f"{COLLECTION}.{module} failed on this controller.")
        return result


def _content(done: Mapping[str, Any]) -> Mapping[str, Any]:
    """What an answer holds; nothing where it is not as ACME has it."""
    content = done.get("output_json")
    return content if isinstance(content, dict) else {}


def _state(done: Mapping[str, Any]) -> State:
    order = _content(done)
    status, finalize, certificate = (str(order.get(name) or "") for name in ("status", "finalize", "certificate"))
    return State(status, finalize, certificate, tuple(order.get("authorizations") or ()), order.get("error") or {})


def _base64_of(pem: str) -> str:
    """The content of a PEM block as ACME has it: for addresses, and without padding."""
    inside = "".join(line for line in pem.splitlines() if line and not line.startswith("-----"))
    return inside.replace("+", "-").replace("/", "_").rstrip("=")


def _value_of(token: str, account_key: str) -> str:
    """What a challenge record has to say (RFC 8555, 8.4); account_key: on the curve P-256, as all of ours are."""
    key = serialization.load_pem_private_key(account_key.encode(), None)
    numbers = key.public_key().public_numbers()  # type: ignore[union-attr]
    x, y = (_encoded(part.to_bytes(32, "big")) for part in (numbers.x, numbers.y))  # type: ignore[union-attr]
    thumbprint = hashlib.sha256(f'{{"crv":"P-256","kty":"EC","x":"{x}","y":"{y}"}}'.encode()).digest()
    return _encoded(hashlib.sha256(f"{token}.{_encoded(thumbprint)}".encode()).digest())


def _encoded(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


def _gate(names: Iterable[str]) -> Gate:
    gate = Gate()
    gate.allow(name for one in names for name in (one, f"_acme-challenge.{one.removeprefix('*.')}"))
    return gate


def _unfinished(error: NoResult, directory: str, gate: Gate) -> AuthorityError:
    """A step without a result: whether nobody is there, or this one alone took too long, the last answer says."""
    if error.status == TOO_MANY_REQUESTS:
        return _limited(_problem_in(error.said), gate)
    if not error.took_too_long:
        return AuthorityError(Trouble.UNFINISHED, str(error))
    if error.status < 0 or error.status >= _IN_TROUBLE:
        return _away(directory)
    return AuthorityError(
        Trouble.UNFINISHED, f"The authority at {directory} answers too slowly for one step of this order."
    )


def _away(directory: str) -> AuthorityError:
    return AuthorityError(Trouble.AWAY, f"The authority at {directory} cannot be reached, or does not answer as one.")


def _error(result: Mapping[str, Any], directory: str, gate: Gate) -> AuthorityError:
    """What a module of community.crypto failed with."""
    other = result.get("other")
    other = other if isinstance(other, Mapping) else {}
    problem = other.get("problem")
    message = str(result.get("msg"))
    if isinstance(problem, Mapping) and problem.get("type"):
        words = " ".join(
            _words(one, gate) for one in (problem, *(other.get("subproblems") or ())) if isinstance(one, Mapping)
        )
        kind = str(problem["type"]).removeprefix(_ERROR)
        if kind == "rateLimited":
            return _limited(problem, gate)
        if kind == "accountDoesNotExist":
            return AuthorityError(Trouble.ACCOUNT, f"The authority does not know the account: {words}")
        if kind in ("serverInternal", "badNonce"):
            return AuthorityError(Trouble.AWAY, f"The authority at {directory} is in trouble: {words}")
        return AuthorityError(Trouble.REFUSED, f"The authority says: {words}")
    if _NOT_REACHED.search(message):
        return _away(directory)
    if _NO_ACCOUNT.search(message):
        return AuthorityError(Trouble.ACCOUNT, f"The account is not one of the authority at {directory} any more.")
    return AuthorityError(Trouble.REFUSED, f"The authority did not do it: {gate.told(message).rstrip('.')}.")


def _limited(problem: Mapping[str, Any], gate: Gate) -> AuthorityError:
    return AuthorityError(
        Trouble.LIMITED, f"The authority does not do this now, since a limit is reached: {_words(problem, gate)}"
    )


def _problem_in(text: str) -> Mapping[str, Any]:
    try:
        problem = json.loads(text)
    except ValueError:
        problem = {}
    return problem if isinstance(problem, dict) else {}


def _words(problem: Mapping[str, Any], gate: Gate) -> str:
    """A problem in the authority's own words."""
    kind = str(problem.get("type", "")).removeprefix(_ERROR)
    detail = problem.get("detail")
    # Some escape the quotes in what they quote, which no plain sentence has.
    shown = gate.told(detail.replace("\\", "") if isinstance(detail, str) else detail)
    return f"{shown.rstrip('.')} ({kind})." if kind.isalnum() else f"{shown.rstrip('.')}."
