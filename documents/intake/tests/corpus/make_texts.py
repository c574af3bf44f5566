"""Makes texts/: texts of other programs, and beside each its words as an independent reader finds them.

Needs pandoc and LibreOffice. Run it in the folder that it is in.
"""

import csv
import io
import json
import pathlib
import subprocess
import tempfile

HERE = pathlib.Path(__file__).parent
INPUTS = HERE.parent / "inputs"
OUT = HERE / "texts"

TRADITIONAL = """會議紀錄

時間：2025年4月2日下午二時，地點：三樓會議室。

討論事項：下年度預算編列案，總額為新臺幣1,250萬元，決議照案通過。
第三季營業收入較去年同期成長12.5%，主要受惠於伺服器產品出貨增加。
"""

JAPANESE = """議事録

日時：2025年4月2日14時、場所：三階会議室。

来年度の予算について話し合い、総額1250万円とすることを決めました。
第三四半期の売上高は前年同期より12.5%増えました。
"""

KOREAN = """회의록

일시: 2025년 4월 2일 오후 2시, 장소: 3층 회의실.

내년 예산에 대해 논의하고 총액을 1250만 원으로 정했습니다.
"""

FRENCH = """Compte rendu

L'été dernier, le conseil d'administration a décidé de reporter la réunion à 14 h 30.
Les élèves doivent remettre leur mémoire avant la fin de l'année : 12,5 % ont déjà terminé.
"""

GERMAN = """Protokoll

Die Prüfung fällt wegen der großen Hitze aus; über die Öffnungszeiten wird nächste Woche gesprochen.
Größe: 5 m², Preis: 20 €, Länge: 1,75 m.
"""

RUSSIAN = """Протокол

Совет директоров решил перенести заседание на среду, 16 апреля 2025 года, в 8 часов утра.
Выручка выросла на 12,5 процента.
"""

ROWS = [
    ["id", "name", "note", "amount"],
    ["00123456789012345678901", "Li, Wei", 'said "yes"', "1.10"],
    ["2", "Zoë", "first line\nsecond line", "1e3"],
    ["3", "张伟; 刘芳", "", "-0,5"],
    ["4", "O'Neil", "tab\tand | bar", "12%"],
]


def pandoc(text, source, target, *options):
    command = ["pandoc", "-f", source, "-t", target, *options]
    return subprocess.run(command, input=text, text=True, capture_output=True, check=True).stdout


def put(name, data, words):
    data = data.encode() if isinstance(data, str) else data
    (OUT / name).write_bytes(data)
    (OUT / (name + ".words")).write_text(words, encoding="utf-8")


def markdown():
    """Markdown of each of pandoc's writers; the words are those of its plain text."""
    kinds = [
        ("tides.md", "gfm"),
        ("tides.md", "markdown"),
        ("src_tech.md", "gfm"),
        ("src_tech.md", "commonmark"),
        ("src_long.md", "markdown_mmd"),
        ("src_long.md", "markdown_strict"),
        ("src_table.md", "markdown_phpextra"),
        ("t04_tender_zh.md", "gfm"),
        ("t09_quality.html", "gfm"),
    ]
    for source, kind in kinds:
        path = INPUTS / source
        origin = "html" if path.suffix == ".html" else "markdown+lists_without_preceding_blankline"
        given = path.read_text(encoding="utf-8")
        # Plain text has no LaTeX, so its words are others.
        given = "".join(line for line in given.splitlines(True) if "$E=mc^2$" not in line)
        text = pandoc(given, origin, kind)
        words = pandoc(given, origin, "plain", "--wrap=none")
        put(f"{path.stem}.{kind}.md", text, words)


def plain():
    for source in ["tides.md", "src_long.md"]:
        text = pandoc((INPUTS / source).read_text(encoding="utf-8"), "markdown", "plain")
        put(f"{pathlib.Path(source).stem}.plain.txt", text, text)
    for name, encoding, text in [
        ("minutes.gbk.txt", "gbk", (INPUTS / "minutes.md").read_text(encoding="utf-8")),
        ("long.gb18030.md", "gb18030", (INPUTS / "src_long.md").read_text(encoding="utf-8")),
        ("minutes.big5.txt", "big5", TRADITIONAL),
        ("minutes.sjis.txt", "shift_jis", JAPANESE),
        ("minutes.eucjp.txt", "euc_jp", JAPANESE),
        ("minutes.euckr.txt", "euc_kr", KOREAN),
        ("minutes.fr.txt", "cp1252", FRENCH),
        ("minutes.de.txt", "cp1252", GERMAN),
        ("minutes.ru.txt", "cp1251", RUSSIAN),
        ("tides.utf16.md", "utf-16", (INPUTS / "tides.md").read_text(encoding="utf-8")),
        ("long.utf16be.txt", "utf-16-be", TRADITIONAL),
    ]:
        words = pandoc(text, "gfm", "plain", "--wrap=none") if name.endswith(".md") else text
        put(name, text.encode(encoding), words)


def tables():
    words = "\n".join("\n".join(row) for row in ROWS)
    dialects = [
        ("excel.csv", {"dialect": "excel"}, "utf-8-sig"),
        ("tabs.tsv", {"dialect": "excel-tab"}, "utf-8"),
        ("unix.csv", {"dialect": "unix"}, "gb18030"),
        ("semicolon.csv", {"delimiter": ";", "quoting": csv.QUOTE_ALL}, "utf-16"),
        ("bars.csv", {"delimiter": "|"}, "utf-8"),
    ]
    for name, options, encoding in dialects:
        out = io.StringIO(newline="")
        csv.writer(out, **options).writerows(ROWS)
        put(name, out.getvalue().encode(encoding), words)
    for name, sign in [("sales.comma.csv", 44), ("sales.semicolon.csv", 59), ("sales.tab.csv", 9)]:
        with tempfile.TemporaryDirectory() as folder:
            kind = f"csv:Text - txt - csv (StarCalc):{sign},34,76,1"
            command = ["soffice", "--headless", "--convert-to", kind, "--outdir", folder]
            subprocess.run([*command, INPUTS / "sales.xlsx"], check=True, capture_output=True)
            data = next(pathlib.Path(folder).glob("*.csv")).read_bytes()
        rows = csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""), delimiter=chr(sign))
        put(name, data, "\n".join("\n".join(row) for row in rows))


def values():
    head, *rows = ROWS
    objects = [dict(zip(head, row)) for row in rows]
    text = json.dumps({"title": "Orders", "rows": objects, "total": {"net": 1.5, "tags": ["a", "b"]}}, indent=2)
    found = []

    def walk(value):
        if isinstance(value, dict):
            for key, inner in value.items():
                found.append(key)
                walk(inner)
        elif isinstance(value, list):
            for inner in value:
                walk(inner)
        else:
            found.append(str(value))

    # The names of a table are given once, as the head of its columns.
    flat = json.loads(text)
    flat["rows"] = [head, *[[row[name] for name in head] for row in flat["rows"]]]
    walk(flat)
    put("orders.json", text, "\n".join(found))
    lines = "\n".join(json.dumps(row, ensure_ascii=False) for row in objects)
    put("orders.jsonl", lines, "\n".join("\n".join(row) for row in ROWS))


OUT.mkdir(exist_ok=True)
markdown()
plain()
tables()
values()
