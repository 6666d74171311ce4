# SPDX-License-Identifier: GPL-3.0-or-later
"""Refuses views that would carry out a customer's function as the administrator who reads them.

Where the server opens a view, it may carry out functions of the view, also to show it only. With
SQL SECURITY INVOKER they have the rights of the one who reads: here those of the administrator
(docs/host_tools.md#opened-views).
"""

from __future__ import annotations

from collections.abc import Iterator

from ..content_errors import ContentError
from ..shown_text import show_name
from .queries.sql import quote_name
from .queries.views_query import Function, View, make_views_command
from .rows import read_marks, run_query
from .sides import DatabaseSide

_PACKAGE = "PACKAGE BODY"


def refuse_functions_of_readers(database: DatabaseSide) -> None:
    """Refuse a database with a view that uses a function with the rights of its reader.

    The view may do so by other views, also by those of other databases.

    Raises:
        ContentError: There is such a view, or the server cannot be read.
    """
    functions: list[Function] = []
    views: list[View] = []
    rows = run_query(database.server, make_views_command(database.login))
    for mark, *values in read_marks(rows):
        texts = [str(value or "") for value in values]
        if mark == "function":
            functions.append(Function(*texts))
        else:
            views.append(View(*texts))

    for view in find_reached(views, database.name):
        for function in functions:
            if uses_function(view, function):
                raise ContentError(
                    f"the view {show_name(view.name)} of {show_name(view.database)} uses the"
                    f" function {show_name(function.name)} with the rights of its reader,"
                    " here of the administrator.",
                    database.server.name_option,
                    advice="Make the function SQL SECURITY DEFINER.",
                )


def find_reached(views: list[View], database: str) -> Iterator[View]:
    """Yield the views of a database, and all that these use, one by another."""
    reached = [view for view in views if view.database == database]
    remaining = [view for view in views if view.database != database]
    while reached:
        yield from reached
        texts = "\n".join(view.text for view in reached).lower()
        reached = [view for view in remaining if _name_in_text(view.database, view.name) in texts]
        remaining = [view for view in remaining if view not in reached]


def uses_function(view: View, function: Function) -> bool:
    """Tell whether a view may use a function; a text that only looks like it counts too."""
    text = view.text.lower()
    end = ".`" if function.kind == _PACKAGE else "("
    if f"{_name_in_text(function.database, function.name)}{end}" in text:
        return True

    name = f"{quote_name(function.name)}{end}".lower()

    return view.database == function.database and name in text


def _name_in_text(database: str, name: str) -> str:
    return f"{quote_name(database)}.{quote_name(name)}".lower()
