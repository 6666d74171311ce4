"""Reading a YAML file that a person wrote.

Nothing evaluated, all mistakes at once, each with file and line; and what it encrypts.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ansible.parsing.vault import VaultLib, VaultSecret

from ansible_collections.hosting.panel.plugins.module_utils._bulk.plan_lines import make_plan_text
from ansible_collections.hosting.panel.plugins.module_utils._kinds.registry import DNS, KINDS
from ansible_collections.hosting.panel.plugins.module_utils._problems import format_message
from ansible_collections.hosting.panel.plugins.module_utils._schema.field_paths import set_value
from ansible_collections.hosting.panel.plugins.module_utils._schema.fields import Reference
from ansible_collections.hosting.panel.plugins.plugin_utils._folder.vaulted import (
    collect_encrypted_values,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._folder.yaml_file import (
    Vaulted,
    YamlFile,
    read_yaml,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._plan_page.plan_page import (
    make_plan_page,
)
from tests.support.in_memory import VAULT


def encrypt(text: str) -> str:
    """Return a text that Vault has encrypted."""
    return str(VAULT.encrypt(text, secret=VAULT.secrets[0][1]).decode())


def encrypt_inline(text: str) -> str:
    """A text as ``ansible-vault encrypt_string`` writes it."""
    return "!vault |\n" + "".join(f"    {line}\n" for line in encrypt(text).splitlines())


def read(
    folder: Path, text: str | bytes, vault: VaultLib = VAULT, must_decrypt: bool = True
) -> YamlFile:
    """Read a file that has a text."""
    file = folder / "acme.yml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_yaml(file, file.name, vault, must_decrypt)


def test_every_part_of_a_file_has_a_line(tmp_path: Path) -> None:
    document = read(
        tmp_path,
        "---\nemails:\n  - email: info@acme.example\n    aliases:\n      - a@acme.example\n",
    )
    places = [("emails", 0, "aliases"), ("emails", 0, "aliases", 0), ("emails", 0, "password"), ()]

    assert [document.locate(where)[-1] for where in places] == ["4", "5", "3", "2"]
    assert [document.has(where) for where in places] == [True, True, False, True]


@pytest.mark.parametrize(
    ("written", "content"),
    [
        ("a: 2026-11-23", "2026-11-23"),
        ("a: 0123", "0123"),
        ("a: 12:30:45", "12:30:45"),
        ("a: yes", True),
        ("a: ", None),
        ("a: !!int 7", 7),
        ("a: !!str 7", "7"),
        ("a: !!null", None),
        ("a: =", "="),
        ("a: <<", "<<"),
        ("a: 0x_", "0x_"),
        (f"a: 0x{'f' * 9000}", f"0x{'f' * 9000}"),
        ("a: !unsafe '{{ text }}'", "{{ text }}"),
        ("b: &b {c: 1}\na: {<<: *b, d: 2}", {"c": 1, "d": 2}),
        ("b: &b [1, 2]\na: [*b, *b]", [[1, 2], [1, 2]]),
        ("&b 1: c\na: *b", 1),
        (encrypt("a: b"), "b"),
        (f"a: {encrypt_inline('b')}", "b"),
    ],
)
def test_a_value_is_what_a_person_reads_there(
    tmp_path: Path, written: str, content: object
) -> None:
    document = read(tmp_path, written)
    assert document.content["a"] == content
    assert document.mistakes == ()


@pytest.mark.parametrize("merge", ["", "<<: "], ids=["own", "merged"])
@pytest.mark.parametrize("name", ["on", "1", "01", "1.50", "2026-11-23", "~", "="])
def test_a_name_is_the_text_that_the_file_has_and_has_its_line(
    tmp_path: Path, name: str, merge: str
) -> None:
    document = read(tmp_path, f"a:\n  b: c\n  {merge and '<<: {'}{name}: d{merge and '}'}\n")

    assert document.content["a"] == {"b": "c", name: "d"}
    assert document.locate(("a", name)) == "acme.yml: line 3"


NAMES_OF_TAGS = [
    *("str", "int", "float", "bool", "null", "timestamp", "value", "merge", "binary"),
    *("map", "seq", "set", "omap", "pairs", "python/tuple", "python/none", "yaml", "object"),
]
TAGS = [f"!!{name}" for name in NAMES_OF_TAGS]
TAGS += ["!", "!unsafe", "!vault", "!vault-encrypted", "!lookup", "!include", "!<x>", "!<str>"]
NODES = [
    *("x", "''", "", "0", "7", "1.5", "yes", "~", "2026-11-23", "2026-99-99", "=", "<<", "1:x"),
    *("'{{ x }}'", "[]", "[a]", "[[a]]", "[a: b]", "{}", "{a: b}", "{a: {b: c}}", "{=: a}"),
]
POSITIONS = {
    "root": "{}\n",
    "value": "a: {}\n",
    "item": "- {}\n",
    "item in a value": "a: [b, {} ]\n",
    "value in an item": "- a: {}\n",
    "name": "? {}\n: b\n",
    "name in a value": "a:\n  ? {}\n  : b\n",
    "merged value": "a: {{<<: {{b: {} }}}}\n",
    "merged name": "a:\n  <<:\n    ? {}\n    : b\n",
    "merge": "a:\n  <<: {}\n",
    "anchor": "a: &a {}\nb: *a\n",
}


def list_values(content: object) -> list[object]:
    """Return all single values and names of a content."""
    if isinstance(content, dict):
        names_and_values = [*content, *content.values()]
        return [value for inner in names_and_values for value in list_values(inner)]
    if isinstance(content, list):
        return [value for inner in content for value in list_values(inner)]
    return [content]


@pytest.mark.parametrize("position", POSITIONS)
@pytest.mark.parametrize("tag", TAGS)
def test_every_tag_before_every_node_is_a_plain_value_or_one_mistake_with_its_line(
    tmp_path: Path, tag: str, position: str
) -> None:
    wrong = {}
    for node in NODES:
        file = read(tmp_path, POSITIONS[position].format(f"{tag} {node}"))
        values = list_values(file.content)
        lines = [mistake.subject.partition(": line ")[2] for mistake in file.mistakes]
        is_plain = {type(value) for value in values} <= {str, int, float, bool, type(None), Vaulted}
        is_told = len(lines) == 1 and lines[0].isdigit()
        if not is_plain or "Node" in str(values) or not (is_told or not lines):
            wrong[node] = values, file.mistakes
    assert wrong == {}


@pytest.mark.parametrize("node", ["[a]", "{a: b}", "[]", "{}"])
@pytest.mark.parametrize("tag", ["!unsafe", "!vault", "!!timestamp", "!!str", "!!int", "!!null"])
def test_a_tag_of_a_text_before_a_list_or_a_dictionary_says_what_it_is_for(
    tmp_path: Path, tag: str, node: str
) -> None:
    (mistake,) = read(tmp_path, f"a: 1\nb: {tag} {node}\n").mistakes
    kind = "list" if node.startswith("[") else "dictionary"

    assert mistake.subject == "acme.yml: line 2"
    assert mistake.cause == f"{tag} is for a text, and a {kind} stands here."


NINE = "".join(
    f"a{number}: &a{number} [{', '.join([f'*a{number - 1}'] * 9)}]\n" for number in range(1, 11)
)


CHAIN = "".join(f"a{number}: &a{number} [*a{number - 1}]\n" for number in range(1, 900))


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("a: 1\nb: {{ c }}\n", 2, "templates are not evaluated"),
        ("a: 1\nb: '{{ c }}'\n", 2, "templates are not evaluated"),
        ("a: 1\nb: '#jinja2: x'\n", 2, "templates are not evaluated"),
        ("a: 1\nb: 2\na: 3\n", 3, "a is there twice"),
        ("a: 1\n---\nb: 1\n", 2, "found another document"),
        ("a: !lookup x\n", 1, "this tag is not known"),
        ("a: 1\nb: !!int geheim\n", 2, "!!int does not fit this value"),
        ("a: 1\nb: !!null geheim\n", 2, "!!null does not fit this value"),
        ("a: 1\nb: !!seq geheim\n", 2, "!!seq is for a list, and a text stands here"),
        ("a: 1\n!!map b: 1\n", 2, "!!map is for a dictionary, and a text stands here"),
        ("a: 1\n!vault b: 1\n", 2, "a name cannot be encrypted"),
        ("a:\n  <<: [geheim]\n", 2, "<< needs a dictionary or a list of dictionaries"),
        ("a:\n  <<: {b: 1, b: 2}\n", 2, "b is there twice"),
        ("a: 1\n'{{ b }}': 2\n", 2, "templates are not evaluated"),
        ("a: *geheim\n", 1, "not valid YAML: found undefined alias"),
        ("a: 1\n  b: geheim\n", 2, "not valid YAML"),
        ("a:\n  - b: 1\n   c: 2\n", 3, "did not find expected '-' indicator."),
        ("a: 1\n\tb: geheim\n", 2, "not valid YAML: a tab stands where only blanks may."),
        ("a: 1\nb: 'geheim\n", 3, "not valid YAML"),
        ("a: 1\nb: \x07\n", 2, "control characters"),
        (b"a: 1\nb: \xff\n", 2, "not in UTF-8"),
        ("[" * 5000 + "]" * 5000, 1, "nested too deeply"),
        ("[" * 200_000, 1, "nested too deeply"),
        (f"a0: &a0 [x]\n{CHAIN}", 65, "nested too deeply"),
        ("a: &a [*a]\n", 1, "nested too deeply"),
        (f"a0: &a0 [x]\n{NINE}", 5, "aliases make this far larger"),
        (f"a: {encrypt_inline('b')}", 1, "this run has no Vault password that decrypts it"),
        (encrypt("a: b"), 0, "this run has no Vault password that decrypts it"),
        ("a: 1\nb: !vault geheim\n", 2, "!vault stands before a text that is not encrypted."),
        ("a: 1\nb: !vault-encrypted 'geheim'\n", 2, "!vault stands before a text"),
        ("b: !vault |\n  geheim\n  geheim\n", 1, "!vault stands before a text"),
        ("b: !vault |\n  $ANSIBLE_VAULT;1.1;AES256\n  geheim\n", 1, "!vault stands before a text"),
        ("b: !vault |\n  $ANSIBLE_VAULT;1.1;AES256\n", 1, "!vault stands before a text"),
        ("b: !vault ''\n", 1, "!vault stands before a text"),
    ],
)
def test_a_mistake_has_file_and_line_and_nothing_of_the_content(
    tmp_path: Path, text: str | bytes, line: int, message: str
) -> None:
    other_vault = VaultLib(secrets=[("default", VaultSecret(b"another"))])
    (mistake,) = read(tmp_path, text, other_vault).mistakes

    assert mistake.subject == (f"acme.yml: line {line}" if line else "acme.yml")
    assert message in mistake.cause
    assert "geheim" not in format_message(mistake)


def test_all_mistakes_of_a_file_come_in_the_order_of_their_lines(tmp_path: Path) -> None:
    text = f"a: '{{{{ b }}}}'\nc: {encrypt_inline('x')}d: !no e\na: 2\n"
    mistakes = read(tmp_path, text, VaultLib()).mistakes

    assert [mistake.subject.removeprefix("acme.yml: ") for mistake in mistakes] == [
        "line 1",
        "line 2",
        "line 9",
        "line 10",
    ]
    assert "this run has no Vault password" in mistakes[1].cause
    assert (
        read(tmp_path, f"c: {encrypt_inline('x')}", VaultLib(), must_decrypt=False).mistakes == ()
    )


# As short as it can be, one that is in other words too, and one that is cut where a line is shown
# to people.
VALUES = ("7", "yes", "a canary of sixty letters that is cut where a line is shown to people")
OPTIONS = [
    (plural, tuple(path))
    for plural, kind in KINDS.items()
    if plural != DNS
    for path, option in kind.walk_fields()
    if not isinstance(option, Reference) and path[0] not in kind.key_options
]


def nest_value(path: tuple[str, ...], value: Any) -> dict[str, Any]:
    """Return options with a value at a path."""
    options: dict[str, Any] = {}
    set_value(options, path, value)
    return options


def make_key_options(plural: str, number: int) -> dict[str, str]:
    """Return options that name an object of a kind."""
    names = KINDS[plural].key_options
    return {name: f"name-{position}-{number}.example" for position, name in enumerate(names)}


def make_actions(plural: str, path: tuple[str, ...], key: str, value: str) -> list[dict[str, Any]]:
    """Return an action of each sort that shows a value in a field."""
    before = nest_value(path, "another before")
    after = nest_value(path, value)
    changes = {"create": ({}, after), "update": (before, after), "delete": (before, {})}
    return [
        {"kind": plural, "key": key, "action": verb, "before": old, "after": new}
        for verb, (old, new) in changes.items()
    ]


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize("whole", [False, True], ids=["value", "file"])
def test_no_option_of_any_kind_shows_its_encrypted_value_in_a_plan(whole: bool, value: str) -> None:
    content: dict[str, list[dict[str, Any]]] = {}
    actions = []

    for number, (plural, path) in enumerate(OPTIONS):
        names = make_key_options(plural, number)
        encrypted = nest_value(path, value if whole else Vaulted(value))
        content.setdefault(plural, []).append({**names, **encrypted})
        actions += make_actions(plural, path, KINDS[plural].format_key(names), value)

    hidden = collect_encrypted_values([YamlFile("all.yml", content, is_encrypted=whole)])
    counts = dict.fromkeys(("create", "update", "delete", "unchanged"), 0)

    plan = hidden.mask_plan({"summary": counts, "actions": actions, "checksum": "c0ffee"})

    assert [
        action
        for action in plan["actions"]
        if "another" in str(action) or value in str(action["after"])
    ] == []

    for page in (make_plan_text(plan), make_plan_page({"plan": plan}, "web-1")):
        assert f" {value}\n" not in page
        assert f"`{value}`" not in page
        for mark in ("******** (old)", "******** (new)"):
            assert page.count(mark) == len(OPTIONS)


@pytest.mark.parametrize(
    ("plural", "option", "written", "displayed"),
    [
        ("emails", ("max_size",), "1234M", "1293942784"),
        ("plans", ("resources", "disk_space"), "1234G", "1324997410816"),
    ],
)
def test_an_encrypted_size_is_masked_as_the_panel_writes_it(
    plural: str, option: tuple[str, ...], written: str, displayed: str
) -> None:
    item = {**make_key_options(plural, 1), **nest_value(option, Vaulted(written))}

    hidden = collect_encrypted_values([YamlFile("all.yml", {plural: [item]})])

    assert hidden.mask(f"it must be below {displayed}.") == "it must be below ********."


@pytest.mark.parametrize("must_decrypt", [True, False])
def test_a_text_that_only_has_the_tag_of_an_encrypted_one_is_plain_and_a_mistake(
    tmp_path: Path, must_decrypt: bool
) -> None:
    path = tmp_path / "acme.yml"
    path.write_text("a: !vault geheim\n", "utf-8")

    file = read_yaml(path, "acme.yml", VaultLib(), must_decrypt)

    assert not isinstance(file.content["a"], Vaulted)
    assert [mistake.subject for mistake in file.mistakes] == ["acme.yml: line 1"]
