#!/usr/bin/env bash
# Regenerates assets/ptx, assets/fatbin and assets/sass, the ladder's PTX, its machine code and the listings of that, which are shipped for machines without
# nvcc 13.0 and nvdisasm, what they were made of, and the PTX of the lessons' own kernels in assets/lessons. Run it after changing a kernel, and commit what it makes.
set -euo pipefail
cd "$(dirname "$0")/../.."
tools/setup.sh build
cmake --preset release -DWARPLENS_TESTS=ON >/dev/null
if ! grep -q '^WARPLENS_NVCC:FILEPATH=.' build/release/CMakeCache.txt; then
  echo "update-ptx: nvcc 13.0 was not found, so there is nothing to make the PTX with" >&2
  exit 1
fi
if ! grep -q '^WARPLENS_NVDISASM:FILEPATH=/' build/release/CMakeCache.txt; then
  echo "update-ptx: nvdisasm was not found, so there is nothing to make the listings with" >&2
  exit 1
fi
# Without the shipped files, the build makes all of them anew.
rm -rf assets/ptx/*.ptx assets/fatbin assets/sass
cmake --preset release >/dev/null
ninja -C build/release ladder_ptx
cp build/release/ptx/*.ptx assets/ptx/
sha256sum kernels/ladder/*.cu kernels/gpu/recorder/* kernels/ptx/instrument/record_frame.h kernels/replay/texels.h kernels/base/texture.h >assets/ptx/sources.sha256
mkdir -p assets/fatbin
cp build/release/fatbin/*.zst assets/fatbin/
mkdir -p assets/sass
cp build/release/sass/*.zst assets/sass/
for source in assets/lessons/*.cu; do
  cmake -DNVCC="$(sed -n 's/^WARPLENS_NVCC:FILEPATH=//p' build/release/CMakeCache.txt)" -DSOURCE="$PWD/$source" -DPTX="$PWD/${source%.cu}.ptx" \
    -P cmake/compile_ptx.cmake
done
ls -l assets/ptx assets/fatbin assets/sass
