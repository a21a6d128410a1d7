#!/usr/bin/env bash
# Holds the races that the replay finds in tests/data/cu/races.cu against compute-sanitizer's racecheck, on a machine with an NVIDIA GPU of compute capability 7.0 or later.
# A line for each kernel of shared memory: how many hazards racecheck reports, whether the replay finds a race (tests/replay/races_in_cuda_test.cpp), and whether they agree.
# Races between blocks are none of racecheck's: it looks at shared memory only.
#   tools/dev/check-races.sh     needs nvcc and compute-sanitizer
set -euo pipefail
cd "$(dirname "$0")/../.."
built="$(mktemp -d)"
trap 'rm -rf "$built"' EXIT
nvcc -O3 -lineinfo -std=c++17 -arch=native -o "$built/races" tests/data/cu/races.cu

failed=0
check() { # KERNEL race|none
  local report hazards=0 agrees=yes
  report="$(compute-sanitizer --tool racecheck --racecheck-report all "$built/races" "$1" 2>&1)" || true
  hazards="$(sed -n 's/.*RACECHECK SUMMARY: \([0-9]*\) hazard.*/\1/p' <<<"$report")"
  if [[ -z "$hazards" ]]; then
    echo "$report" >&2
    exit 1
  fi
  if [[ "$2" == race && "$hazards" == 0 ]] || [[ "$2" == none && "$hazards" != 0 ]]; then agrees=no failed=1; fi
  printf '%-24s racecheck: %3s hazards   replay: %-4s   agree: %s\n' "$1" "$hazards" "$2" "$agrees"
}
check shifted race
check shifted_with_syncwarp none
check shifted_with_shuffle race
check sum_of_old race
check sum_of_tiles none
check halves_of_a_warp race
check own_words none
check counted none
exit "$failed"
