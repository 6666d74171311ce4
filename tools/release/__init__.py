"""What makes a release: `make release VERSION=1.1.0`."""
