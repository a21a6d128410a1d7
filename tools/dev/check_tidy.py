#!/usr/bin/env python3
"""Runs clang-tidy on what differs from the merge base with origin/main.

    tools/dev/check_tidy.py            where that is unknown or HEAD itself: on what the last commit changed
    tools/dev/check_tidy.py --all

Sources are read in the groups in which the preset "tidy" compiles them, which is several times faster than one by
one; a group is read when one of its sources, or a header beside them, has changed.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "tidy"
CLANG_TIDY = ROOT / ".venv" / "bin" / "clang-tidy"


def git(*arguments):
    result = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    return result.stdout.split() if result.returncode == 0 else []


def changed_folders():
    """The folders with changed sources."""
    head = git("rev-parse", "HEAD")
    base = git("merge-base", "origin/main", "HEAD")
    if not base or base == head:
        base = git("rev-parse", "--verify", "--quiet", "HEAD^") or head
    return {(ROOT / name).parent for name in git("diff", "--name-only", *base) if re.search(r"\.(cpp|h|inl)$", name)}


def sources_of(compilation):
    """The sources of ours that it reads: those that a unity source includes, else itself."""
    if "/Unity/" not in str(compilation):
        return [compilation]
    return [pathlib.Path(name) for name in re.findall(r'#include "(.*\.cpp)"', compilation.read_text())]


def is_ours(source):
    # Of the replay's core, one text compiled three times, one is enough.
    return source.is_relative_to(ROOT) and source.relative_to(ROOT).parts[0] in ("app", "kernels", "viz") and \
        source.name not in ("core_v2.cpp", "core_v4.cpp")


def tidy(compilation):
    return subprocess.run([CLANG_TIDY, "--quiet", "-p", BUILD, compilation], cwd=ROOT, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)


def main():
    subprocess.run(["cmake", "--preset", "tidy"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", BUILD, "--target", "warplens_glad", "warplens_commit"], check=True, stdout=subprocess.DEVNULL)
    compilations = {pathlib.Path(command["file"]) for command in json.loads((BUILD / "compile_commands.json").read_text())}
    folders = None if sys.argv[1:] == ["--all"] else changed_folders()
    chosen = [compilation for compilation in sorted(compilations)
              if any(is_ours(source) and (folders is None or source.parent in folders)
                     for source in sources_of(compilation))]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for result in pool.map(tidy, chosen):
            failed += result.returncode != 0
            print(result.stdout, end="")
    print(f"clang-tidy: {len(chosen)} compilations, {failed} with findings")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
