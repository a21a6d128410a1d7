#!/usr/bin/env python3
"""Every form of mma, mma.sp, wmma.mma and movmatrix of sm_90, on raw bits of every kind; and the fragments of wmma.

  tensor_cores.py write FOLDER        writes the PTX, the operands and the list of forms
  tensor_cores.py run FOLDER OUT      writes them too, and runs them on an NVIDIA GPU (needs nothing but libcuda)

The same PTX runs in the replay (tests/h200/tensor_cores_slow_test.cpp). A kernel takes (pool, out); each block is one warp. A warp picks
its operands from the pool by a hash of warp, lane and register, of a kind of values that its number decides (KINDS).

  pool.bin            for each type of elements, 14 kinds of 256 words (of 8 bytes for f64)
  forms.csv           name, module, warps that run, warps whose results are kept whole, bytes a warp
  outputs.bin.xz      of each form in turn, the results of the warps that are kept whole
  checks.bin          of each form in turn, the CRC-32 of each warp's results
  fragments.csv       name of a wmma.load, registers, bits of an element, passes; or of a wmma.store
  fragments.bin.xz    of each load in turn, for each pass its registers; of each store in turn, the memory
"""
import lzma
import os
import random
import struct
import sys
import zlib
from itertools import product

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

KINDS = 14
WORDS = 256
#                exponent bits, mantissa bits, elements in a word
FLOATS = {"f16": (5, 10, 2), "bf16": (8, 7, 2), "f32": (8, 23, 1), "e4m3": (4, 3, 4), "e5m2": (5, 2, 4), "f64": (11, 52, 1)}
POOLS = list(FLOATS) + ["int8", "int4", "b1", "s32", "ordered", "unordered", "one_of_two"]
FULL_ROUND = KINDS * KINDS


