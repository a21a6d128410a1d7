#!/usr/bin/env python3
"""Launches the ladder's kernels from their PTX, for a profiler to count:

  ncu --clock-control none --csv --page raw --metrics ... python3 counters.py PTX_FOLDER

and, with `ideal` as second argument, single accesses of chosen lane offsets, for the profiler's own ideal figures.
"""
import ctypes
import os
import random
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from run_on_gpu import Module, start

SHAPES = [(256, 256, 256), (100, 100, 100), (33, 65, 129), (1, 7, 300), (128, 512, 64), (511, 31, 65)]


def up(value, to):
    return (value + to - 1) // to * to


def ladder(folder):
    for m, p, n in SHAPES:
        def launch(file, entry, grid, block, m, p, n):
            ints = lambda count: bytearray(struct.pack(f"<{count}f", *[float((i * 7) % 5 - 2) for i in range(count)]))
            Module(f"{folder}/{file}.ptx").launch(entry, grid, block, 0, [ints(m * p), ints(p * n), bytearray(4 * m * n), *[struct.pack("<i", x) for x in (m, p, n)]])

        for t in (8, 16, 32):
            launch("naive", "_Z5naivePKfS0_Pfiii", (up(n, t) // t, up(m, t) // t), (t, t), m, p, n)
            launch("naive_uncoalesced", "_Z17naive_uncoalescedPKfS0_Pfiii", (up(m, t) // t, up(n, t) // t), (t, t), m, p, n)
        for t in (1, 2, 4, 8, 16, 32):
            M, P, N = up(m, t), up(p, t), up(n, t)
            launch("tiled", f"_Z5tiledILi{t}EEvPKfS1_Pfiii", (N // t, M // t), (t, t), M, P, N)
        M, P, N = up(m, 16), up(p, 32), up(n, 64)
        launch("volkov_transposed", "_Z17volkov_transposedPKfS0_Pfiii", (N // 64, M // 16), (64,), M, P, N)
        launch("volkov_padded", "_Z13volkov_paddedPKfS0_Pfiii", (N // 64, M // 16), (64,), M, P, N)


ACCESS = """.version 9.0
.target sm_90
.address_size 64
"""
for width, suffix, registers in ((4, "b32", "{%v0}"), (8, "v2.b32", "{%v0, %v1}"), (16, "v4.b32", "{%v0, %v1, %v2, %v3}")):
    for space in ("global", "shared"):
        for op in ("ld", "st"):
            value = "%v0" if width == 4 else registers
            base = "add.s64 %a, %data, %o;" if space == "global" else "mov.u64 %b, s; cvta.shared.u64 %c, %b; add.s64 %c, %c, %o; cvta.to.shared.u64 %a, %c;"
            access = f"ld.volatile.{space}.{suffix} {value}, [%a];" if op == "ld" else f"st.volatile.{space}.{suffix} [%a], {value};"
            ACCESS += f"""
.visible .entry {space}_{op}_{width}(.param .u64 p0, .param .u64 p1, .param .u32 p2) {{
  .reg .b64 %data, %table, %o, %a, %b, %c; .reg .b32 %t, %m, %v<4>; .reg .pred %p;
  .shared .align 16 .b8 s[32768];
  ld.param.u64 %data, [p0]; ld.param.u64 %table, [p1]; ld.param.u32 %m, [p2];
  mov.u32 %t, %tid.x; mul.wide.u32 %o, %t, 8; add.s64 %table, %table, %o; ld.global.u64 %o, [%table];
  shr.u32 %m, %m, %t; and.b32 %m, %m, 1; setp.ne.u32 %p, %m, 0; mov.u32 %v0, 1; mov.u32 %v1, 1; mov.u32 %v2, 1; mov.u32 %v3, 1;
  @!%p bra L; {base} {access}
L: ret;
}}
"""


def ideal_cases():
    rng = random.Random(11)
    masks = [0xFFFFFFFF, 0xFFFF, 0x11111111, 0x3, 0x80000001, 0x55555555, 0x7]
    for width in (4, 8, 16):
        for mask in masks:
            for name, offset in [("broadcast", lambda l: 0), ("consecutive", lambda l: l * width), ("pairs", lambda l: l // 2 * width), ("pairs_strided", lambda l: l // 2 * 128),
                                 ("strided", lambda l: l * 128), ("two_rows", lambda l: (l % 2) * 128), ("swap", lambda l: (l ^ 1) * width),
                                 ("random", None), ("random_small", None)]:
                if name == "random":
                    offsets = [rng.randrange(256) * width for _ in range(32)]
                elif name == "random_small":
                    offsets = [rng.randrange(6) * width for _ in range(32)]
                else:
                    offsets = [offset(l) for l in range(32)]
                yield width, mask, name, offsets


def ideal():
    path = "/tmp/access.ptx"
    with open(path, "w") as file:
        file.write(ACCESS)
    module = Module(path)
    for space in ("global", "shared"):
        for op in ("ld", "st"):
            for width, mask, _, offsets in ideal_cases():
                module.launch(f"{space}_{op}_{width}", (1,), (32,), 0, [bytearray(32768), bytearray(struct.pack("<32Q", *offsets)), struct.pack("<I", mask)])


if __name__ == "__main__":
    start()
    ideal() if sys.argv[2:] == ["ideal"] else ladder(sys.argv[1])
