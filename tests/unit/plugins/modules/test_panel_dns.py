"""Managing and reading zones.

The exact requests, races, losses, domains that are not there, and what a task reports.
"""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.module_utils._dns import zone_writing
from ansible_collections.hosting.panel.plugins.module_utils._operation.locks import hold_lock
from ansible_collections.hosting.panel.plugins.modules.panel_dns import OPERATION
from ansible_collections.hosting.panel.plugins.modules.panel_dns_info import OPERATION as READING
from tests.support.tasks import run_task
from tests.support.transcript import (
    NOT_FOUND,
    SOA,
    Call,
    Dialogue,
    call,
    make_answer,
    make_custom_zone,
    make_page,
)

PATH = "/dns/name/acme.example"
NS = {"host": "@", "ttl": 86400, "type": "NS", "value": "ns1.panel.example."}
WWW = {"host": "www", "ttl": 3600, "type": "A", "value": "192.0.2.10"}
SHOP = {"host": "shop", "ttl": 60, "type": "A", "value": "192.0.2.20"}
ADD_SHOP = {"domain": "acme.example", "records": [SHOP]}
ADDED = {"records": {"soa": SOA, "other": [NS, WWW, SHOP]}}


BEFORE, AFTER = make_custom_zone(NS, WWW), make_custom_zone(NS, WWW, SHOP)


def make_read_calls(*zones: dict[str, Any], path: str = PATH) -> list[Call]:
    """Return the requests for the zone, which show it as it is each time."""
    return [call("GET", path, make_answer(200, entry)) for entry in zones]


def make_write_call(body: dict[str, Any], path: str = PATH) -> Call:
    """Return the request that writes the zone."""
    return call("PUT", path, make_answer(200, {"id": 31}), body)


# Exact requests


def test_records_are_returned_as_the_world_can_read_them_so_that_they_can_be_put_back(
    dialogue: Dialogue,
) -> None:
    text = {"host": "x", "type": "TXT", "ttl": 60, "value": "see https://u:public@acme.example"}
    shop_zone = make_custom_zone(SHOP, text, note="https://u:hunter2@acme.example")

    result = run_task(OPERATION, dialogue(*make_read_calls(shop_zone)), ADD_SHOP)

    assert result["records_before"] == result["dns"]["records"]["other"] == [SHOP, text]
    assert result["dns"]["note"] == "https://********@acme.example"


def test_a_change_reads_twice_writes_once_and_reads_again(dialogue: Dialogue) -> None:
    session = dialogue(
        *make_read_calls(BEFORE, BEFORE), make_write_call(ADDED), *make_read_calls(AFTER)
    )
    result = run_task(OPERATION, session, ADD_SHOP)

    assert result["changed"] is True
    assert result["dns"] == {"domain": "acme.example", **AFTER}
    assert result["records_before"] == [NS, WWW]
    assert result["soa_before"] == SOA
    assert result["diff"] == {
        "before": {"records": []},
        "after": {"records": ["shop A 60 192.0.2.20"]},
    }


def test_named_by_id_the_path_has_the_id_and_the_domain_is_read_once(dialogue: Dialogue) -> None:
    path = "/dns/31"
    domain = call("GET", "/domains/31", make_answer(200, {"id": 31, "domain": "acme.example"}))
    session = dialogue(
        domain,
        *make_read_calls(BEFORE, BEFORE, path=path),
        make_write_call(ADDED, path),
        *make_read_calls(AFTER, path=path),
    )

    result = run_task(OPERATION, session, {"id": 31, "records": [SHOP]})

    assert result["dns"] == {"id": 31, **AFTER}


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({"domain": "ACME.example"}, id="by domain"),
        pytest.param({"id": 31}, id="by id"),
    ],
)
def test_a_zone_that_another_task_writes_is_not_written(
    dialogue: Dialogue, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any]
) -> None:
    monkeypatch.setattr(zone_writing, "estimate_longest_write", lambda connection: 0.1)
    calls = make_read_calls(BEFORE)
    if "id" in options:
        domain = make_answer(200, {"id": 31, "domain": "acme.example"})
        calls = [call("GET", "/domains/31", domain), *make_read_calls(BEFORE, path="/dns/31")]

    with hold_lock("panel.example zone acme.example", "a zone", 1):
        result = run_task(OPERATION, dialogue(*calls), {**options, "records": [SHOP]})

    assert result["error"]["type"] == "Busy"
    assert result["changed"] is False
    assert "Nothing was written." in result["msg"]


