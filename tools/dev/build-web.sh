#!/usr/bin/env bash
# Builds Warplens for browsers: build/web/page, a folder of static files (docs/browser.md). Installs what is missing (tools/setup.sh web).
set -euo pipefail
cd "$(dirname "$0")/../.."
tools/setup.sh web
cmake --preset web --log-level=WARNING
cmake --build --preset web --target page -- --quiet
echo "build/web/page: $(du -sb build/web/page | cut -f1) bytes, $(tar -C build/web/page -cf - . | gzip -9 | wc -c) compressed. Any web server serves it:"
echo "  python3 -m http.server --directory build/web/page"
