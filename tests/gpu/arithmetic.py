#!/usr/bin/env python3
"""Writes arithmetic.ptx: one tiny kernel for each arithmetic instruction form, out[i] = op(a[i], b[i], c[i]), and its inputs.

The same file runs on a GPU (run_on_gpu.py) and in the replay (tests/replay/arithmetic_test.cpp); both must give the same bits.
Every kernel takes (a, b, c, out), arrays of 64-bit words of which an operand takes the low bits. 1024 elements, a grid of 4 blocks of 256.
"""
import struct
import sys
from itertools import product

COUNT = 1024
SIZE = {"b8": 8, "u8": 8, "s8": 8, "b16": 16, "u16": 16, "s16": 16, "f16": 16, "bf16": 16, "b32": 32, "u32": 32, "s32": 32, "f32": 32, "f16x2": 32,
        "bf16x2": 32, "u16x2": 32, "s16x2": 32, "b64": 64, "u64": 64, "s64": 64, "f64": 64}


def register(type_):
    """The register class and declared type that hold an operand of a type."""
    size = SIZE[type_]
    if type_ in ("f32", "f64"):
        return type_
    return f"b{max(size, 16)}"


def kernel(name, result, operands, statement):
    """One entry; `statement` uses {d}, {a}, {b}, {c} and may declare nothing."""
    lines = [f".visible .entry {name}(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pd)", "{",
             ".reg .b32 %r<8>; .reg .b64 %rd<12>; .reg .pred %p<4>; .reg .b32 %t<4>; .reg .f32 %ft<4>; .reg .b64 %td<4>; .reg .b16 %ts<4>;",
             f".reg .{register(result)} %d;"]
    for operand, type_ in zip("abc", operands):
        lines.append(f".reg .{register(type_)} %{operand};")
    lines += ["ld.param.u64 %rd0, [pa];", "ld.param.u64 %rd1, [pb];", "ld.param.u64 %rd2, [pc];", "ld.param.u64 %rd3, [pd];",
              "mov.u32 %r0, %ctaid.x;", "mov.u32 %r1, %ntid.x;", "mov.u32 %r2, %tid.x;", "mad.lo.s32 %r3, %r0, %r1, %r2;", "mul.wide.u32 %rd4, %r3, 8;"]
    for index, (operand, type_) in enumerate(zip("abc", operands)):
        load = {8: "b8", 16: "b16", 32: "b32", 64: "b64"}[SIZE[type_]]
        if type_ in ("f32", "f64"):
            load = type_
        lines += [f"add.s64 %rd{5 + index}, %rd{index}, %rd4;", f"ld.global.{load} %{operand}, [%rd{5 + index}];"]
    lines.append(statement.format(d="%d", a="%a", b="%b", c="%c"))
    store = {16: "b16", 32: "b32", 64: "b64"}[max(SIZE[result], 16)]
    if result in ("f32", "f64"):
        store = result
    lines += ["add.s64 %rd8, %rd3, %rd4;", f"st.global.{store} [%rd8], %d;", "ret;", "}"]
    return "\n".join(lines)