def test_the_default_zone_is_restored_by_one_delete(dialogue: Dialogue) -> None:
    default = {**make_custom_zone(NS), "is_custom_dns": False}
    session = dialogue(
        *make_read_calls(BEFORE, BEFORE),
        call("DELETE", PATH, make_answer(204)),
        *make_read_calls(default),
    )

    result = run_task(OPERATION, session, {"domain": "acme.example", "state": "default"})

    assert result["changed"] is True
    assert result["dns"]["records"]["other"] == [NS]
    assert result["records_before"] == [NS, WWW]

    # Where the domain alone shows the switches, nothing is deleted again.
    switches = {
        "id": 31,
        "domain": "acme.example",
        "is_custom_dns": False,
        "is_dns_disabled": False,
    }
    domain = call("GET", "/domains/name/acme.example", make_answer(200, switches))

    default_panel = dialogue(*make_read_calls({"records": default["records"]}), domain)

    assert (
        run_task(OPERATION, default_panel, {"domain": "acme.example", "state": "default"})[
            "changed"
        ]
        is False
    )


# Check mode


@pytest.mark.parametrize(
    ("options", "before", "body", "after"),
    [
        pytest.param({"records": [SHOP]}, BEFORE, ADDED, AFTER, id="records"),
        pytest.param(
            {"soa": {"ttl": 60}},
            make_custom_zone(NS),
            {"records": {"soa": {**SOA, "ttl": 60}, "other": [NS]}},
            None,
            id="SOA record",
        ),
        pytest.param(
            {"is_dns_disabled": True},
            BEFORE,
            {"is_dns_disabled": True},
            make_custom_zone(is_dns_disabled=True),
            id="switch",
        ),
    ],
)
def test_check_mode_reads_once_and_predicts_what_the_real_run_reports(
    dialogue: Dialogue, options: dict[str, Any], before: Any, body: Any, after: Any
) -> None:
    after = after or {**before, "records": body["records"]}
    task = {"domain": "acme.example", **options}
    predicted = run_task(OPERATION, dialogue(*make_read_calls(before)), task, check_mode=True)

    real = run_task(
        OPERATION,
        dialogue(*make_read_calls(before, before), make_write_call(body), *make_read_calls(after)),
        task,
    )

    assert predicted.keys() == real.keys()
    assert predicted["dns"].keys() == real["dns"].keys()

    for name in ("changed", "diff", "records_before", "soa_before"):
        assert predicted[name] == real[name]


# Races


def test_a_zone_that_changed_between_the_reads_is_planned_anew(dialogue: Dialogue) -> None:
    more = {**WWW, "host": "more"}
    body = {"records": {"soa": SOA, "other": [NS, WWW, more, SHOP]}}
    changed = make_custom_zone(NS, WWW, more)
    session = dialogue(
        *make_read_calls(BEFORE, changed, changed),
        make_write_call(body),
        *make_read_calls(make_custom_zone(NS, WWW, more, SHOP)),
    )

    result = run_task(OPERATION, session, ADD_SHOP)

    assert result["changed"] is True
    assert result["records_before"] == [NS, WWW, more]


def test_a_zone_that_never_holds_still_is_not_written(dialogue: Dialogue) -> None:
    zones = [make_custom_zone(NS, {**WWW, "value": f"192.0.2.{number}"}) for number in range(6)]
    result = run_task(OPERATION, dialogue(*make_read_calls(*zones)), ADD_SHOP)

    assert result["failed"]
    assert result["changed"] is False
    assert "between reading and writing. Nothing was written." in result["msg"]


def test_a_zone_that_another_task_makes_as_desired_during_the_last_attempt_is_no_failure(
    dialogue: Dialogue,
) -> None:
    zones = [make_custom_zone(NS, {**WWW, "value": f"192.0.2.{number}"}) for number in range(5)]
    result = run_task(OPERATION, dialogue(*make_read_calls(*zones, AFTER)), ADD_SHOP)

    assert not result.get("failed")
    assert result["changed"] is False
    assert result["dns"] == {"domain": "acme.example", **AFTER}


# Losses


