#!/usr/bin/env python3
"""Forms of Hopper's instructions beside those of hopper.py, on an NVIDIA GPU of compute capability 9.0: sparse wgmma, tensor maps of every mode, interleave and
type, maps that kernels change, st.async and red.async.

  hopper_forms.py write FOLDER      writes the PTX, the operands and the lists
  hopper_forms.py run FOLDER OUT    writes them too, and runs them (needs nothing but libcuda)

The same PTX runs in the replay (tests/h200/hopper_slow_test.cpp). Files as those of hopper.py; what boxes.csv has more, in this order: interleave; corners of im2col
mode, of W first; channels and pixels; offsets. asynchronous.ptx has kernels of clusters of two blocks that take an output of OUT_BYTES.
"""
import ctypes
import os
import subprocess
import sys
from itertools import product

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import hopper
from hopper import BITS, Form, Layout, k_major, mn_major

for number, name in enumerate(["f32ftz", "tf32", "tf32ftz"], start=10):
    hopper.ELEMENTS[name] = 4
    hopper.ELEMENT_NUMBERS[name] = number


class SparseForm(Form):
    """wgmma.mma_async.sp. Metadata are two bits an index, the second greater than the first; of tf32 one of two."""

    def __init__(self, *arguments, selector=0, **more):
        super().__init__(*arguments, **more)
        self.k *= 2
        self.selector = selector
        self.name = f"s{selector}" + self.name[1:]

    def kernel(self, alone=False):
        lines = super().kernel(alone).split("\n")
        at = next(i for i, line in enumerate(lines) if line.startswith("wgmma.mma_async"))
        lines[at] = lines[at].replace("wgmma.mma_async.", "wgmma.mma_async.sp.").replace("%db, %p", f"%db, %meta, {self.selector}, %p")
        metadata = [".reg .b32 %meta, %n;", "mad.lo.u32 %seed, %block, 65536, 999;", "add.u32 %seed, %seed, %thread;"]
        hopper.hashed(metadata, 7)
        # Of each four bits, which come from nowhere else than six pairs, or two values
        metadata += ["mov.u32 %meta, 0;"]
        values = [0x4, 0xe] if self.a == "tf32" else [0x4, 0x8, 0xc, 0x9, 0xd, 0xe]
        table = sum(v << 4 * i for i, v in enumerate(values))
        metadata += [".reg .b64 %table, %shifted;", f"mov.b64 %table, {table};"]
        for nibble in range(8):
            metadata += [f"add.u32 %v, %h, {nibble * 40503};", "mul.lo.u32 %v, %v, 0x9e3779b1;", "shr.u32 %v, %v, 20;", f"rem.u32 %n, %v, {len(values)};", "shl.b32 %n, %n, 2;",
                         "shr.u64 %shifted, %table, %n;", "cvt.u32.u64 %n, %shifted;", "and.b32 %n, %n, 15;", f"shl.b32 %n, %n, {4 * nibble};", "or.b32 %meta, %meta, %n;"]
        fence = lines.index("wgmma.fence.sync.aligned;")
        return "\n".join(lines[:fence] + metadata + lines[fence:]).replace(f"setp.ne.s32 %p, {self.scales[0]}, 0;", "") \
            .replace("wgmma.fence.sync.aligned;", f"setp.ne.s32 %p, {self.scales[0]}, 0;\nwgmma.fence.sync.aligned;")


def columns_of_b(swizzle, bits=16):
    """K-major, 64 bytes a column."""
    return Layout(swizzle, stride=8 * swizzle, leading=16) if swizzle else Layout(0, leading=128, stride=512)


