#!/bin/sh
# Fuzzes what reads bytes of others: streams of answers, structured answers, arguments of tools, decks as text, and the readers of files, which
# are named by an extension. Each target gets as many minutes as are given, one when nothing is. Needs a C++ compiler, and no other toolchain than that of the workspace: the flags
# below are what `cargo fuzz` passes to a nightly compiler, without the sanitizer, which safe code needs least.
#
#   tests/fuzz.sh [minutes] [target...]
#
# Inputs that add something are kept in target/fuzz/corpus/<target>; one that fails is written to target/fuzz/found/.
set -eu

minutes=${1:-1}
[ $# -gt 0 ] && shift
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- stream structured arguments decks md txt csv json html svg pdf docx pptx xlsx odt ods epub

# Inputs are as long as a short answer or a page, and each is given seconds: reading takes microseconds, so a slow one is a
# finding. So is one that needs more memory than the largest file may become, with as much again for what is made of it.
answer_length_max=4096
file_length_max=65536
seconds_max=5
megabytes_max=1024

# A target of its own, so that build scripts are compiled without the flags.
host=$(rustc -vV | sed -n 's/^host: //p')
RUSTFLAGS="-Cpasses=sancov-module
    -Cllvm-args=-sanitizer-coverage-level=4
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters
    -Cllvm-args=-sanitizer-coverage-pc-table
    -Cllvm-args=-sanitizer-coverage-trace-compares
    -Cllvm-args=-simplifycfg-branch-fold-threshold=0"
RUSTFLAGS=$(echo "$RUSTFLAGS" | tr -s '\n ' ' ')
export RUSTFLAGS
cargo build --manifest-path tests/fuzz/Cargo.toml --release --target "$host" --target-dir target/fuzz

mkdir -p target/fuzz/found
for target in "$@"; do
    program="target/fuzz/$host/release/$target"
    seeds="tests/fuzz/seeds/$target"
    length_max=$answer_length_max
    # Those of the corpus that other tests read as well.
    [ "$target" != decks ] || seeds=tests/decks
    if [ ! -d "$seeds" ]; then
        seeds="target/fuzz/seeds/$target"
        program="target/fuzz/$host/release/files"
        export FUZZ_READER="$target"
        FUZZ_SEEDS="$seeds" "$program" -runs=0
        length_max=$file_length_max
    fi
    mkdir -p "target/fuzz/corpus/$target"
    "$program" "target/fuzz/corpus/$target" "$seeds" \
        -max_total_time=$((minutes * 60)) -max_len=$length_max -timeout=$seconds_max -rss_limit_mb=$megabytes_max \
        -artifact_prefix="target/fuzz/found/$target-" -print_final_stats=1
done
