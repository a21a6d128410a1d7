#!/usr/bin/env python3
"""wgmma on raw bits in every layout, and boxes of tensor maps, on an NVIDIA GPU of compute capability 9.0.

  hopper.py write FOLDER        writes the PTX, the operands and the lists of forms and boxes
  hopper.py run FOLDER OUT      writes them too, and runs them (needs nothing but libcuda)
  hopper.py count FOLDER        launches one block of some of the forms and boxes without what comes before and after, for a profiler to count

The same PTX runs in the replay (tests/h200/hopper_slow_test.cpp).

A kernel of a form of wgmma takes (pool, out). Each block is one warpgroup: it fills kSharedBytes of shared memory and its accumulators with words of
the pool, of kinds of values that its number decides, and stores its accumulators after the product.
A kernel of a box takes (a tensor map, a tensor in global memory, out, and the coordinates). One thread copies a box to or from shared memory.

  forms.csv     name, blocks, blocks whose results are kept whole, bytes a block
  boxes.csv     kernel; element, extents, strides, box and element strides, innermost first; swizzle; fill with NaN; bytes of the tensor, of shared
                memory and of the box; coordinates
  counted.sass.zst    what ptxas 13.0 makes of counted.ptx for sm_90a, as nvdisasm -c lists it
  checks.bin    of each form in turn, the CRC-32 of each block's results
  results.bin.xz, boxes.bin.xz    of each form in turn, the results that are kept whole; of each box in turn, the tensor and shared memory
"""
import ctypes
import lzma
import os
import struct
import subprocess
import sys
import zlib
from itertools import product

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tensor_cores import KINDS, STARTS, POOL_OF, WORDS, pool

HEADER = ".version 8.7\n.target sm_90a\n.address_size 64\n\n"
SHARED_BYTES = 131072
B_AT = 65536
BLOCKS = 42
WHOLE = 6  # Blocks whose results are kept whole, of small products
SWIZZLES = {0: 0, 128: 1, 64: 2, 32: 3}
BITS = {"tf32": 32, "f16": 16, "bf16": 16, "s8": 8, "u8": 8, "e4m3": 8, "e5m2": 8, "b1": 1}


class Layout:
    """How a matrix lies in shared memory; leading, stride and start in bytes."""

    def __init__(self, swizzle=0, mn_major=False, leading=128, stride=256, start=0, base=0):
        self.swizzle, self.mn_major, self.leading, self.stride, self.start, self.base = swizzle, mn_major, leading, stride, start, base

    def descriptor(self):
        return self.leading // 16 << 16 | self.stride // 16 << 32 | self.base << 49 | SWIZZLES[self.swizzle] << 62

    def name(self):
        return f"{'mn' if self.mn_major else 'k'}{self.swizzle}_{self.leading}_{self.stride}_{self.start}_{self.base}"


def hashed(lines, number):
    """%h of seed + number."""
    lines += [f"add.u32 %h, %seed, {number};", "shr.u32 %t, %h, 16;", "xor.b32 %h, %h, %t;", f"mul.lo.u32 %h, %h, {0x7feb352d};", "shr.u32 %t, %h, 15;",
              "xor.b32 %h, %h, %t;", f"mul.lo.u32 %h, %h, {0x846ca68b - (1 << 32)};", "shr.u32 %t, %h, 16;", "xor.b32 %h, %h, %t;", f"and.b32 %h, %h, {WORDS - 1};"]


def start_of(type_):
    return STARTS[POOL_OF.get(type_, type_)]


