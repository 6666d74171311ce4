# Copyright: (c) 2026, the hosting.panel contributors
# GNU General Public License v3.0+
# (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: panel_login_url
short_description: Login URLs for clients of a hosting panel
version_added: 1.0.0
description:
  - Returns one login URL for each client. A URL is valid for 60 minutes and logs in anyone who has
    it, so treat it like a password.
  - Ansible evaluates a lookup each time that it evaluates the template, and the panel makes new
    URLs each time. Keep the result in a variable.
  - Set C(no_log=true) for tasks that use it.
author:
  - the hosting.panel contributors (!UNKNOWN)
extends_documentation_fragment:
  - hosting.panel.connection.plugin
options:
  _terms:
    description:
      - Names or ids of clients. A number is an id, and a string is a name. A string of digits is an
        id only if no client has that name.
      - A string that names one client and is the id of another one is an error.
    type: list
    elements: str
    required: true
  page:
    description: Page of the panel to open after the login, for example V(domains). This parameter
      of the API is inferred.
    type: str
seealso:
  - module: hosting.panel.panel_login_info
"""

EXAMPLES = r"""
- name: Keep a login URL for later tasks
  ansible.builtin.set_fact:
    acme_login: "{{ lookup('hosting.panel.panel_login_url', 'acme', page='domains') }}"
  no_log: true
"""

RETURN = r"""
_raw:
  description: One login URL for each term, in the order of the terms.
  type: list
  elements: str
  sample: ["https://panel.example/login?token=an-example-of-a-token"]
"""

import datetime
from typing import Any

from ansible.errors import AnsibleError
from ansible.plugins.lookup import LookupBase

from ..module_utils._endpoints import fetch_login_url
from ..module_utils._errors import OptionError, PanelError, raise_if_any
from ..module_utils._http.connection_settings import (
    ENVIRONMENT,
    build_connection_argument_spec,
    find_key_of_another_panel,
    read_connection,
)
from ..module_utils._http.panel_session import PanelSession
from ..module_utils._kinds.tables import CLIENT
from ..module_utils._operation.validation import find_misread_values
from ..module_utils._secrets.redaction import Secrets, escape_control_characters
from ..module_utils._sources.live_source import LiveSource
from ..module_utils._values.value_types import read_id
from ..plugin_utils._ansible.untrusted import mark_untrusted
from ..plugin_utils._run.panel_connections import (
    choose_named_panel,
    delete_empty_variables,
    without_empty_connection,
)


class LookupModule(LookupBase):
    """Asks a panel for login URLs."""

    def run(self, terms: list[Any], variables: Any = None, **kwargs: Any) -> list[str]:
        """Return a login URL for each term; raises AnsibleError."""
        named_panel = choose_named_panel(variables or {}, kwargs)
        delete_empty_variables()
        variables = without_empty_connection(variables)
        kwargs = dict(without_empty_connection(kwargs))
        self.set_options(var_options=variables, direct=kwargs)
        options = {name: self.get_option(name) for name in ENVIRONMENT}

        try:
            # As they were given, since get_option has made texts of them.
            misread_values = find_misread_values(kwargs, build_connection_argument_spec())
            raise_if_any([*find_key_of_another_panel(named_panel), *misread_values])
            connection = read_connection(options)
            session = PanelSession(connection)
            page = self.get_option("page")
            urls = []
            for term in terms:
                url = fetch_login_url(session, _find_user(session, term), page)
                urls.append(mark_untrusted(url))
            return urls
        except PanelError as error:
            secrets = [options["api_key"]] if options["api_key"] else []
            message = escape_control_characters(Secrets(secrets).mask(str(error)))
            raise AnsibleError(f"hosting.panel.panel_login_url: {message}") from None


def _find_user(session: PanelSession, term: Any) -> str | int:
    """Return the username or the id that a term means.

    Raises:
        OptionError: It means two clients.
    """
    if isinstance(term, int) and not isinstance(term, bool):
        return term
    if isinstance(term, (bool, float, datetime.date, list, dict)):
        message = "hosting.panel.panel_login_url: a term must be a username in quotes, or an id."
        raise AnsibleError(message)
    text = "" if term is None else str(term)
    if not text.strip():
        message = "hosting.panel.panel_login_url: a term is empty; name a client or its id."
        raise AnsibleError(message)
    identifier = read_id(text)
    if identifier is None or str(identifier) != text:
        # With zeros at its beginning it is a name.
        return text

    clients = LiveSource(lambda: session)
    named = clients.find(CLIENT.path, text)
    if named is None:
        return identifier
    with_id = clients.find(CLIENT.path, None, identifier)
    if with_id is not None and with_id["id"] != named["id"]:
        problem = (
            f"it is the name of the client with id {named['id']}, and the id of another client. "
            "Use hosting.panel.panel_login_info with username or id, which tell the two apart."
        )
        raise OptionError(problem, option=text)
    return text
