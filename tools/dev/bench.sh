#!/usr/bin/env bash
# Measures what users wait for without a GPU, and says what got slower since docs/benchmarks.csv was written:
#   tools/dev/bench.sh             prints a table
#   tools/dev/bench.sh --keep      and keeps it as docs/benchmarks.csv
# Needs a quiet machine: times are medians, and two machines are not compared.
set -euo pipefail
cd "$(dirname "$0")/../.."
tools/setup.sh test
cmake --preset release >/dev/null
cmake --build --preset release --target warplens warplens_bench
out="$(mktemp -d)"
trap 'rm -rf "$out"' EXIT

software() { LIBGL_ALWAYS_SOFTWARE=1 GALLIUM_DRIVER=llvmpipe xvfb-run -a -s "-noreset -screen 0 1920x1200x24" "$@"; }

software build/release/warplens_bench --benchmark_filter='^(replay|launch|as_compiled|shown|open|write|frame)/' --benchmark_repetitions=3 --benchmark_min_time=0.2 \
  --benchmark_report_aggregates_only=true --benchmark_out="$out/bench.json" --benchmark_out_format=json >&2

# From the start of the program to its first full picture, drawn by software.
for _ in 1 2 3 4 5 6 7; do
  software build/release/warplens --config "$out/config" --width 1600 --height 900 --startup-time
done >"$out/start.txt" 2>/dev/null

python3 tools/dev/compare_benchmarks.py "$out/bench.json" "$out/start.txt" docs/benchmarks.csv "$@"
