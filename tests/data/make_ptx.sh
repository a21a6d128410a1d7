#!/bin/sh
# Compiles cu/*.cu to ptx/, for compute capabilities 7.5, 9.0 and 10.0 where their PTX differs by more than its target. Needs nvcc 13.0.
set -eu
cd "$(dirname "$0")"
plain() { sed -e 's|^\(\t*\.file.*"\).*/|\1|' -e '/^\/\/ Compiler Build ID/d' "$1"; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
rm -f ptx/*.ptx
for source in cu/*.cu; do
  name=$(basename "$source" .cu)
  : > "$scratch/before"
  for sm in 75 90 100; do
    nvcc -O3 -lineinfo -std=c++17 -arch=sm_$sm -ptx "$source" -o "$scratch/out.ptx"
    plain "$scratch/out.ptx" > "$scratch/now.ptx"
    grep -v '^\.target' "$scratch/now.ptx" > "$scratch/now"
    if ! cmp -s "$scratch/before" "$scratch/now"; then cp "$scratch/now.ptx" "ptx/$name.sm_$sm.ptx"; fi
    mv "$scratch/now" "$scratch/before"
  done
done
