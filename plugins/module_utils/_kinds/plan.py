# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hosting plans: templates of limits, permissions and PHP settings (interface "Hosting plans"; facts.md section 5). Private to the collection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .._schema.kind import Field, Group, Kind
from .._values.names import EmailAddress, Name
from .._values.sizes import ByteSize
from .._values.value_types import Boolean, Choice, Integer, OptionalInteger, Text

# fmt: off
_COUNTED = (
    "domains", "subdomains", "email_accounts", "email_addresses", "email_forwardings", "databases", "ftp_users", "scheduled_tasks",
)
_PERMISSIONS = (
    "ftp", "php", "perl", "ssh", "backup", "panel_access", "domain_security", "certificate_management", "file_manager", "dns_editor",
    "database_remote_access", "email_catchall", "update_contact_data", "delete_main_domain", "applications", "ssh_jail",
)
# fmt: on
_SPARE = ("min_spare_servers", "max_spare_servers")


def _wrong(plan: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    pool = plan.get("php_fpm")
    if not isinstance(pool, Mapping) or pool.get("pm") != "dynamic":
        return
    least, most = (pool.get(name) for name in _SPARE)
    for name in _SPARE:
        if pool.get(name) is None:
            yield f"php_fpm.{name}", "needed with php_fpm.pm: dynamic."
    if isinstance(least, int) and isinstance(most, int) and least > most:
        yield "php_fpm.max_spare_servers", f"{most} is less than min_spare_servers, which is {least}."


PLAN = Kind(
    singular="plan",
    plural="plans",
    title="hosting plan",
    path="/hosting-plans",
    key=(Field("name", Name()),),
    rows=(
        Group(
            "resources",
            members=(
                Field("disk_space", ByteSize(least=1)),
                Field("traffic", ByteSize(least=0)),
                *(Field(name, Integer(unlimited=True)) for name in _COUNTED),
            ),
        ),
        Group("permissions", members=tuple(Field(name, Boolean()) for name in _PERMISSIONS)),
        Group(
            "php",
            members=(
                Field("memory_limit", Text(clearable=False)),
                Field("max_execution_time", Integer(most=2147483647)),
                Field("post_max_size", Text(clearable=False)),
                Field("upload_max_filesize", Text(clearable=False)),
                Field("open_basedir", Text(clearable=False)),
                Field("disable_functions", Text()),
                Field("env_variables", Text()),
                Field("extra_directives_immutable", Text()),
                Field("extra_directives_mutable", Text()),
                Field("sendmail_from", EmailAddress(clearable=True)),
            ),
        ),
        Group(
            "php_fpm",
            members=(
                Field("pm", Choice("static", "ondemand", "dynamic")),
                Field("max_children", Integer(least=1)),
                Field("max_requests", Integer()),
                Field("min_spare_servers", OptionalInteger(least=1), only_with=("pm", "dynamic")),
                Field("max_spare_servers", OptionalInteger(least=1), only_with=("pm", "dynamic")),
                Field("status", Boolean()),
                Field("status_ip_restriction", Text(empty_is_null=True)),
            ),
        ),
    ),
    renames=True,
    sorts=("id", "name"),
    wrong=_wrong,
)
