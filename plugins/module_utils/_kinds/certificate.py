# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Certificates that are uploaded (interface "Certificates"; facts.md section 8). Private to the collection."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._schema.kind import Change, Field, Group, Kind
from .._values.names import Name
from .._values.pem import Pem
from .owner import owner


def _about_keys(certificate: Mapping[str, Any]) -> str:
    # The panel names the key in its complaint, and what follows the name of a secret is not shown.
    components = certificate.get("components")
    if not components:
        return ""
    if not components.get("private_key"):
        return "Give components.private_key too: some panels need it with each change of the certificate."
    return "See whether components.private_key is that of the certificate."


CERTIFICATE = Kind(
    singular="certificate",
    plural="certificates",
    title="certificate",
    path="/certificates",
    key=(Field("name", Name()),),
    rows=(
        owner(empty_is_zero=True, change=Change.FREE),
        Group(
            "components",
            members=(
                Field("certificate", Pem("CERTIFICATE"), required=True),
                Field("ca_certificate", Pem("CERTIFICATE", clearable=True)),
                # After the certificate, since it counts as unchanged while that is.
                Field("private_key", Pem("PRIVATE KEY"), required=True, secret=True, unchanged_with="certificate"),
            ),
            required=True,
            shown=("csr",),
        ),
    ),
    renames=True,
    sorts=("id", "name"),
    is_of_site=True,
    advice=_about_keys,
    shown=("secured_domains", "valid_till", "issuer"),
)
