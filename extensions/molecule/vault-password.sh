#!/bin/sh
# The Vault password of the scenarios, which keep passwords of a simulated panel only.
echo molecule
