"""The launches of corpus/*.cu: kernel, grid, block, dynamic shared bytes, arguments, and whether results must be equal bit for bit.

An argument is a scalar in the command line's form ("i32:256"), or a buffer (type, count, contents); contents: zero, ints (-8..7), real (-4..4), bytes, a list.
"""
import random
import struct

Z = "zero"


def launches():
    def one(file, kernel, grid, block, shared, args, exact=True):
        return dict(file=file, kernel=kernel, grid=grid, block=block, shared=shared, args=args, exact=exact)

    starts, columns = [0], []
    row_random = random.Random(5)
    for _ in range(300):
        count = row_random.randrange(0, 12)
        columns += [row_random.randrange(400) for _ in range(count)]
        starts.append(len(columns))

    red = lambda *a, **k: one("reductions", *a, **k)
    scan = lambda *a, **k: one("scans", *a, **k)
    prod = lambda *a, **k: one("products", *a, **k)
    learn = lambda *a, **k: one("learning", *a, **k)
    lang = lambda *a, **k: one("language", *a, **k)
    return [
        red("reduce_interleaved", (9,), (128,), 512, [("i32", 1100, "ints"), ("i32", 9, Z), "i32:1100"]),
        red("reduce_sequential_float", (3,), (256,), 0, [("f32", 5000, "real"), ("f32", 3, Z), "i32:5000"]),
        red("reduce_shuffle_double", (5,), (96,), 0, [("f64", 3001, "real"), ("f64", 5, Z), "i32:3001"]),
        red("reduce_shuffle_long", (2,), (1024,), 0, [("i64", 9999, "ints"), ("i64", 2, Z), "i32:9999"]),
        red("reduce_redux", (4,), (64,), 0, [("i32", 250, "ints"), ("i32", 32, Z), "i32:250"]),
        red("reduce_tiles", (4,), (128,), 0, [("i32", 512, "ints"), ("i32", 64, Z), "i32:512"]),
        red("reduce_coalesced", (4,), (96,), 0, [("i32", 380, "ints"), ("i32", 1, Z), "i32:380"]),
        red("reduce_last_block", (12,), (128,), 0, [("i32", 20000, "ints"), ("i32", 12, Z), ("i32", 1, Z), "i32:20000"]),
        red("dot_atomic", (7,), (160,), 0, [("f32", 10000, "ints"), ("f32", 10000, "ints"), ("f32", 1, Z), "i32:10000"]),
        red("argmax_rows", (20,), (32,), 0, [("f32", 20 * 777, "real"), ("i32", 20, Z), "i32:777"]),
        scan("scan_hillis_steele", (3,), (512,), 4096, [("i32", 1500, "ints"), ("i32", 1500, Z), "i32:500"]),
        scan("scan_blelloch", (2,), (512,), 0, [("i32", 2048, "ints"), ("i32", 2048, Z), "i32:1024"]),
        scan("scan_warp", (2,), (480,), 0, [("f32", 900, "real"), ("f32", 900, Z), "i32:900"]),
        scan("histogram_shared", (6,), (192,), 0, [("u8", 50000, "bytes"), ("i32", 256, Z), "i32:50000"]),
        scan("histogram_words", (1,), (64,), 0, [("u8", 4000, "bytes"), ("i32", 64, Z), "i32:1000"]),
        scan("sort_bitonic", (3,), (512,), 0, [("i32", 1536, "wide"), "i32:1536"]),
        scan("sort_odd_even", (1,), (128,), 1200, [("i32", 300, "wide"), "i32:300"]),
        scan("compact_ballot", (1,), (32,), 0, [("i32", 32, "ints"), ("i32", 32, Z), ("i32", 1, Z), "i32:30"]),
        scan("votes", (2,), (64,), 0, [("i32", 128, "ints"), ("i32", 1024, Z), "i32:128"]),
        prod("sgemm_simple", (3, 3), (1024,), 0, ["i32:91", "i32:83", "i32:77", "f32:1.5", ("f32", 91 * 77, "real"), ("f32", 77 * 83, "real"), "f32:0.25", ("f32", 91 * 83, "real")]),
        prod("sgemm_vectorised", (2, 2), (128,), 0, ["i32:128", "i32:96", ("f32", 128 * 96, "real"), ("f32", 96 * 128, "real"), ("f32", 128 * 128, Z)]),
        prod("gemm_double_tiled", (4, 4), (16, 16), 0, [("f64", 3481, "real"), ("f64", 3481, "real"), ("f64", 3481, Z), "i32:59"]),
        prod("gemm_int", (5, 9), (16, 8), 0, [("i32", 4900, "ints"), ("i32", 4900, "wide"), ("i32", 4900, Z), "i32:70"]),
        prod("transpose_padded", (4, 3), (32, 8), 0, [("f32", 110 * 75, "real"), ("f32", 110 * 75, Z), "i32:110", "i32:75"]),
        prod("transpose_diagonal", (6, 6), (16, 16), 0, [("f32", 9216, "real"), ("f32", 9216, Z), "i32:96"]),
        prod("convolve", (5, 7), (16, 8), 0, [("f32", 70 * 50, "real"), ("f32", 70 * 50, Z), "i32:70", "i32:50"]),
        prod("stencil_halo", (4,), (256,), 0, [("f32", 1000, "real"), ("f32", 1000, Z), "i32:1000"]),
        prod("grey_image", (4,), (128,), 0, [("u8", 1500, "bytes"), ("u8", 500, Z), "i32:500"]),
        prod("sparse_rows", (3,), (128,), 0, [("i32", 301, starts), ("i32", len(columns), columns), ("f32", len(columns), "real"), ("f32", 400, "real"), ("f32", 300, Z), "i32:300"]),
        learn("softmax_online", (9,), (32,), 0, [("f32", 9 * 211, "real"), ("f32", 9 * 211, Z), "i32:211"], exact=False),
        learn("layer_norm", (5,), (256,), 0, [("f32", 5 * 900, "real"), ("f32", 900, "real"), ("f32", 900, "real"), ("f32", 4500, Z), "i32:900"], exact=False),
        learn("gelu_vector", (4,), (64,), 0, [("f32", 1000, "real"), ("f32", 1000, Z), "i32:250"], exact=False),
        learn("attention_rows", (100,), (128,), 0, [("f32", 1600, "real"), ("f32", 1600, "real"), ("f32", 1600, "real"), ("f32", 1600, Z), "i32:100"], exact=False),
        learn("half_axpy", (3,), (128,), 0, [("u8", 1200, "half"), ("u8", 1200, "half"), "f32:1.25", "i32:300"]),
        learn("bf16_rows", (3,), (128,), 0, [("u8", 600, "bf16"), ("f32", 300, Z), ("u8", 600, Z), "i32:300"]),
        learn("adam", (3,), (128,), 0, [("f32", 300, "real"), ("f32", 300, "real"), ("f32", 300, "real"), ("f32", 300, "positive"), "f32:0.001", "f32:0.1", "f32:0.001", "i32:300"]),
        learn("dropout", (3,), (128,), 0, [("f32", 300, "real"), ("f32", 300, Z), "u32:12345", "i32:300"]),
        learn("embedding", (10,), (32,), 0, [("i32", 10, [3, 1, 4, 1, 5, 9, 2, 6, 5, 3]), ("f32", 10 * 96, "real"), ("f32", 10 * 96, Z), "i32:24"]),
        lang("switches", (3,), (128,), 0, [("i32", 300, [(i * 7) % 11 for i in range(300)]), ("i32", 300, "wide"), ("i32", 300, Z), "i32:300"]),
        lang("local_array", (3,), (128,), 0, [("i32", 300, "wide"), ("i32", 300, Z), "i32:300"]),
        lang("collatz", (3,), (128,), 0, [("i32", 300, "positive"), ("i32", 300, Z), "i32:300"]),
        lang("mandelbrot", (4, 8), (16, 8), 0, [("i32", 3600, Z), "i32:60", "f64:-2.0", "f64:-1.5", "f64:0.05"]),
        lang("wide_integers", (3,), (96,), 0, [("i64", 250, "wide"), ("i64", 250, "wide"), ("i64", 1500, Z), "i32:250"]),
        lang("narrow_integers", (3,), (96,), 0, [("u8", 500, "bytes"), ("u8", 250, "bytes"), ("u8", 500, Z), ("u8", 250, Z), "i32:250"]),
        lang("atomics", (5,), (64,), 0, [("i32", 8, "ints"), ("i32", 4, [9, 9, 3, 5]), ("i64", 2, "ints"), ("f32", 1, Z), ("i32", 300, "ints"), "i32:300"], exact=True),
        lang("spin_lock", (20,), (64,), 0, [("i32", 1, Z), ("i32", 1, Z), ("i32", 20, "ints")]),
        lang("bit_tricks", (3,), (128,), 0, [("i32", 300, "wide"), ("i32", 300, Z), "i32:300"]),
        lang("maths", (3,), (128,), 0, [("f32", 300, "real"), ("f32", 2400, Z), "i32:300"]),
        lang("transcendental", (3,), (128,), 0, [("f32", 300, "real"), ("f32", 2400, Z), "i32:300"], exact=False),
        lang("double_maths", (3,), (128,), 0, [("f64", 300, "real"), ("f64", 1800, Z), "i32:300"], exact=False),
        lang("three_dimensions", (3, 2, 2), (5, 4, 3), 0, [("i32", 13 * 7 * 6, Z), "i32:13", "i32:7", "i32:6"]),
        lang("generic_pointers", (3,), (128,), 0, [("i32", 300, "ints"), ("i32", 300, "positive"), "i32:300"]),
        lang("nested_loops", (3,), (128,), 0, [("i32", 300, "positive"), ("i32", 300, Z), "i32:300"]),
    ]


