#!/usr/bin/env bash
# Opens the window, building first what is not up to date. Arguments are the program's own: tools/run.sh report tiled
set -euo pipefail
root="$(cd "$(dirname "$0")/.." && pwd)"
"$root/tools/build.sh" >&2
exec "$root/build/release/warplens" "$@"