def forms():
    types = [("f32", "f16", "f16"), ("f16", "f16", "f16"), ("f32", "bf16", "bf16"), ("f32", "tf32", "tf32")]
    for n, (d, a, b), selector in product([8, 64], types, [0, 1]):
        yield SparseForm(d, a, b, n, of_b=columns_of_b(0), selector=selector)
        yield SparseForm(d, a, b, n, of_b=columns_of_b(128), registers=True, selector=selector)
    for d, a, b in product(["f32", "f16"], ["e4m3", "e5m2"], ["e4m3", "e5m2"]):
        yield SparseForm(d, a, b, 32, of_b=columns_of_b(0))
        yield SparseForm(d, a, b, 16, of_b=columns_of_b(64), registers=True)
    for a, b, after in product(["s8", "u8"], ["s8", "u8"], ["", ".satfinite"]):
        yield SparseForm("s32", a, b, 32, of_b=columns_of_b(0), after=after)
    yield SparseForm("s32", "u8", "s8", 16, of_b=columns_of_b(64), registers=True)
    for swizzle in [32, 64, 128]:
        yield SparseForm("f32", "f16", "f16", 48, k_major(swizzle), mn_major(swizzle))
        yield SparseForm("f32", "bf16", "bf16", 40, mn_major(swizzle), columns_of_b(128), selector=1)
    yield SparseForm("f32", "f16", "f16", 24, mn_major(0), Layout(0, True, leading=2048, stride=128))
    yield SparseForm("f32", "f16", "f16", 256, of_b=columns_of_b(64))
    for signs in [(0, 1, 1), (1, -1, 1), (1, 1, -1)]:
        yield SparseForm("f32", "f16", "f16", 16, of_b=columns_of_b(0), scale_d=signs[0], scale_a=signs[1], scale_b=signs[2])


class Box(hopper.Box):
    """interleave: 0, 16 or 32 bytes. im2col: (lower corner, upper corner, channels, pixels), W first."""

    def __init__(self, kind, element, extents, box, start, swizzle=0, strides=None, steps=None, nan=False, interleave=0, im2col=None, offsets=(), moved=None):
        self.interleave, self.im2col, self.offsets = interleave, im2col, list(offsets)
        rank, size = len(extents), hopper.ELEMENTS[element]
        unit = interleave or size
        if strides is None:
            strides, bytes_ = [], extents[0] * unit
            for extent in extents[1:]:
                bytes_ = (bytes_ + 31) // 32 * 32
                strides.append(bytes_)
                bytes_ *= extent
        super().__init__(kind, element, extents, box or [16] * rank, start, swizzle, strides, steps, nan)
        self.tensor_bytes = max([extents[0] * unit] + [stride * extent for stride, extent in zip(self.strides, extents[1:])])
        row = interleave or (im2col[2] if im2col else box[0]) * size
        count = 1
        if im2col:
            count = im2col[3]
        else:
            for d, (edge, step) in enumerate(zip(box, self.steps)):
                if d == 0 and not interleave or interleave and d == rank - 2:
                    continue
                count *= (edge + step - 1) // step
        self.moved_bytes = moved or row * count
        self.shared_bytes = (count * (row if interleave else max(row, swizzle)) + 127) // 128 * 128

    def kernel_name(self):
        return f"{self.kind.replace('.', '_')}{'_im2col' if self.im2col else ''}_{self.rank}d"

    def row(self):
        spaced = lambda values: " ".join(str(v) for v in values)
        lower, upper, channels, pixels = self.im2col or ([], [], 0, 0)
        return ";".join([super().row(), str(self.interleave), spaced(lower), spaced(upper), f"{channels} {pixels}" if self.im2col else "", spaced(self.offsets)])


