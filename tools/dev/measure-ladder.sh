#!/usr/bin/env bash
# Times every kernel of the ladder, and cuBLAS beside it, on this machine's GPU, and prints Markdown tables: one a size.
#   tools/dev/measure-ladder.sh [WARPLENS]       the binary; build/release/warplens if not given
# Needs python3. Each kernel's own output (JSON) is kept in the folder that MEASURE_OUT names, if it does.
set -euo pipefail
cd "$(dirname "$0")/../.."
exec python3 tools/dev/measure_ladder.py "${1:-build/release/warplens}"
