"""Failures of Ansible's own checks hold no secret and name the option."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from ansible.module_utils.common.arg_spec import ArgumentSpecValidator

from ansible_collections.hosting.panel.plugins.module_utils._bulk.bulk_task import WrongItems
from ansible_collections.hosting.panel.plugins.module_utils._errors import OptionError
from ansible_collections.hosting.panel.plugins.module_utils._operation.handover import TaskRequest
from ansible_collections.hosting.panel.plugins.module_utils._operation.operation import Operation
from ansible_collections.hosting.panel.plugins.module_utils._operation.validation import (
    check_options,
    find_misread_values,
)
from ansible_collections.hosting.panel.plugins.module_utils._problems import (
    abbreviate,
    describe_option_problem,
    format_message,
    join_problems,
    limit_lines,
)
from ansible_collections.hosting.panel.plugins.module_utils._secrets.displayed_arguments import (
    OMITTED,
)
from ansible_collections.hosting.panel.plugins.module_utils._task.perform import perform
from ansible_collections.hosting.panel.plugins.plugin_utils._run.in_process import load_operation
from ansible_collections.hosting.panel.plugins.plugin_utils._run.panel_action import check_values
from tests.support.in_memory import InMemory
from tools.layout import ROOT

MODULES = sorted(
    path.stem
    for path in ROOT.glob("plugins/modules/*.py")
    if "OPERATION = " in path.read_text(encoding="utf-8")
)
CONNECTION = {"api_url": "https://panel.example", "api_key": "prefix01.secret"}
SPEC: dict[str, Any] = {
    "api_key": {"type": "str", "no_log": True},
    "contact_data": {"type": "dict", "options": {"city": {"type": "str"}}},
    "components": {"type": "dict", "options": {"private_key": {"type": "str", "no_log": True}}},
}


def run_refused(options: dict[str, Any]) -> dict[str, Any]:
    """The result of a task with these options."""
    operation = Operation(SPEC, lambda _params, _task: pytest.fail("wrong options are accepted"))
    return perform(
        operation,
        TaskRequest(options, check_mode=False, diff_mode=False),
        lambda _connection: pytest.fail("a session was opened"),
    )


def describe_unknown_option(module: str, name: str) -> str:
    """Return what a module says of an option that it does not have."""
    with pytest.raises(OptionError) as refused:
        check_options({**CONNECTION, name: "x"}, load_operation(module).validator)
    return str(refused.value)


def test_an_unknown_option_leads_to_the_options_of_the_module_and_not_to_its_connection() -> None:
    message = describe_unknown_option("panel_client", "zzz")
    assert message.startswith("zzz: there is no such option; there are username, email, ")
    assert " and those of the connection." in message
    assert "api_url" not in message
    assert "timeout, " not in message.replace("wait_timeout, ", "")


def test_an_unknown_option_that_is_nearly_one_of_the_connection_is_named() -> None:
    message = describe_unknown_option("panel_client", "api_uri")
    assert message == "api_uri: there is no such option; did you mean api_url?"


@pytest.mark.parametrize(
    ("module", "name", "path"),
    [
        ("panel_client", "first_name", "contact_data.first_name"),
        ("panel_plan", "disk_space", "resources.disk_space"),
        ("panel_domain", "certificate", "security.certificate"),
    ],
)
def test_an_unknown_option_that_is_a_field_of_a_dictionary_leads_there(
    module: str, name: str, path: str
) -> None:
    message = describe_unknown_option(module, name)
    assert message == f"{name}: there is no such option; did you mean {path}?"


def test_a_missing_option_with_a_few_values_names_them() -> None:
    result = InMemory().run("panel_import", path="x", dir="y")
    assert result["msg"].startswith(
        "source: missing; the task needs it. It must be one of ispconfig, froxlor."
    )


def test_a_module_with_the_options_of_a_connection_alone_lists_them() -> None:
    message = describe_unknown_option("panel_ping", "zzz")
    assert message.startswith("zzz: there is no such option; there are api_url, api_key, ")
    assert "those of the connection" not in message


@pytest.mark.parametrize("value", ["Berlin", True, 5, ["Berlin"], ["city=Berlin"]], ids=str)
def test_what_is_no_dictionary_is_named_before_ansible_would_crash(value: Any) -> None:
    result = run_refused({"api_key": "k3y-k3y-k3y", "contact_data": value})
    assert result["failed"] is True
    assert result["msg"] == "contact_data: must be a dictionary with city."
    assert result["error"] == {"type": "OptionError", "option": "contact_data"}
    assert result["invocation"]["module_args"]["api_key"] == OMITTED


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ("www A 192.0.2.1", "records: must be a list of dictionaries with host, type, ttl, value."),
        (
            '[{"host": "www"}]',
            "records: must be a list of dictionaries with host, type, ttl, value.",
        ),
        (
            {"host": "www", "type": "A"},
            "records: must be a list of dictionaries with host, type, ttl, value.",
        ),
        (["www A 192.0.2.1"], "records[0]: must be a dictionary with host, type, ttl, value."),
        ([{"host": "www"}, 7], "records[1]: must be a dictionary with host, type, ttl, value."),
    ],
)
def test_records_that_are_no_dictionaries_are_named_with_the_fields_that_a_record_has(
    records: object, message: str
) -> None:
    result = InMemory().run("panel_dns", domain="acme.example", records=records)
    assert result["msg"] == message
    assert result["error"]["option"] == message.partition(":")[0]


def test_a_line_of_cron_in_the_place_of_a_schedule_leads_to_its_fields() -> None:
    result = InMemory().run(
        "panel_scheduled_task", client="acme", description="backup", schedule="0 3 * * *"
    )
    fields = "minute, hour, day_of_month, month, day_of_week"
    assert result["msg"] == f"schedule: must be a dictionary with {fields}."


def test_a_key_in_the_place_of_a_dictionary_is_not_shown() -> None:
    assert "BEGIN" not in str(run_refused({"components": "-----BEGIN PRIVATE KEY-----"}))


def test_every_misread_value_is_told_at_once() -> None:
    result = run_refused(
        {"api_key": 5, "contact_data": {"city": True}, "components": "hunter2-hunter2"}
    )

    assert result["msg"].count("in quotes") == 2
    assert result["msg"].endswith("components: must be a dictionary with private_key.")
    assert "hunter2" not in str(result)


@pytest.mark.parametrize(
    "text",
    [
        "********",
        "https://********@acme.example/x",
        "admin:********:19000\n# end",
        "first\n ******** \nlast",
    ],
)
def test_what_results_show_in_place_of_a_secret_is_not_written(text: str) -> None:
    with pytest.raises(
        OptionError,
        match=r"^scheduled_tasks\[0\] command: holds \*{8} instead of a secret",
    ):
        check_values({"resources": {"scheduled_tasks": [{"command": text}]}})


@pytest.mark.parametrize(
    "text", ["******** VIP ********", "Call ******** first", "***********", "a ********@b"]
)
def test_a_text_with_asterisks_is_written(text: str) -> None:
    check_values({"notes": text, "more": [{"notes": text}]})


def walk_options(
    spec: dict[str, Any], path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], dict[str, Any]]]:
    """Every option and member with what Ansible knows of it."""
    for name, rules in spec.items():
        if "options" in rules:
            yield from walk_options(rules["options"], (*path, name))
        else:
            yield (*path, name), rules


def list_values_of_another_type(rules: dict[str, Any]) -> tuple[Any, ...]:
    """Return what Ansible would convert to the type of an option."""
    type_name = get_type_of_value(rules)
    if rules.get("no_log") and type_name == "str":
        return (True, {"a": "x"}, ["x"], 342391, 1.5)
    return {"str": (True, {"a": "x"}, ["x"]), "path": (False,), "int": (True,)}.get(type_name, ())


def get_type_of_value(rules: dict[str, Any]) -> str:
    """Return the type of an option, or of the entries of a list."""
    name = rules.get("elements", "") if rules.get("type") == "list" else rules.get("type", "str")
    return str(name)


def is_told_to_quote(rules: dict[str, Any], value: Any) -> bool:
    """Whether quotes may be what is missing, so that the advice names them."""
    if get_type_of_value(rules) == "int" or isinstance(value, (dict, list)):
        return False
    return rules.keys().isdisjoint({"accepted", "choices"})


@pytest.mark.parametrize("module", MODULES)
def test_every_text_and_every_number_of_a_module_refuses_what_ansible_would_convert(
    module: str,
) -> None:
    spec = load_operation.__wrapped__(module).validator.argument_spec  # not kept for other tests

    for path, rules in walk_options(spec):
        name_of_option = ".".join(path)
        is_list = rules.get("type") == "list"
        if is_list:
            name_of_option += "[0]"
        for value in list_values_of_another_type(rules):
            options: Any = [value] if is_list else value
            for name in reversed(path):
                options = {name: options}

            (problem,) = find_misread_values(options, spec)

            assert problem.option == name_of_option
            assert ("in quotes" in problem.cause) == is_told_to_quote(rules, value)


def test_a_text_of_json_in_the_place_of_a_dictionary_is_looked_into() -> None:
    (problem,) = find_misread_values({"contact_data": '{"city": false}'}, SPEC)
    assert format_message(problem).startswith(
        "contact_data.city: False is not accepted; YAML reads"
    )


OWNED: dict[str, Any] = {
    "client": {"type": "str"},
    "id_user": {"type": "int"},
    "password": {"type": "str", "no_log": True},
}


@pytest.mark.parametrize("option", ["expected_checksum", "max_deletes", "protect"])
def test_null_is_refused_where_an_option_narrows_what_is_done(option: str) -> None:
    spec = {option: load_operation("panel_resources").options[option]}
    (problem,) = find_misread_values({option: None}, spec)

    assert format_message(problem).startswith(f"{option}: is null, which would ")
    assert list(find_misread_values({}, spec)) == []
    assert list(find_misread_values({option: None}, {})) == []


@pytest.mark.parametrize(
    "owner", [{"client": None}, {"id_user": None}, {"client": None, "id_user": None}], ids=str
)
@pytest.mark.parametrize(
    "context", [{"state": "absent"}, {"state": "default"}, {"purge": True}], ids=str
)
def test_null_is_refused_for_the_client_of_what_shall_go(
    owner: dict[str, Any], context: dict[str, Any]
) -> None:
    (problem,) = find_misread_values({**owner, **context}, OWNED)
    assert problem.option == next(iter(owner))


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({"client": None}, id="no state"),
        pytest.param({"client": None, "state": "present"}, id="present"),
        pytest.param({"client": None, "id_user": 5, "state": "absent"}, id="id beside it"),
        pytest.param({"client": "acme", "id_user": None, "state": "absent"}, id="name beside it"),
        pytest.param({"state": "absent"}, id="no owner"),
        pytest.param({"state": "absent", "password": None}, id="null of another option"),
    ],
)
def test_null_elsewhere_is_an_option_that_is_omitted(options: dict[str, Any]) -> None:
    assert list(find_misread_values(options, OWNED)) == []


def list_options_with_a_default() -> Iterator[tuple[str, str]]:
    """Yield each option of each module that has a default."""
    for module in MODULES:
        spec = load_operation.__wrapped__(module).validator.argument_spec
        for name, rules in spec.items():
            if rules.get("default") is not None:
                yield module, name


@pytest.mark.parametrize(("module", "option"), list(list_options_with_a_default()))
def test_null_for_an_option_with_a_default_is_refused_by_its_name(module: str, option: str) -> None:
    validator = load_operation.__wrapped__(module).validator
    needed = {name: "1" for name, rules in validator.argument_spec.items() if rules.get("required")}

    with pytest.raises(OptionError) as raised:
        check_options(
            {"api_url": "https://p.example", "api_key": "k", **needed, option: None}, validator
        )

    assert option in [problem.option for problem in raised.value.problems]
    assert f"{option}: is null" in str(raised.value)
    assert "omit" in str(raised.value)
    assert "NoneType" not in str(raised.value)


def test_null_for_a_field_with_a_default_is_refused_by_its_place() -> None:
    fields = {"name": {"type": "str"}, "near": {"type": "int", "default": 90}}
    validator = ArgumentSpecValidator(
        {"panels": {"type": "list", "elements": "dict", "options": fields}}
    )

    with pytest.raises(OptionError, match=r"^panels\[1\]\.near: is null; give a value, or omit it"):
        check_options({"panels": [{"near": 5, "name": None}, {"near": None}]}, validator)


@pytest.mark.parametrize("choice", ["", "emials", "emails,clinets", "emails, "])
def test_a_text_of_wrong_choices_is_refused_by_its_place(choice: str) -> None:
    validator = ArgumentSpecValidator(
        {"kinds": {"type": "list", "elements": "str", "choices": ["emails", "clients"]}}
    )

    with pytest.raises(
        OptionError,
        match=r"^kinds\[[01]\]: '.*' is not accepted; it must be one of emails, clients(\.|; did you mean (emails|clients)\?)$",
    ):
        check_options({"kinds": choice}, validator)

    assert check_options({"kinds": "emails,clients"}, validator) == {"kinds": ["emails", "clients"]}


# Mistakes


@pytest.mark.parametrize(
    ("names", "text", "lines"),
    [
        pytest.param(["a"], "a", ["a"], id="one"),
        pytest.param(["a", "b"], "a, b", ["a", "b"], id="two"),
        pytest.param(["a", "b", "c"], "a, b, and 1 more", ["a", "b", "and 1 more"], id="three"),
    ],
)
def test_of_many_names_the_first_are_shown_and_the_others_counted(
    names: list[Any], text: str, lines: list[Any]
) -> None:
    assert abbreviate(names, 2) == text
    assert limit_lines(names, 2) == lines


def test_of_many_mistakes_each_is_in_the_message_once_and_the_rest_is_counted() -> None:
    mistakes = [f"emails[{number}]: wrong." for number in range(60)]
    message = join_problems([*mistakes, mistakes[0]], "error.mistakes")

    assert message.startswith("60 mistakes: emails[0]: wrong. emails[1]: wrong.")
    assert message.endswith(
        " emails[49]: wrong. And 10 more in error.mistakes. Nothing was written."
    )
    assert join_problems(mistakes[:1]) == "emails[0]: wrong. Nothing was written."


def test_an_error_has_each_mistake_once() -> None:
    mistakes = [describe_option_problem(option, "wrong.") for option in ("a", "b", "a")]

    def refuse(_params: Any, _task: Any) -> Any:
        raise WrongItems(mistakes)

    result = perform(
        Operation({}, refuse),
        TaskRequest(CONNECTION, check_mode=False, diff_mode=False),
        lambda _connection: pytest.fail("a session"),
    )

    assert result["error"] == {"type": "WrongItems", "mistakes": ["a: wrong.", "b: wrong."]}
    assert result["msg"] == "2 mistakes: a: wrong. b: wrong. Nothing was written."


LISTS = [
    ("panel_email", "email", "info@acme.example", "forwardings"),
    ("panel_email", "email", "info@acme.example", "aliases"),
    ("panel_database", "database_username", "acme_db", "remote_hosts"),
    ("panel_directory_protection", "path", "/www/private", "exceptions"),
]


@pytest.mark.parametrize(("module", "key", "name", "field"), LISTS)
def test_a_list_of_an_empty_text_is_refused_and_clears_nothing(
    module: str, key: str, name: str, field: str
) -> None:
    options = {**CONNECTION, key: name, field: [""]}
    result = perform(
        load_operation(module),
        TaskRequest(options, check_mode=False, diff_mode=False),
        lambda _connection: pytest.fail("a session was opened"),
    )

    assert result["failed"] is True
    assert result["error"]["option"] == f"{field}[0]"


@pytest.mark.parametrize(("module", "key", "name", "field"), LISTS)
def test_an_empty_text_in_the_place_of_a_list_is_an_empty_list(
    module: str, key: str, name: str, field: str
) -> None:
    validator = ArgumentSpecValidator(dict(load_operation(module).options))
    assert check_options({key: name, field: ""}, validator)[field] == []
