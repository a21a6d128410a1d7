#!/usr/bin/env python3
"""Turns the profiler's csv of counters.py into tests/data: pack_counters.py LADDER.csv IDEAL.csv SHARED.csv DATE

  h200_ladder.csv   counters of the ladder's kernels, launched from the shipped PTX
  h200_ideal.csv    of single accesses: memory_l2_theoretical_sectors_global(_ideal) and memory_l1_wavefronts_shared(_ideal)
  h200_shared_loads.csv   of the shared loads among them (ncu -k regex:shared_ld): what the hardware counts, l1tex__data_pipe_lsu_wavefronts and
                          l1tex__data_bank_conflicts_pipe_lsu, beside what the profiler works out from the addresses, smsp__sass_l1tex_data_pipe_lsu_wavefronts
"""
import csv
import math
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import counters


def rows(path):
    with open(path) as file:
        return list(csv.DictReader(line for line in file if not line.startswith("==")))[1:]


def count(row, metric):
    return int(float(row[metric].replace(",", "")))


GLOBAL = "l1tex__t_{}_pipe_lsu_mem_global_op_{}.sum"
SHARED = "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_{}.sum"


def ladder(source, target, date):
    launches = []
    for shape in counters.SHAPES:
        for t in (8, 16, 32):
            launches += [("naive", t, shape), ("naive_uncoalesced", t, shape)]
        launches += [("tiled", t, shape) for t in (1, 2, 4, 8, 16, 32)] + [("volkov_transposed", 0, shape), ("volkov_padded", 0, shape)]
    with open(target, "w") as file:
        file.write(f"# NVIDIA H200, CUDA 13.0, driver 580, Nsight Compute, {date}\n")
        file.write("kernel,T,m,p,n,global_ld_requests,global_ld_sectors,global_st_requests,global_st_sectors,shared_ld_instructions_compiled,shared_ld_wavefronts_compiled,"
                   "shared_st_instructions,shared_st_wavefronts\n")
        for (kernel, t, shape), row in zip(launches, rows(source), strict=True):
            assert row["Kernel Name"].split("(")[0].split("<")[0].replace("void ", "") == kernel, row["Kernel Name"]
            figures = [count(row, GLOBAL.format(what, op)) for op in ("ld", "st") for what in ("requests", "sectors")]
            figures += [count(row, metric.format(op)) for op in ("ld", "st") for metric in ("smsp__inst_executed_op_shared_{}.sum", SHARED)]
            file.write(",".join(map(str, [kernel, t, *shape, *figures])) + "\n")


def ideal(source, target):
    with open(target, "w") as file:
        file.write("op,bytes_per_lane,active_mask,lane_byte_offsets,actual,ideal\n")
        table = iter(rows(source))
        for space in ("global", "shared"):
            for op in ("load", "store"):
                for width, mask, _, offsets in counters.ideal_cases():
                    row = next(table)
                    if space == "shared":
                        actual, best = count(row, "memory_l1_wavefronts_shared"), count(row, "memory_l1_wavefronts_shared_ideal")
                    else:  # Less the load of the offsets, 8 consecutive bytes a lane under the same mask.
                        lanes = [l for l in range(32) if mask >> l & 1]
                        table_sectors = len({l * 8 // 32 for l in lanes})
                        actual = count(row, "memory_l2_theoretical_sectors_global") - table_sectors
                        best = count(row, "memory_l2_theoretical_sectors_global_ideal") - min(table_sectors, math.ceil(len(lanes) * 8 / 32))
                    file.write(f"{space}_{op},{width},{mask:#x},{' '.join(map(str, offsets))},{actual},{best}\n")


def shared_loads(source, target):
    hardware, profiler = "l1tex__data_{}_mem_shared_op_ld.sum", "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"
    with open(target, "w") as file:
        file.write("op,bytes_per_lane,active_mask,lane_byte_offsets,wavefronts,bank_conflicts,profiler_wavefronts\n")
        for row, (width, mask, _, offsets) in zip(rows(source), counters.ideal_cases(), strict=True):
            figures = [count(row, hardware.format(what)) for what in ("pipe_lsu_wavefronts", "bank_conflicts_pipe_lsu")] + [count(row, profiler)]
            file.write(f"shared_load,{width},{mask:#x},{' '.join(map(str, offsets))},{','.join(map(str, figures))}\n")


if __name__ == "__main__":
    data = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data")
    ladder(sys.argv[1], f"{data}/h200_ladder.csv", sys.argv[4])
    ideal(sys.argv[2], f"{data}/h200_ideal.csv")
    shared_loads(sys.argv[3], f"{data}/h200_shared_loads.csv")
