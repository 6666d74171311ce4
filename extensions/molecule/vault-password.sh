#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# The Vault password of the scenarios, which keep passwords of a simulated panel only.
echo molecule
