"""Lists the names that each product imports from the crates of the engine past the public library.

Run in the root of the repository: `just names` prints how many they are for each product, with the name of a product after it those names
themselves, and with `--all` also those that the public library has. A product that has a crate of its own imports
nothing past the library, which `tests/layout.rs` holds. The public library is the crate `palimpsest`: what the modules in
`api/src/prelude/` give out of other crates, and its own public modules.
"""

import re
import sys
from pathlib import Path

# The folders and files of each product.
PRODUCTS = {
    "course": ["products/course"],
    "report": ["products/report"],
    "post": ["products/post"],
    "deck": ["products/deck"],
    "story": ["products/story"],
}
# The crates of the engine by their names in Rust, with their folders. Documents (`spec`, `intake`, `render`, `sdsl`) are anybody's.
CRATES = {
    "domain": "domain", "commands": "commands", "store": "store", "runner": "runner", "projections": "projections", "palimpsest": "api",
}
TESTS = re.compile(r"(^|/)(tests?|testing)(\.rs$|/)|_tests\.rs$")
LONGEST = re.compile(r"\b(?:" + "|".join(CRATES) + r"|crate|super|self)(?:::\w+)+")


def uncommented(text):
    """The code before the tests of a file, without comments."""
    text = re.split(r"#\[cfg\(test\)\]\s*(?:pub(?:\(\w+\))? )?mod \w+ \{", text)[0]
    return re.sub(r"//.*", "", text)


def leaves(tree, prefix=""):
    """The paths that a tree of `use` names."""
    tree, depth, start, parts = tree.strip(), 0, 0, []
    for at, char in enumerate(tree + ","):
        depth += (char == "{") - (char == "}")
        if char == "," and depth == 0:
            parts.append(tree[start:at].strip())
            start = at + 1
    for part in filter(None, parts):
        head, _, rest = part.partition("{")
        if rest:
            yield from leaves(rest.rsplit("}", 1)[0], prefix + head.strip())
        else:
            path = prefix + re.sub(r"\s+as\s+\w+$", "", part)
            yield re.sub(r"::self$", "", path)


def module(file):
    """The path of the module that a file is, with its crate first."""
    for name, folder in CRATES.items():
        if file.is_relative_to(Path(folder) / "src"):
            parts = list(file.relative_to(Path(folder) / "src").with_suffix("").parts)
            return [name] + [part for part in parts if part not in ("mod", "lib")]
    return ["own"]


def resolved(path, here):
    """A path from the root of its crate on, down to its first type or constant."""
    parts = path.split("::")
    if parts[0] == "crate":
        parts = here[:1] + parts[1:]
    elif parts[0] in ("self", "super"):
        base = list(here)
        while parts and parts[0] in ("self", "super"):
            base = base[:-1] if parts.pop(0) == "super" else base
        parts = base + parts
    kept = []
    for part in parts:
        kept.append(part)
        if part[:1].isupper():
            break
    return "::".join(kept)


def imports(file):
    """The names of other modules that a file uses, in `use` and in place."""
    here = module(file)
    text = uncommented(file.read_text(encoding="utf8"))
    for tree in re.findall(r"\buse ([^;]+);", text):
        for path in leaves(tree):
            yield resolved(path, here)
    modules = set(re.findall(r"\bmod (\w+);", text))
    for path in LONGEST.findall(re.sub(r"\buse [^;]+;", "", text)):
        if path.split("::")[0] not in modules:
            yield resolved(path, here)


def product_names(folders):
    """The names of the engine's crates that the files of a product use."""
    own, names = [], set()
    files = []
    for folder in map(Path, folders):
        own.append("::".join(module(folder if folder.suffix else folder / "mod.rs")))
        files += [folder] if folder.is_file() else sorted(folder.rglob("*.rs"))
    for file in files:
        if not TESTS.search(str(file)):
            names |= set(imports(file))
    is_own = lambda name: any(name == place or name.startswith(place + "::") for place in own)
    return {name for name in names if name.split("::")[0] in CRATES and "::" in name and not is_own(name)}


def public_library():
    """What `palimpsest` gives out: whole modules, names, and its own public modules."""
    api = Path("api/src")
    given = set()
    places = [api / "prelude.rs", api / "wires.rs", api / "lib.rs", *sorted((api / "prelude").glob("*.rs"))]
    for file in filter(Path.is_file, places):
        text = re.sub(r"//.*", "", file.read_text(encoding="utf8"))
        for tree in re.findall(r"\bpub use ([^;]+);", text):
            given |= {resolved(path, ["palimpsest"]) for path in leaves(tree)}
    root = (api / "lib.rs").read_text(encoding="utf8")
    modules = [(f"palimpsest::{name}", api / name) for name in re.findall(r"^pub mod (\w+);", root, re.M)]
    wire = (api / "wire/mod.rs").read_text(encoding="utf8")
    closed = {f"palimpsest::wire::{name}" for name in re.findall(r"^(?:pub\(crate\) )?mod (\w+);", wire, re.M)}
    return given | {name for name, _ in modules}, closed


def is_public(name, given, closed):
    parts = name.split("::")
    if any(name == place or name.startswith(place + "::") for place in closed):
        return False
    if any("::".join(parts[:count]) in given for count in range(2, len(parts) + 1)):
        return True
    return any(place.split("::")[0] == parts[0] and place.split("::")[-1] == parts[-1] and parts[-1] for place in given)


def main():
    wanted = [word for word in sys.argv[1:] if not word.startswith("--")]
    given, closed = public_library()
    every = set()
    for product, folders in PRODUCTS.items():
        names = product_names(folders)
        # What a crate outside of the engine imports of `palimpsest` is public, or it would not compile.
        is_outside = Path("products", product).exists()
        library = lambda name: is_outside and name.startswith("palimpsest::")
        past = {name for name in names if not library(name) and not is_public(name, given, closed)}
        every |= past
        if not wanted or product in wanted:
            print(f"{product}: {len(past)} names past the public library, {len(names) - len(past)} of it")
        if product in wanted:
            shown = names if "--all" in sys.argv else past
            print("\n".join(sorted(f"  {name}" for name in shown)))
    if not wanted:
        print(f"all: {len(every)} names past the public library")


main()
