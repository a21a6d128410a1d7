#!/usr/bin/env python3
"""Prints measured times beside those that were kept, as a Markdown table; see tools/dev/bench.sh.

  tools/dev/compare_benchmarks.py BENCH.json START.txt KEPT.csv [--keep]

KEPT.csv: name, milliseconds, date, machine. Times of another machine are shown and not judged.
"""
import csv
import datetime
import json
import pathlib
import re
import statistics
import sys

SLOWER = 1.15  # By less two runs differ by themselves


def machine():
    cpuinfo = pathlib.Path("/proc/cpuinfo").read_text()
    name = re.search(r"model name\s*: (.*)", cpuinfo)
    return f"{name.group(1) if name else 'CPU'}, {cpuinfo.count('processor')} threads"


def measured(bench, start):
    times = {}
    for entry in json.loads(pathlib.Path(bench).read_text())["benchmarks"]:
        if entry.get("aggregate_name") == "median":
            times[re.sub(r"/(real_time|manual_time|iterations:\d+)", "", entry["run_name"])] = entry["real_time"]
    seconds = [float(number) for number in re.findall(r"([0-9.]+) *s\b", pathlib.Path(start).read_text())]
    if seconds:
        times["start/first_picture"] = 1e3 * statistics.median(seconds)
    return times


def kept_times(path):
    if not path.exists():
        return {}
    with path.open(newline="") as file:
        return {row["name"]: row for row in csv.DictReader(file)}


def main():
    bench, start, kept_path = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    times, kept, here = measured(bench, start), kept_times(kept_path), machine()
    print(f"| {here} | ms | was | change |\n|---|---:|---:|---:|")
    slower = []
    for name, time in times.items():
        before = kept.get(name)
        ratio = time / float(before["milliseconds"]) if before and before["machine"] == here and float(before["milliseconds"]) else None
        was = f"{float(before['milliseconds']):.3g} ({before['date']})" if before else ""
        print(f"| {name} | {time:.3g} | {was} | {f'{100 * (ratio - 1):+.0f} %' if ratio else ''} |")
        if ratio and ratio > SLOWER:
            slower.append(name)
    for name in slower:
        print(f"slower: {name}")
    if "--keep" in sys.argv:
        with kept_path.open("w", newline="") as file:
            table = csv.writer(file)
            table.writerow(["name", "milliseconds", "date", "machine"])
            table.writerows([name, f"{time:.4g}", datetime.date.today().isoformat(), here] for name, time in times.items())


main()
