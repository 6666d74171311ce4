"""Variables of roles and playbooks are read by one rule.

What is empty counts as not given, and what is of another type is a mistake.
"""

from __future__ import annotations

import datetime
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible.errors import AnsibleLookupError
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.hosting.panel.plugins.lookup.panel_variables import _check_table
from ansible_collections.hosting.panel.plugins.plugin_utils._variables.rule import (
    OMITTED,
    TYPES,
    read_variables,
)
from tools.layout import ROOT

NOT_GIVEN = "not given"
REFUSED = "refused"
# What operators, surveys of AWX and extra variables make of an answer, by a name for the test.
VALUES: dict[str, Any] = {
    "null": None,
    "empty": "",
    "blank": " ",
    "lines": "\n\n",
    "omit": f"{OMITTED}0123456789abcdef",
    "true": True,
    "false": False,
    "text true": "true",
    "text false": "false",
    "text False": "False",
    "text no": "no",
    "text YES": "YES",
    "text off": " off ",
    "text 0": "0",
    "text 1": "1",
    "0": 0,
    "1": 1,
    "2": 2,
    "-1": -1,
    "1.0": 1.0,
    "text 7": " 7 ",
    "text 1_000": "1_000",
    "text of other digits": "٣",
    "nein": "nein",
    "ture": "ture",
    "two names": "acme,beta",
    "host name": "Mail.Example.com.",
    "letters outside ASCII": "bücher.example",
    "IPv4 address": "192.0.2.10",
    "IPv6 address": "2001:DB8::10",
    "quoted": '"83"',
    "quoted lines": ' "83" \n beta\n',
    "quotes in it": '"83" "84"',
    "two quotes": '""',
    "time": datetime.datetime(2026, 11, 30, 12),
    "date": datetime.date(2026, 11, 30),
    "empty list": [],
    "list": ["acme"],
    "list of null": [None],
    "list of numbers": [83],
    "list of dictionaries": [{"name": "acme"}],
    "empty dictionary": {},
    "dictionary": {"emails": ["a@b.example"]},
}
EMPTY = {"null", "empty", "blank", "lines", "omit"}
SWITCHES = {
    "true": True,
    "false": False,
    "text true": True,
    "text false": False,
    "text False": False,
    "text no": False,
    "text YES": True,
    "text off": False,
    "text 0": False,
    "text 1": True,
    "0": False,
    "1": True,
}
TEXTS = {
    name: value for name, value in VALUES.items() if isinstance(value, str) and name not in EMPTY
}
ADDRESSES = {name: VALUES[name] for name in ("IPv4 address", "IPv6 address")}
HOST_NAMES = {
    name: VALUES[name]
    for name in ("host name", "letters outside ASCII", "text 1_000", "nein", "ture", *SWITCHES)
    if isinstance(VALUES[name], str) and not VALUES[name].strip().isdigit()
}
DICTIONARIES = {name: VALUES[name] for name in ("empty dictionary", "dictionary")}
# By type, what each value that is neither refused nor empty is read as.
# A template with blanks makes such a text of a number too.
NAMES = {name: [value.strip()] for name, value in TEXTS.items() if name != "text 7"}
READ: dict[str, dict[str, Any]] = {
    "switch": SWITCHES,
    "number": {"text 0": 0, "text 1": 1, "0": 0, "1": 1, "2": 2, "text 7": 7},
    "text": TEXTS,
    "secret": TEXTS,
    "answer": {
        **{name: value.strip() for name, value in TEXTS.items()},
        "quoted": "83",
        "quoted lines": "83\nbeta",
        "date": "2026-11-30",
    },
    "secret_answer": TEXTS,
    "host_name": HOST_NAMES,
    "address": ADDRESSES,
    "date": {**TEXTS, "date": "2026-11-30", "time": "2026-11-30T12:00:00"},
    "choice": {"text no": "no"},
    "names": {
        **NAMES,
        "two names": ["acme", "beta"],
        "empty list": [],
        "list": ["acme"],
    },
    "entries": {
        **NAMES,
        "two names": ["acme", "beta"],
        **{name: value for name, value in VALUES.items() if isinstance(value, list)},
    },
    "arguments": {
        **NAMES,
        "two names": ["acme", "beta"],
        **{name: VALUES[name] for name in ("empty list", "list", "list of numbers")},
    },
    "list": {name: value for name, value in VALUES.items() if isinstance(value, list)},
    "objects": {"empty list": [], "list of dictionaries": [{"name": "acme"}]},
    "mapping": DICTIONARIES,
    "raw": {name: value for name, value in VALUES.items() if name not in EMPTY},
}


