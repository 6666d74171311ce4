"""Nothing that looks at foreign text takes longer than the text is long.

Every pattern of the collection, and what masks secrets.
"""

from __future__ import annotations

import ast
import importlib
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._secrets import (
    displayed_arguments,
    redaction,
    secret_forms,
)
from ansible_collections.hosting.panel.plugins.module_utils._secrets.redaction import Secrets
from ansible_collections.hosting.panel.plugins.module_utils._values.unsendable import (
    describe_unsendable,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import.naming.command_names import (
    is_plain_address,
    is_plain_command,
    name_address,
    name_command,
)
from tests.support.growth import is_linear
from tools.layout import ROOT

pytestmark = pytest.mark.long

PLUGINS = ROOT / "plugins"
PACKAGE = "ansible_collections.hosting.panel.plugins"
METHODS = ("search", "match", "fullmatch", "findall", "finditer", "split", "sub", "subn")
# Texts are a head, one of these so often that the text has its length, and an end at which nothing
# fits.
PUMPS = (
    "a",
    "A",
    "0",
    " ",
    "\n",
    "\t",
    "-",
    "_",
    ".",
    ":",
    ",",
    "=",
    "/",
    "<",
    "<!--",
    "<a",
    "<title>",
    "<title",
    "http://",
    "https://a@",
    "a@",
    "x=",
    "-----BEGIN ",
    "-----BEGIN PRIVATE KEY-----",
    "-----END ",
    "-----BEGIN CERTIFICATE-----",
    "$1$",
    "$",
    "{SSHA}",
    "{",
    "}",
    "pbkdf2:",
    "md5",
    '"',
    "\\",
    '\\"',
    "'",
    "%",
    "%20",
    "&",
    "&amp;",
    "&#",
    "(",
    "[",
    "]",
    "{{",
    "ip4:",
    "ip6:",
    "*",
    "|",
    "`",
    "\u00e9",
    ";",
    "ab ",
    "a b",
    "a_",
    "a-",
    "a.",
    "-CRYPT",
    "password=",
    "x: ",
    "* *",
    "1-",
    "1,",
    "1 ,",
    "p=",
    "marc",
    "login",
    "\\1",
    "\\u00e9",
    "%u00e9",
    "\\303\\251",
    "abcd\n ",
    "abcd\n\n\t",
    "emails[1]",
    "emails[1] (",
    "{a}",
    '["',
    "''",
    '""',
    "name",
    "/{}",
    "v=",
    "1.",
    "a:",
    "mysql ",
    "curl -u ",
    "curl -u a",
    "PASSWORD",
    "--a-",
    "sshpass ",
)
HEADS = (
    "",
    "a",
    "0",
    '"',
    "'",
    "(",
    "{",
    "$1$",
    "SCRAM-SHA-1$",
    "pbkdf2",
    "<title>",
    "<!--",
    "http://",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN CERTIFICATE-----",
    "api_key:",
    "v=spf1",
    "v=DMARC1;",
    " ip4:",
    "emails[0]",
    "emails[0] (",
    "0 issue ",
    "password=",
)
ENDS = ("", "\n\x00!")


class Use(NamedTuple):
    """A pattern, and a method by which the code uses it."""

    location: str
    pattern: re.Pattern[Any]
    method: str


def make_text(length: int, head: str, pump: str, end: str) -> str:
    """Return a text of a length: a head, a pump so often, and an end."""
    return head + pump * (length // len(pump)) + end


@cache
def list_uses() -> list[Use]:
    """Every use of a pattern in the plugins."""
    return [use for path in sorted(PLUGINS.rglob("*.py")) for use in list_uses_in(path)]


def list_uses_in(path: Path) -> Iterator[Use]:
    """Yield the uses of the patterns of a module, and of those that it writes at their place."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    if not any(map(_imports_re, ast.walk(tree))):
        return

    name = path.relative_to(PLUGINS).as_posix()
    module = importlib.import_module(f"{PACKAGE}.{name.removesuffix('.py').replace('/', '.')}")
    calls = _list_calls_of_methods(tree)

    for field, pattern in vars(module).items():
        if isinstance(pattern, re.Pattern):
            for method in sorted(_list_methods(field, tree, calls)):
                yield Use(f"{name}: {field}", pattern, method)

    for owner, method, call in calls:
        if owner == "re" and method in METHODS:
            yield from _list_inline_uses(name, call, vars(module))


def _imports_re(node: ast.AST) -> bool:
    return isinstance(node, ast.Import) and node.names[0].name == "re"


def _list_calls_of_methods(tree: ast.AST) -> list[tuple[str, str, ast.Call]]:
    """Return the calls of methods: the name of what has the method, its name, and the call."""
    calls = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            owner = node.func.value
            name = owner.id if isinstance(owner, ast.Name) else ""
            calls.append((name, node.func.attr, node))
    return calls


def _list_methods(field: str, tree: ast.AST, calls: list[tuple[str, str, ast.Call]]) -> set[str]:
    """Return the methods of a pattern that a file calls.

    One that goes to a function of the file is used as its parameter is. One that is handed on to
    anything else, as to map(), may be used by any method that the file names.
    """
    names = {field} | _list_parameters(field, tree)
    own_methods = {method for owner, method, _call in calls if owner in names}
    all_methods = {method for _owner, method, _call in calls}
    return own_methods & set(METHODS) or all_methods & set(METHODS) or {"search"}


def _list_parameters(field: str, tree: ast.AST) -> set[str]:
    """Return the parameters of the functions of a file that get a pattern by its place."""
    functions = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    parameters = set()
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            continue
        function = functions.get(call.func.id)
        if function is None:
            continue
        for parameter, argument in zip(function.args.args, call.args, strict=False):
            if isinstance(argument, ast.Name) and argument.id == field:
                parameters.add(parameter.arg)
    return parameters


def _list_inline_uses(name: str, call: ast.Call, names: Mapping[str, Any]) -> Iterator[Use]:
    function: Any = call.func
    try:
        pattern = eval(compile(ast.Expression(call.args[0]), name, "eval"), dict(names))
    except NameError:
        return  # of a table, or of a path: see below

    if isinstance(pattern, str):
        yield Use(f"{name}: line {call.lineno}", re.compile(pattern), function.attr)


def make_work(use: Use) -> Callable[[str], object]:
    """Return a function that uses a pattern as the code does."""
    method = getattr(use.pattern, use.method)
    function = (
        partial(method, b"" if isinstance(use.pattern.pattern, bytes) else "")
        if "sub" in use.method
        else method
    )

    def do_work(text: str) -> object:
        subject = text.encode() if isinstance(use.pattern.pattern, bytes) else text
        result = function(subject)
        return list(result) if use.method == "finditer" else result

    return do_work


def list_heads(pattern: str | bytes) -> list[str]:
    """The heads that have a word of the pattern in them, and none."""
    literals = re.findall(
        r"\w{2,}", pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern
    )

    return [
        "",
        *(
            head
            for head in HEADS
            if len(head) == 1 or any(literal.lower() in head.lower() for literal in literals)
        ),
    ]


def find_slow_texts(
    work: Callable[[str], object], heads: Iterable[str], ends: Iterable[str] = ENDS
) -> list[tuple[str, str, str]]:
    """The texts for which the time grows faster than their length, or the first few of them."""
    slow = (
        (head, pump, end)
        for head, pump, end in itertools.product(heads, PUMPS, ends)
        if not is_linear(work, partial(make_text, head=head, pump=pump, end=end))
    )
    return list(itertools.islice(slow, 3))


@pytest.mark.parametrize("use", list_uses(), ids=lambda use: f"{use.location}.{use.method}")
def test_a_pattern_takes_no_longer_than_its_text_is_long(use: Use) -> None:
    assert find_slow_texts(make_work(use), list_heads(use.pattern.pattern)) == []


def test_the_patterns_of_the_collection_are_found() -> None:
    assert len(list_uses()) > 60
    assert {use.location.partition(":")[0] for use in list_uses()} >= {
        "module_utils/_secrets/redaction.py",
        "plugin_utils/_mail_dns/spf.py",
    }


SECRETS = Secrets(["prefix01.Zm9vYmFyYmF6cXV4", "hunter2-hunter2", "a b c d e f g h"])
MANY = Secrets([f"another-secret-{number}" for number in range(100)])
HEADS_OF_FUNCTIONS = ("", "<title>", "SCRAM-SHA-1$")
FUNCTIONS: dict[str, Callable[[str], object]] = {
    "mask": SECRETS.mask,
    "mask by one of many": MANY.mask,
    "clean_text": SECRETS.clean_text,
    "describe_page": lambda text: SECRETS.describe_page(text.encode(), "text/plain"),
    "describe_page of HTML": lambda text: SECRETS.describe_page(text.encode(), "text/html"),
    "mask_secret_forms": secret_forms.mask_secret_forms,
    "mask_forms_and_names": redaction.mask_forms_and_names,
    "display_address": displayed_arguments.display_address,
    "escape_control_characters": redaction.escape_control_characters,
    "is_secret_name": secret_forms.is_secret_name.__wrapped__,
    "collect_secrets": lambda text: redaction.collect_secrets(
        {"login_url": text, "password": text}
    ),
    "a new secret": lambda text: Secrets([text]).mask("a text"),
    "is_plain_address": is_plain_address,
    "is_plain_command": is_plain_command,
    "name_address": name_address,
    "name_command": name_command,
    "describe_unsendable": lambda text: describe_unsendable({"text": f"{text} ********"}),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_masks_secrets_takes_no_longer_than_the_text_is_long(name: str) -> None:
    assert find_slow_texts(FUNCTIONS[name], HEADS_OF_FUNCTIONS, ENDS[1:]) == []
