#!/usr/bin/env python3
"""Writes what an X display shows to a PNG: screenshot.py FILE.png WIDTH HEIGHT. Needs libX11 alone."""
import ctypes
import struct
import sys
import zlib


class XImage(ctypes.Structure):
    """The beginning of XImage (Xlib.h)."""
    _fields_ = [(name, ctypes.c_int) for name in ("width", "height", "xoffset", "format")] + [("data", ctypes.POINTER(ctypes.c_ubyte))] + \
               [(name, ctypes.c_int) for name in ("byte_order", "bitmap_unit", "bitmap_bit_order", "bitmap_pad", "depth", "bytes_per_line")]


def pixels(width, height):
    """Rows of 4 bytes a pixel: blue, green, red, nothing."""
    x11 = ctypes.CDLL("libX11.so.6")
    x11.XOpenDisplay.restype = x11.XGetImage.restype = ctypes.c_void_p
    x11.XDefaultRootWindow.restype = ctypes.c_ulong
    display = ctypes.c_void_p(x11.XOpenDisplay(None))
    all_planes, z_pixmap = ctypes.c_ulong(0xFFFFFFFF), 2
    image = x11.XGetImage(display, ctypes.c_ulong(x11.XDefaultRootWindow(display)), 0, 0, width, height, all_planes, z_pixmap)
    found = XImage.from_address(image)
    whole = ctypes.string_at(found.data, found.bytes_per_line * height)
    return [whole[y * found.bytes_per_line:y * found.bytes_per_line + 4 * width] for y in range(height)]


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def main():
    path, width, height = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    rows = bytearray()
    for row in pixels(width, height):
        rgb = bytearray(3 * width)
        rgb[0::3], rgb[1::3], rgb[2::3] = row[2::4], row[1::4], row[0::4]
        rows += b"\0" + rgb
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(bytes(rows))) + chunk(b"IEND", b""))


if __name__ == "__main__":
    main()
