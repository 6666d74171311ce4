# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A module that does nothing: what any module that speaks to a panel with requests takes before it has done anything."""

from __future__ import annotations

import requests
from ansible.module_utils.basic import AnsibleModule

if __name__ == "__main__":
    AnsibleModule({}).exit_json(version=requests.__version__)  # type: ignore[no-untyped-call]
