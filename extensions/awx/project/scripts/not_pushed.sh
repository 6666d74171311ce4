#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# not_pushed.sh CLONE PATH: names the files at or below PATH that the repository does not have as they are here, each on a line.
# It looks for them on the disk, since git names neither files that it was not told of nor, as they are, those whose names are not ASCII.
set -eu
cd "$1"
[ -e "$2" ] || exit 0
find -L "$2" -type f | sort | while IFS= read -r path; do
    # What git cannot say counts as not pushed.
    if ours="$(git hash-object -- "$path")" && theirs="$(git rev-parse --quiet --verify "@{upstream}:$path")"; then
        if [ "$ours" = "$theirs" ]; then
            continue
        fi
    fi
    printf '%s\n' "$path"
done