def box_kernel(kind, rank, is_im2col):
    if kind.startswith("replace"):
        return replacing_kernel(kind, rank)
    text = hopper.box_kernel(kind, rank)
    if not is_im2col:
        return text
    text = text.replace(f"{kind.replace('.', '_')}_{rank}d", f"{kind.replace('.', '_')}_im2col_{rank}d")
    if kind != "load":
        return text.replace(".tile.", ".im2col_no_offs.")
    offsets = ", ".join(f"%o{i}" for i in range(rank - 2))
    loads = "\n".join(f"ld.param.u16 %o{i}, [p_o{i}];" for i in range(3))
    parameters = "".join(f", .param .u16 p_o{i}" for i in range(3))
    text = text.replace(".param .u32 p_c4", ".param .u32 p_c4" + parameters)
    text = text.replace(".global.tile.", ".global.im2col.").replace(", [%bar];\nWAIT:", f", [%bar], {{{offsets}}};\nWAIT:")
    return text.replace("mov.b64 %map, p_map;", ".reg .b16 %o<3>;\n" + loads + "\nmov.b64 %map, p_map;")


# What the kernels that change their map make of it
REPLACED = [("global_address", "b64", None, "%moved_to"), ("global_dim", "b32", 0, 24), ("global_dim", "b32", 1, 9), ("global_stride", "b64", 0, 512), ("box_dim", "b32", 0, 16),
            ("box_dim", "b32", 1, 5), ("element_stride", "b32", 1, 2), ("elemtype", "b32", "value", 7), ("swizzle_mode", "b32", "value", 2), ("fill_mode", "b32", "value", 1),
            ("interleave_layout", "b32", "value", 0), ("rank", "b32", None, 1)]
REPLACED_BYTES = 16 * 4 * 3


def replacing_kernel(kind, rank):
    """Changes a copy of the map in shared or in global memory: behind what `out` gets. The copy is zeroed at the end, since a map's bits are opaque."""
    in_shared = kind == "replace_shared"
    where, space = ("%copy", ".shared::cta") if in_shared else ("%room", ".global")
    lines = [".reg .b64 %copy, %room, %moved_to, %tensor, %word, %new; .reg .b32 %copy_at, %new32; .shared .align 128 .b8 map_copy[128];",
             "ld.param.u64 %tensor, [p_tensor];", "add.s64 %moved_to, %tensor, 256;", "cvt.u64.u32 %at, %bytes;", "add.s64 %room, %out, %at;",
             "mov.u32 %copy_at, map_copy;", "cvt.u64.u32 %copy, %copy_at;", "setp.ge.u32 %p, %thread, 16;", "@%p bra COPIED_MAP;", "mul.wide.u32 %at, %thread, 8;",
             "add.s64 %at, %at, %map;", "ld.u64 %word, [%at];", "shl.b32 %t, %thread, 3;", "add.u32 %t, %t, %copy_at;", "st.shared.u64 [%t], %word;",
             "mul.wide.u32 %at, %thread, 8;", "add.s64 %at, %at, %room;", "st.global.u64 [%at], %word;", "COPIED_MAP:", "bar.sync 0;", "@%q bra REPLACED_MAP;"]
    for field, type_, ordinal, value in REPLACED:
        name = f"tensormap.replace.tile.{field}{space}.b1024.{type_} [{where}]"
        register = "%new" if type_ == "b64" else "%new32"
        if ordinal == "value":
            lines.append(f"{name}, {value};")
        else:
            lines += [f"mov.{type_} {register}, {value};", f"{name}, {'' if ordinal is None else f'{ordinal}, '}{register};"]
    lines += ["REPLACED_MAP:", "bar.sync 0;", "setp.ge.u32 %p, %thread, 32;", "@%p bra RELEASED_MAP;"]
    if in_shared:
        lines.append("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%room], [%copy_at], 128;")
    else:
        lines.append("fence.proxy.tensormap::generic.release.gpu;")
    lines += ["RELEASED_MAP:", "bar.sync 0;", "fence.proxy.tensormap::generic.acquire.gpu [%room], 128;", "mov.u64 %map, %room;"]
    text = hopper.box_kernel("load", rank).replace(f"load_{rank}d", f"{kind}_{rank}d")
    text = text.replace("fence.proxy.async.shared::cta;\nbar.sync 0;", "fence.proxy.async.shared::cta;\nbar.sync 0;\n" + "\n".join(lines), 1)
    zeroing = "\n".join(f"@!%q st.global.u64 [%room+{8 * i}], 0;" for i in range(16))
    return text.replace("COPIED:\nret;", "COPIED:\n" + zeroing + "\nret;")