def forms():
    """(name, result type, operand types, statement) of every form."""
    out = []

    def add(op, result, operands, extra="", statement=None):
        name = "op_" + (op + ("_" + extra if extra else "")).replace(".", "_").replace(",", "_").replace(" ", "_").replace("-", "m")
        names = ", ".join("{%s}" % x for x in "abc"[: len(operands)])
        out.append((name, result, operands, statement or f"{op} {{d}}, {names};"))

    rounding = ["rn", "rz", "rm", "rp"]
    for op, r, ftz, sat in product(["add", "sub", "mul"], rounding, ["", ".ftz"], ["", ".sat"]):
        add(f"{op}.{r}{ftz}{sat}.f32", "f32", ["f32"] * 2)
    for r, ftz, sat in product(rounding, ["", ".ftz"], ["", ".sat"]):
        add(f"fma.{r}{ftz}{sat}.f32", "f32", ["f32"] * 3)
    for r, ftz in product(rounding, ["", ".ftz"]):
        add(f"div.{r}{ftz}.f32", "f32", ["f32"] * 2)
        for op in ["rcp", "sqrt"]:
            add(f"{op}.{r}{ftz}.f32", "f32", ["f32"])
    for r in rounding:
        for op in ["add", "sub", "mul", "div"]:
            add(f"{op}.{r}.f64", "f64", ["f64"] * 2)
        add(f"fma.{r}.f64", "f64", ["f64"] * 3)
        for op in ["rcp", "sqrt"]:
            add(f"{op}.{r}.f64", "f64", ["f64"])
    for op, ftz, nan, xorsign in product(["min", "max"], ["", ".ftz"], ["", ".NaN"], ["", ".xorsign.abs"]):
        add(f"{op}{ftz}{nan}{xorsign}.f32", "f32", ["f32"] * 2)
    for op in ["min", "max"]:
        add(f"{op}.f64", "f64", ["f64"] * 2)
    for t in ["f32", "f64"]:
        add(f"copysign.{t}", t, [t] * 2)
        for op in ["abs", "neg"]:
            add(f"{op}.{t}", t, [t])
    for op in ["abs", "neg"]:
        add(f"{op}.ftz.f32", "f32", ["f32"])
    for t in ["f32", "f64"]:
        for test in ["finite", "infinite", "number", "notanumber", "normal", "subnormal"]:
            add(f"testp.{test}.{t}", "b32", [t], statement=f"testp.{test}.{t} %p0, {{a}}; selp.b32 {{d}}, 1, 0, %p0;")
    float_compare = ["eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"]
    for cmp, t in product(float_compare, ["f32", "ftz.f32", "f64"]):
        base = t.split(".")[-1]
        add(f"setp.{cmp}.{t}", "b32", [base] * 2, statement=f"setp.{cmp}.{t} %p0|%p1, {{a}}, {{b}}; selp.b32 {{d}}, 1, 0, %p0; @%p1 add.s32 {{d}}, {{d}}, 2;")
    int_types = ["u16", "s16", "u32", "s32", "u64", "s64"]
    for cmp, t in product(["eq", "ne", "lt", "le", "gt", "ge"], int_types):
        add(f"setp.{cmp}.{t}", "b32", [t] * 2, statement=f"setp.{cmp}.{t} %p0, {{a}}, {{b}}; selp.b32 {{d}}, 1, 0, %p0;")
    for cmp in ["lo", "ls", "hi", "hs"]:
        add(f"setp.{cmp}.u32", "b32", ["u32"] * 2, statement=f"setp.{cmp}.u32 %p0, {{a}}, {{b}}; selp.b32 {{d}}, 1, 0, %p0;")
    for combine in ["and", "or", "xor"]:
        add(f"setp.lt.{combine}.s32", "b32", ["s32"] * 3,
            statement=f"setp.gt.s32 %p2, {{c}}, 0; setp.lt.{combine}.s32 %p0|%p1, {{a}}, {{b}}, %p2; selp.b32 {{d}}, 1, 0, %p0; @%p1 add.s32 {{d}}, {{d}}, 2;")
        add(f"set.lt.{combine}.u32.s32", "b32", ["s32"] * 3, statement=f"setp.gt.s32 %p2, {{c}}, 0; set.lt.{combine}.u32.s32 {{d}}, {{a}}, {{b}}, !%p2;")
    add("set.gt.f32.f32", "f32", ["f32"] * 2)
    add("set.gt.u32.f32", "b32", ["f32"] * 2)
    add("set.ne.f32.s32", "f32", ["s32"] * 2)
    add("slct.s32.s32", "b32", ["s32"] * 3)
    add("slct.f32.f32", "f32", ["f32"] * 3)
    add("slct.ftz.u64.f32", "b64", ["u64", "u64", "f32"])
    for op, t in product(["add", "sub", "mul.lo", "mul.hi", "min", "max", "div", "rem"], int_types):
        guard = ""
        if op in ("div", "rem"):  # Division by zero is unspecified: keep it out.
            size = SIZE[t]
            guard = f"or.b{size} {{b}}, {{b}}, 1; "
            if t.startswith("s"):  # As is the most negative value over -1.
                guard += f"shr.{t} {{a}}, {{a}}, 1; "
        add(f"{op}.{t}", f"b{SIZE[t]}", [t] * 2, statement=guard + f"{op}.{t} {{d}}, {{a}}, {{b}};")
    for op in ["add", "sub"]:
        add(f"{op}.sat.s32", "b32", ["s32"] * 2)
    for t in int_types:
        add(f"mad.lo.{t}", f"b{SIZE[t]}", [t] * 3)
        add(f"mad.hi.{t}", f"b{SIZE[t]}", [t] * 3)
        if SIZE[t] < 64:
            add(f"mul.wide.{t}", f"b{2 * SIZE[t]}", [t] * 2)
            add(f"mad.wide.{t}", f"b{2 * SIZE[t]}", [t, t, t[0] + str(2 * SIZE[t])])
    add("mad.hi.sat.s32", "b32", ["s32"] * 3)
    for t in ["s16", "s32", "s64"]:
        add(f"abs.{t}", f"b{SIZE[t]}", [t])
        add(f"neg.{t}", f"b{SIZE[t]}", [t])
    for t in ["b16", "b32", "b64"]:
        for op in ["and", "or", "xor"]:
            add(f"{op}.{t}", t, [t] * 2)
        for op in ["not", "cnot"]:
            add(f"{op}.{t}", t, [t])
        add(f"shl.{t}", t, [t, "u32"], statement=f"and.b32 {{b}}, {{b}}, 127; shl.{t} {{d}}, {{a}}, {{b}};")
        for signed in "us":
            kind = signed + t[1:]
            add(f"shr.{kind}", t, [kind, "u32"], statement=f"and.b32 {{b}}, {{b}}, 127; shr.{kind} {{d}}, {{a}}, {{b}};")
    add("shl.b32", "b32", ["b32", "u32"], "any")
    add("shr.s32", "b32", ["s32", "u32"], "any")
    for op, mode in product(["shf.l", "shf.r"], ["wrap", "clamp"]):
        add(f"{op}.{mode}.b32", "b32", ["b32"] * 3)
        add(f"{op}.{mode}.b32", "b32", ["b32"] * 3, "small", statement=f"and.b32 {{c}}, {{c}}, 63; {op}.{mode}.b32 {{d}}, {{a}}, {{b}}, {{c}};")
    for t in ["b32", "b64"]:
        for op in ["popc", "clz"]:
            add(f"{op}.{t}", "b32", [t])
        add(f"brev.{t}", t, [t])
    for t in ["u32", "s32", "u64", "s64"]:
        bits = f"b{SIZE[t]}"
        add(f"bfind.{t}", "b32", [t])
        add(f"bfind.shiftamt.{t}", "b32", [t])
        add(f"bfe.{t}", bits, [t, "u32", "u32"])
        add(f"bfe.{t}", bits, [t, "u32", "u32"], "small", statement=f"and.b32 {{b}}, {{b}}, 63; and.b32 {{c}}, {{c}}, 63; bfe.{t} {{d}}, {{a}}, {{b}}, {{c}};")
    for t in ["b32", "b64"]:
        add(f"bfi.{t}", t, [t, t, "u32"], statement=f"and.b32 %t0, {{c}}, 63; shr.u32 %t1, {{c}}, 8; and.b32 %t1, %t1, 63; bfi.{t} {{d}}, {{a}}, {{b}}, %t0, %t1;")
    for t, mode in product(["u32", "s32"], ["clamp", "wrap"]):
        add(f"szext.{mode}.{t}", "b32", [t, "u32"])
        if t == "u32":
            add(f"bmsk.{mode}.b32", "b32", ["u32", "u32"])
    add("prmt.b32", "b32", ["b32"] * 3)
    for mode in ["f4e", "b4e", "rc8", "ecl", "ecr", "rc16"]:
        add(f"prmt.b32.{mode}", "b32", ["b32"] * 3)
    for table in [0x96, 0xE8, 0x1B, 0xCA, 0x80, 0xFE, 0x01]:
        add("lop3.b32", "b32", ["b32"] * 3, hex(table), statement=f"lop3.b32 {{d}}, {{a}}, {{b}}, {{c}}, {table};")
    for t in ["u16", "s16", "u32", "s32", "u64", "s64"]:
        add(f"sad.{t}", f"b{SIZE[t]}", [t] * 3)
    for mode, t in product(["lo", "hi"], ["u32", "s32"]):
        add(f"mul24.{mode}.{t}", "b32", [t] * 2)
        add(f"mad24.{mode}.{t}", "b32", [t] * 3)
    for x, y in product(["u32", "s32"], repeat=2):
        add(f"dp4a.{x}.{y}", "b32", [x, y, "s32"])
        add(f"dp2a.lo.{x}.{y}", "b32", [x, y, "s32"])
        add(f"dp2a.hi.{x}.{y}", "b32", [x, y, "s32"])
    add("mad24.hi.sat.s32", "b32", ["s32"] * 3)
    add("lop3.and.b32", "b32", ["b32"] * 3,
        statement="setp.lt.s32 %p2, {c}, 0; lop3.and.b32 {d}|%p0, {a}, {b}, {c}, 0x80, !%p2; lop3.or.b32 _|%p1, {a}, {b}, {c}, 0x80, %p2; "
                  "@%p0 add.s32 {d}, {d}, 1; @%p1 add.s32 {d}, {d}, 2;")
    for op, t in product(["add", "min", "max"], ["u16x2", "s16x2"]):
        add(f"{op}.{t}", "b32", [t] * 2)
    for op, t in product(["min", "max"], ["s32", "s16x2"]):
        add(f"{op}.relu.{t}", "b32", [t] * 2)
    signs = list(product(["u32", "s32"], repeat=3))
    # Of whole registers, bytes and halves: without .sat, .min, .max, and a destination .h1, where what ptxas 13.0 makes for sm_90 departs from the PTX ISA
    # (a sum of u32 is not clamped, the last operand counts as signed, the half becomes 0).
    for op in ["vadd", "vsub", "vabsdiff", "vmin", "vmax"]:
        for n, (d, x, y) in enumerate(signs):
            form = f"{op}.{d}.{x}.{y}"
            add(form, "b32", ["b32"] * 2)
            add(form, "b32", ["b32"] * 2, "parts", statement=f"{form} {{d}}, {{a}}.b{n % 4}, {{b}}.h{n % 2};")
            if n % 4 != 3:
                add(form, "b32", ["b32"] * 3, "merged", statement=f"{form} {{d}}.{['h0', 'b1', 'b3'][n % 4]}, {{a}}.h{n % 2}, {{b}}.b{n % 4}, {{c}};")
            add(f"{form}.add", "b32", ["b32"] * 3)
    for op, parts in product(["vadd", "vsub", "vabsdiff", "vmin", "vmax", "vavrg"], [2, 4]):
        for n, (d, x, y) in enumerate(signs):
            for suffix in ["", ".sat", ".add"]:
                form = f"{op}{parts}.{d}.{x}.{y}{suffix}"
                add(form, "b32", ["b32"] * 3)
                mask, first, second = (["h0", "h1"][n % 2], "h32", "h01") if parts == 2 else (["b20", "b1"][n % 2], "b7610", "b4321")
                add(form, "b32", ["b32"] * 3, "parts", statement=f"{form} {{d}}.{mask}, {{a}}.{first}, {{b}}.{second}, {{c}};")
    for op, d, x, mode in product(["vshl", "vshr"], ["u32", "s32"], ["u32", "s32"], ["clamp", "wrap"]):
        form = f"{op}.{d}.{x}.u32.{mode}"
        add(form, "b32", ["b32"] * 2)
        add(form, "b32", ["b32"] * 2, "small", statement=f"and.b32 {{b}}, {{b}}, 63; {form} {{d}}, {{a}}, {{b}};")
        add(form, "b32", ["b32"] * 3, "parts", statement=f"{form}.add {{d}}, {{a}}.h1, {{b}}.b0, {{c}};")
    for x, y in product(["u32", "s32"], ["u32", "s32"]):
        d = "s32" if "s32" in (x, y) else "u32"
        add(f"vmad.{d}.{x}.{y}", "b32", ["b32"] * 3)
        add(f"vmad.{d}.{x}.{y}.po", "b32", ["b32"] * 3, statement=f"vmad.{d}.{x}.{y}.po {{d}}, {{a}}.h1, {{b}}.b2, {{c}};")
    for x, y, sat, scale in product(["u32", "s32"], ["u32", "s32"], ["", ".sat"], ["", ".shr7", ".shr15"]):
        add(f"vmad.s32.{x}.{y}{sat}{scale}", "b32", ["b32"] * 3, "minus", statement=f"vmad.s32.{x}.{y}{sat}{scale} {{d}}, -{{a}}.h0, {{b}}.h1, {{c}};")
    for x, y, cmp in product(["u32", "s32"], ["u32", "s32"], ["eq", "lt", "ge"]):
        add(f"vset.{x}.{y}.{cmp}", "b32", ["b32"] * 2, statement=f"vset.{x}.{y}.{cmp} {{d}}, {{a}}.h0, {{b}}.h0;")
        add(f"vset.{x}.{y}.{cmp}.add", "b32", ["b32"] * 3)
        for parts, suffix in product([2, 4], ["", ".add"]):
            add(f"vset{parts}.{x}.{y}.{cmp}{suffix}", "b32", ["b32"] * 3)
    add("add.cc.u32", "b64", ["u32"] * 3, statement="add.cc.u32 %t0, {a}, {b}; addc.cc.u32 %t1, {c}, {a}; addc.u32 %t2, 0, 0; shl.b32 %t2, %t2, 16; xor.b32 %t1, %t1, %t2; mov.b64 {d}, {{%t0, %t1}};")
    add("sub.cc.u32", "b64", ["u32"] * 3, statement="sub.cc.u32 %t0, {a}, {b}; subc.u32 %t1, {c}, {a}; mov.b64 {d}, {{%t0, %t1}};")
    add("mad.lo.cc.u32", "b64", ["u32"] * 3, statement="mad.lo.cc.u32 %t0, {a}, {b}, {c}; madc.hi.u32 %t1, {a}, {b}, {c}; mov.b64 {d}, {{%t0, %t1}};")
    add("add.cc.u64", "b64", ["u64"] * 3, statement="add.cc.u64 %td0, {a}, {b}; addc.u64 {d}, {c}, %td0;")
    add("mov.b64.split", "b64", ["b64"], statement="mov.b64 {{%t0, %t1}}, {a}; mov.b64 {d}, {{%t1, %t0}};")
    add("mov.b32.split", "b32", ["b32"], statement="mov.b32 {{%ts0, %ts1}}, {a}; mov.b32 {d}, {{%ts1, %ts0}};")
    add("fns.b32", "b32", ["b32"] * 2, statement="and.b32 %t0, {b}, 31; shr.s32 %t1, {b}, 5; and.b32 %t1, %t1, 7; sub.s32 %t1, %t1, 3; fns.b32 {d}, {a}, %t0, %t1;")
    # Conversions.
    ints = ["u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"]
    for to, frm in product(ints, ints):
        add(f"cvt.{to}.{frm}", f"b{max(16, SIZE[to])}", [frm])
        if SIZE[to] < SIZE[frm] or (to[0] != frm[0] and SIZE[to] <= SIZE[frm]):
            add(f"cvt.sat.{to}.{frm}", f"b{max(16, SIZE[to])}", [frm])
    for to, frm, r in product(ints, ["f32", "f64"], ["rni", "rzi", "rmi", "rpi"]):
        add(f"cvt.{r}.{to}.{frm}", f"b{max(16, SIZE[to])}", [frm])
        if frm == "f32":
            add(f"cvt.{r}.ftz.{to}.{frm}", f"b{max(16, SIZE[to])}", [frm])
    for to, frm, r in product(["f32", "f64"], ints, rounding):
        add(f"cvt.{r}.{to}.{frm}", to, [frm])
    for r in ["rni", "rzi", "rmi", "rpi"]:
        for suffix in ["", ".ftz", ".sat", ".ftz.sat"]:
            add(f"cvt.{r}{suffix}.f32.f32", "f32", ["f32"])
        add(f"cvt.{r}.f64.f64", "f64", ["f64"])
    for suffix in [".sat", ".ftz.sat", ".ftz"]:
        add(f"cvt{suffix}.f32.f32", "f32", ["f32"])
    add("cvt.sat.f64.f64", "f64", ["f64"])
    add("cvt.f64.f32", "f64", ["f32"])
    add("cvt.ftz.f64.f32", "f64", ["f32"])
    for r in rounding:
        add(f"cvt.{r}.f32.f64", "f32", ["f64"])
        add(f"cvt.{r}.ftz.f32.f64", "f32", ["f64"])
        add(f"cvt.{r}.sat.f32.f64", "f32", ["f64"])
    for r in ["rn", "rz", "rm", "rp"]:
        add(f"cvt.{r}.f16.f32", "b16", ["f32"])
        add(f"cvt.{r}.f16.s32", "b16", ["s32"])
    add("cvt.rn.ftz.f16.f32", "b16", ["f32"])
    add("cvt.rn.sat.f16.f32", "b16", ["f32"])
    add("cvt.f32.f16", "f32", ["f16"])
    add("cvt.f64.f16", "f64", ["f16"])
    add("cvt.rn.f16.f64", "b16", ["f64"])
    add("cvt.rzi.s32.f16", "b32", ["f16"])
    add("cvt.rni.f16.f16", "b16", ["f16"])
    for r in ["rn", "rz"]:
        add(f"cvt.{r}.bf16.f32", "b16", ["f32"])
        add(f"cvt.{r}.relu.bf16.f32", "b16", ["f32"])
        add(f"cvt.{r}.bf16x2.f32", "b32", ["f32"] * 2)
        add(f"cvt.{r}.f16x2.f32", "b32", ["f32"] * 2)
    add("cvt.f32.bf16", "f32", ["bf16"])
    add("cvt.rn.bf16.s32", "b16", ["s32"])
    add("cvt.rna.tf32.f32", "b32", ["f32"])
    for r, relu in product(["rn", "rz"], ["", ".relu"]):
        add(f"cvt.{r}{relu}.tf32.f32", "b32", ["f32"])
    for r, frm, to, sat in product(["rni", "rzi", "rmi", "rpi"], ["f16"], ["u8", "s8", "u16", "s16", "u32", "s64"], ["", ".sat"]):
        add(f"cvt.{r}{sat}.{to}.{frm}", f"b{max(16, SIZE[to])}", [frm])
    for r, frm in product(["rn", "rm"], ["u8", "s8", "u16", "s16", "u32", "s64"]):
        add(f"cvt.{r}.sat.f16.{frm}", "b16", [frm])
        add(f"cvt.{r}.sat.f32.{frm}", "f32", [frm])
        add(f"cvt.{r}.sat.f64.{frm}", "f64", [frm])
    for r, sat in product(rounding, ["", ".sat"]):
        if r != "rn" or sat:
            add(f"cvt.{r}{sat}.f16.f64", "b16", ["f64"])
    for r in rounding:
        add(f"cvt.{r}.bf16.f64", "b16", ["f64"])
        add(f"cvt.{r}.f16.bf16", "b16", ["bf16"])
        add(f"cvt.{r}.bf16.f16", "b16", ["f16"])
    for r in ["rni", "rzi", "rmi", "rpi"]:
        add(f"cvt.{r}.sat.f16.f16", "b16", ["f16"])
    add("cvt.sat.f16.f16", "b16", ["f16"])
    add("cvt.sat.f32.f16", "f32", ["f16"])
    add("cvt.sat.f64.f16", "f64", ["f16"])
    add("cvt.sat.f64.f32", "f64", ["f32"])
    add("cvt.ftz.sat.f64.f32", "f64", ["f32"])
    for t in ["u4", "s4", "u2", "s2"]:
        add(f"cvt.pack.sat.{t}.s32.b32", "b32", ["s32", "s32", "b32"])
    add("cvt.pack.sat.s8.s32.b32", "b32", ["s32", "s32", "b32"])
    add("cvt.pack.sat.u16.s32", "b32", ["s32", "s32"])
    for t in ["f16", "f16x2", "bf16", "bf16x2"]:
        bits = f"b{SIZE[t]}"
        for op in ["add", "sub", "mul"]:
            add(f"{op}.rn.{t}", bits, [t] * 2)
            if t.startswith("f16"):
                add(f"{op}.ftz.{t}", bits, [t] * 2)
                add(f"{op}.sat.{t}", bits, [t] * 2)
        add(f"fma.rn.{t}", bits, [t] * 3)
        add(f"fma.rn.relu.{t}", bits, [t] * 3)
        if t.startswith("f16"):
            add(f"fma.rn.ftz.{t}", bits, [t] * 3)
            add(f"fma.rn.sat.{t}", bits, [t] * 3)
        for op in ["min", "max"]:
            add(f"{op}.{t}", bits, [t] * 2)
            add(f"{op}.NaN.{t}", bits, [t] * 2)
            for nan, ftz in product(["", ".NaN"], ["", ".ftz"] if t.startswith("f16") else [""]):
                add(f"{op}{ftz}{nan}.xorsign.abs.{t}", bits, [t] * 2)
        add(f"neg.{t}", bits, [t])
        add(f"abs.{t}", bits, [t])
    for cmp in ["eq", "lt", "geu", "nan"]:
        add(f"setp.{cmp}.f16", "b32", ["f16"] * 2, statement=f"setp.{cmp}.f16 %p0, {{a}}, {{b}}; selp.b32 {{d}}, 1, 0, %p0;")
        add(f"setp.{cmp}.bf16", "b32", ["bf16"] * 2, statement=f"setp.{cmp}.bf16 %p0, {{a}}, {{b}}; selp.b32 {{d}}, 1, 0, %p0;")
    return out