class Form:
    def __init__(self, d, a, b, n, of_a=None, of_b=None, registers=False, scale_d=1, scale_a=1, scale_b=1, after=""):
        self.d, self.a, self.b, self.n, self.registers, self.after = d, a, b, n, registers, after
        self.of_a, self.of_b, self.scales = of_a or Layout(), of_b or Layout(), (scale_d, scale_a, scale_b)
        self.k = 256 // BITS[a]
        self.count = n // (4 if d == "f16" else 2)
        signs = "".join("m" if s < 0 else str(s) for s in self.scales)
        where = "r" if registers else self.of_a.name()
        self.name = f"w_n{n}_{d}_{a}_{b}{after.replace('.', '_')}_{where}_{self.of_b.name()}_{signs}"
        self.bytes = 128 * 4 * self.count

    def whole(self):
        return WHOLE if self.bytes <= 8192 else 1 if self.bytes <= 32768 else 0

    def kernel(self, alone=False):
        """alone: the product without the filling of shared memory and accumulators and without stores."""
        lines = [f".visible .entry {self.name}(.param .u64 p_pool, .param .u64 p_out)", "{",
                 ".reg .b64 %pool, %out, %at, %da, %db, %w; .reg .b32 %thread, %block, %a_kind, %b_kind, %c_kind, %seed, %t, %h, %i, %s, %v; .reg .pred %p, %q;",
                 f".reg .b32 %d<{self.count}>, %a<4>;", "ld.param.u64 %pool, [p_pool];", "ld.param.u64 %out, [p_out];", "mov.u32 %thread, %tid.x;",
                 "mov.u32 %block, %ctaid.x;", f"rem.u32 %a_kind, %block, {KINDS};", "mad.lo.u32 %t, %block, 5, 3;", f"rem.u32 %b_kind, %t, {KINDS};",
                 "mad.lo.u32 %t, %block, 9, 1;", f"rem.u32 %c_kind, %t, {KINDS};", "mov.u32 %s, shared_bytes;",
                 "mov.u32 %i, %thread;", "FILL:", "shl.b32 %seed, %block, 16;", "add.u32 %seed, %seed, %i;"]
        hashed(lines, 0)
        lines += [f"setp.lt.u32 %q, %i, {B_AT // 4};", "selp.u32 %t, %a_kind, %b_kind, %q;", f"mad.lo.u32 %h, %t, {WORDS}, %h;", "shl.b32 %h, %h, 2;",
                  f"add.u32 %t, %h, {start_of(self.a)};", f"add.u32 %h, %h, {start_of(self.b)};", "selp.u32 %h, %t, %h, %q;", "cvt.u64.u32 %at, %h;",
                  "add.s64 %at, %at, %pool;", "ld.global.b32 %v, [%at];", "shl.b32 %t, %i, 2;", "add.u32 %t, %t, %s;", "st.shared.b32 [%t], %v;",
                  "add.u32 %i, %i, 128;", f"setp.lt.u32 %p, %i, {SHARED_BYTES // 4};", "@%p bra FILL;", "fence.proxy.async.shared::cta;", "bar.sync 0;",
                  "mad.lo.u32 %seed, %block, 65536, 32768;", "mad.lo.u32 %seed, %thread, 256, %seed;"]
        for i in range(self.count):
            hashed(lines, i)
            lines += [f"mad.lo.u32 %h, %c_kind, {WORDS}, %h;", "mad.wide.u32 %at, %h, 4, %pool;", f"ld.global.b32 %d{i}, [%at+{start_of(self.d)}];"]
        for i in range(4 if self.registers else 0):
            hashed(lines, 200 + i)
            lines += [f"mad.lo.u32 %h, %a_kind, {WORDS}, %h;", "mad.wide.u32 %at, %h, 4, %pool;", f"ld.global.b32 %a{i}, [%at+{start_of(self.a)}];"]
        if alone:
            del lines[lines.index("mov.u32 %i, %thread;"):]
        for register, layout, at in [("%da", self.of_a, 0), ("%db", self.of_b, B_AT)]:
            lines += [f"add.u32 %t, %s, {at + layout.start};", "shr.u32 %t, %t, 4;", f"cvt.u64.u32 {register}, %t;", f"mov.b64 %w, {layout.descriptor()};",
                      f"or.b64 {register}, {register}, %w;"]
        floats, halves = self.d != "s32", self.a in ("f16", "bf16")
        tail = f", {self.scales[1]}, {self.scales[2]}" if floats else ""
        if halves and not self.registers:
            tail += f", {int(self.of_a.mn_major)}"
        if halves:
            tail += f", {int(self.of_b.mn_major)}"
        d = ", ".join(f"%d{i}" for i in range(self.count))
        a = "{%a0, %a1, %a2, %a3}" if self.registers else "%da"
        lines += [f"setp.ne.s32 %p, {self.scales[0]}, 0;", "wgmma.fence.sync.aligned;",
                  f"wgmma.mma_async.sync.aligned.m64n{self.n}k{self.k}.{self.d}.{self.a}.{self.b}{self.after} {{{d}}}, {a}, %db, %p{tail};",
                  "wgmma.commit_group.sync.aligned;", "wgmma.wait_group.sync.aligned 0;",
                  f"mad.lo.u32 %t, %block, 128, %thread;", f"mad.wide.u32 %at, %t, {4 * self.count}, %out;"]
        if alone:  # No address is below 8
            lines.append("setp.lo.u64 %p, %at, 8;")
        lines += [f"{'@%p ' if alone else ''}st.global.b32 [%at+{4 * i}], %d{i};" for i in range(self.count)]
        return "\n".join(lines + ["ret;", "}"])


