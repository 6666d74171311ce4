#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# push.sh CLONE PATH MESSAGE: commits PATH, if it has changed, and pushes. Other jobs may push to the same branch meanwhile.
# What else has changed in the clone is not pushed, and is there afterwards as before.
set -eu
cd "$1"
export GIT_TERMINAL_PROMPT=0
export GIT_AUTHOR_NAME="${GIT_AUTHOR_NAME:-AWX}" GIT_AUTHOR_EMAIL="${GIT_AUTHOR_EMAIL:-awx@localhost}"
export GIT_COMMITTER_NAME="$GIT_AUTHOR_NAME" GIT_COMMITTER_EMAIL="$GIT_AUTHOR_EMAIL"
# A name is a name here, not a pattern.
export GIT_LITERAL_PATHSPECS=1
if [ -e "$2" ]; then
    # What .gitignore names is lost with the clone too.
    git add --force --all -- "$2"
fi
if ! git diff --cached --quiet; then
    git commit --quiet --message "$3"
fi
if [ -z "$(git rev-list '@{upstream}..HEAD')" ]; then
    echo unchanged
    exit 0
fi
# git rebases only where nothing else has changed, and overwrites files that .gitignore names: a commit that stays here keeps all that.
rest="Not pushed yet"
put_back() {
    if [ "$(git log -1 --format=%s)" = "$rest" ]; then
        git reset --quiet --mixed HEAD~1
    fi
}
trap put_back EXIT
git add --force --all
if ! git diff --cached --quiet; then
    git commit --quiet --message "$rest"
fi
branch="$(git rev-parse --abbrev-ref '@{upstream}')"
errors=
for pause in ${PUSH_PAUSES:-1 2 4 8 0}; do
    if errors="$(git pull --quiet --rebase 2>&1)"; then
        last=HEAD
        if [ "$(git log -1 --format=%s)" = "$rest" ]; then
            last=HEAD~1
        fi
        if errors="$(git push --quiet origin "$last:refs/heads/${branch#origin/}" 2>&1)"; then
            echo pushed
            exit 0
        fi
    elif [ -d "$(git rev-parse --git-path rebase-merge)" ]; then
        git rebase --abort
    fi
    sleep "$pause"
done
echo "$errors" >&2
exit 1
