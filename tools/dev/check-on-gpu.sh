#!/usr/bin/env bash
# Checks what needs an NVIDIA GPU, and cannot be checked where tools/test.sh usually runs. Needs a release build with tests and benchmarks:
#   tools/dev/check-on-gpu.sh [STEP ...]      records faults sanitizers counters costs; all, if none is named
# Each step prints one line for each of its parts, and the whole output goes to build/on-gpu/. A part that takes longer than its limit has failed; the
# others go on. Fails if one of them has. Parts that measure nothing share the GPU.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit
readonly kBuild=${WARPLENS_BUILD:-build/release} kOut=${WARPLENS_OUT:-build/on-gpu}
readonly kFailed=$kOut/failed
mkdir -p "$kOut"
rm -f "$kFailed"

# part NAME SECONDS COMMAND..: the last line that says something about the result
part() {
  local name=$1 limit=$2 log status=0 verdict=ok
  shift 2
  log="$kOut/${name//[^A-Za-z0-9_.-]/_}.log"
  timeout -k 5 "$limit" "$@" >"$log" 2>&1 || status=$?
  case $status in
    0) ;;
    124 | 137) verdict="more than $limit s" ;;
    *) verdict="failed ($status)" ;;
  esac
  ((status == 0)) || echo "$name" >>"$kFailed"
  printf '%-60s %s  %s\n' "$name" "$verdict" "$(grep -E '^\[  (PASSED|FAILED|SKIPPED)|ERROR SUMMARY|differs' "$log" | tail -n 1)"
}

beside() {  # A part, while others go on, but not too many
  while (($(jobs -rp | wc -l) >= 8)); do wait -n; done
  part "$@" &
}

tests_of() { "$kBuild/$1" --gtest_list_tests --gtest_filter="$2" | awk '/^[^ ]/ { suite = $1 } /^ / { print suite $1 }'; }

records() {  # Both engines' recordings of every kernel, access by access; launches, verified
  local test
  for test in $(tests_of device_tests '*OnGpu*:SmallLaunches.*:*Run*:*Module*:*Timing*:-CountersOnGpu.*'); do beside "$test" 100 "$kBuild/device_tests" --gtest_filter="$test"; done
  wait
}
faults() {  # What goes wrong on the GPU costs the worker, not its client
  local test
  for test in $(tests_of worker_tests 'OnGpu.*:*Faults*'); do part "$test" 120 "$kBuild/worker_tests" --gtest_filter="$test"; done
}
sanitizers() {  # Every kernel, plain and instrumented
  local tool
  for tool in memcheck racecheck initcheck synccheck; do
    beside "$tool" 300 compute-sanitizer --tool "$tool" --error-exitcode 9 "$kBuild/device_tests" --gtest_filter='SmallLaunches.*'
  done
  wait
}
counters() {  # A GPU has one profiler at a time
  part "counters of a run" 100 "$kBuild/device_tests" --gtest_filter='CountersOnGpu.*'
  part "ncu's counters" 300 python3 tools/dev/compare_with_ncu.py --warplens "$kBuild/warplens"
}
costs() {  # Of a recording; and of every kernel beside cuBLAS
  part "cost of a recording" 300 "$kBuild/warplens_bench" --benchmark_filter=gpu_record
  part "the ladder beside cuBLAS" 300 tools/dev/measure-ladder.sh "$kBuild/warplens"
}

if ! nvidia-smi -L; then
  echo "no NVIDIA GPU here: nothing was checked" >&2
  exit 1
fi
(($#)) || set -- records faults sanitizers counters costs
for step; do
  case $step in
    records | faults | sanitizers | counters | costs) printf '== %s\n' "$step" && "$step" ;;
    *) echo "there is no step $step: records, faults, sanitizers, counters, costs" >&2 && exit 2 ;;
  esac
done
[[ ! -e $kFailed ]]