def boxes():
    d4, small = [64, 10, 9, 3], [16, 5, 4, 3]
    yield Box("load", "u16", d4, None, [8, 3, 4, 0], im2col=([0, 0], [0, 0], 32, 40), offsets=[0, 0])
    for offsets in [(0, 0), (1, 2), (2, 0)]:
        yield Box("load", "u16", d4, None, [0, -1, -1, 0], im2col=([-1, -1], [-1, -1], 16, 64), offsets=offsets)
    yield Box("load", "f16", d4, None, [16, 7, 4, 1], im2col=([-1, -2], [1, 0], 16, 64), offsets=[2, 2], nan=True)
    yield Box("load", "bf16", d4, None, [56, 7, 4, 0], im2col=([0, 0], [-2, -2], 16, 64), offsets=[2, 2])
    yield Box("load", "u16", d4, None, [-8, 7, 4, 2], im2col=([-3, -3], [2, 2], 16, 200), offsets=[3, 3])
    for steps in [[1, 2, 2, 1], [1, 3, 2, 1], [1, 2, 1, 2]]:
        yield Box("load", "u16", d4, None, [0, -1, -1, 0], im2col=([-1, -1], [-1, -1], 16, 48), offsets=[1, 1], steps=steps)
    for swizzle, channels in [(32, 16), (64, 32), (128, 64), (128, 32), (64, 16)]:
        yield Box("load", "u16", d4, None, [0, -1, -1, 0], swizzle, im2col=([-1, -1], [-1, -1], channels, 40), offsets=[1, 0])
    yield Box("load", "f32", [36, 10, 9, 3], None, [32, -1, -1, 0], im2col=([-1, -1], [-1, -1], 8, 40), offsets=[1, 0], strides=[160, 1600, 14400])
    yield Box("load", "u8", [64, 20, 5], None, [16, 3, 0], im2col=([-2], [1], 32, 30), offsets=[4])
    yield Box("load", "u16", [64, 20, 5], None, [0, 3, 4], im2col=([-2], [1], 16, 30), offsets=[4], steps=[1, 3, 1])
    yield Box("load", "u16", [16, 7, 5, 4, 3], None, [0, 2, 1, 1, 0], im2col=([-1, 0, -1], [-1, -1, 1], 16, 200), offsets=[1, 1, 0])
    yield Box("load", "u16", [16, 7, 5, 4, 3], None, [0, 2, 1, 1, 0], im2col=([-1, 0, -1], [-1, -1, 1], 16, 200), offsets=[1, 1, 2], steps=[1, 2, 1, 2, 1])
    yield Box("load", "tf32", small, None, [0, -1, -1, 0], im2col=([-1, -1], [-1, -1], 16, 60), offsets=[1, 1], nan=True)
    for swizzle in [0, 64]:
        yield Box("store", "u16", d4, None, [40, 3, 8, 2], swizzle, im2col=([0, 0], [0, 0], 32, 40))
    yield Box("store", "u16", d4, None, [0, 3, 4, 0], im2col=([0, 0], [-2, -2], 16, 100), steps=[1, 2, 1, 1])
    yield Box("reduce.add", "u32", small, None, [4, 3, 2, 0], im2col=([0, 0], [0, 0], 8, 40))
    for interleave, swizzle in [(16, 0), (16, 32), (16, 64), (16, 128), (32, 32)]:
        yield Box("load", "u16", [20, 12, 9], [8, 3, 2], [1, 8, 8], swizzle, interleave=interleave)
        yield Box("load", "f16", [20, 12, 9, 3], [8, 4, 5, 2], [-3, 10, 4, 1], swizzle, interleave=interleave, nan=True)
        yield Box("load", "u32", [12, 7, 5, 4, 3], [8, 3, 2, 9, 2], [2, -1, 4, 2, 1], swizzle, interleave=interleave)
        yield Box("load", "u8", [40, 12, 9], [16, 64, 4], [5, 1, 2], swizzle, interleave=interleave, steps=[4, 3, 2])
        yield Box("load", "u16", [5, 12, 6, 3], None, [0, 3, 2, 0], swizzle, interleave=interleave, im2col=([-1, -2], [-1, 1], 16, 70), offsets=[1, 2])
        yield Box("load", "u16", [5, 12, 3], None, [1, 2, 0], swizzle, interleave=interleave, im2col=([0], [0], 8, 20), offsets=[0], steps=[2, 1, 1])
        yield Box("store", "u16", [20, 12, 9], [8, 3, 2], [1, 8, 8], swizzle, interleave=interleave)
        yield Box("reduce.add", "u32", [20, 12, 9], [4, 3, 2], [18, 2, 3], swizzle, interleave=interleave)
        yield Box("store", "u16", [5, 12, 6, 3], None, [0, 1, 1, 0], swizzle, interleave=interleave, im2col=([0, 0], [0, 0], 16, 40))
    for element in ["f32ftz", "tf32", "tf32ftz"]:
        for kind in ["load", "store", "reduce.add"]:
            yield Box(kind, element, [40, 33], [32, 20], [16, 17], nan=kind == "load")
        yield Box("load", element, [64, 33], [32, 32], [0, 0], 128)
    for element in ["f32", "f16", "bf16", "f64"]:
        yield Box("reduce.add", element, [32, 33], [16, 32], [0, 0])
    for kind in ["replace_shared", "replace_global"]:
        for start in [(0, 0), (16, 6), (-8, -1)]:
            yield Box(kind, "u32", [128, 16], [32, 4], list(start), 128, moved=REPLACED_BYTES)


