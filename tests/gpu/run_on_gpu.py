#!/usr/bin/env python3
"""Runs arithmetic.ptx, approximate.ptx and the corpus on an NVIDIA GPU through the driver API; writes each kernel's outputs.

  run_on_gpu.py FOLDER OUT    FOLDER holds what arithmetic.py wrote and the PTX of corpus/*.cu; needs nothing but libcuda.
"""
import ctypes
import os
import struct
import sys
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import corpus

cuda = None  # The driver's library, from start() on


def check(code, what):
    if code != 0:
        text = ctypes.c_char_p()
        cuda.cuGetErrorString(code, ctypes.byref(text))
        raise RuntimeError(f"{what}: {text.value.decode() if text.value else code}")


def start():
    global cuda
    cuda = ctypes.CDLL("libcuda.so.1")
    check(cuda.cuInit(0), "cuInit")
    device, context = ctypes.c_int(), ctypes.c_void_p()
    check(cuda.cuDeviceGet(ctypes.byref(device), 0), "cuDeviceGet")
    check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device), "context")
    check(cuda.cuCtxSetCurrent(context), "context")
    name = ctypes.create_string_buffer(100)
    cuda.cuDeviceGetName(name, 100, device)
    return name.value.decode()


class Module:
    def __init__(self, path):
        self.handle = ctypes.c_void_p()
        with open(path, "rb") as file:
            check(cuda.cuModuleLoadData(ctypes.byref(self.handle), file.read() + b"\0"), f"loading {path}")

    def launch(self, kernel, grid, block, shared, args):
        """args: bytes for scalars, bytearray for buffers; buffers are updated in place."""
        function = ctypes.c_void_p()
        check(cuda.cuModuleGetFunction(ctypes.byref(function), self.handle, kernel.encode()), kernel)
        holders, pointers, buffers = [], [], []
        for arg in args:
            if isinstance(arg, bytearray):
                address = ctypes.c_uint64()
                check(cuda.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(max(len(arg), 1))), "cuMemAlloc")
                check(cuda.cuMemcpyHtoD_v2(address, (ctypes.c_char * len(arg)).from_buffer(arg), ctypes.c_size_t(len(arg))), "upload")
                buffers.append((address, arg))
                holders.append(address)
            else:
                holders.append((ctypes.c_char * len(arg)).from_buffer_copy(arg))
            pointers.append(ctypes.cast(ctypes.pointer(holders[-1]), ctypes.c_void_p))
        array = (ctypes.c_void_p * len(pointers))(*pointers)
        g, b = (tuple(grid) + (1, 1))[:3], (tuple(block) + (1, 1))[:3]
        check(cuda.cuLaunchKernel(function, *g, *b, shared, None, array, None), f"launch of {kernel}")
        check(cuda.cuCtxSynchronize(), kernel)
        for address, arg in buffers:
            check(cuda.cuMemcpyDtoH_v2((ctypes.c_char * len(arg)).from_buffer(arg), address, ctypes.c_size_t(len(arg))), "download")
            cuda.cuMemFree_v2(address)


SCALAR = {"i32": "i", "u32": "I", "i64": "q", "u64": "Q", "f32": "f", "f64": "d"}


def main(folder, out):
    device = start()
    os.makedirs(out, exist_ok=True)
    inputs = {wide: [bytearray(open(f"{folder}/{x}{wide}.bin", "rb").read()) for x in "abc"] for wide in (32, 64)}
    modules = {"op": Module(f"{folder}/arithmetic.ptx"), "ap": Module(f"{folder}/approximate.ptx")}
    with open(f"{out}/arithmetic_outputs.bin", "wb") as blob:
        for row in open(f"{folder}/arithmetic.csv"):
            name, _, wide = row.strip().split(",")
            result = bytearray(8192)
            modules[name[:2]].launch(name, (4,), (256,), 0, [bytearray(x) for x in inputs[int(wide)]] + [result])
            blob.write(result)
    with open(f"{out}/corpus_outputs.bin", "wb") as blob:
        for index, launch in enumerate(corpus.launches()):
            module = Module(f"{folder}/{launch['file']}.ptx")
            args = []
            for place, arg in enumerate(launch["args"]):
                if isinstance(arg, str):
                    type_, value = arg.split(":")
                    args.append(struct.pack("<" + SCALAR[type_], float(value) if type_[0] == "f" else int(value)))
                else:
                    args.append(bytearray(corpus.contents(*arg, seed=index * 100 + place)))
            try:
                module.launch(launch["kernel"], launch["grid"], launch["block"], launch["shared"], args)
            except RuntimeError as error:
                print(launch["kernel"], error)
            for arg in args:
                if isinstance(arg, bytearray):
                    blob.write(arg)
    print(device, "crc", [f"{zlib.crc32(open(f'{out}/{x}_outputs.bin', 'rb').read()):08x}" for x in ("arithmetic", "corpus")])


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
