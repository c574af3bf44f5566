"""What python-pptx reads in each of the files named as arguments, as one JSON array."""

import json
import sys

from lxml import etree
from pptx import Presentation
from pptx.util import Emu

A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"


def chart(chart):
    plot = chart.plots[0]
    return {
        "kind": str(chart.chart_type).split(" ")[0],
        "categories": list(plot.categories),
        "series": [{"name": s.name, "values": list(s.values)} for s in plot.series],
        "workbook": chart.part.chart_workbook.xlsx_part is not None,
    }


def theme(presentation):
    part = next(
        rel.target_part
        for rel in presentation.slide_master.part.rels.values()
        if rel.reltype.endswith("/theme")
    )
    tree = etree.fromstring(part.blob)
    scheme = tree.find(f".//{A}clrScheme")
    colors = {slot.tag.removeprefix(A): slot[0].get("val") for slot in scheme}
    fonts = {}
    for name in ["majorFont", "minorFont"]:
        font = tree.find(f".//{A}{name}")
        fonts[name] = {kind: font.find(f"{A}{kind}").get("typeface") for kind in ["latin", "ea"]}
    return {"colors": colors, "fonts": fonts}


def slide(slide):
    shapes = list(slide.shapes)
    described = [s._element.xpath(".//p:cNvPr")[0].get("descr") for s in shapes]
    colors = [tag.rsplit("}")[-1] for tag in (e.tag for e in slide._element.iter()) if tag.endswith("Clr")]
    return {
        "layout": slide.slide_layout.name,
        "title": slide.shapes.title.text_frame.text if slide.shapes.title is not None else None,
        "placeholders": sorted(p.placeholder_format.idx for p in slide.placeholders),
        "texts": [s.text_frame.text for s in shapes if s.has_text_frame and s.text_frame.text],
        "charts": [chart(s.chart) for s in shapes if getattr(s, "has_chart", False) and s.has_chart],
        "tables": [
            [[cell.text for cell in row.cells] for row in s.table.rows]
            for s in shapes
            if getattr(s, "has_table", False) and s.has_table
        ],
        "pictures": sum(1 for s in shapes if s.shape_type is not None and "PICTURE" in str(s.shape_type)),
        "described": [words for words in described if words],
        "notes": slide.notes_slide.notes_text_frame.text if slide.has_notes_slide else None,
        "scheme_colors": colors.count("schemeClr"),
        "other_colors": colors.count("srgbClr"),
    }


def deck(path):
    presentation = Presentation(path)
    return {
        "size": [Emu(presentation.slide_width).pt, Emu(presentation.slide_height).pt],
        "title": presentation.core_properties.title,
        "layouts": [layout.name for layout in presentation.slide_layouts],
        "theme": theme(presentation),
        "slides": [slide(s) for s in presentation.slides],
    }


json.dump([deck(path) for path in sys.argv[1:]], sys.stdout, ensure_ascii=False)
