#!/usr/bin/env python3
"""Makes the files of `pages/` and, beside each, the words that an independent reader finds in it.

Needs LibreOffice, pandoc, WeasyPrint, poppler-utils and the Noto CJK, Droid Sans Fallback and DejaVu fonts.
"""

import base64
import pathlib
import re
import struct
import subprocess
import tempfile
import zipfile
import zlib

HERE = pathlib.Path(__file__).parent / "pages"

ENGLISH = """
# Annual water report

This report covers the years 2019 to 2024. It was written for the board of the Lower Valley Water Company, and it uses
the meter readings of 4,812 households. The well-known low-pressure zones in the north-east are treated apart, because
their state-of-the-art pumps were replaced in 2022 at a cost of 1,250,000.75 euros.

## Sources and methods

Readings were taken **every hour** and *checked by hand*[^1]. See [the data portal](https://example.org/data) for the
raw values. A value below 0.05 m^3^ per hour counts as zero; H~2~O losses of more than 3.5 % are reported.

[^1]: Two meters failed on 14 March 2021 and were left out.

- Hourly readings from 17 stations
- Daily summaries, which were compared with the readings and corrected where they differed by more than one per cent,
  as the handbook of 2018 asks
    - of the northern zone
    - of the southern zone
- Letters from customers

1. Collect the readings.
2. Compare them with the year before.
3. Publish what was found.

## Results

| Zone     | Households | Use in 2023 | Use in 2024 | Change |
|----------|-----------:|------------:|------------:|-------:|
| North    |      1,204 |     98,765  |     97,001  | -1.8 % |
| South    |      2,377 |    201,455  |    210,998  | +4.7 % |
| Centre   |      1,231 |    123,456  |    120,004  | -2.8 % |

Use rose in the south, where 311 new houses were connected, and fell elsewhere.

> We never saw such a dry summer,
> wrote a customer in August 2024.

### Limits

The model is linear:

```python
def use(households, rate=81.7):
    return households * rate
```

It does not hold for leap years such as 2020 and 2024.
"""

CHINESE = """
# 城市用水年度报告

本报告涵盖 2019 年至 2024 年，依据 4,812 户居民的水表读数编写。东北部的低压区域另行处理，因为那里的水泵已于 2022 年更换，
费用为 1,250,000.75 元。所有数据均经过人工核对，并与上一年度的记录逐项比较，差异超过百分之一的记录均已更正。

## 数据来源与方法

读数**每小时**采集一次，并由*专人核对*[^1]。原始数据见[数据门户](https://example.org/data)。低于 0.05 的数值按零计，
损失超过 3.5% 的部分单独报告。Python 与 PostgreSQL 用于数据处理。

[^1]: 2021 年 3 月 14 日有两块水表发生故障，其读数未计入。

- 来自 17 个站点的逐时读数
- 每日汇总
    - 北区
    - 南区
- 用户来信

1. 收集读数。
2. 与上一年比较。
3. 公布结果。

## 结果

| 区域 | 户数  | 2023 年用水量 | 2024 年用水量 | 变化  |
|------|------:|--------------:|--------------:|------:|
| 北区 | 1,204 |        98,765 |        97,001 | -1.8% |
| 南区 | 2,377 |       201,455 |       210,998 | +4.7% |
| 中区 | 1,231 |       123,456 |       120,004 | -2.8% |

南区新接入 311 户，用水量上升；其他区域均有所下降。

> 从未见过如此干旱的夏天，一位用户在 2024 年 8 月写道。

### 局限

该模型是线性的：

```python
def use(households, rate=81.7):
    return households * rate
```

它不适用于 2020 年和 2024 年等闰年。
"""

PARAGRAPHS = {
    "en": [
        "The first gauge was read on 3 January 1998, at a depth of 12.75 metres, and the last on 30 June 2005. Between "
        "these dates the instrument was moved twice, and each time the zero point was measured again by two people who "
        "did not know the other's result.",
        "A difference of up to 0.4 metres remained unexplained. It cannot come from the tide, which never exceeds 0.15 "
        "metres so far inland, nor from the well-known drift of float gauges, which is slower by a factor of ten.",
        "We therefore looked at the photographs of the site. In 41 of 96 pictures the mark is hidden by reeds; in the "
        "others it stands clearly above the line that the log book gives for the day.",
    ],
    "zh": [
        "第一次读数于 1998 年 1 月 3 日进行，深度为 12.75 米；最后一次为 2005 年 6 月 30 日。在此期间仪器移动过两次，每次均由两名互不知晓"
        "对方结果的人员重新测量零点，并将结果记入日志。",
        "仍有最多 0.4 米的差异无法解释。它不可能来自潮汐，因为内陆地区的潮差从不超过 0.15 米；也不可能来自浮子式水位计的漂移，"
        "后者要慢十倍。",
        "因此我们查看了现场照片。在 96 张照片中有 41 张的标记被芦苇遮挡；其余照片中，标记明显高于当日日志所记的水位线。",
    ],
}

