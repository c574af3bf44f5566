"""Makes Blank.ttf: every character is a box, one em wide where East Asian text has a square, else 0.6 em.

Text that no font here has is measured with it, and signs that no font here has are drawn with it. Needs fonttools: python blank.py
"""

import unicodedata

from fontTools.fontBuilder import FontBuilder
from fontTools.ttLib.tables._c_m_a_p import CmapSubtable
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib.tables._g_l_y_f import Glyph

EM = 1000


def glyph_of(code):
    character = chr(code)
    if unicodedata.east_asian_width(character) in "WF":
        return "square"
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return "nothing"
    return "narrow"


def frame(width):
    """The outline of a box that stands on the baseline, with space at its sides."""
    pen = TTGlyphPen(None)
    left, bottom, right, top, line = 60, -40, width - 60, 740, 50
    for x0, y0, x1, y1, turn in [(left, bottom, right, top, 1), (left + line, bottom + line, right - line, top - line, -1)]:
        corners = [(x0, y0), (x0, y1), (x1, y1), (x1, y0)][::turn]
        pen.moveTo(corners[0])
        for corner in corners[1:]:
            pen.lineTo(corner)
        pen.closePath()
    return pen.glyph()


names = [".notdef", "square", "narrow", "nothing"]
builder = FontBuilder(EM, isTTF=True)
builder.setupGlyphOrder(names)
builder.setupCharacterMap({0x20: "narrow"})
builder.setupGlyf({".notdef": Glyph(), "square": frame(EM), "narrow": frame(600), "nothing": Glyph()})
builder.setupHorizontalMetrics({".notdef": (600, 0), "square": (EM, 60), "narrow": (600, 60), "nothing": (0, 0)})
builder.setupHorizontalHeader(ascent=880, descent=-120)
builder.setupNameTable({"familyName": "Palimpsest Blank", "styleName": "Regular", "psName": "PalimpsestBlank-Regular"})
builder.setupOS2(sTypoAscender=880, sTypoDescender=-120, usWinAscent=880, usWinDescent=120)
builder.setupPost()
table = CmapSubtable.newSubtable(13)
table.platformID, table.platEncID, table.language, table.format, table.reserved = 3, 10, 0, 13, 0
table.cmap = {code: glyph_of(code) for code in range(0x20, 0x30000) if not 0xD800 <= code < 0xE000}
builder.font["cmap"].tables = [table]
builder.font["head"].created = builder.font["head"].modified = 0
builder.font.recalcTimestamp = False
builder.save("Blank.ttf")