OUT_BYTES = 4096
STORED = [("b32", 1), ("f32", 1), ("b64", 1), ("s64", 1), ("f64", 1), ("b32", 2), ("s64", 2), ("u32", 4), ("f32", 4)]
REDUCED = [("add", "u32"), ("add", "s32"), ("add", "u64"), ("min", "u32"), ("min", "s32"), ("max", "u32"), ("max", "s32"), ("and", "b32"), ("or", "b32"), ("xor", "b32"), ("inc", "u32"),
           ("dec", "u32")]


def asynchronous_kernel(name, instruction, type_, count, is_store):
    """Each of 64 threads sends to the other block of its cluster; its words are then stored, those of block 0 first."""
    size = 8 if type_.endswith("64") else 4
    bytes_ = size * count
    lines = [f".visible .entry {name}(.param .u64 p_out)", ".reqntid 64", ".reqnctapercluster 2", "{",
             ".reg .b64 %out, %at, %state, %v<4>; .reg .b32 %thread, %rank, %other, %s, %bar, %to, %their_bar, %i, %t, %w, %x<4>; .reg .pred %p, %q;",
             ".shared .align 16 .b8 words[1024]; .shared .align 8 .b64 barrier;",
             "ld.param.u64 %out, [p_out];", "mov.u32 %thread, %tid.x;", "mov.u32 %rank, %cluster_ctarank;", "xor.b32 %other, %rank, 1;", "mov.u32 %s, words;", "mov.u32 %bar, barrier;",
             "mov.u32 %i, 0;", "FILL:", "mad.lo.u32 %t, %i, 256, 0;", "mad.lo.u32 %t, %thread, 4, %t;", "add.u32 %w, %t, %s;", "mad.lo.u32 %t, %t, 0x01000193, 77;", "st.shared.u32 [%w], %t;",
             "add.u32 %i, %i, 1;", "setp.lt.u32 %p, %i, 4;", "@%p bra FILL;",
             "setp.ne.u32 %q, %thread, 0;", "@!%q mbarrier.init.shared.b64 [%bar], 1;", "fence.mbarrier_init.release.cluster;", "bar.sync 0;",
             f"@!%q mbarrier.arrive.expect_tx.shared.b64 %state, [%bar], {64 * bytes_};", "barrier.cluster.arrive.aligned;", "barrier.cluster.wait.aligned;",
             "mapa.shared::cluster.u32 %to, %s, %other;", "mapa.shared::cluster.u32 %their_bar, %bar, %other;"]
    # Reductions of several threads meet in one word, but not those whose order counts
    lines.append(f"mad.lo.u32 %to, %thread, {bytes_}, %to;" if is_store else f"and.b32 %t, %thread, 15;\nmad.lo.u32 %to, %t, {bytes_}, %to;")
    lines += ["mad.lo.u32 %t, %rank, 64, %thread;", "mad.lo.u32 %t, %t, 0x9e3779b1, 5;"]
    if type_ in ("u32",) and name.split("_")[1] in ("inc", "dec"):
        lines.append("mov.u32 %t, 0x70000000;")
    names = []
    for k in range(count):
        if size == 8:
            lines += [f"mul.wide.u32 %v{k}, %t, {0x85ebca6b + k};"]
            names.append(f"%v{k}")
        else:
            lines += [f"add.u32 %x{k}, %t, {k * 0x01010101};"]
            names.append(f"%x{k}")
    data = names[0] if count == 1 else "{" + ", ".join(names) + "}"
    lines += [f"{instruction} [%to], {data}, [%their_bar];", "WAIT:", "mbarrier.try_wait.parity.shared.b64 %p, [%bar], 0;", "@!%p bra WAIT;", "mov.u32 %i, 0;", "COPY:",
              "mad.lo.u32 %t, %i, 256, 0;", "mad.lo.u32 %t, %thread, 4, %t;", "add.u32 %w, %t, %s;", "ld.shared.u32 %w, [%w];", "mad.lo.u32 %t, %rank, 1024, %t;", "cvt.u64.u32 %at, %t;",
              "add.s64 %at, %at, %out;", "st.global.u32 [%at], %w;", "add.u32 %i, %i, 1;", "setp.lt.u32 %p, %i, 4;", "@%p bra COPY;", "barrier.cluster.arrive.aligned;",
              "barrier.cluster.wait.aligned;", "ret;", "}"]
    return "\n".join(lines)


