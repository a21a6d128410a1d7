#!/usr/bin/env bash
# Before a release: everything that tools/test.sh leaves out because it takes hours. Also run
# tools/dev/check-fresh.sh, on bare systems, and tools/dev/check-on-gpu.sh, on a GPU.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh test
export PATH="$PWD/.venv/bin:$PATH" CTEST_PARALLEL_LEVEL="${CTEST_PARALLEL_LEVEL:-$(nproc)}"
tools/dev/update-texts.sh --check --release
tools/dev/check_tidy.py --all
tools/dev/update-ptx.sh && git diff --exit-code --stat assets
tools/dev/build-web.sh  # Its tests, which the next line runs, are skipped without it
cmake --workflow --preset nightly
cmake --workflow --preset nightly-sanitize
