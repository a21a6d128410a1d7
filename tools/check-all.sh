#!/usr/bin/env bash
# What tools/test.sh leaves out because it takes hours and seldom finds anything: the window's tasks and lessons on every screen and in every language, clang-tidy
# of every file by itself, and under the sanitizers, which then look for all undefined behaviour, ten minutes of every fuzz target, every test, and an hour of the
# monkey in the window. To be run before a release. tools/check-fresh.sh is for bare systems.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh test
source tools/checks.sh

section "Builds"
configure release -DWARPLENS_TESTS=ON -DWARPLENS_BENCHMARKS=ON -DWARPLENS_LIST_ALL=ON "${strict[@]}"
build release
configure sanitize -DWARPLENS_UNCHECKED= "${strict[@]}"
build sanitize

section "Tests of the release build, each at length"
WARPLENS_AT_LENGTH=1 run_tests release

section "Tasks and lessons in the window, on every screen"
WARPLENS_EVERY_SCREEN=1 LIBGL_ALWAYS_SOFTWARE=1 GALLIUM_DRIVER=llvmpipe xvfb-run -a -s "-noreset -screen 0 2560x1440x24" \
  build/release/gui_tests --gtest_brief=1 --gtest_filter='*Task*:*Lesson*:*InEverySize*'

section "Every picture at every size and scale"
WARPLENS_EVERY_SCREEN=1 build/release/picture_tests --gtest_brief=1 --gtest_filter='Makers/EverySize*'

section "Ten thousand edits of a kernel in the window"
WARPLENS_EDITS=10000 LIBGL_ALWAYS_SOFTWARE=1 GALLIUM_DRIVER=llvmpipe xvfb-run -a -s "-noreset -screen 0 1920x1200x24" \
  build/release/gui_tests --gtest_brief=1 --gtest_filter='OwnKernel.AnyEdits*'

section "clang-tidy of every file by itself"
mapfile -t sources < <(shipped_sources)
check_tidy "${sources[@]}"

section "Fuzzing, 10 minutes a target"
fuzz 600

section "All tests under the address and undefined-behaviour sanitizers, and an hour of the monkey"
WARPLENS_AT_LENGTH=1 run_sanitized '*' 3600
section "All passed"