def asynchronous():
    for type_, count in STORED:
        vector = f".v{count}" if count > 1 else ""
        yield f"store_{type_}_{count}", asynchronous_kernel(f"store_{type_}_{count}", f"st.async.weak.shared::cluster.mbarrier::complete_tx::bytes{vector}.{type_}", type_, count, True)
    for op, type_ in REDUCED:
        yield f"reduce_{op}_{type_}", asynchronous_kernel(f"reduce_{op}_{type_}", f"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.{op}.{type_}", type_, 1, False)


def tensor_contents(box):
    if box.element not in ("f32ftz", "tf32", "tf32ftz"):
        return hopper.tensor_contents(box.tensor_bytes)
    words = []  # Any bits, and every fourth a subnormal number, or a NaN or infinity
    for i in range(box.tensor_bytes // 4):
        word = i * 2654435761 + 97 & 0xffffffff
        words.append(word & 0x807fffff if i % 8 == 3 else word | 0x7f800000 if i % 8 == 7 else word)
    return bytearray(b"".join(word.to_bytes(4, "little") for word in words))


def write(folder):
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/pool.bin", "wb") as file:
        file.write(hopper.pool()[0])
    all_forms = list(forms())
    names = [form.name for form in all_forms]
    assert len(set(names)) == len(names), [n for n in names if names.count(n) > 1]
    with open(f"{folder}/forms.csv", "w") as table, open(f"{folder}/wgmma.ptx", "w") as file:
        file.write(hopper.HEADER + ".extern .shared .align 1024 .b8 shared_bytes[];\n\n" + "\n\n".join(form.kernel() for form in all_forms) + "\n")
        for form in all_forms:
            table.write(f"{form.name},{hopper.BLOCKS},{form.whole()},{form.bytes}\n")
    all_boxes = list(boxes())
    kernels = sorted({(box.kind, box.rank, box.im2col is not None) for box in all_boxes})
    with open(f"{folder}/boxes.csv", "w") as table, open(f"{folder}/boxes.ptx", "w") as file:
        file.write(hopper.HEADER + hopper.shared_arrays() + "\n" + "\n\n".join(box_kernel(*kernel) for kernel in kernels) + "\n")
        table.writelines(box.row() + "\n" for box in all_boxes)
    with open(f"{folder}/asynchronous.csv", "w") as table, open(f"{folder}/asynchronous.ptx", "w") as file:
        file.write(hopper.HEADER + "\n\n".join(kernel for _, kernel in asynchronous()) + "\n")
        table.writelines(f"{name}\n" for name, _ in asynchronous())


def encoded(gpu, box, address):
    if not box.im2col and not box.interleave:
        return hopper_encoded(gpu, box, address)
    map_ = (ctypes.c_char * 192)()
    at = ctypes.addressof(map_) + 63 & ~63
    u64, u32, i32 = ctypes.c_uint64, ctypes.c_uint32, ctypes.c_int
    common = [ctypes.c_void_p(at), hopper.ELEMENT_NUMBERS[box.element], u32(box.rank), u64(address), (u64 * 5)(*box.extents), (u64 * 4)(*box.strides)]
    last = [(u32 * 5)(*box.steps), box.interleave // 16, {0: 0, 32: 1, 64: 2, 128: 3}[box.swizzle], 0, int(box.nan)]
    if box.im2col:
        lower, upper, channels, pixels = box.im2col
        code = gpu.cuda.cuTensorMapEncodeIm2col(*common, (i32 * 3)(*lower), (i32 * 3)(*upper), u32(channels), u32(pixels), *last)
    else:
        code = gpu.cuda.cuTensorMapEncodeTiled(*common, (u32 * 5)(*box.box), *last)
    gpu.check(code, f"encoding of {box.row()}")
    return ctypes.string_at(at, 128)


hopper_encoded = hopper.encoded
hopper.encoded = encoded


def launch_box(gpu, module, box):
    function = ctypes.c_void_p()
    gpu.check(gpu.cuda.cuModuleGetFunction(ctypes.byref(function), module.handle, box.kernel_name().encode()), box.kernel_name())
    tensor, out = tensor_contents(box), bytearray(box.shared_bytes + 128)
    addresses = []
    for buffer in (tensor, out):
        address = ctypes.c_uint64()
        gpu.check(gpu.cuda.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(len(buffer))), "cuMemAlloc")
        gpu.check(gpu.cuda.cuMemcpyHtoD_v2(address, (ctypes.c_char * len(buffer)).from_buffer(buffer), ctypes.c_size_t(len(buffer))), "upload")
        addresses.append(address)
    map_ = ctypes.create_string_buffer(encoded(gpu, box, addresses[0].value), 128)
    scalars = [ctypes.c_uint32(v & 0xffffffff) for v in [box.shared_bytes, box.moved_bytes] + (box.start + [0] * 5)[:5]]
    offsets = [ctypes.c_uint16(v) for v in (box.offsets + [0] * 3)[:3]] if box.im2col and box.kind == "load" else []
    arguments = [ctypes.addressof(map_)] + [ctypes.addressof(a) for a in addresses + scalars + offsets]
    gpu.check(gpu.cuda.cuLaunchKernel(function, 1, 1, 1, 128, 1, 1, box.shared_bytes, None, (ctypes.c_void_p * len(arguments))(*arguments), None), "launch")
    gpu.check(gpu.cuda.cuCtxSynchronize(), box.kernel_name())
    for buffer, address in zip((tensor, out), addresses):
        gpu.check(gpu.cuda.cuMemcpyDtoH_v2((ctypes.c_char * len(buffer)).from_buffer(buffer), address, ctypes.c_size_t(len(buffer))), "download")
        gpu.check(gpu.cuda.cuMemFree_v2(address), "cuMemFree")
    return tensor, out


def run_boxes(folder, first):
    """Those from `first` on, until one fails: after an illegal instruction nothing else would run. Prints how many ran, before their results."""
    import run_on_gpu as gpu
    gpu.start()
    module, results, count = gpu.Module(f"{folder}/boxes.ptx"), b"", 0
    for box in list(boxes())[first:]:
        try:
            tensor, out = launch_box(gpu, module, box)
        except RuntimeError as error:
            print(box.row(), error, file=sys.stderr, flush=True)
            break
        results += tensor + out
        count += 1
    sys.stdout.buffer.write(count.to_bytes(4, "little") + results)


def run(folder, out):
    import lzma
    import struct
    import zlib
    import run_on_gpu as gpu
    write(folder)
    os.makedirs(out, exist_ok=True)
    all_boxes, of_boxes, failed, at = list(boxes()), b"", 0, 0
    while at < len(all_boxes):
        ran = subprocess.run([sys.executable, __file__, "boxes", folder, str(at)], stdout=subprocess.PIPE).stdout
        if len(ran) < 4:
            print("boxes could not be run", flush=True)
            break
        count = int.from_bytes(ran[:4], "little")
        of_boxes += ran[4:]
        at += count
        if at < len(all_boxes):
            failed += 1
            of_boxes += bytes(all_boxes[at].tensor_bytes + all_boxes[at].shared_bytes + 128)
            at += 1
    device = gpu.start()
    whole, checks, asynchronous_results = b"", b"", b""
    words = bytearray(open(f"{folder}/pool.bin", "rb").read())
    module = gpu.Module(f"{folder}/asynchronous.ptx")
    for name, _ in asynchronous():
        result = bytearray(OUT_BYTES)
        module.launch(name, (2,), (64,), 0, [result])
        asynchronous_results += result
    module = gpu.Module(f"{folder}/wgmma.ptx")
    for form in forms():
        result = bytearray(hopper.BLOCKS * form.bytes)
        try:
            function = ctypes.c_void_p()
            gpu.check(gpu.cuda.cuModuleGetFunction(ctypes.byref(function), module.handle, form.name.encode()), form.name)
            gpu.check(gpu.cuda.cuFuncSetAttribute(function, 8, hopper.SHARED_BYTES), "shared memory")
            module.launch(form.name, (hopper.BLOCKS,), (128,), hopper.SHARED_BYTES, [words, result])
        except RuntimeError as error:
            print(form.name, error, flush=True)
            failed += 1
        whole += result[:form.whole() * form.bytes]
        checks += b"".join(struct.pack("<I", zlib.crc32(result[i * form.bytes:(i + 1) * form.bytes])) for i in range(hopper.BLOCKS))
    for name, content in [("checks", checks), ("results", whole), ("boxes", of_boxes), ("asynchronous", asynchronous_results)]:
        with open(f"{out}/{name}.bin.xz", "wb") as file:
            file.write(lzma.compress(content, preset=3))
    print(device, "failed:", failed, "bytes:", len(whole), len(of_boxes), len(asynchronous_results), flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(sys.argv[2])
    elif sys.argv[1] == "boxes":
        run_boxes(sys.argv[2], int(sys.argv[3]))
    else:
        run(sys.argv[2], sys.argv[3])
