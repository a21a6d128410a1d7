#!/usr/bin/env python3
"""Prints what Warplens counts beside what Nsight Compute counts, kernel by kernel, and fails where they differ.

  tools/compare_with_ncu.py [--warplens BINARY] [--size N] [--engine cpu|gpu] [KERNEL ...]

Needs an NVIDIA GPU, ncu on the PATH, and the right to read the GPU's counters. Without kernels: all of the ladder. Counters: docs/memory_model.md.
"""
import argparse
import csv
import json
import subprocess
import sys

COUNTERS = {
    ("global_load", "requests"): "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    ("global_load", "sectors"): "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    ("global_store", "requests"): "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    ("global_store", "sectors"): "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    ("shared_store", "wavefronts"): "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
}


def counted_by_ncu(arguments, kernel):
    command = ["ncu", "--clock-control", "none", "--csv", "--launch-count", "1", "--metrics", ",".join(COUNTERS.values()),
               arguments.warplens, "run", kernel, "--size", str(arguments.size), "--reps", "1"]
    output = subprocess.run(command, capture_output=True, text=True)
    rows = list(csv.reader(line for line in output.stdout.splitlines() if line.startswith('"')))
    if not rows:
        sys.exit(f"ncu counted nothing of {kernel}:\n{output.stdout}{output.stderr}")
    name, value = rows[0].index("Metric Name"), rows[0].index("Metric Value")
    return {row[name]: int(float(row[value].replace(",", ""))) for row in rows[1:] if len(row) > value}


def counted_by_warplens(arguments, kernel):
    command = [arguments.warplens, "report", kernel, "--size", str(arguments.size), "--engine", arguments.engine, "--json"]
    output = subprocess.run(command, capture_output=True, text=True)
    if output.returncode != 0:
        sys.exit(f"{' '.join(command)}: {output.stderr}")
    return json.loads(output.stdout)["totals"]


def ladder(arguments):
    listed = json.loads(subprocess.run([arguments.warplens, "list", "--json"], capture_output=True, text=True, check=True).stdout)
    return [kernel["id"] for kernel in listed["kernels"] if kernel["id"] != "cublas" and kernel.get("group") == "The ladder"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--warplens", default="build/release/warplens")
    parser.add_argument("--size", type=int, default=256)
    parser.add_argument("--engine", default="cpu", choices=["cpu", "gpu"])
    parser.add_argument("kernels", nargs="*", metavar="KERNEL")
    arguments = parser.parse_args()
    different = 0
    print("| kernel | what | Warplens | Nsight Compute |\n|---|---|---:|---:|")
    for kernel in arguments.kernels or ladder(arguments):
        ncu, ours = counted_by_ncu(arguments, kernel), counted_by_warplens(arguments, kernel)
        for (access, figure), counter in COUNTERS.items():
            one, other = ours[access][figure], ncu.get(counter, 0)
            different += one != other
            print(f"| {kernel} | {access.replace('_', ' ')} {figure} | {one:,} | {other:,}{'' if one == other else ' **differs**'} |", flush=True)
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
