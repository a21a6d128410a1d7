#!/usr/bin/env bash
# fuzz.sh EXECUTABLE CORPUS: runs a fuzz target for WARPLENS_FUZZ_SECONDS (10), from a copy of its corpus beside
# it, in findings/ beside it an input that fails.
set -euo pipefail
readonly executable=$1 folder=$(dirname "$1")
name=$(basename "$executable" _fuzz)
mkdir -p "$folder/corpus/$name" "$folder/findings"
cp -r "$2/." "$folder/corpus/$name"
exec "$executable" "$folder/corpus/$name" -max_total_time="${WARPLENS_FUZZ_SECONDS:-10}" -timeout=60 \
  -rss_limit_mb=2048 -artifact_prefix="$folder/findings/$name-" -print_final_stats=1
