# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes texts of tools and names of files harmless before somebody sees them."""

from __future__ import annotations

from dataclasses import dataclass, field

LONGEST_SHOWN = 500
"""Characters of what a tool printed that a message shows."""


MOST_NAMES = 1000
"""Names that a list of a result has; of the others it says how many there are."""


@dataclass
class ShownNames:
    """Keeps names for a list of a result, as they are shown.

    names: The first ones.
    number: How many there are in all.
    """

    names: list[str] = field(default_factory=list)
    number: int = 0

    def add(self, name: bytes | str) -> None:
        """Add a name."""
        self.number += 1
        if len(self.names) < MOST_NAMES:
            self.names.append(show_name(name))

    def list_all(self) -> list[str]:
        """Return the names, and a last text with the number of those that are not there."""
        more = self.number - len(self.names)
        if not more:
            return self.names

        return [*self.names, f"and {more} more"]


def show_name(name: bytes | str) -> str:
    """Return a name on one line, so that it can be told from all others.

    Bytes that are no UTF-8, control characters, line breaks and backslashes are written as
    ``\\xNN`` or ``\\uNNNN``.
    """
    text = name.decode("utf-8", "surrogateescape") if isinstance(name, bytes) else name
    if text.isprintable() and "\\" not in text:
        return text

    return "".join(_show_character(character) for character in text)


def show_count(number: int, singular: str, plural: str) -> str:
    """Return a number with what it counts, as ``1 entry`` or ``2 entries``."""
    return f"{number} {singular if number == 1 else plural}"


def show_text(text: str) -> str:
    """Return a text on one line, with what is no character of a line written as in a name.

    Backslashes stay, since names in it are shown already.
    """
    return "".join(
        character if character == "\\" else _show_character(character) for character in text
    )


def show_output(output: bytes | str) -> str:
    """Return what a tool printed without control characters, and its end where it is long.

    The end of what a tool prints says why it failed.
    """
    text = output.decode("utf-8", "replace") if isinstance(output, bytes) else output
    words = "".join(character if character.isprintable() else " " for character in text).split()
    line = " ".join(words)
    if len(line) <= LONGEST_SHOWN:
        return line

    return "..." + line[-(LONGEST_SHOWN - 3) :]


def _show_character(character: str) -> str:
    code = ord(character)
    # Python keeps a byte that is no UTF-8 as a surrogate from U+DC80 to U+DCFF.
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    if character == "\\":
        return "\\\\"
    if character.isprintable():
        return character
    if code <= 0xFF:
        return f"\\x{code:02x}"
    if code <= 0xFFFF:
        return f"\\u{code:04x}"

    return f"\\U{code:08x}"
