# Copyright: (c) 2026, the hosting.panel contributors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A real browser without a display, in which tests look at pages: `tools.browser.looking.look`."""