FORMAT = {"f32": "f", "f64": "d", "i32": "i", "i64": "q", "u8": "B"}


def contents(type_, count, kind, seed):
    rng = random.Random(seed)
    if kind == Z:
        return bytes(count * struct.calcsize(FORMAT[type_]))
    if isinstance(kind, list):
        values = kind
    elif kind == "ints":
        values = [rng.randrange(-8, 8) for _ in range(count)]
    elif kind == "bytes":
        values = [rng.randrange(256) for _ in range(count)]
    elif kind == "wide":
        size = 64 if type_ == "i64" else 32
        values = [rng.randrange(-(1 << (size - 1)), 1 << (size - 1)) for _ in range(count)]
    elif kind == "positive":
        values = [rng.randrange(1000) for _ in range(count)] if type_ == "i32" else [rng.random() for _ in range(count)]
    elif kind == "real":
        values = [rng.random() * 8 - 4 for _ in range(count)]
    elif kind == "half":
        return b"".join(struct.pack("<e", rng.random() * 8 - 4) for _ in range(count // 2))
    elif kind == "bf16":
        return b"".join(struct.pack("<f", rng.random() * 8 - 4)[2:] for _ in range(count // 2))
    else:
        raise ValueError(kind)
    return struct.pack(f"<{count}{FORMAT[type_]}", *values)