def test_a_foreign_record_that_is_missing_after_the_write_fails_the_task(
    dialogue: Dialogue,
) -> None:
    session = dialogue(
        *make_read_calls(BEFORE, BEFORE),
        make_write_call(ADDED),
        *make_read_calls(make_custom_zone(NS, SHOP)),
    )
    result = run_task(OPERATION, session, ADD_SHOP)

    assert result["failed"]
    assert result["changed"] is True
    assert result["error"] == {
        "type": "ZoneDamaged",
        "lost": ["www A 3600 192.0.2.10"],
        "lost_records": [WWW],
        "unmet": [],
    }
    assert "Missing of what others wrote: www A 3600 192.0.2.10." in result["msg"]
    assert result["msg"].endswith(
        "to restore the records of others, add error.lost_records with append: true."
    )
    assert result["records_before"] == [NS, WWW]
    assert result["dns"]["records"]["other"] == [NS, SHOP]


def test_a_wanted_record_that_is_missing_after_the_write_fails_the_task(dialogue: Dialogue) -> None:
    session = dialogue(
        *make_read_calls(BEFORE, BEFORE), make_write_call(ADDED), *make_read_calls(BEFORE)
    )
    result = run_task(OPERATION, session, ADD_SHOP)

    assert result["error"]["unmet"] == ["shop A 60 192.0.2.20"]
    assert result["msg"] == (
        "zone acme.example: it was written, and it is not as this task requires. Missing of this "
        "task: shop A 60 192.0.2.20. Run the task again; if it fails again, the panel does not "
        "take this."
    )


NOTE = {"host": "note", "ttl": 60, "type": "TXT", "value": "Hello"}
HIGH_TTL = {**SHOP, "ttl": 300}
LOWER_CASE = {**NOTE, "value": "hello"}


@pytest.mark.parametrize(
    ("requested", "kept", "unmet", "message"),
    [
        pytest.param(
            [SHOP],
            [HIGH_TTL],
            ["shop A 60 192.0.2.20"],
            "the TTL of shop A is 300 in place of 60",
            id="TTL",
        ),
        pytest.param(
            [NOTE],
            [LOWER_CASE],
            ["note TXT 60 Hello"],
            "note TXT is hello in place of Hello",
            id="value",
        ),
        pytest.param(
            [SHOP, NOTE],
            [HIGH_TTL],
            ["note TXT 60 Hello", "shop A 60 192.0.2.20"],
            "the TTL of shop A is 300 in place of 60. Missing of this task: note TXT 60 Hello",
            id="TTL and a record that is missing",
        ),
    ],
)
def test_a_value_that_the_panel_keeps_in_place_of_the_one_that_was_sent_is_named(
    dialogue: Dialogue, requested: Any, kept: Any, unmet: list[str], message: str
) -> None:
    """Write records, and read others than were sent."""
    write = make_write_call({"records": {"soa": SOA, "other": [NS, WWW, *requested]}})
    session = dialogue(
        *make_read_calls(BEFORE, BEFORE), write, *make_read_calls(make_custom_zone(NS, WWW, *kept))
    )

    result = run_task(OPERATION, session, {"domain": "acme.example", "records": requested})

    assert result["msg"] == (
        f"zone acme.example: it was written, and the panel keeps another value: {message}. "
        "Run the task again; if it fails again, give it what the panel keeps."
    )
    assert result["error"] == {
        "type": "ZoneDamaged",
        "lost": [],
        "lost_records": [],
        "unmet": unmet,
    }


def test_a_field_of_the_soa_record_that_the_panel_keeps_is_named(dialogue: Dialogue) -> None:
    """Write a number that the panel does not take."""
    write = make_write_call({"records": {"soa": {**SOA, "refresh": 60}, "other": [NS, WWW]}})
    session = dialogue(*make_read_calls(BEFORE, BEFORE), write, *make_read_calls(BEFORE))

    result = run_task(OPERATION, session, {"domain": "acme.example", "soa": {"refresh": 60}})
    message = f"another value: SOA refresh is {SOA['refresh']} in place of 60. Run"

    assert message in result["msg"]
    assert result["error"]["unmet"] == ["SOA refresh 60"]


