"""A real browser without a display, in which tests look at pages: `tools.browser.looking.look`."""