def approximate_forms():
    """The functions that PTX states an error bound for: compared within it, not bit for bit."""
    out = []
    for op in ["ex2.approx", "lg2.approx", "rcp.approx", "rsqrt.approx", "sqrt.approx", "sin.approx", "cos.approx"]:
        for ftz in ["", ".ftz"]:
            out.append((f"ap_{op}{ftz}_f32".replace(".", "_"), "f32", ["f32"], f"{op}{ftz}.f32 {{d}}, {{a}};"))
    out.append(("ap_tanh_approx_f32", "f32", ["f32"], "tanh.approx.f32 {d}, {a};"))
    for op in ["div.approx", "div.full", "div.approx.ftz", "div.full.ftz"]:
        out.append((f"ap_{op}_f32".replace(".", "_"), "f32", ["f32", "f32"], f"{op}.f32 {{d}}, {{a}}, {{b}};"))
    for op, t in product(["ex2.approx", "tanh.approx"], ["f16", "bf16"]):
        ftz = ".ftz" if (op, t) == ("ex2.approx", "bf16") else ""
        out.append((f"ap_{op}{ftz}_{t}".replace(".", "_"), t, [t], f"{op}{ftz}.{t} {{d}}, {{a}};"))
    out.append(("ap_rcp_approx_ftz_f64", "f64", ["f64"], "rcp.approx.ftz.f64 {d}, {a};"))
    out.append(("ap_rsqrt_approx_f64", "f64", ["f64"], "rsqrt.approx.f64 {d}, {a};"))
    return out