def test_another_spelling_of_the_soa_record_after_the_write_is_no_loss(dialogue: Dialogue) -> None:
    """Change a record, and read the names of the SOA record in small letters, without the dot."""
    name = "Admin.Acme.example."
    before, after = make_custom_zone(NS, WWW), make_custom_zone(NS, WWW, SHOP)
    before["records"]["soa"] = {**SOA, "rname": name}
    after["records"]["soa"] = {**SOA, "rname": "admin.acme.example"}
    write = make_write_call({"records": {"soa": {**SOA, "rname": name}, "other": [NS, WWW, SHOP]}})
    session = dialogue(*make_read_calls(before, before), write, *make_read_calls(after))

    result = run_task(OPERATION, session, ADD_SHOP)

    assert result["changed"] is True
    assert "error" not in result


def test_another_value_of_the_soa_record_after_the_write_is_a_loss(dialogue: Dialogue) -> None:
    after = make_custom_zone(NS, WWW, SHOP)
    after["records"]["soa"] = {**SOA, "rname": "other.example."}
    session = dialogue(
        *make_read_calls(BEFORE, BEFORE), make_write_call(ADDED), *make_read_calls(after)
    )

    result = run_task(OPERATION, session, ADD_SHOP)

    assert result["error"]["lost"] == [f"SOA rname {SOA['rname']}"]


def test_a_field_that_the_panel_shows_beside_the_value_stays_in_a_changed_record(
    dialogue: Dialogue,
) -> None:
    mail_record = {
        "host": "@",
        "ttl": 3600,
        "type": "MX",
        "value": "mail.acme.example.",
        "priority": 10,
    }
    changed_record = {**mail_record, "ttl": 60}
    session = dialogue(
        *make_read_calls(make_custom_zone(NS, mail_record), make_custom_zone(NS, mail_record)),
        make_write_call({"records": {"soa": SOA, "other": [NS, changed_record]}}),
        *make_read_calls(make_custom_zone(NS, changed_record)),
    )
    record = {"host": "@", "type": "MX", "value": "mail.acme.example.", "ttl": 60}

    result = run_task(OPERATION, session, {"domain": "acme.example", "records": [record]})

    assert result["changed"] is True
    assert "error" not in result


def test_a_lost_record_is_told_beside_a_value_that_the_panel_keeps(dialogue: Dialogue) -> None:
    """Lose a record of others, and read another TTL than was sent."""
    session = dialogue(
        *make_read_calls(BEFORE, BEFORE),
        make_write_call(ADDED),
        *make_read_calls(make_custom_zone(NS, HIGH_TTL)),
    )
    result = run_task(OPERATION, session, ADD_SHOP)
    cause = "someone else changed it at the same moment. Missing of what others wrote: www A"

    assert cause in result["msg"]
    assert "; of this task: shop A 60 192.0.2.20." in result["msg"]


def test_a_switch_that_is_another_one_after_the_write_is_named(dialogue: Dialogue) -> None:
    disabled = {**AFTER, "is_dns_disabled": True}
    session = dialogue(
        *make_read_calls(BEFORE, BEFORE), make_write_call(ADDED), *make_read_calls(disabled)
    )

    assert run_task(OPERATION, session, ADD_SHOP)["error"]["unmet"] == ["is_dns_disabled: false"]

    session = dialogue(
        *make_read_calls(BEFORE, BEFORE),
        call("DELETE", PATH, make_answer(204)),
        *make_read_calls(AFTER),
    )
    result = run_task(OPERATION, session, {"domain": "acme.example", "state": "default"})

    assert result["error"]["unmet"] == ["is_custom_dns: false"]


@pytest.mark.parametrize(
    ("write", "reply", "error"),
    [
        (make_write_call(ADDED), make_answer(200, ["odd"]), "UnexpectedAnswer"),
        (
            make_write_call(ADDED),
            make_answer(429, {"code": "429", "message": "Slow down."}),
            "ServerFailed",
        ),
        (call("PUT", PATH, make_page(503), ADDED), make_answer(404, NOT_FOUND), "Conflict"),
    ],
)
def test_a_zone_that_cannot_be_read_after_the_write_fails_the_task_with_the_records_from_before(
    dialogue: Dialogue, write: Call, reply: Any, error: str
) -> None:
    session = dialogue(
        *make_read_calls(BEFORE, BEFORE), write, call("GET", PATH, reply), retry_time=0
    )
    result = run_task(OPERATION, session, ADD_SHOP)

    assert result["failed"]
    assert result["changed"] is (error != "Conflict")
    assert result["error"]["type"] == error
    assert f" It {'was' if result['changed'] else 'may have been'} written. " in result["msg"]
    assert "Nothing was written" not in result["msg"]
    assert result["records_before"] == [NS, WWW]


