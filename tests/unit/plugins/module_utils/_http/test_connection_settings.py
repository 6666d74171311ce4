"""The connection options.

Which addresses are accepted, what is refused, and where a value comes from.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from ansible.module_utils.common.arg_spec import ModuleArgumentSpecValidator

from ansible_collections.hosting.panel.plugins.module_utils._errors import OptionError
from ansible_collections.hosting.panel.plugins.module_utils._http.connection_settings import (
    Connection,
    build_connection_argument_spec,
    find_key_of_another_panel,
    read_connection,
)
from ansible_collections.hosting.panel.plugins.module_utils._operation.validation import (
    check_options as checked_options,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._run.panel_connections import (
    choose_named_panel,
)

KEY = "prefix01.Zm9vYmFyYmF6cXV4"


def read_options(**options: Any) -> Connection:
    """The connection from options as a user writes them, completed by Ansible."""
    return read_connection(
        checked_options(options, ModuleArgumentSpecValidator(build_connection_argument_spec()))
    )


def get_refusal(**options: Any) -> OptionError:
    """Return the error for which the options are refused."""
    with pytest.raises(OptionError) as caught:
        read_options(**{"api_url": "https://panel.example", "api_key": KEY, **options})
    return caught.value


def test_messages_name_the_variable_of_the_environment_that_has_the_value(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PANEL_API_KEY", KEY)
    monkeypatch.setenv("PANEL_RETRY_TIME", "5")
    monkeypatch.setenv("PANEL_TIMEOUT", "7")

    settings = read_options(api_url="https://panel.example", timeout=8)

    assert settings.name_option("api_key") == "PANEL_API_KEY"
    assert settings.name_option("retry_time") == "PANEL_RETRY_TIME"
    assert settings.name_option("timeout") == "timeout"
    assert settings.name_option("api_url") == "api_url"


@pytest.mark.parametrize(
    ("written", "base_url"),
    [
        ("https://panel.example", "https://panel.example/api/v2"),
        ("https://panel.example/api/v2", "https://panel.example/api/v2"),
        ("HTTPS://Panel.Example", "https://panel.example/api/v2"),
        ("https://panel.example:8443", "https://panel.example:8443/api/v2"),
        ("https://panel.example:443", "https://panel.example/api/v2"),
        ("panel.example.", "https://panel.example/api/v2"),
        ("https://P\u00e4nel.example.:8443/api/v2", "https://xn--pnel-loa.example:8443/api/v2"),
        ("XN--pnel-loa.example", "https://xn--pnel-loa.example/api/v2"),
        ("http://LOCALHOST.:8080", "http://localhost:8080/api/v2"),
        ("http://localhost:80", "http://localhost/api/v2"),
        ("  https://panel.example\n", "https://panel.example/api/v2"),
        ("panel.example", "https://panel.example/api/v2"),
        ("panel.example/api/v2", "https://panel.example/api/v2"),
        ("192.0.2.10", "https://192.0.2.10/api/v2"),
        ("https://[2001:db8::10]", "https://[2001:db8::10]/api/v2"),
        ("https://[2001:db8::10]:8443", "https://[2001:db8::10]:8443/api/v2"),
        ("[2001:db8::10]:8443", "https://[2001:db8::10]:8443/api/v2"),
        ("localhost", "https://localhost/api/v2"),
        ("http://localhost:8080", "http://localhost:8080/api/v2"),
        ("http://127.0.0.1:8080/api/v2", "http://127.0.0.1:8080/api/v2"),
        ("http://[::1]:8080", "http://[::1]:8080/api/v2"),
    ],
)
def test_these_forms_of_an_address_lead_to_the_api(written: str, base_url: str) -> None:
    assert read_options(api_url=written, api_key=KEY).base_url == base_url


@pytest.mark.parametrize(
    "written",
    [
        "http://panel.example",
        "http://192.0.2.10",
        "http://[2001:db8::10]",
        "http://localhost.example",
        "http://127.0.0.1.example",
        "http://localhost@panel.example",
    ],
)
def test_plain_http_is_refused_off_this_machine(written: str) -> None:
    error = get_refusal(api_url=written)
    assert error.option == "api_url"
    assert "https" in str(error)


@pytest.mark.parametrize(
    ("written", "complaint"),
    [
        ("https://admin:secret@panel.example", "without user name and password"),
        ("admin:secret@panel.example", "without user name and password"),
        ("https://panel.example/panel", "has the path /panel"),
        ("https://panel.example/api/v1", "the API is at /api/v2"),
        ("https://panel.example?key=1", "is not the address of a panel"),
        ("https://panel.example#top", "is not the address of a panel"),
        ("https://pa nel.example", "is not the address of a panel"),
        ("https:// panel.example", "is not the address of a panel"),
        ("https://panel.example :8443", "is not the address of a panel"),
        ("https://", "is not the address of a panel"),
        ("ftp://panel.example", "is not the address of a panel"),
        ("file:///etc/passwd", "is not the address of a panel"),
        ("2001:db8::10", "is not the address of a panel"),
        ("https://panel.example:port", "is not the address of a panel"),
        ("https://panel.example:0", "is not the address of a panel"),
        ("https://panel.example:", "is not the address of a panel"),
        ("https://[2001:db8::10]:/api/v2/", "is not the address of a panel"),
        ("https://[2001:db8::10", "is not the address of a panel"),
        ("https://[panel.example]", "is not the address of a panel"),
    ],
)
def test_other_addresses_are_refused_with_the_accepted_form(written: str, complaint: str) -> None:
    error = get_refusal(api_url=written)
    assert error.option == "api_url"
    assert complaint in str(error)
    assert "use https://HOST" in str(error)
    assert "secret" not in str(error)


@pytest.mark.parametrize(
    ("written", "displayed"),
    [
        ("https:/panel.example", "'https:/panel.example' "),
        ("https://pa nel.example", "'https://pa nel.example' "),
        ("https://panel.example:99999999", "'https://panel.example:…' "),
        ("https://admin:secret@panel.example", "'https://…@panel.example' "),
        ("https://admin:se@c/r:et@panel.example/x", "'https://…@panel.example/x' "),
        ("https://admin:secret", "'https://admin:…' "),
        ("https://[::secret", "'https://[:…' "),
        ("https://panel.example/api/v2?key=secret", "'https://panel.example/api/v2?…' "),
        ("https:/panel.example#secret", "'https:/panel.example#…' "),
        ("https:/panel.example/" + "x" * 200, "'https:/panel.example/xx"),
        ("https:/panel.example?a\nsecret", "'https:/panel.example?…' "),
        # No address, and so perhaps a key.
        ("secret secret", ""),
        ("k:secret/x", ""),
        ("admin:secret@panel.example", ""),
    ],
)
def test_a_wrong_address_is_shown_without_what_may_be_secret(written: str, displayed: str) -> None:
    message = str(get_refusal(api_url=written))
    assert message.startswith(f"api_url: {displayed}")
    assert displayed or message.startswith("api_url: is not the address of a panel; ")
    assert "secret" not in message
    assert len(message) < 300


@pytest.mark.parametrize("option", ["api_url", "api_key"])
@pytest.mark.parametrize("value", [None, ""])
def test_a_missing_address_or_key_names_the_ways_to_give_it(option: str, value: str | None) -> None:
    error = get_refusal(**{option: value})
    assert str(error).startswith(f"{option}: missing.")
    assert f"PANEL_{option.upper()}" in str(error)
    assert "group/hosting.panel.panel" in str(error)


EMPTY = ["validate_certs", "ca_path", "timeout", "retry_time"]


@pytest.mark.parametrize(
    "key", [f" {KEY}", f"{KEY}\n", f"{KEY}\r\nX-Other: 1", f"{KEY}\x00", f"{KEY}ü", "a\u2028b"]
)
def test_a_key_that_cannot_be_a_header_is_refused_and_not_shown(key: str) -> None:
    error = get_refusal(api_key=key)
    assert error.option == "api_key"
    assert KEY not in str(error)


def test_the_key_is_not_in_the_representation_of_a_connection() -> None:
    assert KEY not in repr(read_options(api_url="panel.example", api_key=KEY))


def test_every_option_comes_from_the_environment_when_it_is_omitted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ca_file = tmp_path / "ca.pem"
    ca_file.write_text("")

    for name, value in {
        "PANEL_API_URL": "panel.example:8443",
        "PANEL_API_KEY": KEY,
        "PANEL_VALIDATE_CERTS": "yes",
        "PANEL_CA_PATH": str(ca_file),
        "PANEL_TIMEOUT": "7",
        "PANEL_RETRY_TIME": "0",
    }.items():
        monkeypatch.setenv(name, value)

    assert read_options() == Connection(
        "https://panel.example:8443/api/v2", KEY, str(ca_file), 7, 0, False
    )


def test_an_option_outranks_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PANEL_API_URL", "other.example")
    monkeypatch.setenv("PANEL_TIMEOUT", "7")

    settings = read_options(api_url="panel.example", api_key=KEY, timeout=9)

    assert settings.base_url == "https://panel.example/api/v2"
    assert settings.timeout == 9


def test_a_ca_file_does_not_switch_a_disabled_check_on(tmp_path: Path) -> None:
    settings = read_options(
        api_url="panel.example",
        api_key=KEY,
        validate_certs=False,
        ca_path=str(tmp_path / "missing"),
    )
    assert settings.verify is False


@pytest.mark.parametrize("option", EMPTY)
def test_an_empty_text_counts_as_not_given_in_an_option_and_in_the_environment(
    monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    plain = read_options(api_url="https://panel.example", api_key=KEY)
    assert plain.verify is True
    assert read_options(api_url="https://panel.example", api_key=KEY, **{option: ""}) == plain
    monkeypatch.setenv(f"PANEL_{option.upper()}", "")
    assert read_options(api_url="https://panel.example", api_key=KEY) == plain


@pytest.mark.parametrize("option", ["validate_certs", "ca_path", "timeout", "retry_time"])
def test_an_option_that_is_null_means_its_default(option: str) -> None:
    # Ansible refuses a null for most of them, but inventories and lookups may hand one on; it must
    # not switch the TLS check off.
    params = {"api_url": "panel.example", "api_key": KEY, option: None}
    assert read_connection(params) == read_options(api_url="panel.example", api_key=KEY)


OTHER_PANEL = {"PANEL_API_URL": "https://panel-a.example", "PANEL_API_KEY": KEY}
B = "https://panel-b.example"


@pytest.mark.parametrize(
    "options",
    [{"api_key": ""}, {"api_key": None}, {}],
    ids=["an empty text", "null", "left out"],
)
def test_a_key_without_a_value_never_becomes_the_key_of_another_panel(
    monkeypatch: pytest.MonkeyPatch, options: dict[str, Any]
) -> None:
    for variable, value in OTHER_PANEL.items():
        monkeypatch.setenv(variable, value)

    with pytest.raises(OptionError) as caught:
        read_options(api_url=B, **options)
    error = caught.value

    assert error.option == "api_key"
    assert error.problem.cause == (
        "missing, and PANEL_API_KEY has the key of panel-a.example, not of panel-b.example. "
        "Give the key of panel-b.example."
    )
    assert KEY not in str(error)


KEYS_OF_THE_ENVIRONMENT: dict[str, tuple[dict[str, Any], dict[str, str]]] = {
    "the same panel": ({"api_url": "PANEL-A.example:443", "api_key": ""}, OTHER_PANEL),
    "no address in the task": ({"api_key": ""}, OTHER_PANEL),
    "no address in the environment": ({"api_url": B, "api_key": ""}, {"PANEL_API_KEY": KEY}),
    "no key but that of the environment": ({"api_url": B}, {"PANEL_API_KEY": KEY}),
    "a key of its own that is the same": ({"api_url": B, "api_key": KEY}, OTHER_PANEL),
}


@pytest.mark.parametrize("name", KEYS_OF_THE_ENVIRONMENT)
def test_the_key_of_the_environment_counts_where_the_panel_is_not_another_one(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    options, environment = KEYS_OF_THE_ENVIRONMENT[name]
    for variable, value in environment.items():
        monkeypatch.setenv(variable, value)

    assert read_options(**options).api_key == KEY


EMPTY_KEYS_OF_PANELS: dict[str, tuple[dict[str, Any], list[str]]] = {
    "one panel": ({"panels": [{"api_url": B, "api_key": ""}]}, ["panels[0].api_key"]),
    "one panel without an option of its own": (
        {"panels": [{"api_url": B}], "api_key": ""},
        ["api_key"],
    ),
    "one panel that leaves its key out": ({"panels": [{"api_url": B}]}, ["panels[0].api_key"]),
    "one panel and a key for it beside it": (
        {"panels": [{"api_url": B, "api_key": ""}], "api_key": KEY},
        [],
    ),
    "several panels, of which each has its own": (
        {"panels": [{"api_url": B, "api_key": ""}, {"api_url": B}]},
        [],
    ),
    "no list": ({"panels": "panel-b.example", "api_url": B, "api_key": ""}, []),
}


@pytest.mark.parametrize("name", EMPTY_KEYS_OF_PANELS)
def test_a_key_without_a_value_is_named_where_it_is_among_panels(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    options, paths = EMPTY_KEYS_OF_PANELS[name]
    for variable, value in OTHER_PANEL.items():
        monkeypatch.setenv(variable, value)

    assert [problem.option for problem in find_key_of_another_panel(options, "panels")] == paths


@pytest.mark.parametrize(
    ("variables", "options"),
    [
        ({"panel_api_url": B, "panel_api_key": ""}, {}),
        ({"panel_api_url": B}, {"api_key": ""}),
        ({}, {"api_url": B, "api_key": ""}),
    ],
)
def test_a_lookup_never_sends_the_key_of_another_panel(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], options: dict[str, str]
) -> None:
    for variable, value in OTHER_PANEL.items():
        monkeypatch.setenv(variable, value)

    (problem,) = find_key_of_another_panel(choose_named_panel(variables, options))

    assert "PANEL_API_KEY has the key of panel-a.example" in problem.cause
    named_panel = choose_named_panel({**variables, "panel_api_key": KEY}, options)
    assert list(find_key_of_another_panel(named_panel)) == []
