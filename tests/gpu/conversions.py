#!/usr/bin/env python3
"""The forms of cvt that ptxas accepts for sm_90 beside those of arithmetic.py (conversions.txt), on the same operands.

  conversions.py write FOLDER        writes conversions.ptx, conversions.csv and the operands
  conversions.py run FOLDER OUT      writes them too, and runs them on an NVIDIA GPU (needs nothing but libcuda)
  conversions.py pack OUT DATE       packs what came back into tests/data/h200: conversions.{csv,ptx.zst,bin.zst}
"""
import lzma
import os
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import arithmetic

arithmetic.SIZE.update({"e4m3x2": 16, "e5m2x2": 16, "tf32": 32})


def forms():
    """(name, result type, operand types, statement) of every form."""
    for line in open(f"{HERE}/conversions.txt"):
        opcode = line.strip()
        result, source = opcode.split(".")[-2:]
        pairs = source == "f32" and result.endswith("x2")
        operands = [source, source] if pairs else [source]
        names = "{a}, {b}" if pairs else "{a}"
        yield "op_" + opcode.replace(".", "_"), "b" + str(arithmetic.SIZE[result]) if not result.startswith("f") or "16" in result else result, operands, f"{opcode} {{d}}, {names};"


def write(folder):
    os.makedirs(folder, exist_ok=True)
    with open(f"{folder}/conversions.ptx", "w") as file:
        file.write(arithmetic.ptx(list(forms())))
    for operand in range(3):
        for wide in (False, True):
            with open(f"{folder}/{'abc'[operand]}{64 if wide else 32}.bin", "wb") as file:
                file.write(struct.pack(f"<{arithmetic.COUNT}Q", *arithmetic.words(operand, wide)))
    with open(f"{folder}/conversions.csv", "w") as file:
        for name, result, operands, _ in forms():
            file.write(f"{name},{result},{64 if arithmetic.SIZE[operands[0]] == 64 else 32}\n")


def run(folder, out):
    import run_on_gpu as gpu
    write(folder)
    os.makedirs(out, exist_ok=True)
    device = gpu.start()
    module = gpu.Module(f"{folder}/conversions.ptx")
    inputs = {wide: [bytearray(open(f"{folder}/{x}{wide}.bin", "rb").read()) for x in "abc"] for wide in (32, 64)}
    results, failed = b"", 0
    for row in open(f"{folder}/conversions.csv"):
        name, _, wide = row.strip().split(",")
        result = bytearray(8 * arithmetic.COUNT)
        try:
            module.launch(name, (4,), (256,), 0, [bytearray(x) for x in inputs[int(wide)]] + [result])
        except RuntimeError as error:
            print(name, error, flush=True)
            failed += 1
        results += result
    with open(f"{out}/conversions.bin.xz", "wb") as file:
        file.write(lzma.compress(results))
    print(device, "conversions that failed:", failed, flush=True)


def pack(out, date):
    target = f"{HERE}/../data/h200"
    with tempfile.TemporaryDirectory() as folder:
        write(folder)
        for name, data in (("conversions.ptx", open(f"{folder}/conversions.ptx", "rb").read()),
                           ("conversions.bin", lzma.decompress(open(f"{out}/conversions.bin.xz", "rb").read()))):
            subprocess.run(["zstd", "-q", "-f", "-19", f"--stream-size={len(data)}", "-o", f"{target}/{name}.zst"], input=data, check=True)
        with open(f"{target}/conversions.csv", "w") as file:
            file.write(f"# measured on an NVIDIA H200, driver 580, {date}\n" + open(f"{folder}/conversions.csv").read())


if __name__ == "__main__":
    {"write": write, "run": run, "pack": pack}[sys.argv[1]](*sys.argv[2:])
