#!/bin/sh
# push.sh CLONE PATH MESSAGE: commits PATH, if it has changed, and pushes. Other jobs may push to the same branch meanwhile.
set -eu
cd "$1"
export GIT_TERMINAL_PROMPT=0
export GIT_AUTHOR_NAME="${GIT_AUTHOR_NAME:-AWX}" GIT_AUTHOR_EMAIL="${GIT_AUTHOR_EMAIL:-awx@localhost}"
export GIT_COMMITTER_NAME="$GIT_AUTHOR_NAME" GIT_COMMITTER_EMAIL="$GIT_AUTHOR_EMAIL"
if [ -e "$2" ]; then
    git add --all -- "$2"
fi
if ! git diff --cached --quiet; then
    git commit --quiet --message "$3"
fi
if [ -z "$(git rev-list '@{upstream}..HEAD')" ]; then
    echo unchanged
    exit 0
fi
for pause in ${PUSH_PAUSES:-1 2 4 8 0}; do
    if git pull --quiet --rebase && git push --quiet; then
        echo pushed
        exit 0
    fi
    sleep "$pause"
done
exit 1
