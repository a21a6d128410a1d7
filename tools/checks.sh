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
shipped_sources() { git ls-files 'app/*.cpp' 'kernels/*.cpp' 'viz/*.cpp' | grep -v 'kernels/replay/core/core_v[24]'; }

# tidy BUILD OPTIONS..: what clang-tidy says of the files or patterns after the options, as build/BUILD compiles them: without what g++ precompiles, which it
# cannot read.
tidy() {
  local log status=0
  log="$(mktemp)"
  run-clang-tidy -quiet -extra-arg-before=-Wno-unknown-warning-option -extra-arg-before=-Wno-unused-command-line-argument -p "build/$1" -j "$(nproc)" "${@:2}" >"$log" 2>&1 || status=1
  ((status == 0)) && echo "$(grep -c '^clang-tidy' "$log") compilations: nothing found" || grep -vE '^(clang-tidy|[0-9]+ warnings)' "$log" || true
  rm -f "$log"
  return $status
}

# All sources that ship, as many together as are compiled together, which is five times faster than one by one. To clang-tidy they are headers then, in which
# it does not look for names that are used nowhere.
check_tidy_together() {
  has_style clang-tidy || return 0
  configure release -B build/tidy_together -DWARPLENS_HOT_OPTIONS=-O1 -DWARPLENS_TESTS=OFF -DWARPLENS_BENCHMARKS=OFF -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON
  ninja -C build/tidy_together --quiet warplens_glad
  tidy tidy_together -header-filter='/(app|kernels|viz)/[a-z_/0-9]*\.(h|cpp)$' -checks=-bugprone-suspicious-include \
    "$PWD/(app|kernels|viz)/.*(?<!core_v[24])\.cpp$" '/(app|kernels|viz)_[a-z]*\.dir/Unity/'
}

# The sources that ship and were changed in the three hours before the last commit, or since; those of a checkout that knows no earlier commit: all.
changed_sources() {
  local last since
  last="$(git log -1 --format=%ct)"
  since="$(git rev-list -1 --before=$((last - 3 * 3600)) HEAD)"
  [[ -n "$since" ]] || { shipped_sources && return; }
  comm -12 <(shipped_sources | sort) <(git diff --name-only "$since" | sort)
}

# check_tidy_changed: what has changed, one by one while that is faster than all together
check_tidy_changed() {
  local sources
  mapfile -t sources < <(changed_sources)
  ((${#sources[@]} <= 40)) || { check_tidy_together && return; }
  check_tidy "${sources[@]}"
}

# check_tidy FILES..: each as it is compiled alone
check_tidy() {
  has_style clang-tidy || return 0
  (($#)) || return 0
  configure release -B build/tidy -DWARPLENS_APART=ON -DWARPLENS_TESTS=OFF -DWARPLENS_BENCHMARKS=OFF
  ninja -C build/tidy --quiet warplens_glad
  tidy tidy "${@/#/^$PWD/}"
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
