#!/usr/bin/env python3
"""Makes assets/fonts from the font packages of Debian 12 (fonts-inter 4.0~beta7, fonts-jetbrains-mono 2.242, fonts-noto-cjk 20220127). Needed only to
change the fonts, and where a translation has a Chinese character that they lack, which a test tells (`chinese` makes that font alone).

    pip install fonttools && tools/dev/make-fonts.py [chinese]

Inter is packaged with cubic outlines and proportional digits. stb_truetype and Dear ImGui know no OpenType features, so what the pictures need is
written into the fonts themselves: quadratic outlines, and the tabular digits in the place of the usual ones, so that figures in a column line up.

Of Noto Sans CJK only the shapes of simplified Chinese are kept: of the characters that the translation and the lessons have, and in the regular style of
the 3,755 usual ones (level 1 of GB 2312) as well, for what users write in their own kernels.
"""
import pathlib
import shutil
import sys

from fontTools import subset
from fontTools.pens.cu2quPen import Cu2QuPen
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTFont, newTable

INTER = pathlib.Path("/usr/share/fonts/opentype/inter")
JETBRAINS_MONO = pathlib.Path("/usr/share/fonts/truetype/jetbrains-mono")
NOTO = pathlib.Path("/usr/share/fonts/opentype/noto")
SIMPLIFIED_CHINESE = 2  # Of the fonts in the collection
TRANSLATION = pathlib.Path(__file__).resolve().parents[2] / "texts" / "zh.po"
OUT = pathlib.Path(__file__).resolve().parents[2] / "assets" / "fonts"

# Latin, Greek, Cyrillic, punctuation, super- and subscripts, currency, letter-like, arrows, mathematics, technical, shapes, symbols.
RANGES = [(0x20, 0x24F), (0x2B0, 0x2FF), (0x370, 0x52F), (0x1E00, 0x1EFF), (0x2000, 0x214F), (0x2150, 0x23FF), (0x2460, 0x24FF), (0x25A0, 0x27BF)]
MAX_ERROR = 0.5  # of a font unit, of which 2816 make an em


def single_substitutions(font, feature):
    gsub = font["GSUB"].table
    found = {}
    for record in gsub.FeatureList.FeatureRecord:
        if record.FeatureTag != feature:
            continue
        for index in record.Feature.LookupListIndex:
            for table in gsub.LookupList.Lookup[index].SubTable:
                table = getattr(table, "ExtSubTable", table)
                found.update(getattr(table, "mapping", {}))
    return found


def make_quadratic(font):
    glyphs = font.getGlyphSet()
    order = font.getGlyphOrder()
    outlines = {}
    for name in order:
        pen = TTGlyphPen(glyphs)
        glyphs[name].draw(Cu2QuPen(pen, MAX_ERROR, reverse_direction=True))
        outlines[name] = pen.glyph()
    font["loca"] = newTable("loca")
    font["glyf"] = glyf = newTable("glyf")
    glyf.glyphOrder = order
    glyf.glyphs = outlines
    for name, outline in outlines.items():
        outline.recalcBounds(glyf)
    font["maxp"].tableVersion = 0x00010000
    for field in ("maxZones", "maxTwilightPoints", "maxStorage", "maxFunctionDefs", "maxInstructionDefs", "maxStackElements",
                  "maxSizeOfInstructions", "maxComponentElements"):
        setattr(font["maxp"], field, 0)
    font["maxp"].maxZones = 1
    font["post"].formatType = 3.0
    for tag in ("CFF ", "VORG", "DSIG"):
        if tag in font:
            del font[tag]
    font.sfntVersion = "\x00\x01\x00\x00"


def make_inter(style):
    font = TTFont(INTER / f"Inter-{style}.otf")
    tabular = single_substitutions(font, "tnum")
    for table in font["cmap"].tables:
        for code, name in table.cmap.items():
            table.cmap[code] = tabular.get(name, name)
    digits = [font.getBestCmap()[ord(digit)] for digit in "0123456789"]
    width = max(font["hmtx"][name][0] for name in digits)  # in the bold styles they differ by a few units
    for name in digits:
        font["hmtx"][name] = (width, font["hmtx"][name][1])
    options = subset.Options(layout_features=[], name_IDs=["*"], notdef_outline=True, hinting=False)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=[code for low, high in RANGES for code in range(low, high + 1)])
    subsetter.subset(font)
    make_quadratic(font)
    font.save(OUT / f"Inter-{style}.ttf")


def usual_characters():
    """Rows 16 to 55 of GB 2312."""
    for row in range(16, 56):
        for cell in range(1, 95):
            try:
                yield ord(bytes((row + 0xA0, cell + 0xA0)).decode("gb2312"))
            except UnicodeDecodeError:
                pass


def make_chinese(style, more):
    font = TTFont(NOTO / f"NotoSansCJK-{style}.ttc", fontNumber=SIMPLIFIED_CHINESE)
    wanted = {ord(character) for character in TRANSLATION.read_text(encoding="utf-8") if ord(character) >= 0x2E80} | set(more)
    options = subset.Options(layout_features=[], name_IDs=[0, 1, 2, 3, 4, 5, 6, 13, 14], notdef_outline=True, hinting=False, desubroutinize=False)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=[*wanted, *range(0x3000, 0x3020), *range(0xFF01, 0xFF5F)])
    subsetter.subset(font)
    font.save(OUT / f"NotoSansSC-{style}.otf")


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    make_chinese("Regular", usual_characters())
    make_chinese("Bold", [])
    if sys.argv[1:] == ["chinese"]:
        return
    for style in ("Regular", "SemiBold", "Bold"):
        make_inter(style)
    shutil.copyfile(JETBRAINS_MONO / "JetBrainsMono-Regular.ttf", OUT / "JetBrainsMono-Regular.ttf")


main()
