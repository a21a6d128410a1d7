#!/usr/bin/env bash
# Regenerates assets/ptx, the ladder's PTX that is shipped for machines without nvcc 13.0. Run it after changing a kernel, and commit what it makes.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh build
cmake --preset release >/dev/null
if ! grep -q '^WARPLENS_NVCC:FILEPATH=.' build/release/CMakeCache.txt; then
  echo "update-ptx: nvcc 13.0 was not found, so there is nothing to make the PTX with" >&2
  exit 1
fi
ninja -C build/release ladder_ptx
mkdir -p assets/ptx
rm -f assets/ptx/*.ptx
cp build/release/ptx/*.ptx assets/ptx/
ls -l assets/ptx
