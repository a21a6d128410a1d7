#!/usr/bin/env bash
# Builds Warplens, installing first what is missing: leaves build/release/warplens.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh build
export PATH="$PWD/.venv/bin:$PATH"  # cmake, where the system's is too old
cmake --preset release -DWARPLENS_TESTS=OFF -DWARPLENS_BENCHMARKS=OFF
cmake --build --preset release --target warplens