def ptx(forms_):
    head = ".version 9.0\n.target sm_90\n.address_size 64\n"
    return head + "\n".join(kernel(*form) for form in forms_) + "\n"


def generator(seed):
    state = seed
    while True:
        state = (state * 6364136223846793005 + 1442695040888963407) & 0xFFFFFFFFFFFFFFFF
        value = state ^ (state >> 33)
        value = (value * 0xFF51AFD7ED558CCD) & 0xFFFFFFFFFFFFFFFF
        yield value ^ (value >> 33)


SPECIAL32 = [0x0, 0x80000000, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00000, 0x7F800001, 0x7FFFFFFF, 0x1, 0x80000001, 0x007FFFFF,
             0x807FFFFF, 0x00800000, 0x80800000, 0x7F7FFFFF, 0xFF7FFFFF, 0x3F000000, 0x3EFFFFFF, 0x3F800001, 0x4B000000, 0x4B000001, 0x4EFFFFFF, 0x4F000000,
             0xCF000000, 0x4F800000, 0x5F000000, 0xDF000000, 0x5F800000, 0x3FC00000, 0x40200000]
SPECIAL64 = [0x0, 0x8000000000000000, 0x3FF0000000000000, 0xBFF0000000000000, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 0xFFF8000000000000,
             0x7FF0000000000001, 0x1, 0x8000000000000001, 0x000FFFFFFFFFFFFF, 0x0010000000000000, 0x7FEFFFFFFFFFFFFF, 0x3FE0000000000000, 0x36A0000000000000,
             0x3810000000000000, 0x380FFFFFFFFFFFFF, 0x47EFFFFFE0000000, 0x47EFFFFFF0000000, 0x41DFFFFFFFC00000, 0x41E0000000000000, 0xC1E0000000000000,
             0x43E0000000000000, 0xC3E0000000000000, 0x43F0000000000000, 0x4059000000000000, 0x3FF8000000000000, 0x4004000000000000, 0x3E60000000000000]


