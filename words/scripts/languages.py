"""Makes words/data/languages.tsv: what languages are called in the languages of CLDR.

    npm pack cldr-localenames-full && tar xf cldr-localenames-full-*.tgz
    python3 words/scripts/languages.py package > words/data/languages.tsv

The only argument is the unpacked package. It needs nothing but Python's standard library.
"""

import collections
import json
import pathlib
import sys
import unicodedata

# A locale that names fewer languages is a draft of CLDR: its names are copied or left in English.
NAMES_MIN = 440
# A shorter name is a word of another language more often than a name.
LETTERS_MIN = 4
# The same where a letter is a syllable or more.
SYLLABLES_MIN = 2
# Longer names are descriptions that nobody types.
WORDS_MAX = 3
# As in words/src/languages.rs: what makes two words forms of one.
SHARED_MIN, CHANGED_MAX, ADDED_MAX = 4, 2, 5


def key(name):
    """The letters and digits of a name without case and accents: what the program compares."""
    letters = [c for c in unicodedata.normalize("NFKD", name.lower()) if not unicodedata.combining(c)]
    return " ".join("".join(c if unicodedata.category(c)[0] in "LNM" else " " for c in letters).split())


def is_typed(name):
    letters = [c for c in key(name) if unicodedata.category(c)[0] in "LM"]
    least = SYLLABLES_MIN if any(is_wide(c) for c in letters) else LETTERS_MIN
    return len(letters) >= least and len(name.split()) <= WORDS_MAX and not set(name) & set("()（）,;、")


def is_wide(c):
    """Whether a sign is of a script without spaces: Thai and Lao, Myanmar, Khmer, and those of Eastern Asia."""
    return any(first <= c < end for first, end in ("\u0e00\u0f00", "\u1000\u10a0", "\u1780\u1800", "\u2e80\ua000"))


def shared(a, b):
    return next((at for at, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))


def is_form(word, name):
    """Whether the program would take a word for a form of the name."""
    same = shared(word, name)
    added = len(word) - same
    return same >= SHARED_MIN and len(name) - same <= CHANGED_MAX and added <= min(ADDED_MAX, same)


def read(folder, kind):
    """The names of a kind, by locale and tag."""
    found = {}
    for path in sorted(folder.glob(f"main/*/{kind}.json")):
        locale = path.parent.name
        found[locale] = json.loads(path.read_text(encoding="utf-8"))["main"][locale]["localeDisplayNames"][kind]
    return found


def main():
    folder = pathlib.Path(sys.argv[1])
    version = json.loads((folder / "package.json").read_text(encoding="utf-8"))["version"]
    languages, scripts, territories = (read(folder, kind) for kind in ("languages", "scripts", "territories"))
    large = {locale for locale, names in languages.items() if len(names) >= NAMES_MIN and "-" not in locale}
    locales = ["en"] + sorted(locale for locale in languages if locale.split("-")[0] in large and locale != "en")
    english = languages["en"]
    tags = {tag for tag in english if (len(tag.split("-")[0]) == 2 or tag in large) and "-alt" not in tag and "-menu" not in tag}

    names = collections.defaultdict(dict)
    said_by = collections.defaultdict(set)

    def add(locale, tag, name):
        if tag in tags and is_typed(name):
            names[key(name)].setdefault(tag, name)
            said_by[key(name), tag].add(locale.split("-")[0])

    for locale in locales:
        for tag, name in languages[locale].items():
            # The forms of one name: short ones and variants, but no entries of menus and no long descriptions.
            if "-menu" not in tag and "-alt-long" not in tag:
                add(locale, tag.split("-alt-")[0], name)
        for script in ("Hans", "Hant"):
            for tag, name in scripts.get(locale, {}).items():
                if tag.split("-")[0] == script and is_wide(name[0]):
                    add(locale, f"zh-{script}", name)

    places = set()
    for locale in locales:
        for tag, name in territories.get(locale, {}).items():
            if tag.isalpha() and is_typed(name) and " " not in name:
                places.add(key(name))
    by_beginning = collections.defaultdict(list)
    for name in names:
        by_beginning[name[:SHARED_MIN]].append(name)
    near = {place for place in places if any(is_form(place, name) for name in by_beginning[place[:SHARED_MIN]])}

    rows = []
    for forms in names.values():
        key_of = key(next(iter(forms.values())))
        # A name of several languages is that of the one that most languages call so.
        most = max(len(said_by[key_of, tag]) for tag in forms)
        best = [tag for tag in forms if len(said_by[key_of, tag]) == most or forms[tag] == english[tag]]
        for tag in best[:1]:
            is_english = forms[tag] == english[tag]
            rows.append((tag, not is_english, english[tag] if is_english else unicodedata.normalize("NFC", forms[tag].lower())))
    # The English name of each language is there, however short it is.
    rows += [(tag, False, english[tag]) for tag in tags if (tag, False, english[tag]) not in rows]

    print(f"# Names of languages of CLDR {version} (npm cldr-localenames-full, Unicode-3.0), made by words/scripts/languages.py.")
    print("# A tag and a name; the first name of a tag is the English one. Behind `-` stand places that are called like a language, or nearly.")
    for tag, _, name in sorted(rows):
        print(f"{tag}\t{name}")
    for place in sorted(near):
        print(f"-\t{place}")


main()
