#!/usr/bin/env bash
# Runs all tests, installing first what is missing. Stops at the first failure.
#   tools/test.sh             everything
#   tools/test.sh --quick     the release build and its tests alone
set -euo pipefail
cd "$(dirname "$0")/.."
readonly kFuzzSeconds=60
readonly kNotSanitized='*EqualsTheReferenceAtEveryShape/register_tile:*/Recorder.*'  # take minutes there; others like them are run
strict=()
[[ -z "${CI:-}" ]] || strict=(-DWARPLENS_WARNINGS_ARE_ERRORS=ON)  # not for users, whose compilers may know warnings that ours do not
readonly kStyleVersion=14  # clang-format and clang-tidy of other versions ask for other things

section() { printf '\n== %s (%d:%02d)\n' "$*" $((SECONDS / 60)) $((SECONDS % 60)); }
version_of() { "$1" --version | sed -n 's/.*version \([0-9]*\)\..*/\1/p'; }
our_sources() { git ls-files -z '*.cpp' '*.h' '*.inl' '*.cuh'; }

# What passes is counted, what fails is shown.
run_tests() {
  ctest --test-dir "build/$1" --output-on-failure --no-tests=error -j "$(nproc)" | grep -vE '^ *(Start +[0-9]+:|[0-9]+/[0-9]+ Test +#[0-9]+: .* Passed)'
}

check_format() {
  if [[ "$(version_of clang-format)" != "$kStyleVersion" ]]; then
    echo "skipped: clang-format $(version_of clang-format) is here, the style is that of $kStyleVersion"
    return
  fi
  our_sources | xargs -0 clang-format --dry-run -Werror
}

# What ships is checked, against the release build's commands; of the replay's core, one text compiled three times, one. The tests would take two more
# minutes.
check_tidy() {
  if [[ "$(version_of clang-tidy)" != "$kStyleVersion" ]]; then
    echo "skipped: clang-tidy $(version_of clang-tidy) is here, the checks are those of $kStyleVersion"
    return
  fi
  local log
  log="$(mktemp)"
  if ! run-clang-tidy -quiet -extra-arg-before=-Wno-unknown-warning-option -p build/release -j "$(nproc)" "^$PWD/(app|kernels|viz)/(?!replay/core_v[24]).*\.cpp$" >"$log" 2>&1; then
    grep -vE '^(clang-tidy|[0-9]+ warnings)' "$log" || true
    return 1
  fi
}

# Each target for a minute, as many at once as there are cores, from a copy of its corpus; a finding is left in build/fuzz/findings.
fuzz() {
  local target name corpus findings=build/fuzz/findings
  mkdir -p "$findings"
  for target in build/fuzz/*_fuzz; do
    name="$(basename "$target" _fuzz)"
    corpus="build/fuzz/corpus/$name"
    mkdir -p "$corpus"
    cp -r "tests/fuzz/corpus/$name/." "$corpus"
    echo "$name"
  done | xargs -P "$(nproc)" -I NAME bash -c "build/fuzz/NAME_fuzz build/fuzz/corpus/NAME -max_total_time=$kFuzzSeconds -timeout=10 -rss_limit_mb=2048 \
    -artifact_prefix=$findings/NAME- >$findings/NAME.log 2>&1 && sed -n 's/^Done/NAME: done/p' $findings/NAME.log \
    || { tail -n 60 $findings/NAME.log; exit 255; }"
}

# Whole executables, as many at once as there are cores: a process for each case would spend its time in starting. No GPU: its driver wants the addresses
# that the address sanitizer keeps for itself.
run_sanitized() {
  local logs=build/sanitize/logs run
  mkdir -p "$logs"
  run="CUDA_VISIBLE_DEVICES=-1 build/sanitize/NAME --gtest_brief=1 --gtest_filter='-$kNotSanitized'"
  find build/sanitize -maxdepth 1 -name '*_tests' -printf '%f\n' | sort -r | xargs -P "$(nproc)" -I NAME bash -c "$run >$logs/NAME.log 2>&1 \
    && sed -n 's/^\[=*\] /NAME: /p' $logs/NAME.log || { tail -n 200 $logs/NAME.log; exit 255; }"
}

section "Set-up"
tools/setup.sh test
source tools/cmake.sh

section "Release build"
configure release -DWARPLENS_TESTS=ON -DWARPLENS_BENCHMARKS=ON "${strict[@]}"
build release

section "Tests of the release build"
run_tests release
[[ "${1:-}" == --quick ]] && exit

section "Format"
check_format

section "clang-tidy"
check_tidy

section "Fuzz build"
configure fuzz "${strict[@]}"
build fuzz fuzzers

section "Fuzzing, $kFuzzSeconds s a target"
fuzz

section "Sanitizer build"
configure sanitize "${strict[@]}"
build sanitize

section "Tests under the address and undefined-behaviour sanitizers"
run_sanitized
section "All passed"
