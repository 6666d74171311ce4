# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Orders certificates from an authority where they are due, and has the panel use them. Keys are made and kept on the controller."""

from __future__ import annotations

from ..module_utils._http.connection_settings import connection_argument_spec
from ..plugin_utils._certificates.authority import KEY_TYPES
from ..plugin_utils._certificates.bring import bring_certificates
from ..plugin_utils._certificates.state_file import StateError
from ..plugin_utils._jobs.job import JobAction


class ActionModule(JobAction):
    """The action behind hosting.panel.panel_acme."""

    role = "certificate"
    specification = {
        "items": {"type": "raw", "required": True},
        "acme_directory": {"type": "str", "required": True},
        "acme_ca_path": {"type": "path"},
        "account_email": {"type": "str"},
        "terms_agreed": {"type": "bool", "default": False},
        "state_dir": {"type": "path", "required": True},
        "key_type": {"type": "str", "choices": list(KEY_TYPES), "default": "ec256"},
        "renew_days": {"type": "int", "default": 30},
        "dns_timeout": {"type": "int", "default": 300},
        "order_timeout": {"type": "int", "default": 300},
        "nameservers": {"type": "list", "elements": "raw", "default": []},
        "metrics_file": {"type": "path"},
        **connection_argument_spec(),
    }
    failures = {StateError: "state_dir: {} Run again after that: what was ordered goes on."}
    steps = staticmethod(bring_certificates)