def words(operand, wide):
    """1024 words: pairs of special values, numbers of like size (so that sums round), and random bits. `wide`: for 64-bit floats."""
    special = SPECIAL64 if wide else SPECIAL32
    random = generator(operand * 1000003 + (7 if wide else 3))
    out = []
    for i in range(COUNT):
        r = next(random)
        if i < 256:
            step = [1, 5, 11][operand]
            out.append(special[(i * step + i // len(special)) % len(special)] | ((r & 0xFFFFFFFF00000000) if not wide else 0))
        elif i < 512:
            if wide:
                out.append((r & 0x800FFFFFFFFFFFFF) | ((1015 + (r >> 52) % 16) << 52))
            else:
                out.append((r & 0xFFFFFFFF807FFFFF) | ((119 + (r >> 23) % 16) << 23))
        elif i < 640:
            out.append((r & 0x800000000000FFFF) if wide else (r & 0xFFFFFFFF800000FF))
        elif i < 768:
            if wide:
                out.append(struct.unpack("<Q", struct.pack("<d", ((r >> 8) % 200001 - 100000) / 16.0))[0])
            else:
                out.append((r & 0xFFFFFFFF00000000) | struct.unpack("<I", struct.pack("<f", ((r >> 8) % 200001 - 100000) / 16.0))[0])
        else:
            out.append(r)
    return out


if __name__ == "__main__":
    folder = sys.argv[1]
    with open(f"{folder}/arithmetic.ptx", "w") as file:
        file.write(ptx(forms()))
    with open(f"{folder}/approximate.ptx", "w") as file:
        file.write(ptx(approximate_forms()))
    for operand, wide in product(range(3), [False, True]):
        with open(f"{folder}/{'abc'[operand]}{64 if wide else 32}.bin", "wb") as file:
            file.write(struct.pack(f"<{COUNT}Q", *words(operand, wide)))
    with open(f"{folder}/arithmetic.csv", "w") as file:
        for name, result, operands, _ in forms() + approximate_forms():
            file.write(f"{name},{result},{64 if 'f64' in operands else 32}\n")
    print(len(forms()), "forms")