TITLES = {
    "en": ("Gauges of the river", "Introduction", "Measurements", "Discussion", "River studies 17", "Page"),
    "zh": ("河流水位观测", "引言", "测量", "讨论", "河流研究 第 17 期", "第"),
}


def png() -> bytes:
    """A red square of 8 pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + b"\xff\0\0" * 8 for _ in range(8))
    head = struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def paper(language: str, columns: int) -> str:
    """A paper of three pages with a running title, page numbers and a picture."""
    title, *heads, running, page = TITLES[language]
    font = "Droid Sans Fallback" if language == "zh" else "DejaVu Serif"
    picture = base64.b64encode(png()).decode()
    sections = ""
    for number, head in enumerate(heads, start=1):
        texts = "".join(f"<p>{text}</p>" for text in PARAGRAPHS[language] * 2)
        sections += f"<h2>{number} {head}</h2>{texts}"
    return f"""<!DOCTYPE html><html lang="{language}"><head><meta charset="utf-8"><title>{title}</title><style>
@page {{ size: A5; margin: 20mm 15mm; @top-center {{ content: "{running}"; font: 8pt "{font}" }}
  @bottom-center {{ content: "{page} " counter(page); font: 8pt "{font}" }} }}
body {{ font: 9.5pt/1.5 "{font}"; text-align: justify; hyphens: manual }}
h1 {{ font-size: 18pt }} h2 {{ font-size: 13pt; break-after: avoid }}
main {{ columns: {columns}; column-gap: 8mm }}
</style></head><body><h1>{title}</h1><main>{sections}<img src="data:image/png;base64,{picture}" alt=""></main></body>
</html>"""


def tables(language: str) -> str:
    """A table that goes over a page, with empty cells and cells of several lines."""
    heads = {
        "en": ("Item", "Description", "Quantity", "Price"),
        "zh": ("编号", "说明", "数量", "单价"),
    }[language]
    words = {
        "en": ("A pump of cast iron with two valves and a spare seal", "Pipe", ""),
        "zh": ("铸铁水泵，带两个阀门和一个备用密封圈，附安装说明", "管道", ""),
    }[language]
    rows = ""
    for number in range(1, 31):
        cells = (f"N{number:03}", words[number % 3], str(number * 7), f"{number * 13.25:,.2f}")
        rows += "<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>"
    head = "".join(f"<th>{cell}</th>" for cell in heads)
    title = TITLES[language][2]
    return f"""<!DOCTYPE html><html lang="{language}"><head><meta charset="utf-8"><title>{title}</title></head>
<body><h1>{title}</h1><p>{PARAGRAPHS[language][0]}</p>
<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table><p>{PARAGRAPHS[language][1]}</p></body></html>"""


TABLE_STYLE = """@page { size: A5; margin: 15mm } body { font: 10pt "DejaVu Sans", "Droid Sans Fallback"; margin: 0 }
table { border-collapse: collapse } th, td { border: 0.5pt solid black; padding: 2pt 4pt; text-align: left }
td:nth-child(2) { width: 45mm }"""


def flat_text(language: str) -> str:
    """An OpenDocument text of some pages with a header and a footer that counts pages."""
    title, *heads, running, page = TITLES[language]
    body = f'<text:h text:outline-level="1" text:style-name="H">{title}</text:h>'
    for head in heads:
        body += f'<text:h text:outline-level="2" text:style-name="S">{head}</text:h>'
        body += "".join(f'<text:p text:style-name="P">{text}</text:p>' for text in PARAGRAPHS[language] * 2)
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"
 xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"
 xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0"
 office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.text">
<office:font-face-decls><style:font-face style:name="Body" svg:font-family="DejaVu Serif"/>
<style:font-face style:name="CJK" svg:font-family="Noto Serif CJK SC"/></office:font-face-decls>
<office:styles><style:style style:name="P" style:family="paragraph">
<style:paragraph-properties fo:margin-bottom="0.2cm"/><style:text-properties style:font-name="Body"
 style:font-name-asian="CJK" fo:font-size="11pt" style:font-size-asian="11pt"/></style:style>
<style:style style:name="H" style:family="paragraph" style:parent-style-name="P"><style:text-properties
 fo:font-size="20pt" style:font-size-asian="20pt" fo:font-weight="bold"/></style:style>
<style:style style:name="S" style:family="paragraph" style:parent-style-name="P"><style:text-properties
 fo:font-size="14pt" style:font-size-asian="14pt"/></style:style></office:styles>
<office:automatic-styles><style:page-layout style:name="L"><style:page-layout-properties fo:page-width="14.8cm"
 fo:page-height="21cm" fo:margin="1.5cm"/><style:header-style/><style:footer-style/></style:page-layout></office:automatic-styles>
<office:master-styles><style:master-page style:name="Standard" style:page-layout-name="L">
<style:header><text:p text:style-name="P">{running}</text:p></style:header>
<style:footer><text:p text:style-name="P">{page} <text:page-number/></text:p></style:footer></style:master-page>
</office:master-styles><office:body><office:text>{body}</office:text></office:body></office:document>"""


