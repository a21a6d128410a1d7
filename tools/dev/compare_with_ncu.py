#!/usr/bin/env python3
"""Prints what Warplens counts beside what Nsight Compute counts, kernel by kernel, and fails where they differ.

  tools/dev/compare_with_ncu.py [--warplens BINARY] [--size N] [--engine cpu|gpu] [--every-parameter] [KERNEL ...]

Needs an NVIDIA GPU, ncu on the PATH, and the right to read the GPU's counters. Without kernels: all of the ladder and all demonstrators that end, in
every value type. Shared loads are compared as compiled: ptxas merges neighbouring ones. Counters: docs/memory_model.md.
"""
import argparse
import csv
import json
import subprocess
import sys

AS_WRITTEN, AS_COMPILED = "as written", "as compiled"
COUNTERS = {
    (AS_WRITTEN, "global_load", "requests"): "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    (AS_WRITTEN, "global_load", "sectors"): "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    (AS_WRITTEN, "global_store", "requests"): "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    (AS_WRITTEN, "global_store", "sectors"): "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    (AS_WRITTEN, "shared_store", "wavefronts"): "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    (AS_COMPILED, "shared_load", "wavefronts"): "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
}
MAY_NOT_END = "barrier_divergence"


def variants(kernel, size, every_parameter):
    """What `run` and `report` are given for each variant of a kernel that `list` describes."""
    for value_type in kernel["value_types"]:
        base = [kernel["id"], "--type", value_type] + (["--size", str(size)] if kernel["sizes"] else [])
        yield base
        for parameter in kernel["parameters"] if every_parameter else []:
            for value in parameter["values"]:
                if value != parameter["default"]:
                    yield base + ["--set", f"{parameter['name']}={value}"]


def counted_by_ncu(warplens, variant):
    command = ["ncu", "--clock-control", "none", "--csv", "--launch-count", "1", "--metrics", ",".join(COUNTERS.values()), warplens, "run", *variant, "--reps", "1"]
    output = subprocess.run(command, capture_output=True, text=True)
    rows = list(csv.reader(line for line in output.stdout.splitlines() if line.startswith('"')))
    if not rows:
        sys.exit(f"ncu counted nothing of {' '.join(variant)}:\n{output.stdout}{output.stderr}")
    name, value = rows[0].index("Metric Name"), rows[0].index("Metric Value")
    return {row[name]: int(float(row[value].replace(",", ""))) for row in rows[1:] if len(row) > value}


def counted_by_warplens(arguments, variant):
    command = [arguments.warplens, "report", *variant, "--engine", arguments.engine, "--json"]
    output = subprocess.run(command, capture_output=True, text=True)
    if not output.stdout:  # The exit status also says what is wrong in a demonstrator
        sys.exit(f"{' '.join(command)}: {output.stderr}")
    report = json.loads(output.stdout)
    return {AS_WRITTEN: report["totals"], AS_COMPILED: report["as_compiled"].get("totals")}


def chosen_kernels(arguments):
    listed = json.loads(subprocess.run([arguments.warplens, "list", "--json"], capture_output=True, text=True, check=True).stdout)["kernels"]
    own = [kernel for kernel in listed if kernel["source"] and kernel["id"] != MAY_NOT_END]
    unknown = set(arguments.kernels) - {kernel["id"] for kernel in own}
    if unknown:
        sys.exit(f"nothing to compare of {', '.join(sorted(unknown))}: the kernels are {', '.join(kernel['id'] for kernel in own)}")
    return [kernel for kernel in own if kernel["id"] in arguments.kernels] if arguments.kernels else own


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--warplens", default="build/release/warplens")
    parser.add_argument("--size", type=int, default=256)
    parser.add_argument("--engine", default="cpu", choices=["cpu", "gpu"])
    parser.add_argument("--every-parameter", action="store_true")
    parser.add_argument("kernels", nargs="*", metavar="KERNEL")
    arguments = parser.parse_args()
    compared = different = 0
    print("| kernel | what | Warplens | Nsight Compute |\n|---|---|---:|---:|")
    for kernel in chosen_kernels(arguments):
        for variant in variants(kernel, arguments.size, arguments.every_parameter):
            ncu, ours = counted_by_ncu(arguments.warplens, variant), counted_by_warplens(arguments, variant)
            for (how, access, figure), counter in COUNTERS.items():
                if ours[how] is None:
                    continue  # Without nvdisasm there is a listing for some architectures alone
                one, other = ours[how][access][figure], ncu.get(counter, 0)
                compared += 1
                different += one != other
                name, what = " ".join(variant), f"{access.replace('_', ' ')} {figure}{', as compiled' if how == AS_COMPILED else ''}"
                print(f"| {name} | {what} | {one:,} | {other:,}{'' if one == other else ' **differs**'} |", flush=True)
    print(f"\n{compared - different} of {compared} figures are equal.")
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