def test_a_refused_write_reports_the_panels_words_and_no_change(dialogue: Dialogue) -> None:
    refusal = make_answer(
        400, {"code": "400 Bad Request", "message": "records.other[2].value is wrong."}
    )
    session = dialogue(*make_read_calls(BEFORE, BEFORE), call("PUT", PATH, refusal, ADDED))

    result = run_task(OPERATION, session, ADD_SHOP)

    assert result["changed"] is False
    assert "records.other[2].value is wrong." in result["msg"]
    assert result["error"]["status"] == 400
    assert "records_before" not in result


def test_a_repeat_does_not_overwrite_what_somebody_else_wrote_meanwhile(dialogue: Dialogue) -> None:
    more = {**WWW, "host": "more"}
    moved = make_custom_zone(NS, WWW, more)
    session = dialogue(
        *make_read_calls(BEFORE, BEFORE),
        call("PUT", PATH, make_page(503), ADDED),
        # Until the lost write cannot take effect any more.
        *make_read_calls(*[moved] * 10),
        make_write_call({"records": {"soa": SOA, "other": [NS, WWW, more, SHOP]}}),
        *make_read_calls(make_custom_zone(NS, WWW, more, SHOP)),
    )

    result = run_task(OPERATION, session, ADD_SHOP)

    assert result["changed"] is True
    assert result["dns"]["records"]["other"] == [NS, WWW, more, SHOP]


# Domains without a zone

SUBDOMAIN = {"id": 32, "domain": "www.acme.example", "is_subdomain": True, "id_parent_domain": 31}


def make_missing_zone_calls(domain: str, domain_object: Any = None) -> list[Call]:
    """Return the requests of a task whose zone the panel does not have."""
    reply = (
        make_answer(404, NOT_FOUND) if domain_object is None else make_answer(200, domain_object)
    )
    return [
        call("GET", f"/dns/name/{domain}", make_answer(404, NOT_FOUND)),
        call("GET", f"/domains/name/{domain}", reply),
    ]


@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize(
    "options",
    [
        {"records": [SHOP]},
        {"state": "default"},
        {"is_dns_disabled": True},
        {"state": "absent", "records": [SHOP]},
    ],
)
def test_a_subdomain_is_an_error_that_says_where_its_records_are(
    dialogue: Dialogue, options: dict[str, Any], check_mode: bool
) -> None:
    session = dialogue(*make_missing_zone_calls("www.acme.example", SUBDOMAIN))
    result = run_task(OPERATION, session, {"domain": "www.acme.example", **options}, check_mode)

    assert result["failed"]
    assert result["msg"] == (
        "domain: www.acme.example is not a main domain of this panel: a subdomain has no zone. Manage the records "
        "in the zone of the main domain that it belongs to. Nothing was written."
    )


@pytest.mark.parametrize("check_mode", [True, False])
@pytest.mark.parametrize("key", [{"domain": "acme.example"}, {"id": 31}], ids=str)
def test_records_of_a_domain_that_is_gone_are_absent(
    dialogue: Dialogue, key: dict[str, Any], check_mode: bool
) -> None:
    paths = ["/domains/31"] if "id" in key else [PATH, "/domains/name/acme.example"]
    session = dialogue(*(call("GET", path, make_answer(404, NOT_FOUND)) for path in paths))

    result = run_task(OPERATION, session, {**key, "state": "absent", "records": [SHOP]}, check_mode)

    assert result["changed"] is False
    assert result["dns"] is None
    assert result["records_before"] == []
    assert "warnings" not in result


def test_records_of_a_domain_that_goes_before_the_write_are_absent(dialogue: Dialogue) -> None:
    missing_domain = (
        call("GET", path, make_answer(404, NOT_FOUND))
        for path in (PATH, "/domains/name/acme.example")
    )
    result = run_task(
        OPERATION,
        dialogue(*make_read_calls(AFTER), *missing_domain),
        {**ADD_SHOP, "state": "absent"},
    )

    assert result["changed"] is False
    assert result["dns"] is None