def make_rules(kind: str, **more: Any) -> dict[str, Any]:
    """Return the rules of a variable of a type."""
    return {"type": kind, **({"choices": ["no", "one"]} if kind == "choice" else {}), **more}


def read(value: Any, rules: dict[str, Any]) -> Any:
    """What becomes of one variable; REFUSED and the mistake where there is one."""
    reading = read_variables({"some_name": value}, {"some_name": rules})
    if not reading.mistakes:
        return reading.settings.get("some_name", NOT_GIVEN)
    assert "some_name" not in reading.settings
    assert all(mistake.startswith("some_name") for mistake in reading.mistakes), reading.mistakes

    return REFUSED


def test_every_type_is_tried() -> None:
    assert set(READ) == set(TYPES)


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("kind", TYPES)
def test_a_value_is_read_by_its_type_or_refused_or_counts_as_not_given(
    kind: str, name: str
) -> None:
    expected = NOT_GIVEN if name in EMPTY else READ[kind].get(name, REFUSED)
    value = read(VALUES[name], make_rules(kind))

    assert value == expected
    assert type(value) is type(expected)


ODD_CHARACTERS = {
    "a\0b": "it has a NUL character. Remove it.",
    "a\ud800b": "it has half of a character (a lone surrogate). Write the whole character.",
}


@pytest.mark.parametrize("text", ODD_CHARACTERS, ids=ascii)
@pytest.mark.parametrize("kind", ["text", "secret", "answer", "secret_answer", "choice"])
def test_a_text_that_nothing_can_hold_is_refused_without_the_text(kind: str, text: str) -> None:
    table = {"name": {"type": kind, "choices": [text]}}

    reading = read_variables({"name": text}, table)

    assert reading.settings == {}
    assert reading.mistakes == [f"name: {ODD_CHARACTERS[text]}"]


@pytest.mark.parametrize("text", ODD_CHARACTERS, ids=ascii)
@pytest.mark.parametrize("kind", ["names", "arguments"])
def test_a_text_of_a_list_that_nothing_can_hold_is_named_by_its_place(kind: str, text: str) -> None:
    reading = read_variables({"name": ["acme", text]}, {"name": {"type": kind}})

    assert reading.mistakes == [f"name[1]: {ODD_CHARACTERS[text]}"]


@pytest.mark.parametrize("kind", ["text", "date", "names"])
def test_a_text_may_be_as_long_as_a_path_and_no_longer(kind: str) -> None:
    rules = {"name": {"type": kind}}

    assert read_variables({"name": "x" * 4096}, rules).mistakes == []
    (mistake,) = read_variables({"name": "x" * 4097}, rules).mistakes
    assert mistake.startswith("name")
    assert mistake.endswith(": it is longer than 4096 characters. Shorten it.")


@pytest.mark.parametrize("kind", ["secret", "answer", "secret_answer"])
def test_a_secret_or_an_answer_may_have_many_lines(kind: str) -> None:
    text = "x" * 20_000

    assert read_variables({"name": text}, {"name": {"type": kind}}).settings == {"name": text}


