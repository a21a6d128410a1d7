# shellcheck shell=bash
# To be sourced by test.sh and check-all.sh, in the checkout's root: what both of them check, each as thoroughly as it says.
source tools/cmake.sh
readonly kStyleVersion=14  # clang-format and clang-tidy of other versions ask for other things
strict=()
# shellcheck disable=SC2034
[[ -z "${CI:-}" ]] || strict=(-DWARPLENS_WARNINGS_ARE_ERRORS=ON)  # not for users, whose compilers may know warnings that ours do not

section() { printf '\n== %s (%d:%02d)\n' "$*" $((SECONDS / 60)) $((SECONDS % 60)); }
version_of() { "$1" --version | sed -n 's/.*version \([0-9]*\)\..*/\1/p'; }

# has_style TOOL: whether the style can be checked with it
has_style() {
  [[ "$(version_of "$1")" == "$kStyleVersion" ]] && return
  echo "skipped: $1 $(version_of "$1") is here, the style is that of $kStyleVersion"
  return 1
}

# What passes is counted, what fails is shown.
run_tests() {
  ctest --test-dir "build/$1" --output-on-failure --no-tests=error -j "$(nproc)" | grep -vE '^ *(Start +[0-9]+:|[0-9]+/[0-9]+ Test +#[0-9]+: .* Passed)'
}

check_format() {
  has_style clang-format || return 0
  git ls-files -z '*.cpp' '*.h' '*.inl' '*.cuh' | xargs -0 clang-format --dry-run -Werror
}

# The template of translations has every text of the sources, and no other.
check_texts() { tools/update-texts.sh --check; }

# The sources that ship; of the replay's core, one text compiled three times, one. The tests are held by the compilers' warnings alone.
shipped_sources() { git ls-files 'app/*.cpp' 'kernels/*.cpp' 'viz/*.cpp' | grep -v 'kernels/replay/core_v[24]'; }

# Of them, those that the commits of the last four hours changed, or a header of their name.
changed_sources() {
  local last
  last="$(git log -1 --format=%ct)"
  git log --since="@$((last - 4 * 3600))" --name-only --format= | sed -n 's/\.\(h\|cpp\)$/.cpp/p' | sort -u | grep -Fxf <(shipped_sources) || true
}

# check_tidy FILES..: each as it is compiled alone, without the headers that g++ precompiles, which clang-tidy cannot read
check_tidy() {
  has_style clang-tidy || return 0
  (($#)) || return 0
  local log
  log="$(mktemp)"
  configure release -B build/tidy -DWARPLENS_APART=ON -DWARPLENS_TESTS=OFF -DWARPLENS_BENCHMARKS=OFF
  ninja -C build/tidy --quiet warplens_glad
  if ! run-clang-tidy -quiet -extra-arg-before=-Wno-unknown-warning-option -p build/tidy -j "$(nproc)" "${@/#/^$PWD/}" >"$log" 2>&1; then
    grep -vE '^(clang-tidy|[0-9]+ warnings)' "$log" || true
    return 1
  fi
  echo "$# files: nothing found"
}

# fuzz SECONDS: each target that long, as many at once as there are cores, from a copy of its corpus; a finding is left in build/sanitize/findings
fuzz() {
  local target name corpus findings=build/sanitize/findings
  mkdir -p "$findings"
  for target in build/sanitize/*_fuzz; do
    name="$(basename "$target" _fuzz)"
    corpus="build/sanitize/corpus/$name"
    mkdir -p "$corpus"
    cp -r "tests/fuzz/corpus/$name/." "$corpus"
    echo "$name"
  done | xargs -P "$(nproc)" -I NAME bash -c "build/sanitize/NAME_fuzz build/sanitize/corpus/NAME -max_total_time=$1 -timeout=60 -rss_limit_mb=2048 \
    -artifact_prefix=$findings/NAME- >$findings/NAME.log 2>&1 && sed -n 's/^Done/NAME: done/p' $findings/NAME.log \
    || { tail -n 60 $findings/NAME.log; exit 255; }"
}

# run_sanitized FILTER SECONDS: whole executables, as many at once as there are cores: a process for each case would spend its time in starting. The largest
# begin, each in two parts, so that no long one is left alone at the end. The monkey plays that many seconds beside them.
run_sanitized() {
  local name part
  mkdir -p build/sanitize/logs
  export -f monkey run_part
  {
    echo "monkey $2"
    find build/sanitize -maxdepth 1 -name '*_tests' -printf '%s %f\n' | sort -rn | while read -r _ name; do
      for part in 0 1; do echo "run_part $name $part"; done
    done
  } | FILTER="$1" xargs -P "$(nproc)" -I TASK bash -c 'TASK || exit 255'  # upon which xargs begins no other
}

# run_part NAME PART: the executable's cases of $FILTER, those of the first half or of the other. No GPU: its driver wants the addresses that the address
# sanitizer keeps for itself.
run_part() {
  local log=build/sanitize/logs/$1.$2.log
  if CUDA_VISIBLE_DEVICES=-1 GTEST_TOTAL_SHARDS=2 GTEST_SHARD_INDEX=$2 "build/sanitize/$1" --gtest_brief=1 --gtest_filter="$FILTER" >"$log" 2>&1; then
    sed -n "s/^\[=*\] /$1: /p" "$log"
  else
    tail -n 200 "$log"
    return 1
  fi
}

# monkey SECONDS: at play in the window, drawn by software; what leaks is X's and the OpenGL driver's
monkey() {
  LIBGL_ALWAYS_SOFTWARE=1 GALLIUM_DRIVER=llvmpipe ASAN_OPTIONS=detect_leaks=0 CUDA_VISIBLE_DEVICES=-1 \
    xvfb-run -a -s "-noreset -screen 0 1920x1200x24" build/sanitize/window_monkey --seconds "$1"
}