def test_in_check_mode_an_unknown_domain_is_predicted_from_the_wanted_records(
    dialogue: Dialogue,
) -> None:
    result = run_task(
        OPERATION, dialogue(*make_missing_zone_calls("acme.example")), ADD_SHOP, check_mode=True
    )
    assert result["changed"] is True
    assert result["dns"]["records"]["other"] == [SHOP]
    assert result["dns"].keys() == {"domain", *BEFORE}
    assert result["records_before"] == []
    assert "an earlier task creates it" in result["warnings"][0]


# Answers that are no zones


@pytest.mark.parametrize(
    "data",
    [
        pytest.param({"records": None}, id="no records"),
        pytest.param(
            {"records": {"soa": {}, "other": [{"host": "www", "type": "A"}]}},
            id="record without a value",
        ),
        pytest.param(
            {"records": {"soa": {}, "other": [{**WWW, "value": None}]}}, id="record with null"
        ),
    ],
)
def test_an_answer_that_is_no_zone_is_an_error(dialogue: Dialogue, data: dict[str, Any]) -> None:
    result = run_task(OPERATION, dialogue(call("GET", PATH, make_answer(200, data))), ADD_SHOP)
    assert result["error"]["type"] == "UnexpectedAnswer"
    assert result["msg"].startswith(f"zone acme.example: GET {PATH} did not answer with a zone")


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([], "records as []; it must be a dictionary"),
        ("", 'records as ""; it must be a dictionary'),
        ({"soa": {}, "other": ["www"]}, 'records.other[0] as "www"; it must be a dictionary'),
        (
            {"soa": {}, "other": [{**WWW, "ttl": "soon"}]},
            'records.other[0].ttl as "soon"; it must be a whole number',
        ),
        (
            {"soa": {}, "other": [{**WWW, "value": ["x"]}]},
            'records.other[0].value as ["x"]; it must be a text',
        ),
        ({"soa": {"ttl": []}, "other": []}, "records.soa.ttl as []; it must be a whole number"),
    ],
)
def test_records_of_another_form_are_never_taken_for_a_zone_without_them(
    dialogue: Dialogue, records: Any, message: str
) -> None:
    result = run_task(
        OPERATION, dialogue(call("GET", PATH, make_answer(200, {"records": records}))), ADD_SHOP
    )
    assert result["msg"].startswith(
        f"zone acme.example: GET {PATH} shows {message}. Nothing was written."
    )


def look_up_domain(**ownership: int) -> Call:
    """Return the request for the domain of the zone, with what its answer says of the owner."""
    domain = {"id": 31, "domain": "acme.example", **ownership}
    return call("GET", "/domains/name/acme.example", make_answer(200, domain))


@pytest.mark.parametrize("check_mode", [False, True])
def test_a_zone_of_another_client_is_not_written(dialogue: Dialogue, check_mode: bool) -> None:
    owner = call("GET", "/clients/12", make_answer(200, {"id": 12, "username": "beta"}))
    client = call("GET", "/clients/name/acme", make_answer(200, {"id": 11}))
    panel = dialogue(*make_read_calls(BEFORE), look_up_domain(id_user=12), owner, client, owner)

    result = run_task(OPERATION, panel, {**ADD_SHOP, "client": "acme"}, check_mode=check_mode)

    assert result["error"]["type"] == "Conflict", result["msg"]
    assert (
        "acme.example belongs to the client beta, the task says the client acme." in result["msg"]
    )


@pytest.mark.parametrize("check_mode", [False, True])
@pytest.mark.parametrize("is_owner_shown", [False, True])
def test_a_zone_of_a_client_that_the_panel_does_not_have_is_not_written(
    dialogue: Dialogue, is_owner_shown: bool, check_mode: bool
) -> None:
    lookups = [look_up_domain()]

    if is_owner_shown:
        owner = call("GET", "/clients/12", make_answer(200, {"id": 12, "username": "beta"}))
        lookups = [look_up_domain(id_user=12), owner]

    client = call("GET", "/clients/name/acme", make_answer(404, NOT_FOUND))
    panel = dialogue(*make_read_calls(BEFORE), *lookups, client)

    result = run_task(OPERATION, panel, {**ADD_SHOP, "client": "acme"}, check_mode=check_mode)

    assert result["error"]["type"] == "UnknownReference", result["msg"]
    assert "client: there is no client acme on this panel." in result["msg"]


# Reading zones: one, none, or those of all main domains