@pytest.mark.parametrize("name", sorted(EMPTY))
@pytest.mark.parametrize("kind", TYPES)
def test_an_empty_value_has_the_default_is_missing_or_is_refused_as_the_table_says(
    kind: str, name: str
) -> None:
    assert read(VALUES[name], make_rules(kind, default="usual")) == "usual"
    assert read(VALUES[name], make_rules(kind, required=True)) == REFUSED
    assert read(VALUES[name], make_rules(kind, empty="refused", default="usual")) == REFUSED
    assert read(VALUES[name], make_rules(kind, empty="kept")) == VALUES[name]

    undefined = read_variables(
        {}, {"some_name": make_rules(kind, empty="refused", default="usual")}
    )
    assert undefined.settings == {"some_name": "usual"}
    assert undefined.mistakes == []


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.dates() | st.binary(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text() | st.integers(), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(value=ANYTHING, kind=st.sampled_from([kind for kind in TYPES if kind != "raw"]))
def test_whatever_a_variable_is_its_reading_names_it_or_has_the_type_of_the_table(
    value: Any, kind: str
) -> None:
    rules = make_rules(kind, default="usual")
    rules["options"] = {"name": {"type": "text", "required": True}, "is_on": {"type": "switch"}}
    if kind not in ("mapping", "list"):
        del rules["options"]

    result = read(value, rules)

    assert result in ("usual", REFUSED) or isinstance(result, _PYTHON_TYPES[kind])


_PYTHON_TYPES = {
    "switch": bool,
    "number": int,
    "text": str,
    "secret": str,
    "answer": str,
    "secret_answer": str,
    "host_name": str,
    "address": str,
    "date": str,
    "choice": str,
    "names": list,
    "entries": list,
    "arguments": list,
    "list": list,
    "objects": list,
    "mapping": dict,
}


@given(value=ANYTHING.filter(lambda value: not isinstance(value, (bool, int, str))))
def test_nothing_but_booleans_numbers_and_texts_is_a_switch(value: Any) -> None:
    assert read(value, {"type": "switch"}) in (NOT_GIVEN, REFUSED)


CONNECTION = {
    "type": "mapping",
    "options": {
        "api_url": {"type": "text", "required": True},
        "api_key": {"type": "secret"},
        "validate_certs": {"type": "switch"},
    },
}


@pytest.mark.parametrize("is_list", [False, True], ids=["in a dictionary", "in a list"])
@pytest.mark.parametrize("name", VALUES)
def test_a_switch_in_a_dictionary_or_a_list_is_read_as_one_that_stands_alone(
    name: str, is_list: bool
) -> None:
    panel = {"api_url": "https://panel.example", "validate_certs": VALUES[name]}
    alone = read(VALUES[name], {"type": "switch"})
    expected = {"api_url": "https://panel.example"}
    if alone != NOT_GIVEN:
        expected["validate_certs"] = alone

    if is_list:
        actual = read([panel], {**CONNECTION, "type": "list"})
        wrapped: Any = [expected]
    else:
        actual = read(panel, CONNECTION)
        wrapped = expected

    assert actual == (REFUSED if alone == REFUSED else wrapped)


NAMES = {
    "type": "mapping",
    "default": {},
    "keys": {"type": "host_name"},
    "values": {"type": "host_name"},
}


@pytest.mark.parametrize("name", VALUES)
@pytest.mark.parametrize("kind", ["text", "host_name", "address", "names"])
def test_a_value_in_a_dictionary_is_read_as_one_that_stands_alone_and_may_not_be_empty(
    kind: str, name: str
) -> None:
    rules = make_rules(kind)
    alone = read(VALUES[name], rules)
    is_refused = alone in (NOT_GIVEN, REFUSED)

    pairs = read({"old.example": VALUES[name]}, {"type": "mapping", "values": rules})

    assert pairs == (REFUSED if is_refused else {"old.example": alone})


@pytest.mark.parametrize(
    "key", [None, "", " ", True, 83, 1.5, datetime.date(2026, 11, 30), "192.0.2.10", "0123"]
)
def test_a_key_of_a_dictionary_is_of_the_type_of_the_table(key: Any) -> None:
    assert read({key: "new.example", "other.example": "new.example"}, NAMES) == REFUSED


def test_a_mistake_in_a_dictionary_names_the_key() -> None:
    pairs = {
        "a.example": None,
        "b.example": " ",
        "c.example": 83,
        "d.example": True,
        "e.example": datetime.date(2026, 11, 30),
        "f.example": "192.0.2.10",
        "g.example": "new.example",
        83: "new.example",
        None: "new.example",
    }
    form = "Use a host name, and put it in quotes."
    assert find_mistakes(pairs, NAMES) == [
        f"panels: 83 is invalid as a key. {form}",
        f"panels: null is invalid as a key. {form}",
        f"panels.a.example: empty. {form}",
        f"panels.b.example: empty. {form}",
        f"panels.c.example: 83 is invalid. {form}",
        f"panels.d.example: true is invalid. {form}",
        f"panels.e.example: 2026-11-30 is invalid. {form}",
        f"panels.f.example: '192.0.2.10' is invalid. {form}",
    ]


def find_mistakes(value: Any, rules: dict[str, Any]) -> list[str]:
    """Return the mistakes of a variable."""
    return read_variables({"panels": value}, {"panels": rules}).mistakes


def test_a_mistake_in_a_field_names_the_place() -> None:
    wrong = [{"api_url": "a.example", "validate_certs": "nein"}, {"api_uri": "x"}, "a.example"]
    assert find_mistakes(wrong, {**CONNECTION, "type": "list"}) == [
        "panels[0].validate_certs: 'nein' is invalid. Use true or false.",
        "panels[1].api_uri: unknown. The fields are api_url, api_key, validate_certs.",
        "panels[1].api_url: missing.",
        "panels[2]: text is invalid. Use a dictionary.",
    ]
    fields = "unknown. The fields are api_url, api_key, validate_certs."
    (mistake, _missing) = find_mistakes({None: "x"}, {**CONNECTION, "type": "mapping"})
    assert mistake == f"panels.null: {fields}"
    (mistake, _missing) = find_mistakes({True: "x"}, {**CONNECTION, "type": "mapping"})
    assert mistake == f"panels.true: {fields}"


def test_of_a_value_that_may_hold_a_secret_its_form_is_shown() -> None:
    wrong_values = [("geheim", "text"), ({"geheim": 1}, "a dictionary"), (83, "a number")]
    for value, form in wrong_values:
        (message,) = find_mistakes(value, {"type": "list"})
        assert message.startswith(f"panels: {form} is invalid. Use ")


def test_what_is_no_dictionary_leads_to_the_example_of_the_variable() -> None:
    example = "{api_url: https://web-1.example}"
    assert find_mistakes("web-1", {"type": "mapping", "example": example}) == [
        f"panels: text is invalid. Use a dictionary, for example {example}."
    ]


@pytest.mark.parametrize("rules", [{**CONNECTION, "type": "list"}, {"type": "objects"}])
@pytest.mark.parametrize(("value", "form"), [("geheim", "text"), (83, "a number"), (None, "null")])
def test_of_an_entry_that_is_no_dictionary_its_form_is_shown(
    rules: dict[str, Any], value: Any, form: str
) -> None:
    assert find_mistakes([value], rules) == [f"panels[0]: {form} is invalid. Use a dictionary."]


def test_a_choice_that_is_missing_names_what_there_is() -> None:
    rules = {"type": "choice", "choices": ["copy", "final", "late"], "required": True}
    assert find_mistakes(None, rules) == ["panels: missing. Use copy, final or late."]


@pytest.mark.parametrize("value", [3651, "3651", 10**17, -1, "-1"])
def test_a_number_beyond_its_range_is_refused_with_the_range(value: Any) -> None:
    rules = {"type": "number", "most": 3650, "default": 30}

    assert find_mistakes(value, rules) == [
        f"panels: {value!r} is invalid. Use a whole number from 0 to 3650."
    ]
    assert find_mistakes(3650, rules) == []


# What a task of a role hands to a module that checks its range before it reads anything.
RANGE_OF_MODULE = re.compile(
    r"(report_\w+|\w+_(max_deletes|concurrency|timeout|retry_time|retry_id|max|first_port))"
)


@pytest.mark.parametrize("role", sorted(path.name for path in (ROOT / "roles").iterdir()))
def test_a_number_with_which_a_role_calculates_has_a_range(role: str) -> None:
    """No date and no time is as far away as a number of 18 digits says."""
    path = ROOT / "roles" / role / "vars" / "main.yml"
    tables = yaml.safe_load(path.read_text(encoding="utf-8"))
    rules_by_name = {
        name: rules
        for title, table in tables.items()
        if title.endswith("_variables")
        for name, rules in table.items()
    }
    unlimited = [
        name
        for name, rules in rules_by_name.items()
        if rules["type"] == "number" and "most" not in rules
    ]

    assert [name for name in unlimited if not RANGE_OF_MODULE.fullmatch(name)] == []


def test_a_variable_that_is_missing_has_an_example() -> None:
    rules = {"type": "text", "required": True, "example": "report.html"}
    assert find_mistakes(None, rules) == ["panels: missing. Set it, for example to report.html."]


@pytest.mark.parametrize("path", sorted(ROOT.glob("roles/*/vars/main.yml")), ids=str)
def test_each_required_variable_of_a_role_has_an_example_or_choices(path: Path) -> None:
    tables = yaml.safe_load(path.read_text(encoding="utf-8"))
    required = {
        name: rules
        for title, table in tables.items()
        if title.endswith("_variables")
        for name, rules in table.items()
        if rules.get("required")
    }
    assert [
        name for name, rules in required.items() if not rules.keys() & {"example", "choices"}
    ] == []
    # It is shown as it is.
    assert all(isinstance(rules.get("example", ""), str) for rules in required.values())


def test_a_mistake_shows_a_value_as_yaml_has_read_it_and_no_secret() -> None:
    assert find_mistakes(83, {"type": "text"}) == [
        "panels: 83 is invalid. Use text, and put it in quotes."
    ]
    assert find_mistakes([83], {"type": "names"}) == [
        "panels[0]: 83 is invalid. Use text, and put it in quotes."
    ]
    assert find_mistakes(48151623, {"type": "secret"}) == [
        "panels: the value is invalid. Use text, and put it in quotes."
    ]
    assert find_mistakes({"api_url": "a", "api_key": 48151623}, CONNECTION) == [
        "panels.api_key: the value is invalid. Use text, and put it in quotes."
    ]
    assert find_mistakes("delte", {"type": "choice", "choices": ["suspend", "delete"]}) == [
        "panels: 'delte' is invalid. Use suspend or delete."
    ]

    (long,) = find_mistakes("x" * 5000 + "\n", {"type": "number"})
    assert len(long) < 200
    assert "\n" not in long


class Encrypted:
    """A value that is encrypted with !vault, as ansible-core up to 2.18 hands it on."""

    __ENCRYPTED__ = True

    def __init__(self, text: str) -> None:
        self.text = text

    def __str__(self) -> str:
        return self.text


def test_an_encrypted_value_is_text_and_stays_as_it_is() -> None:
    key = Encrypted("k.secret")
    assert read(key, {"type": "secret", "required": True}) is key
    assert read(Encrypted("false"), {"type": "switch"}) is False
    assert read(Encrypted("7"), {"type": "number"}) == 7


# Every variable of every role and of the playbooks, with the values of the brief of an operator in
# a hurry.

TABLES: dict[str, dict[str, Any]] = {}
for file in [
    *sorted(ROOT.glob("roles/*/vars/main.yml")),
    ROOT / "playbooks" / "vars" / "panel.yml",
]:
    for variable, content in yaml.safe_load(file.read_text(encoding="utf-8")).items():
        if variable.endswith("_variables"):
            TABLES.setdefault(Path(file).parent.parent.name, {}).update(content)
CASES = [(owner, name) for owner, table in TABLES.items() for name in table]


def test_the_tables_of_all_roles_and_playbooks_are_tried() -> None:
    assert set(TABLES) == {path.name for path in ROOT.glob("roles/*") if path.is_dir()} | {
        "playbooks"
    }
    assert len(CASES) > 120


# The options of objects and of protect, which the modules check by name, and the objects of a copy,
# which have a table of their own.
CHECKED_BY_MODULES = {"site_client", "site_plan", "panel_protect", "content_objects"}


@pytest.mark.parametrize(("owner", "name"), CASES)
def test_a_table_says_what_a_dictionary_of_a_role_or_playbook_holds(owner: str, name: str) -> None:
    rules = TABLES[owner][name]
    is_described = "options" in rules or {"keys", "values"} <= set(rules)
    assert rules["type"] != "mapping" or is_described or name in CHECKED_BY_MODULES


@pytest.mark.parametrize(("owner", "name"), CASES)
def test_a_variable_of_a_role_or_playbook_is_its_value_not_given_or_a_mistake_that_names_it(
    owner: str, name: str
) -> None:
    # Four thousand cases, which would take longer as a test each.
    for value in VALUES:
        check_variable(name, TABLES[owner][name], value)


def check_variable(name: str, rules: dict[str, Any], value: str) -> None:
    """Assert that a value of a variable is its setting, not given, or a mistake that names it."""
    reading = read_variables({name: VALUES[value]}, {name: rules})
    assert all(mistake.startswith(name) for mistake in reading.mistakes)

    if value in EMPTY:
        check_empty_variable(name, rules, value, reading)
    elif rules["type"] == "switch":
        assert reading.settings == ({name: SWITCHES[value]} if value in SWITCHES else {})
        assert bool(reading.mistakes) == (value not in SWITCHES)


def check_empty_variable(name: str, rules: dict[str, Any], value: str, reading: Any) -> None:
    """Assert that an empty value is kept, refused or stands for the default, as the table says."""
    if rules.get("empty") == "kept":
        assert reading.settings == {name: VALUES[value]}
        return

    is_refused = bool(rules.get("required")) or rules.get("empty") == "refused"
    assert bool(reading.mistakes) == is_refused
    if "default" in rules and not is_refused:
        assert reading.settings == {name: rules["default"]}
    else:
        assert reading.settings == {}


@pytest.mark.parametrize("kind", ["objects", "raw", "text"])
def test_a_table_has_options_for_a_mapping_or_a_list_alone(kind: str) -> None:
    table = {"backups": {"type": kind, "options": {"name": {"type": "text"}}}}
    with pytest.raises(AnsibleLookupError, match="backups: options need type mapping or list"):
        _check_table(table)


@pytest.mark.parametrize("keys_or_values", ["keys", "values"])
def test_a_table_has_types_for_the_keys_and_values_of_a_mapping_alone(keys_or_values: str) -> None:
    table = {"backups": {"type": "list", keys_or_values: {"type": "text"}}}
    with pytest.raises(AnsibleLookupError, match=f"backups: {keys_or_values} need type mapping"):
        _check_table(table)

    table = {"backups": {"type": "mapping", keys_or_values: {"type": "txt"}}}
    with pytest.raises(
        AnsibleLookupError, match=rf"backups\.{keys_or_values}: type must be one of"
    ):
        _check_table(table)


PAIRS_OF = {
    "two spellings of a name": ("host_name", {"Old.example": "a.b", "old.example.": "c.d"}),
    "two spellings of an IDN": ("host_name", {"b\u00fccher.de": "a.b", "xn--bcher-kva.de": "c.d"}),
    "two spellings of an address": ("address", {"2001:DB8::1": "::2", "2001:db8:0::1": "::3"}),
    "two versions": ("address", {"192.0.2.1": "2001:db8::1"}),
    "the other two versions": ("address", {"2001:db8::1": "192.0.2.1"}),
}


@pytest.mark.parametrize(("kind", "pairs"), PAIRS_OF.values(), ids=PAIRS_OF)
def test_pairs_that_contradict_one_another_are_a_mistake_of_the_variable(
    kind: str, pairs: dict[str, str]
) -> None:
    rules = {"type": "mapping", "keys": {"type": kind}, "values": {"type": kind}}
    (mistake,) = read_variables({"move_pairs": pairs}, {"move_pairs": rules}).mistakes
    assert mistake.startswith("move_pairs: ")

    same = dict.fromkeys(pairs, next(iter(pairs)))
    assert read_variables({"move_pairs": same}, {"move_pairs": rules}).mistakes == []


@pytest.mark.parametrize(
    ("rules", "value", "beginning"),
    [
        ({"type": "text", "required": True}, "", "panels_client: "),
        ({"type": "names"}, [83], "panels_client[0]: "),
        ({"type": "mapping", "options": {"host": {"type": "text"}}}, {"host": 1}, "panels_client."),
        (
            {"type": "mapping", "options": {"host": {"type": "text"}}},
            {"hosts": ""},
            "panels_client.",
        ),
    ],
)
def test_a_mistake_has_the_name_that_a_person_typed(
    rules: dict[str, Any], value: Any, beginning: str
) -> None:
    table = {"move_client": rules, "move_dir": {"type": "text", "required": True}}
    typed_names = {"move_client": "panels_client"}

    reading = read_variables({"move_client": value}, table, typed_names)

    first, second = reading.mistakes
    assert first.startswith(beginning)
    assert second == "move_dir: missing."


@pytest.mark.parametrize(
    ("argument", "problem"),
    [
        pytest.param(None, "null is invalid. Use text or a number.", id="null"),
        pytest.param({"a": 1}, "a dictionary is invalid. Use text or a number.", id="dictionary"),
        pytest.param(["--tls"], "a list is invalid. Use text or a number.", id="list"),
        pytest.param(True, "true is invalid. Use text or a number.", id="switch"),
        pytest.param("--st\0ate", "it has a NUL character. Remove it.", id="NUL"),
    ],
)
def test_what_no_command_line_takes_is_named_by_its_place(argument: Any, problem: str) -> None:
    reading = read_variables(
        {"some_name": ["--latency", 50, argument]}, {"some_name": {"type": "arguments"}}
    )

    assert reading.mistakes == [f"some_name[2]: {problem}"]


@pytest.mark.parametrize("kind", ["names", "entries"])
@pytest.mark.parametrize(
    "text", ["83 ", " 83", "\t83, acme", "acme, 83\n", " 2026-12-31 ", "True "]
)
def test_a_text_of_names_that_may_be_a_number_beside_a_blank_is_refused(
    kind: str, text: str
) -> None:
    assert read(text, make_rules(kind)) == REFUSED


@pytest.mark.parametrize("kind", ["names", "entries"])
def test_blanks_beside_commas_and_around_names_have_no_meaning(kind: str) -> None:
    assert read(" acme , 83 ,beta ", make_rules(kind)) == ["acme", "83", "beta"]


def test_a_name_of_a_list_that_may_be_a_number_beside_a_blank_is_refused() -> None:
    reading = read_variables({"some_name": ["acme", "83 "]}, {"some_name": make_rules("names")})
    (mistake,) = reading.mistakes
    assert mistake.startswith("some_name[1]: '83 ' has blanks around what may be a number")


def test_a_variable_of_another_type_counts_as_written_and_an_empty_one_does_not() -> None:
    table = {name: {"type": "text"} for name in ("right", "wrong", "empty", "blank", "omitted")}

    reading = read_variables({"right": "a", "wrong": 5, "empty": None, "blank": " "}, table)

    assert reading.names == ["right", "wrong"]
    assert list(reading.settings) == ["right"]
