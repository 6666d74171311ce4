#!/usr/bin/env bash
# `ansible-test integration` runs this: one object of every kind is made, changed and deleted on a simulated panel, and each
# time there is nothing left to do.
set -eu -o pipefail
export PANEL_API_KEY=key-of-the-integration-target
trap 'ansible-playbook panel.yml -e state=absent' EXIT
ansible-playbook panel.yml
PANEL_API_URL=http://127.0.0.1:$(cat "$OUTPUT_DIR/panel/port")
export PANEL_API_URL
PYTHONPATH=${ANSIBLE_COLLECTIONS_PATH%%:*}/ansible_collections/hosting/panel/roles/simulator/files \
    python -m panel_simulator.self_signed --name xn--mller-kva.example --directory "$OUTPUT_DIR"
for pass in create "create again" change "change again" read delete "delete again"; do
    ansible-playbook every_kind.yml -e "{\"only\": \"$pass\", \"certificate_directory\": \"$OUTPUT_DIR\"}" "$@" | tee "$OUTPUT_DIR/printed"
    if [[ $pass == *again ]]; then grep -q ' changed=0 ' "$OUTPUT_DIR/printed"; fi
done
