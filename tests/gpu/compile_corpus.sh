#!/usr/bin/env bash
# compile_corpus.sh FOLDER: the PTX of corpus/*.cu for sm_90, without the paths of the machine that compiled it.
set -euo pipefail
cd "$(dirname "$0")/corpus"
for source in *.cu; do
  nvcc -O3 -lineinfo -ptx -arch=compute_90 "$source" -o "$1/${source%.cu}.ptx"
  sed -i -E 's|^(\s*\.file\s+[0-9]+ ")[^"]*/|\1|' "$1/${source%.cu}.ptx"
done
