#!/usr/bin/env bash
# Builds Warplens and runs its tests, installing first what is missing. tools/check-all.sh looks longer.
#   tools/test.sh             everything: the release build's tests, then those under the sanitizers
#   tools/test.sh --quick     the release build's tests but the slow ones
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh test
export PATH="$PWD/.venv/bin:$PATH" CTEST_PARALLEL_LEVEL="${CTEST_PARALLEL_LEVEL:-$(nproc)}"
if [[ "${1:-}" == --quick ]]; then
  exec cmake --workflow --preset quick
fi
cmake --workflow --preset ci
cmake --workflow --preset ci-sanitize