def k_major(swizzle, **more):
    return Layout(swizzle, stride=8 * swizzle, leading=16, **more) if swizzle else Layout(0, leading=128, stride=256, **more)


def mn_major(swizzle, **more):
    """Chunks of `swizzle` bytes of rows, 8 k below one another."""
    return Layout(swizzle, True, leading=16 * swizzle, stride=8 * swizzle, **more) if swizzle else Layout(0, True, leading=2048, stride=128, **more)


def forms():
    for n, (d, a, b) in product([8, 64, 256], [("f32", "f16", "f16"), ("f16", "f16", "f16"), ("f32", "bf16", "bf16"), ("f32", "tf32", "tf32")]):
        yield Form(d, a, b, n)
        yield Form(d, a, b, n, of_b=k_major(128), registers=True)
    for d, a, b in product(["f32", "f16"], ["e4m3", "e5m2"], ["e4m3", "e5m2"]):
        yield Form(d, a, b, 32)
        yield Form(d, a, b, 96, of_b=k_major(64), registers=True)
    for a, b, after in product(["s8", "u8"], ["s8", "u8"], ["", ".satfinite"]):
        yield Form("s32", a, b, 32, after=after)
    yield Form("s32", "u8", "s8", 128, of_b=k_major(32), registers=True)
    yield Form("s32", "b1", "b1", 64, after=".and.popc")
    yield Form("s32", "b1", "b1", 16, k_major(128), k_major(128), after=".and.popc")
    for a, b in product([0, 32, 64, 128], repeat=2):  # Swizzles and majorness, in pairs
        yield Form("f32", "f16", "f16", 48, k_major(a), mn_major(b))
        yield Form("f32", "bf16", "bf16", 80, mn_major(a), k_major(b))
    for swizzle in [32, 64, 128]:
        for type_ in ["tf32", "e4m3", "s8"]:
            yield Form("s32" if type_ == "s8" else "f32", type_, type_, 24, k_major(swizzle), k_major(swizzle))
        yield Form("f32", "f16", "f16", 192, mn_major(swizzle), mn_major(swizzle))
    for start in [32, 64, 96]:  # A step of K inside a row of the pattern
        yield Form("f32", "f16", "f16", 40, k_major(128, start=start), k_major(128, start=start))
    yield Form("f32", "f16", "f16", 40, k_major(64, start=32), k_major(64, start=32))
    for start in [128, 512, 896]:  # Patterns that do not begin at a multiple of theirs: without and with the base offset
        for base in [0, start // 128]:
            yield Form("f32", "f16", "f16", 16, k_major(128, start=start, base=base), k_major(128))
            yield Form("f32", "f16", "f16", 16, k_major(128), k_major(128, start=start, base=base))
    for start, base in [(256, 0), (256, 2), (256, 1)]:
        yield Form("f32", "bf16", "bf16", 16, k_major(64, start=start, base=base), k_major(64))
    yield Form("f32", "f16", "f16", 64, Layout(0, leading=1040, stride=144), Layout(0, leading=2064, stride=272))
    yield Form("f32", "f16", "f16", 64, Layout(128, leading=16, stride=2048), Layout(128, leading=4096, stride=1152))
    yield Form("f32", "f16", "f16", 64, Layout(0, True, leading=144, stride=1040), Layout(0, True, leading=272, stride=2064))
    yield Form("f32", "f16", "f16", 64, Layout(64, True, leading=2048, stride=512), Layout(32, True, leading=1024, stride=4096))
    for signs in [(0, 1, 1), (1, -1, 1), (1, 1, -1), (1, -1, -1), (0, -1, 1)]:
        yield Form("f32", "f16", "f16", 16, scale_d=signs[0], scale_a=signs[1], scale_b=signs[2])
        yield Form("f16", "f16", "f16", 8, scale_d=signs[0], scale_a=signs[1], scale_b=signs[2])
    yield Form("f32", "e4m3", "e5m2", 16, scale_a=-1, scale_b=-1)
    yield Form("f32", "tf32", "tf32", 16, scale_a=-1)
    yield Form("s32", "s8", "s8", 16, scale_d=0)


# Boxes of tensor maps
ELEMENTS = {"u8": 1, "u16": 2, "u32": 4, "i32": 4, "u64": 8, "i64": 8, "f16": 2, "f32": 4, "f64": 8, "bf16": 2}
ELEMENT_NUMBERS = {name: i for i, name in enumerate(ELEMENTS)}


class Box:
    """Extents, box and start count from the innermost dimension on, as the driver has it."""

    def __init__(self, kind, element, extents, box, start, swizzle=0, strides=None, steps=None, nan=False):
        self.kind, self.element, self.extents, self.box, self.start, self.swizzle, self.nan = kind, element, extents, box, start, swizzle, nan
        self.rank = len(extents)
        size = ELEMENTS[element]
        self.strides, bytes_ = [], extents[0] * size
        for extent in extents[1:]:
            bytes_ = (bytes_ + 15) // 16 * 16
            self.strides.append(bytes_)
            bytes_ *= extent
        self.strides = strides or self.strides
        self.steps = steps or [1] * len(extents)
        self.tensor_bytes = max([extents[0] * size] + [stride * extent for stride, extent in zip(self.strides, extents[1:])])
        elements = box[0]
        for edge, step in list(zip(box, self.steps))[1:]:
            elements *= (edge + step - 1) // step
        self.moved_bytes = elements * size
        rows = elements // box[0]
        self.shared_bytes = max(rows * max(box[0] * size, swizzle), 16)

    @classmethod
    def bulk(cls, kind, bytes_, at, shared_at=0):
        """A bulk copy without a tensor map."""
        box = cls(kind, "u8", [4096], [256], [at, shared_at])
        box.rank, box.moved_bytes, box.shared_bytes = 0, bytes_, 8192
        return box

    def kernel_name(self):
        return f"{self.kind.replace('.', '_')}_{self.rank}d"

    def row(self):
        spaced = lambda values: " ".join(str(v) for v in values)
        fields = [self.kernel_name(), self.element, spaced(self.extents), spaced(self.strides), spaced(self.box), spaced(self.steps), self.swizzle, int(self.nan),
                  self.tensor_bytes, self.shared_bytes, self.moved_bytes, spaced((self.start + [0] * 5)[:5])]
        return ";".join(str(field) for field in fields)


def box_kernel(kind, rank):
    """kind: load, store or reduce.OP."""
    name = f"{kind.replace('.', '_')}_{rank}d"
    coordinates = ", ".join(f"%c{i}" for i in range(rank))
    lines = [f".visible .entry {name}(.param .align 64 .b8 p_map[128], .param .u64 p_tensor, .param .u64 p_out, .param .u32 p_bytes, .param .u32 p_moved, "
             + ", ".join(f".param .u32 p_c{i}" for i in range(5)) + ")", "{",
             ".reg .b64 %map, %out, %at; .reg .b32 %thread, %bytes, %moved, %s, %bar, %i, %t, %v, %c<5>; .reg .pred %p, %q;",
             "mov.b64 %map, p_map;", "cvta.param.u64 %map, %map;", "ld.param.u64 %out, [p_out];", "ld.param.u32 %bytes, [p_bytes];", "ld.param.u32 %moved, [p_moved];",
             "mov.u32 %thread, %tid.x;", "mov.u32 %s, shared_bytes;", "mov.u32 %bar, barrier;"]
    lines += [f"ld.param.u32 %c{i}, [p_c{i}];" for i in range(5)]
    lines += ["setp.ne.u32 %q, %thread, 0;", "@%q bra SKIP;", "mbarrier.init.shared.b64 [%bar], 1;", "fence.mbarrier_init.release.cluster;", "SKIP:",
              "shl.b32 %i, %thread, 2;", "FILL:", "setp.ge.u32 %p, %i, %bytes;", "@%p bra FILLED;",
              "mul.lo.u32 %v, %i, 40503;", "add.u32 %v, %v, 12345;", "and.b32 %v, %v, 1056964607;", "add.u32 %t, %s, %i;", "st.shared.b32 [%t], %v;", "add.u32 %i, %i, 512;", "bra FILL;", "FILLED:",
              "fence.proxy.async.shared::cta;", "bar.sync 0;", "@%q bra WAIT;"]
    if rank == 0:  # c0: where in the tensor; c1: where in shared memory
        lines += ["{", ".reg .b64 %state, %tensor, %o; .reg .b32 %d;", "ld.param.u64 %tensor, [p_tensor];", "cvt.u64.u32 %o, %c0;", "add.s64 %tensor, %tensor, %o;", "add.u32 %d, %s, %c1;"]
        if kind == "load":
            lines += ["mbarrier.arrive.expect_tx.shared.b64 %state, [%bar], %moved;",
                      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%d], [%tensor], %moved, [%bar];", "}", "WAIT:",
                      "mbarrier.try_wait.parity.shared.b64 %p, [%bar], 0;", "@!%p bra WAIT;"]
        else:
            operation = "cp.async.bulk.global.shared::cta.bulk_group" if kind == "store" else "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32"
            lines += [f"{operation} [%tensor], [%d], %moved;", "cp.async.bulk.commit_group;", "cp.async.bulk.wait_group 0;", "}", "WAIT:"]
    elif kind == "load":
        lines += ["{", ".reg .b64 %state;", "mbarrier.arrive.expect_tx.shared.b64 %state, [%bar], %moved;", "}",
                  f"cp.async.bulk.tensor.{rank}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%s], [%map, {{{coordinates}}}], [%bar];", "WAIT:",
                  "mbarrier.try_wait.parity.shared.b64 %p, [%bar], 0;", "@!%p bra WAIT;"]
    else:
        operation = f"cp.async.bulk.tensor.{rank}d.global.shared::cta.tile.bulk_group" if kind == "store" else \
            f"cp.reduce.async.bulk.tensor.{rank}d.global.shared::cta.{kind.split('.')[1]}.tile.bulk_group"
        lines += [f"{operation} [%map, {{{coordinates}}}], [%s];", "cp.async.bulk.commit_group;", "cp.async.bulk.wait_group 0;", "WAIT:"]
    lines += ["bar.sync 0;", "shl.b32 %i, %thread, 2;", "COPY:", "setp.ge.u32 %p, %i, %bytes;", "@%p bra COPIED;", "add.u32 %t, %s, %i;", "ld.shared.b32 %v, [%t];",
              "cvt.u64.u32 %at, %i;", "add.s64 %at, %at, %out;", "st.global.b32 [%at], %v;", "add.u32 %i, %i, 512;", "bra COPY;", "COPIED:", "ret;", "}"]
    return "\n".join(lines)


