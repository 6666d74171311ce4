"""The documentation as a site: what `make docs` builds."""