def run(*command: object) -> str:
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True).stdout


def one_font(path: pathlib.Path, font: str) -> None:
    """Makes the file smaller: each font of a document is carried by its PDF."""
    with zipfile.ZipFile(path) as package:
        parts = {name: package.read(name) for name in package.namelist()}
    for name in ("word/theme/theme1.xml", "word/styles.xml"):
        for other in (b"Cambria", b"Calibri", b"Consolas"):
            parts[name] = parts[name].replace(other, font.encode())
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
        for name, data in parts.items():
            package.writestr(name, data)


def office(source: pathlib.Path, kind: str, target: str) -> None:
    run("soffice", "--headless", "--convert-to", kind, "--outdir", source.parent, source)
    source.with_suffix("." + kind.split(":")[0]).rename(HERE / target)


def words_of(path: pathlib.Path) -> str:
    if path.suffix == ".pdf":
        return run("pdftotext", "-enc", "UTF-8", path, "-")
    if path.suffix == ".epub":
        # Pandoc leaves out what a book calls its title page.
        with zipfile.ZipFile(path) as package:
            names = {name.rsplit("/")[-1]: name for name in package.namelist()}
            opf = next(package.read(name).decode() for name in names.values() if name.endswith(".opf"))
            tags = [dict(re.findall(r'([\w:-]+)="([^"]*)"', tag)) for tag in re.findall(r"<item(?:ref)?\s[^>]*>", opf)]
            hrefs = {tag["id"]: tag["href"] for tag in tags if "href" in tag}
            pages = [package.read(names[hrefs[tag["idref"]].rsplit("/")[-1]]) for tag in tags if "idref" in tag]
        return "\n".join(plain(page.replace(b'"titlepage"', b'""')) for page in pages)
    return plain(path.read_bytes())


def plain(page: bytes) -> str:
    command = ["pandoc", "-f", "html", "-t", "plain", "--wrap=none"]
    return subprocess.run(command, check=True, capture_output=True, input=page).stdout.decode()


def main() -> None:
    HERE.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        for language, text in (("en", ENGLISH), ("zh", CHINESE)):
            markdown = work / f"report_{language}.md"
            markdown.write_text(text)
            title = TITLES[language][0]
            extra = ("--metadata", f"title={title}", "--metadata", f"lang={language}")
            run("pandoc", markdown, "-s", *extra, "-o", HERE / f"report_{language}.html")
            run("pandoc", markdown, *extra, "-o", HERE / f"book_{language}.epub")
            run("pandoc", markdown, *extra, "-o", work / f"report_{language}.docx")
            one_font(work / f"report_{language}.docx", "Droid Sans Fallback" if language == "zh" else "DejaVu Sans")
            office(work / f"report_{language}.docx", "pdf", f"report_{language}_office.pdf")
            office(work / f"report_{language}.docx", "html", f"report_{language}_office.html")
            office(work / f"report_{language}.docx", "epub", f"book_{language}_office.epub")
            style = work / "style.css"
            style.write_text(TABLE_STYLE)
            page = work / "table.html"
            page.write_text(tables(language))
            run("pandoc", page, "-s", "--pdf-engine=weasyprint", "--css", style, *extra,
                "-o", HERE / f"table_{language}_pandoc.pdf")
            page.write_text(paper(language, 2))
            run("weasyprint", page, HERE / f"columns_{language}_weasyprint.pdf")
            flat = work / "running.fodt"
            flat.write_text(flat_text(language))
            office(flat, "pdf", f"running_{language}_office.pdf")
    for path in sorted(HERE.iterdir()):
        if path.suffix != ".words":
            path.with_name(path.name + ".words").write_text(words_of(path))


if __name__ == "__main__":
    main()