def boxes():
    """The innermost coordinate is a multiple of 16 bytes, and those of stores are not negative: else a GPU reports an illegal instruction."""
    for swizzle, element in [(0, "u8"), (0, "f32"), (32, "f16"), (64, "u32"), (128, "bf16"), (128, "f64"), (128, "u8")]:
        inner = (swizzle or 64) // ELEMENTS[element]
        for start in [(0, 0), (16, 5), (-inner // 2, -3), (48, 30)]:
            yield Box("load", element, [64, 33], [inner, 8], list(start), swizzle)
    yield Box("load", "f16", [100, 20], [16, 12], [8, 2], 128)  # Rows shorter than the swizzle is wide
    yield Box("load", "f32", [20, 9], [8, 5], [-4, 3], 64, nan=True)
    for element in ["f16", "bf16", "f32", "f64"]:
        yield Box("load", element, [32, 8], [16, 4], [24, 6], nan=True)
    yield Box("load", "u32", [256], [64], [200])
    yield Box("load", "u16", [500], [256], [-8])
    yield Box("load", "f16", [40, 7, 5], [32, 3, 2], [8, -1, 3], 64)
    yield Box("load", "f16", [64, 16, 4], [64, 8, 2], [0, 5, 2], 128, strides=[256, 4096])
    yield Box("load", "u8", [48, 6, 5, 4], [32, 2, 3, 2], [16, 1, -1, 3], 32)
    yield Box("load", "i32", [12, 5, 4, 3, 3], [8, 2, 2, 2, 2], [4, 1, 3, -1, 2])
    yield Box("load", "f32", [64, 40], [16, 12], [4, 3], steps=[1, 2])
    yield Box("load", "f32", [64, 40], [16, 12], [4, 33], 64, steps=[1, 3])
    yield Box("load", "f16", [64, 20, 10], [32, 8, 6], [8, -2, 5], 64, steps=[1, 2, 4])
    for element in ["u64", "i64", "u32", "u16"]:
        yield Box("load", element, [32, 12], [16, 4], [24, 10])
    for swizzle, element in [(0, "f32"), (32, "u8"), (64, "f16"), (128, "bf16")]:
        inner = (swizzle or 64) // ELEMENTS[element]
        for start in [(0, 0), (48, 30)]:
            yield Box("store", element, [64, 33], [inner, 8], list(start), swizzle)
    yield Box("store", "u16", [40, 7, 5], [32, 3, 2], [16, 5, 4], 64)
    yield Box("store", "i32", [12, 5, 4, 3, 3], [8, 2, 2, 2, 2], [8, 1, 3, 1, 2])
    yield Box("store", "f32", [64, 40], [16, 12], [4, 3], steps=[1, 2])
    for op, element in [("add", "u32"), ("add", "i32"), ("add", "u64"), ("add", "f32"), ("add", "f16"), ("add", "bf16"), ("min", "i32"), ("max", "u32"), ("min", "u64"),
                        ("max", "i64"), ("min", "f16"), ("max", "bf16"), ("inc", "u32"), ("dec", "u32"), ("and", "u32"), ("or", "u64"), ("xor", "u32")]:
        yield Box(f"reduce.{op}", element, [32, 12], [16, 4], [24, 10])


def shared_arrays():
    return ".shared .align 8 .b64 barrier;\n.extern .shared .align 1024 .b8 shared_bytes[];\n"


def write(folder):
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/pool.bin", "wb") as file:
        file.write(pool()[0])
    all_forms = list(forms())
    names = [form.name for form in all_forms]
    assert len(set(names)) == len(names), [n for n in names if names.count(n) > 1]
    with open(f"{folder}/forms.csv", "w") as table, open(f"{folder}/wgmma.ptx", "w") as file:
        file.write(HEADER + ".extern .shared .align 1024 .b8 shared_bytes[];\n\n" + "\n\n".join(form.kernel() for form in all_forms) + "\n")
        for form in all_forms:
            table.write(f"{form.name},{BLOCKS},{form.whole()},{form.bytes}\n")
    all_boxes = list(boxes())
    kernels = sorted({(box.kind, box.rank) for box in all_boxes})
    with open(f"{folder}/boxes.csv", "w") as table, open(f"{folder}/boxes.ptx", "w") as file:
        file.write(HEADER + shared_arrays() + "\n" + "\n\n".join(box_kernel(*kernel) for kernel in kernels) + "\n")
        for box in all_boxes:
            table.write(box.row() + "\n")


def tensor_contents(bytes_):
    """Words that are ordinary numbers in every type."""
    return bytearray(b"".join(struct.pack("<I", (i * 2654435761 + 97) & 0x3effffff) for i in range((bytes_ + 3) // 4)))[:bytes_]


def counted_forms():
    pairs = [(k_major(a), k_major(b)) for a in (0, 32, 64, 128) for b in (0, 128)] + [(mn_major(a), mn_major(b)) for a in (0, 32, 64, 128) for b in (0, 128)]
    for of_a, of_b in pairs:
        yield Form("f32", "f16", "f16", 64, of_a, of_b)
    for n in (8, 16, 24, 128, 256):
        yield Form("f32", "f16", "f16", n, k_major(128), k_major(128))
    for n in (8, 64, 256):
        yield Form("f32", "f16", "f16", n, of_b=k_major(128), registers=True)
        yield Form("f32", "tf32", "tf32", n, k_major(128), k_major(128))
        yield Form("f32", "e4m3", "e4m3", n, k_major(128), k_major(128))
    yield Form("s32", "s8", "s8", 64, k_major(128), k_major(128))
    yield Form("f32", "f16", "f16", 64, k_major(128, start=32), k_major(128, start=64))
    yield Form("f32", "f16", "f16", 64, Layout(0, leading=1040, stride=144), Layout(0, leading=2064, stride=272))
    yield Form("f32", "f16", "f16", 64, Layout(0, leading=128, stride=1024), Layout(0, leading=128, stride=1024))
    yield Form("f32", "f16", "f16", 64, Layout(0, leading=1024, stride=128), Layout(0, leading=1024, stride=128))


def counted_boxes():
    for kind in ("load", "store"):
        for swizzle, inner in [(0, 64), (0, 16), (0, 32), (0, 128), (0, 256), (32, 32), (64, 64), (128, 128), (128, 64), (64, 32)]:
            yield Box(kind, "u8", [1024, 64], [inner, 16], [256, 8], swizzle)
        for start in [16, 32, 48, 240]:
            yield Box(kind, "u8", [1024, 64], [64, 16], [start, 8], 64)
        for columns in (1040, 1072):
            yield Box(kind, "u8", [columns, 64], [64, 16], [64, 8], 0)
        yield Box(kind, "u8", [1024, 64], [64, 16], [992, 56], 0)
        yield Box(kind, "f32", [256, 64], [32, 32], [32, 8], 128)
        yield Box(kind, "f16", [64, 16, 4], [64, 8, 2], [0, 4, 1], 128, strides=[256, 4096])
        yield Box(kind, "u8", [4096], [256], [16])
        yield Box(kind, "f32", [64, 40], [16, 12], [4, 3], steps=[1, 2])
    for start in [(-32, -4), (992, 8), (976, 8), (1024, 8), (2048, 8), (-64, 8), (-128, 8), (256, 56), (256, 64), (256, 128), (256, -4), (256, -16), (-4096, 8), (0, 63), (960, 63)]:
        yield Box("load", "u8", [1024, 64], [64, 16], list(start), 0)
    for start in [(992, 8), (1008, 8), (896, 8), (-64, 8), (1024, 8)]:
        yield Box("load", "u8", [1024, 64], [128, 4], list(start), 128)
        yield Box("load", "u8", [1024, 64], [256, 2], list(start), 0)
    yield Box("load", "u8", [1000, 64], [64, 16], [960, 8], 0, strides=[1024])
    yield Box("load", "u8", [1000, 64], [64, 16], [960, 8], 0, strides=[1008])
    for kind in ("load", "store"):
        for pitch, inner in [(16, 16), (32, 32), (48, 48), (64, 64), (48, 32), (64, 16), (80, 80)]:
            yield Box(kind, "u8", [inner, 64], [inner, 16], [0, 4], 0, strides=[pitch])
        yield Box(kind, "u8", [48, 64], [48, 16], [0, 3], 64, strides=[48])
        yield Box(kind, "u8", [64, 64], [64, 16], [0, 3], 0, strides=[16])  # Rows overlap
        yield Box(kind, "u8", [1024, 64], [160, 4], [16, 4], 0)
        yield Box(kind, "u8", [1024, 64], [144, 4], [32, 4], 0)
        yield Box(kind, "f64", [64, 40], [16, 4], [4, 3])
        for bytes_, at, shared_at in [(16, 0, 0), (32, 16, 0), (64, 16, 0), (128, 0, 0), (128, 16, 0), (128, 0, 16), (128, 16, 16), (256, 16, 0), (256, 0, 48), (256, 48, 16), (1024, 0, 0),
                                      (1024, 16, 0), (1024, 16, 112), (1008, 16, 0), (2048, 0, 0), (2048, 112, 64)]:
            yield Box.bulk(kind, bytes_, at, shared_at)
    yield Box.bulk("reduce.add", 256, 16)
    yield Box.bulk("reduce.add", 1024, 0)
    yield Box("reduce.add", "u32", [256, 64], [16, 16], [64, 8])
    yield Box("reduce.add", "f32", [256, 64], [32, 16], [64, 8], 128)


def count(folder):
    import run_on_gpu as gpu
    os.makedirs(folder, exist_ok=True)
    all_forms, all_boxes = list(counted_forms()), list(counted_boxes())
    kernels = sorted({(box.kind, box.rank) for box in all_boxes})
    with open(f"{folder}/counted.ptx", "w") as file:
        distinct = {form.name: form for form in all_forms}
        file.write(HEADER + shared_arrays() + "\n" + "\n\n".join([form.kernel(alone=True) for form in distinct.values()] + [box_kernel(*kernel) for kernel in kernels]) + "\n")
    gpu.start()
    module = gpu.Module(f"{folder}/counted.ptx")
    for box in all_boxes:
        launch_box(gpu, module, box, alone=True)
    for form in all_forms:
        function = ctypes.c_void_p()
        gpu.check(gpu.cuda.cuModuleGetFunction(ctypes.byref(function), module.handle, form.name.encode()), form.name)
        gpu.check(gpu.cuda.cuFuncSetAttribute(function, 8, SHARED_BYTES), "shared memory")
        module.launch(form.name, (1,), (128,), SHARED_BYTES, [bytearray(64), bytearray(64)])
    with open(f"{folder}/counted.csv", "w") as table:
        table.writelines([box.row() + "\n" for box in all_boxes] + [form.name + "\n" for form in all_forms])


def encoded(gpu, box, address):
    """The driver's map."""
    map_ = (ctypes.c_char * 192)()
    at = ctypes.addressof(map_) + 63 & ~63
    rank = len(box.extents)
    u64, u32 = ctypes.c_uint64, ctypes.c_uint32
    code = gpu.cuda.cuTensorMapEncodeTiled(ctypes.c_void_p(at), ELEMENT_NUMBERS[box.element], u32(rank), u64(address), (u64 * 5)(*box.extents), (u64 * 4)(*box.strides),
                                           (u32 * 5)(*box.box), (u32 * 5)(*box.steps), 0, {0: 0, 32: 1, 64: 2, 128: 3}[box.swizzle], 0, int(box.nan))
    gpu.check(code, f"cuTensorMapEncodeTiled of {box.row()}")
    return ctypes.string_at(at, 128)


def launch_box(gpu, module, box, alone=False):
    function = ctypes.c_void_p()
    gpu.check(gpu.cuda.cuModuleGetFunction(ctypes.byref(function), module.handle, box.kernel_name().encode()), box.kernel_name())
    tensor, out = tensor_contents(box.tensor_bytes), bytearray(box.shared_bytes)
    addresses = []
    for buffer in (tensor, out):
        address = ctypes.c_uint64()
        gpu.check(gpu.cuda.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(len(buffer))), "cuMemAlloc")
        gpu.check(gpu.cuda.cuMemcpyHtoD_v2(address, (ctypes.c_char * len(buffer)).from_buffer(buffer), ctypes.c_size_t(len(buffer))), "upload")
        addresses.append(address)
    map_ = ctypes.create_string_buffer(encoded(gpu, box, addresses[0].value), 128)
    scalars = [ctypes.c_uint32(v & 0xffffffff) for v in [0 if alone else box.shared_bytes, box.moved_bytes] + (box.start + [0] * 5)[:5]]
    arguments = [ctypes.addressof(map_)] + [ctypes.addressof(a) for a in addresses + scalars]
    gpu.check(gpu.cuda.cuLaunchKernel(function, 1, 1, 1, 128, 1, 1, box.shared_bytes, None, (ctypes.c_void_p * len(arguments))(*arguments), None), "launch")
    gpu.check(gpu.cuda.cuCtxSynchronize(), box.kernel_name())
    for buffer, address in zip((tensor, out), addresses):
        gpu.check(gpu.cuda.cuMemcpyDtoH_v2((ctypes.c_char * len(buffer)).from_buffer(buffer), address, ctypes.c_size_t(len(buffer))), "download")
        gpu.check(gpu.cuda.cuMemFree_v2(address), "cuMemFree")
    return tensor, out


def run(folder, out):
    import run_on_gpu as gpu
    write(folder)
    os.makedirs(out, exist_ok=True)
    device = gpu.start()
    whole, checks, failed = b"", b"", 0
    words = bytearray(open(f"{folder}/pool.bin", "rb").read())
    module = gpu.Module(f"{folder}/wgmma.ptx")
    for form in forms():
        result = bytearray(BLOCKS * form.bytes)
        try:
            function = ctypes.c_void_p()
            gpu.check(gpu.cuda.cuModuleGetFunction(ctypes.byref(function), module.handle, form.name.encode()), form.name)
            gpu.check(gpu.cuda.cuFuncSetAttribute(function, 8, SHARED_BYTES), "shared memory")
            module.launch(form.name, (BLOCKS,), (128,), SHARED_BYTES, [words, result])
        except RuntimeError as error:
            print(form.name, error, flush=True)
            failed += 1
        whole += result[:form.whole() * form.bytes]
        checks += b"".join(struct.pack("<I", zlib.crc32(result[i * form.bytes:(i + 1) * form.bytes])) for i in range(BLOCKS))
    of_boxes, count = b"", 0
    for box in boxes():  # A process of its own for each: after an illegal instruction nothing else would run
        ran = subprocess.run([sys.executable, __file__, "box", folder, str(count)], stdout=subprocess.PIPE)
        if ran.returncode != 0:
            print("failed:", box.row(), flush=True)
            failed += 1
        of_boxes += ran.stdout.ljust(box.tensor_bytes + box.shared_bytes, b"\0")
        count += 1
    with open(f"{out}/checks.bin", "wb") as file:
        file.write(checks)
    with open(f"{out}/results.bin.xz", "wb") as file:
        file.write(lzma.compress(whole, preset=3))
    with open(f"{out}/boxes.bin.xz", "wb") as file:
        file.write(lzma.compress(of_boxes, preset=6))
    print(device, "failed:", failed, "bytes:", len(whole), len(of_boxes), f"checks {zlib.crc32(checks):08x}", flush=True)


def run_box(folder, number):
    import run_on_gpu as gpu
    gpu.start()
    results = launch_box(gpu, gpu.Module(f"{folder}/boxes.ptx"), list(boxes())[number])
    sys.stdout.buffer.write(results[0] + results[1])


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(sys.argv[2])
    elif sys.argv[1] == "count":
        count(sys.argv[2])
    elif sys.argv[1] == "box":
        run_box(sys.argv[2], int(sys.argv[3]))
    else:
        run(sys.argv[2], sys.argv[3])
