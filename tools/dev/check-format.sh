#!/usr/bin/env bash
# Fails where a source is not as clang-format leaves it; files that are not committed yet are checked too.
set -euo pipefail
cd "$(dirname "$0")/../.."
git ls-files -z --cached --others --exclude-standard '*.cpp' '*.h' '*.inl' '*.cuh' |
  xargs -0 .venv/bin/clang-format --dry-run -Werror