ZONE = {
    "is_custom_dns": False,
    "is_dns_disabled": False,
    "dkim_record": "",
    "later": "kept",
    "records": {
        "soa": {"ttl": 60},
        "other": [{"host": "www", "ttl": 60, "type": "A", "value": "192.0.2.10"}],
    },
}
ACME = {
    "id": 31,
    "domain": "acme.example",
    "id_parent_domain": 0,
    "is_subdomain": False,
    "is_system_domain": False,
}
BETA = {
    "id": 40,
    "domain": "beta.example",
    "id_parent_domain": 0,
    "is_subdomain": 0,
    "is_system_domain": 0,
}
OTHERS = [
    {**ACME, "id": 32, "domain": "www.acme.example", "id_parent_domain": 31, "is_subdomain": True},
    {**ACME, "id": 33, "domain": "acme.server.panel.example", "is_system_domain": True},
    {"id": 34, "domain": "shop.acme.example", "id_parent_domain": 31},
]


def make_entry(domain: dict[str, Any]) -> dict[str, Any]:
    """Return the zone of a domain as the list of zones has it."""
    return {"domain": domain["domain"], "id": domain["id"], **ZONE}


@pytest.mark.parametrize(
    ("options", "key"),
    [({"domain": "ACME.example"}, "name/acme.example"), ({"id": 31}, "31")],
    ids=str,
)
def test_a_zone_has_the_name_and_the_id_of_its_domain(
    dialogue: Dialogue, options: dict[str, Any], key: str
) -> None:
    session = dialogue(
        call("GET", f"/domains/{key}", make_answer(200, ACME)),
        call("GET", "/dns/31", make_answer(200, ZONE)),
    )
    result = run_task(READING, session, options)

    assert result["dns"] == [make_entry(ACME)]
    assert result["changed"] is False


@pytest.mark.parametrize(
    ("options", "key"),
    [({"domain": "acme.example"}, "name/acme.example"), ({"id": 31}, "31")],
    ids=str,
)
def test_a_subdomain_gives_an_empty_list(
    dialogue: Dialogue, options: dict[str, Any], key: str
) -> None:
    session = dialogue(
        call("GET", f"/domains/{key}", make_answer(200, OTHERS[0])),
        call("GET", "/dns/32", make_answer(404, NOT_FOUND)),
    )
    assert run_task(READING, session, options)["dns"] == []


@pytest.mark.parametrize(
    ("options", "key"),
    [({"domain": "acme.example"}, "name/acme.example"), ({"id": 31}, "31")],
    ids=str,
)
def test_a_domain_that_the_panel_does_not_have_gives_an_empty_list(
    dialogue: Dialogue, options: dict[str, Any], key: str
) -> None:
    session = dialogue(call("GET", f"/domains/{key}", make_answer(404, NOT_FOUND)))
    assert run_task(READING, session, options)["dns"] == []


def test_without_a_key_the_zones_of_all_main_domains_are_read(dialogue: Dialogue) -> None:
    session = dialogue(
        call("GET", "/domains", make_answer(200, [ACME, *OTHERS, BETA])),
        call("GET", "/dns/31", make_answer(200, ZONE)),
        call("GET", "/dns/40", make_answer(200, ZONE)),
    )
    assert run_task(READING, session, {})["dns"] == [make_entry(ACME), make_entry(BETA)]


# Protected sets


PURGE = {
    "domain": "acme.example",
    "records": [SHOP],
    "purge": True,
    "max_delete_percent": 100,
    "protect": ["x TXT"],
}


@pytest.mark.parametrize(
    ("module", "options", "sample_panel"),
    [
        ("panel_dns", PURGE, ""),
        ("panel_resources", {"resources": {"dns": [PURGE]}}, "dns[0] (acme.example): "),
    ],
)
def test_a_protected_name_that_the_zone_does_not_have_is_a_warning(
    in_memory: Any, module: str, options: dict[str, Any], sample_panel: str
) -> None:
    panel = in_memory(
        {
            "clients": [{"username": "acme"}],
            "domains": [{"domain": "acme.example", "client": "acme"}],
        }
    )
    result = panel.run(module, **options)
    problem = "protect: x TXT: not in the zone acme.example, so nothing is protected by it."

    assert result["changed"]
    assert result["warnings"] == [f"{sample_panel}{problem} Correct the entry, or take it out."]
