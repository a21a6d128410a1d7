#!/usr/bin/env bash
# Builds Warplens, installing first what is missing: leaves build/release/warplens.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/setup.sh build
source tools/cmake.sh
configure release -DWARPLENS_TESTS=OFF -DWARPLENS_BENCHMARKS=OFF
build release warplens