def float_element(kind, exponent_bits, mantissa_bits, rng):
    top, bias, fraction = (1 << exponent_bits) - 1, (1 << exponent_bits - 1) - 1, (1 << mantissa_bits) - 1
    sign = rng.getrandbits(1) << exponent_bits + mantissa_bits
    mantissa = rng.getrandbits(mantissa_bits)
    few = [0, 0, 1, fraction, (fraction + 1) // 2]

    def of(exponent, m=mantissa):
        return sign | max(0, min(exponent, top)) << mantissa_bits | m

    if kind == 0:  # Any bits
        return rng.getrandbits(exponent_bits + mantissa_bits + 1)
    if kind == 1:  # Near 1
        return of(bias + rng.randint(-2, 2))
    if kind == 2:  # As data of networks are
        return of(max(1, bias + rng.randint(-8, 3)))
    if kind == 3:  # Anything finite
        return of(rng.randint(0, top - 1))
    if kind == 4:  # Subnormal or next to it
        return of(0 if rng.random() < 0.875 else rng.randint(1, 3))
    if kind == 5:  # Few values, whose products cancel
        return of(bias, few[rng.randint(0, 4)])
    if kind == 6:  # Powers of two
        return of(rng.randint(1, top - 1), 0)
    if kind == 7:  # Zeros beside large values
        return sign if rng.random() < 0.5 else of(top - rng.randint(1, max(1, top // 4)))
    if kind == 8:  # Infinities; of e4m3, the largest values
        return of(top, 0) if rng.random() < 1 / 48 else of(bias + rng.randint(-2, 2))
    if kind == 9:  # NaN of any payload
        return of(top, mantissa | 1 if exponent_bits != 4 else fraction) if rng.random() < 1 / 48 else of(bias + rng.randint(-2, 2))
    if kind == 10:  # Mostly zeros
        return sign if rng.random() < 0.75 else of(bias, few[rng.randint(0, 4)])
    if kind == 11:  # Next to overflow
        return of(top - rng.randint(1, 3))
    if kind == 12:  # The smallest beside ordinary ones
        return of(rng.randint(0, 2)) if rng.random() < 0.5 else of(bias + rng.randint(-3, 3))
    return sign  # Zeros of both signs


def float_word(kind, name, rng):
    exponent_bits, mantissa_bits, elements = FLOATS[name]
    bits = 1 + exponent_bits + mantissa_bits
    return sum(float_element(kind, exponent_bits, mantissa_bits, rng) << bits * i for i in range(elements))


def integer_word(kind, bits, rng):
    low, high, ones = 1 << bits - 1, (1 << bits - 1) - 1, (1 << bits) - 1
    choices = {2: [low, high, ones, 0], 3: [0, 1, ones], 4: [0] * 7 + [ones], 5: [high], 6: [low], 7: [ones], 10: [0, 0, 0, 1], 13: [0]}
    word = 0
    for i in range(32 // bits):
        element = rng.choice(choices[kind]) & ones if kind in choices else rng.getrandbits(bits)
        word |= element << bits * i
    return word


def accumulator_word(kind, rng):
    if kind % 4 == 0:
        return rng.getrandbits(32)
    near = {1: 0, 2: 0x7FFFFFFF, 3: 0x80000000}[kind % 4]
    return near + rng.randint(-300, 300) & 0xFFFFFFFF


def pool_word(name, kind, rng):
    if name in FLOATS:
        return float_word(kind, name, rng)
    if name in ("int8", "int4", "b1"):
        return rng.getrandbits(32) if name == "b1" and kind < 8 else integer_word(kind, {"int8": 8, "int4": 4, "b1": 4}[name], rng)
    if name == "s32":
        return accumulator_word(kind, rng)
    nibbles = {"ordered": [4, 8, 9, 12, 13, 14], "unordered": [i | j << 2 for i in range(4) for j in range(4) if i != j], "one_of_two": [14, 4]}[name]
    return sum(rng.choice(nibbles) << 4 * i for i in range(8))


def pool():
    """The words of all types, and where each type's begin."""
    data, starts = b"", {}
    for number, name in enumerate(POOLS):
        rng = random.Random(7000 + number)
        starts[name] = len(data)
        for kind in range(KINDS):
            data += struct.pack(f"<{WORDS}{'Q' if name == 'f64' else 'I'}", *[pool_word(name, kind, rng) for _ in range(WORDS)])
    return data, starts


STARTS = pool()[1]
POOL_OF = {"tf32": "f32", "s8": "int8", "u8": "int8", "s4": "int4", "u4": "int4"}


class Form:
    """One instruction: its text before the operands, then (type, registers) of d, a, b, c."""

    def __init__(self, opcode, d, a, b, c, metadata=None, selectors=1, warps=FULL_ROUND, kept=28):
        self.opcode, self.operands, self.metadata, self.selectors = opcode, (d, a, b, c), metadata, selectors
        self.warps, self.kept = warps, kept
        self.name = "t_" + opcode.replace("::", "_").replace(".sync.aligned", "").replace(".", "_")
        self.bytes = 32 * d[1] * (8 if d[0] == "f64" else 4)

    def kernel(self):
        registers = {"f64": "f64", "f32": "f32"}
        lines = [f".visible .entry {self.name}(.param .u64 p_pool, .param .u64 p_out)", "{",
                 ".reg .b64 %pool, %out, %at; .reg .b32 %lane, %warp, %a_kind, %b_kind, %c_kind, %e_kind, %seed, %t, %h; .reg .pred %p;"]
        names = []
        for letter, (type_, count) in zip("dabc", self.operands):
            kind = registers.get(type_, "b32")
            lines.append(f".reg .{kind} %{letter}<{count}>;")
            names.append("{" + ", ".join(f"%{letter}{i}" for i in range(count)) + "}")
        lines += [".reg .b32 %e0;", "ld.param.u64 %pool, [p_pool];", "ld.param.u64 %out, [p_out];", "mov.u32 %lane, %tid.x;", "mov.u32 %warp, %ctaid.x;",
                  f"rem.u32 %a_kind, %warp, {KINDS};", f"div.u32 %t, %warp, {KINDS};", f"rem.u32 %b_kind, %t, {KINDS};",
                  "mad.lo.u32 %t, %warp, 5, %t;", f"div.u32 %h, %warp, {FULL_ROUND};", "mad.lo.u32 %t, %h, 3, %t;", f"rem.u32 %c_kind, %t, {KINDS};",
                  "mov.u32 %e_kind, %a_kind;",
                  "mad.lo.u32 %seed, %warp, 32, %lane;", "mul.lo.u32 %seed, %seed, 64;"]
        number = 0
        operands = list(zip("abc", self.operands[1:]))
        if self.metadata:
            operands.append(("e", (self.metadata, 1)))
        for letter, (type_, count) in operands:
            size = 8 if type_ == "f64" else 4
            load = registers.get(type_, "b32")
            for i in range(count):
                start = STARTS[POOL_OF.get(type_, type_)]
                lines += [f"add.u32 %h, %seed, {number};", "shr.u32 %t, %h, 16;", "xor.b32 %h, %h, %t;", f"mul.lo.u32 %h, %h, {0x7feb352d};", "shr.u32 %t, %h, 15;",
                          "xor.b32 %h, %h, %t;", f"mul.lo.u32 %h, %h, {0x846ca68b - (1 << 32)};", "shr.u32 %t, %h, 16;", "xor.b32 %h, %h, %t;",
                          f"and.b32 %h, %h, {WORDS - 1};", f"mad.lo.u32 %h, %{letter}_kind, {WORDS}, %h;", f"mad.wide.u32 %at, %h, {size}, %pool;",
                          f"ld.global.{load} %{letter}{i}, [%at+{start}];"]
                number += 1
        d, a, b, c = names
        if not self.metadata:
            lines.append(f"{self.opcode} {d}, {a}, {b}, {c};")
        elif self.selectors == 1:
            lines.append(f"{self.opcode} {d}, {a}, {b}, {c}, %e0, 0x0;")
        else:
            lines.append(f"rem.u32 %t, %warp, {self.selectors};")
            for selector in range(self.selectors):
                lines += [f"setp.ne.u32 %p, %t, {selector};", f"@%p bra $L{selector};", f"{self.opcode} {d}, {a}, {b}, {c}, %e0, {hex(selector)};", f"$L{selector}:"]
        type_, count = self.operands[0]
        size = 8 if type_ == "f64" else 4
        store = registers.get(type_, "b32")
        lines += [f"mul.lo.u32 %t, %warp, {self.bytes};", f"mad.lo.u32 %t, %lane, {size}, %t;", "cvt.u64.u32 %at, %t;", "add.s64 %at, %at, %out;"]
        lines += [f"st.global.{store} [%at+{32 * size * i}], %d{i};" for i in range(count)]
        return "\n".join(lines + ["ret;", "}"])


def registers_of(type_, elements):
    """How many registers a lane has of a matrix of so many elements."""
    bits = {"f64": 64, "f32": 32, "tf32": 32, "s32": 32, "f16": 16, "bf16": 16, "s8": 8, "u8": 8, "e4m3": 8, "e5m2": 8, "s4": 4, "u4": 4, "b1": 1}[type_]
    return elements * bits // 32 // (64 if bits == 64 else 32)


def mma(shape, types, layout="row.col", before="", after="", sparse="", selectors=1, **counts):
    m, n, k = shape
    d, a, b, c = types
    times = 4 if shape == (8, 8, 4) and a == "f16" else 1
    metadata = {"": None, ".sp": "unordered", ".sp::ordered_metadata": "ordered"}[sparse]
    if metadata and a == "tf32":
        metadata = "one_of_two"
    opcode = f"mma{sparse}.sync.aligned.m{m}n{n}k{k}.{layout}{before}.{d}.{a}.{b}.{c}{after}"
    return Form(opcode, (d, registers_of(d, m * n * times)), (a, registers_of(a, m * k * times) // (2 if metadata else 1)), (b, registers_of(b, k * n * times)),
                (c, registers_of(c, m * n * times)), metadata, selectors, **counts)


def dense_floats():
    many = dict(warps=3 * FULL_ROUND, kept=FULL_ROUND)
    for x, y, (d, c) in product(["row", "col"], ["row", "col"], [("f16", "f16"), ("f32", "f16"), ("f32", "f32")]):
        yield mma((8, 8, 4), (d, "f16", "f16", c), f"{x}.{y}", **(many if (x, y) == ("row", "col") else {}))
    for k, t in product([8, 16], ["f16", "f32"]):
        yield mma((16, 8, k), (t, "f16", "f16", t), **many)
    for k in [8, 16]:
        yield mma((16, 8, k), ("f32", "bf16", "bf16", "f32"), **many)
    for k in [4, 8]:
        yield mma((16, 8, k), ("f32", "tf32", "tf32", "f32"), **many)
    for shape, rounding in product([(8, 8, 4), (16, 8, 4), (16, 8, 8), (16, 8, 16)], ["", ".rn", ".rz", ".rm", ".rp"]):
        yield mma(shape, ("f64",) * 4, before=rounding, kept=56 if not rounding else 14)
    for k, a, b, t in product([16, 32], ["e4m3", "e5m2"], ["e4m3", "e5m2"], ["f16", "f32"]):
        yield mma((16, 8, k), (t, a, b, t), **many)


def dense_integers():
    for types, shapes in [(("s8", "u8"), [(8, 8, 16), (16, 8, 16), (16, 8, 32)]), (("s4", "u4"), [(8, 8, 32), (16, 8, 32), (16, 8, 64)])]:
        for shape, a, b, sat in product(shapes, types, types, ["", ".satfinite"]):
            yield mma(shape, ("s32", a, b, "s32"), before=sat)
    for shape, op in product([(8, 8, 128), (16, 8, 128), (16, 8, 256)], ["xor", "and"]):
        yield mma(shape, ("s32", "b1", "b1", "s32"), after=f".{op}.popc")


def sparse_forms():
    for sparse in [".sp", ".sp::ordered_metadata"]:
        for (k, selectors), t in product([(16, 4), (32, 2)], ["f16", "f32"]):
            yield mma((16, 8, k), (t, "f16", "f16", t), sparse=sparse, selectors=selectors, kept=98)
        for k, selectors in [(16, 4), (32, 2)]:
            yield mma((16, 8, k), ("f32", "bf16", "bf16", "f32"), sparse=sparse, selectors=selectors, kept=98)
        for k, selectors in [(8, 4), (16, 2)]:
            yield mma((16, 8, k), ("f32", "tf32", "tf32", "f32"), sparse=sparse, selectors=selectors, kept=98)
        for a, b in product(["e4m3", "e5m2"], repeat=2):
            yield mma((16, 8, 64), ("f32", a, b, "f32"), sparse=sparse, kept=98)
        for types, ks in [(("s8", "u8"), [(32, 2), (64, 1)]), (("s4", "u4"), [(64, 2), (128, 1)])]:
            for (k, selectors), a, b, sat in product(ks, types, types, ["", ".satfinite"]):
                yield mma((16, 8, k), ("s32", a, b, "s32"), before=sat, sparse=sparse, selectors=selectors)


WIDE_SHAPES = [(16, 16, 16), (8, 32, 16), (32, 8, 16)]


def wmma_registers(shape, matrix, type_):
    m, n, k = shape
    elements = {"a": m * k, "b": k * n, "c": m * n}[matrix]
    if type_ == "f16" and matrix != "c":
        return 8
    return registers_of(type_, elements)


def wmma(shape, layout, types, suffix, op="", rounding="", after=""):
    d, a, b, c = types
    m, n, k = shape
    opcode = f"wmma.mma{op}.sync.aligned.{layout}.m{m}n{n}k{k}{rounding}.{suffix}{after}"
    return Form(opcode, (d, wmma_registers(shape, "c", d)), (a, wmma_registers(shape, "a", a)), (b, wmma_registers(shape, "b", b)), (c, wmma_registers(shape, "c", c)))


def wmma_forms():
    layouts = [f"{x}.{y}" for x in ("row", "col") for y in ("row", "col")]
    for shape, layout, d, c in product(WIDE_SHAPES, layouts, ["f16", "f32"], ["f16", "f32"]):
        yield wmma(shape, layout, (d, "f16", "f16", c), f"{d}.{c}")
    for shape, layout in product(WIDE_SHAPES, layouts):
        yield wmma(shape, layout, ("f32", "bf16", "bf16", "f32"), "f32.bf16.bf16.f32")
    for shape, layout, t, sat in product(WIDE_SHAPES, layouts, ["s8", "u8"], ["", ".satfinite"]):
        yield wmma(shape, layout, ("s32", t, t, "s32"), f"s32.{t}.{t}.s32", after=sat)
    for layout in layouts:
        yield wmma((16, 16, 8), layout, ("f32", "tf32", "tf32", "f32"), "f32.tf32.tf32.f32")
        for rounding in ["", ".rn", ".rz", ".rm", ".rp"]:
            yield wmma((8, 8, 4), layout, ("f64",) * 4, "f64.f64.f64.f64", rounding=rounding)
    for t, sat in product(["s4", "u4"], ["", ".satfinite"]):
        yield wmma((8, 8, 32), "row.col", ("s32", t, t, "s32"), f"s32.{t}.{t}.s32", after=sat)
    for op in ["xor", "and"]:
        yield wmma((8, 8, 128), "row.col", ("s32", "b1", "b1", "s32"), "s32.b1.b1.s32", op=f".{op}.popc")


def movmatrix_kernel():
    return """.visible .entry movmatrix_b16(.param .u64 p_out)
{
.reg .b64 %out, %at; .reg .b32 %lane, %a, %d;
ld.param.u64 %out, [p_out];
mov.u32 %lane, %tid.x;
mad.lo.u32 %a, %lane, 131074, 65536;
movmatrix.sync.aligned.m8n8.trans.b16 %d, %a;
mad.wide.u32 %at, %lane, 4, %out;
st.global.b32 [%at], %d;
ret;
}"""


def fragment_loads():
    """(name, type, shape, matrix, layout) of each wmma.load."""
    for shape, matrix, layout in product(WIDE_SHAPES, "abc", ["row", "col"]):
        for type_ in ["f16", "bf16", "u8"] if matrix != "c" else ["f16", "f32", "s32"]:
            yield type_, shape, matrix, layout
    for shape, matrix, layout in product([(16, 16, 8)], "abc", ["row", "col"]):
        yield "tf32" if matrix != "c" else "f32", shape, matrix, layout
    for matrix, layout in product("abc", ["row", "col"]):
        yield "f64", (8, 8, 4), matrix, layout
    for shape, type_ in [((8, 8, 32), "u4"), ((8, 8, 128), "b1")]:
        yield type_, shape, "a", "row"
        yield type_, shape, "b", "col"
        for layout in ["row", "col"]:
            yield "s32", shape, "c", layout


BITS = {"f64": 64, "f32": 32, "tf32": 32, "s32": 32, "f16": 16, "bf16": 16, "u8": 8, "u4": 4, "b1": 1}


def fragment_name(kind, type_, shape, matrix, layout):
    return f"{kind}_{matrix}_{layout}_m{shape[0]}n{shape[1]}k{shape[2]}_{type_}"


def fragment_kernel(kind, type_, shape, matrix, layout):
    """A load stores its registers; a store has in register r of lane l the value 64 l + r, or, of f16, 64 l + 2 r and 64 l + 2 r + 1."""
    count = wmma_registers(shape, matrix, type_)
    register = {"f64": "f64", "f32": "f32"}.get(type_, "b32")
    size = 8 if type_ == "f64" else 4
    names = "{" + ", ".join(f"%x{i}" for i in range(count)) + "}"
    suffix = f"sync.aligned.{layout}.m{shape[0]}n{shape[1]}k{shape[2]}.global.{type_}"
    lines = [f".visible .entry {fragment_name(kind, type_, shape, matrix, layout)}(.param .u64 p_memory, .param .u64 p_out)", "{",
             f".reg .b64 %memory, %out, %at, %w; .reg .b32 %lane, %v; .reg .{register} %x<{count}>;", "ld.param.u64 %memory, [p_memory];",
             "ld.param.u64 %out, [p_out];", "mov.u32 %lane, %tid.x;"]
    if kind == "load":
        lines += [f"wmma.load.{matrix}.{suffix} {names}, [%memory];", f"mad.wide.u32 %at, %lane, {size}, %out;"]
        lines += [f"st.global.{register} [%at+{32 * size * i}], %x{i};" for i in range(count)]
    else:
        for i in range(count):
            if type_ == "f16":
                lines += [f"mad.lo.u32 %v, %lane, {64 * 65537}, {2 * i + (2 * i + 1) * 65536};", f"mov.b32 %x{i}, %v;"]
            elif type_ == "f64":
                lines += [f"mad.lo.u32 %v, %lane, 64, {i};", "cvt.u64.u32 %w, %v;", f"mov.b64 %x{i}, %w;"]
            else:
                lines += [f"mad.lo.u32 %v, %lane, 64, {i};", f"mov.b32 %x{i}, %v;"]
        lines.append(f"wmma.store.d.{suffix} [%memory], {names};")
    return "\n".join(lines + ["ret;", "}"])


def fragment_memory(type_, shape, matrix, layout, part):
    """The matrix in memory; element (row, column) is its number, row * columns + column, or of narrow types the given part of the number."""
    m, n, k = shape
    rows, columns = {"a": (m, k), "b": (k, n), "c": (m, n)}[matrix]
    bits = BITS[type_]
    memory = 0
    for row, column in product(range(rows), range(columns)):
        place = row * columns + column if layout == "row" else column * rows + row
        number = (row * columns + column) >> part * bits & (1 << bits) - 1
        memory |= number << place * bits
    return memory.to_bytes(rows * columns * bits // 8, "little")


MODULES = {"dense_floats": dense_floats, "dense_integers": dense_integers, "sparse": sparse_forms, "wmma": wmma_forms}
HEADER = ".version 8.7\n.target sm_90\n.address_size 64\n\n"


def write(folder):
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/pool.bin", "wb") as file:
        file.write(pool()[0])
    with open(f"{folder}/forms.csv", "w") as table:
        for module, forms in MODULES.items():
            kernels = []
            for form in forms():
                kernels.append(form.kernel())
                table.write(f"{form.name},{module},{form.warps},{form.kept},{form.bytes}\n")
            with open(f"{folder}/{module}.ptx", "w") as file:
                file.write(HEADER + "\n\n".join(kernels) + "\n")
    loads = list(fragment_loads())
    stores = [load for load in loads if load[2] == "c"]
    kernels = [fragment_kernel("load", *load) for load in loads] + [fragment_kernel("store", *store) for store in stores] + [movmatrix_kernel()]
    with open(f"{folder}/fragments.ptx", "w") as file:
        file.write(HEADER + "\n\n".join(kernels) + "\n")


def run(folder, out):
    import run_on_gpu as gpu
    write(folder)
    os.makedirs(out, exist_ok=True)
    device = gpu.start()
    words = bytearray(open(f"{folder}/pool.bin", "rb").read())
    modules = {name: gpu.Module(f"{folder}/{name}.ptx") for name in list(MODULES) + ["fragments"]}
    kept, checks, failed = b"", b"", 0
    for line in open(f"{folder}/forms.csv"):
        name, module, warps, whole, size = line.strip().split(",")
        result = bytearray(int(warps) * int(size))
        try:
            modules[module].launch(name, (int(warps),), (32,), 0, [words, result])
        except RuntimeError as error:
            print(name, error, flush=True)
            failed += 1
        kept += result[: int(whole) * int(size)]
        checks += b"".join(struct.pack("<I", zlib.crc32(result[i * int(size):(i + 1) * int(size)])) for i in range(int(warps)))
    with open(f"{out}/outputs.bin.xz", "wb") as file:
        file.write(lzma.compress(kept, preset=6))
    with open(f"{out}/checks.bin", "wb") as file:
        file.write(checks)
    fragments = b""
    with open(f"{out}/fragments.csv", "w") as table:
        loads = list(fragment_loads())
        for load in loads:
            type_, shape, matrix, layout = load
            registers, bits = wmma_registers(shape, matrix, type_), BITS[type_]
            passes = 1 if bits >= 16 else {8: 2, 4: 2, 1: 10}[bits]
            name = fragment_name("load", *load)
            table.write(f"{name},{registers},{bits},{passes}\n")
            for part in range(passes):
                result = bytearray(32 * registers * (8 if type_ == "f64" else 4))
                modules["fragments"].launch(name, (1,), (32,), 0, [bytearray(fragment_memory(type_, shape, matrix, layout, part)), result])
                fragments += result
        for store in [load for load in loads if load[2] == "c"]:
            type_, shape, matrix, layout = store
            name = fragment_name("store", *store)
            memory = bytearray(shape[0] * shape[1] * BITS[type_] // 8)
            table.write(f"{name},{wmma_registers(shape, matrix, type_)},{BITS[type_]},1\n")
            modules["fragments"].launch(name, (1,), (32,), 0, [memory, bytearray(8)])
            fragments += memory
    result = bytearray(128)
    modules["fragments"].launch("movmatrix_b16", (1,), (32,), 0, [result])
    with open(f"{out}/fragments.bin.xz", "wb") as file:
        file.write(lzma.compress(fragments + result))
    print(device, "forms that failed:", failed, f"checks {zlib.crc32(checks):08x}", flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(sys.argv[2])
    else:
        run(sys.argv[2], sys.argv[3])
