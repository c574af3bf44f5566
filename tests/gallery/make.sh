#!/usr/bin/env bash
# Makes a deck of each source of the gallery with the offline author, and a page of contact sheets to look at: OUT/index.html, one row of
# small pages for each deck, with what was asked for and what the program said.
#
#   tests/gallery/make.sh OUT [PALIMPSEST]
#
# OUT is a folder that does not exist; PALIMPSEST is the program (target/debug/palimpsest where it is not given).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=${1:?name a folder for the decks}
program=${2:-$here/../../target/debug/palimpsest}
mkdir "$out"
out=$(cd "$out" && pwd)
escape() { sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g'; }
{
    echo '<!doctype html><meta charset="utf-8"><title>Gallery</title>'
    echo '<style>body{font:15px/1.5 system-ui;margin:24px}img{width:300px;margin:3px;border:1px solid #ccc}</style>'
} >"$out/index.html"
tail -n +2 "$here/gallery.tsv" | while IFS=$'\t' read -r file language brief; do
    name=${file%%-*}
    echo "$file" >&2
    said=$("$program" run course "$brief" --source "$here/$file" --model offline --out "$out/$name" \
        --database "sqlite:$out/$name.db" --data "$out/$name.data" 2>&1) || echo "$said" >&2
    {
        echo "<h2>$file</h2><p lang=\"$language\" dir=\"auto\">$(escape <<<"$brief")</p><p>"
        for page in "$out/$name"/thumbnails/*.png; do
            echo "<img src=\"$name/thumbnails/$(basename "$page")\" alt=\"\">"
        done
        echo "</p><details><summary>What the program said</summary><pre>$(escape <<<"$said")</pre></details>"
    } >>"$out/index.html"
done
echo "$out/index.html"
