"""Of two rows with one name the first one that can arrive does, and no reason says otherwise."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.panel.plugins.plugin_utils._import.mapping.mapper import map_source
from ansible_collections.hosting.panel.plugins.plugin_utils._import.operator_mapping import (
    read_mapping,
)
from ansible_collections.hosting.panel.plugins.plugin_utils._import_source.source_shape import (
    CronJob,
    Customer,
    Database,
    Domain,
    FtpUser,
    Limits,
    Origin,
    PathPrefix,
    ProtectionUser,
    Record,
    Source,
    Zone,
)

_CUSTOMER = Customer(
    Origin("client", "1"), "anna", "", Limits(), paths=(PathPrefix("/srv/anna", "/www"),)
)
_DOMAIN = Domain(Origin("site", "1"), "anna", "anna.example")
_SOA = Record(Origin("rr", "1"), "@", "SOA", "ns.anna.example. a.anna.example. 1 2 3 4 5", 300)
_TXT = Record(Origin("rr", "2"), "@", "TXT", "hello", 300)
_WRONG_HOSTS = tuple(f"wrong host {number}" for number in range(30))
_BAD = Origin("bad", "1")
_GOOD = Origin("good", "2")
_SAME = Origin("same", "3")


@pytest.mark.parametrize(
    ("kind", "rows"),
    [
        (
            "dns",
            {
                "zones": (
                    Zone(_BAD, "anna", "anna.example", (_SOA,), is_whole=True),
                    Zone(_GOOD, "anna", "anna.example", (_TXT,), is_whole=True),
                    Zone(_SAME, "anna", "Anna.example", (_TXT,), is_whole=True),
                )
            },
        ),
        (
            "databases",
            {
                "databases": (
                    Database(_BAD, "anna", "shop", remote_hosts=_WRONG_HOSTS),
                    Database(_GOOD, "anna", "shop"),
                    Database(_SAME, "anna", "shop"),
                )
            },
        ),
        (
            "ftp_users",
            {
                "ftp_users": (
                    FtpUser(_BAD, "anna", "anna_1", "/elsewhere"),
                    FtpUser(_GOOD, "anna", "anna_1", "/srv/anna"),
                    FtpUser(_SAME, "anna", "anna_1", "/srv/anna"),
                )
            },
        ),
        (
            "directory_protections",
            {
                "protection_users": (
                    ProtectionUser(_BAD, "anna", "/elsewhere", "eva"),
                    ProtectionUser(_GOOD, "anna", "/srv/anna/x", "eva"),
                    ProtectionUser(_SAME, "anna", "/srv/anna/x/", "eva"),
                )
            },
        ),
    ],
)
def test_a_row_after_one_that_is_left_out_arrives(kind: str, rows: dict[str, Any]) -> None:
    source = Source(customers=(_CUSTOMER,), domains=(_DOMAIN,), **rows)

    mapped = map_source(source, read_mapping(None))

    assert [str(_GOOD)] == [
        entry["source"]
        for entry in mapped.carried
        if entry["kind"] == kind and not entry["source"].startswith("rr")
    ]
    reasons = {entry["source"]: entry["why"] for entry in mapped.left_out if not entry.get("field")}
    assert "first one is carried" in reasons[str(_SAME)]
    assert "first one is carried" not in reasons[str(_BAD)]
    assert len(mapped.resources["anna"][kind]) == 1


def test_a_task_that_is_left_out_takes_no_name() -> None:
    jobs = (
        CronJob(_BAD, "anna", "@reboot", "/bin/true"),
        CronJob(_GOOD, "anna", "@daily", "/bin/true"),
    )

    mapped = map_source(Source(customers=(_CUSTOMER,), cron_jobs=jobs), read_mapping(None))

    (task,) = mapped.resources["anna"]["scheduled_tasks"]
    assert task["description"] == "true"
