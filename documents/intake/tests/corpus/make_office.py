#!/usr/bin/env python3
"""Makes the files of `office/` and, beside each, the words that an independent reader finds in it.

Needs python-docx, openpyxl, python-pptx and LibreOffice. Each file is made by one of these libraries, and made again by
LibreOffice in its own format and back; the words are read by the library out of the first, whose content they all have.
"""

import datetime
import pathlib
import subprocess
import tempfile

import docx
import openpyxl
import pptx

HERE = pathlib.Path(__file__).parent / "office"

WORDS = {
    "en": {
        "title": "Report on the tides of 2024",
        "intro": "The mean range at Naples is 0.3 m, at Bristol 9.6 m; the largest ever measured is 16.27 m.",
        "heads": ["What was measured", "What follows"],
        "bullets": ["Readings every 10 minutes", "Two gauges, 1.50 m apart", "A log of 52,560 lines"],
        "steps": ["Set the gauge to zero", "Read it at high water", "Compare with the table"],
        "table": [["Place", "Range (m)", "Share"], ["Fundy", "11.7", "46%"], ["Bristol", "9.6", "38%"], ["Naples", "0.3", "1.2%"]],
        "note": "Ask whether anybody has seen low water.",
        "end": "A storm of 14 March 2021 raised the sea by 2.35 m.",
    },
    "zh": {
        "title": "2024 年潮汐观测报告",
        "intro": "那不勒斯的平均潮差为 0.3 米，布里斯托尔为 9.6 米；实测最大值为 16.27 米。",
        "heads": ["观测方法", "主要结论"],
        "bullets": ["每 10 分钟读数一次", "两台验潮仪相距 1.50 米", "日志共 52,560 行"],
        "steps": ["将验潮仪归零", "在高潮时读数", "与潮汐表对照"],
        "table": [["地点", "潮差（米）", "占比"], ["芬迪湾", "11.7", "46%"], ["布里斯托尔", "9.6", "38%"], ["那不勒斯", "0.3", "1.2%"]],
        "note": "请问大家是否见过低潮。",
        "end": "2021 年 3 月 14 日的风暴使海面升高 2.35 米。",
    },
}


def word(path, words):
    document = docx.Document()
    document.add_heading(words["title"], 0)
    document.add_paragraph(words["intro"])
    for head, items, style in zip(words["heads"], (words["bullets"], words["steps"]), ("List Bullet", "List Number")):
        document.add_heading(head, 1)
        for item in items:
            document.add_paragraph(item, style=style)
    table = document.add_table(len(words["table"]), 3)
    for row, cells in zip(table.rows, words["table"]):
        for cell, text in zip(row.cells, cells):
            cell.text = text
    paragraph = document.add_paragraph()
    paragraph.add_run(words["end"][:6]).bold = True
    paragraph.add_run(words["end"][6:])
    document.save(path)
    read = docx.Document(path)
    lines = [p.text for p in read.paragraphs]
    # What stands before the steps, which the library does not count.
    lines += [str(number) for number, _ in enumerate(words["steps"], 1)]
    lines += [cell.text for t in read.tables for row in t.rows for cell in row.cells]
    return lines


def slides(path, words):
    deck = pptx.Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[0])
    slide.shapes.title.text = words["title"]
    slide.placeholders[1].text = words["intro"]
    for head, items in zip(words["heads"], (words["bullets"], words["steps"])):
        slide = deck.slides.add_slide(deck.slide_layouts[1])
        slide.shapes.title.text = head
        frame = slide.placeholders[1].text_frame
        frame.text = items[0]
        for level, item in enumerate(items[1:]):
            paragraph = frame.add_paragraph()
            paragraph.text, paragraph.level = item, level
        slide.notes_slide.notes_text_frame.text = words["note"]
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = words["end"]
    inch = pptx.util.Inches
    table = slide.shapes.add_table(len(words["table"]), 3, inch(1), inch(2), inch(8), inch(3)).table
    for r, cells in enumerate(words["table"]):
        for c, text in enumerate(cells):
            table.cell(r, c).text = text
    deck.save(path)
    lines = []
    for slide in pptx.Presentation(path).slides:
        for shape in slide.shapes:
            if shape.has_text_frame:
                lines.append(shape.text_frame.text)
            if shape.has_table:
                lines += [cell.text for row in shape.table.rows for cell in row.cells]
        if slide.has_notes_slide:
            lines.append(slide.notes_slide.notes_text_frame.text)
    return lines


def sheet(path, words):
    book = openpyxl.Workbook()
    page = book.active
    page.title = words["heads"][0][:20]
    page.append(words["table"][0] + ["2024"])
    for name, size, share in words["table"][1:]:
        page.append([name, float(size), float(share.rstrip("%")) / 100, datetime.date(2024, 3, 14)])
    for row in page.iter_rows(min_row=2):
        row[1].number_format, row[2].number_format, row[3].number_format = "0.0", "0.0%", "yyyy-mm-dd"
    other = book.create_sheet(words["heads"][1][:20])
    for number, step in enumerate(words["steps"], 1):
        other.append([number, step])
    other.merge_cells("A5:B5")
    other["A5"] = words["end"]
    book.save(path)
    lines = []
    for page in openpyxl.load_workbook(path).worksheets:
        lines.append(page.title)
        for row in page.iter_rows():
            for cell in row:
                if cell.value is None:
                    continue
                value = cell.value
                if cell.number_format == "0.0%":
                    value = f"{value:.1%}"
                elif cell.number_format == "0.0":
                    value = f"{value:.1f}"
                elif cell.is_date:
                    value = f"{value:%Y-%m-%d}"
                lines.append(str(value))
    return lines


def convert(source, ending, target):
    with tempfile.TemporaryDirectory() as folder:
        profile = f"-env:UserInstallation=file://{folder}/profile"
        subprocess.run(["soffice", profile, "--headless", "--convert-to", ending, "--outdir", folder, source], check=True, capture_output=True)
        made = pathlib.Path(folder) / f"{source.stem}.{ending}"
        target.write_bytes(made.read_bytes())


def main():
    HERE.mkdir(exist_ok=True)
    for language, words in WORDS.items():
        for make, ending, open_ending in ((word, "docx", "odt"), (slides, "pptx", "odp"), (sheet, "xlsx", "ods")):
            first = HERE / f"{make.__name__}_{language}.{ending}"
            lines = make(first, words)
            second = HERE / f"{make.__name__}_{language}_office.{open_ending}"
            convert(first, open_ending, second)
            third = HERE / f"{make.__name__}_{language}_office.{ending}"
            convert(second, ending, third)
            for path in (first, second, third):
                pathlib.Path(f"{path}.words").write_text("\n".join(lines) + "\n")


main()
