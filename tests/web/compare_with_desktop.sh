#!/usr/bin/env bash
# compare_with_desktop.mjs, or why it is skipped.
set -euo pipefail
skip() {
  echo "skipped: $*"
  exit 77
}
[[ -e "$1/warplens.wasm" ]] || skip "$1 has no page (tools/dev/build-web.sh)"
command -v node >/dev/null || skip "no Node.js is here (apt-get install nodejs)"
exec node "$(dirname "$0")/compare_with_desktop.mjs" "$@"
